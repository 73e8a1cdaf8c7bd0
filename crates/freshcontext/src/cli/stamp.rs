//! `freshcontext stamp` and `verify`: Ha-Pri signatures over facts in a file. No network, no settings.

use std::path::Path;

use chrono::{DateTime, NaiveDate};
use freshcontext_contract::{Limits, code, quoted};
use freshcontext_spec::ha_pri::{HaPriV2, HaPriV3, Unsignable, Verification, verify_v2};
use serde::{Deserialize, Serialize};

use super::{FAILED, WRONG};
use crate::output::{self, Style};
use freshcontext_files::read::{self as input, Bound};

/// Input of both commands and output of `stamp`: the facts and their signature.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamp {
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<Scheme>,
    result_id: Option<String>,
    content: String,
    semantic_fingerprint: Option<String>,
    adapter: String,
    published_at: Option<String>,
    retrieved_at: Option<String>,
    engine_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// Signature scheme; the names are those in the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Scheme {
    /// A bare SHA-256: detects changes but does not identify the signer.
    #[serde(rename = "FRESHCONTEXT_HA_PRI_V2")]
    Hash,
    /// HMAC-SHA256 under a key; covers the verdict too.
    #[serde(rename = "FRESHCONTEXT_HA_PRI_V3")]
    Keyed,
}

/// Invalid input, with advice.
struct Problem {
    what: String,
    hint: &'static str,
}

const FACTS: &str = "give {\"content\", \"adapter\"} with what is known of result_id, semantic_fingerprint, published_at, \
     retrieved_at, engine_version, verdict_id, decision";

impl Stamp {
    fn read(file: &Path, limits: &Limits) -> Result<Self, Problem> {
        let problem = |what: String, hint| Problem { what, hint };
        let bytes = input::read(file, Bound::input(limits))
            .map_err(|refused| problem(refused.to_string(), "give a file, or - for stdin"))?;
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let stamp = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let field = error.path().to_string();
            let what = error.into_inner().to_string();
            let named = match named_field(&what) {
                Some((problem, name)) => format!("{problem} {}", code(name)),
                None if field == "." => quoted(&what),
                None => format!("{}: {}", code(&field), quoted(&what)),
            };
            problem(named, FACTS)
        })?;
        let end = reader.end().map_err(|error| problem(error.to_string(), FACTS));
        end.map(|()| stamp)
    }

    /// Checks that apply only when a stamp is made.
    fn check(&self, keyed: bool) -> Result<(), Problem> {
        let dates = [
            ("published_at", &self.published_at),
            ("retrieved_at", &self.retrieved_at),
        ];
        for (name, date) in dates {
            if date.as_deref().is_some_and(|date| !is_date(date)) {
                return Err(Problem {
                    what: format!("`{name}` is no date"),
                    hint: "for example 2026-03-05 or 2026-03-05T12:00:00.000Z",
                });
            }
        }
        for (name, given) in [
            ("scheme", self.scheme.is_some()),
            ("signature", self.signature.is_some()),
        ] {
            if given {
                return Err(Problem {
                    what: format!("`{name}` is made by `stamp`"),
                    hint: "`freshcontext verify` checks a stamp that is there",
                });
            }
        }
        for (name, fact) in [("verdict_id", &self.verdict_id), ("decision", &self.decision)] {
            if fact.is_some() && !keyed {
                return Err(Problem {
                    what: format!("`{name}` is signed with a key only"),
                    hint: "give --key-file FILE",
                });
            }
        }
        Ok(())
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

/// Reads the key: a file's bytes without the final line ending that editors add.
fn key_of(file: Option<&Path>, limits: &Limits) -> Result<Option<Vec<u8>>, Problem> {
    let Some(file) = file else { return Ok(None) };
    let problem = |what| Problem {
        what,
        hint: "the key is all that stands in the file",
    };
    let mut key = input::read_piped(file, Bound::config(limits))
        .map_err(|refused| problem(format!("`--key-file`: {refused}")))?;
    while key.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        key.pop();
    }
    if key.is_empty() {
        return Err(problem(format!("the key file {} is empty", file.display())));
    }
    Ok(Some(key))
}

/// Runs `freshcontext stamp`.
pub(super) fn stamp(file: &Path, key_file: Option<&Path>, limits: &Limits) -> u8 {
    match stamped(file, key_file, limits) {
        Ok(stamp) => {
            output::line(&serde_json::to_string_pretty(&stamp).unwrap_or_default());
            0
        }
        Err(problem) => wrong(&problem),
    }
}

fn stamped(file: &Path, key_file: Option<&Path>, limits: &Limits) -> Result<Stamp, Problem> {
    let key = key_of(key_file, limits)?;
    let mut stamp = Stamp::read(file, limits)?;
    stamp.check(key.is_some())?;
    stamp
        .engine_version
        .get_or_insert_with(|| env!("CARGO_PKG_VERSION").to_owned());
    let (scheme, signature) = match key {
        Some(key) => (Scheme::Keyed, stamp.facts_with_verdict().sign(&key)),
        None => (Scheme::Hash, stamp.facts().signature()),
    };
    let signature = signature.map_err(|error: Unsignable| Problem {
        what: error.to_string(),
        hint: "a payload with one could be read in two ways",
    })?;
    (stamp.scheme, stamp.signature) = (Some(scheme), Some(signature));
    Ok(stamp)
}

/// Runs `freshcontext verify`: 0 if the signature is valid, 1 if it is invalid or missing.
pub(super) fn verify(file: &Path, key_file: Option<&Path>, as_json: bool, limits: &Limits) -> u8 {
    let (verification, said) = match verified(file, key_file, limits) {
        Ok(checked) => checked,
        Err(problem) => return wrong(&problem),
    };
    let (name, style) = match verification {
        Verification::Valid => ("valid", Style::Good),
        Verification::Invalid => ("invalid", Style::Bad),
        Verification::Unknown => ("unknown", Style::Middling),
    };
    if as_json {
        let report = serde_json::json!({"verification": name, "detail": said});
        output::line(&serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        output::line(&format!("{}: {said}", output::paint(style, name)));
    }
    if verification == Verification::Valid {
        0
    } else {
        FAILED
    }
}

fn verified(
    file: &Path,
    key_file: Option<&Path>,
    limits: &Limits,
) -> Result<(Verification, &'static str), Problem> {
    let key = key_of(key_file, limits)?;
    let stamp = Stamp::read(file, limits)?;
    let stored = stamp.signature.as_deref();
    let checked = match (stamp.scheme, key) {
        (None, _) => (
            Verification::Unknown,
            "there is no `scheme`, so nothing is signed",
        ),
        // A verification with a key asks who signed, which an unkeyed hash cannot show.
        (Some(Scheme::Hash), Some(_)) => (Verification::Invalid, "it is not signed with a key"),
        (Some(Scheme::Hash), None) => match verify_v2(&stamp.facts(), stored) {
            Verification::Valid => (
                Verification::Valid,
                "the facts are those that were stamped; anybody could have stamped them",
            ),
            other => (other, reason(other)),
        },
        (Some(Scheme::Keyed), Some(key)) => match stamp.facts_with_verdict().verify(&key, stored) {
            Verification::Valid => (
                Verification::Valid,
                "the facts are those that the holder of the key stamped",
            ),
            other => (other, reason(other)),
        },
        (Some(Scheme::Keyed), None) => {
            return Err(Problem {
                what: "`scheme` says that it is signed with a key".to_owned(),
                hint: "give --key-file FILE",
            });
        }
    };
    Ok(checked)
}

fn reason(verification: Verification) -> &'static str {
    match verification {
        Verification::Unknown => "there is no `signature`",
        _ => "the signature does not belong to these facts",
    }
}

fn wrong(problem: &Problem) -> u8 {
    output::error(&problem.what, Some(problem.hint));
    WRONG
}
