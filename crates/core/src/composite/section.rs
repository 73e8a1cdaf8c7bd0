//! A settled section of a composite.

use std::borrow::Cow;

use serde_json::Value;

use super::held::Held;
use crate::answer::{Failure, ScoredItem, SourceAnswer};

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
    /// The words that it searched for, where the head says what they were taken for.
    pub(super) words: Option<String>,
    /// Items that `min_freshness_score` left out.
    pub left_out: Vec<ScoredItem>,
    /// What came of it.
    pub part: Part,
}

/// What came of a section.
#[derive(Debug, Clone)]
pub enum Part {
    /// An answer.
    Answered(Box<SourceAnswer>),
    /// An answer that does not reach the score asked for, and is left out.
    Held(Held),
    /// It was not asked, because the arguments hold no question for it.
    Skipped(Failure),
    /// Nothing was retrieved.
    Failed(Failure),
}

impl AnsweredSection {
    /// What stands under its heading.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match &self.part {
            Part::Answered(answer) => answer.text().into(),
            Part::Held(held) => held.message.as_str().into(),
            Part::Skipped(failure) => failure.message.as_str().into(),
            Part::Failed(failure) => failure.text().into(),
        }
    }

    /// Whether it was not asked, because the arguments hold no question for it.
    pub fn is_skipped(&self) -> bool {
        matches!(self.part, Part::Skipped(_))
    }

    /// Items of the source, shown or not.
    pub fn items(&self) -> usize {
        match &self.part {
            Part::Answered(answer) => answer.scored().item_count(),
            Part::Held(held) => held.items,
            Part::Skipped(_) | Part::Failed(_) => 0,
        }
    }

    /// What its source says of the standing of what it shows.
    pub(super) fn standing(&self) -> Option<String> {
        match &self.part {
            Part::Answered(answer) => answer.scored().standing_overview(),
            Part::Held(_) | Part::Skipped(_) | Part::Failed(_) => None,
        }
    }

    /// The same for a table, where each section has a cell.
    pub(super) fn standing_cell(&self) -> String {
        match &self.part {
            Part::Answered(answer) => answer.scored().standing_cell(),
            Part::Held(_) => "not shown".to_owned(),
            Part::Skipped(_) => "not asked".to_owned(),
            Part::Failed(_) => "unknown".to_owned(),
        }
    }

    /// The date of its newest item, how far that date can be relied on, its age and its score.
    pub(super) fn newest(&self) -> Option<(&str, Option<String>, Option<u8>)> {
        match &self.part {
            Part::Answered(answer) => {
                let scored = answer.scored();
                let shown = scored.date().shown.as_deref()?;
                Some((shown, scored.date().age(scored.counted_to()), scored.score()))
            }
            Part::Held(held) => Some((held.content_date.as_deref()?, held.age.clone(), held.score)),
            Part::Skipped(_) | Part::Failed(_) => None,
        }
    }
}
