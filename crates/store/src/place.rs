//! Location of the store.

use std::fmt;
use std::path::PathBuf;

/// Location of the store.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// A SQLite file in this folder.
    Folder(PathBuf),
    /// In memory, for the lifetime of the process.
    Memory,
    /// A Postgres database at this address, which may contain a password.
    Postgres(String),
}

impl Place {
    /// Returns what kind of store it is, for people: `SQLite`, `memory` or `Postgres`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Folder(_) => "SQLite",
            Self::Memory => "memory",
            Self::Postgres(_) => "Postgres",
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder(_) => "Folder",
            Self::Memory => "Memory",
            Self::Postgres(_) => "Postgres",
        })
    }
}
