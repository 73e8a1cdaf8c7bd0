//! Cutting the texts of messages that must stay and do not fit.

use freshcontext_contract::SourceError;
use serde_json::Value;

use super::CutText;
use super::count::{self, Counted};
use super::message::kind;
use crate::cut;
use crate::tokens::Tokenizer;

/// Least tokens that are kept of a text that is cut.
const LEAST: usize = 32;
/// Ends a text that was cut.
const MARK: &str = "\n[...]";
/// Names of fields whose text may be cut. Arguments of calls may not, because half of them would not be JSON.
const TEXTS: [&str; 5] = ["text", "content", "output", "result", "value"];
/// Names of what stays as it is: arguments of calls, what is sealed, and what stands there for programs.
const WHOLE: [&str; 13] = [
    "input",
    "arguments",
    "args",
    "tool_calls",
    "functionCall",
    "function_call",
    "structuredContent",
    "source",
    "reasoningContent",
    "additional_kwargs",
    "response_metadata",
    "metadata",
    "artifact",
];

/// Cuts the longest texts of the remaining messages until they take at most `room` tokens.
pub(super) fn shorten(
    messages: &mut [Value],
    stays: &impl Fn(usize) -> bool,
    counted: &mut [Counted],
    room: usize,
    tokenizer: Tokenizer,
    cuts: &mut Vec<CutText>,
) -> Result<(), SourceError> {
    let mut texts: Vec<(usize, usize, String)> = Vec::new();
    for (at, message) in messages.iter().enumerate().filter(|(at, _)| stays(*at)) {
        let mut paths = Vec::new();
        texts_in(message, "", "", &mut paths);
        for path in paths {
            let text = message.pointer(&path).and_then(Value::as_str).unwrap_or_default();
            texts.push((tokenizer.count(text), at, path));
        }
    }
    texts.sort_by_key(|(tokens, ..)| std::cmp::Reverse(*tokens));
    let mut needed: usize = counted
        .iter()
        .enumerate()
        .filter(|(at, _)| stays(*at))
        .map(|(_, counted)| counted.tokens)
        .sum();
    for (tokens, at, path) in texts {
        let over = needed.saturating_sub(room);
        if over == 0 || tokens <= LEAST {
            break;
        }
        let most = tokens.saturating_sub(over).max(LEAST);
        let Some(message) = messages.get_mut(at) else {
            continue;
        };
        let Some(Value::String(text)) = message.pointer_mut(&path) else {
            continue;
        };
        let kept = cut::tail(text, |kept| {
            tokenizer
                .count_within(&(kept.text.clone() + MARK), most)
                .is_some()
        });
        let Some(kept) = kept else { continue };
        cuts.push(CutText {
            message: at,
            path,
            original_bytes: text.len(),
            kept_bytes: kept.text.len(),
        });
        *text = kept.text + MARK;
        let after = count::message(message, tokenizer);
        if let Some(counted) = counted.get_mut(at) {
            needed = needed.saturating_sub(counted.tokens) + after.tokens;
            *counted = after;
        }
    }
    if needed > room {
        let at = (0..messages.len()).rev().find(|at| stays(*at)).unwrap_or(0);
        let problem = format!(
            "and what must stay with it take {needed} tokens even after cutting, more than the {room} there are"
        );
        return Err(SourceError::invalid_input(
            format!("messages[{at}]"),
            problem,
            r#"{"max_tokens": 50000}"#,
        ));
    }
    Ok(())
}

/// JSON Pointers of the texts that may be cut.
fn texts_in(value: &Value, name: &str, path: &str, out: &mut Vec<String>) {
    match value {
        Value::String(_) if TEXTS.contains(&name) => out.push(path.to_owned()),
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                texts_in(value, "", &format!("{path}/{at}"), out);
            }
        }
        Value::Object(fields) if !is_sealed(value) => {
            for (name, value) in fields {
                if !WHOLE.contains(&name.as_str()) {
                    let step = name.replace('~', "~0").replace('/', "~1");
                    texts_in(value, name, &format!("{path}/{step}"), out);
                }
            }
        }
        _ => {}
    }
}

/// Whether this stays as it is: reasoning is signed as a whole, and half of an image is none.
fn is_sealed(value: &Value) -> bool {
    let is_thought = value.get("thought") == Some(&Value::Bool(true));
    let kind = kind(value);
    is_thought || kind.contains("reasoning") || kind.contains("thinking") || kind == "image_generation_call"
}
