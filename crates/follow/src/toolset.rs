//! The toolset as the engine sees it.

use std::sync::Arc;

use freshcontext_contract::{BoxFuture, SourceError};
use freshcontext_engine::{Answer, Call, Ended, Engine, Observer, Outcome, Owner, RECHECK, Tool, Toolset};
use serde_json::{Map, Value};

use crate::Follow;
use crate::deliverable::{deliverable_tools, read_task};
use crate::keeping::TimeToolset;
use crate::observer::CallObserver;
use crate::tool::{recheck_tool, with_answer_hash, with_answer_id};

impl Toolset for TimeToolset {
    fn tools(&self) -> Vec<Tool> {
        let mut tools = deliverable_tools();
        tools.push(recheck_tool());
        tools
    }

    fn source_schema(&self, schema: Value) -> Value {
        with_answer_hash(schema)
    }

    fn composite_schema(&self, schema: Value) -> Value {
        with_answer_id(schema)
    }

    /// Starts opening the store. No call waits for it: sources are asked meanwhile.
    fn begin(&self) {
        if let Some(store) = self.store() {
            store.begin();
        }
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(store) = self.store() {
                store.close().await;
            }
        })
    }

    fn call<'a>(
        &'a self,
        engine: &'a Arc<Engine>,
        tool: &'a Tool,
        arguments: &'a Map<String, Value>,
        owner: &'a Owner,
    ) -> BoxFuture<'a, Result<Outcome, SourceError>> {
        let follow = Follow::new(Arc::clone(engine), self.clone());
        Box::pin(async move {
            if tool.name == RECHECK {
                return Ok(Outcome::Recheck(Box::new(
                    follow.recheck(arguments, owner).await?,
                )));
            }
            let task = read_task(&tool.name, arguments)?;
            Ok(Outcome::Deliverable(follow.deliverable(task, owner).await?))
        })
    }

    fn before(&self, call: Call<'_>) -> Box<dyn Observer> {
        self.begin();
        Box::new(CallObserver::new(self.clone(), &call))
    }

    fn after<'a>(&'a self, ended: Ended<'a>, answer: &'a mut Answer) -> BoxFuture<'a, ()> {
        Box::pin(self.keep_records(ended, answer))
    }
}
