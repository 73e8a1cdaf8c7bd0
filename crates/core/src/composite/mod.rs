//! Several answers under one heading, each with its own envelope.
//!
//! Sections keep the given order, complete independently, and keep their heading for every outcome: an
//! answer, a staleness warning, or an error.

mod budget;
mod coverage;
mod duplicates;
mod held;
mod published;
mod schema;
mod section;
mod subject;

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use serde_json::{Map, Value, json};

pub use budget::share_out;
pub use held::{Held, HeldKind};
pub use schema::composite_schema;
pub use section::{AnsweredSection, Part};

use crate::answer::{Failure, Kept, MAX_CONTENT_CHARS, Scored, status_name};
use crate::date::{iso_millis, short_moment};
use crate::origins::Told;
use crate::sanitize::{clean_error, clean_line, cut_marked};

/// Smallest length a section's content is given, in characters; with less, it is left out and its header stays.
const SECTION_MIN: usize = 300;
/// Room for the line that says that content was left out, in characters.
const HEADER_ONLY: usize = 90;
/// Room for the line that says that this is the shortest form, in characters.
const SHORTENED: usize = 86;

/// Longest words that the head repeats, in characters.
const WORDS_CHARS: usize = 120;

/// The lines on origins get at most this part of the length.
const ORIGINS_SHARE: usize = 8;

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
    /// The name of the company that is asked about, where it is one.
    pub company: Option<String>,
    /// Whether the head says what each section was taken for.
    pub says_subjects: bool,
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
    /// The words that it searches for, where the head is to say what they were taken for.
    pub words: Option<String>,
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
    says_subjects: bool,
    sections: Vec<AnsweredSection>,
    /// How many independent origins the items of all sections have, and their names in order.
    origins: Option<(Told, Vec<String>)>,
    /// Room for the lines on origins, in characters.
    origins_room: usize,
    /// Where every section failed: the failure of the whole.
    failure: Option<Failure>,
    /// What it says about being kept.
    pub kept: Kept,
}

/// Advice where there are no items. A source that failed has not said that it has none, and neither has one of which only
/// the newest entries were looked through.
fn nothing_found(sections: &[AnsweredSection]) -> Option<String> {
    if sections.iter().any(|section| section.items() > 0) {
        return None;
    }
    let asked = || sections.iter().filter(|section| !section.is_skipped());
    let failed = asked()
        .filter(|section| matches!(section.part, Part::Failed(_)))
        .count();
    let count = asked().count();
    let parts: Vec<String> = sections
        .iter()
        .filter_map(|section| Some(format!("{}: {}", section.label, subject::looked_at(section)?)))
        .collect();
    Some(if count == 0 {
        "No source was asked; the table says why.".to_owned()
    } else if failed == count {
        format!(
            "{} failed; nothing is known. Try again later, or one of the tools above.",
            all_of(count, sections.len())
        )
    } else if failed > 0 {
        "The sources that answered found nothing; others failed (see the table), so this does not show that there is \
         nothing."
            .to_owned()
    } else if parts.is_empty() {
        "Nothing was found. Try broader or other words, or one of the tools above on its own.".to_owned()
    } else {
        format!(
            "None found in what was looked through ({}). That is not all there is. Try broader or other words, or one \
             of the tools above on its own.",
            parts.join("; ")
        )
    })
}

/// So many sources of all, as the subject of a sentence.
fn all_of(asked: usize, all: usize) -> String {
    match (asked, asked == all) {
        (1, true) => "The only source".to_owned(),
        (1, false) => "The only source that was asked".to_owned(),
        (2, true) => "Both sources".to_owned(),
        (2, false) => "Both sources that were asked".to_owned(),
        (_, true) => format!("All {}", held::sources(asked)),
        (_, false) => format!("All {} that were asked", held::sources(asked)),
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
        company,
        says_subjects,
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
    notes.extend(
        subject::disagreements(company.as_deref(), &sections)
            .iter()
            .map(|note| clean_error(note)),
    );
    notes.extend(sections.iter().filter_map(|section| match &section.part {
        Part::Answered(answer) => held::replaced_note(&section.label, answer.scored()),
        _ => None,
    }));
    notes.extend(nothing_found(&sections));
    let mut answer = CompositeAnswer {
        title: clean_line(&title).into_owned(),
        query: cut_marked(&clean_line(&query), 300).into_owned(),
        generated_at,
        notes,
        says_subjects,
        origins: origins_of(&sections),
        origins_room: 0,
        sections,
        failure,
        kept: Kept::default(),
    };
    // The table and the headers come first: their sections have no content yet.
    let least = answer.heading().chars().count() + SHORTENED + answer.sections_text().chars().count();
    answer.origins_room = most.saturating_sub(least).min(most / ORIGINS_SHARE);
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
            short_moment(&iso_millis(self.generated_at))
        );
        if let Some((name, value)) = self.kept.header() {
            out.extend(["\n", name, ": ", &value]);
        }
        out.extend(["\nCoverage: ", &coverage::line(&self.sections), "\n\n"]);
        out.push_str(&coverage::table(&self.sections));
        let told = self.sections.iter().filter(|_| self.says_subjects);
        let taken =
            told.filter_map(|section| Some(format!("- {}: {}\n", section.label, subject::line(section)?)));
        let taken: String = taken.collect();
        // A line right below a table is a row of it, to a reader of Markdown.
        if !taken.is_empty() || !self.notes.is_empty() || self.origins.is_some() {
            out.push('\n');
        }
        if let Some((told, names)) = &self.origins {
            out.extend(["Origins: ", &told.phrase(), "\n"]);
            for line in told.lines(|number| name_of(names, number), self.origins_room) {
                out.extend(["- ", &line, "\n"]);
            }
        }
        if !taken.is_empty() {
            out.extend(["Taken for:\n", &taken]);
        }
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
        out.insert("content_is_external".to_owned(), true.into());
        out.insert("partial".to_owned(), partial.into());
        out.insert("coverage".to_owned(), coverage::structure(&self.sections));
        if let Some((told, names)) = &self.origins {
            let origins = told.structure(|number| name_of(names, number).into());
            out.insert("origins".to_owned(), origins);
        }
        out.insert("notes".to_owned(), self.notes.clone().into());
        out.insert(
            "sections".to_owned(),
            self.sections.iter().map(section_value).collect(),
        );
        self.kept.put_fields(&mut out);
        out
    }
}

/// The origins of the items of all sections, each item named by its section and its number there.
fn origins_of(sections: &[AnsweredSection]) -> Option<(Told, Vec<String>)> {
    let answered = || {
        sections.iter().filter_map(|section| match &section.part {
            Part::Answered(answer) => Some((section, answer.scored().items())),
            _ => None,
        })
    };
    let views =
        answered().flat_map(|(section, items)| items.iter().map(|item| item.origin_view(section.adapter)));
    let told = Told::of_list(&views.collect::<Vec<_>>())?;
    let names = answered()
        .flat_map(|(section, items)| (1..=items.len()).map(|number| format!("{} [{number}]", section.label)));
    Some((told, names.collect()))
}

fn name_of(names: &[String], number: usize) -> String {
    let name = number.checked_sub(1).and_then(|at| names.get(at));
    name.cloned().unwrap_or_default()
}

fn settle(section: Section, min_score: Option<f64>, generated_at: DateTime<Utc>) -> AnsweredSection {
    let Section {
        adapter,
        tool,
        label,
        arguments,
        words,
        outcome,
    } = section;
    let mut left_out = Vec::new();
    let part = match outcome {
        Err(error) => {
            let failure = Failure::new(&error, adapter, tool, generated_at);
            if is_not_asked(&error) {
                Part::Skipped(failure)
            } else {
                Part::Failed(failure)
            }
        }
        Ok(mut scored) => {
            if let Some(held) = held::held(&scored, min_score) {
                Part::Held(held)
            } else {
                left_out = held::without_old_items(&mut scored, min_score);
                // They are told of all sections together.
                scored.origins = None;
                // Its content comes when it is known how much room there is.
                Part::Answered(Box::new(scored.into_section().header_only()))
            }
        }
    };
    AnsweredSection {
        adapter,
        tool,
        label: clean_line(&label).into_owned(),
        arguments,
        words: words.map(|words| cut_marked(&clean_line(&words), WORDS_CHARS).into_owned()),
        left_out,
        part,
    }
}

fn is_not_asked(error: &SourceError) -> bool {
    error.detail.as_deref() == Some(NOT_ASKED)
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

fn section_value(section: &AnsweredSection) -> Value {
    let (status, key, value) = match &section.part {
        Part::Held(held) => (
            held.kind.section(),
            held.kind.section(),
            json!({
                "kind": held.kind.as_str(),
                "score": held.score,
                "content_date": held.content_date,
                "threshold": held.threshold,
                "message": held.message,
            }),
        ),
        Part::Skipped(failure) => ("skipped", "skipped", json!({"message": failure.message})),
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
    if let Some(fields) = out.as_object_mut() {
        let looked_through = match &section.part {
            Part::Answered(answer) => answer.scored().scope.looked_through.clone(),
            _ => None,
        };
        for (name, told) in [
            ("taken_for", subject::line(section)),
            ("looked_through", looked_through),
        ] {
            if let Some(told) = told {
                fields.insert(name.to_owned(), told.into());
            }
        }
    }
    // A section without content can be requested again on its own.
    if let (Some(arguments), Part::Failed(_) | Part::Held(_), Some(fields)) =
        (&section.arguments, &section.part, out.as_object_mut())
    {
        fields.insert("arguments".to_owned(), arguments.clone());
    }
    out
}

/// The failure of a composite of which every section failed that was asked; `None` where one did not.
fn overall_failure(sections: &[Section], tool: &'static str, now: DateTime<Utc>) -> Option<Failure> {
    let mut errors: Vec<(&str, &SourceError)> = Vec::new();
    let mut skipped = None;
    for section in sections {
        let error = section.outcome.as_ref().err()?;
        if is_not_asked(error) {
            skipped = Some(error);
        } else {
            errors.push((section.tool, error));
        }
    }
    let Some((_, first)) = errors.first() else {
        let none = skipped.map_or_else(
            || {
                SourceError::new(
                    freshcontext_contract::ErrorCode::Internal,
                    "this composite has no sources",
                )
            },
            |error| SourceError::new(error.code, "No source was asked; the table says why"),
        );
        return Some(Failure::new(&none, tool, tool, now));
    };
    let reasons: Vec<String> = errors
        .iter()
        .map(|(tool, error)| format!("{tool} {}", error.code))
        .collect();
    let all_of = all_of(errors.len(), sections.len());
    let mut all = SourceError::new(
        first.code,
        format!("{all_of} failed; nothing is known: {}", reasons.join(", ")),
    );
    all.attempts = errors.iter().map(|(_, error)| error.attempts).sum();
    all.retry_after = errors.iter().filter_map(|(_, error)| error.retry_after).min();
    all.retrieved_at = errors.iter().filter_map(|(_, error)| error.retrieved_at).max();
    Some(Failure::new(&all, tool, tool, now))
}

#[cfg(test)]
mod tests;
