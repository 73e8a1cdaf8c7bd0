//! The readers over recorded and crafted bodies.

use freshcontext_contract::{ErrorCode, Item, StandingState};
use freshcontext_testkit::bodies::{any_prefix, fixtures, recorded, recording};

use crate::parse::{algolia, date_text, firebase, page, thread};

fn field(item: &Item, name: &str) -> String {
    item.fields.get(name).map(ToString::to_string).unwrap_or_default()
}

#[freshcontext_recorded::test]
fn comment_hits_are_titled_by_their_story() {
    let text = recording("hackernews/algolia_search_by_date_comments.json");
    let listing = algolia::from_text(&text).unwrap();
    let first = &listing.items[0];
    assert_eq!(
        first.title,
        "Comment by komali2 on: Waymo CEO Says Alphabet Unit Plans to Launch Driverless Car Service"
    );
    assert_eq!(date_text(&first.date).unwrap(), "2018-11-15T21:10:34Z");
    assert!(
        first
            .url
            .as_deref()
            .unwrap()
            .starts_with("https://news.ycombinator.com/item?id=")
    );
    assert!(first.summary.contains("left/right check"));
    assert_eq!(
        (field(first, "points"), field(first, "comments")),
        (String::new(), String::new())
    );
    assert_eq!(
        field(first, "story"),
        "\"https://news.ycombinator.com/item?id=18445714\""
    );
}

#[freshcontext_recorded::test]
fn text_posts_with_null_missing_and_empty_url_link_to_their_thread() {
    let names = [
        "algolia_search_2024_text_post",
        "algolia_search_by_date_ask",
        "algolia_search_story_long_text",
    ];
    for name in names {
        let text = recording(&format!("hackernews/{name}.json"));
        let item = algolia::from_text(&text).unwrap().items.swap_remove(0);
        let id = item.id.clone().unwrap();
        assert_eq!(
            item.url.unwrap(),
            format!("https://news.ycombinator.com/item?id={id}")
        );
        assert!(
            !item.summary.is_empty() && !item.summary.contains("&#x27;") && !item.summary.contains("<p>")
        );
    }
}

#[freshcontext_recorded::test]
fn the_index_time_is_not_the_submission() {
    let text = recording("hackernews/algolia_search_2024_text_post.json");
    let listing = algolia::from_text(&text).unwrap();
    assert_eq!(date_text(&listing.items[0].date).unwrap(), "2016-12-08T19:39:07Z");
    assert_eq!(field(&listing.items[0], "type"), "\"ask_hn\"");
    assert_eq!(listing.total, Some((1, false)));
}

#[freshcontext_recorded::test]
fn a_page_past_the_end_is_empty_and_keeps_the_total() {
    let text = recording("jobs/hn_algolia_empty_page8.json");
    let listing = algolia::from_text(&text).unwrap();
    assert!(listing.items.is_empty());
    assert_eq!((listing.total, listing.pages), (Some((152, false)), Some((8, 8))));
}

#[test]
fn what_is_no_page_of_hits_is_an_error() {
    for (body, code) in [
        ("", ErrorCode::Malformed),
        ("null", ErrorCode::Malformed),
        ("[]", ErrorCode::Malformed),
        ("{}", ErrorCode::Malformed),
        (r#"{"hits":{}}"#, ErrorCode::Malformed),
        (r#"{"hits":[1,{"objectID":null}]}"#, ErrorCode::Malformed),
        (r#"{"message":"bad filter"}"#, ErrorCode::UpstreamError),
        (r#"{"error":"throttled","status":429}"#, ErrorCode::UpstreamError),
        ("<html>", ErrorCode::Malformed),
    ] {
        assert_eq!(algolia::from_text(body).unwrap_err().code, code, "{body}");
    }
    assert!(
        algolia::from_text(r#"{"hits":[],"nbHits":0}"#)
            .unwrap()
            .items
            .is_empty()
    );
}

#[test]
fn drifting_fields_cost_a_field_and_not_the_hit() {
    let body = r#"{"hits":[{"objectID":7,"title":"A &amp; B","points":"many","url":5,"created_at":"2026-01-02T03:04:05Z"},{"objectID":"x"}],"nbHits":2}"#;
    let listing = algolia::from_text(body).unwrap();
    assert_eq!((listing.items.len(), listing.unreadable), (1, 1));
    let item = &listing.items[0];
    assert_eq!(
        (item.title.as_str(), field(item, "points").as_str()),
        ("A & B", "")
    );
    assert_eq!(date_text(&item.date).unwrap(), "2026-01-02T03:04:05Z");
}

#[freshcontext_recorded::test]
fn a_thread_has_its_text_and_its_comments() {
    let text = recording("hackernews/algolia_item_thread.json");
    let thread = thread::from_text(&text).unwrap();
    assert_eq!(
        thread.root.title,
        "Show HN: RMOTR Notebooks – Free Online Data Science Environment"
    );
    assert_eq!(date_text(&thread.root.date).unwrap(), "2018-11-29T18:54:44Z");
    assert!(thread.root.summary.starts_with("Hello HN. We're happy"));
    assert_eq!(
        thread.root.url.as_deref(),
        Some("https://news.ycombinator.com/item?id=18562744")
    );
    assert_eq!(thread.comments.len() + thread.deleted + thread.unreadable, 5);
}

#[freshcontext_recorded::test]
fn a_tree_of_296_comments_is_read_level_by_level() {
    let text = recording("jobs/hn_item_tree_2396027.json");
    let thread = thread::from_text(&text).unwrap();
    assert_eq!(thread.comments.len() + thread.deleted + thread.unreadable, 296);
    let depths: Vec<u64> = thread
        .comments
        .iter()
        .map(|c| {
            c.fields
                .get("depth")
                .and_then(freshcontext_contract::serde_json::Value::as_u64)
                .unwrap_or(1)
        })
        .collect();
    assert!(depths.is_sorted());
    assert_eq!(field(&thread.root, "comments"), thread.comments.len().to_string());
    assert_eq!(date_text(&thread.root.date).unwrap(), "2011-04-01T13:11:26Z");
    assert!(thread.newest_comment().unwrap().as_str() > "2011-04-01");
}

#[freshcontext_recorded::test]
fn the_item_interface_gives_stories_deleted_and_unknown_items() {
    let story = recording("hackernews/firebase_item_story.json");
    let node = firebase::from_text(&story).unwrap();
    assert_eq!(
        (node.item.title.as_str(), field(&node.item, "points").as_str()),
        ("Loopless Programming", "199")
    );
    assert_eq!(date_text(&node.item.date).unwrap(), "2019-10-17T03:58:46Z");
    assert_eq!(field(&node.item, "comments"), "122");
    assert_eq!(node.kids, [21_301_138, 21_300_939]);
    for name in ["firebase_item_deleted", "firebase_item_null"] {
        let text = recording(&format!("hackernews/{name}.json"));
        assert_eq!(firebase::from_text(&text).unwrap_err().code, ErrorCode::NotFound);
    }
    let ids = firebase::ids_from_text(&recording("hackernews/firebase_topstories.json")).unwrap();
    assert_eq!((ids.len(), ids[0]), (419, 21_299_546));
}

#[test]
fn dead_items_and_refusals_are_errors() {
    assert_eq!(
        firebase::from_text(r#"{"id":1,"dead":true,"title":"x"}"#)
            .unwrap_err()
            .code,
        ErrorCode::NotFound
    );
    assert_eq!(
        firebase::ids_from_text(r#"{"error":"Permission denied"}"#)
            .unwrap_err()
            .code,
        ErrorCode::UpstreamError
    );
    assert_eq!(
        firebase::ids_from_text("null").unwrap_err().code,
        ErrorCode::Malformed
    );
    assert_eq!(
        firebase::from_text(r#"{"id":1}"#).unwrap_err().code,
        ErrorCode::Malformed
    );
}

#[freshcontext_recorded::test]
fn all_30_rows_of_the_current_front_page() {
    let html = recording("hackernews/frontpage_2026.html");
    let listing = page::rows_from_text(&html).unwrap();
    assert_eq!((listing.items.len(), listing.unreadable), (30, 0));
    assert_eq!(
        listing
            .items
            .iter()
            .filter(|item| item.fields.contains_key("points"))
            .count(),
        29
    );
    assert!(
        listing
            .items
            .iter()
            .all(|item| date_text(&item.date).is_some() && !item.fields.contains_key("age"))
    );
    let first = &listing.items[0];
    assert_eq!(
        first.title,
        "The West Forgot How to Make Things. Now It's Forgetting How to Code"
    );
    assert_eq!(
        (field(first, "points"), field(first, "comments")),
        ("284".to_owned(), "145".to_owned())
    );
    assert_eq!(date_text(&first.date).unwrap(), "2026-04-26T06:24:42Z");
    let own = &listing.items[7];
    assert_eq!(
        own.url.as_deref(),
        Some("https://news.ycombinator.com/item?id=47906253")
    );
    let job = &listing.items[10];
    assert!(
        ["points", "comments", "author"]
            .iter()
            .all(|name| !job.fields.contains_key(*name)),
        "{job:?}"
    );
    assert!(listing.items.iter().any(|item| item.title.contains('ő')));
}

#[freshcontext_recorded::test]
fn a_second_chance_does_not_renew_a_submission() {
    let html = recording("hackernews/frontpage_2026.html");
    let listing = page::rows_from_text(&html).unwrap();
    let of = |id: &str| {
        listing
            .items
            .iter()
            .find(|item| item.id.as_deref() == Some(id))
            .unwrap()
    };
    assert!(
        date_text(&of("47898660").date)
            .unwrap()
            .starts_with("2026-04-25T")
    );
    assert_eq!(date_text(&of("47879648").date).unwrap(), "2026-04-23T18:35:14Z");
    assert_eq!(field(of("47879648"), "linked_year"), "2010");
}

#[freshcontext_recorded::test]
fn a_layout_without_dates_gives_words_and_no_date() {
    let html = recording("hackernews/frontpage_2020_no_dates.html");
    let listing = page::rows_from_text(&html).unwrap();
    assert_eq!(listing.items.len(), 30);
    assert!(listing.items.iter().all(|item| date_text(&item.date).is_none()));
    assert_eq!(field(&listing.items[0], "age"), "\"4 hours ago\"");
    assert_eq!(field(&listing.items[0], "comments"), "159");
}

#[freshcontext_recorded::test]
fn an_apology_is_no_front_page() {
    let sorry = recording("hackernews/blocked_sorry.txt");
    assert_eq!(
        page::rows_from_text(&sorry).unwrap_err().code,
        ErrorCode::RateLimited
    );
    assert_eq!(
        page::feed_from_text(&sorry).unwrap_err().code,
        ErrorCode::RateLimited
    );
}

#[test]
fn a_page_without_rows_is_no_front_page() {
    let bare = "<html><body><table id=hnmain><tr><td>Hacker News</td></tr></table></body></html>";
    assert_eq!(
        page::rows_from_text(bare).unwrap_err().code,
        ErrorCode::AccessDenied
    );
}

#[test]
fn marks_before_a_title_are_the_sites_and_words_in_it_are_not() {
    let row = |id: u32, title: &str| {
        format!(
            r#"<tr class="athing submission" id="{id}"><td class="title">{title}</td></tr>
            <tr><td class="subtext"><span class="age" title="2026-05-06T07:08:09 1778051289"></span></td></tr>"#
        )
    };
    let link = |words: &str| format!(r#"<a href="https://example.com/a">{words}</a>"#);
    let html = [
        row(
            1,
            &format!(r#"<span class="titleline"> [flagged] {}</span>"#, link("One")),
        ),
        row(
            2,
            &format!(
                r#"<span class="titleline">[flagged] [dead] {}</span>"#,
                link("Two")
            ),
        ),
        row(
            3,
            &format!(r#"[flagged] <span class="titleline">{}</span>"#, link("Three")),
        ),
        row(
            4,
            &format!(
                r#"<span class="titleline">{}</span>"#,
                link("Why was it [flagged]?")
            ),
        ),
        row(
            5,
            &format!(
                r#"<span class="titleline">{} (<span class="sitestr">[dead]</span>)</span>"#,
                link("Five")
            ),
        ),
    ];
    let listing = page::rows_from_text(&format!("<table>{}</table>", html.concat())).unwrap();
    let states: Vec<Vec<StandingState>> = listing
        .items
        .iter()
        .map(|item| item.standing.iter().map(|sign| sign.state).collect())
        .collect();
    assert_eq!(
        states,
        [
            vec![StandingState::Concern],
            vec![StandingState::Removed, StandingState::Concern],
            vec![StandingState::Concern],
            vec![],
            vec![]
        ]
    );
}

#[test]
fn ages_with_only_the_iso_part_are_utc_and_comment_rows_are_no_stories() {
    let html = r#"<table><tr class="athing submission" id="5"><td><span class="titleline"><a href="https://example.com/a?b=1&amp;c=2">A &amp;amp; B</a></span></td></tr>
        <tr><td class="subtext"><span class="score">1 point</span> <span class="age" title="2023-05-06T07:08:09"><a href="item?id=5">2 years ago</a></span> | <a href="item?id=5">discuss</a></td></tr>
        <tr class="athing comtr" id="6"><td><span class="age" title="2023-05-07T00:00:00"></span></td></tr></table>"#;
    let listing = page::rows_from_text(html).unwrap();
    assert_eq!(listing.items.len(), 1);
    let item = &listing.items[0];
    assert_eq!(
        (item.title.as_str(), item.url.as_deref()),
        ("A &amp; B", Some("https://example.com/a?b=1&c=2"))
    );
    assert_eq!(
        (field(item, "points"), field(item, "comments")),
        ("1".to_owned(), "0".to_owned())
    );
    assert_eq!(
        item.date,
        freshcontext_contract::DateEvidence::field("age title", "2023-05-06T07:08:09")
    );
}

#[freshcontext_recorded::test]
fn the_feed_gives_dates_and_item_numbers() {
    let text = recording("hackernews/rss_2025.xml");
    let listing = page::feed_from_text(&text).unwrap();
    assert_eq!(listing.items.len(), 30);
    let second = &listing.items[1];
    assert_eq!(
        second.title,
        "Recovering Anthony Bourdain's (really) lost Li.st's"
    );
    assert_eq!(second.id.as_deref(), Some("46258163"));
    assert_eq!(date_text(&second.date).unwrap(), "2025-12-13T21:18:01Z");
    assert_eq!(
        field(second, "discussion"),
        "\"https://news.ycombinator.com/item?id=46258163\""
    );
    assert!(!second.fields.contains_key("points"));
}

#[test]
fn any_prefix_of_any_body_is_survived() {
    let recorded = recorded(&[
        "hackernews/algolia_search_by_date_comments.json",
        "hackernews/algolia_item_thread.json",
        "hackernews/firebase_item_story.json",
        "hackernews/rss_2025.xml",
        "hackernews/frontpage_2020_no_dates.html",
    ]);
    let codes = [
        ErrorCode::Malformed,
        ErrorCode::AccessDenied,
        ErrorCode::NotFound,
        ErrorCode::UpstreamError,
    ];
    any_prefix(24, &[fixtures("hackernews"), recorded].concat(), |cut| {
        let errors = [
            algolia::from_text(cut).err(),
            thread::from_text(cut).err(),
            firebase::from_text(cut).err(),
            page::feed_from_text(cut).err(),
            page::rows_from_text(cut).err(),
        ];
        for error in errors.into_iter().flatten() {
            assert!(codes.contains(&error.code), "{error}");
        }
    });
}
