//! `freshcontext keys`, and `verify` with a document of public keys. `verify` needs neither the network nor settings.

use std::path::Path;

use freshcontext_config::{ConfigError, Settings};
use freshcontext_contract::Limits;
use freshcontext_files::read::{self as input, Bound};
use freshcontext_spec::canonical::NotCanonical;
use freshcontext_spec::ha_pri::Verification;
use freshcontext_spec::signed::{Checked, KeyDocument, Signature, SignedVerdicts};

use super::WRONG;
use super::stamp::{self, Shown};
use crate::app::keyring;
use crate::output;

/// Advice on a file that is not as expected.
const HINT: &str = "FILE is an evaluation as JSON, or the bytes of an answer with --signature FILE";

/// Prints the key document.
pub(super) fn keys(settings: &Settings) -> Result<u8, ConfigError> {
    let document = keyring(settings)?.map_or_else(KeyDocument::default, |keys| keys.document().clone());
    output::line(&serde_json::to_string_pretty(&document.json()).unwrap_or_default());
    Ok(0)
}

/// Verifies an answer with its signature, or an evaluation with the signatures that it holds.
pub(super) fn verify(
    file: &Path,
    keys: &Path,
    signature: Option<&Path>,
    as_json: bool,
    limits: &Limits,
) -> u8 {
    let checked = match checked(file, keys, signature, limits) {
        Ok(checked) => checked,
        Err(what) => {
            output::error(&what, Some(HINT));
            return WRONG;
        }
    };
    let verification = match checked {
        checked if checked.is_valid() => Verification::Valid,
        Checked::UnknownKey | Checked::UnknownScheme | Checked::VerdictsOnly | Checked::Incomplete => {
            Verification::Unknown
        }
        _ => Verification::Invalid,
    };
    let covers = match signature {
        Some(_) => "every byte of the file",
        None => "every field of the evaluation; not the text beside it, which has a signature of its own",
    };
    let shown = Shown {
        verification,
        said: checked.says(),
        reason: Some(checked.as_str()),
        covers,
    };
    stamp::show(&shown, as_json)
}

fn checked(file: &Path, keys: &Path, signature: Option<&Path>, limits: &Limits) -> Result<Checked, String> {
    let read = |file: &Path| input::read(file, Bound::input(limits)).map_err(|refused| refused.to_string());
    let keys = KeyDocument::from_json(&read(keys)?).map_err(|error| format!("--keys: {error}"))?;
    let bytes = read(file)?;
    if let Some(signature) = signature {
        let signature: Signature = serde_json::from_slice(&read(signature)?)
            .map_err(|_| "--signature: the file holds no signature as JSON".to_owned())?;
        return Ok(signature.check(&bytes, &keys));
    }
    let whole = std::str::from_utf8(&bytes).map_err(|_| "the file is not JSON".to_owned())?;
    let whole = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let checked = match SignedVerdicts::evaluation_in(whole) {
        Ok(Some(evaluation)) => SignedVerdicts::check(evaluation, &keys),
        Ok(None) => return Err("the file holds no evaluation, or more than one".to_owned()),
        Err(problem) => Err(problem),
    };
    match checked {
        Ok(checked) => Ok(checked),
        Err(NotCanonical::Duplicate) => Ok(Checked::DuplicateField),
        Err(NotCanonical::NotJson) => Err("the file is not JSON".to_owned()),
    }
}
