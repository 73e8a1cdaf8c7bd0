//! The readers over recorded and crafted bodies.

use freshcontext_contract::{DateEvidence, DateValue, ErrorCode, Item};
use freshcontext_testkit::bodies::{any_prefix, fixtures, recorded, recording};

use crate::parse::{self, NoReadme};

fn field(item: &Item, name: &str) -> String {
    item.fields.get(name).map(ToString::to_string).unwrap_or_default()
}

#[freshcontext_recorded::test]
fn a_repository_is_never_dated_by_its_update() {
    let body = recording("github/repo_normal.json");
    let repo = parse::repository(&body).unwrap();
    let date = repo.pushed();
    assert!(
        matches!(&date, DateEvidence::PageSignal { value: DateValue::Text(at), .. } if at == "2022-01-10T12:57:13Z")
    );
    let item = repo.into_item(date);
    assert_eq!(item.title, "PyGithub/PyGithub");
    assert_eq!(item.url.as_deref(), Some("https://github.com/PyGithub/PyGithub"));
    assert_eq!(
        (field(&item, "stars"), field(&item, "watchers")),
        ("5001".to_owned(), "108".to_owned())
    );
    assert_eq!(field(&item, "license"), "\"LGPL-3.0\"");
    assert!(!item.fields.contains_key("archived") && !item.fields.contains_key("updated_at"));
    assert!(
        !item
            .fields
            .values()
            .any(|value| value.to_string().contains("2022-01-10T15:54:04Z"))
    );
}

#[freshcontext_recorded::test]
fn topics_are_shown_and_missing_ones_are_absent() {
    let body = recording("github/repo_with_topics.json");
    let repo = parse::repository(&body).unwrap();
    let item = repo.into_item(DateEvidence::None);
    assert!(!item.fields["topics"].as_array().unwrap().is_empty());
}

#[test]
fn what_a_bare_repository_lacks_is_absent() {
    let bare = parse::repository(r#"{"full_name":"a/b","description":null,"language":null,"pushed_at":null,"license":{"spdx_id":"NOASSERTION"},"archived":true}"#).unwrap();
    assert_eq!(bare.pushed(), DateEvidence::None);
    assert!(bare.archived());
    let item = bare.into_item(DateEvidence::None);
    assert!(
        ["language", "topics", "license", "stars", "pushed_at"]
            .iter()
            .all(|name| !item.fields.contains_key(*name))
    );
    assert_eq!(
        (item.summary.as_str(), field(&item, "archived").as_str()),
        ("", "true")
    );
}

#[test]
fn commits_give_both_dates_and_no_people() {
    let body = r#"[{"sha":"0123456789abcdef","commit":{"author":{"name":"A","email":"a@example.com","date":"2019-01-01T00:00:00Z"},"committer":{"date":"2026-01-01T00:00:00Z"}}}]"#;
    let commit = parse::newest_commit(body, 200).unwrap().unwrap();
    assert_eq!(commit.landed.as_deref(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(commit.written.as_deref(), Some("2019-01-01T00:00:00Z"));
    assert!(!format!("{commit:?}").contains('@'));
    assert_eq!(
        parse::newest_commit(r#"{"message":"Git Repository is empty."}"#, 409).unwrap(),
        None
    );
    assert_eq!(parse::newest_commit("[]", 200).unwrap(), None);
    for body in ["{}", "null", r#"[{"sha":"x"}]"#] {
        assert_eq!(
            parse::newest_commit(body, 200).unwrap_err().code,
            ErrorCode::Malformed,
            "{body}"
        );
    }
}

#[freshcontext_recorded::test]
fn readmes_are_decoded_and_their_comments_left_out() {
    let body = recording("github/readme.json");
    let readme = parse::readme(&body, 200).unwrap().unwrap();
    assert!(readme.text.starts_with("# Octokit\n\nSimple Ruby wrapper"));
    assert_eq!(
        readme.url.as_deref(),
        Some("https://github.com/octokit/octokit.rb/blob/master/README.md")
    );
}

#[test]
fn a_readme_of_ours_is_decoded_or_known_to_be_none() {
    // "Hi <!-- planted --> ÿ" in Latin-1, whose last byte is no UTF-8.
    let latin = r#"{"encoding":"base64","content":"SGkgPCEtLSBwbGFudGVk\nIC0tPiBjYWbpIGFuZCBt\nb3JlIHdvcmRzIGhlcmU="}"#;
    let readme = parse::readme(latin, 200).unwrap().unwrap();
    assert!(
        readme.text.starts_with("Hi") && !readme.text.contains("planted"),
        "{}",
        readme.text
    );
    assert_eq!(parse::readme("{}", 404).unwrap(), Err(NoReadme::Absent));
    assert_eq!(
        parse::readme(r#"{"encoding":"none","content":""}"#, 200).unwrap(),
        Err(NoReadme::Unread)
    );
    assert_eq!(
        parse::readme(r#"{"encoding":"base64","content":"***"}"#, 200)
            .unwrap_err()
            .code,
        ErrorCode::Malformed
    );
}

#[freshcontext_recorded::test]
fn a_page_of_search_results() {
    let body = recording("github/search_repos.json");
    let found = parse::search_page(&body, 200, false).unwrap();
    assert_eq!(
        (found.items.len(), found.unreadable, found.total, found.incomplete),
        (30, 0, 1918, false)
    );
    let first = &found.items[0];
    assert_eq!(first.title, "daniel-e/tetros");
    assert!(
        matches!(&first.date, DateEvidence::PageSignal { value: DateValue::Text(at), .. } if at == "2016-12-18T13:32:27Z")
    );
    assert!(found.items.iter().any(|item| item.summary.is_empty()));
}

#[test]
fn one_undated_repository_leaves_the_others_their_dates() {
    let body = r#"{"total_count":2,"incomplete_results":true,"items":[{"full_name":"a/b","pushed_at":null},{"full_name":"c/d","pushed_at":"2026-01-01T00:00:00Z"},{"name":"x"}]}"#;
    let found = parse::search_page(body, 200, false).unwrap();
    assert_eq!(
        (found.items.len(), found.unreadable, found.incomplete),
        (2, 1, true)
    );
    assert_eq!(found.items[0].date, DateEvidence::None);
    assert!(matches!(found.items[1].date, DateEvidence::PageSignal { .. }));
}

#[freshcontext_recorded::test]
fn a_search_without_results_is_empty() {
    let body = recording("github/search_empty.json");
    let found = parse::search_page(&body, 200, false).unwrap();
    assert_eq!((found.items.len(), found.total), (0, 0));
}

#[test]
fn refused_and_malformed_searches_are_told_apart() {
    let refused = r#"{"message":"Validation Failed","errors":[{"message":"The search is longer than 256 characters.","resource":"Search","field":"q","code":"invalid"}]}"#;
    let error = parse::search_page(refused, 422, false).unwrap_err();
    assert_eq!(
        (error.code, error.field.as_deref()),
        (ErrorCode::InvalidInput, Some("query"))
    );
    assert!(error.message.contains("longer than 256"));
    assert_eq!(
        parse::search_page("{}", 422, false).unwrap_err().code,
        ErrorCode::UpstreamError
    );
    for body in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"total_count":1,"items":[{}]}"#,
        "<html>",
    ] {
        assert_eq!(
            parse::search_page(body, 200, false).unwrap_err().code,
            ErrorCode::Malformed,
            "{body}"
        );
    }
}

#[test]
fn any_prefix_of_any_body_is_survived() {
    let recorded = recorded(&[
        "github/repo_normal.json",
        "github/readme.json",
        "github/search_repos.json",
    ]);
    any_prefix(32, &[fixtures("github"), recorded].concat(), |cut| {
        assert_eq!(parse::repository(cut).unwrap_err().code, ErrorCode::Malformed);
        assert_eq!(parse::readme(cut, 200).unwrap_err().code, ErrorCode::Malformed);
        assert_eq!(
            parse::search_page(cut, 200, false).unwrap_err().code,
            ErrorCode::Malformed
        );
    });
}
