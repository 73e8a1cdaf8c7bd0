//! Access tokens of an OAuth 2.1 issuer at the door: which token a request presents, who its caller is, and how a
//! refusal is written.

use std::sync::Arc;

use axum::response::Response;
use freshcontext_contract::ErrorCode;
use freshcontext_mcp::caller::{Caller, Share};
use freshcontext_oauth::{Accepted, Flaw, Refused as NoAccess, ResourceServer};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::MCP_PATH;
use super::answers::{NOT_NOW, Refused};
use super::guard::{Admitted, Denied, bearer};
use super::problem::Voice;
use super::rate::Client;
use super::reply::reply;

/// What a request has in the place of an access token.
pub(super) enum Presented {
    /// No token of this scheme.
    Nothing,
    /// Several tokens, or a header of another form or size.
    Malformed,
    /// One token.
    Token(Vec<u8>),
}

impl Presented {
    /// Looks at the Authorization header alone: a token in the query or in the body is none (OAuth 2.1, section 5.1).
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match bearer(headers) {
            Some(token) if !token.is_empty() => return Self::Token(token.to_vec()),
            _ => {}
        }
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let Some(value) = given.next() else {
            return Self::Nothing;
        };
        let scheme = value
            .as_bytes()
            .split(|byte| *byte == b' ')
            .next()
            .unwrap_or_default();
        if given.next().is_some() || scheme.eq_ignore_ascii_case(b"bearer") {
            Self::Malformed
        } else {
            Self::Nothing
        }
    }
}

/// Admits the caller of a token, or refuses the request.
pub(super) async fn admit(server: &ResourceServer, presented: Presented) -> Result<Admitted, Denied> {
    let checked = match presented {
        Presented::Nothing => Err(NoAccess::Missing),
        Presented::Malformed => Err(NoAccess::Invalid(Flaw::Presentation)),
        Presented::Token(token) => server.check(&token).await,
    };
    checked.map(admitted).map_err(Denied::Access)
}

fn admitted(accepted: Accepted) -> Admitted {
    Admitted {
        client: Some(Client::Subject(accepted.hash)),
        share: Some(share(accepted.hash)),
        caller: Some(Caller {
            name: accepted.name.into(),
        }),
    }
}

/// Returns the share of a caller: a part of its hash, above the numbers of the named tokens.
fn share(hash: [u8; 16]) -> Share {
    const ABOVE: usize = 1 << (usize::BITS - 1);
    let part = hash.iter().take(size_of::<usize>());
    Share(part.fold(0_usize, |all, byte| (all << 8) | usize::from(*byte)) | ABOVE)
}

/// Writes a refusal, with the challenge that leads a client to the issuer.
pub(super) fn refuse(voice: &Voice, refused: NoAccess, server: Option<&Arc<ResourceServer>>) -> Response {
    let (status, message) = match refused {
        NoAccess::Missing => (
            StatusCode::UNAUTHORIZED,
            "an access token is needed: log in at the issuer that the protected resource metadata names \
             (WWW-Authenticate), and send `Authorization: Bearer` and the token"
                .to_owned(),
        ),
        NoAccess::Invalid(flaw) => (
            StatusCode::UNAUTHORIZED,
            format!("the access token was refused: {}", flaw.as_str()),
        ),
        NoAccess::Scope => (
            StatusCode::FORBIDDEN,
            "the access token has not all of the scopes that WWW-Authenticate names; log in again with these"
                .to_owned(),
        ),
        NoAccess::Unavailable => return unavailable(voice, server),
    };
    let mut response = Refused::new(status, -32_600, message).said(voice);
    // The challenge is made of addresses and scopes that were checked when they were set.
    if let Some(challenge) = server.and_then(|server| HeaderValue::from_str(&server.challenge(refused)).ok())
    {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Writes the refusal while no key of the issuer is known: the token may be good, so the client keeps it.
fn unavailable(voice: &Voice, server: Option<&Arc<ResourceServer>>) -> Response {
    let seconds = server.map_or(1, |server| server.retry_after().as_secs().max(1));
    let message = format!(
        "the keys of the issuer of access tokens cannot be read, so no access token can be checked; try again in {seconds} s"
    );
    let refused = Refused {
        code: Some(ErrorCode::Unreachable),
        retry_after_s: Some(seconds),
        ..Refused::new(StatusCode::SERVICE_UNAVAILABLE, NOT_NOW, message)
    };
    refused.said(voice)
}

/// Returns the protected resource metadata, if the path is one of its paths.
pub(super) fn metadata(server: &ResourceServer, method: &Method, path: &str) -> Option<Response> {
    if !server.has_metadata_at(path, MCP_PATH) {
        return None;
    }
    if method != Method::GET && method != Method::HEAD {
        let mut response = Response::new(axum::body::Body::empty());
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        let allowed = HeaderValue::from_static("GET, HEAD");
        response.headers_mut().insert(header::ALLOW, allowed);
        return Some(response);
    }
    Some(reply(StatusCode::OK, "application/json", server.metadata()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_presents_one_token_or_none() {
        let presented = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            }
            match Presented::of(&headers) {
                Presented::Nothing => "nothing",
                Presented::Malformed => "malformed",
                Presented::Token(_) => "token",
            }
        };
        let long = format!("Bearer {}", "x".repeat(10_000));
        for (values, expected) in [
            (&[][..], "nothing"),
            (&["Basic abc"][..], "nothing"),
            (&["bearerabc"][..], "nothing"),
            (&["Bearer abc"][..], "token"),
            (&["bEARER abc"][..], "token"),
            (&["Bearer"][..], "malformed"),
            (&["Bearer "][..], "malformed"),
            (&["Bearer abc", "Bearer abc"][..], "malformed"),
            (&["Basic abc", "Bearer abc"][..], "malformed"),
            (&[long.as_str()][..], "malformed"),
        ] {
            assert_eq!(presented(values), expected, "{values:?}");
        }
    }

    #[test]
    fn a_share_of_a_subject_is_none_of_a_named_token() {
        assert!(share([0; 16]).0 > 1_000_000);
        assert_ne!(share([1; 16]), share([2; 16]));
    }
}
