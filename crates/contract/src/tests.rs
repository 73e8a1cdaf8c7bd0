//! What becomes of the answers of a call, by what the call came to.

use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::DateTime;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use url::Url;

use crate::adapter::{Adapter, erased};
use crate::arg_spec::ArgSpec;
use crate::args::CommonArgs;
use crate::clock::FixedClock;
use crate::cx::{BoxFuture, CallScope, Cx, Transport};
use crate::descriptor::{Descriptor, Hosts};
use crate::error::{ErrorCode, SourceError};
use crate::source_result::SourceResult;
use crate::wire::{CacheValidity, Headers, Media, Provenance, Request, Response};

static FACTS: Descriptor = Descriptor {
    id: "crafted",
    tool: "extract_crafted",
    title: "Crafted",
    description: "A crafted source.",
    example: "{}",
    profile: "none",
    hosts: Hosts::PublicWeb(&[]),
    official: true,
    peek: crate::peek::Peek::validators(crate::peek::Listing::Window),
    args: ArgSpec::length(1_000),
    dates: "None.",
    terms: "None.",
    ..Descriptor::PLAIN
};

/// Answers everything but `/down`, and remembers the validity of its answers.
#[derive(Default)]
struct Answers(Mutex<Vec<CacheValidity>>);

impl Transport for Answers {
    fn send<'a>(
        &'a self,
        _: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move {
            if request.url.path() == "/down" {
                return Err(SourceError::new(ErrorCode::UpstreamError, "down"));
            }
            let validity = CacheValidity::default();
            self.0.lock().unwrap().push(validity.clone());
            Ok(Response {
                status: 200,
                headers: Headers::default(),
                body: Bytes::new(),
                final_url: request.url,
                retrieved_at: DateTime::UNIX_EPOCH,
                provenance: Provenance::Live,
                attempts: 1,
                validity,
                key_refused: None,
            })
        })
    }

    fn configured(&self, _: &str) -> bool {
        false
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Nothing {}

/// Asks `/a` and `/b`, then returns the configured outcome.
struct Ends(End);

#[derive(Clone, Copy)]
enum End {
    Well,
    Code(ErrorCode),
    /// A further request fails on the way.
    Down,
    /// The second answer is found wanting, and its error ends the call before the first was read.
    Second,
    /// The same after the first was read.
    Later,
    /// The same, and the call goes on.
    Part,
}

impl Adapter for Ends {
    type Input = Nothing;

    fn descriptor(&self) -> &'static Descriptor {
        &FACTS
    }

    async fn collect(&self, cx: &Cx<'_>, _: Nothing) -> Result<SourceResult, SourceError> {
        let malformed = |_: &Response| -> Result<(), SourceError> { Err(SourceError::malformed("no list")) };
        if matches!(self.0, End::Later | End::Part) {
            cx.read(request("/a"), |_| Ok(())).await?;
        } else {
            cx.send(request("/a")).await?;
        }
        match self.0 {
            End::Second | End::Later => cx.read(request("/b"), malformed).await?,
            End::Part => {
                let part = cx.read(request("/b"), malformed).await;
                assert_eq!(part.unwrap_err().code, ErrorCode::Malformed);
            }
            _ => {
                cx.send(request("/b")).await?;
            }
        }
        match self.0 {
            End::Code(code) => return Err(SourceError::new(code, "so it ends")),
            End::Down => {
                cx.send(request("/down")).await?;
            }
            _ => {}
        }
        Ok(SourceResult::new(request("/").url, Vec::new()))
    }
}

fn request(path: &str) -> Request {
    let url = Url::parse("https://api.test.org").unwrap().join(path).unwrap();
    Request::get(url, Media::Json)
}

/// Which of the answers to `/a` and `/b` may not be handed out again.
fn forgotten(end: End) -> Vec<bool> {
    let (answers, clock) = (Answers::default(), FixedClock(DateTime::UNIX_EPOCH));
    let args = CommonArgs::defaults(&FACTS.args);
    let deadline = Instant::now() + Duration::from_secs(5);
    let cx = Cx::new(&answers, &clock, &FACTS, deadline, &args, 9);
    let adapter = erased(Ends(end));
    let mut call = adapter.collect(&cx, Map::new());
    let Poll::Ready(ended) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("nothing here waits");
    };
    assert_eq!(ended.is_ok(), matches!(end, End::Well | End::Part));
    let validities = answers.0.lock().unwrap();
    validities.iter().map(CacheValidity::is_withdrawn).collect()
}

#[test]
fn a_call_that_fails_by_its_answers_forgets_them() {
    for code in ErrorCode::ALL {
        let expected = match code {
            ErrorCode::RateLimited
            | ErrorCode::AccessDenied
            | ErrorCode::Challenge
            | ErrorCode::Timeout
            | ErrorCode::Malformed
            | ErrorCode::UpstreamError
            | ErrorCode::Misconfigured => true,
            // Answers of the source, or nothing of its doing.
            ErrorCode::InvalidInput
            | ErrorCode::BlockedAddress
            | ErrorCode::NotFound
            | ErrorCode::Unreachable
            | ErrorCode::TooLarge
            | ErrorCode::CircuitOpen
            | ErrorCode::Overloaded
            | ErrorCode::Cancelled
            | ErrorCode::Internal => false,
        };
        assert_eq!(forgotten(End::Code(code)), [expected, expected], "{code}");
    }
}

#[test]
fn good_answers_outlive_what_fails_beside_them() {
    assert_eq!(forgotten(End::Well), [false, false]);
    assert_eq!(forgotten(End::Down), [false, false]);
    assert_eq!(forgotten(End::Second), [true, true]);
    assert_eq!(forgotten(End::Later), [false, true]);
    assert_eq!(forgotten(End::Part), [false, true]);
}
