//! Deliverables and kept context records as MCP resources, and word of changes of deliverables. What other processes do is seen too: the store is looked at
//! once a second while somebody listens.

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
use rmcp::service::{Peer, SubscriptionContext};

use freshcontext_engine::Owner;
use freshcontext_follow::Follow;

/// What stands before the name of a deliverable.
const PREFIX: &str = "freshcontext://deliverables/";
/// The kind of text that a version is.
const KIND: &str = "text/markdown";
/// What stands before the id of context records that are kept.
const RECORDS_PREFIX: &str = "freshcontext://records/";
/// The kind of text that they are.
const RECORDS_KIND: &str = "application/json";
/// Time between two looks at the store.
const LOOK: Duration = Duration::from_secs(1);
/// Deliverables that one session may subscribe to, and subscriptions that it may listen to at once.
const MOST: usize = 100;

/// Newest versions by name.
type State = BTreeMap<String, i64>;

/// What one session of an older revision subscribed to.
#[derive(Debug, Clone, Default)]
pub struct Subscribed(Arc<Mutex<Subscriptions>>);

#[derive(Debug, Default)]
struct Subscriptions {
    /// Names of deliverables.
    names: BTreeSet<String>,
    /// Whether somebody looks at the store already.
    looking: bool,
    /// Subscriptions of a newer revision that are listened to.
    listening: usize,
}

/// One of these; over when dropped.
struct Listening(Subscribed);

impl Drop for Listening {
    fn drop(&mut self) {
        let mut subscriptions = self.0.subscriptions();
        subscriptions.listening = subscriptions.listening.saturating_sub(1);
    }
}

/// Whether an address is that of a deliverable, or of context records that may be kept.
pub fn is_one(uri: &str) -> bool {
    name_of(uri).is_some() || records_of(uri).is_some()
}

/// The context records that an address names.
fn records_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(RECORDS_PREFIX).filter(|id| !id.is_empty())
}

/// The deliverable that an address names.
fn name_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(PREFIX).filter(|name| !name.is_empty())
}

fn address(name: &str) -> String {
    format!("{PREFIX}{name}")
}

fn failed(error: &SourceError) -> ErrorData {
    ErrorData::internal_error(clean_error(&error.message), None)
}

fn unknown(uri: &str) -> ErrorData {
    let message = format!("there is no resource {}", named(uri));
    ErrorData::resource_not_found(clean_error(&message), None)
}

/// An owner's deliverables that have a version.
pub async fn list(follow: &Follow, owner: &Owner) -> Result<ListResourcesResult, ErrorData> {
    let state = follow
        .deliverable_state(owner)
        .await
        .map_err(|error| failed(&error))?;
    let resources = state
        .into_iter()
        .filter(|(_, version)| *version > 0)
        .map(|(name, version)| {
            Resource::new(address(&name), name)
                .with_description(format!("The newest version of this deliverable: {version}"))
                .with_mime_type(KIND)
        });
    Ok(ListResourcesResult::with_all_items(resources.collect())
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// How their addresses are made.
pub fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{PREFIX}{{name}}"), "deliverable")
        .with_title("Newest version of a deliverable")
        .with_mime_type(KIND);
    // Not in the list of resources: whoever asked for records knows their id, and there may be many.
    let records = ResourceTemplate::new(format!("{RECORDS_PREFIX}{{context_id}}"), "records")
        .with_title("Context records of an earlier call, with what was found out since")
        .with_mime_type(RECORDS_KIND);
    ListResourceTemplatesResult::with_all_items(vec![template, records])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private)
}

/// The newest version of a deliverable, as it was generated, or records as they are kept: nothing is asked for it.
pub async fn read(follow: &Follow, uri: &str, owner: &Owner) -> Result<ReadResourceResult, ErrorData> {
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

/// What changed between two looks: whether the list did, and the names with another version.
fn changes(before: &State, after: &State) -> (bool, Vec<String>) {
    let listed = |state: &State| -> BTreeSet<String> {
        let there = state.iter().filter(|(_, version)| **version > 0);
        there.map(|(name, _)| name.clone()).collect()
    };
    let updated = after
        .iter()
        .filter(|(name, version)| **version > 0 && before.get(*name) != Some(*version))
        .map(|(name, _)| name.clone());
    (listed(before) != listed(after), updated.collect())
}

/// Tells a subscription of its changes until it is cancelled.
async fn listen(follow: &Follow, owner: &Owner, context: &SubscriptionContext) {
    let accepted = context.accepted();
    let wants_list = accepted.resources_list_changed == Some(true);
    let mut before = follow.deliverable_state(owner).await.unwrap_or_default();
    loop {
        tokio::select! {
            () = context.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        // A store that cannot be used for a while says nothing; the next look tells.
        let Ok(after) = follow.deliverable_state(owner).await else {
            continue;
        };
        let (list, updated) = changes(&before, &after);
        before = after;
        if list && wants_list && context.sink().notify_resource_list_changed().await.is_err() {
            return;
        }
        for uri in updated.iter().map(|name| address(name)) {
            let wanted = accepted.resource_subscriptions.as_ref();
            if wanted.is_some_and(|wanted| wanted.contains(&uri))
                && context.sink().notify_resource_updated(uri).await.is_err()
            {
                return;
            }
        }
    }
}

impl Subscribed {
    fn subscriptions(&self) -> MutexGuard<'_, Subscriptions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a subscription of its changes until it is cancelled: each looks at the store for itself.
    pub async fn listen(
        &self,
        follow: &Follow,
        owner: &Owner,
        context: &SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let _listening = {
            let mut subscriptions = self.subscriptions();
            if subscriptions.listening >= MOST {
                let message = format!("a session may listen to {MOST} subscriptions at once");
                return Err(ErrorData::invalid_request(message, None));
            }
            subscriptions.listening += 1;
            Listening(self.clone())
        };
        listen(follow, owner, context).await;
        Ok(())
    }

    /// Subscribes a session of an older revision to one deliverable.
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

    /// Looks until the session ends or nothing is subscribed to any more.
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
                // A peer that has gone needs no word.
                let _ = peer.notify_resource_list_changed().await;
            }
            for name in updated.into_iter().filter(|name| names.contains(name)) {
                let word = ResourceUpdatedNotificationParam::new(address(&name));
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
            .map(|(name, version)| ((*name).to_owned(), *version))
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
        assert_eq!(name_of(&address("jobs")), Some("jobs"));
        for bad in ["freshcontext://deliverables/", "https://example.com/jobs", "jobs"] {
            assert_eq!(name_of(bad), None, "{bad}");
        }
    }
}
