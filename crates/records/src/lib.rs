//! Context records in the terms of Agent Context: what was available, chosen, left out, missing, and shown.
//!
//! Types and rules, without I/O and without a clock: [`make::bundle`] takes an answer as it leaves and what was known when it
//! was written, and gives the thirteen kinds of records that apply. [`later`] writes into them what is found out afterwards.
//! [`check`] holds a bundle to its rules, and [`export`] writes it as JSON, JSON Lines, CloudEvents or PROV-JSON.

pub mod accounting;
mod bundle;
pub mod check;
pub mod export;
pub mod ids;
pub mod later;
pub mod limits;
pub mod make;
pub mod objects;
mod options;
pub mod schema;
pub mod values;

pub use bundle::{Bundle, Record, SCHEMA_VERSION, SCHEMAS, id_field};
pub use options::{CONTEXT_KEY, Context, InvalidRecordOptions, Native, RECORDS_KEY, RecordOptions};
