//! What is said about what changed.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::{named, quoted, quoted_within};
use freshcontext_core::sanitize::clean_line;
use freshcontext_deliverables::{Diff, Snapshot};
use serde_json::{Value, json};

use super::markdown::unchecked;
use crate::deliverable::{To, moment};

/// Lines of a kind that the text has; the structured result has all.
const LINES: usize = 40;
/// Characters of a value that the text has.
const SHOWN: usize = 120;

/// What changed from a version to another, or to now.
#[derive(Debug)]
pub(in crate::deliverable) struct Compared {
    pub name: String,
    pub from: i64,
    pub to: To,
    pub diff: Diff,
    pub snapshots: Vec<Snapshot>,
    pub at: DateTime<Utc>,
}

impl Compared {
    pub(super) fn text(&self) -> String {
        let diff = &self.diff;
        let second = match self.to {
            To::Version(number) => format!("version {number}"),
            To::Now => format!("now ({})", moment(self.at)),
        };
        let mut text = format!("{}: from version {} to {second}", self.name, self.from);
        if diff.is_empty() {
            text.push_str("\nNo difference in what is known.");
        }
        let added = diff.added.iter().map(|added| {
            let detail = added.detail.as_deref().map(|detail| format!(" ({detail})"));
            format!("{}{}", quoted(added.entry.title()), detail.unwrap_or_default())
        });
        section(&mut text, "Added", &added.collect::<Vec<_>>());
        let removed = diff
            .removed
            .iter()
            .map(|removed| format!("{} ({})", quoted(&removed.title), removed.detail));
        section(&mut text, "Removed", &removed.collect::<Vec<_>>());
        let changed = diff.changed.iter().map(|changed| {
            let fields = changed.words(" -> ", value);
            format!("{}: {}", quoted(&changed.title), fields.join("; "))
        });
        section(&mut text, "Changed", &changed.collect::<Vec<_>>());
        let dropped = diff.could_not_check.iter().map(|one| quoted(&one.title));
        section(&mut text, "Could not check", &dropped.collect::<Vec<_>>());
        if !diff.aged.is_empty() {
            let _ = write!(text, "\nThe same, and older: {}", diff.aged.len());
        }
        section(&mut text, "Not fully known", &unchecked(&self.snapshots));
        text
    }

    pub(super) fn value(&self) -> Value {
        let second = match self.to {
            To::Version(number) => json!(number),
            To::Now => json!("now"),
        };
        json!({
            "name": self.name,
            "from": self.from,
            "to": second,
            "compared_at": moment(self.at),
            "same": self.diff.is_empty(),
            "not_known": unchecked(&self.snapshots),
            "diff": self.diff,
        })
    }
}

fn section(text: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(text, "\n{heading}: {}", lines.len());
    for line in lines.iter().take(LINES) {
        let _ = write!(text, "\n- {}", clean_line(line));
    }
    if lines.len() > LINES {
        let _ = write!(text, "\n({} more in the structured result)", lines.len() - LINES);
    }
}

/// A value of a source: a plain one as it stands, else in quotation marks.
fn value(text: &str) -> String {
    if text.chars().nth(SHOWN).is_some() {
        quoted_within(text, SHOWN)
    } else {
        named(text)
    }
}
