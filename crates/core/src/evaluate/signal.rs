//! Normalising a signal: what the rules may rely on, and what was changed to get there.

use chrono::{DateTime, Utc};
use freshcontext_detect::inspect;

use super::input::{Given, instant};
use super::text::is_blank;
use super::verdict::{DateConfidence, SignalStatus};
use crate::date::{is_future, iso_millis};
use crate::provenance::canonical_sha256;
use crate::sanitize::{clean_line, cut_marked};

/// A signal that the rules can rely on.
#[derive(Debug)]
pub(super) struct Signal<'a> {
    pub given: &'a Given<'a>,
    pub source_type: &'a str,
    pub published_at: Option<DateTime<Utc>>,
    pub retrieved_at: DateTime<Utc>,
    /// 0..=1.
    pub semantic: f64,
    pub date_confidence: DateConfidence,
    pub status: SignalStatus,
    pub content_hash: Option<String>,
    /// Why the content counts as failed, or may be a failure.
    pub guard: Guard,
    /// What was changed.
    pub changes: Vec<&'static str>,
}

/// What the failure guard says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Nothing suspicious, or not asked.
    Clear,
    /// It looks like a failure, but the evidence is thin.
    Doubtful(String),
    /// It is a failure.
    Failed(String),
}

impl<'a> Signal<'a> {
    pub(super) fn new(given: &'a Given<'a>, now: DateTime<Utc>) -> Self {
        let mut changes = Vec::new();
        let retrieved_at = match given.retrieved_at.filter(|text| !is_blank(text)) {
            None => now,
            Some(text) => instant(text).unwrap_or_else(|| {
                changes.push("The retrieval date could not be read; the evaluation clock stands in.");
                now
            }),
        };
        let published_at = given
            .published_at
            .filter(|text| !is_blank(text))
            .and_then(|text| {
                let Some(date) = instant(text) else {
                    changes.push("The publication date could not be read and was dropped.");
                    return None;
                };
                if is_future(date, retrieved_at) {
                    changes.push("The publication date lies after the retrieval and was dropped.");
                    return None;
                }
                Some(date)
            });
        if given.content_date_used && published_at.is_some() {
            changes.push("The date was given as content_date.");
        }
        let semantic = match given.semantic_score {
            None => {
                changes.push("No semantic_score was given; it counts as 0.");
                0.0
            }
            Some(score) if score > 1.0 => {
                changes.push("The semantic_score was above 1 and counts as 1.");
                1.0
            }
            Some(score) if score < 0.0 => {
                changes.push("The semantic_score was below 0 and counts as 0.");
                0.0
            }
            // Also turns -0 into 0.
            Some(score) => score + 0.0,
        };
        let source_type = given.source_type.unwrap_or("default");
        if source_type.is_empty() || given.source_type.is_none() {
            changes.push("No source_type was given; default rates apply.");
        }
        let claimed = given.date_confidence.or(given.freshness_confidence);
        let date_confidence = if published_at.is_none() {
            if claimed.is_some_and(|claimed| claimed != DateConfidence::Unknown) {
                changes.push("Without a usable date its confidence is unknown, whatever was given.");
            }
            DateConfidence::Unknown
        } else {
            given
                .date_confidence
                .or(given.freshness_confidence)
                .unwrap_or(DateConfidence::Medium)
        };
        let given_status = given.status.unwrap_or(SignalStatus::Success);
        let guard = if given_status == SignalStatus::Failed {
            Guard::Clear
        } else {
            guard(given)
        };
        let status = if matches!(guard, Guard::Failed(_)) {
            SignalStatus::Failed
        } else {
            given_status
        };
        Self {
            given,
            source_type,
            published_at,
            retrieved_at,
            semantic,
            date_confidence,
            status,
            content_hash: given.content.map(canonical_sha256),
            guard,
            changes,
        }
    }

    /// Title, else the beginning of the content, else the source; one clean line.
    pub(super) fn title(&self) -> String {
        /// Characters of the content that stand in for a title.
        const BEGINNING: usize = 80;
        let given = self.given;
        if let Some(title) = given.title.filter(|title| !is_blank(title)) {
            return clean_line(title).into();
        }
        if let Some(content) = given.content.filter(|content| !is_blank(content)) {
            let beginning: String = content.trim_start().chars().take(BEGINNING).collect();
            return clean_line(&beginning).into();
        }
        clean_line(given.source).into()
    }

    /// The publication date as it is written out.
    pub(super) fn published_text(&self) -> Option<String> {
        self.published_at.map(iso_millis)
    }

    /// Up to five reasons, the weightiest first.
    pub(super) fn why(&self, freshness: Option<u8>) -> Vec<String> {
        const MOST: usize = 5;
        let mut why = Vec::with_capacity(MOST);
        match &self.guard {
            Guard::Failed(reason) => why.push(format!("The content is a failed retrieval: {reason}.")),
            Guard::Doubtful(reason) => {
                why.push(self.figures(freshness));
                why.push(format!(
                    "It may be a failed retrieval, though that is not sure: {reason}."
                ));
            }
            Guard::Clear if self.status == SignalStatus::Failed => {
                why.push("The caller marked it as a failed retrieval.".to_owned());
            }
            Guard::Clear => why.push(self.figures(freshness)),
        }
        why.extend(self.changes.iter().map(|change| (*change).to_owned()));
        let status = match self.status {
            SignalStatus::Partial | SignalStatus::Stale | SignalStatus::Unknown => Some(self.status.as_str()),
            SignalStatus::Success | SignalStatus::Failed => None,
        };
        why.extend(status.map(|status| format!("Its status is {status}, which lowers the utility.")));
        if matches!(self.date_confidence, DateConfidence::Medium | DateConfidence::Low) {
            why.push(format!(
                "Its date has {} confidence, which lowers the utility.",
                self.date_confidence.as_str()
            ));
        }
        why.truncate(MOST);
        why
    }

    /// Relevance and freshness in one sentence.
    fn figures(&self, freshness: Option<u8>) -> String {
        let relevance = match self.semantic {
            score if score >= 0.7 => "Relevant",
            score if score >= 0.5 => "Partly relevant",
            _ => "Barely relevant",
        };
        let score = self.semantic;
        match freshness {
            None => format!("{relevance} ({score:.2}), of unknown age."),
            Some(fresh) => {
                let age = match fresh {
                    70.. => "fresh",
                    50..70 => "aging",
                    _ => "stale",
                };
                format!("{relevance} ({score:.2}), {age}.")
            }
        }
    }
}

/// Asks the inspector about the content. A title alone is too little to exclude on.
fn guard(given: &Given<'_>) -> Guard {
    let (text, title_only) = match (given.content, given.title) {
        (Some(content), _) => (content, false),
        (None, Some(title)) => (title, true),
        (None, None) => return Guard::Clear,
    };
    let found = inspect(text);
    if !found.failed {
        return Guard::Clear;
    }
    let kind = found.kind.map_or("failure", |kind| kind.as_str());
    let reason = format!("{kind}, {}", cut_marked(&clean_line(&found.reason), 120));
    if found.is_sure_failure() && !title_only {
        Guard::Failed(reason)
    } else {
        Guard::Doubtful(reason)
    }
}
