//! A judgement of what the caller brought, with or without a budget.

mod room;

use std::borrow::Cow;
use std::collections::BTreeMap;

use freshcontext_budget::Reason;
use freshcontext_core::evaluate::Known;
use serde_json::{Value, json};

use super::maker::{Maker, Piece, Shape, unique};
use super::{list, owned, text, whole};
use crate::objects::{Facts, Freshness, Missing, MissingSource, Omission, Selection, Surface};
use crate::values::{EventClass, Kind, OmissionReason, RedactionState, Severity, State};
use freshcontext_redact::masked;

/// What became of the candidates.
struct Choice {
    /// The items, in rank order, one for each result.
    items: Vec<String>,
    selected: Vec<String>,
    omitted: Vec<Omission>,
    /// Results whose item is there already.
    repeated: Vec<Value>,
}

/// The records of a judgement.
pub(super) fn record(maker: &mut Maker<'_>) {
    let structured = maker.answered.structured;
    let results = list(structured, "results");
    let mut items = Vec::new();
    for (place, result) in results.iter().enumerate() {
        let known = maker.answered.known.get(place).cloned().unwrap_or_default();
        let piece = piece_of(structured, result, &known, place);
        items.push(maker.item(piece));
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
    let choice = choose(maker, structured, items);
    let budget_id = structured.get("budget").map(|_| maker.id(Kind::Budget));
    let completed = selection(
        maker,
        structured,
        &surface_id,
        &choice,
        budget_id.as_deref(),
        &added,
    );
    let mut cause = completed;
    if let (Some(budget), Some(id)) = (structured.get("budget"), budget_id.as_deref()) {
        cause = room::budget(maker, budget, id, &choice, &cause);
        cause = room::compactions(maker, structured, budget, &choice, cause);
        let blocks = room::blocks(structured, &choice);
        maker.delivered(
            &blocks,
            &Shape {
                wrapping: "each block under its [FRESHCONTEXT] envelope",
                separator: "the line break at the end of each block",
            },
            Some(id),
            &cause,
        );
    } else {
        let blocks = maker.whole_text(choice.selected.clone());
        let shape = Shape {
            wrapping: "a card for each result, those that stay out included",
            separator: "a blank line",
        };
        maker.delivered(&blocks, &shape, None, &cause);
    }
    for gap in list(structured, "missing_context") {
        missing(maker, gap, &choice, &added);
    }
}

fn piece_of<'v>(structured: &'v Value, result: &'v Value, known: &'v Known, place: usize) -> Piece<'v> {
    let of = |name: &str| text(result, name).map(Cow::Borrowed);
    let provenance = result.get("provenance_readiness").unwrap_or(&Value::Null);
    let index = place as u64 + 1;
    let in_assembly = list(structured.get("assembly").unwrap_or(&Value::Null), "blocks")
        .iter()
        .position(|block| whole(block, "index") == Some(index));
    let mut metadata = Facts::new();
    for name in [
        "rank_score",
        "utility_score",
        "confidence",
        "verdict_id",
        "why",
        "warnings",
        "handoff",
    ] {
        if let Some(value) = result.get(name).filter(|value| !value.is_null()) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    // What may not be used is pointed at, never repeated or hashed.
    let rule = match known.ineligible {
        Some((Reason::PrivacyRisk, _)) => Some((RedactionState::Removed, "sensitivity")),
        Some((Reason::PolicyBlock, _)) => Some((RedactionState::PolicyBlocked, "policy")),
        Some((Reason::MissingPermission, _)) => Some((RedactionState::PolicyBlocked, "permission")),
        _ => None,
    };
    let withheld = rule.is_some();
    Piece {
        kind: "signal",
        title: of("title").unwrap_or_default(),
        own_title: known.title.as_deref().map(Cow::Borrowed),
        uri: of("source").unwrap_or_default(),
        source_kind: of("source_type").unwrap_or_default(),
        native_id: provenance
            .pointer("/source_identity/result_id")
            .and_then(Value::as_str)
            .map(Cow::Borrowed),
        content: known.content.as_deref().filter(|_| !withheld).map(Cow::Borrowed),
        pointer: in_assembly.map(|at| format!("/assembly/blocks/{at}/text")),
        freshness: Some(Freshness {
            date_confidence: owned(provenance, "timing_confidence").unwrap_or_else(|| "unknown".to_owned()),
            published_at: owned(provenance, "published_at"),
            retrieved_at: owned(provenance, "retrieved_at"),
            freshness_score: whole(result, "freshness_score"),
            age: None,
            decision: owned(result, "decision"),
            revalidate_after: owned(result, "revalidate_after"),
        }),
        delivered: match structured.get("assembly") {
            Some(_) => in_assembly.is_some(),
            None => true,
        },
        priority: Some(index),
        sensitivity: known.sensitivity.as_deref().map(Cow::Borrowed),
        policy: known.policy.as_deref().map(Cow::Borrowed),
        opaque: matches!(known.ineligible, Some((Reason::UnsupportedMedia, _))),
        withheld: rule,
        known_id: (!known.item_id.is_empty() && !withheld).then(|| known.item_id.clone()),
        known_sha256: known.content_sha256.clone().filter(|_| !withheld),
        tokens: None,
        retention_hint: known.retention_hint.clone(),
        metadata,
    }
}

/// What goes in and what stays out: by the budget, else by what the judgement says of each.
fn choose(maker: &Maker<'_>, structured: &Value, items: Vec<String>) -> Choice {
    let mut fates: BTreeMap<u64, (OmissionReason, String)> = BTreeMap::new();
    let selection = structured.get("selection");
    for omitted in list(selection.unwrap_or(&Value::Null), "omitted") {
        let reason = text(omitted, "reason").and_then(OmissionReason::named);
        if let (Some(index), Some(reason)) = (whole(omitted, "index"), reason) {
            fates.insert(index, (reason, owned(omitted, "detail").unwrap_or_default()));
        }
    }
    if selection.is_none() {
        for (place, known) in maker.answered.known.iter().enumerate() {
            if let Some((reason, detail)) = &known.ineligible {
                fates.insert(place as u64 + 1, ((*reason).into(), detail.clone()));
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
        let index = place as u64 + 1;
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
    structured: &Value,
    surface: &str,
    choice: &Choice,
    budget_ref: Option<&str>,
    cause: &str,
) -> String {
    let selection_id = maker.id(Kind::Selection);
    let mut candidates: Vec<String> = Vec::new();
    let mut signals = Vec::new();
    for (item, result) in choice.items.iter().zip(list(structured, "results")) {
        if candidates.contains(item) {
            continue;
        }
        candidates.push(item.clone());
        signals.push(json!({
            "item_ref": item,
            "rank_score": result.get("rank_score"),
            "freshness_score": result.get("freshness_score"),
            "relevance": text(result, "relevance").unwrap_or("given"),
            "decision": result.get("decision"),
        }));
    }
    let mut metadata = Facts::new();
    if !choice.repeated.is_empty() {
        metadata.insert("repeated".to_owned(), choice.repeated.clone().into());
    }
    let profile = text(structured, "profile").unwrap_or_default();
    let intent = text(structured, "intent").unwrap_or_default();
    maker.bundle.context_selection.push(Selection {
        selection_id: selection_id.clone(),
        surface_id: surface.to_owned(),
        created_at: maker.at.clone(),
        lifecycle: State::Selected,
        query: maker
            .occasion
            .arguments
            .and_then(|arguments| arguments.get("query"))
            .and_then(Value::as_str)
            .map(str::to_owned),
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
fn missing(maker: &mut Maker<'_>, gap: &Value, choice: &Choice, cause: &str) {
    let question = owned(gap, "question").unwrap_or_default();
    let needed_for = owned(gap, "needed_for").unwrap_or_default();
    let clean = masked(&question).0.into_owned();
    let known = owned(gap, "missing_id").filter(|_| clean == question);
    let missing_id =
        known.unwrap_or_else(|| freshcontext_budget::missing_id(maker.scope.as_str(), &clean, &needed_for));
    let mut items: Vec<&String> = Vec::new();
    for place in list(gap, "results") {
        let at = place
            .as_u64()
            .and_then(|at| usize::try_from(at).ok())
            .unwrap_or_default();
        if let Some(item) = choice.items.get(at.wrapping_sub(1))
            && !items.contains(&item)
        {
            items.push(item);
        }
    }
    let record = Missing {
        missing_id,
        scope: maker.scope,
        severity: text(gap, "severity")
            .and_then(Severity::named)
            .unwrap_or(Severity::Medium),
        status: owned(gap, "status").unwrap_or_else(|| "open".to_owned()),
        created_at: maker.at.clone(),
        question: Some(clean),
        needed_for: Some(needed_for),
        requested_from: None,
        candidate_sources: list(gap, "candidate_sources")
            .iter()
            .map(|source| MissingSource {
                source: owned(source, "source").unwrap_or_default(),
                how: owned(source, "how").unwrap_or_default(),
                call: source.get("call").filter(|call| !call.is_null()).cloned(),
            })
            .collect(),
        blocked_actions: list(gap, "blocked_actions")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        resolution_refs: Vec::new(),
        metadata: Facts::from_iter([("item_refs".to_owned(), json!(items))]),
    };
    maker.missing(record, Some(cause));
}
