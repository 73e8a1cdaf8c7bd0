//! Observes the calls of sources and composites, and marks what they answered.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext_contract::{BoxFuture, Transport};
use freshcontext_core::answer::Scored;
use freshcontext_core::composite::Section;
use freshcontext_engine::{Call, Observed, Observer, Owner, ToolOutcome};
use serde_json::{Map, Value};

use crate::TimeToolset;
use crate::marks::Draft;
use crate::sections::Marked;
use crate::watch::Watch;

/// Observes one call.
pub(crate) struct CallObserver {
    toolset: TimeToolset,
    tool: String,
    arguments: Map<String, Value>,
    watches: Vec<Arc<Watch>>,
    marked: Marked,
}

impl CallObserver {
    pub(crate) fn new(toolset: TimeToolset, call: &Call<'_>) -> Self {
        Self {
            toolset,
            tool: call.tool.to_owned(),
            arguments: call.arguments.clone(),
            watches: (0..call.sections)
                .map(|_| Watch::new(Arc::clone(call.transport)))
                .collect(),
            marked: Marked::default(),
        }
    }
}

impl Observer for CallObserver {
    fn transport(&self, section: usize) -> Option<Arc<dyn Transport>> {
        self.watches.get(section).map(|watch| Arc::clone(watch) as _)
    }

    fn source(self: Box<Self>, scored: &Scored, shown: Option<&Value>) -> Option<Box<dyn Observed>> {
        let asked = self
            .watches
            .first()
            .map(|watch| watch.asked())
            .unwrap_or_default();
        let draft = Draft::of(scored, shown.unwrap_or(&Value::Null), &self.arguments, asked);
        Some(Box::new(Marks {
            toolset: self.toolset,
            draft,
        }))
    }

    fn sections(&mut self, sections: &[Section]) {
        self.marked = Marked::of(sections, &self.watches);
    }

    fn composite(self: Box<Self>, shown: Option<&Value>) -> Option<Box<dyn Observed>> {
        let draft = self.marked.draft(self.tool, &self.arguments, shown)?;
        Some(Box::new(Marks {
            toolset: self.toolset,
            draft,
        }))
    }
}

/// Marks of an answer, to be kept.
struct Marks {
    toolset: TimeToolset,
    draft: Draft,
}

impl Observed for Marks {
    fn keep<'a>(
        self: Box<Self>,
        outcome: &'a mut ToolOutcome,
        owner: &'a Owner,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.toolset.keep(outcome, self.draft, owner, now).await })
    }
}
