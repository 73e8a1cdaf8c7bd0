//! The JSON form.

use chrono::{DateTime, Utc};
use freshcontext_contract::code;
use serde_json::{Map, Value};

use super::{
    AWARE, Book, Facts, MISSING, Published, Score, counted_to, iso_instant, score, validate_facts, verdict,
};
use crate::level::Level;
use crate::specification::says;

/// The keys that the published schema allows inside `freshcontext`.
const KEYS: [&str; 7] = [
    "source_url",
    "content_date",
    "retrieved_at",
    "freshness_confidence",
    "freshness_score",
    "adapter",
    "decay_rate",
];
/// Most nested wrappers: a JSON-RPC response around a tool result around a composite.
const DEPTH: usize = 4;

/// Validates any FreshContext JSON.
pub(super) fn check(value: &Value, book: &mut Book) {
    check_at(value, book, DEPTH);
}

fn check_at(value: &Value, book: &mut Book, depth: usize) {
    let nothing = |problem: String, book: &mut Book| {
        book.check("response", AWARE, Err(problem));
        book.level(Level::Fail);
    };
    let Some(object) = value.as_object().filter(|_| depth > 0) else {
        return nothing("holds no FreshContext response".to_owned(), book);
    };
    if object.contains_key("freshcontext") {
        let begin = book.begin();
        form(object, book);
        book.settle(begin);
    } else if let Some(sections) = object.get("sections").and_then(Value::as_array) {
        composite(object, sections, book, depth);
    } else if object.get("structuredContent").is_some_and(Value::is_object)
        || object.get("content").is_some_and(Value::is_array)
    {
        tool_result(object, book, depth);
    } else if let Some(result) = object.get("result").filter(|result| result.is_object()) {
        check_at(result, book, depth - 1);
    } else {
        match (object.get("code").and_then(Value::as_str), object.get("error")) {
            (Some(code), _) => nothing(format!("a tool error ({code}), which is no context"), book),
            (None, Some(_)) => nothing("an error, which is no context".to_owned(), book),
            (None, None) if object.contains_key("retrieved_at") => bare(object, book),
            (None, None) => nothing("no `freshcontext` object and no `retrieved_at`".to_owned(), book),
        }
    }
}

/// Validates a response with a retrieval time but without a `freshcontext` object.
fn bare(object: &Map<String, Value>, book: &mut Book) {
    let begin = book.begin();
    let given = object
        .get("retrieved_at")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let problem = format!(
        "{} is not an ISO 8601 date and time with a time zone",
        code(given)
    );
    let outcome = verdict(iso_instant(given).is_some(), given, &problem);
    book.check("retrieved", (Level::Aware, says::RETRIEVED), outcome);
    let need = (Level::Compatible, says::JSON_FORM);
    book.lack(
        "freshcontext.retrieved_at",
        need,
        "stands outside of `freshcontext`",
    );
    let problem = if object.contains_key("freshness_confidence") {
        "stands outside of `freshcontext`"
    } else {
        "missing"
    };
    book.lack("freshcontext.freshness_confidence", need, problem);
    book.lack(
        "freshcontext.freshness_score",
        (Level::Scored, says::SCORED),
        MISSING,
    );
    book.settle(begin);
}

/// Validates an MCP tool result; both forms count if both are present.
fn tool_result(object: &Map<String, Value>, book: &mut Book, depth: usize) {
    if object.get("isError") == Some(&Value::Bool(true)) {
        let problem = "a tool error (isError), which is no context".to_owned();
        book.check("response", AWARE, Err(problem));
        book.level(Level::Fail);
        return;
    }
    let outer = book.place.clone();
    let structured = object.get("structuredContent").filter(|value| value.is_object());
    if let Some(structured) = structured {
        book.place = format!("{outer}structuredContent: ");
        check_at(structured, book, depth - 1);
    }
    let texts = object
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let texts: Vec<&str> = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    let text = texts.join("\n");
    // Many servers repeat the structured content as text, which is not a second response.
    let repeated = super::object(&text).ok();
    let is_json = repeated.is_some();
    if let Some(value) = repeated.filter(|_| structured.is_none()) {
        check_at(&value, book, depth - 1);
    } else if structured.is_none() || (!is_json && text.contains("FRESHCONTEXT")) {
        book.place = format!("{outer}text: ");
        super::check_envelopes(&text, book);
    }
    book.place = outer;
}

/// Validates a composite: every section with a result is checked; at least one must have one.
fn composite(object: &Map<String, Value>, sections: &[Value], book: &mut Book, depth: usize) {
    let begin = book.begin();
    let generated = object.get("generated_at").and_then(Value::as_str);
    let holds = generated.is_some_and(|given| iso_instant(given).is_some());
    book.check(
        "generated_at",
        (Level::Compatible, says::GENERATED),
        verdict(holds, generated.unwrap_or_default(), "not a date and time"),
    );
    let answered = sections.iter().any(|section| section.get("result").is_some());
    if !answered {
        book.check(
            "sections",
            (Level::Aware, says::SECTIONS),
            Err("none has a result".to_owned()),
        );
    }
    let outer = book.place.clone();
    let named = |at: usize, section: &Value| {
        let name = section.get("adapter").and_then(Value::as_str);
        format!(
            "{outer}section {}: ",
            name.map_or_else(|| (at + 1).to_string(), str::to_owned)
        )
    };
    for (at, section) in sections.iter().enumerate() {
        if section.get("result").is_none() {
            book.place = named(at, section);
            let mut reasons = ["stale", "undated", "skipped", "error"]
                .into_iter()
                .filter_map(|name| section.get(name));
            let said = reasons.any(Value::is_object) && section.get("adapter").is_some_and(Value::is_string);
            book.check(
                "says why there is no result",
                (Level::Compatible, says::SURFACE),
                verdict(said, "it does", "no reason"),
            );
        }
    }
    book.place.clone_from(&outer);
    book.settle(begin);
    for (at, section) in sections.iter().enumerate() {
        if let Some(result) = section.get("result") {
            book.place = named(at, section);
            check_at(result, book, depth - 1);
        }
    }
    book.place = outer;
}

/// Validates the structured form.
fn form(object: &Map<String, Value>, book: &mut Book) {
    let Some(meta) = object.get("freshcontext").and_then(Value::as_object) else {
        book.check("freshcontext", AWARE, Err("is not an object".to_owned()));
        return;
    };
    let full = (Level::Scored, says::FULL_FORM);
    let extra: Vec<&str> = meta
        .keys()
        .map(String::as_str)
        .filter(|key| !KEYS.contains(key))
        .collect();
    let many = format!("the schema does not allow {}", extra.join(", "));
    book.check(
        "no other keys",
        (Level::Scored, says::SCHEMA),
        verdict(extra.is_empty(), "none", &many),
    );
    let shaped = (Level::Compatible, says::SCHEMA);
    match meta.get("adapter") {
        None => book.lack("freshcontext.adapter", full, MISSING),
        Some(given) => {
            let adapter = given.as_str().unwrap_or_default();
            let outcome = verdict(!adapter.is_empty(), adapter, "is not a name");
            book.check("adapter", (Level::Compatible, says::ADAPTER), outcome);
        }
    }
    let rate = meta.get("decay_rate").and_then(Value::as_f64);
    book.check(
        "decay_rate",
        shaped,
        match meta.get("decay_rate") {
            None | Some(Value::Null) => Ok("not given".to_owned()),
            Some(Value::Number(rate)) => Ok(rate.to_string()),
            Some(_) => Err("is not a number".to_owned()),
        },
    );
    book.check(
        "content",
        shaped,
        match object.get("content") {
            None => Ok("not given".to_owned()),
            Some(Value::String(_)) => Ok("text".to_owned()),
            Some(_) => Err("is not text".to_owned()),
        },
    );
    // A part of another type is invalid; an absent or null part is missing.
    let text = |key: &str, book: &mut Book| match meta.get(key) {
        Some(Value::String(text)) => Some(text.as_str()),
        None | Some(Value::Null) => None,
        Some(_) => {
            book.check(key, shaped, Err("is not text".to_owned()));
            None
        }
    };
    let published = match (text("content_date", book), meta.get("content_date")) {
        (Some(given), _) => Published::Given(given),
        (None, None) => Published::Absent,
        (None, Some(_)) => Published::Unknown,
    };
    let retrieved = text("retrieved_at", book);
    let facts = Facts {
        source: text("source_url", book),
        published,
        retrieved,
        as_of: object.get("as_of").and_then(Value::as_str),
        confidence: text("freshness_confidence", book),
        score: match meta.get("freshness_score") {
            None => Score::Absent,
            Some(Value::Null) => Score::Unknown,
            Some(Value::Number(score)) => score.as_f64().map_or(Score::Invalid, Score::Number),
            Some(_) => Score::Invalid,
        },
        rate,
        content: object.get("content").and_then(Value::as_str),
        names: [
            "freshcontext.source_url",
            "freshcontext.content_date",
            "freshcontext.retrieved_at",
            "freshcontext.freshness_confidence",
            "freshcontext.freshness_score",
        ],
        full: Level::Scored,
    };
    validate_facts(&facts, book);
    let counted = counted_to(retrieved.and_then(iso_instant), facts.as_of);
    items(object, rate, counted, book);
}

/// Validates items, if present: no score without a date, no invalid date, and no score that contradicts its
/// date and the result's rate.
fn items(object: &Map<String, Value>, rate: Option<f64>, retrieved: Option<DateTime<Utc>>, book: &mut Book) {
    let Some(items) = object.get("items").and_then(Value::as_array) else {
        return;
    };
    let date = |item: &Value| {
        item.get("published_at")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let number = |item: &Value| item.get("freshness_score").and_then(Value::as_f64);
    let wrong = items.iter().position(|item| match date(item) {
        None => number(item).is_some(),
        Some(date) => super::iso_date(&date).is_none(),
    });
    let problem = wrong.map_or_else(String::new, |at| {
        format!("item {} has a score without a date, or no ISO date", at + 1)
    });
    let outcome = verdict(wrong.is_none(), &format!("{} items", items.len()), &problem);
    let sound = book.check("items", (Level::Compatible, says::MISSING), outcome);
    let (true, Some(rate), Some(retrieved)) = (sound, rate, retrieved) else {
        return;
    };
    let contradicting = items.iter().enumerate().find_map(|(at, item)| {
        let found = score::item_contradiction(number(item)?, &date(item)?, rate, retrieved)?;
        Some(format!("item {}: {found}", at + 1))
    });
    book.check(
        "scores of items agree with date and rate",
        (Level::Scored, says::DECAY),
        contradicting.map_or_else(|| Ok("they do".to_owned()), Err),
    );
}
