//! A look at whether an earlier answer is still so.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::maker::{Gap, Maker, Piece, Shape};
use super::{list, owned, text};
use crate::objects::{Facts, Freshness, MissingSource, Surface};
use crate::values::{EventClass, Kind, Severity, State};

/// The records of a recheck. The answer is a resource; its items are named by their source's own ids, since nothing of
/// their content is kept. What changed or went is expired; what could not be checked is a gap.
pub(super) fn record(maker: &mut Maker<'_>) {
    let structured = maker.answered.structured;
    let tool = text(structured, "tool").unwrap_or_default();
    let answer = text(structured, "answer_id").unwrap_or(tool);
    let uri = format!("freshcontext://answers/{answer}");
    let verdict = text(structured, "verdict").unwrap_or_default();
    let (mut all, mut changed, mut gone, mut unchecked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // A composite's are in its sections, each under the tool that was asked.
    let sections = list(structured, "sections").iter();
    let items = sections.flat_map(|section| {
        let of = text(section, "tool").unwrap_or(tool);
        list(section, "items").iter().map(move |item| (of, item))
    });
    for (of, item) in list(structured, "items")
        .iter()
        .map(|item| (tool, item))
        .chain(items)
    {
        let native = text(item, "id").unwrap_or_default();
        let id = maker.item(piece_of(item, native, &uri, of));
        if all.contains(&id) {
            continue;
        }
        match text(item, "verdict") {
            Some("changed") => changed.push(id.clone()),
            Some("gone") => gone.push(id.clone()),
            Some("could_not_check") => unchecked.push(id.clone()),
            _ => {}
        }
        all.push(id);
    }
    let surface_id = maker.id(Kind::Surface);
    let mut metadata = Facts::new();
    for name in [
        "verdict",
        "answer_id",
        "answered_at",
        "checked_at",
        "answer_hash_now",
        "added",
        "changed",
        "code",
    ] {
        if let Some(value) = structured.get(name) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    let surface = Surface {
        surface_id: surface_id.clone(),
        scope: maker.scope,
        surface_kind: "earlier_answer".to_owned(),
        created_at: maker.at.clone(),
        tool: Some(tool.to_owned()),
        query: None,
        status: Some(verdict.to_owned()),
        item_count: Some(all.len() as u64),
        retrieved_at: owned(structured, "answered_at"),
        item_refs: all.clone(),
        metadata,
    };
    let mut cause = maker.surface(surface);
    if matches!(verdict, "changed" | "gone") {
        cause = maker.event(EventClass::SurfaceUpdated, Some(&cause), &[surface_id], None);
    }
    for item in changed {
        maker.event(
            EventClass::ItemUpdated,
            Some(&cause),
            &[item],
            Some(State::Expired),
        );
    }
    for item in gone {
        maker.event(
            EventClass::ItemRemoved,
            Some(&cause),
            &[item],
            Some(State::Expired),
        );
    }
    if verdict == "could_not_check" {
        let why = text(structured, "code").unwrap_or("it could not be told from what came");
        let gap = Gap {
            question: format!("Is the answer {answer} of {tool} still so? It could not be checked: {why}."),
            needed_for: "use of the earlier answer".to_owned(),
            severity: Severity::High,
            source: MissingSource {
                source: tool.to_owned(),
                how: "Ask again later.".to_owned(),
                call: maker
                    .occasion
                    .arguments
                    .map(|arguments| json!({"tool": maker.occasion.tool, "arguments": arguments})),
            },
            blocked: vec!["use_as_current".to_owned()],
            subjects: unchecked,
        };
        maker.gap(gap, Some(&cause));
    }
    // What is shown are verdicts about the items, not the items.
    let blocks = maker.whole_text(Vec::new());
    let shape = Shape {
        wrapping: "a line for each item",
        separator: "a line break",
    };
    maker.delivered(&blocks, &shape, None, &cause);
}

fn piece_of<'v>(item: &'v Value, native: &'v str, uri: &str, tool: &'v str) -> Piece<'v> {
    let mut metadata = Facts::new();
    for name in ["verdict", "detail", "changed", "published_now"] {
        if let Some(value) = item.get(name) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    Piece {
        kind: "item_of_earlier_answer",
        title: native.into(),
        uri: Cow::Owned(format!("{uri}#{tool}/{native}")),
        source_kind: tool.into(),
        native_id: Some(native.into()),
        freshness: Some(Freshness {
            date_confidence: "unknown".to_owned(),
            published_at: owned(item, "published_then"),
            retrieved_at: None,
            freshness_score: None,
            age: None,
            decision: None,
            revalidate_after: None,
        }),
        sensitivity: Some("public".into()),
        metadata,
        ..Piece::default()
    }
}
