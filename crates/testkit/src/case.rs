//! Cases: one call of one tool, what the upstream answers, and what must come of it.
//!
//! A case is `fixtures/<source>/<case>/case.toml` with its bodies beside it, or a table of
//! `fixtures/<source>/cases.toml` with its bodies in it, written by us to the documented shapes; or `tests/recordings/<source>/<case>.toml`, whose bodies are recordings that do
//! not belong to this project and are read from beside the checkout.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

/// One case.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The tool called.
    pub tool: String,
    /// What sort of answer it shows.
    pub kind: Kind,
    /// Where its bodies come from.
    pub origin: Origin,
    /// What the case shows, in a sentence.
    pub note: String,
    /// The route whose answers it tries, where `expect.route` does not say (a refusal, a part of several).
    pub reads: Option<String>,
    /// What of its bodies is read less well than they allow, where that is known.
    pub partly: Option<String>,
    /// What of its bodies is read wrongly, where that is known and not mended yet.
    pub wrong: Option<String>,
    /// The call's clock.
    pub now: DateTime<Utc>,
    /// Environment names of keys that the operator has set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// The arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// What the upstream is asked and answers.
    #[serde(default, rename = "exchange")]
    pub exchanges: Vec<Exchange>,
    /// What must come of it.
    pub expect: Expect,
    /// Name: the folder or file, for example `hackernews/front_page`.
    #[serde(skip)]
    pub name: String,
    /// Folder of the body files.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What sort of answer a case shows. Every tool needs the first four and one of denied and limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An ordinary answer.
    Ok,
    /// The source says that there is nothing.
    Empty,
    /// The answer lacks the documented shape.
    Malformed,
    /// Something particular to this source.
    Odd,
    /// The source refuses.
    Denied,
    /// The source asks to slow down.
    Limited,
}

/// Where a case's bodies come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Written by us from the source's documentation.
    Documented,
    /// Written by us to try something.
    Crafted,
    /// A recorded answer of the source.
    Recorded,
}

/// One request that the upstream expects, and its answer.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// `GET` or `POST`.
    #[serde(default = "get")]
    pub method: String,
    /// The exact address.
    pub url: Url,
    /// Texts that the request body must contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body_contains: Vec<String>,
    /// How often it must be asked; 0 for any number, none included.
    #[serde(default = "once")]
    pub times: usize,
    /// Status of the answer.
    #[serde(default = "ok")]
    pub status: u16,
    /// Headers of the answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Compression of the answer: the body file is plain, and is sent with this `Content-Encoding`.
    pub encoding: Option<Encoding>,
    /// Where its body comes from, where that is another place than the case's.
    pub origin: Option<Origin>,
    /// The route whose answer its body is, where that is another one than the case's.
    pub reads: Option<String>,
    /// Body: a file beside the case.
    pub body: Option<String>,
    /// Body: a file below the recordings' folder.
    pub recording: Option<String>,
    /// Body: this text.
    pub text: Option<String>,
}

/// A content coding (RFC 9110, 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// `gzip`
    Gzip,
}

fn get() -> String {
    "GET".to_owned()
}
const fn once() -> usize {
    1
}
const fn ok() -> u16 {
    200
}

/// What must come of a case. Either `status` or `error` is given.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `success`, `partial` or `empty`.
    pub status: Option<String>,
    /// An error code.
    pub error: Option<String>,
    /// Number of items.
    pub items: Option<usize>,
    /// Canonical address.
    pub source_url: Option<String>,
    /// Date of the answer, or `none`.
    pub content_date: Option<String>,
    /// Confidence of that date.
    pub confidence: Option<String>,
    /// Score, or `none`.
    pub score: Option<Value>,
    /// The route that answered.
    pub route: Option<String>,
    /// Texts in the envelope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text_contains: Vec<String>,
    /// Texts that must not be in the envelope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text_lacks: Vec<String>,
    /// Texts that some note contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes_contain: Vec<String>,
    /// Facts about single items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item: Vec<ExpectItem>,
    /// Parts that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure: Vec<ExpectFailure>,
    /// For an error: seconds to wait.
    pub retry_after_s: Option<u64>,
    /// For an error: text in the hint.
    pub hint_contains: Option<String>,
    /// For an error: text in the message.
    pub message_contains: Option<String>,
}

/// What must hold for one item.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectItem {
    /// Its place, from 0.
    pub index: usize,
    /// Its title.
    pub title: Option<String>,
    /// Text in its title.
    pub title_contains: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// Its date, or `none`.
    pub published_at: Option<String>,
    /// Confidence of its date.
    pub confidence: Option<String>,
    /// Text in its summary.
    pub summary_contains: Option<String>,
    /// Fields that equal these.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Fields that it must not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_fields: Vec<String>,
}

/// A part that must have failed.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectFailure {
    /// The part.
    pub what: String,
    /// Its error code.
    pub error: String,
}

impl Case {
    /// Reads a case file. Errors are one line with the file's name.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut case = Self::inline(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let parent = path.parent().unwrap_or(path);
        parent.clone_into(&mut case.folder);
        let (source, name) = if path.file_name().is_some_and(|name| name == "case.toml") {
            (parent.parent().and_then(Path::file_name), parent.file_name())
        } else {
            (parent.file_name(), path.file_stem())
        };
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        case.name = format!("{}/{}", part(source), part(name));
        Ok(case)
    }

    /// Reads a file of cases, each in a table of its name. Errors are one line with the file's name.
    pub fn read_all(path: &Path) -> Result<Vec<Self>, String> {
        let wrong = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let cases: BTreeMap<String, Self> =
            toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let folder = path.parent().unwrap_or(path);
        let source = folder.file_name().unwrap_or_default().to_string_lossy();
        let named = |(name, case): (String, Self)| {
            let mut case = case
                .checked()
                .map_err(|error| wrong(format!("{name}: {error}")))?;
            folder.clone_into(&mut case.folder);
            case.name = format!("{source}/{name}");
            Ok(case)
        };
        cases.into_iter().map(named).collect()
    }

    /// Reads a case from text; it has no folder, hence no body files.
    pub fn inline(text: &str) -> Result<Self, String> {
        toml::from_str::<Self>(text)
            .map_err(|error| error.to_string())?
            .checked()
    }

    fn checked(self) -> Result<Self, String> {
        let case = self;
        if case.expect.status.is_some() == case.expect.error.is_some() {
            return Err("[expect] needs either `status` or `error`".to_owned());
        }
        for exchange in &case.exchanges {
            let bodies = [&exchange.body, &exchange.recording, &exchange.text];
            if bodies.iter().filter(|body| body.is_some()).count() > 1 {
                return Err(format!("{} has more than one body", exchange.url));
            }
        }
        Ok(case)
    }

    /// The case as a `case.toml`. Its name, folder and body files are not in it.
    pub fn to_toml(&self) -> Result<String, String> {
        toml::to_string_pretty(self).map_err(|error| format!("{}: {error}", self.name))
    }

    /// The body of one exchange. `recordings` is the folder of the recordings.
    pub fn body(&self, exchange: &Exchange, recordings: &Path) -> Result<Vec<u8>, String> {
        let path = match (&exchange.body, &exchange.recording, &exchange.text) {
            (Some(file), ..) => self.folder.join(file),
            (_, Some(file), _) => recordings.join(file),
            (_, _, text) => return Ok(text.clone().unwrap_or_default().into_bytes()),
        };
        std::fs::read(&path).map_err(|error| format!("{}: {}: {error}", self.name, path.display()))
    }

    /// Where the body of one exchange comes from. What a case of recordings has as mere text was written for it.
    pub fn origin_of(&self, exchange: &Exchange) -> Origin {
        let of_case = if self.origin == Origin::Recorded && exchange.recording.is_none() {
            Origin::Crafted
        } else {
            self.origin
        };
        exchange.origin.unwrap_or(of_case)
    }

    /// Whether any of its bodies is a recording from beside the checkout.
    pub fn needs_recordings(&self) -> bool {
        self.exchanges.iter().any(|exchange| exchange.recording.is_some())
    }
}

impl Exchange {
    /// The content type of the answer: as given, else by the body file's ending.
    pub fn content_type(&self) -> String {
        if let Some((_, value)) = self
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        {
            return value.clone();
        }
        let file = self
            .body
            .as_deref()
            .or(self.recording.as_deref())
            .unwrap_or_default();
        match file.rsplit('.').next().unwrap_or_default() {
            "json" => "application/json; charset=utf-8",
            "xml" => "application/xml; charset=utf-8",
            "html" => "text/html; charset=utf-8",
            "csv" => "text/csv; charset=utf-8",
            "md" => "text/markdown; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        }
        .to_owned()
    }
}

/// Cases of a source in one file, each a table of its name.
pub const CASES: &str = "cases.toml";
/// What the dates of a source say, beside its cases: no case.
pub const DATES: &str = "dates.toml";

/// All cases below a folder: `*/*/case.toml`, `*/cases.toml` and `*/*.toml`, sorted by name.
pub fn load_cases(root: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for source in entries(root)?.into_iter().filter(|path| path.is_dir()) {
        for entry in entries(&source)? {
            if entry.is_dir() {
                let file = entry.join("case.toml");
                if file.is_file() {
                    cases.push(Case::read(&file)?);
                }
            } else if entry.ends_with(CASES) {
                cases.extend(Case::read_all(&entry)?);
            } else if entry.extension().is_some_and(|ending| ending == "toml") && !entry.ends_with(DATES) {
                cases.push(Case::read(&entry)?);
            }
        }
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(cases)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}
