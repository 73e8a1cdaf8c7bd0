//! The `time` elements of a page.

use scraper::{ElementRef, Html};

use super::labels::{self, Meaning};
use super::{foreign, has_more_chars, items, otherwise_written};
use crate::html::{Main, all, line_of};

/// Most visible characters between the headline and a date that belongs to it.
const NEAR_CHARS: usize = 300;
/// Elements that are looked at for one beside the headline.
const NEAR_TIMES: usize = 20;

/// The `time` elements that date a page, as written.
#[derive(Default)]
pub(super) struct Times {
    /// Marked as the publication.
    pub(super) published: Option<String>,
    /// Beside the headline, without a mark.
    pub(super) beside_headline: Option<String>,
    /// Of a later change.
    pub(super) changed: Option<String>,
}

/// Reads the `time` elements of the content and of its headline, outside of comments, quotes, embeds and cards.
pub(super) fn read(document: &Html, main: &Main<'_>, title: &str) -> Times {
    let mut found = Times::default();
    let mut unmarked = Vec::new();
    for time in all(document, "time") {
        let element = time.value();
        let Some(at) = written(time) else {
            continue;
        };
        if foreign(time) || !main.holds(time) || items::is_of_a_part(time, main, title) {
            continue;
        }
        let words = element.attr("class").unwrap_or_default().to_lowercase();
        if is_of_an_event(time, &words) {
            continue;
        }
        let published = element.attr("pubdate").is_some()
            || ["publish", "pubdate", "entry-date", "post-date", "dt-published"]
                .iter()
                .any(|word| words.contains(word));
        let says_published = ["published", "pubdate"].iter().any(|word| words.contains(word));
        let holder = time.parent().and_then(ElementRef::wrap);
        let around = holder.and_then(|holder| holder.value().attr("class"));
        let around = around.unwrap_or_default().to_lowercase();
        let changed = |words: &str| ["updated", "modified"].iter().any(|word| words.contains(word));
        let is_own_holder = holder.is_some_and(|holder| !has_more_chars(holder, HOLDER_CHARS))
            && !["publish", "posted", "created"]
                .iter()
                .any(|word| around.contains(word));
        let by_class = (changed(&words) || is_own_holder && changed(&around)) && !says_published;
        let label = labels::before(time);
        let own = labels::statements(&line_of(time, " "));
        let by_label = labels::meaning(&label) == Meaning::Changed
            || own.first().is_some_and(|own| own.meaning == Meaning::Changed)
            || labels::behind(time) == Meaning::Changed
            || element.attr("itemprop") == Some("dateModified");
        if by_class || by_label {
            found.changed = found.changed.or(Some(at));
        } else if published {
            found.published = found.published.or(Some(at));
        } else if !names_another_event(&label) && !labels::is_in_a_sentence(time) {
            unmarked.push(time);
        }
    }
    let near = unmarked
        .into_iter()
        .take(NEAR_TIMES)
        .find(|time| is_beside_headline(*time, main));
    found.beside_headline = near.and_then(written);
    found
}

/// The date of a `time` element as written: its attribute, or its text where it has none.
fn written(time: ElementRef<'_>) -> Option<String> {
    let attribute = time.value().attr("datetime").map(str::to_owned);
    attribute.or_else(|| Some(line_of(time, " ")).filter(|text| otherwise_written(text).is_some()))
}

/// Longest text of an element that is about a date alone, in characters.
const HOLDER_CHARS: usize = 60;

/// Beginnings of properties of events, people, offers and organisations (<https://schema.org/Date>).
const OF_EVENTS: [&str; 9] = [
    "start", "end", "birth", "death", "valid", "expires", "availab", "founding", "door",
];
/// Classes of hCalendar and hCard, and of events.
const EVENT_CLASSES: [&str; 5] = ["dtstart", "dtend", "bday", "event", "events"];
/// Labels that say no more than that a date follows.
const PLAIN_LABELS: [&str; 8] = ["date", "datum", "fecha", "data", "dato", "дата", "日期", "日付"];

/// Whether a `time` element is marked as that of an event, a person or an end: by its property or by its class.
fn is_of_an_event(time: ElementRef<'_>, class: &str) -> bool {
    let value = time.value();
    let property = value.attr("itemprop").or_else(|| value.attr("property"));
    let by_property = property.is_some_and(|property| {
        let mut names = property
            .split_whitespace()
            .filter_map(|name| name.rsplit(':').next());
        names.any(|name| OF_EVENTS.iter().any(|start| name.starts_with(start)))
    });
    let mut words = class.split(|c: char| !c.is_alphanumeric());
    by_property || words.any(|word| EVENT_CLASSES.contains(&word))
}

/// Whether a label gives its date to something else: it ends with a colon, and names no publication.
fn names_another_event(label: &str) -> bool {
    let label = label.trim_end();
    let Some(name) = label.strip_suffix([':', '：']) else {
        return false;
    };
    let is_plain = PLAIN_LABELS.contains(&name.trim().to_lowercase().as_str());
    !is_plain && labels::meaning(label) == Meaning::Unknown
}

/// Whether little text stands between the headline and an element.
fn is_beside_headline(element: ElementRef<'_>, main: &Main<'_>) -> bool {
    let Some(headline) = main.headline() else {
        return false;
    };
    let holders: Vec<_> = headline.ancestors().map(|node| node.id()).collect();
    let Some(common) = element.ancestors().find(|node| holders.contains(&node.id())) else {
        return false;
    };
    // The text from the one to the other, in whichever order they stand.
    let (mut begun, mut inside, mut chars) = (false, false, 0);
    let mut under_another = false;
    for node in common.descendants() {
        let is_headline = node.id() == headline.id();
        if is_headline || node.id() == element.id() {
            if begun {
                return !(under_another && names_a_link(element));
            }
            begun = true;
            inside = is_headline;
        }
        let heading = ElementRef::wrap(node).map(|node| node.value().name());
        under_another |= begun && !is_headline && matches!(heading, Some("h2" | "h3" | "h4" | "h5" | "h6"));
        if let Some(text) = node.value().as_text()
            && begun
        {
            let own = inside && node.ancestors().any(|above| above.id() == headline.id());
            chars += if own { 0 } else { text.trim().chars().count() };
            if chars > NEAR_CHARS {
                return false;
            }
        }
    }
    false
}

/// Whether a link stands right behind a date: what it leads to is of that day.
fn names_a_link(date: ElementRef<'_>) -> bool {
    let mut behind = date.next_siblings().filter_map(ElementRef::wrap);
    behind.any(|link| link.value().name() == "a" && link.value().attr("href").is_some())
}
