//! Where an issuer's keys are: its metadata (RFC 8414, OpenID Connect Discovery 1.0).

use freshcontext_contract::url::Url;
use serde::Deserialize;

/// Returns the addresses at which an issuer's metadata may be, in the order in which they are asked: that of RFC 8414,
/// section 3.1, then those of OpenID Connect.
pub(crate) fn addresses(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut found: Vec<Url> = Vec::new();
    for path in [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ] {
        let mut url = issuer.clone();
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        if !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

/// Reads metadata. Returns the address of the keys. The issuer must be named exactly as it is configured (RFC 8414,
/// section 3.3), and the keys must be at an https address, or at the issuer's own origin.
pub(crate) fn read(document: &[u8], issuer: &str) -> Result<Url, String> {
    #[derive(Deserialize)]
    struct Metadata {
        issuer: String,
        jwks_uri: String,
    }

    let metadata: Metadata = serde_json::from_slice(document)
        .map_err(|_| "its metadata is not a JSON object with `issuer` and `jwks_uri`".to_owned())?;
    if metadata.issuer != issuer {
        return Err(format!(
            "its metadata names another issuer, `{}`; the setting must be exactly the same, with or without a slash at \
             the end",
            shown(&metadata.issuer)
        ));
    }
    let keys = Url::parse(&metadata.jwks_uri)
        .map_err(|_| "its metadata has a `jwks_uri` that is no address".to_owned())?;
    let own = Url::parse(issuer).is_ok_and(|issuer| issuer.origin() == keys.origin());
    let plain = keys.username().is_empty() && keys.password().is_none();
    if !plain || !(own || keys.scheme() == "https") {
        return Err("its metadata has a `jwks_uri` that is not an https address".to_owned());
    }
    Ok(keys)
}

/// Maximum length of another party's text in a message, in characters.
const SHOWN_CHARS: usize = 200;

/// Returns a text of another party so that it can stand in a log line.
fn shown(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_graphic)
        .take(SHOWN_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_where_the_standards_put_it() {
        let of = |issuer: &str| -> Vec<String> {
            let issuer = Url::parse(issuer).unwrap();
            addresses(&issuer).into_iter().map(String::from).collect()
        };
        assert_eq!(
            of("https://login.example.com/"),
            [
                "https://login.example.com/.well-known/oauth-authorization-server",
                "https://login.example.com/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            of("https://login.example.com:8443/realms/one"),
            [
                "https://login.example.com:8443/.well-known/oauth-authorization-server/realms/one",
                "https://login.example.com:8443/.well-known/openid-configuration/realms/one",
                "https://login.example.com:8443/realms/one/.well-known/openid-configuration",
            ]
        );
    }

    #[test]
    fn metadata_of_another_issuer_or_with_unsafe_keys_is_refused() {
        let read = |issuer: &str, keys: &str| {
            let document = format!("{{\"issuer\":\"{issuer}\",\"jwks_uri\":\"{keys}\",\"more\":1}}");
            super::read(document.as_bytes(), "https://login.example.com").map(String::from)
        };
        let own = "https://login.example.com";
        assert_eq!(
            read(own, "https://keys.example.com/jwks").as_deref(),
            Ok("https://keys.example.com/jwks")
        );
        assert!(read("https://login.example.com/", "https://login.example.com/jwks").is_err());
        assert!(read("https://evil.example", "https://login.example.com/jwks").is_err());
        for keys in [
            "http://login.example.com/jwks",
            "http://127.0.0.1/jwks",
            "file:///etc/passwd",
            "https://user@login.example.com/jwks",
            "jwks",
            "",
        ] {
            assert!(read(own, keys).is_err(), "{keys}");
        }
        assert!(super::read(b"<html>", own).is_err());
        assert!(super::read(b"[]", own).is_err());
        let local = b"{\"issuer\":\"http://127.0.0.1:9\",\"jwks_uri\":\"http://127.0.0.1:9/jwks\"}";
        assert!(super::read(local, "http://127.0.0.1:9").is_ok());
    }
}
