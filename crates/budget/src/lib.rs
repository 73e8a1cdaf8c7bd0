#![doc = include_str!("../README.md")]

mod block;
mod calls;
mod candidate;
mod coverage;
pub mod cut;
mod envelope;
pub mod history;
mod ids;
mod limits;
mod missing;
mod nothing;
mod output;
mod percent;
mod room;
mod runs;
mod select;
mod sources;
mod summary;
mod tokens;

pub use calls::{Call, refetch};
pub use candidate::{Candidate, Facts, Judge, KnownCall, Reason, Relevance, Replaced, Usability};
pub use envelope::{Envelope, Headers};
pub use freshcontext_contract::quote;
pub use ids::{fills, id_of, is_missing_id, is_of_content, item_id, missing_id, sha256_hex};
pub use limits::{Budget, CUT_LEAST_TOKENS, FRESH_LEAST, LEAST_BYTES, LEAST_TOKENS, Require, Strategy};
pub use missing::{MissingContext, SCOPE, Severity, Source};
pub use output::{
    Assembly, Block, Fitted, Limits, Method, Omitted, Selected, Selection, Span, TruncationRecord, Used,
    input_schema, output_schemas,
};
pub use percent::percent;
pub use runs::Sketch;
pub use select::{Purpose, select};
pub use tokens::Tokenizer;
