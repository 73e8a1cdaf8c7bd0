//! Protected resource metadata (RFC 9728), by which clients find the issuer, and the challenge that points to it.

use freshcontext_contract::url::Url;
use serde_json::{Map, Value, json};

use crate::refused::Refused;

/// Path of the metadata; that of the resource may follow.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// Name of the resource for people.
const NAME: &str = "FreshContext";

/// Returns the address of a resource's metadata: the well-known path stands between host and path (RFC 9728, section
/// 3.1).
pub(crate) fn address(resource: &Url) -> Url {
    let mut url = resource.clone();
    let path = match resource.path() {
        "/" => "",
        path => path,
    };
    url.set_path(&format!("{WELL_KNOWN}{path}"));
    url.set_fragment(None);
    url
}

/// Returns the metadata as JSON.
pub(crate) fn metadata(resource: &str, issuer: &str, scopes: &[String]) -> String {
    let mut document = Map::new();
    document.insert("resource".to_owned(), resource.into());
    document.insert("authorization_servers".to_owned(), json!([issuer]));
    document.insert("bearer_methods_supported".to_owned(), json!(["header"]));
    if !scopes.is_empty() {
        document.insert("scopes_supported".to_owned(), json!(scopes));
    }
    document.insert("resource_name".to_owned(), NAME.into());
    Value::Object(document).to_string()
}

/// Returns the value of `WWW-Authenticate` (RFC 6750, section 3; RFC 9728, section 5.1). A request without a token gets
/// no error code.
pub(crate) fn challenge(refused: Refused, metadata: &Url, scopes: &[String]) -> String {
    let mut parts = vec![format!("resource_metadata=\"{metadata}\"")];
    let error = match refused {
        Refused::Missing | Refused::Unavailable => None,
        Refused::Invalid(flaw) => Some(("invalid_token", flaw.as_str())),
        Refused::Scope => Some((
            "insufficient_scope",
            "the token has not all of the required scopes",
        )),
    };
    if let Some((code, description)) = error {
        parts.push(format!("error=\"{code}\""));
        parts.push(format!("error_description=\"{description}\""));
    }
    if !scopes.is_empty() {
        parts.push(format!("scope=\"{}\"", scopes.join(" ")));
    }
    format!("Bearer {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Flaw;

    #[test]
    fn the_well_known_path_stands_between_host_and_path() {
        let of = |resource: &str| String::from(address(&Url::parse(resource).unwrap()));
        assert_eq!(
            of("https://mcp.example.com/mcp"),
            "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
        );
        assert_eq!(
            of("https://mcp.example.com"),
            "https://mcp.example.com/.well-known/oauth-protected-resource"
        );
        assert_eq!(
            of("https://example.com:8443/server/mcp?x=1"),
            "https://example.com:8443/.well-known/oauth-protected-resource/server/mcp?x=1"
        );
    }

    #[test]
    fn a_challenge_says_what_was_wrong_and_where_to_look() {
        let metadata = Url::parse("https://a.example/.well-known/oauth-protected-resource/mcp").unwrap();
        let scopes = ["read".to_owned(), "write".to_owned()];
        let pointer = "resource_metadata=\"https://a.example/.well-known/oauth-protected-resource/mcp\"";
        assert_eq!(
            challenge(Refused::Missing, &metadata, &[]),
            format!("Bearer {pointer}")
        );
        assert_eq!(
            challenge(Refused::Missing, &metadata, &scopes),
            format!("Bearer {pointer}, scope=\"read write\"")
        );
        assert_eq!(
            challenge(Refused::Invalid(Flaw::Expired), &metadata, &[]),
            format!("Bearer {pointer}, error=\"invalid_token\", error_description=\"the token has expired\"")
        );
        let scope = challenge(Refused::Scope, &metadata, &scopes);
        assert!(scope.contains("error=\"insufficient_scope\"") && scope.ends_with("scope=\"read write\""));
    }
}
