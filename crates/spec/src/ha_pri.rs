//! Ha-Pri: a payload of provenance facts and its signature.
//!
//! Version 2 is signed with a bare SHA-256, which detects changes but does not identify the signer. Version 3
//! adds the verdict and is signed with HMAC-SHA256 under the operator's key.

use std::fmt;

use base16ct::lower::encode_string;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use freshcontext_core::provenance::{canonical_sha256, sha256_hex};

/// Facts of a version 2 payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HaPriV2<'a> {
    /// Identity of the result.
    pub result_id: Option<&'a str>,
    /// The content as retrieved; its canonical form is hashed.
    pub content: &'a str,
    /// Meaning of the content, in the caller's words.
    pub semantic_fingerprint: Option<&'a str>,
    /// The adapter or source type.
    pub adapter: &'a str,
    /// Date of publication.
    pub published_at: Option<&'a str>,
    /// Date of retrieval.
    pub retrieved_at: Option<&'a str>,
    /// Version of the engine that evaluated the content.
    pub engine_version: &'a str,
}

/// First line of a version 3 payload.
const HEADING_V3: &str = "FRESHCONTEXT_HA_PRI_V3";

/// Facts of a version 3 payload: those of version 2 and the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HaPriV3<'a> {
    /// Facts of version 2.
    pub facts: HaPriV2<'a>,
    /// Id of the verdict, see [`VerdictBasis`](freshcontext_core::provenance::VerdictBasis).
    pub verdict_id: Option<&'a str>,
    /// Name of the decision.
    pub decision: Option<&'a str>,
}

/// Result of checking a stored signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// The signature matches the facts.
    Valid,
    /// The signature does not match.
    Invalid,
    /// There is no signature.
    Unknown,
}

impl Verification {
    /// Returns the name of the result in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Unknown => "unknown",
        }
    }
}

/// A fact contains a line break. Such a payload would be ambiguous, so it is not signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsignable {
    /// Name of the fact in the payload, for example `result_id`.
    pub fact: &'static str,
}

impl fmt::Display for Unsignable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be signed: it must be one line", self.fact)
    }
}

impl std::error::Error for Unsignable {}

impl HaPriV2<'_> {
    /// Returns the signed payload.
    pub fn payload(&self) -> String {
        self.payload_under("FRESHCONTEXT_HA_PRI_V2")
    }

    /// Returns the SHA-256 of the payload as 64 hexadecimal digits.
    pub fn signature(&self) -> Result<String, Unsignable> {
        self.signable()?;
        Ok(sha256_hex(&self.payload()))
    }

    fn payload_under(&self, heading: &str) -> String {
        let content = canonical_sha256(self.content);
        let fingerprint = sha256_hex(self.semantic_fingerprint.unwrap_or("null"));
        self.payload_of_hashes(heading, &content, &fingerprint)
    }

    /// The payload where the hashes of content and fingerprint are known, and the texts are not.
    fn payload_of_hashes(&self, heading: &str, content: &str, fingerprint: &str) -> String {
        let null = "null";
        format!(
            "{heading}\nresult_id={}\ncanonical_content_sha256={content}\nsemantic_fingerprint_sha256={fingerprint}\n\
             adapter={}\npublished_at={}\nretrieved_at={}\nengine_version={}",
            self.result_id.unwrap_or(null),
            self.adapter,
            self.published_at.unwrap_or(null),
            self.retrieved_at.unwrap_or(null),
            self.engine_version,
        )
    }

    fn signable(&self) -> Result<(), Unsignable> {
        one_line_each(&[
            ("result_id", self.result_id),
            ("adapter", Some(self.adapter)),
            ("published_at", self.published_at),
            ("retrieved_at", self.retrieved_at),
            ("engine_version", Some(self.engine_version)),
        ])
    }
}

impl HaPriV3<'_> {
    /// Returns the signed payload.
    pub fn payload(&self) -> String {
        self.with_verdict(&self.facts.payload_under(HEADING_V3))
    }

    /// Returns the payload where the hashes of content and fingerprint are known; those of the facts are not read.
    ///
    /// # Errors
    /// A fact holds a line break.
    pub(crate) fn payload_of_hashes(&self, content: &str, fingerprint: &str) -> Result<String, Unsignable> {
        self.signable()?;
        one_line_each(&[
            ("canonical_content_sha256", Some(content)),
            ("semantic_fingerprint_sha256", Some(fingerprint)),
        ])?;
        Ok(self.with_verdict(&self.facts.payload_of_hashes(HEADING_V3, content, fingerprint)))
    }

    fn with_verdict(&self, facts: &str) -> String {
        format!(
            "{facts}\nverdict_id={}\ndecision={}",
            self.verdict_id.unwrap_or("null"),
            self.decision.unwrap_or("null"),
        )
    }

    /// HMAC-SHA256 of the payload under a key of any length, as 64 hexadecimal digits.
    ///
    /// ```
    /// use freshcontext_spec::ha_pri::{HaPriV2, HaPriV3, Verification};
    ///
    /// let facts = HaPriV2 {
    ///     result_id: Some("note-7"),
    ///     content: "What was read.",
    ///     semantic_fingerprint: None,
    ///     adapter: "custom",
    ///     published_at: None,
    ///     retrieved_at: Some("2026-06-09T12:00:00.000Z"),
    ///     engine_version: "1.0.0",
    /// };
    /// let stamp = HaPriV3 { facts, verdict_id: None, decision: Some("use_first") };
    /// let signature = stamp.sign(b"a key")?;
    /// assert_eq!(stamp.verify(b"a key", Some(&signature)), Verification::Valid);
    /// assert_eq!(stamp.verify(b"another key", Some(&signature)), Verification::Invalid);
    /// # Ok::<(), freshcontext_spec::ha_pri::Unsignable>(())
    /// ```
    pub fn sign(&self, key: &[u8]) -> Result<String, Unsignable> {
        self.signable()?;
        let mac = self.mac(key).ok_or(Unsignable { fact: "key" })?;
        Ok(encode_string(&mac.finalize().into_bytes()))
    }

    /// Checks a stored signature in constant time. A missing or blank one is `Unknown`.
    pub fn verify(&self, key: &[u8], stored: Option<&str>) -> Verification {
        let Some(stored) = stored.filter(|stored| !stored.trim().is_empty()) else {
            return Verification::Unknown;
        };
        let checked = self
            .signable()
            .ok()
            .and_then(|()| unhex(stored))
            .zip(self.mac(key))
            .is_some_and(|(stored, mac)| mac.verify_slice(&stored).is_ok());
        if checked {
            Verification::Valid
        } else {
            Verification::Invalid
        }
    }

    fn mac(&self, key: &[u8]) -> Option<Hmac<Sha256>> {
        // HMAC accepts keys of any length, so this never fails.
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).ok()?;
        mac.update(self.payload().as_bytes());
        Some(mac)
    }

    fn signable(&self) -> Result<(), Unsignable> {
        self.facts.signable()?;
        one_line_each(&[("verdict_id", self.verdict_id), ("decision", self.decision)])
    }
}

/// Checks a stored version 2 signature in constant time. A missing or blank one is `Unknown`.
pub fn verify_v2(facts: &HaPriV2<'_>, stored: Option<&str>) -> Verification {
    let Some(stored) = stored.filter(|stored| !stored.trim().is_empty()) else {
        return Verification::Unknown;
    };
    let same = facts
        .signature()
        .is_ok_and(|expected| same_bytes(expected.as_bytes(), stored.as_bytes()));
    if same {
        Verification::Valid
    } else {
        Verification::Invalid
    }
}

fn one_line_each(facts: &[(&'static str, Option<&str>)]) -> Result<(), Unsignable> {
    let broken = |(_, fact): &&(_, Option<&str>)| fact.is_some_and(|fact| fact.contains(['\n', '\r']));
    match facts.iter().find(broken) {
        Some((fact, _)) => Err(Unsignable { fact }),
        None => Ok(()),
    }
}

/// Compares all bytes, even after a difference.
fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// Decodes 64 lower-case hexadecimal digits into 32 bytes.
fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut out = [0; 32];
    let length = base16ct::lower::decode(text, &mut out).ok()?.len();
    (length == out.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    use freshcontext_testkit::bodies::shared_text;
    use serde_json::Value;

    use super::*;
    use freshcontext_core::provenance::{VerdictBasis, canonical};

    /// This project's test vectors in the reference's format, computed with Python's hashlib and hmac.
    fn ours(version: &str) -> Value {
        let both: Value = serde_json::from_str(include_str!("ha_pri_vectors.json")).unwrap();
        both[version].clone()
    }

    fn golden(version: u8) -> Value {
        let path = format!("reference/ha-pri-v{version}-golden-vectors.json");
        serde_json::from_str(&shared_text(&path)).unwrap()
    }

    fn facts(input: &Value) -> HaPriV2<'_> {
        HaPriV2 {
            result_id: input["resultId"].as_str(),
            content: input["rawContent"].as_str().unwrap(),
            semantic_fingerprint: input["semanticFingerprint"].as_str(),
            adapter: input["adapter"].as_str().unwrap(),
            published_at: input["publishedAt"].as_str(),
            retrieved_at: input["retrievedAt"].as_str(),
            engine_version: input["engineVersion"].as_str().unwrap(),
        }
    }

    fn status(name: &Value) -> Verification {
        match name.as_str().unwrap() {
            "valid" => Verification::Valid,
            "invalid" => Verification::Invalid,
            "unknown" => Verification::Unknown,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn our_version_2_vectors_hold() {
        version_2_holds(&ours("v2"), (2, 3, 3));
    }

    #[freshcontext_recorded::test]
    fn the_references_version_2_vectors_hold() {
        version_2_holds(&golden(2), (3, 6, 3));
    }

    fn version_2_holds(golden: &Value, counts: (usize, usize, usize)) {
        let vectors = golden["validVectors"].as_array().unwrap();
        assert_eq!(vectors.len(), counts.0);
        for vector in vectors {
            let (facts, expected) = (facts(&vector["input"]), &vector["expected"]);
            assert_eq!(
                canonical(facts.content),
                expected["canonicalContent"].as_str().unwrap()
            );
            assert_eq!(
                canonical_sha256(facts.content),
                expected["canonicalContentSha256"]
            );
            assert_eq!(facts.payload(), expected["signingPayload"]);
            assert_eq!(facts.signature().unwrap(), expected["haPriSigV2"]);
            assert_eq!(
                verify_v2(&facts, expected["haPriSigV2"].as_str()),
                status(&expected["verifyStatus"])
            );
        }
        let base = |name: &Value| vectors.iter().find(|vector| vector["name"] == *name).unwrap();
        let tampered = golden["tamperVectors"].as_array().unwrap();
        assert_eq!(tampered.len(), counts.1);
        for tamper in tampered {
            let base = base(&tamper["baseVector"]);
            let mut input = base["input"].clone();
            input[tamper["tamperField"].as_str().unwrap()] = tamper["tamperValue"].clone();
            let found = verify_v2(&facts(&input), base["expected"]["haPriSigV2"].as_str());
            assert_eq!(
                found,
                status(&tamper["expectedVerifyStatus"]),
                "{}",
                tamper["name"]
            );
        }
        let stored = golden["storedSignatureVectors"].as_array().unwrap();
        assert_eq!(stored.len(), counts.2);
        for vector in stored {
            let found = verify_v2(
                &facts(&base(&vector["baseVector"])["input"]),
                vector["actualSig"].as_str(),
            );
            assert_eq!(
                found,
                status(&vector["expectedVerifyStatus"]),
                "{}",
                vector["name"]
            );
        }
    }

    #[test]
    fn our_version_3_vectors_hold() {
        let ours = ours("v3");
        version_3_holds(&ours);
        for vector in ours["validVectors"].as_array().unwrap() {
            let stamp = stamp(&vector["input"]);
            let key = vector["key"].as_str().unwrap().as_bytes();
            assert_eq!(stamp.sign(key).unwrap(), vector["expected"]["haPriSigV3"]);
        }
    }

    #[freshcontext_recorded::test]
    fn the_references_version_3_vectors_hold() {
        version_3_holds(&golden(3));
    }

    fn stamp(input: &Value) -> HaPriV3<'_> {
        HaPriV3 {
            facts: facts(input),
            verdict_id: input["verdictId"].as_str(),
            decision: input["decision"].as_str(),
        }
    }

    fn version_3_holds(golden: &Value) {
        let vectors = golden["validVectors"].as_array().unwrap();
        assert_eq!(vectors.len(), 2);
        for vector in vectors {
            let input = &vector["input"];
            let stamp = stamp(input);
            assert_eq!(stamp.payload(), vector["expected"]["signingPayload"]);
            assert_eq!(
                sha256_hex(vector["verdictIdBasis"]["basis"].as_str().unwrap()),
                input["verdictId"]
            );
            let signature = stamp.sign(b"key").unwrap();
            assert_eq!(stamp.verify(b"key", Some(&signature)), Verification::Valid);
            let other = HaPriV3 {
                decision: Some("watch_only"),
                ..stamp
            };
            assert_eq!(other.verify(b"key", Some(&signature)), Verification::Invalid);
            let other = HaPriV3 {
                verdict_id: Some("0"),
                ..stamp
            };
            assert_eq!(other.verify(b"key", Some(&signature)), Verification::Invalid);
            assert_eq!(stamp.verify(b"key", Some("zz")), Verification::Invalid);
            assert_eq!(stamp.verify(b"key", Some(" ")), Verification::Unknown);
            assert_eq!(stamp.verify(b"key", None), Verification::Unknown);
        }
    }

    #[test]
    fn hmac_agrees_with_the_published_test_case() {
        // RFC 4231, test case 2.
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want for nothing?");
        assert_eq!(
            encode_string(&mac.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_line_break_in_a_fact_is_not_signed() {
        let facts = HaPriV2 {
            result_id: Some("a\nadapter=b"),
            content: "c",
            semantic_fingerprint: None,
            adapter: "x",
            published_at: None,
            retrieved_at: None,
            engine_version: "1",
        };
        assert_eq!(facts.signature(), Err(Unsignable { fact: "result_id" }));
        assert_eq!(
            verify_v2(&facts, Some(&sha256_hex(&facts.payload()))),
            Verification::Invalid
        );
    }

    #[test]
    fn a_verdict_id_follows_its_lines() {
        let basis = VerdictBasis {
            signal_id: None,
            source: "https://example.com/v3-null-test",
            source_type: "local_custom",
            published_at: None,
            decision: "exclude",
            source_profile: None,
            intent_profile: None,
        };
        assert_eq!(
            basis.id(),
            "9d197a6333daeb9415dbd95acd2d98a57c1ae471919393d1519307020446c618"
        );
    }
}
