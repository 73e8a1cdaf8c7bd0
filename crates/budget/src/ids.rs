//! Ids that the same thing has in every call, and the hash that they are made of.

use std::collections::BTreeMap;

use base16ct::lower::encode_string;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::calls::Call;

/// Hexadecimal digits of an id that is made of content.
pub const ID_DIGITS: usize = 32;

/// An item's, from its address (or source), its own title and the hash of its canonical content. Items of one list may
/// share the address, and where they have no summary it is the title that tells them apart.
pub fn item_id(source: &str, title: Option<&str>, content_sha256: Option<&str>) -> String {
    id_of(
        "itm",
        &[
            "FRESHCONTEXT_ITEM_V2",
            source,
            title.unwrap_or_default(),
            content_sha256.unwrap_or("null"),
        ],
    )
}

/// A gap's. Its first half is made of the call that would fill it, so that another call can be told from that one; its
/// second half of whose it is, what is asked and what for. Where no call would fill it, the first half is made of these, too.
pub fn missing_id(scope: &str, question: &str, needed_for: &str, call: Option<&Call>) -> String {
    let parts = ["FRESHCONTEXT_MISSING_V2", scope, question, needed_for];
    let (first, second) = if let Some(call) = call {
        (call_digits(&call.tool, &call.arguments), id_of("mis", &parts))
    } else {
        let whole = id_of("mis", &parts);
        (
            digits(&whole, HALF).to_owned(),
            id_of("mis", &[parts.as_slice(), &["2"]].concat()),
        )
    };
    format!("mis_{first}{}", digits(&second, HALF))
}

/// Whether a call fills the gap of this id: it is the call that the gap names. Of a gap whose call has no arguments that are
/// known, any call of its tool does.
pub fn fills(id: &str, tool: &str, arguments: Option<&Map<String, Value>>) -> bool {
    let Some(named) = id.strip_prefix("mis_").filter(|rest| is_of_content(rest)) else {
        return false;
    };
    let named = named.get(..HALF).unwrap_or_default();
    let given = arguments.cloned().map_or(Value::Null, Value::Object);
    named == call_digits(tool, &given) || named == call_digits(tool, &Value::Null)
}

/// Digits of one half of a gap's id.
const HALF: usize = ID_DIGITS / 2;

/// Arguments that change how much of an answer is shown or how old a copy may be, and not what is asked.
const OF_FORM: [&str; 3] = ["max_length", "max_age", "records"];

fn digits(id: &str, count: usize) -> &str {
    id.split_once('_')
        .and_then(|(_, digits)| digits.get(..count))
        .unwrap_or_default()
}

fn call_digits(tool: &str, arguments: &Value) -> String {
    let told = match arguments {
        Value::Object(arguments) => {
            let asks = arguments
                .iter()
                .filter(|(name, value)| !OF_FORM.contains(&name.as_str()) && !value.is_null());
            // A map of this kind is in the order of its names.
            let asks: BTreeMap<&String, String> =
                asks.map(|(name, value)| (name, canonical(value))).collect();
            let listed = asks.iter().map(|(name, value)| format!("{name}={value}"));
            listed.collect::<Vec<_>>().join("\n")
        }
        other => canonical(other),
    };
    digits(&id_of("mis", &["FRESHCONTEXT_CALL_V1", tool, &told]), HALF).to_owned()
}

/// A value with the fields of its objects in the order of their names.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, String> = fields
                .iter()
                .map(|(name, value)| (name, canonical(value)))
                .collect();
            format!("{fields:?}")
        }
        Value::Array(values) => format!("{:?}", values.iter().map(canonical).collect::<Vec<_>>()),
        other => other.to_string(),
    }
}

/// Whether a text has the form of a [`missing_id`].
pub fn is_missing_id(text: &str) -> bool {
    text.strip_prefix("mis_").is_some_and(is_of_content)
}

/// Whether a text has the form of what stands behind the underscore in an id that is made of content.
pub fn is_of_content(digits: &str) -> bool {
    let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    digits.len() == ID_DIGITS && digits.bytes().all(lower)
}

/// SHA-256 of a text, in lower case hexadecimal digits.
pub fn sha256_hex(text: &str) -> String {
    encode_string(&Sha256::digest(text.as_bytes()))
}

/// An id of this kind that is made of content. Each part goes in behind its length, so that no two lists of parts are
/// written alike.
pub fn id_of(kind: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let hex = encode_string(&hash.finalize());
    format!("{kind}_{}", hex.get(..ID_DIGITS).unwrap_or_default())
}
