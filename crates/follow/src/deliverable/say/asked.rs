//! What is said of sources that were asked.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_core::sanitize::{clean_error, clean_line};
use freshcontext_engine::SourcesState;
use serde_json::{Value, json};

use super::{part_of, synced_words};
use crate::deliverable::followed::{Followed, Found};
use crate::deliverable::moment;

/// The sources of a deliverable, each with what was found out about it.
#[derive(Debug)]
pub(in crate::deliverable) struct Sources {
    pub name: String,
    pub sources: Vec<Followed>,
    pub at: DateTime<Utc>,
}

impl Sources {
    fn requests(&self) -> u32 {
        self.sources.iter().map(|one| one.requests).sum()
    }

    fn heading(&self, what: &str) -> String {
        let requests = self.requests();
        let plural = if requests == 1 { "" } else { "s" };
        format!(
            "{what}: {}, {} ({requests} request{plural})",
            self.name,
            moment(self.at)
        )
    }

    fn rows(&self) -> Vec<Value> {
        self.sources.iter().map(row).collect()
    }

    /// The worst state of a source.
    pub(super) fn state(&self) -> SourcesState {
        let state = |one: &Followed| match fresh(one) {
            Some(true) => SourcesState::Fresh,
            Some(false) => SourcesState::Stale,
            None => SourcesState::Unchecked,
        };
        self.sources.iter().map(state).max().unwrap_or_default()
    }

    pub(super) fn checked_text(&self) -> String {
        let mut text = self.heading("Checked");
        for one in &self.sources {
            text.push_str(&line(one, one.found.as_str()));
            if let Some(latest) = one.latest() {
                let _ = write!(text, "; newest item {}", moment(latest));
            }
        }
        text
    }

    pub(super) fn checked_value(&self) -> Value {
        json!({
            "name": self.name,
            "checked_at": moment(self.at),
            "requests": self.requests(),
            "fresh": self.sources.iter().all(|one| fresh(one) == Some(true)),
            "sources": self.rows(),
        })
    }

    pub(super) fn synced_text(&self) -> String {
        let mut text = self.heading("Synced");
        for one in &self.sources {
            let was = match one.found.as_str() {
                "stale" => "was stale",
                "never_synced" => "was never synced",
                other => other,
            };
            text.push_str(&line(one, was));
        }
        text
    }

    pub(super) fn synced_value(&self) -> Value {
        json!({
            "name": self.name,
            "synced_at": moment(self.at),
            "requests": self.requests(),
            "sources": self.rows(),
        })
    }
}

/// Whether the stored items of a source are what it says now; `None` where that could not be found out.
const fn fresh(one: &Followed) -> Option<bool> {
    match one.found {
        Found::Reused | Found::Current => Some(true),
        Found::Stale | Found::NeverSynced => Some(false),
        Found::CouldNotCheck => None,
    }
}

/// What is said of a source that was asked.
fn row(one: &Followed) -> Value {
    let mut out = json!({
        "resource_id": one.source.resource(),
        "resource_name": one.source.words(),
        "verdict": one.found.as_str(),
        "requests": one.requests,
    });
    let mut put = |name: &str, value: Value| {
        if let Some(out) = out.as_object_mut() {
            out.insert(name.to_owned(), value);
        }
    };
    put("fresh", fresh(one).into());
    put("current_latest", one.latest().map(moment).into());
    if let Some(kept) = &one.kept {
        put("synced_at", kept.held.synced_at.as_deref().into());
        if let Some(ahead) = &kept.held.synced_at_ahead {
            put("synced_at_ahead", ahead.as_str().into());
        }
        put("checked_at", kept.held.checked_at.as_deref().into());
        put("item_count", kept.held.items.len().into());
        put("platform_cursor", kept.held.platform_cursor.as_deref().into());
        if !kept.held.incomplete.is_empty() {
            put("incomplete", json!(kept.held.incomplete));
        }
    }
    if let Some(trouble) = &one.trouble {
        put("code", trouble.code.as_str().into());
        put("message", trouble.message.as_str().into());
        put("retry_after_s", trouble.retry_after_s.into());
    }
    out
}

fn line(one: &Followed, said: &str) -> String {
    let mut out = format!("\n- {}: {said}", clean_line(&one.source.words()));
    if let Some(kept) = &one.kept {
        let synced = synced_words(
            kept.held.synced_at.as_deref(),
            kept.held.synced_at_ahead.as_deref(),
        );
        let _ = write!(out, ", synced {synced}");
        for part in &kept.held.incomplete {
            let of = part_of(&part.what, &one.source.words());
            let of = match of.trim_end_matches(": ") {
                "" => "some of it",
                named => named,
            };
            let _ = write!(out, "; {of} could not be read: {}", part.code);
        }
    }
    if let Some(trouble) = &one.trouble {
        let _ = write!(out, ": {}: {}", trouble.code, clean_error(&trouble.message));
    }
    out
}
