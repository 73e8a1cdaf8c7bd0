//! A set of tools beside the sources, which also observes the sources' calls. Everything that a set adds to the engine comes
//! through this trait; without one the engine keeps and shows nothing of it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext_contract::{BoxFuture, SourceError, Transport};
use freshcontext_core::answer::Scored;
use freshcontext_core::composite::Section;
use serde_json::{Map, Value};

use crate::{Engine, Owner, Tool, ToolOutcome};

/// A set of tools.
pub trait Toolset: Send + Sync {
    /// Its tools.
    fn tools(&self) -> Vec<Tool>;

    /// The output schema of a source's tool, with what this set adds to the answer.
    fn source_schema(&self, schema: Value) -> Value;

    /// The output schema of a composite, with what this set adds to the answer.
    fn composite_schema(&self, schema: Value) -> Value;

    /// Starts what runs in the background. Does not block.
    fn begin(&self);

    /// Ends what runs in the background, in bounded time.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Runs one of its tools.
    fn call<'a>(
        &'a self,
        engine: &'a Arc<Engine>,
        tool: &'a Tool,
        arguments: &'a Map<String, Value>,
        owner: &'a Owner,
    ) -> BoxFuture<'a, Result<ToolOutcome, SourceError>>;

    /// Called before a source or a composite is asked, with the number of its sections (1 for a source).
    fn before(&self, call: Call<'_>) -> Box<dyn Observer>;

    /// Called when any tool's call has ended and its caller still waits.
    fn after<'a>(&'a self, ended: Ended<'a>, outcome: &'a mut ToolOutcome) -> BoxFuture<'a, ()>;
}

/// A call of a source or a composite that is about to be made.
pub struct Call<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Its arguments, as declared.
    pub arguments: &'a Map<String, Value>,
    /// How many sources it asks.
    pub sections: usize,
    /// Sends the requests.
    pub transport: &'a Arc<dyn Transport>,
}

/// A call that has ended.
pub struct Ended<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// Who called.
    pub owner: &'a Owner,
    /// Most bytes of context records that may be kept of one call (`limits.records_bytes`).
    pub records_bytes: usize,
    /// The present.
    pub now: DateTime<Utc>,
}

/// Observes one call.
pub trait Observer: Send {
    /// Sends the requests of the section at this place, in place of the engine's own transport.
    fn transport(&self, section: usize) -> Option<Arc<dyn Transport>>;

    /// The source has answered, and the caller is shown `shown`.
    fn source(self: Box<Self>, scored: &Scored, shown: Option<&Value>) -> Option<Box<dyn Observed>>;

    /// The sections of a composite have settled; how much of each is shown is not known yet.
    fn sections(&mut self, sections: &[Section]);

    /// The composite is put together, and the caller is shown `shown`.
    fn composite(self: Box<Self>, shown: Option<&Value>) -> Option<Box<dyn Observed>>;
}

/// What was observed of one call.
pub trait Observed: Send {
    /// Keeps it, and says in the outcome how it is found again.
    fn keep<'a>(
        self: Box<Self>,
        outcome: &'a mut ToolOutcome,
        owner: &'a Owner,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, ()>;
}
