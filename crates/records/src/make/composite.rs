//! Composites: a surface for each section, and what was held back as too old.

use std::borrow::Cow;

use serde_json::Value;

use super::answer::{failure, section};
use super::maker::{Gap, Maker, Piece, Shape, unique};
use super::{list, owned, text, whole};
use crate::objects::{Facts, Freshness, MissingSource, Omission, Selection, Surface};
use crate::values::{EventClass, Kind, OmissionReason, Severity, State};

/// The records of a composite.
pub(super) fn record(maker: &mut Maker<'_>) {
    maker.asked_to_fill();
    let structured = maker.answered.structured;
    let (mut shown, mut held) = (Vec::new(), Vec::new());
    let (mut last, mut held_on) = (None, None);
    for (at, part) in list(structured, "sections").iter().enumerate() {
        let tool = text(part, "tool").unwrap_or_default();
        let place = |name: &str| format!("/sections/{at}/{name}");
        let surface = if let Some(result) = part.get("result") {
            let (surface, added) = section(maker, result, &place("result"), "section");
            shown.extend(items_of(maker, &surface));
            last = Some(added);
            surface
        } else if let Some(error) = part.get("error") {
            let surface = empty(maker, part, "failed", Vec::new());
            let cause = maker.surface(surface.clone());
            let skipped = text(error, "code") == Some("invalid_input");
            if skipped {
                not_asked(maker, part, &cause);
            } else {
                failure(maker, error, tool, part.get("arguments"), &cause);
            }
            last = Some(cause);
            surface.surface_id
        } else {
            let stale = part.get("stale").unwrap_or(&Value::Null);
            let item = maker.item(held_back(part, stale));
            let surface = empty(maker, part, "stale", vec![item.clone()]);
            let cause = maker.surface(surface.clone());
            held.push((item, owned(stale, "message").unwrap_or_default()));
            held_on = Some(surface.surface_id.clone());
            last = Some(cause);
            surface.surface_id
        };
        name_section(maker, &surface, part);
    }
    let Some(mut cause) = last else { return };
    if let Some(surface) = held_on {
        cause = selected(maker, &surface, &shown, held, &cause);
    }
    let blocks = maker.whole_text(unique(shown.clone()));
    let shape = Shape {
        wrapping: "a heading for each section, its answer under its own envelope",
        separator: "a blank line and a heading",
    };
    maker.delivered(&blocks, &shape, None, &cause);
    if !shown.is_empty() {
        maker.filled(&unique(shown.clone()), &cause);
    }
}

/// Names the section's own tool on its surface.
fn name_section(maker: &mut Maker<'_>, surface: &str, part: &Value) {
    let found = maker
        .bundle
        .context_surface
        .iter_mut()
        .find(|it| it.surface_id == surface);
    if let Some(surface) = found {
        surface.tool = owned(part, "tool");
        if let Some(label) = part.get("label") {
            surface.metadata.insert("label".to_owned(), label.clone());
        }
    }
}

fn items_of(maker: &Maker<'_>, surface: &str) -> Vec<String> {
    let found = maker
        .bundle
        .context_surface
        .iter()
        .find(|it| it.surface_id == surface);
    found.map(|it| it.item_refs.clone()).unwrap_or_default()
}

/// A section without an answer.
fn empty(maker: &mut Maker<'_>, part: &Value, status: &str, items: Vec<String>) -> Surface {
    Surface {
        surface_id: maker.id(Kind::Surface),
        scope: maker.scope,
        surface_kind: "section".to_owned(),
        created_at: maker.at.clone(),
        tool: owned(part, "tool"),
        query: None,
        status: Some(status.to_owned()),
        item_count: whole(part, "items"),
        retrieved_at: None,
        item_refs: items,
        metadata: Facts::new(),
    }
}

/// A section whose content was held back, as one item.
fn held_back<'v>(part: &'v Value, stale: &'v Value) -> Piece<'v> {
    let name = |field: &str| text(part, field).map(Cow::Borrowed).unwrap_or_default();
    Piece {
        kind: "section",
        title: name("label"),
        own_title: Some(name("label")),
        uri: format!(
            "{}, as of {}",
            name("tool"),
            text(stale, "content_date").unwrap_or("an unknown date")
        )
        .into(),
        source_kind: name("adapter"),
        freshness: Some(Freshness {
            date_confidence: "unknown".to_owned(),
            published_at: owned(stale, "content_date"),
            retrieved_at: None,
            freshness_score: whole(stale, "score"),
            age: owned(part, "age"),
            decision: None,
            revalidate_after: None,
        }),
        sensitivity: Some("public".into()),
        ..Piece::default()
    }
}

/// The gap of a section that could not be asked.
fn not_asked(maker: &mut Maker<'_>, part: &Value, cause: &str) {
    let tool = text(part, "tool").unwrap_or_default().to_owned();
    let why = part
        .pointer("/error/message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let gap = Gap {
        question: format!("What does {tool} say? It was not asked. {why}"),
        needed_for: format!("the answer of {}", maker.occasion.tool),
        severity: Severity::Medium,
        source: MissingSource {
            source: tool.clone(),
            how: "Call it by itself, with what the message asks for.".to_owned(),
            call: None,
        },
        blocked: vec!["conclude_that_there_is_none".to_owned()],
        subjects: Vec::new(),
    };
    maker.gap(gap, Some(cause));
}

/// The selection by `min_freshness_score`.
fn selected(
    maker: &mut Maker<'_>,
    surface: &str,
    shown: &[String],
    held: Vec<(String, String)>,
    cause: &str,
) -> String {
    let selection_id = maker.id(Kind::Selection);
    let chosen = unique(shown.to_vec());
    let mut candidates = chosen.clone();
    let mut omitted: Vec<Omission> = Vec::new();
    for (item, detail) in held {
        if !candidates.contains(&item) {
            candidates.push(item.clone());
            omitted.push(Omission {
                item_ref: item,
                reason: OmissionReason::StaleSource,
                detail,
            });
        }
    }
    maker.bundle.context_selection.push(Selection {
        selection_id: selection_id.clone(),
        surface_id: surface.to_owned(),
        created_at: maker.at.clone(),
        lifecycle: State::Selected,
        query: owned(maker.answered.structured, "query"),
        intent: None,
        selection_policy: Some("min_freshness_score: sections below it are held back".to_owned()),
        budget_ref: None,
        rationale: Some("The score of a section is that of its newest item.".to_owned()),
        actor_ref: Some("freshcontext".to_owned()),
        model_ref: None,
        candidate_item_refs: candidates,
        selected_item_refs: chosen.clone(),
        omitted_item_refs: omitted,
        ranking_signals: Vec::new(),
        metadata: Facts::new(),
    });
    maker
        .bundle
        .context_envelope
        .selection_refs
        .push(selection_id.clone());
    let id = vec![selection_id.clone()];
    let started = maker.event(EventClass::SelectionStarted, Some(cause), &id, None);
    let subjects: Vec<String> = id.into_iter().chain(chosen).collect();
    maker.event(
        EventClass::SelectionCompleted,
        Some(&started),
        &subjects,
        Some(State::Selected),
    )
}
