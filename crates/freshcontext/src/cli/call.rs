//! `freshcontext call`: runs one tool.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::{BoxFuture, ErrorCode};
use serde_json::Map;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::{FAILED, WRONG, explain, look, records, tool_names, values, with_runtime};
use crate::app::App;
use crate::output;
use freshcontext_config::{ConfigError, Loaded, Sources};
use freshcontext_engine::records::RecordsRequest;
use freshcontext_engine::{Answer, CallContext, Progress, Tool};
use freshcontext_files::write::{self as atomic_file, NewFile};
use freshcontext_mcp::timeline;
use freshcontext_serve::signals;

/// Interval of the progress line's updates.
const TICK: Duration = Duration::from_secs(1);

/// Requested output of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form<'f> {
    /// Print the structured result as JSON on stdout.
    pub(super) json: bool,
    /// Write an HTML page to this file.
    pub(super) html: Option<&'f Path>,
    /// Write the context records to this file.
    pub(super) records: Option<&'f Path>,
}

pub(super) fn run(
    loaded: &Loaded,
    sources: &Sources,
    name: &str,
    words: &[String],
    form: Form<'_>,
) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let Some(tool) = tool_names::find(&app.engine, name) else {
        return Ok(explain::no_tool(&app.engine, name));
    };
    let arguments = match values::read(&tool.input_schema, words, &loaded.settings.limits) {
        Ok(arguments) => arguments,
        Err(problem) => {
            let hint = format!(
                "a right call has the arguments {}; `freshcontext call {} --help` lists all",
                tool.example, tool.name
            );
            output::error(&problem, Some(&hint));
            return Ok(WRONG);
        }
    };
    let waiting = Arc::new(Waiting::new(&tool.name));
    let context = CallContext {
        cancellation: CancellationToken::new(),
        progress: Some(Arc::clone(&waiting) as Arc<dyn Progress>),
        records: form.records.map(|_| Arc::new(RecordsRequest::full())),
        ..CallContext::default()
    };
    let cancellation = context.cancellation.clone();
    let asked = form.html.map(|_| arguments.clone()).unwrap_or_default();
    let outcome = with_runtime(2, async {
        let call = app.engine.call(&tool.name, arguments, context);
        tokio::pin!(call);
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let end = signals::end();
        tokio::pin!(end);
        let outcome = loop {
            tokio::select! {
                outcome = &mut call => break outcome,
                () = &mut end, if !cancellation.is_cancelled() => cancellation.cancel(),
                _ = tick.tick() => waiting.show(),
            }
        };
        app.engine.close().await;
        outcome
    })?;
    output::progress_done();
    let Ok(mut answer) = outcome else {
        return Ok(WRONG);
    };
    if let Some(file) = form.records
        && !records::keep(answer.take_records(), file)
    {
        return Ok(FAILED);
    }
    let code = show(&answer, form.json);
    // Also written on failure: otherwise an older page at this path would look like this result.
    if let Some(file) = form.html {
        let page = timeline::of(tool, &asked, &answer, app.engine.clock().now());
        if let Err(problem) = atomic_file::write(file, page.as_bytes(), NewFile::Shared) {
            output::error(&problem, None);
            return Ok(code.max(FAILED));
        }
        output::note(&format!("timeline: {}", file.display()));
    }
    Ok(code)
}

/// Writes the page of an answer; the exit code says whether it could.
pub(super) fn write_page(tool: &Tool, answer: &Answer, now: DateTime<Utc>, file: &Path) -> u8 {
    let page = timeline::of(tool, &Map::new(), answer, now);
    match atomic_file::write(file, page.as_bytes(), NewFile::Shared) {
        Ok(()) => {
            output::note(&format!("timeline: {}", file.display()));
            0
        }
        Err(problem) => {
            output::error(&problem, None);
            FAILED
        }
    }
}

pub(super) fn show(answer: &Answer, json: bool) -> u8 {
    let failed = answer.code();
    if json {
        output::line(&serde_json::to_string_pretty(&answer.structured()).unwrap_or_default());
    } else if failed.is_some() {
        output::failure(&output::safe(answer.text()));
    } else {
        let text = output::safe(answer.text());
        let text = text.trim_end();
        if output::colours() {
            output::line(&look::answer(text));
        } else {
            output::line(text);
        }
    }
    match failed {
        None => 0,
        // An invalid call, as distinct from a failed one.
        Some(ErrorCode::InvalidInput | ErrorCode::Misconfigured) => WRONG,
        Some(_) => FAILED,
    }
}

/// Progress line on the terminal: the latest event and the elapsed time.
struct Waiting {
    since: Instant,
    last: Mutex<String>,
}

impl Waiting {
    fn new(tool: &str) -> Self {
        Self {
            since: Instant::now(),
            last: Mutex::new(tool.to_owned()),
        }
    }

    fn show(&self) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = self.since.elapsed().as_secs();
        output::progress(&format!("{last} ... {seconds} s"));
    }
}

impl Progress for Waiting {
    fn report(&self, done: usize, total: usize, message: String) -> BoxFuture<'_, ()> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = format!("{done}/{total} {message}");
        self.show();
        Box::pin(std::future::ready(()))
    }
}
