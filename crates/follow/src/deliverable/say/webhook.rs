//! What is said of a webhook.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_core::date::KeptMoment;
use freshcontext_store::{GivenUpRow, WebhookRow};
use serde_json::{Value, json};
use url::Url;

use super::counted;

/// A webhook, and the changes that it did not deliver.
#[derive(Debug)]
pub(in crate::deliverable) struct Webhook {
    pub row: WebhookRow,
    pub given_up: Vec<GivenUpRow>,
}

/// A webhook that was just defined.
#[derive(Debug)]
pub(in crate::deliverable) struct NewHook {
    pub url: String,
    /// The generated secret; `None` where the operator's own is used.
    pub secret: Option<String>,
}

/// Returns an address without its path, which may hold a secret of the receiver.
fn shown(url: &str) -> String {
    match Url::parse(url) {
        Ok(url) => format!("{}/...", url.origin().ascii_serialization()),
        Err(_) => "an unreadable address".to_owned(),
    }
}

fn time(ms: i64, now: DateTime<Utc>) -> String {
    let kept = KeptMoment::of(ms, now);
    kept.at.clone().unwrap_or_else(|| kept.words())
}

impl Webhook {
    /// Number of changes that are not delivered and not given up.
    pub(in crate::deliverable) fn waiting(&self) -> i64 {
        self.row.changes.saturating_sub(self.row.position).max(0)
    }

    /// Whether an attempt failed, or a change was given up.
    pub(super) fn is_in_trouble(&self) -> bool {
        self.row.failure.is_some() || self.row.given_up > 0
    }

    /// Writes one line, and one for each change that was given up.
    pub(super) fn write(&self, text: &mut String, now: DateTime<Utc>) {
        let row = &self.row;
        let _ = write!(text, "- webhook {}: {} delivered", shown(&row.url), row.delivered);
        if self.waiting() > 0 {
            let _ = write!(text, ", {} waiting", self.waiting());
        }
        if row.given_up > 0 {
            let _ = write!(text, ", {} given up", row.given_up);
        }
        if let Some(failure) = &row.failure {
            let attempts = usize::try_from(row.attempts).unwrap_or_default();
            let _ = write!(text, "; {} failed: {failure}", counted(attempts, "attempt"));
            let next = DateTime::from_timestamp_millis(row.next_ms).filter(|next| *next > now);
            if let Some(next) = next {
                let _ = write!(text, "; next {}", super::super::moment(next));
            }
        }
        text.push('\n');
        for given_up in &self.given_up {
            let _ = writeln!(
                text,
                "  given up {}: change {} ({})",
                time(given_up.given_up_ms, now),
                given_up.number,
                given_up.failure
            );
        }
    }

    pub(super) fn value(&self, now: DateTime<Utc>) -> Value {
        let row = &self.row;
        let at = |ms: Option<i64>| ms.map(|ms| time(ms, now));
        let given_up: Vec<Value> = self
            .given_up
            .iter()
            .map(|one| {
                json!({
                    "sequence": one.number, "id": one.change_id, "attempts": one.attempts, "failure": one.failure,
                    "given_up_at": time(one.given_up_ms, now),
                })
            })
            .collect();
        json!({
            "address": shown(&row.url),
            "delivered": row.delivered,
            "delivered_at": at(row.delivered_ms),
            "waiting": self.waiting(),
            "attempts": row.attempts,
            "failure": row.failure,
            "failed_at": at(row.failed_ms),
            "given_up": row.given_up,
            "given_up_changes": given_up,
        })
    }
}

impl NewHook {
    pub(super) fn words(&self) -> String {
        let address = shown(&self.url);
        match &self.secret {
            Some(secret) => {
                format!(
                    "\nChanges are posted to {address}\nSecret of the signatures, shown this once: {secret}"
                )
            }
            None => format!("\nChanges are posted to {address}, signed with the setting `webhook.secret`"),
        }
    }

    pub(super) fn value(&self) -> Value {
        json!({"address": shown(&self.url), "secret": self.secret})
    }
}
