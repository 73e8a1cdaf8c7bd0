//! Stamps: facts of a text with their Ha-Pri signature, as one JSON object.

use std::fmt;

use chrono::{DateTime, NaiveDate};
use freshcontext_contract::{code, quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ha_pri::{HaPriV2, HaPriV3, Unsignable, Verification, verify_v2};

/// The facts and their signature.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// Signature scheme, made by [`stamped`](Self::stamped).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// Identity of the result.
    pub result_id: Option<String>,
    /// The text as retrieved.
    pub content: String,
    /// Meaning of the text, in the caller's words.
    pub semantic_fingerprint: Option<String>,
    /// The source.
    pub adapter: String,
    /// Date of publication.
    pub published_at: Option<String>,
    /// Date of retrieval.
    pub retrieved_at: Option<String>,
    /// Version of what evaluated the text.
    pub engine_version: Option<String>,
    /// Id of the verdict; signed with a key only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict_id: Option<String>,
    /// Name of the decision; signed with a key only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The signature, made by [`stamped`](Self::stamped).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Signature scheme; the names are those in the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Scheme {
    /// A bare SHA-256: detects changes but does not identify the signer.
    #[serde(rename = "FRESHCONTEXT_HA_PRI_V2")]
    Hash,
    /// HMAC-SHA256 under a key; covers the verdict too.
    #[serde(rename = "FRESHCONTEXT_HA_PRI_V3")]
    Keyed,
}

/// Invalid facts, or a check that cannot be made, with advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampError {
    /// What is wrong.
    pub what: String,
    /// What to do about it; `None` where a key is missing, which each door takes in its own way.
    pub hint: Option<&'static str>,
}

impl fmt::Display for StampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for StampError {}

/// Advice on a fact that holds a line break.
const AMBIGUOUS: &str = "a payload with one could be read in two ways";

/// What a valid stamp covers, with a key and without.
pub const fn covers(keyed: bool) -> &'static str {
    if keyed {
        "the fields of the facts and of the verdict; of the content, its text without line ends and blanks at the end of a line"
    } else {
        "the fields of the facts; of the content, its text without line ends and blanks at the end of a line"
    }
}

const FACTS: &str = "give {\"content\", \"adapter\"} with what is known of result_id, semantic_fingerprint, published_at, \
     retrieved_at, engine_version, verdict_id, decision";

impl Stamp {
    /// Reads a stamp, or facts to be stamped, from JSON.
    pub fn from_json(bytes: &[u8]) -> Result<Self, StampError> {
        let problem = |what: String| StampError {
            what,
            hint: Some(FACTS),
        };
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let stamp = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let field = error.path().to_string();
            let what = error.into_inner().to_string();
            problem(match named_field(&what) {
                Some((problem, name)) => format!("{problem} {}", code(name)),
                None if field == "." => quoted(&what),
                None => format!("{}: {}", code(&field), quoted(&what)),
            })
        })?;
        let end = reader.end().map_err(|error| problem(error.to_string()));
        end.map(|()| stamp)
    }

    /// Checks that apply only when a stamp is made.
    fn check(&self, keyed: bool) -> Result<(), StampError> {
        let dates = [
            ("published_at", &self.published_at),
            ("retrieved_at", &self.retrieved_at),
        ];
        for (name, date) in dates {
            if date.as_deref().is_some_and(|date| !is_date(date)) {
                return Err(StampError {
                    what: format!("`{name}` is no date"),
                    hint: Some("for example 2026-03-05 or 2026-03-05T12:00:00.000Z"),
                });
            }
        }
        for (name, given) in [
            ("scheme", self.scheme.is_some()),
            ("signature", self.signature.is_some()),
        ] {
            if given {
                return Err(StampError {
                    what: format!("`{name}` is made by `stamp`"),
                    hint: Some("`freshcontext verify` checks a stamp that is there"),
                });
            }
        }
        if let Some(name) = self.named_null() {
            return Err(StampError {
                what: format!("`{name}` is the text \"null\", which is signed as if it were left out"),
                hint: Some("leave out what is not known"),
            });
        }
        match self.verdict() {
            Some(name) if !keyed => Err(StampError {
                what: format!("`{name}` is signed with a key only"),
                hint: None,
            }),
            _ => Ok(()),
        }
    }

    /// A fact that is the text `null`. The payloads of Ha-Pri have the same line, or the same hash, for it and for a fact that is
    /// left out.
    fn named_null(&self) -> Option<&'static str> {
        let facts = [
            ("result_id", &self.result_id),
            ("semantic_fingerprint", &self.semantic_fingerprint),
            ("published_at", &self.published_at),
            ("retrieved_at", &self.retrieved_at),
            ("engine_version", &self.engine_version),
            ("verdict_id", &self.verdict_id),
            ("decision", &self.decision),
        ];
        let is_null = |(_, fact): &(_, &Option<String>)| fact.as_deref() == Some("null");
        facts.into_iter().find(is_null).map(|(name, _)| name)
    }

    /// The first fact of a verdict that is there.
    fn verdict(&self) -> Option<&'static str> {
        let facts = [("verdict_id", &self.verdict_id), ("decision", &self.decision)];
        let found = facts.into_iter().find(|(_, fact)| fact.is_some());
        found.map(|(name, _)| name)
    }

    /// Signs the facts: with a bare hash, or with a key. `engine_version` is taken where they name none.
    ///
    /// # Errors
    /// Facts that are not valid or hold a line break, and a verdict without a key.
    pub fn stamped(mut self, key: Option<&[u8]>, engine_version: &str) -> Result<Self, StampError> {
        self.check(key.is_some())?;
        self.engine_version
            .get_or_insert_with(|| engine_version.to_owned());
        let (scheme, signature) = match key {
            Some(key) => (Scheme::Keyed, self.facts_with_verdict().sign(key)),
            None => (Scheme::Hash, self.facts().signature()),
        };
        let signature = signature.map_err(|error: Unsignable| StampError {
            what: error.to_string(),
            hint: Some(AMBIGUOUS),
        })?;
        (self.scheme, self.signature) = (Some(scheme), Some(signature));
        Ok(self)
    }

    /// Checks the signature, and says what the result means.
    ///
    /// # Errors
    /// The stamp is signed with a key, and none is given.
    pub fn verified(&self, key: Option<&[u8]>) -> Result<(Verification, &'static str), StampError> {
        let stored = self.signature.as_deref();
        let is_signed = stored.is_some_and(|stored| !stored.trim().is_empty());
        let checked = match (self.scheme, key) {
            (None, _) => (
                Verification::Unknown,
                "there is no `scheme`, so nothing is signed",
            ),
            _ if is_signed && self.named_null().is_some() => (
                Verification::Invalid,
                "a fact is the text \"null\", which no signature tells from one that is left out",
            ),
            (Some(Scheme::Hash), _) if is_signed && self.verdict().is_some() => (
                Verification::Invalid,
                "there is a verdict (`verdict_id`, `decision`), which is signed with a key only",
            ),
            // A verification with a key asks who signed, which an unkeyed hash cannot show.
            (Some(Scheme::Hash), Some(_)) => (Verification::Invalid, "it is not signed with a key"),
            (Some(Scheme::Hash), None) => match verify_v2(&self.facts(), stored) {
                Verification::Valid => (
                    Verification::Valid,
                    "the facts are those that were stamped; anybody could have stamped them",
                ),
                other => (other, reason(other)),
            },
            (Some(Scheme::Keyed), Some(key)) => match self.facts_with_verdict().verify(key, stored) {
                Verification::Valid => (
                    Verification::Valid,
                    "the facts are those that the holder of the key stamped",
                ),
                other => (other, reason(other)),
            },
            (Some(Scheme::Keyed), None) => {
                return Err(StampError {
                    what: "`scheme` says that it is signed with a key".to_owned(),
                    hint: None,
                });
            }
        };
        Ok(checked)
    }

    fn facts(&self) -> HaPriV2<'_> {
        HaPriV2 {
            result_id: self.result_id.as_deref(),
            content: &self.content,
            semantic_fingerprint: self.semantic_fingerprint.as_deref(),
            adapter: &self.adapter,
            published_at: self.published_at.as_deref(),
            retrieved_at: self.retrieved_at.as_deref(),
            engine_version: self.engine_version.as_deref().unwrap_or("null"),
        }
    }

    fn facts_with_verdict(&self) -> HaPriV3<'_> {
        HaPriV3 {
            facts: self.facts(),
            verdict_id: self.verdict_id.as_deref(),
            decision: self.decision.as_deref(),
        }
    }
}

/// Extracts the problem and the field from a serde message about one field.
fn named_field(message: &str) -> Option<(&'static str, &str)> {
    ["missing field", "unknown field", "duplicate field"]
        .into_iter()
        .find_map(|problem| {
            let rest = message.strip_prefix(problem)?.strip_prefix(" `")?;
            Some((problem, rest.split('`').next()?))
        })
}

fn is_date(text: &str) -> bool {
    DateTime::parse_from_rfc3339(text).is_ok() || text.parse::<NaiveDate>().is_ok()
}

fn reason(verification: Verification) -> &'static str {
    match verification {
        Verification::Unknown => "there is no `signature`",
        _ => "the signature does not belong to these facts",
    }
}
