//! `cargo xtask train-detector`: weights and model card of the failure detector.

use std::path::{Path, PathBuf};

use freshcontext_detect_train::{Inputs, train};
use sha2::{Digest, Sha256};

/// Where the weights are kept.
const WEIGHTS: &str = "crates/detect/src/weights.bin";

/// Where the report is kept.
const CARD: &str = "docs/detector.md";

/// What opens the model card; the figures follow.
const ABOUT: &str = include_str!("detector.md");

/// Trains and writes weights and model card.
pub fn write(
    root: &Path,
    dev: Option<PathBuf>,
    real: Vec<PathBuf>,
    curve: bool,
    date: &str,
) -> Result<String, String> {
    let dated = date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !dated {
        return Err(format!("--date is `{date}`; give it as 2026-11-22"));
    }
    let trained = train(&Inputs {
        corpus: root.join("crates/detect/corpus"),
        dev,
        real,
        curve,
    })?;
    let card = format!(
        "{ABOUT}\nTrained {date}. SHA-256 of the weights ({} bytes): `{}`.\n\n{}",
        trained.weights.len(),
        hash(&trained.weights),
        trained.report
    );
    std::fs::write(root.join(WEIGHTS), &trained.weights).map_err(|error| format!("{WEIGHTS}: {error}"))?;
    std::fs::write(root.join(CARD), card).map_err(|error| format!("{CARD}: {error}"))?;
    Ok(format!(
        "written: {WEIGHTS}, {CARD}; the detector is built with them from now on"
    ))
}

/// Whether weights and model card belong together, and a small retraining gives the same bytes twice.
pub fn check(root: &Path) -> Result<String, String> {
    let read = |name: &str| std::fs::read(root.join(name)).map_err(|error| format!("{name}: {error}"));
    let card = String::from_utf8(read(CARD)?).map_err(|error| format!("{CARD}: {error}"))?;
    let hash = hash(&read(WEIGHTS)?);
    if !card.contains(&hash) {
        return Err(format!(
            "{CARD} is not about {WEIGHTS} ({hash}); run `cargo xtask train-detector`"
        ));
    }
    let small = Inputs {
        corpus: root.join("crates/detect/corpus"),
        dev: None,
        real: Vec::new(),
        curve: false,
    };
    let (first, second) = (train(&small)?, train(&small)?);
    if first.weights != second.weights || first.report != second.report {
        return Err("training on the same input twice gave different weights".to_owned());
    }
    Ok(format!(
        "{CARD} is about {WEIGHTS}, and training on the repository's texts gives the same bytes twice"
    ))
}

fn hash(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}
