//! Texts outside the training set, with the verdicts of the current weights. `training/` writes them and
//! measures the whole corpus that they are taken from.

use crate::inspect;

#[derive(serde::Deserialize)]
pub(super) struct Line {
    id: String,
    pub(super) label: String,
    failed: bool,
    kind: Option<String>,
    /// In percent.
    confidence: u8,
    pub(super) text: String,
}

pub(super) fn lines() -> Vec<Line> {
    include_str!("verdicts.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Reports a change of weights, features or rules text by text.
#[test]
fn verdicts_are_those_that_were_written() {
    let lines = lines();
    assert!(lines.len() >= 500, "{}", lines.len());
    let other: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let found = inspect(&line.text);
            let same = found.failed == line.failed
                && found.kind.map(crate::Kind::as_str) == line.kind.as_deref()
                && (found.confidence * 100.0 - f64::from(line.confidence)).abs() < 1.0;
            (!same).then(|| format!("{}: {found:?}", line.id))
        })
        .collect();
    assert!(
        other.is_empty(),
        "{} of {} verdicts changed. If that is meant, write them anew (training/README.md):\n{}",
        other.len(),
        lines.len(),
        other.join("\n")
    );
}

/// Minimum recall and maximum false positives, regardless of the recorded verdicts.
#[test]
fn texts_that_are_never_learned_from_are_told_apart() {
    let (failures, content): (Vec<Line>, Vec<Line>) =
        lines().into_iter().partition(|line| line.label == "failure");
    let called = |lines: &[Line]| {
        let called = lines.iter().filter(|line| inspect(&line.text).failed);
        called.count() as f64 * 100.0 / lines.len().max(1) as f64
    };
    let (found, wronged) = (called(&failures), called(&content));
    assert!(found >= LEAST, "{found:.1} % of {} found", failures.len());
    assert!(wronged <= MOST, "{wronged:.1} % of {} taken", content.len());
}

/// In percent.
const LEAST: f64 = 85.0;
const MOST: f64 = 2.6;
