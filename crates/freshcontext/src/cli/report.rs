//! Report of `doctor`.

use serde::Serialize;

use crate::output::{self, Style};

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    #[serde(rename = "ok")]
    Fine,
    Note,
    Bad,
}

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    verdict: Verdict,
    what: String,
    detail: String,
}

/// Checks in order; printed at once for people, and at the end as JSON.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) as_json: bool,
    pub(super) bad: usize,
    pub(super) findings: Vec<Finding>,
}

impl Report {
    pub(super) fn say(&mut self, verdict: Verdict, what: &str, detail: &str) {
        let (style, word) = match verdict {
            Verdict::Fine => (Style::Good, "ok   "),
            Verdict::Note => (Style::Middling, "note "),
            Verdict::Bad => (Style::Bad, "BAD  "),
        };
        if verdict == Verdict::Bad {
            self.bad += 1;
        }
        let detail = output::one_line(detail);
        if !self.as_json {
            output::line(&format!("{}{what}: {detail}", output::paint(style, word)));
        }
        self.findings.push(Finding {
            verdict,
            what: what.to_owned(),
            detail,
        });
    }
}
