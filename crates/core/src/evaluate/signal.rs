//! Normalising a signal: what the rules may rely on, and what was changed to get there.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use freshcontext_budget::{Sketch, percent};
use freshcontext_contract::quote::closed;
use freshcontext_detect::{Hint, inspect_context};
use freshcontext_origins::{Dated, View};
use serde_json_borrow::Value as Node;

use super::given::{Given, StandIn};
use super::input::to_millis;
use super::relevance::Match;
use super::stands;
use super::text::{is_blank, span};
use super::transport;
use super::verdict::{DateConfidence, SignalStatus};
use crate::date::{Parsed, Precision, implausible, iso_millis, lies_ahead, read_date};
use crate::decay::{DecayTable, age_hours, half_life_hours};
use crate::origins::{Shown, of_signal};
use crate::provenance::canonical_sha256;
use crate::sanitize::{clean_line, cut_marked};
use crate::standing::{Severity, Standing};

/// What was changed, in a sentence.
pub(super) type Change = Cow<'static, str>;

/// A signal that the rules can rely on.
#[derive(Debug)]
pub(super) struct Signal<'a> {
    pub given: &'a Given<'a>,
    pub source_type: &'a str,
    /// The source type at whose rate it ages.
    pub ages_as: &'a str,
    pub published_at: Option<DateTime<Utc>>,
    /// The same with what was given of it: a day, or a day and a time.
    pub published: Option<Parsed>,
    pub retrieved_at: DateTime<Utc>,
    /// That moment as the caller gave it; `None` where the evaluation clock stands in.
    pub fetched: Option<Parsed>,
    /// Whether the date lies after the given moment of retrieval.
    pub dated_after_retrieval: bool,
    pub relevance: Relevance,
    pub date_confidence: DateConfidence,
    pub status: SignalStatus,
    pub content_hash: Option<String>,
    /// What its content is compared by with those of others.
    pub sketch: Sketch,
    /// Why the content counts as failed, or may be a failure.
    pub guard: Guard,
    /// Why it must be fetched again before it is used, if it must.
    pub refetch: Option<String>,
    /// Whether it still stands, where the signal says that it does not, or with a reservation.
    pub standing: Option<Box<Standing>>,
    /// What was changed.
    pub changes: Vec<Change>,
}

/// What the call says of a signal beside what the signal says.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallFacts {
    /// How well it matches the query's words, where there is a query.
    pub found: Option<Match>,
    /// Its place by the order of all scores, 0..=1, where these are of another scale.
    pub order: Option<f64>,
    /// The source type at whose rate it ages where it has none.
    pub unnamed_as: &'static str,
}

/// How relevant a signal is, 0..=1, and who says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relevance {
    /// The caller gave it.
    Given(f64),
    /// The caller gave it on another scale: its place among the others.
    Order(f64),
    /// By the words that it shares with the caller's query.
    Query(f64),
    /// Not given, and no query to derive it from.
    NotJudged,
    /// Not given, and the query is in another script.
    OtherScript,
}

impl Relevance {
    /// The figure, where there is one.
    pub(super) const fn score(self) -> Option<f64> {
        match self {
            Self::Given(score) | Self::Order(score) | Self::Query(score) => Some(score),
            Self::NotJudged | Self::OtherScript => None,
        }
    }
}

/// What the failure guard says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Nothing suspicious, or not asked.
    Clear,
    /// It looks like a failure, but the evidence is thin.
    Doubtful(String),
    /// It is a failure.
    Failed(String),
    /// The caller's own form could not be read.
    Unreadable(String),
}

impl<'a> Signal<'a> {
    pub(super) fn new(
        given: &'a Given<'a>,
        now: DateTime<Utc>,
        known: CallFacts,
        decay: &DecayTable,
        beside: &[Hint],
    ) -> Self {
        let mut changes = given.notes.clone();
        let fetched = retrieved_at(given, now, &mut changes);
        let retrieved_at = fetched.map_or(now, |fetched| to_millis(fetched.instant).min(now));
        // Of a day, its end: what was published at noon may have been fetched in the evening.
        let latest_retrieval = fetched.map_or(now, |fetched| fetched.last().min(now).max(retrieved_at));
        let published = published_at(given, now, &mut changes);
        let source_type = given.source_type.unwrap_or("default");
        let unnamed = given.source_type.is_none_or(str::is_empty);
        let ages_as = if unnamed { known.unnamed_as } else { source_type };
        if source_type.is_empty() || given.source_type.is_none() {
            let note = if known.unnamed_as == "default" {
                "No source_type was given; default rates apply."
            } else {
                "No source_type was given; under this profile it ages as reference text."
            };
            changes.push(note.into());
        }
        let given_status = given.status.unwrap_or(SignalStatus::Success);
        let guard = if let Some(why) = &given.unreadable {
            Guard::Unreadable(cut_marked(&clean_line(why), 200).into_owned())
        } else if given_status == SignalStatus::Failed {
            Guard::Clear
        } else {
            guard(given, beside)
        };
        let status = if matches!(guard, Guard::Failed(_) | Guard::Unreadable(_)) {
            SignalStatus::Failed
        } else {
            given_status
        };
        Self {
            given,
            source_type,
            ages_as,
            published_at: published.map(|published| published.instant),
            published,
            retrieved_at,
            fetched,
            dated_after_retrieval: fetched.is_some()
                && published.is_some_and(|published| lies_ahead(&published, latest_retrieval)),
            relevance: relevance(given, known, &mut changes),
            date_confidence: date_confidence(given, published, latest_retrieval, &mut changes),
            status,
            content_hash: given.own_content().map(canonical_sha256),
            sketch: given.content.map(Sketch::of).unwrap_or_default(),
            guard,
            standing: stands::standing(&given.standing, now),
            refetch: refetch(
                given,
                status,
                decay.lambda(ages_as),
                age_hours(latest_retrieval, now),
            ),
            changes,
        }
    }

    /// What tells its origin.
    pub(super) fn origin_view(&self) -> View<'_> {
        let given = self.given;
        let facts = match given.fields {
            Some(Node::Object(facts)) => Some(facts),
            _ => None,
        };
        of_signal(&Shown {
            title: given.title,
            source: given.source,
            final_url: given.final_url,
            content: given.content,
            source_type: self.source_type,
            date: self.published.map(|published| Dated {
                at: published.instant,
                whole_day: published.precision == Precision::Day,
                // Who was first is not known by a month.
                reliable: matches!(published.precision, Precision::Day | Precision::Instant)
                    && matches!(
                        self.date_confidence,
                        DateConfidence::High | DateConfidence::Medium
                    ),
            }),
            sketch: &self.sketch,
            facts: [facts, given.metadata],
        })
    }

    /// Title, else the beginning of the content, else the source; one clean line.
    pub(super) fn title(&self) -> String {
        /// Characters of the content that stand in for a title.
        const BEGINNING: usize = 80;
        let given = self.given;
        if let Some(title) = given.title.filter(|title| !is_blank(title)) {
            return clean_line(title).into();
        }
        if let Some(content) = given.content.filter(|content| !is_blank(content)) {
            let beginning: String = content.trim_start().chars().take(BEGINNING).collect();
            return clean_line(&beginning).into();
        }
        clean_line(given.source).into()
    }

    /// The publication date as it is written out.
    pub(super) fn published_text(&self) -> Option<String> {
        self.published_at.map(iso_millis)
    }

    /// Up to five reasons, the weightiest first.
    pub(super) fn why(&self, freshness: Option<u8>) -> Vec<String> {
        const MOST: usize = 5;
        let mut why = Vec::with_capacity(MOST);
        if self.status != SignalStatus::Failed {
            why.extend(self.standing.as_deref().map(Standing::sentence));
        }
        match &self.guard {
            Guard::Failed(reason) => why.push(format!("A failed retrieval: {reason}.")),
            Guard::Unreadable(reason) => why.push(format!("It could not be read: {reason}.")),
            Guard::Doubtful(reason) => {
                why.push(self.figures(freshness));
                why.push(format!("It may be a failed retrieval: {reason}."));
            }
            Guard::Clear if self.status == SignalStatus::Failed => {
                why.push("The caller marked it as a failed retrieval.".to_owned());
            }
            Guard::Clear => why.push(self.figures(freshness)),
        }
        if self.status != SignalStatus::Failed {
            why.extend(self.refetch.clone());
        }
        why.extend(self.changes.iter().map(ToString::to_string));
        let status = match self.status {
            SignalStatus::Partial | SignalStatus::Unknown => Some(self.status.as_str()),
            SignalStatus::Success | SignalStatus::Stale | SignalStatus::Failed => None,
        };
        why.extend(status.map(|status| format!("Its status is {status}, which lowers the utility.")));
        if matches!(self.date_confidence, DateConfidence::Medium | DateConfidence::Low) {
            why.push(format!(
                "Its {} date confidence lowers the utility.",
                self.date_confidence.as_str()
            ));
        }
        why.truncate(MOST);
        why
    }

    /// Relevance and freshness in one sentence.
    fn figures(&self, freshness: Option<u8>) -> String {
        let age = match freshness {
            None => "of unknown age",
            Some(70..) => "fresh",
            Some(50..70) => "aging",
            Some(_) => "stale",
        };
        match self.relevance {
            Relevance::Given(score) => {
                let word = match score {
                    0.7.. => "Relevant",
                    0.5.. => "Partly relevant",
                    _ => "Barely relevant",
                };
                format!("{word} ({score:.2}), {age}.")
            }
            Relevance::Order(_) => {
                let score = self.given.semantic_score.unwrap_or_default();
                format!("Ranked by the order of all scores ({score}), {age}.")
            }
            Relevance::Query(share) => {
                format!("Has {} of what the query's words weigh, {age}.", percent(share))
            }
            Relevance::OtherScript => {
                format!("Relevance not judged (the query is in another script), {age}.")
            }
            Relevance::NotJudged => format!("Relevance not judged (pass semantic_score, or a query), {age}."),
        }
    }
}

/// When it was retrieved; `None` where that is not known, or cannot be.
fn retrieved_at(given: &Given<'_>, now: DateTime<Utc>, changes: &mut Vec<Change>) -> Option<Parsed> {
    let text = given.retrieved_at.filter(|text| !is_blank(text))?;
    let Some(parsed) = read_date(text) else {
        changes.push("The retrieval date could not be read; the evaluation clock stands in.".into());
        return None;
    };
    let parsed = parsed.known();
    if lies_ahead(&parsed, now) {
        changes.push("The retrieval date lies in the future; the evaluation clock stands in.".into());
        return None;
    }
    Some(parsed)
}

/// The usable date of publication.
fn published_at(given: &Given<'_>, now: DateTime<Utc>, changes: &mut Vec<Change>) -> Option<Parsed> {
    let text = given.published_at.filter(|text| !is_blank(text))?;
    let Some(parsed) = read_date(text) else {
        changes.push("The publication date could not be read and was dropped.".into());
        return None;
    };
    if lies_ahead(&parsed.known(), now) {
        changes.push("The publication date lies in the future and was dropped.".into());
        return None;
    }
    if let Some(why) = implausible(parsed.instant) {
        changes.push(format!("The publication date {why} and was dropped.").into());
        return None;
    }
    Some(Parsed {
        instant: to_millis(parsed.instant),
        ..parsed
    })
}

fn date_confidence(
    given: &Given<'_>,
    published: Option<Parsed>,
    retrieved_at: DateTime<Utc>,
    changes: &mut Vec<Change>,
) -> DateConfidence {
    let claimed = given.date_confidence.or(given.freshness_confidence);
    let Some(published) = published else {
        if claimed.is_some_and(|claimed| claimed != DateConfidence::Unknown) {
            changes.push("Without a usable date its confidence is unknown, whatever was given.".into());
        }
        return DateConfidence::Unknown;
    };
    let claimed = claimed.unwrap_or(DateConfidence::Medium);
    let claimed = match given.stand_in {
        _ if claimed == DateConfidence::Unknown => claimed,
        Some(StandIn::Modified) => {
            changes.push("It is the date of its last change; when it was published is not said.".into());
            DateConfidence::Low
        }
        Some(StandIn::Created) if claimed == DateConfidence::High => DateConfidence::Medium,
        _ => claimed,
    };
    let claimed = match (published.precision, claimed) {
        (_, DateConfidence::Unknown) => DateConfidence::Unknown,
        (Precision::Year, _) => {
            changes.push("Only its year is known; the first day stands in.".into());
            DateConfidence::Low
        }
        (Precision::Month, claimed) => {
            changes.push("Only its month is known; the first day stands in.".into());
            match claimed {
                DateConfidence::High => DateConfidence::Medium,
                lower => lower,
            }
        }
        (_, claimed) => claimed,
    };
    if claimed != DateConfidence::Unknown && lies_ahead(&published, retrieved_at) {
        changes.push("It is dated after its own retrieval, so the date is doubtful.".into());
        return DateConfidence::Low;
    }
    claimed
}

fn relevance(given: &Given<'_>, known: CallFacts, changes: &mut Vec<Change>) -> Relevance {
    match (given.semantic_score, known.found) {
        (Some(_), _) if known.order.is_some() => Relevance::Order(known.order.unwrap_or_default()),
        (Some(score), _) if score > 1.0 => {
            changes.push("The semantic_score was above 1 and counts as 1.".into());
            Relevance::Given(1.0)
        }
        (Some(score), _) if score < 0.0 => {
            changes.push("The semantic_score was below 0 and counts as 0.".into());
            Relevance::Given(0.0)
        }
        // Also turns -0 into 0.
        (Some(score), _) => Relevance::Given(score + 0.0),
        (None, Some(Match::Words { share, .. })) => Relevance::Query(share),
        (None, Some(Match::OtherScript)) => Relevance::OtherScript,
        (None, None) => Relevance::NotJudged,
    }
}

/// Why a signal must be fetched again before it is used: the retrieval ages as its content does.
fn refetch(given: &Given<'_>, status: SignalStatus, lambda: f64, hours: f64) -> Option<String> {
    let halves = half_life_hours(lambda);
    if hours > halves {
        return Some(format!(
            "Fetched {} ago; this kind halves in {}.",
            span(hours),
            span(halves)
        ));
    }
    if status == SignalStatus::Stale {
        return Some("Its status is stale: it was an old copy when it was fetched.".to_owned());
    }
    given
        .lost_retrieval()
        .then(|| "It does not say when it was fetched (retrieved_at).".to_owned())
}

/// Asks the retrieval and the inspector about the content. A title alone is too little to exclude on.
fn guard(given: &Given<'_>, beside: &[Hint]) -> Guard {
    if let Some(status) = given.failed_status() {
        return Guard::Failed(format!("its retrieval was answered with HTTP {status}"));
    }
    let doubt = transport::doubt(given);
    let mut hints = beside.to_vec();
    hints.extend(doubt.as_ref().map(|_| Hint {
        weight: transport::DETOUR,
        why: "how it was retrieved",
    }));
    match (by_text(given, &hints), doubt) {
        (Guard::Clear, Some(reason)) => Guard::Doubtful(reason),
        (by_text, _) => by_text,
    }
}

fn by_text(given: &Given<'_>, hints: &[Hint]) -> Guard {
    let (text, title_only) = match (given.content, given.title) {
        _ if given.held_back() => return Guard::Clear,
        // It stays out for that, and its text is often nothing but a notice of it.
        _ if given
            .standing
            .iter()
            .any(|sign| Severity::of(sign.state) == Severity::Void) =>
        {
            return Guard::Clear;
        }
        (Some(content), _) => (content, false),
        (None, Some(title)) => (title, true),
        (None, None) => return Guard::Clear,
    };
    let found = inspect_context(text, hints);
    if !found.failed {
        return Guard::Clear;
    }
    let kind = found.kind.map_or("failure", |kind| kind.as_str());
    let reason = format!(
        "{kind}, {}",
        closed(cut_marked(&clean_line(&found.reason), 120).into_owned())
    );
    if found.is_sure_failure() && !title_only {
        Guard::Failed(reason)
    } else {
        Guard::Doubtful(reason)
    }
}
