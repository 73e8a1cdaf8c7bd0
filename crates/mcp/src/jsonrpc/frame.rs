//! Parses one line into one JSON-RPC message, or into the error response to it.
//!
//! Tool calls are parsed in one pass into rmcp's types. The arguments of an evaluation are parsed separately,
//! also in one pass. All other messages are rare and small, so rmcp's own parser reads them.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData,
    GetMeta as _, JsonRpcMessage, ProtocolVersion, RequestId, RequestMetaObject,
};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use freshcontext_core::unreadable::why_unreadable;
use freshcontext_engine::BorrowedArguments;

use super::aside::{EvaluationCall, has_too_many_values, split_arguments};

/// Parsed content of a line.
#[derive(Debug)]
pub enum Frame {
    /// A request.
    Message(Box<ClientJsonRpcMessage>),
    /// The client cancelled this request.
    Cancelled(RequestId),
    /// The line is invalid; holds the error response.
    Wrong(Option<RequestId>, ErrorData),
    /// Nothing to do: a blank line, a response without a request, or a notification without effect. rmcp
    /// would spawn a task for each of these.
    Nothing,
}

#[derive(Deserialize)]
struct Raw<'l> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'l, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'l RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    params: Params<'l>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Unparsed parameters of a tool call or a cancellation.
#[derive(Default)]
enum Params<'l> {
    #[default]
    None,
    Fields {
        name: Option<&'l RawValue>,
        arguments: Option<&'l RawValue>,
        meta: Option<&'l RawValue>,
        request_id: Option<&'l RawValue>,
    },
}

impl<'de: 'l, 'l> Deserialize<'de> for Params<'l> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Params<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut name, mut arguments, mut meta, mut request_id) = (None, None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "name" => name = Some(map.next_value()?),
                        "arguments" => arguments = Some(map.next_value()?),
                        "_meta" => meta = Some(map.next_value()?),
                        "requestId" => request_id = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Params::Fields {
                    name,
                    arguments,
                    meta,
                    request_id,
                })
            }

            // Other parameters are ignored here: rmcp parses other methods, and a tool call has no such
            // parameters.

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Params::None)
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Params::None)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Params::None)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Params::None)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Params::None)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Params::None)
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Params::None)
            }
        }

        deserializer.deserialize_any(Fields)
    }
}

/// Distinguishes `null` from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads one line.
pub fn read(bytes: &Bytes) -> Frame {
    let line = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii();
    let line = bytes.slice_ref(line);
    match split_arguments(&line) {
        Some((rest, arguments)) => read_message(&rest, Some(arguments)),
        None => read_message(&line, None),
    }
}

/// Parses a message. `judged` holds the arguments that were split off.
fn read_message(bytes: &[u8], judged: Option<BorrowedArguments>) -> Frame {
    // One check of the whole line is faster than a check per string.
    let Ok(line) = simdutf8::basic::from_utf8(bytes) else {
        return parse_error(bytes);
    };
    match line.bytes().next() {
        None => return Frame::Nothing,
        Some(b'{') => {}
        Some(_) => return not_an_object(line),
    }
    // Borrowed: values are counted before any tree is built.
    let raw: Raw<'_> = match serde_json::from_str(line) {
        Ok(raw) => raw,
        Err(error) if error.is_data() => return wrong_shape(line),
        Err(_) => return parse_error(bytes),
    };
    let id = raw.id.map(read_id);
    if let Some(None) = id {
        return invalid(None, "the id must be a string or a whole number");
    }
    let id = id.flatten();
    if has_too_many_values(bytes) {
        return invalid(id, TOO_MANY_VALUES);
    }
    if raw.jsonrpc.as_deref() != Some("2.0") {
        return invalid(id, "jsonrpc must be \"2.0\"");
    }
    let Some(method) = raw.method else {
        // The server sends no requests to clients, so a response matches nothing.
        let answer = raw.result.is_some() || raw.error.is_some();
        return if answer {
            Frame::Nothing
        } else {
            invalid(id, "the method is missing")
        };
    };
    if raw.result.is_some() || raw.error.is_some() {
        return invalid(id, "a message is a request or an answer, not both");
    }
    match (id, method.as_ref()) {
        (Some(id), "tools/call") => tool_call(id, &raw.params, judged),
        (Some(id), _) => match serde_json::from_str::<ClientJsonRpcMessage>(line) {
            Ok(message @ JsonRpcMessage::Request(_)) => Frame::Message(Box::new(message)),
            _ => invalid(Some(id), "the request does not have the specified form"),
        },
        (None, "notifications/cancelled") => match raw.params {
            Params::Fields {
                request_id: Some(id), ..
            } => read_id(id).map_or(Frame::Nothing, Frame::Cancelled),
            _ => Frame::Nothing,
        },
        (None, _) => Frame::Nothing,
    }
}

/// Returns whether rmcp's session begins with this request. Pings, discovery and refused requests come earlier; at
/// that point rmcp takes a notification for the end of the session.
pub fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// Parses a tool call. `judged` holds the arguments if they were split off from the parameters.
fn tool_call(id: RequestId, params: &Params<'_>, judged: Option<BorrowedArguments>) -> Frame {
    let bad = |id, what: &'static str| Frame::Wrong(Some(id), ErrorData::invalid_params(what, None));
    let unreadable = |id, text: &RawValue| {
        Frame::Wrong(
            Some(id),
            ErrorData::new(ErrorCode::PARSE_ERROR, why(text.get()), None),
        )
    };
    let Params::Fields {
        name,
        arguments,
        meta,
        ..
    } = *params
    else {
        return bad(id, "tools/call needs params with a name and arguments");
    };
    let meta: Option<Map<String, Value>> = match meta.map(|meta| (meta, serde_json::from_str(meta.get()))) {
        None | Some((_, Ok(Value::Null))) => None,
        Some((_, Ok(Value::Object(meta)))) => Some(meta),
        Some((text, Err(_))) => return unreadable(id, text),
        Some((_, Ok(_))) => return bad(id, "params._meta must be an object"),
    };
    let name = match name.map(|name| (name, serde_json::from_str(name.get()))) {
        Some((_, Ok(Value::String(name)))) => name,
        Some((text, Err(_))) => return unreadable(id, text),
        Some((_, Ok(_))) | None => return bad(id, "params.name must be the name of a tool"),
    };
    let mut call = CallToolRequestParams::new(name);
    if judged.is_none() {
        match serde_json::from_str(arguments.map_or("null", RawValue::get)) {
            Ok(Value::Null) => {}
            Ok(Value::Object(arguments)) => call = call.with_arguments(arguments),
            Ok(_) => return bad(id, "params.arguments must be an object"),
            Err(_) => {
                let why = why(arguments.map_or("null", RawValue::get));
                return Frame::Wrong(Some(id), ErrorData::invalid_params(why, None));
            }
        }
    }
    let mut request = CallToolRequest::new(call);
    if let Some(meta) = meta {
        request.extensions.insert(RequestMetaObject::from(meta));
    }
    if let Some(judged) = judged {
        request.extensions.insert(EvaluationCall::new(judged));
    }
    Frame::Message(Box::new(JsonRpcMessage::request(
        ClientRequest::CallToolRequest(request),
        id,
    )))
}

fn read_id(id: &RawValue) -> Option<RequestId> {
    // Lists and objects are invalid ids at any length.
    let text = id.get();
    let value: Value = (!text.starts_with(['[', '{'])).then(|| serde_json::from_str(text).ok())??;
    RequestId::deserialize(&value).ok()
}

fn not_an_object(line: &str) -> Frame {
    if serde_json::from_str::<IgnoredAny>(line).is_err() {
        return parse_error(line.as_bytes());
    }
    let what = if line.starts_with('[') {
        "batches are not supported"
    } else {
        "a message is a JSON object"
    };
    invalid(None, what)
}

fn wrong_shape(line: &str) -> Frame {
    let what = "a field of the message has the wrong type or occurs twice";
    invalid(find_id(line.as_bytes()), what)
}

fn invalid(id: Option<RequestId>, what: &'static str) -> Frame {
    Frame::Wrong(id, ErrorData::new(ErrorCode::INVALID_REQUEST, what, None))
}

/// Error message for more than [`MESSAGE_VALUES`](freshcontext_contract::limits::MESSAGE_VALUES) values in a message.
pub const TOO_MANY_VALUES: &str = "the message holds more values than are read: send less at a time";

/// Error message for a message that cannot be read because of this part of it.
fn why(part: &str) -> String {
    let why = why_unreadable(part.as_bytes()).unwrap_or("is not JSON");
    format!("the message {why}")
}

fn parse_error(line: &[u8]) -> Frame {
    let what = format!("the message {}", why_unreadable(line).unwrap_or("is not JSON"));
    Frame::Wrong(find_id(line), ErrorData::new(ErrorCode::PARSE_ERROR, what, None))
}

/// Maximum length of an id, in bytes, that is recovered from an otherwise unreadable message.
const ID_BYTES: usize = 1 << 10;

/// Recovers the id of a message that cannot be parsed as a whole: the only top-level `id` in the readable
/// part of the text. `None` if there are two.
pub fn find_id(message: &[u8]) -> Option<RequestId> {
    /// Stores the id when it is read, because the parser may never reach the end.
    struct Fields<'f>(&'f mut Option<RequestId>);

    impl<'de> Visitor<'de> for Fields<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a message")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let mut ids = 0;
            while let Some(key) = map.next_key::<Cow<'_, str>>()? {
                if key == "id" {
                    ids += 1;
                    let id = map.next_value::<&RawValue>()?.get();
                    let once = ids == 1 && id.len() <= ID_BYTES;
                    *self.0 = once.then(|| serde_json::from_str(id).ok()).flatten();
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }

    let mut id = None;
    // An id that was read before the text broke off is still valid.
    let _ = serde_json::Deserializer::from_slice(message).deserialize_map(Fields(&mut id));
    id
}

#[cfg(test)]
mod tests;
