//! Waits that a source's headers ask for.

use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::limits::BODY_WAIT_MAX_S;
use freshcontext_contract::{Headers, Wait};
use serde_json::Value;

/// Threshold for a reset value. A lower value counts seconds from now (Reddit); a higher one, seconds since 1970
/// (GitHub).
const SECONDS_LEFT_BELOW: u64 = 1_000_000;

/// Returns how long the source asks to wait: `Retry-After` as seconds or as a date, else `x-ratelimit-reset` if
/// nothing remains. At most `longest_s` seconds. `None` if no header can be parsed.
pub(crate) fn asked_wait(headers: &Headers, now: DateTime<Utc>, longest_s: u64) -> Option<Duration> {
    let wait = headers
        .get("retry-after")
        .and_then(|value| retry_after(value, now))
        .or_else(|| exhausted(headers).then(|| reset(headers, now)).flatten())?;
    Some(wait.min(Duration::from_secs(longest_s)))
}

/// Returns how long the body of a refusal asks to wait, at most a day. `None` if nothing can be parsed.
pub(crate) fn body_wait(body: &[u8], wait: Wait) -> Option<Duration> {
    let seconds: f64 = match wait {
        Wait::At(pointer) => {
            let body: Value = serde_json::from_slice(body).ok()?;
            let found = body.pointer(pointer)?;
            found.as_f64().or_else(|| found.as_str()?.trim().parse().ok())?
        }
        Wait::After(text) => {
            let after = body.get(position(body, text)? + text.len()..)?.trim_ascii_start();
            let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            std::str::from_utf8(after.get(..digits)?).ok()?.parse().ok()?
        }
    };
    // NaN stays NaN here, and the conversion refuses it.
    let longest = BODY_WAIT_MAX_S as f64;
    Duration::try_from_secs_f64(if seconds > longest { longest } else { seconds }).ok()
}

/// Returns whether the source reports that nothing of its request limit remains.
pub(crate) fn exhausted(headers: &Headers) -> bool {
    headers
        .get("x-ratelimit-remaining")
        .and_then(|value| value.trim().parse::<f64>().ok())
        // Reddit sends fractions.
        .is_some_and(|left| left < 1.0)
}

/// Returns the wait of a `Retry-After` header, at most `longest_s` seconds. `None` if it cannot be parsed.
pub(crate) fn retry_after_of(value: &str, now: DateTime<Utc>, longest_s: u64) -> Option<Duration> {
    Some(retry_after(value, now)?.min(Duration::from_secs(longest_s)))
}

fn retry_after(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A value with too many digits for the type still means "very long", and the caller clamps it.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let at = DateTime::<Utc>::from(httpdate::parse_http_date(value).ok()?);
    Some((at - now).to_std().unwrap_or(Duration::ZERO))
}

fn reset(headers: &Headers, now: DateTime<Utc>) -> Option<Duration> {
    let value = headers.get("x-ratelimit-reset")?.trim();
    let whole = value.split('.').next().unwrap_or(value);
    let seconds: u64 = whole.parse().ok()?;
    if seconds < SECONDS_LEFT_BELOW {
        return Some(Duration::from_secs(seconds));
    }
    let now = u64::try_from(now.timestamp()).unwrap_or(0);
    Some(Duration::from_secs(seconds.saturating_sub(now)))
}

/// Returns the position of a text in a body, ignoring ASCII case; `None` for an empty text.
pub(crate) fn position(body: &[u8], text: &str) -> Option<usize> {
    let text = text.as_bytes();
    let first = text.first()?;
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(lower, upper, body).find(|at| {
        body.get(*at..*at + text.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_794_000_000, 0).unwrap()
    }

    fn wait(pairs: &[(&str, &str)]) -> Option<u64> {
        let headers = Headers(
            pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
        );
        asked_wait(&headers, now(), 3_600).map(|wait| wait.as_secs())
    }

    #[test]
    fn b11_retry_after_in_all_its_forms() {
        assert_eq!(wait(&[("retry-after", "120")]), Some(120));
        assert_eq!(wait(&[("retry-after", " 0 ")]), Some(0));
        assert_eq!(wait(&[("retry-after", "1000000000")]), Some(3_600));
        assert_eq!(
            wait(&[("retry-after", "99999999999999999999999999")]),
            Some(3_600)
        );
        let date = httpdate::fmt_http_date((now() + chrono::TimeDelta::seconds(90)).into());
        assert_eq!(wait(&[("retry-after", &date)]), Some(90));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(0));
        for garbage in ["soon", "", "-5", "1.5.2", "12 minutes"] {
            assert_eq!(wait(&[("retry-after", garbage)]), None, "{garbage}");
        }
    }

    #[test]
    fn a_body_says_how_long_to_wait() {
        let wait = |body: &str, wait| body_wait(body.as_bytes(), wait).map(|wait| wait.as_secs());
        for (body, seconds) in [
            (r#"{"retryAfter": 47052}"#, Some(47_052)),
            (r#"{"retryAfter": " 12 "}"#, Some(12)),
            (r#"{"retryAfter": 1e300}"#, Some(86_400)),
            (r#"{"retryAfter": "NaN"}"#, None),
            (r#"{"retryAfter": 900000}"#, Some(86_400)),
            (r#"{"retryAfter": -1}"#, None),
            (r#"{"retryAfter": "soon"}"#, None),
            ("no JSON", None),
        ] {
            assert_eq!(wait(body, Wait::At("/retryAfter")), seconds, "{body}");
        }
        for (body, seconds) in [
            (r#"{"m": "too many, More Available in 58 seconds"}"#, Some(58)),
            ("more available in a while", None),
            ("more available in", None),
            ("\u{e9} more available in 99999999999999999999999", Some(86_400)),
            ("", None),
        ] {
            assert_eq!(wait(body, Wait::After("more available in")), seconds, "{body}");
        }
    }

    #[test]
    fn resets_as_moment_and_as_seconds_left() {
        let left = ("x-ratelimit-remaining", "0");
        let moment = (now().timestamp() + 60).to_string();
        assert_eq!(wait(&[left, ("x-ratelimit-reset", &moment)]), Some(60));
        assert_eq!(
            wait(&[("x-ratelimit-remaining", "0.0"), ("x-ratelimit-reset", "247.5")]),
            Some(247)
        );
        assert_eq!(wait(&[left, ("x-ratelimit-reset", "1")]), Some(1));
        assert_eq!(wait(&[left]), None);
        assert_eq!(
            wait(&[("x-ratelimit-remaining", "3"), ("x-ratelimit-reset", &moment)]),
            None
        );
        let past = (now().timestamp() - 60).to_string();
        assert_eq!(wait(&[left, ("x-ratelimit-reset", &past)]), Some(0));
    }
}
