//! The headers of a request, its cache identity, and its form in the log.

use std::fmt::Write;

use freshcontext_contract::url::Url;
use freshcontext_contract::{ErrorCode, Media, Method, Request, SourceError};
use http::HeaderMap;
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use sha2::{Digest, Sha256};

use crate::decode;

/// The project's page, for operators of hosts who want to know the sender of a request.
const PAGE: &str = "https://github.com/freshcontext/freshcontext";

/// Returns the user agent: the project, and the operator's contact address if it is configured.
pub(crate) fn user_agent(contact: Option<&str>) -> String {
    let contact: String = contact
        .unwrap_or_default()
        .trim()
        .chars()
        .filter(|c| (c.is_ascii_graphic() || *c == ' ') && !matches!(c, '(' | ')' | '\\'))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    if contact.is_empty() {
        format!("freshcontext/{version} (+{PAGE})")
    } else {
        format!("freshcontext/{version} (+{PAGE}; {contact})")
    }
}

/// Returns the adapter's headers that are allowed, and the pipeline's own.
pub(crate) fn headers(request: &Request) -> Result<HeaderMap, SourceError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(accept(request.expect)));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(decode::ACCEPT_ENCODING));
    for (name, value) in allowed(request) {
        let unusable = || SourceError::new(ErrorCode::Internal, format!("the header {name} cannot be sent"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
        headers.insert(key, HeaderValue::from_str(value).map_err(|_| unusable())?);
    }
    if let Some(condition) = &request.condition {
        for (name, value) in [
            (IF_NONE_MATCH, &condition.etag),
            (IF_MODIFIED_SINCE, &condition.last_modified),
        ] {
            // An unusable validator is left out. The request then gets the full answer, which is also correct.
            if let Some(value) = value
                .as_deref()
                .and_then(|value| HeaderValue::from_str(value).ok())
            {
                headers.insert(name, value);
            }
        }
    }
    Ok(headers)
}

fn allowed(request: &Request) -> impl Iterator<Item = (String, &String)> {
    request.headers.iter().filter_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let ours =
            name.starts_with("x-forwarded") || name.starts_with("x-freshcontext") || name == "x-real-ip";
        let fits =
            matches!(name.as_str(), "accept" | "accept-language" | "content-type") || name.starts_with("x-");
        (fits && !ours).then_some((name, value))
    })
}

fn accept(expect: Media) -> &'static str {
    match expect {
        Media::Json => "application/json, */*;q=0.1",
        Media::Xml => {
            "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1"
        }
        Media::Html => "text/html, application/xhtml+xml, */*;q=0.1",
        Media::Csv => "text/csv, text/plain;q=0.5, */*;q=0.1",
        Media::Text => "text/plain, text/markdown, */*;q=0.1",
        Media::Any => "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    }
}

/// Returns the identity of a request: everything that may change the answer, and no secret.
pub(crate) fn identity(request: &Request, keyed: bool) -> String {
    let mut url = request.url.clone();
    url.set_fragment(None);
    let method = match request.method {
        Method::Get => "GET",
        Method::PostQuery => "POST",
    };
    let mut identity = format!("{method} {url}\nkeyed={keyed}\naccept={}", accept(request.expect));
    let mut headers: Vec<_> = allowed(request).collect();
    headers.sort();
    for (name, value) in headers {
        let _ = write!(identity, "\n{name}={value}");
    }
    if let Some(body) = &request.body {
        identity.push_str("\nbody=");
        for byte in Sha256::digest(body) {
            let _ = write!(identity, "{byte:02x}");
        }
    }
    identity
}

/// Formats an address for the log. Omits the query, because it may contain a person's search terms.
pub(crate) fn redacted(url: &Url) -> String {
    let query = if url.query().is_some() { "?..." } else { "" };
    format!(
        "{}://{}{}{query}",
        url.scheme(),
        url.host_str().unwrap_or_default(),
        url.path()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(url: &str) -> Request {
        Request::get(Url::parse(url).unwrap(), Media::Json)
    }

    #[test]
    fn the_user_agent_names_the_contact_and_nothing_breaks_it() {
        assert!(user_agent(None).ends_with("/freshcontext)"));
        assert!(user_agent(Some("ops@example.com")).ends_with("; ops@example.com)"));
        let bad = user_agent(Some("a\r\nX: y) (b\u{e9}"));
        assert!(HeaderValue::from_str(&bad).is_ok());
        assert!(!bad.contains('\n'));
    }

    #[test]
    fn only_harmless_headers_pass() {
        let request = get("https://a.org/")
            .header("authorization", "Bearer x")
            .header("cookie", "a=b")
            .header("host", "evil.test")
            .header("x-forwarded-for", "127.0.0.1")
            .header("X-Api-Version", "2")
            .header("Accept", "application/vnd.x+json");
        let headers = headers(&request).unwrap();
        assert_eq!(headers.get("x-api-version").unwrap(), "2");
        assert_eq!(headers.get("accept").unwrap(), "application/vnd.x+json");
        for absent in ["authorization", "cookie", "host", "x-forwarded-for"] {
            assert!(!headers.contains_key(absent), "{absent}");
        }
    }

    #[test]
    fn validators_are_sent_and_broken_ones_are_not() {
        let mut request = get("https://a.org/");
        request.condition = Some(freshcontext_contract::Condition {
            etag: Some("\"abc\"".to_owned()),
            last_modified: Some("Sun, 06 Nov 1994\r\nx: y".to_owned()),
        });
        let headers = headers(&request).unwrap();
        assert_eq!(headers.get("if-none-match").unwrap(), "\"abc\"");
        assert!(!headers.contains_key("if-modified-since") && !headers.contains_key("x"));
    }

    #[test]
    fn headers_cannot_be_injected() {
        let error = headers(&get("https://a.org/").header("accept-language", "en\r\nx: y")).unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
    }

    #[test]
    fn f13_identity_separates_what_may_differ() {
        let plain = identity(&get("https://a.org/x?b=1&a=2"), false);
        let same = identity(&get("https://a.org/x?b=1&a=2#part"), false);
        assert_eq!(plain, same);
        let post = |body: &str| Request::post_json(Url::parse("https://a.org/x").unwrap(), &body.into());
        let all = [
            plain,
            identity(&get("https://a.org/x?b=1&a=2"), true),
            identity(&get("https://a.org/x?b=1&a=3"), false),
            identity(
                &get("https://a.org/x?b=1&a=2").header("accept-language", "de"),
                false,
            ),
            identity(&get("https://a.org/x?b=1&a=2").header("accept", "text/x"), false),
            identity(&post("1"), false),
            identity(&post("2"), false),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        let one = get("https://a.org/").header("x-a", "1").header("x-b", "2");
        let other = get("https://a.org/").header("x-b", "2").header("x-a", "1");
        assert_eq!(identity(&one, false), identity(&other, false));
    }

    #[test]
    fn c30_the_log_hides_the_query() {
        let url = Url::parse("https://a.org/p?q=secret&next=http://127.0.0.1").unwrap();
        assert_eq!(redacted(&url), "https://a.org/p?...");
    }
}
