//! Settings of access tokens: the issuer, and what its tokens must be for.

use freshcontext_contract::url::{Host, Url};
use serde_json::Value;

use crate::error::ConfigError;

/// Maximum length of one value, in bytes.
const VALUE_BYTES: usize = 2_000;

/// Access tokens of an OAuth 2.1 issuer that the HTTP service accepts. Without an issuer it accepts none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuthSettings {
    /// Issuer, exactly as its tokens name it.
    pub issuer: Option<String>,
    /// Accepted values of a token's `aud`.
    pub audience: Vec<String>,
    /// Address of the endpoint as clients write it. By default the first audience.
    pub resource: Option<String>,
    /// Scopes that every token must have.
    pub scopes: Vec<String>,
}

impl OAuthSettings {
    /// Returns whether any of these settings is set. Then every request needs a token, even while the settings are
    /// incomplete.
    pub const fn is_set(&self) -> bool {
        self.issuer.is_some()
            || !self.audience.is_empty()
            || self.resource.is_some()
            || !self.scopes.is_empty()
    }

    /// Returns the address of the endpoint as clients write it, if it is set or the first audience is an address.
    pub fn resource(&self) -> Option<&str> {
        let is_address = |text: &&str| address(text).is_ok();
        let audience = || self.audience.first().map(String::as_str).filter(is_address);
        self.resource.as_deref().or_else(audience)
    }

    /// Rejects settings of which a part is missing.
    pub fn check(&self) -> Result<(), ConfigError> {
        let missing = |what: &str, wants: &str| Err(ConfigError(format!("{what}, and {wants}")));
        if !self.is_set() {
            return Ok(());
        }
        if self.issuer.is_none() {
            return missing(
                "a setting of `http.oauth` is set",
                "`http.oauth.issuer` (FRESHCONTEXT_HTTP_OAUTH_ISSUER) is not: set the issuer of the access tokens, or \
                 remove the other settings",
            );
        }
        if self.audience.is_empty() {
            return missing(
                "`http.oauth.issuer` is set",
                "`http.oauth.audience` (FRESHCONTEXT_HTTP_OAUTH_AUDIENCE) is not: set the `aud` of tokens for this \
                 server, such as https://mcp.example.com/mcp, because tokens for other servers must not be accepted",
            );
        }
        if self.resource().is_none() {
            return missing(
                "`http.oauth.audience` is no address",
                "`http.oauth.resource` (FRESHCONTEXT_HTTP_OAUTH_RESOURCE) is not set: set the address that clients \
                 write, such as https://mcp.example.com/mcp",
            );
        }
        Ok(())
    }
}

/// Reads the issuer: an https address without query and fragment (RFC 8414, section 2), or an http one on loopback,
/// for tests.
pub(crate) fn issuer(text: &str) -> Result<(), String> {
    let url = address(text)?;
    if url.query().is_some() {
        return Err("must be an address without a query".to_owned());
    }
    if url.scheme() != "https" && !is_on_this_machine(&url) {
        return Err("must be an https address, because who can change its keys can make tokens".to_owned());
    }
    Ok(())
}

/// Returns whether an address leads to this machine, whatever the network.
pub fn is_on_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Reads an http(s) address without user name and fragment.
pub(crate) fn address(text: &str) -> Result<Url, String> {
    let wrong = || "must be an address such as https://mcp.example.com/mcp".to_owned();
    let url = Url::parse(text).map_err(|_| wrong())?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let fits = matches!(url.scheme(), "http" | "https") && url.has_host() && text.len() <= VALUE_BYTES;
    if plain && fits { Ok(url) } else { Err(wrong()) }
}

/// Reads audiences: one text, or a list.
pub(crate) fn audiences(value: &Value) -> Result<Vec<String>, String> {
    let wrong = || "must hold words without spaces, such as https://mcp.example.com/mcp".to_owned();
    let audiences = texts(value)?;
    let is_word = |text: &String| {
        !text.is_empty()
            && text.len() <= VALUE_BYTES
            && !text.chars().any(|c| c.is_control() || c.is_whitespace())
    };
    if audiences.iter().all(is_word) {
        Ok(audiences)
    } else {
        Err(wrong())
    }
}

/// Reads scopes, in the characters of RFC 6749, section 3.3: a list, or one text with spaces between them.
pub(crate) fn scopes(value: &Value) -> Result<Vec<String>, String> {
    let is_scope = |scope: &str| {
        scope.len() <= VALUE_BYTES
            && scope
                .bytes()
                .all(|byte| matches!(byte, 0x21 | 0x23..=0x5B | 0x5D..=0x7E))
    };
    let mut scopes: Vec<String> = Vec::new();
    for text in texts(value)? {
        for scope in text.split(' ').filter(|scope| !scope.is_empty()) {
            if !is_scope(scope) {
                return Err("must hold scopes such as `freshcontext:read`, without quotes".to_owned());
            }
            if !scopes.iter().any(|known| known == scope) {
                scopes.push(scope.to_owned());
            }
        }
    }
    Ok(scopes)
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let trimmed = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    let texts = match value {
        Value::String(text) if text.trim().is_empty() => Some(Vec::new()),
        Value::String(_) => trimmed(value).map(|text| vec![text]),
        Value::Array(values) => values.iter().map(trimmed).collect(),
        _ => None,
    };
    texts.ok_or_else(|| "must be a list of texts".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_issuer_is_an_https_address_or_on_this_machine() {
        for fine in [
            "https://login.example.com",
            "https://login.example.com/",
            "https://login.example.com:8443/realms/one",
            "https://10.1.2.3/issuer",
            "http://127.0.0.1:9000",
            "http://127.8.0.1:9000/x",
            "http://[::1]:9000",
            "http://localhost:9000",
        ] {
            assert_eq!(issuer(fine), Ok(()), "{fine}");
        }
        for wrong in [
            "http://login.example.com",
            "http://10.1.2.3",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://127.0.0.1@example.com",
            "https://login.example.com?x=1",
            "https://login.example.com/#x",
            "https://user@login.example.com",
            "ftp://login.example.com",
            "login.example.com",
            "",
        ] {
            assert!(issuer(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_part_of_the_settings_is_not_enough() {
        let settings = |issuer: &str, audience: &str, resource: &str| OAuthSettings {
            issuer: (!issuer.is_empty()).then(|| issuer.to_owned()),
            audience: audiences(&json!(audience)).unwrap(),
            resource: (!resource.is_empty()).then(|| resource.to_owned()),
            scopes: Vec::new(),
        };
        let (login, mcp) = ("https://login.example.com", "https://mcp.example.com/mcp");
        for (issuer, audience, resource, missing) in [
            ("", "", "", None),
            (login, mcp, "", None),
            (login, "api://one", mcp, None),
            (login, "", "", Some("http.oauth.audience")),
            ("", mcp, "", Some("http.oauth.issuer")),
            ("", "", mcp, Some("http.oauth.issuer")),
            (login, "one", "", Some("http.oauth.resource")),
        ] {
            let checked = settings(issuer, audience, resource).check();
            match (missing, checked) {
                (None, Ok(())) => {}
                (Some(name), Err(ConfigError(text))) => assert!(text.contains(name), "{text}"),
                (missing, checked) => panic!("{issuer} {audience} {resource}: {missing:?} {checked:?}"),
            }
        }
        let only_scopes = OAuthSettings {
            scopes: vec!["read".to_owned()],
            ..OAuthSettings::default()
        };
        assert!(only_scopes.check().is_err());
    }

    #[test]
    fn audiences_and_scopes_are_texts_or_lists() {
        assert_eq!(audiences(&json!(" one ")).unwrap(), ["one"]);
        assert_eq!(audiences(&json!(["one", "two"])).unwrap(), ["one", "two"]);
        assert!(audiences(&json!(["one two"])).is_err());
        assert!(audiences(&json!([1])).is_err());
        assert_eq!(scopes(&json!("read write read")).unwrap(), ["read", "write"]);
        assert_eq!(scopes(&json!(["read", "x:y/z.*"])).unwrap(), ["read", "x:y/z.*"]);
        for wrong in [json!("a\"b"), json!("a\\b"), json!(["ä"]), json!(true)] {
            assert!(scopes(&wrong).is_err(), "{wrong}");
        }
    }
}
