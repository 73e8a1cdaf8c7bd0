//! Composites: several sources at once, each with its own fate.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{
    AnyAdapter, BoxFuture, CommonArgs, Cx, Descriptor, Earlier, ErrorCode, Identity, Peeked, SourceError,
    SourceResult, Transport, code,
};
use freshcontext_core::answer::Scored;
use freshcontext_core::composite::{NOT_ASKED, Section};
use freshcontext_sources::{Composite, Identify, PartCall, Plan};
use futures_util::FutureExt as _;
use futures_util::future::{Either, select};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tracing::Instrument as _;

use crate::admission::{Place, overloaded};
use crate::as_of::{AS_OF, unanswerable};
use crate::call::{log_failure, observed};
use crate::outcome::Outcome;
use crate::outcome::defect;
use crate::reading::Ask;
use crate::tool::Work;
use crate::toolset::Observer;
use crate::{CallContext, Engine, Progress, scoring};

/// How long an answer waits for its last steps of progress to be taken.
const LAST_STEPS: Duration = Duration::from_millis(50);
/// How long the writing of a settled answer may take, its wait for a thread included.
const RENDERING: Duration = Duration::from_secs(2);

impl Engine {
    /// Runs a plan: every section starts at once, settles alone, and is reported as it settles.
    ///
    /// Each is read on its own, so that one that is read and scored does not keep another's next
    /// request waiting. Dropping the set ends them all.
    pub(super) async fn run_plan(
        self: &Arc<Self>,
        composite: &'static Composite,
        mut plan: Plan,
        place: Arc<Place>,
        context: &CallContext,
        observer: Option<Box<dyn Observer>>,
    ) -> Result<Outcome, SourceError> {
        let begun = self.clock.now();
        plan.max_length = plan.max_length.min(self.limits().result_chars);
        let deadline = Instant::now() + Duration::from_millis(self.limits().composite_deadline_ms);
        if let Some(asked) = plan.identify.take() {
            self.identify(&mut plan, &asked, deadline, &place).await;
        }
        if let Some(as_of) = &plan.as_of {
            for part in &mut plan.sections {
                part.arguments.insert(AS_OF.to_owned(), as_of.clone());
            }
        }
        let total = plan.sections.len();
        let mut running = JoinSet::new();
        for (at, part) in plan.sections.iter().cloned().enumerate() {
            let engine = Arc::clone(self);
            let place = Arc::clone(&place);
            let transport = observer.as_ref().and_then(|observer| observer.transport(at));
            let section = async move {
                let from = part.from;
                let settled = AssertUnwindSafe(engine.section(part, deadline, place, transport))
                    .catch_unwind()
                    .await;
                let settled = settled.unwrap_or_else(|_| Err(defect()));
                (at, settled.map_err(|error| in_terms_of(composite, from, error)))
            };
            running.spawn(section.in_current_span());
        }
        let (steps, taken) = mpsc::unbounded_channel();
        let settling = async {
            let mut settled: Vec<Option<Result<Scored, SourceError>>> = (0..total).map(|_| None).collect();
            let mut done = 0;
            // One that ends otherwise leaves its slot empty.
            while let Some(ended) = running.join_next().await {
                let Ok((at, result)) = ended else { continue };
                done += 1;
                let part = plan.sections.get(at);
                let label = part.map_or("", |part| part.label.as_str());
                let word = if result.is_ok() { "answered" } else { "failed" };
                // Nobody listens where no progress was asked for.
                let _ = steps.send((done, format!("{label} {word}")));
                if let Err(error) = &result {
                    tracing::info!(section = part.map_or("", |part| part.tool), "section failed");
                    log_failure(error);
                }
                if let Some(slot) = settled.get_mut(at) {
                    *slot = Some(result);
                }
            }
            drop(steps);
            settled
        };
        let telling = tell(context.progress.as_deref(), total, taken);
        // Beside each other: a caller who does not read its progress must not hold up the sections.
        let settled = match select(pin!(settling), pin!(telling)).await {
            Either::Left((settled, telling)) => {
                // Steps that nobody takes now are late; the answer counts.
                let _ = tokio::time::timeout(LAST_STEPS, telling).await;
                settled
            }
            Either::Right(((), settling)) => settling.await,
        };
        let sections: Vec<Section> = plan
            .sections
            .iter()
            .zip(settled)
            .map(|(part, outcome)| (part, self.source(part.tool), outcome))
            .map(|(part, adapter, outcome)| Section {
                adapter: adapter.map_or(part.tool, |adapter| adapter.descriptor().id),
                tool: part.tool,
                label: part.label.clone(),
                words: part.words.clone().filter(|_| plan.says_subjects),
                arguments: part.skipped.is_none().then(|| part.arguments.clone().into()),
                outcome: outcome
                    .unwrap_or_else(|| Err(defect()))
                    .map_err(|error| self.advised(error, adapter.map(|adapter| adapter.descriptor()))),
            })
            .collect();
        let rendering =
            async move { observed(scoring::composite(composite, plan, sections, begun), observer) };
        let rendering = self.pool.spawn(rendering.in_current_span())?;
        let (outcome, observer) = match tokio::time::timeout(RENDERING, rendering).await {
            Ok(rendered) => rendered.map_err(|_| defect())?,
            Err(_) => {
                return Err(overloaded(
                    "all threads that read are taken (limits.reading_threads)",
                    RENDERING,
                ));
            }
        };
        Ok(self.kept(outcome, observer, context).await)
    }

    async fn section(
        self: &Arc<Self>,
        part: PartCall,
        deadline: Instant,
        place: Arc<Place>,
        transport: Option<Arc<dyn Transport>>,
    ) -> Result<Scored, SourceError> {
        if let Some(reason) = &part.skipped {
            let message = format!("Skipped: {reason}");
            return Err(SourceError::new(ErrorCode::InvalidInput, message).detail(NOT_ASKED));
        }
        let adapter = self.source(part.tool).ok_or_else(|| {
            SourceError::new(
                ErrorCode::Misconfigured,
                format!("{} is switched off here", part.tool),
            )
            .hint("the operator can take it out of `disable_sources`")
        })?;
        if part.arguments.contains_key(AS_OF)
            && let Some(reason) = unanswerable(adapter.descriptor())
        {
            let message = format!("Skipped: {reason}");
            return Err(SourceError::new(ErrorCode::InvalidInput, message).detail(NOT_ASKED));
        }
        let (common, own) = self.prepare(adapter.as_ref(), &part.arguments)?;
        let descriptor = adapter.descriptor();
        let ask = Ask {
            adapter: Arc::clone(adapter),
            common,
            own,
            deadline,
            place,
            transport,
        };
        self.read(ask, move |engine, collected| {
            engine.score(descriptor, collected, &part.arguments)
        })
        .await
    }

    /// Settles which company is meant, and plans anew. Where that cannot be found out in time, it is said, and the plan
    /// stays.
    async fn identify(
        self: &Arc<Self>,
        plan: &mut Plan,
        asked: &Identify,
        deadline: Instant,
        place: &Arc<Place>,
    ) {
        let Some(register) = self.source(asked.tool) else {
            return;
        };
        let settled = Arc::new(OnceLock::new());
        let now = Instant::now();
        let ask = Ask {
            adapter: Arc::new(Identifying {
                inner: Arc::clone(register),
                asked: asked.clone(),
                settled: Arc::clone(&settled),
            }),
            common: CommonArgs::defaults(&register.descriptor().args),
            own: Map::new(),
            // The sections need most of the time.
            deadline: now + deadline.saturating_duration_since(now) / 3,
            place: Arc::clone(place),
            transport: None,
        };
        match self.read(ask, |_, _| Ok(())).await {
            Ok(()) => {
                if let Some(Some(identity)) = settled.get() {
                    (asked.then)(plan, asked, identity);
                }
            }
            Err(error) => plan.notes.push(format!(
                "Which company is meant could not be looked up ({error}); the sections were asked as the arguments say."
            )),
        }
    }

    fn source(&self, tool: &str) -> Option<&Arc<dyn AnyAdapter>> {
        self.tool(tool).and_then(|tool| match &tool.work {
            Work::Source(adapter) => Some(adapter),
            _ => None,
        })
    }
}

/// An error of a section about a wrong argument, told of the composite's own argument.
fn in_terms_of(composite: &Composite, from: Option<&'static str>, mut error: SourceError) -> SourceError {
    if error.field.as_deref() == Some(AS_OF) {
        return error;
    }
    let Some(field) = error
        .field
        .take()
        .filter(|_| error.code == ErrorCode::InvalidInput)
    else {
        return error;
    };
    let schema = (composite.input_schema)();
    let first = schema.pointer("/required/0").and_then(Value::as_str);
    let own = from.or(first).unwrap_or(&field).to_owned();
    let said = error.message.split(" Example: ").next().unwrap_or_default();
    let said = said.replacen(&code(&field), &code(&own), 1);
    error.message = format!("{said} Example: {}", composite.example);
    error.field = Some(own.into());
    error
}

/// The question to the register of companies, in the form of a source: it is read where sources are read.
struct Identifying {
    inner: Arc<dyn AnyAdapter>,
    asked: Identify,
    settled: Arc<OnceLock<Option<Identity>>>,
}

impl AnyAdapter for Identifying {
    fn descriptor(&self) -> &'static Descriptor {
        self.inner.descriptor()
    }

    fn input_schema(&self) -> Value {
        self.inner.input_schema()
    }

    fn collect<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        _: Map<String, Value>,
    ) -> BoxFuture<'a, Result<SourceResult, SourceError>> {
        Box::pin(async move {
            let (name, ticker) = (self.asked.name.as_deref(), self.asked.ticker.as_deref());
            let found = self.inner.identify(cx, name, ticker).await?;
            // Asked once.
            let _ = self.settled.set(found);
            let nowhere = Url::parse("https://localhost/").map_err(|_| defect())?;
            // Never shown.
            Ok(SourceResult::new(nowhere, Vec::new()))
        })
    }

    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>> {
        self.inner.peek(cx, arguments, earlier)
    }
}

/// Passes steps on in their order, each once the one before was taken.
async fn tell(
    progress: Option<&dyn Progress>,
    total: usize,
    mut steps: mpsc::UnboundedReceiver<(usize, String)>,
) {
    let Some(progress) = progress else { return };
    while let Some((done, message)) = steps.recv().await {
        progress.report(done, total, message).await;
    }
}
