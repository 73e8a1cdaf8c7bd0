use super::*;
use freshcontext_contract::ErrorCode;
use proptest::prelude::*;

const FEED: &str = include_str!("../../../../../fixtures/reddit/ok/01.body.xml");

#[test]
fn an_entry_gives_its_own_text_its_link_and_its_date() {
    let page = feed(FEED).unwrap();
    assert_eq!(page.items.len(), 6);
    let pinned = &page.items[0];
    assert_eq!(pinned.id.as_deref(), Some("t3_feed00"));
    let own = &page.items[1];
    assert_eq!(own.title, "What does Vec<T> cost & when?");
    assert_eq!(
        own.url.as_deref(),
        Some("https://www.reddit.com/r/rust/comments/feed01/vec_cost/")
    );
    assert_eq!(own.summary, "Is pushing amortised?\n\nAsking for a friend.");
    assert_eq!(own.fields["author"], "example_a");
    assert_eq!(own.fields["subreddit"], "rust");
    assert!(
        !own.fields.contains_key("link"),
        "a text post links only to itself"
    );
    assert_eq!(
        own.date,
        DateEvidence::field(
            "published",
            "2026-11-21T09:00:00Z"
                .parse::<freshcontext_contract::chrono::DateTime<freshcontext_contract::chrono::Utc>>()
                .unwrap()
        )
    );
    let linked = &page.items[2];
    assert_eq!(linked.fields["link"], "https://blog.example.com/post?a=1&b=2");
    assert_eq!(linked.summary, "");
    for unknown in ["points", "comments", "flair", "nsfw"] {
        assert!(page.items.iter().all(|item| !item.fields.contains_key(unknown)));
    }
}

#[test]
fn updated_stands_in_only_where_published_is_missing() {
    let page = feed(FEED).unwrap();
    let DateEvidence::Field { name, .. } = &page.items[5].date else {
        panic!()
    };
    assert_eq!(name, "updated");
}

#[test]
fn leading_entries_much_older_than_the_rest_may_be_pinned() {
    let mut items = feed(FEED).unwrap().items;
    assert_eq!(suspect_pins(&mut items), 1);
    assert!(items[0].out_of_order && !items[1].out_of_order);
    items.truncate(3);
    items[0].out_of_order = false;
    assert_eq!(suspect_pins(&mut items), 0, "too few to tell");
}

#[test]
fn a_root_without_namespace_and_old_rss_are_read() {
    let bare = r#"<feed><entry><id>t3_a</id><title>One</title><link href="https://old.reddit.com/r/x/comments/a/one/"/>
        <published>2026-01-02T03:04:05+00:00</published></entry></feed>"#;
    let item = feed(bare).unwrap().items.remove(0);
    assert_eq!(
        (item.title.as_str(), item.url.as_deref()),
        ("One", Some("https://www.reddit.com/r/x/comments/a/one/"))
    );
    let rss = r#"<rss version="2.0"><channel><title>x</title><item><title>One</title>
        <link>https://www.reddit.com/r/x/comments/a/one/</link><pubDate>Thu, 20 Oct 2016 12:00:00 +0000</pubDate></item></channel></rss>"#;
    let item = feed(rss).unwrap().items.remove(0);
    assert!(matches!(item.date, DateEvidence::Field { ref name, .. } if name == "published"));
}

#[test]
fn a_feed_without_entries_is_empty_and_one_of_subreddits_is_not_posts() {
    let none = feed(r#"<feed xmlns="http://www.w3.org/2005/Atom"><id>/r/x/.rss</id><title>x</title></feed>"#)
        .unwrap();
    assert!(none.items.is_empty() && !none.subreddits_only);
    let subs = feed(
        r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>t5_2qs0k</id><title>Home</title></entry></feed>"#,
    );
    assert!(subs.unwrap().subreddits_only);
}

proptest! {
    #[test]
    fn any_prefix_gives_a_page_or_malformed(cut in 0usize..FEED.len()) {
        let body: String = FEED.chars().take(cut).collect();
        if let Err(error) = feed(&body) {
            prop_assert_eq!(error.code, ErrorCode::Malformed);
        }
    }
}
