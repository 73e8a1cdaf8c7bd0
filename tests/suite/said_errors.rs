//! Answers with a good status that hold an error, and texts that hold half of a character, at every source whose answers
//! are JSON.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Kind, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::cases::{of_a_composite, panic_line};
use crate::run::{Bench, block_on, once};
use crate::{root, verdict};

/// Members with which sources state an error beside an empty list.
fn errors() -> [Value; 7] {
    [
        json!({"error": "rate limited", "message": "Too many requests, slow down"}),
        json!({"message": "API rate limit exceeded"}),
        json!({"error": {"code": 503, "message": "shards are missing"}}),
        json!({"errors": [{"message": "the query was not run"}]}),
        json!({"success": false}),
        json!({"status": "error", "detail": "quota is used up"}),
        json!({"Error_Message": "the service is closed"}),
    ]
}

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    let mut trials = Vec::new();
    for case in cases
        .into_iter()
        .filter(|case| !of_a_composite(case))
        .map(Arc::new)
    {
        let places = objects(&case);
        if case.kind == Kind::Empty && !places.is_empty() {
            let (case, name) = (
                Arc::clone(&case),
                format!("{}::{}::said_errors", case.tool, case.name),
            );
            trials.push(Trial::test(name, move || {
                block_on(is_no_empty_answer(case, places))
            }));
        } else if case.kind == Kind::Ok && case.exchanges.iter().any(|exchange| exchange.status == 200) {
            let name = format!("{}::{}::half_characters", case.tool, case.name);
            trials.push(Trial::test(name, move || block_on(half_characters(case))));
        }
    }
    trials
}

/// The places of the exchanges whose body is an object in JSON with a list, and an error could stand beside it.
fn objects(case: &Case) -> Vec<usize> {
    // An answer with an item says something whatever else failed.
    if case.expect.items.is_some_and(|items| items > 0) {
        return Vec::new();
    }
    let is_object = |exchange| {
        let body = case.body(exchange, std::path::Path::new("")).unwrap_or_default();
        let read: Option<Map<String, Value>> = serde_json::from_slice(&body).ok();
        read.is_some_and(|body| holds_list(&Value::Object(body)))
    };
    let all = case.exchanges.iter().enumerate();
    all.filter(|(_, exchange)| exchange.status == 200 && is_object(*exchange))
        .map(|(place, _)| place)
        .collect()
}

fn holds_list(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(fields) => fields.values().any(holds_list),
        _ => false,
    }
}

async fn answer(case: &Case, change: impl Fn(usize, &[u8]) -> Option<Vec<u8>>) -> Result<Outcome, String> {
    let bench = Bench::hurried(case, std::path::Path::new(""), once(), |script| {
        let at = AtomicUsize::new(0);
        script.alter(|_, reply| {
            let place = at.fetch_add(1, Ordering::Relaxed);
            if let Some(body) = change(place, &reply.body) {
                reply.body = body;
            }
        });
    })
    .await?;
    bench.call(&case.tool, case.arguments.clone()).await
}

/// An error beside an empty list is an error, or the answer says that a part is missing: never an honest "nothing there".
async fn is_no_empty_answer(case: Arc<Case>, places: Vec<usize>) -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for error in errors() {
        let became = answer(&case, |place, body| {
            if !places.contains(&place) {
                return None;
            }
            let mut body: Map<String, Value> = serde_json::from_slice(body).ok()?;
            body.extend(error.as_object().cloned().unwrap_or_default());
            Some(Value::Object(body).to_string().into_bytes())
        })
        .await?;
        if !became.is_error && became.structured["status"] != "partial" {
            complaints.push(format!("{error}: {}", became.text));
        }
    }
    verdict(complaints)
}

/// Half of a character in every text of an answer costs no item, and a note says so.
async fn half_characters(case: Arc<Case>) -> Result<(), Failed> {
    let whole = answer(&case, |_, _| None).await?;
    let changed = AtomicUsize::new(0);
    let titles: Vec<String> = whole
        .items()
        .iter()
        .filter_map(|item| Some(item["title"].as_str()?.to_owned()))
        .collect();
    let became = answer(&case, |_, body| {
        let text = std::str::from_utf8(body).ok()?;
        serde_json::from_str::<Value>(text).ok()?;
        // Behind the first two characters, so that the rest of the text stays what it is.
        let halved = titles.iter().fold(text.to_owned(), |text, title| {
            let mut title = title.chars();
            let begin: String = title.by_ref().take(3).collect();
            let rest = title.as_str();
            if rest.len() < 8 || !rest.is_ascii() {
                return text;
            }
            text.replace(
                &format!("\"{begin}{rest}\""),
                &format!("\"{begin}\\ud83d{rest}\""),
            )
        });
        (halved != text).then(|| {
            changed.fetch_add(1, Ordering::Relaxed);
            halved.into_bytes()
        })
    })
    .await?;
    if changed.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    let is_noted = became.structured["notes"].to_string().contains("surrogate pair");
    // A title that reads otherwise may no longer be that of another source's entry: then both stay.
    if became.items().len() >= whole.items().len() && is_noted {
        return Ok(());
    }
    verdict(vec![format!(
        "{} of {} items: {}",
        became.items().len(),
        whole.items().len(),
        became.text
    )])
}
