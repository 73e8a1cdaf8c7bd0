//! One reader for each format. A reader takes a message only as its vendor documents it: what it does not know,
//! it refuses by name, so that a history of another format is never cut by the wrong rules.

mod anthropic;
mod bedrock;
mod chat;
mod gemini;
mod langchain;
mod responses;
mod vercel;

use serde_json::Value;

use super::form::Form;
use super::message::{Message, holds, kind};

/// Why a message is not of a format: "has the block `toolUse`".
pub(super) type Unlike = String;

/// Reads a message as one of this format.
pub(super) fn read(form: Form, message: &Value) -> Result<Message, Unlike> {
    let read = match form {
        Form::AnthropicMessages => anthropic::read(message),
        Form::McpSampling => anthropic::read_sampling(message),
        Form::OpenaiChat => chat::read(message),
        Form::Mistral => chat::read_mistral(message),
        Form::Ollama => chat::read_ollama(message),
        Form::OpenaiResponses => responses::read(message),
        Form::BedrockConverse => bedrock::read(message),
        Form::Gemini => gemini::read(message),
        Form::VercelModel => vercel::read_model(message),
        Form::VercelUi => vercel::read_ui(message),
        Form::Langchain => langchain::read(message),
    };
    read.map(Message::settle)
}

/// Fields of messages that only some formats have.
const TELLING: [&str; 14] = [
    "tool_calls",
    "tool_call_id",
    "function_call",
    "tool_name",
    "images",
    "parts",
    "toolInvocations",
    "kwargs",
    "lc",
    "message",
    "blocks",
    "tool_plan",
    "author",
    "from",
];

/// Refuses a message with a telling field that its format does not have.
fn only(message: &Value, known: &[&str]) -> Result<(), Unlike> {
    let other = TELLING
        .iter()
        .find(|name| !known.contains(name) && holds(message, name));
    other.map_or(Ok(()), |name| Err(format!("has `{name}`")))
}

/// Refuses a message with any other field, for formats whose vendors refuse it, too.
fn nothing_but(message: &Value, known: &[&str]) -> Result<(), Unlike> {
    let mut names = message.as_object().into_iter().flatten().map(|(name, _)| name);
    let other = names.find(|name| !known.contains(&name.as_str()));
    other.map_or(Ok(()), |name| Err(format!("has `{}`", short(name))))
}

/// The blocks of a message's content; none where it is a text, or absent.
fn blocks(message: &Value) -> Result<&[Value], Unlike> {
    match message.get("content") {
        None | Some(Value::Null | Value::String(_)) => Ok(&[]),
        Some(Value::Array(blocks)) => match blocks.iter().position(|block| !block.is_object()) {
            Some(at) => Err(format!("has content[{at}], which is no object")),
            None => Ok(blocks),
        },
        Some(_) => Err("has a `content` that is neither a text nor a list".to_owned()),
    }
}

/// Refuses a message without content.
fn with_content(message: &Value) -> Result<(), Unlike> {
    if message.get("content").is_none() {
        return Err("has no `content`".to_owned());
    }
    Ok(())
}

fn unknown_role<T>(message: &Value) -> Result<T, Unlike> {
    Err(match message.get("role") {
        Some(Value::String(role)) => format!("has the role `{}`", short(role)),
        Some(_) => "has a `role` that is no text".to_owned(),
        None => "has no `role`".to_owned(),
    })
}

fn unknown_block<T>(block: &Value) -> Result<T, Unlike> {
    let keys = || {
        let names = block
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| short(name));
        names.take(3).collect::<Vec<_>>().join("`, `")
    };
    Err(match kind(block) {
        "" => format!("has a block with `{}`", keys()),
        kind => format!("has the block `{}`", short(kind)),
    })
}

/// The beginning of a name that came from outside.
fn short(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}
