//! Sealed cursors: an adapter's paging state, opaque and authenticated on its way through a caller.
//!
//! A token is bound to the tool and to the arguments that it continues, and expires. A token that
//! is forged, cut, of another call or out of date is an `invalid_input` naming `cursor`. Using one
//! twice gives the same page twice: a caller may retry.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::SourceError;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;

use freshcontext_config::Secret;

/// How long a cursor is good for.
const LIFETIME: TimeDelta = TimeDelta::hours(24);
/// Bytes of the tag kept: 128 bits.
const TAG: usize = 16;
/// Longest paging state, as the contract says.
const STATE: usize = 512;
/// What the key is made for, so that the same secret used elsewhere gives another one.
const PURPOSE: &[u8] = b"freshcontext cursor key 1";
/// First byte of a token, so that the form can change.
const VERSION: u8 = 1;

/// Seals and opens cursors.
pub struct Cursors {
    key: [u8; 32],
}

impl Cursors {
    /// With a key made of these secrets, in their order: whoever has the same ones reads the same cursors. Without
    /// any, with a random one; then cursors end with the process.
    pub fn of<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Self {
        let mut material = Vec::new();
        for secret in secrets {
            let text = secret.expose().as_bytes();
            // With its length before it, no two lists of secrets look alike.
            material.extend_from_slice(&(text.len() as u64).to_be_bytes());
            material.extend_from_slice(text);
        }
        let key = (!material.is_empty())
            .then(|| derive(&material))
            .flatten()
            .unwrap_or_else(random_key);
        Self { key }
    }

    /// A token for a state. `None` where the state is too long to be one.
    pub fn seal(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        state: &str,
        now: DateTime<Utc>,
    ) -> Option<String> {
        if state.len() > STATE {
            return None;
        }
        let mut token = vec![VERSION];
        token.extend_from_slice(&(now + LIFETIME).timestamp().to_be_bytes());
        token.extend_from_slice(state.as_bytes());
        let tag = self.tag(tool, arguments, &token)?;
        token.extend_from_slice(tag.get(..TAG)?);
        Some(URL_SAFE_NO_PAD.encode(token))
    }

    /// The state in a token.
    pub fn open_token(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<String, SourceError> {
        let refuse = |problem: &str| {
            SourceError::invalid_input(
                "cursor",
                problem,
                "pass the cursor of the previous answer, with the same arguments",
            )
        };
        let not_ours = || refuse("was not issued for this call");
        if token.len() > 2 * (STATE + TAG + 9) {
            return Err(not_ours());
        }
        let bytes = URL_SAFE_NO_PAD.decode(token.trim()).map_err(|_| not_ours())?;
        let (signed, tag) = bytes
            .split_at_checked(bytes.len().saturating_sub(TAG))
            .ok_or_else(not_ours)?;
        self.verify(tool, arguments, signed, tag).ok_or_else(not_ours)?;
        let (version, rest) = signed.split_first().ok_or_else(not_ours)?;
        let (expiry, state) = rest.split_first_chunk::<8>().ok_or_else(not_ours)?;
        if *version != VERSION {
            return Err(not_ours());
        }
        if i64::from_be_bytes(*expiry) < now.timestamp() {
            return Err(refuse("has expired"));
        }
        String::from_utf8(state.to_vec()).map_err(|_| not_ours())
    }

    fn mac(&self, tool: &str, arguments: &Map<String, Value>, signed: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(tool.as_bytes());
        mac.update(&[0]);
        mac.update(canonical(arguments).as_bytes());
        mac.update(&[0]);
        mac.update(signed);
        Some(mac)
    }

    fn tag(&self, tool: &str, arguments: &Map<String, Value>, signed: &[u8]) -> Option<Vec<u8>> {
        Some(
            self.mac(tool, arguments, signed)?
                .finalize()
                .into_bytes()
                .to_vec(),
        )
    }

    fn verify(&self, tool: &str, arguments: &Map<String, Value>, signed: &[u8], tag: &[u8]) -> Option<()> {
        if tag.len() != TAG {
            return None;
        }
        self.mac(tool, arguments, signed)?.verify_truncated_left(tag).ok()
    }
}

/// The arguments that decide what is paged through, in one order. How long the answer may be and
/// how old a cached page may be are the caller's to change between pages.
fn canonical(arguments: &Map<String, Value>) -> String {
    let mut kept: Vec<(&String, &Value)> = arguments
        .iter()
        .filter(|(name, value)| {
            !matches!(name.as_str(), "cursor" | "max_length" | "max_age") && !value.is_null()
        })
        .collect();
    kept.sort_by_key(|(name, _)| *name);
    let mut out = String::new();
    for (name, value) in kept {
        let _ = writeln!(out, "{name}={value}");
    }
    out
}

fn derive(material: &[u8]) -> Option<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(material).ok()?;
    mac.update(PURPOSE);
    Some(mac.finalize().into_bytes().into())
}

fn random_key() -> [u8; 32] {
    let mut key = [0; 32];
    if getrandom::fill(&mut key).is_err() {
        // Without a source of randomness no cursor may ever verify; the clock and addresses of this
        // process are the best that is left.
        let seed = format!(
            "{:?}{:p}{}",
            std::time::Instant::now(),
            &raw const key,
            std::process::id()
        );
        key = <sha2::Sha256 as sha2::Digest>::digest(seed.as_bytes()).into();
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn arguments(value: Value) -> Map<String, Value> {
        let Value::Object(arguments) = value else {
            panic!("{value}")
        };
        arguments
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    #[test]
    fn a_sealed_state_comes_back_for_the_same_call_only() {
        let cursors = Cursors::of([]);
        let call = arguments(json!({"query": "rust", "limit": 5}));
        let token = cursors.seal("search_repos", &call, "page=2", now()).unwrap();
        assert!(!token.contains("page"), "opaque");
        let later = arguments(json!({"limit": 5, "max_length": 900, "query": "rust"}));
        assert_eq!(
            cursors.open_token("search_repos", &later, &token, now()).unwrap(),
            "page=2"
        );
        for (tool, call) in [
            ("extract_arxiv", call.clone()),
            ("search_repos", arguments(json!({"query": "go", "limit": 5}))),
            ("search_repos", arguments(json!({"query": "rust", "limit": 9}))),
        ] {
            let error = cursors.open_token(tool, &call, &token, now()).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("cursor"));
        }
        let expired = cursors
            .open_token("search_repos", &call, &token, now() + TimeDelta::hours(25))
            .unwrap_err();
        assert!(expired.message.contains("expired"));
        let other = Cursors { key: [7; 32] };
        assert!(other.open_token("search_repos", &call, &token, now()).is_err());
    }

    #[test]
    fn the_same_secrets_make_the_same_key() {
        let key = |secrets: &[&str]| {
            let secrets: Vec<Secret> = secrets.iter().copied().map(Secret::new).collect();
            Cursors::of(&secrets).key
        };
        assert_eq!(key(&["a-secret", "b"]), key(&["a-secret", "b"]));
        for other in [
            &["a-secretb"][..],
            &["b", "a-secret"],
            &["a-secret"],
            &["a-secret", "c"],
        ] {
            assert_ne!(key(&["a-secret", "b"]), key(other), "{other:?}");
        }
        assert_ne!(key(&[]), key(&[]), "without a secret it is random");
    }

    proptest! {
        #[test]
        fn no_text_and_no_damage_opens(text in ".{0,200}", flip in 0usize..200) {
            let cursors = Cursors { key: [1; 32] };
            let call = arguments(json!({"query": "x"}));
            prop_assert!(cursors.open_token("t", &call, &text, now()).is_err());
            let token = cursors.seal("t", &call, "state", now()).unwrap();
            let mut bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
            let at = flip % bytes.len();
            bytes[at] ^= 1 << (flip % 8);
            let damaged = URL_SAFE_NO_PAD.encode(&bytes);
            prop_assert!(cursors.open_token("t", &call, &damaged, now()).is_err());
            let cut: String = token.chars().take(flip % token.len()).collect();
            prop_assert!(cursors.open_token("t", &call, &cut, now()).is_err());
        }
    }
}
