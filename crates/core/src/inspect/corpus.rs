//! The development corpus, where it is at hand: recall and false positives, overall and by half.
//!
//! The halves are split by the first byte of the identifier's SHA-256: even lines were looked at while
//! the rules were written, odd ones only measured.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::inspect;

#[derive(serde::Deserialize)]
struct Line {
    id: String,
    label: String,
    kind: String,
    text: String,
}

#[derive(Default, Clone, Copy)]
struct Score {
    failures: usize,
    found: usize,
    genuine: usize,
    wronged: usize,
}

impl Score {
    fn recall(self) -> f64 {
        self.found as f64 / self.failures.max(1) as f64
    }

    fn false_positives(self) -> f64 {
        self.wronged as f64 / self.genuine.max(1) as f64
    }
}

#[test]
fn the_corpus_is_told_apart() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/failure-corpus/dev.jsonl");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("SKIPPED: the failure corpus is not beside this checkout");
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "the failure corpus must be there in CI"
        );
        return;
    };
    let only = std::env::var("INSPECT_HALF").ok();
    let mut halves = [Score::default(); 2];
    let mut kinds: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let half = usize::from(Sha256::digest(line.id.as_bytes())[0] % 2);
        if only.as_deref().is_some_and(|only| only != half.to_string()) {
            continue;
        }
        let found = inspect(&line.text);
        let right = found.failed == (line.label == "failure");
        let score = &mut halves[half];
        if line.label == "failure" {
            score.failures += 1;
            score.found += usize::from(found.failed);
        } else {
            score.genuine += 1;
            score.wronged += usize::from(found.failed);
        }
        let kind = kinds.entry((line.label.clone(), line.kind.clone())).or_default();
        kind.0 += usize::from(right);
        kind.1 += 1;
        if !right {
            println!(
                "{} {} {} -> {:?} {} {} {:?}",
                line.id, line.label, line.kind, found.kind, found.confidence, found.reason, found.evidence
            );
        }
    }
    for ((label, kind), (right, all)) in &kinds {
        println!("{label:8} {kind:28} {right}/{all}");
    }
    let both = halves.into_iter().fold(Score::default(), |sum, score| Score {
        failures: sum.failures + score.failures,
        found: sum.found + score.found,
        genuine: sum.genuine + score.genuine,
        wronged: sum.wronged + score.wronged,
    });
    for (name, score) in [("looked at", halves[0]), ("held out", halves[1]), ("all", both)] {
        println!(
            "{name}: recall {:.3} ({}/{}), false positives {:.3} ({}/{})",
            score.recall(),
            score.found,
            score.failures,
            score.false_positives(),
            score.wronged,
            score.genuine
        );
    }
    for score in [halves[0], halves[1], both] {
        assert!(score.failures == 0 || score.recall() >= 0.97, "recall");
        assert!(score.false_positives() <= 0.01, "false positives");
    }
}
