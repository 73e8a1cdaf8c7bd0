//! One access token: its header, its signature, its claims.

use chrono::{DateTime, Utc};
use freshcontext_contract::chrono;
use freshcontext_contract::limits::OAUTH_LEEWAY_S;
use jsonwebtoken::{Algorithm, Header, Validation};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::keys::Key;
use crate::provider::ALGORITHMS;

/// Media types of a token's header that an access token may have: RFC 9068, section 2.1, and the general type, which
/// most issuers write. Others are for other purposes (RFC 8725, section 3.11).
const TYPES: [&str; 4] = ["at+jwt", "application/at+jwt", "jwt", "application/jwt"];

/// Why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// The request has several tokens, or an Authorization header of another form or size.
    Presentation,
    /// It is no JWT.
    NoJwt,
    /// It is signed with another algorithm, or not at all.
    Algorithm,
    /// Its header names another type, or an extension that must be understood.
    Header,
    /// No key of the issuer has its key id.
    UnknownKey,
    /// Its signature does not verify.
    Signature,
    /// A claim is missing or has another form.
    Claims,
    /// Another issuer made it.
    Issuer,
    /// It is for another resource.
    Audience,
    /// It has expired.
    Expired,
    /// It is not valid yet.
    NotYetValid,
    /// It names neither a subject nor a client.
    Subject,
    /// It is bound to a key that the request does not prove.
    Bound,
}

impl Flaw {
    /// Returns the reason in words, with characters that `error_description` may have (RFC 6750, section 3).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Presentation => "one Authorization header with one Bearer token is expected",
            Self::NoJwt => "the token is no JWT",
            Self::Algorithm => "the token is not signed with RS256, ES256 or EdDSA",
            Self::Header => "the header of the token has a type or an extension that is not accepted",
            Self::UnknownKey => "the issuer has no usable key with the key id of the token",
            Self::Signature => "the signature of the token is not the issuer's",
            Self::Claims => "a claim of the token is missing or malformed",
            Self::Issuer => "the token is of another issuer",
            Self::Audience => "the token is for another audience",
            Self::Expired => "the token has expired",
            Self::NotYetValid => "the token is not valid yet",
            Self::Subject => "the token names neither a subject nor a client",
            Self::Bound => "the token is bound to a key, and the server cannot check that",
        }
    }
}

/// A text or a list of texts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts.as_slice(),
        }
        .iter()
        .map(String::as_str)
    }
}

/// The claims that are read. A claim that is given twice is an error.
#[derive(Debug, Deserialize)]
pub(crate) struct Claims {
    iss: String,
    aud: Texts,
    exp: f64,
    nbf: Option<f64>,
    iat: Option<f64>,
    pub(crate) sub: Option<String>,
    client_id: Option<String>,
    azp: Option<String>,
    scope: Option<Texts>,
    scp: Option<Texts>,
    cnf: Option<IgnoredAny>,
}

/// What a token's claims must agree with.
pub(crate) struct Expected<'e> {
    pub(crate) issuer: &'e str,
    pub(crate) audiences: &'e [String],
    pub(crate) now: DateTime<Utc>,
}

/// Reads a token's header. Nothing of it is trusted: the algorithm is checked, and the key id is only looked up among
/// the issuer's keys. Keys and addresses of keys in the header are ignored.
pub(crate) fn header(token: &[u8]) -> Result<Header, Flaw> {
    if token.split(|byte| *byte == b'.').count() != 3 {
        return Err(Flaw::NoJwt);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| alien(token))?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(Flaw::Algorithm);
    }
    let is_access_token = header
        .typ
        .as_deref()
        .is_none_or(|typ| TYPES.iter().any(|known| typ.eq_ignore_ascii_case(known)));
    // Without extensions, `crit` has nothing to name (RFC 7515, section 4.1.11).
    let is_plain = header.crit.is_none() && header.enc.is_none() && header.zip.is_none();
    if !is_access_token || !is_plain {
        return Err(Flaw::Header);
    }
    Ok(header)
}

/// Returns why the library did not read a header: an algorithm that it does not know, or another form.
fn alien(token: &[u8]) -> Flaw {
    #[derive(Deserialize)]
    struct Named {
        alg: String,
    }

    let part = token.split(|byte| *byte == b'.').next().unwrap_or_default();
    let decoded = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, part);
    let named = decoded
        .ok()
        .and_then(|json| serde_json::from_slice::<Named>(&json).ok());
    let known = |named: Named| named.alg.parse::<Algorithm>().is_ok();
    match named.map(known) {
        Some(false) => Flaw::Algorithm,
        Some(true) | None => Flaw::NoJwt,
    }
}

/// Verifies a token with the keys that its header selects, and checks its claims.
pub(crate) fn verify(token: &[u8], keys: &[&Key], expected: &Expected<'_>) -> Result<Claims, Flaw> {
    let mut flaw = Flaw::UnknownKey;
    for key in keys {
        let mut rules = Validation::new(key.algorithm);
        // The library asks the system's clock and accepts lists of issuers; the claims are checked here instead.
        rules.required_spec_claims.clear();
        rules.validate_exp = false;
        rules.validate_nbf = false;
        rules.validate_aud = false;
        match jsonwebtoken::decode::<Claims>(token, &key.key, &rules) {
            Ok(found) => return check(found.claims, expected),
            Err(error) => flaw = flaw_of(error.kind()),
        }
        if flaw != Flaw::Signature {
            break;
        }
    }
    Err(flaw)
}

fn flaw_of(kind: &jsonwebtoken::errors::ErrorKind) -> Flaw {
    use jsonwebtoken::errors::ErrorKind;
    match kind {
        // Base64 and JSON of the header were read before, so this is the signature's base64 or the claims.
        ErrorKind::Json(_) => Flaw::Claims,
        ErrorKind::InvalidToken => Flaw::Header,
        _ => Flaw::Signature,
    }
}

fn check(claims: Claims, expected: &Expected<'_>) -> Result<Claims, Flaw> {
    if claims.iss != expected.issuer {
        return Err(Flaw::Issuer);
    }
    // Audiences are compared as texts, without any normalisation (RFC 7519, section 2).
    let meant = |audience: &str| expected.audiences.iter().any(|own| own == audience);
    if !claims.aud.iter().any(meant) {
        return Err(Flaw::Audience);
    }
    let now = seconds(expected.now);
    if claims.exp <= now - OAUTH_LEEWAY_S {
        return Err(Flaw::Expired);
    }
    let begins = [claims.nbf, claims.iat];
    if begins
        .into_iter()
        .flatten()
        .any(|begin| begin > now + OAUTH_LEEWAY_S)
    {
        return Err(Flaw::NotYetValid);
    }
    if claims.cnf.is_some() {
        return Err(Flaw::Bound);
    }
    Ok(claims)
}

fn seconds(moment: DateTime<Utc>) -> f64 {
    moment.timestamp_millis() as f64 / 1_000.0
}

impl Claims {
    /// Returns the client that the token was given to.
    pub(crate) fn client(&self) -> Option<&str> {
        let client = self.client_id.as_deref().or(self.azp.as_deref());
        client.filter(|client| !client.is_empty())
    }

    /// Returns whether the token has all of these scopes: in `scope` (RFC 9068), or in `scp`, as some issuers write.
    pub(crate) fn has(&self, scopes: &[String]) -> bool {
        let given = self.scope.iter().chain(&self.scp);
        let granted: Vec<&str> = given
            .flat_map(Texts::iter)
            .flat_map(|text| text.split(' '))
            .collect();
        scopes.iter().all(|scope| granted.contains(&scope.as_str()))
    }
}
