//! Feeds whose root names a version that their reader does not know, as those that it knows.
//!
//! RSS 0.93, 0.94 and 2.0 have the same elements (<https://www.rssboard.org/rss-history>), and generators write `2`, `2.00` or
//! no version at all. Atom 0.3, which many archives still hold, has another namespace and other names for its two dates.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Versions of RSS that the reader knows.
const RSS: [&str; 4] = ["2.0", "0.91", "0.92", ""];
/// What every other one is read as.
const NEWEST_RSS: &str = "2.0";
/// The namespace of Atom 0.3, and that of Atom (RFC 4287).
const OLD_ATOM: &str = "http://purl.org/atom/ns#";
const ATOM: &str = "http://www.w3.org/2005/Atom";
/// The dates of Atom 0.3, and what they are called since.
const OLD_DATES: [(&str, &str); 2] = [("issued", "published"), ("modified", "updated")];

/// The feed with a root that its reader knows.
pub(super) fn known(text: Cow<'_, str>) -> Cow<'_, str> {
    match rewritten(&text) {
        Some(rewritten) => Cow::Owned(rewritten),
        None => text,
    }
}

/// The feed with another root; `None` where its own is known.
fn rewritten(text: &str) -> Option<String> {
    let (place, tag) = root(text)?;
    let (before, after) = (text.get(..place.start)?, text.get(place.end..)?);
    match tag.local_name().as_ref() {
        "rss" => Some(format!("{before}<{}>{after}", &*with_version(&tag)?)),
        "feed" if tag.contains(OLD_ATOM) => {
            let prefix = tag.name().prefix();
            let prefix = prefix.map_or_else(String::new, |prefix| format!("{}:", prefix.as_ref()));
            let mut after = after.to_owned();
            for (old, new) in OLD_DATES {
                after = after
                    .replace(&format!("<{prefix}{old}>"), &format!("<{prefix}{new}>"))
                    .replace(&format!("</{prefix}{old}>"), &format!("</{prefix}{new}>"));
            }
            Some(format!("{before}<{}>{after}", tag.replace(OLD_ATOM, ATOM)))
        }
        _ => None,
    }
}

/// The start tag of RSS with a version that its reader knows, where it has another.
fn with_version<'t>(tag: &BytesStart<'t>) -> Option<BytesStart<'t>> {
    let stated = tag.try_get_attribute("version").ok()?;
    if stated.is_some_and(|stated| RSS.contains(&stated.value.as_ref())) {
        return None;
    }
    let mut others = tag.attributes().collect::<Result<Vec<_>, _>>().ok()?;
    others.retain(|attribute| attribute.key.as_ref() != "version");
    let mut out = tag.clone();
    out.clear_attributes().extend_attributes(others);
    out.push_attribute(("version", NEWEST_RSS));
    Some(out)
}

/// The start tag of the root, and where it stands: behind comments, instructions and a document type.
fn root(text: &str) -> Option<(Range<usize>, BytesStart<'_>)> {
    let mut reader = Reader::from_str(text);
    let at = |reader: &Reader<&[u8]>| usize::try_from(reader.buffer_position()).ok();
    loop {
        let start = at(&reader)?;
        match reader.read_event().ok()? {
            Event::Start(tag) => return Some((start..at(&reader)?, tag)),
            // Without content there is nothing to read.
            Event::Empty(_) | Event::Eof => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use freshcontext_contract::DateValue;

    use crate::feed::read;

    #[test]
    fn a_version_of_rss_that_nobody_knows_is_rss() {
        for root in [
            "<rss>",
            "<rss version='2'>",
            "<rss version=\"2.00\" xmlns:dc='http://purl.org/dc/elements/1.1/'>",
            "<rss xmlns:dc='http://purl.org/dc/elements/1.1/' version = \"0.93\">",
            "<!-- made by <a> tool --><!DOCTYPE rss><rss\n version='0.94'>",
            "<rss version='0.91'>",
            "<rss version='2.0'>",
        ] {
            let feed = format!(
                "{root}<channel><title>T</title><item><title>A</title>\
                 <pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>"
            );
            let feed = read(&feed, "feed").unwrap();
            assert_eq!((feed.title.as_str(), feed.entries.len()), ("T", 1), "{root}");
            assert!(feed.entries[0].published.is_some(), "{root}");
        }
        assert!(
            read(
                "<rssfeed version='2'><channel><title>T</title></channel></rssfeed>",
                "feed"
            )
            .is_err()
        );
    }

    #[test]
    fn atom_before_its_standard_has_other_names_for_its_dates() {
        for (open, p) in [
            ("<feed version='0.3' xmlns='http://purl.org/atom/ns#'>", ""),
            ("<a:feed version='0.3' xmlns:a='http://purl.org/atom/ns#'>", "a:"),
        ] {
            let feed = format!(
                "{open}<{p}title>T</{p}title><{p}entry><{p}id>1</{p}id><{p}title>A</{p}title>\
                 <{p}issued>2026-11-20T10:00:00Z</{p}issued><{p}modified>2026-11-21T10:00:00Z</{p}modified>\
                 </{p}entry></{p}feed>"
            );
            let feed = read(&feed, "feed").unwrap();
            let dates = (feed.entries[0].published.clone(), feed.entries[0].updated.clone());
            let at = |day: u32| {
                Some(DateValue::Instant(
                    format!("2026-11-{day}T10:00:00Z").parse().unwrap(),
                ))
            };
            assert_eq!((feed.title.as_str(), dates), ("T", (at(20), at(21))), "{open}");
        }
    }
}
