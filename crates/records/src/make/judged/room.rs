//! The room of a judgement, and what was cut, deferred or summarised to fit into it.

use serde_json::Value;

use super::super::maker::Maker;
use super::super::{list, owned, text, whole};
use super::Choice;
use crate::objects::{
    BudgetRecord, Compaction, Coverage, Facts, Selector, Span, Summary, Truncation, Window, WindowSegment,
};
use crate::values::{CompactionMethod, EventClass, Kind, OverflowStrategy, SelectorType, State};

pub(super) fn budget(
    maker: &mut Maker<'_>,
    budget: &Value,
    id: &str,
    choice: &Choice,
    cause: &str,
) -> String {
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
pub(super) fn compactions(
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
pub(super) fn blocks(structured: &Value, choice: &Choice) -> Vec<(Span, Option<u64>, Vec<String>)> {
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
