//! `freshcontext keys`, and `verify` with a document of public keys. `verify` needs neither the network nor settings.

use std::path::Path;

use freshcontext_config::{ConfigError, Settings};
use freshcontext_contract::Limits;
use freshcontext_files::read::{self as input, Bound};
use freshcontext_spec::ha_pri::Verification;
use freshcontext_spec::signed::{Checked, KeyDocument, Signature, SignedVerdicts};
use serde_json::Value;

use super::{WRONG, stamp};
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
        Checked::UnknownKey | Checked::UnknownScheme => Verification::Unknown,
        _ => Verification::Invalid,
    };
    stamp::show(verification, checked.says(), Some(checked.as_str()), as_json)
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
    let whole: Value = serde_json::from_slice(&bytes).map_err(|_| "the file is not JSON".to_owned())?;
    let evaluation =
        SignedVerdicts::evaluation_in(&whole).ok_or_else(|| "the file holds no evaluation".to_owned())?;
    Ok(SignedVerdicts::check(evaluation, &keys).unwrap_or(Checked::UnknownScheme))
}
