//! Formats that are known and not read: the error names them, and says what to do.

use freshcontext_contract::SourceError;
use serde_json::Value;

use super::message::{holds, kind, text};

/// The format's name in a sentence, and what to do instead.
pub(super) type Named = (&'static str, &'static str);

const AS_SENT: &str = "give the messages as they are sent to the model";

/// Names a history that is not read.
pub(super) fn name(around: &Value, messages: &[Value]) -> Option<Named> {
    if around.get("mapping").is_some() || messages.iter().any(|message| message.get("mapping").is_some()) {
        return Some(("an export of ChatGPT", AS_SENT));
    }
    let within = std::iter::once(around)
        .chain(messages)
        .filter_map(|holder| holder.get("conversations")?.as_array())
        .flatten();
    messages.iter().chain(within).find_map(of_message)
}

/// The error that names it.
pub(super) fn refusal((what, instead): Named) -> SourceError {
    SourceError::invalid_input(
        "history",
        format!("is {what}, which is not read; {instead}"),
        super::EXAMPLE,
    )
}

fn of_message(message: &Value) -> Option<Named> {
    let in_list = |list: &str, test: &dyn Fn(&Value) -> bool| {
        let values = message.get(list).and_then(Value::as_array);
        values.into_iter().flatten().any(test)
    };
    let has = |name: &str| holds(message, name);
    let is_transcript = ["uuid", "parentUuid", "sessionId", "leafUuid"]
        .iter()
        .any(|name| has(name));
    let named = if is_transcript && !kind(message).is_empty() {
        (
            "a transcript of Claude Code, whose format is internal and changes",
            "give the `message` of its lines of the types user and assistant: jq -s \
             'map(select(.type == \"user\" or .type == \"assistant\") | select(.isSidechain | not) | .message)'",
        )
    } else if has("payload") && has("type") {
        (
            "a transcript of Codex",
            "give the `payload` of its lines of the type response_item: jq -s 'map(select(.type == \"response_item\") | .payload)'",
        )
    } else if in_list("parts", &|part| part.get("part_kind").is_some()) {
        ("a history of Pydantic AI", AS_SENT)
    } else if in_list("blocks", &|block| block.get("block_type").is_some()) {
        ("a history of LlamaIndex", AS_SENT)
    } else if has("_role")
        || message.get("meta").is_some_and(Value::is_object)
            && message.get("content").is_some_and(Value::is_array)
    {
        ("a history of Haystack", AS_SENT)
    } else if has("from") && message.get("value").is_some() {
        ("a conversation in ShareGPT's format", AS_SENT)
    } else if text(message, "object") == Some("thread.message") {
        ("a thread of OpenAI's Assistants", AS_SENT)
    } else if has("tool_plan")
        || matches!(
            text(message, "role"),
            Some("USER" | "CHATBOT" | "SYSTEM" | "TOOL")
        )
    {
        ("a history of Cohere", AS_SENT)
    } else if has("author") && message.pointer("/content/parts").is_some() {
        (
            "a session of Google's Agent Development Kit",
            "give the `content` of its events",
        )
    } else if in_list("items", &|item| item.get("$type").is_some())
        || in_list("Items", &|item| item.get("$type").is_some())
    {
        ("a history of Semantic Kernel", AS_SENT)
    } else if has("source") && (kind(message).ends_with("Message") || kind(message).ends_with("Event")) {
        ("a history of AutoGen", AS_SENT)
    } else if message.get("messages").is_some_and(Value::is_array) {
        ("a list of histories", "give one of them")
    } else {
        return None;
    };
    Some(named)
}
