//! One attempt of a request: redirects, the credential of each hop, and the request on the wire.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use freshcontext_contract::limits::REFUSAL_WAIT_MAX_S;
use freshcontext_contract::url::{Host as UrlHost, Url};
use freshcontext_contract::{Descriptor, ErrorCode, Method, Request, SourceError, hosts};
use futures_util::future::{Either, select};
use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::cache::Entry;
use crate::clients::DialMode;
use crate::coalesce::no_place;
use crate::coordination::Missing;
use crate::credentials::Key;
use crate::exchange::{Answer, Outgoing};
use crate::fault;
use crate::hosts::Scope;
use crate::limiter::{Denied, RateLimiter};
use crate::outgoing::{headers, redacted};
use crate::pipeline::{Inner, Job, enters};
use crate::ports::{Exchange, Seen};
use crate::redirect::{is_redirect, next_hop};
use crate::step::Step;

/// Fair time for a host to answer. A host that had this long when the call's deadline passed counts as too slow.
const FAIR_TIME: Duration = Duration::from_secs(5);

impl Inner {
    /// Makes one attempt: the request and its redirects, each hop checked like the first.
    pub(crate) async fn attempt(
        &self,
        job: &Job,
        kept: Option<&Entry>,
    ) -> Result<(Answer, Url), SourceError> {
        let mut url = job.request.url.clone();
        let mut hops = 0;
        // True while no redirect has left the origin of the adapter's request.
        let mut home = true;
        loop {
            // Without a validator to send, a 304 would confirm a state that the request did not name.
            let same = kept.filter(|entry| entry.final_url == url && !entry.validators().is_empty());
            let answer = self.hop(job, &url, home, same).await?;
            let accepted = job.request.accept_status.contains(&answer.status);
            if is_redirect(answer.status) && !accepted {
                let mut next = next_hop(job.request.method, &url, &answer, &self.upstreams)
                    .inspect_err(|failure| self.note_refusal(job.descriptor, &url, failure))?;
                self.keyring.remove_echo(job.descriptor, &mut next);
                hops += 1;
                if hops > self.wire.limits.redirects {
                    let host = url.host_str().unwrap_or_default();
                    let message = format!("{host} redirected more than {} times", self.wire.limits.redirects);
                    return Err(SourceError::new(ErrorCode::UpstreamError, message)
                        .permanent()
                        .detail("redirect"));
                }
                self.policy(job.descriptor, &next)?;
                home = home && next.origin() == url.origin();
                url = next;
                continue;
            }
            if answer.status == 304 && same.is_some() {
                return Ok((answer, url));
            }
            let host = url.host_str().unwrap_or_default();
            if let Err(failure) = self.validate_beside(job, &answer, host).await {
                return Err(self.take_note(job, &url, home, &answer, failure));
            }
            return Ok((answer, url));
        }
    }

    /// Returns the credential to send with `url`. Only an address that the adapter wrote gets one. A redirect gets
    /// one only while every hop has stayed on the origin of the request (`home`): a host that is trusted with the key
    /// may move its own resources, as GitHub does for renamed repositories. A request to an address from a page, a
    /// caller or another host carries no credential.
    pub(crate) fn key(
        &self,
        request: &Request,
        descriptor: &'static Descriptor,
        url: &Url,
        home: bool,
    ) -> Option<Key<'_>> {
        if home && request.may_carry_credential() {
            self.keyring.find(descriptor, url)
        } else {
            None
        }
    }

    /// Records the host's request to slow down, and tells the operator which key would help.
    pub(crate) fn take_note(
        &self,
        job: &Job,
        url: &Url,
        home: bool,
        answer: &Answer,
        mut failure: SourceError,
    ) -> SourceError {
        let keyed = self.key(&job.request, job.descriptor, url, home).is_some();
        if failure.code == ErrorCode::RateLimited && failure.retry_after.is_none() {
            let (_, limiter) = self.place(url, keyed);
            failure.retry_after = Some(self.unstated_wait(&limiter));
        }
        if let Some(wait) = failure.retry_after.filter(|wait| !wait.is_zero()) {
            let whole = answer.headers.get("retry-after").is_some();
            self.leave_alone(url, keyed, whole, wait, failure.wait_stated);
        }
        let credential = job
            .descriptor
            .credentials
            .iter()
            .find(|known| Some(known.host) == url.host_str());
        // Addresses from outside never get a key, so a hint about one would be wrong.
        let takes_keys = home && (job.request.may_carry_credential() || job.request.anonymous);
        if failure.hint.is_none()
            && takes_keys
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

    /// Returns the back-off after a refusal without a stated wait: the window of the host's published limit, clamped
    /// to the minimum and maximum refusal wait.
    pub(crate) fn unstated_wait(&self, limiter: &RateLimiter) -> Duration {
        let least = Duration::from_millis(self.wire.limits.refusal_wait_ms);
        let window = limiter.pace.map_or(Duration::ZERO, |pace| pace.per);
        window.min(Duration::from_secs(REFUSAL_WAIT_MAX_S)).max(least)
    }

    /// Suspends requests to a host for this long, and to the hosts that share its refusals.
    pub(crate) fn leave_alone(&self, url: &Url, keyed: bool, whole: bool, wait: Duration, stated: bool) {
        let (host, limiter) = self.place(url, keyed);
        let scope = if whole {
            Scope::Host
        } else {
            Scope::Limit(limiter.path, limiter.keyed)
        };
        host.suspend(scope, wait, stated);
        let together = hosts::of_one_operator(&host.name);
        for other in together.iter().filter(|other| **other != host.name) {
            self.hosts.host(other).suspend(Scope::Host, wait, stated);
        }
    }

    /// Makes one hop with the credential for its address. After a refusal of the key, it renews the key once if it is
    /// a token, or retries once without the key if the key is optional.
    async fn hop(
        &self,
        job: &Job,
        url: &Url,
        home: bool,
        kept: Option<&Entry>,
    ) -> Result<Answer, SourceError> {
        let mut key = self.key(&job.request, job.descriptor, url, home);
        let mut renewed = false;
        let mut refused = None;
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
                    Some(optional) if !optional.needs_token() && !optional.credential.required => {
                        tracing::warn!(
                            env = optional.env(),
                            "the source refused this key; asking without it"
                        );
                        key = None;
                        refused = Some(optional.env());
                        continue;
                    }
                    _ => {}
                }
            }
            answer.key_refused = refused;
            return Ok(answer);
        }
    }

    /// Sends the request: waits for a place and a slot, connects, and reads the answer.
    async fn once(
        &self,
        job: &Job,
        url: &Url,
        key: Option<Key<'_>>,
        token: Option<HeaderValue>,
        kept: Option<&Entry>,
    ) -> Result<Answer, SourceError> {
        let mut fields = headers(&job.request)?;
        for (name, value) in kept.map(Entry::validators).unwrap_or_default() {
            fields.insert(name, value);
        }
        let outbound = OutboundRequest {
            method: job.request.method,
            headers: fields,
            body: job.request.body.clone(),
            max_body: job.request.max_body,
        };
        self.send(job, url, key, token, outbound).await
    }

    pub(crate) async fn send(
        &self,
        job: &Job,
        url: &Url,
        key: Option<Key<'_>>,
        token: Option<HeaderValue>,
        mut outbound: OutboundRequest,
    ) -> Result<Answer, SourceError> {
        let name = url.host_str().unwrap_or_default();
        let (host, limiter) = self.place(url, key.is_some());
        host.gate(&limiter)?;

        enters("concurrency");
        let entered = limiter
            .enter(&job.deadline, |awaited| job.progress.expect_slot(awaited))
            .await;
        let mut permit = match entered {
            Ok(permit) => permit,
            Err(denied) => {
                return Err(match (denied, host.forbidden(&limiter, denied)) {
                    (_, Some(forbidden)) => forbidden,
                    (Denied::NoSlot(wait, missing), None) => no_place(wait, missing, name),
                    (_, None) => no_place(Duration::ZERO, Missing::Place, name),
                });
            }
        };
        enters("pace");
        let attempt = match host.begin(&limiter, permit.is_shared_probe()) {
            Ok(attempt) => attempt,
            Err(failure) => {
                permit.unused();
                return Err(failure);
            }
        };

        enters("connect");
        let (mode, mut dialled) = self.route(url, &mut outbound.headers);
        if let Some(key) = key {
            key.apply(&mut dialled, &mut outbound.headers)?;
        }
        if let Some(token) = token {
            outbound.headers.insert(AUTHORIZATION, token);
        }
        job.progress.attempts.fetch_add(1, Ordering::Relaxed);
        let (method, sent) = (outbound.method, outbound.body.clone());
        let begun = self.timer().now();
        let out = Outgoing {
            mode,
            method: outbound.method,
            url: dialled,
            headers: outbound.headers,
            body: outbound.body,
            host: name,
            max_body: outbound.max_body,
        };
        let verb = match method {
            Method::Get => "GET",
            Method::PostQuery => "POST",
        };
        let span = tracing::info_span!(
            target: crate::TELEMETRY,
            "request",
            otel.name = verb,
            otel.kind = "client",
            otel.status_code = Empty,
            http.request.method = verb,
            http.response.status_code = Empty,
            error.type = Empty,
            server.address = name,
            freshcontext.source = job.descriptor.id,
        );
        let exchange = async {
            self.check_target(mode, url, job).await?;
            self.wire.exchange(out, &job.deadline, || permit.reached()).await
        };
        let result = exchange.instrument(span.clone()).await;
        drop(permit);
        told(&span, &result);
        enters("body");
        let took = self.timer().now().saturating_duration_since(begun);
        if let Some(observer) = &self.observer {
            observer.exchanged(&Exchange {
                source: job.descriptor.id,
                method,
                url,
                request: sent.as_deref(),
                took,
                outcome: result.as_ref().map(seen).map_err(|failure| failure.code),
            });
        }
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
                    let mut failure = SourceError::new(ErrorCode::UpstreamError, String::new());
                    failure.http_status = Some(answer.status);
                    attempt.failed(&failure);
                } else {
                    attempt.succeeded();
                }
                Ok(answer)
            }
            Err(mut failure) => {
                self.note_refusal(job.descriptor, url, &failure);
                if failure.code == ErrorCode::BlockedAddress {
                    // The request never left this machine, so it does not count as an attempt.
                    job.progress.attempts.fetch_sub(1, Ordering::Relaxed);
                }
                failure.attempts = job.progress.attempts();
                failure.retrieved_at = failure.retrieved_at.or_else(|| Some(self.wire.clock.now()));
                let hurried = failure.detail.as_deref() == Some("deadline") && took < FAIR_TIME;
                if hurried || failure.code == ErrorCode::Overloaded {
                    // A short caller deadline and the server's own lack of memory say nothing about the host.
                    drop(attempt);
                } else {
                    attempt.failed(&failure);
                }
                Err(failure)
            }
        }
    }

    /// Returns where to dial the request: at the operator's base, through the proxy, or directly.
    pub(crate) fn route(&self, url: &Url, headers: &mut HeaderMap) -> (DialMode, Url) {
        if let Some(led) = self.upstreams.lead(url) {
            if let Ok(host) = HeaderValue::from_str(url.host_str().unwrap_or_default()) {
                headers.insert(HeaderName::from_static("x-forwarded-host"), host);
            }
            return (DialMode::Chosen, led);
        }
        let mode = if self.wire.clients.uses_proxy(url) {
            DialMode::Proxied
        } else {
            DialMode::Guarded
        };
        (mode, url.clone())
    }

    /// Checks the target of a proxied request. The proxy resolves the name itself and out of reach of the guard, so
    /// the addresses that the name has here are checked first. The source's own hosts are constants of this program:
    /// the proxy alone resolves them, because a network with a proxy often knows no outside names.
    async fn check_target(&self, mode: DialMode, url: &Url, job: &Job) -> Result<(), SourceError> {
        let (DialMode::Proxied, Some(UrlHost::Domain(name))) = (mode, url.host()) else {
            return Ok(());
        };
        if job.descriptor.hosts.named().contains(&name) {
            return Ok(());
        }
        let left = job.deadline.left(self.timer().as_ref());
        self.check_name(name, left).await
    }

    /// Checks the addresses that a name has here, within this time and that for a connection.
    pub(crate) async fn check_name(&self, name: &str, within: Duration) -> Result<(), SourceError> {
        let limit = Duration::from_millis(self.wire.limits.connect_ms);
        let checked = std::pin::pin!(self.guard.permitted(name));
        match select(checked, self.timer().sleep(limit.min(within))).await {
            Either::Left((Ok(_), _)) => Ok(()),
            Either::Left((Err(refused), _)) => Err(fault::of_refusal(&refused, name)),
            Either::Right(_) => Err(fault::of_late_step(Step::Dns, name)),
        }
    }
}

/// Tells a span how its exchange ended.
fn told(span: &Span, result: &Result<Answer, SourceError>) {
    if span.is_disabled() {
        return;
    }
    let failed = match result {
        Ok(answer) => {
            span.record("http.response.status_code", i64::from(answer.status));
            (answer.status >= 400).then(|| answer.status.to_string())
        }
        Err(failure) => Some(failure.code.as_str().to_owned()),
    };
    if let Some(error) = failed {
        span.record("error.type", error.as_str());
        span.record("otel.status_code", "ERROR");
    }
}

fn seen(answer: &Answer) -> Seen<'_> {
    Seen {
        status: answer.status,
        headers: &answer.headers,
        body: &answer.body,
    }
}

/// A request before its route is chosen.
pub(crate) struct OutboundRequest {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) max_body: Option<usize>,
}
