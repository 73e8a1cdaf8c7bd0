//! Properties of a limiter, for any pace, latency and number of callers: the host never gets more requests in a
//! window than allowed, nor more concurrently, and every caller gets a turn.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use freshcontext_contract::Pace;
use proptest::prelude::*;

use crate::deadline::Deadline;
use crate::limiter::RateLimiter;
use crate::ports::Timer;
use crate::testing::VirtualTimer;

#[derive(Debug, Clone)]
struct Caller {
    /// Arrival time, travel time of the request, and duration of the answer, all in milliseconds.
    comes: u64,
    travels: u64,
    takes: u64,
    /// Whether the caller leaves while waiting.
    leaves: bool,
}

fn caller() -> impl Strategy<Value = Caller> {
    (0_u64..3_000, 0_u64..700, 0_u64..700, prop::bool::weighted(0.2)).prop_map(
        |(comes, travels, takes, leaves)| Caller {
            comes,
            travels,
            takes,
            leaves,
        },
    )
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Runs the callers in virtual time. Returns the instants at which requests reached the host, the maximum number in
/// flight, and the number of callers served.
async fn run(pace: Pace, at_once: usize, callers: Vec<Caller>) -> (Vec<Instant>, usize, usize) {
    let timer = VirtualTimer::new();
    let limiter = Arc::new(RateLimiter::new("", false, Some(pace), at_once, timer.clone()));
    let arrivals = Arc::<Mutex<Vec<Instant>>>::default();
    let (flying, most, served) = (
        Arc::<AtomicUsize>::default(),
        Arc::<AtomicUsize>::default(),
        Arc::<AtomicUsize>::default(),
    );
    let deadline = Deadline::new(timer.now() + Duration::from_hours(1));
    let mut tasks = Vec::new();
    for caller in callers {
        let (limiter, timer, deadline, arrivals) =
            (limiter.clone(), timer.clone(), deadline.clone(), arrivals.clone());
        let (flying, most, served) = (flying.clone(), most.clone(), served.clone());
        tasks.push(tokio::spawn(async move {
            timer.sleep(ms(caller.comes)).await;
            let entering = limiter.enter(&deadline, |_| ());
            let mut permit = if caller.leaves {
                tokio::select! {
                    permit = entering => permit.unwrap(),
                    () = timer.sleep(ms(200)) => return,
                }
            } else {
                entering.await.unwrap()
            };
            most.fetch_max(flying.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            timer.sleep(ms(caller.travels)).await;
            arrivals.lock().unwrap().push(timer.now());
            timer.sleep(ms(caller.takes / 2)).await;
            permit.reached();
            timer.sleep(ms(caller.takes / 2)).await;
            flying.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
            served.fetch_add(1, Ordering::SeqCst);
        }));
    }
    for _ in 0..20_000 {
        if tasks.iter().all(tokio::task::JoinHandle::is_finished) {
            break;
        }
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        timer.advance(ms(20));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(limiter.load(), (0, 0));
    let arrivals = arrivals.lock().unwrap().clone();
    (
        arrivals,
        most.load(Ordering::SeqCst),
        served.load(Ordering::SeqCst),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_host_never_sees_more_than_it_allows(
        requests in 1_u32..6,
        per_ms in 100_u64..3_000,
        at_once in 1_usize..5,
        callers in prop::collection::vec(caller(), 1..25),
    ) {
        let stayers = callers.iter().filter(|caller| !caller.leaves).count();
        let pace = Pace { requests, per: ms(per_ms) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (mut arrivals, most, served) = runtime.block_on(run(pace, at_once, callers));
        arrivals.sort();
        for window in arrivals.windows(requests as usize + 1) {
            let spread = window[requests as usize] - window[0];
            prop_assert!(spread >= pace.per, "{} within {spread:?}", requests + 1);
        }
        prop_assert!(most <= at_once);
        prop_assert!(served >= stayers, "{served} of {stayers} served");
    }
}
