//! Backups of a client's file. A backup is never overwritten: the first one may be the only copy of
//! hand-written content.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::clients::Rules;
use super::edit;
use super::text_of;
use freshcontext_files::read::Bound;
use freshcontext_files::write as atomic_file;

/// Suffix of a backup. Later backups have a number at the end.
const COPY: &str = ".freshcontext-backup";
/// Maximum number of backups of one file. Beyond it, the user has to decide which to remove.
const COPIES: usize = 100;

/// Returns the names of a file's backups in order.
fn names(file: &Path) -> impl Iterator<Item = PathBuf> {
    let name = move |number: usize| {
        let mut name: OsString = file.as_os_str().to_owned();
        name.push(COPY);
        if number > 1 {
            name.push(format!(".{number}"));
        }
        PathBuf::from(name)
    };
    (1..=COPIES).map(name)
}

/// Reads a backup. `None` if it is absent or not a regular file.
fn said(copy: &Path, bound: Bound) -> Option<String> {
    let is_file = copy.symlink_metadata().is_ok_and(|about| about.is_file());
    is_file.then(|| text_of(copy, bound).ok().flatten()).flatten()
}

/// Writes a backup, unless one with this text exists. Returns its path.
pub(super) fn keep(file: &Path, text: &str, bound: Bound) -> Result<PathBuf, String> {
    for copy in names(file) {
        if said(&copy, bound).is_some_and(|had| had == text) {
            return Ok(copy);
        }
        match atomic_file::write_copy(&copy, text.as_bytes(), file) {
            Ok(true) => return Ok(copy),
            Ok(false) => {}
            Err(error) => return Err(format!("its copy {} cannot be written: {error}", copy.display())),
        }
    }
    Err(format!(
        "there are {COPIES} backups of it; remove the ones you no longer need"
    ))
}

/// Finds the backup from which adding the entry gives exactly the present text. Returns its path and its text.
pub(super) fn before(file: &Path, had: &str, rules: &Rules, bound: Bound) -> Option<(PathBuf, String)> {
    let start = edit::entry(had, rules).ok()??.start?;
    names(file).find_map(|copy| {
        let text = said(&copy, bound)?;
        let untouched = edit::entry(&text, rules).ok()?.is_none();
        let again = edit::with(&text, rules, &start).ok()?;
        (untouched && again == had).then_some((copy, text))
    })
}
