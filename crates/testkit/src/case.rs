//! Cases: one tool call, the upstream's responses, and the expected outcome.
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
    /// Kind of response that the case shows.
    pub kind: Kind,
    /// Origin of its bodies.
    pub origin: Origin,
    /// Purpose of the case, in a sentence.
    pub note: String,
    /// The route under test, if `expect.route` does not name it (a refusal, one of several parts).
    pub reads: Option<String>,
    /// Known incomplete reading of the bodies.
    pub partly: Option<String>,
    /// Known wrong reading of the bodies that is not fixed yet.
    pub wrong: Option<String>,
    /// The call's clock.
    pub now: DateTime<Utc>,
    /// Environment names of the configured keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// The arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// Expected requests and their responses.
    #[serde(default, rename = "exchange")]
    pub exchanges: Vec<Exchange>,
    /// Expected outcome.
    pub expect: Expect,
    /// Name: the folder or file, for example `hackernews/front_page`.
    #[serde(skip)]
    pub name: String,
    /// Folder of the body files.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// Kind of response that a case shows. Every tool needs the first four, and either denied or limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An ordinary response.
    Ok,
    /// The source has no results.
    Empty,
    /// The response lacks the documented structure.
    Malformed,
    /// A peculiarity of the source.
    Odd,
    /// The source refuses the request.
    Denied,
    /// The source limits the rate.
    Limited,
}

/// Origin of a case's bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Written for this project from the source's documentation.
    Documented,
    /// Written for this project to test something.
    Crafted,
    /// A recorded response of the source.
    Recorded,
}

/// One expected request and its response.
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
    /// Expected number of requests; 0 for any number, including none.
    #[serde(default = "once")]
    pub times: usize,
    /// Status code of the response.
    #[serde(default = "ok")]
    pub status: u16,
    /// Headers of the response.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Content coding of the response: the body file is plain and is sent with this `Content-Encoding`.
    pub encoding: Option<Encoding>,
    /// Origin of its body, if different from the case's.
    pub origin: Option<Origin>,
    /// The route under test, if different from the case's.
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

/// Expected outcome of a case. Either `status` or `error` is given.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `success`, `partial` or `empty`.
    pub status: Option<String>,
    /// An error code.
    pub error: Option<String>,
    /// Number of items.
    pub items: Option<usize>,
    /// Canonical URL.
    pub source_url: Option<String>,
    /// Date of the result, or `none`.
    pub content_date: Option<String>,
    /// Confidence of that date.
    pub confidence: Option<String>,
    /// Score, or `none`.
    pub score: Option<Value>,
    /// The route that provided the result.
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
    /// Facts about individual items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item: Vec<ExpectItem>,
    /// Failed parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure: Vec<ExpectFailure>,
    /// For an error: delay in seconds.
    pub retry_after_s: Option<u64>,
    /// For an error: text in the hint.
    pub hint_contains: Option<String>,
    /// For an error: text in the message.
    pub message_contains: Option<String>,
}

/// Expected facts of one item.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectItem {
    /// Its index, from 0.
    pub index: usize,
    /// Its title.
    pub title: Option<String>,
    /// Text in its title.
    pub title_contains: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Its date, or `none`.
    pub published_at: Option<String>,
    /// Confidence of its date.
    pub confidence: Option<String>,
    /// Text in its summary.
    pub summary_contains: Option<String>,
    /// Expected fields and their values.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Fields that must be absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_fields: Vec<String>,
}

/// A part that must fail.
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

    /// Reads a case from text, without a folder and therefore without body files.
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

    /// Serialises the case as a `case.toml`, without its name, folder and body files.
    pub fn to_toml(&self) -> Result<String, String> {
        toml::to_string_pretty(self).map_err(|error| format!("{}: {error}", self.name))
    }

    /// Reads the body of one exchange. `recordings` is the folder of the recordings.
    pub fn body(&self, exchange: &Exchange, recordings: &Path) -> Result<Vec<u8>, String> {
        let path = match (&exchange.body, &exchange.recording, &exchange.text) {
            (Some(file), ..) => self.folder.join(file),
            (_, Some(file), _) => recordings.join(file),
            (_, _, text) => return Ok(text.clone().unwrap_or_default().into_bytes()),
        };
        std::fs::read(&path).map_err(|error| format!("{}: {}: {error}", self.name, path.display()))
    }

    /// Returns the origin of one exchange's body. Inline text in a case of recordings was written for it.
    pub fn origin_of(&self, exchange: &Exchange) -> Origin {
        let of_case = if self.origin == Origin::Recorded && exchange.recording.is_none() {
            Origin::Crafted
        } else {
            self.origin
        };
        exchange.origin.unwrap_or(of_case)
    }

    /// Whether any of its bodies is a recording outside the checkout.
    pub fn needs_recordings(&self) -> bool {
        self.exchanges.iter().any(|exchange| exchange.recording.is_some())
    }
}

impl Exchange {
    /// Returns the content type of the response: as given, otherwise by the body file's extension.
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
