//! Conversations as each format writes them, and what their vendors ask of the order.

#![expect(clippy::indexing_slicing, reason = "what a test reads, it wrote itself")]

use freshcontext_budget::history::Form;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A question, the steps of the model, and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    question: String,
    /// Calls of each step with their results, and whether these come in reverse order.
    steps: Vec<(Vec<(String, String)>, bool)>,
    /// None in the newest exchange only.
    answer: Option<String>,
}

impl Exchange {
    pub fn with_a_call(question: &str, input: &str, output: &str) -> Self {
        Self {
            question: question.into(),
            steps: vec![(vec![(input.into(), output.into())], false)],
            answer: None,
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,3}[a-z ]{0,40}",
        "[a-z]{1,3}[a-z .]{0,600}",
        Just(
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{65e5}\u{672c}\u{8a9e}\u{3002}e\u{301}".repeat(20)
        ),
    ]
}

pub fn exchanges() -> impl Strategy<Value = Vec<Exchange>> {
    let step = (prop::collection::vec((text(), text()), 1..4), any::<bool>());
    let exchange =
        (text(), prop::collection::vec(step, 0..4), text()).prop_map(|(question, steps, answer)| Exchange {
            question,
            steps,
            answer: Some(answer),
        });
    prop::collection::vec(exchange, 1..5).prop_map(|mut exchanges| {
        if let Some(last) = exchanges.last_mut() {
            last.answer = None;
        }
        exchanges
    })
}

/// The conversation, as a format writes it. Instructions stand in the list where the format has them there.
pub fn written(exchanges: &[Exchange], form: Form, system: bool) -> Vec<Value> {
    let mut out = Vec::new();
    if system {
        out.extend(said(form, "system", "Be brief."));
    }
    let mut id = 0;
    for exchange in exchanges {
        out.extend(said(form, "user", &exchange.question));
        for (calls, reversed) in &exchange.steps {
            let calls: Vec<(String, String, &str, &str)> = calls
                .iter()
                .map(|(input, output)| {
                    id += 1;
                    (
                        format!("call{id:05}"),
                        format!("search_{id}"),
                        input.as_str(),
                        output.as_str(),
                    )
                })
                .collect();
            step(form, &calls, *reversed, &mut out);
        }
        if let Some(answer) = &exchange.answer {
            out.extend(said(form, "assistant", answer));
        }
    }
    out
}

/// A message of words; none where a format has no such role in the list.
fn said(form: Form, role: &str, text: &str) -> Option<Value> {
    let is_system = role == "system";
    Some(match form {
        Form::OpenaiChat | Form::Mistral | Form::Ollama => json!({"role": role, "content": text}),
        Form::VercelModel if is_system => json!({"role": role, "content": text}),
        Form::VercelUi => {
            json!({"id": "m", "role": role, "parts": [{"type": "text", "text": text, "state": "done"}]})
        }
        Form::AnthropicMessages | Form::McpSampling | Form::BedrockConverse | Form::Gemini if is_system => {
            return None;
        }
        Form::McpSampling => json!({"role": role, "content": {"type": "text", "text": text}}),
        Form::AnthropicMessages | Form::VercelModel => {
            json!({"role": role, "content": [{"type": "text", "text": text}]})
        }
        Form::BedrockConverse => json!({"role": role, "content": [{"text": text}]}),
        Form::Gemini => {
            json!({"role": if role == "user" { "user" } else { "model" }, "parts": [{"text": text}]})
        }
        Form::OpenaiResponses => {
            let kind = if role == "assistant" {
                "output_text"
            } else {
                "input_text"
            };
            json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
        }
        Form::Langchain => {
            let kind = match role {
                "user" => "human",
                "assistant" => "ai",
                role => role,
            };
            json!({"type": kind, "data": {"content": text, "additional_kwargs": {}, "type": kind, "name": null, "id": null}})
        }
    })
}

type Named<'a> = (String, String, &'a str, &'a str);

fn step(form: Form, calls: &[Named<'_>], reversed: bool, out: &mut Vec<Value>) {
    let mut results: Vec<&Named<'_>> = calls.iter().collect();
    if reversed {
        results.reverse();
    }
    let each = |write: &dyn Fn(&Named<'_>) -> Value| -> Vec<Value> { calls.iter().map(write).collect() };
    let back = |write: &dyn Fn(&Named<'_>) -> Value| -> Vec<Value> {
        results.iter().map(|result| write(result)).collect()
    };
    match form {
        Form::OpenaiChat | Form::Mistral | Form::Ollama => {
            let calls = each(&|(id, name, input, _)| {
                let arguments = json!({"query": input});
                match form {
                    Form::OpenaiChat => {
                        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}})
                    }
                    Form::Mistral => json!({"id": id, "function": {"name": name, "arguments": arguments}}),
                    _ => json!({"function": {"name": name, "arguments": arguments}}),
                }
            });
            let content = if form == Form::OpenaiChat {
                Value::Null
            } else {
                json!("")
            };
            out.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
            out.extend(back(&|(id, name, _, output)| match form {
                Form::OpenaiChat => json!({"role": "tool", "tool_call_id": id, "content": output}),
                Form::Mistral => json!({"role": "tool", "tool_call_id": id, "name": name, "content": output}),
                _ => json!({"role": "tool", "tool_name": name, "content": output}),
            }));
        }
        Form::OpenaiResponses => {
            out.push(
                json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "abcdefgh"}),
            );
            out.extend(each(&|(id, name, input, _)| {
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": json!({"query": input}).to_string()})
            }));
            out.extend(back(&|(id, _, _, output)| json!({"type": "function_call_output", "call_id": id, "output": output})));
        }
        Form::AnthropicMessages | Form::McpSampling => {
            let of = if form == Form::McpSampling {
                "toolUseId"
            } else {
                "tool_use_id"
            };
            let calls = each(
                &|(id, name, input, _)| json!({"type": "tool_use", "id": id, "name": name, "input": {"query": input}}),
            );
            let results = back(
                &|(id, _, _, output)| json!({"type": "tool_result", of: id, "content": [{"type": "text", "text": output}]}),
            );
            out.push(json!({"role": "assistant", "content": calls}));
            out.push(json!({"role": "user", "content": results}));
        }
        Form::BedrockConverse => {
            let calls = each(
                &|(id, name, input, _)| json!({"toolUse": {"toolUseId": id, "name": name, "input": {"query": input}}}),
            );
            let results = back(
                &|(id, _, _, output)| json!({"toolResult": {"toolUseId": id, "content": [{"text": output}], "status": "success"}}),
            );
            out.push(json!({"role": "assistant", "content": calls}));
            out.push(json!({"role": "user", "content": results}));
        }
        Form::Gemini => {
            let calls = each(
                &|(_, name, input, _)| json!({"functionCall": {"name": name, "args": {"query": input}}, "thoughtSignature": "c2ln"}),
            );
            let results = back(
                &|(_, name, _, output)| json!({"functionResponse": {"name": name, "response": {"output": output}}}),
            );
            out.push(json!({"role": "model", "parts": calls}));
            out.push(json!({"role": "user", "parts": results}));
        }
        Form::VercelModel => {
            let calls = each(
                &|(id, name, input, _)| json!({"type": "tool-call", "toolCallId": id, "toolName": name, "input": {"query": input}}),
            );
            let results = back(
                &|(id, name, _, output)| json!({"type": "tool-result", "toolCallId": id, "toolName": name, "output": {"type": "text", "value": output}}),
            );
            out.push(json!({"role": "assistant", "content": calls}));
            out.push(json!({"role": "tool", "content": results}));
        }
        Form::VercelUi => {
            let parts = each(
                &|(id, name, input, output)| json!({"type": format!("tool-{name}"), "toolCallId": id, "state": "output-available", "input": {"query": input}, "output": output}),
            );
            out.push(json!({"id": "m", "role": "assistant", "parts": parts}));
        }
        Form::Langchain => {
            let calls = each(
                &|(id, name, input, _)| json!({"name": name, "args": {"query": input}, "id": id, "type": "tool_call"}),
            );
            out.push(json!({"type": "ai", "data": {"content": "", "additional_kwargs": {}, "type": "ai", "tool_calls": calls, "invalid_tool_calls": []}}));
            out.extend(back(&|(id, _, _, output)| json!({"type": "tool", "data": {"content": output, "type": "tool", "tool_call_id": id, "status": "success"}})));
        }
    }
}

/// What happens in a history, in order: `system`, `user`, `model`, and `call` and `result` with what names them.
pub fn events(form: Form, history: &[Value]) -> Vec<(&'static str, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("no id").to_owned();
    let mut out = Vec::new();
    for message in history {
        let fields = if form == Form::Langchain {
            &message["data"]
        } else {
            message
        };
        let role = match message["role"].as_str().or(message["type"].as_str()) {
            Some("system" | "developer") => "system",
            Some("user" | "human") => "user",
            _ => "model",
        };
        let before = out.len();
        for call in fields["tool_calls"].as_array().into_iter().flatten() {
            out.push((
                "call",
                text(if call["id"].is_string() {
                    &call["id"]
                } else {
                    &call["function"]["name"]
                }),
            ));
        }
        if message["role"] == "tool" && form != Form::VercelModel {
            let name = if form == Form::Ollama {
                "tool_name"
            } else {
                "tool_call_id"
            };
            out.push(("result", text(&message[name])));
        }
        match message["type"].as_str() {
            Some("function_call") => out.push(("call", text(&message["call_id"]))),
            Some("function_call_output") => out.push(("result", text(&message["call_id"]))),
            Some("tool") => out.push(("result", text(&fields["tool_call_id"]))),
            _ => {}
        }
        let blocks = message["content"].as_array().or(message["parts"].as_array());
        for block in blocks.into_iter().flatten() {
            let kind = block["type"].as_str().unwrap_or_default();
            match kind {
                "tool_use" => out.push(("call", text(&block["id"]))),
                "tool-call" => out.push(("call", text(&block["toolCallId"]))),
                "tool_result" => out.push((
                    "result",
                    text(block.get("tool_use_id").unwrap_or(&block["toolUseId"])),
                )),
                "tool-result" => out.push(("result", text(&block["toolCallId"]))),
                _ => {}
            }
            for (name, kind, id) in [
                ("toolUse", "call", "toolUseId"),
                ("toolResult", "result", "toolUseId"),
                ("functionCall", "call", "name"),
                ("functionResponse", "result", "name"),
            ] {
                if let Some(member) = block.get(name) {
                    out.push((kind, text(&member[id])));
                }
            }
        }
        if out.len() == before {
            out.push((role, String::new()));
        }
    }
    out
}

/// What the vendors ask: every call has its result directly after its step and the other way round; the user begins,
/// where a vendor asks that; roles take turns, where one asks that.
pub fn is_valid(form: Form, history: &[Value]) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    let mut in_results = false;
    for (at, (kind, id)) in events(form, history).into_iter().enumerate() {
        match kind {
            "call" => {
                if in_results && !open.is_empty() {
                    return Err(format!("event {at}: a step before the results of the last"));
                }
                in_results = false;
                open.push(id);
            }
            "result" => {
                in_results = true;
                let place = open.iter().position(|call| *call == id);
                open.remove(place.ok_or_else(|| format!("event {at}: the result {id} without its call"))?);
            }
            _ if !open.is_empty() => return Err(format!("event {at}: {kind} before the results")),
            _ => in_results = false,
        }
    }
    if !open.is_empty() {
        return Err(format!("no results: {open:?}"));
    }
    let events = events(form, history);
    let first = events
        .iter()
        .find(|event| event.0 != "system")
        .map(|event| event.0);
    if matches!(
        form,
        Form::AnthropicMessages | Form::BedrockConverse | Form::Gemini
    ) && first != Some("user")
    {
        return Err(format!("begins with {first:?}"));
    }
    let roles: Vec<&Value> = history.iter().map(|message| &message["role"]).collect();
    if matches!(
        form,
        Form::AnthropicMessages | Form::BedrockConverse | Form::Gemini | Form::McpSampling
    ) && roles.windows(2).any(|two| two[0] == two[1])
    {
        return Err("two messages of one role in a row".to_owned());
    }
    let is_reasoning = |item: &Value| item["type"] == "reasoning";
    let led = history
        .windows(2)
        .filter(|two| is_reasoning(&two[0]))
        .all(|two| two[1]["type"] == "function_call");
    let is_last = history.last().is_some_and(is_reasoning);
    if !led || is_last {
        return Err("reasoning without what it led to".to_owned());
    }
    Ok(())
}
