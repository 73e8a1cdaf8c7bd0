//! The tools: sources, composites and `evaluate_context`, sorted by name, built once.

use std::fmt;
use std::sync::Arc;

use freshcontext_contract::AnyAdapter;
use freshcontext_sources::Composite;
use serde_json::Value;

use super::{EVALUATE, judgement, time};

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
    /// Schema of the structured result.
    pub output_schema: Value,
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
    /// Says whether an earlier answer is still so.
    Recheck,
    /// Works on deliverables.
    Deliverable,
}

impl Tool {
    /// Whether it reaches out into the world.
    pub fn open_world(&self) -> bool {
        let list = matches!(self.work, Work::Deliverable) && self.name == "deliverable_list";
        !matches!(self.work, Work::Evaluate) && !list
    }

    /// Whether it changes anything that is kept.
    pub fn writes(&self) -> bool {
        matches!(self.work, Work::Deliverable) && self.name == "deliverable_generate"
    }

    /// Adapter id, which also names the decay class.
    pub fn id(&self) -> &'static str {
        match &self.work {
            Work::Source(adapter) => adapter.descriptor().id,
            Work::Composite(composite) => composite.id,
            Work::Evaluate => EVALUATE,
            Work::Recheck => time::RECHECK,
            Work::Deliverable => "deliverable",
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.name).finish()
    }
}

/// Builds the list. A composite stays when one of its sources is off: that section says so.
pub(super) fn build(
    adapters: Vec<Box<dyn AnyAdapter>>,
    composites: &[&'static Composite],
    disabled: &[String],
    with_time: bool,
) -> Vec<Tool> {
    let off = |id: &str, tool: &str| disabled.iter().any(|name| name == id || name == tool);
    let mut tools: Vec<Tool> = Vec::with_capacity(adapters.len() + composites.len() + 1);
    for adapter in adapters {
        let descriptor = adapter.descriptor();
        if off(descriptor.id, descriptor.tool) {
            continue;
        }
        tools.push(Tool {
            name: descriptor.tool.to_owned(),
            title: descriptor.title.to_owned(),
            description: descriptor.description.to_owned(),
            example: descriptor.example.to_owned(),
            input_schema: adapter.input_schema(),
            output_schema: if with_time {
                time::with_answer_hash(judgement::answer_schema())
            } else {
                judgement::answer_schema()
            },
            work: Work::Source(adapter.into()),
        });
    }
    for composite in composites {
        if off(composite.id, composite.tool) {
            continue;
        }
        tools.push(Tool {
            name: composite.tool.to_owned(),
            title: composite.title.to_owned(),
            description: composite.description.to_owned(),
            example: composite.example.to_owned(),
            input_schema: (composite.input_schema)(),
            output_schema: if with_time {
                time::with_answer_id(judgement::composite_schema())
            } else {
                judgement::composite_schema()
            },
            work: Work::Composite(composite),
        });
    }
    if !off(EVALUATE, EVALUATE) {
        tools.push(judgement::evaluate_tool());
    }
    if with_time {
        tools.push(time::recheck_tool());
        tools.extend(time::deliverable_tools());
    }
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}
