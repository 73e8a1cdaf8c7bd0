//! Observes the calls of sources and composites, and marks what they answered.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext_contract::{BoxFuture, Transport};
use freshcontext_core::answer::Kept;
use freshcontext_engine::{Call, Observer, Outcome, Owner};
use serde_json::{Map, Value};

use crate::keeping::TimeToolset;
use crate::marks::Draft;
use crate::watch::Watch;

/// Observes one call.
pub(crate) struct CallObserver {
    toolset: TimeToolset,
    tool: String,
    arguments: Map<String, Value>,
    watches: Vec<Arc<Watch>>,
    draft: Option<Draft>,
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
            draft: None,
        }
    }
}

impl Observer for CallObserver {
    fn transport(&self, section: usize) -> Option<Arc<dyn Transport>> {
        self.watches.get(section).map(|watch| Arc::clone(watch) as _)
    }

    fn observe(&mut self, outcome: &Outcome) {
        let asked = self.watches.iter().map(|watch| watch.asked());
        self.draft = match outcome {
            Outcome::Source(answer) => Some(Draft::of_source(
                answer,
                &self.arguments,
                asked.flatten().collect(),
            )),
            Outcome::Composite(answer) => Draft::of_composite(answer, &self.tool, &self.arguments, asked),
            _ => None,
        };
    }

    fn keep(self: Box<Self>, owner: &Owner, now: DateTime<Utc>) -> BoxFuture<'_, Kept> {
        Box::pin(async move {
            match self.draft {
                Some(draft) => self.toolset.keep(draft, owner, now).await,
                None => Kept::default(),
            }
        })
    }
}
