//! What comes of a task, typed until a door asks for its text and its structure.

mod asked;
mod differences;
mod list;
mod markdown;
mod version;
mod webhook;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use freshcontext_contract::named;
use freshcontext_core::date::{is_future, unknown_time};
use freshcontext_core::evaluate::Evaluation;
use freshcontext_core::sanitize::clean_line;
use freshcontext_deliverables::Definition;
use freshcontext_engine::{Deliverable, SourcesState};
use serde_json::{Value, json};

pub(super) use asked::Sources;
pub(super) use differences::Compared;
pub(super) use list::{Listed, Stored, VersionLine};
pub(super) use markdown::{entry_of, gave, missing, origins, sources};
pub(super) use version::{Generated, Shown};
pub(super) use webhook::{NewHook, Webhook};

/// What came of a task.
#[derive(Debug)]
pub(super) enum Done {
    /// A deliverable was defined.
    Added {
        name: String,
        definition: Box<Definition>,
        webhook: Option<NewHook>,
    },
    /// All of them.
    Listed { all: Vec<Listed>, now: DateTime<Utc> },
    /// What is stored of all sources.
    Stored { all: Vec<Stored>, now: DateTime<Utc> },
    /// Sources were checked.
    Checked(Sources),
    /// Sources were synced.
    Synced(Sources),
    /// A version was made.
    Generated(Box<Generated>),
    /// A version that is kept.
    Shown(Box<Shown>),
    /// What changed.
    Compared(Box<Compared>),
    /// A deliverable was removed.
    Removed {
        name: String,
        /// Changes that its webhook had not delivered.
        undelivered: i64,
    },
}

impl Deliverable for Done {
    fn text(&self) -> String {
        match self {
            Self::Added {
                name,
                definition,
                webhook,
            } => added(name, definition, webhook.as_ref()),
            Self::Listed { all, now } => list::list_text(all, *now),
            Self::Stored { all, now } => list::stored_text(all, *now),
            Self::Checked(asked) => asked.checked_text(),
            Self::Synced(asked) => asked.synced_text(),
            Self::Generated(generated) => generated.version.markdown.clone(),
            Self::Shown(shown) => shown.text().into_owned(),
            Self::Compared(compared) => compared.text(),
            Self::Removed { name, undelivered: 0 } => format!("Removed: {name}"),
            Self::Removed { name, undelivered } => {
                format!("Removed: {name}; {undelivered} of its changes were not posted and will not be")
            }
        }
    }

    fn structured(&self) -> Value {
        match self {
            Self::Added {
                name,
                definition,
                webhook: None,
            } => json!({"name": name, "definition": definition}),
            Self::Added {
                name,
                definition,
                webhook: Some(webhook),
            } => json!({"name": name, "definition": definition, "webhook": webhook.value()}),
            Self::Listed { all, now } => list::list_value(all, *now),
            Self::Stored { all, .. } => list::stored_value(all),
            Self::Checked(asked) => asked.checked_value(),
            Self::Synced(asked) => asked.synced_value(),
            Self::Generated(generated) => generated.value(),
            Self::Shown(shown) => shown.value(),
            Self::Compared(compared) => compared.value(),
            Self::Removed { name, undelivered: 0 } => json!({"name": name, "removed": true}),
            Self::Removed { name, undelivered } => {
                json!({"name": name, "removed": true, "undelivered": undelivered})
            }
        }
    }

    fn evaluation(&self) -> Option<&Evaluation> {
        match self {
            Self::Generated(generated) => generated.evaluation.as_ref(),
            _ => None,
        }
    }

    fn state(&self) -> SourcesState {
        match self {
            Self::Checked(asked) => asked.state(),
            _ => SourcesState::Fresh,
        }
    }
}

fn added(name: &str, definition: &Definition, webhook: Option<&NewHook>) -> String {
    let sources: Vec<String> = definition
        .sources
        .iter()
        .map(|source| format!("\n- {}", clean_line(&source.words())))
        .collect();
    let webhook = webhook.map(NewHook::words).unwrap_or_default();
    format!("Added: {name}{}{webhook}", sources.concat())
}

fn synced_words(at: Option<&str>, ahead: Option<&str>) -> String {
    match (at, ahead) {
        (Some(at), _) => at.to_owned(),
        (None, Some(ahead)) => unknown_time(ahead),
        (None, None) => "never".to_owned(),
    }
}

/// How long ago, in words.
fn ago(then: &str, now: DateTime<Utc>) -> String {
    let Ok(then) = DateTime::parse_from_rfc3339(then) else {
        return String::new();
    };
    if is_future(then.to_utc(), now) {
        return "ahead of this clock".to_owned();
    }
    let minutes = now.signed_duration_since(then).num_minutes().max(0);
    let (count, unit) = match minutes {
        0 => return "just now".to_owned(),
        1..60 => (minutes, "minute"),
        60..2880 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

/// The part of a source that a trouble is about, with a colon; nothing where it is about the whole.
fn part_of<'a>(what: &'a str, source: &str) -> Cow<'a, str> {
    let part = what.strip_prefix(source).unwrap_or(what).trim_start_matches(": ");
    if part.is_empty() {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{}: ", named(&clean_line(part))))
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
