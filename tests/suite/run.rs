//! One call through the whole server: engine, pipeline, sockets, scripted upstream.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use freshcontext_config::Settings;
use freshcontext_contract::{AnyAdapter, Clock, Descriptor, HostRate, Limits, Pace};
use freshcontext_engine::{CallContext, Engine, Parts};
use freshcontext_fetch::{Config, Pipeline, Upstream};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, SECRET, Script, ScriptedUpstream, StepClock};
use serde_json::{Map, Value};

/// The contact in the user agent, if set.
pub const CONTACT: &str = "ops@example.com";

/// Retries cost time and prove nothing here; the pipeline's own tests cover wire faults.
pub fn once() -> Limits {
    Limits {
        attempts: 1,
        ..Limits::DEFAULT
    }
}

/// A whole server without a transport of MCP, all of whose upstreams are at `base`. `set` is what the
/// operator set.
pub fn engine(
    base: &str,
    clock: Arc<dyn Clock>,
    limits: Limits,
    set: impl FnOnce(&mut Config),
) -> Result<Arc<Engine>, String> {
    let adapters = freshcontext_sources::adapters();
    let mut config = Config::new(Arc::clone(&clock));
    config.limits = limits.clone();
    config.upstreams = Upstream::parse_list(&format!("*={base}")).map_err(|error| error.to_string())?;
    config.descriptors = adapters
        .iter()
        .map(|adapter| AnyAdapter::descriptor(adapter.as_ref()))
        .collect();
    set(&mut config);
    let pipeline = Pipeline::new(config).map_err(|error| error.to_string())?;
    let settings = Settings {
        limits,
        ..Settings::default()
    };
    let parts = Parts {
        adapters,
        composites: freshcontext_sources::composites().iter().collect(),
        transport: Arc::new(pipeline),
        clock,
        toolsets: Vec::new(),
    };
    let engine = Engine::new(&settings, parts).map_err(|error| error.to_string())?;
    Ok(Arc::new(engine))
}

/// Calls a tool.
pub async fn call(
    engine: &Arc<Engine>,
    tool: &str,
    arguments: Map<String, Value>,
    context: CallContext,
) -> Result<Outcome, String> {
    let called = engine.call(tool, arguments, context).await;
    let outcome = called.map_err(|_| format!("there is no tool {tool}"))?;
    Ok(Outcome {
        text: outcome.text().to_owned(),
        structured: outcome.structured(),
        is_error: outcome.is_error(),
    })
}

/// All sources with their paces a thousand times faster: the same number of requests per window, and windows
/// too short to wait for. For tests about the content of responses; `answer`, `politeness` and everything
/// about time keep the real paces.
static HURRIED: LazyLock<Vec<&'static Descriptor>> = LazyLock::new(|| {
    let quick = |pace: Pace| Pace {
        per: pace.per / 1_000,
        ..pace
    };
    let hurried = |facts: &'static Descriptor| -> &'static Descriptor {
        let rates: Vec<HostRate> = facts
            .rates
            .iter()
            .map(|rate| HostRate {
                pace: quick(rate.pace),
                keyed: rate.keyed.map(quick),
                ..*rate
            })
            .collect();
        Box::leak(Box::new(Descriptor {
            rates: Box::leak(rates.into_boxed_slice()),
            ..*facts
        }))
    };
    let adapters = freshcontext_sources::adapters();
    let facts = adapters.iter().map(|adapter| adapter.descriptor());
    facts.map(hurried).collect()
});

/// Makes every pace too short to wait for.
pub fn hurry(config: &mut Config) {
    config.descriptors.clone_from(&HURRIED);
}

/// A server for one case, with its upstream.
pub struct Bench {
    pub engine: Arc<Engine>,
    pub clock: Arc<StepClock>,
    /// The upstream, with the requests received.
    pub upstream: ScriptedUpstream,
    pub script: Script,
}

impl Bench {
    /// Starts a server for a case with the sources' real paces. `alter` changes the upstream's responses.
    pub async fn start(
        case: &Case,
        recordings: &Path,
        limits: Limits,
        alter: impl FnOnce(&Script),
    ) -> Result<Self, String> {
        Self::set_up(case, recordings, limits, alter, |_| {}).await
    }

    /// The same without paces to wait for.
    pub async fn hurried(
        case: &Case,
        recordings: &Path,
        limits: Limits,
        alter: impl FnOnce(&Script),
    ) -> Result<Self, String> {
        Self::set_up(case, recordings, limits, alter, hurry).await
    }

    async fn set_up(
        case: &Case,
        recordings: &Path,
        limits: Limits,
        alter: impl FnOnce(&Script),
        set: impl FnOnce(&mut Config),
    ) -> Result<Self, String> {
        let script = Script::of(case, recordings)?;
        alter(&script);
        let answers = script.clone();
        let upstream = ScriptedUpstream::start(move |seen| answers.answer(seen))
            .await
            .map_err(|error| error.to_string())?;
        let clock = Arc::new(StepClock::new(case.now));
        let engine = engine(&upstream.base(), clock.clone(), limits, |config| {
            config.secrets = case
                .env
                .iter()
                .map(|name| (name.clone(), SECRET.to_owned()))
                .collect();
            config.contact = case
                .env
                .iter()
                .any(|name| name == "FRESHCONTEXT_CONTACT")
                .then(|| CONTACT.to_owned());
            set(config);
        })?;
        Ok(Self {
            engine,
            clock,
            upstream,
            script,
        })
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Outcome, String> {
        call(&self.engine, tool, arguments, CallContext::default()).await
    }
}

/// Runs a test's future on its own runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

impl Bench {
    /// A server whose upstream expects no requests.
    pub async fn idle() -> Result<Self, String> {
        let case = Case::inline(
            "tool = \"none\"\nkind = \"odd\"\norigin = \"crafted\"\nnote = \"\"\nnow = \"2026-11-21T12:00:00Z\"\n\
             [expect]\nerror = \"internal\"\n",
        )?;
        Self::start(&case, Path::new(""), Limits::DEFAULT, |_| {}).await
    }
}
