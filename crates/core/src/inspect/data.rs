//! Judging JSON by what it carries.

use freshcontext_contract::walls::{self, Strength};

use super::fields::{
    above_wraps, coded_message, counts_errors, counts_none, denies, error_key, has_one_root, invalid_fields,
    is_catalogue, is_fine, is_of_records, is_partial, is_wrapped, names_an_error, says_failed, specifies,
};
use super::fold::{fold, quote};
use super::json::{self, Leaf, Value};
use super::keys;
use super::reading::{Reading, read, status_kind};
use super::text;
use super::verdict::{Inspection, Kind};
use super::words::is_error_status;

/// What the leaves of an answer add up to.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// Something says that there is an error.
    signal: Option<String>,
    /// How many leaves say so.
    signals: usize,
    /// What says so is the name of a list that reports of tests have, too.
    report: bool,
    /// Beside the errors stands what could be had, or they are counted.
    partial: bool,
    /// Something counts none.
    none: bool,
    /// One key holds all of it.
    sole: bool,
    /// A status or code that says of what kind.
    status: Option<u16>,
    /// Words of the error.
    words: Vec<String>,
    /// Leaves that neither belong to an error nor to an envelope, and their characters.
    data: usize,
    data_chars: usize,
    /// Leaves that count as data unless there is an error.
    maybe: usize,
    /// Leaves with something in them.
    filled: usize,
    /// Something says that what was asked for was not found.
    absent: bool,
}

impl Sum {
    /// Nothing but a status.
    pub(super) fn with_status(status: Option<u16>) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }
}

/// Judges a mapping as Python prints it: `{'message': 'Not Found', 'ok': False}`; `None` if it is none.
pub(super) fn judge_literal(text: &str) -> Option<Inspection> {
    /// Longer ones are no error's.
    const LONGEST: usize = 4 << 10;
    if text.len() > LONGEST || !(text.starts_with("{'") || text.starts_with("[{'")) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => match chars.next()? {
                '\'' => out.push('\''),
                next => out.extend(['\\', next]),
            },
            (Some(open), _) if c == open => {
                out.push('"');
                quote = None;
            }
            (Some(_), '"') => out.push_str("\\\""),
            (None, '\'' | '"') => {
                out.push('"');
                quote = Some(c);
            }
            (None, 'T' | 'F' | 'N') => {
                let mut word = String::from(c);
                while let Some(next) = chars.next_if(char::is_ascii_alphabetic) {
                    word.push(next);
                }
                out.push_str(match word.as_str() {
                    "True" => "true",
                    "False" => "false",
                    "None" => "null",
                    _ => return None,
                });
            }
            _ => out.push(c),
        }
    }
    judge_json(&out)
}

/// Judges JSON; `None` if the text is not JSON.
pub(super) fn judge_json(text: &str) -> Option<Inspection> {
    let scan = json::scan(text)?;
    if specifies(&scan) {
        return Some(Inspection::genuine(0.95, "a description of an interface"));
    }
    let mut sum = Sum {
        partial: is_partial(&scan) || counts_errors(&scan) || is_of_records(&scan),
        none: counts_none(&scan),
        sole: has_one_root(&scan),
        ..Sum::default()
    };
    for leaf in &scan.leaves {
        weigh_leaf(&mut sum, leaf);
    }
    if is_catalogue(&scan) {
        return Some(Inspection::genuine(0.8, "a list of errors, each under its name"));
    }
    let words = sum.words.join("\n");
    let reading = read(&fold(super::fold::head(&words, 4096), true));
    if text.len() < 4096
        && let Some(mark) = walls::best(&walls::fingerprints_in(text.as_bytes()))
            .filter(|mark| mark.strength == Strength::Proof)
        && reading.subject_words <= 60
        && sum.data <= 12
    {
        return Some(
            Inspection::failure(
                mark.kind.into(),
                0.93,
                format!("{}: {}", mark.vendor, mark.kind.phrase()),
            )
            .with("wall", mark.needle),
        );
    }
    // one record of several may well have failed; the list is what was asked for
    let among = scan.records > 2 || (scan.records > 1 && sum.signals < scan.records);
    if let Some(signal) = &sum.signal {
        // an error beside real data is a partial answer: the data is there
        let most = if sum.report { 1 } else { 3 };
        let thin = !among && !sum.partial && sum.data <= most && sum.data_chars <= 160.max(words.len() * 2);
        if thin && !scan.more {
            let kind = kind_of(&sum, &reading, &words);
            return Some(
                Inspection::failure(kind, 0.95, "the answer is an error object")
                    .with("shape", signal.clone())
                    .with("wording", quote(&words, 60)),
            );
        }
        return Some(Inspection::genuine(0.7, "data, with an error beside it").with("shape", signal.clone()));
    }
    if scan.more {
        return Some(Inspection::genuine(0.97, "structured data"));
    }
    if sum.absent && sum.data <= 3 && sum.data_chars <= 80 {
        return Some(Inspection::failure(
            Kind::NotFound,
            0.85,
            "the answer says that it was not found",
        ));
    }
    if let Some(found) = invalid_fields(&scan) {
        return Some(found);
    }
    let listing = scan.hollow.iter().any(|key| keys::is_listing(key));
    // an empty list and a count of none: figures of how long it took, and of pages, carry nothing
    if sum.none && listing && scan.leaves.iter().all(|leaf| !is_worded(&leaf.value)) {
        return Some(empty(&scan));
    }
    if let Some(found) = sole_text(&scan) {
        return Some(found);
    }
    let little = if sum.none { 2 } else { usize::from(listing) };
    if sum.filled == 0
        || ((sum.none || listing)
            && sum.data <= little
            && sum.data_chars <= 80
            && sum.words.iter().all(|word| !word.contains(' ')))
    {
        return Some(empty(&scan));
    }
    Some(wordings(&scan, &sum, &reading, &words))
}

/// Whether a value is words, rather than a figure, a date or an identifier.
fn is_worded(value: &Value) -> bool {
    matches!(value, Value::Text(text) if text.trim().contains(' '))
}

/// A wrapper around one text and nothing else: the text decides.
fn sole_text(scan: &json::Scan) -> Option<Inspection> {
    let [leaf] = scan.leaves.as_slice() else {
        return None;
    };
    let Value::Text(said) = &leaf.value else {
        return None;
    };
    if leaf.list.is_some() || !is_worded(&leaf.value) {
        return None;
    }
    let found = text::judge(said);
    found
        .is_sure_failure()
        .then(|| found.with("shape", format!("nothing but \"{}\"", leaf.key())))
}

/// JSON without a flag of its own: its only words may still be a failure's.
fn wordings(scan: &json::Scan, sum: &Sum, reading: &Reading, words: &str) -> Inspection {
    let texts: Vec<&str> = scan
        .leaves
        .iter()
        .filter_map(|leaf| match &leaf.value {
            Value::Text(text) if text.split_ascii_whitespace().count() > 1 && is_wrapped(leaf) => {
                Some(text.as_str())
            }
            _ => None,
        })
        .collect();
    let message_only = sum.data == 0
        && scan
            .leaves
            .iter()
            .all(|leaf| keys::is_message(leaf.key()) || keys::is_envelope(leaf.key()));
    let keyed = |key: &str| {
        scan.leaves
            .iter()
            .any(|leaf| leaf.key() == key && leaf.keys.len() == 1)
    };
    if message_only {
        // {"detail": ...} is how two large frameworks report errors, and nothing else
        if scan.leaves.len() == 1 && (keyed("detail") || keyed("error")) && words.len() < 400 {
            let kind = kind_of(sum, reading, words);
            return Inspection::failure(kind, 0.85, "the answer is an error message")
                .with("wording", quote(words, 60));
        }
        if let Some(leading) = reading.leading()
            && reading.subject_words <= 12.max(reading.verdict_words * 2)
            && reading.about <= 1
        {
            let kind = kind_of(sum, reading, words);
            let confidence = if leading.strong { 0.9 } else { 0.75 };
            return Inspection::failure(kind, confidence, "the answer is an error message")
                .with("wording", quote(words, 60));
        }
        // one of the messages is a server's own words, whatever the others add
        let stated = sum.words.iter().find_map(|text| {
            let reading = read(&fold(super::fold::head(text, 600), true));
            let verdict = reading.leading().filter(|verdict| verdict.strong)?;
            (reading.subject_words == 0).then_some(verdict.kind)
        });
        if let Some(kind) = stated.filter(|_| words.len() < 600) {
            return Inspection::failure(kind, 0.88, "the answer is an error message")
                .with("wording", quote(words, 60));
        }
        // a message by itself that denies something
        let told = |leaf: &Leaf| {
            matches!(
                leaf.key(),
                "" | "message"
                    | "msg"
                    | "reason"
                    | "description"
                    | "code"
                    | "cod"
                    | "rc"
                    | "ret"
                    | "status"
                    | "statuscode"
                    | "type"
                    | "detail"
                    | "details"
                    | "hint"
                    | "path"
                    | "timestamp"
                    | "requestid"
                    | "traceid"
                    | "note"
                    | "info"
                    | "information"
                    | "warning"
                    | "notice"
            )
        };
        let alone = scan.leaves.iter().all(told)
            && [
                "message",
                "msg",
                "reason",
                "description",
                "note",
                "info",
                "information",
                "warning",
                "notice",
            ]
            .iter()
            .any(|key| keyed(key))
            && scan.leaves.len() <= 3;
        if alone && words.len() <= 240 && reading.person == 0 && denies(words) {
            return Inspection::failure(
                kind_of(sum, reading, words),
                0.78,
                "the answer is an error message",
            )
            .with("wording", quote(words, 60));
        }
        let short = words.split_ascii_whitespace().count() <= 30;
        let under_detail = scan
            .leaves
            .iter()
            .all(|leaf| leaf.keys.first().is_some_and(|key| key == "detail"));
        if under_detail && short {
            return Inspection::failure(Kind::ClientError, 0.8, "the answer is an error message")
                .with("wording", quote(words, 60));
        }
        let documented = keyed("documentationurl") || keyed("docurl");
        if short && (coded_message(scan) || (documented && (keyed("message") || keyed("msg")))) {
            return Inspection::failure(
                kind_of(sum, reading, words),
                0.75,
                "the answer is a message with a code",
            )
            .with("wording", quote(words, 60));
        }
    }
    // a tool's answer wraps the text: judge what is inside
    let one_of_several = scan.leaves.iter().any(|leaf| leaf.list.is_some()) && sum.data > 1;
    if let [only] = texts.as_slice()
        && sum.data <= 3
        && !one_of_several
    {
        let inner = text::judge(only);
        if inner.failed {
            return inner.with("form", "the only text in a JSON answer");
        }
    }
    if sum.data == 0 && sum.maybe == 0 {
        return empty(scan);
    }
    Inspection::genuine(if sum.data > 2 { 0.95 } else { 0.8 }, "structured data")
}

fn empty(scan: &json::Scan) -> Inspection {
    if !scan.whole {
        return Inspection::failure(Kind::Malformed, 0.7, "JSON that ends before it carries anything");
    }
    Inspection::failure(Kind::Empty, 0.93, "structured, and nothing in it")
        .with("shape", format!("empty: {}", scan.hollow.join(", ")))
}

fn weigh_leaf(sum: &mut Sum, leaf: &Leaf) {
    let key = leaf.key();
    let error = error_key(leaf);
    let in_error = error.is_some();
    let truthy = match &leaf.value {
        Value::Text(text) => !text.trim().is_empty(),
        Value::Number(number) => *number != 0.0,
        Value::Bool(set) => *set,
        Value::Null => false,
    };
    if leaf.value != Value::Null && truthy {
        let said =
            matches!(&leaf.value, Value::Text(text) if matches!(key, "message" | "msg") && !is_fine(text));
        let envelope = !said
            && keys::is_envelope(key)
            && !matches!(&leaf.value, Value::Text(text) if text.len() > 60 && key != "next" && key != "self" && key != "href");
        sum.filled += usize::from(!envelope || in_error);
    }
    if in_error && truthy {
        sum.signals += 1;
        let plural = matches!(error, Some("failures" | "failure" | "exceptions" | "problem"));
        sum.report = plural && (sum.report || sum.signal.is_none());
        sum.signal.get_or_insert_with(|| leaf.keys.join("."));
    }
    match (&leaf.value, key) {
        (Value::Bool(false), "success" | "ok" | "successful" | "issuccess" | "succeeded") => {
            sum.signal.get_or_insert_with(|| format!("{key}: false"));
            return;
        }
        (
            Value::Bool(false),
            "authenticated" | "isauthenticated" | "authorized" | "isauthorized" | "loggedin" | "isloggedin",
        ) if leaf.keys.len() == 1 => {
            sum.status.get_or_insert(401);
            sum.signal.get_or_insert_with(|| format!("{key}: false"));
            return;
        }
        (Value::Bool(false), "found" | "exists") if leaf.keys.len() == 1 => {
            sum.absent = true;
            return;
        }
        // how MediaWiki and Elasticsearch mark what they do not have
        (Value::Bool(true), "missing" | "notfound") => {
            sum.absent = true;
            return;
        }
        (Value::Text(text), "missing") if text.is_empty() => {
            sum.absent = true;
            return;
        }
        (Value::Text(text), "success" | "ok" | "successful" | "issuccess" | "response")
            if leaf.keys.len() == 1
                && matches!(text.to_ascii_lowercase().as_str(), "false" | "no" | "error") =>
        {
            sum.signal.get_or_insert_with(|| format!("{key}: {text}"));
            return;
        }
        (Value::Text(text), _) if leaf.keys.len() <= 2 && names_an_error(key, text) => {
            sum.signal
                .get_or_insert_with(|| format!("{key}: {}", quote(text, 40)));
            sum.words.push(text.clone());
            return;
        }
        (
            Value::Text(text),
            "status" | "result" | "state" | "responsestatus" | "s" | "stat" | "@type" | "returncode"
            | "resultcode" | "retcode" | "rc" | "outcome",
        ) if leaf.keys.len() <= 2 && leaf.list.is_none() && (sum.sole || above_wraps(leaf)) => {
            let word = text.trim().to_ascii_lowercase();
            if says_failed(&word) {
                sum.signal.get_or_insert_with(|| format!("{key}: {word}"));
                sum.words.push(text.clone());
                return;
            }
        }
        _ => {}
    }
    let code = match &leaf.value {
        Value::Number(number) if *number >= 0.0 && *number < 1000.0 && number.fract() == 0.0 => {
            number.to_string().parse().ok()
        }
        Value::Text(text) if text.len() == 3 => text.parse().ok(),
        _ => None,
    };
    if let Some(code) = code.filter(|code| is_error_status(*code))
        && matches!(
            key,
            "status"
                | "statuscode"
                | "code"
                | "httpstatus"
                | "httpcode"
                | "httpstatuscode"
                | "error"
                | "errorcode"
                | "responsecode"
                | "cod"
                | "errno"
                | "errcode"
                | "resultcode"
        )
    {
        // a code inside a list of records is data; one near the top is the answer's own
        if (leaf.keys.len() <= 2 && leaf.list.is_none())
            || in_error
            || (leaf.keys.len() == 3 && leaf.keys.iter().any(|key| key == "status"))
        {
            sum.signal.get_or_insert_with(|| format!("{key}: {code}"));
        }
        sum.status.get_or_insert(code);
        return;
    }
    let Value::Text(text) = &leaf.value else {
        let listed = matches!(
            key,
            "data" | "result" | "results" | "value" | "values" | "content" | "output"
        );
        if !in_error && truthy && !keys::is_envelope(key) && (listed || !keys::is_message(key)) {
            sum.data += 1;
        }
        return;
    };
    if in_error || keys::is_message(key) {
        if !text.trim().is_empty() {
            sum.words.push(text.clone());
            let said = matches!(key, "message" | "msg") && !is_fine(text);
            sum.maybe += usize::from(!in_error && (said || !keys::is_envelope(key)));
            // an essay is no error message
            if !in_error && text.len() > 600 {
                sum.data += 4;
            }
        }
    } else if !keys::is_envelope(key) && truthy {
        sum.data += 1;
        sum.data_chars += text.len();
    }
}

/// The kind of an error object: its status, then its words, then what codes like `NoSuchKey` say.
pub(super) fn kind_of(sum: &Sum, reading: &Reading, words: &str) -> Kind {
    let worded = reading
        .verdicts
        .iter()
        .find(|verdict| verdict.strong && !matches!(verdict.kind, Kind::ServerError))
        .map(|verdict| verdict.kind);
    if let Some(kind) =
        worded.filter(|kind| matches!(kind, Kind::RateLimited | Kind::Challenge | Kind::Timeout))
    {
        return kind;
    }
    if let Some(status) = sum.status {
        return status_kind(status);
    }
    worded
        .or_else(|| coded(words))
        .unwrap_or(if reading.verdicts.is_empty() {
            Kind::ClientError
        } else {
            Kind::ServerError
        })
}

/// What a code in one word says: `NoSuchBucket`, `AccessDeniedException`, `channel_not_found`.
pub(super) fn coded(words: &str) -> Option<Kind> {
    const CODES: &[(&str, Kind)] = &[
        ("ratelimit", Kind::RateLimited),
        ("toomany", Kind::RateLimited),
        ("throttl", Kind::RateLimited),
        ("slowdown", Kind::RateLimited),
        ("quota", Kind::RateLimited),
        ("notfound", Kind::NotFound),
        ("nosuch", Kind::NotFound),
        ("unknown", Kind::NotFound),
        ("accessdenied", Kind::AccessDenied),
        ("forbidden", Kind::AccessDenied),
        ("permission", Kind::AccessDenied),
        ("denied", Kind::AccessDenied),
        ("unauth", Kind::LoginRequired),
        ("auth", Kind::LoginRequired),
        ("token", Kind::LoginRequired),
        ("apikey", Kind::LoginRequired),
        ("credential", Kind::LoginRequired),
        ("timeout", Kind::Timeout),
        ("unavailable", Kind::Unavailable),
        ("internal", Kind::ServerError),
        ("server", Kind::ServerError),
        ("exception", Kind::ServerError),
        ("invalid", Kind::ClientError),
        ("required", Kind::ClientError),
    ];
    let bare: String = words
        .chars()
        .filter(|c| c.is_alphanumeric())
        .take(400)
        .collect::<String>()
        .to_lowercase();
    CODES
        .iter()
        .find(|(code, _)| bare.contains(code))
        .map(|(_, kind)| *kind)
}
