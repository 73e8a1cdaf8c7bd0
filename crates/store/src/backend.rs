//! What a store can do, whatever database is behind it.

use serde::Serialize;

use crate::{BoxFuture, Deliverables, Forgetting, KeptRecords, StoreError};

/// What is kept of one answer: what was asked, and marks of what came. Never content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerRow {
    /// The short id that the answer was given.
    pub answer_id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as JSON with sorted names.
    pub arguments: String,
    /// SHA-256 over the items' ids, dates and hashes, in hexadecimal.
    pub hash: String,
    /// Items and validators, as JSON in the form of the server.
    pub record: String,
    /// When it was given, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Some of an owner's answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswersPage {
    /// The answers, the last written first.
    pub rows: Vec<AnswerRow>,
    /// Where the next page begins; `None` where there is none.
    pub next: Option<(i64, String)>,
}

/// How much is kept, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Answers of all owners together.
    pub answers: u64,
    /// Age in milliseconds after which an answer is forgotten, and context records, and a removed deliverable with its
    /// versions.
    pub age_ms: i64,
    /// Deliverables of one owner.
    pub deliverables: i64,
    /// Versions of one deliverable, the newest ones.
    pub versions: i64,
    /// Calls of one owner whose context records are kept, the newest ones.
    pub records: i64,
}

/// Fewest answers written between two looks at how many there are.
const LOOK_EVERY: u64 = 100;
/// Part of the bound that may be written between two looks, where that is more: a look counts as many as are kept.
const PART: u64 = 100;

impl Retention {
    /// How many answers more than a bound there may be for a while: so many are written between two looks.
    pub const fn slack(bound: u64) -> u64 {
        let part = bound / PART;
        if part > LOOK_EVERY { part } else { LOOK_EVERY }
    }
}

/// What is in a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Info {
    /// `sqlite` or `postgres`.
    pub backend: &'static str,
    /// Version of the tables.
    pub schema: i64,
    /// Answers kept, of all owners.
    pub answers: i64,
    /// Owners that have any.
    pub owners: i64,
    /// Deliverables that are defined, of all owners.
    pub deliverables: i64,
    /// Versions of deliverables, with those of removed ones.
    pub versions: i64,
    /// Calls whose context records are kept, of all owners.
    pub records: i64,
    /// When the oldest was given, in milliseconds since 1970.
    pub oldest_ms: Option<i64>,
    /// When the newest was given, in milliseconds since 1970.
    pub newest_ms: Option<i64>,
    /// Size of the database, in bytes.
    pub bytes: i64,
}

/// The operations. Each is one short transaction; none is held while anything else is waited for.
pub trait Backend: Deliverables + Forgetting + KeptRecords {
    /// Keeps an answer. One of the same owner and id is replaced.
    fn put_answer<'a>(
        &'a self,
        owner: &'a str,
        answer: &'a AnswerRow,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Keeps answers, each with its owner, in one transaction: all of them or none.
    fn put_answers<'a>(&'a self, answers: &'a [(String, AnswerRow)])
    -> BoxFuture<'a, Result<(), StoreError>>;

    /// An owner's answer, unless it was given before `since_ms`. Another owner's is not found.
    fn answer<'a>(
        &'a self,
        owner: &'a str,
        answer_id: &'a str,
        since_ms: i64,
    ) -> BoxFuture<'a, Result<Option<AnswerRow>, StoreError>>;

    /// An owner's answers, the last written first: at most so many, and no more than [`read_bytes`](crate::Bounds::read_bytes).
    /// `page` is where an earlier page says that this one begins, `None` for the first.
    fn answers<'a>(
        &'a self,
        owner: &'a str,
        page: Option<&'a (i64, String)>,
        most: i64,
    ) -> BoxFuture<'a, Result<AnswersPage, StoreError>>;

    /// Whether it can be written to at this moment.
    fn look(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// What is in it.
    fn info(&self) -> BoxFuture<'_, Result<Info, StoreError>>;

    /// Complaints about its integrity; none where it is sound.
    fn check(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;

    /// Gives room back to the system.
    fn vacuum(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Ends all connections.
    fn close(&self) -> BoxFuture<'_, ()>;
}
