//! Composites: a surface for each section, and what was held back as too old.

use freshcontext_contract::ErrorCode;
use freshcontext_core::answer::Failure;
use freshcontext_core::composite::{AnsweredSection, CompositeAnswer, Held, Part};

use super::answer::{failure, left_out, needed_for, section};
use super::maker::{Gap, Maker, Piece, Shape, unique};
use crate::objects::{Facts, Freshness, MissingSource, Omission, Selection, Surface};
use crate::values::{EventClass, Kind, OmissionReason, Severity, State};

/// The records of a composite.
pub(super) fn record(maker: &mut Maker<'_>, answer: &CompositeAnswer) {
    maker.asked_to_fill();
    let (mut shown, mut held) = (Vec::new(), Vec::new());
    let (mut last, mut held_on) = (None, None);
    for (at, part) in answer.sections().iter().enumerate() {
        let (surface, cause) = match &part.part {
            Part::Answered(answer) => {
                let section = section(maker, answer, &format!("/sections/{at}/result"), "section");
                for item in &part.left_out {
                    let piece = left_out(answer.scored(), item);
                    let detail = item.score.map_or_else(
                        || "Has no score; one was asked for.".to_owned(),
                        |score| format!("Scores {score}, below what was asked for."),
                    );
                    held.push((maker.item(piece), detail));
                    held_on = Some(section.id.clone());
                }
                shown.extend(section.items);
                (section.id, section.added)
            }
            Part::Failed(error) => {
                let surface = empty(maker, part, "failed", Vec::new());
                let id = surface.surface_id.clone();
                let cause = maker.surface(surface);
                if error.code == ErrorCode::InvalidInput {
                    not_asked(maker, part, error, &cause);
                } else {
                    failure(maker, error, part.tool, part.arguments.as_ref(), &cause);
                }
                (id, cause)
            }
            Part::Skipped(error) => {
                let surface = empty(maker, part, "skipped", Vec::new());
                let id = surface.surface_id.clone();
                let cause = maker.surface(surface);
                not_asked(maker, part, error, &cause);
                (id, cause)
            }
            Part::Held(stale) => {
                let item = maker.item(held_back(part, stale));
                let surface = empty(maker, part, stale.kind.section(), vec![item.clone()]);
                let id = surface.surface_id.clone();
                let cause = maker.surface(surface);
                held.push((item, stale.message.clone()));
                held_on = Some(id.clone());
                (id, cause)
            }
        };
        name_section(maker, &surface, part);
        last = Some(cause);
    }
    let Some(mut cause) = last else { return };
    if let Some(surface) = held_on {
        cause = selected(maker, answer, &surface, &shown, held, &cause);
    }
    let blocks = maker.whole_text(unique(shown.clone()));
    let shape = Shape {
        wrapping: "a heading for each section, its answer under its own envelope",
        separator: "a blank line and a heading",
    };
    maker.delivered(&blocks, &shape, None, &cause);
    if !shown.is_empty() {
        maker.filled(&unique(shown), &cause);
    }
}

/// Names the section's own tool on its surface.
fn name_section(maker: &mut Maker<'_>, surface: &str, part: &AnsweredSection) {
    let found = maker
        .bundle
        .context_surface
        .iter_mut()
        .find(|it| it.surface_id == surface);
    if let Some(surface) = found {
        surface.tool = Some(part.tool.to_owned());
        surface
            .metadata
            .insert("label".to_owned(), part.label.as_str().into());
    }
}

/// A section without an answer.
fn empty(maker: &mut Maker<'_>, part: &AnsweredSection, status: &str, items: Vec<String>) -> Surface {
    Surface {
        surface_id: maker.id(Kind::Surface),
        scope: maker.scope,
        surface_kind: "section".to_owned(),
        created_at: maker.at.clone(),
        tool: Some(part.tool.to_owned()),
        query: None,
        status: Some(status.to_owned()),
        item_count: Some(part.items() as u64),
        retrieved_at: None,
        item_refs: items,
        metadata: Facts::new(),
    }
}

/// A section whose content was held back, as one item.
fn held_back<'v>(part: &'v AnsweredSection, stale: &'v Held) -> Piece<'v> {
    let date = stale.content_date.as_deref();
    Piece {
        kind: "section",
        title: part.label.as_str().into(),
        own_title: Some(part.label.as_str().into()),
        uri: format!("{}, as of {}", part.tool, date.unwrap_or("an unknown date")).into(),
        source_kind: part.adapter.into(),
        freshness: Some(Freshness {
            date_confidence: "unknown".to_owned(),
            published_at: stale.content_date.clone(),
            retrieved_at: None,
            freshness_score: stale.score.map(u64::from),
            age: date.and(stale.age.clone()),
            decision: None,
            revalidate_after: None,
        }),
        sensitivity: Some("public".into()),
        ..Piece::default()
    }
}

/// The gap of a section that could not be asked.
fn not_asked(maker: &mut Maker<'_>, part: &AnsweredSection, error: &Failure, cause: &str) {
    let (tool, why) = (part.tool, &error.message);
    let gap = Gap {
        question: format!("What does {tool} say? It was not asked. {why}"),
        needed_for: needed_for(maker),
        severity: Severity::Medium,
        source: MissingSource {
            source: tool.to_owned(),
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
    answer: &CompositeAnswer,
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
        query: Some(answer.query().to_owned()),
        intent: None,
        selection_policy: Some("min_freshness_score: sections and items below it are held back".to_owned()),
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
