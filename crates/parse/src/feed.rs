//! Atom, RSS and JSON Feed through `feed-rs`, which neither expands entities nor fetches anything.

mod guard;
mod root;

use std::borrow::Cow;

use chrono::{DateTime, NaiveTime, Utc};
use freshcontext_contract::{DateEvidence, DateValue, SourceError};

use crate::{date, html};

/// A feed, as far as sources use it. The feed's own `updated` is a build time and left out on purpose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Feed {
    /// Its id, as sent.
    pub id: String,
    /// Its title as plain text.
    pub title: String,
    /// The page it belongs to.
    pub page: Option<String>,
    /// The feed-level `updated`, for the one source where it is a launch day. Usually a build time.
    pub updated: Option<DateValue>,
    /// Its entries, in the order sent.
    pub entries: Vec<Entry>,
}

/// One entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its title as plain text.
    pub title: String,
    /// Its page (`rel=alternate`, else the first link).
    pub link: Option<String>,
    /// Publication as the feed says: an instant, or a day where it gives no time.
    pub published: Option<DateValue>,
    /// Last change as the feed says, likewise.
    pub updated: Option<DateValue>,
    /// Names of its authors.
    pub authors: Vec<String>,
    /// Its categories.
    pub categories: Vec<String>,
    /// Its content, else its summary: HTML as sent.
    pub html: String,
}

impl Entry {
    /// Publication date: `published` is a field, `updated` alone only a signal.
    pub fn date(&self) -> DateEvidence {
        match (self.published.clone(), self.updated.clone()) {
            (Some(published), _) => DateEvidence::field("published", published),
            (None, Some(updated)) => DateEvidence::signal("updated: the entry's last change", updated),
            (None, None) => DateEvidence::None,
        }
    }

    /// Its content as readable text.
    pub fn text(&self) -> String {
        html::to_text(&self.html)
    }
}

/// Whether a body looks like a feed, whatever its label says.
pub fn looks_like(body: &str) -> bool {
    let head: String = body
        .trim_start_matches('\u{feff}')
        .trim_start()
        .chars()
        .take(1_000)
        .collect();
    let lower = head.to_ascii_lowercase();
    if lower.starts_with('{') {
        return lower.contains("jsonfeed.org/version") || json_version(body).is_some();
    }
    lower.starts_with('<')
        && ["<rss", "<feed", "<rdf:rdf"]
            .iter()
            .any(|root| lower.contains(root))
        && !lower.contains("<html")
}

/// Address of JSON Feed's versions (<https://www.jsonfeed.org/version/1.1/#top-level-a-name-top-level-a>).
const JSON_FEED: &str = "jsonfeed.org/version/";

/// The version that a JSON Feed states, wherever its author put it and however the slashes are written.
fn json_version(body: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: String,
    }
    if !body.contains("jsonfeed.org") {
        return None;
    }
    let stated: Versioned = serde_json::from_str(body.trim_start_matches('\u{feff}')).ok()?;
    stated.version.contains(JSON_FEED).then_some(stated.version)
}

/// A JSON Feed whose version is written as `http:` with the scheme that the specification has: the reader knows no other.
fn with_https(text: &str) -> Cow<'_, str> {
    let is_plain = text.trim_start().starts_with('{')
        && json_version(text).is_some_and(|version| version.starts_with("http://"));
    if !is_plain {
        return Cow::Borrowed(text);
    }
    let written = [
        "\"http://jsonfeed.org/version/",
        "\"http:\\/\\/jsonfeed.org\\/version\\/",
    ];
    let found = written.into_iter().find(|start| text.contains(start));
    let https = format!("\"https://{JSON_FEED}");
    found.map_or(Cow::Borrowed(text), |start| {
        Cow::Owned(text.replacen(start, &https, 1))
    })
}

/// Reads a feed of any kind from decoded text. The encoding that its XML declaration names is that of the bytes
/// it came in; its reader would decode the text a second time by it, so the declaration is left out.
pub fn read(text: &str, what: &str) -> Result<Feed, SourceError> {
    let text = root::known(with_https(without_declaration(text)));
    let bytes = text.as_bytes();
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(SourceError::malformed(format!("{what}: the answer is empty")));
    }
    if let Err(too_much) = guard::check(bytes) {
        return Err(SourceError::malformed(format!("{what}: the feed has {too_much}")));
    }
    let unreadable = |error: feed_rs::parser::ParseFeedError| {
        SourceError::malformed(format!("{what}: the answer is not a readable feed"))
            .caused_by(error.to_string())
    };
    let mut feed = feed_rs::parser::parse(bytes).map_err(unreadable)?;
    // Its reader makes midnight of a day, and nothing of a time without a zone. Where there may be either, a second
    // look finds the days.
    let midnight = |at: Option<DateTime<Utc>>| at.is_some_and(|at| at.time() == NaiveTime::MIN);
    let may_be_days = feed.entries.iter().any(|entry| {
        let undated = entry.published.is_none() && entry.updated.is_none();
        undated || midnight(entry.published) || midnight(entry.updated)
    });
    let look = |reader: fn(&str) -> Option<DateTime<Utc>>| {
        let reader = feed_rs::parser::Builder::new().timestamp_parser(reader).build();
        reader.parse(bytes).map_err(unreadable)
    };
    let days = if may_be_days || midnight(feed.updated) {
        Some(look(day_without_zone)?)
    } else {
        None
    };
    let updated = value(feed.updated, days.as_ref().and_then(|days| days.updated));
    let days = days.map(|days| days.entries).unwrap_or_default();
    // A third one finds the times that its reader does not know, such as one with a blank before its offset.
    let undated = |entry: &feed_rs::model::Entry| entry.published.is_none() && entry.updated.is_none();
    let mut both = feed.entries.iter().zip(&days);
    if both.any(|(entry, days)| undated(entry) && undated(days)) {
        let others = look(date::instant)?.entries;
        for (entry, other) in feed
            .entries
            .iter_mut()
            .zip(others)
            .filter(|(entry, _)| undated(entry))
        {
            entry.published = other.published;
            entry.updated = other.updated;
        }
    }
    let mut days = days.into_iter();
    // Every kind of feed must have a title: without that too, it is not that there is nothing new.
    if feed.entries.is_empty() && feed.title.is_none() {
        return Err(SourceError::malformed(format!(
            "{what}: the feed has neither a title nor entries"
        )));
    }
    let is_atom = feed.feed_type == feed_rs::model::FeedType::Atom;
    Ok(Feed {
        id: feed.id,
        title: feed
            .title
            .map(|title| title_line(&title, is_atom))
            .unwrap_or_default(),
        page: feed
            .links
            .into_iter()
            .find(|link| link.rel.as_deref() != Some("self"))
            .map(|link| link.href),
        updated,
        entries: feed
            .entries
            .into_iter()
            .map(|one| entry(one, days.next().as_ref(), is_atom))
            .collect(),
    })
}

/// The text behind its XML declaration, where it has one.
fn without_declaration(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    let declared = start
        .strip_prefix("<?xml")
        .filter(|rest| rest.starts_with(char::is_whitespace));
    declared
        .and_then(|rest| rest.split_once("?>"))
        .map_or(text, |(_, rest)| rest)
}

/// Midnight of a text that is a day, or a time without a zone; `None` for every other text.
fn day_without_zone(text: &str) -> Option<DateTime<Utc>> {
    let day = date::day_without_zone(text)?;
    Some(day.and_time(NaiveTime::MIN).and_utc())
}

/// A date of an entry: the day, where a second look found a day in its place.
fn value(at: Option<DateTime<Utc>>, day: Option<DateTime<Utc>>) -> Option<DateValue> {
    match (at, day) {
        (_, Some(day)) => Some(DateValue::Day(day.date_naive())),
        (at, None) => at.map(DateValue::Instant),
    }
}

/// An Atom title without a type is plain text (RFC 4287, 3.1.1): `Vec<T>` in it is not markup. RSS has
/// no types, and its titles are HTML as often as not.
fn title_line(title: &feed_rs::model::Text, is_atom: bool) -> String {
    if is_atom && title.content_type.subty() == "plain" {
        crate::text::one_line(&title.content)
    } else {
        html::to_line(&title.content)
    }
}

fn entry(entry: feed_rs::model::Entry, days: Option<&feed_rs::model::Entry>, is_atom: bool) -> Entry {
    let link = entry
        .links
        .iter()
        .find(|link| link.rel.as_deref().is_none_or(|rel| rel == "alternate"))
        .or(entry.links.first())
        .map(|link| link.href.clone());
    let content = entry.content.and_then(|content| content.body);
    Entry {
        id: entry.id,
        title: entry
            .title
            .map(|title| title_line(&title, is_atom))
            .unwrap_or_default(),
        link,
        published: value(entry.published, days.and_then(|days| days.published)),
        updated: value(entry.updated, days.and_then(|days| days.updated)),
        authors: entry
            .authors
            .into_iter()
            .filter_map(|person| person.name)
            .filter(|name| !name.is_empty())
            .collect(),
        categories: entry
            .categories
            .into_iter()
            .map(|category| category.term)
            .collect(),
        html: content
            .or(entry.summary.map(|summary| summary.content))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use freshcontext_contract::ErrorCode;
    use freshcontext_contract::limits::{FEED_ENTRIES, XML_DEPTH, XML_NAMESPACES};
    use proptest::prelude::*;

    const ATOM: &str = r#"<?xml version='1.0'?><feed xmlns="http://www.w3.org/2005/Atom"><id>f</id>
        <title>Feed &amp; co</title><updated>2026-01-05T00:00:00Z</updated>
        <entry><id>e1</id><title type="html">A &amp;amp; B</title><link href="https://example.com/1"/>
        <published>2026-01-02T03:04:05+01:00</published><updated>2026-01-03T00:00:00Z</updated>
        <content type="html">&lt;p&gt;Hi&lt;/p&gt;</content></entry>
        <entry><id>e2</id><title>Only updated</title><updated>2026-01-04T00:00:00Z</updated></entry></feed>"#;

    #[test]
    fn reads_atom_with_its_dates() {
        let feed = read(ATOM, "feed").unwrap();
        assert_eq!(feed.title, "Feed & co");
        let first = &feed.entries[0];
        assert_eq!((first.title.as_str(), first.text().as_str()), ("A & B", "Hi"));
        let at = DateValue::Instant("2026-01-02T02:04:05Z".parse().unwrap());
        assert_eq!(first.published, Some(at));
        assert!(matches!(first.date(), DateEvidence::Field { .. }));
        assert!(matches!(feed.entries[1].date(), DateEvidence::PageSignal { .. }));
    }

    #[test]
    fn a_json_feed_is_one_wherever_its_version_stands() {
        let entry = r#"{"id":"1","title":"A","url":"https://example.org/a","date_published":"2026-11-20T10:00:00Z","content_text":"x"}"#;
        let long = "x".repeat(2_000);
        for version in [
            "https://jsonfeed.org/version/1",
            "https://jsonfeed.org/version/1.1",
            "http://jsonfeed.org/version/1",
            r"https:\/\/jsonfeed.org\/version\/1",
            r"http:\/\/jsonfeed.org\/version\/1.1",
        ] {
            for body in [
                format!(r#"{{"version":"{version}","title":"T","items":[{entry}]}}"#),
                format!(r#"{{"title":"T","description":"{long}","items":[{entry}],"version":"{version}"}}"#),
            ] {
                assert!(looks_like(&body), "{body}");
                let feed = read(&body, "feed").unwrap();
                assert_eq!(feed.entries[0].title, "A", "{body}");
            }
        }
        let other = format!(r#"{{"title":"{long} of https://jsonfeed.org/version/1","items":[]}}"#);
        assert!(!looks_like(&other));
    }

    #[test]
    fn a_plain_atom_title_is_no_markup() {
        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id>
            <title>Vec&lt;T&gt; &amp;amp; more</title></entry></feed>"#;
        assert_eq!(read(atom, "feed").unwrap().entries[0].title, "Vec<T> &amp; more");
    }

    #[test]
    fn dates_that_the_feeds_reader_does_not_know() {
        let published = |date: &str| {
            let rss = format!(
                "<rss version='2.0'><channel><title>Notes</title><item><title>a</title><pubDate>{date}</pubDate></item>\
                 <item><title>b</title><pubDate>Thu, 19 Nov 2026 00:00:00 GMT</pubDate></item></channel></rss>"
            );
            let feed = read(&rss, "feed").unwrap();
            let midnight = DateValue::Instant("2026-11-19T00:00:00Z".parse().unwrap());
            assert_eq!(feed.entries[1].published, Some(midnight), "{date}");
            feed.entries[0].published.clone()
        };
        let day = DateValue::Day(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
        for zone in ["CET", "BST", "IST"] {
            assert_eq!(
                published(&format!("Fri, 20 Nov 2026 23:11:12 {zone}")),
                Some(day.clone())
            );
        }
        let at = DateValue::Instant("2026-11-20T22:11:12Z".parse().unwrap());
        for date in [
            "2026-11-20 23:11:12 +0100",
            "2026-11-20T23:11:12 +0100",
            "Fri, 20 Nov 2026 23:11:12 +0100",
        ] {
            assert_eq!(published(date), Some(at.clone()), "{date}");
        }
        assert_eq!(published("some day"), None);
    }

    #[test]
    fn entities_are_not_expanded() {
        let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
            <rss version="2.0"><channel><title>&b;&b;</title><item><title>t</title></item></channel></rss>"#;
        if let Ok(feed) = read(bomb, "feed") {
            assert!(!feed.title.contains("aaaa"));
        }
    }

    #[test]
    fn entries_are_bounded_before_they_are_parsed() {
        let feeds = |count: usize| {
            [
                format!(
                    "<rss version='2.0'><channel><title>t</title>{}</channel></rss>",
                    "<item/>".repeat(count)
                ),
                format!(
                    "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>t</a:title>{}</a:feed>",
                    "<a:entry/>".repeat(count)
                ),
                format!(
                    r#" {{"version":"https://jsonfeed.org/version/1","title":"t","items":[{}]}}"#,
                    vec![r#"{"id":"1"}"#; count].join(",")
                ),
            ]
        };
        for feed in feeds(FEED_ENTRIES) {
            assert_eq!(read(&feed, "feed").unwrap().entries.len(), FEED_ENTRIES);
        }
        for feed in feeds(FEED_ENTRIES + 1) {
            let error = read(&feed, "feed").unwrap_err();
            assert!(
                error.message.contains("more than 5000 entries"),
                "{}",
                error.message
            );
        }
    }

    #[test]
    fn depth_and_namespaces_are_bounded_before_they_are_parsed() {
        let feed = |open: &str, close: &str, count: usize| {
            let body = format!("{}{}", open.repeat(count), close.repeat(count));
            let feed = format!(
                "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><title>t</title>\
                <item><title>e</title>{body}</item></channel></rss>"
            );
            read(&feed, "feed")
        };
        for (open, close) in [
            ("<media:group>", "</media:group >"),
            ("<media:content>", "</media:content>"),
            // End tags where there are none.
            ("<media:group a='</media:group>'>", "</media:group>"),
            (
                "<media:group><!--</media:group>--><![CDATA[</media:group>]]>",
                "</media:group>",
            ),
        ] {
            assert_eq!(feed(open, close, 10).unwrap().entries.len(), 1, "{open}");
            let error = feed(open, close, 100_000).unwrap_err();
            assert!(
                error.message.contains("nested deeper"),
                "{open}: {}",
                error.message
            );
        }
        assert!(feed("<media:group>", "</media:group>", XML_DEPTH - 3).is_ok());
        let flat: Vec<String> = (0..XML_NAMESPACES).map(|n| format!(" xmlns:n{n}='u'")).collect();
        let flat = flat.concat();
        assert!(feed("<x xmlns='u'/>", "", 2_000).is_ok());
        let error = feed(&format!("<x{flat}>"), "</x>", 1).unwrap_err();
        assert!(error.message.contains("namespaces"), "{}", error.message);
    }

    #[test]
    fn what_is_no_feed_is_malformed() {
        for body in [
            "",
            "  ",
            "<html><body>hi</body></html>",
            "{\"a\":1}",
            "plain",
            "<feed xmlns='http://www.w3.org/2005/Atom'/>",
            "<rss version='2.0'><channel/></rss>",
            // In another namespace, its title has an unknown meaning.
            "<feed xmlns='urn:example:other'><title>t</title><entry><title>e</title></entry></feed>",
        ] {
            assert_eq!(
                read(body, "feed").unwrap_err().code,
                ErrorCode::Malformed,
                "{body}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_prefix_is_survived(cut in 0usize..ATOM.len()) {
            let _ = read(&String::from_utf8_lossy(&ATOM.as_bytes()[..cut]), "feed");
        }
    }
}
