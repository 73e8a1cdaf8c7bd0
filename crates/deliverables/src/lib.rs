//! Deliverables, without I/O or clock: definitions, the policy for unchecked sources, the generation of
//! versions, and differences between them.

mod definition;
mod diff;
mod feed;
mod gather;
mod matching;
mod template;
mod version;

pub use definition::{Definition, OnUnchecked, Source, Wrong, check_name};
pub use diff::{
    Added, Aged, Changed, Dropped, FieldChange, GONE, Side, TEXT_HASH, apply, changes_with_time, diff,
};
pub use diff::{Diff, Removed};
pub use feed::{Event, Feed, events};
pub use gather::{Gathered, Held, HeldItem, Known, Refused, gather};
pub use matching::{Names, matches};
pub use template::{Slots, fill, repeated_slot, unknown_slot};
pub use version::{Entry, Listing, Snapshot, State, Trouble, Version, chain_hash, names_of, verify_chain};

/// Longest name of a deliverable, in characters.
pub const NAME_CHARS: usize = 64;
/// Most sources of one deliverable.
pub const SOURCES: usize = 32;
/// Longest template, in bytes.
pub const TEMPLATE_BYTES: usize = 64 << 10;
/// Longest style and longest recipient, in characters.
pub const WORDS_CHARS: usize = 500;
/// Most recipients of one deliverable.
pub const RECIPIENTS: usize = 50;
/// Default token budget of a version.
pub const MAX_TOKENS: u64 = 4_000;
/// Number of changes in one feed; the newest are kept.
pub const FEED_ENTRIES: usize = 100;
