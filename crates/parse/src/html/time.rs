//! The machine-readable day of a `time` element, in place of words that change as time goes on.

use chrono::{Datelike as _, NaiveDate};
use scraper::ElementRef;

use crate::date::{self, Found};

/// Most bytes of the words of a date.
const WORDS_BYTES: usize = 60;
/// Most pieces of text of them.
const PIECES: usize = 8;
/// Years that a date may have.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=2100;

/// The day in `datetime` (<https://html.spec.whatwg.org/multipage/text-level-semantics.html#the-time-element>) where the words
/// that are shown are not a whole date: `2 days ago`, `Oct 2`, `03/04/2026`, or nothing. Words with a year of their own or with
/// a time of day stay: `November 2026` is no day.
pub(super) fn day_of(element: ElementRef<'_>) -> Option<NaiveDate> {
    if !matches!(element.value().name(), "time" | "relative-time") {
        return None;
    }
    let written = element.value().attr("datetime")?.trim();
    let day = written.get(..10)?.parse::<NaiveDate>().ok()?;
    let is_whole = matches!(written.as_bytes().get(10), None | Some(b'T' | b't' | b' '));
    if !is_whole || !YEARS.contains(&day.year()) {
        return None;
    }
    let mut words = String::new();
    let mut pieces = element.text();
    for piece in pieces.by_ref().take(PIECES) {
        words.push_str(piece);
        if words.len() > WORDS_BYTES {
            return None;
        }
    }
    if pieces.next().is_some() || words.contains(':') {
        return None;
    }
    match date::find(&words) {
        Some(Found::Day(_)) => None,
        Some(Found::Ambiguous(..)) => Some(day),
        None => (!has_year(&words)).then_some(day),
    }
}

/// Whether a text has a number of four digits.
fn has_year(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    numbers.any(|number| number.len() == 4)
}
