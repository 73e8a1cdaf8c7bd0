//! Several answers under one heading, each with its own envelope.
//!
//! Sections keep the given order, complete independently, and keep their heading for every outcome: an
//! answer, a staleness warning, or an error.

mod budget;
mod duplicates;
mod schema;

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::{SourceError, Status};
use serde_json::{Map, Value, json};

pub use budget::share_out;
pub use schema::composite_schema;

use crate::answer::{Answer, MAX_CONTENT_CHARS, Scored, failure, status_name};
use crate::date::{Confidence, iso_millis};
use crate::sanitize::{clean_error, clean_line, cut_marked};

/// Smallest length a section's content is given, in characters; with less, it is left out and its header stays.
const SECTION_MIN: usize = 300;
/// Room for the line that says that content was left out, in characters.
const HEADER_ONLY: usize = 90;
/// Room for the line that says that this is the shortest form, in characters.
const SHORTENED: usize = 86;

/// Before a remark of ours.
const NOTE: &str = "Note: ";

/// What a composite is made of.
#[derive(Debug)]
pub struct CompositeInput {
    /// The composite's tool name.
    pub tool: &'static str,
    /// What it is, for the first line.
    pub title: String,
    /// What was asked.
    pub query: String,
    /// When the call began.
    pub generated_at: DateTime<Utc>,
    /// Sections with a lower score (0..=100), or none, show a staleness warning.
    pub min_score: Option<f64>,
    /// Length of the whole text, in characters.
    pub max_length: usize,
    /// The sections, in the order to show them.
    pub sections: Vec<Section>,
    /// What the reader must know about how the arguments were read.
    pub notes: Vec<String>,
}

/// Detail of the error of a section that was not asked, because the arguments hold no question for it.
pub const NOT_ASKED: &str = "not_asked";

/// One source's part of a composite.
#[derive(Debug)]
pub struct Section {
    /// The adapter's id.
    pub adapter: &'static str,
    /// The tool to call for this source alone.
    pub tool: &'static str,
    /// The heading.
    pub label: String,
    /// The arguments of that call, where it was made.
    pub arguments: Option<Value>,
    /// What came of it.
    pub outcome: Result<Scored, SourceError>,
}

/// A composite in both forms.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositeAnswer {
    /// The text: heading, coverage, and every section with its own envelope.
    pub text: String,
    /// The same as structured content. Where all sections failed it carries the flat error too.
    pub structured: Value,
    /// Whether nothing at all was retrieved: the result is an error.
    pub all_failed: bool,
}

/// A section, decided but not yet cut to its length.
enum Part {
    Content(Box<Scored>),
    Stale(Stale),
    Failed(SourceError),
}

struct Stale {
    score: Option<u8>,
    content_date: Option<String>,
    age: Option<String>,
    items: usize,
    threshold: f64,
    message: String,
}

struct Decided {
    adapter: &'static str,
    tool: &'static str,
    label: String,
    arguments: Option<Value>,
    part: Part,
}

/// Puts the sections together.
pub fn assemble(input: CompositeInput) -> CompositeAnswer {
    let CompositeInput {
        tool,
        title,
        query,
        generated_at,
        min_score,
        max_length,
        sections,
        notes,
    } = input;
    let mut decided: Vec<Decided> = sections
        .into_iter()
        .map(|section| decide(section, min_score))
        .collect();
    duplicates::mark(decided.iter_mut().filter_map(|section| match &mut section.part {
        Part::Content(scored) => Some((section.label.as_str(), scored.as_mut())),
        _ => None,
    }));

    let query = cut_marked(&clean_line(&query), 300).into_owned();
    let coverage = coverage(&decided);
    let most = max_length.min(MAX_CONTENT_CHARS);
    let mut text = format!(
        "# {}: {query}\nGenerated: {}\nCoverage: {}\n\n{}",
        clean_line(&title),
        iso_millis(generated_at),
        coverage_line(&decided),
        table(&decided),
    );
    let mut notes: Vec<String> = notes.iter().map(|note| clean_error(note)).collect();
    if decided.iter().all(|section| section.items() == 0) {
        notes.push(
            "Nothing was found. Try broader or other words, or one of the tools above on its own.".to_owned(),
        );
    }
    let said: usize = notes
        .iter()
        .map(|note| NOTE.len() + note.chars().count() + 1)
        .sum();
    let answers = render_all(
        &decided,
        text.chars().count() + said + SHORTENED,
        most,
        generated_at,
    );
    let mut sections = String::new();
    for (section, rendered) in decided.iter().zip(&answers) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            sections,
            "\n## {} ({})\n{}",
            section.label, section.tool, rendered.text
        );
    }
    let length = text.chars().count() + said + sections.trim_end().chars().count();
    if length > most {
        notes.push(format!(
            "{most} characters are too few for these sources: this is the shortest form."
        ));
    }
    for note in &notes {
        text.extend([NOTE, note, "\n"]);
    }
    text.push_str(sections.trim_end());
    let values = decided
        .iter()
        .zip(&answers)
        .map(|(section, rendered)| section_value(section, rendered))
        .collect();

    let failed = decided
        .iter()
        .filter(|section| matches!(section.part, Part::Failed(_)))
        .count();
    let all_failed = failed == decided.len();
    let mut structured = Map::new();
    if all_failed {
        structured = overall_failure(&decided, tool, generated_at);
    }
    structured.insert("generated_at".to_owned(), iso_millis(generated_at).into());
    structured.insert("query".to_owned(), query.into());
    structured.insert("partial".to_owned(), (failed > 0).into());
    structured.insert("coverage".to_owned(), coverage);
    structured.insert("notes".to_owned(), notes.into());
    structured.insert("sections".to_owned(), Value::Array(values));
    CompositeAnswer {
        text,
        structured: Value::Object(structured),
        all_failed,
    }
}

fn decide(section: Section, min_score: Option<f64>) -> Decided {
    let Section {
        adapter,
        tool,
        label,
        arguments,
        outcome,
    } = section;
    let label = clean_line(&label).into_owned();
    let part = match outcome {
        Err(error) => Part::Failed(error),
        Ok(scored) => {
            match min_score.filter(|least| scored.score().is_none_or(|score| f64::from(score) < *least)) {
                Some(threshold) => Part::Stale(staleness(&scored, threshold)),
                None => Part::Content(Box::new(scored)),
            }
        }
    };
    Decided {
        adapter,
        tool,
        label,
        arguments,
        part,
    }
}

fn staleness(scored: &Scored, threshold: f64) -> Stale {
    let content_date = scored.date().shown.clone();
    let age = scored.date().age(scored.retrieved_at());
    let message = match (scored.score(), &content_date, scored.status()) {
        (_, _, Status::Empty) => {
            format!("Stale: the source has no results, so there is no score; {threshold} was asked for.")
        }
        (Some(score), Some(date), _) => {
            let age = age.as_deref().unwrap_or("some time");
            format!(
                "Stale: content of {date} ({age} ago) scores {score}, below the {threshold} asked for. Content left out."
            )
        }
        _ => format!(
            "Stale: content without a reliable date has no score; {threshold} was asked for. Content left out."
        ),
    };
    Stale {
        score: scored.score(),
        content_date,
        age,
        items: scored.item_count(),
        threshold,
        message,
    }
}

/// A section's text, and its answer where it has one.
struct Rendered {
    text: String,
    answer: Option<Answer>,
    failure: Option<Value>,
}

fn render_all(
    sections: &[Decided],
    heading: usize,
    max_length: usize,
    generated_at: DateTime<Utc>,
) -> Vec<Rendered> {
    let mut rendered: Vec<Rendered> = sections
        .iter()
        .map(|section| match &section.part {
            Part::Content(_) => Rendered {
                text: String::new(),
                answer: None,
                failure: None,
            },
            Part::Stale(stale) => Rendered {
                text: stale.message.clone(),
                answer: None,
                failure: None,
            },
            Part::Failed(error) => {
                let failure = failure(error, section.adapter, section.tool, generated_at);
                let skipped = error.detail.as_deref() == Some(NOT_ASKED);
                Rendered {
                    text: if skipped {
                        clean_error(&error.message)
                    } else {
                        failure.text
                    },
                    answer: None,
                    failure: Some(failure.structured),
                }
            }
        })
        .collect();
    let fixed: usize = sections
        .iter()
        .zip(&rendered)
        .map(|(section, rendered)| {
            let heading = section.label.chars().count() + section.tool.len() + 8;
            let own = match &section.part {
                Part::Content(scored) => scored.envelope_chars() + HEADER_ONLY,
                _ => rendered.text.chars().count(),
            };
            heading + own
        })
        .sum();
    let needs: Vec<usize> = sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Content(scored) => Some(scored.natural_length().saturating_sub(HEADER_ONLY)),
            _ => None,
        })
        .collect();
    let mut shares = share_out(max_length.saturating_sub(heading + fixed), &needs).into_iter();
    for (section, rendered) in sections.iter().zip(&mut rendered) {
        if let Part::Content(scored) = &section.part {
            let share = shares.next().unwrap_or_default() + HEADER_ONLY;
            let answer = if share < SECTION_MIN.min(scored.natural_length()) {
                scored.render_header()
            } else {
                scored.render(share)
            };
            rendered.text.clone_from(&answer.text);
            rendered.answer = Some(answer);
        }
    }
    rendered
}

impl Decided {
    /// Items of the source, shown or not.
    fn items(&self) -> usize {
        match &self.part {
            Part::Content(scored) => scored.item_count(),
            Part::Stale(stale) => stale.items,
            Part::Failed(_) => 0,
        }
    }

    /// What became of it, in words.
    fn status(&self) -> String {
        match &self.part {
            Part::Content(scored) => match scored.status() {
                Status::Success => "answered".to_owned(),
                Status::Partial => "answered in part".to_owned(),
                Status::Empty => "nothing found".to_owned(),
            },
            Part::Stale(_) => "too old".to_owned(),
            Part::Failed(error) if error.detail.as_deref() == Some(NOT_ASKED) => "skipped".to_owned(),
            Part::Failed(error) => format!("failed: {}", error.code),
        }
    }

    /// The date of its newest item, how far that date can be relied on, its age and its score.
    fn newest(&self) -> Option<(&str, Option<String>, Option<u8>)> {
        match &self.part {
            Part::Content(scored) => {
                let shown = scored.date().shown.as_deref()?;
                Some((shown, scored.date().age(scored.retrieved_at()), scored.score()))
            }
            Part::Stale(stale) => Some((stale.content_date.as_deref()?, stale.age.clone(), stale.score)),
            Part::Failed(_) => None,
        }
    }
}

/// What came of each source, before all else.
fn table(sections: &[Decided]) -> String {
    let mut out =
        "| Source | Status | Newest | Score | Items | Tool |\n| --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for section in sections {
        let newest = section
            .newest()
            .map(|(date, age, _)| age.map_or_else(|| date.to_owned(), |age| format!("{date} ({age} ago)")));
        let score = section.newest().and_then(|(_, _, score)| score);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            section.label.replace('|', "/"),
            section.status(),
            newest.as_deref().unwrap_or("unknown"),
            score.map_or_else(|| "unknown".to_owned(), |score| score.to_string()),
            section.items(),
            section.tool,
        );
    }
    out
}

fn section_value(section: &Decided, rendered: &Rendered) -> Value {
    let (status, key, value) = match (&section.part, &rendered.answer) {
        (Part::Stale(stale), _) => (
            "stale",
            "stale",
            json!({
                "score": stale.score,
                "content_date": stale.content_date,
                "threshold": stale.threshold,
                "message": stale.message,
            }),
        ),
        (Part::Content(scored), Some(answer)) => {
            (status_name(scored.status()), "result", answer.structured.clone())
        }
        _ => ("failed", "error", rendered.failure.clone().unwrap_or(Value::Null)),
    };
    let newest = section.newest();
    let mut out = json!({
        "adapter": section.adapter,
        "tool": section.tool,
        "label": section.label,
        "status": status,
        "newest": newest.as_ref().map(|(date, _, _)| *date),
        "age": newest.as_ref().and_then(|(_, age, _)| age.as_deref()),
        "score": newest.as_ref().and_then(|(_, _, score)| *score),
        "items": section.items(),
        key: value,
    });
    // A section without content can be requested again on its own.
    if let (Some(arguments), Part::Failed(_) | Part::Stale(_), Some(fields)) =
        (&section.arguments, &section.part, out.as_object_mut())
    {
        fields.insert("arguments".to_owned(), arguments.clone());
    }
    out
}

/// The section whose date is the weakest link: no date first, then the lowest score. Scores end at 0,
/// so between equal ones the older date is the weaker.
fn weakest(sections: &[Decided]) -> Option<(&Decided, Option<&str>, Confidence, Option<u8>)> {
    sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Content(scored) if scored.status() != Status::Empty => Some((
                section,
                scored.date().shown.as_deref(),
                scored.date().confidence,
                scored.score(),
            )),
            _ => None,
        })
        .min_by_key(|(_, date, confidence, score)| (*score, *date, *confidence))
}

fn coverage(sections: &[Decided]) -> Value {
    let count = |wanted: fn(&Part) -> bool| sections.iter().filter(|section| wanted(&section.part)).count();
    let missing: Vec<Value> = sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Failed(error) => {
                Some(json!({"adapter": section.adapter, "code": error.code.as_str(), "tool": section.tool}))
            }
            Part::Stale(_) => {
                Some(json!({"adapter": section.adapter, "code": "stale", "tool": section.tool}))
            }
            Part::Content(_) => None,
        })
        .collect();
    json!({
        "sources": sections.len(),
        "answered": count(|part| matches!(part, Part::Content(_))),
        "stale": count(|part| matches!(part, Part::Stale(_))),
        "failed": count(|part| matches!(part, Part::Failed(_))),
        "weakest": weakest(sections).map(|(section, date, confidence, score)| json!({
            "adapter": section.adapter,
            "content_date": date,
            "confidence": confidence.as_str(),
            "score": score,
        })),
        "missing": missing,
    })
}

fn coverage_line(sections: &[Decided]) -> String {
    let answered = sections
        .iter()
        .filter(|section| matches!(section.part, Part::Content(_)))
        .count();
    let mut line = format!("{answered} of {} sources", sections.len());
    // Writing to a String cannot fail.
    match weakest(sections) {
        Some((section, Some(date), confidence, score)) => {
            let score = score.map_or_else(|| "unknown".to_owned(), |score| score.to_string());
            let age = section.newest().and_then(|(_, age, _)| age).unwrap_or_default();
            let _ = write!(
                line,
                "; weakest date: {date} ({age} ago, {}, {confidence}, score {score})",
                section.label
            );
        }
        Some((section, None, _, _)) => {
            let _ = write!(line, "; weakest date: unknown ({})", section.label);
        }
        None => {}
    }
    line
}

/// The flat error of a composite of which every section failed.
fn overall_failure(sections: &[Decided], tool: &'static str, now: DateTime<Utc>) -> Map<String, Value> {
    let errors: Vec<(&str, &SourceError)> = sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Failed(error) => Some((section.tool, error)),
            _ => None,
        })
        .collect();
    let Some((_, first)) = errors.first() else {
        let none = SourceError::new(
            freshcontext_contract::ErrorCode::Internal,
            "this composite has no sources",
        );
        return object(failure(&none, tool, tool, now).structured);
    };
    let reasons: Vec<String> = errors
        .iter()
        .map(|(tool, error)| format!("{tool} {}", error.code))
        .collect();
    let mut all = SourceError::new(
        first.code,
        format!("all {} sources failed: {}", errors.len(), reasons.join(", ")),
    );
    all.attempts = errors.iter().map(|(_, error)| error.attempts).sum();
    all.retry_after = errors.iter().filter_map(|(_, error)| error.retry_after).min();
    all.retrieved_at = errors.iter().filter_map(|(_, error)| error.retrieved_at).max();
    object(failure(&all, tool, tool, now).structured)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
