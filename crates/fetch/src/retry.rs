//! Retries of failed attempts.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{ErrorCode, Retry, SourceError};

use crate::cache::Entry;
use crate::exchange::Answer;
use crate::outgoing::redacted;
use crate::pipeline::{Inner, Job};

/// Window of the first back-off. It doubles with each further attempt. The window is wide enough to spread the
/// retries of a hundred callers.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(8);
/// Minimum time left for another attempt.
const WORTHWHILE: Duration = Duration::from_millis(100);

impl Inner {
    /// Makes attempts until there is an answer, a lasting failure, or no reason to retry.
    pub(crate) async fn with_retries(
        &self,
        job: &Job,
        kept: Option<&Entry>,
    ) -> Result<(Answer, Url), SourceError> {
        let mut tries = 0;
        let mut last: Option<SourceError> = None;
        loop {
            tries += 1;
            let mut failure = match self.attempt(job, kept).await {
                Ok(found) => return Ok(found),
                Err(failure) => failure,
            };
            if let Some(before) = last.take().filter(|_| is_ours(&failure)) {
                // The host's own error is more informative than the suspension that followed it.
                return Err(give_up(before, Stop::Refused));
            }
            failure.attempts = job.progress.attempts();
            match self.wait_before_next(job, &failure, tries) {
                Ok(wait) => {
                    tracing::debug!(
                        source = job.descriptor.id,
                        url = redacted(&job.request.url),
                        code = %failure.code,
                        status = failure.http_status,
                        wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                        "trying again"
                    );
                    last = Some(failure);
                    self.timer().sleep(wait).await;
                }
                Err(Stop::NotTemporary) => return Err(failure),
                Err(why) => return Err(give_up(failure, why)),
            }
        }
    }

    fn wait_before_next(&self, job: &Job, failure: &SourceError, tries: u32) -> Result<Duration, Stop> {
        if failure.retry != Retry::Temporary || is_ours(failure) {
            return Err(Stop::NotTemporary);
        }
        // A host that refuses without a stated wait must not be retried at a time that the server chooses.
        if failure.code == ErrorCode::RateLimited && !failure.wait_stated {
            return Err(Stop::Unstated);
        }
        // A probe asks a host once, but a connection that broke asked it nothing: what cannot be read is told to the
        // caller, so it should not hang on a connection that the host closed at that moment.
        if job.request.probe && (failure.code != ErrorCode::Unreachable || tries > 1) {
            return Err(Stop::Probe);
        }
        if tries >= self.wire.limits.attempts {
            return Err(Stop::Attempts);
        }
        let fraction = self.jitter.fraction();
        let wait = failure.retry_after.map_or_else(
            || {
                let window = FIRST_BACKOFF.saturating_mul(1 << (tries - 1).min(8));
                window.min(LONGEST_BACKOFF).mul_f64(fraction)
            },
            |asked| asked + Duration::from_millis(250).mul_f64(fraction),
        );
        if wait + WORTHWHILE >= job.deadline.left(self.timer().as_ref()) {
            return Err(Stop::Deadline);
        }
        let (host, limiter) = self.place(&job.request.url, false);
        if failure.retry_after.is_none() && host.gate(&limiter).is_err() {
            return Err(Stop::Refused);
        }
        if host.may_retry(failure.code == ErrorCode::Timeout) {
            Ok(wait)
        } else {
            Err(Stop::Quota)
        }
    }
}

/// Returns whether the server itself refused. No attempt was made, and a wait here would only hide the refusal.
fn is_ours(failure: &SourceError) -> bool {
    failure.code == ErrorCode::CircuitOpen
        || matches!(
            failure.detail.as_deref(),
            Some("suspended" | "pace" | "place" | "deadline" | "memory")
        )
}

fn give_up(mut failure: SourceError, why: Stop) -> SourceError {
    // A limit with a stated end may be retried after it. Every other failure is final for this call.
    if failure.retry_after.is_none() || failure.attempts > 1 {
        failure.retry = Retry::GaveUp;
    }
    if failure.hint.is_none() {
        failure.hint = why.hint().map(Into::into);
    }
    failure.with("no_retry", format!("{why:?}"))
}

/// Reason why no further attempt is made.
#[derive(Debug, Clone, Copy)]
enum Stop {
    NotTemporary,
    Probe,
    Attempts,
    Deadline,
    Quota,
    /// The host refused without stating a wait.
    Unstated,
    /// The host is suspended by now.
    Refused,
}

impl Stop {
    fn hint(self) -> Option<&'static str> {
        match self {
            Self::Deadline => Some("call again then: this call had no time left for another attempt"),
            Self::Quota => Some("call again in some minutes: this host has failed too often lately"),
            Self::Refused => Some("call again in some minutes: this host is being left alone until then"),
            Self::NotTemporary | Self::Probe | Self::Attempts | Self::Unstated => None,
        }
    }
}
