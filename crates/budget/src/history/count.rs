//! Tokens of a message: its texts, the arguments of its calls, and the overhead of each message.

use serde_json::Value;

use super::media::{self, PER_MEDIA};
use super::message::{kind, text};
use crate::tokens::Tokenizer;

/// Overhead of a message beyond its texts: OpenAI's "How to count tokens with tiktoken" gives 3, and 1 for the role.
pub(super) const PER_MESSAGE: usize = 4;
/// Bytes for each token of sealed reasoning, an estimate.
const SEALED_BYTES: usize = 4;

/// What stands there for programs, not for the model.
const NOT_READ: [&str; 39] = [
    "type",
    "role",
    "id",
    "index",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "toolUseId",
    "toolCallId",
    "approval_request_id",
    "approvalId",
    "approval",
    "status",
    "state",
    "detail",
    "format",
    "media_type",
    "mediaType",
    "mimeType",
    "mime_type",
    "cache_control",
    "cachePoint",
    "annotations",
    "logprobs",
    "phase",
    "lc",
    "metadata",
    "providerOptions",
    "providerMetadata",
    "callProviderMetadata",
    "resultProviderMetadata",
    "response_metadata",
    "usage_metadata",
    "additional_kwargs",
    "invalid_tool_calls",
    "artifact",
    "videoMetadata",
    "createdAt",
    "example",
];
/// Where images and files stand as bytes or addresses.
const MEDIA: [&str; 12] = [
    "data",
    "bytes",
    "image",
    "images",
    "image_url",
    "document_url",
    "file_data",
    "file_id",
    "file_url",
    "fileUri",
    "file_uri",
    "blob",
];
/// Reasoning that only its vendor can read.
const SEALED: [&str; 6] = [
    "encrypted_content",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "redactedContent",
    "providerSignature",
];
/// Values of calls, read as JSON.
const AS_JSON: [&str; 9] = [
    "input",
    "arguments",
    "args",
    "structuredContent",
    "json",
    "response",
    "output",
    "result",
    "value",
];

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
    // LangChain's fields stand one level deeper.
    let fields = ["data", "kwargs"].iter().find_map(|name| message.get(name));
    let fields = fields.filter(|fields| fields.is_object()).unwrap_or(message);
    Counter { tokenizer }.fields(fields, None, &mut counted);
    counted
}

/// Counts the instructions beside a list of messages.
pub(super) fn beside(around: &Value, tokenizer: Tokenizer) -> usize {
    let mut counted = Counted {
        tokens: 0,
        estimated: false,
    };
    for name in [
        "system",
        "instructions",
        "systemPrompt",
        "systemInstruction",
        "system_instruction",
    ] {
        if let Some(value) = around.get(name) {
            counted.tokens += PER_MESSAGE;
            Counter { tokenizer }.value(value, name, None, &mut counted);
        }
    }
    counted.tokens
}

struct Counter {
    tokenizer: Tokenizer,
}

impl Counter {
    /// `held` is what the fields around say that data is.
    fn fields(&self, fields: &Value, held: Option<&str>, out: &mut Counted) {
        let held = media::kind(fields).or(held);
        if kind(fields) == "redacted_thinking" {
            return sealed(text(fields, "data"), out);
        }
        for (name, value) in fields.as_object().into_iter().flatten() {
            match (kind(fields), name.as_str(), value) {
                // A document that is given as text.
                ("text", "data", Value::String(data)) => out.tokens += self.tokenizer.count(data),
                ("image_generation_call", "result", value) => self.value(value, "image", held, out),
                _ => self.value(value, name, held, out),
            }
        }
    }

    fn value(&self, value: &Value, name: &str, held: Option<&str>, out: &mut Counted) {
        if NOT_READ.contains(&name) {
            return;
        }
        let is_media = MEDIA.contains(&name);
        match value {
            Value::String(text) if SEALED.contains(&name) => sealed(Some(text), out),
            Value::String(text) if is_media || is_data(name, text) => {
                let (tokens, estimated) = media::tokens(text, held, self.tokenizer);
                out.tokens += tokens;
                out.estimated |= estimated;
            }
            Value::String(text) => out.tokens += self.tokenizer.count(text),
            Value::Array(values) if is_media => {
                for value in values {
                    self.value(value, name, held, out);
                }
            }
            // Chat completions have the address in an object.
            Value::Object(_) if matches!(name, "image_url" | "document_url") => {
                self.value(value.get("url").unwrap_or(&Value::Null), name, held, out);
            }
            Value::Object(_) | Value::Array(_) if AS_JSON.contains(&name) && !is_typed(value) => {
                out.tokens += self.tokenizer.count(&value.to_string());
            }
            Value::Array(values) => values.iter().for_each(|value| self.value(value, "", held, out)),
            // Where Bedrock has files that lie elsewhere.
            Value::Object(_) if name == "s3Location" => {
                out.tokens += PER_MEDIA;
                out.estimated = true;
            }
            Value::Object(_) => self.fields(value, held, out),
            _ => {}
        }
    }
}

fn sealed(text: Option<&str>, out: &mut Counted) {
    out.tokens += text.map_or(0, str::len) / SEALED_BYTES;
    out.estimated = true;
}

/// Whether a result is a list of blocks, or a value that says its kind, and no value of the tool's own.
fn is_typed(value: &Value) -> bool {
    let is_block = |value: &Value| !kind(value).is_empty();
    match value {
        Value::Array(values) => !values.is_empty() && values.iter().all(is_block),
        value => {
            is_block(value)
                && (value.get("value").is_some() || MEDIA.iter().any(|name| value.get(name).is_some()))
        }
    }
}

fn is_data(name: &str, text: &str) -> bool {
    name == "url" && text.starts_with("data:")
}
