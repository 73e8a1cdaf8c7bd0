//! All references of one document, by what the document is.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::invisible::without_invisible;
use crate::listed::Listed;
use crate::locks::Locked;
use crate::reference::{Cited, Doubt};
use crate::{bibliography, bibtex, find, locks, node_locks, other_locks};

/// What a document was read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Running text.
    Text,
    /// BibTeX.
    Bibtex,
    /// RIS.
    Ris,
    /// CSL JSON.
    CslJson,
    /// `package-lock.json`.
    PackageLock,
    /// `Cargo.lock`, or a lock file of its form.
    CargoLock,
    /// `requirements.txt`.
    Requirements,
    /// `go.sum`.
    GoSum,
    /// `yarn.lock`, of any version.
    YarnLock,
    /// `pnpm-lock.yaml`, of any version.
    PnpmLock,
    /// `Pipfile.lock`.
    PipfileLock,
    /// A lock file of this name, which is known and not read.
    Unread(&'static str),
}

impl Format {
    /// Its name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bibtex => "BibTeX",
            Self::Ris => "RIS",
            Self::CslJson => "CSL JSON",
            Self::PackageLock => "package-lock.json",
            Self::CargoLock => "Cargo.lock",
            Self::Requirements => "requirements.txt",
            Self::GoSum => "go.sum",
            Self::YarnLock => "yarn.lock",
            Self::PnpmLock => "pnpm-lock.yaml",
            Self::PipfileLock => "Pipfile.lock",
            Self::Unread(name) => name,
        }
    }
}

/// The references of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gathered {
    /// What it was read as.
    pub format: Format,
    /// The references, once each, in its order.
    pub references: Vec<Cited>,
    /// Packages of a lock file that name no version in a public registry.
    pub left_out: usize,
    /// Whether a requirements file takes its packages from another index than the public one.
    pub is_of_other_index: bool,
}

/// Finds the references of a text, of a bibliography, or of a lock file. What cannot be read as what it seems to be is read as
/// text. Of more than `most` references, one more than that is given.
pub fn gather(text: &str, most: usize) -> Gathered {
    let text = without_invisible(text);
    let text = text.as_ref();
    let listed = |format, list: Listed| Gathered {
        format,
        references: list.references,
        left_out: 0,
        is_of_other_index: false,
    };
    let new_list = || Listed::new(most);
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        if let Some(name) = other_locks::of_json(&value) {
            return listed(Format::Unread(name), new_list());
        }
        if let Some(lock) = locks::npm(&value, most) {
            return locked(Format::PackageLock, lock);
        }
        if let Some(lock) = locks::pipfile(&value, most) {
            return locked(Format::PipfileLock, lock);
        }
        if let Some(entries) = bibliography::csl(&value, new_list()) {
            return listed(Format::CslJson, entries);
        }
    }
    if is_match(&BIBTEX, text) {
        let entries = bibtex::entries(text, new_list());
        if !entries.references.is_empty() {
            return listed(Format::Bibtex, entries);
        }
    }
    if is_match(&RIS, text) {
        let records = bibliography::ris(text, new_list());
        if !records.references.is_empty() {
            return listed(Format::Ris, records);
        }
    }
    if let Some(lock) = locks::toml(text, most) {
        return locked(Format::CargoLock, lock);
    }
    if let Some(lock) = node_locks::yarn(text, most) {
        return locked(Format::YarnLock, lock);
    }
    if let Some(lock) = node_locks::pnpm(text, most) {
        return locked(Format::PnpmLock, lock);
    }
    if let Some(lock) = locks::go_sum(text, most) {
        return locked(Format::GoSum, lock);
    }
    if let Some(lock) = locks::requirements(text, most) {
        return locked(Format::Requirements, lock);
    }
    if let Some(name) = other_locks::of_text(text) {
        return listed(Format::Unread(name), new_list());
    }
    let mut found = new_list();
    find::each(text, |one| {
        found.add(Cited {
            doubt: (!one.is_end_sure).then_some(Doubt::End),
            ..Cited::new(one.text)
        });
        !found.is_full()
    });
    listed(Format::Text, found)
}

static BIBTEX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*@[A-Za-z]{2,20}[ \t]*[{(]").ok());
static RIS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^TY  - ?[A-Z]").ok());

fn is_match(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn locked(format: Format, lock: Locked) -> Gathered {
    let doubt = lock.has_other_index.then_some(Doubt::OtherIndex);
    let references = lock.references.into_iter().map(|text| Cited {
        doubt,
        ..Cited::new(text)
    });
    Gathered {
        format,
        references: references.collect(),
        left_out: lock.left_out,
        is_of_other_index: lock.is_of_other_index,
    }
}
