//! What EDGAR's acceptance stamps mean. All end in `Z`; for some filers that is true, for others they
//! are New York wall-clock time. A list is read as one or the other only where it proves which.
//!
//! EDGAR takes filings from 06:00 to 22:00 New York time, and finishes a backlog after that
//! (EDGAR Filer Manual, hours of operation). So a stamp from 00:00 to 05:59 cannot be
//! New York's clock, and one from 06:00 to 09:59 cannot be UTC: that would be 01:00 to 05:59 in New York.

use chrono::{NaiveDateTime, NaiveTime, Timelike};
use chrono_tz::America::New_York;
use freshcontext_contract::chrono::{DateTime, Utc};

/// Whose clock the stamps of one list show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// As they say.
    Utc,
    /// New York's wall clock, in spite of the `Z`.
    NewYork,
    /// Nothing proves either, or both: no stamp is a moment then.
    Unknown,
}

/// Whose clock these stamps show, all of one list.
pub fn clock<'s>(stamps: impl Iterator<Item = &'s str>) -> Clock {
    let (mut utc, mut new_york) = (false, false);
    for local in stamps.filter_map(stamp) {
        match local.hour() {
            0..=5 => utc = true,
            6..=9 => new_york = true,
            _ => {}
        }
    }
    match (utc, new_york) {
        (true, false) => Clock::Utc,
        (false, true) => Clock::NewYork,
        _ => Clock::Unknown,
    }
}

/// The moment of a stamp. An hour that a clock change skips or repeats gives none.
pub fn moment(text: &str, clock: Clock) -> Option<DateTime<Utc>> {
    if !text.trim().ends_with('Z') {
        // An offset of its own leaves nothing to prove.
        return DateTime::parse_from_rfc3339(text.trim())
            .ok()
            .map(|at| at.with_timezone(&Utc));
    }
    let local = stamp(text)?;
    let at = match clock {
        Clock::Utc => local.and_utc(),
        Clock::NewYork => local.and_local_timezone(New_York).single()?.with_timezone(&Utc),
        Clock::Unknown => return None,
    };
    // Midnight in New York is what EDGAR writes where it knows the day alone.
    (at.with_timezone(&New_York).time() != NaiveTime::MIN).then_some(at)
}

/// A stamp as written. Midnight is what EDGAR writes where it knows the day alone, which proves nothing.
fn stamp(text: &str) -> Option<NaiveDateTime> {
    let plain = text.trim().strip_suffix('Z')?;
    NaiveDateTime::parse_from_str(plain, "%Y-%m-%dT%H:%M:%S%.f")
        .ok()
        .filter(|local| local.time() != NaiveTime::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::chrono::SecondsFormat;
    use proptest::prelude::*;

    fn of(hours: &[u32]) -> Clock {
        let stamps: Vec<String> = hours
            .iter()
            .map(|hour| format!("2026-01-28T{hour:02}:11:41.000Z"))
            .collect();
        clock(stamps.iter().map(String::as_str))
    }

    #[test]
    fn a_list_proves_its_clock_by_the_hours_when_edgar_is_closed() {
        assert_eq!(of(&[21, 13, 0]), Clock::Utc);
        assert_eq!(of(&[21, 5]), Clock::Utc);
        assert_eq!(of(&[16, 18, 6]), Clock::NewYork);
        assert_eq!(of(&[16, 9]), Clock::NewYork);
        for unproven in [&[][..], &[21], &[10, 16, 18, 22, 23], &[3, 7]] {
            assert_eq!(of(unproven), Clock::Unknown, "{unproven:?}");
        }
        assert_eq!(
            clock(["2026-01-28T00:00:00.000Z", "2026-01-28", "x"].into_iter()),
            Clock::Unknown
        );
    }

    fn utc(text: &str, clock: Clock) -> Option<String> {
        moment(text, clock).map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true))
    }

    #[test]
    fn stamps_are_moments_by_the_clock_of_their_list() {
        for (given, clock, expected) in [
            (
                "2026-01-28T21:11:41.000Z",
                Clock::Utc,
                Some("2026-01-28T21:11:41Z"),
            ),
            // Winter and summer: New York's releases come at 16:30 in both.
            (
                "2024-02-01T16:30:30.000Z",
                Clock::NewYork,
                Some("2024-02-01T21:30:30Z"),
            ),
            (
                "2024-08-01T16:30:26.000Z",
                Clock::NewYork,
                Some("2024-08-01T20:30:26Z"),
            ),
            // The last day of daylight time and the first of standard time, 2025.
            (
                "2025-11-01T16:00:00.000Z",
                Clock::NewYork,
                Some("2025-11-01T20:00:00Z"),
            ),
            (
                "2025-11-02T16:00:00.000Z",
                Clock::NewYork,
                Some("2025-11-02T21:00:00Z"),
            ),
            (
                "2025-03-08T23:59:59.000Z",
                Clock::NewYork,
                Some("2025-03-09T04:59:59Z"),
            ),
            // An hour that exists twice, one that does not exist, no time at all, a day alone.
            ("2025-11-02T01:30:00.000Z", Clock::NewYork, None),
            ("2025-03-09T02:30:00.000Z", Clock::NewYork, None),
            ("2025-03-09", Clock::Utc, None),
            ("1994-01-26T00:00:00.000Z", Clock::NewYork, None),
            ("1994-01-26T05:00:00.000Z", Clock::Utc, None),
            ("2024-08-01T16:30:26.000Z", Clock::Unknown, None),
            (
                "2024-08-01T16:30:26-04:00",
                Clock::Unknown,
                Some("2024-08-01T20:30:26Z"),
            ),
        ] {
            assert_eq!(utc(given, clock).as_deref(), expected, "{given} {clock:?}");
        }
    }

    proptest! {
        // New York's own stamps, whatever the season, are never taken for UTC, nor the reverse.
        #[test]
        fn a_true_clock_is_never_mistaken(
            seconds in prop::collection::vec(1_262_304_000i64..1_800_000_000, 1..40),
            true_utc: bool,
        ) {
            let accepted = seconds.into_iter().filter_map(|at| DateTime::from_timestamp(at, 0)).filter(|at| {
                (6..22).contains(&at.with_timezone(&New_York).hour())
            });
            let stamps: Vec<String> = accepted
                .map(|at| if true_utc { at.naive_utc() } else { at.with_timezone(&New_York).naive_local() })
                .map(|local| local.format("%Y-%m-%dT%H:%M:%S.000Z").to_string())
                .collect();
            let wrong = if true_utc { Clock::NewYork } else { Clock::Utc };
            prop_assert_ne!(clock(stamps.iter().map(String::as_str)), wrong);
        }
    }
}
