//! Answers into releases, purely. One module per kind of document.

pub mod dates;
pub mod feed;
pub mod jsonld;
pub mod markdown;
pub mod page;
pub mod registry;
pub mod releases;
pub mod version;

use freshcontext_contract::chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use freshcontext_contract::limits::FUTURE_TOLERANCE_S;
use freshcontext_contract::{DateEvidence, DateValue};

/// One release, whatever document told about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Release {
    /// Its title: the version, or the name it was given.
    pub title: String,
    /// The tag or version where the title is another text.
    pub tag: Option<String>,
    /// When it came out.
    pub date: DateEvidence,
    /// Its page.
    pub url: Option<String>,
    /// Its notes as text.
    pub notes: String,
    /// Whether it is a nightly, beta and the like.
    pub prerelease: bool,
    /// Whether it was withdrawn.
    pub yanked: bool,
    /// Whether it has not come out yet.
    pub unreleased: bool,
    /// Names of the sections of its notes.
    pub sections: Vec<String>,
}

/// The instant of evidence, for the order and the figures.
pub fn instant(date: &DateEvidence) -> Option<DateTime<Utc>> {
    let (DateEvidence::Field { value, .. } | DateEvidence::PageSignal { value, .. }) = date else {
        return None;
    };
    match value {
        DateValue::EpochSeconds(seconds) => DateTime::from_timestamp(*seconds, 0),
        DateValue::Instant(at) => Some(*at),
        DateValue::Day(day) => Some(day.and_time(NaiveTime::MIN).and_utc()),
        DateValue::Text(text) => dates::machine(text).map(|value| match value {
            DateValue::Instant(at) => at,
            DateValue::Day(day) => day.and_time(NaiveTime::MIN).and_utc(),
            _ => DateTime::UNIX_EPOCH,
        }),
    }
}

/// Takes the dates away that lie ahead, which roadmaps name. Returns how many.
pub fn drop_future(releases: &mut [Release], now: DateTime<Utc>) -> usize {
    let latest = now + TimeDelta::seconds(FUTURE_TOLERANCE_S);
    let mut dropped = 0;
    for release in releases {
        if instant(&release.date).is_some_and(|at| at > latest) {
            release.date = DateEvidence::None;
            dropped += 1;
        }
    }
    dropped
}

/// Newest first; what has not come out yet before everything, what has no date after the dated ones in
/// the order of the document.
pub fn sort(releases: &mut [Release]) {
    let dated = releases
        .iter()
        .filter(|release| instant(&release.date).is_some())
        .count();
    if dated == 0 {
        // Without dates only the numbers can tell which way the document runs.
        let numbers: Vec<_> = releases
            .iter()
            .filter(|release| !release.unreleased)
            .filter_map(|release| version::parse(&release.title))
            .collect();
        if let (Some(first), Some(last)) = (numbers.first(), numbers.last())
            && first < last
        {
            releases.reverse();
        }
    }
    releases.sort_by_key(|release| (!release.unreleased, std::cmp::Reverse(instant(&release.date))));
}

#[cfg(test)]
mod tests;
