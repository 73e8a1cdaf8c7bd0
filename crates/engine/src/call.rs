//! One call, from name and arguments to an answer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use freshcontext_contract::{
    AnyAdapter, CommonArgs, Descriptor, ErrorCode, SourceError, as_declared, split_arguments,
};
use freshcontext_core::answer::{Scored, prepare};
use freshcontext_core::evaluate::{Halt, Options};
use freshcontext_records::Native;
use futures_util::FutureExt as _;
use futures_util::future::{Either, ready};
use serde_json::{Map, Value};
use tracing::Instrument as _;

use crate::admission::Place;
use crate::arguments::Arguments;
use crate::as_of;
use crate::outcome::defect;
use crate::outcome::{Answer, Outcome};
use crate::reading::{Ask, Collected};
use crate::tool::{Tool, Work};
use crate::toolset::{Call, Ended, Observer, Toolset};
use crate::{CallContext, Engine, UnknownTool, arguments, recording, scoring};

/// Evaluations with more text than this leave alone the threads that serve: they would keep pings waiting.
const INLINE_BYTES: usize = 64 << 10;
/// By then the first requests of a call have left, and the processors wait with it for the answers.
const ASKED: Duration = Duration::from_millis(20);

impl Engine {
    /// Runs a tool. Only an unknown name is an error here; whatever goes wrong inside the call is an
    /// answer that says so, for the model to read.
    pub async fn call(
        self: &Arc<Self>,
        name: &str,
        arguments: impl Into<Arguments>,
        context: CallContext,
    ) -> Result<Answer, UnknownTool> {
        let Some(tool) = self.tool(name) else {
            if let Some(metrics) = &self.metrics {
                metrics.unknown_tool();
            }
            return Err(UnknownTool);
        };
        let meter = self.metrics.as_ref().map(|metrics| metrics.call(&tool.name));
        let id = context.id.clone().unwrap_or_else(|| self.calls.next());
        let caller = context.caller.as_deref();
        // The span of the request, where requests are traced.
        tracing::Span::current().record("freshcontext.call.id", &*id);
        let span = tracing::info_span!("call", id = %id, tool = %tool.name, caller);
        let started = Instant::now();
        let arguments = arguments.into();
        let answer = async {
            tracing::info!(arguments = %arguments.redacted(), "started");
            let (work, noting) = match recording::prepare(tool, arguments, &context) {
                Ok((arguments, noting)) => (Either::Left(self.run(tool, arguments, &context)), noting),
                Err(error) => (Either::Right(ready(Err(error))), None),
            };
            let result = tokio::select! {
                biased;
                () = context.cancellation.cancelled() => Err(SourceError::new(ErrorCode::Cancelled, "the caller cancelled this call")),
                settled = AssertUnwindSafe(work).catch_unwind() => settled.unwrap_or_else(|_| Err(defect())),
            };
            if let Some(meter) = meter {
                meter.settle(match &result {
                    Ok(answer) => answer.code(),
                    Err(error) => Some(error.code),
                });
            }
            let mut answer = result.unwrap_or_else(|error| {
                log_failure(&error);
                let source = match &tool.work {
                    Work::Source(adapter) => Some(adapter.descriptor()),
                    _ => None,
                };
                scoring::failure(tool, &self.advised(error, source), self.clock.now()).into()
            });
            answer.name_call(&id);
            if let Some(noting) = noting {
                noting.record(self, tool, &mut answer);
            }
            if let Some(keys) = self.keys.as_ref().filter(|_| !answer.is_error()) {
                answer.sign_with(keys, self.clock.now());
            }
            // Of an answer that nobody waits for any more nothing was shown.
            if !context.cancellation.is_cancelled() {
                let ended = Ended {
                    tool,
                    owner: &context.owner,
                    records_bytes: self.limits().records_bytes,
                    now: self.clock.now(),
                };
                for toolset in &self.toolsets {
                    toolset.after(ended, &mut answer).await;
                }
            }
            tracing::info!(is_error = answer.is_error(), ms = started.elapsed().as_millis(), "done");
            answer
        }
        .instrument(span)
        .await;
        Ok(answer)
    }

    async fn run(
        self: &Arc<Self>,
        tool: &Tool,
        arguments: Arguments,
        context: &CallContext,
    ) -> Result<Answer, SourceError> {
        let outcome = match &tool.work {
            Work::Evaluate => return self.evaluate(arguments, context).await,
            Work::Toolset { .. } => {
                let (arguments, notes) = self.read_arguments(tool, arguments)?;
                let has = |set: &&Arc<dyn Toolset>| set.tools().iter().any(|own| own.name == tool.name);
                let toolset = self.toolsets.iter().find(has).ok_or_else(defect)?;
                let outcome = toolset.call(self, tool, &arguments, &context.owner).await?;
                return Ok(Answer::noting(outcome, notes));
            }
            Work::Source(adapter) => {
                let (arguments, notes) = self.read_arguments(tool, arguments)?;
                let (mut common, own) = self.prepare(adapter.as_ref(), &arguments)?;
                common.notes.extend(notes);
                let place = Arc::new(self.gate.enter().await?);
                self.prepare_tables();
                let observer = self.observer(tool, &arguments, 1);
                let ask = Ask {
                    adapter: Arc::clone(adapter),
                    common,
                    own,
                    deadline: Instant::now() + Duration::from_millis(self.limits().call_deadline_ms),
                    place,
                    transport: observer.as_ref().and_then(|observer| observer.transport(0)),
                };
                let descriptor = adapter.descriptor();
                let (outcome, observer) = self
                    .read(ask, move |engine, collected| {
                        let max_length = collected.common.max_length;
                        let scored = engine.score(descriptor, collected, &arguments)?;
                        Ok(observed(
                            Outcome::Source(Box::new(scored.fitted(max_length))),
                            observer,
                        ))
                    })
                    .await?;
                self.kept(outcome, observer, context).await
            }
            Work::Composite(composite) => {
                let (arguments, notes) = self.read_arguments(tool, arguments)?;
                let mut plan = (composite.plan)(arguments.clone())?;
                plan.notes = notes;
                if let Some(given) = &plan.as_of {
                    as_of::not_ahead(given, self.clock.now())?;
                }
                let observer = self.observer(tool, &arguments, plan.sections.len());
                let place = Arc::new(self.gate.enter().await?);
                self.prepare_tables();
                self.run_plan(composite, plan, place, context, observer).await?
            }
        };
        Ok(outcome.into())
    }

    /// The outcome, with what it says about being kept.
    pub(super) async fn kept(
        &self,
        mut outcome: Outcome,
        observer: Option<Box<dyn Observer>>,
        context: &CallContext,
    ) -> Outcome {
        if let Some(observer) = observer {
            outcome.set_kept(observer.keep(&context.owner, self.clock.now()).await);
        }
        outcome
    }

    fn observer(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        sections: usize,
    ) -> Option<Box<dyn Observer>> {
        let call = Call {
            tool: &tool.name,
            arguments,
            sections,
            transport: &self.transport,
        };
        self.toolsets.iter().find_map(|toolset| toolset.before(&call))
    }

    /// Writes a tool's answer in a transport's own type. If `write` panics, the caller receives the failure `internal`
    /// instead, as after a panic in the call.
    ///
    /// # Errors
    ///
    /// If there is no such tool.
    pub fn written<T>(
        &self,
        name: &str,
        answer: Answer,
        write: impl Fn(Answer) -> T,
    ) -> Result<T, UnknownTool> {
        let tool = self.tool(name).ok_or(UnknownTool)?;
        let done = std::panic::catch_unwind(AssertUnwindSafe(|| write(answer)));
        Ok(done.unwrap_or_else(|_| write(scoring::failure(tool, &defect(), self.clock.now()).into())))
    }

    /// A place among the calls at work, as soon as there is one.
    pub async fn admit(&self) -> Result<Place, SourceError> {
        self.gate.enter().await
    }

    /// The arguments as values, nested no deeper than a caller may nest and read as the tool declares them, with
    /// what is to be said about that.
    fn read_arguments(
        &self,
        tool: &Tool,
        arguments: Arguments,
    ) -> Result<(Map<String, Value>, Vec<String>), SourceError> {
        let arguments = arguments.read(&tool.example)?;
        let most = self.limits().json_depth;
        if let Some((name, _)) = arguments
            .iter()
            .find(|(_, value)| arguments::deeper_than(value, most))
        {
            let problem = format!("nests deeper than {most} levels");
            return Err(SourceError::invalid_input(name.clone(), problem, &tool.example));
        }
        let arguments = arguments::with_clean_names(&tool.input_schema, arguments);
        as_declared(&tool.input_schema, &tool.example, arguments)
    }

    /// The arguments of an earlier call, read as that call read them. Those of an unknown tool stay as they are.
    pub fn read_again(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, SourceError> {
        let Some(tool) = self.tool(tool) else {
            return Ok(arguments);
        };
        let (arguments, _) = self.read_arguments(tool, arguments.into())?;
        Ok(arguments)
    }

    /// Common arguments checked and the cursor opened; no request is made.
    pub fn prepare(
        &self,
        adapter: &dyn AnyAdapter,
        arguments: &Map<String, Value>,
    ) -> Result<(CommonArgs, Map<String, Value>), SourceError> {
        let descriptor = adapter.descriptor();
        let (mut common, own) = split_arguments(descriptor, self.limits(), arguments.clone())?;
        if let Some(given) = arguments.get(as_of::AS_OF).filter(|_| common.as_of.is_some()) {
            as_of::check(descriptor, given, self.clock.now())?;
        }
        if let Some(token) = common.cursor.take() {
            let state = self
                .cursors
                .open_token(descriptor.tool, arguments, &token, self.clock.now())?;
            common.cursor = Some(state);
        }
        Ok((common, own))
    }

    /// The paging state that a cursor of a toolset's tool holds.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for a cursor of another call, and for one that is out of date.
    pub fn open_cursor(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        token: &str,
    ) -> Result<String, SourceError> {
        self.cursors.open_token(tool, arguments, token, self.clock.now())
    }

    /// A cursor that holds a paging state. `None` where the state is longer than a cursor may be (512 bytes).
    pub fn seal_cursor(&self, tool: &str, arguments: &Map<String, Value>, state: &str) -> Option<String> {
        self.cursors.seal(tool, arguments, state, self.clock.now())
    }

    /// Makes the judgement's tables while the first source is asked. Who comes before it is done makes them,
    /// or waits for them.
    pub fn prepare_tables(&self) {
        if !self.prepared.swap(true, Ordering::Relaxed) {
            drop(tokio::spawn(async {
                tokio::time::sleep(ASKED).await;
                tokio::task::spawn_blocking(prepare).await
            }));
        }
    }

    /// Judges what came, and seals the way to the next page.
    pub fn score(
        &self,
        descriptor: &'static Descriptor,
        mut collected: Collected,
        arguments: &Map<String, Value>,
    ) -> Result<Scored, SourceError> {
        let now = self.clock.now();
        let next = collected.result.next.take();
        let cursor = next.and_then(|state| self.cursors.seal(descriptor.tool, arguments, &state, now));
        scoring::score(descriptor, collected, cursor, now, self.decay())
    }

    /// Judges what the caller brought, and writes it.
    async fn evaluate(&self, arguments: Arguments, context: &CallContext) -> Result<Answer, SourceError> {
        let now = self.clock.now();
        let asked = context.records.clone();
        let native = move || asked.map_or_else(Native::default, |asked| asked.native.clone());
        // Under a budget tokens are counted, and the first who counts waits for the vocabulary.
        if arguments.bytes() <= INLINE_BYTES && !arguments.hold("budget") {
            let signing = self.keys.as_deref().map(|keys| (keys, now));
            return scoring::evaluate(arguments, now, &self.options, &native(), signing);
        }
        let halt = Halt::default();
        // Its place is free for others as soon as nobody waits for the answer, be it late or not wanted any more.
        let _ends = HaltOnDrop(halt.clone());
        let options = Options {
            halt,
            ..(*self.options).clone()
        };
        let keys = self.keys.clone();
        let judged = self.beside(move || {
            let signing = keys.as_deref().map(|keys| (keys, now));
            scoring::evaluate(arguments, now, &options, &native(), signing)
        });
        let longest = Duration::from_millis(self.limits().call_deadline_ms);
        match tokio::time::timeout(longest, judged).await {
            Ok(judged) => judged.unwrap_or_else(|| Err(defect())),
            Err(_) => Err(Halt::late()),
        }
    }

    /// Does large work beside the threads that serve, a few at once; `None` where it panicked.
    pub async fn beside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let turn = Arc::clone(&self.judging).acquire_owned().await.ok()?;
        let working = tokio::task::spawn_blocking(move || {
            // Held until the work has ended, whoever waits for it.
            let _turn = turn;
            work()
        });
        working.await.ok()
    }
}

/// Shows the outcome to whoever observes the call.
pub(super) fn observed(
    outcome: Outcome,
    mut observer: Option<Box<dyn Observer>>,
) -> (Outcome, Option<Box<dyn Observer>>) {
    if let Some(observer) = &mut observer {
        observer.observe(&outcome);
    }
    (outcome, observer)
}

pub(super) fn log_failure(error: &SourceError) {
    let facts: Vec<String> = error
        .context
        .iter()
        .map(|(key, value)| format!("{key}={value:?}"))
        .collect();
    // A field without a value does not stand in the log.
    let facts = (!facts.is_empty()).then(|| facts.join(" "));
    let cause = error.cause.as_deref().map(ToString::to_string);
    if error.code == ErrorCode::Internal {
        tracing::error!(code = %error.code, message = ?error.message, facts, cause = cause.as_deref(), "failed");
    } else {
        tracing::info!(code = %error.code, message = ?error.message, facts, cause = cause.as_deref(), "failed");
    }
}

/// Ends an evaluation when its call does.
struct HaltOnDrop(Halt);

impl Drop for HaltOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}
