//! OpenAI's chat completions, and Mistral's and Ollama's, which began as copies of them.
//!
//! Sources: `ChatCompletionMessageParam` of OpenAI's Python SDK; `mistralai.client.models` and the validator of
//! `mistral-common`; `ollama._types.Message`.

use serde_json::Value;

use super::super::message::{Call, Message, Role, kind, text};
use super::{Unlike, blocks, only, short, unknown_block, unknown_role, with_content};

/// How the arguments of a call are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// As text that holds JSON.
    Text,
    /// As an object.
    Object,
    /// Either way.
    Either,
}

pub(super) fn read(message: &Value) -> Result<Message, Unlike> {
    only(message, &["tool_calls", "tool_call_id", "function_call"])?;
    let mut out = Message::of(role(
        message,
        &["system", "developer", "user", "assistant", "tool", "function"],
    )?);
    for block in blocks(message)? {
        let known = match kind(block) {
            "text" => text(block, "text").is_some(),
            "image_url" | "input_audio" | "file" => block.get(kind(block)).is_some_and(Value::is_object),
            "refusal" => text(block, "refusal").is_some(),
            // OpenRouter's and LiteLLM's form of Anthropic's reasoning.
            "thinking" => text(block, "thinking").is_some(),
            _ => false,
        };
        if !known {
            return unknown_block(block);
        }
    }
    calls(message, &mut out, Arguments::Text, true)?;
    // The older form names the function only.
    if let Some(name) = message.get("function_call").and_then(|call| text(call, "name")) {
        out.calls.push(Call::named(None, Some(name)));
    }
    match text(message, "role") {
        Some("tool") => out.results.push(Call::id(of_call(message)?)),
        Some("function") => out.results.push(Call::named(None, text(message, "name"))),
        _ => {}
    }
    complete(message, &out)?;
    Ok(out)
}

pub(super) fn read_mistral(message: &Value) -> Result<Message, Unlike> {
    only(message, &["tool_calls", "tool_call_id"])?;
    let mut out = Message::of(role(message, &["system", "user", "assistant", "tool"])?);
    for block in blocks(message)? {
        let known = match kind(block) {
            "text" => text(block, "text").is_some(),
            "image_url" | "document_url" => block.get(kind(block)).is_some(),
            "input_audio" | "reference" | "thinking" => true,
            "file" => text(block, "file_id").is_some(),
            _ => false,
        };
        if !known {
            return unknown_block(block);
        }
    }
    calls(message, &mut out, Arguments::Either, true)?;
    if text(message, "role") == Some("tool") {
        out.results.push(Call::id(of_call(message)?));
    }
    complete(message, &out)?;
    Ok(out)
}

pub(super) fn read_ollama(message: &Value) -> Result<Message, Unlike> {
    only(message, &["tool_calls", "tool_call_id", "tool_name", "images"])?;
    let mut out = Message::of(role(message, &["system", "user", "assistant", "tool"])?);
    if !matches!(
        message.get("content"),
        None | Some(Value::Null | Value::String(_))
    ) {
        return Err("has a `content` that is no text".to_owned());
    }
    calls(message, &mut out, Arguments::Object, false)?;
    if text(message, "role") == Some("tool") {
        let name = text(message, "tool_name").or_else(|| text(message, "name"));
        out.results.push(Call::named(text(message, "tool_call_id"), name));
    }
    complete(message, &out)?;
    Ok(out)
}

fn role(message: &Value, known: &[&str]) -> Result<Role, Unlike> {
    match text(message, "role").filter(|role| known.contains(role)) {
        Some("system" | "developer") => Ok(Role::System),
        Some("user") => Ok(Role::User),
        Some(_) => Ok(Role::Other),
        None => unknown_role(message),
    }
}

/// Adds the calls of a message.
fn calls(message: &Value, out: &mut Message, arguments: Arguments, needs_id: bool) -> Result<(), Unlike> {
    let listed = message.get("tool_calls").filter(|calls| !calls.is_null());
    let Some(listed) = listed else {
        return Ok(());
    };
    let Some(listed) = listed.as_array() else {
        return Err("has `tool_calls` that are no list".to_owned());
    };
    for call in listed {
        // A tool of another kind has an input under its own name.
        let function = call.get("function").or_else(|| call.get("custom"));
        let Some(function) = function.filter(|function| function.is_object()) else {
            return Err("has `tool_calls` without `function`".to_owned());
        };
        let given = function.get("arguments").or_else(|| function.get("input"));
        let fits = match given {
            None | Some(Value::Null) => true,
            Some(Value::String(_)) => arguments != Arguments::Object,
            Some(Value::Object(_)) => arguments != Arguments::Text,
            Some(_) => false,
        };
        if !fits {
            return Err(match given {
                Some(Value::String(_)) => "has `tool_calls` whose arguments are a text".to_owned(),
                _ => "has `tool_calls` whose arguments are no text".to_owned(),
            });
        }
        let id = text(call, "id");
        if needs_id && id.is_none() {
            return Err("has `tool_calls` without `id`".to_owned());
        }
        out.calls.push(Call::named(id, text(function, "name")));
    }
    Ok(())
}

fn of_call(message: &Value) -> Result<&str, Unlike> {
    text(message, "tool_call_id").ok_or_else(|| "has the role `tool` without `tool_call_id`".to_owned())
}

/// Refuses a message that says nothing and calls nothing, and one that is somebody else's.
fn complete(message: &Value, out: &Message) -> Result<(), Unlike> {
    // An item of another kind, or a typed message of a framework.
    let kind = kind(message);
    if !matches!(kind, "" | "message") {
        return Err(format!("has the type `{}`", short(kind)));
    }
    if out.calls.is_empty()
        && !message.get("refusal").is_some_and(Value::is_string)
        && message.get("audio").is_none()
    {
        return with_content(message);
    }
    Ok(())
}
