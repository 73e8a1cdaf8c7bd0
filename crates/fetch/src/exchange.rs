//! One request on the wire and its answer, within the limits of time and size.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use freshcontext_contract::limits::{FUTURE_TOLERANCE_S, SMALL_BODY};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CacheValidity, Clock, ErrorCode, Headers, Limits, Method, SourceError};
use futures_util::future::{Either, select};
use http::HeaderMap;
use http::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, DATE, HeaderName, SET_COOKIE, TRANSFER_ENCODING,
};

use crate::clients::{Clients, DialMode};
use crate::deadline::Deadline;
use crate::decode::{Bounds, Coding, codings, decode, too_large};
use crate::fault;
use crate::holding::{Coming, Held, Holding, Patience};
use crate::ports::Timer;
use crate::step::{Late, Step, StepLimits, watched};

/// Maximum compressed size in bytes that is decoded on an async thread. Larger bodies are decoded on a blocking
/// thread.
const UNPACK_INLINE: usize = 32 << 10;

/// A request that is ready to be sent.
pub(crate) struct Outgoing<'a> {
    pub(crate) mode: DialMode,
    pub(crate) method: Method,
    /// The dialled address, with any secrets in its query. Never shown.
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    /// The host name that the caller knows, for messages.
    pub(crate) host: &'a str,
    /// Tighter size limit for the decoded body, in bytes, if the request has one.
    pub(crate) max_body: Option<usize>,
}

/// An answer before validation.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    /// When the head arrived.
    pub(crate) retrieved_at: DateTime<Utc>,
    /// The same moment on the monotonic clock. Ages count from it, not from the end of the body.
    pub(crate) arrived: Instant,
    /// Shared by all copies of this answer.
    pub(crate) validity: CacheValidity,
    /// The environment variable of a key that the host refused before it answered without the key.
    pub(crate) key_refused: Option<&'static str>,
    /// Memory held for the body; `None` in the cache, which has its own limit.
    pub(crate) held: Held,
}

pub(crate) struct Wire {
    pub(crate) clients: Clients,
    pub(crate) limits: Limits,
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) holding: Holding,
}

impl Wire {
    /// Sends a request and reads its answer. Calls `reached` when the head has arrived. Redirects are returned
    /// without a body.
    pub(crate) async fn exchange(
        &self,
        out: Outgoing<'_>,
        deadline: &Deadline,
        reached: impl FnOnce(),
    ) -> Result<Answer, SourceError> {
        let host = out.host;
        let client = self
            .clients
            .get(out.mode)
            .map_err(|why| SourceError::new(ErrorCode::Misconfigured, why))?;
        let method = match out.method {
            Method::Get => reqwest::Method::GET,
            Method::PostQuery => reqwest::Method::POST,
        };
        let mut request = client
            .request(method, out.url.clone())
            .headers(out.headers.clone());
        if let Some(body) = &out.body {
            request = request.body(body.clone());
        }
        let limits = StepLimits {
            connect: Duration::from_millis(self.limits.connect_ms),
            tls: Duration::from_millis(self.limits.tls_ms),
            answer: Duration::from_millis(self.limits.first_byte_ms),
        };
        #[cfg(not(test))]
        let sending = request.send();
        #[cfg(test)]
        let sending = crate::simulation::send(request);
        let response = match watched(sending, limits, deadline, self.timer.as_ref()).await {
            Ok((Ok(response), _)) => response,
            Ok((Err(error), step)) => return Err(fault::of_head(&error, step, host)),
            Err(Late::Step(step)) => return Err(fault::of_late_step(step, host)),
            Err(Late::Deadline(step)) => return Err(fault::of_deadline(step, host)),
        };
        reached();
        let (retrieved_at, arrived) = (self.clock.now(), self.timer.now());
        let status = response.status().as_u16();
        self.check_head(response.headers(), host)?;
        note_skew(response.headers(), retrieved_at, host);
        let coding = text_of(response.headers(), &CONTENT_ENCODING);
        let headers = readable(response.headers());
        if matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Ok(Answer {
                status,
                headers,
                body: Bytes::new(),
                retrieved_at,
                arrived,
                validity: CacheValidity::default(),
                key_refused: None,
                held: Held::default(),
            });
        }
        let (packed, coming) = self.read_body(response, &out, coding.is_some(), deadline).await?;
        let (body, held) = self
            .unpack(packed, coming, coding.as_deref(), out.max_body, deadline)
            .await?;
        Ok(Answer {
            status,
            headers,
            body,
            retrieved_at,
            arrived,
            validity: CacheValidity::default(),
            key_refused: None,
            held,
        })
    }

    fn check_head(&self, headers: &HeaderMap, host: &str) -> Result<(), SourceError> {
        let bytes: usize = headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum();
        if headers.len() > self.limits.header_fields || bytes > self.limits.header_bytes {
            return Err(
                SourceError::malformed(format!("{host} sent more headers than are read")).detail("headers"),
            );
        }
        if headers.contains_key(TRANSFER_ENCODING) && headers.contains_key(CONTENT_LENGTH) {
            return Err(
                SourceError::malformed(format!("{host} sent two contradicting lengths")).detail("framing"),
            );
        }
        Ok(())
    }

    fn decoded_limit(&self, max_body: Option<usize>) -> usize {
        max_body.map_or(self.limits.body_decoded_bytes, |max| {
            max.min(self.limits.body_decoded_bytes)
        })
    }

    async fn read_body(
        &self,
        mut response: reqwest::Response,
        out: &Outgoing<'_>,
        packed: bool,
        deadline: &Deadline,
    ) -> Result<(Bytes, Coming<'_>), SourceError> {
        let mut limit = self.limits.body_wire_bytes;
        if !packed {
            limit = limit.min(self.decoded_limit(out.max_body));
        }
        let announced = response
            .headers()
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.parse::<u64>().ok());
        if announced.is_some_and(|length| length > limit as u64) {
            return Err(too_large(limit));
        }
        let idle = Duration::from_millis(self.limits.idle_read_ms);
        let patience = self.patience(deadline);
        // A length that does not fit was refused above.
        let announced = announced.and_then(|length| usize::try_from(length).ok());
        let mut coming = self.holding.begin(announced, limit, patience).await?;
        let mut body = BytesMut::new();
        loop {
            let silence = self.timer.sleep(idle.min(deadline.left(self.timer.as_ref())));
            let chunk = std::pin::pin!(response.chunk());
            match select(chunk, silence).await {
                Either::Left((Ok(Some(chunk)), _)) => {
                    if body.len() + chunk.len() > limit {
                        return Err(too_large(limit));
                    }
                    coming.cover(body.len() + chunk.len(), patience).await?;
                    if let Some(announced) = announced.filter(|_| !coming.is_small()) {
                        // The body has its own reservation by now, so the buffer can get its full size and never
                        // moves.
                        body.reserve(announced.saturating_sub(body.len()));
                    }
                    body.extend_from_slice(&chunk);
                }
                Either::Left((Ok(None), _)) => return Ok((body.freeze(), coming)),
                Either::Left((Err(error), _)) => return Err(fault::of_body(&error, out.host)),
                Either::Right(_) => {
                    return Err(if deadline.left(self.timer.as_ref()).is_zero() {
                        fault::of_deadline(Step::Answer, out.host)
                    } else {
                        fault::of_silence(out.host)
                    });
                }
            }
        }
    }

    fn patience<'p>(&'p self, deadline: &'p Deadline) -> Patience<'p> {
        Patience {
            deadline,
            timer: self.timer.as_ref(),
        }
    }

    async fn unpack(
        &self,
        packed: Bytes,
        coming: Coming<'_>,
        coding: Option<&str>,
        max_body: Option<usize>,
        deadline: &Deadline,
    ) -> Result<(Bytes, Held), SourceError> {
        let codings = codings(coding)?;
        // A 204 or an empty answer may still have the header.
        if codings.is_empty() || packed.is_empty() {
            let held = coming.settle(packed.len(), None);
            return Ok((packed, held));
        }
        let bounds = Bounds {
            decoded: self.decoded_limit(max_body),
            ratio: self.limits.expansion_ratio,
        };
        let small = Bounds {
            decoded: SMALL_BODY.saturating_sub(packed.len()).min(bounds.decoded),
            ..bounds
        };
        if coming.is_small() {
            let (body, codings) = (packed.clone(), codings.clone());
            match unpack_beside(body, codings, small).await {
                // Sufficient for most bodies; a larger one is decoded again below.
                Err(failure) if failure.code == ErrorCode::TooLarge && small.decoded < bounds.decoded => {}
                body => {
                    let body = body?;
                    let held = coming.settle(body.len(), None);
                    return Ok((body, held));
                }
            }
        }
        let unpacked = self
            .holding
            .unpacked(bounds.decoded, self.patience(deadline))
            .await?;
        let turn = Arc::clone(&self.holding.unpacking).acquire_owned().await;
        let body = unpack_beside(packed, codings, bounds).await?;
        drop(turn);
        let held = coming.settle(body.len(), Some(unpacked));
        Ok((body, held))
    }
}

/// Decodes a body, on a blocking thread if that takes long.
async fn unpack_beside(packed: Bytes, codings: Vec<Coding>, bounds: Bounds) -> Result<Bytes, SourceError> {
    if packed.len() <= UNPACK_INLINE && bounds.decoded <= SMALL_BODY {
        return decode(&packed, &codings, bounds).map(Bytes::from);
    }
    tokio::task::spawn_blocking(move || decode(&packed, &codings, bounds).map(Bytes::from))
        .await
        .unwrap_or_else(|_| {
            Err(SourceError::new(
                ErrorCode::Internal,
                "unpacking an answer failed",
            ))
        })
}

/// Logs a large clock skew of a host, since such a host also dates its content wrongly. Nothing else relies on its
/// `Date`.
fn note_skew(headers: &HeaderMap, now: DateTime<Utc>, host: &str) {
    let date = headers.get(DATE).and_then(|value| value.to_str().ok());
    if let Some(date) = date.and_then(|text| httpdate::parse_http_date(text).ok()) {
        let skew_s = (DateTime::<Utc>::from(date) - now).num_seconds();
        if skew_s.abs() > FUTURE_TOLERANCE_S {
            tracing::info!(host, skew_s, "this host's clock is off");
        }
    }
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let all: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!all.is_empty()).then(|| all.join(","))
}

/// Returns the headers that adapters see, without cookies (never sent back) and without transport headers (no longer
/// valid).
fn readable(headers: &HeaderMap) -> Headers {
    let hidden = [
        SET_COOKIE,
        CONTENT_ENCODING,
        CONTENT_LENGTH,
        TRANSFER_ENCODING,
        CONNECTION,
    ];
    Headers(
        headers
            .iter()
            .filter(|(name, _)| !hidden.contains(name))
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect(),
    )
}
