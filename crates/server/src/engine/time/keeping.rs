//! Giving answers their ids, and keeping them in the background.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_store::{AnswerRow, Store, StoreError};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::Owner;
use super::marks::{Draft, Kept};
use crate::engine::ToolOutcome;

/// Answers that wait to be written; further ones get no id.
const WAITING: usize = 1_000;
/// How long a store that cannot be used is left alone.
const LEFT_ALONE: Duration = Duration::from_mins(1);
/// How long the end of the process waits for what is not written yet.
const FLUSH: Duration = Duration::from_secs(3);
/// Bytes of an id: 72 bits, bound to their owner.
const ID_BYTES: usize = 9;

/// What the toolset holds.
pub(crate) struct Times {
    /// `None` where nothing is kept (`store = "off"`).
    store: Option<Store>,
    /// Makes ids: the same answer from the cache keeps its own, and nobody can guess another's.
    key: [u8; 32],
    /// Answers on their way into the store, by owner and id.
    waiting: Mutex<HashMap<(String, String), Arc<AnswerRow>>>,
    /// Since when the store cannot be used, and why.
    broken: Mutex<Option<(Instant, StoreError)>>,
}

impl Times {
    pub(crate) fn new(store: Option<Store>) -> Self {
        let mut key = [0; 32];
        // Without randomness there are no ids, and so nothing is kept.
        let random = getrandom::fill(&mut key).is_ok();
        Self {
            store: store.filter(|_| random),
            key,
            waiting: Mutex::default(),
            broken: Mutex::default(),
        }
    }

    pub(crate) fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Gives an answer its id and hash, and keeps it in the background. Where the store cannot be used, the answer
    /// goes out without an id.
    pub(crate) async fn keep(
        self: &Arc<Self>,
        outcome: &mut ToolOutcome,
        draft: Draft,
        owner: &Owner,
        now: DateTime<Utc>,
    ) {
        // A composite is rechecked by its id alone, and its first envelope is that of its first section.
        let (hash, header_end) = match &draft.record {
            Kept::Answer(_) => (Some(draft.hash.clone()), "\n---\n"),
            Kept::Sections { .. } => (None, "\nCoverage: "),
        };
        let id = self.take_in(draft, owner, now).await;
        if let Some(Value::Object(structured)) = &mut outcome.structured {
            if let Some(id) = &id {
                structured.insert("answer_id".to_owned(), id.as_str().into());
            }
            if let Some(hash) = hash {
                structured.insert("answer_hash".to_owned(), hash.into());
            }
        }
        if let Some(id) = id
            && let Some(at) = outcome.text.find(header_end)
        {
            outcome.text.insert_str(at, &format!("\nAnswer-Id: {id}"));
        }
    }

    async fn take_in(self: &Arc<Self>, draft: Draft, owner: &Owner, now: DateTime<Utc>) -> Option<String> {
        let store = self.store.as_ref()?;
        if self.trouble().is_some() {
            return None;
        }
        if let Err(error) = store.backend().await {
            self.note(error);
            return None;
        }
        let row = AnswerRow {
            answer_id: self.id(&draft, owner)?,
            record: serde_json::to_string(&draft.record).ok()?,
            tool: draft.tool,
            arguments: draft.arguments,
            hash: draft.hash,
            created_ms: draft.retrieved_ms,
        };
        let id = row.answer_id.clone();
        let place = (owner.as_str().to_owned(), id.clone());
        let row = Arc::new(row);
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.len() >= WAITING {
                tracing::warn!("answers come faster than they can be kept; this one gets no id");
                return None;
            }
            waiting.insert(place.clone(), Arc::clone(&row));
        }
        let times = Arc::clone(self);
        tokio::spawn(async move {
            if let Some(store) = times.store()
                && let Err(error) = store.put_answer(&place.0, &row, now.timestamp_millis()).await
            {
                times.note(error);
            }
            let mut waiting = times.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.remove(&place);
        });
        Some(id)
    }

    fn id(&self, draft: &Draft, owner: &Owner) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        let shown = draft.record.shown();
        for part in [
            owner.as_str(),
            &draft.tool,
            &draft.arguments,
            &draft.hash,
            &draft.retrieved_ms.to_string(),
            &shown.to_string(),
        ] {
            mac.update(part.as_bytes());
            mac.update(&[0]);
        }
        let bytes = mac.finalize().into_bytes();
        // A first letter keeps a shell from taking it for an option.
        Some(format!("a{}", URL_SAFE_NO_PAD.encode(bytes.get(..ID_BYTES)?)))
    }

    /// An owner's answer. Unknown, expired and foreign ones are not found alike.
    pub(super) async fn find(
        &self,
        owner: &Owner,
        id: &str,
        now_ms: i64,
    ) -> Result<(AnswerRow, Kept), SourceError> {
        let Some(store) = &self.store else {
            return Err(SourceError::new(
                ErrorCode::Misconfigured,
                "no answers are kept here (the setting `store` is off)",
            )
            .hint("pass tool, arguments and the answer's hash instead of an id"));
        };
        let place = (owner.as_str().to_owned(), id.to_owned());
        let waiting = {
            let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.get(&place).cloned()
        };
        let row = match waiting {
            Some(row) => Some(row.as_ref().clone()),
            None => store
                .answer(owner.as_str(), id, now_ms)
                .await
                .map_err(|error| unusable(&error))?,
        };
        let Some(row) = row else {
            let mut error = SourceError::not_found(format!(
                "no answer of the id {} is kept (unknown, too old, or another caller's)",
                id.chars()
                    .filter(char::is_ascii_graphic)
                    .take(40)
                    .collect::<String>()
            ));
            error.field = Some("answer_id".into());
            return Err(error.hint("call the tool again"));
        };
        let record = serde_json::from_str(&row.record).map_err(|error| {
            SourceError::new(ErrorCode::Internal, "what is kept of this answer cannot be read")
                .caused_by(error)
        })?;
        Ok((row, record))
    }

    /// Waits until what is on its way is written, for a while.
    pub(crate) async fn flush(&self) {
        let until = Instant::now() + FLUSH;
        while Instant::now() < until {
            let empty = self
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_empty();
            if empty {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if let Some(store) = &self.store {
            store.close().await;
        }
    }

    pub(super) fn trouble(&self) -> Option<StoreError> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, error) = broken.as_ref()?;
        (since.elapsed() < LEFT_ALONE).then(|| error.clone())
    }

    pub(super) fn note(&self, error: StoreError) {
        tracing::warn!(%error, "the store cannot be used; tools go on, and answers get no id");
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), error));
    }
}

/// What a caller reads where the store cannot be used.
pub(super) fn unusable(error: &StoreError) -> SourceError {
    SourceError::new(
        ErrorCode::Misconfigured,
        format!("the store cannot be used: {}", error.message),
    )
    .hint("the operator can run `freshcontext store check`; tools go on without it")
}
