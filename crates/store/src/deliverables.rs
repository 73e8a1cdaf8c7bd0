//! Storage of deliverables: definitions, followed resources with the items of the last sync, and append-only
//! versions.

use serde::Serialize;

use crate::BoxFuture;
use crate::changes::{NewChange, NewWebhook};
use crate::error::StoreError;

/// A stored definition of a deliverable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliverableRow {
    /// Its name, unique per owner.
    pub name: String,
    /// Sources, policy and other fields, as JSON in the writer's format.
    pub definition: String,
    /// Time of creation, in milliseconds since 1970.
    pub created_ms: i64,
    /// Its newest version; 0 if there is none.
    pub version: i64,
    /// Time of the newest version, in milliseconds since 1970.
    pub version_ms: Option<i64>,
}

/// Result of adding a deliverable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// Added.
    New,
    /// The owner has a deliverable of this name.
    Exists,
    /// The owner has reached the limit.
    TooMany,
}

/// Stored state of a resource after a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRow {
    /// The resource in canonical form.
    pub resource: String,
    /// Time when its items were fetched, in milliseconds since 1970.
    pub synced_ms: i64,
    /// The source's own cursor: its newest id, or a validator.
    pub platform_cursor: Option<String>,
    /// Newest date of its items, in milliseconds since 1970.
    pub source_latest_ms: Option<i64>,
    /// Validators for conditional requests, as JSON in the writer's format.
    pub validators: String,
    /// SHA-256 over the hashes of all items, in hexadecimal.
    pub content_hash: String,
    /// Relation of the items to everything the source has, in the writer's own terms.
    pub status: String,
    /// Time of the last confirmation, in milliseconds since 1970.
    pub checked_ms: i64,
    /// The items in order: id and JSON.
    pub items: Vec<(String, String)>,
}

/// One version of a deliverable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionRow {
    /// Its number, from 1 without gaps.
    pub version: i64,
    /// Its hash, which covers the predecessor's hash.
    pub hash: String,
    /// Hash of the predecessor; `None` for the first version.
    pub predecessor_hash: Option<String>,
    /// Its content, as JSON in the writer's format.
    pub body: String,
    /// Time of generation, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Operations on deliverables. Each is one short transaction.
pub trait Deliverables: Send + Sync {
    /// Adds a deliverable with its webhook, unless its name is taken or the owner has `most`. The name of a removed one may
    /// be reused; its versions then continue.
    fn add_deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        definition: &'a str,
        now_ms: i64,
        most: i64,
        webhook: Option<&'a NewWebhook>,
    ) -> BoxFuture<'a, Result<Added, StoreError>>;

    /// Returns an owner's deliverable; `None` if it does not exist, was removed, or belongs to another owner.
    fn deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeliverableRow>, StoreError>>;

    /// Returns an owner's deliverables, sorted by name.
    fn deliverables<'a>(&'a self, owner: &'a str) -> BoxFuture<'a, Result<Vec<DeliverableRow>, StoreError>>;

    /// Returns owner and name of every deliverable, sorted.
    fn deliverable_keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, StoreError>>;

    /// Marks a deliverable as removed and deletes its webhook. Returns whether it existed. Its versions are kept as long
    /// as answers.
    fn remove_deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Returns a resource with its items and the revision of its sync; `None` if it was never synced.
    fn resource<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<Option<(ResourceRow, i64)>, StoreError>>;

    /// Replaces a resource with its items. `read` is the revision that the writer read, `None` if the resource was
    /// not stored. Returns `false` and changes nothing if the stored revision differs. Timestamps have no effect on
    /// this. `change` is written together with it.
    fn put_resource<'a>(
        &'a self,
        owner: &'a str,
        row: &'a ResourceRow,
        read: Option<i64>,
        change: Option<&'a NewChange>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Records that the source confirmed the stored state at this revision. Returns `false` and changes
    /// nothing if the stored revision differs.
    fn note_current<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
        revision: i64,
        checked_ms: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Deletes a resource and its items.
    fn forget_resource<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Appends a version whose number follows the newest one, and deletes all but the newest `keep`. Returns `false`
    /// and changes nothing if the number was taken meanwhile or the deliverable was removed. `change` is written together
    /// with it.
    fn append_version<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        row: &'a VersionRow,
        keep: i64,
        change: Option<&'a NewChange>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Returns a version of an existing deliverable; the newest if no number is given.
    fn version<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        version: Option<i64>,
    ) -> BoxFuture<'a, Result<Option<VersionRow>, StoreError>>;

    /// Returns the versions after this one of an existing deliverable, oldest first: as many as
    /// [`read_bytes`](crate::bounds::Bounds::read_bytes) allows. The result is empty only if there are no such
    /// versions.
    fn versions<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        after: i64,
    ) -> BoxFuture<'a, Result<Vec<VersionRow>, StoreError>>;
}
