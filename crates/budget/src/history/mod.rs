//! Histories cut to a budget of tokens: the newest messages that fit, and never half of a call and its result.
//!
//! ```
//! use freshcontext_budget::history::{Options, truncate_history};
//! use serde_json::json;
//!
//! let history = json!([
//!     {"role": "system", "content": "Be brief."},
//!     {"role": "user", "content": "an old question ".repeat(200)},
//!     {"role": "assistant", "content": "an old answer"},
//!     {"role": "user", "content": "a new question"},
//! ]);
//! let cut = truncate_history(&history, &Options { max_tokens: 100, ..Options::default() })?;
//! // Plain messages may go to any vendor, so they begin with the user.
//! assert_eq!(cut.history.as_array().map(Vec::len), Some(2));
//! assert_eq!(cut.record.dropped[0].from, 1);
//! assert!(cut.record.tokens_after <= 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beginning;
mod count;
mod foreign;
mod form;
mod forms;
mod given;
mod media;
mod message;
mod pairs;
mod recognise;
mod shorten;

use freshcontext_contract::SourceError;
use serde::Serialize;
use serde_json::Value;

use crate::tokens::Tokenizer;
use beginning::{Beginning, Places, tokens_at};
use count::Counted;
pub use form::Form;
use given::Given;
use message::{Call, Message, Role};
use recognise::{Recognised, recognise};

/// Tokens of a history unless told otherwise.
pub const MAX_TOKENS: usize = 50_000;
/// Least tokens of a history.
pub const LEAST_MAX_TOKENS: usize = 64;

const EXAMPLE: &str = r#"[{"role": "user", "content": "Hello"}]"#;

/// What to do with a newest message that is larger than the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Oversize {
    /// Fail, and name it.
    #[default]
    Error,
    /// Cut its longest texts at their ends.
    Cut,
}

/// How a history is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Tokens of what is kept.
    pub max_tokens: usize,
    /// What counts them.
    pub tokenizer: Tokenizer,
    /// What to do with a newest message that is larger than that.
    pub oversize: Oversize,
    /// The format of the messages; detected if `None`.
    pub form: Option<Form>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_tokens: MAX_TOKENS,
            tokenizer: Tokenizer::default(),
            oversize: Oversize::default(),
            form: None,
        }
    }
}

/// A history that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncated {
    /// What is kept, in the shape that was given.
    pub history: Value,
    /// What was dropped.
    pub record: Record,
}

/// What was done to a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// `truncation`: nothing was summarised.
    pub kind: &'static str,
    /// How the messages are written.
    pub form: Form,
    /// What counted the tokens.
    pub tokenizer: &'static str,
    /// Tokens allowed.
    pub max_tokens: usize,
    /// Tokens given.
    pub tokens_before: usize,
    /// Tokens kept.
    pub tokens_after: usize,
    /// Messages given.
    pub messages_before: usize,
    /// Messages kept.
    pub messages_after: usize,
    /// What was dropped, by place in what was given.
    pub dropped: Vec<Dropped>,
    /// An older message of the user that is kept because the rest would begin with another's.
    pub kept_opening: Option<usize>,
    /// Texts that were cut.
    pub cut: Vec<CutText>,
    /// Messages whose tokens are an estimate, because they hold images, files or sealed reasoning.
    pub estimated: Vec<usize>,
}

/// Messages that were dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The first, from 0.
    pub from: usize,
    /// The last.
    pub to: usize,
    /// Their tokens.
    pub tokens: usize,
    /// Ids of the calls that went with them, results included.
    pub calls: Vec<String>,
}

/// A text that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CutText {
    /// The message, from 0.
    pub message: usize,
    /// JSON Pointer of the text in it.
    pub path: String,
    /// Its bytes before.
    pub original_bytes: usize,
    /// Its bytes that are kept.
    pub kept_bytes: usize,
}

/// Keeps the newest messages that fit. System messages stay; a call stays with its result, parallel calls with
/// each other, reasoning with what it led to.
///
/// `history` is a list of messages, or an object with one, such as a request (`messages`, `input`, `contents`, ...);
/// instructions beside it are kept and count. The error is
/// [`InvalidInput`](freshcontext_contract::ErrorCode::InvalidInput) and names the message at fault: one in no format
/// that is known, or whose pairs of calls and results are broken already.
pub fn truncate_history(history: &Value, options: &Options) -> Result<Truncated, SourceError> {
    if options.max_tokens < LEAST_MAX_TOKENS {
        let problem = format!("must be {LEAST_MAX_TOKENS} or more");
        return Err(SourceError::invalid_input(
            "max_tokens",
            problem,
            r#"{"max_tokens": 50000}"#,
        ));
    }
    let given = Given::read(history)?;
    let Recognised {
        form,
        messages,
        opening: needs,
    } = recognise(&given, options.form)?;
    let mut counted: Vec<Counted> = given
        .messages
        .iter()
        .map(|message| count::message(message, options.tokenizer))
        .collect();
    let beside = count::beside(given.around, options.tokenizer);
    let tokens_before = beside + counted.iter().map(|counted| counted.tokens).sum::<usize>();

    let pinned: usize = beside + sum(&messages, &counted, |message| message.role == Role::System);
    if pinned > options.max_tokens {
        let problem = format!(
            "alone take {pinned} tokens, more than max_tokens ({}); they are never cut",
            options.max_tokens
        );
        return Err(SourceError::invalid_input(
            "system messages",
            problem,
            r#"{"max_tokens": 50000}"#,
        ));
    }
    // Items that the vendor holds are not in the list.
    let is_whole = !["previous_response_id", "conversation"]
        .iter()
        .any(|name| message::holds(given.around, name));
    let joined = pairs::join(form, &messages, is_whole)?;
    let places = Places::of(form, &messages, &joined, needs)?;
    let mut kept_messages = given.messages.to_vec();
    let mut cut = Vec::new();
    let fitting = places.fitting(&counted, options.max_tokens - pinned);
    if fitting.is_none() {
        // The newest that must stay together, and the user's message before them where one is needed.
        let Beginning { at: from, opening } = places.newest();
        let stays = |at: usize| {
            let is_system = messages
                .get(at)
                .is_some_and(|message| message.role == Role::System);
            opening == Some(at) || (at >= from && !is_system)
        };
        let room = options.max_tokens - pinned;
        if options.oversize == Oversize::Error {
            let staying = counted.iter().enumerate().filter(|(at, _)| stays(*at));
            let (at, tokens) = staying
                .map(|(at, counted)| (at, counted.tokens))
                .max_by_key(|(_, tokens)| *tokens)
                .unwrap_or((from, 0));
            let problem = format!(
                "takes {tokens} tokens and is among the newest that must stay together, which do not fit into {room} \
                 (max_tokens, less the system messages)"
            );
            let example = r#"{"max_tokens": 50000}, or oversize: cut"#;
            return Err(SourceError::invalid_input(
                format!("messages[{at}]"),
                problem,
                example,
            ));
        }
        shorten::shorten(
            &mut kept_messages,
            &stays,
            &mut counted,
            room,
            options.tokenizer,
            &mut cut,
        )?;
    }
    let Beginning { at: begin, opening } = fitting.unwrap_or_else(|| places.newest());
    let keeps = |at: usize| {
        at >= begin
            || opening == Some(at)
            || messages
                .get(at)
                .is_some_and(|message| message.role == Role::System)
    };
    let tokens_after = beside
        + counted
            .iter()
            .enumerate()
            .filter(|(at, _)| keeps(*at))
            .map(|(_, counted)| counted.tokens)
            .sum::<usize>();
    let record = Record {
        kind: "truncation",
        form,
        tokenizer: options.tokenizer.as_str(),
        max_tokens: options.max_tokens,
        tokens_before,
        tokens_after,
        messages_before: messages.len(),
        messages_after: (0..messages.len()).filter(|at| keeps(*at)).count(),
        dropped: dropped(&messages, &counted, &keeps),
        kept_opening: opening,
        cut,
        estimated: counted
            .iter()
            .enumerate()
            .filter(|(at, counted)| counted.estimated && keeps(*at))
            .map(|(at, _)| at)
            .collect(),
    };
    let kept = kept_messages
        .into_iter()
        .enumerate()
        .filter(|(at, _)| keeps(*at))
        .map(|(_, message)| message);
    Ok(Truncated {
        history: given.with(history, kept.collect()),
        record,
    })
}

fn sum(messages: &[Message], counted: &[Counted], wanted: impl Fn(&Message) -> bool) -> usize {
    messages
        .iter()
        .zip(counted)
        .filter(|(message, _)| wanted(message))
        .map(|(_, counted)| counted.tokens)
        .sum()
}

fn dropped(messages: &[Message], counted: &[Counted], keeps: &impl Fn(usize) -> bool) -> Vec<Dropped> {
    let mut out: Vec<Dropped> = Vec::new();
    for (at, message) in messages.iter().enumerate().filter(|(at, _)| !keeps(*at)) {
        if out.last().is_none_or(|last| last.to + 1 != at) {
            out.push(Dropped {
                from: at,
                to: at,
                tokens: 0,
                calls: Vec::new(),
            });
        }
        if let Some(last) = out.last_mut() {
            last.to = at;
            last.tokens += tokens_at(counted, at);
            last.calls.extend(message.calls.iter().map(Call::label));
        }
    }
    out
}
