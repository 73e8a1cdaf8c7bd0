//! Keeping answers, and giving those that are kept their ids.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use freshcontext_contract::{EarlierRequest, ErrorCode, SourceError, named};
use freshcontext_core::answer;
use freshcontext_store::{AnswerRow, Store, StoreError, Trouble};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::marks::{Draft, Kept, Record};
use freshcontext_engine::Owner;

/// Bytes of an id: 72 bits, bound to their owner.
const ID_BYTES: usize = 9;

/// The toolset `time`. Clones share the store.
#[derive(Clone)]
pub struct TimeToolset {
    /// `None` where nothing is kept (`store = "off"`).
    store: Option<Arc<Store>>,
    /// Key of the ids of answers: an answer from the cache keeps its id, and nobody can guess another's.
    key: [u8; 32],
}

impl TimeToolset {
    /// The toolset over a store. Without randomness there are no ids, and nothing is kept.
    pub fn new(store: Option<Store>) -> Self {
        let mut key = [0; 32];
        let random = getrandom::fill(&mut key).is_ok();
        Self {
            store: store.filter(|_| random).map(Arc::new),
            key,
        }
    }

    pub(crate) fn store(&self) -> Option<&Store> {
        self.store.as_deref()
    }
}

impl TimeToolset {
    /// Keeps an answer, and tells what it says about that: its id, and its hash. Where it is not kept within the time that an
    /// answer waits (`limits.store_wait_ms`), it goes out without an id, and says so.
    pub(crate) async fn keep(&self, draft: Draft, owner: &Owner, now: DateTime<Utc>) -> answer::Kept {
        // A composite is rechecked by its id alone.
        let answer_hash = match &draft.record {
            Kept::Answer(_) => Some(draft.hash.clone()),
            Kept::Sections { .. } => None,
        };
        let (answer_id, not_kept) = match self.take_in(draft, owner, now).await {
            Ok(id) => (id, None),
            Err(error) => {
                tracing::debug!(%error, "an answer is not kept");
                (None, Some(error.message))
            }
        };
        answer::Kept {
            answer_id,
            answer_hash,
            not_kept,
        }
    }

    /// The id of an answer, once it is kept; none where nothing is to be kept.
    async fn take_in(
        &self,
        draft: Draft,
        owner: &Owner,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, StoreError> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let (Some(answer_id), Ok(record)) = (self.id(&draft, owner), serde_json::to_string(&draft.record))
        else {
            return Ok(None);
        };
        let row = AnswerRow {
            answer_id: answer_id.clone(),
            record,
            tool: draft.tool,
            arguments: draft.arguments,
            hash: draft.hash,
            created_ms: draft.retrieved_ms,
        };
        store
            .keep_answer(owner.as_str(), row, now.timestamp_millis())
            .await?;
        Ok(Some(answer_id))
    }

    /// Keeps the validators of an answer that was just found to be as it was. That it cannot be kept costs a fetch later.
    pub(super) async fn renew(
        &self,
        owner: &Owner,
        row: &AnswerRow,
        then: &Record,
        asked: Vec<EarlierRequest>,
        now: DateTime<Utc>,
    ) {
        if asked.is_empty() || asked == then.asked {
            return;
        }
        let renewed = Kept::Answer(Record {
            asked,
            ..then.clone()
        });
        let (Some(store), Ok(record)) = (self.store(), serde_json::to_string(&renewed)) else {
            return;
        };
        let row = AnswerRow {
            record,
            ..row.clone()
        };
        if let Err(error) = store
            .keep_answer(owner.as_str(), row, now.timestamp_millis())
            .await
        {
            tracing::debug!(%error, "renewed validators are not kept");
        }
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
        let Some(store) = self.store() else {
            return Err(SourceError::new(
                ErrorCode::Misconfigured,
                "no answers are kept here (the setting `store` is off)",
            )
            .hint("pass tool, arguments and the answer's hash instead of an id"));
        };
        let row = store
            .answer(owner.as_str(), id, now_ms)
            .await
            .map_err(|error| unusable(&error))?;
        let Some(row) = row else {
            let mut error = SourceError::not_found(format!(
                "no answer of the id {} is kept (unknown, too old, or another caller's)",
                named(id)
            ));
            error.field = Some("answer_id".into());
            return Err(error.hint("call the tool again"));
        };
        let record: Kept = serde_json::from_str(&row.record).map_err(|error| {
            SourceError::new(ErrorCode::Internal, "what is kept of this answer cannot be read")
                .caused_by(error)
        })?;
        // A database has no checksums over its pages: a byte that changed on the disk is not its error.
        if record.hash() != row.hash && record.earlier_hash() != row.hash {
            return Err(SourceError::new(
                ErrorCode::Internal,
                "what is kept of this answer is not what was kept (its hash is another)",
            )
            .hint("call the tool again; the operator can run `freshcontext store check`"));
        }
        Ok((row, record))
    }
}

/// When to try again where the store is down or locked at the moment.
const STORE_WAIT: Duration = Duration::from_secs(5);

/// What a caller reads where the store cannot be used.
pub(super) fn unusable(error: &StoreError) -> SourceError {
    if error.trouble == Trouble::TooLarge {
        return SourceError::new(ErrorCode::TooLarge, error.message.clone())
            .hint("the operator can raise that limit, or delete what is too large from the database");
    }
    let message = format!("the store cannot be used: {}", error.message);
    if matches!(error.trouble, Trouble::Unreachable | Trouble::Locked) {
        // It was set up, and comes back by itself.
        return SourceError::new(ErrorCode::Overloaded, message)
            .retry_after(STORE_WAIT)
            .hint("call again later; tools go on without it");
    }
    SourceError::new(ErrorCode::Misconfigured, message)
        .hint("the operator can run `freshcontext store check`; tools go on without it")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use freshcontext_store::{Place, Retention};

    use super::*;
    use crate::marks::Mark;

    const NOW: i64 = 1_800_000_000_000;

    fn record() -> Kept {
        let mut record = Record::empty();
        record.items = ["first", "second"]
            .map(|id| Mark {
                id: id.to_owned(),
                date: Some("2026-11-20T10:00:00Z".to_owned()),
                parts: BTreeMap::from([("title".to_owned(), "0123456789ab".to_owned())]),
                shown: true,
                standing: None,
                ends: None,
                item: None,
            })
            .into();
        Kept::Answer(record)
    }

    #[tokio::test]
    async fn j02_a_stored_answer_of_which_a_byte_changed_is_not_used() {
        let bounds = Retention {
            answers: 100_000,
            age_ms: i64::MAX,
            deliverables: 1,
            versions: 1,
            records: 1,
        };
        let toolset = TimeToolset::new(Some(Store::new(Place::Memory, bounds)));
        let owner = Owner::named("local");
        let kept = record();
        let whole = serde_json::to_string(&kept).unwrap();
        let mut refused = 0;
        for at in 0..whole.len() {
            for with in [b' ', b'0', b'x', b'"', b'}'] {
                let mut bytes = whole.clone().into_bytes();
                bytes[at] = with;
                let row = AnswerRow {
                    answer_id: "a".to_owned(),
                    tool: "extract_hackernews".to_owned(),
                    arguments: "{}".to_owned(),
                    hash: kept.hash(),
                    record: String::from_utf8(bytes).unwrap(),
                    created_ms: NOW,
                };
                let store = toolset.store().unwrap();
                store.put_answer(owner.as_str(), &row, NOW).await.unwrap();
                match toolset.find(&owner, "a", NOW).await {
                    // What the hash leaves out says how an item was shown, not what it is.
                    Ok((_, found)) => assert_eq!(found.hash(), kept.hash()),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(
            refused > whole.len(),
            "{refused} of {} were noticed",
            whole.len() * 5
        );
    }
}
