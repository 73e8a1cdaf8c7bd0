//! Change notifications for deliverables on `subscriptions/listen`. One task for each owner that is listened for reads the
//! queue of changes, which other processes write, too; each subscription picks what its filter accepts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    GetMeta as _, ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    SubscriptionFilter,
};
use rmcp::service::SubscriptionContext;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::resources::{LOOK, changes_address, listened_name, version_address};
use freshcontext_engine::Owner;
use freshcontext_follow::{Follow, Progress};

/// Polls for which an owner's task goes on without a subscription, so that a client that reconnects misses nothing.
const LINGER: u32 = 30;
/// Changes of one deliverable that are read at once.
const AT_ONCE: i64 = 100;
/// Messages that a slow subscription may be behind; it is then told that everything may have changed.
const BEHIND: usize = 256;
/// Maximum number of resources in one subscription; further ones are not accepted.
const RESOURCES: usize = 100;
/// Key of the change in the `_meta` of a notification: its deliverable, sequence, hash and version.
const CHANGE_KEY: &str = "io.github.freshcontext/change";
/// Key in the `_meta` of a subscription: the last sequence that the client knows of each deliverable, by name. What came
/// since is told first.
const AFTER_KEY: &str = "io.github.freshcontext/after";

/// How far each deliverable is, by name.
type State = BTreeMap<String, Progress>;

/// What subscriptions are told.
#[derive(Debug, Clone)]
enum Told {
    /// The list of resources differs.
    List,
    /// A deliverable changed.
    Change(Arc<Change>),
    /// The newest stored change of a deliverable has a lower number than before: it was removed and defined again, or a
    /// backup was restored.
    Back(Arc<str>, i64),
}

/// A change of a deliverable.
#[derive(Debug)]
struct Change {
    name: String,
    sequence: i64,
    /// Hash of the new version, or of what the source said.
    hash: String,
    /// The new version; `None` if only a source changed.
    version: Option<i64>,
}

/// A stored change, as far as a notification repeats it.
#[derive(Deserialize)]
struct Document {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    sequence: i64,
    hash: String,
    #[serde(default)]
    version: Option<i64>,
}

impl Change {
    fn of(name: &str, document: &Value) -> Option<Self> {
        let Document { data } = Document::deserialize(document).ok()?;
        Some(Self {
            name: name.to_owned(),
            sequence: data.sequence,
            hash: data.hash,
            version: data.version,
        })
    }
}

/// The subscriptions of this process. Clones share them.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

struct Shared {
    follow: Follow,
    owners: Mutex<HashMap<Owner, broadcast::Sender<Told>>>,
    /// Cancelled when the process ends: subscriptions then get their result.
    ending: CancellationToken,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").finish_non_exhaustive()
    }
}

impl Hub {
    /// Creates a hub without tasks. Subscriptions end with `ending`.
    pub fn new(follow: Follow, ending: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            follow,
            owners: Mutex::default(),
            ending,
        }))
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<Owner, broadcast::Sender<Told>>> {
        self.0.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what of a filter can be told: changes of the list, and of deliverables.
    pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let known = uris.iter().filter(|uri| listened_name(uri).is_some());
            known.take(RESOURCES).cloned().collect()
        });
        accepted
    }

    /// Tells a subscription of an owner's changes until it is cancelled, its client is gone, or the process ends.
    pub async fn listen(&self, owner: &Owner, context: &SubscriptionContext) {
        let work = async {
            let mut told = self.tuned(owner).await;
            let mut one = Listener::new(self, owner, context);
            one.catch_up().await?;
            loop {
                match told.recv().await {
                    Ok(Told::List) => one.list().await?,
                    Ok(Told::Change(change)) => one.change(&change).await?,
                    Ok(Told::Back(name, newest)) => one.back(&name, newest),
                    Err(RecvError::Lagged(_)) => one.everything().await?,
                    Err(RecvError::Closed) => return Some(()),
                }
            }
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = self.0.ending.cancelled() => {}
            _ = work => {}
        }
    }

    /// Returns what an owner is told from now on, and starts its task if there is none.
    async fn tuned(&self, owner: &Owner) -> broadcast::Receiver<Told> {
        if let Some(sender) = self.owners().get(owner) {
            return sender.subscribe();
        }
        let before = self.0.follow.deliverable_state(owner).await.ok();
        let mut owners = self.owners();
        if let Some(sender) = owners.get(owner) {
            return sender.subscribe();
        }
        let (sender, receiver) = broadcast::channel(BEHIND);
        owners.insert(owner.clone(), sender.clone());
        drop(owners);
        let (hub, owner) = (self.clone(), owner.clone());
        tokio::spawn(async move { hub.poll(&owner, before, sender).await });
        receiver
    }

    /// Polls for an owner until nobody has listened for a while.
    async fn poll(&self, owner: &Owner, mut before: Option<State>, sender: broadcast::Sender<Told>) {
        let mut alone = 0;
        loop {
            tokio::select! {
                () = self.0.ending.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            {
                let mut owners = self.owners();
                alone = if sender.receiver_count() == 0 {
                    alone + 1
                } else {
                    0
                };
                if alone > LINGER {
                    owners.remove(owner);
                    return;
                }
            }
            // A store that is temporarily unavailable loses nothing; the next poll catches up.
            let Ok(after) = self.0.follow.deliverable_state(owner).await else {
                continue;
            };
            let Some(known) = &before else {
                before = Some(after);
                continue;
            };
            if list_changed(known, &after) {
                let _ = sender.send(Told::List);
            }
            for (name, newest) in went_back(known, &after) {
                let _ = sender.send(Told::Back(name.into(), newest));
            }
            let mut reached = after.clone();
            for (name, progress) in &after {
                let since = known.get(name).map_or(0, |known| known.changes);
                if progress.changes <= since {
                    continue;
                }
                let changes = self
                    .0
                    .follow
                    .deliverable_changes(name, since, AT_ONCE, owner)
                    .await;
                let changes: Vec<Change> = changes
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|document| Change::of(name, document))
                    .collect();
                // What could not be read now is read by the next poll.
                let up_to = changes.last().map_or(since, |last| last.sequence);
                if let Some(reached) = reached.get_mut(name) {
                    reached.changes = up_to;
                }
                for change in changes {
                    // Without a subscription there is nothing to tell.
                    let _ = sender.send(Told::Change(Arc::new(change)));
                }
            }
            before = Some(reached);
        }
    }
}

/// Lowers the numbers that a client knows to the newest stored ones.
fn fit(known: &mut BTreeMap<String, i64>, stored: &State) {
    for (name, sequence) in known {
        let newest = stored.get(name).map_or(0, |progress| progress.changes);
        *sequence = (*sequence).min(newest);
    }
}

/// Returns the deliverables whose newest change has a lower number than before, with that number.
fn went_back(before: &State, after: &State) -> Vec<(String, i64)> {
    let newest = |name: &String| after.get(name).map_or(0, |progress| progress.changes);
    let lower = before.iter().filter(|(name, known)| newest(name) < known.changes);
    lower.map(|(name, _)| (name.clone(), newest(name))).collect()
}

/// Whether deliverables with a version came or went.
fn list_changed(before: &State, after: &State) -> bool {
    let listed = |state: &State| -> BTreeSet<String> {
        let there = state.iter().filter(|(_, progress)| progress.version > 0);
        there.map(|(name, _)| name.clone()).collect()
    };
    listed(before) != listed(after)
}

/// One subscription.
struct Listener<'a> {
    hub: &'a Hub,
    owner: &'a Owner,
    context: &'a SubscriptionContext,
    /// Last sequence that was told of each deliverable, or that the client knew.
    told: BTreeMap<String, i64>,
}

impl<'a> Listener<'a> {
    fn new(hub: &'a Hub, owner: &'a Owner, context: &'a SubscriptionContext) -> Self {
        let after = context.request_context().meta.get(AFTER_KEY);
        let after = after.and_then(Value::as_object).into_iter().flatten();
        let told = after
            .filter_map(|(name, sequence)| Some((name.clone(), sequence.as_i64()?)))
            .take(RESOURCES)
            .collect();
        Self {
            hub,
            owner,
            context,
            told,
        }
    }

    fn accepts(&self, uri: &str) -> bool {
        let accepted = self.context.accepted().resource_subscriptions.as_ref();
        accepted.is_some_and(|uris| uris.iter().any(|known| known == uri))
    }

    /// Tells the changes since the last one that the client knows. `None` if the client is gone.
    async fn catch_up(&mut self) -> Option<()> {
        if !self.told.is_empty() {
            self.fit_to_store().await;
        }
        let names: Vec<(String, i64)> = self.told.clone().into_iter().collect();
        for (name, mut since) in names {
            if !self.accepts(&version_address(&name)) && !self.accepts(&changes_address(&name)) {
                continue;
            }
            loop {
                let found = self
                    .hub
                    .0
                    .follow
                    .deliverable_changes(&name, since, AT_ONCE, self.owner)
                    .await;
                let found = found.unwrap_or_default();
                let changes: Vec<Change> = found.iter().filter_map(|row| Change::of(&name, row)).collect();
                let Some(last) = changes.last() else {
                    break;
                };
                since = last.sequence;
                for change in &changes {
                    self.change(change).await?;
                }
            }
        }
        Some(())
    }

    /// Lowers what the client knows to what is stored. A client may know more, for example from before a backup was
    /// restored, and would otherwise not hear of changes up to that number.
    async fn fit_to_store(&mut self) {
        loop {
            if let Ok(stored) = self.hub.0.follow.deliverable_state(self.owner).await {
                return fit(&mut self.told, &stored);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Tells that everything may have changed, after more changes than could be held.
    async fn everything(&self) -> Option<()> {
        self.list().await?;
        for uri in self.context.accepted().resource_subscriptions.iter().flatten() {
            self.context
                .sink()
                .notify_resource_updated(uri.clone())
                .await
                .ok()?;
        }
        Some(())
    }

    async fn list(&self) -> Option<()> {
        if self.context.accepted().resources_list_changed != Some(true) {
            return Some(());
        }
        self.context.sink().notify_resource_list_changed().await.ok()
    }

    /// Notes that the numbers of a deliverable's changes went back, so that they are told again from there.
    fn back(&mut self, name: &str, newest: i64) {
        if let Some(told) = self.told.get_mut(name) {
            *told = (*told).min(newest);
        }
    }

    /// Tells a change once.
    async fn change(&mut self, change: &Change) -> Option<()> {
        if self
            .told
            .get(&change.name)
            .is_some_and(|told| *told >= change.sequence)
        {
            return Some(());
        }
        let version = change.version.map(|_| version_address(&change.name));
        let mut accepted = false;
        for uri in version.into_iter().chain([changes_address(&change.name)]) {
            if !self.accepts(&uri) {
                continue;
            }
            accepted = true;
            let update = ResourceUpdatedNotificationParam::new(uri);
            let mut word =
                ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(update));
            let about = json!({
                "deliverable": change.name, "sequence": change.sequence, "hash": change.hash, "version": change.version,
            });
            word.get_meta_mut().insert(CHANGE_KEY.to_owned(), about);
            self.context.sink().send(word).await.ok()?;
        }
        if accepted {
            self.told.insert(change.name.clone(), change.sequence);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_differs_with_a_first_version_and_a_removal() {
        let state = |all: &[(&str, i64)]| -> State {
            let progress = |version| Progress {
                version,
                changes: version,
            };
            all.iter()
                .map(|(name, version)| ((*name).to_owned(), progress(*version)))
                .collect()
        };
        let before = state(&[("a", 1), ("b", 0)]);
        assert!(!list_changed(&before, &state(&[("a", 2), ("b", 0), ("c", 0)])));
        assert!(list_changed(&before, &state(&[("a", 1), ("b", 1)])));
        assert!(list_changed(&before, &state(&[("b", 0)])));
    }

    #[test]
    fn a_client_knows_no_more_than_is_stored() {
        let state = |all: &[(&str, i64)]| -> State {
            let progress = |changes| Progress { version: 1, changes };
            all.iter()
                .map(|(name, changes)| ((*name).to_owned(), progress(*changes)))
                .collect()
        };
        let stored = state(&[("ahead", 3), ("behind", 5), ("same", 4)]);
        let mut known: BTreeMap<String, i64> = [("ahead", 9), ("behind", 2), ("same", 4), ("gone", 7)]
            .map(|(name, sequence)| (name.to_owned(), sequence))
            .into();
        fit(&mut known, &stored);
        let told: Vec<(&str, i64)> = known
            .iter()
            .map(|(name, sequence)| (name.as_str(), *sequence))
            .collect();
        assert_eq!(told, [("ahead", 3), ("behind", 2), ("gone", 0), ("same", 4)]);

        let before = state(&[("restored", 9), ("removed", 2), ("on", 1)]);
        assert_eq!(
            went_back(&before, &state(&[("restored", 3), ("on", 2), ("new", 1)])),
            [("removed".to_owned(), 0), ("restored".to_owned(), 3)]
        );
    }

    #[test]
    fn only_deliverables_are_listened_to_and_no_more_than_the_limit() {
        let mut asked = SubscriptionFilter::new();
        asked.tools_list_changed = Some(true);
        asked.resources_list_changed = Some(true);
        let mut uris = vec![
            "freshcontext://records/ctx_1".to_owned(),
            "https://example.com/".to_owned(),
            "freshcontext://deliverables/a/changes".to_owned(),
        ];
        uris.extend((0..200).map(|number| format!("freshcontext://deliverables/n{number}")));
        asked.resource_subscriptions = Some(uris);
        let accepted = Hub::accepted(&asked);
        assert_eq!(accepted.tools_list_changed, None);
        assert_eq!(accepted.resources_list_changed, Some(true));
        let accepted = accepted.resource_subscriptions.unwrap();
        assert_eq!(
            (accepted.len(), accepted[0].as_str()),
            (100, "freshcontext://deliverables/a/changes")
        );
    }
}
