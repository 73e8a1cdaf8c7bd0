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
//! assert_eq!(cut.history.as_array().map(Vec::len), Some(3));
//! assert_eq!(cut.record.dropped[0].from, 1);
//! assert!(cut.record.tokens_after <= 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod count;
mod form;
mod shorten;

use freshcontext_contract::SourceError;
use serde::Serialize;
use serde_json::Value;

use crate::tokens::Tokenizer;
use count::Counted;
pub use form::Form;
use form::{Message, Role};

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
/// `history` is a list of messages, or an object with one under `messages` or `input` (`system` and
/// `instructions` beside it are kept and count). The error is
/// [`InvalidInput`](freshcontext_contract::ErrorCode::InvalidInput) and names the message at fault.
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
    let form = options
        .form
        .unwrap_or_else(|| form::recognise(given.messages, history));
    let messages: Vec<Message> = given
        .messages
        .iter()
        .map(|message| form::read(form, message))
        .collect();
    let mut counted: Vec<Counted> = given
        .messages
        .iter()
        .map(|message| count::message(message, options.tokenizer))
        .collect();
    let beside = count::beside(history, options.tokenizer);
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
    let joined = joined(&messages);
    let mut kept_messages = given.messages.to_vec();
    let mut cut = Vec::new();
    let mut begin = beginning(form, &messages, &counted, &joined, options.max_tokens - pinned);
    if begin.is_none() {
        // The newest that must stay together, and the user's message before them where one is needed.
        let from = (0..messages.len())
            .rev()
            .find(|at| !is_joined(&joined, *at) && !only_system(&messages, *at));
        let from = from.unwrap_or(0);
        let opening = opening(form, &messages, from);
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
        begin = Some(from);
    }
    let begin = begin.unwrap_or(0);
    let opening = opening(form, &messages, begin);
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

/// The list of messages and where it stands.
struct Given<'a> {
    messages: &'a [Value],
    under: Option<&'static str>,
}

impl<'a> Given<'a> {
    fn read(history: &'a Value) -> Result<Self, SourceError> {
        let wrong = |field: String, problem: &str| SourceError::invalid_input(field, problem, EXAMPLE);
        let under = ["messages", "input"]
            .into_iter()
            .find(|name| history.get(name).is_some());
        let list = match under {
            Some(name) => history.get(name).unwrap_or(history),
            None => history,
        };
        let messages = list.as_array().ok_or_else(|| {
            wrong(
                under.unwrap_or("history").to_owned(),
                "must be a list of messages",
            )
        })?;
        match messages.iter().position(|message| !message.is_object()) {
            Some(at) => Err(wrong(format!("messages[{at}]"), "must be an object")),
            None => Ok(Self { messages, under }),
        }
    }

    fn with(&self, history: &Value, kept: Vec<Value>) -> Value {
        let mut out = history.clone();
        match self.under.and_then(|name| out.get_mut(name)) {
            Some(list) => *list = Value::Array(kept),
            None => out = Value::Array(kept),
        }
        out
    }
}

fn sum(messages: &[Message], counted: &[Counted], wanted: impl Fn(&Message) -> bool) -> usize {
    messages
        .iter()
        .zip(counted)
        .filter(|(message, _)| wanted(message))
        .map(|(_, counted)| counted.tokens)
        .sum()
}

fn tokens_at(counted: &[Counted], at: usize) -> usize {
    counted.get(at).map_or(0, |counted| counted.tokens)
}

/// How many pairs of a call and its result each place cuts through, the place before each message.
fn joined(messages: &[Message]) -> Vec<i64> {
    let mut through = vec![0_i64; messages.len() + 1];
    let mut join = |from: usize, to: usize| {
        if let Some(place) = through.get_mut(from + 1) {
            *place += 1;
        }
        if let Some(place) = through.get_mut(to + 1) {
            *place -= 1;
        }
    };
    let mut open = std::collections::HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        for call in &message.calls {
            open.insert(call.as_str(), at);
        }
        for result in &message.results {
            match open.get(result.as_str()) {
                Some(call) => join(*call, at),
                // Its call is not there; whatever stands before it is no worse a beginning.
                None => join(at.saturating_sub(1), at),
            }
        }
        if message.leads_on && at + 1 < messages.len() {
            join(at, at + 1);
        }
    }
    let mut inside = 0;
    for place in &mut through {
        inside += *place;
        *place = inside;
    }
    through
}

fn is_joined(joined: &[i64], at: usize) -> bool {
    at > 0 && joined.get(at).is_some_and(|through| *through > 0)
}

fn only_system(messages: &[Message], from: usize) -> bool {
    messages
        .iter()
        .skip(from)
        .all(|message| message.role == Role::System)
}

/// The index of the first of the newest messages that fit into this many tokens; `None` if not even the newest does.
fn beginning(
    form: Form,
    messages: &[Message],
    counted: &[Counted],
    joined: &[i64],
    room: usize,
) -> Option<usize> {
    let mut tokens = 0;
    let mut found = only_system(messages, 0).then_some(0);
    for at in (0..messages.len()).rev() {
        if messages
            .get(at)
            .is_some_and(|message| message.role != Role::System)
        {
            tokens += tokens_at(counted, at);
        }
        if tokens > room {
            break;
        }
        let opening = opening(form, messages, at).map_or(0, |opening| tokens_at(counted, opening));
        if !is_joined(joined, at) && !only_system(messages, at) && tokens + opening <= room {
            found = Some(at);
        }
    }
    found
}

/// Anthropic's messages begin with one of the user that is no result: the newest one before, where what is kept
/// begins otherwise.
fn opening(form: Form, messages: &[Message], begin: usize) -> Option<usize> {
    let is_users = |message: &Message| message.role == Role::User && message.results.is_empty();
    let first = messages
        .iter()
        .skip(begin)
        .find(|message| message.role != Role::System)?;
    if form != Form::AnthropicMessages || is_users(first) {
        return None;
    }
    messages.get(..begin)?.iter().rposition(is_users)
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
            last.calls.extend(message.calls.iter().cloned());
        }
    }
    out
}
