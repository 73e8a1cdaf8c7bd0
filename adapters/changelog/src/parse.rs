//! Answers into releases, purely. One module per kind of document.

mod debian;
mod entries;
pub mod feed;
pub mod file;
pub mod headers;
pub mod markdown;
mod marks;
mod notice;
pub mod page;
pub mod registry;
pub mod releases;
pub mod version;

use std::cmp::Reverse;
use std::collections::HashSet;

use freshcontext_contract::chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use freshcontext_contract::{DateEvidence, DateValue, StandingEvidence};
use freshcontext_parse::date;

/// More headings than the longest history has.
const MAX_RELEASES: usize = 2_000;

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
    /// Signs that it does not stand as it is shown.
    pub standing: Vec<StandingEvidence>,
    /// Whether it has not come out yet.
    pub unreleased: bool,
    /// Names of the sections of its notes.
    pub sections: Vec<String>,
    /// Whether its date was left out since it lies in the future.
    pub ahead: bool,
    /// Whether it is newer than all releases with a date by its version, and has none itself.
    pub newest_undated: bool,
    /// Whether its tag names no version where those of others do: files kept beside the releases, a deployment.
    pub unversioned: bool,
}

impl Release {
    /// Adds the sign of a pre-release, if there is one: what is said of its standing and what is kept out of the stable
    /// channel are one fact.
    #[must_use]
    fn early(mut self, sign: Option<StandingEvidence>) -> Self {
        self.prerelease |= sign.is_some();
        self.standing.extend(sign);
        self
    }

    /// Adds the sign of a release that was pulled, if there is one.
    #[must_use]
    fn pulled(mut self, sign: Option<StandingEvidence>) -> Self {
        self.yanked |= sign.is_some();
        self.standing.extend(sign);
        self
    }
}

/// Marks the releases of a repository whose tags and names hold no number (`binaries`, `staging`) where other tags are
/// versions. Where none are, names are all there is.
fn mark_unversioned(releases: &mut [Release]) {
    if !releases.iter().any(|release| named_version(release).is_some()) {
        return;
    }
    for release in releases {
        let tag = release.tag.as_deref().unwrap_or(&release.title);
        release.unversioned = version::has_no_number(tag) && version::has_no_number(&release.title);
    }
}

/// The instant of evidence, for the order and the figures; a day counts from 00:00 UTC.
pub fn instant(date: &DateEvidence) -> Option<DateTime<Utc>> {
    value(date)?.instant()
}

/// What evidence says, as an instant or a day.
fn value(date: &DateEvidence) -> Option<DateValue> {
    match date.value()? {
        DateValue::EpochSeconds(seconds) => DateTime::from_timestamp(*seconds, 0).map(DateValue::Instant),
        DateValue::Text(text) => date::machine(text),
        value => Some(value.clone()),
    }
}

/// The date as text: a day as a day.
pub fn shown(date: &DateEvidence) -> Option<String> {
    value(date).as_ref().and_then(date::shown)
}

/// Takes the dates away that lie ahead, which roadmaps name. Returns how many.
pub fn drop_future(releases: &mut [Release], now: DateTime<Utc>) -> usize {
    let mut dropped = 0;
    for release in releases {
        if value(&release.date).is_some_and(|value| date::lies_ahead(&value, now)) {
            release.date = DateEvidence::None;
            release.ahead = true;
            dropped += 1;
        }
    }
    dropped
}

/// Newest first; what has not come out yet before everything, what has no date after the dated ones in
/// the order of the document, unless its version is higher than all of theirs: many files stopped naming dates. Of releases that share a day, and where the time of any is unknown, the higher
/// version is the newer; where versions do not tell either, the place in the document.
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
        // One odd entry, such as a release of an old branch, tells nothing of the rest.
        let pairs = || {
            numbers
                .windows(2)
                .filter_map(|pair| Some(pair.first()?.cmp(pair.last()?)))
        };
        let rising = pairs().filter(|order| order.is_lt()).count();
        let falling = pairs().filter(|order| order.is_gt()).count();
        if rising > falling {
            releases.reverse();
        }
    }
    let highest = releases
        .iter()
        .filter(|release| instant(&release.date).is_some())
        .filter_map(named_version)
        .max();
    if let Some(highest) = &highest {
        for release in releases.iter_mut() {
            let undated = instant(&release.date).is_none() && !release.ahead && !release.unreleased;
            let higher = || named_version(release).is_some_and(|version| version > *highest);
            release.newest_undated = undated && higher();
        }
    }
    // A day of which one release has no time cannot order the others by theirs.
    let days: HashSet<NaiveDate> = releases
        .iter()
        .filter_map(|release| match value(&release.date)? {
            DateValue::Day(day) => Some(day),
            _ => None,
        })
        .collect();
    releases.sort_by_cached_key(|release| {
        let at = instant(&release.date).map(|at| {
            if days.contains(&at.date_naive()) {
                at.date_naive().and_time(NaiveTime::MIN).and_utc()
            } else {
                at
            }
        });
        let tie = (at.is_some() || release.newest_undated)
            .then(|| named_version(release))
            .flatten();
        // What is older than a release that came out is not the next one: it may never have come out.
        let skipped = || named_version(release).is_some_and(|version| Some(version) < highest);
        (
            !release.unreleased || skipped(),
            !release.newest_undated,
            Reverse(at),
            Reverse(tie),
        )
    });
}

/// The version of a release by its tag or its title. A number in a longer title may be another thing's version.
fn named_version(release: &Release) -> Option<version::Version> {
    let named = release.tag.as_deref().and_then(version::parse);
    let short = release.title.split_whitespace().count() <= 3;
    named.or_else(|| version::parse(&release.title).filter(|_| short))
}

#[cfg(test)]
mod tests;
