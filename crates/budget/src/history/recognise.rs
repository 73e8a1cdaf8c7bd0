//! Which format a history is written in: the one whose reader takes every message. Where several do, because the
//! messages are plain, what stands beside them decides.

use freshcontext_contract::SourceError;
use serde_json::Value;

use super::foreign;
use super::form::{Form, Opening};
use super::forms;
use super::given::Given;
use super::message::{Message, holds, text};

/// Beginnings of models' names, and the format in which their vendors take messages.
const MODELS: [(&str, Form); 13] = [
    ("gpt", Form::OpenaiChat),
    ("chatgpt", Form::OpenaiChat),
    ("o1", Form::OpenaiChat),
    ("o3", Form::OpenaiChat),
    ("o4", Form::OpenaiChat),
    ("gemini", Form::Gemini),
    ("mistral", Form::Mistral),
    ("ministral", Form::Mistral),
    ("magistral", Form::Mistral),
    ("codestral", Form::Mistral),
    ("devstral", Form::Mistral),
    ("pixtral", Form::Mistral),
    ("voxtral", Form::Mistral),
];

/// Fields of a request that only one vendor has.
const BESIDE: [(&str, Form); 16] = [
    ("anthropic_version", Form::AnthropicMessages),
    ("modelId", Form::BedrockConverse),
    ("inferenceConfig", Form::BedrockConverse),
    ("toolConfig", Form::BedrockConverse),
    ("systemPrompt", Form::McpSampling),
    ("modelPreferences", Form::McpSampling),
    ("includeContext", Form::McpSampling),
    ("keep_alive", Form::Ollama),
    ("options", Form::Ollama),
    ("think", Form::Ollama),
    ("safe_prompt", Form::Mistral),
    ("random_seed", Form::Mistral),
    ("prompt_mode", Form::Mistral),
    ("logit_bias", Form::OpenaiChat),
    ("max_completion_tokens", Form::OpenaiChat),
    ("reasoning_effort", Form::OpenaiChat),
];

/// A history whose format is known.
pub(super) struct Recognised {
    pub form: Form,
    pub messages: Vec<Message>,
    /// Whether what is kept begins with a message of the user.
    pub opening: Opening,
}

/// Reads every message in the given format, or in the only one that fits.
pub(super) fn recognise(given: &Given<'_>, wanted: Option<Form>) -> Result<Recognised, SourceError> {
    let mut fitting = Vec::new();
    let mut nearest: Option<Failure> = None;
    for form in Form::ALL {
        if wanted.is_some_and(|wanted| wanted != form) || !stands_there(form, given) {
            continue;
        }
        match read_all(form, given.messages) {
            Ok(messages) => fitting.push((form, messages)),
            Err(failure) if nearest.as_ref().is_none_or(|nearest| failure.is_nearer(nearest)) => {
                nearest = Some(failure);
            }
            Err(_) => {}
        }
    }
    let at = |form: &Form| fitting.iter().position(|(fits, _)| fits == form);
    let preferred = preferred(given).iter().find_map(at);
    // Plain messages may go to any vendor, some of whom want the user's words first.
    let is_plain = wanted.is_none() && preferred.is_none() && at(&Form::AnthropicMessages).is_some();
    if fitting.is_empty() {
        return Err(refusal(given, wanted, nearest));
    }
    let (form, messages) = fitting.swap_remove(preferred.unwrap_or(0));
    let opening = match form.opening() {
        Opening::Free if is_plain => Opening::Preferred,
        opening => opening,
    };
    Ok(Recognised {
        form,
        messages,
        opening,
    })
}

/// Where a reader stopped.
struct Failure {
    form: Form,
    at: usize,
    why: String,
}

impl Failure {
    /// Whether this tells more: the reader came further, or names a role, a type or a block.
    fn is_nearer(&self, other: &Self) -> bool {
        let names = |failure: &Self| failure.why.starts_with("has the ");
        (self.at, names(self)) > (other.at, names(other))
    }
}

fn read_all(form: Form, messages: &[Value]) -> Result<Vec<Message>, Failure> {
    let mut read = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        read.push(forms::read(form, message).map_err(|why| Failure { form, at, why })?);
    }
    Ok(read)
}

/// Whether the messages of a format stand under this name.
fn stands_there(form: Form, given: &Given<'_>) -> bool {
    match given.path {
        "/contents" => form == Form::Gemini,
        "/input" => form == Form::OpenaiResponses,
        "/kwargs/messages" => form == Form::Langchain,
        "/params/messages" => form == Form::McpSampling,
        // A list alone may be any, and so may what a program calls messages.
        _ => true,
    }
}

/// The formats that what stands beside the messages, or in them, speaks for, best first.
fn preferred(given: &Given<'_>) -> Vec<Form> {
    let around = given.around;
    let mut out = Vec::new();
    let fields = BESIDE.iter().filter(|(name, _)| around.get(name).is_some());
    out.extend(fields.map(|(_, form)| *form));
    let model = ["model", "modelId"].iter().find_map(|name| text(around, name));
    out.extend(model.and_then(of_model));
    if around.get("system").is_some() || given.messages.iter().any(is_cached) {
        out.push(Form::AnthropicMessages);
    }
    out
}

fn of_model(model: &str) -> Option<Form> {
    let model = model.to_ascii_lowercase();
    // Behind the name of a host or vendor, as in `openrouter/mistralai/mistral-large`.
    let name = model.rsplit('/').next().unwrap_or(&model);
    if name.contains("claude") {
        return Some(Form::AnthropicMessages);
    }
    // Ollama's have a tag behind a colon, as in `llama3.2:3b`; OpenAI's own of that kind begin with `ft:`.
    if name == model && name.contains(':') && !name.starts_with("ft:") {
        return Some(Form::Ollama);
    }
    let known = MODELS.iter().find(|(begin, _)| name.starts_with(begin));
    known.map(|(_, form)| *form)
}

/// Whether a message or one of its blocks has Anthropic's mark for caching.
fn is_cached(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    holds(message, "cache_control")
        || blocks
            .into_iter()
            .flatten()
            .any(|block| holds(block, "cache_control"))
}

fn refusal(given: &Given<'_>, wanted: Option<Form>, nearest: Option<Failure>) -> SourceError {
    if let Some(named) = foreign::name(given.around, given.messages) {
        return foreign::refusal(named);
    }
    let names = || Form::ALL.map(Form::as_str).join(", ");
    let Some(failure) = nearest else {
        let problem = format!("is in no format that is read ({})", names());
        return SourceError::invalid_input("history", problem, super::EXAMPLE);
    };
    let problem = match (wanted, failure.at) {
        (Some(form), _) => format!("{}, so it is not {}", failure.why, form.as_str()),
        (None, 0) => format!(
            "{}: no format that is read has such a message ({})",
            with_fields(given, &failure),
            names()
        ),
        (None, _) => format!(
            "{}, which {} does not have, as the messages before it are written",
            failure.why,
            failure.form.as_str()
        ),
    };
    SourceError::invalid_input(format!("messages[{}]", failure.at), problem, super::EXAMPLE)
}

/// What a message has: what stands in the way where it looks like a message, else its fields.
fn with_fields(given: &Given<'_>, failure: &Failure) -> String {
    let fields = given.messages.get(failure.at).and_then(Value::as_object);
    if fields.is_some_and(|fields| fields.contains_key("role") || fields.contains_key("type")) {
        return failure.why.clone();
    }
    let names: Vec<String> = fields
        .into_iter()
        .flatten()
        .take(4)
        .map(|(name, _)| name.chars().filter(|c| !c.is_control()).take(40).collect())
        .collect();
    if names.is_empty() {
        return "is empty".to_owned();
    }
    format!("has `{}`", names.join("`, `"))
}
