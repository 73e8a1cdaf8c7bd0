//! Entries of bibliographies: RIS (<https://refdb.sourceforge.net/manual-0.9.6/sect1-ris-format.html>), CSL JSON
//! (<https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html>).

use serde_json::Value;

use crate::find::find;
use crate::listed::Listed;
use crate::recognise::recognise;
use crate::reference::{Cited, Doubt};

/// What an entry has to be found by.
#[derive(Default)]
pub(crate) struct Entry {
    pub(crate) title: Option<String>,
    pub(crate) doi: Option<String>,
    pub(crate) arxiv: Option<String>,
    pub(crate) isbn: Option<String>,
    pub(crate) url: Option<String>,
    /// Texts in which an address may stand.
    pub(crate) notes: Vec<String>,
    pub(crate) key: String,
}

impl Entry {
    /// The one reference of the entry, the surest first. An entry without any stays, under its title.
    pub(crate) fn cited(self) -> Cited {
        let isbn = self.isbn.filter(|_| self.doi.is_none()).map(|isbn| {
            let first = isbn.split([',', ';']).next().unwrap_or_default();
            format!("ISBN {}", first.trim())
        });
        let named = [self.doi, self.arxiv, self.url, isbn].into_iter().flatten();
        let mut named = named
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
        let mut doubt = None;
        let first = named.find(|text| recognise(text).is_ok()).or_else(|| {
            let mut notes = self.notes.iter().flat_map(|note| find(note));
            let found = notes.find(|found| recognise(&found.text).is_ok())?;
            doubt = (!found.is_end_sure).then_some(Doubt::End);
            Some(found.text)
        });
        let text = first.or_else(|| self.title.clone()).unwrap_or(self.key);
        Cited {
            title: self.title,
            doubt,
            ..Cited::new(text)
        }
    }

    fn is_empty(&self) -> bool {
        let fields = [&self.title, &self.doi, &self.arxiv, &self.isbn, &self.url];
        fields.iter().all(|field| field.is_none()) && self.notes.is_empty() && self.key.is_empty()
    }
}

/// The records of a RIS file. A record ends at its `ER`, at the next `TY`, or with the file.
pub(crate) fn ris(text: &str, mut list: Listed) -> Listed {
    let mut entry = Entry::default();
    let mut end = |entry: &mut Entry| {
        let entry = std::mem::take(entry);
        if !entry.is_empty() {
            list.add(entry.cited());
        }
    };
    for line in text.lines() {
        let Some((tag, value)) = line.trim_start_matches('\u{feff}').split_once("  -") else {
            continue;
        };
        let value = value.trim().to_owned();
        let first = |slot: &mut Option<String>| {
            if slot.is_none() && !value.is_empty() {
                *slot = Some(value.clone());
            }
        };
        match tag.trim() {
            "TY" | "ER" => end(&mut entry),
            "TI" | "T1" | "CT" => first(&mut entry.title),
            "DO" => first(&mut entry.doi),
            "UR" | "L1" | "L2" => first(&mut entry.url),
            "SN" => first(&mut entry.isbn),
            "ID" => entry.key = value,
            "N1" | "M1" | "M3" => entry.notes.push(value),
            _ => {}
        }
    }
    end(&mut entry);
    list
}

/// The entries of a CSL JSON list; `None` for other JSON.
pub(crate) fn csl(value: &Value, mut list: Listed) -> Option<Listed> {
    let entries = match value {
        Value::Array(entries) => entries,
        other => other.get("items").and_then(Value::as_array)?,
    };
    let is_entry = |entry: &Value| {
        entry.is_object()
            && ["type", "DOI", "URL", "ISBN", "title"]
                .iter()
                .filter(|name| entry.get(**name).is_some())
                .count()
                >= 2
    };
    if entries.is_empty() || !entries.iter().all(is_entry) {
        return None;
    }
    for entry in entries {
        let field = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        let entry = Entry {
            title: field("title"),
            doi: field("DOI"),
            arxiv: field("number").filter(|number| number.to_ascii_lowercase().starts_with("arxiv:")),
            isbn: field("ISBN"),
            url: field("URL"),
            notes: ["note", "archive_location"]
                .iter()
                .filter_map(|name| field(name))
                .collect(),
            key: field("id").unwrap_or_default(),
        };
        list.add(entry.cited());
    }
    Some(list)
}
