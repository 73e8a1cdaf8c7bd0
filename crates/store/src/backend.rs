//! Operations of a store, independent of the database.

use serde::Serialize;

use crate::BoxFuture;
use crate::changes::Changes;
use crate::deliverables::Deliverables;
use crate::error::StoreError;
use crate::forgetting::Forgetting;
use crate::records::KeptRecords;

/// Stored facts of one answer: the request, and hashes and dates of the items. Never content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerRow {
    /// Short id of the answer.
    pub answer_id: String,
    /// Name of the tool.
    pub tool: String,
    /// Its arguments, as JSON with sorted names.
    pub arguments: String,
    /// SHA-256 over the items' ids, dates and hashes, in hexadecimal.
    pub hash: String,
    /// Items and validators, as JSON in the server's format.
    pub record: String,
    /// Time of the answer, in milliseconds since 1970.
    pub created_ms: i64,
}

/// One page of an owner's answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswersPage {
    /// The answers, most recently written first.
    pub rows: Vec<AnswerRow>,
    /// Start of the next page; `None` on the last page.
    pub next: Option<(i64, String)>,
}

/// Limits on the number and the age of stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Maximum number of answers of all owners together.
    pub answers: u64,
    /// Age in milliseconds after which answers, context records, and removed deliverables with their versions
    /// are deleted.
    pub age_ms: i64,
    /// Maximum number of deliverables per owner.
    pub deliverables: i64,
    /// Maximum number of versions per deliverable; the newest are kept.
    pub versions: i64,
    /// Maximum number of calls per owner with stored context records; the newest are kept.
    pub records: i64,
}

/// Minimum number of writes between two counts of the stored answers.
const LOOK_EVERY: u64 = 100;
/// Divisor of the limit. The quotient replaces [`LOOK_EVERY`] if it is larger, because counting reads all answers.
const PART: u64 = 100;

impl Retention {
    /// Returns by how many answers a limit may be exceeded temporarily, between two counts.
    pub const fn slack(bound: u64) -> u64 {
        let part = bound / PART;
        if part > LOOK_EVERY { part } else { LOOK_EVERY }
    }
}

/// Statistics of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Info {
    /// `sqlite` or `postgres`.
    pub backend: &'static str,
    /// Schema version.
    pub schema: i64,
    /// Stored answers of all owners.
    pub answers: i64,
    /// Owners with stored answers.
    pub owners: i64,
    /// Deliverables of all owners.
    pub deliverables: i64,
    /// Versions of deliverables, including removed ones.
    pub versions: i64,
    /// Calls of all owners with stored context records.
    pub records: i64,
    /// Time of the oldest answer, in milliseconds since 1970.
    pub oldest_ms: Option<i64>,
    /// Time of the newest answer, in milliseconds since 1970.
    pub newest_ms: Option<i64>,
    /// Size of the database, in bytes.
    pub bytes: i64,
}

/// Operations on answers. Each is one short transaction, which never stays open while it waits for anything else.
pub trait Backend: Changes + Deliverables + Forgetting + KeptRecords {
    /// Stores an answer and replaces one with the same owner and id.
    fn put_answer<'a>(
        &'a self,
        owner: &'a str,
        answer: &'a AnswerRow,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Stores answers, each with its owner, in one transaction: all or none.
    fn put_answers<'a>(&'a self, answers: &'a [(String, AnswerRow)])
    -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns an owner's answer, unless it is older than `since_ms`. Another owner's answer counts as absent.
    fn answer<'a>(
        &'a self,
        owner: &'a str,
        answer_id: &'a str,
        since_ms: i64,
    ) -> BoxFuture<'a, Result<Option<AnswerRow>, StoreError>>;

    /// Returns an owner's answers, most recently written first: at most `most`, and no more text than
    /// [`read_bytes`](crate::bounds::Bounds::read_bytes). `page` is the start that the previous page returned, `None`
    /// for the first page.
    fn answers<'a>(
        &'a self,
        owner: &'a str,
        page: Option<&'a (i64, String)>,
        most: i64,
    ) -> BoxFuture<'a, Result<AnswersPage, StoreError>>;

    /// Checks that the database can be written to now.
    fn look(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns statistics.
    fn info(&self) -> BoxFuture<'_, Result<Info, StoreError>>;

    /// Checks the integrity. Returns the problems; empty if the database is sound.
    fn check(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;

    /// Returns free space to the system.
    fn vacuum(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Closes all connections.
    fn close(&self) -> BoxFuture<'_, ()>;
}
