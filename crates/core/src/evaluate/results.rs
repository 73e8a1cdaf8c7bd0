//! Results of our own tools as signals, as they came: each item of a result is one, a result without
//! items is one by its content, and a failure is a failed one.

use freshcontext_contract::SourceError;
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::fields::last;
use super::given::{Envelope, FailedCall, Fields, Given, Place, choose};
use super::verdict::{DateConfidence, SignalStatus};

/// Whether this is a whole result of one of our tools.
pub(super) fn is_result(fields: &ObjectAsVec<'_>) -> bool {
    envelope_of(fields).is_some() || sections_of(fields).is_some() || is_failure(fields)
}

/// The signals in one element of the list: itself, or those of the result that it is.
pub(super) fn signals<'a>(
    fields: &'a ObjectAsVec<'a>,
    index: usize,
    out: &mut Vec<Given<'a>>,
) -> Result<(), SourceError> {
    let place = Place { index, inside: None };
    if let Some(envelope) = envelope_of(fields) {
        return of_result(fields, envelope, place, out);
    }
    if let Some(sections) = sections_of(fields) {
        return of_sections(sections, index, out);
    }
    if is_failure(fields) {
        out.push(failure(fields, place, None));
        return Ok(());
    }
    out.push(Fields::gather(fields).signal(place, None)?);
    Ok(())
}

fn envelope_of<'a>(fields: &'a ObjectAsVec<'a>) -> Option<&'a ObjectAsVec<'a>> {
    match last(fields, "freshcontext") {
        Some(Node::Object(envelope)) => Some(envelope),
        _ => None,
    }
}

fn sections_of<'a>(fields: &'a ObjectAsVec<'a>) -> Option<&'a [Node<'a>]> {
    match (last(fields, "sections"), last(fields, "generated_at")) {
        (Some(Node::Array(sections)), Some(Node::Str(_))) => Some(sections),
        _ => None,
    }
}

/// Our failures have a code, a message, and no content.
fn is_failure(fields: &ObjectAsVec<'_>) -> bool {
    let has = |name| text(fields, name).is_some();
    has("code") && has("message") && has("adapter") && last(fields, "content").is_none()
}

fn text<'a>(fields: &'a ObjectAsVec<'a>, name: &str) -> Option<&'a str> {
    match last(fields, name) {
        Some(Node::Str(text)) => Some(text),
        _ => None,
    }
}

/// One signal an item, or one of the content where there is no item.
fn of_result<'a>(
    result: &'a ObjectAsVec<'a>,
    envelope: &'a ObjectAsVec<'a>,
    place: Place,
    out: &mut Vec<Given<'a>>,
) -> Result<(), SourceError> {
    let missing = |name: &str| place.wrong(&format!("freshcontext.{name}"), "is missing");
    let around = Envelope {
        source: text(envelope, "source_url").ok_or_else(|| missing("source_url"))?,
        source_type: text(envelope, "adapter").ok_or_else(|| missing("adapter"))?,
        retrieved_at: text(envelope, "retrieved_at"),
    };
    if let Some(Node::Array(items)) = last(result, "items")
        && !items.is_empty()
    {
        for (at, item) in items.iter().enumerate() {
            let at = Place {
                inside: place.inside.or(Some(("items", at))),
                ..place
            };
            let Node::Object(item) = item else {
                return Err(at.wrong("title", "is missing: an item is an object"));
            };
            out.push(Fields::gather(item).signal(at, Some(around))?);
        }
        return Ok(());
    }
    let content = text(result, "content").filter(|content| !super::text::is_blank(content));
    out.push(Given {
        place,
        is_item: true,
        source: around.source,
        source_type: Some(around.source_type),
        title: content.is_none().then_some("A result without content"),
        content,
        published_at: text(envelope, "content_date"),
        retrieved_at: around.retrieved_at,
        date_confidence: text(envelope, "freshness_confidence")
            .and_then(|name| choose::<DateConfidence>(name, &super::given::DATE_CONFIDENCES)),
        status: match text(result, "status") {
            Some("partial") => Some(SignalStatus::Partial),
            Some("success") => Some(SignalStatus::Success),
            _ => Some(SignalStatus::Unknown),
        },
        ..Given::default()
    });
    Ok(())
}

/// The results in the sections of a composite. A section whose content was held back as too old, or that
/// failed, is a signal of its message, so that nothing vanishes.
fn of_sections<'a>(
    sections: &'a [Node<'a>],
    index: usize,
    out: &mut Vec<Given<'a>>,
) -> Result<(), SourceError> {
    for (at, section) in sections.iter().enumerate() {
        let place = Place {
            index,
            inside: Some(("sections", at)),
        };
        let Node::Object(section) = section else {
            return Err(place.wrong("adapter", "is missing: a section is an object"));
        };
        let part = |name| match last(section, name) {
            Some(Node::Object(part)) => Some(part),
            _ => None,
        };
        if let Some(result) = part("result")
            && let Some(envelope) = envelope_of(result)
        {
            of_result(result, envelope, place, out)?;
        } else if let Some(error) = part("error") {
            out.push(failure(error, place, last(section, "arguments")));
        } else if let Some(stale) = part("stale") {
            out.push(Given {
                place,
                source: text(section, "tool").unwrap_or("a section"),
                source_type: text(section, "adapter"),
                content: text(stale, "message").or(Some("held back as too old")),
                published_at: text(stale, "content_date"),
                status: Some(SignalStatus::Stale),
                failed_call: text(section, "tool").map(|tool| FailedCall {
                    tool,
                    code: None,
                    arguments: last(section, "arguments"),
                }),
                ..Given::default()
            });
        }
    }
    Ok(())
}

fn failure<'a>(error: &'a ObjectAsVec<'a>, place: Place, arguments: Option<&'a Node<'a>>) -> Given<'a> {
    Given {
        place,
        source: text(error, "source")
            .filter(|source| !super::text::is_blank(source))
            .unwrap_or("a failed call"),
        source_type: text(error, "adapter"),
        content: text(error, "message").or(Some("a failed call")),
        retrieved_at: text(error, "retrieved_at"),
        status: Some(SignalStatus::Failed),
        // Our failures name the tool as their source.
        failed_call: text(error, "source").map(|tool| FailedCall {
            tool,
            code: text(error, "code"),
            arguments,
        }),
        ..Given::default()
    }
}
