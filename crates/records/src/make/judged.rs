//! A judgement of what the caller brought, with or without a budget.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::maker::{Maker, Piece, Shape, unique};
use super::{list, owned, text, whole};
use crate::objects::{
    BudgetRecord, Compaction, Coverage, Facts, Freshness, Missing, MissingSource, Omission, Selection,
    Selector, Span, Summary, Surface, Truncation, Window, WindowSegment,
};
use crate::redact::masked;
use crate::values::{
    CompactionMethod, EventClass, Kind, OmissionReason, OverflowStrategy, RedactionState, SelectorType,
    Severity, State,
};

/// What the judgement knows of a result that its answer does not say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// Its text, cleaned.
    pub content: Option<String>,
    /// Its own title, cleaned; not one that was made of something else.
    pub title: Option<String>,
    /// Its id.
    pub item_id: String,
    /// SHA-256 of its canonical content.
    pub content_sha256: Option<String>,
    /// The caller's word for how sensitive it is.
    pub sensitivity: Option<String>,
    /// The caller's policy about it.
    pub policy: Option<String>,
    /// How long the caller wants it kept.
    pub retention_hint: Option<String>,
    /// Why it would stay out of any budget, and what that rests on.
    pub ineligible: Option<(OmissionReason, String)>,
}

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
        cause = self::budget(maker, budget, id, &choice, &cause);
        cause = compactions(maker, structured, budget, &choice, cause);
        let blocks = blocks(structured, &choice);
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
        Some((OmissionReason::PrivacyRisk, _)) => Some((RedactionState::Removed, "sensitivity")),
        Some((OmissionReason::PolicyBlock, _)) => Some((RedactionState::PolicyBlocked, "policy")),
        Some((OmissionReason::MissingPermission, _)) => Some((RedactionState::PolicyBlocked, "permission")),
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
        opaque: matches!(known.ineligible, Some((OmissionReason::UnsupportedMedia, _))),
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
            if let Some(fate) = &known.ineligible {
                fates.insert(place as u64 + 1, fate.clone());
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

fn budget(maker: &mut Maker<'_>, budget: &Value, id: &str, choice: &Choice, cause: &str) -> String {
    let limits = budget.get("limits").unwrap_or(&Value::Null);
    let actual = whole(budget, "actual_tokens").unwrap_or_default();
    let reserved = whole(limits, "reserved_tokens").unwrap_or_default();
    let segment = |segment: &str, tokens: u64| WindowSegment {
        segment: segment.to_owned(),
        tokens,
    };
    let mut segments = vec![segment("context", actual)];
    if let Some(most) = whole(limits, "max_tokens") {
        segments.push(segment(
            "free",
            most.saturating_sub(reserved).saturating_sub(actual),
        ));
        if reserved > 0 {
            segments.push(segment("reserved", reserved));
        }
    }
    let mut truncations = Vec::new();
    for (place, cut) in list(budget, "truncation_records").iter().enumerate() {
        let Some(item) = item_at(choice, cut) else {
            continue;
        };
        let held = maker
            .answered
            .known
            .get(index_of(cut))
            .and_then(|known| known.content.as_deref())
            .is_some_and(|content| maker.is_withheld(content));
        if held {
            maker.withhold(id, &format!("/truncation_records/{place}/text_sha256"));
        }
        truncations.push(Truncation {
            item_ref: item,
            method: owned(cut, "method").unwrap_or_default(),
            original_bytes: whole(cut, "original_bytes").unwrap_or_default(),
            kept_bytes: whole(cut, "kept_bytes").unwrap_or_default(),
            loss_notes: owned(cut, "loss_notes").unwrap_or_default(),
            refresh_policy: owned(cut, "refresh_policy").unwrap_or_default(),
            text_sha256: owned(cut, "text_sha256").filter(|_| !held),
            deferred_to: cut.get("ref").map(without_ids),
            kept: spans(cut),
        });
    }
    maker.bundle.context_budget.push(BudgetRecord {
        budget_id: id.to_owned(),
        overflow_strategy: text(budget, "overflow_strategy")
            .and_then(OverflowStrategy::named)
            .unwrap_or(OverflowStrategy::TruncateTail),
        created_at: maker.at.clone(),
        actual_tokens: actual,
        actual_bytes: whole(budget, "actual_bytes").unwrap_or_default(),
        actual_items: whole(budget, "actual_items").unwrap_or_default(),
        tokenizer: owned(budget, "tokenizer").unwrap_or_default(),
        token_counts: owned(budget, "token_counts").unwrap_or_default(),
        target: owned(budget, "target"),
        max_tokens: whole(limits, "max_tokens"),
        reserved_tokens: Some(reserved).filter(|reserved| *reserved > 0),
        max_bytes: whole(limits, "max_bytes"),
        max_items: whole(limits, "max_items"),
        truncation_records: truncations,
        window_segments: segments.clone(),
    });
    let window_id = maker.id(Kind::Window);
    maker.bundle.context_window.push(Window {
        window_id: window_id.clone(),
        budget_ref: id.to_owned(),
        created_at: maker.at.clone(),
        target: owned(budget, "target"),
        segments,
    });
    maker.bundle.context_envelope.budget_ref = Some(id.to_owned());
    maker.event(
        EventClass::BudgetApplied,
        Some(cause),
        &[id.to_owned(), window_id],
        None,
    )
}

/// The text of a deferred item's reference may name the item by the id of its unredacted text: addresses and calls
/// are what is needed of it.
fn without_ids(reference: &Value) -> Value {
    let mut reference = reference.clone();
    if let Some(fields) = reference.as_object_mut() {
        fields.remove("item_id");
    }
    reference
}

fn index_of(record: &Value) -> usize {
    let index = whole(record, "index").unwrap_or_default();
    usize::try_from(index).unwrap_or_default().wrapping_sub(1)
}

fn item_at(choice: &Choice, record: &Value) -> Option<String> {
    choice.items.get(index_of(record)).cloned()
}

fn spans(cut: &Value) -> Vec<Span> {
    list(cut, "kept")
        .iter()
        .filter_map(|span| {
            Some(Span {
                start: whole(span, "start")?,
                end: whole(span, "end")?,
            })
        })
        .collect()
}

/// What summaries and the caller's own texts stand in for.
fn compactions(
    maker: &mut Maker<'_>,
    structured: &Value,
    budget: &Value,
    choice: &Choice,
    mut cause: String,
) -> String {
    for cut in list(budget, "truncation_records") {
        let method = match text(cut, "method") {
            Some("extractive_summary") => CompactionMethod::Extractive,
            Some("custom") => CompactionMethod::Custom,
            _ => continue,
        };
        let Some(item) = item_at(choice, cut).filter(|item| choice.selected.contains(item)) else {
            continue;
        };
        let index = whole(cut, "index").unwrap_or_default();
        let held = maker
            .answered
            .known
            .get(index_of(cut))
            .and_then(|known| known.content.as_deref())
            .is_some_and(|content| maker.is_withheld(content));
        let block = list(structured.get("assembly").unwrap_or(&Value::Null), "blocks")
            .iter()
            .position(|block| whole(block, "index") == Some(index));
        let coverage = Coverage {
            kept_bytes: whole(cut, "kept_bytes").unwrap_or_default(),
            original_bytes: whole(cut, "original_bytes").unwrap_or_default(),
            selector: Some(Selector {
                selector_type: SelectorType::ByteRange,
                value: None,
                of_sha256: owned(cut, "text_sha256").filter(|_| !held),
                spans: spans(cut),
            })
            .filter(|selector| !selector.spans.is_empty()),
        };
        let loss_notes = owned(cut, "loss_notes").unwrap_or_default();
        let validation = match method {
            CompactionMethod::Extractive => "whole sentences of the source, each at its span",
            _ => "none: the caller's own text, taken as it is",
        };
        let freshness = maker
            .bundle
            .context_item
            .iter()
            .find(|known| known.item_id == item)
            .map(|known| known.freshness.clone());
        let Some(freshness) = freshness else { continue };
        let (summary_id, compaction_id) = (maker.id(Kind::Summary), maker.id(Kind::Compaction));
        maker.bundle.context_summary.push(Summary {
            summary_id: summary_id.clone(),
            method,
            coverage: coverage.clone(),
            loss_notes: loss_notes.clone(),
            validation: validation.to_owned(),
            refresh_policy: owned(cut, "refresh_policy").unwrap_or_default(),
            freshness,
            created_at: maker.at.clone(),
            content_ref: block.map(|at| format!("structuredContent#/assembly/blocks/{at}/text")),
            source_item_refs: vec![item.clone()],
        });
        maker.bundle.context_compaction.push(Compaction {
            compaction_id: compaction_id.clone(),
            scope: maker.scope,
            summary_ref: summary_id.clone(),
            method,
            trigger: "budget".to_owned(),
            coverage,
            loss_notes,
            validation: validation.to_owned(),
            replacement_policy: "the summary stands in the assembly; the source is where it was".to_owned(),
            created_at: maker.at.clone(),
            source_item_refs: vec![item.clone()],
            metadata: Facts::new(),
        });
        maker
            .bundle
            .context_envelope
            .compaction_refs
            .push(compaction_id.clone());
        let started = maker.event(
            EventClass::CompactionStarted,
            Some(&cause),
            &[compaction_id.clone(), item.clone()],
            None,
        );
        let made = maker.event(EventClass::SummaryCreated, Some(&started), &[summary_id], None);
        cause = maker.event(
            EventClass::CompactionCompleted,
            Some(&made),
            &[compaction_id, item],
            Some(State::Compacted),
        );
    }
    cause
}

/// The blocks of the assembly as stretches of its text.
fn blocks(structured: &Value, choice: &Choice) -> Vec<(Span, Option<u64>, Vec<String>)> {
    let mut start = 0;
    let mut out = Vec::new();
    for block in list(structured.get("assembly").unwrap_or(&Value::Null), "blocks") {
        let end = start + text(block, "text").map_or(0, str::len) as u64;
        out.push((
            Span { start, end },
            whole(block, "tokens"),
            item_at(choice, block).into_iter().collect(),
        ));
        start = end;
    }
    out
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
