//! Deliverables, without input, output or clock: what one is made of, what happens where a source cannot be checked,
//! how a version is put together, and what changed between two.

mod definition;
mod diff;
mod feed;
mod gather;
mod template;
mod version;

pub use definition::{Definition, OnUnchecked, Source, Wrong, check_name};
pub use diff::{Added, Aged, Changed, Dropped, FieldChange, GONE, Side, apply, diff};
pub use diff::{Diff, Removed};
pub use feed::{Event, Feed, events};
pub use gather::{Gathered, Held, HeldItem, Known, Refused, gather};
pub use template::{Slots, fill, repeated_slot, unknown_slot};
pub use version::{Entry, Listing, Snapshot, State, Trouble, Version, chain_hash, verify_chain};

/// Longest name of a deliverable, in characters.
pub const NAME_CHARS: usize = 64;
/// Sources of one deliverable.
pub const SOURCES: usize = 32;
/// Longest template, in bytes.
pub const TEMPLATE_BYTES: usize = 64 << 10;
/// Longest style, and longest recipient, in characters.
pub const WORDS_CHARS: usize = 500;
/// Recipients of one deliverable.
pub const RECIPIENTS: usize = 50;
/// Tokens that a version may hold where nothing is said.
pub const MAX_TOKENS: u64 = 4_000;
/// Changes in one feed, the newest ones.
pub const FEED_ENTRIES: usize = 100;
