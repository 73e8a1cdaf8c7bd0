//! Backups of a client's file. A backup is never overwritten: the first one may be the only copy of
//! hand-written content.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::clients::Rules;
use super::edit;
use super::text_of;
use freshcontext_files::read::Bound;
use freshcontext_files::write::{self as atomic_file, NewFile};

/// Suffix of a backup. Later backups have a number at the end.
const COPY: &str = ".freshcontext-backup";
/// Maximum number of backups of one file. Beyond it, the user has to decide which to remove.
const COPIES: usize = 100;

/// Suffix of the mark that `install` wrote the entry's variables. Without it they are the user's own.
const MARK: &str = ".freshcontext-env";
/// Content of the mark.
const MARK_TEXT: &str = "`freshcontext install --env` wrote variables of its entry; `freshcontext uninstall` removes them, and this file.\n";

fn mark(file: &Path) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_owned();
    name.push(MARK);
    PathBuf::from(name)
}

/// Marks the entry's variables as written by `install`.
pub(super) fn put_mark(file: &Path) -> Result<(), String> {
    atomic_file::write(&mark(file), MARK_TEXT.as_bytes(), NewFile::Private)
}

/// Returns whether `install` wrote the entry's variables.
pub(super) fn has_mark(file: &Path) -> bool {
    let mark = mark(file).symlink_metadata();
    mark.is_ok_and(|about| about.is_file())
}

/// Removes the mark, if there is one.
pub(super) fn remove_mark(file: &Path) -> Result<(), String> {
    if has_mark(file) {
        std::fs::remove_file(mark(file)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

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
