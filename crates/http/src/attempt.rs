//! The attempts of one request: retries, redirects, credentials, and the request on the wire.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use freshcontext_contract::url::{Host as UrlHost, Url};
use freshcontext_contract::{ErrorCode, Key as KeyNeed, Method, Retry};
use futures_util::future::{Either, select};
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};

use crate::cache::Entry;
use crate::clients::Way;
use crate::credentials::Key;
use crate::exchange::{Answer, Outgoing};
use crate::failure::Failure;
use crate::fault;
use crate::flight::no_slot;
use crate::hosts::Scope;
use crate::lane::Lane;
use crate::outgoing::{headers, redacted};
use crate::pipeline::{Inner, Job, Stage};
use crate::redirect::{is_redirect, next_hop};
use crate::step::Step;

/// The window of the first backoff; doubles with each further one. Wide enough that the retries of a
/// hundred callers do not arrive together.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(8);
/// An attempt with less time than this left is not worth making.
const WORTHWHILE: Duration = Duration::from_millis(100);
/// A host that had this long and did not answer before the call's deadline is too slow.
const FAIR_TIME: Duration = Duration::from_secs(5);
/// The largest answer of a token issuer.
const TOKEN_BYTES: usize = 64 << 10;
/// Tells adapters that the operator's key was refused and the answer came without it.
const KEY_REFUSED: (&str, &str) = ("x-freshcontext-credential", "refused");

impl Inner {
    /// Tries until there is an answer, a lasting failure, or no more reason to try.
    pub(crate) async fn with_retries(
        &self,
        job: &Job,
        kept: Option<&Entry>,
    ) -> Result<(Answer, Url), Failure> {
        let mut tries = 0;
        let mut last: Option<Failure> = None;
        loop {
            tries += 1;
            let mut failure = match self.attempt(job, kept).await {
                Ok(found) => return Ok(found),
                Err(failure) => failure,
            };
            if let Some(before) = last.take().filter(|_| is_ours(&failure)) {
                // What the host said tells more than that we now leave it alone.
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

    fn wait_before_next(&self, job: &Job, failure: &Failure, tries: u32) -> Result<Duration, Stop> {
        if failure.retry != Retry::Temporary || is_ours(failure) {
            return Err(Stop::NotTemporary);
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
        let (host, lane) = self.place(&job.request.url, false);
        if failure.retry_after.is_none() && host.gate(&lane).is_err() {
            return Err(Stop::Refused);
        }
        if host.may_retry(failure.code == ErrorCode::Timeout) {
            Ok(wait)
        } else {
            Err(Stop::Quota)
        }
    }

    /// One attempt: the request and the redirects it leads to, each hop judged like the first.
    async fn attempt(&self, job: &Job, kept: Option<&Entry>) -> Result<(Answer, Url), Failure> {
        let mut url = job.request.url.clone();
        let mut hops = 0;
        loop {
            let same = kept.filter(|entry| entry.final_url == url);
            let answer = self.hop(job, &url, same).await?;
            let accepted = job.request.accept_status.contains(&answer.status);
            if is_redirect(answer.status) && !accepted {
                let next = next_hop(job.descriptor, job.request.method, &url, &answer, &self.upstreams)?;
                hops += 1;
                if hops > self.wire.limits.redirects {
                    let host = url.host_str().unwrap_or_default();
                    let message = format!("{host} redirected more than {} times", self.wire.limits.redirects);
                    return Err(Failure::new(ErrorCode::UpstreamError, message)
                        .permanent()
                        .detail("redirect"));
                }
                self.policy(job.descriptor, &next)?;
                url = next;
                continue;
            }
            if answer.status == 304 && same.is_some() {
                return Ok((answer, url));
            }
            let host = url.host_str().unwrap_or_default();
            if let Err(failure) = self.judge(job, &answer, host) {
                return Err(self.take_note(job, &url, &answer, failure));
            }
            return Ok((answer, url));
        }
    }

    /// Remembers a host's wish to be left alone, and tells the operator which key would help.
    fn take_note(&self, job: &Job, url: &Url, answer: &Answer, mut failure: Failure) -> Failure {
        let keyed = !job.request.anonymous && self.keyring.find(job.descriptor, url).is_some();
        let (host, lane) = self.place(url, keyed);
        if let Some(wait) = failure.retry_after.filter(|wait| !wait.is_zero()) {
            let whole = answer.headers.get("retry-after").is_some();
            host.suspend(
                if whole {
                    Scope::Host
                } else {
                    Scope::Lane(lane.path, lane.keyed)
                },
                wait,
            );
        }
        let credential = job
            .descriptor
            .credentials
            .iter()
            .find(|known| Some(known.host) == url.host_str());
        if failure.hint.is_none()
            && let Some(credential) = credential
            && let Some(env) = credential.env.first()
        {
            failure.hint = match (failure.code, keyed) {
                (ErrorCode::AccessDenied, true) if answer.status == 401 => {
                    Some(format!("the key in {env} was refused; get one at {}", credential.obtain).into())
                }
                (ErrorCode::AccessDenied | ErrorCode::RateLimited, false) => {
                    Some(format!("setting {env} may help; get one at {}", credential.obtain).into())
                }
                _ => None,
            };
        }
        failure
    }

    /// One hop, with the credential that belongs there. A refused key is renewed once if it is a
    /// token, or left out once if the source works without.
    async fn hop(&self, job: &Job, url: &Url, kept: Option<&Entry>) -> Result<Answer, Failure> {
        let mut key = if job.request.anonymous {
            None
        } else {
            self.keyring.find(job.descriptor, url)
        };
        let mut renewed = false;
        let mut refused = false;
        loop {
            let token = match key {
                Some(key) if key.needs_token() => Some(self.token(job, key).await?),
                _ => None,
            };
            let mut answer = self.once(job, url, key, token, kept).await?;
            if answer.status == 401 && !job.request.accept_status.contains(&401) {
                match key {
                    Some(token_key) if token_key.needs_token() && !renewed => {
                        self.keyring.forget_token(token_key).await;
                        renewed = true;
                        continue;
                    }
                    Some(token_key)
                        if !token_key.needs_token() && job.descriptor.key() != KeyNeed::Required =>
                    {
                        tracing::warn!(
                            env = token_key.env(),
                            "the source refused this key; asking without it"
                        );
                        key = None;
                        refused = true;
                        continue;
                    }
                    _ => {}
                }
            }
            if refused {
                answer
                    .headers
                    .0
                    .push((KEY_REFUSED.0.to_owned(), KEY_REFUSED.1.to_owned()));
            }
            return Ok(answer);
        }
    }

    /// The request on the wire: a place, a slot, a connection, an answer.
    async fn once(
        &self,
        job: &Job,
        url: &Url,
        key: Option<Key<'_>>,
        token: Option<HeaderValue>,
        kept: Option<&Entry>,
    ) -> Result<Answer, Failure> {
        let mut fields = headers(&job.request)?;
        for (name, value) in kept.map(Entry::validators).unwrap_or_default() {
            fields.insert(name, value);
        }
        let errand = Errand {
            method: job.request.method,
            headers: fields,
            body: job.request.body.clone(),
            max_body: job.request.max_body,
        };
        self.send(job, url, key, token, errand).await
    }

    async fn send(
        &self,
        job: &Job,
        url: &Url,
        key: Option<Key<'_>>,
        token: Option<HeaderValue>,
        mut errand: Errand,
    ) -> Result<Answer, Failure> {
        let name = url.host_str().unwrap_or_default();
        let (host, lane) = self.place(url, key.is_some());
        host.gate(&lane)?;

        self.stage(Stage::Concurrency);
        let mut permit = lane
            .enter(&job.deadline, |at| job.progress.expect_slot(at))
            .await
            .map_err(|missed| no_place(&lane, missed.0, name))?;
        self.stage(Stage::Pace);
        let attempt = match host.begin(&lane) {
            Ok(attempt) => attempt,
            Err(failure) => {
                permit.unused();
                return Err(failure);
            }
        };

        self.stage(Stage::Connect);
        let (way, mut dialled) = self.route(url, &mut errand.headers);
        if let Some(key) = key {
            key.apply(&mut dialled, &mut errand.headers)?;
        }
        if let Some(token) = token {
            errand.headers.insert(AUTHORIZATION, token);
        }
        job.progress.attempts.fetch_add(1, Ordering::Relaxed);
        let begun = self.timer().now();
        let out = Outgoing {
            way,
            method: errand.method,
            url: dialled,
            headers: errand.headers,
            body: errand.body,
            host: name,
            max_body: errand.max_body,
        };
        let result = match self.judged_target(way, url, job).await {
            Ok(()) => self.wire.exchange(out, &job.deadline, || permit.reached()).await,
            Err(failure) => Err(failure),
        };
        drop(permit);
        self.stage(Stage::Body);
        let took = self.timer().now().saturating_duration_since(begun);
        match result {
            Ok(answer) => {
                tracing::debug!(
                    source = job.descriptor.id,
                    url = redacted(url),
                    status = answer.status,
                    bytes = answer.body.len(),
                    took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
                    "answered"
                );
                if answer.status >= 500 && !job.request.accept_status.contains(&answer.status) {
                    let mut failure = Failure::new(ErrorCode::UpstreamError, String::new());
                    failure.http_status = Some(answer.status);
                    attempt.failed(&failure);
                } else {
                    attempt.succeeded();
                }
                Ok(answer)
            }
            Err(mut failure) => {
                if failure.code == ErrorCode::BlockedAddress {
                    // Nothing left this machine.
                    job.progress.attempts.fetch_sub(1, Ordering::Relaxed);
                }
                failure.attempts = job.progress.attempts();
                failure.retrieved_at = failure.retrieved_at.or_else(|| Some(self.wire.clock.now()));
                let hurried = failure.detail.as_deref() == Some("deadline") && took < FAIR_TIME;
                if hurried {
                    // The caller's haste says nothing about the host.
                    drop(attempt);
                } else {
                    attempt.failed(&failure);
                }
                Err(failure)
            }
        }
    }

    /// Where the request is dialled: at the operator's base, through the proxy, or directly.
    fn route(&self, url: &Url, headers: &mut HeaderMap) -> (Way, Url) {
        if let Some(led) = self.upstreams.lead(url) {
            if let Ok(host) = HeaderValue::from_str(url.host_str().unwrap_or_default()) {
                headers.insert(HeaderName::from_static("x-forwarded-host"), host);
            }
            return (Way::Chosen, led);
        }
        let way = if self.wire.clients.uses_proxy(url) {
            Way::Proxied
        } else {
            Way::Guarded
        };
        (way, url.clone())
    }

    /// A proxy resolves names itself, out of our sight: what the name means here is judged first.
    async fn judged_target(&self, way: Way, url: &Url, job: &Job) -> Result<(), Failure> {
        let (Way::Proxied, Some(UrlHost::Domain(name))) = (way, url.host()) else {
            return Ok(());
        };
        let limit = Duration::from_millis(self.wire.limits.connect_ms);
        let sleep = self
            .timer()
            .sleep(limit.min(job.deadline.left(self.timer().as_ref())));
        let judged = std::pin::pin!(self.guard.judged(name));
        match select(judged, sleep).await {
            Either::Left((Ok(_), _)) => Ok(()),
            Either::Left((Err(refused), _)) => Err(fault::of_refusal(&refused, name)),
            Either::Right(_) => Err(fault::of_late_step(Step::Dns, name)),
        }
    }

    /// A token for a credential that is a client id: the kept one, or a new one.
    async fn token(&self, job: &Job, key: Key<'_>) -> Result<HeaderValue, Failure> {
        if let Some(token) = self.keyring.token(key, self.timer().now()).await {
            return Ok(token);
        }
        let _alone = self.minting.lock().await;
        if let Some(token) = self.keyring.token(key, self.timer().now()).await {
            return Ok(token);
        }
        let misconfigured = |what: &str| {
            Failure::new(ErrorCode::Misconfigured, format!("{what} ({})", key.env()))
                .hint(format!("get a key at {}", key.credential.obtain))
        };
        let wanted = self
            .keyring
            .token_request(key)
            .ok_or_else(|| misconfigured("the key is unusable"))?;
        let url =
            Url::parse(wanted.url).map_err(|_| misconfigured("the source's token address is unusable"))?;
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, wanted.authorization);
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        );
        let errand = Errand {
            method: Method::PostQuery,
            headers,
            body: Some(Bytes::from_static(b"grant_type=client_credentials")),
            max_body: Some(TOKEN_BYTES),
        };
        let answer = self.send(job, &url, None, None, errand).await?;
        match answer.status {
            200..=299 => {
                self.keyring
                    .keep_token(key, &answer.body, self.timer().now())
                    .await
            }
            400 | 401 | 403 => {
                let mut failure = Failure::new(
                    ErrorCode::AccessDenied,
                    format!("the client id or secret in {} was refused", key.env()),
                )
                .hint(format!("get a key at {}", key.credential.obtain));
                failure.http_status = Some(answer.status);
                Err(failure)
            }
            status => {
                let host = url.host_str().unwrap_or_default();
                let mut failure = Failure::new(
                    ErrorCode::UpstreamError,
                    format!("{host} gave no token ({status})"),
                );
                failure.http_status = Some(status);
                if status < 500 && status != 429 {
                    failure = failure.permanent();
                }
                Err(failure)
            }
        }
    }
}

fn no_place(lane: &Lane, wait: Duration, host: &str) -> Failure {
    if lane.pace.is_some() && !wait.is_zero() {
        return no_slot(wait, host);
    }
    let message = format!("other requests to {host} left no place for this one in time");
    Failure::new(ErrorCode::Timeout, message).detail("place")
}

/// Refusals of our own have no attempt behind them; waiting here would only hide them.
fn is_ours(failure: &Failure) -> bool {
    failure.code == ErrorCode::CircuitOpen
        || matches!(
            failure.detail.as_deref(),
            Some("suspended" | "pace" | "place" | "deadline")
        )
}

fn give_up(mut failure: Failure, why: Stop) -> Failure {
    // A limit whose end is stated may be tried again then; nothing else may, and not by this call.
    if failure.retry_after.is_none() || failure.attempts > 1 {
        failure.retry = Retry::GaveUp;
    }
    if failure.hint.is_none() {
        failure.hint = why.hint().map(Into::into);
    }
    failure.with("no_retry", format!("{why:?}"))
}

/// What is sent, before it is decided where to.
struct Errand {
    method: Method,
    headers: HeaderMap,
    body: Option<Bytes>,
    max_body: Option<usize>,
}

/// Why no further attempt is made.
#[derive(Debug, Clone, Copy)]
enum Stop {
    NotTemporary,
    Attempts,
    Deadline,
    Quota,
    /// The host is being left alone by now.
    Refused,
}

impl Stop {
    fn hint(self) -> Option<&'static str> {
        match self {
            Self::Deadline => Some("no further attempt was made: it would not have fitted the call's time"),
            Self::Quota => Some("no further attempt was made: this host has failed too often lately"),
            Self::Refused => Some("no further attempt was made: this host is being left alone for a while"),
            Self::NotTemporary | Self::Attempts => None,
        }
    }
}
