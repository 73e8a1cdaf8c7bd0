//! A scripted issuer on loopback: metadata, keys, and tokens with any flaw.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Map, Value, json};

use crate::cases::panic_line;
use crate::upstreams::{json_reply, reply};

/// Paths of the documents.
pub const METADATA: &str = "/.well-known/oauth-authorization-server";
pub const KEYS: &str = "/jwks";
/// Ids of the keys.
pub const ED: &str = "ed-1";
pub const EC: &str = "ec-1";
pub const RSA: &str = "rsa-1";

/// An RSA key that was made for these tests and opens nothing: ring makes none.
static RSA_KEY: LazyLock<RsaKeyPair> =
    LazyLock::new(|| RsaKeyPair::from_pkcs8(include_bytes!("test-only-rsa.pk8")).expect("an RSA key"));

fn rsa_parts() -> PublicKeyComponents<Vec<u8>> {
    PublicKeyComponents::from(RSA_KEY.public())
}

/// The private keys of one issuer.
pub struct Signers {
    ed: Ed25519KeyPair,
    ec: EcdsaKeyPair,
}

impl Signers {
    pub fn new() -> Self {
        let random = SystemRandom::new();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        let ec = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        Self {
            ed: Ed25519KeyPair::from_pkcs8(ed.as_ref()).expect("a key"),
            ec: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, ec.as_ref(), &random)
                .expect("a key"),
        }
    }

    /// The public key of Ed25519 as a JWK.
    pub fn ed_jwk(&self, id: &str) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.ed.public_key().as_ref());
        json!({"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": id, "x": x})
    }

    /// All public keys, with others that must not be used.
    pub fn jwks(&self) -> Value {
        let point = self.ec.public_key().as_ref();
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let rsa = rsa_parts();
        let (n, e) = (rsa.n.as_slice(), rsa.e.as_slice());
        json!({"keys": [
            self.ed_jwk(ED),
            {"kty": "EC", "crv": "P-256", "kid": EC, "x": part(&point[1..33]), "y": part(&point[33..65])},
            {"kty": "RSA", "use": "sig", "kid": RSA, "n": part(n), "e": part(e)},
            {"kty": "oct", "kid": "shared", "alg": "HS256", "k": part(SHARED)},
            {"kty": "RSA", "use": "enc", "kid": "for-encryption", "n": part(n), "e": part(e)},
            {"kty": "RSA", "kid": "rsa-512", "alg": "RS512", "n": part(n), "e": part(e)},
            "no key at all",
        ]})
    }

    /// Signs as the named method does.
    pub fn sign(&self, method: &str, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        let hmac = |secret: &[u8]| {
            let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
            ring::hmac::sign(&key, message).as_ref().to_vec()
        };
        match method {
            "ed" => self.ed.sign(message).as_ref().to_vec(),
            "ec" => self
                .ec
                .sign(&random, message)
                .expect("a signature")
                .as_ref()
                .to_vec(),
            "rsa" => {
                let mut signature = vec![0; RSA_KEY.public().modulus_len()];
                RSA_KEY
                    .sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                    .expect("a signature");
                signature
            }
            "another" => Self::new().ed.sign(message).as_ref().to_vec(),
            "hmac of the public key" => hmac(self.ed.public_key().as_ref()),
            "hmac of the modulus" => hmac(&rsa_parts().n),
            "hmac of the shared key" => hmac(SHARED),
            "hmac of nothing" => hmac(b""),
            "zeros" => vec![0; 64],
            "nothing" => Vec::new(),
            other => panic_line(&format!("no way to sign is called {other}")),
        }
    }
}

const SHARED: &[u8] = b"a key that both would have to know";

/// A running issuer. Its documents can be replaced.
pub struct Issuer {
    pub server: ScriptedUpstream,
    pub signers: Signers,
    documents: Arc<Mutex<HashMap<String, Reply>>>,
}

impl Issuer {
    /// Starts with metadata at the place of RFC 8414, and all keys.
    pub async fn start() -> std::io::Result<Self> {
        let documents: Arc<Mutex<HashMap<String, Reply>>> = Arc::default();
        let known = Arc::clone(&documents);
        let server = ScriptedUpstream::start(move |seen: &SeenRequest| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known
                .get(&seen.target)
                .cloned()
                .unwrap_or_else(|| reply(404, "text/plain", "none"))
        })
        .await?;
        let issuer = Self {
            server,
            signers: Signers::new(),
            documents,
        };
        issuer.set(METADATA, &issuer.metadata());
        issuer.set(KEYS, &issuer.signers.jwks());
        Ok(issuer)
    }

    pub fn name(&self) -> String {
        self.server.base()
    }

    pub fn metadata(&self) -> Value {
        json!({"issuer": self.name(), "jwks_uri": format!("{}{KEYS}", self.name()),
            "response_types_supported": ["code"]})
    }

    /// Publishes a document.
    pub fn set(&self, path: &str, document: &Value) {
        self.answer(path, json_reply(&document.to_string()));
    }

    /// Answers a path so.
    pub fn answer(&self, path: &str, reply: Reply) {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents.insert(path.to_owned(), reply);
    }

    /// How often a path was requested.
    pub fn asked(&self, path: &str) -> usize {
        self.server
            .requests()
            .iter()
            .filter(|seen| seen.target == path)
            .count()
    }

    /// A token with this header and these claims, signed so.
    pub fn token(&self, header: &Value, claims: &Value, sign: &str) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let signature = self.signers.sign(sign, message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// The claims of a good token at this moment (seconds since 1970).
    pub fn claims(&self, audience: &str, now: i64) -> Map<String, Value> {
        let claims = json!({"iss": self.name(), "aud": audience, "sub": "user-1", "client_id": "client-1",
            "exp": now + 300, "nbf": now - 5, "iat": now - 5, "jti": "1", "scope": "openid freshcontext:read"});
        claims.as_object().cloned().unwrap_or_default()
    }
}

/// The header of a good token.
pub fn header(algorithm: &str, id: &str) -> Map<String, Value> {
    let header = json!({"alg": algorithm, "kid": id, "typ": "at+jwt"});
    header.as_object().cloned().unwrap_or_default()
}
