//! `evaluate_context`: judging context that the caller brings.
//!
//! Nothing is fetched and no clock is read. The same arguments and the same clock give the same
//! bytes.
//!
//! ```
//! use freshcontext_core::evaluate::{Decision, Options, evaluate};
//! use serde_json::json;
//!
//! let arguments = json!({
//!     "profile": "official_docs",
//!     "intent": "developer_adoption",
//!     "signals": [{
//!         "source": "https://docs.example.org/quickstart",
//!         "source_type": "official_docs",
//!         "title": "Quickstart",
//!         "content": "Install the package, then run the setup command.",
//!         "published_at": "2026-06-08T10:00:00Z",
//!         "semantic_score": 0.94,
//!         "date_confidence": "high",
//!     }],
//! });
//! let clock = "2026-06-09T12:00:00Z".parse()?;
//! let evaluation = evaluate(&arguments, clock, &Options::default())?;
//! let verdict = &evaluation.verdicts[0];
//! assert_eq!(verdict.decision, Decision::UseFirst);
//! assert_eq!(verdict.freshness_score, Some(97));
//! assert_eq!(evaluation.structured()?["results"][0]["decision"], "use_first");
//!
//! let error = evaluate(&json!({"profile": "official_docs"}), clock, &Options::default()).unwrap_err();
//! assert_eq!(error.field.as_deref(), Some("signals"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod as_of;
mod batch;
mod card;
mod columns;
mod completeness;
mod decide;
mod differences;
mod distances;
mod duplicates;
mod fields;
mod fit;
mod given;
mod halt;
mod input;
mod made;
mod names;
mod noted;
mod parallel;
mod parts;
mod profile;
mod readiness;
mod relevance;
mod results;
mod scale;
mod schema;
mod shape;
mod siblings;
mod signal;
mod stands;
#[cfg(test)]
mod tests;
mod text;
mod transport;
mod unread;
mod verdict;
mod words;
mod wrapped;

pub use batch::{Batch, Row, batch};
pub use differences::{DIFFERENCES, Difference};
pub use fit::item_identity;
pub use given::{CONTENT_UNITS, SOURCE_UNITS, TITLE_UNITS};
pub use input::ARGUMENTS;
pub use noted::{Known, Noted};
pub use profile::{Authority, DatePolicy, INTENT, INTENTS, Intent, PROFILE, PROFILES, Profile};
pub use schema::{DESCRIPTION, TITLE, TOOL, input_schema, output_schema};
pub use verdict::{
    Confidence, DateConfidence, Decision, Duplicate, Handoff, ProvenanceReadiness, ReadinessState,
    SignalStatus, SourceCompleteness, SourceIdentity, TimingCompleteness, Verdict,
};
pub use words::Words;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_budget::{Assembly, MissingContext, Selection, Used};
use freshcontext_contract::limits::SIGNALS_VALUES;
use freshcontext_contract::{ErrorCode, Limits, SourceError};
use freshcontext_detect::Hint;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use serde_json_borrow::Value as Node;

use crate::date::iso_millis;
use crate::decay::{DecayTable, age_hours, half_life_hours, remaining, round_score};
use crate::origins::Told;
use crate::provenance::VerdictBasis;
use crate::sanitize::clean_line;
use crate::standing::Standing;
use crate::values::hold_more_values_than;
use decide::Facts;
use duplicates::Seen;
use given::Given;
pub use halt::Halt;
use input::Request;
use made::Made;
use relevance::{Match, Query};
use signal::{CallFacts, Guard, Relevance, Signal};

/// What an operator can set.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Decay rates in force.
    pub decay: DecayTable,
    /// Limits in force: `signals` and `signals_bytes` matter here.
    pub limits: Limits,
    /// Ends the evaluation early.
    pub halt: Halt,
}

/// The verdicts of one call, not rendered yet. Serialising it gives the structured form ([`output_schema`]) directly,
/// without the tree of values that costs as much as the evaluation.
///
/// ```
/// use freshcontext_core::evaluate::{Options, evaluate};
/// use serde_json::json;
///
/// let arguments = json!({
///     "profile": "local_custom", "intent": "developer_adoption",
///     "signals": [{"source": "notes/7.md", "title": "A note"}],
/// });
/// let clock = "2026-06-09T12:00:00Z".parse()?;
/// let evaluation = evaluate(&arguments, clock, &Options::default())?;
/// assert_eq!(evaluation.json()?.get(), evaluation.structured()?.to_string());
/// assert!(evaluation.text().starts_with("1 signal for local_custom"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// The profile's id.
    pub profile: &'static str,
    /// The intent's id.
    pub intent: &'static str,
    /// The evaluation clock, `YYYY-MM-DDTHH:MM:SS.sssZ`.
    pub now: String,
    /// How the arguments were read, what in them was not, and what is said of all signals at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The words of every decision that occurs.
    pub legend: Legend,
    /// How many independent origins the signals have, where there are copies or disagreements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<Told>,
    /// The verdicts in rank order.
    #[serde(rename = "results")]
    pub verdicts: Vec<Verdict>,
    /// Under a budget: what goes in and what stays out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Under a budget: what was allowed and what was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Used>,
    /// Under a budget: the text that goes in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assembly: Option<Assembly>,
    /// Under a budget: what is known to be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_context: Option<Vec<MissingContext>>,
    /// Where `records` are asked for: what they need beside the rest. Not part of the output.
    #[serde(skip)]
    pub noted: Option<Noted>,
}

impl Evaluation {
    /// Under a budget the assembly, ready to paste, or what came nearest where nothing goes in; else one short card for
    /// each result. Never empty.
    pub fn text(&self) -> String {
        let nothing = self
            .selection
            .as_ref()
            .and_then(|selection| selection.note.as_ref());
        match (&self.assembly, nothing) {
            (Some(_), Some(nothing)) => nothing.clone(),
            (Some(assembly), None) if !self.verdicts.is_empty() => assembly.text.clone(),
            // Without a budget, and where every signal was published later than the moment asked for.
            (_, None) | (None, _) => card::cards(self),
        }
    }

    /// The structured form as a value.
    pub fn structured(&self) -> Result<Value, SourceError> {
        serde_json::to_value(self).map_err(unwritable)
    }

    /// The structured form as JSON text.
    pub fn json(&self) -> Result<Box<RawValue>, SourceError> {
        to_raw_value(self).map_err(unwritable)
    }
}

fn unwritable(error: impl std::error::Error + Send + Sync + 'static) -> SourceError {
    SourceError::new(ErrorCode::Internal, "the verdicts could not be written").caused_by(error)
}

/// The words of some decisions, in the order of [`Decision::ALL`]; serialises as an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Legend(pub Vec<Decision>);

impl Serialize for Legend {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0
                .iter()
                .map(|decision| (decision.as_str(), decision.words())),
        )
    }
}

/// Evaluates the arguments of one call.
///
/// `clock_now` is used where the arguments have no `now`. The only error is
/// [`InvalidInput`](freshcontext_contract::ErrorCode::InvalidInput), which names the field at fault
/// (`signals[3].source`); there is never half an answer.
pub fn evaluate(
    arguments: &Value,
    clock_now: DateTime<Utc>,
    options: &Options,
) -> Result<Evaluation, SourceError> {
    evaluate_borrowed(&fields::borrowed(arguments), clock_now, options)
}

/// As [`evaluate`], for items of sources that the caller named; `sources` has the number of its source for each signal. A
/// named source is relevant by being named: without a query nothing is left out for its relevance, and with one, the best
/// item of each source goes in before the others, as long as there is room.
pub fn evaluate_named(
    arguments: &Value,
    sources: &[usize],
    clock_now: DateTime<Utc>,
    options: &Options,
) -> Result<Evaluation, SourceError> {
    let borrowed = fields::borrowed(arguments);
    let made = Made::default();
    let mut request = Request::read(&borrowed, clock_now, &options.limits, &made)?;
    // Whoever asked for the sources may have asked for records, too.
    request.noting = true;
    evaluate_request(&request, Some(sources), options)
}

/// Evaluates the arguments of one call as they stand in JSON text. Exactly as [`evaluate`] on the same arguments, but
/// their texts are borrowed, never copied.
///
/// ```
/// use freshcontext_core::evaluate::{Options, evaluate, evaluate_text};
///
/// let text = r#"{"profile": "local_custom", "intent": "citation_check",
///     "signals": [{"source": "notes/7.md", "title": "A note"}]}"#;
/// let clock = "2026-06-09T12:00:00Z".parse()?;
/// let evaluation = evaluate_text(text, clock, &Options::default())?;
/// assert_eq!(evaluation, evaluate(&serde_json::from_str(text)?, clock, &Options::default())?);
/// assert!(evaluate_text("[]", clock, &Options::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate_text(
    arguments: &str,
    clock_now: DateTime<Utc>,
    options: &Options,
) -> Result<Evaluation, SourceError> {
    if hold_more_values_than(&[arguments.as_bytes()], SIGNALS_VALUES) {
        let problem = format!("hold more than {SIGNALS_VALUES} values: judge fewer signals at a time");
        return Err(SourceError::invalid_input("arguments", problem, input::EXAMPLE));
    }
    let arguments = serde_json::from_str(arguments).map_err(|error| {
        SourceError::invalid_input("arguments", "are not JSON", input::EXAMPLE).caused_by(error)
    })?;
    evaluate_borrowed(&arguments, clock_now, options)
}

/// Evaluates the arguments of one call that are read already, with borrowed texts. Exactly as [`evaluate_text`] on the
/// text that they were read from, but for its bound on the number of values, which is the caller's to keep.
pub fn evaluate_borrowed(
    arguments: &Node<'_>,
    clock_now: DateTime<Utc>,
    options: &Options,
) -> Result<Evaluation, SourceError> {
    let made = Made::default();
    if input::holds_json_as_text(arguments) {
        let read = input::with_json_texts_read(arguments);
        let read = fields::borrowed(&read);
        if !input::holds_parts(&read) {
            let request = Request::read(&read, clock_now, &options.limits, &made)?;
            return evaluate_request(&request, None, options);
        }
        return evaluate_parts(&read, clock_now, options);
    }
    if input::holds_parts(arguments) {
        return evaluate_parts(arguments, clock_now, options);
    }
    let request = Request::read(arguments, clock_now, &options.limits, &made)?;
    evaluate_request(&request, None, options)
}

/// Evaluates arguments with documents whose parts stand beside each other.
fn evaluate_parts(
    arguments: &Node<'_>,
    clock_now: DateTime<Utc>,
    options: &Options,
) -> Result<Evaluation, SourceError> {
    let made = Made::default();
    let (read, notes) = input::with_parts_together(arguments);
    let read = fields::borrowed(&read);
    let mut request = Request::read(&read, clock_now, &options.limits, &made)?;
    request.notes.extend(notes);
    evaluate_request(&request, None, options)
}

/// Evaluates a checked request; `named` has the number of its source for each signal of a source that the caller named.
fn evaluate_request(
    request: &Request<'_>,
    named: Option<&[usize]>,
    options: &Options,
) -> Result<Evaluation, SourceError> {
    let large = request.bytes() >= parallel::WORTHWHILE;
    let unscored = request.signals.iter().any(|given| given.semantic_score.is_none());
    let query = request
        .query
        .filter(|_| unscored)
        .and_then(|query| Query::new(query, &request.signals, large));
    let order = scale::by_order(&request.signals);
    let judged = Judged {
        by_caller: request.signals.iter().any(|given| given.semantic_score.is_some()),
        least: query.as_ref().map(Query::least),
    };
    let beside = siblings::hints(&request.signals, request.query);
    let now = iso_millis(request.now);
    let revalidate_after = revalidate_after(request.now, options.decay.lambda(request.profile.decay_of));
    let made = parallel::map(&request.signals, large, |place, given| {
        if options.halt.is_set() {
            return None;
        }
        let beside = beside.get(place).map(Vec::as_slice).unwrap_or_default();
        let known = CallFacts {
            found: query.as_ref().map(|query| query.of(place)),
            order: order
                .as_ref()
                .and_then(|order| order.places.get(place).copied().flatten()),
            unnamed_as: request.profile.unnamed_as,
        };
        let scored = ScoredSignal::new(given, request.now, known, &options.decay, beside);
        let scored = scored.for_selection(request.profile.date_policy, &judged);
        let verdict = scored.verdict(request, &now, revalidate_after.as_deref());
        // Boxed: it is a kilobyte, and would be copied at each of the steps that follow.
        Some(Box::new((scored, verdict)))
    });
    let made: Option<Vec<_>> = made.into_iter().collect();
    let made = made.ok_or_else(Halt::late)?;
    let (scored, mut verdicts) = ranked(made);
    let mut seen = Seen::with_capacity(scored.len());
    for ((place, scored), verdict) in scored.iter().enumerate().zip(&mut verdicts) {
        options.halt.check()?;
        verdict.index = place + 1;
        verdict.duplicate = seen.note(&scored.signal, scored.address.as_deref(), verdict.index);
        let warning = verdict.duplicate.map(|duplicate| duplicate.to_string());
        verdict.warnings.splice(0..0, warning);
    }
    let occurs = |decision: &Decision| verdicts.iter().any(|verdict| verdict.decision == *decision);
    let legend = Legend(Decision::ALL.into_iter().filter(occurs).collect());
    options.halt.check()?;
    let noted = request.noting.then(|| Noted::of(request, &scored, &verdicts));
    let fitted = match &request.budget {
        Some(budget) => Some(fit::fit(request, (budget, named), &scored, &verdicts)?),
        None => None,
    };
    let (selection, budget, assembly, missing_context) = match fitted {
        Some(fitted) => (
            Some(fitted.selection),
            Some(fitted.budget),
            Some(fitted.assembly),
            Some(fitted.missing_context),
        ),
        None => (None, None, None, None),
    };
    options.halt.check()?;
    let clean = |note: &String| clean_line(note).into_owned();
    let mut notes: Vec<String> = request.notes.iter().map(clean).collect();
    notes.extend(order.map(|order| order.note));
    notes.extend(unread::notes(
        request.signals.iter().flat_map(|given| &given.unread),
    ));
    Ok(Evaluation {
        profile: request.profile.id,
        intent: request.intent.id,
        now,
        notes,
        legend,
        origins: origins(&scored, &verdicts),
        verdicts,
        selection,
        budget,
        assembly,
        missing_context,
        noted,
    })
}

/// The origins of what was retrieved, if they are fewer than the signals, or these disagree.
fn origins(scored: &[ScoredSignal<'_>], verdicts: &[Verdict]) -> Option<Told> {
    let retrieved = || {
        scored
            .iter()
            .zip(verdicts)
            .filter(|(scored, _)| !scored.facts.failed)
    };
    let views: Vec<_> = retrieved()
        .map(|(scored, _)| scored.signal.origin_view())
        .collect();
    let told = Told::new(&views, retrieved().map(|(_, verdict)| verdict.index).collect());
    told.found().has_more().then_some(told)
}

/// In the order of the published rank. Stable, so ties stay in the order of the arguments, those too of which a rounding makes one
/// greater (0.7 x 0.375, and 0.7 x 0.075 + 0.3 x 0.7).
fn ranked(mut made: Vec<Box<(ScoredSignal<'_>, Verdict)>>) -> (Vec<ScoredSignal<'_>>, Vec<Verdict>) {
    made.sort_by(|one, other| other.1.rank_score.total_cmp(&one.1.rank_score));
    let (mut all, mut verdicts) = (Vec::with_capacity(made.len()), Vec::with_capacity(made.len()));
    for both in made {
        let (scored, verdict) = *both;
        all.push(scored);
        verdicts.push(verdict);
    }
    (all, verdicts)
}

/// A signal and the figures that decide about it.
struct ScoredSignal<'a> {
    signal: Signal<'a>,
    /// The evaluation clock.
    now: DateTime<Utc>,
    /// Of the source, to tell the same page twice.
    address: Option<String>,
    facts: Facts,
    utility: Option<f64>,
    /// How relevant it is within the call, for a selection.
    relevance: Option<freshcontext_budget::Relevance>,
    selection_rank: f64,
    /// How well it matches the query's words.
    found: Option<Match>,
}

/// Who judged the relevance of a call's signals.
#[derive(Debug, Clone, Copy)]
struct Judged {
    /// The caller, of some of them.
    by_caller: bool,
    /// A query: the share of its weight below which a signal is not relevant.
    least: Option<f64>,
}

/// Least score of the caller's that is relevant.
const LEAST_GIVEN: f64 = 0.35;

impl<'a> ScoredSignal<'a> {
    fn new(
        given: &'a Given<'a>,
        now: DateTime<Utc>,
        known: CallFacts,
        decay: &DecayTable,
        beside: &[Hint],
    ) -> Self {
        let signal = Signal::new(given, now, known, decay, beside);
        let failed = signal.status == SignalStatus::Failed;
        let left = signal.published_at.map_or(0.0, |published| {
            remaining(decay.lambda(signal.ages_as), age_hours(published, now))
        });
        let freshness =
            (!failed && signal.date_confidence != DateConfidence::Unknown).then(|| round_score(left));
        let (relevance, date) = (signal.relevance, signal.date_confidence);
        let facts = Facts {
            failed,
            relevance,
            freshness,
            rank: decide::rank_score(relevance, freshness, date),
            confidence: decide::confidence(failed, relevance, freshness),
            doubtful: matches!(signal.guard, Guard::Doubtful(_)),
            date,
            refetch: signal.refetch.is_some(),
        };
        let utility = decide::utility_score(relevance, left, date, signal.status);
        Self {
            address: duplicates::address(given.source),
            signal,
            now,
            facts,
            utility,
            relevance: None,
            selection_rank: 0.0,
            found: known.found,
        }
    }

    /// With its place in a selection.
    fn for_selection(self, policy: DatePolicy, judged: &Judged) -> Self {
        use freshcontext_budget::{Judge, Relevance as Judgement};
        let relevance = match self.facts.relevance {
            Relevance::Given(score) => Some(Judgement {
                score,
                least: LEAST_GIVEN,
                by: Judge::Caller,
            }),
            Relevance::Order(score) => Some(Judgement {
                score,
                least: 0.0,
                by: Judge::Order,
            }),
            Relevance::Query(score) => Some(Judgement {
                score,
                least: judged.least.unwrap_or_default(),
                by: Judge::Query,
            }),
            Relevance::NotJudged | Relevance::OtherScript => None,
        };
        let within = match (relevance, self.found) {
            // Beside scores of the caller's a share of the query stands as it is; among its own kind the best counts full.
            (Some(_), Some(Match::Words { of_best, .. })) if !judged.by_caller => Some(of_best),
            (Some(relevance), _) => Some(relevance.score),
            // Behind what was found relevant.
            (None, _) if judged.by_caller => Some(LEAST_GIVEN),
            (None, _) if judged.least.is_some() => Some(relevance::LEAST_SHARE),
            (None, _) => None,
        };
        Self {
            relevance,
            // As it is written out: what looks equal goes in by date.
            selection_rank: (decide::selection_rank(within, self.facts.freshness, policy) * 1e4).round()
                / 1e4,
            ..self
        }
    }

    /// The verdict, but for its place in the order and what that says about it.
    fn verdict(&self, request: &Request<'_>, now: &str, revalidate_after: Option<&str>) -> Verdict {
        let Self { signal, facts, .. } = self;
        let decision = decide::decide(facts, request.profile, request.intent);
        let standing = signal.standing.as_deref();
        let decision = standing.map_or(decision, |standing| {
            stands::temper(decision, standing, request.intent)
        });
        let published_at = signal.published_text();
        let verdict_id = VerdictBasis {
            signal_id: signal.given.id,
            source: signal.given.source,
            source_type: signal.source_type,
            published_at: published_at.as_deref(),
            decision: decision.as_str(),
            source_profile: Some(request.profile.id),
            intent_profile: Some(request.intent.id),
        }
        .id();
        let source_type: String = clean_line(signal.source_type).into();
        let readiness = readiness::provenance_readiness(signal, source_type.clone(), published_at);
        Verdict {
            index: 0,
            id: signal.given.own_id.map(readiness::own_id),
            position: signal.given.place.index,
            title: signal.title(),
            source: clean_line(signal.given.source).into(),
            source_type,
            decision,
            label: decision.words().label,
            freshness_score: facts
                .freshness
                .filter(|_| !standing.is_some_and(Standing::is_void)),
            rank_score: published(facts.rank),
            selection_rank: self.selection_rank,
            relevance: match facts.relevance {
                Relevance::Given(_) => None,
                Relevance::Order(_) => Some("order"),
                Relevance::Query(_) => Some("query"),
                Relevance::NotJudged | Relevance::OtherScript => Some("not_judged"),
            },
            utility_score: self.utility.map(published),
            confidence: facts.reported_confidence(),
            why: signal.why(facts.freshness),
            duplicate: None,
            warnings: (request.intent.caveat.map(str::to_owned).into_iter())
                .chain(standing.map(Standing::action))
                .collect(),
            verdict_id,
            evaluated_at: now.to_owned(),
            revalidate_after: if facts.refetch {
                Some(now.to_owned())
            } else {
                revalidate_after.map(str::to_owned)
            },
            handoff: match standing {
                Some(standing) => {
                    stands::temper_handoff(readiness::handoff(decision, readiness.state), standing)
                }
                None => readiness::handoff(decision, readiness.state),
            },
            standing: standing.map(Standing::short),
            provenance_readiness: readiness,
        }
    }
}

/// A score as it is written out: to ten decimals, far below what it can mean.
fn published(score: f64) -> f64 {
    (score * 1e10).round() / 1e10
}

/// One half-life later, the half-life in hours to two decimals as it is published.
fn revalidate_after(now: DateTime<Utc>, lambda: f64) -> Option<String> {
    let hours = (half_life_hours(lambda) * 100.0).round() / 100.0;
    let millis = (hours * 3_600_000.0).round();
    if !(0.0..1e15).contains(&millis) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole, and below 1e15")]
    let wait = TimeDelta::try_milliseconds(millis as i64)?;
    now.checked_add_signed(wait)
        .filter(|when| when.timestamp() < LAST_SECOND)
        .map(iso_millis)
}

/// The beginning of the year 10000, which has no four-digit form.
const LAST_SECOND: i64 = 253_402_300_800;
