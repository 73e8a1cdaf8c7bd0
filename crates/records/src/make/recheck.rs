//! A look at whether an earlier answer is still so.

use std::borrow::Cow;

use freshcontext_core::recheck::{Found, ItemVerdict, Recheck, Verdict};
use serde_json::{Value, json};

use super::maker::{Gap, Maker, Piece, Shape, moment};
use crate::objects::{Facts, Freshness, MissingSource, Surface};
use crate::values::{EventClass, Kind, Severity, State};

/// The records of a recheck. The answer is a resource; its items are named by their source's own ids, since nothing of
/// their content is kept. What changed or went is expired; what could not be checked is a gap.
pub(super) fn record(maker: &mut Maker<'_>, recheck: &Recheck) {
    let tool = recheck.subject.tool.as_str();
    let answer = recheck.subject.answer_id.as_deref().unwrap_or(tool);
    let uri = format!("freshcontext://answers/{answer}");
    let verdict = recheck.verdict();
    let (mut all, mut changed, mut gone, mut unchecked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // A composite's are in its sections, each under the tool that was asked.
    let items: Vec<(&str, &ItemVerdict)> = match &recheck.found {
        Found::Answer(finding) => finding.comparison.items.iter().map(|item| (tool, item)).collect(),
        Found::Sections(sections) => sections
            .iter()
            .flat_map(|section| {
                let items = section.finding.comparison.items.iter();
                items.map(|item| (section.tool.as_str(), item))
            })
            .collect(),
    };
    for (of, item) in items {
        let id = maker.item(piece_of(item, &uri, of));
        if all.contains(&id) {
            continue;
        }
        match item.verdict {
            Verdict::Changed => changed.push(id.clone()),
            Verdict::Gone => gone.push(id.clone()),
            Verdict::CouldNotCheck => unchecked.push(id.clone()),
            Verdict::Current => {}
        }
        all.push(id);
    }
    let surface_id = maker.id(Kind::Surface);
    let answered_at = recheck
        .subject
        .answered
        .as_ref()
        .and_then(|answered| answered.at.clone());
    let surface = Surface {
        surface_id: surface_id.clone(),
        scope: maker.scope,
        surface_kind: "earlier_answer".to_owned(),
        created_at: maker.at.clone(),
        tool: Some(tool.to_owned()),
        query: None,
        status: Some(verdict.as_str().to_owned()),
        item_count: Some(all.len() as u64),
        retrieved_at: answered_at,
        item_refs: all.clone(),
        metadata: facts(recheck),
    };
    let mut cause = maker.surface(surface);
    if matches!(verdict, Verdict::Changed | Verdict::Gone) {
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
    if verdict == Verdict::CouldNotCheck {
        let why = match &recheck.found {
            Found::Answer(finding) => finding.error.as_ref().map(|error| error.code.as_str()),
            Found::Sections(_) => None,
        };
        let why = why.unwrap_or("it could not be told from what came");
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

/// What was found of the answer as a whole.
fn facts(recheck: &Recheck) -> Facts {
    let mut out = Facts::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put("verdict", recheck.verdict().as_str().into());
    if let Some(id) = &recheck.subject.answer_id {
        put("answer_id", id.as_str().into());
    }
    if let Some(at) = recheck
        .subject
        .answered
        .as_ref()
        .and_then(|answered| answered.at.as_deref())
    {
        put("answered_at", at.into());
    }
    put("checked_at", moment(recheck.checked_at).into());
    if let Found::Answer(finding) = &recheck.found {
        let comparison = &finding.comparison;
        if let Some(hash) = &finding.hash_now {
            put("answer_hash_now", hash.as_str().into());
        }
        if comparison.added_count > 0 {
            put("added", json!(comparison.added));
        }
        if !comparison.changed.is_empty() {
            put("changed", json!(comparison.changed));
        }
        if let Some(error) = &finding.error {
            put("code", error.code.as_str().into());
        }
    }
    out
}

fn piece_of<'v>(item: &'v ItemVerdict, uri: &str, tool: &'v str) -> Piece<'v> {
    let native = item.id.as_str();
    let mut metadata = Facts::new();
    let mut put = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
    put("verdict", item.verdict.as_str().into());
    if let Some(detail) = item.detail {
        put("detail", detail.into());
    }
    if !item.changed.is_empty() {
        put("changed", json!(item.changed));
    }
    if let Some(published) = &item.published_now {
        put("published_now", published.as_str().into());
    }
    Piece {
        kind: "item_of_earlier_answer",
        title: native.into(),
        uri: Cow::Owned(format!("{uri}#{tool}/{native}")),
        source_kind: tool.into(),
        native_id: Some(native.into()),
        freshness: Some(Freshness {
            date_confidence: "unknown".to_owned(),
            published_at: item.published_then.clone(),
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
