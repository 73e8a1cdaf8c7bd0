//! What came of each source: the table at the head, and the coverage in both forms.

use std::fmt::Write as _;

use freshcontext_contract::Status;
use serde_json::{Value, json};

use super::held::{self, HeldKind};
use super::section::{AnsweredSection, Part};
use super::subject;
use crate::date::{Resolved, short_moment};

/// What came of each source, before all else.
pub(super) fn table(sections: &[AnsweredSection]) -> String {
    // A column of its own only where a source says something of it.
    let told = sections.iter().any(|section| section.standing().is_some());
    let (title, rule) = if told { (" Standing |", " --- |") } else { ("", "") };
    let mut out = format!(
        "| Source | Status | Newest | Age score |{title} Items | Tool |\n| --- | --- | --- | --- |{rule} --- | --- |\n"
    );
    for section in sections {
        let standing = if told {
            format!(" {} |", section.standing_cell().replace('|', "/"))
        } else {
            String::new()
        };
        let newest = section.newest().map(|(date, age, _)| match age {
            Some(age) => format!("{} ({age} ago)", short_moment(date)),
            None => short_moment(date).into_owned(),
        });
        let score = section.newest().and_then(|(_, _, score)| score);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |{standing} {} | {} |",
            section.label.replace('|', "/"),
            status(section),
            newest.as_deref().unwrap_or("unknown"),
            score.map_or_else(|| "unknown".to_owned(), |score| score.to_string()),
            items(section),
            section.tool,
        );
    }
    out
}

/// How many of its items a section shows, and of how many where that is less than all.
fn items(section: &AnsweredSection) -> String {
    let all = section.items();
    match &section.part {
        Part::Answered(answer) if answer.items().len() < all => format!("{} of {all}", answer.items().len()),
        _ => all.to_string(),
    }
}

/// The section whose date is the weakest link: no date first, then the lowest score. Scores end at 0,
/// so between equal ones the older date is the weaker.
fn weakest(sections: &[AnsweredSection]) -> Option<(&AnsweredSection, &Resolved, Option<u8>)> {
    sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Answered(answer) if answer.scored().status() != Status::Empty => {
                let scored = answer.scored();
                Some((section, scored.date(), scored.score()))
            }
            _ => None,
        })
        .min_by_key(|(_, date, score)| (*score, date.shown.as_deref(), date.confidence))
}

pub(super) fn structure(sections: &[AnsweredSection]) -> Value {
    let count = |wanted: fn(&Part) -> bool| sections.iter().filter(|section| wanted(&section.part)).count();
    let missing: Vec<Value> = sections
        .iter()
        .filter_map(|section| match &section.part {
            Part::Failed(failure) => {
                Some(json!({"adapter": section.adapter, "code": failure.code.as_str(), "tool": section.tool}))
            }
            Part::Held(held) => {
                Some(json!({"adapter": section.adapter, "code": held.kind.section(), "tool": section.tool}))
            }
            Part::Skipped(_) => {
                Some(json!({"adapter": section.adapter, "code": "skipped", "tool": section.tool}))
            }
            Part::Answered(_) => None,
        })
        .collect();
    json!({
        "sources": sections.len(),
        "answered": count(|part| matches!(part, Part::Answered(_))),
        "stale": count(|part| matches!(part, Part::Held(held) if held.kind != HeldKind::Undated)),
        "undated": count(|part| matches!(part, Part::Held(held) if held.kind == HeldKind::Undated)),
        "skipped": count(|part| matches!(part, Part::Skipped(_))),
        "failed": count(|part| matches!(part, Part::Failed(_))),
        "weakest": weakest(sections).map(|(section, date, score)| json!({
            "adapter": section.adapter,
            "content_date": date.shown,
            "confidence": date.confidence.as_str(),
            "score": score,
        })),
        "missing": missing,
    })
}

pub(super) fn line(sections: &[AnsweredSection]) -> String {
    let answered = sections
        .iter()
        .filter(|section| matches!(section.part, Part::Answered(_)))
        .count();
    let mut line = format!("{answered} of {} sources", sections.len());
    let skipped = sections.iter().filter(|section| section.is_skipped()).count();
    if skipped > 0 {
        // Writing to a String cannot fail.
        let _ = write!(line, ", {skipped} skipped");
    }
    if let Some((section, date, score)) = weakest(sections) {
        let told = match (&date.shown, date.certainty()) {
            (Some(shown), Some(certainty)) => {
                let score = score.map_or_else(|| "unknown".to_owned(), |score| score.to_string());
                let age = section.newest().and_then(|(_, age, _)| age).unwrap_or_default();
                let (shown, label) = (short_moment(shown), &section.label);
                format!("{shown} ({age} ago, {label}, {certainty}, age score {score})")
            }
            _ => format!("unknown ({})", section.label),
        };
        line.extend(["; weakest date: ", &told]);
    }
    line
}

/// What became of a section, in words.
fn status(section: &AnsweredSection) -> String {
    match &section.part {
        Part::Answered(answer) => match answer.scored().status() {
            Status::Success if held::is_replaced(answer.scored()) => "answered, an older state".to_owned(),
            Status::Success => "answered".to_owned(),
            Status::Partial => "answered in part".to_owned(),
            Status::Empty => subject::looked_at(section)
                .map_or_else(|| "nothing found".to_owned(), |part| format!("none among {part}")),
        },
        Part::Held(held) => held.kind.status().to_owned(),
        Part::Skipped(_) => "skipped".to_owned(),
        Part::Failed(failure) => format!("failed: {}", failure.code),
    }
}
