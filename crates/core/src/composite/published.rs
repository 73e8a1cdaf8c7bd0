//! When what a composite shows was published.

use super::CompositeAnswer;
use super::section::Part;
use crate::answer::newest;
use crate::date::Resolved;

impl CompositeAnswer {
    /// The newest publication among the items that it shows; `None` without a date of medium confidence or better.
    pub fn newest(&self) -> Option<&Resolved> {
        newest(self.sections.iter().filter_map(|section| match &section.part {
            Part::Answered(answer) => answer.newest(),
            Part::Held(_) | Part::Skipped(_) | Part::Failed(_) => None,
        }))
    }
}
