//! Circuit breaker: suspends requests to a failing host, then lets one request probe it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use freshcontext_contract::Limits;

use crate::status::BreakerState;

/// Sample size of the rate rule: failures of half this many attempts within [`WINDOW`] also open the breaker.
const SAMPLE: usize = 20;
const WINDOW: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Breaker {
    failures_to_open: u32,
    first_wait: Duration,
    longest_wait: Duration,
    state: State,
    /// Duration of the next opening. It doubles while probes fail.
    wait: Duration,
    consecutive: u32,
    recent: VecDeque<(Instant, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    Open { until: Instant },
    Probing,
}

/// How an attempt passed the breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    Normal,
    Probe,
}

impl Breaker {
    pub(crate) fn new(limits: &Limits) -> Self {
        let first_wait = Duration::from_millis(limits.breaker_open_ms);
        Self {
            failures_to_open: limits.breaker_failures.max(1),
            first_wait,
            longest_wait: Duration::from_millis(limits.breaker_max_open_ms).max(first_wait),
            state: State::Closed,
            wait: first_wait,
            consecutive: 0,
            recent: VecDeque::new(),
        }
    }

    /// Returns how long the first opening lasts.
    pub(crate) const fn first_wait(&self) -> Duration {
        self.first_wait
    }

    /// Returns how much longer requests are refused; `None` if a request may be tried.
    pub(crate) fn refuses(&self, now: Instant) -> Option<Duration> {
        match self.state {
            State::Closed => None,
            State::Open { until } if until <= now => None,
            State::Open { until } => Some(until - now),
            // The running probe decides within seconds.
            State::Probing => Some(Duration::from_secs(1)),
        }
    }

    /// Begins an attempt, or returns how much longer none may begin.
    pub(crate) fn begin(&mut self, now: Instant) -> Result<Pass, Duration> {
        if let Some(wait) = self.refuses(now) {
            return Err(wait);
        }
        if self.state == State::Closed {
            return Ok(Pass::Normal);
        }
        self.state = State::Probing;
        Ok(Pass::Probe)
    }

    /// Ends an attempt. `failed` is `None` for an attempt that was abandoned before its outcome.
    pub(crate) fn end(&mut self, pass: Pass, failed: Option<bool>, now: Instant) {
        match (self.state, pass, failed) {
            (State::Probing, Pass::Probe, Some(false)) => {
                self.state = State::Closed;
                self.wait = self.first_wait;
                self.consecutive = 0;
                self.recent.clear();
            }
            (State::Probing, Pass::Probe, Some(true)) => {
                self.wait = (self.wait * 2).min(self.longest_wait);
                self.open(now);
            }
            // The next request may probe immediately.
            (State::Probing, Pass::Probe, None) => self.state = State::Open { until: now },
            (State::Closed, _, Some(failed)) => self.count(failed, now),
            // Late outcomes of attempts that began before the breaker opened.
            _ => {}
        }
    }

    pub(crate) fn state(&self, now: Instant) -> BreakerState {
        match self.state {
            State::Closed => BreakerState::Closed,
            State::Open { until } if until > now => BreakerState::Open(until - now),
            State::Open { .. } | State::Probing => BreakerState::HalfOpen,
        }
    }

    fn count(&mut self, failed: bool, now: Instant) {
        self.recent.push_back((now, failed));
        if self.recent.len() > SAMPLE {
            self.recent.pop_front();
        }
        self.consecutive = if failed { self.consecutive + 1 } else { 0 };
        let full = self.recent.len() == SAMPLE
            && self
                .recent
                .front()
                .is_some_and(|(oldest, _)| now.saturating_duration_since(*oldest) <= WINDOW);
        let failures = self.recent.iter().filter(|(_, failed)| *failed).count();
        if self.consecutive >= self.failures_to_open || (full && failed && failures * 2 >= SAMPLE) {
            self.wait = self.first_wait;
            self.open(now);
        }
    }

    fn open(&mut self, now: Instant) {
        self.state = State::Open {
            until: now + self.wait,
        };
        self.consecutive = 0;
        self.recent.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(breaker: &mut Breaker, now: Instant) {
        let pass = breaker.begin(now).unwrap();
        breaker.end(pass, Some(true), now);
    }

    fn succeed(breaker: &mut Breaker, now: Instant) {
        let pass = breaker.begin(now).unwrap();
        breaker.end(pass, Some(false), now);
    }

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn f07_five_failures_open_it_and_a_good_probe_closes_it() {
        let mut breaker = Breaker::new(&Limits::DEFAULT);
        let start = Instant::now();
        for _ in 0..4 {
            fail(&mut breaker, start);
        }
        assert_eq!(breaker.state(start), BreakerState::Closed);
        fail(&mut breaker, start);
        assert_eq!(breaker.state(start), BreakerState::Open(15 * S));
        assert_eq!(breaker.begin(start + 14 * S), Err(S));
        assert_eq!(breaker.state(start + 15 * S), BreakerState::HalfOpen);
        let probe = breaker.begin(start + 15 * S).unwrap();
        assert_eq!(probe, Pass::Probe);
        assert!(breaker.begin(start + 15 * S).is_err(), "only one probe");
        breaker.end(probe, Some(false), start + 16 * S);
        assert_eq!(breaker.state(start + 16 * S), BreakerState::Closed);
        // The count restarts.
        for _ in 0..4 {
            fail(&mut breaker, start + 17 * S);
        }
        assert_eq!(breaker.state(start + 17 * S), BreakerState::Closed);
    }

    #[test]
    fn f07_failed_probes_double_the_wait_up_to_five_minutes() {
        let mut breaker = Breaker::new(&Limits::DEFAULT);
        let mut now = Instant::now();
        for _ in 0..5 {
            fail(&mut breaker, now);
        }
        for expected in [15, 30, 60, 120, 240, 300, 300] {
            assert_eq!(breaker.state(now), BreakerState::Open(expected * S));
            now += expected * S;
            fail(&mut breaker, now);
        }
    }

    #[test]
    fn f07_half_of_twenty_within_thirty_seconds_open_it() {
        let mut breaker = Breaker::new(&Limits::DEFAULT);
        let start = Instant::now();
        for n in 0..10 {
            succeed(&mut breaker, start + n * S);
            assert_eq!(breaker.state(start + n * S), BreakerState::Closed);
            fail(&mut breaker, start + n * S);
        }
        assert_eq!(breaker.state(start + 9 * S), BreakerState::Open(15 * S));

        let mut slow = Breaker::new(&Limits::DEFAULT);
        for n in 0..20 {
            succeed(&mut slow, start + n * 4 * S);
            fail(&mut slow, start + n * 4 * S);
        }
        assert_eq!(
            slow.state(start + 80 * S),
            BreakerState::Closed,
            "spread over 80 s"
        );
    }

    #[test]
    fn an_abandoned_probe_leaves_the_door_ajar() {
        let mut breaker = Breaker::new(&Limits::DEFAULT);
        let start = Instant::now();
        for _ in 0..5 {
            fail(&mut breaker, start);
        }
        let later = start + 20 * S;
        let probe = breaker.begin(later).unwrap();
        breaker.end(probe, None, later);
        assert_eq!(breaker.begin(later), Ok(Pass::Probe));
    }
}
