//! The JSON form.

use serde_json::{Map, Value};

use super::{Book, Facts, Level, Score, envelope, judge, verdict};

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
/// Wrappings seen through: a JSON-RPC answer around a tool result around a composite.
const DEPTH: usize = 4;

/// Checks whatever FreshContext JSON this is.
pub(super) fn check(value: &Value, book: &mut Book) {
    check_at(value, book, DEPTH);
}

fn check_at(value: &Value, book: &mut Book, depth: usize) {
    let Some(object) = value.as_object().filter(|_| depth > 0) else {
        book.level(Level::Fail);
        book.check("json", Err("holds no FreshContext response".to_owned()));
        return;
    };
    if object.contains_key("freshcontext") {
        let level = form(object, book);
        book.level(level);
    } else if let Some(sections) = object.get("sections").and_then(Value::as_array) {
        composite(object, sections, book, depth);
    } else if object.get("structuredContent").is_some_and(Value::is_object)
        || object.get("content").is_some_and(Value::is_array)
    {
        tool_result(object, book, depth);
    } else if let Some(result) = object.get("result").filter(|result| result.is_object()) {
        check_at(result, book, depth - 1);
    } else {
        book.level(Level::Fail);
        let problem = match (object.get("code").and_then(Value::as_str), object.get("error")) {
            (Some(code), _) => format!("a tool error ({code}), which is no context"),
            (None, Some(_)) => "a protocol error, which is no context".to_owned(),
            (None, None) => "no `freshcontext` object".to_owned(),
        };
        book.check("response", Err(problem));
    }
}

/// An MCP tool result: both forms count where both are there.
fn tool_result(object: &Map<String, Value>, book: &mut Book, depth: usize) {
    if object.get("isError") == Some(&Value::Bool(true)) {
        book.level(Level::Fail);
        book.check(
            "response",
            Err("a tool error (isError), which is no context".to_owned()),
        );
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
    // Many servers repeat the structured content as text; that is no second answer.
    let is_json = serde_json::from_str::<Value>(&text).is_ok_and(|value| value.is_object());
    if is_json && structured.is_none() {
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        check_at(&value, book, depth - 1);
    } else if structured.is_none() || (!is_json && text.contains("FRESHCONTEXT")) {
        book.place = format!("{outer}text: ");
        envelope::check(&text, book);
    }
    book.place = outer;
}

/// A composite: every section with a result is checked; at least one must have one.
fn composite(object: &Map<String, Value>, sections: &[Value], book: &mut Book, depth: usize) {
    let generated = object.get("generated_at").and_then(Value::as_str);
    let holds = generated.is_some_and(|given| super::iso_instant(given).is_some());
    let stamped = book.check(
        "generated_at",
        verdict(holds, generated.unwrap_or_default(), "not a date and time"),
    );
    if !stamped {
        book.level(Level::Aware);
    }
    let outer = book.place.clone();
    let mut answered = 0;
    for (at, section) in sections.iter().enumerate() {
        let name = section.get("adapter").and_then(Value::as_str);
        book.place = format!(
            "{outer}section {}: ",
            name.map_or_else(|| (at + 1).to_string(), str::to_owned)
        );
        if let Some(result) = section.get("result") {
            answered += 1;
            check_at(result, book, depth - 1);
        } else {
            let said = section
                .get("stale")
                .or_else(|| section.get("error"))
                .is_some_and(Value::is_object);
            let named = said && name.is_some();
            if !book.check(
                "says why there is no result",
                verdict(named, "it does", "neither stale nor error"),
            ) {
                book.level(Level::Aware);
            }
        }
    }
    book.place = outer;
    if answered == 0 {
        book.level(Level::Fail);
        book.check("sections", Err("none has a result".to_owned()));
    }
}

/// The structured form itself.
fn form(object: &Map<String, Value>, book: &mut Book) -> Level {
    let Some(meta) = object.get("freshcontext").and_then(Value::as_object) else {
        book.check("freshcontext", Err("is not an object".to_owned()));
        return Level::Fail;
    };
    let extra: Vec<&str> = meta
        .keys()
        .map(String::as_str)
        .filter(|key| !KEYS.contains(key))
        .collect();
    let many = format!("the schema does not allow {}", extra.join(", "));
    let mut shape = book.check("no other keys", verdict(extra.is_empty(), "none", &many));
    let text = |key: &str| meta.get(key).and_then(Value::as_str);
    let adapter = text("adapter").filter(|adapter| !adapter.is_empty());
    shape &= book.check(
        "adapter",
        adapter.map(str::to_owned).ok_or_else(|| "missing".to_owned()),
    );
    shape &= book.check(
        "decay_rate",
        match meta.get("decay_rate") {
            None | Some(Value::Null) => Ok("not given".to_owned()),
            Some(Value::Number(rate)) => Ok(rate.to_string()),
            Some(_) => Err("is not a number".to_owned()),
        },
    );
    shape &= book.check(
        "content",
        match object.get("content") {
            None => Ok("not given".to_owned()),
            Some(Value::String(_)) => Ok("text".to_owned()),
            Some(_) => Err("is not text".to_owned()),
        },
    );
    let dated = matches!(
        meta.get("content_date"),
        None | Some(Value::Null | Value::String(_))
    );
    shape &= book.check(
        "content_date",
        verdict(dated, "text or null", "neither text nor null"),
    );
    shape &= items(object, book);
    let facts = Facts {
        source: text("source_url"),
        published: text("content_date"),
        retrieved: text("retrieved_at"),
        confidence: text("freshness_confidence"),
        score: match meta.get("freshness_score") {
            None => Score::Absent,
            Some(Value::Null) => Score::Unknown,
            Some(Value::Number(score)) => score.as_f64().map_or(Score::Invalid, Score::Number),
            Some(_) => Score::Invalid,
        },
        content: object.get("content").and_then(Value::as_str),
    };
    judge(&facts, shape, book)
}

/// Items, where there are any: no score without a date, no date that is none.
fn items(object: &Map<String, Value>, book: &mut Book) -> bool {
    let Some(items) = object.get("items").and_then(Value::as_array) else {
        return true;
    };
    let wrong = items.iter().position(|item| {
        let date = item.get("published_at").and_then(Value::as_str);
        let score = item.get("freshness_score").is_some_and(Value::is_number);
        date.is_none() && score || date.is_some_and(|date| super::iso_date(date).is_none())
    });
    let problem = wrong.map_or_else(String::new, |at| {
        format!("item {} has a score without a date, or no ISO date", at + 1)
    });
    book.check(
        "items",
        verdict(wrong.is_none(), &format!("{} items", items.len()), &problem),
    )
}
