//! The public feed.

use freshcontext_contract::chrono::{DateTime, SecondsFormat, Timelike, Utc};
use freshcontext_contract::{DateEvidence, DateValue, Item, SourceError};
use freshcontext_parse::feed::{self, Entry};
use freshcontext_parse::json::Lenient;
use freshcontext_parse::{html, link};

/// The feed, read.
#[derive(Debug, Default)]
pub struct Board {
    /// Its entries, undated: a feed tells when the draft was made, not when it was launched.
    pub items: Vec<Item>,
    /// Entries without a title.
    pub unreadable: usize,
    /// The slot of the launch day, which is what `updated` of this feed is.
    pub slot: Option<DateTime<Utc>>,
    /// Whether the feed names the topic asked for; an unknown one gives the ordinary feed.
    pub id: String,
}

/// Reads the feed.
pub fn board(body: &str) -> Result<Board, SourceError> {
    let feed = feed::read(body, "Product Hunt")?;
    let slot = match feed.updated {
        Some(DateValue::Instant(at)) if is_slot(&at) => Some(at),
        _ => None,
    };
    let posts = Lenient::from(feed.entries).filter_map(|entry| item(&entry));
    let posts = posts.or_none_readable("Product Hunt: no entry of the feed has a title")?;
    Ok(Board {
        items: posts.items,
        unreadable: posts.unreadable,
        slot,
        id: feed.id,
    })
}

/// A launch day begins at 00:01 in California (07:01 or 08:01 UTC). Another moment is when something was
/// touched, and no launch.
fn is_slot(at: &DateTime<Utc>) -> bool {
    matches!((at.hour(), at.minute()), (7 | 8, 0..=1))
}

fn item(entry: &Entry) -> Option<Item> {
    if entry.title.is_empty() {
        return None;
    }
    let mut item = Item::new(entry.title.clone(), DateEvidence::None);
    item.id = entry
        .id
        .rsplit('/')
        .next()
        .filter(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_owned);
    item.url = entry.link.as_deref().and_then(link::shown);
    item.summary = tagline(&entry.html);
    item.set("hunter", entry.authors.first().map(String::as_str));
    item.set(
        "draft_created_at",
        entry.published.as_ref().and_then(|published| match published {
            DateValue::Instant(at) => Some(at.to_rfc3339_opts(SecondsFormat::Millis, true)),
            DateValue::Day(day) => Some(day.to_string()),
            _ => None,
        }),
    );
    Some(item)
}

/// The first paragraph; behind it stand two links.
fn tagline(content: &str) -> String {
    let first = content.split_once("</p>").map_or(content, |(first, _)| first);
    html::to_line(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    const FEED: &str = include_str!("../../../../fixtures/producthunt/ok/01.body.xml");

    #[test]
    fn the_draft_is_no_launch_and_the_last_touch_no_date() {
        let board = board(FEED).unwrap();
        assert_eq!((board.items.len(), board.unreadable), (3, 1));
        assert_eq!(board.slot, Some("2026-11-21T08:01:00Z".parse().unwrap()));
        let item = &board.items[0];
        assert_eq!(item.date, DateEvidence::None);
        assert_eq!(item.fields["draft_created_at"], "2026-08-13T12:36:20.000Z");
        assert_eq!(item.id.as_deref(), Some("1122668"));
        assert_eq!(
            item.url.as_deref(),
            Some("https://www.producthunt.com/products/example-pay")
        );
    }

    #[test]
    fn the_tagline_is_decoded_and_unknown_numbers_are_absent() {
        let board = board(FEED).unwrap();
        assert_eq!(board.items[0].summary, "Price, bill & prove value “now” 🚀");
        for unknown in ["votes", "comments", "topics"] {
            assert!(board.items.iter().all(|item| !item.fields.contains_key(unknown)));
        }
    }

    #[test]
    fn what_is_no_feed_is_malformed() {
        for body in ["", "<html></html>", "{}"] {
            assert_eq!(super::board(body).unwrap_err().code, ErrorCode::Malformed);
        }
    }
}
