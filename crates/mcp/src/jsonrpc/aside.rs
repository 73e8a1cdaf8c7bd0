//! Data that bypasses rmcp on both transports: the arguments of `evaluate_context`, which are parsed once,
//! and its structured result, which is already serialised. Both are large, and rmcp's own types would hold
//! each of them as a tree of values.

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use freshcontext_contract::limits::{MESSAGE_VALUES, SIGNALS_VALUES};
use freshcontext_core::values::hold_more_values_than;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use freshcontext_engine::{BorrowedArguments, EVALUATE};

/// Arguments of an evaluation and the slot for its structured result. Stored in the extensions of a request
/// whose other arguments are empty.
#[derive(Debug, Clone)]
pub struct EvaluationCall {
    /// Arguments of the call.
    pub arguments: BorrowedArguments,
    /// Receives the structured result.
    pub structure: Slot,
}

impl EvaluationCall {
    /// Pairs arguments with an empty slot.
    pub fn new(arguments: BorrowedArguments) -> Self {
        Self {
            arguments,
            structure: Slot::default(),
        }
    }
}

/// A slot that carries a structured result as JSON text from the engine's answer to the transport.
#[derive(Debug, Clone, Default)]
pub struct Slot(Arc<Mutex<Option<Box<RawValue>>>>);

impl Slot {
    /// Stores the structured result in the slot.
    pub fn fill(&self, structure: Box<RawValue>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(structure);
    }

    /// Takes the structured result out of the slot.
    pub fn take(&self) -> Option<Box<RawValue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Writes the response to a call whose structured result is already serialised. `id` and `result` have rmcp's
/// types.
pub fn write_answer(
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

/// Splits an evaluation call into the message with `{}` as arguments, and the arguments. `None` if the
/// message is another call, is malformed, or holds more than [`SIGNALS_VALUES`] values; the general reader
/// then handles it.
pub fn split_arguments(message: &Bytes) -> Option<(Bytes, BorrowedArguments)> {
    const KEY: &[u8] = b"\"arguments\"";

    #[derive(Deserialize)]
    struct Message<'m> {
        #[serde(borrow)]
        method: Cow<'m, str>,
        #[serde(borrow)]
        params: Params<'m>,
    }

    #[derive(Deserialize)]
    struct Params<'m> {
        #[serde(borrow)]
        name: Cow<'m, str>,
        #[serde(borrow)]
        arguments: &'m RawValue,
    }

    // Parses the arguments at their likely position before the rest of the message, because skipping them first would
    // cost as much again. The position may be wrong (another object's key, or a string that contains a quote), so the
    // parser of the rest verifies it.
    memmem::find(message, EVALUATE.as_bytes())?;
    let behind_key = message.get(memmem::find(message, KEY)? + KEY.len()..)?;
    let value = behind_key
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    if hold_more_values_than(&[value], SIGNALS_VALUES) {
        return None;
    }
    let arguments = BorrowedArguments::beginning(message.slice_ref(value))?;
    let (before, from) = message.split_at_checked(message.len() - value.len())?;
    let after = from.get(arguments.json().len()..)?;
    let rest = Bytes::from([before, b"{}", after].concat());
    let said: Message<'_> = serde_json::from_slice(&rest).ok()?;
    let place = (said.params.arguments.get().as_ptr() as usize).checked_sub(rest.as_ptr() as usize);
    let judges = said.method == "tools/call" && said.params.name == EVALUATE && place == Some(before.len());
    judges.then_some((rest, arguments))
}

/// Returns whether a message exceeds the limit on values, not counting the arguments that [`split_arguments`]
/// removed.
pub fn has_too_many_values(message: &[u8]) -> bool {
    hold_more_values_than(&[message], MESSAGE_VALUES)
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
        let (rest, arguments) = split_arguments(&message(given)).unwrap();
        assert_eq!(arguments.json(), given.as_bytes());
        assert_eq!(
            serde_json::to_value(arguments.value()).unwrap(),
            serde_json::from_str::<Value>(given).unwrap()
        );
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
            assert!(split_arguments(&other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn only_the_arguments_of_the_call_are_taken_out() {
        let called = format!(r#""name":"{EVALUATE}","arguments":{{"signals":[]}}"#);
        for (params, taken) in [
            (called.clone(), true),
            (
                format!(r#""_meta":{{"a":1}},{}"#, called.replace("\":", "\" : ")),
                true,
            ),
            // The first match is not a key, or belongs to another object.
            (format!(r#""_meta":{{"a \"arguments":{{}}}},{called}"#), false),
            (format!(r#""_meta":{{"a":"\"arguments"}},{called}"#), false),
            (format!(r#""_meta":{{"arguments":{{}}}},{called}"#), false),
            (format!(r#"{called},"arguments":{{}}"#), false),
            (called.replace("{\"signals\"", "{\"a\":1e400,\"signals\""), false),
            (
                called.replace("{\"signals\"", "{\"a\":\"\\ud800\",\"signals\""),
                false,
            ),
            (called.replace(":{\"signals\"", ":\u{c}{\"signals\""), false),
        ] {
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}}}}}"#);
            let found = split_arguments(&Bytes::from(message));
            assert_eq!(found.is_some(), taken, "{params}");
        }
    }

    #[test]
    fn values_are_counted_and_texts_are_not() {
        let text = format!(r#"{{"a":"{}"}}"#, r#"[,{\""#.repeat(MESSAGE_VALUES));
        assert!(!has_too_many_values(text.as_bytes()));
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 1));
        assert!(!has_too_many_values(list(MESSAGE_VALUES).as_bytes()));
        assert!(has_too_many_values(list(MESSAGE_VALUES + 1).as_bytes()));
        // The three values after the arguments count, too.
        let judged = |values| split_arguments(&message(&format!(r#"{{"signals":{}}}"#, list(values))));
        let (rest, _) = judged(SIGNALS_VALUES - 4).unwrap();
        assert!(!has_too_many_values(&rest));
        assert!(judged(SIGNALS_VALUES - 3).is_none());
        // Outside the arguments, the limit is the same as in any message.
        let beside = |values: usize| {
            let (more, name) = (list(values), EVALUATE);
            let message = format!(
                r#"{{"method":"tools/call","params":{{"arguments":{{}},"name":"{name}"}},"id":{more}}}"#
            );
            has_too_many_values(&split_arguments(&Bytes::from(message)).unwrap().0)
        };
        assert!(!beside(MESSAGE_VALUES - 6));
        assert!(beside(MESSAGE_VALUES - 5));
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
