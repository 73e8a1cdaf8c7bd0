//! Deliverables, their changes and stored context records as MCP resources, with change notifications for sessions of older
//! protocol revisions. Changes by other processes are included: the store is polled while a subscription is open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use freshcontext_contract::{ErrorCode, SourceError, named};
use freshcontext_core::sanitize::clean_error;
use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ResourceUpdatedNotificationParam,
};
use rmcp::service::Peer;

use serde_json::json;

use freshcontext_engine::Owner;
use freshcontext_follow::{CHANGES_SUFFIX, DELIVERABLE_URI, Follow, Progress};

/// URI prefix of a deliverable.
const PREFIX: &str = DELIVERABLE_URI;
/// Media type of a deliverable's version.
const KIND: &str = "text/markdown";
/// URI prefix of stored context records.
const RECORDS_PREFIX: &str = "freshcontext://records/";
/// Media type of context records.
const RECORDS_KIND: &str = "application/json";
/// Interval between two polls of the store.
pub(crate) const LOOK: Duration = Duration::from_secs(1);
/// Media type of a deliverable's changes.
const CHANGES_KIND: &str = "application/json";
/// Changes that are read at once, the newest ones.
const CHANGES: i64 = 100;
/// Maximum number of deliverables that one session may subscribe to, and of concurrent subscriptions.
const MOST: usize = 100;

/// Newest versions by name.
type State = BTreeMap<String, Progress>;

/// Subscriptions of one session of an older protocol revision.
#[derive(Debug, Clone, Default)]
pub struct Subscribed(Arc<Mutex<Subscriptions>>);

#[derive(Debug, Default)]
struct Subscriptions {
    /// Names of deliverables.
    names: BTreeSet<String>,
    /// Whether a polling task is running.
    looking: bool,
    /// Number of open subscriptions of a newer protocol revision.
    listening: usize,
}

/// Counts one open subscription until it is dropped.
pub struct Listening(Subscribed);

impl Drop for Listening {
    fn drop(&mut self) {
        let mut subscriptions = self.0.subscriptions();
        subscriptions.listening = subscriptions.listening.saturating_sub(1);
    }
}

/// Returns whether a URI names a deliverable, its changes, or context records.
pub fn is_one(uri: &str) -> bool {
    listened_name(uri).is_some() || records_of(uri).is_some()
}

/// Returns the id of the context records that a URI names.
fn records_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(RECORDS_PREFIX).filter(|id| !id.is_empty())
}

/// Returns the name of the deliverable that a URI names.
fn name_of(uri: &str) -> Option<&str> {
    let name = uri.strip_prefix(PREFIX)?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

/// Returns the name of the deliverable whose changes a URI names.
fn changes_of(uri: &str) -> Option<&str> {
    name_of(uri.strip_suffix(CHANGES_SUFFIX)?)
}

/// Returns the name of the deliverable that a URI names, or whose changes it names.
pub(crate) fn listened_name(uri: &str) -> Option<&str> {
    name_of(uri).or_else(|| changes_of(uri))
}

/// Returns the URI of a deliverable's newest version.
pub(crate) fn version_address(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Returns the URI of a deliverable's changes.
pub(crate) fn changes_address(name: &str) -> String {
    format!("{PREFIX}{name}{CHANGES_SUFFIX}")
}

fn failed(error: &SourceError) -> ErrorData {
    ErrorData::internal_error(clean_error(&error.message), None)
}

fn unknown(uri: &str) -> ErrorData {
    let message = format!("there is no resource {}", named(uri));
    ErrorData::resource_not_found(clean_error(&message), None)
}

/// Lists an owner's deliverables that have a version.
pub async fn list(follow: &Follow, owner: &Owner) -> Result<ListResourcesResult, ErrorData> {
    let state = follow
        .deliverable_state(owner)
        .await
        .map_err(|error| failed(&error))?;
    let resources = state
        .into_iter()
        .filter(|(_, progress)| progress.version > 0)
        .map(|(name, progress)| {
            Resource::new(version_address(&name), name)
                .with_description(format!(
                    "The newest version of this deliverable: {}",
                    progress.version
                ))
                .with_mime_type(KIND)
        });
    Ok(ListResourcesResult::with_all_items(resources.collect())
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// Returns the URI templates of all resources.
pub fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{PREFIX}{{name}}"), "deliverable")
        .with_title("Newest version of a deliverable")
        .with_mime_type(KIND);
    let changes = ResourceTemplate::new(format!("{PREFIX}{{name}}{CHANGES_SUFFIX}"), "changes")
        .with_title("Newest changes of a deliverable, in counts")
        .with_mime_type(CHANGES_KIND);
    // Records are not listed: a client that requested records knows their id, and there may be many.
    let records = ResourceTemplate::new(format!("{RECORDS_PREFIX}{{context_id}}"), "records")
        .with_title("Context records of an earlier call, with what was found out since")
        .with_mime_type(RECORDS_KIND);
    ListResourceTemplatesResult::with_all_items(vec![template, changes, records])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private)
}

/// Returns the newest version of a deliverable, or stored records. Makes no requests.
pub async fn read(follow: &Follow, uri: &str, owner: &Owner) -> Result<ReadResourceResult, ErrorData> {
    if let Some(name) = changes_of(uri) {
        return read_changes(follow, name, uri, owner).await;
    }
    let found = match (records_of(uri), name_of(uri)) {
        (Some(id), _) => follow
            .kept_records(id, owner)
            .await
            .map(|bundle| (bundle, RECORDS_KIND)),
        (None, Some(name)) => follow
            .deliverable_version(name, None, owner)
            .await
            .map(|(_, version)| (version.markdown, KIND)),
        (None, None) => return Err(unknown(uri)),
    };
    match found {
        Ok((text, kind)) => {
            let contents = ResourceContents::text(text, uri).with_mime_type(kind);
            Ok(ReadResourceResult::new(vec![contents])
                .with_ttl_ms(0)
                .with_cache_scope(CacheScope::Private))
        }
        Err(error) if error.code == ErrorCode::NotFound => Err(unknown(uri)),
        Err(error) => Err(failed(&error)),
    }
}

/// Returns the newest changes of a deliverable, oldest first.
async fn read_changes(
    follow: &Follow,
    name: &str,
    uri: &str,
    owner: &Owner,
) -> Result<ReadResourceResult, ErrorData> {
    let state = follow
        .deliverable_state(owner)
        .await
        .map_err(|error| failed(&error))?;
    let newest = state.get(name).ok_or_else(|| unknown(uri))?.changes;
    let changes = follow
        .deliverable_changes(name, newest.saturating_sub(CHANGES), CHANGES, owner)
        .await
        .map_err(|error| failed(&error))?;
    let text = json!({"deliverable": name, "sequence": newest, "changes": changes}).to_string();
    let contents = ResourceContents::text(text, uri).with_mime_type(CHANGES_KIND);
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// Compares two polls: whether the list changed, and the names whose version changed.
fn changes(before: &State, after: &State) -> (bool, Vec<String>) {
    let listed = |state: &State| -> BTreeSet<String> {
        let there = state.iter().filter(|(_, progress)| progress.version > 0);
        there.map(|(name, _)| name.clone()).collect()
    };
    let updated = after
        .iter()
        .filter(|(name, progress)| {
            let known = before.get(*name).map_or(0, |before| before.version);
            progress.version > 0 && progress.version != known
        })
        .map(|(name, _)| name.clone());
    (listed(before) != listed(after), updated.collect())
}

impl Subscribed {
    fn subscriptions(&self) -> MutexGuard<'_, Subscriptions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more subscription of a newer protocol revision, until the result is dropped.
    pub fn begin(&self) -> Result<Listening, ErrorData> {
        let mut subscriptions = self.subscriptions();
        if subscriptions.listening >= MOST {
            let message = format!("a session may listen to {MOST} subscriptions at once");
            return Err(ErrorData::invalid_request(message, None));
        }
        subscriptions.listening += 1;
        Ok(Listening(self.clone()))
    }

    /// Subscribes a session of an older protocol revision to one deliverable.
    pub async fn add(
        &self,
        follow: &Follow,
        owner: &Owner,
        uri: &str,
        peer: Peer<RoleServer>,
    ) -> Result<(), ErrorData> {
        let name = name_of(uri).ok_or_else(|| unknown(uri))?;
        let state = follow
            .deliverable_state(owner)
            .await
            .map_err(|error| failed(&error))?;
        if !state.contains_key(name) {
            return Err(unknown(uri));
        }
        let begin = {
            let mut subscriptions = self.subscriptions();
            if subscriptions.names.len() >= MOST {
                let message = format!("a session may subscribe to {MOST} resources");
                return Err(ErrorData::invalid_request(message, None));
            }
            subscriptions.names.insert(name.to_owned());
            !std::mem::replace(&mut subscriptions.looking, true)
        };
        if begin {
            let (subscribed, follow, owner) = (self.clone(), follow.clone(), owner.clone());
            tokio::spawn(async move { subscribed.look(&follow, &owner, state, peer).await });
        }
        Ok(())
    }

    /// Ends a subscription.
    pub fn remove(&self, uri: &str) {
        if let Some(name) = name_of(uri) {
            self.subscriptions().names.remove(name);
        }
    }

    /// Polls until the session ends or the last subscription is removed.
    async fn look(&self, follow: &Follow, owner: &Owner, mut before: State, peer: Peer<RoleServer>) {
        loop {
            tokio::time::sleep(LOOK).await;
            let names = {
                let mut subscriptions = self.subscriptions();
                if subscriptions.names.is_empty() || peer.is_transport_closed() {
                    subscriptions.looking = false;
                    return;
                }
                subscriptions.names.clone()
            };
            let Ok(after) = follow.deliverable_state(owner).await else {
                continue;
            };
            let (list, updated) = changes(&before, &after);
            before = after;
            if list {
                // A disconnected peer needs no notification.
                let _ = peer.notify_resource_list_changed().await;
            }
            for name in updated.into_iter().filter(|name| names.contains(name)) {
                let word = ResourceUpdatedNotificationParam::new(version_address(&name));
                let _ = peer.notify_resource_updated(word).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(all: &[(&str, i64)]) -> State {
        all.iter()
            .map(|(name, version)| {
                let progress = Progress {
                    version: *version,
                    changes: *version,
                };
                ((*name).to_owned(), progress)
            })
            .collect()
    }

    #[test]
    fn a_version_is_an_update_and_a_first_one_changes_the_list() {
        let before = state(&[("a", 1), ("b", 0), ("c", 2)]);
        let none: Vec<String> = Vec::new();
        assert_eq!(changes(&before, &before), (false, none.clone()));
        assert_eq!(
            changes(&before, &state(&[("a", 2), ("b", 0), ("c", 2)])),
            (false, vec!["a".to_owned()])
        );
        assert_eq!(
            changes(&before, &state(&[("a", 1), ("b", 1), ("c", 2)])),
            (true, vec!["b".to_owned()])
        );
        assert_eq!(
            changes(&before, &state(&[("a", 1), ("b", 0)])),
            (true, none.clone())
        );
        assert_eq!(
            changes(&before, &state(&[("a", 1), ("b", 0), ("c", 2), ("d", 0)])),
            (false, none)
        );
    }

    #[test]
    fn addresses_are_read_as_they_are_written() {
        assert_eq!(name_of(&version_address("jobs")), Some("jobs"));
        for bad in ["freshcontext://deliverables/", "https://example.com/jobs", "jobs"] {
            assert_eq!(name_of(bad), None, "{bad}");
        }
    }
}
