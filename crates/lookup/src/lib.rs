//! The toolset `references`: does each reference still stand? Every source is asked the cheapest question, by the code that
//! reads it for its own tool, under the egress policy, the pace and the cache that hold for all.

mod check;
mod input;
mod question;
mod registries;
mod run;
mod title;
mod tool;

use std::sync::Arc;

use freshcontext_contract::{BoxFuture, SourceError};
use freshcontext_engine::{Engine, Outcome, Owner, Tool, Toolset};
use serde_json::{Map, Value};

pub use question::descriptors;
pub use run::check_references;
pub use tool::{CHECK_REFERENCES, check_references_tool};

/// The toolset `references`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReferencesToolset;

impl Toolset for ReferencesToolset {
    fn tools(&self) -> Vec<Tool> {
        vec![check_references_tool()]
    }

    fn call<'a>(
        &'a self,
        engine: &'a Arc<Engine>,
        _: &'a Tool,
        arguments: &'a Map<String, Value>,
        _: &'a Owner,
    ) -> BoxFuture<'a, Result<Outcome, SourceError>> {
        Box::pin(async move {
            let answer = check_references(engine, arguments).await?;
            Ok(Outcome::References(Box::new(answer)))
        })
    }
}
