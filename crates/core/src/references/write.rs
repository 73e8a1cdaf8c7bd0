//! The verdicts as text and as data.

use std::fmt::Write as _;

use freshcontext_contract::{Shown, counted, named, quoted};
use serde_json::{Map, Value, json};

use super::{Checked, References, Verdict};
use crate::date::iso_millis;
use crate::sanitize::{clean_line, clean_map};
use crate::standing::Standing;

pub(super) fn structure(answer: &References) -> Map<String, Value> {
    let mut out = Map::new();
    let mut counts = Map::new();
    for (verdict, count) in counts_of(answer) {
        counts.insert(verdict.as_str().to_owned(), count.into());
    }
    out.insert("counts".to_owned(), counts.into());
    out.insert("total".to_owned(), answer.total.into());
    if let Some(format) = answer.format {
        out.insert("format".to_owned(), format.into());
    }
    out.insert("results".to_owned(), answer.checked.iter().map(result).collect());
    if !answer.notes.is_empty() {
        out.insert("notes".to_owned(), json!(answer.notes));
    }
    if let Some(cursor) = &answer.cursor {
        out.insert("cursor".to_owned(), cursor.as_str().into());
    }
    clean_map(&mut out);
    out
}

fn result(checked: &Checked) -> Value {
    let judged = &checked.judged;
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            out.insert(name.to_owned(), value);
        }
    };
    put("ref", checked.given.as_str().into());
    put("kind", checked.kind.into());
    put("id", checked.id.clone().into());
    put("verdict", judged.verdict.as_str().into());
    put(
        "standing",
        judged.standing.as_ref().map_or(Value::Null, Standing::structured),
    );
    put("date", judged.date.clone().into());
    put("title", judged.title.clone().into());
    put(
        "title_differs",
        if checked.title_differs {
            true.into()
        } else {
            Value::Null
        },
    );
    put("confidence", judged.confidence.as_str().into());
    put("evidence", evidence(checked));
    let replacement = judged
        .standing
        .as_ref()
        .and_then(|standing| standing.replaced_by.as_ref());
    put("replaced_by", replacement.map_or(Value::Null, |by| json!(by)));
    if let Some(copy) = &checked.archived_copy {
        put(
            "archived_copy",
            json!({"url": copy.url, "at": copy.at.map(iso_millis)}),
        );
    }
    put("checked_at", iso_millis(checked.checked_at).into());
    put("detail", judged.detail.clone().into());
    put("message", judged.message.clone().into());
    Value::Object(out)
}

/// What says it: of the state, then of the thing itself.
fn evidence(checked: &Checked) -> Value {
    let of_state = checked
        .judged
        .standing
        .iter()
        .flat_map(|standing| &standing.evidence);
    let of_state = of_state.map(|said| json!(said));
    let of_thing = checked.judged.shown.iter().map(|Shown { field, value, url }| {
        let mut said = json!({"field": field, "value": value});
        if let (Some(url), Some(said)) = (url, said.as_object_mut()) {
            said.insert("url".to_owned(), url.as_str().into());
        }
        said
    });
    of_state.chain(of_thing).collect()
}

fn counts_of(answer: &References) -> impl Iterator<Item = (Verdict, usize)> {
    Verdict::ALL.into_iter().filter_map(|verdict| {
        let of_verdict = answer
            .checked
            .iter()
            .filter(|checked| checked.judged.verdict == verdict);
        Some((verdict, of_verdict.count())).filter(|(_, count)| *count > 0)
    })
}

pub(super) fn text(answer: &References) -> String {
    let counts: Vec<String> = counts_of(answer)
        .map(|(verdict, count)| format!("{count} {}", verdict.as_str()))
        .collect();
    let shown = answer.checked.len();
    let mut out = counted(shown, "reference", "references");
    // Writing to a String cannot fail.
    if shown < answer.total {
        let _ = write!(out, " of {}", answer.total);
    }
    if let Some(format) = answer.format {
        let _ = write!(out, " (read as {format})");
    }
    if !counts.is_empty() {
        let _ = write!(out, ": {}", counts.join(", "));
    }
    for (at, checked) in answer.checked.iter().enumerate() {
        let _ = write!(out, "\n[{}] {}", at + 1, line(checked));
        if let Some(second) = second_line(checked) {
            let _ = write!(out, "\n    {second}");
        }
    }
    for note in &answer.notes {
        let _ = write!(out, "\nNote: {}", clean_line(note));
    }
    if let Some(cursor) = &answer.cursor {
        let _ = write!(
            out,
            "\nNot all are settled. For the rest call again with the same arguments and cursor {cursor}"
        );
    }
    out
}

/// The reference, its verdict and why: `10.1000/182: withdrawn; retracted since 2020-06-05 (publisher)`.
fn line(checked: &Checked) -> String {
    let judged = &checked.judged;
    let name = checked.id.as_deref().unwrap_or(&checked.given);
    let mut out = format!("{}: {}", named(&clean_line(name)), judged.verdict.as_str());
    if let Some(standing) = &judged.standing {
        let _ = write!(out, "; {}", standing.line());
    }
    if let Some(detail) = &judged.detail {
        let _ = write!(out, " ({detail})");
    }
    if let Some(message) = &judged.message {
        let _ = write!(out, ": {message}");
    }
    if judged.standing.is_none()
        && judged.verdict == Verdict::Gone
        && let Some(shown) = judged.shown.first()
    {
        let _ = write!(out, "; {} {}", named(&shown.field), named(&shown.value));
    }
    if matches!(
        judged.verdict,
        Verdict::Gone | Verdict::Withdrawn | Verdict::Superseded | Verdict::Moved
    ) {
        let _ = write!(out, "; confidence {}", judged.confidence.as_str());
    }
    out
}

fn second_line(checked: &Checked) -> Option<String> {
    let judged = &checked.judged;
    let mut parts = Vec::new();
    if let Some(title) = &judged.title {
        parts.push(quoted(title));
    }
    if let Some(date) = &judged.date {
        parts.push(format!("published {date}"));
    }
    if checked.title_differs {
        parts.push("title differs from the one given".to_owned());
    }
    if let Some(copy) = &checked.archived_copy {
        let at = copy
            .at
            .map(|at| format!(" of {}", at.date_naive()))
            .unwrap_or_default();
        parts.push(format!("archived copy{at}: {}", named(&copy.url)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The schema of the structured form.
pub fn output_schema() -> Value {
    let text = json!({"type": "string"});
    let verdicts: Vec<&str> = Verdict::ALL.into_iter().map(Verdict::as_str).collect();
    let object = json!({"type": "object"});
    json!({
        "type": "object",
        "properties": {
            "counts": {"type": "object", "description": "References by verdict"},
            "total": {"type": "integer", "description": "References in all, of which these are one page"},
            "format": {"type": "string", "description": "What `text` was read as"},
            "results": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "ref": text, "kind": text, "id": text, "verdict": {"enum": verdicts}, "standing": object,
                    "date": text, "title": text, "title_differs": {"type": "boolean"},
                    "confidence": {"enum": ["high", "medium", "low"]},
                    "evidence": {"type": "array", "items": object}, "replaced_by": object, "archived_copy": object,
                    "checked_at": text, "detail": text, "message": text
                },
                "required": ["ref", "verdict", "confidence", "evidence", "checked_at"]
            }},
            "notes": {"type": "array", "items": text},
            "cursor": {"type": "string", "description": "For those that are not settled yet: call again with the same arguments"}
        },
        "required": ["counts", "total", "results"]
    })
}
