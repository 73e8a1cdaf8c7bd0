//! Items of OpenAI's Responses.
//!
//! Source: `ResponseInputItemParam` of OpenAI's Python SDK. Most results name `call_id`; that of a local shell names
//! the call as its `id`, and a call of an MCP server names the request for approval that came before it.

use serde_json::Value;

use super::super::message::{Call, Message, Role, kind, text};
use super::{Unlike, blocks, only, short, unknown_block, unknown_role, with_content};

/// Calls that the caller answers.
const CALLS: [&str; 6] = [
    "function_call",
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
];
/// What the vendor executes by itself, and answers where at all in an item of its own.
const OWN: [&str; 7] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "tool_search_call",
    "program",
];
/// Items without a pair.
const SINGLE: [&str; 7] = [
    "reasoning",
    "item_reference",
    "mcp_list_tools",
    "compaction",
    "compaction_trigger",
    "additional_tools",
    "configuration_update",
];

pub(super) fn read(item: &Value) -> Result<Message, Unlike> {
    let known = match kind(item) {
        "" | "message" => return message(item),
        known => known,
    };
    only(item, &[])?;
    let mut out = Message::default();
    let ids: Vec<String> = ["call_id", "id"]
        .iter()
        .filter_map(|name| text(item, name))
        .map(str::to_owned)
        .collect();
    let by_ids = |ids| Call {
        ids,
        ..Call::default()
    };
    let call_id = || text(item, "call_id").map(|id| vec![id.to_owned()]);
    match known {
        "reasoning" => out.leads_on = true,
        "local_shell_call" => out.calls.push(by_ids(ids)),
        "local_shell_call_output" => out.results.push(by_ids(ids)),
        "mcp_approval_request" => out.calls.push(by_ids(ids).optional()),
        "mcp_approval_response" => {
            let id = text(item, "approval_request_id").ok_or("has no `approval_request_id`")?;
            out.results.push(Call::id(id));
        }
        "mcp_call" => out
            .continues
            .extend(text(item, "approval_request_id").map(str::to_owned)),
        "tool_search_call" | "program" => {
            if let Some(ids) = call_id() {
                out.calls.push(by_ids(ids).optional());
            }
        }
        "tool_search_output" => {
            if let Some(ids) = call_id() {
                out.results.push(by_ids(ids));
            }
        }
        known if CALLS.contains(&known) => {
            out.calls.push(by_ids(call_id().ok_or_else(|| no_id(known))?));
        }
        known if OWN.contains(&known) || SINGLE.contains(&known) => {}
        known if known.ends_with("_output") => {
            out.results.push(by_ids(call_id().ok_or_else(|| no_id(known))?));
        }
        known => return Err(format!("has the type `{}`", short(known))),
    }
    Ok(out)
}

fn no_id(known: &str) -> Unlike {
    format!("has the type `{}` without `call_id`", short(known))
}

fn message(item: &Value) -> Result<Message, Unlike> {
    only(item, &[])?;
    // A reference to an item may leave its type out.
    if item.get("role").is_none() && item.get("content").is_none() && text(item, "id").is_some() {
        return Ok(Message::default());
    }
    with_content(item)?;
    let out = Message::of(match text(item, "role") {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Other,
        _ => return unknown_role(item),
    });
    for block in blocks(item)? {
        if !matches!(
            kind(block),
            "input_text"
                | "output_text"
                | "input_image"
                | "input_file"
                | "input_audio"
                | "refusal"
                | "summary_text"
                | "reasoning_text"
        ) {
            return unknown_block(block);
        }
    }
    Ok(out)
}
