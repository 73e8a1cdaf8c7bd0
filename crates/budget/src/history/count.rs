//! Tokens of a message: its texts, the arguments of its calls, and the overhead of each message.

use serde_json::Value;

use crate::tokens::Tokenizer;

/// Overhead of a message beyond its texts: OpenAI's "How to count tokens with tiktoken" gives 3, and 1 for the role.
pub(super) const PER_MESSAGE: usize = 4;
/// What an image or a file is estimated at: an image takes up to about 1,600 (Anthropic, "Vision").
pub(super) const PER_MEDIA: usize = 1_600;
/// Bytes for each token of sealed reasoning, an estimate.
const SEALED_BYTES: usize = 4;

/// What stands there for programs, not for the model.
const NOT_READ: [&str; 16] = [
    "type",
    "role",
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "toolUseId",
    "approval_request_id",
    "status",
    "detail",
    "media_type",
    "mimeType",
    "cache_control",
    "annotations",
    "logprobs",
    "phase",
];
/// Where images and files stand as bytes or addresses.
const MEDIA: [&str; 6] = ["data", "image_url", "file_data", "file_id", "file_url", "blob"];
/// Reasoning that only its vendor can read.
const SEALED: [&str; 3] = ["encrypted_content", "signature", "thoughtSignature"];
/// Values of calls, read as JSON.
const AS_JSON: [&str; 3] = ["input", "arguments", "structuredContent"];

/// Tokens of a message, and whether some of them are an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub tokens: usize,
    pub estimated: bool,
}

/// Counts a message.
pub(super) fn message(message: &Value, tokenizer: Tokenizer) -> Counted {
    let mut counted = Counted {
        tokens: PER_MESSAGE,
        estimated: false,
    };
    walk(message, "", tokenizer, &mut counted);
    counted
}

/// Counts the instructions beside a list of messages.
pub(super) fn beside(history: &Value, tokenizer: Tokenizer) -> usize {
    let mut counted = Counted {
        tokens: 0,
        estimated: false,
    };
    for name in ["system", "instructions"] {
        if let Some(value) = history.get(name) {
            counted.tokens += PER_MESSAGE;
            walk(value, name, tokenizer, &mut counted);
        }
    }
    counted.tokens
}

fn walk(value: &Value, name: &str, tokenizer: Tokenizer, out: &mut Counted) {
    if NOT_READ.contains(&name) || value.is_null() {
        return;
    }
    if MEDIA.contains(&name) || (name == "url" && is_data(value)) {
        out.tokens += PER_MEDIA;
        out.estimated = true;
        return;
    }
    match value {
        Value::String(text) if SEALED.contains(&name) => {
            out.tokens += text.len() / SEALED_BYTES;
            out.estimated = true;
        }
        Value::String(text) => out.tokens += tokenizer.count(text),
        Value::Object(_) | Value::Array(_) if AS_JSON.contains(&name) => {
            out.tokens += tokenizer.count(&value.to_string());
        }
        Value::Array(values) => values.iter().for_each(|value| walk(value, "", tokenizer, out)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| walk(value, name, tokenizer, out)),
        _ => {}
    }
}

fn is_data(value: &Value) -> bool {
    value.as_str().is_some_and(|url| url.starts_with("data:"))
}
