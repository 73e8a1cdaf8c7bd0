//! Group F, the cache: what is cached, for how long, and how answers report it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use freshcontext_contract::{
    CallScope, ErrorCode, Marker, Provenance, Request, Response, SourceError, Transport,
};

use crate::pipeline::Pipeline;
use crate::testing::*;

const URL: &str = "https://api.test.org/x";

struct Bench {
    pipeline: Arc<Pipeline>,
    timer: Arc<VirtualTimer>,
    clock: Arc<TestClock>,
    server: Arc<Server>,
}

impl Bench {
    async fn new(handler: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let server = Server::start(move |seen| vec![Act::Send(handler(seen))]).await;
        let (timer, clock) = (VirtualTimer::new(), TestClock::new());
        let mut config = config_to(&server);
        config.timer = timer.clone();
        config.clock = clock.clone();
        config.limits.attempts = 1;
        Self {
            pipeline: pipeline(config),
            timer,
            clock,
            server,
        }
    }

    fn pass(&self, seconds: u64) {
        self.timer.advance(Duration::from_secs(seconds));
        self.clock.shift(i64::try_from(seconds).unwrap());
    }

    async fn ask(&self, request: Request, max_age: Option<u64>) -> Result<Response, SourceError> {
        let scope = CallScope {
            max_age: max_age.map(Duration::from_secs),
            ..scope(plain(), self.timer.as_ref(), 20)
        };
        self.pipeline.send(&scope, request).await
    }

    async fn get(&self) -> Response {
        self.ask(get(URL), None).await.unwrap()
    }
}

fn cached(seconds: u64) -> Provenance {
    Provenance::Cached {
        age: Duration::from_secs(seconds),
    }
}

#[tokio::test]
async fn f08_a_fresh_copy_keeps_its_moment() {
    let bench = Bench::new(|seen| json(&format!("{{\"n\":{}}}", seen.n))).await;
    let first = bench.get().await;
    bench.pass(120);
    let second = bench.get().await;
    assert_eq!(second.provenance, cached(120));
    assert_eq!(second.retrieved_at, first.retrieved_at);
    assert_eq!(second.body, first.body);
    assert_eq!(second.attempts, 0);
    assert_eq!(bench.server.requests(), 1);
}

#[tokio::test]
async fn f11_f12_the_end_is_exact_and_reads_do_not_move_it() {
    let bench = Bench::new(|_| json("{}")).await;
    bench.get().await;
    for _ in 0..299 {
        bench.pass(1);
        assert!(matches!(bench.get().await.provenance, Provenance::Cached { .. }));
    }
    bench.pass(1);
    assert_eq!(bench.get().await.provenance, Provenance::Live);
    assert_eq!(bench.server.requests(), 2);
}

#[tokio::test]
async fn f11_clocks_that_jump() {
    let bench = Bench::new(|_| json("{}")).await;
    bench.get().await;
    bench.timer.advance(Duration::from_mins(1));
    bench.clock.shift(-3_600);
    assert_eq!(
        bench.get().await.provenance,
        cached(60),
        "back: the steady clock rules"
    );
    bench.clock.shift(3_600 + 86_400);
    assert_eq!(
        bench.get().await.provenance,
        Provenance::Live,
        "forward: the machine may have slept"
    );
}

/// A host whose clock is off: the difference is logged, answers are dated by the server's clock, and what the host states
/// by its own clock is read by that clock.
#[tokio::test]
async fn b28_a_hosts_clock_that_is_off() {
    const DAY_S: i64 = 86_400;
    for (skew_s, logged) in [
        (3 * DAY_S, true),
        (-3 * DAY_S, true),
        (301, true),
        (60, false),
        (-60, false),
    ] {
        let bench = Bench::new(move |_| {
            let told = |seconds: i64| {
                let at = chrono::DateTime::from_timestamp(1_794_000_000 + skew_s + seconds, 0).unwrap();
                httpdate::fmt_http_date(at.into())
            };
            answer(
                200,
                &[
                    ("content-type", "application/json"),
                    ("date", &told(0)),
                    ("expires", &told(60)),
                ],
                "{}",
            )
        })
        .await;
        let (log, _guard) = Log::start();
        let first = bench.get().await;
        let text = log.text();
        let line = text.lines().find(|line| line.contains("clock is off"));
        assert_eq!(line.is_some(), logged, "{skew_s}: {text}");
        if let Some(line) = line {
            assert!(
                line.contains("api.test.org") && line.contains(&format!("skew_s={skew_s}")),
                "{line}"
            );
        }
        assert_eq!(
            first.retrieved_at.timestamp(),
            1_794_000_000,
            "{skew_s}: the host's clock dates nothing"
        );
        bench.pass(59);
        assert_eq!(bench.get().await.provenance, cached(59), "{skew_s}");
        bench.pass(1);
        assert_eq!(
            bench.get().await.provenance,
            Provenance::Live,
            "{skew_s}: a minute is a minute"
        );
    }
}

#[tokio::test]
async fn the_callers_max_age_counts() {
    let bench = Bench::new(|_| json("{}")).await;
    bench.get().await;
    bench.pass(60);
    assert_eq!(
        bench.ask(get(URL), Some(60)).await.unwrap().provenance,
        cached(60)
    );
    assert_eq!(
        bench.ask(get(URL), Some(59)).await.unwrap().provenance,
        Provenance::Live
    );
    assert_eq!(
        bench.ask(get(URL), Some(0)).await.unwrap().provenance,
        Provenance::Live
    );
    assert_eq!(bench.server.requests(), 3);
}

#[tokio::test]
async fn f09_confirmed_or_replaced() {
    let bench = Bench::new(|seen| match (seen.n, seen.header("if-none-match")) {
        (0, None) => answer(
            200,
            &[("etag", "\"one\""), ("cache-control", "max-age=60")],
            "{\"n\":1}",
        ),
        (1, Some("\"one\"")) => answer(304, &[("etag", "\"one\""), ("cache-control", "max-age=30")], ""),
        (2, Some("\"one\"")) => answer(
            200,
            &[("etag", "\"two\""), ("cache-control", "max-age=60")],
            "{\"n\":2}",
        ),
        _ => answer(500, &[], ""),
    })
    .await;
    let first = bench.get().await;
    bench.pass(60);
    let second = bench.get().await;
    assert_eq!(second.provenance, Provenance::Revalidated);
    assert_eq!((second.status, second.body), (200, first.body));
    assert_eq!((second.retrieved_at - first.retrieved_at).num_seconds(), 60);
    bench.pass(29);
    assert_eq!(
        bench.get().await.provenance,
        cached(29),
        "its time is that of the 304"
    );
    bench.pass(1);
    let third = bench.get().await;
    assert_eq!(third.provenance, Provenance::Live);
    assert_eq!(&third.body[..], b"{\"n\":2}");
}

#[tokio::test]
async fn f09_last_modified_and_no_cache() {
    let bench = Bench::new(|seen| match seen.header("if-modified-since") {
        None => answer(
            200,
            &[
                ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ("cache-control", "no-cache"),
            ],
            "[1]",
        ),
        Some("Sun, 06 Nov 1994 08:49:37 GMT") => answer(304, &[], ""),
        Some(_) => answer(500, &[], ""),
    })
    .await;
    bench.get().await;
    for _ in 0..2 {
        assert_eq!(bench.get().await.provenance, Provenance::Revalidated);
    }
    assert_eq!(bench.server.requests(), 3);
}

/// A cached answer without validators cannot be asked about, so a 304 tells nothing of it.
#[tokio::test]
async fn f09_a_304_that_was_not_asked_for_renews_nothing() {
    for max_age in [None, Some(0)] {
        let bench = Bench::new(|seen| match seen.n {
            0 => answer(200, &[("cache-control", "max-age=60")], "[0]"),
            1 => answer(304, &[("etag", "\"one\""), ("cache-control", "max-age=60")], ""),
            _ => json("[1]"),
        })
        .await;
        bench.get().await;
        bench.pass(60);
        let failed = bench.ask(get(URL), max_age).await.unwrap_err();
        assert_eq!(
            (failed.code, failed.http_status),
            (ErrorCode::UpstreamError, Some(304))
        );
        assert!(
            failed.message.contains("without a validator"),
            "{}",
            failed.message
        );
        assert_eq!(bench.server.requests(), 2, "asking again would not help");
        let next = bench.get().await;
        assert_eq!((next.provenance, &next.body[..]), (Provenance::Live, &b"[1]"[..]));
    }
}

#[tokio::test]
async fn f10_nothing_stale_stands_in_for_a_failure() {
    let bench = Bench::new(|seen| {
        if seen.n == 0 {
            json("{}")
        } else {
            answer(500, &[], "")
        }
    })
    .await;
    bench.get().await;
    bench.pass(301);
    let error = bench.ask(get(URL), None).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::UpstreamError);
    // A failed live request neither damages the cached copy nor is answered from it.
    let bench = Bench::new(|seen| {
        if seen.n == 0 {
            json("{}")
        } else {
            answer(500, &[], "")
        }
    })
    .await;
    bench.get().await;
    assert!(bench.ask(get(URL), Some(0)).await.is_err());
}

#[tokio::test]
async fn f13_f15_no_cross_talk_and_no_forbidden_copies() {
    let bench = Bench::new(|seen| match seen.path() {
        "/nostore" => answer(200, &[("cache-control", "no-store")], "{}"),
        "/private" => answer(200, &[("cache-control", "private, max-age=60")], "{}"),
        "/vary" => answer(200, &[("vary", "*")], "{}"),
        "/old" => answer(200, &[("cache-control", "max-age=60"), ("age", "60")], "{}"),
        _ => json(&format!(
            "\"{}\"",
            seen.header("accept-language").unwrap_or("none")
        )),
    })
    .await;
    for path in ["nostore", "private", "vary", "old"] {
        for _ in 0..2 {
            let response = bench
                .ask(get(&format!("https://api.test.org/{path}")), None)
                .await
                .unwrap();
            assert_eq!(response.provenance, Provenance::Live, "{path}");
        }
    }
    bench.get().await;
    let german = bench
        .ask(get(URL).header("accept-language", "de"), None)
        .await
        .unwrap();
    assert_eq!(&german.body[..], b"\"de\"");
    assert_eq!(bench.get().await.provenance, cached(0));
    let uncached = bench
        .ask(get("https://api.test.org/z").cache_for(Duration::ZERO), None)
        .await
        .unwrap();
    assert_eq!(uncached.provenance, Provenance::Live);
    let again = bench
        .ask(get("https://api.test.org/z").cache_for(Duration::ZERO), None)
        .await
        .unwrap();
    assert_eq!(again.provenance, Provenance::Live);
}

#[tokio::test]
async fn queries_by_post_are_kept_by_their_body() {
    let bench = Bench::new(|seen| json(&seen.body)).await;
    let post = |text: &str| {
        Request::post_json(
            URL.parse::<freshcontext_contract::url::Url>().unwrap(),
            &text.into(),
        )
    };
    assert_eq!(&bench.ask(post("a"), None).await.unwrap().body[..], b"\"a\"");
    assert_eq!(&bench.ask(post("b"), None).await.unwrap().body[..], b"\"b\"");
    let again = bench.ask(post("a"), None).await.unwrap();
    assert_eq!((&again.body[..], again.provenance), (&b"\"a\""[..], cached(0)));
}

#[tokio::test]
async fn block_pages_errors_and_markers_are_not_kept() {
    let bench = Bench::new(|seen| match seen.n {
        0 => answer(
            200,
            &[("content-type", "text/html")],
            "<html><h1>Sorry</h1></html>",
        ),
        1 => answer(404, &[], ""),
        _ => json("{}"),
    })
    .await;
    assert_eq!(
        bench.ask(get(URL), None).await.unwrap_err().code,
        ErrorCode::Malformed
    );
    assert_eq!(
        bench.ask(get(URL), None).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    assert_eq!(bench.get().await.provenance, Provenance::Live);
}

#[tokio::test]
async fn another_source_validates_a_copy_anew() {
    let bench = Bench::new(|_| json("{\"text\":\"quota of the day is used up\"}")).await;
    bench.get().await;
    let mut wary = descriptor("wary");
    wary.markers = &[Marker {
        contains: "quota of the day is used up",
        code: ErrorCode::RateLimited,
        message: "used up",
    }];
    let scope = scope(leak(wary), bench.timer.as_ref(), 20);
    let error = bench.pipeline.send(&scope, get(URL)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::RateLimited);
    let other = leak(descriptor("other"));
    let scope = CallScope {
        descriptor: other,
        ..scope
    };
    assert!(matches!(
        bench.pipeline.send(&scope, get(URL)).await.unwrap().provenance,
        Provenance::Cached { .. }
    ));
}

#[tokio::test]
async fn f14_a_full_cache_forgets_and_works_on() {
    let served = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&served);
    let server = Server::start(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        vec![Act::Send(json(&format!("\"{}\"", "x".repeat(20_000))))]
    })
    .await;
    let mut config = config_to(&server);
    config.limits.cache_bytes = 100_000;
    let pipeline = pipeline(config);
    for n in 0..50 {
        send(&pipeline, get(&format!("https://api.test.org/{n}")))
            .await
            .unwrap();
    }
    for n in 0..50 {
        send(&pipeline, get(&format!("https://api.test.org/{n}")))
            .await
            .unwrap();
    }
    assert!(served.load(Ordering::SeqCst) >= 90, "at most five fit");
}

#[tokio::test]
async fn a_discarded_answer_is_neither_shown_nor_confirmed_again() {
    let bench = Bench::new(|seen| match (seen.n, seen.header("if-none-match")) {
        (0, None) => answer(
            200,
            &[("etag", "\"empty\""), ("cache-control", "max-age=600")],
            "[]",
        ),
        (1, None) => answer(
            200,
            &[("etag", "\"full\""), ("cache-control", "max-age=600")],
            "[1]",
        ),
        _ => answer(500, &[], ""),
    })
    .await;
    let doubtful = bench.get().await;
    assert_eq!(
        bench.get().await.provenance,
        cached(0),
        "until somebody doubts it, it stays"
    );
    doubtful.discard();
    let asked_anew = bench.get().await;
    assert_eq!(asked_anew.provenance, Provenance::Live);
    assert_eq!(&asked_anew.body[..], b"[1]");
    // The withdrawal concerned the first answer; the second one stays cached.
    doubtful.discard();
    assert_eq!(bench.get().await.provenance, cached(0));
    assert_eq!(bench.server.requests(), 2);
}

#[tokio::test]
async fn discarding_a_copy_or_a_confirmed_one_is_discarding_the_answer() {
    let bench = Bench::new(|seen| match seen.header("if-none-match") {
        Some(_) => answer(304, &[("etag", "\"1\""), ("cache-control", "max-age=60")], ""),
        None => answer(
            200,
            &[("etag", "\"1\""), ("cache-control", "max-age=60")],
            format!("[{}]", seen.n),
        ),
    })
    .await;
    bench.get().await;
    bench.get().await.discard();
    assert_eq!(&bench.get().await.body[..], b"[1]");
    bench.pass(60);
    let confirmed = bench.get().await;
    assert_eq!(confirmed.provenance, Provenance::Revalidated);
    confirmed.discard();
    let anew = bench.get().await;
    assert_eq!((anew.provenance, &anew.body[..]), (Provenance::Live, &b"[3]"[..]));
}
