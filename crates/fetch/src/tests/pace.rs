//! Group F: retries, pace, suspension, breaker, in virtual time.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use freshcontext_contract::{
    Descriptor, ErrorCode, HostRate, Hosts, Marker, Pace, Provenance, Retry, SourceError, Transport,
};
use futures_util::future::join_all;

use crate::pipeline::Pipeline;
use crate::ports::Timer;
use crate::status::BreakerState;
use crate::testing::*;

const URL: &str = "https://api.test.org/x";
const STEP: Duration = Duration::from_millis(100);

struct Bench {
    pipeline: Arc<Pipeline>,
    timer: Arc<VirtualTimer>,
    server: Arc<Server>,
    /// Arrival times of requests, on the virtual clock.
    times: Arc<Mutex<Vec<Instant>>>,
    source: &'static Descriptor,
}

impl Bench {
    async fn new(
        rates: &'static [HostRate],
        handler: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let timer = VirtualTimer::new();
        let times = Arc::<Mutex<Vec<Instant>>>::default();
        let (noted, clock) = (times.clone(), timer.clone());
        let server = Server::start(move |seen| {
            noted.lock().unwrap().push(clock.now());
            vec![Act::Send(handler(seen))]
        })
        .await;
        let mut source = descriptor("paced");
        source.rates = rates;
        source.hosts = Hosts::PublicWeb(&[]);
        source.markers = &[Marker {
            contains: "too many of them at once",
            code: ErrorCode::RateLimited,
            message: "the source says so in words",
        }];
        let source = leak(source);
        let mut config = config_to(&server);
        config.timer = timer.clone();
        config.descriptors = vec![source];
        Self {
            pipeline: pipeline(config),
            timer,
            server,
            times,
            source,
        }
    }

    async fn ask(&self, url: &str, seconds: u64) -> Result<freshcontext_contract::Response, SourceError> {
        let scope = scope(self.source, self.timer.as_ref(), seconds);
        self.timer
            .while_passing(STEP, self.pipeline.send(&scope, get(url)))
            .await
    }

    /// Sends without advancing time.
    async fn ask_now(&self, url: &str) -> Result<freshcontext_contract::Response, SourceError> {
        let scope = scope(self.source, self.timer.as_ref(), 20);
        self.pipeline.send(&scope, get(url)).await
    }

    fn breaker(&self) -> BreakerState {
        self.pipeline
            .status()
            .iter()
            .find(|host| host.host == "api.test.org")
            .unwrap()
            .breaker
    }
}

const ONE_PER_3S: &[HostRate] = &[HostRate {
    host: "api.test.org",
    path: "",
    pace: Pace::new(1, 3),
    keyed: None,
    in_flight: 1,
    link: "https://example.org/limits",
}];

const FIVE_PER_2S: &[HostRate] = &[HostRate {
    host: "api.test.org",
    path: "",
    pace: Pace::new(5, 2),
    keyed: None,
    in_flight: 4,
    link: "https://example.org/limits",
}];

fn assert_pace(times: &[Instant], requests: usize, per: Duration) {
    for window in times.windows(requests + 1) {
        let spread = window[requests] - window[0];
        assert!(spread >= per, "{} requests within {spread:?}", requests + 1);
    }
}

async fn fifty(bench: &Bench, seconds: u64) -> Vec<Result<freshcontext_contract::Response, SourceError>> {
    let scope = scope(bench.source, bench.timer.as_ref(), seconds);
    let urls: Vec<String> = (0..50).map(|n| format!("https://api.test.org/{n}")).collect();
    let calls = join_all(urls.iter().map(|url| bench.pipeline.send(&scope, get(url))));
    bench.timer.while_passing(STEP, calls).await
}

#[tokio::test]
async fn f05_one_per_three_seconds_under_fifty_calls() {
    let bench = Bench::new(ONE_PER_3S, |_| json("{}")).await;
    let outcomes = fifty(&bench, 20).await;
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert!((5..=7).contains(&done), "{done} in 20 s");
    for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (ErrorCode::RateLimited, Some("pace"))
        );
        assert!(error.retry_after.unwrap() >= Duration::from_secs(1));
        assert_eq!(error.attempts, 0);
    }
    let times = bench.times.lock().unwrap();
    assert_eq!(times.len(), done);
    assert_pace(&times, 1, Duration::from_secs(3));
    assert!(
        bench.server.connections.load(std::sync::atomic::Ordering::SeqCst) <= 1,
        "one connection"
    );
}

#[tokio::test]
async fn f05_five_per_two_seconds_under_fifty_calls() {
    let bench = Bench::new(FIVE_PER_2S, |_| json("{}")).await;
    let outcomes = fifty(&bench, 60).await;
    assert!(outcomes.iter().all(Result::is_ok));
    let times = bench.times.lock().unwrap();
    assert_eq!(times.len(), 50);
    assert_pace(&times, 5, Duration::from_secs(2));
    let took = *times.last().unwrap() - times[0];
    assert!(
        took <= Duration::from_secs(30),
        "{took:?}: no slower than needed by half"
    );
}

#[tokio::test]
async fn f05_a_slot_beyond_the_deadline_is_refused_at_once() {
    let bench = Bench::new(ONE_PER_3S, |_| json("{}")).await;
    bench.ask_now(URL).await.unwrap();
    let scope = scope(bench.source, bench.timer.as_ref(), 2);
    let error = bench
        .pipeline
        .send(&scope, get("https://api.test.org/other"))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::RateLimited);
    assert_eq!(error.retry_after, Some(Duration::from_secs(3)));
    assert_eq!(bench.server.requests(), 1);
}

#[tokio::test]
async fn f05_callers_who_leave_free_their_slot() {
    let bench = Bench::new(ONE_PER_3S, |_| json("{}")).await;
    bench.ask_now(URL).await.unwrap();
    for n in 0..5 {
        let scope = scope(bench.source, bench.timer.as_ref(), 20);
        let url = format!("https://api.test.org/{n}");
        let waiting = bench.pipeline.send(&scope, get(&url));
        assert!(
            tokio::time::timeout(Duration::from_millis(5), waiting)
                .await
                .is_err()
        );
    }
    bench.ask("https://api.test.org/last", 4).await.unwrap();
    assert_eq!(bench.server.requests(), 2);
}

#[tokio::test]
async fn the_longest_path_has_its_own_limit() {
    const RATES: &[HostRate] = &[
        HostRate {
            pace: Pace::new(100, 1),
            ..ONE_PER_3S[0]
        },
        HostRate {
            path: "/search/",
            ..ONE_PER_3S[0]
        },
    ];
    let bench = Bench::new(RATES, |_| json("{}")).await;
    for n in 0..5 {
        bench
            .ask_now(&format!("https://api.test.org/repos/{n}"))
            .await
            .unwrap();
    }
    bench.ask_now("https://api.test.org/search/a").await.unwrap();
    let scope = scope(bench.source, bench.timer.as_ref(), 1);
    let error = bench
        .pipeline
        .send(&scope, get("https://api.test.org/search/b"))
        .await
        .unwrap_err();
    assert_eq!(error.detail.as_deref(), Some("pace"));
    assert_eq!(bench.pipeline.status().len(), 2);
}

#[tokio::test]
async fn f01_a_dead_host_is_not_hammered() {
    let bench = Bench::new(&[], |_| answer(503, &[], "")).await;
    let mut last = None;
    for n in 0..1_000 {
        let error = bench.ask_now_quickly(&format!("https://api.test.org/{n}")).await;
        last = Some(error);
        bench.timer.advance(Duration::from_secs(16));
    }
    let total = bench.server.requests();
    assert!(total <= 1_100, "{total} attempts");
    assert!(matches!(
        last.unwrap().code,
        ErrorCode::CircuitOpen | ErrorCode::UpstreamError
    ));
}

impl Bench {
    async fn ask_now_quickly(&self, url: &str) -> SourceError {
        let scope = scope(self.source, self.timer.as_ref(), 20);
        self.timer
            .while_passing(Duration::from_secs(1), self.pipeline.send(&scope, get(url)))
            .await
            .unwrap_err()
    }
}

#[tokio::test]
async fn attempts_are_bounded_and_said() {
    let bench = Bench::new(&[], |_| answer(503, &[], "")).await;
    let error = bench.ask(URL, 20).await.unwrap_err();
    assert_eq!(
        (error.code, error.attempts, error.retry),
        (ErrorCode::UpstreamError, 3, Retry::GaveUp)
    );
    assert_eq!(bench.server.requests(), 3);
}

#[tokio::test]
async fn f03_a_retry_that_does_not_fit_is_not_made() {
    let bench = Bench::new(&[], |_| answer(503, &[("retry-after", "30")], "")).await;
    let error = bench.ask_now(URL).await.unwrap_err();
    assert_eq!((error.code, error.attempts), (ErrorCode::UpstreamError, 1));
    assert!(error.hint.unwrap().contains("had no time left"));
    assert_eq!(error.retry_after, Some(Duration::from_secs(30)));
}

#[tokio::test]
async fn b11_a_short_wait_is_waited() {
    let bench = Bench::new(&[], |seen| {
        if seen.n == 0 {
            answer(429, &[("retry-after", "2")], "")
        } else {
            json("{}")
        }
    })
    .await;
    let response = bench.ask(URL, 20).await.unwrap();
    assert_eq!(response.attempts, 2);
    let times = bench.times.lock().unwrap();
    let waited = times[1] - times[0];
    assert!(
        waited >= Duration::from_secs(2) && waited < Duration::from_secs(3),
        "{waited:?}"
    );
}

#[tokio::test]
async fn a_refusal_without_a_time_is_not_asked_again() {
    for refusal in [
        answer(429, &[], ""),
        answer(429, &[("retry-after", "later")], ""),
        answer(403, &[("x-ratelimit-remaining", "0")], ""),
        answer(200, &[], "{\"state\": \"too many of them at once\"}"),
    ] {
        let bench = Bench::new(&[], move |_| refusal.clone()).await;
        let error = bench.ask(URL, 60).await.unwrap_err();
        assert_eq!(
            (error.code, error.attempts, error.retry_after),
            (ErrorCode::RateLimited, 1, Some(Duration::from_secs(10)))
        );
        // The wait that callers were given holds for all of them.
        bench.timer.advance(Duration::from_secs(9));
        let error = bench.ask_now("https://api.test.org/other").await.unwrap_err();
        assert_eq!((error.code, error.attempts), (ErrorCode::RateLimited, 0));
        assert_eq!(error.detail.as_deref(), Some("suspended"));
        assert!(error.message.contains("named no time"), "{}", error.message);
        assert_eq!(bench.server.requests(), 1);
        bench.timer.advance(Duration::from_secs(1));
        assert!(bench.ask_now(URL).await.is_err());
        assert_eq!(bench.server.requests(), 2);
    }
}

#[tokio::test]
async fn a_refusal_without_a_time_counts_for_the_published_window() {
    const PER_MINUTE: &[HostRate] = &[HostRate {
        pace: Pace::new(8, 60),
        ..ONE_PER_3S[0]
    }];
    const PER_HOUR: &[HostRate] = &[HostRate {
        pace: Pace::new(1_000, 3_600),
        ..ONE_PER_3S[0]
    }];
    for (rates, seconds) in [(ONE_PER_3S, 10), (PER_MINUTE, 60), (PER_HOUR, 60)] {
        let bench = Bench::new(rates, |_| answer(429, &[], "")).await;
        let error = bench.ask_now(URL).await.unwrap_err();
        assert_eq!(error.retry_after, Some(Duration::from_secs(seconds)));
    }
}

#[tokio::test]
async fn a_refusal_that_only_the_reader_finds_counts_too() {
    let bench = Bench::new(&[], |_| json("{\"code\": 429}")).await;
    for (said, kept) in [(None, 10), (Some(90), 90)] {
        let response = bench.ask_now(URL).await.unwrap();
        let mut refusal = SourceError::new(ErrorCode::RateLimited, "slow down");
        refusal.retry_after = said.map(Duration::from_secs);
        let error = response.validated::<()>(Err(refusal)).unwrap_err();
        assert_eq!(error.retry_after, Some(Duration::from_secs(kept)));
        let error = bench.ask_now(URL).await.unwrap_err();
        assert_eq!(
            (error.attempts, error.retry_after),
            (0, Some(Duration::from_secs(kept)))
        );
        bench.timer.advance(Duration::from_secs(kept));
    }
}

#[tokio::test]
async fn a_copy_that_is_still_fresh_is_served_while_the_host_is_left_alone() {
    let bench = Bench::new(&[], |seen| {
        if seen.n == 0 {
            json("{}")
        } else {
            answer(429, &[("retry-after", "3600")], "")
        }
    })
    .await;
    bench.ask_now(URL).await.unwrap();
    bench.ask_now("https://api.test.org/other").await.unwrap_err();
    let copy = bench.ask_now(URL).await.unwrap();
    assert!(matches!(copy.provenance, Provenance::Cached { .. }));
    bench.timer.advance(Duration::from_mins(6));
    let error = bench.ask_now(URL).await.unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::RateLimited, Some("suspended"))
    );
    assert_eq!(bench.server.requests(), 2);
}

#[tokio::test]
async fn hosts_that_count_together_refuse_together() {
    let bench = Bench::new(&[], |_| answer(429, &[], "")).await;
    let error = bench.ask_now("https://www.sec.gov/x").await.unwrap_err();
    assert_eq!(error.retry_after, Some(Duration::from_mins(10)));
    let error = bench.ask_now("https://data.sec.gov/x").await.unwrap_err();
    assert_eq!((error.code, error.attempts), (ErrorCode::RateLimited, 0));
    assert_eq!(bench.server.requests(), 1);
}

#[tokio::test]
async fn f06_all_callers_leave_the_host_alone() {
    let bench = Bench::new(&[], |seen| {
        if seen.n == 0 {
            answer(429, &[("retry-after", "120")], "")
        } else {
            json("{}")
        }
    })
    .await;
    let error = bench.ask_now(URL).await.unwrap_err();
    assert_eq!(
        (error.code, error.attempts, error.http_status),
        (ErrorCode::RateLimited, 1, Some(429))
    );
    assert_eq!(error.retry_after, Some(Duration::from_mins(2)));
    for passed in [0_u64, 60, 119] {
        let gone = bench.timer.now() - bench.times.lock().unwrap()[0];
        let wait = Duration::from_secs(passed).saturating_sub(gone);
        bench.timer.advance(wait);
        let begun = Instant::now();
        let error = bench.ask_now("https://api.test.org/other").await.unwrap_err();
        assert_eq!((error.code, error.attempts), (ErrorCode::RateLimited, 0));
        assert_eq!(error.retry_after, Some(Duration::from_secs(120 - passed)));
        assert!(begun.elapsed() < Duration::from_millis(50));
    }
    assert!(
        bench.ask_now("https://elsewhere.test.org/").await.is_ok(),
        "others are not concerned"
    );
    assert_eq!(bench.server.requests(), 2);
    bench.timer.advance(Duration::from_secs(1));
    assert!(bench.ask_now("https://api.test.org/other").await.is_ok());
}

#[tokio::test]
async fn a_used_up_pool_suspends_its_own_limit_only() {
    const RATES: &[HostRate] = &[
        HostRate {
            pace: Pace::new(100, 1),
            ..ONE_PER_3S[0]
        },
        HostRate {
            path: "/search/",
            pace: Pace::new(100, 1),
            ..ONE_PER_3S[0]
        },
    ];
    let bench = Bench::new(RATES, |seen| {
        if seen.path().starts_with("/search/") {
            answer(
                403,
                &[
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "1794000060"),
                ],
                "{}",
            )
        } else {
            json("{}")
        }
    })
    .await;
    let error = bench.ask_now("https://api.test.org/search/a").await.unwrap_err();
    assert_eq!(
        (error.code, error.retry_after),
        (ErrorCode::RateLimited, Some(Duration::from_mins(1)))
    );
    let error = bench.ask_now("https://api.test.org/search/b").await.unwrap_err();
    assert_eq!((error.detail.as_deref(), error.attempts), (Some("suspended"), 0));
    assert!(bench.ask_now("https://api.test.org/repos/a").await.is_ok());
}

#[tokio::test]
async fn f07_the_breaker_opens_probes_and_closes() {
    let healthy = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flag = healthy.clone();
    let bench = Bench::new(&[], move |_| {
        if flag.load(std::sync::atomic::Ordering::SeqCst) {
            json("{}")
        } else {
            answer(500, &[], "")
        }
    })
    .await;
    bench.ask(URL, 20).await.unwrap_err();
    bench.ask(URL, 20).await.unwrap_err();
    assert_eq!(bench.server.requests(), 5, "the fifth failure ends it");
    assert!(matches!(bench.breaker(), BreakerState::Open(_)));

    let begun = Instant::now();
    let error = bench.ask_now("https://api.test.org/other").await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_millis(50));
    assert_eq!((error.code, error.attempts), (ErrorCode::CircuitOpen, 0));
    assert!(error.retry_after.unwrap() <= Duration::from_secs(15));
    assert!(bench.server.requests() == 5);

    bench.timer.advance(Duration::from_secs(16));
    assert_eq!(bench.breaker(), BreakerState::HalfOpen);
    bench.ask(URL, 20).await.unwrap_err();
    assert_eq!(bench.server.requests(), 6, "one probe");
    let BreakerState::Open(wait) = bench.breaker() else {
        panic!("open again")
    };
    assert!(wait > Duration::from_secs(15), "{wait:?}");

    healthy.store(true, std::sync::atomic::Ordering::SeqCst);
    bench.timer.advance(Duration::from_secs(31));
    assert!(bench.ask_now(URL).await.is_ok());
    assert_eq!(bench.breaker(), BreakerState::Closed);
}

#[tokio::test]
async fn refusals_of_the_source_do_not_open_the_breaker() {
    let bench = Bench::new(&[], |_| answer(404, &[], "")).await;
    for n in 0..12 {
        let error = bench
            .ask_now(&format!("https://api.test.org/{n}"))
            .await
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
    }
    assert_eq!(bench.breaker(), BreakerState::Closed);
}

#[tokio::test]
async fn f04_queries_by_post_are_repeated_because_they_only_read() {
    let bench = Bench::new(&[], |seen| {
        if seen.n == 0 {
            answer(502, &[], "")
        } else {
            json("{}")
        }
    })
    .await;
    let scope = scope(bench.source, bench.timer.as_ref(), 20);
    let request = freshcontext_contract::Request::post_json(
        URL.parse::<freshcontext_contract::url::Url>().unwrap(),
        &"q".into(),
    );
    let response = bench
        .timer
        .while_passing(STEP, bench.pipeline.send(&scope, request))
        .await
        .unwrap();
    assert_eq!(response.attempts, 2);
    assert_eq!(bench.server.request(1).body, "\"q\"");
}
