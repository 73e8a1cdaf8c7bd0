//! Storage between calls, and the only crate that depends on a database: embedded SQLite (a file in the data folder,
//! or memory), or Postgres to share data between machines.
//!
//! Every row has an owner, and no operation crosses owners. The number and the age of stored entries are limited. If
//! the store is unavailable, it returns a [`StoreError`], and the caller continues without it.

mod address;
mod backend;
mod before;
mod bounds;
mod deliverables;
mod error;
mod migrations;
mod private;
#[macro_use]
mod room;
#[macro_use]
mod changes;
#[macro_use]
mod records;
#[macro_use]
mod tables;
#[macro_use]
mod forgetting;
#[macro_use]
mod operations;
mod place;
mod postgres;
mod queue;
mod reach;
#[cfg(target_os = "linux")]
mod relay;
mod sqlite;
mod store;
#[cfg(target_os = "linux")]
mod tls;

pub use backend::{AnswerRow, AnswersPage, Backend, Info, Retention};
pub use bounds::Bounds;
pub use changes::{
    ChangeRow, Changes, Delivery, GivenUpRow, Head, Holder, NewChange, NewWebhook, Settled, WebhookRow,
};
pub use deliverables::{Added, DeliverableRow, Deliverables, ResourceRow, VersionRow};
pub use error::{StoreError, Trouble};
pub use forgetting::{Forgetting, Forgotten};
pub use place::Place;
pub use postgres::check_address;
pub use records::{KeptRecords, RecordsHead, RecordsRow};
pub use store::Store;

/// Tolerated difference between the clocks of two machines, in milliseconds. A stored timestamp further ahead of the clock
/// is invalid.
pub const SKEW_MS: i64 = 300_000;

/// Returns whether a text is invalid as a key. Postgres text cannot contain NUL, so such keys are rejected for both
/// databases.
pub(crate) fn is_no_key(key: &str) -> bool {
    key.contains('\0')
}

/// A boxed future, for the object-safe trait.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
