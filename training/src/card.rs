//! Weights, model card and verdicts of the failure detector. They are written together and checked for consistency.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::verdicts::{self, VERDICTS};
use crate::{Inputs, archive, train};

/// Path of the weights.
const WEIGHTS: &str = "crates/detect/src/weights.bin";

/// Path of the model card.
const CARD: &str = "docs/detector.md";

/// Introduction of the model card; the measurements follow.
const ABOUT: &str = include_str!("detector.md");

/// Trains, and writes the weights, the model card and the verdicts.
///
/// # Errors
///
/// A message, if the date is invalid, or a file cannot be read or written.
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

/// Writes the verdicts of the stored weights. Needed after a change to the rules or the features.
///
/// # Errors
///
/// A message, if a file cannot be read or written.
pub fn judge(root: &Path) -> Result<String, String> {
    let corpus = archive::open(&root.join("training"))?;
    let verdicts = verdicts::lines(&corpus, &load(root, WEIGHTS)?)?;
    save(root, VERDICTS, verdicts.as_bytes())?;
    Ok(format!("written: {VERDICTS}"))
}

/// Checks that weights, model card and verdicts belong together, and that a small training is repeatable byte for
/// byte.
///
/// # Errors
///
/// A message that says which check failed and what to run.
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
