//! Several answers under one heading, each with its own envelope.
//!
//! Sections keep the given order, complete independently, and keep their heading for every outcome: an
//! answer, a staleness warning, or an error.

mod budget;
mod duplicates;
mod schema;

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::{SourceError, Status};
use serde_json::{Map, Value, json};

pub use budget::share_out;
pub use schema::composite_schema;

use crate::answer::{Failure, Kept, MAX_CONTENT_CHARS, Scored, SourceAnswer, status_name};
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

/// The answer of a composite: its sections in order, each settled and fitted to its share of the length. Text and structure
/// are written from it.
#[derive(Debug, Clone)]
pub struct CompositeAnswer {
    title: String,
    query: String,
    generated_at: DateTime<Utc>,
    notes: Vec<String>,
    sections: Vec<AnsweredSection>,
    /// Where every section failed: the failure of the whole.
    failure: Option<Failure>,
    /// What it says about being kept.
    pub kept: Kept,
}

/// One settled section of a composite.
#[derive(Debug, Clone)]
pub struct AnsweredSection {
    /// The adapter's id.
    pub adapter: &'static str,
    /// The tool to call for this source alone.
    pub tool: &'static str,
    /// The heading, cleaned.
    pub label: String,
    /// The arguments of that call, where it was made.
    pub arguments: Option<Value>,
    /// What came of it.
    pub part: Part,
}

/// What came of a section.
#[derive(Debug, Clone)]
pub enum Part {
    /// An answer.
    Answered(Box<SourceAnswer>),
    /// An answer that is older than was asked for, and is left out.
    Stale(Stale),
    /// Nothing was retrieved.
    Failed(Failure),
}

/// What is said in place of an answer that is too old.
#[derive(Debug, Clone, PartialEq)]
pub struct Stale {
    /// Its score, 0..=100.
    pub score: Option<u8>,
    /// Its date.
    pub content_date: Option<String>,
    /// How old it was at its retrieval, in words.
    pub age: Option<String>,
    /// Its items.
    pub items: usize,
    /// When the bytes left the source.
    pub retrieved_at: DateTime<Utc>,
    /// The least score that was asked for.
    pub threshold: f64,
    /// The same in one sentence.
    pub message: String,
}

/// Advice where there are no items. A source that failed has not said that it has none.
fn nothing_found(sections: &[AnsweredSection]) -> Option<&'static str> {
    if sections.iter().any(|section| section.items() > 0) {
        return None;
    }
    let asked = || sections.iter().filter(|section| !section.is_skipped());
    let failed = asked()
        .filter(|section| matches!(section.part, Part::Failed(_)))
        .count();
    if failed == 0 {
        Some("Nothing was found. Try broader or other words, or one of the tools above on its own.")
    } else if failed < asked().count() {
        Some(
            "The sources that answered found nothing; others failed (see the table), so this does not show that there is \
             nothing.",
        )
    } else {
        Some(
            "No source answered: this says nothing about what there is. Try again later, or one of the tools above.",
        )
    }
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
    let failure = overall_failure(&sections, tool, generated_at);
    let mut sections: Vec<AnsweredSection> = sections
        .into_iter()
        .map(|section| settle(section, min_score, generated_at))
        .collect();
    duplicates::mark(sections.iter_mut().filter_map(|section| match &mut section.part {
        Part::Answered(answer) => Some((section.label.as_str(), answer.scored_mut())),
        _ => None,
    }));
    let most = max_length.min(MAX_CONTENT_CHARS);
    let mut notes: Vec<String> = notes.iter().map(|note| clean_error(note)).collect();
    notes.extend(nothing_found(&sections).map(str::to_owned));
    let mut answer = CompositeAnswer {
        title: clean_line(&title).into_owned(),
        query: cut_marked(&clean_line(&query), 300).into_owned(),
        generated_at,
        notes,
        sections,
        failure,
        kept: Kept::default(),
    };
    let heading = answer.heading().chars().count();
    fit_all(&mut answer.sections, heading + SHORTENED, most);
    if heading + answer.sections_text().trim_end().chars().count() > most {
        answer.notes.push(format!(
            "{most} characters are too few for these sources: this is the shortest form."
        ));
    }
    answer
}

impl CompositeAnswer {
    /// Its sections, in order.
    pub fn sections(&self) -> &[AnsweredSection] {
        &self.sections
    }

    /// What was asked, cleaned.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Where nothing at all was retrieved: the failure of the whole.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// The text: heading, coverage, and every section with its own envelope.
    pub fn text(&self) -> String {
        let mut out = self.heading();
        out.push_str(self.sections_text().trim_end());
        out
    }

    /// All before the sections.
    fn heading(&self) -> String {
        let mut out = format!(
            "# {}: {}\nGenerated: {}",
            self.title,
            self.query,
            iso_millis(self.generated_at)
        );
        if let Some((name, value)) = self.kept.header() {
            out.extend(["\n", name, ": ", &value]);
        }
        out.extend(["\nCoverage: ", &coverage_line(&self.sections), "\n\n"]);
        out.push_str(&table(&self.sections));
        for note in &self.notes {
            out.extend([NOTE, note, "\n"]);
        }
        out
    }

    fn sections_text(&self) -> String {
        let mut out = String::new();
        for section in &self.sections {
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "\n## {} ({})\n{}",
                section.label,
                section.tool,
                section.text()
            );
        }
        out
    }

    /// The structured form. Where all sections failed it carries the flat error too.
    pub fn structured(&self) -> Map<String, Value> {
        let partial = self
            .sections
            .iter()
            .any(|section| matches!(section.part, Part::Failed(_)));
        let mut out = self.failure.as_ref().map(Failure::structured).unwrap_or_default();
        out.insert("generated_at".to_owned(), iso_millis(self.generated_at).into());
        out.insert("query".to_owned(), self.query.as_str().into());
        out.insert("partial".to_owned(), partial.into());
        out.insert("coverage".to_owned(), coverage(&self.sections));
        out.insert("notes".to_owned(), self.notes.clone().into());
        out.insert(
            "sections".to_owned(),
            self.sections.iter().map(section_value).collect(),
        );
        self.kept.put_fields(&mut out);
        out
    }
}

fn settle(section: Section, min_score: Option<f64>, generated_at: DateTime<Utc>) -> AnsweredSection {
    let Section {
        adapter,
        tool,
        label,
        arguments,
        outcome,
    } = section;
    let part = match outcome {
        Err(error) => Part::Failed(Failure::new(&error, adapter, tool, generated_at)),
        Ok(scored) => {
            match min_score.filter(|least| scored.score().is_none_or(|score| f64::from(score) < *least)) {
                Some(threshold) => Part::Stale(staleness(&scored, threshold)),
                // Its content comes when it is known how much room there is.
                None => Part::Answered(Box::new(scored.header_only())),
            }
        }
    };
    AnsweredSection {
        adapter,
        tool,
        label: clean_line(&label).into_owned(),
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
        _ if scored.is_void() => format!(
            "Stale: nothing of it stands any more ({}), so there is no score; {threshold} was asked for. Content left out.",
            scored.standing_overview().unwrap_or_default()
        ),
        _ => format!(
            "Stale: content without a reliable date has no score; {threshold} was asked for. Content left out."
        ),
    };
    Stale {
        score: scored.score(),
        content_date,
        age,
        items: scored.item_count(),
        retrieved_at: scored.retrieved_at(),
        threshold,
        message,
    }
}

/// Gives every section that answered its share of the room. `heading` is the length of what stands before the sections.
fn fit_all(sections: &mut [AnsweredSection], heading: usize, max_length: usize) {
    let fixed: usize = sections
        .iter()
        .map(|section| {
            let heading = section.label.chars().count() + section.tool.len() + 8;
            let own = match &section.part {
                Part::Answered(answer) => answer.scored().envelope_chars() + HEADER_ONLY,
                _ => section.text().chars().count(),
            };
            heading + own
        })
        .sum();
    let needs: Vec<usize> = sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Answered(answer) => Some(answer.scored().natural_length().saturating_sub(HEADER_ONLY)),
            _ => None,
        })
        .collect();
    let mut shares = share_out(max_length.saturating_sub(heading + fixed), &needs).into_iter();
    for section in sections {
        if let Part::Answered(answer) = &mut section.part {
            let share = shares.next().unwrap_or_default() + HEADER_ONLY;
            // With less, the content is left out and the header stays.
            if share >= SECTION_MIN.min(answer.scored().natural_length()) {
                answer.fit(share);
            }
        }
    }
}

impl AnsweredSection {
    /// What stands under its heading.
    fn text(&self) -> Cow<'_, str> {
        match &self.part {
            Part::Answered(answer) => answer.text().into(),
            Part::Stale(stale) => stale.message.as_str().into(),
            Part::Failed(failure) if self.is_skipped() => failure.message.as_str().into(),
            Part::Failed(failure) => failure.text().into(),
        }
    }

    /// Whether it was not asked, because the arguments hold no question for it.
    pub fn is_skipped(&self) -> bool {
        matches!(&self.part, Part::Failed(failure) if failure.detail.as_deref() == Some(NOT_ASKED))
    }

    /// Items of the source, shown or not.
    pub fn items(&self) -> usize {
        match &self.part {
            Part::Answered(answer) => answer.scored().item_count(),
            Part::Stale(stale) => stale.items,
            Part::Failed(_) => 0,
        }
    }

    /// What became of it, in words.
    fn status(&self) -> String {
        match &self.part {
            Part::Answered(answer) => match answer.scored().status() {
                Status::Success => "answered".to_owned(),
                Status::Partial => "answered in part".to_owned(),
                Status::Empty => "nothing found".to_owned(),
            },
            Part::Stale(_) => "too old".to_owned(),
            Part::Failed(_) if self.is_skipped() => "skipped".to_owned(),
            Part::Failed(failure) => format!("failed: {}", failure.code),
        }
    }

    /// What its source says of the standing of what it shows.
    fn standing(&self) -> Option<String> {
        match &self.part {
            Part::Answered(answer) => answer.scored().standing_overview(),
            Part::Stale(_) | Part::Failed(_) => None,
        }
    }

    /// The date of its newest item, how far that date can be relied on, its age and its score.
    fn newest(&self) -> Option<(&str, Option<String>, Option<u8>)> {
        match &self.part {
            Part::Answered(answer) => {
                let scored = answer.scored();
                let shown = scored.date().shown.as_deref()?;
                Some((shown, scored.date().age(scored.retrieved_at()), scored.score()))
            }
            Part::Stale(stale) => Some((stale.content_date.as_deref()?, stale.age.clone(), stale.score)),
            Part::Failed(_) => None,
        }
    }
}

/// What came of each source, before all else.
fn table(sections: &[AnsweredSection]) -> String {
    // A column of its own only where a source says something of it.
    let told = sections.iter().any(|section| section.standing().is_some());
    let (title, rule) = if told { (" Standing |", " --- |") } else { ("", "") };
    let mut out = format!(
        "| Source | Status | Newest | Score |{title} Items | Tool |\n| --- | --- | --- | --- |{rule} --- | --- |\n"
    );
    for section in sections {
        let standing = if told {
            format!(
                " {} |",
                section
                    .standing()
                    .map_or_else(|| "nothing said".to_owned(), |line| line.replace('|', "/"))
            )
        } else {
            String::new()
        };
        let newest = section
            .newest()
            .map(|(date, age, _)| age.map_or_else(|| date.to_owned(), |age| format!("{date} ({age} ago)")));
        let score = section.newest().and_then(|(_, _, score)| score);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |{standing} {} | {} |",
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

fn section_value(section: &AnsweredSection) -> Value {
    let (status, key, value) = match &section.part {
        Part::Stale(stale) => (
            "stale",
            "stale",
            json!({
                "score": stale.score,
                "content_date": stale.content_date,
                "threshold": stale.threshold,
                "message": stale.message,
            }),
        ),
        Part::Answered(answer) => (
            status_name(answer.scored().status()),
            "result",
            answer.structured().into(),
        ),
        Part::Failed(failure) => ("failed", "error", failure.structured().into()),
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
fn weakest(sections: &[AnsweredSection]) -> Option<(&AnsweredSection, Option<&str>, Confidence, Option<u8>)> {
    sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Answered(answer) if answer.scored().status() != Status::Empty => {
                let scored = answer.scored();
                Some((
                    section,
                    scored.date().shown.as_deref(),
                    scored.date().confidence,
                    scored.score(),
                ))
            }
            _ => None,
        })
        .min_by_key(|(_, date, confidence, score)| (*score, *date, *confidence))
}

fn coverage(sections: &[AnsweredSection]) -> Value {
    let count = |wanted: fn(&Part) -> bool| sections.iter().filter(|section| wanted(&section.part)).count();
    let missing: Vec<Value> = sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Failed(failure) => {
                Some(json!({"adapter": section.adapter, "code": failure.code.as_str(), "tool": section.tool}))
            }
            Part::Stale(_) => {
                Some(json!({"adapter": section.adapter, "code": "stale", "tool": section.tool}))
            }
            Part::Answered(_) => None,
        })
        .collect();
    json!({
        "sources": sections.len(),
        "answered": count(|part| matches!(part, Part::Answered(_))),
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

fn coverage_line(sections: &[AnsweredSection]) -> String {
    let answered = sections
        .iter()
        .filter(|section| matches!(section.part, Part::Answered(_)))
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

/// The failure of a composite of which every section failed; `None` where one did not.
fn overall_failure(sections: &[Section], tool: &'static str, now: DateTime<Utc>) -> Option<Failure> {
    let mut errors: Vec<(&str, &SourceError)> = Vec::new();
    for section in sections {
        errors.push((section.tool, section.outcome.as_ref().err()?));
    }
    let Some((_, first)) = errors.first() else {
        let none = SourceError::new(
            freshcontext_contract::ErrorCode::Internal,
            "this composite has no sources",
        );
        return Some(Failure::new(&none, tool, tool, now));
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
    Some(Failure::new(&all, tool, tool, now))
}

#[cfg(test)]
mod tests;
