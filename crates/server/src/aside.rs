//! What goes past rmcp on both doors: the arguments of a judgement as they came, and its structure as it is
//! written. Both are large, and rmcp's own types would hold each of them as a tree of values.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use freshcontext_contract::limits::{MESSAGE_VALUES, SIGNALS_VALUES};
use freshcontext_core::values::hold_more_values_than;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::engine::EVALUATE;

/// Arguments of a judgement as JSON text (UTF-8, an object), and where its structure is put. In the extensions of
/// a request that has no other arguments.
#[derive(Debug, Clone)]
pub(crate) struct Aside {
    pub(crate) arguments: Bytes,
    pub(crate) structure: Slot,
}

impl Aside {
    pub(crate) fn new(arguments: Bytes) -> Self {
        Self {
            arguments,
            structure: Slot::default(),
        }
    }
}

/// A place for a structured result as JSON text, from who makes it to who writes it out.
#[derive(Debug, Clone, Default)]
pub struct Slot(Arc<Mutex<Option<Box<RawValue>>>>);

impl Slot {
    /// Puts it there.
    pub(crate) fn fill(&self, structure: Box<RawValue>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(structure);
    }

    /// What was put there; once.
    pub(crate) fn take(&self) -> Option<Box<RawValue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Writes the answer to a call, with a structured result that is text already. `id` and `result` are as rmcp has
/// them.
pub(crate) fn write_answer(
    out: impl io::Write,
    id: &impl Serialize,
    result: &impl Serialize,
    structure: &RawValue,
) -> serde_json::Result<()> {
    #[derive(Serialize)]
    struct Answer<'a, I, R> {
        jsonrpc: &'static str,
        id: &'a I,
        result: Whole<'a, R>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Whole<'a, R> {
        #[serde(flatten)]
        result: &'a R,
        structured_content: &'a RawValue,
    }

    let answer = Answer {
        jsonrpc: "2.0",
        id,
        result: Whole {
            result,
            structured_content: structure,
        },
    };
    serde_json::to_writer(out, &answer)
}

/// Takes the arguments out of a call that judges: the message without them, and they. None where it is another
/// message, or not in form.
pub(crate) fn apart(message: &Bytes) -> Option<(Bytes, Bytes)> {
    #[derive(Deserialize)]
    struct Message<'m> {
        #[serde(borrow)]
        method: &'m RawValue,
        #[serde(borrow)]
        params: Params<'m>,
    }

    #[derive(Deserialize)]
    struct Params<'m> {
        #[serde(borrow)]
        name: &'m RawValue,
        #[serde(borrow)]
        arguments: &'m RawValue,
    }

    let said: Message<'_> = serde_json::from_slice(message).ok()?;
    let is =
        |raw: &RawValue, what: &str| serde_json::from_str(raw.get()).is_ok_and(|text: String| text == what);
    let arguments = said.params.arguments.get();
    if !arguments.starts_with('{') || !is(said.method, "tools/call") || !is(said.params.name, EVALUATE) {
        return None;
    }
    let arguments = message.slice_ref(arguments.as_bytes());
    let (before, after) = around(message, &arguments)?;
    let mut rest = BytesMut::with_capacity(before.len() + after.len() + 2);
    rest.extend_from_slice(before);
    rest.extend_from_slice(b"{}");
    rest.extend_from_slice(after);
    Some((rest.freeze(), arguments))
}

/// What of a message stands before and after a part of it. None where it is no part of it.
fn around<'m>(message: &'m [u8], part: &[u8]) -> Option<(&'m [u8], &'m [u8])> {
    let begin = (part.as_ptr() as usize).checked_sub(message.as_ptr() as usize)?;
    Some((message.get(..begin)?, message.get(begin + part.len()..)?))
}

/// Whether a message holds more values than are read. The arguments of a judgement, a part of it, may hold more than
/// the rest: their values are borrowed from their text, and few are judged at once.
pub(crate) fn has_too_many_values(message: &[u8], judged: Option<&[u8]>) -> bool {
    match judged.and_then(|arguments| Some((arguments, around(message, arguments)?))) {
        Some((arguments, (before, after))) => {
            hold_more_values_than(&[before, after], MESSAGE_VALUES)
                || hold_more_values_than(&[arguments], SIGNALS_VALUES)
        }
        None => hold_more_values_than(&[message], MESSAGE_VALUES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn message(arguments: &str) -> Bytes {
        Bytes::from(format!(
            r#"{{"id":7,"params":{{"arguments":{arguments},"name":"{EVALUATE}"}},"jsonrpc":"2.0","method":"tools\u002fcall"}}"#
        ))
    }

    #[test]
    fn arguments_are_taken_out_and_nothing_else() {
        let given = r#"{"signals": [{"source": "}\""}]}"#;
        let (rest, arguments) = apart(&message(given)).unwrap();
        assert_eq!(arguments, given);
        let rest: Value = serde_json::from_slice(&rest).unwrap();
        let left = json!({"id": 7, "params": {"arguments": {}, "name": EVALUATE}, "jsonrpc": "2.0", "method": "tools/call"});
        assert_eq!(rest, left);
        for other in [
            message("[]"),
            message("{"),
            Bytes::from_static(br#"{"id":1,"method":"ping"}"#),
            Bytes::from_static(br#"{"method":"tools/call","params":{"name":"extract_yc","arguments":{}}}"#),
            Bytes::from_static(b"\xff"),
        ] {
            assert!(apart(&other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn values_are_counted_and_texts_are_not() {
        let text = format!(r#"{{"a":"{}"}}"#, r#"[,{\""#.repeat(MESSAGE_VALUES));
        assert!(!has_too_many_values(text.as_bytes(), None));
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 1));
        assert!(!has_too_many_values(list(MESSAGE_VALUES).as_bytes(), None));
        assert!(has_too_many_values(list(MESSAGE_VALUES + 1).as_bytes(), None));
        let judged = |values| {
            let message = message(&format!(r#"{{"signals":{}}}"#, list(values)));
            let (_, arguments) = apart(&message).unwrap();
            has_too_many_values(&message, Some(&arguments))
        };
        assert!(!judged(SIGNALS_VALUES - 1));
        assert!(judged(SIGNALS_VALUES));
        // Beside the arguments, no more than in any message.
        let beside = |values: usize| {
            let (more, name) = (list(values), EVALUATE);
            let message = format!(
                r#"{{"method":"tools/call","params":{{"arguments":{{}},"name":"{name}"}},"id":{more}}}"#
            );
            let message = Bytes::from(message);
            let (_, arguments) = apart(&message).unwrap();
            has_too_many_values(&message, Some(&arguments))
        };
        assert!(!beside(MESSAGE_VALUES - 5));
        assert!(beside(MESSAGE_VALUES - 4));
    }

    #[test]
    fn an_answer_is_one_object_of_json() {
        let structure = RawValue::from_string(r#"{"results":[1]}"#.to_owned()).unwrap();
        let mut out = Vec::new();
        write_answer(
            &mut out,
            &"a",
            &json!({"content": [], "isError": false}),
            &structure,
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"jsonrpc":"2.0","id":"a","result":{"content":[],"isError":false,"structuredContent":{"results":[1]}}}"#
        );
    }
}
