//! The budget that a caller states.

use freshcontext_contract::SourceError;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::tokens::Tokenizer;

/// Least tokens that a budget leaves for content: below, no envelope fits around anything.
pub const LEAST_TOKENS: u64 = 64;
/// Least bytes of a budget in bytes.
pub const LEAST_BYTES: u64 = 256;
/// Least tokens that are kept of a text that is cut.
pub const CUT_LEAST_TOKENS: usize = 64;
/// Least freshness score, of 100, that [`Require::Fresh`] lets in.
pub const FRESH_LEAST: u8 = 50;
/// Longest name of a target, in bytes.
pub const TARGET_BYTES: usize = 200;

const EXAMPLE: &str = r#"{"budget": {"max_tokens": 4000}}"#;

/// What happens to what does not fit: the nine of Agent Context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The call fails and says how much is over.
    Reject,
    /// The first that does not fit is cut at its end.
    #[default]
    TruncateTail,
    /// The first that does not fit is cut in its middle.
    TruncateMiddle,
    /// The oldest are replaced by whole sentences of theirs.
    SummarizeOldest,
    /// Those of the lowest rank are.
    SummarizeLowPriority,
    /// A reference stands in, and the call that fetches it.
    DeferToRetrieval,
    /// The caller is asked which are to go in.
    AskForChoice,
    /// They are withheld, as by a policy.
    PolicyBlock,
    /// The caller's own shorter text stands in, `metadata.replacement`.
    Custom,
}

impl Strategy {
    /// All of them, in the order of Agent Context.
    pub const ALL: [Self; 9] = [
        Self::Reject,
        Self::TruncateTail,
        Self::TruncateMiddle,
        Self::SummarizeOldest,
        Self::SummarizeLowPriority,
        Self::DeferToRetrieval,
        Self::AskForChoice,
        Self::PolicyBlock,
        Self::Custom,
    ];

    /// The name in arguments and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::TruncateTail => "truncate_tail",
            Self::TruncateMiddle => "truncate_middle",
            Self::SummarizeOldest => "summarize_oldest",
            Self::SummarizeLowPriority => "summarize_low_priority",
            Self::DeferToRetrieval => "defer_to_retrieval",
            Self::AskForChoice => "ask_for_choice",
            Self::PolicyBlock => "policy_block",
            Self::Custom => "custom",
        }
    }

    /// The strategy of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

/// What a candidate's date must be for it to go in. Age orders and labels; it excludes only what the caller says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Require {
    /// Nothing: old and undated candidates go in, labelled.
    #[default]
    Any,
    /// A usable date.
    Dated,
    /// A usable date, and a freshness score of [`FRESH_LEAST`] or more.
    Fresh,
}

impl Require {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Any, Self::Dated, Self::Fresh];

    /// The name in arguments and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Dated => "dated",
            Self::Fresh => "fresh",
        }
    }

    /// The requirement of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

/// How much may go in. At least one of the three limits is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Budget {
    /// Tokens in all, what is reserved included.
    pub max_tokens: Option<u64>,
    /// Tokens of these that are kept free for the caller's own use.
    pub reserved_tokens: u64,
    /// Bytes of UTF-8.
    pub max_bytes: Option<u64>,
    /// Blocks.
    pub max_items: Option<u64>,
    /// What happens to what does not fit.
    pub overflow_strategy: Strategy,
    /// Who reads it, for example the name of a model.
    pub target: Option<String>,
    /// What counts the tokens.
    pub tokenizer: Tokenizer,
    /// What a candidate's date must be.
    pub require: Require,
}

/// The fields of a budget, in the order in which errors list them.
const NAMES: [&str; 9] = [
    "max_tokens",
    "reserved_tokens",
    "max_bytes",
    "max_items",
    "overflow_strategy",
    "target",
    "tokenizer",
    "require",
    "allow_unverified",
];

impl Budget {
    /// The names of its fields.
    pub const NAMES: &'static [&'static str] = &NAMES;

    /// Reads the argument `budget`. The error names the field (`budget.max_tokens`) and shows a right value.
    pub fn read(value: &Value) -> Result<Self, SourceError> {
        let Value::Object(fields) = value else {
            return Err(wrong("budget", "must be an object"));
        };
        if let Some(name) = fields.keys().find(|name| !NAMES.contains(&name.as_str())) {
            let shown: String = name.chars().filter(char::is_ascii_graphic).take(40).collect();
            let problem = format!("is not a part of a budget (it takes {})", NAMES.join(", "));
            return Err(wrong(&format!("budget.{shown}"), &problem));
        }
        let budget = Self {
            max_tokens: number(fields, "max_tokens", LEAST_TOKENS)?,
            reserved_tokens: number(fields, "reserved_tokens", 0)?.unwrap_or(0),
            max_bytes: number(fields, "max_bytes", LEAST_BYTES)?,
            max_items: number(fields, "max_items", 1)?,
            overflow_strategy: choice(
                fields,
                "overflow_strategy",
                Strategy::find,
                &Strategy::ALL.map(Strategy::as_str),
            )?
            .unwrap_or_default(),
            target: target(fields)?,
            tokenizer: choice(
                fields,
                "tokenizer",
                Tokenizer::find,
                &Tokenizer::ALL.map(Tokenizer::as_str),
            )?
            .unwrap_or_default(),
            require: require(fields)?,
        };
        budget.check()?;
        Ok(budget)
    }

    fn check(&self) -> Result<(), SourceError> {
        if self.max_tokens.is_none() && self.max_bytes.is_none() && self.max_items.is_none() {
            return Err(wrong(
                "budget",
                "needs at least one of max_tokens, max_bytes and max_items",
            ));
        }
        match self.max_tokens {
            None if self.reserved_tokens > 0 => Err(wrong(
                "budget.reserved_tokens",
                "needs max_tokens, of which it is a part",
            )),
            Some(most) if self.reserved_tokens >= most => {
                Err(wrong("budget.reserved_tokens", "must be less than max_tokens"))
            }
            Some(most) if most - self.reserved_tokens < LEAST_TOKENS => Err(wrong(
                "budget.reserved_tokens",
                &format!("leaves less than {LEAST_TOKENS} tokens, in which nothing fits"),
            )),
            _ => Ok(()),
        }
    }

    /// Tokens for the assembly: without those that are reserved.
    pub fn tokens(&self) -> Option<u64> {
        self.max_tokens
            .map(|most| most.saturating_sub(self.reserved_tokens))
    }
}

fn wrong(field: &str, problem: &str) -> SourceError {
    SourceError::invalid_input(field.to_owned(), problem, EXAMPLE)
}

fn number(fields: &Map<String, Value>, name: &str, least: u64) -> Result<Option<u64>, SourceError> {
    let field = format!("budget.{name}");
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) if number >= least => Ok(Some(number)),
            _ => Err(wrong(
                &field,
                &format!("must be a whole number of {least} or more"),
            )),
        },
    }
}

fn choice<T>(
    fields: &Map<String, Value>,
    name: &str,
    find: impl Fn(&str) -> Option<T>,
    known: &[&str],
) -> Result<Option<T>, SourceError> {
    let unknown = || {
        let problem = format!("must be one of {}", known.join(", "));
        let example = format!(
            r#"{{"budget": {{"max_tokens": 4000, "{name}": "{}"}}}}"#,
            known.get(1).or(known.first()).unwrap_or(&"")
        );
        SourceError::invalid_input(format!("budget.{name}"), problem, example)
    };
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(given)) => find(given).map(Some).ok_or_else(unknown),
        Some(_) => Err(unknown()),
    }
}

/// `require`, or its older name: `allow_unverified` false asks for a date, true asks for nothing.
fn require(fields: &Map<String, Value>) -> Result<Require, SourceError> {
    let older = match fields.get("allow_unverified") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(true)) => Some(Require::Any),
        Some(Value::Bool(false)) => Some(Require::Dated),
        Some(_) => return Err(wrong("budget.allow_unverified", "must be true or false")),
    };
    let named = choice(
        fields,
        "require",
        Require::find,
        &Require::ALL.map(Require::as_str),
    )?;
    Ok(named.or(older).unwrap_or_default())
}

fn target(fields: &Map<String, Value>) -> Result<Option<String>, SourceError> {
    match fields.get("target") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(target)) if target.len() <= TARGET_BYTES => {
            let clean: String = target.chars().filter(|c| !c.is_control()).collect();
            Ok(Some(clean.trim().to_owned()).filter(|target| !target.is_empty()))
        }
        Some(_) => Err(wrong(
            "budget.target",
            &format!("must be text of at most {TARGET_BYTES} bytes"),
        )),
    }
}
