//! Requests and responses as adapters see them.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use url::{Origin, Url};

use crate::error::{ErrorCode, SourceError};

/// The validators that a request is sent with (`If-None-Match`, `If-Modified-Since`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Condition {
    /// `ETag` of the earlier answer.
    pub etag: Option<String>,
    /// `Last-Modified` of the earlier answer.
    pub last_modified: Option<String>,
}

/// The method. POST is only for sources whose *queries* are POSTs (GraphQL, USAspending).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A plain read.
    Get,
    /// A read whose query travels in the body.
    PostQuery,
}

/// What kind of body the adapter can read. Anything else is judged before it is parsed: a block page, an
/// error page, or malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Media {
    /// JSON of any flavour.
    Json,
    /// XML, Atom or RSS.
    Xml,
    /// An HTML page.
    Html,
    /// Comma-separated values.
    Csv,
    /// Plain text or Markdown.
    Text,
    /// The adapter looks for itself (a page that the caller named).
    Any,
}

/// An address that the adapter wrote itself: its scheme, host and beginning are a constant of this program, and
/// what a caller or a source said is only in its path segments and its query, encoded. The operator's credential
/// may go there, and to no other address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedUrl(Url);

impl KeyedUrl {
    /// `base` with path segments, each encoded as one. A failure is a defect of this project, not of the caller.
    pub fn new(base: &'static str, segments: &[&str]) -> Result<Self, SourceError> {
        let mut url = Url::parse(base).map_err(|error| {
            SourceError::new(ErrorCode::Internal, "a built-in address does not parse").caused_by(error)
        })?;
        if !segments.is_empty()
            && let Ok(mut path) = url.path_segments_mut()
        {
            path.pop_if_empty().extend(segments);
        }
        Ok(Self(url))
    }

    /// The same with those pairs added to the query, encoded, that have a value.
    #[must_use]
    pub fn with<'q, V: Into<Option<&'q str>>>(
        mut self,
        pairs: impl IntoIterator<Item = (&'q str, V)>,
    ) -> Self {
        let given = |(name, value): (&'q str, V)| Some((name, value.into()?));
        let mut pairs = pairs.into_iter().filter_map(given).peekable();
        if pairs.peek().is_some() {
            self.0.query_pairs_mut().extend_pairs(pairs);
        }
        self
    }

    /// Adds pairs to the query, encoded.
    pub fn query_pairs_mut(&mut self) -> url::form_urlencoded::Serializer<'_, url::UrlQuery<'_>> {
        self.0.query_pairs_mut()
    }

    /// The address.
    pub fn as_url(&self) -> &Url {
        &self.0
    }
}

/// Where a request goes. From a plain [`Url`], which may come from a caller or a page, no credential is sent.
#[derive(Debug, Clone)]
pub enum Address {
    /// Written here.
    Keyed(KeyedUrl),
    /// Anybody's.
    Plain(Url),
}

impl From<Url> for Address {
    fn from(url: Url) -> Self {
        Self::Plain(url)
    }
}

impl From<KeyedUrl> for Address {
    fn from(url: KeyedUrl) -> Self {
        Self::Keyed(url)
    }
}

/// One request. Building it is pure; sending it is the pipeline's business, which adds the user
/// agent, the credential that belongs to the host, retries, pacing and caching.
#[derive(Debug, Clone)]
pub struct Request {
    /// GET or a query by POST.
    pub method: Method,
    /// Absolute http(s) address without credentials.
    pub url: Url,
    /// Extra headers. Only `accept`, `accept-language`, `content-type` and `x-*` API version
    /// headers are let through.
    pub headers: Vec<(Cow<'static, str>, String)>,
    /// The query, for [`Method::PostQuery`].
    pub body: Option<Bytes>,
    /// Expected kind of body.
    pub expect: Media,
    /// How long a cached copy counts as fresh where the source sends no caching headers of its own.
    pub cache_for: Duration,
    /// A tighter body limit than the general one, in decoded bytes.
    pub max_body: Option<usize>,
    /// Statuses outside 2xx that the adapter wants to read itself (404 as "none", 409 as "empty").
    pub accept_status: &'static [u16],
    /// Send without the host's credential even where one is configured.
    pub anonymous: bool,
    /// A guess at an address: a failure is not worth a second request.
    pub probe: bool,
    /// Validators of an earlier answer: the cache is passed by, and a 304 is an answer.
    pub condition: Option<Condition>,
    /// Scheme, host and port as the adapter wrote them; `None` for an address from outside.
    written: Option<Origin>,
}

impl Request {
    /// A GET for this kind of body, cached for five minutes unless the source says otherwise. The host's
    /// credential is sent only if the address is a [`KeyedUrl`].
    pub fn get(address: impl Into<Address>, expect: Media) -> Self {
        let (url, written) = match address.into() {
            Address::Keyed(KeyedUrl(url)) => {
                let origin = url.origin();
                (url, Some(origin))
            }
            Address::Plain(url) => (url, None),
        };
        Self {
            method: Method::Get,
            url,
            headers: Vec::new(),
            body: None,
            expect,
            cache_for: Duration::from_mins(5),
            max_body: None,
            accept_status: &[],
            anonymous: false,
            probe: false,
            condition: None,
            written,
        }
    }

    /// A GET of an address that an earlier call requested. `keyed` states whether the adapter wrote it itself, so
    /// that the host's credential may be sent.
    pub(crate) fn again(url: Url, expect: Media, keyed: bool) -> Self {
        if keyed {
            Self::get(KeyedUrl(url), expect)
        } else {
            Self::get(url, expect)
        }
    }

    /// A query by POST with a JSON body. It is retried like a GET: it changes nothing.
    pub fn post_json(address: impl Into<Address>, body: &serde_json::Value) -> Self {
        Self {
            method: Method::PostQuery,
            headers: vec![("content-type".into(), "application/json".to_owned())],
            body: Some(Bytes::from(body.to_string())),
            ..Self::get(address, Media::Json)
        }
    }

    /// Whether the host's credential may be sent: the adapter wrote the address itself, and its host has not
    /// been replaced since.
    pub fn may_carry_credential(&self) -> bool {
        !self.anonymous && self.written.as_ref() == Some(&self.url.origin())
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets how long a copy counts as fresh.
    #[must_use]
    pub fn cache_for(mut self, time: Duration) -> Self {
        self.cache_for = time;
        self
    }

    /// Names statuses that the adapter reads itself.
    #[must_use]
    pub fn accepting(mut self, statuses: &'static [u16]) -> Self {
        self.accept_status = statuses;
        self
    }

    /// Disables retries, because the address is a guess. A connection that broke is tried once more: the host was not asked.
    #[must_use]
    pub fn probing(mut self) -> Self {
        self.probe = true;
        self
    }

    /// Sets a tighter body limit, in decoded bytes.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = Some(bytes);
        self
    }
}

/// Response headers; names are lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<(String, String)>);

impl Headers {
    /// The first value of a header. `name` must be lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Where the bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Straight from the source.
    Live,
    /// From our cache; `age` since they left the source.
    Cached {
        /// Time since retrieval.
        age: Duration,
    },
    /// From our cache after the source confirmed that nothing changed.
    Revalidated,
}

/// Whether an answer may be handed out again. All who received one answer share it with the cache.
#[derive(Clone, Default)]
pub struct CacheValidity {
    shared: Arc<Verdict>,
    refusal: Option<Arc<OnRefusal>>,
}

/// What the readers of one answer found.
#[derive(Debug, Default)]
struct Verdict {
    state: AtomicU8,
    /// What its characters did not tell. The same bytes give the same remark, so the first one stays.
    remark: OnceLock<String>,
}

/// What to do where a reader finds that the host is to be left alone: for the time that the reader found or decided,
/// or for the usual one. The flag states whether the source itself named the time. Returns how long it is.
type OnRefusal = dyn Fn(Option<Duration>, bool) -> Duration + Send + Sync;

impl fmt::Debug for CacheValidity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CacheValidity").field(&self.shared).finish()
    }
}

impl CacheValidity {
    const UNREAD: u8 = 0;
    const READ: u8 = 1;
    const WITHDRAWN: u8 = 2;

    /// Takes the answer out of use, for good.
    pub fn withdraw(&self) {
        self.shared.state.store(Self::WITHDRAWN, Ordering::Relaxed);
    }

    /// Whether a reader has rejected it.
    pub fn is_withdrawn(&self) -> bool {
        self.shared.state.load(Ordering::Relaxed) == Self::WITHDRAWN
    }

    /// Whether a reader has found in it what it expects.
    pub fn is_vouched_for(&self) -> bool {
        self.shared.state.load(Ordering::Relaxed) == Self::READ
    }

    /// The same validity, with what to do where its reader finds the answer to be a refusal.
    #[must_use]
    pub fn on_refusal(
        mut self,
        refusal: impl Fn(Option<Duration>, bool) -> Duration + Send + Sync + 'static,
    ) -> Self {
        self.refusal = Some(Arc::new(refusal));
        self
    }

    /// Tells the host's keeper of a refusal found by a reader, and the error how long to wait. A block page counts
    /// where its reader named a time.
    pub(crate) fn refused(&self, error: &mut SourceError) {
        let Some(refusal) = &self.refusal else { return };
        match (error.code, error.retry_after) {
            (ErrorCode::RateLimited, asked) => error.retry_after = Some(refusal(asked, asked.is_some())),
            (ErrorCode::Challenge | ErrorCode::AccessDenied, Some(wait)) => {
                refusal(Some(wait), false);
            }
            _ => {}
        }
    }

    /// Notes that the answer is what its reader expects.
    pub(crate) fn vouch(&self) {
        self.shared.state.fetch_max(Self::READ, Ordering::Relaxed);
    }

    /// What could not be read of the characters, where a reader found the answer to be what it expects.
    pub(crate) fn remark(&self) -> Option<&str> {
        self.is_vouched_for()
            .then(|| self.shared.remark.get())
            .flatten()
            .map(String::as_str)
    }

    /// Withdraws it, unless it has been read and is what it should be.
    /// Returns whether it did.
    pub(crate) fn withdraw_unread(&self) -> bool {
        let (unread, withdrawn) = (Self::UNREAD, Self::WITHDRAWN);
        self.shared
            .state
            .compare_exchange(unread, withdrawn, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }
}

/// One answer: a 2xx, or a status that the request accepts.
#[derive(Debug, Clone)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Headers,
    /// The body after content decoding; characters are not decoded yet.
    pub body: Bytes,
    /// The address that answered, after redirects.
    pub final_url: Url,
    /// When the bytes left the source (or when it confirmed them).
    pub retrieved_at: DateTime<Utc>,
    /// Where the bytes came from.
    pub provenance: Provenance,
    /// Attempts that this answer took.
    pub attempts: u32,
    /// Whether the cache may hand it out again.
    pub validity: CacheValidity,
    /// The environment name of a key that the source refused before it gave this answer without it.
    pub key_refused: Option<&'static str>,
}

impl Response {
    /// The media type without parameters, in lower case; empty where none was sent.
    pub fn media_type(&self) -> String {
        self.headers
            .get("content-type")
            .and_then(|value| value.split(';').next())
            .map(|value| value.trim().to_ascii_lowercase())
            .unwrap_or_default()
    }

    /// Has the cache forget this answer: it is a failure in the form of an answer, or not to be trusted
    /// (an empty page where there must be something). The same request asks the source again.
    pub fn discard(&self) {
        self.validity.withdraw();
    }

    /// Keeps a remark about characters of the body that could not be read as they were meant. The result of the call
    /// gets it as a note.
    pub fn remark(&self, remark: String) {
        self.validity.shared.remark.get_or_init(|| remark);
    }

    /// Leaves the host alone for this long, because a good answer asks for it. A copy from the cache asks for nothing.
    pub fn leave_alone(&self, wait: Duration) {
        if let Some(refusal) = &self.validity.refusal {
            refusal(Some(wait), true);
        }
    }

    /// Passes on what reading this answer came to, and has the cache forget the answer where it was a
    /// failure; its host is left alone where it was a refusal. That a thing does not exist, or that the query is wrong, is an answer and stays. Where a
    /// call fails as a whole, the answers not validated yet are forgotten, too: see
    /// [`AnyAdapter`](crate::adapter::AnyAdapter).
    pub fn validated<T>(&self, read: Result<T, SourceError>) -> Result<T, SourceError> {
        read.inspect(|_| self.validity.vouch()).map_err(|mut error| {
            if error.code.is_against_the_answer() {
                self.discard();
                self.validity.refused(&mut error);
            } else {
                self.validity.vouch();
            }
            error
        })
    }
}
