//! The answer of one source, or its failure.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::maker::{Gap, Maker, Piece, Shape};
use super::{Identify, list, owned, text, whole};
use crate::objects::{Facts, Freshness, MissingSource, Surface};
use crate::values::{Kind, Severity};
use freshcontext_redact::masked;

/// How answers are written.
pub(super) const ENVELOPE: Shape = Shape {
    wrapping: "[FRESHCONTEXT] header, ---, content, [/FRESHCONTEXT]",
    separator: "one block",
};
/// Failures that say nothing about the source: it was not asked, or the caller went away.
const NOT_ASKED: [&str; 2] = ["invalid_input", "cancelled"];

/// The records of an answer of one source, or of a call that failed.
pub(super) fn record(maker: &mut Maker<'_>) {
    maker.asked_to_fill();
    let structured = maker.answered.structured;
    let (surface, added) = section(maker, structured, "", "tool_result");
    let items = maker
        .bundle
        .context_surface
        .iter()
        .find(|it| it.surface_id == surface)
        .map(|it| it.item_refs.clone())
        .unwrap_or_default();
    let shape = if maker.answered.is_error {
        Shape {
            wrapping: "the words of the failure",
            separator: "one block",
        }
    } else {
        ENVELOPE
    };
    let blocks = maker.whole_text(items.clone());
    maker.delivered(&blocks, &shape, None, &added);
    let found_nothing = text(structured, "status") == Some("empty");
    if !maker.answered.is_error && !found_nothing {
        let by = if items.is_empty() { vec![surface] } else { items };
        maker.filled(&by, &added);
    }
}

/// What one source answered, as a surface with its items and gaps. `at` is where it stands in the structured result. The
/// surface and the event that its items came with.
pub(super) fn section(maker: &mut Maker<'_>, answer: &Value, at: &str, kind: &str) -> (String, String) {
    let none = Value::Null;
    let envelope = answer.get("freshcontext").unwrap_or(&none);
    let failed = answer.get("code").is_some() && envelope.is_null();
    let mut items = Vec::new();
    for (place, item) in list(answer, "items").iter().enumerate() {
        let pointer = format!("{at}/items/{place}/summary");
        items.push(maker.item(piece_of(item, pointer, place)));
    }
    if items.is_empty()
        && !failed
        && let Some(content) = whole_content(answer)
    {
        items.push(maker.item(document(envelope, content, format!("{at}/content"))));
    }
    let truncated = whole(answer, "truncated").unwrap_or_default();
    let mut metadata = Facts::new();
    for name in [
        "truncated",
        "skipped",
        "route",
        "staleness",
        "content_age",
        "revalidate_after",
        "code",
    ] {
        if let Some(value) = answer
            .get(name)
            .filter(|value| !value.is_null() && **value != json!(0))
        {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    if answer.get("next_cursor").is_some() {
        metadata.insert("further_pages".to_owned(), true.into());
    }
    let surface_id = maker.id(Kind::Surface);
    let surface = Surface {
        surface_id: surface_id.clone(),
        scope: maker.scope,
        surface_kind: kind.to_owned(),
        created_at: maker.at.clone(),
        tool: Some(maker.occasion.tool.to_owned()),
        query: None,
        status: Some(
            if failed {
                "failed"
            } else {
                text(answer, "status").unwrap_or("success")
            }
            .to_owned(),
        ),
        item_count: Some(items.len() as u64 + truncated),
        retrieved_at: owned(envelope, "retrieved_at"),
        item_refs: items,
        metadata,
    };
    let refs = surface.item_refs.clone();
    let added = maker.surface(surface);
    if failed {
        failure(maker, answer, maker.occasion.tool, None, &added);
    } else {
        partly(maker, answer, envelope, &refs, &added);
    }
    (surface_id, added)
}

fn piece_of(item: &Value, pointer: String, place: usize) -> Piece<'_> {
    let of = |name: &str| text(item, name).map(Cow::Borrowed);
    // What a later judgement takes for the content of an item: its summary, else its title.
    let (content, pointer) = match of("summary").filter(|summary| !summary.trim().is_empty()) {
        Some(summary) => (Some(summary), pointer),
        None => (of("title"), pointer.replace("/summary", "/title")),
    };
    let mut metadata = Facts::new();
    if item.get("fields").is_some() {
        let fields = pointer.rsplit_once('/').map_or("", |(item, _)| item);
        metadata.insert(
            "fields_at".to_owned(),
            format!("structuredContent#{fields}/fields").into(),
        );
    }
    Piece {
        kind: "item",
        title: of("title").unwrap_or_default(),
        own_title: of("title"),
        uri: of("url").or_else(|| of("source")).unwrap_or_default(),
        source_kind: of("source_type").unwrap_or_default(),
        native_id: of("id"),
        content,
        pointer: Some(pointer),
        freshness: Some(Freshness {
            date_confidence: owned(item, "date_confidence").unwrap_or_else(|| "unknown".to_owned()),
            published_at: owned(item, "published_at"),
            retrieved_at: owned(item, "retrieved_at"),
            freshness_score: whole(item, "freshness_score"),
            age: owned(item, "age"),
            decision: None,
            revalidate_after: None,
        }),
        delivered: true,
        priority: Some(place as u64 + 1),
        sensitivity: Some("public".into()),
        metadata,
        ..Piece::default()
    }
}

/// The id that an item of a structured answer has in records, unless the caller marks its address, title or content.
pub fn item_id(item: &Value, identify: Identify) -> String {
    let piece = piece_of(item, String::new(), 0);
    clean_id(&piece, identify)
}

/// The id that the one document of a structured answer has in records; `None` where it has items, or nothing.
pub fn document_id(answer: &Value, identify: Identify) -> Option<String> {
    let envelope = answer.get("freshcontext").unwrap_or(&Value::Null);
    let content = whole_content(answer).filter(|_| list(answer, "items").is_empty())?;
    Some(clean_id(&document(envelope, content, String::new()), identify))
}

fn clean_id(piece: &Piece<'_>, identify: Identify) -> String {
    let clean = |text: &str| masked(text).0.into_owned();
    identify(
        &clean(&piece.uri),
        piece.own_title.as_deref().map(clean).as_deref(),
        piece.content.as_deref().map(clean).as_deref(),
    )
}

/// What an answer says where it has no items.
fn whole_content(answer: &Value) -> Option<&str> {
    text(answer, "content")
        .filter(|content| !content.trim().is_empty() && text(answer, "status") != Some("empty"))
}

/// An answer without items is one document.
fn document<'v>(envelope: &'v Value, content: &'v str, pointer: String) -> Piece<'v> {
    let of = |name: &str| text(envelope, name).map(Cow::Borrowed);
    Piece {
        kind: "document",
        title: of("source_url").unwrap_or_default(),
        uri: of("source_url").unwrap_or_default(),
        source_kind: of("adapter").unwrap_or_default(),
        content: Some(content.into()),
        pointer: Some(pointer),
        freshness: Some(Freshness {
            date_confidence: owned(envelope, "freshness_confidence").unwrap_or_else(|| "unknown".to_owned()),
            published_at: owned(envelope, "content_date"),
            retrieved_at: owned(envelope, "retrieved_at"),
            freshness_score: whole(envelope, "freshness_score"),
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
    error: &Value,
    tool: &str,
    arguments: Option<&Value>,
    cause: &str,
) {
    let code = text(error, "code").unwrap_or_default();
    if NOT_ASKED.contains(&code) {
        return;
    }
    let arguments = arguments
        .cloned()
        .or_else(|| maker.occasion.arguments.cloned().map(Value::Object));
    let how = match whole(error, "retry_after_s") {
        Some(wait) => format!("Repeat the call after {wait} s ({code})."),
        None => format!("Repeat the call ({code})."),
    };
    let gap = Gap {
        question: format!(
            "What does {tool} say? It was asked, and nothing was retrieved ({code}): what it holds is not known."
        ),
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
fn partly(maker: &mut Maker<'_>, answer: &Value, envelope: &Value, items: &[String], cause: &str) {
    let name = text(envelope, "source_url")
        .unwrap_or(maker.occasion.tool)
        .to_owned();
    for part in list(answer, "failures") {
        let what = text(part, "what").unwrap_or("a part");
        let code = text(part, "code").unwrap_or_default();
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
                source: name,
                how: "Look at the page itself; its source gives no date that can be relied on.".to_owned(),
                call: None,
            },
            blocked: vec!["state_its_age".to_owned()],
            subjects: undated,
        };
        maker.gap(gap, Some(cause));
    }
}

fn needed_for(maker: &Maker<'_>) -> String {
    format!("the answer of {}", maker.occasion.tool)
}
