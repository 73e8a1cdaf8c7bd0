//! Training data: corpora of the repository, and real texts from elsewhere.

use freshcontext_detect::Kind;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// One text with its label.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Whether the text is a failure.
    pub failed: bool,
    /// Kind of the failure, if it is labelled.
    pub kind: Option<Kind>,
    /// Origin of the text: a file of the repository, or a package.
    pub source: String,
    /// Language, if it is known.
    pub language: String,
    /// Samples that a split must keep together share a group: the same message in other languages, other parts of the
    /// same file.
    pub group: String,
    /// The text.
    pub text: String,
    /// Training weight.
    pub weight: f32,
    /// Class within the source.
    pub class: String,
    /// Whether the text consists of program messages or of shuffled words. No threshold depends on such texts.
    pub message: bool,
    /// Whether scripts have filled its placeholders.
    pub placed: bool,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    kind: String,
    #[serde(default, alias = "src")]
    source: String,
    #[serde(default)]
    lang: String,
    #[serde(default)]
    group: String,
    #[serde(default)]
    english: String,
    #[serde(default)]
    class: String,
    text: String,
}

impl Sample {
    /// Returns the half of the sample, by the hash of its group: half 0 is for training, half 1 only for measurement.
    pub fn half(&self) -> u8 {
        Sha256::digest(self.group.as_bytes())
            .first()
            .map_or(0, |byte| byte % 2)
    }

    /// Returns a number below `folds`, by the hash of the group.
    pub fn fold(&self, folds: u8) -> u8 {
        Sha256::digest(self.group.as_bytes())
            .get(1)
            .map_or(0, |byte| byte % folds)
    }
}

fn lines(name: &str, bytes: &[u8]) -> Result<Vec<Line>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("{name}: {error}"))?;
    text.lines()
        .enumerate()
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("{name}:{}: {error}", at + 1)))
        .collect()
}

fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
}

/// Reads the lines of a file; `label` applies to lines without one.
pub(crate) fn read(file: &str, bytes: &[u8], label: Option<bool>) -> Result<Vec<Sample>, String> {
    let name = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let samples = lines(file, bytes)?.into_iter().map(|line| {
        let failed = match line.label.as_str() {
            "failure" => true,
            "genuine" => false,
            _ => label.unwrap_or(kind(&line.kind).is_some()),
        };
        let group = [&line.group, &line.english, &line.id]
            .into_iter()
            .find(|part| !part.is_empty());
        Sample {
            failed,
            kind: kind(&line.kind).filter(|_| failed),
            group: group.cloned().unwrap_or_else(|| line.text.clone()),
            source: if line.source.is_empty() {
                name.to_owned()
            } else {
                line.source
            },
            language: line.lang,
            class: if line.class.is_empty() {
                line.kind
            } else {
                line.class
            },
            text: line.text,
            weight: 0.0,
            message: false,
            placed: false,
        }
    });
    Ok(samples.collect())
}
