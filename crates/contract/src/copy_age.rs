//! How old an answer was when it came. A cache between the source and us (a CDN, a proxy) says with `Age` how long ago
//! the bytes left the source, and with `Warning: 110` that it knows better than to call them fresh (RFC 9111, 5.1 and
//! 5.5). A `Date` that differs from this server's clock proves neither: the pipeline logs it.

use std::time::Duration;

use crate::limits::{COPY_AGE_MAX_S, COPY_AGE_TOLD_S, FUTURE_TOLERANCE_S};
use crate::wire::Response;
use crate::words::counted;

/// What the headers of an answer say of its age.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CopyAge {
    /// How long before it came the answer left its source, as far as that is believed; zero within the tolerance of
    /// clocks.
    pub(crate) age: Duration,
    /// What a reader has to know of it.
    pub(crate) note: Option<String>,
}

/// The age of an answer by its own headers.
pub(crate) fn copy_age(response: &Response) -> CopyAge {
    let headers = &response.headers;
    let host = response.final_url.host_str().unwrap_or("the source");
    // Of several, the first counts (RFC 9111, 5.1).
    let stated = headers.get("age").and_then(|age| {
        let first = age.split(',').next().unwrap_or_default().trim();
        let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
        // More digits than fit are a very large age, too.
        is_number.then(|| first.parse::<u64>().unwrap_or(u64::MAX))
    });
    let believed = stated.filter(|age| *age > FUTURE_TOLERANCE_S.unsigned_abs() && *age <= COPY_AGE_MAX_S);
    let age = Duration::from_secs(believed.unwrap_or_default());
    let is_marked = headers.get("warning").is_some_and(|warning| {
        warning
            .split(',')
            .any(|one| matches!(one.trim().get(..3), Some("110" | "111" | "112" | "113")))
    });
    let marked = if is_marked { " and is marked as stale" } else { "" };
    let note = match stated {
        Some(age) if age > COPY_AGE_MAX_S => Some(format!(
            "{host} answered with a copy from a cache that calls it older than a year{marked}"
        )),
        Some(age) if age >= COPY_AGE_TOLD_S || is_marked => Some(format!(
            "{host} answered with a copy from a cache, {} old{marked}: what changed since is not in it",
            words(age)
        )),
        _ if is_marked => Some(format!(
            "{host} answered with a copy from a cache that is marked as stale"
        )),
        _ => None,
    };
    CopyAge { age, note }
}

fn words(seconds: u64) -> String {
    let count = |unit: u64| usize::try_from(seconds / unit).unwrap_or(usize::MAX);
    match seconds {
        172_800.. => counted(count(86_400), "day", "days"),
        7_200.. => counted(count(3_600), "hour", "hours"),
        120.. => counted(count(60), "minute", "minutes"),
        _ => counted(count(1), "second", "seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{CacheValidity, Headers, Provenance};
    use bytes::Bytes;
    use url::Url;

    fn of(headers: &[(&str, &str)]) -> (u64, String) {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let found = copy_age(&Response {
            status: 200,
            headers: Headers(headers),
            body: Bytes::new(),
            final_url: Url::parse("https://api.test.org/x").unwrap(),
            retrieved_at: "2026-11-29T12:00:00Z".parse().unwrap(),
            provenance: Provenance::Live,
            attempts: 1,
            validity: CacheValidity::default(),
            key_refused: None,
        });
        (found.age.as_secs(), found.note.unwrap_or_default())
    }

    #[test]
    fn an_old_copy_is_as_old_as_it_says() {
        for (headers, age, said) in [
            (&[][..], 0, ""),
            (&[("age", "12")], 0, ""),
            (&[("age", "900")], 900, ""),
            (&[("age", "259200")], 259_200, "3 days old"),
            (&[("age", "7200, 5")], 7_200, "2 hours old"),
            (&[("age", "-5")], 0, ""),
            (&[("age", "soon")], 0, ""),
            (&[("age", "99999999999999999999999")], 0, "older than a year"),
            (
                &[("warning", "110 - \"Response is Stale\"")],
                0,
                "marked as stale",
            ),
            (&[("date", "Thu, 26 Nov 2026 12:00:00 GMT")], 0, ""),
            (&[("date", "Wed, 02 Dec 2026 12:00:00 GMT")], 0, ""),
        ] {
            let (seconds, note) = of(headers);
            assert_eq!(seconds, age, "{headers:?}");
            assert!(
                note.contains(said) && note.is_empty() == said.is_empty(),
                "{headers:?}: {note}"
            );
        }
        let (age, note) = of(&[("age", "400"), ("warning", "199 - x, 110 - y")]);
        assert!(
            age == 400 && note.contains("6 minutes old and is marked"),
            "{note}"
        );
    }
}
