//! Files that a user names: every read has a size limit and refuses devices, every write is whole or not at all.

pub mod read;
pub mod write;
