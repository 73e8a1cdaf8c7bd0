//! The server with one source, whose reader does not come back when it is asked for `stuck`: what the pages
//! of strangers must not bring about, and what must then still hold. `stuck-reader stdio`, or `stuck-reader http`
//! for a free port of loopback; one reading thread, two seconds for a call, one for the end.

use std::process::ExitCode;
use std::sync::Arc;

use freshcontext::cli::{over_http, over_stdio};
use freshcontext_config::Settings;
use freshcontext_config::SystemClock;
use freshcontext_contract::schemars::{self, JsonSchema};
use freshcontext_contract::serde::{self, Deserialize};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, BoxFuture, CallScope, Clock, Cx, DateEvidence, Descriptor, ErrorCode, Item, Request, Response,
    SourceError, SourceResult, Transport, erased,
};
use freshcontext_engine::{Engine, Parts};
use freshcontext_testkit::descriptor;

static FACTS: Descriptor = descriptor("hackernews", "extract_stuck");

struct Stuck;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "self::serde")]
struct Input {
    /// What to do
    url: String,
}

impl Adapter for Stuck {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &FACTS
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let stuck = input.url == "stuck";
        while std::hint::black_box(stuck) {
            std::hint::spin_loop();
        }
        let page = Url::parse("https://echo.example/").map_err(|_| SourceError::malformed("an address"))?;
        let item = Item::new("A result", DateEvidence::field("created", cx.now()));
        Ok(SourceResult::new(page, vec![item]))
    }
}

/// A transport without sources.
struct NoSources;

impl Transport for NoSources {
    fn send<'a>(&'a self, _: &'a CallScope, _: Request) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async { Err(SourceError::new(ErrorCode::Unreachable, "nobody is there")) })
    }

    fn configured(&self, _: &str) -> bool {
        false
    }
}

fn main() -> ExitCode {
    let mut settings = Settings::default();
    settings.limits.reading_threads = 1;
    settings.limits.call_deadline_ms = 2_000;
    settings.limits.queue_wait_ms = 500;
    settings.limits.drain_ms = 1_000;
    settings.http.addr.set_port(0);
    let parts = Parts {
        adapters: vec![erased(Stuck)],
        composites: Vec::new(),
        transport: Arc::new(NoSources),
        clock: Arc::new(SystemClock) as Arc<dyn Clock>,
        toolsets: Vec::new(),
    };
    let Ok(engine) = Engine::new(&settings, parts).map(Arc::new) else {
        return ExitCode::from(2);
    };
    let code = match std::env::args().nth(1).as_deref() {
        Some("stdio") => over_stdio(engine, None, &settings.limits),
        Some("http") => over_http(engine, &settings, |_| {}),
        _ => Ok(2),
    };
    code.map_or(ExitCode::from(2), ExitCode::from)
}
