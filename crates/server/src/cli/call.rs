//! `freshcontext call`: one tool from the shell.

use std::sync::Arc;

use freshcontext_contract::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{FAILED, WRONG, values, with_runtime};
use crate::app::App;
use crate::config::{ConfigError, Loaded, Sources};
use crate::engine::{CallContext, Engine, Progress, ToolOutcome};
use crate::{output, signals};

pub(super) fn run(
    loaded: &Loaded,
    sources: &Sources,
    name: &str,
    words: &[String],
    json: bool,
) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let Some(tool) = app
        .engine
        .tool(name)
        .or_else(|| app.engine.tool(&format!("extract_{name}")))
    else {
        output::error(
            &format!("there is no tool `{name}`"),
            Some(&near(&app.engine, name)),
        );
        return Ok(WRONG);
    };
    let arguments = match values::read(&tool.input_schema, words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            output::error(
                &problem,
                Some(&format!("a right call has the arguments {}", tool.example)),
            );
            return Ok(WRONG);
        }
    };
    let context = CallContext {
        cancellation: CancellationToken::new(),
        progress: Some(Arc::new(TerminalProgress)),
        ..CallContext::default()
    };
    let cancellation = context.cancellation.clone();
    output::progress(&format!("{} ...", tool.name));
    let outcome = with_runtime(2, async {
        let call = app.engine.call(&tool.name, arguments, context);
        tokio::pin!(call);
        let outcome = tokio::select! {
            outcome = &mut call => outcome,
            () = signals::end() => {
                cancellation.cancel();
                call.await
            }
        };
        app.engine.close().await;
        outcome
    })?;
    output::progress_done();
    Ok(outcome.map_or(WRONG, |outcome| show(&outcome, json)))
}

fn show(outcome: &ToolOutcome, json: bool) -> u8 {
    if json {
        let value = outcome.structured.clone().unwrap_or_default();
        output::line(&serde_json::to_string_pretty(&value).unwrap_or_default());
    } else if outcome.is_error {
        output::error(&output::safe(&outcome.text), None);
    } else {
        output::line(output::safe(&outcome.text).trim_end());
    }
    if outcome.is_error { FAILED } else { 0 }
}

/// The names most like this one, or all.
fn near(engine: &Engine, name: &str) -> String {
    let stem = name.trim_start_matches("extract_").trim_start_matches("search_");
    let alike: Vec<&str> = engine
        .tools()
        .iter()
        .map(|tool| tool.name.as_str())
        .filter(|known| {
            stem.len() > 2 && (known.contains(stem) || stem.contains(known.trim_start_matches("extract_")))
        })
        .collect();
    if alike.is_empty() {
        "`freshcontext tools` lists them".to_owned()
    } else {
        format!("perhaps {}", alike.join(" or "))
    }
}

struct TerminalProgress;

impl Progress for TerminalProgress {
    fn report(&self, done: usize, total: usize, message: String) -> BoxFuture<'_, ()> {
        output::progress(&format!("{done}/{total} {message}"));
        Box::pin(std::future::ready(()))
    }
}
