//! From a text to a reference, by its form alone.

use crate::forms::{
    accession, advisory, arxiv, award, doi, module, package, repository, repository_of_pip, rfc, tender,
};
use crate::invisible::without_invisible;
use crate::isbn;
use crate::reference::Reference;
use crate::web;

/// Longest reference that is read, in bytes.
const LONGEST: usize = 2_000;

/// Why a text is no reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRecognised {
    /// It has no known form.
    NoKnownForm,
    /// It has the form of an ISBN, and its check digit is wrong.
    WrongCheckDigit,
    /// It has the form `name@version`, and names no registry.
    NoRegistry,
}

impl NotRecognised {
    /// The word in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoKnownForm => "no_known_form",
            Self::WrongCheckDigit => "wrong_check_digit",
            Self::NoRegistry => "no_registry",
        }
    }
}

/// The reference that a text is. What only looks like one is none.
///
/// # Errors
/// Why it is none.
pub fn recognise(text: &str) -> Result<Reference, NotRecognised> {
    let text = without_invisible(text);
    let text = unwrapped(&text);
    if text.is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
        return Err(NotRecognised::NoKnownForm);
    }
    if let Some(address) = text.strip_prefix("git+") {
        return repository_of_pip(address).ok_or(NotRecognised::NoKnownForm);
    }
    if let Some(found) = module(text) {
        return Ok(found);
    }
    if let Some(found) = web::address(text).map(|url| web::reference(&url)) {
        return found.ok_or(NotRecognised::NoKnownForm);
    }
    match isbn::read(text) {
        isbn::Read::Right(digits) => return Ok(Reference::Isbn(digits)),
        isbn::Read::WrongDigit => return Err(NotRecognised::WrongCheckDigit),
        isbn::Read::Other => {}
    }
    let found = doi(text)
        .or_else(|| arxiv(text))
        .or_else(|| rfc(text))
        .or_else(|| advisory(text))
        .or_else(|| accession(text).map(|accession| Reference::Filing { accession, cik: None }))
        .or_else(|| award(text))
        .or_else(|| tender(text))
        .or_else(|| package(text))
        .or_else(|| repository(text));
    found.ok_or_else(|| {
        let is_versioned = text.split_once('@').is_some_and(|(name, version)| {
            !name.is_empty()
                && !name.contains(['/', ' '])
                && version.starts_with(|c: char| c.is_ascii_digit())
        });
        if is_versioned {
            NotRecognised::NoRegistry
        } else {
            NotRecognised::NoKnownForm
        }
    })
}

/// Without blanks, brackets, quotation marks and the stop of a sentence around it.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        for (open, close) in [
            ('<', '>'),
            ('"', '"'),
            ('\'', '\''),
            ('`', '`'),
            ('\u{201c}', '\u{201d}'),
        ] {
            text = text
                .strip_prefix(open)
                .and_then(|text| text.strip_suffix(close))
                .unwrap_or(text)
                .trim();
        }
        text = text.trim_end_matches([',', ';']);
        if text.len() == before.len() {
            return text;
        }
    }
}
