//! What is kept between calls, and the only crate that names a database: SQLite embedded (a file in
//! the data folder, or memory), or Postgres where several machines share what they keep.
//!
//! Every row has an owner, and no operation crosses owners. What is kept is bounded in number and in
//! age. A store that cannot be used says so in one clear [`StoreError`]; whoever called goes on
//! without it.

mod backend;
mod deliverables;
mod error;
mod migrations;
#[macro_use]
mod records;
#[macro_use]
mod tables;
#[macro_use]
mod operations;
mod place;
mod postgres;
mod sqlite;

pub use backend::{AnswerRow, Backend, Info, Retention};
pub use deliverables::{Added, DeliverableRow, Deliverables, ResourceRow, VersionRow};
pub use error::{StoreError, Trouble};
pub use place::{Place, Store};
pub use records::{KeptRecords, RecordsHead, RecordsRow};

/// A boxed future, for the object-safe trait.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
