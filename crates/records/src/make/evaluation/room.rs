//! The room of an evaluation, and what was cut, deferred or summarised to fit into it.

use freshcontext_budget::{Method, TruncationRecord, Used};
use freshcontext_core::evaluate::Evaluation;
use serde_json::Value;

use super::super::maker::Maker;
use super::{Choice, known};
use crate::objects::{
    BudgetRecord, Compaction, Coverage, Facts, Selector, Span, Summary, Truncation, Window, WindowSegment,
};
use crate::values::{CompactionMethod, EventClass, Kind, SelectorType, State};

pub(super) fn budget(
    maker: &mut Maker<'_>,
    evaluation: &Evaluation,
    used: &Used,
    id: &str,
    choice: &Choice,
    cause: &str,
) -> String {
    let limits = &used.limits;
    let actual = used.actual_tokens as u64;
    let reserved = limits.reserved_tokens;
    let segment = |segment: &str, tokens: u64| WindowSegment {
        segment: segment.to_owned(),
        tokens,
    };
    let mut segments = vec![segment("context", actual)];
    if let Some(most) = limits.max_tokens {
        segments.push(segment(
            "free",
            most.saturating_sub(reserved).saturating_sub(actual),
        ));
        if reserved > 0 {
            segments.push(segment("reserved", reserved));
        }
    }
    let mut truncations = Vec::new();
    for (place, cut) in used.truncation_records.iter().enumerate() {
        let Some(item) = choice.item(cut.index) else {
            continue;
        };
        let held = is_withheld(maker, evaluation, cut);
        if held {
            maker.withhold(id, &format!("/truncation_records/{place}/text_sha256"));
        }
        truncations.push(Truncation {
            item_ref: item.clone(),
            method: cut.method.as_str().to_owned(),
            original_bytes: cut.original_bytes as u64,
            kept_bytes: cut.kept_bytes as u64,
            loss_notes: cut.loss_notes.clone(),
            refresh_policy: cut.refresh_policy.clone(),
            text_sha256: (!held).then(|| cut.text_sha256.clone()),
            deferred_to: cut.reference.as_ref().map(without_ids),
            kept: spans(cut),
        });
    }
    maker.bundle.context_budget.push(BudgetRecord {
        budget_id: id.to_owned(),
        overflow_strategy: used.overflow_strategy.into(),
        created_at: maker.at.clone(),
        actual_tokens: actual,
        actual_bytes: used.actual_bytes as u64,
        actual_items: used.actual_items as u64,
        tokenizer: used.tokenizer.to_owned(),
        token_counts: used.token_counts.to_owned(),
        target: used.target.clone(),
        max_tokens: limits.max_tokens,
        reserved_tokens: Some(reserved).filter(|reserved| *reserved > 0),
        max_bytes: limits.max_bytes,
        max_items: limits.max_items,
        truncation_records: truncations,
        window_segments: segments.clone(),
    });
    let window_id = maker.id(Kind::Window);
    maker.bundle.context_window.push(Window {
        window_id: window_id.clone(),
        budget_ref: id.to_owned(),
        created_at: maker.at.clone(),
        target: used.target.clone(),
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

/// Whether the text that was cut must not be hashed.
fn is_withheld(maker: &Maker<'_>, evaluation: &Evaluation, cut: &TruncationRecord) -> bool {
    known(evaluation)
        .get(cut.index.wrapping_sub(1))
        .and_then(|known| known.content.as_deref())
        .is_some_and(|content| maker.is_withheld(content))
}

fn spans(cut: &TruncationRecord) -> Vec<Span> {
    cut.kept
        .iter()
        .map(|span| Span {
            start: span.start as u64,
            end: span.end as u64,
        })
        .collect()
}

/// What summaries and the caller's own texts stand in for.
pub(super) fn compactions(
    maker: &mut Maker<'_>,
    evaluation: &Evaluation,
    used: &Used,
    choice: &Choice,
    mut cause: String,
) -> String {
    for cut in &used.truncation_records {
        let method = match cut.method {
            Method::ExtractiveSummary => CompactionMethod::Extractive,
            Method::Custom => CompactionMethod::Custom,
            Method::TruncateTail | Method::TruncateMiddle | Method::Deferred => continue,
        };
        let item = choice
            .item(cut.index)
            .filter(|item| choice.selected.contains(item));
        let Some(item) = item.cloned() else {
            continue;
        };
        let held = is_withheld(maker, evaluation, cut);
        let block = evaluation
            .assembly
            .iter()
            .flat_map(|assembly| &assembly.blocks)
            .position(|block| block.index == cut.index);
        let coverage = Coverage {
            kept_bytes: cut.kept_bytes as u64,
            original_bytes: cut.original_bytes as u64,
            selector: Some(Selector {
                selector_type: SelectorType::ByteRange,
                value: None,
                of_sha256: (!held).then(|| cut.text_sha256.clone()),
                spans: spans(cut),
            })
            .filter(|selector| !selector.spans.is_empty()),
        };
        let loss_notes = cut.loss_notes.clone();
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
            refresh_policy: cut.refresh_policy.clone(),
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
pub(super) fn blocks(evaluation: &Evaluation, choice: &Choice) -> Vec<(Span, Option<u64>, Vec<String>)> {
    let mut start = 0;
    let mut out = Vec::new();
    for block in evaluation.assembly.iter().flat_map(|assembly| &assembly.blocks) {
        let end = start + block.text.len() as u64;
        out.push((
            Span { start, end },
            Some(block.tokens as u64),
            choice.item(block.index).cloned().into_iter().collect(),
        ));
        start = end;
    }
    out
}
