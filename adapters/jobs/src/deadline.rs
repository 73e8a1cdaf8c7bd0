//! The day until which an advert takes applications, where its text says so plainly: a label, nothing but filler
//! words, and a date of its own.

mod date;
mod extension;
mod label;
#[cfg(test)]
mod tests;
mod unread;
mod words;

use freshcontext_contract::chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Utc};

use date::{Written, ymd};
use extension::extensions;
use label::labelled;
pub use unread::sentences;
use words::{LABELS, NEW_LABELS, OPEN_LABELS, VERBS};

/// A closing day lies at most so far from now, in days: before, for adverts that stayed; ahead, for those of a year.
const PLAUSIBLE: std::ops::RangeInclusive<i64> = -1_100..=800;
/// Labels of one text that are looked at.
const MOST_LABELS: usize = 40;

/// An advert without a year in its deadline closes at most so many days after it was posted.
const MOST_DAYS_OPEN: i64 = 120;

/// A closing day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The day.
    pub day: NaiveDate,
    /// Whether its year is worked out from the day on which the advert was posted.
    pub year_inferred: bool,
}

impl Written {
    /// The day, where it is plausible. A day without a year is the first one after the advert was posted, if that is soon.
    fn day(self, posted: Option<NaiveDate>, today: NaiveDate) -> Option<Deadline> {
        let (day, year_inferred) = match self {
            Self::Day(day) => (day, false),
            Self::WithoutYear(month, day) => {
                let posted = posted?;
                let next = (posted.year()..=posted.year().checked_add(1)?)
                    .filter_map(|year| ymd(year, month, day))
                    .find(|day| *day >= posted)?;
                ((next - posted).num_days() <= MOST_DAYS_OPEN).then_some((next, true))?
            }
        };
        PLAUSIBLE
            .contains(&(day - today).num_days())
            .then_some(Deadline { day, year_inferred })
    }
}

/// Finds it. A date that can be read in two ways, of an implausible year, or of two that differ, is none; one without a
/// year takes it from the day on which the advert was posted. An extension counts in place of what it extends.
pub fn find(text: &str, posted: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<Deadline> {
    // `jusqu’au`, as pages print it.
    let lower = text.to_lowercase().replace('’', "'");
    let today = now.date_naive();
    let posted = posted.map(|posted| posted.date_naive());
    let read = |written: Written| written.day(posted, today);
    let mut extended: Option<Deadline> = None;
    // What stands before an extension that cannot be read is no longer the day.
    let mut superseded = 0;
    let moved = extensions(&lower).chain(labelled(&lower, NEW_LABELS, true));
    for (at, written) in moved {
        match written.and_then(read) {
            // Of several extensions the last one holds.
            Some(day) if extended.is_none_or(|known| known.day < day.day) => extended = Some(day),
            Some(_) => {}
            None => superseded = superseded.max(at),
        }
    }
    if extended.is_some() {
        return extended;
    }
    let mut found: Option<Deadline> = None;
    let closing = labelled(&lower, LABELS, true)
        .chain(labelled(&lower, &VERBS, true))
        .chain(labelled(&lower, OPEN_LABELS, false));
    for (at, written) in closing {
        let Some(day) = written.and_then(read).filter(|_| at >= superseded) else {
            continue;
        };
        match found {
            Some(found) if found.day != day.day => return None,
            // The same day with its year is no guess.
            Some(found) if !found.year_inferred => {}
            _ => found = Some(day),
        }
    }
    found
}

/// Whether a closing day has passed, in every time zone.
pub fn passed(deadline: NaiveDate, now: DateTime<Utc>) -> bool {
    deadline < (now - TimeDelta::hours(12)).date_naive()
}
