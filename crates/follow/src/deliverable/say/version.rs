//! What is said of one version.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use freshcontext_core::date::{KeptMoment, unknown_time};
use freshcontext_core::evaluate::Evaluation;
use freshcontext_deliverables::Version;
use freshcontext_store::VersionRow;
use serde_json::{Value, json};

use super::webhook::Webhook;

/// A version with everything in it, as it was made.
#[derive(Debug)]
pub(in crate::deliverable) struct Shown {
    pub row: VersionRow,
    pub version: Version,
    pub now: DateTime<Utc>,
    pub webhook: Option<Webhook>,
}

impl Shown {
    /// When it was made, where that was by a clock that is ahead of the one of now.
    fn ahead(&self) -> Option<String> {
        KeptMoment::of(self.row.created_ms, self.now).ahead
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let markdown = &self.version.markdown;
        let ahead = self.ahead().map(|ahead| {
            format!(
                "\n\nNote: this version was made {}; its moments and ages are by the clock of then",
                unknown_time(&ahead)
            )
        });
        // A webhook that works is not part of what a reader of the version wants.
        let webhook = self
            .webhook
            .as_ref()
            .filter(|webhook| webhook.is_in_trouble())
            .map(|webhook| {
                let mut text = "\n\n".to_owned();
                webhook.write(&mut text, self.now);
                text.truncate(text.trim_end().len());
                text
            });
        if ahead.is_none() && webhook.is_none() {
            return markdown.into();
        }
        format!(
            "{markdown}{}{}",
            ahead.unwrap_or_default(),
            webhook.unwrap_or_default()
        )
        .into()
    }

    pub(super) fn value(&self) -> Value {
        let mut structured = whole(&self.row, &self.version);
        if let (Some(ahead), Some(fields)) = (self.ahead(), structured.as_object_mut()) {
            fields.insert("generated_at_ahead".to_owned(), ahead.into());
        }
        if let (Some(webhook), Some(fields)) = (&self.webhook, structured.as_object_mut()) {
            fields.insert("webhook".to_owned(), webhook.value(self.now));
        }
        structured
    }
}

/// A version that was just made: as [`Shown`] has it, and what it took.
#[derive(Debug)]
pub(in crate::deliverable) struct Generated {
    pub row: VersionRow,
    pub version: Version,
    pub requests: u32,
    /// The evaluation that chose what it holds; `None` where there was nothing to choose from.
    pub evaluation: Option<Evaluation>,
}

impl Generated {
    pub(super) fn value(&self) -> Value {
        let definition = &self.version.definition;
        let mut structured = whole(&self.row, &self.version);
        if let Some(fields) = structured.as_object_mut() {
            fields.insert("style".to_owned(), definition.style.as_deref().into());
            fields.insert("recipients".to_owned(), json!(definition.recipients));
            fields.insert("requests".to_owned(), self.requests.into());
        }
        structured
    }
}

fn whole(row: &VersionRow, version: &Version) -> Value {
    let mut structured = json!(version);
    if let Some(structured) = structured.as_object_mut() {
        structured.insert("hash".to_owned(), row.hash.as_str().into());
        structured.insert(
            "predecessor_hash".to_owned(),
            row.predecessor_hash.as_deref().into(),
        );
    }
    structured
}
