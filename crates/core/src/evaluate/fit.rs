//! What the judgement knows of each signal, handed to the selection under a budget.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use chrono::TimeDelta;
use freshcontext_budget::{
    Budget, Candidate, Facts, Fitted, KnownCall, Purpose, Replaced, Usability, item_id, select,
};
use freshcontext_contract::{SourceError, StandingState, named};
use serde_json::Value;
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::fields::owned;
use super::input::{Request, last};
use super::readiness::has_content;
use super::text::{is_blank, not_blank};
use super::verdict::{DateConfidence, Decision, Verdict};
use super::{ScoredSignal, duplicates, parallel};
use crate::answer::details as facts_line;
use crate::date::{Precision, age as age_in_words, shown};
use crate::decay::class_of;
use crate::provenance::canonical_sha256;
use crate::sanitize::{clean, clean_line, cut_marked};
use crate::standing::Standing;

/// Longest reference to a policy that is repeated, in characters.
pub(super) const POLICY: usize = 120;
/// Score below which an age is reported with its kind.
const STALE_BELOW: u8 = 50;
/// Age from which it is reported with its kind.
const YEAR: TimeDelta = TimeDelta::days(365);
/// Decisions of a policy that block nothing; any other does.
const ALLOWING: [&str; 5] = ["allow", "allowed", "permit", "permitted", "approved"];

/// Fits the judged signals, which are in rank order, into the budget.
pub(super) fn fit(
    request: &Request<'_>,
    (budget, named): (&Budget, Option<&[usize]>),
    scored: &[ScoredSignal<'_>],
    verdicts: &[Verdict],
) -> Result<Fitted, SourceError> {
    let both: Vec<(&ScoredSignal<'_>, &Verdict)> = scored.iter().zip(verdicts).collect();
    let large = request.bytes() >= parallel::WORTHWHILE;
    let mut candidates = parallel::map(&both, large, |_, (scored, verdict)| candidate(scored, verdict));
    if let Some(sources) = named {
        name(&mut candidates, verdicts, sources, request.query.is_some());
    }
    let purpose = Purpose {
        query: request.query,
        needed_for: request.intent.id,
    };
    select(&candidates, budget, purpose)
}

/// Marks what is relevant because its source was named: everything, or under a query the best of each source.
fn name(candidates: &mut [Candidate<'_>], verdicts: &[Verdict], sources: &[usize], asked: bool) {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(
        |one, other| match (candidates.get(*one), candidates.get(*other)) {
            (Some(one), Some(other)) => one.before(other),
            _ => Ordering::Equal,
        },
    );
    let mut led = BTreeSet::new();
    for at in order {
        let (Some(candidate), Some(verdict)) = (candidates.get_mut(at), verdicts.get(at)) else {
            continue;
        };
        let source = sources.get(verdict.position);
        let leads = !matches!(candidate.usability, Usability::Failed | Usability::TooLong)
            && source.is_some_and(|source| led.insert(*source));
        candidate.named = !asked || leads;
    }
}

/// An item's id from its source, its own title and its content, as a judgement of it would have it.
pub fn item_identity(source: &str, title: Option<&str>, content: Option<&str>) -> String {
    let address = duplicates::address(source);
    let title = title.filter(|title| !is_blank(title)).map(clean_line);
    let hash = content.filter(|content| !is_blank(content)).map(canonical_sha256);
    item_id(
        address.as_deref().unwrap_or(&clean_line(source)),
        title.as_deref(),
        hash.as_deref(),
    )
}

pub(super) fn candidate<'a>(scored: &'a ScoredSignal<'_>, verdict: &'a Verdict) -> Candidate<'a> {
    let (signal, given) = (&scored.signal, scored.signal.given);
    let usability = match verdict.decision {
        _ if given.is_too_long => Usability::TooLong,
        _ if scored.facts.failed => Usability::Failed,
        _ if signal
            .standing
            .as_ref()
            .is_some_and(|standing| standing.is_void()) =>
        {
            Usability::Void
        }
        // A closed advert is none for whoever looks for a job.
        Decision::Exclude
            if signal
                .standing
                .as_ref()
                .is_some_and(|standing| standing.state == StandingState::Closed) =>
        {
            Usability::Void
        }
        Decision::NeedsRefresh => Usability::NeedsRefresh,
        _ => Usability::Usable,
    };
    let why = verdict.why.first().map_or("", String::as_str);
    let call = given.failed_call;
    let name = scored.address.as_deref().unwrap_or(&verdict.source);
    let title = given
        .title
        .filter(|title| !is_blank(title))
        .map(|_| verdict.title.as_str());
    Candidate {
        index: verdict.index,
        named: false,
        item_id: item_id(name, title, signal.content_hash.as_deref()).into(),
        source: Cow::Borrowed(&verdict.source),
        source_type: Cow::Borrowed(&verdict.source_type),
        title: title.map(Cow::Borrowed),
        details: details(scored).into(),
        content: given.content.filter(|content| !is_blank(content)).map(clean),
        address: scored.address.as_deref().map(Cow::Borrowed),
        content_sha256: signal
            .content_hash
            .as_deref()
            .filter(|_| has_content(given))
            .map(Cow::Borrowed),
        published_at: signal.published_text().map(Cow::Owned),
        published_shown: published_shown(scored),
        age: age(scored).map(Cow::Owned),
        retrieved_at: signal.fetched.map(|fetched| Cow::Owned(shown(&fetched))),
        date_confidence: match signal.date_confidence {
            // What the specification has for a date that is not known.
            DateConfidence::Unknown => DateConfidence::Low.as_str(),
            known => known.as_str(),
        },
        freshness: verdict.freshness_score.filter(|_| !signal.dated_after_retrieval),
        rank: verdict.rank_score,
        selection_rank: verdict.selection_rank,
        position: given.place.index,
        relevance: scored.relevance,
        usability,
        standing: signal.standing.as_deref().map(|standing| standing.line().into()),
        replaced_by: signal.standing.as_deref().and_then(replaced),
        decision: verdict.decision.as_str(),
        why: match call.and_then(|call| call.code) {
            Some(code) => format!(
                "The call failed: {}.",
                named(&cut_marked(&clean_line(code), POLICY))
            )
            .into(),
            None => Cow::Borrowed(why),
        },
        facts: given
            .metadata
            .map(facts)
            .unwrap_or_default()
            .with_media(given.content_type),
        call: call.map(|call| KnownCall {
            tool: clean_line(call.tool).into(),
            arguments: call.arguments.map(Value::from).filter(Value::is_object),
        }),
    }
}

fn replaced(standing: &Standing) -> Option<Replaced<'_>> {
    Some(Replaced {
        name: Cow::Borrowed(standing.replacement()?),
        url: standing
            .replaced_by
            .as_ref()
            .and_then(|by| by.url.as_deref())
            .map(Cow::Borrowed),
    })
}

/// The id and the facts of an item, as its tool writes them. Of a whole answer the text has them already.
fn details(scored: &ScoredSignal<'_>) -> String {
    let given = scored.signal.given;
    let id = given.id.filter(|_| given.is_item);
    if id.is_none() && given.fields.is_none() {
        return String::new();
    }
    let told = given.content.filter(|_| given.title.is_none());
    let fields = given
        .fields
        .and_then(Node::as_object)
        .map(owned)
        .unwrap_or_default();
    facts_line(id, given.source, fields, told, scored.now)
}

/// The date as the envelope has it: as it was given where that is ISO 8601. None for a date after the retrieval beside it.
fn published_shown<'a>(scored: &'a ScoredSignal<'_>) -> Option<Cow<'a, str>> {
    let signal = &scored.signal;
    let published = signal.published.filter(|_| !signal.dated_after_retrieval)?;
    let given = signal.given.published_at.unwrap_or_default();
    Some(if is_iso(given) {
        Cow::Borrowed(given)
    } else {
        Cow::Owned(shown(&published.known()))
    })
}

/// Whether a date that could be read is a day, or a day and a time with a zone, as ISO 8601 writes them.
fn is_iso(text: &str) -> bool {
    let digits_and_signs = |c: u8| c.is_ascii_digit() || matches!(c, b'-' | b':' | b'.' | b'T' | b'Z' | b'+');
    let zoned = || {
        let time = text.get(10..).unwrap_or_default();
        time.starts_with('T') && (time.ends_with('Z') || time.contains(['+', '-']))
    };
    text.as_bytes().get(4) == Some(&b'-')
        && text.bytes().all(digits_and_signs)
        && (text.len() == 10 || zoned())
}

/// The age in words; of what is a year old or stale, with its kind and its score.
fn age(scored: &ScoredSignal<'_>) -> Option<String> {
    let signal = &scored.signal;
    let published = signal.published.filter(|_| !signal.dated_after_retrieval)?;
    // Of a month or a year the age may be anything from nothing on.
    if matches!(published.precision, Precision::Month | Precision::Year) {
        return None;
    }
    let words = age_in_words(&published, scored.now);
    let Some(score) = scored.facts.freshness else {
        return Some(words);
    };
    if score >= STALE_BELOW && scored.now - published.instant < YEAR {
        return Some(words);
    }
    let kind =
        class_of(signal.ages_as).map_or_else(String::new, |class| format!("{}, ", class.name.to_lowercase()));
    Some(format!("{words} ({kind}score {score})"))
}

/// What the caller says about the use of a signal.
fn facts<'a>(metadata: &'a ObjectAsVec<'a>) -> Facts<'a> {
    let text = |name: &str| last(metadata, name).and_then(Node::as_str).and_then(not_blank);
    let shown = |reference: &str| Cow::Owned(cut_marked(&clean_line(reference), POLICY).into_owned());
    let blocking_policy = match last(metadata, "policy") {
        Some(Node::Str(reference)) => Some(shown(reference)),
        Some(Node::Object(policy)) => {
            let word = |name: &str| last(policy, name).and_then(Node::as_str).unwrap_or_default();
            let allows = ALLOWING
                .iter()
                .any(|allowing| allowing.eq_ignore_ascii_case(word("decision").trim()));
            let reference = Some(word("ref")).filter(|reference| !is_blank(reference));
            (!allows).then(|| shown(reference.unwrap_or("without a ref")))
        }
        _ => None,
    };
    Facts {
        sensitivity: text("sensitivity"),
        permission: text("permission"),
        blocking_policy,
        replacement: text("replacement").map(clean),
        media_type: None,
    }
}
