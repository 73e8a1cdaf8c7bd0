//! The ways in which messages are written, and what matters of each message.

use serde::Serialize;
use serde_json::Value;

/// A way in which messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Anthropic's messages.
    AnthropicMessages,
    /// OpenAI's chat completions.
    OpenaiChat,
    /// Items of OpenAI's Responses.
    OpenaiResponses,
    /// Messages of MCP's sampling.
    McpSampling,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::AnthropicMessages,
        Self::OpenaiChat,
        Self::OpenaiResponses,
        Self::McpSampling,
    ];

    /// The name in records and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic_messages",
            Self::OpenaiChat => "openai_chat",
            Self::OpenaiResponses => "openai_responses",
            Self::McpSampling => "mcp_sampling",
        }
    }
}

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Instructions, which stay.
    System,
    User,
    Other,
}

/// What matters of a message.
#[derive(Debug)]
pub(super) struct Message {
    pub role: Role,
    /// Ids of the calls in it.
    pub calls: Vec<String>,
    /// Ids of the calls whose results are in it.
    pub results: Vec<String>,
    /// Whether it stays with the one after it.
    pub leads_on: bool,
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// The blocks of a message's content: a list of them, or a single one.
fn blocks(message: &Value) -> &[Value] {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks,
        Some(block @ Value::Object(_)) => std::slice::from_ref(block),
        _ => &[],
    }
}

fn kind(value: &Value) -> &str {
    text(value, "type").unwrap_or_default()
}

/// How messages are written, by what only one way has. Plain ones are the same in all.
pub(super) fn recognise(messages: &[Value], around: &Value) -> Form {
    let any = |test: &dyn Fn(&Value) -> bool| messages.iter().any(test);
    let any_block = |test: &dyn Fn(&Value) -> bool| any(&|message| blocks(message).iter().any(test));
    if around.get("input").is_some()
        || any(&|item| !matches!(kind(item), "" | "message"))
        || any_block(&|block| {
            matches!(
                kind(block),
                "input_text" | "output_text" | "input_image" | "input_file"
            )
        })
    {
        Form::OpenaiResponses
    } else if any(&|message| message.get("content").is_some_and(Value::is_object))
        || any_block(&|block| block.get("toolUseId").is_some() || block.get("mimeType").is_some())
    {
        Form::McpSampling
    } else if around.get("system").is_some()
        || any_block(&|block| {
            matches!(
                kind(block),
                "tool_use" | "thinking" | "redacted_thinking" | "image" | "document"
            ) || block.get("tool_use_id").is_some()
        })
    {
        Form::AnthropicMessages
    } else {
        Form::OpenaiChat
    }
}

/// What matters of a message.
pub(super) fn read(form: Form, message: &Value) -> Message {
    let role = match text(message, "role") {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        _ => Role::Other,
    };
    let mut out = Message {
        role,
        calls: Vec::new(),
        results: Vec::new(),
        leads_on: false,
    };
    let own = |value: &Value, name: &str| text(value, name).map(str::to_owned);
    match form {
        Form::OpenaiChat => {
            let calls = message
                .get("tool_calls")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            out.calls.extend(calls.filter_map(|call| own(call, "id")));
            // The older form names the function only.
            let function = |name: Option<&str>| name.map(|name| format!("function {name}"));
            out.calls.extend(function(
                message.get("function_call").and_then(|call| text(call, "name")),
            ));
            match text(message, "role") {
                Some("tool") => out.results.extend(own(message, "tool_call_id")),
                Some("function") => out.results.extend(function(text(message, "name"))),
                _ => {}
            }
        }
        Form::OpenaiResponses => match kind(message) {
            "reasoning" => out.leads_on = true,
            "mcp_approval_request" => out.calls.extend(own(message, "id")),
            "mcp_approval_response" => out.results.extend(own(message, "approval_request_id")),
            kind if kind.ends_with("_call_output") => out.results.extend(own(message, "call_id")),
            kind if kind.ends_with("_call") => out.calls.extend(own(message, "call_id")),
            _ => {}
        },
        Form::AnthropicMessages | Form::McpSampling => {
            for block in blocks(message) {
                match kind(block) {
                    kind if kind.ends_with("tool_use") => out.calls.extend(own(block, "id")),
                    kind if kind.ends_with("tool_result") => {
                        out.results
                            .extend(own(block, "tool_use_id").or_else(|| own(block, "toolUseId")));
                    }
                    _ => {}
                }
            }
        }
    }
    out
}
