//! An engine over one scripted source, for the tests of the engine and of the crates above it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "used by tests only, where these are what is wanted"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar};
use std::time::Duration;

use freshcontext_config::Settings;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::schemars::{self, JsonSchema};
use freshcontext_contract::serde::{self, Deserialize};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, AnyAdapter, ArgSpec, BoxFuture, CallScope, Cx, DateEvidence, Descriptor, ErrorCode, FixedClock,
    Item, Media, Request, Response, SourceError, SourceResult, Transport, erased,
};
use freshcontext_engine::{Engine, Parts};
use freshcontext_metrics::{Metered, Metrics};
use freshcontext_sources::{Composite, PartCall, Plan};
use freshcontext_testkit::descriptor;
use serde_json::{Value, json};

static ECHO: Descriptor = Descriptor {
    title: "Echo",
    args: ArgSpec {
        limit: Some((10, 50)),
        cursor: true,
        ..ArgSpec::length(4_000)
    },
    ..descriptor("hackernews", "extract_echo")
};

static OTHER: Descriptor = Descriptor {
    title: "Other",
    description: "Another source for tests.",
    ..descriptor("reddit", "extract_other")
};

struct Echo(&'static Descriptor);

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "self::serde")]
struct Input {
    /// What to do
    url: String,
}

impl Adapter for Echo {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        self.0
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let page = Url::parse("https://echo.example/page").unwrap();
        match input.url.as_str() {
            "panic" => panic!("a defect"),
            "fail" => {
                return Err(SourceError::new(ErrorCode::UpstreamError, "the source is down").status(500));
            }
            "meet" => assert!(met(), "nobody else was at work"),
            "hang" => {
                cx.read(Request::get(page.clone(), Media::Json), |_| Ok(()))
                    .await?;
            }
            "stuck" => stuck(),
            _ => {}
        }
        let evidence = DateEvidence::field("created", cx.now() - chrono::TimeDelta::hours(1));
        let mut item = Item::new(format!("Result for {}", input.url), evidence);
        item.summary = format!("state {}", cx.args().cursor.as_deref().unwrap_or("none"));
        let mut result = SourceResult::new(page, vec![item]);
        result.next = Some("page=2".to_owned());
        Ok(result)
    }
}

/// Readers that do not come back go on for as long as one of these is about.
pub static STUCK: std::sync::RwLock<()> = std::sync::RwLock::new(());
/// How many of them are at work.
pub static AT_IT: AtomicUsize = AtomicUsize::new(0);

/// A reader that never waits and does not end while the test goes on.
fn stuck() {
    AT_IT.fetch_add(1, Ordering::SeqCst);
    while STUCK.try_write().is_err() {
        std::hint::spin_loop();
    }
    AT_IT.fetch_sub(1, Ordering::SeqCst);
}

/// Holds its thread, as hard work does, until another one comes here as well.
fn met() -> bool {
    static HERE: (std::sync::Mutex<usize>, Condvar) = (std::sync::Mutex::new(0), Condvar::new());
    let mut here = HERE.0.lock().unwrap();
    *here += 1;
    HERE.1.notify_all();
    let alone = |here: &mut usize| *here < 2;
    let waited = HERE
        .1
        .wait_timeout_while(here, Duration::from_secs(5), alone)
        .unwrap();
    !waited.1.timed_out()
}

/// Never answers; counts what was asked and what was dropped.
#[derive(Default)]
pub struct Silent {
    /// Requests sent.
    pub asked: AtomicUsize,
    /// Requests whose callers gave up.
    pub dropped: Arc<AtomicUsize>,
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Transport for Silent {
    fn send<'a>(
        &'a self,
        _scope: &'a CallScope,
        _request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let guard = Dropped(Arc::clone(&self.dropped));
        Box::pin(async move {
            let _guard = guard;
            std::future::pending().await
        })
    }

    fn configured(&self, _env: &str) -> bool {
        false
    }
}

static BOTH: Composite = Composite {
    tool: "extract_both",
    id: "landscape",
    title: "Both",
    description: "Two sources at once.",
    example: r#"{"topic": "rust"}"#,
    input_schema: || {
        let section = json!({"type": "object", "properties": {"url": {"type": "string"}}});
        json!({"type": "object", "properties": {"first": section, "second": section}})
    },
    plan: |arguments| {
        let part = |tool, name: &str| PartCall {
            tool,
            label: name.to_owned(),
            arguments: arguments
                .get(name)
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
            ..PartCall::default()
        };
        let sections = vec![part("extract_echo", "first"), part("extract_other", "second")];
        Ok(Plan {
            query: "rust".to_owned(),
            sections,
            min_score: None,
            as_of: None,
            max_length: 8_000,
            notes: Vec::new(),
            identify: None,
            company: None,
            says_subjects: false,
        })
    },
};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// An engine over the scripted sources, and what its requests go to.
pub fn engine_with(settings: &Settings) -> (Arc<Engine>, Arc<Silent>) {
    let (engine, transport, _) = build(settings, false);
    (engine, transport)
}

/// An engine whose calls and requests are counted.
pub fn counted_engine(settings: &Settings) -> (Arc<Engine>, Arc<Silent>, Option<Arc<Metrics>>) {
    build(settings, true)
}

fn build(settings: &Settings, counted: bool) -> (Arc<Engine>, Arc<Silent>, Option<Arc<Metrics>>) {
    let silent = Arc::new(Silent::default());
    let mut transport = Arc::clone(&silent) as Arc<dyn Transport>;
    let metrics = counted.then(|| Arc::new(Metrics::new([&&ECHO, &&OTHER]).unwrap()));
    if let Some(metrics) = &metrics {
        transport = Arc::new(Metered::new(transport, Arc::clone(metrics)));
    }
    let adapters: Vec<Box<dyn AnyAdapter>> = vec![erased(Echo(&OTHER)), erased(Echo(&ECHO))];
    let parts = Parts {
        adapters,
        composites: vec![&BOTH],
        transport,
        clock: Arc::new(FixedClock(now())),
        toolsets: Vec::new(),
    };
    let mut engine = Engine::new(settings, parts).unwrap();
    if let Some(metrics) = &metrics {
        engine = engine.counting(Arc::clone(metrics));
    }
    (Arc::new(engine), silent, metrics)
}

/// Default settings.
pub fn settings() -> Settings {
    Settings::default()
}

/// Waits until a condition holds, at most five seconds.
///
/// # Panics
/// Panics when the time is up.
pub async fn until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), waiting)
        .await
        .expect("the condition comes true");
}
