//! The arguments: references as they are named, and references that a text holds.

use freshcontext_contract::limits::REFERENCES_VALUES;
use freshcontext_contract::{Limits, SourceError, counted};
use freshcontext_core::values::hold_more_values_than;
use freshcontext_references::{Cited, Format, gather};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Right arguments.
pub(crate) const EXAMPLE: &str =
    r#"{"references": ["10.1038/nature12373", "npm:chalk@2.4.2", "https://example.com/page"]}"#;
/// Arguments of the tool.
const KNOWN: [&str; 3] = ["references", "text", "cursor"];
/// Told of a text in which nothing was found: it may be of a form that is not read.
const NOTHING_FOUND: &str = "No reference was found in the text. It was read as running text; bibliographies are read as BibTeX, RIS \
    and CSL JSON, lock files as package-lock.json, Cargo.lock, poetry.lock, pdm.lock, uv.lock, Pipfile.lock, requirements.txt, go.sum, \
    yarn.lock and pnpm-lock.yaml";
/// Told of a requirements file that names an index of its own.
const OTHER_INDEX: &str =
    "The file takes its packages from another index than PyPI: none of them was asked about";
/// Longest reference, title and company, in bytes.
const LONGEST: usize = 2_000;

/// What is to be checked.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) cited: Vec<Cited>,
    pub(crate) format: Option<&'static str>,
    pub(crate) notes: Vec<String>,
    pub(crate) cursor: Option<String>,
}

fn wrong(field: impl Into<String>, problem: impl std::fmt::Display) -> SourceError {
    SourceError::invalid_input(field.into(), problem, EXAMPLE)
}

impl Input {
    /// Reads the arguments.
    ///
    /// # Errors
    /// [`InvalidInput`](freshcontext_contract::ErrorCode::InvalidInput), naming the field.
    pub(crate) fn read(arguments: &Map<String, Value>, limits: &Limits) -> Result<Self, SourceError> {
        if let Some(name) = arguments.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(wrong(
                shown,
                format!("is not an argument of this tool (it takes {})", KNOWN.join(", ")),
            ));
        }
        let mut cited = Vec::new();
        match arguments.get("references") {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) => {
                for (at, value) in list.iter().enumerate() {
                    cited.push(one(&format!("references[{at}]"), value)?);
                }
            }
            Some(_) => return Err(wrong("references", "must be a list of references")),
        }
        let mut input = Self {
            cited,
            format: None,
            notes: Vec::new(),
            cursor: None,
        };
        match arguments.get("text") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => input.add_text(text, limits)?,
            Some(_) => return Err(wrong("text", "must be a text")),
        }
        input.cursor = match arguments.get("cursor") {
            None | Some(Value::Null) => None,
            Some(Value::String(cursor)) => Some(cursor.trim().to_owned()).filter(|cursor| !cursor.is_empty()),
            Some(_) => return Err(wrong("cursor", "must be the cursor of an earlier answer")),
        };
        let is_asked = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
        if input.cited.is_empty() && !is_asked("text") {
            return Err(wrong("references", "is missing or empty, and so is text"));
        }
        let (total, most) = (input.cited.len(), limits.references_total);
        if total > most {
            // Of a text no more than that are looked for.
            let or_more = input.format.map_or("", |_| " or more");
            return Err(wrong(
                "references",
                format!("are {total}{or_more} in all; one call takes at most {most}"),
            ));
        }
        Ok(input)
    }

    fn add_text(&mut self, text: &str, limits: &Limits) -> Result<(), SourceError> {
        let most = limits.references_text_bytes;
        if text.len() > most {
            return Err(wrong(
                "text",
                format!("has {} bytes; it may have {most}", text.len()),
            ));
        }
        if text.trim_start().starts_with(['{', '['])
            && hold_more_values_than(&[text.as_bytes()], REFERENCES_VALUES)
            // A lock file of another form may begin so, too.
            && serde_json::from_str::<&RawValue>(text).is_ok()
        {
            return Err(wrong(
                "text",
                format!("is JSON of more than {REFERENCES_VALUES} values"),
            ));
        }
        let gathered = gather(text, limits.references_total);
        self.format = Some(gathered.format.as_str());
        if let Format::Unread(name) = gathered.format {
            self.notes.push(format!(
                "The text is a {name}, which is not read: none of its packages was checked"
            ));
        } else if gathered.references.is_empty() && gathered.left_out == 0 {
            self.notes.push(NOTHING_FOUND.to_owned());
        }
        if gathered.is_of_other_index {
            self.notes.push(OTHER_INDEX.to_owned());
        } else if gathered.left_out > 0 {
            let left_out = counted(gathered.left_out, "package names", "packages name");
            self.notes.push(format!(
                "{left_out} no version in a public registry and cannot be checked"
            ));
        }
        self.cited.extend(gathered.references);
        Ok(())
    }
}

fn one(field: &str, value: &Value) -> Result<Cited, SourceError> {
    match value {
        Value::String(text) => Ok(Cited::new(bounded(field, text)?)),
        Value::Number(number) => Ok(Cited::new(number.to_string())),
        Value::Object(parts) => {
            if let Some(name) = parts
                .keys()
                .find(|name| !["ref", "title", "company"].contains(&name.as_str()))
            {
                let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
                return Err(wrong(
                    format!("{field}.{shown}"),
                    "is not known (it takes ref, title, company)",
                ));
            }
            let part = |name: &str| match parts.get(name) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::String(text)) => bounded(&format!("{field}.{name}"), text).map(Some),
                Some(Value::Number(number)) => Ok(Some(number.to_string())),
                Some(_) => Err(wrong(format!("{field}.{name}"), "must be a text")),
            };
            let text = part("ref")?.ok_or_else(|| wrong(format!("{field}.ref"), "is missing"))?;
            Ok(Cited {
                title: part("title")?,
                company: part("company")?,
                ..Cited::new(text)
            })
        }
        _ => Err(wrong(field, "must be a text, or an object with ref")),
    }
}

fn bounded(field: &str, text: &str) -> Result<String, SourceError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(wrong(field, "is empty"));
    }
    if text.len() > LONGEST {
        return Err(wrong(field, format!("is longer than {LONGEST} bytes")));
    }
    Ok(text.to_owned())
}

/// Which references a call is about: those left of earlier pages, then the next ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Places of references that earlier pages could not settle in their time.
    pub(crate) left: Vec<usize>,
    /// Place of the first reference that no page has had yet.
    pub(crate) next: usize,
}

impl Position {
    /// From a paging state: `next;left,left,...`.
    pub(crate) fn read(state: &str) -> Option<Self> {
        let (next, left) = state.split_once(';')?;
        let left = left
            .split(',')
            .filter(|place| !place.is_empty())
            .map(|place| place.parse().ok());
        Some(Self {
            left: left.collect::<Option<_>>()?,
            next: next.parse().ok()?,
        })
    }

    /// As a paging state.
    pub(crate) fn state(&self) -> String {
        let left: Vec<String> = self.left.iter().map(usize::to_string).collect();
        format!("{};{}", self.next, left.join(","))
    }

    /// The places of one page of `most`, in order, and the position behind it.
    pub(crate) fn page(&self, total: usize, most: usize) -> (Vec<usize>, Self) {
        let mut left = self.left.iter().copied().filter(|place| *place < total);
        let mut page: Vec<usize> = left.by_ref().take(most).collect();
        let rest: Vec<usize> = left.collect();
        let end = total.min(self.next.saturating_add(most - page.len()));
        page.extend(self.next..end);
        page.sort_unstable();
        (
            page,
            Self {
                left: rest,
                next: end.max(self.next),
            },
        )
    }
}
