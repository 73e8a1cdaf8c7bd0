//! Shared parts of the fuzz targets: a source whose transport answers every request with the fuzz input.

mod limits;

pub use libfuzzer_sys;
pub use limits::within;

/// Defines a fuzz target whose every input must stay within the time and memory limits ([`within`]).
#[macro_export]
macro_rules! target {
    (|$data:ident| $read:expr) => {
        $crate::libfuzzer_sys::fuzz_target!(|input: &[u8]| $crate::within(input, || {
            let $data: &[u8] = input;
            $read
        }));
    };
}

use std::sync::Mutex;
use std::time::{Duration, Instant};

use freshcontext_contract::bytes::Bytes;
use freshcontext_contract::chrono::DateTime;
use freshcontext_contract::{
    BoxFuture, CallScope, CommonArgs, Cx, ErrorCode, FixedClock, Headers, Media, Provenance, Request, Response,
    SourceError, CacheValidity, Transport,
};
use freshcontext_core::answer::{ScoreInput, score};
use freshcontext_core::decay::DecayTable;

/// Transport that answers every request with pieces of the input.
struct Echo {
    pieces: Mutex<Vec<Vec<u8>>>,
}

impl Transport for Echo {
    fn send<'a>(&'a self, _: &'a CallScope, request: Request) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move {
            let body = self.pieces.lock().expect("one thread").pop();
            let body = body.ok_or_else(|| SourceError::new(ErrorCode::UpstreamError, "no more input"))?;
            let kind = match request.expect {
                Media::Json => "application/json",
                Media::Xml => "application/xml",
                Media::Html | Media::Any => "text/html",
                Media::Csv => "text/csv",
                Media::Text => "text/plain",
            };
            Ok(Response {
                status: request.accept_status.first().copied().filter(|_| body.len() % 7 == 0).unwrap_or(200),
                headers: Headers(vec![("content-type".to_owned(), kind.to_owned())]),
                body: Bytes::from(body),
                final_url: request.url,
                retrieved_at: DateTime::from_timestamp(1_795_262_400, 0).expect("a fixed moment"),
                provenance: Provenance::Live,
                attempts: 1,
                validity: CacheValidity::default(),
                key_refused: None,
            })
        })
    }

    fn configured(&self, _: &str) -> bool {
        true
    }
}

/// Calls one tool with its example arguments. Any result must be scored without a panic, and a success must be a
/// well-formed envelope.
pub fn ask(tool: &str, data: &[u8]) {
    let adapters = freshcontext_sources::adapters();
    let adapter = adapters.iter().find(|adapter| adapter.descriptor().tool == tool).expect("a registered tool");
    let facts = adapter.descriptor();
    let example = serde_json::from_str(facts.example).expect("the example is an object");
    let mut pieces: Vec<Vec<u8>> = data.split(|byte| *byte == 0xfe).map(<[u8]>::to_vec).collect();
    pieces.reverse();
    let echo = Echo { pieces: Mutex::new(pieces) };
    let clock = FixedClock(DateTime::from_timestamp(1_795_262_400, 0).expect("a fixed moment"));
    let args = CommonArgs::defaults(&facts.args);
    let cx = Cx::new(&echo, &clock, facts, Instant::now() + Duration::from_secs(5), &args, 12);
    // Nothing in this transport waits, so one poll completes the future.
    let mut future = adapter.collect(&cx, example);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(Ok(result)) = future.as_mut().poll(&mut context) else { return };
    drop(future);
    let seen = cx.seen();
    let input =
        ScoreInput { descriptor: facts, result, args: &args, seen: &seen, now: clock.0, decay: &DecayTable::default(), cursor: None };
    let Ok(scored) = score(input) else { return };
    let answer = scored.render(4_000);
    assert_eq!(answer.text.matches("[/FRESHCONTEXT]").count(), 1, "{}", answer.text);
}
