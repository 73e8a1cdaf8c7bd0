//! Expected results of the detector's own tests: texts that are never trained on, with the verdicts of the weights.

use std::fmt::Write as _;

use freshcontext_detect::inspect_with;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::archive::Corpus;
use crate::fit::model;

/// Path of the verdicts.
pub const VERDICTS: &str = "crates/detect/src/tests/verdicts.jsonl";

/// Files that are never trained on, and the fraction of each that is stored: one text in this many, by the hash of
/// its id, independent of the verdict.
const FILES: [(&str, u8); 6] = [
    ("stock-pages", 2),
    ("unseen", 8),
    ("unseen-names", 4),
    ("unseen-pages", 8),
    ("unseen-quotes", 4),
    ("writers-unseen", 10),
];

#[derive(Deserialize)]
struct Text {
    id: String,
    label: String,
    text: String,
}

#[derive(Serialize)]
struct Verdict<'a> {
    id: String,
    label: &'a str,
    failed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// In percent.
    confidence: u8,
    text: &'a str,
}

/// Returns the lines of [`VERDICTS`] for these weights.
///
/// # Errors
///
/// A message, if the corpus lacks a file or a line is damaged.
pub fn lines(corpus: &Corpus, weights: &[u8]) -> Result<String, String> {
    let model = model(weights)?;
    let mut out = String::new();
    for (name, share) in FILES {
        let file = format!("{name}.jsonl");
        let bytes = corpus
            .get(&file)
            .ok_or_else(|| format!("the archive of the corpus has no {file}"))?;
        let content = std::str::from_utf8(bytes).map_err(|error| format!("{file}: {error}"))?;
        for line in content.lines() {
            let text: Text = serde_json::from_str(line).map_err(|error| format!("{file}: {error}"))?;
            let id = format!("{name}:{}", text.id);
            if Sha256::digest(id.as_bytes())
                .first()
                .is_none_or(|byte| byte % share != 0)
            {
                continue;
            }
            let found = inspect_with(model, &text.text);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a confidence lies within 0..=1"
            )]
            let verdict = Verdict {
                id,
                label: &text.label,
                failed: found.failed,
                kind: found.kind.map(freshcontext_detect::Kind::as_str),
                confidence: (found.confidence * 100.0).round() as u8,
                text: &text.text,
            };
            let line = serde_json::to_string(&verdict).map_err(|error| error.to_string())?;
            // writing to a string cannot fail
            let _ = writeln!(out, "{line}");
        }
    }
    Ok(out)
}
