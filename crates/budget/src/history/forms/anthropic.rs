//! Anthropic's messages and those of MCP's sampling, whose blocks share most names.
//!
//! Sources: `anthropic.types.MessageParam` and `ContentBlockParam` of Anthropic's Python SDK; `SamplingMessage` of
//! the MCP schema, 2025-11-25.

use serde_json::Value;

use super::super::message::{Call, Message, Role, holds, kind, text};
use super::{Unlike, blocks, only, unknown_block, unknown_role, with_content};

/// Blocks that are neither a call nor a result, besides text and files.
const PLAIN: [&str; 11] = [
    "thinking",
    "redacted_thinking",
    "search_result",
    "container_upload",
    "compaction",
    "tool_addition",
    "tool_removal",
    "tool_reference",
    "mcp_tool_listing",
    "fallback",
    "browser_state",
];

pub(super) fn read(message: &Value) -> Result<Message, Unlike> {
    only(message, &[])?;
    with_content(message)?;
    let mut out = Message::of(match text(message, "role") {
        // Since 2026 instructions may stand in the list, too.
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Other,
        _ => return unknown_role(message),
    });
    let blocks = blocks(message)?;
    for block in blocks {
        let source = || block.get("source").is_some_and(Value::is_object);
        match kind(block) {
            "text" if text(block, "text").is_some() => {}
            "image" | "document" if source() => {}
            kind if PLAIN.contains(&kind) => {}
            "tool_use" => out.calls.push(Call::id(id(block, "id")?)),
            // The vendor executes these, and pauses between them and their results.
            kind if kind.ends_with("_tool_use") => out.calls.push(Call::id(id(block, "id")?).optional()),
            kind if kind.ends_with("tool_result") => {
                out.results.push(Call::id(id(block, "tool_use_id")?));
            }
            _ => return unknown_block(block),
        }
    }
    // Reasoning that stands alone goes before what it led to.
    out.leads_on = !blocks.is_empty() && blocks.iter().all(|block| kind(block).ends_with("thinking"));
    Ok(out)
}

pub(super) fn read_sampling(message: &Value) -> Result<Message, Unlike> {
    only(message, &[])?;
    with_content(message)?;
    let mut out = Message::of(match text(message, "role") {
        Some("user") => Role::User,
        Some("assistant") => Role::Other,
        _ => return unknown_role(message),
    });
    let blocks = match message.get("content") {
        Some(block @ Value::Object(_)) => std::slice::from_ref(block),
        Some(Value::Array(_)) => blocks(message)?,
        _ => return Err("has a `content` that is neither a block nor a list".to_owned()),
    };
    for block in blocks {
        match kind(block) {
            "text" if text(block, "text").is_some() => {}
            "image" | "audio" if holds(block, "data") => {}
            "tool_use" => out.calls.push(Call::id(id(block, "id")?)),
            "tool_result" => out.results.push(Call::id(id(block, "toolUseId")?)),
            _ => return unknown_block(block),
        }
    }
    Ok(out)
}

fn id<'a>(block: &'a Value, name: &str) -> Result<&'a str, Unlike> {
    text(block, name).ok_or_else(|| format!("has the block `{}` without `{name}`", kind(block)))
}
