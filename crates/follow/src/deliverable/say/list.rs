//! What is said of all deliverables, and of what is stored of their sources.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_core::date::KeptMoment;
use freshcontext_core::sanitize::clean_line;
use freshcontext_deliverables::{Definition, Source, Version};
use freshcontext_store::{DeliverableRow, VersionRow};
use serde::Serialize;
use serde_json::{Value, json};

use super::webhook::Webhook;
use super::{ago, counted, synced_words};
use crate::deliverable::keep::Kept;

/// A deliverable in a list.
#[derive(Debug)]
pub(in crate::deliverable) struct Listed {
    pub row: DeliverableRow,
    pub definition: Definition,
    /// Its versions, where they were asked for.
    pub versions: Option<Vec<VersionLine>>,
    pub webhook: Option<Webhook>,
}

impl Listed {
    fn newest(&self, now: DateTime<Utc>) -> Option<KeptMoment> {
        self.row.version_ms.map(|ms| KeptMoment::of(ms, now))
    }

    fn write(&self, text: &mut String, now: DateTime<Utc>) {
        let row = &self.row;
        let version = match self.newest(now) {
            Some(KeptMoment { at: Some(at), .. }) => format!("version {} of {at}", row.version),
            Some(newest) => format!("version {}, made {}", row.version, newest.words()),
            None => "no version yet".to_owned(),
        };
        let _ = writeln!(text, "{}: {version}", row.name);
        if let Some(lines) = &self.versions {
            for line in lines {
                let _ = writeln!(text, "- {}", line.words());
            }
        } else {
            for source in &self.definition.sources {
                let _ = writeln!(text, "- {}", clean_line(&source.words()));
            }
        }
        if let Some(webhook) = &self.webhook {
            webhook.write(text, now);
        }
    }

    fn value(&self, now: DateTime<Utc>) -> Value {
        let newest = self.newest(now);
        let mut out = json!({
            "name": self.row.name,
            "version": self.row.version,
            "generated_at": newest.as_ref().and_then(|newest| newest.at.as_deref()),
            "created_at": KeptMoment::of(self.row.created_ms, now).at,
            "definition": self.definition,
        });
        if let (Some(ahead), Some(out)) = (newest.and_then(|newest| newest.ahead), out.as_object_mut()) {
            out.insert("generated_at_ahead".to_owned(), ahead.into());
        }
        if let (Some(lines), Some(out)) = (&self.versions, out.as_object_mut()) {
            out.insert("versions".to_owned(), json!(lines));
        }
        if let (Some(webhook), Some(out)) = (&self.webhook, out.as_object_mut()) {
            out.insert("webhook".to_owned(), webhook.value(now));
        }
        out
    }
}

pub(super) fn list_text(all: &[Listed], now: DateTime<Utc>) -> String {
    if all.is_empty() {
        return "No deliverables of this caller.".to_owned();
    }
    let mut text = String::new();
    for listed in all {
        listed.write(&mut text, now);
    }
    text.trim_end().to_owned()
}

pub(super) fn list_value(all: &[Listed], now: DateTime<Utc>) -> Value {
    let rows: Vec<Value> = all.iter().map(|listed| listed.value(now)).collect();
    json!({"deliverables": rows})
}

/// A version in a list.
#[derive(Debug, Serialize)]
pub(in crate::deliverable) struct VersionLine {
    version: i64,
    generated_at: String,
    hash: String,
    predecessor_hash: Option<String>,
    items: usize,
    selected: usize,
}

impl VersionLine {
    pub(in crate::deliverable) fn of(row: &VersionRow, version: &Version) -> Self {
        Self {
            version: version.version,
            generated_at: version.generated_at.clone(),
            hash: row.hash.clone(),
            predecessor_hash: row.predecessor_hash.clone(),
            items: version.items.len(),
            selected: version.blocks.as_array().map_or(0, Vec::len),
        }
    }

    fn words(&self) -> String {
        format!(
            "version {}, {}: {} of {}, {}",
            self.version,
            self.generated_at,
            self.selected,
            counted(self.items, "item"),
            self.hash
        )
    }
}

/// What is stored of a source. Nobody was asked.
#[derive(Debug)]
pub(in crate::deliverable) struct Stored {
    pub source: Source,
    /// The deliverables that have it.
    pub deliverables: Vec<String>,
    pub kept: Option<Kept>,
}

impl Stored {
    fn write(&self, text: &mut String, now: DateTime<Utc>) {
        let _ = write!(text, "{}: ", clean_line(&self.source.words()));
        match self.kept.as_ref().map(|kept| &kept.held) {
            None => text.push_str("never synced"),
            Some(held) => {
                let synced = held.synced_at.as_deref();
                let _ = write!(
                    text,
                    "{}, synced {}",
                    counted(held.items.len(), "item"),
                    synced_words(synced, held.synced_at_ahead.as_deref())
                );
                if let Some(at) = synced {
                    let _ = write!(text, " ({})", ago(at, now));
                }
                if let Some(at) = &held.checked_at {
                    let _ = write!(text, ", confirmed {at} ({})", ago(at, now));
                }
                if !held.incomplete.is_empty() {
                    text.push_str(", not all of it");
                }
            }
        }
        let _ = writeln!(text, "; in {}", self.deliverables.join(", "));
    }

    fn value(&self) -> Value {
        let held = self.kept.as_ref().map(|kept| &kept.held);
        json!({
            "resource_id": self.source.resource(),
            "resource_name": self.source.words(),
            "deliverables": self.deliverables,
            "synced_at": held.and_then(|held| held.synced_at.as_deref()),
            "synced_at_ahead": held.and_then(|held| held.synced_at_ahead.as_deref()),
            "checked_at": held.and_then(|held| held.checked_at.as_deref()),
            "source_latest_at": held.and_then(|held| held.source_latest_at.as_deref()),
            "platform_cursor": held.and_then(|held| held.platform_cursor.as_deref()),
            "item_count": held.map(|held| held.items.len()),
            "incomplete": held.map(|held| &held.incomplete),
        })
    }
}

pub(super) fn stored_text(all: &[Stored], now: DateTime<Utc>) -> String {
    if all.is_empty() {
        return "Nothing is synced: no deliverable is defined.".to_owned();
    }
    let mut text = String::new();
    for stored in all {
        stored.write(&mut text, now);
    }
    text.trim_end().to_owned()
}

pub(super) fn stored_value(all: &[Stored]) -> Value {
    let rows: Vec<Value> = all.iter().map(Stored::value).collect();
    json!({"sources": rows})
}
