//! What an adapter is handed for one call, and what sends its requests.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use futures_util::future::join_all;

use crate::args::CommonArgs;
use crate::clock::Clock;
use crate::copy_age::copy_age;
use crate::descriptor::Descriptor;
use crate::error::{ErrorCode, SourceError};
use crate::quote::quoted;
use crate::said_error::said_error;
use crate::wire::{CacheValidity, Provenance, Request, Response};

/// A boxed future, for the object-safe side.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What sends requests: the HTTP pipeline, or a replay in tests.
pub trait Transport: Send + Sync + 'static {
    /// Sends one request for a call and returns a 2xx (or accepted) answer, or the error.
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>>;

    /// Whether the operator has set this environment name (a key, a contact).
    fn configured(&self, env: &str) -> bool;
}

/// What the transport must know about the call that a request belongs to.
#[derive(Debug, Clone)]
pub struct CallScope {
    /// The source.
    pub descriptor: &'static Descriptor,
    /// When the call must have answered, on the monotonic clock.
    pub deadline: Instant,
    /// No cached answer older than this.
    pub max_age: Option<Duration>,
}

/// What an adapter is handed for one call.
pub struct Cx<'a> {
    transport: &'a dyn Transport,
    clock: &'a dyn Clock,
    scope: CallScope,
    args: &'a CommonArgs,
    budget: AtomicU32,
    seen: Mutex<Seen>,
    answers: Mutex<Vec<CacheValidity>>,
    /// Errors that answers with a good status stated, in words for the caller, each once.
    said: Mutex<Vec<String>>,
    /// What the headers of answers say of their age, each once.
    copies: Mutex<Vec<String>>,
}

/// What the answers of one call have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// When the oldest answer left its source.
    pub retrieved_at: Option<DateTime<Utc>>,
    /// Age of the oldest cached answer, where any came from the cache.
    pub cached_age: Option<Duration>,
    /// Answers received.
    pub responses: u32,
    /// Upstream attempts made for them.
    pub attempts: u32,
    /// Environment names of keys that were refused, where the source answered without them.
    pub refused_keys: Vec<&'static str>,
}

impl<'a> Cx<'a> {
    /// A call of `descriptor`'s tool, with at most `budget` requests.
    pub fn new(
        transport: &'a dyn Transport,
        clock: &'a dyn Clock,
        descriptor: &'static Descriptor,
        deadline: Instant,
        args: &'a CommonArgs,
        budget: u32,
    ) -> Self {
        Self {
            transport,
            clock,
            scope: CallScope {
                descriptor,
                deadline,
                max_age: args.max_age,
            },
            args,
            budget: AtomicU32::new(budget),
            seen: Mutex::new(Seen::default()),
            answers: Mutex::default(),
            said: Mutex::default(),
            copies: Mutex::default(),
        }
    }

    /// The current instant.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The moment that the answer is for: now, or the earlier one that the caller asked for.
    pub fn moment(&self) -> DateTime<Utc> {
        let now = self.now();
        self.args.as_of.map_or(now, |moment| moment.min(now))
    }

    /// The common arguments of this call.
    pub fn args(&self) -> &CommonArgs {
        self.args
    }

    /// The facts about the source.
    pub(crate) fn descriptor(&self) -> &'static Descriptor {
        self.scope.descriptor
    }

    /// Time left until the call's deadline.
    pub fn remaining(&self) -> Duration {
        self.scope.deadline.saturating_duration_since(Instant::now())
    }

    /// Whether a route of this source can be used: the key that it needs is set.
    pub fn route_open(&self, id: &str) -> bool {
        self.scope
            .descriptor
            .route(id)
            .is_some_and(|route| route.needs.is_none_or(|env| self.configured(env)))
    }

    /// Whether the operator has set this environment name; an alias of a credential counts.
    pub fn configured(&self, env: &str) -> bool {
        let aliases = self
            .scope
            .descriptor
            .credentials
            .iter()
            .find(|credential| credential.env.contains(&env))
            .map_or(&[][..], |credential| credential.env);
        self.transport.configured(env) || aliases.iter().any(|alias| self.transport.configured(alias))
    }

    /// Sends one request. Those beyond the budget are refused here; everything else is the pipeline's to decide,
    /// which hosts are the source's included.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, SourceError> {
        let taken = self
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if taken.is_err() {
            let message = "this call would need more upstream requests than one call may make";
            return Err(SourceError::new(ErrorCode::TooLarge, message).hint("ask for fewer things at once"));
        }
        let response = self
            .transport
            .send(&self.scope, request)
            .await
            .map_err(|mut error| {
                error.without_answer = true;
                error
            })?;
        self.record(&response);
        Ok(response)
    }

    /// Sends one request and reads its answer. The one way to an answer: the cache forgets one that the reader
    /// finds to be a failure, and its host is left alone where it is a refusal (see
    /// [`Response::validated`]).
    pub async fn read<T>(
        &self,
        request: Request,
        read: impl FnOnce(&Response) -> Result<T, SourceError> + Send,
    ) -> Result<T, SourceError> {
        let response = self.send(request).await?;
        let read = read(&response).and_then(|value| {
            self.refuse_said_error(&response)?;
            Ok(value)
        });
        response.validated(read)
    }

    /// Refuses an answer that holds an error and no content; an error beside content is kept for a note.
    fn refuse_said_error(&self, response: &Response) -> Result<(), SourceError> {
        let Some(error) = said_error(response) else {
            return Ok(());
        };
        let words = format!(
            "{} answered with an error: {}",
            self.descriptor().title,
            quoted(&error.words)
        );
        if error.alone {
            return Err(SourceError::upstream(words));
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.contains(&words) {
            said.push(words);
        }
        Ok(())
    }

    /// The first error that an answer with a good status stated beside what it held.
    pub(crate) fn first_said_error(&self) -> Option<SourceError> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.first().map(SourceError::upstream)
    }

    /// Sends several requests at once and reads each answer as [`read`](Self::read) does; in the order of the requests.
    pub async fn read_all<T>(
        &self,
        requests: Vec<Request>,
        read: impl Fn(&Response) -> Result<T, SourceError> + Send + Sync,
    ) -> Vec<Result<T, SourceError>> {
        let read = &read;
        let asked = requests
            .into_iter()
            .map(|request| self.read(request, |response| read(response)));
        join_all(asked).await
    }

    /// What the answers so far have in common.
    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remarks about characters that could not be read, errors that stood beside content, and old copies, each once.
    pub fn remarks(&self) -> Vec<String> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut remarks: Vec<String> = Vec::new();
        for remark in answers.iter().filter_map(CacheValidity::remark) {
            if !remarks.iter().any(|known| known == remark) {
                remarks.push(remark.to_owned());
            }
        }
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        remarks.extend(said.iter().map(|words| format!("{words}, beside what is shown")));
        let copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        remarks.extend(copies.iter().cloned());
        remarks
    }

    /// Removes from the cache those answers of this call that no reader confirmed. If there is only one, the
    /// error is about it.
    pub(crate) fn discard_unread(&self, error: &mut SourceError) {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unread = answers.iter().filter(|answer| answer.withdraw_unread());
        if let (Some(only), None) = (unread.next(), unread.next()) {
            only.refused(error);
        }
        unread.for_each(drop);
    }

    /// Removes all answers of this call from the cache.
    pub(crate) fn discard(&self) {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.iter().for_each(CacheValidity::withdraw);
    }

    fn record(&self, response: &Response) {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(response.validity.clone());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.responses += 1;
        seen.attempts += response.attempts;
        if let Some(env) = response.key_refused
            && !seen.refused_keys.contains(&env)
        {
            seen.refused_keys.push(env);
        }
        let copy = copy_age(response);
        if let Some(note) = copy.note {
            let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
            if !copies.contains(&note) {
                copies.push(note);
            }
        }
        // A cache between the source and here has kept the bytes since they left the source.
        let left_at = response.retrieved_at - copy.age;
        let oldest = seen.retrieved_at.map_or(left_at, |at| at.min(left_at));
        seen.retrieved_at = Some(oldest);
        if let Provenance::Cached { age } = response.provenance {
            seen.cached_age = Some(seen.cached_age.map_or(age, |oldest| oldest.max(age)));
        }
    }
}
