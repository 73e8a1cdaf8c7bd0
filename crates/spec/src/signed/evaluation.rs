//! The signatures of an evaluation: one of each verdict, and one of the whole.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use freshcontext_core::provenance::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Checked, KeyDocument, Keyring, SAYS, Signature, Subject};
use crate::canonical::{NotCanonical, canonical, members};
use crate::ha_pri::{HaPriV2, HaPriV3};

/// Where the structured result of an evaluation holds its signatures.
pub const SIGNATURE_FIELD: &str = "signature";
/// Where it holds the signature of the whole.
const WHOLE: &[&str] = &[SIGNATURE_FIELD, "evaluation"];

/// What the signatures of an evaluation cover.
pub const COVERS: &str = "`evaluation` covers every field of this object but itself, as canonical JSON (RFC 8785); each of \
     `verdicts` covers its payload.";

/// Payload of a verdict (Ha-Pri, version 3), from an evaluation's result as JSON. `None` where a fact holds a line break.
pub fn verdict_payload(result: &Value, engine_version: &str) -> Option<String> {
    let readiness = result.get("provenance_readiness")?;
    let known = |name: &str| readiness.get(name).and_then(Value::as_str);
    let fact = |name: &str| result.get(name).and_then(Value::as_str);
    let stamp = HaPriV3 {
        facts: HaPriV2 {
            result_id: readiness
                .pointer("/source_identity/result_id")
                .and_then(Value::as_str),
            // An evaluation states their hashes.
            content: "",
            semantic_fingerprint: None,
            adapter: fact("source_type").unwrap_or("null"),
            published_at: known("published_at"),
            retrieved_at: known("retrieved_at"),
            engine_version,
        },
        verdict_id: fact("verdict_id"),
        decision: fact("decision"),
    };
    let content = known("canonical_content_sha256").map_or_else(|| sha256_hex(""), str::to_owned);
    let fingerprint = known("semantic_fingerprint_sha256").map_or_else(|| sha256_hex("null"), str::to_owned);
    stamp.payload_of_hashes(&content, &fingerprint).ok()
}

/// The signatures of an evaluation: a field of its structured result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedVerdicts {
    /// [`SAYS`].
    pub says: String,
    /// [`COVERS`]; an earlier version did not say it.
    #[serde(default)]
    pub covers: String,
    /// Version of the engine in each payload.
    pub engine_version: String,
    /// The signatures, by the place of their verdict.
    pub verdicts: Vec<SignedVerdict>,
    /// The signature of the whole evaluation, made by [`put_into`](Self::put_into). An earlier version made none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Signature>,
}

/// The signature of one verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedVerdict {
    /// `index` of the result.
    pub index: u64,
    /// What is signed: the Ha-Pri payload.
    pub payload: String,
    /// The signature.
    #[serde(flatten)]
    pub signature: Signature,
}

impl SignedVerdicts {
    /// Returns the evaluation in a file, as it stands: the evaluation itself, a result of MCP, or the message that holds one.
    /// `None` where there is none, and where there are two, because readers would differ in which one they take.
    ///
    /// # Errors
    /// See [`NotCanonical`]: of the whole file, at every depth.
    pub fn evaluation_in(whole: &str) -> Result<Option<&str>, NotCanonical> {
        // Refuses names that come twice wherever they stand.
        canonical(whole, &[])?;
        let mut found = Vec::new();
        for path in [&[][..], &["structuredContent"], &["result", "structuredContent"]] {
            let mut place = Some(whole.trim());
            for name in path {
                place = place.map(|json| member(json, name)).transpose()?.flatten();
            }
            if let Some(json) = place
                && member(json, "results")?.is_some()
            {
                found.push(json);
            }
        }
        Ok(match found[..] {
            [one] => Some(one),
            _ => None,
        })
    }

    /// Signs the verdicts of an evaluation.
    fn of(evaluation: &Value, engine_version: &str, keys: &Keyring, now: DateTime<Utc>) -> Self {
        let results = evaluation.get("results").and_then(Value::as_array);
        let signed = results.into_iter().flatten().filter_map(|result| {
            let payload = verdict_payload(result, engine_version)?;
            Some(SignedVerdict {
                index: result.get("index")?.as_u64()?,
                signature: keys.sign(Subject::Verdict, payload.as_bytes(), now),
                payload,
            })
        });
        Self {
            says: SAYS.to_owned(),
            covers: COVERS.to_owned(),
            engine_version: engine_version.to_owned(),
            verdicts: signed.collect(),
            evaluation: None,
        }
    }

    /// Signs the verdicts and the whole, and puts the signatures into the evaluation. It leaves as this says, with no field more.
    pub fn put_into(evaluation: &mut Value, engine_version: &str, keys: &Keyring, now: DateTime<Utc>) {
        let mut signed = Self::of(evaluation, engine_version, keys, now);
        let mut put = |signed: &Self| {
            if let Some(fields) = evaluation.as_object_mut() {
                let signed = serde_json::to_value(signed).unwrap_or_default();
                fields.insert(SIGNATURE_FIELD.to_owned(), signed);
            }
            evaluation.to_string()
        };
        let unsealed = put(&signed);
        // Without a seal, a check says that the whole is not signed.
        signed.evaluation = Self::seal(&unsealed, keys, now).ok();
        put(&signed);
    }

    /// Signs the whole: `json` is the evaluation as it leaves, with these signatures in it.
    ///
    /// # Errors
    /// The evaluation has no canonical form.
    fn seal(json: &str, keys: &Keyring, now: DateTime<Utc>) -> Result<Signature, NotCanonical> {
        let whole = canonical(json, WHOLE)?;
        Ok(keys.sign(Subject::Evaluation, whole.as_bytes(), now))
    }

    /// Checks an evaluation as it stands: the signature of the whole, and every verdict against its own result. The worst result
    /// stands for all. Each result must have one signed verdict, and each verdict its result.
    ///
    /// # Errors
    /// See [`NotCanonical`].
    pub fn check(evaluation: &str, keys: &KeyDocument) -> Result<Checked, NotCanonical> {
        let whole = canonical(evaluation, WHOLE)?;
        let read: Value = serde_json::from_str(evaluation).map_err(|_| NotCanonical::NotJson)?;
        let signed = read.get("signature").cloned();
        let Some(signed) = signed.and_then(|signed| serde_json::from_value::<Self>(signed).ok()) else {
            return Ok(Checked::UnknownScheme);
        };
        let Some(results) = read.get("results").and_then(Value::as_array) else {
            return Ok(Checked::Changed);
        };
        let of_whole = match &signed.evaluation {
            // The signature of the whole does not cover itself, so it holds its own fields and no other.
            Some(signature)
                if signature.subject != Subject::Evaluation
                    || serde_json::to_value(signature).ok().as_ref()
                        != read.pointer("/signature/evaluation") =>
            {
                Checked::Changed
            }
            Some(signature) => signature.check(whole.as_bytes(), keys),
            // Nothing is signed at all.
            None if signed.verdicts.is_empty() => Checked::UnknownScheme,
            None => Checked::VerdictsOnly,
        };
        let of_verdicts = signed.check_verdicts(results, keys);
        Ok(match (of_whole, of_verdicts) {
            // What is wrong with a verdict says more than that the whole is not signed.
            (Checked::VerdictsOnly, Checked::Valid | Checked::Retired) => Checked::VerdictsOnly,
            (Checked::Retired, Checked::Valid) => Checked::Retired,
            (Checked::VerdictsOnly | Checked::Valid | Checked::Retired, of_verdicts) => of_verdicts,
            (wrong, _) => wrong,
        })
    }

    /// The verdicts against their results; one that has none is [`Checked::Incomplete`].
    fn check_verdicts(&self, results: &[Value], keys: &KeyDocument) -> Checked {
        let mut whole = Checked::Valid;
        let mut unused: BTreeMap<u64, &SignedVerdict> = self
            .verdicts
            .iter()
            .map(|verdict| (verdict.index, verdict))
            .collect();
        if unused.len() != self.verdicts.len() {
            return Checked::Changed;
        }
        let mut is_complete = true;
        for result in results {
            let index = result.get("index").and_then(Value::as_u64);
            let Some(verdict) = index.and_then(|index| unused.remove(&index)) else {
                is_complete = false;
                continue;
            };
            let own = verdict_payload(result, &self.engine_version);
            if own.as_deref() != Some(verdict.payload.as_str())
                || verdict.signature.subject != Subject::Verdict
            {
                return Checked::Changed;
            }
            match verdict.signature.check(verdict.payload.as_bytes(), keys) {
                Checked::Valid => {}
                Checked::Retired => whole = Checked::Retired,
                wrong => return wrong,
            }
        }
        if !unused.is_empty() {
            Checked::Changed
        } else if is_complete {
            whole
        } else {
            Checked::Incomplete
        }
    }
}

/// A member of an object, as it stands.
fn member<'a>(json: &'a str, name: &str) -> Result<Option<&'a str>, NotCanonical> {
    let members = members(json)?.unwrap_or_default();
    let mut found = members.into_iter().filter(|(own, _)| own == name);
    Ok(found.next().map(|(_, value)| value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_from_hashes_is_the_payload_from_facts() {
        let result = json!({
            "verdict_id": "v", "decision": "use_first", "source_type": "custom",
            "provenance_readiness": {
                "source_identity": {"result_id": "r"}, "published_at": null, "retrieved_at": "2026-06-09T12:00:00.000Z",
                "canonical_content_sha256": freshcontext_core::provenance::canonical_sha256("text"),
                "semantic_fingerprint_sha256": null
            }
        });
        let facts = HaPriV2 {
            result_id: Some("r"),
            content: "text",
            semantic_fingerprint: None,
            adapter: "custom",
            published_at: None,
            retrieved_at: Some("2026-06-09T12:00:00.000Z"),
            engine_version: "1.0.0",
        };
        let stamp = HaPriV3 {
            facts,
            verdict_id: Some("v"),
            decision: Some("use_first"),
        };
        assert_eq!(verdict_payload(&result, "1.0.0"), Some(stamp.payload()));
    }
}
