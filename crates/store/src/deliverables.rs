//! What deliverables need kept: their definitions, the resources they follow with the items last synced, and their
//! versions, which are only ever appended.

use serde::Serialize;

use crate::BoxFuture;
use crate::StoreError;

/// A deliverable as it was defined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliverableRow {
    /// Its name, unique for its owner.
    pub name: String,
    /// Sources, policy and the rest, as JSON in the form of whoever wrote it.
    pub definition: String,
    /// When it was added, in milliseconds since 1970.
    pub created_ms: i64,
    /// Its newest version; 0 where it has none yet.
    pub version: i64,
    /// When that was made, in milliseconds since 1970.
    pub version_ms: Option<i64>,
}

/// What came of adding a deliverable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is there now, and was not.
    New,
    /// The owner has one of this name.
    Exists,
    /// The owner has as many as may be kept.
    TooMany,
}

/// How far a resource was followed, and what it had then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRow {
    /// Which resource, in canonical form.
    pub resource: String,
    /// When its items left the source, in milliseconds since 1970.
    pub synced_ms: i64,
    /// The source's own mark: its newest id, or a validator.
    pub platform_cursor: Option<String>,
    /// The newest date that its items have, in milliseconds since 1970.
    pub source_latest_ms: Option<i64>,
    /// Marks of the answer for the cheap question, as JSON in the form of whoever wrote it.
    pub validators: String,
    /// SHA-256 over the marks of all items, in hexadecimal.
    pub content_hash: String,
    /// What the items are of all there is, in the words of whoever wrote it.
    pub status: String,
    /// When it was last known to be so, in milliseconds since 1970.
    pub checked_ms: i64,
    /// The items in their order: id, and JSON.
    pub items: Vec<(String, String)>,
}

/// One version of a deliverable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionRow {
    /// Its number, from 1 without gaps.
    pub version: i64,
    /// Hash of this version, which covers that of the one before it.
    pub hash: String,
    /// Hash of the one before it; `None` of the first.
    pub predecessor_hash: Option<String>,
    /// What it is, as JSON in the form of whoever wrote it.
    pub body: String,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// The operations on deliverables. Each is one short transaction.
pub trait Deliverables: Send + Sync {
    /// Adds one, unless there is one of that name, or `most` already. A removed one's name may be taken again; its
    /// versions then go on.
    fn add_deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        definition: &'a str,
        now_ms: i64,
        most: i64,
    ) -> BoxFuture<'a, Result<Added, StoreError>>;

    /// An owner's deliverable; `None` where there is none, where it was removed, and where it is another's.
    fn deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeliverableRow>, StoreError>>;

    /// An owner's deliverables, by name.
    fn deliverables<'a>(&'a self, owner: &'a str) -> BoxFuture<'a, Result<Vec<DeliverableRow>, StoreError>>;

    /// Marks one as removed; whether there was one. Its versions stay for as long as answers do.
    fn remove_deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// A resource with its items, and the revision of that sync; `None` where it was never synced.
    fn resource<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<Option<(ResourceRow, i64)>, StoreError>>;

    /// Replaces a resource with its items. `read` is the revision that the writer read, `None` where the resource was not
    /// stored. Returns `false` and changes nothing where the stored revision is another one. Timestamps decide nothing.
    fn put_resource<'a>(
        &'a self,
        owner: &'a str,
        row: &'a ResourceRow,
        read: Option<i64>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Records that the source still says what is stored at this revision. Returns `false` and changes nothing where the
    /// stored revision is another one.
    fn note_current<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
        revision: i64,
        checked_ms: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Forgets a resource and its items.
    fn forget_resource<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Appends a version whose number is one more than the newest, and ends those older than the newest `keep`. `false`
    /// where somebody else took the number meanwhile, or the deliverable is no more; nothing is changed then.
    fn append_version<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        row: &'a VersionRow,
        keep: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// A version of a deliverable that is there; the newest where no number is given.
    fn version<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        version: Option<i64>,
    ) -> BoxFuture<'a, Result<Option<VersionRow>, StoreError>>;

    /// The versions after this one of a deliverable that is there, oldest first: as many as
    /// [`read_bytes`](crate::Bounds::read_bytes) allows, and none only where there are none.
    fn versions<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        after: i64,
    ) -> BoxFuture<'a, Result<Vec<VersionRow>, StoreError>>;
}
