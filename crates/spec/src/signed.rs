//! Signatures with Ed25519 (RFC 8032) over verdicts and answers, and the document of public keys that they are checked with.
//!
//! The signed message is five lines of text, so that any library can check it:
//!
//! ```text
//! FRESHCONTEXT_ED25519_V1
//! key_id=2026-11
//! signed_at=2026-11-29T07:00:00.000Z
//! subject=verdict
//! sha256=<64 lower-case hexadecimal digits>
//! ```
//!
//! The hash is that of a verdict's Ha-Pri payload (version 3), of an evaluation's canonical JSON, or of an answer's bytes.

mod evaluation;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use freshcontext_core::date::iso_millis;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use evaluation::{COVERS, SIGNATURE_FIELD, SignedVerdict, SignedVerdicts, verdict_payload};

/// Name of the scheme, and first line of a message.
pub const SCHEME: &str = "FRESHCONTEXT_ED25519_V1";
/// What a signature says.
pub const SAYS: &str = "A valid signature says that this server gave this verdict or answer at this moment, not that it is true.";
/// What a deployment without a key says.
pub const UNSIGNED: &str = "This deployment signs nothing: the operator set no `signing.keys`.";
/// Length of a seed and of a public key, in bytes.
const KEY_BYTES: usize = 32;

/// What a signature is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The Ha-Pri payload of a verdict.
    Verdict,
    /// The bytes of an answer: its text over MCP, the body over REST.
    Answer,
    /// The canonical JSON of an evaluation, without this signature.
    Evaluation,
}

impl Subject {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Answer => "answer",
            Self::Evaluation => "evaluation",
        }
    }
}

/// A signature that stands on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    /// [`SCHEME`].
    pub scheme: String,
    /// Id of the key in the key document.
    pub key_id: String,
    /// The moment of the signature.
    pub signed_at: String,
    /// What is signed.
    pub subject: Subject,
    /// SHA-256 of what is signed, in lower-case hexadecimal digits.
    pub sha256: String,
    /// Ed25519 signature of the message, in base64url without padding.
    pub signature: String,
}

impl Signature {
    fn message(&self) -> String {
        format!(
            "{}\nkey_id={}\nsigned_at={}\nsubject={}\nsha256={}",
            self.scheme,
            self.key_id,
            self.signed_at,
            self.subject.as_str(),
            self.sha256
        )
    }

    /// Checks the signature of these bytes.
    pub fn check(&self, signed: &[u8], keys: &KeyDocument) -> Checked {
        if self.scheme != SCHEME {
            return Checked::UnknownScheme;
        }
        if hex_of(signed) != self.sha256 {
            return Checked::Changed;
        }
        let Some(key) = keys.keys.iter().find(|key| key.id == self.key_id) else {
            return Checked::UnknownKey;
        };
        let holds = URL_SAFE_NO_PAD.decode(&self.signature).is_ok_and(|signature| {
            UnparsedPublicKey::new(&ED25519, key.bytes)
                .verify(self.message().as_bytes(), &signature)
                .is_ok()
        });
        let signed_at = DateTime::parse_from_rfc3339(&self.signed_at).ok();
        let Some(signed_at) = signed_at.filter(|_| holds) else {
            return Checked::OtherKey;
        };
        match key.until {
            Some(until) if signed_at > until => Checked::Expired,
            Some(_) => Checked::Retired,
            None => Checked::Valid,
        }
    }
}

fn hex_of(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    base16ct::lower::encode_string(&sha2::Sha256::digest(bytes))
}

/// Result of the check of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// The holder of the key signed these bytes.
    Valid,
    /// The same, with a key that signs no more.
    Retired,
    /// The bytes are not those that were signed.
    Changed,
    /// The signature was not made with the key of this id, or its own facts were changed.
    OtherKey,
    /// The key document has no key of this id.
    UnknownKey,
    /// It was signed after the key ended.
    Expired,
    /// Nothing is signed, or by another scheme.
    UnknownScheme,
    /// The verdicts' payloads are signed, and nothing else of the evaluation: an earlier version signed so.
    VerdictsOnly,
    /// The evaluation is signed, but a result of it has no signed verdict.
    Incomplete,
    /// An object names a field twice, so that readers differ in what they read.
    DuplicateField,
}

impl Checked {
    /// Whether the holder of a known key signed, while the key was in use.
    pub const fn is_valid(self) -> bool {
        matches!(self, Self::Valid | Self::Retired)
    }

    /// The name of the result for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Retired => "retired_key",
            Self::Changed => "changed",
            Self::OtherKey => "other_key",
            Self::UnknownKey => "unknown_key",
            Self::Expired => "expired_key",
            Self::UnknownScheme => "unknown_scheme",
            Self::VerdictsOnly => "verdicts_only",
            Self::Incomplete => "incomplete",
            Self::DuplicateField => "duplicate_field",
        }
    }

    /// The same in a sentence.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Valid => SAYS,
            Self::Retired => {
                "the signature was made while its key was in use; the key has been retired since"
            }
            Self::Changed => "what was signed has been changed",
            Self::OtherKey => {
                "the signature was not made with the key of this id, or its own facts were changed"
            }
            Self::UnknownKey => "the key document has no key of this id",
            Self::Expired => "the signature is dated after the end of its key",
            Self::UnknownScheme => "there is no signature of the known scheme",
            Self::VerdictsOnly => {
                "only the payloads of the verdicts are signed, as earlier versions did; any other field may have been changed"
            }
            Self::Incomplete => "a result has no signed verdict",
            Self::DuplicateField => "an object names a field twice, so readers differ in what they read",
        }
    }
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// Id of the key.
    pub id: String,
    bytes: [u8; KEY_BYTES],
    /// When the key ended, if it signs no more.
    pub until: Option<DateTime<Utc>>,
}

/// The document of public keys: a JWK Set (RFC 7517, RFC 8037).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyDocument {
    /// The keys.
    pub keys: Vec<PublicKey>,
}

impl KeyDocument {
    /// The document as JSON, with what a signature says.
    pub fn json(&self) -> Value {
        let keys = self.keys.iter().map(|key| {
            let mut jwk = json!({
                "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA",
                "kid": key.id, "x": URL_SAFE_NO_PAD.encode(key.bytes),
            });
            if let (Some(until), Some(jwk)) = (key.until, jwk.as_object_mut()) {
                jwk.insert("exp".to_owned(), until.timestamp().into());
            }
            jwk
        });
        let says = if self.keys.is_empty() { UNSIGNED } else { SAYS };
        json!({"keys": keys.collect::<Vec<_>>(), "scheme": SCHEME, "says": says})
    }

    /// Reads a document. Keys of other kinds, for other uses or for other algorithms are left out.
    ///
    /// # Errors
    /// It is no JWK Set, or the end of a key cannot be read: without its end, an expired key would count as valid.
    pub fn from_json(bytes: &[u8]) -> Result<Self, InvalidKey> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }

        let set: Set = serde_json::from_slice(bytes)
            .map_err(|_| InvalidKey("the key document is not a JSON object with `keys`".to_owned()))?;
        let mut keys = Vec::new();
        for (index, jwk) in set.keys.iter().enumerate() {
            let Some((id, bytes)) = signing_key(jwk) else {
                continue;
            };
            let until = jwk.get("exp").map(|end| {
                end_of(end).ok_or_else(|| {
                    InvalidKey(format!(
                        "`keys[{index}].exp` must be a number of seconds since 1970. Example: {{\"exp\": 1793491200}}"
                    ))
                })
            });
            keys.push(PublicKey {
                id,
                bytes,
                until: until.transpose()?,
            });
        }
        Ok(Self { keys })
    }
}

/// Returns the id and the bytes of a key that verifies signatures with Ed25519. `None` for any other key.
fn signing_key(jwk: &Value) -> Option<(String, [u8; KEY_BYTES])> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    // An optional member that is there must fit, whatever its type.
    let fits = |name: &str, names: &[&str]| {
        jwk.get(name)
            .is_none_or(|given| names.iter().any(|known| given == known))
    };
    // RFC 9864 names the same algorithm after its curve.
    let is_ours = text("kty") == Some("OKP")
        && text("crv") == Some("Ed25519")
        && fits("use", &["sig"])
        && fits("alg", &["EdDSA", "Ed25519"]);
    if !is_ours {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text("x")?).ok()?;
    Some((text("kid")?.to_owned(), bytes.try_into().ok()?))
}

/// Returns the moment of a number of seconds since 1970, to the millisecond. JSON has one kind of number, so a fraction and an
/// exponent are read, too.
fn end_of(exp: &Value) -> Option<DateTime<Utc>> {
    let millis = (exp.as_f64()? * 1_000.0).round();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates, and no moment is that far away"
    )]
    DateTime::from_timestamp_millis(millis as i64)
}

/// A key or a key document that cannot be read; never shows a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidKey(pub String);

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidKey {}

/// The keys of a deployment: one signs, the others are only published.
pub struct Keyring {
    id: String,
    pair: Ed25519KeyPair,
    document: KeyDocument,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A private key as the operator gives it.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Id of the key: letters, digits, `-`, `_` and `.`.
    pub id: &'a str,
    /// Seed of 32 bytes, in base64 or base64url.
    pub seed: &'a str,
    /// When the key was retired.
    pub until: Option<DateTime<Utc>>,
}

impl Keyring {
    /// Reads the keys. The named key signs; without a name, the last one by id that is not retired.
    ///
    /// # Errors
    /// A seed is not 32 bytes, an id is not plain, or no key can sign.
    pub fn new(given: &[Given<'_>], signs: Option<&str>) -> Result<Self, InvalidKey> {
        let mut document = KeyDocument::default();
        let mut signing: Option<(String, Ed25519KeyPair)> = None;
        for key in given {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if key.id.is_empty() || !key.id.chars().all(plain) {
                return Err(InvalidKey(format!(
                    "the key id `{}` holds more than letters, digits, `-`, `_` and `.`",
                    key.id
                )));
            }
            let pair = pair(key)?;
            let bytes = pair.public_key().as_ref().try_into();
            let bytes = bytes.map_err(|_| InvalidKey(format!("the key `{}` cannot be used", key.id)))?;
            document.keys.push(PublicKey {
                id: key.id.to_owned(),
                bytes,
                until: key.until,
            });
            let is_chosen = match signs {
                Some(id) => id == key.id,
                None => key.until.is_none() && signing.as_ref().is_none_or(|(id, _)| id.as_str() < key.id),
            };
            if is_chosen {
                if key.until.is_some() {
                    return Err(InvalidKey(format!(
                        "the key `{}` is retired and cannot sign",
                        key.id
                    )));
                }
                signing = Some((key.id.to_owned(), pair));
            }
        }
        let (id, pair) = signing.ok_or_else(|| match signs {
            Some(id) => InvalidKey(format!("there is no key `{id}`")),
            None => InvalidKey("every key is retired, so none can sign".to_owned()),
        })?;
        Ok(Self { id, pair, document })
    }

    /// The public keys.
    pub fn document(&self) -> &KeyDocument {
        &self.document
    }

    /// Signs bytes.
    pub fn sign(&self, subject: Subject, signed: &[u8], now: DateTime<Utc>) -> Signature {
        let mut signature = Signature {
            scheme: SCHEME.to_owned(),
            key_id: self.id.clone(),
            signed_at: iso_millis(now),
            subject,
            sha256: hex_of(signed),
            signature: String::new(),
        };
        let made = self.pair.sign(signature.message().as_bytes());
        signature.signature = URL_SAFE_NO_PAD.encode(made.as_ref());
        signature
    }
}

fn pair(key: &Given<'_>) -> Result<Ed25519KeyPair, InvalidKey> {
    let text = key.seed.trim().trim_end_matches('=');
    let seed = URL_SAFE_NO_PAD
        .decode(text)
        .or_else(|_| STANDARD.decode(key.seed.trim()))
        .ok()
        .filter(|seed| seed.len() == KEY_BYTES);
    seed.and_then(|seed| Ed25519KeyPair::from_seed_unchecked(&seed).ok())
        .ok_or_else(|| {
            let what = "is not 32 bytes in base64; `openssl rand -base64 32` makes one";
            InvalidKey(format!("the key `{}` {what}", key.id))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    const OTHER: &str = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

    fn moment(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn given<'a>(id: &'a str, seed: &'a str, until: Option<&str>) -> Given<'a> {
        Given {
            id,
            seed,
            until: until.map(moment),
        }
    }

    #[test]
    fn each_kind_of_wrong_signature_has_its_name() {
        let now = moment("2026-11-29T07:00:00Z");
        let before = Keyring::new(&[given("a", SEED, None)], None).unwrap();
        let signed = before.sign(Subject::Answer, b"an answer", now);
        let round =
            |document: &KeyDocument| KeyDocument::from_json(document.json().to_string().as_bytes()).unwrap();
        let check = |signature: &Signature, bytes: &[u8], keys: &[Given<'_>]| {
            signature.check(bytes, &round(Keyring::new(keys, None).unwrap().document()))
        };
        let same = [given("a", SEED, None)];
        assert_eq!(check(&signed, b"an answer", &same), Checked::Valid);
        assert_eq!(check(&signed, b"an Answer", &same), Checked::Changed);
        assert_eq!(
            check(&signed, b"an answer", &[given("a", OTHER, None)]),
            Checked::OtherKey
        );
        assert_eq!(
            check(&signed, b"an answer", &[given("b", OTHER, None)]),
            Checked::UnknownKey
        );
        let rotated = |until| [given("a", SEED, Some(until)), given("b", OTHER, None)];
        assert_eq!(
            check(&signed, b"an answer", &rotated("2026-12-01T00:00:00Z")),
            Checked::Retired
        );
        assert_eq!(
            check(&signed, b"an answer", &rotated("2026-11-01T00:00:00Z")),
            Checked::Expired
        );
        for change in [
            |signature: &mut Signature| signature.signed_at = "2026-10-01T00:00:00.000Z".to_owned(),
            |signature: &mut Signature| signature.subject = Subject::Verdict,
            |signature: &mut Signature| signature.signature.replace_range(0..1, "_"),
        ] {
            let mut changed = signed.clone();
            change(&mut changed);
            assert_eq!(
                check(&changed, b"an answer", &same),
                Checked::OtherKey,
                "{changed:?}"
            );
        }
    }

    /// Returns the document of one retired key, with a member replaced.
    fn document_with(name: &str, value: Value) -> Result<KeyDocument, InvalidKey> {
        let keys = [
            given("a", SEED, Some("2025-11-29T00:00:00Z")),
            given("b", OTHER, None),
        ];
        let mut document = Keyring::new(&keys, None).unwrap().document().json();
        document["keys"][0][name] = value;
        KeyDocument::from_json(document.to_string().as_bytes())
    }

    #[test]
    fn the_end_of_a_key_counts_however_it_is_spelled() {
        let signer = Keyring::new(&[given("a", SEED, None)], None).unwrap();
        let signed = signer.sign(Subject::Answer, b"an answer", moment("2026-11-29T07:00:00Z"));
        for end in ["1764374400", "1764374400.0", "1.7643744e9", "1764374400.5", "-1"] {
            let keys = document_with("exp", serde_json::from_str(end).unwrap()).unwrap();
            assert_eq!(signed.check(b"an answer", &keys), Checked::Expired, "{end}");
        }
        let keys = document_with("exp", json!(1_764_374_400.5)).unwrap();
        assert_eq!(keys.keys[0].until, Some(moment("2025-11-29T00:00:00.5Z")));
        for end in [
            json!("1764374400"),
            json!(null),
            json!(true),
            json!([1]),
            json!(1e300),
            json!(u64::MAX),
        ] {
            let error = document_with("exp", end.clone()).unwrap_err();
            assert!(error.0.contains("`keys[0].exp`"), "{end}: {error}");
        }
    }

    #[test]
    fn keys_for_other_uses_and_algorithms_are_left_out() {
        for (name, value, count) in [
            ("use", json!("sig"), 2),
            ("use", json!("enc"), 1),
            ("use", json!(7), 1),
            ("alg", json!("Ed25519"), 2),
            ("alg", json!("HS256"), 1),
            ("alg", json!(null), 1),
        ] {
            let keys = document_with(name, value.clone()).unwrap().keys;
            assert_eq!(keys.len(), count, "{name} {value}");
        }
    }

    #[test]
    fn the_newest_key_signs_and_none_is_shown() {
        let keys = Keyring::new(
            &[given("2026-05", SEED, None), given("2026-11", OTHER, None)],
            None,
        )
        .unwrap();
        assert_eq!(
            keys.sign(Subject::Answer, b"", moment("2026-11-29T07:00:00Z"))
                .key_id,
            "2026-11"
        );
        let shown = format!("{keys:?} {}", keys.document().json());
        assert!(!shown.contains("AAECAw") && !shown.contains("ICEiIy"), "{shown}");
        for (wrong, signs) in [
            (vec![given("a", "c2hvcnQ", None)], None),
            (vec![given("a b", SEED, None)], None),
            (vec![given("a", SEED, None)], Some("b")),
            (vec![given("a", SEED, Some("2026-01-01T00:00:00Z"))], None),
            (vec![given("a", SEED, Some("2026-01-01T00:00:00Z"))], Some("a")),
        ] {
            let error = Keyring::new(&wrong, signs).unwrap_err();
            assert!(!error.0.contains("AAEC") && !error.0.contains("c2hv"), "{error}");
        }
    }
}
