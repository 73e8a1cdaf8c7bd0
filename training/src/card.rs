//! Weights, model card and verdicts of the failure detector: written together, and checked to belong together.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::verdicts::{self, VERDICTS};
use crate::{Inputs, archive, train};

/// Where the weights are kept.
const WEIGHTS: &str = "crates/detect/src/weights.bin";

/// Where the report is kept.
const CARD: &str = "docs/detector.md";

/// What opens the model card; the figures follow.
const ABOUT: &str = include_str!("detector.md");

/// Trains and writes weights, model card and verdicts.
///
/// # Errors
///
/// A sentence, where the date is none, or a file cannot be read or written.
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
    let corpus = archive::open(&root.join("training"))?;
    let trained = train(&Inputs {
        corpus: &corpus,
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
    let verdicts = verdicts::lines(&corpus, &trained.weights)?;
    save(root, WEIGHTS, &trained.weights)?;
    save(root, CARD, card.as_bytes())?;
    save(root, VERDICTS, verdicts.as_bytes())?;
    Ok(format!(
        "written: {WEIGHTS}, {CARD}, {VERDICTS}; the detector is built with them from now on"
    ))
}

/// Writes the verdicts of the weights that are kept: after a change to the rules or the features.
///
/// # Errors
///
/// A sentence, where a file cannot be read or written.
pub fn judge(root: &Path) -> Result<String, String> {
    let corpus = archive::open(&root.join("training"))?;
    let verdicts = verdicts::lines(&corpus, &load(root, WEIGHTS)?)?;
    save(root, VERDICTS, verdicts.as_bytes())?;
    Ok(format!("written: {VERDICTS}"))
}

/// Whether weights, model card and verdicts belong together, and a small training gives the same bytes twice.
///
/// # Errors
///
/// A sentence that says what does not hold and what to run.
pub fn check(root: &Path) -> Result<String, String> {
    let corpus = archive::open(&root.join("training"))?;
    if archive::packed(&corpus)? != load(root, &format!("training/{}", archive::ARCHIVE))? {
        return Err(format!(
            "training/{} is not what `pack` makes of its files; run `unpack` and `pack`",
            archive::ARCHIVE
        ));
    }
    let card = String::from_utf8(load(root, CARD)?).map_err(|error| format!("{CARD}: {error}"))?;
    let weights = load(root, WEIGHTS)?;
    let kept = hash(&weights);
    if !card.contains(&kept) {
        return Err(format!("{CARD} is not about {WEIGHTS} ({kept}); run `train`"));
    }
    if load(root, VERDICTS)? != verdicts::lines(&corpus, &weights)?.as_bytes() {
        return Err(format!("{VERDICTS} is not what {WEIGHTS} gives; run `verdicts`"));
    }
    let small = Inputs {
        corpus: &corpus,
        dev: None,
        real: Vec::new(),
        curve: false,
    };
    let (first, second) = (train(&small)?, train(&small)?);
    if first.weights != second.weights || first.report != second.report {
        return Err("training on the same input twice gave different weights".to_owned());
    }
    Ok(format!(
        "{CARD} and {VERDICTS} are about {WEIGHTS}, and training on the repository's texts gives the same bytes twice \
         ({})",
        hash(&first.weights)
    ))
}

fn load(root: &Path, name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(root.join(name)).map_err(|error| format!("{name}: {error}"))
}

fn save(root: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(root.join(name), bytes).map_err(|error| format!("{name}: {error}"))
}

fn hash(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}
