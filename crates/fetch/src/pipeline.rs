//! The pipeline: takes a request to its answer, through all stages in a fixed order.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use freshcontext_contract::url::{Host as UrlHost, Url};
use freshcontext_contract::{
    BoxFuture, CallScope, Descriptor, ErrorCode, Provenance, Request, Response, SourceError, Transport,
};
use futures_util::future::{Either, select};

use crate::cache::{self, Entry, Lookup, Store};
use crate::clients::{Clients, Guard};
use crate::coalesce::{Coalescer, Delivered, Outcome, Progress};
use crate::config::Config;
use crate::config_error::ConfigError;
use crate::coordination::{Coordinate, Turn};
use crate::credentials::Keyring;
use crate::deadline::Deadline;
use crate::exchange::{Answer, Wire};
use crate::holding::{Held, Holding, Patience};
use crate::hosts::{Host, HostTable};
use crate::limiter::RateLimiter;
use crate::outgoing::{identity, redacted, user_agent};
use crate::policy::{PolicyConfig, fits_dns};
use crate::ports::{Jitter, Observe, Timer};
use crate::reading::{Expected, validate};
use crate::refusals::Refusals;
use crate::status::HostStatus;
use crate::upstreams::Upstreams;

/// Environment variable of the operator's contact address, which is configuration and not a secret.
const CONTACT_ENV: &str = "FRESHCONTEXT_CONTACT";
/// Maximum answer size in bytes that is validated on the serving threads.
const JUDGED_INLINE: usize = 256 << 10;
/// Maximum length of a URL, in bytes. Servers accept much less.
const LONGEST_URL: usize = 16 << 10;

/// Client for all requests. Build one and share it: its state (rate limits, cache, breakers) enforces each host's
/// limits across all callers.
pub struct Pipeline {
    pub(crate) inner: Arc<Inner>,
    coalescer: Arc<Coalescer>,
    has_contact: bool,
}

pub(crate) struct Inner {
    pub(crate) wire: Wire,
    pub(crate) guard: Arc<Guard>,
    pub(crate) hosts: HostTable,
    pub(crate) shared: Option<Arc<dyn Coordinate>>,
    pub(crate) store: Store,
    pub(crate) keyring: Keyring,
    pub(crate) minting: tokio::sync::Mutex<()>,
    pub(crate) upstreams: Upstreams,
    pub(crate) jitter: Arc<dyn Jitter>,
    pub(crate) refusals: Refusals,
    pub(crate) observer: Option<Arc<dyn Observe>>,
}

/// Logs the stage of a request at trace level. A test compares their order with the documented order.
pub(crate) fn enters(stage: &'static str) {
    tracing::trace!(stage, "a request comes to its next stage");
}

/// Longest wait for the answer that another replica is about to get, at most half of the time that is left, and the
/// interval of looks.
const LONGEST_WAIT: Duration = Duration::from_secs(8);
const NEXT_LOOK: Duration = Duration::from_millis(50);
/// Time for the reader of an answer to vouch for it. An answer without that is not shared.
const READ_WITHIN: Duration = Duration::from_secs(5);

/// What the other replicas have for a request.
enum Shared {
    Copy(Box<Delivered>),
    /// This process asks the source. The guard lets the others know when it is done.
    Turn(Option<TurnGuard>),
}

struct TurnGuard {
    shared: Arc<dyn Coordinate>,
    key: String,
    lock: String,
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        self.shared.unlock(&self.key, &self.lock);
    }
}

/// One request on behalf of all callers that wait for it.
pub(crate) struct Job {
    pub(crate) descriptor: &'static Descriptor,
    pub(crate) request: Request,
    pub(crate) max_age: Option<Duration>,
    pub(crate) key: String,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Arc<Progress>,
}

impl Pipeline {
    /// Checks the configuration. Does no I/O and starts no thread; the first request that needs them loads the HTTP
    /// clients and the certificate authorities.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let timer = config.timer;
        let guard = Arc::new(Guard {
            resolver: config.resolver,
            dial: config.dial,
            policy: RwLock::new(PolicyConfig {
                allow_nat64: config.allow_nat64,
                deny: config.deny,
                own_addresses: config.own_addresses,
            }),
        });
        let clients = Clients::new(
            Arc::clone(&guard),
            config.extra_ca_pem.as_deref(),
            config.proxy,
            user_agent(config.contact.as_deref()),
            config.limits.header_fields,
        )?;
        let has_contact = config.contact.is_some_and(|contact| !contact.trim().is_empty());
        Ok(Self {
            inner: Arc::new(Inner {
                hosts: HostTable::new(&config.limits, &config.descriptors, Arc::clone(&timer))
                    .sharing(config.shared.clone()),
                shared: config.shared,
                store: Store::new(config.limits.cache_bytes, Arc::clone(&timer)),
                keyring: Keyring::new(config.secrets),
                minting: tokio::sync::Mutex::default(),
                upstreams: Upstreams::new(config.upstreams),
                jitter: config.jitter,
                refusals: Refusals::default(),
                observer: config.observer,
                guard,
                wire: Wire {
                    clients,
                    holding: Holding::new(&config.limits),
                    limits: config.limits,
                    timer,
                    clock: config.clock,
                },
            }),
            coalescer: Arc::default(),
            has_contact,
        })
    }

    /// Registers one of the server's own listeners, so that it is never a valid target.
    pub fn add_own_address(&self, address: SocketAddr) {
        let mut policy = self
            .inner
            .guard
            .policy
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        policy.own_addresses.push(address);
    }

    /// Returns the state of every host that was contacted or has a published limit, in alphabetical order.
    pub fn status(&self) -> Vec<HostStatus> {
        self.inner.hosts.status()
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    #[cfg(test)]
    pub(crate) fn coalesced(&self) -> usize {
        self.coalescer.count()
    }

    /// Runs every stage of a request, outermost first. The second half runs once for all callers with the same
    /// concurrent request; see `Inner::fetch` and `Inner::once`.
    async fn run(&self, scope: &CallScope, request: Request) -> Result<Response, SourceError> {
        let inner = &self.inner;
        let timer = inner.timer();
        let host = request.url.host_str().unwrap_or_default().to_owned();

        enters("policy");
        inner.policy(scope.descriptor, &request.url)?;

        enters("gate");
        let keyed = inner
            .key(&request, scope.descriptor, &request.url, true)
            .is_some();
        let (state, limiter) = inner.place(&request.url, keyed);
        let key = identity(&request, keyed);
        if let Err(refused) = state.gate(&limiter) {
            // A copy that is still fresh needs no request.
            let Some(copy) = inner.fresh_copy(scope.descriptor, &request, &key, scope.max_age) else {
                return Err(refused);
            };
            return inner
                .held(&Deadline::new(scope.deadline), copy)
                .await
                .map(response);
        }

        enters("coalesce");
        let shared = format!(
            "{key}\n{} {:?} {:?} {:?} {:?} {:?}",
            scope.descriptor.id,
            request.expect,
            request.accept_status,
            request.max_body,
            scope.max_age,
            request.condition
        );
        let waiter = self.coalescer.join(shared, scope.deadline, |deadline, progress| {
            let inner = Arc::clone(inner);
            let (descriptor, max_age) = (scope.descriptor, scope.max_age);
            let job = Job {
                descriptor,
                request,
                max_age,
                key,
                deadline,
                progress,
            };
            // From here on: cache -> retry -> concurrency -> pace -> connect -> body.
            async move { inner.fetch(job).await }
        });
        let delivered = waiter.wait(timer.as_ref(), &host).await?;
        let mut response = response(delivered);
        if response.provenance == Provenance::Live {
            // Some refusals arrive as ordinary answers, which only the source's adapter recognises.
            let (inner, url) = (Arc::clone(inner), response.final_url.clone());
            response.validity = response.validity.on_refusal(move |wait, stated| {
                let limiter = inner.place(&url, keyed).1;
                let wait = wait.unwrap_or_else(|| inner.unstated_wait(&limiter));
                inner.leave_alone(&url, keyed, false, wait, stated);
                wait
            });
        }
        Ok(response)
    }
}

fn response(delivered: Delivered) -> Response {
    let Delivered {
        answer,
        final_url,
        provenance,
        attempts,
    } = delivered;
    Response {
        status: answer.status,
        headers: answer.headers,
        body: answer.held.attached(answer.body),
        final_url,
        retrieved_at: answer.retrieved_at,
        provenance,
        attempts,
        validity: answer.validity,
        key_refused: answer.key_refused,
    }
}

impl Inner {
    pub(crate) fn timer(&self) -> &Arc<dyn Timer> {
        &self.wire.timer
    }

    /// Logs a refused address. Other failures have log lines of their own.
    pub(crate) fn note_refusal(&self, descriptor: &Descriptor, url: &Url, failure: &SourceError) {
        if failure.code == ErrorCode::BlockedAddress {
            let class = failure.detail.as_deref().unwrap_or_default();
            let host = url.host_str().unwrap_or_default();
            self.refusals.note(self.timer().now(), descriptor.id, host, class);
        }
    }

    /// Checks an address for a source, before any name lookup.
    pub(crate) fn policy(&self, descriptor: &Descriptor, url: &Url) -> Result<(), SourceError> {
        self.check_address(descriptor, url)
            .inspect_err(|failure| self.note_refusal(descriptor, url, failure))
    }

    fn check_address(&self, descriptor: &Descriptor, url: &Url) -> Result<(), SourceError> {
        self.guard.check(url)?;
        let host = url.host_str().unwrap_or_default();
        if let Some(UrlHost::Domain(name)) = url.host()
            && !fits_dns(name)
        {
            return Err(
                SourceError::unreachable("dns", "the address names a host that cannot exist").permanent(),
            );
        }
        if url.as_str().len() > LONGEST_URL {
            return Err(SourceError::new(
                ErrorCode::InvalidInput,
                "the address is too long to be fetched",
            ));
        }
        if descriptor.hosts.allows(host) {
            Ok(())
        } else {
            let message = format!("{} does not talk to {host}", descriptor.id);
            Err(SourceError::new(ErrorCode::BlockedAddress, message).detail("host"))
        }
    }

    /// Returns the state of an address's host, and the limiter that applies.
    pub(crate) fn place(&self, url: &Url, keyed: bool) -> (Arc<Host>, Arc<RateLimiter>) {
        let host = self.hosts.host(url.host_str().unwrap_or_default());
        let limiter = host.limiter(url.path(), keyed);
        (host, limiter)
    }

    /// Runs the shared half: from the cache or from the source, with retries.
    async fn fetch(&self, job: Job) -> Outcome {
        enters("cache");
        if let Some(copy) = self.fresh_copy(job.descriptor, &job.request, &job.key, job.max_age) {
            return self.held(&job.deadline, copy).await;
        }
        let turn = match &self.shared {
            // What must not be kept is not shared either.
            Some(shared)
                if self.store.keeps()
                    && !job.request.cache_for.is_zero()
                    && job.request.condition.is_none() =>
            {
                match self.ask_replicas(shared, &job).await {
                    Shared::Copy(copy) => return self.held(&job.deadline, *copy).await,
                    Shared::Turn(turn) => turn,
                }
            }
            _ => None,
        };
        let kept = self.kept(job.descriptor, &job.request, &job.key);
        enters("retry");
        let (answer, final_url) = self.with_retries(&job, kept.as_deref()).await?;
        let delivered = self.keep(&job, kept.as_deref(), answer, final_url);
        if let Some(shared) = self.shared.as_ref().filter(|_| self.store.keeps()) {
            self.offer(shared, &job, &delivered, turn);
        }
        self.held(&job.deadline, delivered).await
    }

    /// Reserves memory for a body from the cache while it is read, since the cache may evict it meanwhile.
    async fn held(&self, deadline: &Deadline, mut delivered: Delivered) -> Outcome {
        if delivered.answer.held.is_none() {
            let patience = Patience {
                deadline,
                timer: self.timer().as_ref(),
            };
            let length = delivered.answer.body.len();
            delivered.answer.held = self.wire.holding.hold(length, patience).await?;
        }
        Ok(delivered)
    }

    /// Looks for an answer that another replica has, or is about to get.
    async fn ask_replicas(&self, shared: &Arc<dyn Coordinate>, job: &Job) -> Shared {
        let longest = job.deadline.left(self.timer().as_ref());
        let patience = self.timer().now() + (longest / 2).min(LONGEST_WAIT);
        loop {
            let passed = std::pin::pin!(job.deadline.passed(self.timer().as_ref()));
            let turn = match select(shared.look(&job.key, longest), passed).await {
                Either::Left((turn, _)) => turn,
                // The request then ends at the rate limiter, which says what it waited for.
                Either::Right(_) => Turn::Alone,
            };
            match turn {
                Turn::Stored(bytes, age) => {
                    return match self.shared_copy(job, &bytes, age) {
                        Some(copy) => Shared::Copy(Box::new(copy)),
                        None => Shared::Turn(None),
                    };
                }
                Turn::Mine(lock) => {
                    return Shared::Turn(Some(TurnGuard {
                        shared: Arc::clone(shared),
                        key: job.key.clone(),
                        lock,
                    }));
                }
                Turn::Others if self.timer().now() < patience => self.timer().sleep(NEXT_LOOK).await,
                Turn::Others | Turn::Alone => return Shared::Turn(None),
            }
        }
    }

    /// Gives an answer to the other replicas once its reader has vouched for it. Ends the turn.
    fn offer(&self, shared: &Arc<dyn Coordinate>, job: &Job, delivered: &Delivered, turn: Option<TurnGuard>) {
        let asked = Lookup {
            method: job.request.method,
            url: &job.request.url,
            cache_for: job.request.cache_for,
        };
        let Delivered {
            answer, final_url, ..
        } = delivered;
        let Some((bytes, fresh_for)) = cache::stored_form(&asked, answer, final_url) else {
            return;
        };
        let (shared, key, validity) = (Arc::clone(shared), job.key.clone(), answer.validity.clone());
        let (timer, arrived) = (Arc::clone(self.timer()), answer.arrived);
        tokio::spawn(async move {
            let until = timer.now() + READ_WITHIN;
            while !validity.is_vouched_for() {
                if validity.is_withdrawn() || timer.now() >= until {
                    return;
                }
                timer.sleep(NEXT_LOOK).await;
            }
            let age = timer.now().saturating_duration_since(arrived);
            shared.save(&key, bytes, age, fresh_for);
            drop(turn);
        });
    }

    /// Keeps an answer of the cache's second level in the first, and returns it if it is fresh enough.
    fn shared_copy(&self, job: &Job, bytes: &[u8], age: Duration) -> Option<Delivered> {
        let allows = |host: &str| job.descriptor.hosts.allows(host);
        let asked = Lookup {
            method: job.request.method,
            url: &job.request.url,
            cache_for: job.request.cache_for,
        };
        self.store.restore(&job.key, &asked, bytes, age, allows)?;
        self.fresh_copy(job.descriptor, &job.request, &job.key, job.max_age)
    }

    /// Returns a cached answer that is still fresh and may be shown to this source.
    fn fresh_copy(
        &self,
        descriptor: &'static Descriptor,
        request: &Request,
        key: &str,
        max_age: Option<Duration>,
    ) -> Option<Delivered> {
        let entry = self.kept(descriptor, request, key)?;
        let age = entry.age(self.timer().as_ref(), self.wire.clock.now());
        if !entry.is_fresh(age, max_age) {
            return None;
        }
        tracing::debug!(
            source = descriptor.id,
            url = redacted(&request.url),
            "answered from the cache"
        );
        Some(Delivered {
            answer: entry.answer.clone(),
            final_url: entry.final_url.clone(),
            provenance: Provenance::Cached { age },
            attempts: 0,
        })
    }

    /// Returns the cache entry for this request, if it may be shown to this source.
    fn kept(&self, descriptor: &'static Descriptor, request: &Request, key: &str) -> Option<Arc<Entry>> {
        // A request with its own validators always goes to the source.
        if request.condition.is_some() {
            return None;
        }
        let entry = self.store.get(key)?;
        let host = entry.final_url.host_str().unwrap_or_default();
        if !descriptor.hosts.allows(host) {
            return None;
        }
        let checked = entry.validated_for == (descriptor.id, request.expect)
            || self
                .validate_for(descriptor, request, &entry.answer, host)
                .is_ok();
        let fits = request.max_body.is_none_or(|max| entry.answer.body.len() <= max);
        (checked && fits).then_some(entry)
    }

    fn validate(&self, job: &Job, answer: &Answer, host: &str) -> Result<(), SourceError> {
        self.validate_for(job.descriptor, &job.request, answer, host)
    }

    fn validate_for(
        &self,
        descriptor: &'static Descriptor,
        request: &Request,
        answer: &Answer,
        host: &str,
    ) -> Result<(), SourceError> {
        let now = self.wire.clock.now();
        let longest = self.wire.limits.retry_after_max_s;
        validate(answer, Expected::of(request), descriptor, host, now, longest)
    }

    /// Validates like `validate`, but on a blocking thread if the body is large.
    pub(crate) async fn validate_beside(
        &self,
        job: &Job,
        answer: &Answer,
        host: &str,
    ) -> Result<(), SourceError> {
        if answer.body.len() <= JUDGED_INLINE {
            return self.validate(job, answer, host);
        }
        let (answer, host) = (answer.clone(), host.to_owned());
        let (expected, descriptor) = (Expected::of(&job.request), job.descriptor);
        let now = self.wire.clock.now();
        let longest = self.wire.limits.retry_after_max_s;
        tokio::task::spawn_blocking(move || validate(&answer, expected, descriptor, &host, now, longest))
            .await
            .unwrap_or_else(|_| Err(SourceError::new(ErrorCode::Internal, "checking an answer failed")))
    }

    fn keep(&self, job: &Job, kept: Option<&Entry>, answer: Answer, final_url: Url) -> Delivered {
        let asked = Lookup {
            method: job.request.method,
            url: &job.request.url,
            cache_for: job.request.cache_for,
        };
        let attempts = job.progress.attempts();
        if let (Some(entry), 304) = (kept, answer.status) {
            let renewed = self.store.confirm(job.key.clone(), &asked, entry, &answer);
            return Delivered {
                answer: renewed.answer.clone(),
                final_url: renewed.final_url.clone(),
                provenance: Provenance::Revalidated,
                attempts,
            };
        }
        if answer.status == 304 {
            // Confirms the request's own validators. There is nothing to store, and the cached entry may be newer.
            return Delivered {
                answer,
                final_url,
                provenance: Provenance::Live,
                attempts,
            };
        }
        let validated_for = (job.descriptor.id, job.request.expect);
        self.store.put(
            job.key.clone(),
            &asked,
            Answer {
                held: Held::default(),
                ..answer.clone()
            },
            final_url.clone(),
            validated_for,
        );
        Delivered {
            answer,
            final_url,
            provenance: Provenance::Live,
            attempts,
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").finish_non_exhaustive()
    }
}

impl Transport for Pipeline {
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move {
            let shown = redacted(&request.url);
            self.run(scope, request).await.inspect_err(|failure| {
                tracing::info!(
                    source = scope.descriptor.id,
                    url = shown,
                    code = %failure.code,
                    detail = failure.detail.as_deref(),
                    status = failure.http_status,
                    attempts = failure.attempts,
                    context = (!failure.context.is_empty()).then(|| tracing::field::debug(&failure.context)),
                    "request failed: {}", failure.message
                );
            })
        })
    }

    fn configured(&self, env: &str) -> bool {
        self.inner.keyring.has(env) || (env == CONTACT_ENV && self.has_contact)
    }
}
