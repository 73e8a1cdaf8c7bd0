//! Durations in words.

use chrono::TimeDelta;

/// Below these, the next smaller unit is used: two days are given in hours, two months in days, two years in months.
pub(super) const HOURS_UNTIL: i64 = 48;
const DAYS_UNTIL: i64 = 60;
const MONTHS_UNTIL: i64 = 24;
/// Hours of a twelfth of 365 days, so that a year is never one of 11 months.
const MONTH_HOURS: i64 = 730;

/// How long a time is, in the unit that people would use: never below zero, rounded down.
pub fn duration_words(time: TimeDelta) -> String {
    let minutes = time.num_minutes().max(0);
    let hours = minutes / 60;
    let months = hours / MONTH_HOURS;
    if minutes < 1 {
        "less than a minute".to_owned()
    } else if minutes < 60 {
        counted(minutes, "minute")
    } else if hours < HOURS_UNTIL {
        counted(hours, "hour")
    } else if hours / 24 < DAYS_UNTIL {
        counted(hours / 24, "day")
    } else if months < MONTHS_UNTIL {
        counted(months, "month")
    } else {
        counted(months / 12, "year")
    }
}

pub(super) fn counted(count: i64, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}
