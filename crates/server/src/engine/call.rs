//! One call, from name and arguments to an outcome.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use freshcontext_contract::{
    AnyAdapter, CommonArgs, Cx, ErrorCode, Harvest, Seen, SourceError, split_arguments,
};
use freshcontext_core::answer::{Judged, prepare};
use futures_util::FutureExt as _;
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::{
    Arguments, CallContext, Engine, PlainLine, Tool, ToolOutcome, UnknownTool, Work, arguments, judgement,
};

/// Evaluations with more text than this leave the reactor's threads alone.
const INLINE_BYTES: usize = 256 << 10;
/// What a call may outlive its deadline by while it is being dropped.
const GRACE: Duration = Duration::from_millis(50);
/// By then the first requests of a call have left, and the processors wait with it for the answers.
const ASKED: Duration = Duration::from_millis(20);

/// What one source brought, with what its judgement needs.
pub(super) struct Collected {
    pub harvest: Harvest,
    pub common: CommonArgs,
    pub seen: Seen,
}

impl Engine {
    /// Runs a tool. Only an unknown name is an error here; whatever goes wrong inside the call is an
    /// outcome with `is_error`, so that the model can read it.
    pub async fn call(
        self: &Arc<Self>,
        name: &str,
        arguments: impl Into<Arguments>,
        context: CallContext,
    ) -> Result<ToolOutcome, UnknownTool> {
        let Some(tool) = self.tool(name) else {
            if let Some(metrics) = &self.metrics {
                metrics.unknown_tool();
            }
            return Err(UnknownTool);
        };
        let meter = self.metrics.as_ref().map(|metrics| metrics.call(&tool.name));
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let span = tracing::info_span!("call", id, tool = %tool.name);
        let started = Instant::now();
        let arguments = arguments.into();
        let outcome = async {
            tracing::info!(arguments = %arguments.redacted(), "started");
            let work = self.run(tool, arguments, &context);
            let result = tokio::select! {
                biased;
                () = context.cancellation.cancelled() => Err(SourceError::new(ErrorCode::Cancelled, "the caller cancelled this call")),
                settled = AssertUnwindSafe(work).catch_unwind() => settled.unwrap_or_else(|_| Err(defect())),
            };
            if let Some(meter) = meter {
                meter.settle(result.as_ref().map_err(|error| error.code));
            }
            let outcome = result.unwrap_or_else(|error| {
                log_failure(&error);
                judgement::failure(tool, &error, self.clock.now())
            });
            tracing::info!(is_error = outcome.is_error, ms = started.elapsed().as_millis(), "done");
            outcome
        }
        .instrument(span)
        .await;
        Ok(outcome)
    }

    async fn run(
        self: &Arc<Self>,
        tool: &Tool,
        arguments: Arguments,
        context: &CallContext,
    ) -> Result<ToolOutcome, SourceError> {
        if let (Work::Evaluate, Arguments::Plain(line)) = (&tool.work, &arguments)
            && let Some(outcome) = self.evaluate_plain(Arc::clone(line), context.as_text).await
        {
            return outcome;
        }
        let arguments = arguments.read(&tool.example)?;
        let most = self.limits().json_depth;
        if let Some((name, _)) = arguments
            .iter()
            .find(|(_, value)| arguments::deeper_than(value, most))
        {
            let problem = format!("nests deeper than {most} levels");
            return Err(SourceError::invalid_input(name.clone(), problem, &tool.example));
        }
        match &tool.work {
            Work::Evaluate => self.evaluate(arguments, context.as_text).await,
            Work::Source(adapter) => {
                let (common, own) = self.prepare(adapter.as_ref(), &arguments)?;
                let _place = self.gate.enter().await?;
                let deadline = Instant::now() + Duration::from_millis(self.limits().call_deadline_ms);
                let collected = self.collect(adapter.as_ref(), common, own, deadline).await?;
                let max_length = collected.common.max_length;
                let judged = self.judge(adapter.as_ref(), collected, &arguments)?;
                Ok(judgement::render(&judged, max_length))
            }
            Work::Composite(composite) => {
                let plan = (composite.plan)(arguments)?;
                let _place = self.gate.enter().await?;
                self.run_plan(composite, plan, context).await
            }
        }
    }

    /// Common arguments checked and the cursor opened; no request is made.
    pub(super) fn prepare(
        &self,
        adapter: &dyn AnyAdapter,
        arguments: &Map<String, Value>,
    ) -> Result<(CommonArgs, Map<String, Value>), SourceError> {
        let descriptor = adapter.descriptor();
        let (mut common, own) = split_arguments(descriptor, self.limits(), arguments.clone())?;
        if let Some(token) = common.cursor.take() {
            let state = self
                .cursors
                .open_token(descriptor.tool, arguments, &token, self.clock.now())?;
            common.cursor = Some(state);
        }
        Ok((common, own))
    }

    /// Asks a source, within a deadline.
    pub(super) async fn collect(
        &self,
        adapter: &dyn AnyAdapter,
        common: CommonArgs,
        own: Map<String, Value>,
        deadline: Instant,
    ) -> Result<Collected, SourceError> {
        let descriptor = adapter.descriptor();
        let cx = Cx::new(
            self.transport.as_ref(),
            self.clock.as_ref(),
            descriptor,
            deadline,
            &common,
            self.limits().requests_per_call,
        );
        if !self.prepared.swap(true, Ordering::Relaxed) {
            // While the source is asked. Who comes before it is done makes them, or waits for them.
            drop(tokio::spawn(async {
                tokio::time::sleep(ASKED).await;
                tokio::task::spawn_blocking(prepare).await
            }));
        }
        let time = deadline.saturating_duration_since(Instant::now()) + GRACE;
        let Ok(harvest) = tokio::time::timeout(time, adapter.collect(&cx, own)).await else {
            let mut error = SourceError::new(
                ErrorCode::Timeout,
                format!("{} did not answer in time", descriptor.title),
            )
            .detail("deadline")
            .hint("try again later, or ask for less");
            error.attempts = cx.seen().attempts;
            return Err(error);
        };
        let mut harvest = harvest?;
        let seen = cx.seen();
        for env in &seen.refused_keys {
            harvest.note(format!(
                "The source does not accept the key in {env}; this was answered without it"
            ));
        }
        Ok(Collected {
            harvest,
            common,
            seen,
        })
    }

    /// Judges what came, and seals the way to the next page.
    pub(super) fn judge(
        &self,
        adapter: &dyn AnyAdapter,
        mut collected: Collected,
        arguments: &Map<String, Value>,
    ) -> Result<Judged, SourceError> {
        let descriptor = adapter.descriptor();
        let now = self.clock.now();
        let next = collected.harvest.next.take();
        let cursor = next.and_then(|state| self.cursors.seal(descriptor.tool, arguments, &state, now));
        judgement::judge(descriptor, collected, cursor, now, self.decay())
    }

    /// Judges arguments that are as they should be, without reading them into values first.
    async fn evaluate_plain(
        &self,
        line: Arc<PlainLine>,
        as_text: bool,
    ) -> Option<Result<ToolOutcome, SourceError>> {
        let now = self.clock.now();
        if line.borrow_owner().len() <= INLINE_BYTES {
            return judgement::evaluate_plain(line.borrow_dependent(), now, &self.options, as_text);
        }
        let options = Arc::clone(&self.options);
        let judging = tokio::task::spawn_blocking(move || {
            judgement::evaluate_plain(line.borrow_dependent(), now, &options, as_text)
        });
        judging.await.unwrap_or_else(|_| Some(Err(defect())))
    }

    async fn evaluate(
        &self,
        arguments: Map<String, Value>,
        as_text: bool,
    ) -> Result<ToolOutcome, SourceError> {
        let now = self.clock.now();
        if arguments::text_bytes(&arguments) <= INLINE_BYTES {
            return judgement::evaluate(arguments, now, &self.options, as_text);
        }
        let options = Arc::clone(&self.options);
        tokio::task::spawn_blocking(move || judgement::evaluate(arguments, now, &options, as_text))
            .await
            .unwrap_or_else(|_| Err(defect()))
    }
}

/// What a caller reads when our own code failed. The log has the place.
pub(super) fn defect() -> SourceError {
    SourceError::new(
        ErrorCode::Internal,
        "a defect in this server ended this call; other calls go on",
    )
}

pub(super) fn log_failure(error: &SourceError) {
    let facts: Vec<String> = error
        .context
        .iter()
        .map(|(key, value)| format!("{key}={value:?}"))
        .collect();
    let cause = error.cause.as_deref().map(ToString::to_string);
    if error.code == ErrorCode::Internal {
        tracing::error!(code = %error.code, message = ?error.message, facts = facts.join(" "), cause = ?cause, "failed");
    } else {
        tracing::info!(code = %error.code, message = ?error.message, facts = facts.join(" "), cause = ?cause, "failed");
    }
}
