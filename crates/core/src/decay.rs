//! How fast each class of source ages, and the score that follows.
//!
//! One table, in one place: lambda per hour. The score of something published `t` hours before its
//! retrieval is `100 * e^(-lambda * t)`.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::Decay;
use serde::{Deserialize, Serialize};

mod sources;

use sources::SOURCES;

/// A decay class, and the source types in it: the eight of the specification with this server's sources, and one of this
/// project's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecayClass {
    /// The specification's name of the class, or this project's.
    pub name: &'static str,
    /// Lambda per hour.
    pub lambda: f64,
    /// None for a class that is not the specification's.
    id: Option<Decay>,
    others: &'static [&'static str],
}

impl DecayClass {
    /// Whether the specification has it.
    pub const fn is_of_specification(&self) -> bool {
        self.id.is_some()
    }

    /// Its source types: ids of adapters, then composites, or kinds of text that callers name.
    pub fn sources(&self) -> impl Iterator<Item = &'static str> + use<> {
        let id = self.id;
        let adapters = SOURCES.into_iter().filter(move |(_, class)| Some(*class) == id);
        adapters
            .map(|(source, _)| source)
            .chain(self.others.iter().copied())
    }
}

const fn class(id: Decay, name: &'static str, lambda: f64, others: &'static [&'static str]) -> DecayClass {
    DecayClass {
        name,
        lambda,
        id: Some(id),
        others,
    }
}

/// The table: the reference decay classes, fastest first, then that of texts that hardly age. A source's descriptor names
/// its class.
pub const CLASSES: [DecayClass; 9] = [
    class(
        Decay::FastDiscussion,
        "Fast discussion",
        0.05,
        &["landscape", "idea_landscape"],
    ),
    class(Decay::NewsCycle, "News cycle", 0.02, &[]),
    class(Decay::LaunchSignals, "Community / launch signals", 0.01, &[]),
    class(
        Decay::MaterialEvents,
        "Jobs / material events",
        0.005,
        &["company_landscape"],
    ),
    class(
        Decay::MarketContext,
        "Procurement / market context",
        0.001,
        &["gov_landscape", "finance_landscape"],
    ),
    class(Decay::PackageCadence, "Package / changelog cadence", 0.0005, &[]),
    class(Decay::RepositoryActivity, "Repository activity", 0.0002, &[]),
    class(Decay::AcademicWork, "Academic work", 0.00005, &[]),
    DecayClass {
        name: "Reference text",
        lambda: 0.00001,
        id: None,
        others: &[
            "manual",
            "documentation",
            "specification",
            "law",
            "policy",
            "book",
            "runbook",
            "faq",
            "license",
        ],
    },
];

/// Every known source type with its lambda per hour.
fn known() -> impl Iterator<Item = (&'static str, f64)> {
    CLASSES
        .into_iter()
        .flat_map(|class| class.sources().map(move |source| (source, class.lambda)))
}

/// Whether the table has a rate for this source type: it is the id of one of our sources then.
pub(crate) fn is_known(source_type: &str) -> bool {
    let mut ours = CLASSES.into_iter().filter(DecayClass::is_of_specification);
    ours.any(|class| class.sources().any(|source| source == source_type))
}

/// The class of a source type; `None` for one that the table does not know.
pub(crate) fn class_of(source_type: &str) -> Option<DecayClass> {
    CLASSES
        .into_iter()
        .find(|class| class.sources().any(|source| source == source_type))
}

/// Lambda per hour of a source type that the table does not know.
pub const DEFAULT_LAMBDA: f64 = 0.001;

/// Largest lambda that a configuration may set: a half-life of about four seconds.
const LARGEST_LAMBDA: f64 = 600.0;

/// The rates in force: the table, and what the operator changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DecayTable {
    overrides: BTreeMap<String, f64>,
}

/// A rate that cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidDecay {
    /// The source type it was given for.
    pub id: String,
    /// The value given.
    pub lambda: f64,
}

impl fmt::Display for InvalidDecay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "decay rate {} for `{}`: needed are a source type and a number above 0, at most {LARGEST_LAMBDA}",
            self.lambda, self.id
        )
    }
}

impl std::error::Error for InvalidDecay {}

impl DecayTable {
    /// The table with the operator's own rates (lambda per hour) on top. The id `default` sets the
    /// rate of unknown source types. A rate must be above 0 and at most 600.
    pub fn with_overrides<I, S>(overrides: I) -> Result<Self, InvalidDecay>
    where
        I: IntoIterator<Item = (S, f64)>,
        S: Into<String>,
    {
        let mut table = Self::default();
        for (id, lambda) in overrides {
            let id = id.into();
            let named = !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_graphic());
            if !named || !lambda.is_finite() || lambda <= 0.0 || lambda > LARGEST_LAMBDA {
                return Err(InvalidDecay { id, lambda });
            }
            table.overrides.insert(id, lambda);
        }
        Ok(table)
    }

    /// Lambda per hour of a source type.
    pub fn lambda(&self, source_type: &str) -> f64 {
        if let Some(lambda) = self.overrides.get(source_type) {
            return *lambda;
        }
        known()
            .find(|(id, _)| *id == source_type)
            .map(|(_, lambda)| lambda)
            .or_else(|| self.overrides.get("default").copied())
            .unwrap_or(DEFAULT_LAMBDA)
    }

    /// The rates that the operator set, by source type.
    pub fn overrides(&self) -> impl Iterator<Item = (&str, f64)> {
        self.overrides.iter().map(|(id, lambda)| (id.as_str(), *lambda))
    }

    /// Every source type with its own rate, the operator's included, by name.
    pub fn entries(&self) -> BTreeMap<&str, f64> {
        let mut all: BTreeMap<&str, f64> = known().collect();
        all.insert("default", DEFAULT_LAMBDA);
        all.extend(self.overrides.iter().map(|(id, lambda)| (id.as_str(), *lambda)));
        all
    }
}

/// The score after this many hours: 0..=100, unrounded. A negative age counts as 0.
pub fn remaining(lambda: f64, hours: f64) -> f64 {
    (100.0 * (-lambda * hours.max(0.0)).exp()).clamp(0.0, 100.0)
}

/// Age in hours at retrieval, never negative.
pub fn age_hours(published: DateTime<Utc>, retrieved: DateTime<Utc>) -> f64 {
    ((retrieved - published).num_milliseconds().max(0)) as f64 / 3_600_000.0
}

/// The score before rounding: 0..=100.
pub fn score_exact(lambda: f64, published: DateTime<Utc>, retrieved: DateTime<Utc>) -> f64 {
    remaining(lambda, age_hours(published, retrieved))
}

/// The score: 0..=100, rounded half up.
pub fn score(lambda: f64, published: DateTime<Utc>, retrieved: DateTime<Utc>) -> u8 {
    round_score(score_exact(lambda, published, retrieved))
}

/// Rounds a score half up.
pub fn round_score(exact: f64) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0..=100"
    )]
    let rounded = exact.clamp(0.0, 100.0).round() as u8;
    rounded
}

/// Hours after which half is left: ln 2 / lambda.
pub fn half_life_hours(lambda: f64) -> f64 {
    std::f64::consts::LN_2 / lambda
}

/// A half-life as a person says it: `~14 hours`, `~3 days`, `~5 months`, `~1.6 years`. Days from two on, months
/// from 90 days on, years from a year on.
pub fn half_life_words(lambda: f64) -> String {
    let hours = half_life_hours(lambda);
    let days = hours / 24.0;
    if hours < 48.0 {
        let digits = usize::from(hours < 10.0);
        format!("~{hours:.digits$} hours")
    } else if days < 90.0 {
        format!("~{days:.0} days")
    } else if days < 365.0 {
        format!("~{:.0} months", days / 30.44)
    } else {
        format!("~{:.1} years", days / 365.25)
    }
}

/// When half of the freshness is gone, and one should look again. `None` beyond the calendar.
pub fn revalidate_after(lambda: f64, published: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let millis = half_life_hours(lambda) * 3_600_000.0;
    if !millis.is_finite() || millis > 1e15 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "finite and below 1e15")]
    let wait = TimeDelta::try_milliseconds(millis.round() as i64)?;
    published.checked_add_signed(wait)
}

/// What a score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// 90 and above: treat as current.
    Current,
    /// 70 to 89: good for most uses.
    Reliable,
    /// 50 to 69: verify before acting.
    Verify,
    /// Below 50: little is left.
    Caution,
}

impl Band {
    /// The band of a score.
    pub const fn of(score: u8) -> Self {
        match score {
            90.. => Self::Current,
            70..=89 => Self::Reliable,
            50..=69 => Self::Verify,
            _ => Self::Caution,
        }
    }

    /// What the band advises.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Reliable => "reliable",
            Self::Verify => "verify before acting",
            Self::Caution => "low temporal utility",
        }
    }
}

/// A coarser reading of the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// 70 and above.
    Fresh,
    /// 50 to 69.
    Aging,
    /// Below 50.
    Stale,
    /// No score.
    Unknown,
}

impl Staleness {
    /// The staleness of a score, or of none.
    pub const fn of(score: Option<u8>) -> Self {
        match score {
            None => Self::Unknown,
            Some(70..) => Self::Fresh,
            Some(50..=69) => Self::Aging,
            Some(_) => Self::Stale,
        }
    }

    /// The word in envelopes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Aging => "aging",
            Self::Stale => "stale",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn g05_half_life_is_exact_for_every_class() {
        let table = DecayTable::default();
        for (id, lambda) in table.entries() {
            assert!((table.lambda(id) - lambda).abs() < f64::EPSILON, "{id}");
            let left = remaining(lambda, half_life_hours(lambda));
            assert!((left - 50.0).abs() < 1e-9, "{id}: {left}");
        }
    }

    #[test]
    fn half_lives_are_said_in_rounded_words() {
        let words = [
            "~14 hours",
            "~35 hours",
            "~3 days",
            "~6 days",
            "~29 days",
            "~58 days",
            "~5 months",
            "~1.6 years",
            "~7.9 years",
        ];
        let found: Vec<String> = CLASSES
            .iter()
            .map(|class| half_life_words(class.lambda))
            .collect();
        assert_eq!(found, words);
    }

    #[freshcontext_recorded::test]
    fn the_classes_are_those_of_the_specification_with_its_half_lives() {
        let text = freshcontext_testkit::bodies::shared_text("seeds/freshcontext-spec-v1.2-repo.md");
        for class in CLASSES.into_iter().filter(DecayClass::is_of_specification) {
            let row = text
                .lines()
                .find_map(|line| line.strip_prefix(&format!("| {} | ", class.name)));
            let row = row.unwrap_or_default();
            let (lambda, rest) = row.split_once(" | ").unwrap_or_default();
            assert_eq!(lambda.parse(), Ok(class.lambda), "{}: {row}", class.name);
            assert!(
                rest.starts_with(&half_life_words(class.lambda)),
                "{}: {row}",
                class.name
            );
        }
    }

    #[test]
    fn a_source_has_one_class() {
        let all: Vec<&str> = known().map(|(source, _)| source).collect();
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(all.len(), distinct.len());
    }

    /// A cheap generator, so that a million pairs stay quick; the seed is fixed and printed on failure.
    fn next(state: &mut u64) -> f64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn g05_a_million_pairs_fall_with_age_and_halve_per_half_life() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let lambdas: Vec<f64> = DecayTable::default().entries().into_values().collect();
        for n in 0..1_000_000_usize {
            let lambda = lambdas[n % lambdas.len()];
            let younger = next(&mut state) * 100_000.0;
            let older = younger + next(&mut state) * 100_000.0;
            let (fresh, stale) = (remaining(lambda, younger), remaining(lambda, older));
            assert!(
                stale <= fresh && (0.0..=100.0).contains(&stale),
                "{lambda} {younger} {older}"
            );
            let halved = remaining(lambda, younger + half_life_hours(lambda));
            assert!((halved - fresh / 2.0).abs() < 1e-9, "{lambda} {younger}");
        }
    }

    #[test]
    fn overrides_are_used_and_bad_ones_refused() {
        let table =
            DecayTable::with_overrides([("hackernews", 0.1), ("default", 0.002), ("mine", 1.0)]).unwrap();
        assert!((table.lambda("hackernews") - 0.1).abs() < f64::EPSILON);
        assert!((table.lambda("mine") - 1.0).abs() < f64::EPSILON);
        assert!((table.lambda("never heard of") - 0.002).abs() < f64::EPSILON);
        assert!((table.lambda("arxiv") - 0.00005).abs() < f64::EPSILON);
        for bad in [0.0, -0.1, f64::NAN, f64::INFINITY, 601.0] {
            assert!(DecayTable::with_overrides([("arxiv", bad)]).is_err(), "{bad}");
        }
        assert!(DecayTable::with_overrides([("", 0.1)]).is_err());
    }

    #[test]
    fn rounding_is_half_up_and_bands_meet() {
        assert_eq!(round_score(0.5), 1);
        assert_eq!(round_score(69.5), 70);
        assert_eq!(round_score(69.499_999_9), 69);
        assert_eq!(round_score(-3.0), 0);
        let names: Vec<_> = [100, 90, 89, 70, 69, 50, 49, 0]
            .map(|s| Band::of(s).as_str())
            .into();
        assert_eq!(
            names,
            [
                "current",
                "current",
                "reliable",
                "reliable",
                "verify before acting",
                "verify before acting",
                "low temporal utility",
                "low temporal utility"
            ]
        );
        let names: Vec<_> = [Some(70), Some(69), Some(50), Some(49), None]
            .map(|s| Staleness::of(s).as_str())
            .into();
        assert_eq!(names, ["fresh", "aging", "aging", "stale", "unknown"]);
    }

    proptest! {
        #[test]
        fn scores_stay_in_bounds(lambda in 1e-6..600.0, a in 0_i64..4_000_000_000, b in 0_i64..4_000_000_000) {
            let at = |s| DateTime::from_timestamp(s, 0).unwrap();
            let value = score(lambda, at(a), at(b));
            prop_assert!(value <= 100);
            if a >= b { prop_assert_eq!(value, 100); }
            let next = revalidate_after(lambda, at(a)).unwrap();
            prop_assert!(next >= at(a));
        }
    }
}
