//! LangChain's messages, as it writes them: `messages_to_dict` (`{type, data}`), its serialisation (`{lc, type:
//! "constructor", id, kwargs}`), and flat (`{type: "human", content}`), as LangGraph's interface sends them.
//!
//! Source: `langchain_core.messages.utils`, `langchain_core.load`. Content may hold the blocks of any vendor; calls
//! stand in `tool_calls` besides.

use serde_json::Value;

use super::super::message::{Call, Message, Role, kind, text};
use super::{Unlike, only, short};

pub(super) fn read(message: &Value) -> Result<Message, Unlike> {
    let (name, fields) = parts(message)?;
    let name = name.strip_suffix("Chunk").unwrap_or(name);
    let name = name.strip_suffix("Message").unwrap_or(name);
    let role = match name {
        "chat" | "Chat" => text(fields, "role").unwrap_or("chat"),
        name => name,
    };
    let mut out = Message::of(match role {
        "system" | "System" | "developer" => Role::System,
        "human" | "Human" | "user" => Role::User,
        "ai" | "AI" | "assistant" | "tool" | "Tool" | "function" | "Function" | "chat" => Role::Other,
        other => return Err(format!("has the type `{}`", short(other))),
    });
    let content = fields.get("content");
    if !matches!(content, Some(Value::String(_) | Value::Array(_))) {
        return Err("has a `content` that is neither a text nor a list".to_owned());
    }
    let calls = fields.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        out.calls.push(Call::named(text(call, "id"), text(call, "name")));
    }
    // Calls that the model wrote wrongly have answers, too.
    let wrong = fields.get("invalid_tool_calls").and_then(Value::as_array);
    for call in wrong.into_iter().flatten() {
        out.calls
            .push(Call::named(text(call, "id"), text(call, "name")).optional());
    }
    let older = fields.pointer("/additional_kwargs/function_call/name");
    if let Some(name) = older.and_then(Value::as_str) {
        out.calls.push(Call::named(None, Some(name)));
    }
    if out.calls.is_empty() {
        // Messages that were written before LangChain kept calls of its own.
        let older = fields
            .pointer("/additional_kwargs/tool_calls")
            .and_then(Value::as_array);
        let ids = older.into_iter().flatten().filter_map(|call| text(call, "id"));
        out.calls.extend(ids.map(Call::id));
    }
    match role {
        "tool" | "Tool" => {
            let id = text(fields, "tool_call_id").ok_or("has no `tool_call_id`")?;
            out.results.push(Call::id(id));
        }
        "function" | "Function" => out.results.push(Call::named(None, text(fields, "name"))),
        _ => {}
    }
    Ok(out)
}

/// A message's type and its fields.
fn parts(message: &Value) -> Result<(&str, &Value), Unlike> {
    if message.get("lc").is_some() {
        let class = message
            .get("id")
            .and_then(Value::as_array)
            .and_then(|path| path.last());
        let class = class.and_then(Value::as_str).unwrap_or_default();
        let fields = message.get("kwargs").filter(|kwargs| kwargs.is_object());
        return match fields {
            Some(fields) if kind(message) == "constructor" => Ok((class, fields)),
            _ => Err("has `lc`, but no `kwargs`".to_owned()),
        };
    }
    if let Some(data) = message.get("data").filter(|data| data.is_object()) {
        return Ok((kind(message), data));
    }
    only(message, &["tool_calls", "tool_call_id"])?;
    match kind(message) {
        known @ ("human"
        | "ai"
        | "system"
        | "tool"
        | "function"
        | "chat"
        | "developer"
        | "AIMessageChunk"
        | "HumanMessageChunk"
        | "SystemMessageChunk"
        | "ToolMessageChunk"
        | "FunctionMessageChunk") => Ok((known, message)),
        _ => Err("has no `type` of LangChain".to_owned()),
    }
}
