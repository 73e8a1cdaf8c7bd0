//! The tool engine: what a call does, whatever brought it here.

pub mod about;
mod admission;
pub mod advice;
mod arguments;
mod as_of;
mod borrowed;
mod call;
mod call_id;
mod composite;
mod cursor;
pub mod live;
pub mod missing;
mod outcome;
mod owner;
mod pool;
mod reading;
mod recording;
pub mod records;
mod registry;
pub mod retrievals;
mod scoring;
mod tool;
mod toolset;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chrono::{DateTime, Utc};
use freshcontext_contract::{AnyAdapter, BoxFuture, Clock, Descriptor, Limits, SourceError, Transport};
use freshcontext_core::decay::{DecayTable, InvalidDecay};
use freshcontext_core::evaluate::{Halt, Options};
use freshcontext_sources::Composite;
use freshcontext_spec::signed::{Keyring, SIGNATURE_FIELD};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use admission::Place;
pub use admission::in_name_of;
pub use arguments::Arguments;
pub use borrowed::BorrowedArguments;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use cursor::Cursors;
pub use outcome::{
    Answer, Deliverable, Evaluated, Outcome, RECORDS_FIELD, Records, SourcesState, Written, defect,
};
pub use owner::Owner;
pub use reading::{Ask, Collected};
pub use tool::{EVALUATE, RECHECK, Tool, Work};
pub use toolset::{Call, Ended, Observer, Toolset};

use crate::call_id::CallIds;
use crate::records::RecordsRequest;
use freshcontext_config::Settings;
use freshcontext_metrics::Metrics;

/// Large judgements worked on at once: each spreads over all processors by itself.
const JUDGING: usize = 2;

/// Runs tools. Build one per process and share it.
pub struct Engine {
    tools: Vec<Tool>,
    by_name: HashMap<String, usize>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    options: Arc<Options>,
    gate: admission::Gate,
    pool: pool::Pool,
    /// Large judgements at work.
    judging: Arc<Semaphore>,
    cursors: cursor::Cursors,
    calls: CallIds,
    metrics: Option<Arc<Metrics>>,
    /// Whether the judgement's tables are made, or being made.
    prepared: AtomicBool,
    toolsets: Vec<Arc<dyn Toolset>>,
    unused_proxy: Option<&'static str>,
    keys: Option<Arc<Keyring>>,
    /// What calls saw of the sources.
    seen: Arc<live::SeenSources>,
    watch: Option<Arc<dyn live::Watch>>,
    /// When the engine was built.
    since: DateTime<Utc>,
}

/// What an engine is built from.
pub struct Parts {
    /// The sources.
    pub adapters: Vec<Box<dyn AnyAdapter>>,
    /// The composites.
    pub composites: Vec<&'static Composite>,
    /// What sends requests.
    pub transport: Arc<dyn Transport>,
    /// What tells the time.
    pub clock: Arc<dyn Clock>,
    /// Tools beside the sources.
    pub toolsets: Vec<Arc<dyn Toolset>>,
}

/// What comes with a call.
#[derive(Clone, Default)]
pub struct CallContext {
    /// Set when the caller no longer wants the answer.
    pub cancellation: CancellationToken,
    /// Where progress goes, if the caller asked for it.
    pub progress: Option<Arc<dyn Progress>>,
    /// Whose call it is.
    pub owner: Owner,
    /// Who calls, by the name of the token, for the log.
    pub caller: Option<Arc<str>>,
    /// Id of the call, if the caller's request has one. Otherwise the engine makes one.
    pub id: Option<Arc<str>>,
    /// What the request says about records.
    pub records: Option<Arc<RecordsRequest>>,
}

/// Where progress goes.
pub trait Progress: Send + Sync {
    /// `done` of `total` parts are settled; `message` says which was the last.
    fn report(&self, done: usize, total: usize, message: String) -> BoxFuture<'_, ()>;
}

/// There is no tool of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownTool;

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown tool")
    }
}

impl std::error::Error for UnknownTool {}

impl Engine {
    /// Builds the registry and the gate. No I/O.
    pub fn new(settings: &Settings, parts: Parts) -> Result<Self, InvalidDecay> {
        let rates = settings.decay.iter().map(|(class, rate)| (class.as_str(), *rate));
        let decay = DecayTable::with_overrides(rates)?;
        let tools = registry::build(
            parts.adapters,
            &parts.composites,
            &settings.disable_sources,
            &parts.toolsets,
        );
        let by_name = tools
            .iter()
            .enumerate()
            .map(|(at, tool)| (tool.name.clone(), at))
            .collect();
        Ok(Self {
            by_name,
            tools,
            transport: parts.transport,
            since: parts.clock.now(),
            clock: parts.clock,
            options: Arc::new(Options {
                decay,
                limits: settings.limits.clone(),
                halt: Halt::default(),
            }),
            gate: admission::Gate::new(&settings.limits),
            pool: pool::Pool::new(&settings.limits),
            judging: Arc::new(Semaphore::new(JUDGING)),
            cursors: cursor::Cursors::of(settings.cursor_secrets()),
            calls: CallIds::new(),
            metrics: None,
            prepared: AtomicBool::new(false),
            toolsets: parts.toolsets,
            unused_proxy: None,
            keys: None,
            seen: Arc::default(),
            watch: None,
        })
    }

    /// Counts its calls, by the names of its tools.
    #[must_use]
    pub fn counting(self, metrics: Arc<Metrics>) -> Self {
        for tool in &self.tools {
            metrics.know_tool(&tool.name);
        }
        Self {
            metrics: Some(metrics),
            ..self
        }
    }

    /// Names the variable of the environment that holds a proxy and is not used, for whom nothing can be reached.
    #[must_use]
    pub fn with_unused_proxy(self, variable: Option<&'static str>) -> Self {
        Self {
            unused_proxy: variable,
            ..self
        }
    }

    /// Reports the state of hosts from here.
    #[must_use]
    pub fn watching(self, watch: Arc<dyn live::Watch>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// Signs verdicts and answers with these keys. The result of an evaluation then has a field `signature`.
    #[must_use]
    pub fn signing(mut self, keys: Option<Arc<Keyring>>) -> Self {
        let Some(keys) = keys else { return self };
        let evaluates = self.tools.iter_mut().find(|tool| tool.name == EVALUATE);
        if let Some(tool) = evaluates {
            let mut schema = (*tool.output_schema).clone();
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert(SIGNATURE_FIELD.to_owned(), json!({"type": "object"}));
            }
            tool.output_schema = schema.into();
        }
        self.keys = Some(keys);
        self
    }

    /// The keys that sign, if there are any.
    pub fn keys(&self) -> Option<&Arc<Keyring>> {
        self.keys.as_ref()
    }

    /// All tools, by name.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    /// The descriptors of all sources that are on.
    pub fn descriptors(&self) -> impl Iterator<Item = &'static Descriptor> {
        self.tools.iter().filter_map(|tool| match &tool.work {
            Work::Source(adapter) => Some(adapter.descriptor()),
            _ => None,
        })
    }

    /// An error of this source, or of a tool that is none, with what its reader can do next.
    fn advised(&self, error: SourceError, source: Option<&'static Descriptor>) -> SourceError {
        let known = advice::Known {
            source,
            configured: &|name| self.transport.configured(name),
            unused_proxy: self.unused_proxy,
        };
        advice::advised(error, &known)
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The limits and decay rates in force, as the judge takes them.
    pub fn options(&self) -> &Arc<Options> {
        &self.options
    }

    /// Begins to open the store, which nobody waits for. To be called when the process begins to serve.
    pub fn begin(&self) {
        for toolset in &self.toolsets {
            toolset.begin();
        }
    }

    /// Closes the store, in bounded time. To be called before the process ends.
    pub async fn close(&self) {
        for toolset in &self.toolsets {
            toolset.close().await;
        }
    }

    /// The decay table in force.
    pub fn decay(&self) -> &DecayTable {
        &self.options.decay
    }

    /// What sends requests.
    pub fn transport(&self) -> &Arc<dyn Transport> {
        &self.transport
    }

    /// What tells the time.
    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("tools", &self.tools.len())
            .finish_non_exhaustive()
    }
}
