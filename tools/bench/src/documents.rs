//! Real documents, collected when the benchmark runs from the programs and libraries installed on this machine. The
//! repository contains none of them, and none may be used to tune the detector. Each form reports how many documents
//! were read, and their hash.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use freshcontext_core::provenance::sha256_hex;

/// Maximum number of files per form.
const FILES: usize = 400;
/// Maximum total size per form, in bytes.
const BYTES: usize = 12 << 20;
/// Minimum document size, in bytes. Shorter files are notes rather than documents.
const SHORTEST: usize = 1_000;
/// Maximum number of bytes that are read from one file.
const LONGEST: u64 = 1 << 20;
/// Maximum depth of the folder walk.
const DEPTH: usize = 8;

/// Documents of one form.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) name: &'static str,
    texts: Vec<String>,
}

impl Form {
    /// Returns the number of documents, their total bytes, and a prefix of the hash over all of them.
    pub(crate) fn about(&self) -> (usize, usize, String) {
        let bytes = self.texts.iter().map(String::len).sum();
        let mut hash = sha256_hex(&self.texts.join("\u{0}"));
        hash.truncate(12);
        (self.texts.len(), bytes, hash)
    }

    /// Returns `count` pieces of about `bytes` bytes: first the beginnings of all documents, then the next piece of
    /// each. `None` if the documents do not suffice.
    pub(crate) fn pieces(&self, count: usize, bytes: usize) -> Option<Vec<String>> {
        let mut rests: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        let mut out = Vec::with_capacity(count);
        while out.len() < count {
            let before = out.len();
            for rest in &mut rests {
                let piece = rest.get(..rest.floor_char_boundary(bytes)).unwrap_or_default();
                // The last piece of a document may be up to a tenth shorter; a shorter rest is dropped.
                if piece.len() * 10 < bytes * 9 || piece.trim().is_empty() {
                    *rest = "";
                    continue;
                }
                *rest = rest.get(piece.len()..).unwrap_or_default();
                out.push(piece.to_owned());
            }
            if out.len() == before {
                return None;
            }
        }
        out.truncate(count);
        Some(out)
    }
}

/// Merges all forms, taking one document of each in turn.
pub(crate) fn mixed(forms: &[Form]) -> Form {
    let most = forms.iter().map(|form| form.texts.len()).max().unwrap_or(0);
    let texts = (0..most).flat_map(|at| forms.iter().filter_map(move |form| form.texts.get(at).cloned()));
    Form {
        name: "all forms",
        texts: texts.collect(),
    }
}

/// Collects every form that the evaluation meets. A form without documents on this machine is empty.
pub(crate) fn gather() -> Vec<Form> {
    let share = Path::new("/usr/share");
    let packages = packages();
    let form = |name, texts| Form { name, texts };
    vec![
        form(
            "manuals",
            manuals(&share.join("man"), &["man1", "man5", "man7", "man8"]),
        ),
        form(
            "docs",
            files(&[share.join("doc")], |path| {
                ends(path, &["txt", "txt.gz", "md", "md.gz", "rst", "rst.gz"])
            }),
        ),
        form(
            "read-mes and changelogs",
            files(&packages, |path| {
                let name = file_name(path).to_ascii_lowercase();
                ends(path, &["md"]) && (name.starts_with("readme") || name.starts_with("change"))
            }),
        ),
        form(
            "HTML pages",
            files(&[&[share.join("doc")], packages.as_slice()].concat(), |path| {
                ends(path, &["html", "htm", "html.gz"])
            }),
        ),
        form(
            "JSON",
            files(&[packages.as_slice(), &[recordings()]].concat(), |path| {
                ends(path, &["json"])
            }),
        ),
        form("Japanese", manuals(&share.join("man/ja"), &SECTIONS)),
        form("Russian", manuals(&share.join("man/ru"), &SECTIONS)),
        form(
            "Chinese",
            [
                manuals(&share.join("man/zh_CN"), &SECTIONS),
                catalogues(&share.join("locale/zh_CN/LC_MESSAGES")),
            ]
            .concat(),
        ),
        form("Korean", manuals(&share.join("man/ko"), &SECTIONS)),
        form("Arabic", catalogues(&share.join("locale/ar/LC_MESSAGES"))),
    ]
}

const SECTIONS: [&str; 5] = ["man1", "man3", "man5", "man7", "man8"];

/// Folders where package managers keep package sources.
fn packages() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let reference = std::env::var_os("FRESHCONTEXT_REFERENCE").map(PathBuf::from);
    let modules = reference
        .iter()
        .flat_map(|path| path.ancestors())
        .find(|path| path.ends_with("node_modules"));
    let mut out = vec![cargo.join("registry/src"), PathBuf::from("/usr/lib/node_modules")];
    out.extend(modules.map(Path::to_owned));
    out
}

/// Returns the folder of recorded source answers.
fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings")
}

fn file_name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    let name = file_name(path);
    endings.iter().any(|ending| {
        name.strip_suffix(ending)
            .is_some_and(|stem| stem.ends_with('.') && stem.len() > 1)
    })
}

/// Returns the matching files below these folders, sorted by path. From a large set it takes every n-th file.
fn wanted(folders: &[PathBuf], wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    fn walk(folder: &Path, depth: usize, wanted: &dyn Fn(&Path) -> bool, out: &mut BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => walk(&path, depth - 1, wanted, out),
                Ok(kind) if kind.is_file() && wanted(&path) => {
                    out.insert(path);
                }
                _ => {}
            }
        }
    }

    let mut found = BTreeSet::new();
    for folder in folders {
        walk(folder, DEPTH, &wanted, &mut found);
    }
    let step = (found.len() / FILES).max(1);
    found.into_iter().step_by(step).collect()
}

/// Reads the distinct documents among these files.
fn documents(paths: &[PathBuf], read: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let (mut seen, mut bytes) = (BTreeSet::new(), 0);
    for text in paths.iter().filter_map(|path| read(path)) {
        if text.len() < SHORTEST || !seen.insert(sha256_hex(&text)) {
            continue;
        }
        bytes += text.len();
        out.push(text);
        if out.len() >= FILES || bytes >= BYTES {
            break;
        }
    }
    out
}

fn files(folders: &[PathBuf], want: impl Fn(&Path) -> bool) -> Vec<String> {
    documents(&wanted(folders, want), text_of)
}

/// Reads a file as text and decompresses it if necessary.
fn text_of(path: &Path) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    if ends(path, &["gz"]) {
        GzDecoder::new(file).take(LONGEST).read_to_end(&mut bytes).ok()?;
    } else {
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    }
    let end = match str::from_utf8(&bytes) {
        Ok(_) => bytes.len(),
        // The size limit cut a character in two.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return None,
    };
    bytes.truncate(end);
    String::from_utf8(bytes).ok()
}

/// Returns manual pages as readers see them: formatted by `man` as plain text.
fn manuals(folder: &Path, sections: &[&str]) -> Vec<String> {
    /// Maximum number of pages, because formatting is slow.
    const PAGES: usize = 80;

    let folders: Vec<PathBuf> = sections.iter().map(|section| folder.join(section)).collect();
    let mut pages = wanted(&folders, |path| {
        path.metadata().is_ok_and(|page| page.len() > 2_000)
    });
    let step = (pages.len() / PAGES).max(1);
    pages = pages.into_iter().step_by(step).collect();
    documents(&pages, |path| {
        let set = Command::new("man")
            .args(["-E", "UTF-8", "-l", "--"])
            .arg(path)
            .envs([("LC_ALL", "C.UTF-8"), ("MANWIDTH", "90"), ("MANPAGER", "cat")])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        String::from_utf8(set.stdout).ok()
    })
}

/// Returns program messages from translation catalogues; each catalogue is one document.
fn catalogues(folder: &Path) -> Vec<String> {
    documents(
        &wanted(&[folder.to_owned()], |path| ends(path, &["mo"])),
        |path| {
            let messages = messages(&fs::read(path).ok()?)?;
            Some(messages.join("\n"))
        },
    )
}

/// Returns the translations in a catalogue (GNU gettext manual, section 10.3, "The Format of GNU MO Files"). The
/// first entry is the catalogue's header.
fn messages(catalogue: &[u8]) -> Option<Vec<String>> {
    let number = |at: usize| {
        let bytes = catalogue.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    (number(0)? == 0x9504_12de).then_some(())?;
    let (count, table) = (number(8)?, number(16)?);
    let message = |at: usize| {
        let (length, begin) = (number(table + 8 * at)?, number(table + 8 * at + 4)?);
        let text = str::from_utf8(catalogue.get(begin..begin + length)?).ok()?;
        Some(text.replace('\u{0}', "\n"))
    };
    Some((1..count).filter_map(message).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_beginnings_first_and_none_are_made_up() {
        let form = Form {
            name: "test",
            texts: vec!["aaaabbbbc".to_owned(), "é".repeat(4), "zz".to_owned()],
        };
        assert_eq!(form.pieces(2, 4).unwrap(), ["aaaa", "éé"]);
        assert_eq!(form.pieces(4, 4).unwrap(), ["aaaa", "éé", "bbbb", "éé"]);
        assert_eq!(form.pieces(5, 4), None);
        assert_eq!(form.about().0, 3);
    }

    #[test]
    fn messages_come_out_of_a_catalogue() {
        let mut catalogue = Vec::new();
        for number in [0x9504_12de_u32, 0, 2, 28, 44, 0, 0, 0, 60, 1, 61, 4, 63, 3, 68] {
            catalogue.extend_from_slice(&number.to_le_bytes());
        }
        catalogue.extend_from_slice(b"\0a\0head\0");
        catalogue.extend_from_slice(b"yes\0");
        assert_eq!(messages(&catalogue).unwrap(), ["yes"]);
        assert_eq!(messages(b"no catalogue at all"), None);
    }
}
