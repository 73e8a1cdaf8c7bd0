//! One tool, whatever it does.

use std::fmt;
use std::sync::Arc;

use freshcontext_contract::AnyAdapter;
use freshcontext_core::evaluate;
use freshcontext_sources::Composite;
use serde_json::Value;

/// Name of the tool that judges what the caller brings.
pub const EVALUATE: &str = evaluate::TOOL;
/// Name of the tool that says whether an earlier answer is still so.
pub const RECHECK: &str = "recheck";

/// One tool.
pub struct Tool {
    /// MCP name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Description for the model.
    pub description: String,
    /// A right set of arguments, as JSON.
    pub example: String,
    /// Schema of the arguments.
    pub input_schema: Value,
    /// Schema of the structured result: one for all sources, and one for all composites.
    pub output_schema: Arc<Value>,
    /// What it does.
    pub work: Work,
}

/// What a tool does.
pub enum Work {
    /// Asks one source.
    Source(Arc<dyn AnyAdapter>),
    /// Asks several.
    Composite(&'static Composite),
    /// Judges what the caller brings; asks nobody.
    Evaluate,
    /// Belongs to a toolset, which runs it.
    Toolset {
        /// Id of its kind of tool, which also names the decay class.
        id: &'static str,
        /// Whether it asks sources.
        open_world: bool,
        /// Whether it changes anything that is kept.
        writes: bool,
    },
}

impl Tool {
    /// Whether it reaches out into the world.
    pub fn open_world(&self) -> bool {
        match &self.work {
            Work::Source(_) | Work::Composite(_) => true,
            Work::Evaluate => false,
            Work::Toolset { open_world, .. } => *open_world,
        }
    }

    /// Whether it changes anything that is kept.
    pub fn writes(&self) -> bool {
        matches!(self.work, Work::Toolset { writes: true, .. })
    }

    /// Adapter id, which also names the decay class.
    pub fn id(&self) -> &'static str {
        match &self.work {
            Work::Source(adapter) => adapter.descriptor().id,
            Work::Composite(composite) => composite.id,
            Work::Evaluate => EVALUATE,
            Work::Toolset { id, .. } => id,
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.name).finish()
    }
}
