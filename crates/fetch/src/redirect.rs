//! Redirect targets. Each hop is then checked like a first request.

use freshcontext_contract::url::Url;
use freshcontext_contract::{ErrorCode, Method, SourceError};

use crate::exchange::Answer;
use crate::upstreams::Upstreams;

pub(crate) const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Returns the next address, in terms of the original hosts.
pub(crate) fn next_hop(
    method: Method,
    asked: &Url,
    answer: &Answer,
    upstreams: &Upstreams,
) -> Result<Url, SourceError> {
    let host = asked.host_str().unwrap_or_default();
    let broken = |what: &str| {
        let mut failure = SourceError::new(ErrorCode::UpstreamError, format!("{host} {what}"))
            .permanent()
            .detail("redirect");
        failure.http_status = Some(answer.status);
        failure
    };
    let Some(location) = answer.headers.get("location") else {
        return Err(broken("redirected to nowhere"));
    };
    if method == Method::PostQuery && !matches!(answer.status, 307 | 308) {
        return Err(broken("redirected a query that cannot be repeated elsewhere"));
    }
    let target = asked
        .join(location.trim())
        .map_err(|_| broken("redirected to something that is no address"))?;
    let mut target = upstreams.lead_back(asked, target);
    target.set_fragment(None);
    let blocked = |why: &str| {
        let mut failure = SourceError::new(ErrorCode::BlockedAddress, format!("{host} redirected {why}"))
            .detail("redirect");
        failure.http_status = Some(answer.status);
        failure
    };
    if !target.username().is_empty() || target.password().is_some() {
        return Err(blocked("to an address with a user name in it"));
    }
    if !matches!(target.scheme(), "http" | "https") {
        return Err(blocked("to an address that is not http or https"));
    }
    if asked.scheme() == "https" && target.scheme() == "http" {
        return Err(blocked("from https to http"));
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use chrono::DateTime;
    use freshcontext_contract::{CacheValidity, Headers};

    use super::*;

    fn go(method: Method, status: u16, location: Option<&str>) -> Result<String, (ErrorCode, String)> {
        let headers = location
            .map(|to| ("location".to_owned(), to.to_owned()))
            .into_iter()
            .collect();
        let answer = Answer {
            status,
            headers: Headers(headers),
            body: Bytes::new(),
            retrieved_at: DateTime::UNIX_EPOCH,
            arrived: std::time::Instant::now(),
            validity: CacheValidity::default(),
            key_refused: None,
            held: crate::holding::Held::default(),
        };
        let asked = Url::parse("https://site.org/a/b?x=1").unwrap();
        let upstreams = Upstreams::new(Vec::new());
        next_hop(method, &asked, &answer, &upstreams)
            .map(|url| url.to_string())
            .map_err(|failure| (failure.code, failure.detail.unwrap().into_owned()))
    }

    #[test]
    fn b26_what_is_followed() {
        for (location, expected) in [
            ("c", "https://site.org/a/c"),
            ("/c?d=e#f", "https://site.org/c?d=e"),
            ("//other.org/x", "https://other.org/x"),
            ("https://other.org/with space", "https://other.org/with%20space"),
            (" https://other.org/ ", "https://other.org/"),
        ] {
            for status in [301, 302, 303, 307, 308] {
                assert_eq!(go(Method::Get, status, Some(location)).as_deref(), Ok(expected));
            }
        }
    }

    #[test]
    fn b26_what_is_refused() {
        let blocked = Err((ErrorCode::BlockedAddress, "redirect".to_owned()));
        for location in [
            "http://site.org/",
            "https://u@other.org/",
            "https://u:p@other.org/",
            "ftp://other.org/",
            "javascript:1",
            "file:///x",
        ] {
            assert_eq!(go(Method::Get, 302, Some(location)), blocked, "{location}");
        }
        let broken = Err((ErrorCode::UpstreamError, "redirect".to_owned()));
        assert_eq!(go(Method::Get, 302, None), broken);
        assert_eq!(go(Method::Get, 302, Some("https://[::1")), broken);
        assert_eq!(go(Method::PostQuery, 302, Some("/c")), broken);
        assert!(go(Method::PostQuery, 307, Some("/c")).is_ok());
    }
}
