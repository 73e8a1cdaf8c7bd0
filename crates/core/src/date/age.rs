//! Ages in words: `2 days`, `3 months`.

use chrono::{DateTime, TimeDelta, Utc};

use super::words::{HOURS_UNTIL, counted, duration_words};
use super::{Parsed, Precision, Resolved};

/// How far a date is from that moment, in words: `2 days ago`, `today`, `in 3 months`. A day is given in whole days, as is a month
/// or a year: one that is past counts from 00:00 UTC, one to come from the day of that moment in UTC.
pub fn relative(date: &Parsed, at: DateTime<Utc>) -> String {
    if date.precision == Precision::Day {
        let ahead = date.instant.date_naive() - at.date_naive();
        if ahead.is_zero() {
            return "today".to_owned();
        }
        if ahead > TimeDelta::zero() {
            return format!("in {}", day_words(ahead));
        }
    }
    if date.instant > at {
        return format!("in {}", duration_words(date.instant - at));
    }
    format!("{} ago", age(date, at))
}

/// Age of a date at that moment, in words. A day counts from 00:00 UTC and is given in whole days, as is a month or a
/// year.
pub(crate) fn age(date: &Parsed, at: DateTime<Utc>) -> String {
    let age = at - date.instant;
    match date.precision {
        Precision::Day | Precision::Month | Precision::Year => day_words(age),
        Precision::Instant => duration_words(age),
    }
}

/// The age of a day, in whole days or more.
fn day_words(age: TimeDelta) -> String {
    if age < TimeDelta::days(1) {
        "less than a day".to_owned()
    } else if age < TimeDelta::hours(HOURS_UNTIL) {
        counted(1, "day")
    } else {
        duration_words(age)
    }
}

impl Resolved {
    /// Its age at that moment, in words; `None` without a date. A day is given in whole days.
    pub fn age(&self, at: DateTime<Utc>) -> Option<String> {
        let instant = self.instant?;
        let age = at - instant;
        Some(if self.day_only() {
            day_words(age)
        } else {
            duration_words(age)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn people_would_say_it_so() {
        for (time, words) in [
            (TimeDelta::seconds(-5), "less than a minute"),
            (TimeDelta::seconds(59), "less than a minute"),
            (TimeDelta::minutes(1), "1 minute"),
            (TimeDelta::minutes(59), "59 minutes"),
            (TimeDelta::minutes(60), "1 hour"),
            (TimeDelta::hours(47), "47 hours"),
            (TimeDelta::hours(48), "2 days"),
            (TimeDelta::days(59), "59 days"),
            (TimeDelta::days(61), "2 months"),
            (TimeDelta::days(364), "11 months"),
            (TimeDelta::days(365), "12 months"),
            (TimeDelta::days(731), "2 years"),
            (TimeDelta::days(3_653), "10 years"),
        ] {
            assert_eq!(duration_words(time), words, "{time}");
        }
    }

    #[test]
    fn a_day_is_told_in_days() {
        let at: DateTime<Utc> = "2026-03-05T12:00:00Z".parse().unwrap();
        let age = |day: &str| {
            super::super::resolve(&freshcontext_contract::DateEvidence::field("d", day), at).age(at)
        };
        assert_eq!(age("2026-03-05").as_deref(), Some("less than a day"));
        assert_eq!(age("2026-03-04").as_deref(), Some("1 day"));
        assert_eq!(age("2026-03-03").as_deref(), Some("2 days"));
        assert_eq!(Resolved::unknown().age(at), None);
    }

    #[test]
    fn what_is_ahead_is_told_so() {
        let at: DateTime<Utc> = "2026-03-05T12:00:00Z".parse().unwrap();
        for (text, words) in [
            ("2026-03-05", "today"),
            ("2026-03-06", "in 1 day"),
            ("2026-03-05T11:00:00Z", "1 hour ago"),
            ("2026-03-01", "4 days ago"),
            ("2026-03-08", "in 3 days"),
            ("2031-01-01", "in 4 years"),
        ] {
            assert_eq!(
                relative(&super::super::parse_instant(text).unwrap(), at),
                words,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_time_has_words(seconds in any::<i32>()) {
            prop_assert!(!duration_words(TimeDelta::seconds(i64::from(seconds))).is_empty());
        }
    }
}
