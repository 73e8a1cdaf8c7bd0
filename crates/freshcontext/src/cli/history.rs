//! `freshcontext history`: trims conversations to a token budget, without network access.

use std::path::Path;

use freshcontext_budget::Tokenizer;
use freshcontext_budget::history::{Form, Options, Oversize, Record, Truncated, truncate_history};
use freshcontext_contract::{Limits, named, named_list};
use serde_json::{Value, json};

use super::args::Larger;
use super::{WRONG, refused, unreadable};
use crate::output;
use freshcontext_files::read::{self as input, Bound};

/// Options of the command line.
pub(super) struct TruncateOptions<'a> {
    pub file: &'a Path,
    pub max_tokens: usize,
    pub oversize: Larger,
    pub tokenizer: &'a str,
    pub form: Option<&'a str>,
    pub json: bool,
}

pub(super) fn truncate(options: &TruncateOptions<'_>, limits: &Limits) -> u8 {
    let bytes = match input::read(options.file, Bound::input(limits)) {
        Ok(bytes) => bytes,
        Err(refused) => return unreadable(&refused),
    };
    let (history, in_lines) = match parse(&bytes) {
        Ok(parsed) => parsed,
        Err(error) => {
            let hint = "the file holds a list of messages, an object with one, or a message a line";
            output::error(&format!("not JSON: {error}"), Some(hint));
            return WRONG;
        }
    };
    let wanted = Options {
        max_tokens: options.max_tokens,
        tokenizer: Tokenizer::find(options.tokenizer).unwrap_or_default(),
        oversize: match options.oversize {
            Larger::Error => Oversize::Error,
            Larger::Cut => Oversize::Cut,
        },
        form: options
            .form
            .and_then(|name| Form::ALL.into_iter().find(|form| form.as_str() == name)),
    };
    let Truncated { history, record } = match truncate_history(&history, &wanted) {
        Ok(truncated) => truncated,
        Err(error) => return refused(&error),
    };
    if options.json {
        let both = json!({"history": history, "record": record});
        output::line(&serde_json::to_string_pretty(&both).unwrap_or_default());
    } else {
        match history.as_array().filter(|_| in_lines) {
            Some(messages) => messages
                .iter()
                .for_each(|message| output::line(&message.to_string())),
            None => output::line(&serde_json::to_string_pretty(&history).unwrap_or_default()),
        }
        note(&record);
    }
    0
}

/// Reads a history: one value, or a message a line, which is the second of the two answers.
fn parse(bytes: &[u8]) -> Result<(Value, bool), serde_json::Error> {
    let values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    let mut values: Vec<Value> = values.collect::<Result<_, _>>()?;
    match values.len() {
        1 => Ok((values.remove(0), false)),
        // The error of an empty file.
        0 => serde_json::from_slice(bytes).map(|value| (value, false)),
        _ => Ok((Value::Array(values), true)),
    }
}

fn note(record: &Record) {
    output::note(&format!(
        "kept {} of {} messages, {} of {} tokens ({}, {})",
        record.messages_after,
        record.messages_before,
        record.tokens_after,
        record.tokens_before,
        record.form.as_str(),
        record.tokenizer
    ));
    for range in &record.dropped {
        let calls = if range.calls.is_empty() {
            String::new()
        } else {
            format!(
                ", with the calls {}",
                output::one_line(&named_list(&range.calls, ", "))
            )
        };
        output::note(&format!(
            "dropped messages {} to {}: {} tokens{calls}",
            range.from, range.to, range.tokens
        ));
    }
    for cut in &record.cut {
        output::note(&format!(
            "cut message {} at {}: {} of {} bytes kept",
            cut.message,
            named(&output::one_line(&cut.path)),
            cut.kept_bytes,
            cut.original_bytes
        ));
    }
    if !record.estimated.is_empty() {
        output::note(&format!(
            "estimated, because of images, files or sealed reasoning: {} messages",
            record.estimated.len()
        ));
    }
}
