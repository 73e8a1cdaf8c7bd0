//! In-memory response cache. It follows RFC 9111 where the source states caching rules.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CacheValidity, Headers, Media, Method};
use http::header::{HeaderName, HeaderValue};
use http_cache_semantics::{CacheOptions, CachePolicy};
use moka::sync::Cache as Moka;
use serde::{Deserialize, Serialize};

use crate::exchange::Answer;
use crate::holding::Held;
use crate::ports::Timer;

/// Maximum freshness. A longer lifetime stated by a source is reduced to this, because the purpose of this server is
/// fresh data.
const LONGEST: Duration = Duration::from_hours(24);
/// Fixed cost of an entry in addition to its body, in bytes.
const OVERHEAD: usize = 1_024;

/// Hasher of the cache. In tests it has no random start, so that a simulated day repeats to the byte.
#[cfg(not(test))]
type Hasher = std::hash::RandomState;
#[cfg(test)]
type Hasher = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

pub(crate) struct Store {
    entries: Moka<String, Arc<Entry>, Hasher>,
    largest: usize,
    timer: Arc<dyn Timer>,
}

/// A cached answer.
pub(crate) struct Entry {
    pub(crate) answer: Answer,
    pub(crate) final_url: Url,
    /// The source and the body kind for which the entry was validated. Any other combination is validated again.
    pub(crate) validated_for: (&'static str, Media),
    fresh_for: Duration,
    policy: CachePolicy,
}

/// The caching properties of a request.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a Url,
    pub(crate) cache_for: Duration,
}

impl Store {
    pub(crate) fn new(bytes: u64, timer: Arc<dyn Timer>) -> Self {
        let entries = Moka::builder()
            .max_capacity(bytes)
            .weigher(|key: &String, entry: &Arc<Entry>| {
                u32::try_from(key.len() + entry.answer.body.len() + OVERHEAD).unwrap_or(u32::MAX)
            })
            .build_with_hasher(Hasher::default());
        // A single answer may take at most a quarter of the cache.
        let largest = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        Self {
            entries,
            largest,
            timer,
        }
    }

    /// Returns what the entries weigh, in bytes.
    #[cfg(test)]
    pub(crate) fn weight(&self) -> u64 {
        self.entries.run_pending_tasks();
        self.entries.weighted_size()
    }

    /// Returns whether the operator lets answers be kept.
    pub(crate) fn keeps(&self) -> bool {
        self.largest > 0
    }

    /// Returns the cached entry, unless a reader withdrew it as invalid.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<Entry>> {
        let entry = self.entries.get(key)?;
        if entry.answer.validity.is_withdrawn() {
            self.entries.invalidate(key);
            return None;
        }
        Some(entry)
    }

    /// Stores an answer, if the source and the caller allow it.
    pub(crate) fn put(
        &self,
        key: String,
        asked: &Lookup<'_>,
        answer: Answer,
        final_url: Url,
        validated_for: (&'static str, Media),
    ) {
        let keep = (200..300).contains(&answer.status)
            && answer.status != 206
            && !asked.cache_for.is_zero()
            && answer.body.len() <= self.largest;
        let rules = keep.then(|| rules(asked, &answer)).flatten();
        match rules {
            Some((policy, fresh_for)) => {
                let entry = Entry {
                    answer,
                    final_url,
                    validated_for,
                    fresh_for,
                    policy,
                };
                self.entries.insert(key, Arc::new(entry));
                // Evicts immediately, so that the memory limit holds at all times.
                self.entries.run_pending_tasks();
            }
            None => self.entries.invalidate(&key),
        }
    }

    /// Takes an answer of this age from the cache's second level.
    pub(crate) fn restore(
        &self,
        key: &str,
        asked: &Lookup<'_>,
        bytes: &[u8],
        age: Duration,
        allows: impl FnOnce(&str) -> bool,
    ) -> Option<()> {
        let (head, body) = split(bytes)?;
        let stored: Stored = serde_json::from_slice(head).ok()?;
        let final_url = Url::parse(&stored.final_url).ok()?;
        if !allows(final_url.host_str().unwrap_or_default()) || body.len() > self.largest {
            return None;
        }
        let answer = Answer {
            status: stored.status,
            headers: Headers(stored.headers),
            body: Bytes::copy_from_slice(body),
            retrieved_at: stored.retrieved_at,
            arrived: self.timer.now().checked_sub(age)?,
            validity: CacheValidity::default(),
            key_refused: None,
            held: Held::default(),
        };
        let (policy, fresh_for) = rules(asked, &answer)?;
        let entry = Entry {
            answer,
            final_url,
            // Each source validates what another process stored.
            validated_for: ("", Media::Any),
            fresh_for,
            policy,
        };
        self.entries.insert(key.to_owned(), Arc::new(entry));
        self.entries.run_pending_tasks();
        Some(())
    }

    /// Renews an entry that its source has just confirmed (304): same content, new retrieval time.
    pub(crate) fn confirm(
        &self,
        key: String,
        asked: &Lookup<'_>,
        entry: &Entry,
        fresh: &Answer,
    ) -> Arc<Entry> {
        let mut headers = entry.answer.headers.clone();
        for (name, value) in &fresh.headers.0 {
            // RFC 9111, section 3.2: all fields of the 304 replace the stored ones, except fields about the body,
            // which a 304 lacks.
            if matches!(
                name.as_str(),
                "content-length" | "content-encoding" | "content-type" | "transfer-encoding"
            ) {
                continue;
            }
            headers.0.retain(|(known, _)| known != name);
            headers.0.push((name.clone(), value.clone()));
        }
        let answer = Answer {
            headers,
            retrieved_at: fresh.retrieved_at,
            arrived: fresh.arrived,
            key_refused: fresh.key_refused,
            ..entry.answer.clone()
        };
        let (policy, fresh_for) = rules(asked, &answer).unwrap_or_else(|| {
            (
                policy_of(asked, &answer).unwrap_or_else(|| entry.policy.clone()),
                Duration::ZERO,
            )
        });
        let renewed = Arc::new(Entry {
            answer,
            final_url: entry.final_url.clone(),
            validated_for: entry.validated_for,
            fresh_for,
            policy,
        });
        if renewed.fresh_for.is_zero() && rules(asked, &renewed.answer).is_none() {
            self.entries.invalidate(&key);
        } else {
            self.entries.insert(key, Arc::clone(&renewed));
        }
        renewed
    }
}

/// An answer in the second level: this as JSON, a line feed, and the body as it is.
#[derive(Serialize, Deserialize)]
struct Stored {
    status: u16,
    headers: Vec<(String, String)>,
    retrieved_at: DateTime<Utc>,
    final_url: String,
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// Returns an answer as the second level stores it, and for how long; `None` if it must not be stored.
pub(crate) fn stored_form(
    asked: &Lookup<'_>,
    answer: &Answer,
    final_url: &Url,
) -> Option<(Vec<u8>, Duration)> {
    if !(200..300).contains(&answer.status) || answer.status == 206 || answer.key_refused.is_some() {
        return None;
    }
    let (_, fresh_for) = rules(asked, answer).filter(|(_, fresh_for)| !fresh_for.is_zero())?;
    let stored = Stored {
        status: answer.status,
        headers: answer.headers.0.clone(),
        retrieved_at: answer.retrieved_at,
        final_url: final_url.to_string(),
    };
    let mut bytes = serde_json::to_vec(&stored).ok()?;
    bytes.push(b'\n');
    bytes.extend_from_slice(&answer.body);
    Some((bytes, fresh_for))
}

impl Entry {
    /// Returns the time since the bytes left the source. The monotonic clock decides, except that a longer interval
    /// on the wall clock counts (the machine was asleep). Never negative, even if a clock is set back.
    pub(crate) fn age(&self, timer: &dyn Timer, now: DateTime<Utc>) -> Duration {
        #[cfg(test)]
        if crate::simulation::planted(crate::simulation::Fault::AgeUntold) {
            return Duration::ZERO;
        }
        let steady = timer.now().saturating_duration_since(self.answer.arrived);
        let wall = (now - self.answer.retrieved_at)
            .to_std()
            .unwrap_or(Duration::ZERO);
        steady.max(wall)
    }

    /// Returns whether the entry may be used without a request, for a caller who accepts nothing older than
    /// `max_age`.
    pub(crate) fn is_fresh(&self, age: Duration, max_age: Option<Duration>) -> bool {
        age < self.fresh_for && max_age.is_none_or(|max| !max.is_zero() && age <= max)
    }

    /// Returns the headers of a conditional request; empty if the source gave no validator.
    pub(crate) fn validators(&self) -> Vec<(HeaderName, HeaderValue)> {
        let pairs = [
            ("etag", http::header::IF_NONE_MATCH),
            ("last-modified", http::header::IF_MODIFIED_SINCE),
        ];
        pairs
            .into_iter()
            .filter_map(|(from, to)| Some((to, HeaderValue::from_str(self.answer.headers.get(from)?).ok()?)))
            .collect()
    }
}

/// Returns how long an answer counts as fresh; `None` if it must not be stored.
fn rules(asked: &Lookup<'_>, answer: &Answer) -> Option<(CachePolicy, Duration)> {
    let headers = &answer.headers;
    if headers
        .get("vary")
        .is_some_and(|vary| vary.split(',').any(|field| field.trim() == "*"))
    {
        return None;
    }
    let policy = policy_of(asked, answer)?;
    if !policy.is_storable() {
        return None;
    }
    let told = is_told(headers);
    // RFC 9111 allows caching of POST responses only with a stated lifetime. Here, the adapter states it.
    let fresh_for = if told {
        policy.time_to_live(SystemTime::from(answer.retrieved_at))
    } else {
        asked.cache_for.saturating_sub(stated_age(headers))
    };
    Some((policy, fresh_for.min(LONGEST)))
}

fn policy_of(asked: &Lookup<'_>, answer: &Answer) -> Option<CachePolicy> {
    // A POST query is a read, so the caching rules treat it as a GET of another address. Its cache key contains the
    // body.
    let _ = asked.method;
    let request = http::Request::get(asked.url.as_str()).body(()).ok()?;
    let mut response = http::Response::builder().status(answer.status);
    for (name, value) in &answer.headers.0 {
        response = response.header(name.as_str(), value.as_str());
    }
    let response = response.body(()).ok()?;
    let options = CacheOptions {
        shared: true,
        ..CacheOptions::default()
    };
    Some(CachePolicy::new_options(
        &request,
        &response,
        SystemTime::from(answer.retrieved_at),
        options,
    ))
}

/// Returns whether the source states the lifetime of the answer.
fn is_told(headers: &Headers) -> bool {
    let directives = |name: &str| {
        headers
            .0
            .iter()
            .filter(|(known, _)| known == "cache-control")
            .flat_map(|(_, value)| value.split(','))
            .any(|directive| {
                directive
                    .split('=')
                    .next()
                    .is_some_and(|key| key.trim().eq_ignore_ascii_case(name))
            })
    };
    ["max-age", "s-maxage", "no-cache", "immutable"]
        .into_iter()
        .any(directives)
        || headers.get("expires").is_some()
        || (headers.get("cache-control").is_none()
            && headers
                .get("pragma")
                .is_some_and(|value| value.contains("no-cache")))
}

fn stated_age(headers: &Headers) -> Duration {
    Duration::from_secs(
        headers
            .get("age")
            .and_then(|age| age.trim().parse().ok())
            .unwrap_or(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&str, &str)]) -> Answer {
        Answer {
            status: 200,
            headers: Headers(
                headers
                    .iter()
                    .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                    .collect(),
            ),
            body: Bytes::from_static(b"{}"),
            retrieved_at: DateTime::from_timestamp(1_794_000_000, 0).unwrap(),
            arrived: std::time::Instant::now(),
            validity: freshcontext_contract::CacheValidity::default(),
            key_refused: None,
            held: crate::holding::Held::default(),
        }
    }

    fn fresh_for(headers: &[(&str, &str)]) -> Option<u64> {
        let url = Url::parse("https://api.test.org/x").unwrap();
        let asked = Lookup {
            method: Method::Get,
            url: &url,
            cache_for: Duration::from_mins(5),
        };
        rules(&asked, &answer(headers)).map(|(_, time)| time.as_secs())
    }

    #[test]
    fn without_a_word_of_the_source_the_adapter_decides() {
        assert_eq!(fresh_for(&[]), Some(300));
        assert_eq!(
            fresh_for(&[
                ("etag", "\"1\""),
                ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")
            ]),
            Some(300)
        );
        assert_eq!(fresh_for(&[("cache-control", "public")]), Some(300));
        assert_eq!(fresh_for(&[("age", "100")]), Some(200));
    }

    #[test]
    fn the_sources_word_counts() {
        assert_eq!(fresh_for(&[("cache-control", "max-age=60")]), Some(60));
        assert_eq!(
            fresh_for(&[("cache-control", "public, max-age=60, s-maxage=90")]),
            Some(90)
        );
        assert_eq!(fresh_for(&[("cache-control", "no-cache")]), Some(0));
        assert_eq!(
            fresh_for(&[("cache-control", "max-age=0, must-revalidate")]),
            Some(0)
        );
        assert_eq!(
            fresh_for(&[("cache-control", "max-age=31536000, immutable")]),
            Some(86_400)
        );
    }

    #[test]
    fn f15_what_must_not_be_kept_is_not() {
        for headers in [
            [("cache-control", "no-store")],
            [("cache-control", "private, max-age=60")],
            [("vary", "*")],
            [("vary", "accept, *")],
        ] {
            assert_eq!(fresh_for(&headers), None, "{headers:?}");
        }
        assert_eq!(
            fresh_for(&[("cache-control", "max-age=60"), ("age", "61")]),
            Some(0)
        );
        assert_eq!(
            fresh_for(&[("cache-control", "max-age=60"), ("age", "20")]),
            Some(40)
        );
    }
}
