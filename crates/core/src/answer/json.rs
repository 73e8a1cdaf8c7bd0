//! The structured form of an answer.

use serde_json::{Map, Value, json};

use super::item::ScoredItem;
use super::shown::Shown;
use super::{Scored, status_name};
use crate::date::iso_millis;

/// The structured form of an answer.
pub(super) fn structured(scored: &Scored, shown: &Shown) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put(
        "freshcontext",
        json!({
            "source_url": scored.source_url,
            "content_date": scored.date.shown,
            "retrieved_at": iso_millis(scored.retrieved_at),
            "freshness_confidence": scored.date.confidence.as_str(),
            "freshness_score": scored.score,
            "adapter": scored.adapter,
            "decay_rate": scored.lambda,
        }),
    );
    // With items, the content is the same once more, as text.
    if shown.items_of(scored).len() == 0 {
        put("content", shown.content.as_str().into());
    }
    put("content_age", scored.age().into());
    // A section's score and age say it, and its composite says once that all content is external.
    if !scored.in_section {
        put("staleness", scored.staleness().as_str().into());
        put(
            "revalidate_after",
            scored.revalidate_after().map(iso_millis).into(),
        );
        put("content_is_external", true.into());
    }
    if let Some(moment) = scored.as_of {
        put("as_of", iso_millis(moment).into());
    }
    if let Some(standing) = scored.standing_structure() {
        put("standing", standing);
    }
    if let Some(told) = scored.standing_told() {
        put("standing_told", told.into());
    }
    if let Some(told) = &scored.origins {
        put("origins", told.structure(Value::from));
    }
    put("status", status_name(scored.status).into());
    if let Some(route) = scored.route {
        put("route", route.into());
    }
    if let Some(summary) = &scored.summary {
        put("summary", summary.as_str().into());
    }
    if !scored.fields.is_empty() {
        put("fields", scored.fields.clone().into());
    }
    let items = shown.items_of(scored);
    put(
        "items",
        items
            .zip(1_usize..)
            .map(|((item, summary), number)| {
                // The `[n]` of the text.
                let mut out = Map::from_iter([("n".to_owned(), number.into())]);
                out.extend(of_item(scored, item, summary));
                Value::Object(out)
            })
            .collect(),
    );
    put("truncated", shown.truncated.into());
    if !scored.skipped.is_empty() {
        let skipped = scored
            .skipped
            .iter()
            .map(|part| json!({"count": part.count, "reason": part.reason}));
        put("skipped", skipped.collect());
    }
    if !scored.failures.is_empty() {
        let failures = scored.failures.iter().map(|part| {
            let mut out = json!({"what": part.what, "code": part.code, "message": part.message});
            if let (Some(standing), Some(out)) = (&part.standing, out.as_object_mut()) {
                out.insert("standing".to_owned(), standing.structured());
            }
            out
        });
        put("failures", failures.collect());
    }
    put("notes", scored.notes.clone().into());
    if let Some(cursor) = &scored.cursor {
        put("next_cursor", cursor.as_str().into());
    }
    out
}

/// One item: an `evaluate_context` signal as it is, with its origin and the moment of its retrieval.
pub(super) fn of_item(scored: &Scored, item: &ScoredItem, summary: &str) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    if let Some(id) = &item.id {
        put("id", id.as_str().into());
    }
    put("title", item.title.as_str().into());
    put("url", item.url.as_deref().into());
    if item.url.is_none() {
        put("source", scored.source_url.as_str().into());
    }
    put("source_type", scored.adapter.into());
    put("retrieved_at", iso_millis(scored.retrieved_at).into());
    put("published_at", item.date.shown.as_deref().into());
    put("age", item.age.as_deref().into());
    put("date_confidence", item.date.confidence.as_str().into());
    put("freshness_score", item.score.into());
    if let Some(standing) = &item.standing {
        put("standing", standing.structured());
    }
    // Also where it is empty: it is what `evaluate_context` hashes of an item.
    put("summary", summary.into());
    if !item.fields.is_empty() {
        put("fields", item.fields.clone().into());
    }
    out
}

/// An answer without items, as the one item that it is to whoever keeps items.
pub(super) fn of_document(scored: &Scored, content: &str) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put("source", scored.source_url.as_str().into());
    put("source_type", scored.adapter.into());
    put("retrieved_at", iso_millis(scored.retrieved_at).into());
    put("published_at", scored.date.shown.as_deref().into());
    put("date_confidence", scored.date.confidence.as_str().into());
    put("summary", content.into());
    // As every item has them: by these it is recognised as one of ours when it is evaluated.
    put("fields", scored.fields.clone().into());
    out
}
