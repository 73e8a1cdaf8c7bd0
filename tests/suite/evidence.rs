//! Properties of claims, over all cases and altered responses: a day stays a day; price, change and previous
//! close agree; contradicting dates never have high confidence, and neither a change nor a comment dates a
//! page.

#![expect(clippy::string_slice, reason = "cut where a match begins, and this is a test")]

mod fields;
mod roles;
mod shift;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Utc};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Kind, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::cases::{of_a_composite, panic_line};
use crate::run::{Bench, block_on, once};
use crate::{root, shared, verdict, wanted};

pub fn trials() -> Vec<Trial> {
    let mut trials = fields::known();
    let (cases, recordings) = &*CASES;
    for case in cases {
        for (law, due, run) in LAWS {
            let name = format!("{}::{}::{law}", case.tool, case.name);
            // A test without anything to check is not listed.
            if wanted(&name) && due(case, &bodies(case, recordings)) {
                let case = Arc::clone(case);
                trials.push(Trial::test(name, move || {
                    block_on(run(case, Arc::clone(recordings)))
                }));
            }
        }
    }
    trials
}

/// The cases of one source that have an answer, and the folder of the recordings: cases of recordings are
/// included only if those are present.
static CASES: LazyLock<(Vec<Arc<Case>>, Arc<PathBuf>)> = LazyLock::new(|| {
    let load = |folder: &str| load_cases(&root().join(folder)).unwrap_or_else(|error| panic_line(&error));
    let mut cases = load("fixtures");
    let recordings = shared().map(|shared| shared.join("recordings"));
    if recordings.is_some() {
        cases.extend(load("tests/recordings"));
    }
    cases.retain(|case| case.expect.status.is_some() && !of_a_composite(case));
    let cases = cases.into_iter().map(Arc::new).collect();
    (cases, Arc::new(recordings.unwrap_or_default()))
});

/// The bodies of a case as texts.
fn bodies(case: &Case, recordings: &Path) -> Vec<String> {
    let text = |exchange| {
        let body = case.body(exchange, recordings);
        let body = body.unwrap_or_else(|error| panic_line(&error));
        String::from_utf8_lossy(&body).into_owned()
    };
    case.exchanges.iter().map(text).collect()
}

/// Whether a property applies to a case with these bodies.
type Due = fn(&Case, &[String]) -> bool;

const LAWS: [(&str, Due, Law); 4] = [
    (
        "days",
        |_, bodies| bodies.iter().any(|body| !days_alone(body).1.is_empty()),
        |case, at| Box::pin(days(case, at)),
    ),
    (
        "quotes",
        |case, bodies| {
            let has_numbers = |body: &String| {
                let mut paths = Vec::new();
                if let Ok(document) = serde_json::from_str(body) {
                    numbers(&document, "", &mut paths);
                }
                !paths.is_empty()
            };
            case.tool == "extract_finance" && bodies.iter().any(has_numbers)
        },
        |case, at| Box::pin(quotes(case, at)),
    ),
    (
        "pages::conflicts",
        |case, bodies| {
            let is_page = |body: &String| body.to_lowercase().contains("</head>");
            case.tool == "extract_changelog"
                && case.kind != Kind::Denied
                && case.expect.route.as_deref() == Some("page")
                && bodies.iter().any(is_page)
        },
        |case, at| Box::pin(conflicts(case, at)),
    ),
    ("fields::conflicts", fields::due, |case, at| {
        Box::pin(fields::law(case, at))
    }),
];

type Law = fn(Arc<Case>, Arc<PathBuf>) -> std::pin::Pin<Box<dyn Future<Output = Result<(), Failed>>>>;

/// Returns the tool's result for a case with reply `number` (or all) changed.
async fn answer(
    case: &Case,
    recordings: &Path,
    number: Option<usize>,
    change: impl Fn(&str) -> String,
) -> Result<Outcome, String> {
    let bench = Bench::hurried(case, recordings, once(), |script| {
        let at = AtomicUsize::new(0);
        script.alter(|_, reply| {
            let here = at.fetch_add(1, Ordering::Relaxed);
            if number.is_none_or(|number| number == here)
                && let Ok(body) = std::str::from_utf8(&reply.body)
            {
                reply.body = change(body).into_bytes();
            }
        });
    })
    .await?;
    bench.call(&case.tool, case.arguments.clone()).await
}

/// Truncates every ISO 8601 date and time of a text to its day. Also returns the days.
fn days_alone(text: &str) -> (String, Vec<String>) {
    let bytes = text.as_bytes();
    let fits = |at: usize, pattern: &str| {
        bytes.get(at..at + pattern.len()).is_some_and(|found| {
            found
                .iter()
                .zip(pattern.bytes())
                .all(|(found, wanted)| match wanted {
                    b'0' => found.is_ascii_digit(),
                    b'T' => matches!(found, b'T' | b' '),
                    _ => *found == wanted,
                })
        })
    };
    let (mut out, mut days) = (Vec::with_capacity(bytes.len()), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        if !fits(at, "0000-00-00T00:00") {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        out.extend(&bytes[at..at + 10]);
        days.push(String::from_utf8_lossy(&bytes[at..at + 10]).into_owned());
        at += 16;
        if fits(at, ":00") {
            at += 3;
        }
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        for zone in ["Z", "+00:00", "-00:00", "+0000", "-0000"] {
            if fits(at, zone) {
                at += zone.len();
                break;
            }
        }
    }
    (String::from_utf8_lossy(&out).into_owned(), days)
}

/// If a source sends days only, the answer has no time of day, in text or JSON.
async fn days(case: Arc<Case>, recordings: Arc<PathBuf>) -> Result<(), Failed> {
    let (mut sent, mut bodies) = (Vec::new(), String::new());
    for exchange in &case.exchanges {
        let body = case.body(exchange, &recordings)?;
        let body = String::from_utf8_lossy(&body);
        sent.extend(days_alone(&body).1);
        bodies.push_str(&body);
    }
    let became = answer(&case, &recordings, None, |body| days_alone(body).0).await?;
    // A source that rejects days alone has claimed no time; its text is checked all the same.
    let mut claims = became.structured.clone();
    for moment in ["revalidate_after", "retrieved_at"] {
        claims.as_object_mut().map(|claims| claims.remove(moment));
    }
    if let Some(facts) = claims["freshcontext"].as_object_mut() {
        facts.remove("retrieved_at");
    }
    for item in claims["items"].as_array_mut().into_iter().flatten() {
        item.as_object_mut().map(|item| item.remove("retrieved_at"));
    }
    let shown = claims.to_string();
    sent.sort();
    sent.dedup();
    verdict(
        sent.iter()
            .filter_map(|day| {
                let midnight = format!("{day}T00:00");
                let seconds = format!("{midnight}:00Z")
                    .parse::<DateTime<Utc>>()
                    .ok()?
                    .timestamp();
                // A time may also be sent as a number, which can be midnight.
                let at = shown
                    .find(&midnight)
                    .filter(|_| !bodies.contains(&seconds.to_string()))?;
                let around: String = shown
                    .chars()
                    .skip(shown[..at].chars().count().saturating_sub(40))
                    .take(90)
                    .collect();
                Some(format!("{day} became a time: {around}"))
            })
            .collect(),
    )
}

/// Collects the JSON pointers of all numbers in a document.
fn numbers(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                numbers(value, &format!("{at}/{key}"), out);
            }
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                numbers(value, &format!("{at}/{place}"), out);
            }
        }
        Value::Number(_) => out.push(at.to_owned()),
        Value::String(text)
            if text
                .trim_start_matches(['$', '+', '-'])
                .starts_with(|c: char| c.is_ascii_digit()) =>
        {
            out.push(at.to_owned());
        }
        _ => {}
    }
}

/// Changes a number slightly, in its original notation.
fn nudged(value: &Value, by: f64) -> Option<Value> {
    match value {
        Value::Number(number) => Some(json!((number.as_f64()? * by * 100.0).round() / 100.0)),
        Value::String(text) => {
            let plain: String = text
                .chars()
                .filter(|c| !matches!(c, '$' | ',' | '%' | '+'))
                .collect();
            let number: f64 = plain.parse().ok()?;
            let sign = if text.ends_with('%') { "%" } else { "" };
            Some(format!("{:.2}{sign}", number * by).into())
        }
        _ => None,
    }
}

/// Price, change and previous close of every quote agree, whichever number is changed; omitted values are
/// named.
async fn quotes(case: Arc<Case>, recordings: Arc<PathBuf>) -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let whole = answer(&case, &recordings, None, str::to_owned).await?;
    complaints.extend(disagreements("unaltered", &whole));
    for (number, exchange) in case.exchanges.iter().enumerate() {
        let body = case.body(exchange, &recordings)?;
        let Ok(document) = serde_json::from_slice::<Value>(&body) else {
            continue;
        };
        let mut paths = Vec::new();
        numbers(&document, "", &mut paths);
        for path in paths {
            for by in [1.03, 0.5, 0.0, -1.0] {
                let mut altered = document.clone();
                let Some(to) = document.pointer(&path).and_then(|value| nudged(value, by)) else {
                    continue;
                };
                if let Some(place) = altered.pointer_mut(&path) {
                    *place = to;
                }
                let altered = altered.to_string();
                let became = answer(&case, &recordings, Some(number), |_| altered.clone()).await?;
                let what = format!("{path} times {by}");
                complaints.extend(disagreements(&what, &became));
                complaints.extend(unnamed(&what, &whole, &became));
            }
        }
    }
    verdict(complaints)
}

fn disagreements(what: &str, outcome: &Outcome) -> Vec<String> {
    let disagree = |item: &&Value| {
        let number = |name: &str| item["fields"][name].as_f64();
        let (Some(price), Some(change), Some(previous)) =
            (number("price"), number("change"), number("previous_close"))
        else {
            return false;
        };
        // Three numbers rounded to cents.
        (price - change - previous).abs() > 0.0151 + price.abs() * 1e-9
    };
    let items = outcome.items().iter().filter(disagree);
    items
        .map(|item| format!("{what}: the quote contradicts itself: {}", item["fields"]))
        .collect()
}

/// A removed previous close or change must be reported.
fn unnamed(what: &str, whole: &Outcome, became: &Outcome) -> Vec<String> {
    if became.is_error {
        return Vec::new();
    }
    let mut out = Vec::new();
    let notes = became.structured["notes"].to_string();
    for item in became.items() {
        let Some(before) = whole.items().iter().find(|before| before["id"] == item["id"]) else {
            continue;
        };
        for name in ["previous_close", "change"] {
            let gone = !before["fields"][name].is_null() && item["fields"][name].is_null();
            // A price or close of zero or less is invalid, so there is nothing to contradict.
            let unusable = what.ends_with("times 0") || what.ends_with("times -1");
            if gone && !unusable && !notes.contains(name) {
                out.push(format!("{what}: {name} went without a word"));
            }
        }
    }
    out
}

/// A day long before all cases, as a page's second date.
const LONG_AGO: &str = "2003-04-05T06:07:08Z";

/// If a page has two publication dates, the answer's date has no high confidence and the other is named. A
/// date of a change or a comment does not count.
async fn conflicts(case: Arc<Case>, recordings: Arc<PathBuf>) -> Result<(), Failed> {
    let whole = answer(&case, &recordings, None, str::to_owned).await?;
    let facts = |outcome: &Outcome| {
        let facts = &outcome.structured["freshcontext"];
        (
            facts["content_date"].clone(),
            facts["freshness_confidence"].clone(),
        )
    };
    let mut complaints = Vec::new();
    let into_head = |body: &str, tag: &str| {
        let at = body.to_lowercase().find("</head>");
        at.filter(|at| body.is_char_boundary(*at)).map_or_else(
            || body.to_owned(),
            |at| format!("{}{tag}{}", &body[..at], &body[at..]),
        )
    };
    let into_body = |body: &str, part: &str| {
        let at = body.rfind("</body>").unwrap_or(body.len());
        format!("{}{part}{}", &body[..at], &body[at..])
    };
    if whole.is_error || whole.structured["route"] != "page" {
        return Err(format!("it is no answer of a page:\n{}", whole.text).into());
    }
    let claim = format!("<meta property=\"article:published_time\" content=\"{LONG_AGO}\">");
    let two = answer(&case, &recordings, None, |body| into_head(body, &claim)).await?;
    let (date, confidence) = facts(&two);
    let had_one = !facts(&whole).0.is_null();
    let single = whole.items().len() == 1;
    if had_one && single && confidence == "high" {
        complaints.push(format!("two publication dates, and {date} of high confidence"));
    }
    if single && facts(&whole).1 == "high" && !two.structured["notes"].to_string().contains("2003-04-05") {
        complaints.push(format!(
            "the other date is not named: {}",
            two.structured["notes"]
        ));
    }
    let changed = "<meta property=\"article:modified_time\" content=\"2003-04-05T06:07:08Z\">\
                   <meta property=\"og:updated_time\" content=\"2003-04-05T06:07:08Z\">";
    let comment = format!(
        "<div class=\"comment\"><p>Published: April 5, 2003</p><time itemprop=\"datePublished\" \
         datetime=\"{LONG_AGO}\">then</time> a comment</div>"
    );
    for (what, became) in [
        (
            "a change",
            answer(&case, &recordings, None, |body| into_head(body, changed)).await?,
        ),
        (
            "a comment",
            answer(&case, &recordings, None, |body| into_body(body, &comment)).await?,
        ),
    ] {
        if facts(&became) != facts(&whole) {
            complaints.push(format!("{what}: {:?} became {:?}", facts(&whole), facts(&became)));
        }
    }
    verdict(complaints)
}
