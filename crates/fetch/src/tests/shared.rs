//! Sharing of one upstream request, callers that leave it, and the order of the stages.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use freshcontext_contract::{BoxFuture, CallScope, ErrorCode, Transport};
use futures_util::future::join_all;

use crate::coordination::{Coordinate, Grant, HostEvent, HostLimit, Lease, Missing, Progress, Turn};
use crate::pipeline::Pipeline;
use crate::testing::*;

const URL: &str = "https://api.test.org/x";

#[tokio::test]
async fn the_order_of_the_stages() {
    let server = Server::start(|seen| {
        vec![Act::Send(if seen.path() == "/x" {
            answer(302, &[("location", "/y")], "")
        } else {
            json("{}")
        })]
    })
    .await;
    let pipeline = pipeline(config_to(&server));
    let hop = ["concurrency", "pace", "connect", "body"];
    let outer = ["policy", "gate", "coalesce", "cache", "retry"];
    let all: Vec<&str> = outer.into_iter().chain(hop).chain(hop).collect();
    assert_eq!(stages(&pipeline, URL).await, all);
    assert_eq!(stages(&pipeline, URL).await, outer[..4], "a fresh copy ends it");
    assert_eq!(stages(&pipeline, "http://127.0.0.1/").await, ["policy"]);
}

/// Returns the stages of a request, as logged.
async fn stages(pipeline: &Pipeline, url: &str) -> Vec<String> {
    let (log, _guard) = Log::start();
    let _ = send(pipeline, get(url)).await;
    let text = log.text();
    let named = text.lines().filter_map(|line| line.split_once("stage=\""));
    named
        .filter_map(|(_, rest)| rest.split_once('"'))
        .map(|(stage, _)| stage.to_owned())
        .collect()
}

#[tokio::test]
async fn a09_a_hundred_equal_requests_are_one() {
    let server = Server::start(|_| vec![Act::Pause(Duration::from_millis(100)), Act::Send(json("{}"))]).await;
    let clock = TestClock::new();
    let mut config = config_to(&server);
    config.clock = clock.clone();
    let pipeline = pipeline(config);
    let calls = (0..100).map(|_| send(&pipeline, get(URL)));
    let outcomes = join_all(calls).await;
    let first = outcomes[0].as_ref().unwrap().retrieved_at;
    for outcome in &outcomes {
        assert_eq!(outcome.as_ref().unwrap().retrieved_at, first);
    }
    assert_eq!(server.requests(), 1);
    assert_eq!(pipeline.coalesced(), 0);
}

#[tokio::test]
async fn failures_are_shared_too_but_not_kept() {
    let server = Server::start(|_| {
        vec![
            Act::Pause(Duration::from_millis(50)),
            Act::Send(answer(404, &[], "")),
        ]
    })
    .await;
    let pipeline = pipeline(config_to(&server));
    let outcomes = join_all((0..10).map(|_| send(&pipeline, get(URL)))).await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.as_ref().unwrap_err().code == ErrorCode::NotFound)
    );
    assert_eq!(server.requests(), 1);
    send(&pipeline, get(URL)).await.unwrap_err();
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn different_wishes_are_not_shared() {
    let server = Server::start(|_| vec![Act::Pause(Duration::from_millis(50)), Act::Send(json("{}"))]).await;
    let pipeline = pipeline(config_to(&server));
    let (one, other) = tokio::join!(
        send(&pipeline, get(URL)),
        send(&pipeline, get(URL).header("accept-language", "de"))
    );
    one.unwrap();
    other.unwrap();
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn d14_the_last_one_out_closes_the_socket() {
    let server = Server::start(|_| vec![Act::Hang]).await;
    let pipeline = pipeline(config_to(&server));
    let first = tokio::spawn({
        let pipeline = Arc::clone(&pipeline);
        async move { send(&pipeline, get(URL)).await }
    });
    let second = tokio::spawn({
        let pipeline = Arc::clone(&pipeline);
        async move { send(&pipeline, get(URL)).await }
    });
    server.has_received(1).await;
    first.abort();
    let _ = first.await;
    assert_eq!(server.closed(), 0, "one still waits");
    let begun = Instant::now();
    second.abort();
    let _ = second.await;
    server.has_closed(1).await;
    assert!(
        begun.elapsed() < Duration::from_millis(200),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(server.requests(), 1);
    assert_eq!(pipeline.coalesced(), 0);
    assert!(is_idle(&pipeline));
}

#[tokio::test]
async fn d14_leaving_while_the_body_comes() {
    let server = Server::start(|_| {
        vec![
            Act::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[".to_vec()),
            Act::Hang,
        ]
    })
    .await;
    let pipeline = pipeline(config_to(&server));
    let call = tokio::time::timeout(Duration::from_millis(100), send(&pipeline, get(URL)));
    assert!(call.await.is_err());
    let begun = Instant::now();
    server.has_closed(1).await;
    assert!(
        begun.elapsed() < Duration::from_millis(200),
        "{:?}",
        begun.elapsed()
    );
    assert!(is_idle(&pipeline));
}

#[tokio::test]
async fn d14_one_leaving_does_not_disturb_the_others() {
    let server = Server::start(|_| vec![Act::Pause(Duration::from_millis(150)), Act::Send(json("{}"))]).await;
    let pipeline = pipeline(config_to(&server));
    let leaver = tokio::spawn({
        let pipeline = Arc::clone(&pipeline);
        async move { send(&pipeline, get(URL)).await }
    });
    server.has_received(1).await;
    let stayer = tokio::spawn({
        let pipeline = Arc::clone(&pipeline);
        async move { send(&pipeline, get(URL)).await }
    });
    tokio::task::yield_now().await;
    leaver.abort();
    assert!(stayer.await.unwrap().is_ok());
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn each_caller_keeps_its_own_deadline() {
    let server = Server::start(|_| vec![Act::Pause(Duration::from_millis(500)), Act::Send(json("{}"))]).await;
    let pipeline = pipeline(config_to(&server));
    let within = |millis| CallScope {
        descriptor: plain(),
        deadline: Instant::now() + Duration::from_millis(millis),
        max_age: None,
    };
    let (hasty, patient) = (within(150), within(5_000));
    let begun = Instant::now();
    let both = async {
        tokio::join!(
            async {
                let outcome = pipeline.send(&hasty, get(URL)).await;
                (outcome, begun.elapsed())
            },
            pipeline.send(&patient, get(URL))
        )
    };
    let ((early, took), late) = both.await;
    let early = early.unwrap_err();
    assert_eq!((early.code, early.attempts), (ErrorCode::Timeout, 1));
    assert!(took < Duration::from_millis(450), "{took:?}");
    assert!(late.is_ok());
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn many_different_requests_respect_the_places_of_a_host() {
    let server = Server::start(|_| vec![Act::Pause(Duration::from_millis(20)), Act::Send(json("{}"))]).await;
    let pipeline = pipeline(config_to(&server));
    let watched = Arc::clone(&pipeline);
    let most = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let watcher = tokio::spawn(async move {
        loop {
            let now = watched
                .status()
                .iter()
                .map(|host| host.in_flight)
                .max()
                .unwrap_or(0);
            seen.fetch_max(now, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    });
    let calls: Vec<String> = (0..20).map(|n| format!("https://api.test.org/{n}")).collect();
    let outcomes = join_all(calls.iter().map(|url| send(&pipeline, get(url)))).await;
    watcher.abort();
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(most.load(Ordering::SeqCst), 2);
    assert!(server.connections.load(Ordering::SeqCst) <= 2);
}

#[test]
fn building_a_pipeline_needs_no_runtime_and_no_time() {
    let begun = Instant::now();
    for _ in 0..10 {
        pipeline(crate::config::Config::new(TestClock::new()));
    }
    assert!(
        begun.elapsed() < Duration::from_millis(100),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_thousand_waiting_requests_do_not_wake_each_other_in_vain() {
    let server = Server::always(json("{}")).await;
    let pipeline = pipeline(config_to(&server));
    let urls: Vec<String> = (0..1_000).map(|n| format!("https://api.test.org/{n}")).collect();
    let begun = Instant::now();
    let outcomes = join_all(urls.iter().map(|url| send(&pipeline, get(url)))).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

/// Coordination that gives one answer to each request for a lease, or none at all.
struct Scripted {
    grant: Option<Grant>,
    looks: bool,
}

impl Coordinate for Scripted {
    fn acquire<'a>(&'a self, _: &'a Arc<HostLimit>) -> BoxFuture<'a, Grant> {
        let grant = self.grant.clone();
        Box::pin(async move {
            match grant {
                Some(grant) => grant,
                None => std::future::pending().await,
            }
        })
    }

    fn progress(&self, _: &Arc<HostLimit>, _: Lease, _: Progress) {}
    fn suspend(&self, _: &str, _: Option<(&'static str, bool)>, _: Duration, _: bool) {}
    fn host(&self, _: &str, _: HostEvent) {}

    fn look<'a>(&'a self, _: &'a str, _: Duration) -> BoxFuture<'a, Turn> {
        let looks = self.looks;
        Box::pin(async move {
            if looks {
                Turn::Alone
            } else {
                std::future::pending().await
            }
        })
    }

    fn save(&self, _: &str, _: Vec<u8>, _: Duration, _: Duration) {}
    fn unlock(&self, _: &str, _: &str) {}
}

/// A request that never left says so, within its deadline, and names what it waited for.
#[tokio::test]
async fn the_deadline_holds_while_replicas_are_asked() {
    let wait = |missing| {
        let time = Duration::from_secs(40);
        Some(Grant::Wait {
            time,
            again: time,
            missing,
        })
    };
    let (agreement, pace) = ("the replicas of this server did not agree", "the pace that");
    for (grant, looks, reason) in [
        (None, true, agreement),
        (None, false, agreement),
        (wait(Missing::Agreement), true, agreement),
        (wait(Missing::Slot), true, pace),
    ] {
        let server = Server::start(|_| vec![Act::Send(json("{}"))]).await;
        let mut config = config_to(&server);
        config.shared = Some(Arc::new(Scripted { grant, looks }));
        let pipeline = pipeline(config);
        let begun = Instant::now();
        let scope = scope(plain(), &crate::ports::TokioTimer, 1);
        let error = pipeline.send(&scope, get(URL)).await.unwrap_err();
        assert!(
            begun.elapsed() < Duration::from_millis(1_300),
            "{:?}",
            begun.elapsed()
        );
        assert!(error.message.starts_with(reason), "{error:?}");
        assert_eq!((error.code, error.attempts), (ErrorCode::RateLimited, 0));
        assert_eq!(error.detail.as_deref(), Some("pace"));
        assert!(error.retry_after.is_some_and(|wait| !wait.is_zero()), "{error:?}");
        assert_eq!(server.requests(), 0);
        assert!(is_idle(&pipeline));
    }
}
