//! The answer of one source, or its failure.

use std::borrow::Cow;

use freshcontext_contract::{ErrorCode, Status};
use freshcontext_core::answer::{Failure, Scored, ScoredItem, SourceAnswer, status_name};
use freshcontext_core::date::iso_millis;
use freshcontext_core::evaluate::item_identity;
use freshcontext_redact::masked;
use serde_json::{Value, json};

use super::maker::{Gap, Maker, Piece, Shape};
use crate::objects::{Facts, Freshness, MissingSource, Surface};
use crate::values::{Kind, Severity};

/// How answers are written.
const ENVELOPE: Shape = Shape {
    wrapping: "[FRESHCONTEXT] header, ---, content, [/FRESHCONTEXT]",
    separator: "one block",
};
/// How failures are written.
const FAILURE: Shape = Shape {
    wrapping: "the words of the failure",
    separator: "one block",
};

/// The records of an answer of one source.
pub(super) fn record(maker: &mut Maker<'_>, answer: &SourceAnswer) {
    maker.asked_to_fill();
    let surface = section(maker, answer, "", "tool_result");
    let Section { id, items, added } = surface;
    let blocks = maker.whole_text(items.clone());
    maker.delivered(&blocks, &ENVELOPE, None, &added);
    if answer.scored().status() != Status::Empty {
        let by = if items.is_empty() { vec![id] } else { items };
        maker.filled(&by, &added);
    }
}

/// The records of a failed call.
pub(super) fn record_failure(maker: &mut Maker<'_>, error: &Failure) {
    maker.asked_to_fill();
    let mut surface = bare(maker, "failed");
    surface
        .metadata
        .insert("code".to_owned(), error.code.as_str().into());
    let added = maker.surface(surface);
    failure(maker, error, maker.occasion.tool, None, &added);
    let blocks = maker.whole_text(Vec::new());
    maker.delivered(&blocks, &FAILURE, None, &added);
}

/// The records of an answer that shows no items.
pub(super) fn record_nothing(maker: &mut Maker<'_>) {
    maker.asked_to_fill();
    let surface = bare(maker, "success");
    let id = surface.surface_id.clone();
    let added = maker.surface(surface);
    let blocks = maker.whole_text(Vec::new());
    maker.delivered(&blocks, &ENVELOPE, None, &added);
    maker.filled(&[id], &added);
}

/// A result of the tool without items.
fn bare(maker: &mut Maker<'_>, status: &str) -> Surface {
    Surface {
        surface_id: maker.id(Kind::Surface),
        scope: maker.scope,
        surface_kind: "tool_result".to_owned(),
        created_at: maker.at.clone(),
        tool: Some(maker.occasion.tool.to_owned()),
        query: None,
        status: Some(status.to_owned()),
        item_count: Some(0),
        retrieved_at: None,
        item_refs: Vec::new(),
        metadata: Facts::new(),
    }
}

/// A surface that was recorded.
pub(super) struct Section {
    /// Its id.
    pub id: String,
    /// Its items, each once.
    pub items: Vec<String>,
    /// The event that its items came with.
    pub added: String,
}

/// What one source answered, as a surface with its items and gaps. `at` is its place in the structured result, as a JSON
/// Pointer.
pub(super) fn section(maker: &mut Maker<'_>, answer: &SourceAnswer, at: &str, kind: &str) -> Section {
    let scored = answer.scored();
    let mut items = Vec::new();
    for (place, (item, summary)) in answer.items().enumerate() {
        let mut piece = piece_of(scored, item, summary, &format!("{at}/items/{place}"));
        piece.priority = Some(place as u64 + 1);
        items.push(maker.item(piece));
    }
    if let Some(content) = whole_content(answer) {
        items.push(maker.item(document(scored, content, format!("{at}/content"))));
    }
    let truncated = answer.truncated() as u64;
    let mut metadata = Facts::new();
    let mut put = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
    if truncated > 0 {
        put("truncated", truncated.into());
    }
    if !scored.skipped().is_empty() {
        let skipped = scored
            .skipped()
            .iter()
            .map(|part| json!({"count": part.count, "reason": part.reason}));
        put("skipped", skipped.collect());
    }
    if let Some(route) = scored.route() {
        put("route", route.into());
    }
    put("staleness", scored.staleness().as_str().into());
    if let Some(age) = scored.age() {
        put("content_age", age.into());
    }
    if let Some(next) = scored.revalidate_after() {
        put("revalidate_after", iso_millis(next).into());
    }
    if scored.has_next() {
        put("further_pages", true.into());
    }
    let id = maker.id(Kind::Surface);
    let added = maker.surface(Surface {
        surface_id: id.clone(),
        scope: maker.scope,
        surface_kind: kind.to_owned(),
        created_at: maker.at.clone(),
        tool: Some(maker.occasion.tool.to_owned()),
        query: None,
        status: Some(status_name(scored.status()).to_owned()),
        item_count: Some(items.len() as u64 + truncated),
        retrieved_at: Some(iso_millis(scored.retrieved_at())),
        item_refs: items.clone(),
        metadata,
    });
    partly(maker, scored, &items, &added);
    Section {
        id,
        items: super::maker::unique(items),
        added,
    }
}

/// An item as a record has it; `at` is its place in the structured result.
fn piece_of<'v>(scored: &'v Scored, item: &'v ScoredItem, summary: &'v str, at: &str) -> Piece<'v> {
    let own = Some(summary).filter(|summary| !summary.trim().is_empty());
    let content_at = if own.is_some() { "summary" } else { "title" };
    let mut metadata = Facts::new();
    if !item.fields.is_empty() {
        metadata.insert(
            "fields_at".to_owned(),
            format!("structuredContent#{at}/fields").into(),
        );
    }
    if let Some(standing) = &item.standing {
        metadata.insert("standing".to_owned(), standing.structured());
    }
    Piece {
        kind: "item",
        title: item.title.as_str().into(),
        own_title: Some(item.title.as_str().into()),
        uri: item.url.as_deref().unwrap_or(scored.source_url()).into(),
        source_kind: scored.adapter().into(),
        native_id: item.id.as_deref().map(Cow::Borrowed),
        // What a later evaluation takes for the content of an item: its summary, else its title.
        content: Some(own.unwrap_or(&item.title).into()),
        pointer: Some(format!("{at}/{content_at}")),
        freshness: Some(Freshness {
            date_confidence: item.date.confidence.as_str().to_owned(),
            published_at: item.date.shown.clone(),
            retrieved_at: Some(iso_millis(scored.retrieved_at())),
            freshness_score: item.score.map(u64::from),
            age: item.age.clone(),
            decision: None,
            revalidate_after: None,
        }),
        delivered: true,
        sensitivity: Some("public".into()),
        metadata,
        ..Piece::default()
    }
}

/// An item that was not shown, because it does not reach the score asked for.
pub(super) fn left_out<'v>(scored: &'v Scored, item: &'v ScoredItem) -> Piece<'v> {
    Piece {
        pointer: None,
        delivered: false,
        metadata: Facts::new(),
        ..piece_of(scored, item, &item.summary, "")
    }
}

/// The id that an item has in records, unless the caller marks its address, title or content. `source` is its address, else
/// that of its answer.
pub fn item_id(source: &str, title: Option<&str>, summary: Option<&str>) -> String {
    let own = summary.filter(|summary| !summary.trim().is_empty());
    clean_id(source, title, own.or(title))
}

/// The same of an item of an answer, with its summary as shown.
pub fn shown_id(scored: &Scored, item: &ScoredItem, summary: &str) -> String {
    let source = item.url.as_deref().unwrap_or(scored.source_url());
    item_id(source, Some(&item.title), Some(summary))
}

/// The id that the one document of an answer has in records; `None` where it shows items, or nothing.
pub fn document_id(answer: &SourceAnswer) -> Option<String> {
    let content = whole_content(answer)?;
    Some(clean_id(answer.scored().source_url(), None, Some(content)))
}

fn clean_id(uri: &str, title: Option<&str>, content: Option<&str>) -> String {
    let clean = |text: &str| masked(text).0.into_owned();
    item_identity(
        &clean(uri),
        title.map(clean).as_deref(),
        content.map(clean).as_deref(),
    )
}

/// What an answer says where it shows no items.
fn whole_content(answer: &SourceAnswer) -> Option<&str> {
    let shows = answer.items().len() == 0 && answer.scored().status() != Status::Empty;
    Some(answer.content()).filter(|content| shows && !content.trim().is_empty())
}

/// An answer without items is one document.
fn document<'v>(scored: &'v Scored, content: &'v str, pointer: String) -> Piece<'v> {
    Piece {
        kind: "document",
        title: scored.source_url().into(),
        uri: scored.source_url().into(),
        source_kind: scored.adapter().into(),
        content: Some(content.into()),
        pointer: Some(pointer),
        freshness: Some(Freshness {
            date_confidence: scored.date().confidence.as_str().to_owned(),
            published_at: scored.date().shown.clone(),
            retrieved_at: Some(iso_millis(scored.retrieved_at())),
            freshness_score: scored.score().map(u64::from),
            age: None,
            decision: None,
            revalidate_after: None,
        }),
        delivered: true,
        sensitivity: Some("public".into()),
        ..Piece::default()
    }
}

/// The gap that a failed call leaves. What was not retrieved is not known; that is not "there is none".
pub(super) fn failure(
    maker: &mut Maker<'_>,
    error: &Failure,
    tool: &str,
    arguments: Option<&Value>,
    cause: &str,
) {
    // Failures that say nothing about the source: it was not asked, or the caller went away.
    if matches!(error.code, ErrorCode::InvalidInput | ErrorCode::Cancelled) {
        return;
    }
    let code = error.code;
    let arguments = arguments
        .cloned()
        .or_else(|| maker.occasion.arguments.cloned().map(Value::Object));
    let how = match error.retry_after_s {
        Some(wait) => format!("Repeat the call after {wait} s ({code})."),
        None => format!("Repeat the call ({code})."),
    };
    let gap = Gap {
        question: format!("What does {tool} say? Its retrieval failed ({code}): what it holds is not known."),
        needed_for: needed_for(maker),
        severity: Severity::High,
        source: MissingSource {
            source: tool.to_owned(),
            how,
            call: arguments.map(|arguments| json!({"tool": tool, "arguments": arguments})),
        },
        blocked: ["use", "cite", "conclude_that_there_is_none"]
            .map(str::to_owned)
            .to_vec(),
        subjects: Vec::new(),
    };
    maker.gap(gap, Some(cause));
}

/// The gaps of an answer that came: parts that failed, and dates that are not known.
fn partly(maker: &mut Maker<'_>, scored: &Scored, items: &[String], cause: &str) {
    let name = scored.source_url();
    for part in scored.failures() {
        let (what, code) = (&part.what, part.code);
        let arguments = maker.occasion.arguments.cloned().map(Value::Object);
        let tool = maker.occasion.tool;
        let gap = Gap {
            question: format!("What does {what} of {name} say? It was asked, and failed ({code})."),
            needed_for: needed_for(maker),
            severity: Severity::Medium,
            source: MissingSource {
                source: tool.to_owned(),
                how: format!("Repeat the call ({code})."),
                call: arguments.map(|arguments| json!({"tool": tool, "arguments": arguments})),
            },
            blocked: vec!["conclude_that_there_is_none".to_owned()],
            subjects: Vec::new(),
        };
        maker.gap(gap, Some(cause));
    }
    let undated: Vec<String> = maker
        .bundle
        .context_item
        .iter()
        .filter(|item| items.contains(&item.item_id) && item.freshness.published_at.is_none())
        .map(|item| item.item_id.clone())
        .collect();
    if !undated.is_empty() {
        let gap = Gap {
            question: format!("When were the undated items of {name} published? No usable date is known."),
            needed_for: needed_for(maker),
            severity: Severity::Low,
            source: MissingSource {
                source: name.to_owned(),
                how: "Look at the page itself; its source gives no date that can be relied on.".to_owned(),
                call: None,
            },
            blocked: vec!["state_its_age".to_owned()],
            subjects: undated,
        };
        maker.gap(gap, Some(cause));
    }
}

pub(super) fn needed_for(maker: &Maker<'_>) -> String {
    format!("the answer of {}", maker.occasion.tool)
}
