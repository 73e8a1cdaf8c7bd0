//! An issuer's public keys: a JWK Set (RFC 7517) of which only what can verify an accepted signature is kept.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use freshcontext_contract::limits::{OAUTH_KEY_ID_BYTES, OAUTH_KEYS};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

/// Sizes of an RSA modulus that ring verifies with, in bytes.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1_024;
/// Maximum size of an RSA exponent, in bytes (ring takes up to 33 bits).
const EXPONENT_BYTES: usize = 5;
/// Size of a coordinate of P-256, and of a public key of Ed25519, in bytes.
const POINT_BYTES: usize = 32;

/// One key.
pub(crate) struct Key {
    id: Option<String>,
    pub(crate) algorithm: Algorithm,
    pub(crate) key: DecodingKey,
}

/// The usable keys of an issuer.
pub(crate) struct KeySet(Vec<Key>);

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    d: Option<Value>,
}

impl KeySet {
    /// Reads a document. Keys of other kinds, for other uses, or with a private part are left out.
    pub(crate) fn read(document: &[u8]) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(document)
            .map_err(|_| "its key document is not a JSON object with a list `keys`".to_owned())?;
        let keys = document.keys.into_iter().filter_map(key);
        Ok(Self(keys.take(OAUTH_KEYS).collect()))
    }

    /// Returns the keys for a token with this header. A token without a key id is only verified where a single key fits
    /// its algorithm (OpenID Connect Core 1.0, section 10.1).
    pub(crate) fn of(&self, algorithm: Algorithm, id: Option<&str>) -> Vec<&Key> {
        let fits = self.0.iter().filter(|key| key.algorithm == algorithm);
        if let Some(id) = id {
            return fits.filter(|key| key.id.as_deref() == Some(id)).collect();
        }
        let keys: Vec<&Key> = fits.collect();
        if keys.len() == 1 { keys } else { Vec::new() }
    }

    /// Returns the algorithm of each key.
    pub(crate) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        self.0.iter().map(|key| key.algorithm)
    }
}

fn key(jwk: Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(jwk).ok()?;
    let signs = jwk.usage.as_deref().is_none_or(|usage| usage == "sig")
        && jwk
            .key_ops
            .as_ref()
            .is_none_or(|operations| operations.iter().any(|operation| operation == "verify"));
    let id_fits = jwk.kid.as_ref().is_none_or(|id| id.len() <= OAUTH_KEY_ID_BYTES);
    // Everybody could sign with a private key that is published.
    if !signs || !id_fits || jwk.d.is_some() {
        return None;
    }
    let part = |part: &Option<String>| URL_SAFE_NO_PAD.decode(part.as_ref()?).ok();
    let is = |names: &[&str]| jwk.alg.as_deref().is_none_or(|given| names.contains(&given));
    let (algorithm, key) = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) if is(&["RS256"]) => {
            let (n, e) = (part(&jwk.n)?, part(&jwk.e)?);
            let fits = MODULUS_BYTES.contains(&n.len()) && (1..=EXPONENT_BYTES).contains(&e.len());
            let key = fits.then(|| DecodingKey::from_rsa_raw_components(&n, &e))?;
            (Algorithm::RS256, key)
        }
        ("EC", Some("P-256")) if is(&["ES256"]) => {
            let (x, y) = (part(&jwk.x)?, part(&jwk.y)?);
            let fits = x.len() == POINT_BYTES && y.len() == POINT_BYTES;
            // An uncompressed point (SEC 1, section 2.3.3).
            let point = fits.then(|| [&[4], x.as_slice(), y.as_slice()].concat())?;
            (Algorithm::ES256, DecodingKey::from_ec_der(&point))
        }
        // RFC 9864 names the same algorithm after its curve.
        ("OKP", Some("Ed25519")) if is(&["EdDSA", "Ed25519"]) => {
            let x = part(&jwk.x).filter(|x| x.len() == POINT_BYTES)?;
            (Algorithm::EdDSA, DecodingKey::from_ed_der(&x))
        }
        _ => return None,
    };
    Some(Key {
        id: jwk.kid,
        algorithm,
        key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn usable(key: &Value) -> usize {
        KeySet::read(json!({"keys": [key]}).to_string().as_bytes())
            .unwrap()
            .0
            .len()
    }

    fn long(bytes: usize) -> String {
        URL_SAFE_NO_PAD.encode(vec![0x81; bytes])
    }

    #[test]
    fn only_keys_that_verify_an_accepted_algorithm_are_kept() {
        let ed = json!({"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": long(32)});
        let ec = json!({"kty": "EC", "crv": "P-256", "kid": "1", "x": long(32), "y": long(32)});
        let rsa = json!({"kty": "RSA", "kid": "1", "n": long(256), "e": "AQAB"});
        let with = |key: &Value, name: &str, value: Value| {
            let mut key = key.clone();
            key[name] = value;
            key
        };
        for key in [&ed, &ec, &rsa] {
            assert_eq!(usable(key), 1, "{key}");
            assert_eq!(usable(&with(key, "use", json!("sig"))), 1);
            assert_eq!(usable(&with(key, "key_ops", json!(["verify"]))), 1);
            for (name, value) in [
                ("use", json!("enc")),
                ("key_ops", json!(["encrypt"])),
                ("alg", json!("HS256")),
                ("alg", json!("none")),
                ("kty", json!("oct")),
                ("d", json!(long(32))),
                ("kid", json!("k".repeat(OAUTH_KEY_ID_BYTES + 1))),
                ("kid", json!(7)),
            ] {
                assert_eq!(usable(&with(key, name, value.clone())), 0, "{name} {value}");
            }
        }
        assert_eq!(usable(&with(&rsa, "alg", json!("RS512"))), 0);
        assert_eq!(usable(&with(&rsa, "n", json!(long(128)))), 0, "1024 bits");
        assert_eq!(usable(&with(&rsa, "n", json!(long(2_048)))), 0);
        assert_eq!(usable(&with(&rsa, "e", json!(long(9)))), 0);
        assert_eq!(usable(&with(&rsa, "n", json!("not base64!"))), 0);
        assert_eq!(usable(&with(&ec, "crv", json!("P-384"))), 0);
        assert_eq!(usable(&with(&ec, "y", json!(long(31)))), 0);
        assert_eq!(usable(&with(&ed, "crv", json!("Ed448"))), 0);
        assert_eq!(usable(&with(&ed, "alg", json!("Ed25519"))), 1);
        assert_eq!(usable(&json!({"kty": "oct", "k": long(32)})), 0);
        assert_eq!(usable(&json!("a text")), 0);
    }

    #[test]
    fn a_document_is_bounded_and_must_be_one() {
        for wrong in ["", "[]", "{}", "{\"keys\": {}}", "<html>"] {
            assert!(KeySet::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        let one = json!({"kty": "OKP", "crv": "Ed25519", "x": long(32)});
        let many = json!({"keys": vec![one; OAUTH_KEYS * 3]});
        let keys = KeySet::read(many.to_string().as_bytes()).unwrap();
        assert_eq!(keys.0.len(), OAUTH_KEYS);
        assert!(
            keys.of(Algorithm::EdDSA, None).is_empty(),
            "without an id, one key must fit"
        );
    }
}
