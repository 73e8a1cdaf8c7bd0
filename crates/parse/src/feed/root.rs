//! Feeds whose root names a version that their reader does not know, as those that it knows.
//!
//! RSS 0.93, 0.94 and 2.0 have the same elements (<https://www.rssboard.org/rss-history>), and generators write `2`, `2.00` or
//! no version at all. Atom 0.3, which many archives still hold, has another namespace and other names for its two dates.

use std::borrow::Cow;
use std::ops::Range;

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
    let Some(range) = root(&text) else { return text };
    let (Some(before), Some(tag), Some(after)) = (
        text.get(..range.start),
        text.get(range.clone()),
        text.get(range.end..),
    ) else {
        return text;
    };
    let is_rss = tag
        .strip_prefix("<rss")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/')));
    if is_rss {
        return match with_version(tag) {
            Some(tag) => Cow::Owned([before, &tag, after].concat()),
            None => text,
        };
    }
    let prefix = tag
        .split_once("feed")
        .map_or("", |(prefix, _)| prefix.trim_start_matches('<'));
    if !(tag.contains(OLD_ATOM) && (prefix.is_empty() || prefix.ends_with(':'))) {
        return text;
    }
    let mut after = after.to_owned();
    for (old, new) in OLD_DATES {
        after = after
            .replace(&format!("<{prefix}{old}>"), &format!("<{prefix}{new}>"))
            .replace(&format!("</{prefix}{old}>"), &format!("</{prefix}{new}>"));
    }
    Cow::Owned([before, &tag.replace(OLD_ATOM, ATOM), &after].concat())
}

/// The start tag of RSS with a version that its reader knows, where it has another.
fn with_version(tag: &str) -> Option<String> {
    let Some(range) = attribute(tag, "version") else {
        return Some(tag.replacen("<rss", &format!("<rss version=\"{NEWEST_RSS}\""), 1));
    };
    let is_known = RSS.contains(&tag.get(range.clone())?);
    (!is_known).then(|| Some([tag.get(..range.start)?, NEWEST_RSS, tag.get(range.end..)?].concat()))?
}

/// Where the value of an attribute stands in a start tag.
fn attribute(tag: &str, name: &str) -> Option<Range<usize>> {
    tag.match_indices(name).find_map(|(at, _)| {
        if !tag.get(..at)?.ends_with(char::is_whitespace) {
            return None;
        }
        let rest = tag.get(at + name.len()..)?.trim_start().strip_prefix('=')?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let value = rest.strip_prefix(quote)?;
        let start = tag.len() - value.len();
        Some(start..start + value.find(quote)?)
    })
}

/// Where the start tag of the root stands: behind comments, instructions and a document type.
fn root(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    loop {
        let open = at + text.get(at..)?.find('<')?;
        let rest = text.get(open..)?;
        let closed = |mark: &str| Some(open + rest.find(mark)? + mark.len());
        at = if rest.starts_with("<!--") {
            closed("-->")?
        } else if rest.starts_with("<?") {
            closed("?>")?
        } else if rest.starts_with("<!") {
            closed(">")?
        } else {
            return Some(open..closed(">")?);
        };
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
