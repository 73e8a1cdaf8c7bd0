//! Errors that come with a good status: what a JSON answer says of an error beside its content, and whether there is
//! any content.
//!
//! Sources state an error in many members, at times beside the empty list that a search without hits has, too. Which
//! member a source uses in its next outage, nobody documents; so this is asked of every JSON answer alike.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire::Response;

/// An error that an answer states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SaidError {
    /// The source's own words, or the member and its value where there are none.
    pub(crate) words: String,
    /// Whether the answer has lists and all of them are empty: it holds the error alone.
    pub(crate) alone: bool,
}

/// Members that state an error by their name, without case, `_` and `-`.
const ERRORS: [&str; 9] = [
    "error",
    "errors",
    "errormessage",
    "errormsg",
    "errordescription",
    "fault",
    "faultstring",
    "exception",
    "failure",
];
/// Members that hold words of any kind. Beside empty lists they say why these are empty.
const WORDS: [&str; 5] = ["message", "msg", "detail", "details", "reason"];
/// Members that are true of a good answer.
const GOOD: [&str; 3] = ["success", "succeeded", "ok"];
/// Members that name the outcome.
const STATUS: [&str; 3] = ["status", "statuscode", "code"];
/// Values of an outcome that is an error.
const BAD: [&str; 6] = ["error", "err", "fail", "failed", "failure", "exception"];
/// Lists under these names describe the answer, and are no content of it.
const DESCRIBING: [&str; 14] = [
    "columns",
    "facets",
    "fields",
    "filters",
    "info",
    "links",
    "messages",
    "meta",
    "metadata",
    "notices",
    "params",
    "parameters",
    "query",
    "warnings",
];
/// Longest member that is read for its words, in bytes: no source explains itself at more length.
const MEMBER_BYTES: usize = 4_096;

fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-'));
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

/// The error that a JSON answer with a good status states; `None` where it states none, and for all that is not an
/// object in JSON.
pub(crate) fn said_error(response: &Response) -> Option<SaidError> {
    if !(200..300).contains(&response.status) {
        return None;
    }
    let body = response
        .body
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&response.body);
    if body.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    of_body(body)
}

fn of_body(body: &[u8]) -> Option<SaidError> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let signs = json.deserialize_map(Top).ok()?;
    if signs.is_empty() {
        return None;
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let lists = Lists { counts: true }.deserialize(&mut json).ok()?;
    let alone = lists.any && !lists.filled;
    let certain = signs.iter().find(|sign| sign.certain);
    // Words of any kind beside content are a remark of the source's own.
    let found = certain.or_else(|| signs.first().filter(|_| alone))?;
    let words = signs
        .iter()
        .find(|sign| sign.spoken)
        .map_or(&found.words, |spoken| &spoken.words);
    (!says_none_found(words)).then(|| SaidError {
        words: words.clone(),
        alone,
    })
}

/// One member of an answer that may state an error.
#[derive(Debug)]
struct Sign {
    words: String,
    /// Whether it can be nothing else.
    certain: bool,
    /// Whether the words are the source's own.
    spoken: bool,
}

/// Reads the members of the whole answer.
struct Top;

impl<'de> Visitor<'de> for Top {
    type Value = Vec<Sign>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Sign>, A::Error> {
        let mut signs = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let name = plain(&key);
            let known = |names: &[&str]| names.contains(&name.as_str());
            if known(&ERRORS) || known(&WORDS) || known(&GOOD) || known(&STATUS) {
                let raw = map.next_value::<Box<RawValue>>()?;
                signs.extend(sign(&key, &name, raw.get()));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        // Of several, one that is certain first; an explanation in words is looked for in all.
        signs.sort_by_key(|sign| !sign.certain);
        Ok(signs)
    }
}

fn sign(key: &str, name: &str, raw: &str) -> Option<Sign> {
    if raw.len() > MEMBER_BYTES && !ERRORS.contains(&name) {
        return None;
    }
    let value: Value = serde_json::from_str(raw).ok()?;
    let shown = || format!("{key}: {}", short(&value));
    if ERRORS.contains(&name) {
        if says_nothing(&value) {
            return None;
        }
        let words = words_in(&value);
        return Some(Sign {
            spoken: words.is_some(),
            words: words.unwrap_or_else(shown),
            certain: true,
        });
    }
    let certain = |words: String| Sign {
        words,
        certain: true,
        spoken: false,
    };
    if GOOD.contains(&name) {
        let is_false = value == Value::Bool(false) || value.as_str().is_some_and(|text| text == "false");
        return is_false.then(|| certain(shown()));
    }
    if STATUS.contains(&name) {
        let is_bad = match &value {
            Value::String(text) => BAD.contains(&text.trim().to_ascii_lowercase().as_str()),
            Value::Number(number) => number.as_u64().is_some_and(|code| (400..600).contains(&code)),
            _ => false,
        };
        return is_bad.then(|| certain(shown()));
    }
    let words = value.as_str().map(str::trim).filter(|text| !text.is_empty())?;
    let fine = ["ok", "success", "successful"];
    (!fine.contains(&words.to_ascii_lowercase().as_str())).then(|| Sign {
        words: words.to_owned(),
        certain: false,
        spoken: true,
    })
}

/// Whether the value of a member called error states that there is none.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => {
            let text = text.trim().to_ascii_lowercase();
            [
                "", "0", "none", "null", "false", "no", "ok", "success", "no error",
            ]
            .contains(&text.as_str())
        }
        Value::Array(list) => list.iter().all(says_nothing),
        // `{"code": 0, "message": ""}`
        Value::Object(object) => object.values().all(says_nothing),
    }
}

/// The words of an error: of the text itself, of the usual members of an object, of the first entry of a list.
fn words_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Array(list) => list.iter().find_map(words_in),
        Value::Object(object) => {
            let said = object.iter().filter(|(key, _)| {
                let name = plain(key);
                WORDS.contains(&name.as_str())
                    || ERRORS.contains(&name.as_str())
                    || ["description", "title", "type", "summary", "code"].contains(&name.as_str())
            });
            said.map(|(_, value)| value).find_map(words_in)
        }
        _ => None,
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().take(100).collect()
}

/// Whether words say that the question was answered and nothing was found, which is no error.
fn says_none_found(words: &str) -> bool {
    let lower = words.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut before = "";
    let things = [
        "results",
        "result",
        "hits",
        "matches",
        "match",
        "matching",
        "records",
        "items",
        "entries",
        "documents",
        "data",
        "articles",
        "jobs",
        "posts",
        "filings",
    ];
    let none = |word: &str| matches!(word, "no" | "0" | "zero" | "without");
    if lower.contains("nothing found") || lower.contains("nothing matched") {
        return true;
    }
    words.any(|word| {
        let found = none(before) && things.contains(&word);
        before = word;
        found
    })
}

/// What the lists of an answer hold.
#[derive(Debug, Default, Clone, Copy)]
struct Found {
    any: bool,
    filled: bool,
}

/// Looks for the lists of an answer; those that describe it, or its error, do not count.
struct Lists {
    counts: bool,
}

impl<'de> DeserializeSeed<'de> for Lists {
    type Value = Found;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Lists {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        let filled = seq.next_element::<IgnoredAny>()?.is_some();
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found {
            any: self.counts,
            filled: self.counts && filled,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let mut found = Found::default();
        while let Some(key) = map.next_key::<String>()? {
            let name = plain(&key);
            let name = name.as_str();
            let describes = ERRORS.contains(&name) || WORDS.contains(&name) || DESCRIBING.contains(&name);
            // Crossref wraps its whole answer in a `message`.
            let counts = self.counts && (!describes || name == "message");
            let of_member = map.next_value_seed(Lists { counts })?;
            found.any |= of_member.any;
            found.filled |= of_member.filled;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Option<(String, bool)> {
        of_body(body.as_bytes()).map(|error| (error.words, error.alone))
    }

    #[test]
    fn an_error_beside_an_empty_list_is_alone() {
        for (body, words) in [
            (
                r#"{"hits":[],"error":"rate limited","message":"slow down"}"#,
                "rate limited",
            ),
            (
                r#"{"items":[],"message":"API rate limit exceeded"}"#,
                "API rate limit exceeded",
            ),
            (
                r#"{"results":[],"detail":"Request was throttled."}"#,
                "Request was throttled.",
            ),
            (r#"{"success":false,"result":{"records":[]}}"#, "success: false"),
            (r#"{"success":false,"data":[],"message":"quota"}"#, "quota"),
            (
                r#"{"data":{"posts":{"nodes":[]}},"errors":[{"message":"x"}]}"#,
                "x",
            ),
            (
                r#"{"error":{"code":429,"message":"too many"},"releases":[]}"#,
                "too many",
            ),
            (r#"{"status":"error","articles":[]}"#, "status: error"),
            (r#"{"status":503,"articles":[]}"#, "status: 503"),
            (r#"{"error":true,"jobs":[],"fields":["a"]}"#, "error: true"),
            (r#"{"Error_Message":"closed","list":[]}"#, "closed"),
        ] {
            assert_eq!(found(body), Some((words.to_owned(), true)), "{body}");
        }
    }

    #[test]
    fn an_error_beside_content_is_not_alone() {
        for body in [
            r#"{"hits":[{"a":1}],"error":"shard 3 failed"}"#,
            r#"{"result":{"records":[1]},"errors":["x"]}"#,
            r#"{"name":"a record","error":"x"}"#,
        ] {
            assert_eq!(found(body).map(|found| found.1), Some(false), "{body}");
        }
    }

    #[test]
    fn what_states_no_error_is_none() {
        for body in [
            r#"{"hits":[],"error":null,"errors":[],"message":""}"#,
            r#"{"hits":[],"error":false,"success":true,"status":"ok","code":200}"#,
            r#"{"hits":[],"error":{"code":0,"message":""}}"#,
            r#"{"hits":[],"message":"No results found for this query."}"#,
            r#"{"hits":[],"message":"OK"}"#,
            r#"{"status":"ok","message-type":"work-list","message":{"items":[],"total-results":0}}"#,
            r#"{"sha":"1","message":"Fix the error","parents":[{"sha":"0"}]}"#,
            r#"{"messages":["For searches, time begins in 2007"],"results":[]}"#,
            r#"{"hits":[],"error":"#,
            "{}",
        ] {
            assert_eq!(found(body), None, "{body}");
        }
    }
}
