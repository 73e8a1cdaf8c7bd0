//! The thirteen objects. Every field that the specification lists has its name; fields of ours say so.

mod choice;
mod content;
mod envelope;
mod gaps;
mod mappings;
mod measures;
pub(crate) mod record;
mod shown;

pub use choice::{BudgetRecord, Omission, Selection, Truncation, Window, WindowSegment};
pub use content::{Freshness, Item, Selector, SourceRef, Surface};
pub use envelope::{Actor, Envelope, Producer, Redaction, Telemetry};
pub use gaps::{Event, Missing, MissingSource};
pub use mappings::{
    A2a, CloudEvents, JsonSchemaIds, Mappings, Mcp, ModelApi, OpenTelemetry, WebAnnotation, WebProv,
};
pub use measures::{Span, Tokens};
pub use record::Facts;
pub use shown::{Assembly, Block, Compaction, Coverage, Injection, Summary};
