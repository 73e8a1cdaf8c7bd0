//! Amazon Bedrock's Converse: content is a list of objects with a single member each.
//!
//! Source: the shapes `Message` and `ContentBlock` of botocore's service model `bedrock-runtime`.

use serde_json::Value;

use super::super::message::{Call, Message, Role, text};
use super::{Unlike, blocks, nothing_but, unknown_block, unknown_role};

/// Members that are neither a call nor a result.
const PLAIN: [&str; 12] = [
    "text",
    "image",
    "document",
    "video",
    "audio",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
];

pub(super) fn read(message: &Value) -> Result<Message, Unlike> {
    nothing_but(message, &["role", "content"])?;
    let mut out = Message::of(match text(message, "role") {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Other,
        _ => return unknown_role(message),
    });
    if !message.get("content").is_some_and(Value::is_array) {
        return Err("has a `content` that is no list".to_owned());
    }
    let blocks = blocks(message)?;
    for block in blocks {
        let mut members = block.as_object().into_iter().flatten();
        // `SDK_UNKNOWN_MEMBER` and the like never come alone; a `type` is another vendor's.
        let (Some((name, member)), None) = (members.next(), members.next()) else {
            return unknown_block(block);
        };
        let id =
            || text(member, "toolUseId").ok_or_else(|| format!("has the block `{name}` without `toolUseId`"));
        match name.as_str() {
            "toolUse" => {
                let call = Call::id(id()?);
                // Its vendor executes a `server_tool_use`.
                let by_server = text(member, "type").is_some_and(|kind| kind.starts_with("server"));
                out.calls.push(if by_server { call.optional() } else { call });
            }
            "toolResult" => out.results.push(Call::id(id()?)),
            name if PLAIN.contains(&name) => {}
            _ => return unknown_block(block),
        }
    }
    let is_reasoning = |block: &Value| block.get("reasoningContent").is_some();
    out.leads_on = !blocks.is_empty() && blocks.iter().all(is_reasoning);
    Ok(out)
}
