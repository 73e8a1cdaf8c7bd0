//! Copies of a client's file as it was before. None is ever written over: the first is often the only one that holds what
//! a person wrote.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::clients::Rules;
use super::edit;
use super::text_of;
use crate::atomic_file;
use crate::input::Bound;

/// What is added to a file's name for a copy of it. Later copies have a number at their end.
const COPY: &str = ".freshcontext-backup";
/// Copies of one file; somebody who has so many has to look after them.
const COPIES: usize = 100;

/// The names that copies of a file have, the first one first.
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

/// What a copy says; `None` where there is none, or something else of its name.
fn said(copy: &Path, bound: Bound) -> Option<String> {
    let is_file = copy.symlink_metadata().is_ok_and(|about| about.is_file());
    is_file.then(|| text_of(copy, bound).ok().flatten()).flatten()
}

/// Keeps a copy of what a file says, unless there is one; where it is.
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
        "there are {COPIES} copies of it; remove those that nobody needs"
    ))
}

/// The copy of the text before our entry was put in, with that text, where nothing else has changed since.
pub(super) fn before(file: &Path, had: &str, rules: &Rules, bound: Bound) -> Option<(PathBuf, String)> {
    let start = edit::entry(had, rules).ok()??.start?;
    names(file).find_map(|copy| {
        let text = said(&copy, bound)?;
        let untouched = edit::entry(&text, rules).ok()?.is_none();
        let again = edit::with(&text, rules, &start).ok()?;
        (untouched && again == had).then_some((copy, text))
    })
}
