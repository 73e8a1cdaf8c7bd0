//! Contents of Gemini's `generateContent`, in camel case as its interface has them and in snake case as its Python
//! library writes them.
//!
//! Source: `Content` and `Part` of Google's `google.genai.types`. Ids of calls are optional; without them, results
//! answer calls by their function.

use serde_json::Value;

use super::super::message::{Call, Message, Role, kind, text};
use super::{Unlike, nothing_but, short, unknown_block, unknown_role};

/// Members of a part that are neither a call nor a result, in camel case.
const PLAIN: [&str; 6] = [
    "text",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "audioTranscription",
];
/// What may stand beside them.
const BESIDE: [&str; 7] = [
    "thought",
    "thoughtSignature",
    "videoMetadata",
    "partMetadata",
    "mediaResolution",
    "mediaProcessing",
    "speechMetadata",
];

pub(super) fn read(message: &Value) -> Result<Message, Unlike> {
    nothing_but(message, &["role", "parts"])?;
    let mut out = Message::of(match message.get("role") {
        None | Some(Value::Null) => Role::User,
        Some(Value::String(role)) if role == "user" => Role::User,
        Some(Value::String(role)) if matches!(role.as_str(), "model" | "function") => Role::Other,
        _ => return unknown_role(message),
    });
    let Some(parts) = message.get("parts").and_then(Value::as_array) else {
        return Err("has no list `parts`".to_owned());
    };
    for part in parts {
        let fields = part.as_object().filter(|_| kind(part).is_empty());
        let Some(fields) = fields else {
            return unknown_block(part);
        };
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let call = || Call::named(text(value, "id"), text(value, "name"));
            match camel(name).as_str() {
                "functionCall" => out.calls.push(call()),
                "functionResponse" | "toolResponse" => out.results.push(call()),
                // Its vendor executes these.
                "toolCall" => out.calls.push(call().optional()),
                name if PLAIN.contains(&name) || BESIDE.contains(&name) => {}
                _ => return Err(format!("has a part with `{}`", short(name))),
            }
        }
    }
    let is_thought = |part: &Value| part.get("thought") == Some(&Value::Bool(true));
    out.leads_on = !parts.is_empty() && parts.iter().all(is_thought);
    Ok(out)
}

/// A name in camel case.
fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut raised = false;
    for c in name.chars() {
        match c {
            '_' => raised = true,
            c if raised => {
                out.push(c.to_ascii_uppercase());
                raised = false;
            }
            c => out.push(c),
        }
    }
    out
}
