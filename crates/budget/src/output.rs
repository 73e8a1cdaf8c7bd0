//! What is said about a selection. The structure that goes out is this one, field for field.

use serde::Serialize;
use serde_json::{Value, json};

use crate::candidate::Reason;
use crate::limits::{LEAST_TOKENS, Require, Strategy};
use crate::missing::MissingContext;

/// What came of a budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fitted {
    /// What goes in and what stays out.
    pub selection: Selection,
    /// What was allowed and what was used.
    pub budget: Used,
    /// The text that goes in.
    pub assembly: Assembly,
    /// What is known to be missing.
    pub missing_context: Vec<MissingContext>,
}

/// Every candidate, in exactly one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Selection {
    /// What goes in, in the order of its use.
    pub selected: Vec<Selected>,
    /// What stays out, in rank order.
    pub omitted: Vec<Omitted>,
    /// Where nothing goes in: what came nearest, why it stays out, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A candidate that goes in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Selected {
    /// Its index in `results`.
    pub index: usize,
    /// The same for the same content and address in every call.
    pub item_id: String,
    /// Tokens of its block.
    pub tokens: usize,
    /// What stands in for the whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Method>,
}

/// A candidate that stays out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Its index in `results`.
    pub index: usize,
    /// Why.
    pub reason: Reason,
    /// What that rests on.
    pub detail: String,
}

/// What was done to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Its end was left out.
    TruncateTail,
    /// Its middle was left out.
    TruncateMiddle,
    /// Whole sentences of it stand in.
    ExtractiveSummary,
    /// A reference and a call stand in, outside the assembly.
    Deferred,
    /// The caller's own text stands in.
    Custom,
}

impl Method {
    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TruncateTail => "truncate_tail",
            Self::TruncateMiddle => "truncate_middle",
            Self::ExtractiveSummary => "extractive_summary",
            Self::Deferred => "deferred",
            Self::Custom => "custom",
        }
    }
}

/// What was allowed and what was used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Used {
    /// What was allowed.
    pub limits: Limits,
    /// Who reads it.
    pub target: Option<String>,
    /// Tokens of the whole assembly.
    pub actual_tokens: usize,
    /// Bytes of the whole assembly.
    pub actual_bytes: usize,
    /// Blocks.
    pub actual_items: usize,
    /// What counted the tokens.
    pub tokenizer: &'static str,
    /// `exact`, or `estimate` where the target is not known to count by this tokenizer.
    pub token_counts: &'static str,
    /// What happens to what does not fit.
    pub overflow_strategy: Strategy,
    /// What a candidate's date must be.
    pub require: Require,
    /// What was cut, replaced or deferred.
    pub truncation_records: Vec<TruncationRecord>,
}

/// What was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Tokens, what is reserved included.
    pub max_tokens: Option<u64>,
    /// Tokens of these that are kept free.
    pub reserved_tokens: u64,
    /// Bytes.
    pub max_bytes: Option<u64>,
    /// Blocks.
    pub max_items: Option<u64>,
}

/// One change of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruncationRecord {
    /// The candidate's index in `results`.
    pub index: usize,
    /// What was done.
    pub method: Method,
    /// Bytes of the text before.
    pub original_bytes: usize,
    /// Bytes of the source's text that are kept.
    pub kept_bytes: usize,
    /// The parts kept, `{start, end}` in bytes of that text.
    pub kept: Vec<Span>,
    /// SHA-256 of that text, to find the parts in it again.
    pub text_sha256: String,
    /// What a reader should know of the loss.
    pub loss_notes: String,
    /// How to get the whole again.
    pub refresh_policy: String,
    /// Where the whole is, and the call that fetches it; for what is deferred.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<Value>,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The text that goes in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Assembly {
    /// All blocks, one after the other as they are.
    pub text: String,
    /// The blocks, in the order of the text.
    pub blocks: Vec<Block>,
}

/// One candidate's text under its envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The candidate's index in `results`.
    pub index: usize,
    /// The envelope with the text in it.
    pub text: String,
    /// Its tokens; they add up to those of the assembly.
    pub tokens: usize,
}

/// The schema of the argument `budget`.
///
/// Those that a caller rarely needs (`overflow_strategy`, `tokenizer`, `reserved_tokens`, `max_bytes`, `target`, the older
/// `allow_unverified`) are taken without being listed: the list
/// of tools has a budget of its own.
pub fn input_schema() -> Value {
    let number = |about: &str, least: u64| json!({"type": "integer", "description": about, "minimum": least});
    json!({
        "type": "object",
        "description": "What fits, to paste, and why the rest does not",
        "properties": {
            "max_tokens": number("Tokens", LEAST_TOKENS),
            "max_items": number("Items", 1),
            "require": {
                "type": "string", "description": "Of dates; default any",
                "enum": Require::ALL.map(Require::as_str),
            },
        },
    })
}

/// The schemas of the four parts of an answer under a budget, by name.
pub fn output_schemas() -> [(&'static str, Value); 4] {
    let object = |about: &str| json!({"type": "object", "description": about});
    [
        (
            "selection",
            object(
                "Under a budget: selected [{index, item_id, tokens, cut}], omitted [{index, reason, detail}], note",
            ),
        ),
        (
            "budget",
            object(
                "limits, actual_tokens, actual_bytes, actual_items, tokenizer, token_counts, overflow_strategy, require, truncation_records",
            ),
        ),
        ("assembly", object("text, blocks [{index, text, tokens}]")),
        (
            "missing_context",
            json!({
                "type": "array",
                "description": "Gaps, and the calls that fill them; pass missing_id in their _meta as freshcontext/missing_id",
                "items": {"type": "object"},
            }),
        ),
    ]
}
