//! An evaluation of what the caller brought, with or without a budget.

mod room;

use std::borrow::Cow;
use std::collections::BTreeMap;

use freshcontext_budget::{MissingContext, Reason};
use freshcontext_core::evaluate::{Evaluation, Known, Verdict};
use freshcontext_redact::masked;
use serde_json::{Value, json};

use super::maker::{Maker, Piece, Shape, unique};
use crate::objects::{Facts, Freshness, Missing, MissingSource, Omission, Selection, Surface};
use crate::values::{EventClass, Kind, OmissionReason, RedactionState, State};

/// What became of the candidates.
struct Choice {
    /// The items, in rank order, one for each result.
    items: Vec<String>,
    selected: Vec<String>,
    omitted: Vec<Omission>,
    /// Results whose item is there already.
    repeated: Vec<Value>,
}

impl Choice {
    /// The item of the result with this index, which counts from 1.
    fn item(&self, index: usize) -> Option<&String> {
        self.items.get(index.wrapping_sub(1))
    }
}

/// What the evaluation noted of each result, in rank order.
fn known(evaluation: &Evaluation) -> &[Known] {
    evaluation
        .noted
        .as_ref()
        .map_or(&[], |noted| noted.known.as_slice())
}

/// Where the blocks of an assembly stand in a structure.
#[derive(Clone, Copy)]
enum Blocks {
    /// In the result of the evaluation itself, whose text they are.
    OfEvaluation,
    /// In a version of a deliverable, whose text has more.
    OfVersion,
}

impl Blocks {
    fn pointer(self, at: usize) -> String {
        match self {
            Self::OfEvaluation => format!("/assembly/blocks/{at}/text"),
            Self::OfVersion => format!("/blocks/{at}/text"),
        }
    }
}

/// The records of an evaluation.
pub(super) fn record(maker: &mut Maker<'_>, evaluation: &Evaluation) {
    record_in(maker, evaluation, Blocks::OfEvaluation);
}

/// The records of a version of a deliverable: those of the evaluation that chose what is in it.
pub(super) fn record_version(maker: &mut Maker<'_>, evaluation: &Evaluation) {
    maker.asked_to_fill();
    let (surface, added) = record_in(maker, evaluation, Blocks::OfVersion);
    maker.filled(&[surface], &added);
}

/// Returns the surface, and the event that its items came with.
fn record_in(maker: &mut Maker<'_>, evaluation: &Evaluation, form: Blocks) -> (String, String) {
    let nothing = Known::default();
    let mut items = Vec::new();
    for (place, verdict) in evaluation.verdicts.iter().enumerate() {
        let known = known(evaluation).get(place).unwrap_or(&nothing);
        items.push(maker.item(piece_of((evaluation, form), verdict, known, place)));
    }
    let surface_id = maker.id(Kind::Surface);
    let candidates = unique(items.clone());
    let surface = Surface {
        surface_id: surface_id.clone(),
        scope: maker.scope,
        surface_kind: "candidates".to_owned(),
        created_at: maker.at.clone(),
        tool: Some(maker.occasion.tool.to_owned()),
        query: None,
        status: None,
        item_count: Some(candidates.len() as u64),
        retrieved_at: None,
        item_refs: candidates,
        metadata: Facts::new(),
    };
    let added = maker.surface(surface);
    let choice = choose(evaluation, items);
    let budget = evaluation
        .budget
        .as_ref()
        .map(|used| (used, maker.id(Kind::Budget)));
    let budget_id = budget.as_ref().map(|(_, id)| id.as_str());
    let mut cause = selection(maker, evaluation, &surface_id, &choice, budget_id, &added);
    if let Some((used, id)) = &budget {
        cause = room::budget(maker, evaluation, used, id, &choice, &cause);
        cause = room::compactions(maker, evaluation, used, &choice, cause);
        let (blocks, shape) = match form {
            Blocks::OfEvaluation => {
                let shape = Shape {
                    wrapping: "each block under its [FRESHCONTEXT] envelope",
                    separator: "the line break at the end of each block",
                };
                (room::blocks(evaluation, &choice), shape)
            }
            Blocks::OfVersion => {
                let shape = Shape {
                    wrapping: "Markdown of a version, each block under its [FRESHCONTEXT] envelope in a fence",
                    separator: "the fences of the blocks",
                };
                (maker.whole_text(choice.selected.clone()), shape)
            }
        };
        maker.delivered(&blocks, &shape, Some(id), &cause);
    } else {
        let blocks = maker.whole_text(choice.selected.clone());
        let shape = Shape {
            wrapping: "a card for each result, those that stay out included",
            separator: "a blank line",
        };
        maker.delivered(&blocks, &shape, None, &cause);
    }
    for gap in evaluation.missing_context.iter().flatten() {
        missing(maker, gap, &choice, &added);
    }
    (surface_id, added)
}

/// Facts of a verdict that no field of an item is for.
fn facts(verdict: &Verdict) -> Facts {
    let mut out = Facts::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put("rank_score", json!(verdict.rank_score));
    if let Some(utility) = verdict.utility_score {
        put("utility_score", json!(utility));
    }
    put("confidence", verdict.confidence.as_str().into());
    put("verdict_id", verdict.verdict_id.as_str().into());
    put("why", json!(verdict.why));
    put("warnings", json!(verdict.warnings));
    put("handoff", json!(verdict.handoff));
    if let Some(standing) = &verdict.standing {
        put("standing", standing.clone());
    }
    out
}

fn piece_of<'v>(
    (evaluation, form): (&'v Evaluation, Blocks),
    verdict: &'v Verdict,
    known: &'v Known,
    place: usize,
) -> Piece<'v> {
    let index = place + 1;
    let in_assembly = evaluation
        .assembly
        .iter()
        .flat_map(|assembly| &assembly.blocks)
        .position(|block| block.index == index);
    let provenance = &verdict.provenance_readiness;
    // What may not be used is pointed at, never repeated or hashed.
    let rule = match known.ineligible {
        Some((Reason::PrivacyRisk, _)) => Some((RedactionState::Removed, "sensitivity")),
        Some((Reason::PolicyBlock, _)) => Some((RedactionState::PolicyBlocked, "policy")),
        Some((Reason::MissingPermission, _)) => Some((RedactionState::PolicyBlocked, "permission")),
        _ => None,
    };
    let withheld = rule.is_some();
    let borrowed = |text: &'v Option<String>| text.as_deref().map(Cow::Borrowed);
    Piece {
        kind: "signal",
        title: verdict.title.as_str().into(),
        own_title: borrowed(&known.title),
        uri: verdict.source.as_str().into(),
        source_kind: verdict.source_type.as_str().into(),
        native_id: borrowed(&provenance.source_identity.result_id),
        content: borrowed(&known.content).filter(|_| !withheld),
        pointer: in_assembly.map(|at| form.pointer(at)),
        freshness: Some(Freshness {
            date_confidence: provenance.timing_confidence.as_str().to_owned(),
            published_at: provenance.published_at.clone(),
            retrieved_at: provenance.retrieved_at.clone(),
            freshness_score: verdict.freshness_score.map(u64::from),
            age: None,
            decision: Some(verdict.decision.as_str().to_owned()),
            revalidate_after: verdict.revalidate_after.clone(),
        }),
        delivered: evaluation.assembly.is_none() || in_assembly.is_some(),
        priority: Some(index as u64),
        sensitivity: borrowed(&known.sensitivity),
        policy: borrowed(&known.policy),
        opaque: matches!(known.ineligible, Some((Reason::UnsupportedMedia, _))),
        withheld: rule,
        known_id: (!known.item_id.is_empty() && !withheld).then(|| known.item_id.clone()),
        known_sha256: known.content_sha256.clone().filter(|_| !withheld),
        tokens: None,
        retention_hint: known.retention_hint.clone(),
        metadata: facts(verdict),
    }
}

/// What goes in and what stays out: by the budget, else by what the evaluation says of each.
fn choose(evaluation: &Evaluation, items: Vec<String>) -> Choice {
    let mut fates: BTreeMap<usize, (OmissionReason, String)> = BTreeMap::new();
    if let Some(selection) = &evaluation.selection {
        for omitted in &selection.omitted {
            fates.insert(omitted.index, (omitted.reason.into(), omitted.detail.clone()));
        }
    } else {
        for (place, known) in known(evaluation).iter().enumerate() {
            if let Some((reason, detail)) = &known.ineligible {
                fates.insert(place + 1, ((*reason).into(), detail.clone()));
            }
        }
    }
    let mut choice = Choice {
        items,
        selected: Vec::new(),
        omitted: Vec::new(),
        repeated: Vec::new(),
    };
    let (mut placed, mut later) = (Vec::new(), Vec::new());
    for (place, item) in choice.items.iter().enumerate() {
        let index = place + 1;
        match fates.remove(&index) {
            None if choice.selected.contains(item) => {
                choice.repeated.push(json!({"index": index, "item_ref": item}));
            }
            None => choice.selected.push(item.clone()),
            Some(fate) => later.push((index, item.clone(), fate)),
        }
    }
    // The same item twice is one: where it goes in once, it is in.
    for (index, item, (reason, detail)) in later {
        if choice.selected.contains(&item) || placed.contains(&item) {
            choice
                .repeated
                .push(json!({"index": index, "item_ref": item, "reason": reason, "detail": detail}));
            continue;
        }
        placed.push(item.clone());
        choice.omitted.push(Omission {
            item_ref: item,
            reason,
            detail,
        });
    }
    choice
}

fn selection(
    maker: &mut Maker<'_>,
    evaluation: &Evaluation,
    surface: &str,
    choice: &Choice,
    budget_ref: Option<&str>,
    cause: &str,
) -> String {
    let selection_id = maker.id(Kind::Selection);
    let mut candidates: Vec<String> = Vec::new();
    let mut signals = Vec::new();
    for (item, verdict) in choice.items.iter().zip(&evaluation.verdicts) {
        if candidates.contains(item) {
            continue;
        }
        candidates.push(item.clone());
        signals.push(json!({
            "item_ref": item,
            "rank_score": verdict.rank_score,
            "freshness_score": verdict.freshness_score,
            "relevance": verdict.relevance.unwrap_or("given"),
            "decision": verdict.decision,
        }));
    }
    let mut metadata = Facts::new();
    if !choice.repeated.is_empty() {
        metadata.insert("repeated".to_owned(), choice.repeated.clone().into());
    }
    let (profile, intent) = (evaluation.profile, evaluation.intent);
    maker.bundle.context_selection.push(Selection {
        selection_id: selection_id.clone(),
        surface_id: surface.to_owned(),
        created_at: maker.at.clone(),
        lifecycle: State::Selected,
        query: evaluation.noted.as_ref().and_then(|noted| noted.query.clone()),
        intent: Some(intent.to_owned()),
        selection_policy: Some(format!("profile:{profile} intent:{intent}")),
        budget_ref: budget_ref.map(str::to_owned),
        rationale: Some("In rank order; what each stays out for is beside it.".to_owned()),
        actor_ref: Some("freshcontext".to_owned()),
        model_ref: None,
        candidate_item_refs: candidates,
        selected_item_refs: choice.selected.clone(),
        omitted_item_refs: choice.omitted.clone(),
        ranking_signals: signals,
        metadata,
    });
    maker
        .bundle
        .context_envelope
        .selection_refs
        .push(selection_id.clone());
    let id = vec![selection_id];
    let started = maker.event(EventClass::SelectionStarted, Some(cause), &id, None);
    let subjects: Vec<String> = id.into_iter().chain(choice.selected.iter().cloned()).collect();
    maker.event(
        EventClass::SelectionCompleted,
        Some(&started),
        &subjects,
        Some(State::Selected),
    )
}

/// A gap as the selection wrote it.
fn missing(maker: &mut Maker<'_>, gap: &MissingContext, choice: &Choice, cause: &str) {
    let clean = masked(&gap.question).0.into_owned();
    let missing_id = if clean == gap.question {
        gap.missing_id.clone()
    } else {
        let mut calls = gap
            .candidate_sources
            .iter()
            .filter_map(|source| source.call.as_ref());
        freshcontext_budget::missing_id(maker.scope.as_str(), &clean, &gap.needed_for, calls.next())
    };
    let mut items: Vec<&String> = Vec::new();
    for index in &gap.results {
        if let Some(item) = choice.item(*index)
            && !items.contains(&item)
        {
            items.push(item);
        }
    }
    let record = Missing {
        missing_id,
        scope: maker.scope,
        severity: gap.severity.into(),
        status: gap.status.to_owned(),
        created_at: maker.at.clone(),
        question: Some(clean),
        needed_for: Some(gap.needed_for.clone()),
        requested_from: None,
        candidate_sources: gap
            .candidate_sources
            .iter()
            .map(|source| MissingSource {
                source: source.source.clone(),
                how: source.how.to_owned(),
                call: source.call.as_ref().map(|call| json!(call)),
            })
            .collect(),
        blocked_actions: gap
            .blocked_actions
            .iter()
            .map(|action| (*action).to_owned())
            .collect(),
        resolution_refs: Vec::new(),
        metadata: Facts::from_iter([("item_refs".to_owned(), json!(items))]),
    };
    maker.missing(record, Some(cause));
}
