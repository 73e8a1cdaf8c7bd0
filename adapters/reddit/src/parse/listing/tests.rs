use super::*;
use freshcontext_contract::DateValue;
use proptest::prelude::*;

const LISTING: &str = include_str!("../../../../../fixtures/reddit/ok_oauth/01.body.json");
const COMMENTS: &str = include_str!("../../../../../fixtures/reddit/post_with_comments/01.body.json");
const SUBREDDITS: &str = include_str!("../../../../../fixtures/reddit/unknown_subreddit/01.body.json");

#[test]
fn a_post_keeps_its_facts_and_loses_what_is_unknown() {
    let page = listing(LISTING).unwrap();
    assert_eq!(page.items.len(), 6);
    assert_eq!(page.unreadable, 2);
    assert_eq!(page.after.as_deref(), Some("t3_craft06"));
    let pinned = &page.items[0];
    assert!(pinned.out_of_order);
    assert_eq!(pinned.fields["pinned"], true);
    let hidden = &page.items[1];
    assert!(
        !hidden.fields.contains_key("points"),
        "a hidden score is unknown, not 1"
    );
    assert_eq!(hidden.fields["comments"], 0);
    assert_eq!(hidden.fields["author"], "[deleted]");
    assert_eq!(hidden.fields["text"], "[removed]");
    assert_eq!(hidden.summary, "");
    let nsfw = &page.items[2];
    assert_eq!(nsfw.fields["nsfw"], true);
    assert_eq!(nsfw.fields["crosspost_of"], "t3_other1");
    assert_eq!(nsfw.fields["gallery"], true);
    assert_eq!(nsfw.fields["link"], "https://www.reddit.com/gallery/craft03");
}

#[test]
fn created_utc_is_the_date_and_edited_only_a_second_fact() {
    let page = listing(LISTING).unwrap();
    let item = &page.items[3];
    let date = DateEvidence::field("created_utc", DateValue::EpochSeconds(1_795_168_800));
    assert_eq!(item.date, date, "not `created`, which is eight hours ahead here");
    assert_eq!(item.fields["edited_at"], "2026-11-20T14:00:00.000Z");
    assert_eq!(page.items[4].date, DateEvidence::None);
}

#[test]
fn raw_text_is_kept() {
    let page = listing(LISTING).unwrap();
    assert_eq!(page.items[3].title, "How does Vec<T> & &amp; differ? “quotes” 🦀");
}

#[test]
fn a_comment_page_is_two_listings() {
    let page = listing(COMMENTS).unwrap();
    let titles: Vec<&str> = page.items.iter().map(|item| item.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Which tracing crate?",
            "Comment by example_b",
            "Comment by example_c",
            "Comment by example_d"
        ]
    );
    assert_eq!(page.items[2].fields["reply_depth"], 1);
    assert!(!page.items[3].fields.contains_key("points"));
    assert_eq!(page.not_loaded, 17);
    assert_eq!(page.after, None);
}

#[test]
fn subreddits_are_not_posts() {
    let page = listing(SUBREDDITS).unwrap();
    assert!(page.items.is_empty() && page.subreddits_only);
}

#[test]
fn an_error_with_status_200_is_an_error() {
    let error = listing(r#"{"reason": "private", "message": "Forbidden", "error": 403}"#).unwrap_err();
    assert_eq!(
        (error.code, error.http_status),
        (ErrorCode::AccessDenied, Some(403))
    );
    assert!(error.message.ends_with("\"private\""));
    assert_eq!(
        listing(r#"{"message": "Not Found", "error": 404}"#)
            .unwrap_err()
            .code,
        ErrorCode::NotFound
    );
    for body in [
        "{}",
        "[]",
        "[1]",
        r#"{"kind":"t3","data":{}}"#,
        "\"x\"",
        "",
        r#"{"kind":"Listing","data":{}}"#,
    ] {
        assert_eq!(listing(body).unwrap_err().code, ErrorCode::Malformed, "{body}");
    }
}

#[test]
fn an_empty_listing_is_no_error() {
    let page = listing(r#"{"kind":"Listing","data":{"children":[],"after":null}}"#).unwrap();
    assert!(page.items.is_empty() && !page.subreddits_only);
}

proptest! {
    #[test]
    fn any_prefix_gives_a_page_or_malformed(cut in 0usize..LISTING.len(), which in 0usize..3) {
        let body = [LISTING, COMMENTS, SUBREDDITS][which];
        let body: String = body.chars().take(cut).collect();
        if let Err(error) = listing(&body) {
            prop_assert_eq!(error.code, ErrorCode::Malformed);
        }
    }
}
