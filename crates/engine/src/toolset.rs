//! A set of tools beside the sources, which may also observe the sources' calls. Everything that a set adds to the engine
//! comes through this trait; without one the engine keeps and shows nothing of it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext_contract::{BoxFuture, SourceError, Transport};
use freshcontext_core::answer::Kept;
use serde_json::{Map, Value};

use crate::Engine;
use crate::outcome::{Answer, Outcome};
use crate::owner::Owner;
use crate::tool::Tool;

/// A set of tools.
pub trait Toolset: Send + Sync {
    /// Its tools.
    fn tools(&self) -> Vec<Tool>;

    /// The output schema of a source's tool, with what this set adds to the answer.
    fn source_schema(&self, schema: Value) -> Value {
        schema
    }

    /// The output schema of a composite, with what this set adds to the answer.
    fn composite_schema(&self, schema: Value) -> Value {
        schema
    }

    /// Starts what runs in the background. Does not block.
    fn begin(&self) {}

    /// Ends what runs in the background, in bounded time.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Runs one of its tools.
    fn call<'a>(
        &'a self,
        engine: &'a Arc<Engine>,
        tool: &'a Tool,
        arguments: &'a Map<String, Value>,
        owner: &'a Owner,
    ) -> BoxFuture<'a, Result<Outcome, SourceError>>;

    /// Called before a source or a composite is asked, with the number of its sections (1 for a source). The first set that
    /// observes a call is its observer.
    fn before(&self, call: &Call<'_>) -> Option<Box<dyn Observer>> {
        let _ = call;
        None
    }

    /// Called when any tool's call has ended and its caller still waits, before the answer is written.
    fn after<'a>(&'a self, ended: Ended<'a>, answer: &'a mut Answer) -> BoxFuture<'a, ()> {
        let _ = (ended, answer);
        Box::pin(std::future::ready(()))
    }
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
#[derive(Clone, Copy)]
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

    /// The source, or the composite, has answered. Called on a reading thread.
    fn observe(&mut self, outcome: &Outcome);

    /// Keeps what was observed, and tells what the answer is to say about that.
    fn keep(self: Box<Self>, owner: &Owner, now: DateTime<Utc>) -> BoxFuture<'_, Kept>;
}
