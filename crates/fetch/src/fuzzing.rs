//! The readers of outside bytes, for the fuzz targets. Not part of the stable API.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CacheValidity, Descriptor, Headers, Method};

use crate::decode::{Bounds, codings, decode};
use crate::exchange::Answer;
use crate::policy::{PolicyConfig, check_url};
use crate::ports::{Timer, TokioTimer};
use crate::redirect::next_hop;
use crate::upstreams::Upstreams;
use crate::waits::asked_wait;

/// Returns the wait that these headers ask for at `now`, at most `longest_s` seconds.
pub fn wait(headers: &Headers, now: DateTime<Utc>, longest_s: u64) -> Option<Duration> {
    asked_wait(headers, now, longest_s)
}

/// Decodes a body by its `Content-Encoding`, to at most `decoded` bytes; `None` if the body is refused.
pub fn unpack(coding: &str, body: &[u8], decoded: usize) -> Option<Vec<u8>> {
    let bounds = Bounds { decoded, ratio: 100 };
    decode(body, &codings(Some(coding)).ok()?, bounds).ok()
}

/// Returns the target of a redirect, if it may be followed.
pub fn follow(
    descriptor: &Descriptor,
    method: Method,
    asked: &Url,
    status: u16,
    location: &str,
) -> Option<Url> {
    let answer = Answer {
        status,
        headers: Headers(vec![("location".to_owned(), location.to_owned())]),
        body: Bytes::new(),
        retrieved_at: DateTime::UNIX_EPOCH,
        arrived: TokioTimer.now(),
        validity: CacheValidity::default(),
        key_refused: None,
        held: crate::holding::Held::default(),
    };
    let next = next_hop(method, asked, &answer, &Upstreams::new(Vec::new())).ok()?;
    let allowed = descriptor.hosts.allows(next.host_str().unwrap_or_default());
    (allowed && check_url(&next, &PolicyConfig::default()).is_ok()).then_some(next)
}
