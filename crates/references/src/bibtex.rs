//! Entries of BibTeX files. What one entry has wrong costs that entry its fields at most, never the rest of the file.

use std::sync::LazyLock;

use biblatex::{Bibliography, ChunksExt as _, Entry as Parsed, RawBibliography, RawChunk, RawEntry};
use regex::Regex;

use crate::bibliography::Entry;
use crate::forms::arxiv_id;
use crate::listed::Listed;
use crate::reference::Cited;

/// Fields in which an address may stand.
const NOTES: [&str; 5] = ["note", "howpublished", "journal", "journaltitle", "number"];

/// Where an entry begins: on a line of its own.
static START: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*@([A-Za-z]{2,20})[ \t]*[{(][ \t]*([^\s,{}]*)").ok());

/// Signs `@` up to which a file is parsed as a whole: each may begin an entry of a tree that is a hundred times as large.
const ENTRIES: usize = 50_000;

/// The entries of a BibTeX file.
pub(crate) fn entries(text: &str, mut list: Listed) -> Listed {
    // Checked as a whole first: the tree of entries is made of what is well formed alone.
    let is_small = text.bytes().filter(|byte| *byte == b'@').nth(ENTRIES).is_none();
    if is_small
        && RawBibliography::parse(text).is_ok()
        && let Ok(whole) = Bibliography::parse(text)
    {
        for entry in whole.iter() {
            if list.is_full() {
                break;
            }
            list.add(parsed(entry));
        }
        return list;
    }
    for (kind, key, piece) in pieces(text) {
        if list.is_full() {
            break;
        }
        let is_entry = !["comment", "preamble", "string"]
            .iter()
            .any(|other| kind.eq_ignore_ascii_case(other));
        if is_entry {
            list.add(alone(key, piece));
        }
    }
    list
}

/// Kind, key and text of everything that begins as an entry does.
fn pieces(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let found = START.as_ref().map(|start| start.captures_iter(text));
    let mut starts = found.into_iter().flatten().peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        let end = starts
            .peek()
            .and_then(|next| next.get(0))
            .map_or(text.len(), |next| next.start());
        let group = |at: usize| start.get(at).map_or("", |group| group.as_str());
        let piece = text.get(start.get(0)?.start()..end)?;
        Some((group(1), group(2), piece))
    })
}

/// One entry by itself: parsed, else by its fields as they are written, else as text.
fn alone(key: &str, piece: &str) -> Cited {
    if let Ok(raw) = RawBibliography::parse(piece) {
        if let Ok(one) = Bibliography::parse(piece)
            && let Some(entry) = one.iter().next()
        {
            return parsed(entry);
        }
        if let Some(entry) = raw.entries.first() {
            return written(&entry.v);
        }
    }
    Entry {
        notes: vec![piece.to_owned()],
        key: key.to_owned(),
        ..Entry::default()
    }
    .cited()
}

fn parsed(entry: &Parsed) -> Cited {
    // Addresses and ids stand as they are written; braces and commands are of the rest.
    cited(&entry.key, |name| Some(entry.get(name)?.format_verbatim()))
}

/// An entry whose values cannot be read as TeX, or name a macro that the file does not define: the macro is left out.
fn written(entry: &RawEntry<'_>) -> Cited {
    cited(entry.key.v, |name| {
        let pair = entry
            .fields
            .iter()
            .find(|pair| pair.key.v.eq_ignore_ascii_case(name))?;
        let chunks = pair.value.v.iter().map(|chunk| match chunk.v {
            RawChunk::Normal(text) => text,
            RawChunk::Abbreviation(_) => "",
        });
        Some(chunks.collect())
    })
}

fn cited(key: &str, value: impl Fn(&str) -> Option<String>) -> Cited {
    let field = |name: &str| {
        let text = value(name)?;
        let text = text.trim().trim_matches(['{', '}']).to_owned();
        (!text.is_empty()).then_some(text)
    };
    let is_arxiv = ["archiveprefix", "eprinttype"]
        .iter()
        .any(|name| field(name).is_some_and(|kind| kind.eq_ignore_ascii_case("arxiv")));
    let eprint = field("eprint").filter(|id| is_arxiv || arxiv_id(id).is_some());
    Entry {
        title: field("title").map(|title| title.replace(['{', '}'], "")),
        doi: field("doi").map(|doi| without_tex(&doi)),
        arxiv: eprint.map(|id| format!("arXiv:{}", id.trim_start_matches("arXiv:"))),
        isbn: field("isbn"),
        url: field("url").map(|url| without_tex(&url)),
        notes: NOTES.iter().filter_map(|name| field(name)).collect(),
        key: key.to_owned(),
    }
    .cited()
}

/// An id without the escapes that TeX needs in it.
fn without_tex(id: &str) -> String {
    const ESCAPES: [(&str, &str); 14] = [
        ("{\\_}", "_"),
        ("\\_", "_"),
        ("\\%", "%"),
        ("\\&", "&"),
        ("\\#", "#"),
        ("$<$", "<"),
        ("$>$", ">"),
        ("{\\textless}", "<"),
        ("{\\textgreater}", ">"),
        ("\\textless{}", "<"),
        ("\\textgreater{}", ">"),
        ("\\textless ", "<"),
        ("\\textgreater ", ">"),
        ("\\url", ""),
    ];
    let plain = ESCAPES
        .iter()
        .fold(id.to_owned(), |id, (escape, plain)| id.replace(escape, plain));
    plain.trim_matches(['{', '}']).to_owned()
}
