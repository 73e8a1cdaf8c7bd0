//! Access control of the HTTP service: Host, Origin, bearer token. Applied to every method and path.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, Uri, header};

use super::rate::Client;
use super::tokens::{TokenSet, Tokens};
use freshcontext_config::{HostRule, HttpSettings, authority};
use freshcontext_mcp::caller::{Caller, Share};
use freshcontext_oauth::Refused as NoAccess;

/// Maximum length of an Authorization header, in bytes.
const AUTHORIZATION_BYTES: usize = 8 << 10;

/// Reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Denied {
    /// The Host header is absent, repeated, unreadable or not allowed.
    Host,
    /// The Origin header is not allowed.
    Origin,
    /// The bearer token is missing or wrong.
    Token,
    /// The bearer token is none of the configured ones, and no access token of the issuer that is accepted.
    Access(NoAccess),
}

/// Identity of an accepted caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// The holder of a named token, or the subject of an access token.
    pub(crate) caller: Option<Caller>,
    /// The client whose rate limit the caller's requests count for.
    pub(crate) client: Option<Client>,
    /// Number of the caller, if several are told apart.
    pub(crate) share: Option<Share>,
}

/// The checks, prepared from the settings.
#[derive(Debug)]
pub(crate) struct Guard {
    hosts: Vec<HostRule>,
    origins: Vec<AllowedOrigin>,
    tokens: Tokens,
    /// Whether access tokens of an issuer are configured.
    oauth: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum AllowedOrigin {
    Null,
    Site {
        scheme: String,
        host: String,
        port: Option<u16>,
    },
}

impl Guard {
    pub(crate) fn new(settings: &HttpSettings, tokens: Tokens) -> Self {
        let origins = settings
            .allowed_origins
            .iter()
            .filter_map(|origin| AllowedOrigin::parse(origin))
            .collect();
        Self {
            hosts: settings.allowed_hosts.clone(),
            origins,
            tokens,
            oauth: settings.oauth.is_set(),
        }
    }

    /// Checks the Host.
    pub(crate) fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Denied> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(Denied::Host);
        };
        let host = host.to_str().ok().and_then(authority).ok_or(Denied::Host)?;
        if !self.knows(&host) {
            return Err(Denied::Host);
        }
        // An absolute request target must agree with the header.
        if let Some(named) = uri.authority()
            && authority(named.as_str()).is_none_or(|named| !self.knows(&named))
        {
            return Err(Denied::Host);
        }
        Ok(())
    }

    /// Checks the Origin, if present.
    pub(crate) fn origin(&self, headers: &HeaderMap) -> Result<(), Denied> {
        for origin in headers.get_all(header::ORIGIN) {
            let allowed = origin
                .to_str()
                .is_ok_and(|origin| self.origins.iter().any(|known| known.matches(origin)));
            if !allowed {
                return Err(Denied::Origin);
            }
        }
        Ok(())
    }

    /// Checks the bearer token, if one is configured. Returns its holder. An access token is none of the configured
    /// tokens; it is checked afterwards.
    pub(crate) fn authorise(&self, headers: &HeaderMap) -> Result<Admitted, Denied> {
        let tokens = self.tokens.current();
        if tokens.callers.is_empty() && !self.oauth {
            return Ok(Admitted::default());
        }
        tokens.holder_of(bearer(headers).ok_or(Denied::Token)?, self.oauth)
    }

    /// Checks the token of a request for the operator's page: as a bearer token, or as the password that a browser sends
    /// (RFC 7617), with any user name. No other path takes a password.
    pub(crate) fn authorise_page(&self, headers: &HeaderMap) -> Result<Admitted, Denied> {
        let tokens = self.tokens.current();
        match password(headers) {
            Some(token) if !tokens.callers.is_empty() => tokens.holder_of(&token, self.oauth),
            _ => self.authorise(headers),
        }
    }

    /// Returns whether the operator's page takes a token as a password. An access token of an issuer is none.
    pub(crate) fn takes_password(&self) -> bool {
        !self.tokens.current().callers.is_empty()
    }

    /// Checks the token of a request for the figures: the one for them alone, or any caller's.
    pub(crate) fn authorise_figures(&self, headers: &HeaderMap) -> Result<Admitted, Denied> {
        let tokens = self.tokens.current();
        match (&tokens.figures, bearer(headers)) {
            (Some(check), Some(token)) if check.holds(token) => Ok(Admitted::default()),
            (Some(_), _) if tokens.callers.is_empty() => Err(Denied::Token),
            _ => self.authorise(headers),
        }
    }

    fn knows(&self, (host, port): &(String, Option<u16>)) -> bool {
        self.hosts.iter().any(|rule| rule.admits(host, *port))
    }
}

impl TokenSet {
    /// Returns the holder of a token. `others` says whether there are callers beside these holders.
    fn holder_of(&self, token: &[u8], others: bool) -> Result<Admitted, Denied> {
        let mut found = None;
        // Compares with every token, so that the duration does not reveal which one matched.
        for caller in &self.callers {
            if caller.check.holds(token) {
                found = Some(caller);
            }
        }
        let found = found.ok_or(Denied::Token)?;
        let caller = found.name.as_ref().map(|name| Caller {
            name: Arc::clone(name),
        });
        Ok(Admitted {
            client: caller.is_some().then_some(Client::Holder(found.number)),
            caller,
            share: (self.callers.len() > 1 || others).then_some(Share(found.number)),
        })
    }
}

/// Returns the one bearer token of a request.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    credentials(headers, b"bearer ")
}

/// Returns the password of a request.
fn password(headers: &HeaderMap) -> Option<Vec<u8>> {
    let given = BASE64_STANDARD.decode(credentials(headers, b"basic ")?).ok()?;
    let colon = given.iter().position(|byte| *byte == b':')?;
    given.get(colon + 1..).map(<[u8]>::to_vec)
}

/// Returns what follows a scheme in the one Authorization header of a request.
fn credentials<'h>(headers: &'h HeaderMap, scheme: &[u8]) -> Option<&'h [u8]> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        return None;
    };
    let value = value.as_bytes();
    let (named, rest) = value.split_at_checked(scheme.len())?;
    let is_one = value.len() <= AUTHORIZATION_BYTES && named.eq_ignore_ascii_case(scheme);
    is_one.then(|| rest.trim_ascii())
}

impl AllowedOrigin {
    /// Parses an entry of the configuration. Without a port, the scheme's default applies; `:*` allows any
    /// port.
    fn parse(text: &str) -> Option<Self> {
        if text == "null" {
            return Some(Self::Null);
        }
        let (base, any) = text.strip_suffix(":*").map_or((text, false), |base| (base, true));
        let (scheme, host, port) = origin(base)?;
        Some(Self::Site {
            scheme,
            host,
            port: if any { None } else { Some(port) },
        })
    }

    fn matches(&self, given: &str) -> bool {
        match self {
            Self::Null => given == "null",
            Self::Site { scheme, host, port } => {
                origin(given).is_some_and(|(their_scheme, their_host, their_port)| {
                    *scheme == their_scheme
                        && *host == their_host
                        && port.is_none_or(|port| port == their_port)
                })
            }
        }
    }
}

/// Parses scheme, host and port of an origin as browsers write it.
fn origin(text: &str) -> Option<(String, String, u16)> {
    let (scheme, rest) = text.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let (host, port) = authority(rest)?;
    let port = port.or(match scheme.as_str() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    })?;
    Some((scheme, host, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_config::Secret;
    use http::HeaderValue;

    fn guard(settings: &HttpSettings) -> Guard {
        Guard::new(settings, Tokens::new(settings))
    }

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        map
    }

    fn admits(pairs: &[(header::HeaderName, &str)]) -> Result<(), Denied> {
        let guard = guard(&HttpSettings::default());
        guard.host(&Uri::from_static("/mcp"), &headers(pairs))?;
        guard.origin(&headers(pairs))
    }

    #[test]
    fn only_our_own_hosts_are_answered() {
        for host in [
            "localhost",
            "LOCALHOST:8787",
            "127.0.0.1",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:8787",
            "[0:0:0:0:0:0:0:1]",
        ] {
            assert_eq!(admits(&[(header::HOST, host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            "127.0.0.1:",
            "127.0.0.1:0",
            "127.0.0.1:99999",
            "127.0.0.1:80a",
            "user@127.0.0.1",
            "127.0.0.1/x",
            "[::1",
            "localhost:80:80",
            "127.0.0.2",
            "127.0.0.1, evil.example",
            "localhost.",
        ] {
            assert_eq!(admits(&[(header::HOST, host)]), Err(Denied::Host), "{host}");
        }
        assert_eq!(admits(&[]), Err(Denied::Host));
        let twice = [(header::HOST, "localhost"), (header::HOST, "localhost")];
        assert_eq!(admits(&twice), Err(Denied::Host));
    }

    #[test]
    fn the_request_line_must_agree_with_the_header() {
        let guard = guard(&HttpSettings::default());
        let map = headers(&[(header::HOST, "localhost")]);
        assert_eq!(
            guard.host(&Uri::from_static("http://evil.example/mcp"), &map),
            Err(Denied::Host)
        );
        assert_eq!(
            guard.host(&Uri::from_static("http://localhost/mcp"), &map),
            Ok(())
        );
    }

    #[test]
    fn only_listed_origins_are_answered() {
        let with = |origin: &str| admits(&[(header::HOST, "localhost"), (header::ORIGIN, origin)]);
        for origin in [
            "http://localhost:3000",
            "http://localhost",
            "http://127.0.0.1:5173",
            "http://[::1]:1",
        ] {
            assert_eq!(with(origin), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "https://evil.example",
            "https://localhost:3000",
            "http://localhost.evil.example",
            "",
            "localhost",
            "http://localhost:x",
        ] {
            assert_eq!(with(origin), Err(Denied::Origin), "{origin}");
        }
    }

    #[test]
    fn an_entry_without_a_port_means_the_schemes_own() {
        let settings = HttpSettings {
            allowed_origins: vec!["https://app.example.com".to_owned()],
            ..HttpSettings::default()
        };
        let guard = guard(&settings);
        let with = |origin: &str| guard.origin(&headers(&[(header::ORIGIN, origin)]));
        assert_eq!(with("https://app.example.com"), Ok(()));
        assert_eq!(with("https://app.example.com:443"), Ok(()));
        assert_eq!(with("https://app.example.com:8443"), Err(Denied::Origin));
    }

    #[test]
    fn a_token_is_asked_for_only_where_one_is_set() {
        assert_eq!(
            guard(&HttpSettings::default()).authorise(&HeaderMap::new()),
            Ok(Admitted::default())
        );
        let settings = HttpSettings {
            token: Some(Secret::new("correct-horse")),
            ..HttpSettings::default()
        };
        let guard = guard(&settings);
        let with = |value: &str| guard.authorise(&headers(&[(header::AUTHORIZATION, value)]));
        assert_eq!(with("Bearer correct-horse"), Ok(Admitted::default()));
        assert_eq!(with("bearer correct-horse"), Ok(Admitted::default()));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer correct-hors",
            "Bearer correct-horse2",
            "Basic correct-horse",
            "correct-horse",
        ] {
            assert_eq!(with(wrong), Err(Denied::Token), "{wrong}");
        }
        let long = format!("Bearer {}", "x".repeat(1 << 20));
        assert_eq!(with(&long), Err(Denied::Token));
        assert_eq!(guard.authorise(&HeaderMap::new()), Err(Denied::Token));
        let twice = headers(&[
            (header::AUTHORIZATION, "Bearer correct-horse"),
            (header::AUTHORIZATION, "Bearer x"),
        ]);
        assert_eq!(guard.authorise(&twice), Err(Denied::Token));
    }

    #[test]
    fn an_issuer_closes_the_door_to_requests_without_a_token() {
        let mut settings = HttpSettings {
            metrics_token: Some(Secret::new("of-the-figures")),
            ..HttpSettings::default()
        };
        // A part of the settings is enough: the service must not be open while they are incomplete.
        settings.oauth.audience = vec!["https://mcp.example.com/mcp".to_owned()];
        let guard = guard(&settings);
        assert_eq!(guard.authorise(&HeaderMap::new()), Err(Denied::Token));
        assert_eq!(guard.authorise_figures(&HeaderMap::new()), Err(Denied::Token));
        let map = headers(&[(header::AUTHORIZATION, "Bearer of-the-figures")]);
        assert_eq!(guard.authorise(&map), Err(Denied::Token));
        assert!(guard.authorise_figures(&map).is_ok());
        settings.metrics_token = None;
        assert_eq!(
            super::Guard::new(&settings, Tokens::new(&settings)).authorise_figures(&HeaderMap::new()),
            Err(Denied::Token)
        );
    }

    #[test]
    fn the_token_of_the_figures_opens_nothing_else() {
        let figures = |settings: &HttpSettings, token: &str| {
            let guard = guard(settings);
            let value = format!("Bearer {token}");
            let map = headers(&[(header::AUTHORIZATION, &value)]);
            (
                guard.authorise_figures(&map).is_ok(),
                guard.authorise(&map).is_ok(),
            )
        };
        let mut settings = HttpSettings {
            token: Some(Secret::new("of-a-caller")),
            metrics_token: Some(Secret::new("of-the-figures")),
            ..HttpSettings::default()
        };
        assert_eq!(figures(&settings, "of-the-figures"), (true, false));
        assert_eq!(figures(&settings, "of-a-caller"), (true, true));
        assert_eq!(figures(&settings, "wrong"), (false, false));
        settings.token = None;
        assert_eq!(figures(&settings, "of-the-figures"), (true, true));
        assert_eq!(figures(&settings, "wrong"), (false, true));
    }

    #[test]
    fn a_named_token_says_who_holds_it() {
        let named = |(name, token): (&str, &str)| (name.to_owned(), Secret::new(token));
        let settings = HttpSettings {
            token: Some(Secret::new("for-everybody")),
            tokens: [("alice", "one-of-alice"), ("bob", "one-of-bob")]
                .map(named)
                .into(),
            ..HttpSettings::default()
        };
        let guard = guard(&settings);
        let with = |token: &str| {
            let value = format!("Bearer {token}");
            guard
                .authorise(&headers(&[(header::AUTHORIZATION, &value)]))
                .map(|admitted| {
                    let name = admitted.caller.map(|caller| caller.name.to_string());
                    (name, admitted.share.map(|share| share.0))
                })
        };
        assert_eq!(with("for-everybody"), Ok((None, Some(0))));
        assert_eq!(with("one-of-alice"), Ok((Some("alice".to_owned()), Some(1))));
        assert_eq!(with("one-of-bob"), Ok((Some("bob".to_owned()), Some(2))));
        assert_eq!(with("alice"), Err(Denied::Token));
    }
}
