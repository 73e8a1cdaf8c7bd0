//! What a registry says of one reference: whether the thing is there, and which signs of its standing come with it.

use std::borrow::Cow;

use crate::date::DateEvidence;
use crate::error::{ErrorCode, SourceError};
use crate::source_result::Item;
use crate::standing::{Basis, StandingEvidence};

/// Whether a registry has a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// It has it.
    Found,
    /// It would have it, and does not. A registry of record is a field; an address that may return, or a registry that
    /// does not tell a private thing from an absent one, is a mark.
    Gone(Basis),
    /// Its answer does not settle it; a short machine-readable reason, such as `not_covered`.
    Unsettled(&'static str),
}

/// A field of an answer that shows what a look-up came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The field, as the source spells it, or `HTTP status`.
    pub field: Cow<'static, str>,
    /// Its value.
    pub value: String,
    /// The address that was asked.
    pub url: Option<String>,
}

/// The answer to the cheapest question about one reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    /// Whether the thing is there.
    pub presence: Presence,
    /// Its title, as the source writes it.
    pub title: Option<String>,
    /// When it was published, as the source says.
    pub date: DateEvidence,
    /// Signs of its standing.
    pub signs: Vec<StandingEvidence>,
    /// What shows whether it is there.
    pub shown: Vec<Shown>,
    /// The title and the beginning of a page whose address has no registry. A failure in the form of a page, in whatever
    /// language, is not the page, and core decides whether this is one.
    pub page_text: Option<String>,
}

impl Lookup {
    /// A look-up without signs.
    pub fn new(presence: Presence) -> Self {
        Self {
            presence,
            title: None,
            date: DateEvidence::None,
            signs: Vec::new(),
            shown: Vec::new(),
            page_text: None,
        }
    }

    /// A thing that the registry has.
    pub fn found(title: Option<String>, date: DateEvidence, signs: Vec<StandingEvidence>) -> Self {
        Self {
            title,
            date,
            signs,
            ..Self::new(Presence::Found)
        }
    }

    /// A thing that was read as an item of its source.
    pub fn of_item(item: Item) -> Self {
        let title = Some(item.title).filter(|title| !title.is_empty());
        Self::found(title, item.date, item.standing)
    }

    /// Adds a field that shows it.
    #[must_use]
    pub fn showing(
        mut self,
        field: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
        url: Option<impl Into<String>>,
    ) -> Self {
        self.shown.push(Shown {
            field: field.into(),
            value: value.into(),
            url: url.map(Into::into),
        });
        self
    }

    /// Adds the text of the page that was found.
    #[must_use]
    pub fn reading(mut self, page_text: impl Into<String>) -> Self {
        self.page_text = Some(page_text.into());
        self
    }

    /// A look-up in which "no such thing" (404, 410, or the registry's own words) is an answer: the thing is gone. Signs of
    /// the error stay.
    ///
    /// # Errors
    /// Every other failure: it says nothing of the thing.
    pub fn or_gone(
        read: Result<Self, SourceError>,
        basis: Basis,
        url: Option<&str>,
    ) -> Result<Self, SourceError> {
        read.or_else(|error| {
            if error.code != ErrorCode::NotFound {
                return Err(error);
            }
            let (field, value) = match error.http_status {
                Some(status) => ("HTTP status", status.to_string()),
                None => ("answer", error.message),
            };
            let gone = Self {
                signs: error.standing,
                ..Self::new(Presence::Gone(basis))
            };
            Ok(gone.showing(field, value, url))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standing::StandingState;

    #[test]
    fn only_no_such_thing_is_gone() {
        for code in ErrorCode::ALL {
            let sign = StandingEvidence::field(StandingState::Removed, "dead", "true");
            let error = SourceError::new(code, "words").status(404).standing(sign);
            let read = Lookup::or_gone(Err(error), Basis::Mark, Some("https://example.com/a"));
            match code {
                ErrorCode::NotFound => {
                    let gone = read.unwrap();
                    assert_eq!(gone.presence, Presence::Gone(Basis::Mark));
                    assert_eq!((gone.signs.len(), gone.shown[0].value.as_str()), (1, "404"));
                }
                _ => assert_eq!(read.unwrap_err().code, code),
            }
        }
    }
}
