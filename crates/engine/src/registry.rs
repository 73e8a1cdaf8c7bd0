//! The tools: sources, composites and `evaluate_context`, sorted by name, built once.

use std::sync::Arc;

use freshcontext_contract::AnyAdapter;
use freshcontext_sources::Composite;

use crate::scoring;
use crate::tool::{EVALUATE, Tool, Work};
use crate::toolset::Toolset;

/// Builds the list. A composite stays when one of its sources is off: that section says so.
pub(super) fn build(
    adapters: Vec<Box<dyn AnyAdapter>>,
    composites: &[&'static Composite],
    disabled: &[String],
    toolsets: &[Arc<dyn Toolset>],
) -> Vec<Tool> {
    let off = |id: &str, tool: &str| disabled.iter().any(|name| name == id || name == tool);
    let mut tools: Vec<Tool> = Vec::with_capacity(adapters.len() + composites.len() + 1);
    let (mut answers, mut composed) = (scoring::answer_schema(), scoring::composite_schema());
    for toolset in toolsets {
        answers = toolset.source_schema(answers);
        composed = toolset.composite_schema(composed);
    }
    let reports = Arc::new(scoring::with_origins(answers.clone()));
    let (answers, composed) = (Arc::new(answers), Arc::new(composed));
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
            output_schema: Arc::clone(if scoring::tells_origins(descriptor) {
                &reports
            } else {
                &answers
            }),
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
            output_schema: Arc::clone(&composed),
            work: Work::Composite(composite),
        });
    }
    if !off(EVALUATE, EVALUATE) {
        tools.push(scoring::evaluate_tool());
    }
    for toolset in toolsets {
        tools.extend(toolset.tools());
    }
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}
