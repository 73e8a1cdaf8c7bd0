//! Real documents of this machine, each with a one-line description of its own: manual pages, and the read-me files of
//! packages beside their manifests.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// A document, and what its authors say in a line that it is about.
#[derive(Debug, Clone)]
pub struct Document {
    pub title: String,
    /// The question: the document's own description, which is not in its text.
    pub question: String,
    pub text: String,
    /// Days from the beginning of the calendar of the file, `YYYY-MM-DD`.
    pub date: Option<String>,
    pub path: PathBuf,
}

/// Longest text of a document that is used, in characters.
const TEXT: usize = 4_000;
/// Shortest text that is worth a place, in characters.
const LEAST: usize = 400;
/// Fewest words of a question: fewer are a name, not a description.
const WORDS: usize = 4;
/// Largest file that is read, in bytes.
const FILE: u64 = 1 << 20;

/// All files below these folders that may be such documents, in one order.
pub fn files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() && (is_manual(&path) || is_read_me(&path)) => out.push(path),
                _ => {}
            }
        }
    }
    out.sort();
    out
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

fn is_read_me(path: &Path) -> bool {
    name(path).eq_ignore_ascii_case("readme.md")
}

/// `ssh.1`, `ssh.1.gz`: pages in English, as those of other languages stand in folders of these.
fn is_manual(path: &Path) -> bool {
    let english = path.parent().is_some_and(|folder| {
        name(folder).starts_with("man") && folder.parent().is_some_and(|above| name(above) == "man")
    });
    let plain = name(path).trim_end_matches(".gz");
    let section = plain.rsplit('.').next().unwrap_or_default();
    english && plain.contains('.') && section.starts_with(|c: char| c.is_ascii_digit())
}

/// The document in a file, where it has a text and a description.
pub fn read(path: &Path) -> Option<Document> {
    let held = std::fs::metadata(path).ok().filter(|held| held.len() <= FILE)?;
    let bytes = std::fs::read(path).ok()?;
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(bytes.as_slice())
            .take(FILE)
            .read_to_string(&mut text)
            .ok()?;
    } else {
        text = String::from_utf8(bytes).ok()?;
    }
    let changed = held.modified().ok().map(|when| {
        let when: chrono::DateTime<chrono::Utc> = when.into();
        when.format("%Y-%m-%d").to_string()
    });
    let document = if is_read_me(path) {
        read_me(path, &text, changed)?
    } else {
        manual(path, &text, changed)?
    };
    let long = document.text.chars().count() >= LEAST;
    let asks = document.question.split_whitespace().count() >= WORDS;
    (long && asks).then_some(document)
}

fn read_me(path: &Path, text: &str, changed: Option<String>) -> Option<Document> {
    let folder = path.parent()?;
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let manifest: toml::Value = toml::from_str(&manifest).ok()?;
    let package = manifest.get("package")?;
    let question = package
        .get("description")?
        .as_str()?
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let title = package.get("name")?.as_str()?.to_owned();
    let body: String = text
        .lines()
        .filter(|line| !line.contains(&question))
        .collect::<Vec<_>>()
        .join("\n");
    Some(Document {
        title,
        question,
        text: beginning(&body),
        date: changed,
        path: path.to_owned(),
    })
}

fn manual(path: &Path, roff: &str, changed: Option<String>) -> Option<Document> {
    let plain = name(path).trim_end_matches(".gz");
    let (page, section) = plain.rsplit_once('.')?;
    let (mut about, mut text, mut heading) = (String::new(), String::new(), String::new());
    let mut date = None;
    for line in roff.lines() {
        if line.starts_with(".TH ") || line.starts_with(".Dd ") {
            date = date.or_else(|| day_in(line));
        }
        if let Some(title) = line.strip_prefix(".SH ").or(line.strip_prefix(".Sh ")) {
            heading = words(title);
            if !heading.eq_ignore_ascii_case("name") {
                text.extend(["\n", heading.as_str(), "\n"]);
            }
            continue;
        }
        let Some(words) = plain_line(line) else {
            continue;
        };
        if heading.eq_ignore_ascii_case("name") {
            about.extend([words.as_str(), " "]);
        } else if !heading.is_empty() {
            text.extend([words.as_str(), "\n"]);
        }
    }
    let question = match roff.lines().find_map(|line| line.strip_prefix(".Nd ")) {
        Some(described) => words(described),
        None => about.split_once(" - ")?.1.trim().to_owned(),
    };
    Some(Document {
        title: format!("{page}({section})"),
        question,
        text: beginning(&text),
        date: date.or(changed),
        path: path.to_owned(),
    })
}

fn beginning(text: &str) -> String {
    text.trim().chars().take(TEXT).collect()
}

/// A line of a page without its requests; none where it is only that.
fn plain_line(line: &str) -> Option<String> {
    let Some(request) = line.strip_prefix(['.', '\'']) else {
        return Some(words(line)).filter(|line| !line.is_empty());
    };
    let (macro_name, rest) = request.split_once(' ').unwrap_or((request, ""));
    let text = macro_name.len() <= 3 && macro_name.starts_with(|c: char| c.is_ascii_uppercase());
    let layout = [
        "PP", "TP", "IP", "RS", "RE", "TH", "Dd", "Dt", "Os", "Bl", "El", "Pp", "UR", "HP",
    ];
    (text && !layout.contains(&macro_name))
        .then(|| words(rest))
        .filter(|line| !line.is_empty())
}

/// Text without escapes.
fn words(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            if c != '"' {
                out.push(c);
            }
            continue;
        }
        match chars.next() {
            Some('-') => out.push('-'),
            Some('e') => out.push('\\'),
            Some('f') => match chars.next() {
                Some('(') => drop((chars.next(), chars.next())),
                Some('[') => drop(chars.by_ref().find(|c| *c == ']')),
                _ => {}
            },
            Some('(') => {
                let pair: String = chars.by_ref().take(2).collect();
                out.push_str(match pair.as_str() {
                    "em" | "en" | "hy" => "-",
                    "aq" | "cq" | "oq" => "'",
                    _ => "",
                });
            }
            Some('"') => break,
            Some('s' | '*') => drop(chars.next()),
            Some(' ' | '~') => out.push(' '),
            _ => {}
        }
    }
    out.trim().to_owned()
}

/// The first day in a line, `YYYY-MM-DD`, `Month D, YYYY` or `D Month YYYY`.
fn day_in(line: &str) -> Option<String> {
    let clean: String = line
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                ' '
            }
        })
        .collect();
    let parts: Vec<&str> = clean.split_whitespace().collect();
    let iso = |word: &&str| chrono::NaiveDate::parse_from_str(word, "%Y-%m-%d").ok();
    let named = || {
        parts.windows(3).find_map(|three| {
            let text = three.join(" ");
            ["%B %d %Y", "%d %B %Y"]
                .iter()
                .find_map(|form| chrono::NaiveDate::parse_from_str(&text, form).ok())
        })
    };
    let day = parts.iter().find_map(iso).or_else(named)?;
    Some(day.format("%Y-%m-%d").to_string())
}
