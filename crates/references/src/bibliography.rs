//! Entries of bibliographies: BibTeX, RIS (<https://refdb.sourceforge.net/manual-0.9.6/sect1-ris-format.html>), CSL JSON
//! (<https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html>).

use biblatex::{ChunksExt as _, RawBibliography};
use serde_json::Value;

use crate::find::find;
use crate::forms::arxiv_id;
use crate::gather::Listed;
use crate::recognise::recognise;
use crate::reference::Cited;

/// What an entry has to be found by.
#[derive(Default)]
struct Entry {
    title: Option<String>,
    doi: Option<String>,
    arxiv: Option<String>,
    isbn: Option<String>,
    url: Option<String>,
    /// Texts in which an address may stand.
    notes: Vec<String>,
    key: String,
}

impl Entry {
    /// The one reference of the entry, the surest first. An entry without any stays, under its title.
    fn cited(self) -> Cited {
        let isbn = self.isbn.filter(|_| self.doi.is_none()).map(|isbn| {
            let first = isbn.split([',', ';']).next().unwrap_or_default();
            format!("ISBN {}", first.trim())
        });
        let named = [self.doi, self.arxiv, self.url, isbn].into_iter().flatten();
        let mut named = named
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
        let first = named.find(|text| recognise(text).is_ok()).or_else(|| {
            let notes = self.notes.iter().flat_map(|note| find(note));
            notes.map(str::to_owned).find(|text| recognise(text).is_ok())
        });
        let text = first.or_else(|| self.title.clone()).unwrap_or(self.key);
        Cited {
            text,
            title: self.title,
            company: None,
        }
    }
}

/// Signs `@` up to which a file is parsed as BibTeX: each may begin an entry of a tree that is a hundred times as large.
const ENTRIES: usize = 50_000;

/// The entries of a BibTeX file; `None` where it cannot be parsed.
pub(crate) fn bibtex(text: &str, mut list: Listed) -> Option<Listed> {
    if text.bytes().filter(|byte| *byte == b'@').nth(ENTRIES).is_some() {
        return None;
    }
    // Checked as a whole first: the tree of entries is made of what is well formed alone.
    RawBibliography::parse(text).ok()?;
    let bibliography = biblatex::Bibliography::parse(text).ok()?;
    for entry in bibliography.iter() {
        if list.is_full() {
            break;
        }
        let field = |name: &str| {
            let chunks = entry.get(name)?;
            // Addresses and ids stand as they are written; braces and commands are of the rest.
            let text = chunks.format_verbatim();
            let text = text.trim().trim_matches(['{', '}']).to_owned();
            (!text.is_empty()).then_some(text)
        };
        let is_arxiv = ["archiveprefix", "eprinttype"]
            .iter()
            .any(|name| field(name).is_some_and(|kind| kind.eq_ignore_ascii_case("arxiv")));
        let eprint = field("eprint").filter(|id| is_arxiv || arxiv_id(id).is_some());
        let notes = ["note", "howpublished", "journal", "journaltitle", "number"];
        let entry = Entry {
            title: field("title").map(|title| title.replace(['{', '}'], "")),
            doi: field("doi").map(|doi| doi.replace("\\_", "_")),
            arxiv: eprint.map(|id| format!("arXiv:{}", id.trim_start_matches("arXiv:"))),
            isbn: field("isbn"),
            url: field("url").map(|url| url.replace("\\_", "_")),
            notes: notes.iter().filter_map(|name| field(name)).collect(),
            key: entry.key.clone(),
        };
        list.add(entry.cited());
    }
    Some(list)
}

/// The records of a RIS file.
pub(crate) fn ris(text: &str, mut list: Listed) -> Listed {
    let mut entry = Entry::default();
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
            "TY" => entry = Entry::default(),
            "ER" if list.is_full() => break,
            "ER" => list.add(std::mem::take(&mut entry).cited()),
            "TI" | "T1" | "CT" => first(&mut entry.title),
            "DO" => first(&mut entry.doi),
            "UR" | "L1" | "L2" => first(&mut entry.url),
            "SN" => first(&mut entry.isbn),
            "ID" => entry.key = value,
            "N1" | "M1" | "M3" => entry.notes.push(value),
            _ => {}
        }
    }
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
