//! The calls that are large: of the judge, read in one pass with their arguments. Only where these are plain
//! and nothing is unusual around them; everything else is left to who reads any line.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use freshcontext_core::evaluate::PlainArguments;
use freshcontext_core::json::from_object;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, JsonRpcMessage, RequestId, RequestMetaObject,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::frame::Frame;
use crate::engine::{Arguments, EVALUATE, PlainLine};
use crate::mcp::OtherArguments;

/// A call of the judge with plain arguments. Reading it fails at the first thing that is not as here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Evaluation<'l> {
    #[serde(rename = "jsonrpc", deserialize_with = "version")]
    _version: (),
    id: RequestId,
    #[serde(rename = "method", deserialize_with = "method")]
    _method: (),
    #[serde(borrow, deserialize_with = "from_object")]
    params: EvaluationParams<'l>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluationParams<'l> {
    #[serde(rename = "name", deserialize_with = "tool")]
    _tool: (),
    #[serde(borrow)]
    arguments: PlainArguments<'l>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    exactly("2.0", deserializer)
}

fn method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    exactly("tools/call", deserializer)
}

fn tool<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    exactly(EVALUATE, deserializer)
}

fn exactly<'de, D: Deserializer<'de>>(expected: &str, deserializer: D) -> Result<(), D::Error> {
    if Cow::<str>::deserialize(deserializer)? == expected {
        Ok(())
    } else {
        Err(D::Error::custom("another text"))
    }
}

/// A call of the judge with plain arguments and nothing unusual around them.
pub(super) fn read(line: &Bytes) -> Option<Frame> {
    // A list would be taken for the fields.
    line.starts_with(b"{").then_some(())?;
    let mut around = None;
    let line = PlainLine::try_new(line.clone(), |line| {
        let text = str::from_utf8(line).map_err(serde_json::Error::custom)?;
        let call: Evaluation<'_> = serde_json::from_str(text)?;
        around = Some((call.id, call.params.meta));
        Ok::<_, serde_json::Error>(call.params.arguments)
    });
    let (line, (id, meta)) = (line.ok()?, around?);
    let mut request = CallToolRequest::new(CallToolRequestParams::new(EVALUATE));
    if let Some(meta) = meta {
        request.extensions.insert(RequestMetaObject::from(meta));
    }
    let arguments = Arguments::Plain(Arc::new(line));
    request.extensions.insert(OtherArguments(arguments));
    Some(Frame::Message(Box::new(JsonRpcMessage::request(
        ClientRequest::CallToolRequest(request),
        id,
    ))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stdio::frame::read_other;

    proptest! {
        #[test]
        fn a_plain_evaluation_is_what_any_way_of_reading_makes_of_the_line(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..8_usize, piece()), 0..3),
        ) {
            let mut line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evaluate_context","arguments":{"profile":"p","intent":"i","signals":[{"source":"b\n","metadata":{}}]},"_meta":{"k":null}}}"#.to_owned();
            for (at, length, piece) in changes {
                let from = line.floor_char_boundary(at.index(line.len() + 1));
                let to = line.ceil_char_boundary((from + length).min(line.len()));
                line.replace_range(from..to, &piece);
            }
            let line = Bytes::from(line);
            if let Some(plain) = read(&line) {
                prop_assert_eq!(seen(plain), seen(read_other(&line)));
            }
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        let pieces = [
            "null,",
            "\"id\":2,",
            "\"id\":null,",
            "\"method\":\"x\",",
            "\"params\":{},",
            "\"result\":1,",
            "\"name\":\"y\",",
            "\"arguments\":7,",
            "\"now\":\"x\",",
            "\"title\":\"x\",",
            "{",
            "}",
            "[",
            "]",
            "\\ud83d",
            "\\ude00",
        ];
        prop_oneof![
            Just(String::new()),
            "[ -~\t\u{e9}]{1,3}",
            prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        ]
    }

    /// A call as it goes on: as rmcp writes it, its metadata, and its arguments.
    fn seen(frame: Frame) -> (Value, Option<Map<String, Value>>, Value) {
        let Frame::Message(message) = frame else {
            panic!("{frame:?}")
        };
        let written = serde_json::to_value(&message).unwrap();
        let JsonRpcMessage::Request(request) = *message else {
            panic!("{message:?}")
        };
        let ClientRequest::CallToolRequest(request) = request.request else {
            panic!("{request:?}")
        };
        let meta = request.extensions.get::<RequestMetaObject>();
        let arguments = match &request.extensions.get::<OtherArguments>().unwrap().0 {
            Arguments::Json(text) => serde_json::from_slice(text).unwrap(),
            Arguments::Plain(line) => {
                let line: Value = serde_json::from_slice(line.borrow_owner()).unwrap();
                line["params"]["arguments"].clone()
            }
            other @ Arguments::Read(_) => panic!("{other:?}"),
        };
        (written, meta.map(|meta| meta.0.0.clone()), arguments)
    }

    #[test]
    fn lists_are_no_objects() {
        let list = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["evaluate_context",{"profile":"p","intent":"i","signals":[]}]}"#;
        assert!(read(&Bytes::from_static(list)).is_none());
        let named = br#"{"jsonrpc":{"2.0":null},"id":1,"method":"tools/call","params":{"name":"evaluate_context","arguments":{"profile":"p","intent":"i","signals":[]}}}"#;
        assert!(read(&Bytes::from_static(named)).is_none());
    }
}
