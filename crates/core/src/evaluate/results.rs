//! Results of our own tools as signals, as they came: each item of a result is one, a result without
//! items is one by its content, and a failure is a failed one.

use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::fields::last;
use super::given::{Envelope, FailedCall, Given, Place, choose};
use super::made::Made;
use super::shape::lists_in;
use super::verdict::{DateConfidence, SignalStatus};

/// Whether this is a whole result of one of our tools.
pub(super) fn is_result(fields: &ObjectAsVec<'_>) -> bool {
    envelope_of(fields).is_some() || sections_of(fields).is_some() || is_failure(fields)
}

/// Whether this says something that can be judged.
pub(super) fn is_document<'a>(fields: &'a ObjectAsVec<'a>, made: &'a Made) -> bool {
    Given::read(fields, Place::default(), None, made)
        .unreadable
        .is_none()
}

/// Whether the caller's tool says that it retrieved nothing.
pub(super) fn is_failed(fields: &ObjectAsVec<'_>) -> bool {
    super::given::error_in(fields, true).is_some()
}

/// The signals in one element of the list: itself, those of the result that it is, or the documents in the answer of a search
/// interface.
pub(super) fn signals<'a>(value: &'a Node<'a>, index: usize, made: &'a Made, out: &mut Vec<Given<'a>>) {
    let place = Place { index, inside: None };
    let Node::Object(fields) = value else {
        out.push(of_other(value, place, made));
        return;
    };
    if let Some(envelope) = envelope_of(fields) {
        of_result(fields, envelope, place, made, out);
        return;
    }
    if let Some(sections) = sections_of(fields) {
        of_sections(sections, index, made, out);
        return;
    }
    if is_failure(fields) {
        out.push(failure(fields, place, None));
        return;
    }
    let lists = lists_in(fields);
    for (list, documents) in &lists {
        for (at, document) in documents.iter().enumerate() {
            let place = Place {
                index,
                inside: Some((*list, at)),
            };
            out.push(match document {
                Node::Object(document) => Given::read(document, place, None, made),
                other => of_other(other, place, made),
            });
        }
    }
    if lists.is_empty() {
        out.push(Given::read(fields, place, None, made));
    }
}

/// What is no object: a text is a content, anything else cannot be judged.
fn of_other<'a>(value: &'a Node<'a>, place: Place<'a>, made: &'a Made) -> Given<'a> {
    let kind = match value {
        Node::Str(text) => return Given::of_text(text, place, made),
        Node::Null => "null",
        Node::Bool(_) => "true or false",
        Node::Number(_) => "a number",
        Node::Array(_) | Node::Object(_) => "a list",
    };
    Given::unreadable(place, &format!("it is {kind}, not an object"), made)
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
    place: Place<'a>,
    made: &'a Made,
    out: &mut Vec<Given<'a>>,
) {
    let (Some(source), Some(source_type)) = (text(envelope, "source_url"), text(envelope, "adapter")) else {
        let why = "its freshcontext object names no source_url or no adapter";
        out.push(Given::unreadable(place, why, made));
        return;
    };
    let around = Envelope {
        source,
        source_type,
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
            out.push(match item {
                Node::Object(item) => Given::read(item, at, Some(around), made),
                other => of_other(other, at, made),
            });
        }
        return;
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
}

/// The results in the sections of a composite. A section whose content was held back as too old, or that
/// failed, is a signal of its message, so that nothing vanishes.
fn of_sections<'a>(sections: &'a [Node<'a>], index: usize, made: &'a Made, out: &mut Vec<Given<'a>>) {
    for (at, section) in sections.iter().enumerate() {
        let place = Place {
            index,
            inside: Some(("sections", at)),
        };
        let Node::Object(section) = section else {
            out.push(of_other(section, place, made));
            continue;
        };
        let part = |name| match last(section, name) {
            Some(Node::Object(part)) => Some(part),
            _ => None,
        };
        if let Some(result) = part("result")
            && let Some(envelope) = envelope_of(result)
        {
            of_result(result, envelope, place, made, out);
        } else if let Some(error) = part("error") {
            out.push(failure(error, place, last(section, "arguments")));
        } else if let Some((stale, status)) = part("stale")
            .map(|stale| (stale, Some(SignalStatus::Stale)))
            .or_else(|| Some((part("undated")?, None)))
        {
            out.push(Given {
                place,
                source: text(section, "tool").unwrap_or("a section"),
                source_type: text(section, "adapter"),
                content: text(stale, "message").or(Some("held back as too old")),
                published_at: text(stale, "content_date"),
                status,
                failed_call: text(section, "tool").map(|tool| FailedCall {
                    tool,
                    code: None,
                    arguments: last(section, "arguments"),
                }),
                ..Given::default()
            });
        }
    }
}

fn failure<'a>(error: &'a ObjectAsVec<'a>, place: Place<'a>, arguments: Option<&'a Node<'a>>) -> Given<'a> {
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
