//! Webhooks: posts the changes of deliverables in order, signed as Standard Webhooks describes
//! (<https://www.standardwebhooks.com>). Each change is posted until the receiver takes it, at most
//! `limits.webhook_attempts` times, and its id stays the same, so that the receiver can drop a repetition.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use freshcontext_contract::{BoxFuture, ErrorCode, Limits, SourceError, url::Url};
use freshcontext_core::sanitize::clean_line;
use freshcontext_store::{Backend, Delivery, Holder, Settled, StoreError};
use futures_util::{StreamExt as _, stream};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tokio_util::sync::CancellationToken;

use crate::Follow;
use crate::document::document;
use crate::keeping::unusable;
use freshcontext_engine::Owner;

/// Prefix of a secret, by the convention.
const PREFIX: &str = "whsec_";
/// Bytes of a generated secret.
const SECRET_BYTES: usize = 32;
/// Bytes that a secret may have, by the convention.
const ALLOWED_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// Interval between two looks for changes.
const LOOK: Duration = Duration::from_secs(1);
/// Webhooks of one pass, and those that are posted to at the same time.
const AT_A_PASS: i64 = 64;
const AT_ONCE: usize = 4;
/// Recorded failures of one deliverable.
const FAILURES_KEPT: i64 = 100;
/// Longest recorded reason, in characters.
const FAILURE_CHARS: usize = 300;
/// Divisor of the random shift of a back-off: a tenth.
const JITTER: u32 = 10;

/// What a receiver answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// HTTP status.
    pub status: u16,
    /// Wait that the receiver asks for.
    pub retry_after: Option<Duration>,
}

/// Posts to addresses that users named, within the egress policy.
pub trait Poster: Send + Sync {
    /// Checks an address before any name lookup.
    fn check(&self, url: &Url) -> Result<(), SourceError>;

    /// Posts a JSON document once. Every status is an answer.
    fn post(
        &self,
        url: Url,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> BoxFuture<'_, Result<Answered, SourceError>>;
}

/// Secret of the signatures of a webhook: 24 to 64 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(Vec<u8>);

impl WebhookSecret {
    /// Reads `whsec_` followed by base64.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.trim().strip_prefix(PREFIX)?).ok()?;
        ALLOWED_BYTES.contains(&bytes.len()).then_some(Self(bytes))
    }

    /// Generates a secret; `None` without randomness.
    pub fn generate() -> Option<Self> {
        let mut bytes = vec![0; SECRET_BYTES];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// Returns the secret as [`parse`](Self::parse) reads it.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// Signs an attempt: `v1,` and the base64 of HMAC-SHA256 over the id, the time in seconds since 1970 and the body, with
    /// dots between them.
    fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }
}

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(set)")
    }
}

/// What came of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    /// Changes that receivers took.
    pub delivered: usize,
    /// Attempts that failed, with the deliverable and the reason; these changes are tried again.
    pub failed: Vec<String>,
    /// Changes that were given up, with the deliverable and the reason.
    pub given_up: Vec<String>,
}

impl Passed {
    fn add(&mut self, other: Self) {
        self.delivered += other.delivered;
        self.failed.extend(other.failed);
        self.given_up.extend(other.given_up);
    }
}

/// Posts changes. Several processes may do so at the same time: each change is taken by one.
pub struct Courier {
    follow: Follow,
    poster: Arc<dyn Poster>,
    /// The operator's own secret.
    secret: Option<WebhookSecret>,
    /// Id of this process among those that hold webhooks.
    id: String,
}

impl Courier {
    /// Creates a courier; `None` if there is no store, or no randomness for its id.
    pub fn new(follow: Follow, poster: Arc<dyn Poster>, secret: Option<WebhookSecret>) -> Option<Self> {
        let mut id = [0; 12];
        getrandom::fill(&mut id).ok()?;
        follow.has_deliverables().then(|| Self {
            follow,
            poster,
            secret,
            id: STANDARD.encode(id),
        })
    }

    /// Posts changes as they come, until `stop`. A running request is completed first.
    pub async fn run(&self, stop: &CancellationToken) {
        loop {
            // A store that is temporarily unavailable loses nothing; a later pass catches up.
            if let Err(error) = self.pass(None, stop).await {
                tracing::debug!(error = error.message, "no changes could be posted");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Posts what is due: of every deliverable, of an owner's, or of one of these.
    pub async fn pass(
        &self,
        only: Option<(&Owner, Option<&str>)>,
        stop: &CancellationToken,
    ) -> Result<Passed, SourceError> {
        let kept = self.follow.kept().await?;
        let only = only.map(|(owner, name)| (owner.as_str(), name));
        let due = kept
            .due_webhooks(self.holder(), only, AT_A_PASS)
            .await
            .map_err(|error| unusable(&error))?;
        let mut passed = Passed::default();
        let mut each: Vec<BoxFuture<'_, Result<Passed, StoreError>>> = Vec::with_capacity(due.len());
        for (owner, name) in &due {
            each.push(Box::pin(self.of_one(kept.as_ref(), owner, name, stop)));
        }
        let mut at_work = stream::iter(each).buffer_unordered(AT_ONCE);
        let mut trouble = None;
        while let Some(done) = at_work.next().await {
            match done {
                Ok(done) => passed.add(done),
                Err(error) => trouble = Some(error),
            }
        }
        match trouble {
            Some(error) => Err(unusable(&error)),
            None => Ok(passed),
        }
    }

    fn limits(&self) -> &Limits {
        self.follow.engine().limits()
    }

    fn holder(&self) -> Holder<'_> {
        let limits = self.limits();
        // One request, and one operation of the store before and after it.
        let lease = limits
            .connect_ms
            .saturating_add(limits.tls_ms)
            .saturating_add(limits.first_byte_ms)
            .saturating_add(limits.store_operation_ms.saturating_mul(2));
        Holder {
            id: &self.id,
            now_ms: self.follow.engine().clock().now().timestamp_millis(),
            lease_ms: i64::try_from(lease).unwrap_or(i64::MAX),
            longest_ms: i64::try_from(limits.webhook_max_retry_ms).unwrap_or(i64::MAX),
        }
    }

    /// Posts the due changes of one deliverable in order, until one fails.
    async fn of_one(
        &self,
        kept: &dyn Backend,
        owner: &str,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Passed, StoreError> {
        let mut passed = Passed::default();
        while !stop.is_cancelled() {
            let Some(delivery) = kept.take_delivery(owner, name, self.holder()).await? else {
                break;
            };
            let number = delivery.change.number;
            let dropped = number.saturating_sub(delivery.position).saturating_sub(1);
            if dropped > 0 {
                // They were deleted because too many waited.
                let failure = format!(
                    "{dropped} changes up to this one were dropped: more than limits.changes_kept ({}) waited",
                    self.limits().changes_kept
                );
                tracing::warn!(
                    deliverable = name,
                    dropped,
                    "changes were given up: too many waited"
                );
                passed.given_up.push(format!("{name}: {failure}"));
                let settled = given_up(String::new(), 0, failure);
                kept.settle_delivery(owner, name, self.holder(), number.saturating_sub(1), &settled)
                    .await?;
                continue;
            }
            let settled = self.attempt(name, &delivery, &mut passed).await;
            kept.settle_delivery(owner, name, self.holder(), number, &settled)
                .await?;
            if matches!(settled, Settled::Retry { .. }) {
                break;
            }
        }
        Ok(passed)
    }

    /// Posts a change once.
    async fn attempt(&self, name: &str, delivery: &Delivery, passed: &mut Passed) -> Settled {
        let attempts = delivery.attempts.saturating_add(1);
        let (sequence, id) = (delivery.change.number, delivery.change.change_id.as_str());
        let (failure, wait, is_last) = match self.send(delivery).await {
            Ok(answered) if (200..300).contains(&answered.status) => {
                passed.delivered += 1;
                tracing::debug!(deliverable = name, sequence, attempts, "a change was posted");
                return Settled::Delivered;
            }
            Ok(answered) => {
                let failure = match answered.status {
                    status @ 300..400 => {
                        format!("the receiver answered {status}; redirects are not followed")
                    }
                    status => format!("the receiver answered {status}"),
                };
                // 410: the receiver is gone for good.
                (failure, answered.retry_after, answered.status == 410)
            }
            Err(error) => (format!("{}: {}", error.code, error.message), None, false),
        };
        let failure: String = clean_line(&failure).chars().take(FAILURE_CHARS).collect();
        let most = i64::from(self.limits().webhook_attempts);
        if is_last || attempts >= most {
            tracing::warn!(
                deliverable = name,
                sequence,
                id,
                attempts,
                failure,
                "a change was given up"
            );
            passed.given_up.push(format!(
                "{name}: change {sequence} after {attempts} attempts: {failure}"
            ));
            return given_up(id.to_owned(), attempts, failure);
        }
        let wait = self.pause(attempts, wait);
        tracing::warn!(
            deliverable = name,
            sequence,
            id,
            attempts,
            failure,
            again_in_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            "a change could not be posted"
        );
        passed
            .failed
            .push(format!("{name}: change {sequence} waits: {failure}"));
        let now_ms = self.follow.engine().clock().now().timestamp_millis();
        Settled::Retry {
            failure,
            next_ms: now_ms.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)),
        }
    }

    /// Returns the back-off after this many attempts: doubled with each, no shorter than the receiver asks for, no longer
    /// than the limit, and shifted by at most a tenth.
    fn pause(&self, attempts: i64, asked: Option<Duration>) -> Duration {
        let limits = self.limits();
        let longest = Duration::from_millis(limits.webhook_max_retry_ms);
        let doubled = 2_u32.saturating_pow(u32::try_from(attempts - 1).unwrap_or(u32::MAX));
        let wait = Duration::from_millis(limits.webhook_retry_ms).saturating_mul(doubled);
        let wait = wait.max(asked.unwrap_or_default()).min(longest);
        let mut random = [0_u8; 4];
        if getrandom::fill(&mut random).is_err() {
            return wait;
        }
        let share = f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX);
        // Later only: never before the time that the receiver asked for.
        (wait + (wait / JITTER).mul_f64(share)).min(longest)
    }

    async fn send(&self, delivery: &Delivery) -> Result<Answered, SourceError> {
        let misconfigured = |message: &str| SourceError::new(ErrorCode::Misconfigured, message);
        let url = Url::parse(&delivery.url).map_err(|_| misconfigured("the address is unreadable"))?;
        let secret = match &delivery.secret {
            Some(own) => WebhookSecret::parse(own),
            None => self.secret.clone(),
        };
        let secret = secret.ok_or_else(|| {
            misconfigured(
                "this process has no secret for the signature; set `webhook.secret` as when it was defined",
            )
        })?;
        let body = document(&delivery.change)?.to_string().into_bytes();
        let id = delivery.change.change_id.clone();
        let seconds = self.follow.engine().clock().now().timestamp();
        let signature = secret
            .sign(&id, seconds, &body)
            .ok_or_else(|| misconfigured("the secret cannot sign"))?;
        let headers = vec![
            ("webhook-id", id),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signature),
        ];
        self.poster.post(url, headers, body).await
    }
}

const fn given_up(change_id: String, attempts: i64, failure: String) -> Settled {
    Settled::GivenUp {
        change_id,
        attempts,
        failure,
        keep: FAILURES_KEPT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn signatures_are_those_of_the_convention() {
        let secret = WebhookSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = secret.sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signed.as_deref(),
            Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        );
    }

    #[test]
    fn secrets_are_read_as_they_are_written() {
        let made = WebhookSecret::generate().unwrap();
        assert_eq!(WebhookSecret::parse(&made.expose()), Some(made));
        for bad in [
            "",
            "whsec_",
            "whsec_c2hvcnQ=",
            "whsec_!",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert_eq!(WebhookSecret::parse(bad), None, "{bad}");
        }
    }
}
