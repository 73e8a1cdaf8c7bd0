//! Codings of request bodies: none is decoded here, and a request that names one is told so (RFC 9110, section 8.4.1, and
//! 15.5.16: 415, with `Accept-Encoding`). To read the bytes as they are would take a packed body for broken JSON.

use axum::response::Response;
use freshcontext_core::sanitize::{clean_line, cut};
use http::{HeaderMap, HeaderValue, header};

/// Maximum length of a coding's name in an error, in characters.
const SHOWN_CHARS: usize = 40;

/// The coding of a body that is not plain bytes of UTF-8: a content coding, or a charset of its media type. `None` for a
/// body that can be read.
pub(super) fn coding_of(headers: &HeaderMap) -> Option<String> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut named = codings.flat_map(|value| value.to_str().unwrap_or("?").split(','));
    let coding = named.find(|coding| {
        let coding = coding.trim();
        !coding.is_empty() && !coding.eq_ignore_ascii_case("identity")
    });
    if let Some(coding) = coding {
        return Some(format!("Content-Encoding: {}", shown(coding)));
    }
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let charset = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    let is_utf8 = ["utf-8", "utf8", "us-ascii"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(charset));
    (!is_utf8).then(|| format!("charset={}", shown(charset)))
}

fn shown(name: &str) -> String {
    cut(&clean_line(name.trim()), SHOWN_CHARS).to_string()
}

/// The error of a body in this coding.
pub(super) fn not_decoded(coding: &str) -> String {
    format!("a body with `{coding}` is not read here: send it without a coding, in UTF-8")
}

/// Names what a body may be sent in.
pub(super) fn encodings(mut response: Response) -> Response {
    let none = HeaderValue::from_static("identity");
    response.headers_mut().insert(header::ACCEPT_ENCODING, none);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_utf8_is_read() {
        for (name, value, is_read) in [
            ("content-encoding", "gzip", false),
            ("content-encoding", "identity, br", false),
            ("content-encoding", "identity", true),
            ("content-encoding", "", true),
            ("content-type", "application/json; charset=utf-16", false),
            ("content-type", "application/json; charset=\"UTF-8\"", true),
            ("content-type", "application/json", true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(
                http::HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
            assert_eq!(coding_of(&headers).is_none(), is_read, "{value}");
        }
    }
}
