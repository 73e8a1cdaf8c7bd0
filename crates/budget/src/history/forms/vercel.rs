//! Messages of the Vercel AI SDK: what it sends to models (`ModelMessage`), and what a page holds (`UIMessage`).
//!
//! Sources: `modelMessageSchema` and `validateUIMessages` of the package `ai`, versions 4 to 6.

use serde_json::Value;

use super::super::message::{Call, Message, Role, holds, kind, text};
use super::{Unlike, blocks, only, unknown_block, unknown_role, with_content};

pub(super) fn read_model(message: &Value) -> Result<Message, Unlike> {
    only(message, &[])?;
    with_content(message)?;
    let mut out = Message::of(match text(message, "role") {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant" | "tool") => Role::Other,
        _ => return unknown_role(message),
    });
    let blocks = blocks(message)?;
    if text(message, "role") == Some("tool") && blocks.is_empty() {
        return Err("has the role `tool` without a result".to_owned());
    }
    for block in blocks {
        let call = || {
            text(block, "toolCallId")
                .map(Call::id)
                .ok_or("has a part without `toolCallId`")
        };
        let approval = || {
            text(block, "approvalId")
                .map(Call::id)
                .ok_or("has a part without `approvalId`")
        };
        match kind(block) {
            "text" | "reasoning" if text(block, "text").is_some() => {}
            "redacted-reasoning" | "custom" => {}
            "image" if holds(block, "image") => {}
            "file" | "reasoning-file" if holds(block, "data") => {}
            "tool-call" => {
                let call = call()?;
                // Its vendor executes it.
                let by_vendor = block.get("providerExecuted") == Some(&Value::Bool(true));
                out.calls.push(if by_vendor { call.optional() } else { call });
            }
            "tool-result" => out.results.push(call()?),
            "tool-approval-request" => out.calls.push(approval()?.optional()),
            "tool-approval-response" => out.results.push(approval()?),
            _ => return unknown_block(block),
        }
    }
    Ok(out)
}

/// Calls and their results stand in one part, so there is no pair to keep together.
pub(super) fn read_ui(message: &Value) -> Result<Message, Unlike> {
    only(message, &["parts", "toolInvocations"])?;
    let out = Message::of(match text(message, "role") {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant" | "data") => Role::Other,
        _ => return unknown_role(message),
    });
    let parts = message.get("parts").and_then(Value::as_array);
    if parts.is_none() && !holds(message, "toolInvocations") {
        return Err("has no list `parts`".to_owned());
    }
    for part in parts.into_iter().flatten() {
        let known = match kind(part) {
            // The last two are of version 4.
            "text" | "reasoning" | "source-url" | "source-document" | "file" | "step-start"
            | "dynamic-tool" | "tool-invocation" | "source" => true,
            kind => kind.starts_with("tool-") || kind.starts_with("data-"),
        };
        if !known {
            return unknown_block(part);
        }
    }
    Ok(out)
}
