//! The last look before anything is written as context: is this text a failed retrieval?

use freshcontext_contract::SourceError;
use freshcontext_detect::{Inspection, Kind, certain, inspect, inspect_answer};

use super::item::ScoredItem;
use crate::date::Confidence;

/// Text looked at, in bytes; a failure page shows itself early.
const LOOKED_AT: usize = 50_000;

/// Longest text, in bytes, whose first line is judged by itself.
const BELOW_STATUS: usize = 400;

/// Longest prose, in bytes, whose beginning is judged by itself.
const SHORT_PROSE: usize = 800;

/// How sure a failure at the beginning of a text is, where the rest is content.
const SURE: f64 = 0.85;

/// Makes the search for vendors' marks that the last look needs. It is done once in a process: by
/// the first judgement, or before it by this, while the first answer is still on its way.
pub fn prepare() {
    let _ = inspect("Service unavailable. Please try again later.");
}

/// An error where what is about to be shown is a failure in disguise.
///
/// A single text without a structured date is scored strictly: it may be any page. Where the source
/// gave structured dates or several items, the documented shape was there, so only a certain
/// failure counts, and of titles alone only bytes that are no text: "502 Bad Gateway" is a story, too.
/// A page that the caller named (`any_page`) is scored strictly whatever dates it: templates date failures, too. So is its
/// prose alone, since what stands around a failure reads as content.
pub(super) fn guard(
    adapter: &str,
    summary: Option<&str>,
    items: &[ScoredItem],
    any_page: bool,
    prose: Option<&str>,
) -> Result<(), SourceError> {
    if items.is_empty() {
        return Ok(());
    }
    if any_page {
        let inspection = of_page(items, prose);
        return if inspection.failed {
            Err(failure(adapter, &inspection))
        } else {
            Ok(())
        };
    }
    let mut text = String::new();
    // The summary is the adapter's own sentence about its items; it is scored only where they say nothing.
    let of_items = || {
        items
            .iter()
            .flat_map(|item| [item.title.as_str(), item.summary.as_str()])
    };
    let silent = of_items().all(str::is_empty);
    for part in summary.filter(|_| silent).into_iter().chain(of_items()) {
        if text.len() >= LOOKED_AT {
            break;
        }
        if !part.is_empty() {
            text.push_str(part);
            text.push('\n');
        }
    }
    let documented = items.len() > 1 || items.iter().any(|item| item.date.confidence == Confidence::High);
    let inspection = if documented {
        // A release may have one line, and speak of an error in it.
        inspect_answer(&text)
    } else {
        inspect(&text)
    };
    // Titles alone are too little: a story about a folder that cannot be written reads like that error.
    let has_body = silent || items.iter().any(|item| !item.summary.is_empty());
    let may_fail = has_body || inspection.kind == Some(Kind::Malformed);
    // Nothing that failed says of itself that it was withdrawn: "This paper has been withdrawn" is the source's own notice.
    let has_notice = items.iter().all(|item| item.standing.is_some());
    let failed = if has_notice {
        certain(&text) == Some(true) || inspection.kind == Some(Kind::Malformed) && inspection.failed
    } else if documented {
        may_fail && certain(&text) == Some(true) || has_body && inspection.is_sure_failure()
    } else {
        inspection.failed
    };
    if failed {
        Err(failure(adapter, &inspection))
    } else {
        Ok(())
    }
}

fn failure(adapter: &str, inspection: &Inspection) -> SourceError {
    let kind = inspection.kind.unwrap_or(Kind::Malformed);
    let message = format!(
        "{adapter} answered with a failure in place of content: {}",
        inspection.reason
    );
    SourceError::new(kind.code(), message).detail(kind.as_str())
}

/// A page that may be any: as a whole, then its prose below its title, with its title, and the beginning of it that is most of it.
fn of_page(items: &[ScoredItem], prose: Option<&str>) -> Inspection {
    let text: String = items.iter().map(body).collect();
    let mut inspection = inspect(&text);
    // What stands under a bare status (`502 Bad Gateway`) is the server's name.
    let first = text.trim_start().lines().next().unwrap_or_default();
    if !inspection.failed && text.len() <= BELOW_STATUS && certain(first) == Some(true) {
        inspection = inspect(first);
    }
    let Some((prose, item)) = prose.zip(items.first()).filter(|_| !inspection.failed) else {
        return inspection;
    };
    let below = below_title(item, prose);
    let begun = beginning(&below);
    let whole = [below.as_str(), prose].map(|text| (text, 0.0));
    let begun = begun.as_deref().map(|text| (text, SURE));
    let failed = whole
        .into_iter()
        .chain(begun)
        .filter(|(text, _)| !text.trim().is_empty())
        .map(|(text, least)| (inspect(text), least))
        .find(|(inspection, least)| inspection.failed && inspection.confidence >= *least);
    failed.map_or(inspection, |(inspection, _)| inspection)
}

/// The first paragraphs of a short text, where they are at least half of it: below a failure stands what a site says of itself.
fn beginning(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut paragraphs = text.split("\n\n");
    while out.len() * 2 < text.len() {
        out.push_str(paragraphs.next()?);
        out.push_str("\n\n");
    }
    (text.len() <= SHORT_PROSE && paragraphs.next().is_some()).then_some(out)
}

/// The text of a page below its title: what its template says of any page tells nothing. A page of a title alone has that.
fn body(item: &ScoredItem) -> String {
    let text = below_title(item, &item.summary);
    if text.is_empty() { item.title.clone() } else { text }
}

fn below_title(item: &ScoredItem, text: &str) -> String {
    let is_title = |line: &str| {
        let line = line.trim();
        line.is_empty() || item.title.contains(line) || line.contains(&item.title)
    };
    let text: Vec<&str> = text.lines().skip_while(|line| is_title(line)).collect();
    let text = text.join("\n");
    let text = text.trim();
    text.get(..text.floor_char_boundary(LOOKED_AT))
        .unwrap_or_default()
        .to_owned()
}
