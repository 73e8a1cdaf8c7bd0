//! What `min_freshness_score` keeps out: whole sections, with what kind of old they are, and single items.

use chrono::{DateTime, Utc};
use freshcontext_contract::{Skipped, Status, counted};

use crate::answer::{Scored, ScoredItem};

/// What is said in place of an answer that does not reach the score asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Why it does not.
    pub kind: HeldKind,
    /// Its score, 0..=100.
    pub score: Option<u8>,
    /// What the question was taken for.
    pub subject: Option<String>,
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

/// What kind of old an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldKind {
    /// Its source has nothing newer: old, and current.
    Newest,
    /// A reading of something that has moved since.
    Replaced,
    /// Old; whether its source has newer content is not known.
    Old,
    /// Nothing of it stands any more.
    Void,
    /// Its age is not known.
    Undated,
}

impl HeldKind {
    /// The kind for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest_there_is",
            Self::Replaced => "older_state",
            Self::Old => "old",
            Self::Void => "void",
            Self::Undated => "undated",
        }
    }

    /// The status of its section in the table.
    pub const fn status(self) -> &'static str {
        match self {
            Self::Newest => "too old: the newest there is",
            Self::Replaced => "too old: an older state",
            Self::Old => "too old",
            Self::Void => "void",
            Self::Undated => "undated",
        }
    }

    /// The status of its section in the structure.
    pub const fn section(self) -> &'static str {
        match self {
            Self::Undated => "undated",
            _ => "stale",
        }
    }

    fn of(scored: &Scored) -> Self {
        if scored.is_void() {
            Self::Void
        } else if scored.score().is_none() {
            Self::Undated
        } else if is_replaced(scored) {
            Self::Replaced
        } else if scored.scope.has_newest {
            Self::Newest
        } else {
            Self::Old
        }
    }
}

/// Whether the newest of an answer is a reading of something that moves, and too old to be the present one.
pub(super) fn is_replaced(scored: &Scored) -> bool {
    scored
        .replaced_after
        .zip(scored.date().instant)
        .is_some_and(|(after, at)| (scored.counted_to() - at).to_std().is_ok_and(|age| age > after))
}

/// What is said in place of the answer where it does not reach the least score.
pub(super) fn held(scored: &Scored, least: Option<f64>) -> Option<Held> {
    let least = least?;
    if scored.status() == Status::Empty || scored.score().is_some_and(|score| f64::from(score) >= least) {
        return None;
    }
    let kind = HeldKind::of(scored);
    let content_date = scored.date().shown.clone();
    let age = scored.date().age(scored.counted_to());
    let date = content_date.as_deref().unwrap_or("unknown date");
    let ago = age.as_deref().unwrap_or("some time");
    let score = scored.score().unwrap_or_default();
    let message = match kind {
        HeldKind::Newest => format!(
            "Stale: the newest that the source has, of {date} ({ago} ago), scores {score}, below the {least} asked \
             for. It is current: there is nothing newer there. Content left out."
        ),
        HeldKind::Replaced => format!(
            "Stale: an older state, of {date} ({ago} ago), scores {score}, below the {least} asked for. What it shows \
             has moved since. Content left out."
        ),
        HeldKind::Old => format!(
            "Stale: content of {date} ({ago} ago) scores {score}, below the {least} asked for. Content left out."
        ),
        HeldKind::Void => format!(
            "Void: nothing of it stands any more ({}), so there is no score; {least} was asked for. Content left out.",
            scored.standing_overview().unwrap_or_default()
        ),
        HeldKind::Undated => format!(
            "Undated: content without a reliable date has no score; {least} was asked for. Content left out."
        ),
    };
    Some(Held {
        kind,
        score: scored.score(),
        subject: scored.scope.subject.clone(),
        content_date,
        age,
        items: scored.item_count(),
        retrieved_at: scored.retrieved_at(),
        threshold: least,
        message,
    })
}

/// Takes out the items below the least score, and says so. Where only the answer as a whole is dated (the day of a board),
/// undated items stay.
pub(super) fn without_old_items(scored: &mut Scored, least: Option<f64>) -> Vec<ScoredItem> {
    let Some(least) = least else { return Vec::new() };
    let some_dated = scored.items.iter().any(|item| item.score.is_some());
    let is_out = |item: &ScoredItem| match item.score {
        Some(score) => f64::from(score) < least,
        None => some_dated && least > 0.0,
    };
    let (out, kept): (Vec<ScoredItem>, Vec<ScoredItem>) =
        std::mem::take(&mut scored.items).into_iter().partition(is_out);
    scored.items = kept;
    let undated = out.iter().filter(|item| item.score.is_none()).count();
    for (count, one, many) in [
        (out.len() - undated, "that scores below", "that score below"),
        (undated, "without a score;", "without a score;"),
    ] {
        if count > 0 {
            let words = if count == 1 { one } else { many };
            scored.skipped.push(Skipped {
                count,
                reason: format!("{words} {least}, which was asked for").into(),
            });
        }
    }
    out
}

/// What is said at the head of an answer that is shown and is an older state.
pub(super) fn replaced_note(label: &str, scored: &Scored) -> Option<String> {
    let date = scored.date().shown.as_deref()?;
    let age = scored.date().age(scored.counted_to())?;
    is_replaced(scored)
        .then(|| format!("{label}: an older state, of {date} ({age} ago); what it shows has moved since."))
}

/// A count of sources, in words.
pub(super) fn sources(count: usize) -> String {
    counted(count, "source", "sources")
}
