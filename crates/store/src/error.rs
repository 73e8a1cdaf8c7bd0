//! Store errors, described for the operator.

use std::fmt;

/// Kind of error, for callers that branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The file is not a database or is damaged; a table is missing or has invalid content.
    Damaged,
    /// Another process held the lock until the timeout.
    Locked,
    /// The folder or the file is not writable.
    ReadOnly,
    /// The disk is full.
    Full,
    /// No connection: the server is down or refuses connections.
    Unreachable,
    /// Written by a later version of this program.
    Newer,
    /// Exceeds a size limit.
    TooLarge,
    /// Anything else.
    Other,
}

/// The store is unavailable. `message` is one line without addresses or secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    /// Kind of error.
    pub trouble: Trouble,
    /// What happened, in one line.
    pub message: String,
}

impl StoreError {
    pub(crate) fn new(trouble: Trouble, message: impl Into<String>) -> Self {
        Self {
            trouble,
            message: message.into(),
        }
    }

    pub(crate) fn not_in_time() -> Self {
        Self::new(Trouble::Locked, NOT_IN_TIME)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}

/// SQLite's primary result codes, from <https://www.sqlite.org/rescode.html>; extended codes carry them in
/// their low byte.
mod sqlite_code {
    pub const BUSY: i32 = 5;
    pub const LOCKED: i32 = 6;
    pub const NOMEM: i32 = 7;
    pub const READONLY: i32 = 8;
    pub const IOERR: i32 = 10;
    pub const CORRUPT: i32 = 11;
    pub const FULL: i32 = 13;
    pub const CANTOPEN: i32 = 14;
    pub const NOTADB: i32 = 26;
    /// Extended code: the shared-memory file could not grow, which is the first symptom of a full disk.
    pub const IOERR_SHMSIZE: i32 = IOERR | (19 << 8);
}

fn by_sqlite_code(code: i32) -> Option<(Trouble, &'static str)> {
    if code == sqlite_code::IOERR_SHMSIZE {
        return by_sqlite_code(sqlite_code::FULL);
    }
    Some(match code & 0xff {
        sqlite_code::BUSY | sqlite_code::LOCKED => {
            (Trouble::Locked, "the database is locked by another process")
        }
        sqlite_code::NOMEM => (
            Trouble::TooLarge,
            "the database has an entry with more bytes than limits.store_read_bytes allows",
        ),
        sqlite_code::READONLY => (Trouble::ReadOnly, "the database cannot be written (read-only)"),
        sqlite_code::CORRUPT | sqlite_code::NOTADB => {
            (Trouble::Damaged, "the database file is damaged or is none")
        }
        sqlite_code::FULL => (Trouble::Full, "there is no room left for the database"),
        sqlite_code::CANTOPEN => (
            Trouble::ReadOnly,
            "the database file cannot be opened or made in its folder",
        ),
        sqlite_code::IOERR => (Trouble::Other, "reading or writing the database file failed"),
        _ => return None,
    })
}

const NOT_IN_TIME: &str = "the database did not answer in time";
/// SQLSTATE of a statement that exceeded `statement_timeout`.
const QUERY_CANCELED: &str = "57014";
/// SQLSTATE of the relay's own error, for a server that sent too much. No server uses this code.
pub(crate) const SENT_TOO_MUCH: &str = "ZL001";
/// SQLSTATE of the relay's own error, for a connection that was not made in time, or not encrypted as `sslmode` asks. No server
/// uses this code.
pub(crate) const NOT_CONNECTED: &str = "ZL002";
/// What is said of a server to which no connection could be made in time.
pub(crate) const SILENT: &str = "the database server cannot be reached: it did not answer in time";

/// Classifies an error by its SQLSTATE class, from <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn by_sqlstate(code: &str) -> Option<(Trouble, &'static str)> {
    if code == QUERY_CANCELED {
        // Only the timeout cancels this program's statements.
        return Some((Trouble::Locked, NOT_IN_TIME));
    }
    Some(match code.get(..2)? {
        "08" | "57" => (Trouble::Unreachable, "the database server ended the connection"),
        "28" | "3D" => (
            Trouble::Unreachable,
            "the database server refused this user, password or database name",
        ),
        "53" => (
            Trouble::Full,
            "the database server has no room or connections left",
        ),
        "55" => (Trouble::Locked, "the database is locked by another process"),
        "25" => (Trouble::ReadOnly, "the database cannot be written (read-only)"),
        "42" | "XX" | "58" => (
            Trouble::Damaged,
            "a table of the database is missing, damaged or not ours to use",
        ),
        _ => return None,
    })
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if let sqlx::Error::Database(told) = &error
            && told.code().as_deref() == Some(SENT_TOO_MUCH)
        {
            return Self::new(Trouble::TooLarge, told.message());
        }
        if let sqlx::Error::Database(told) = &error
            && told.code().as_deref() == Some(NOT_CONNECTED)
        {
            return Self::new(Trouble::Unreachable, told.message());
        }
        let known = match &error {
            sqlx::Error::Database(told) => told.code().and_then(|code| match code.parse::<i32>() {
                // SQLSTATE has five characters, SQLite's codes have at most four.
                Ok(number) if code.len() < 5 => by_sqlite_code(number),
                _ => by_sqlstate(&code),
            }),
            sqlx::Error::PoolTimedOut => Some((Trouble::Locked, NOT_IN_TIME)),
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) => {
                Some((Trouble::Unreachable, "the database server cannot be reached"))
            }
            sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } | sqlx::Error::ColumnNotFound(_) => {
                Some((
                    Trouble::Damaged,
                    "a table of the database holds what it should not",
                ))
            }
            _ => None,
        };
        tracing::debug!(%error, "the store could not be used");
        match known {
            Some((trouble, message)) => Self::new(trouble, message),
            None => Self::new(Trouble::Other, "the database could not be used"),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        use sqlx::migrate::MigrateError;
        match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
            MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => Self::new(
                Trouble::Newer,
                "the database was made by a later version of freshcontext",
            ),
            MigrateError::VersionMismatch(_) | MigrateError::Dirty(_) => Self::new(
                Trouble::Damaged,
                "the database's tables are not those of this program",
            ),
            other => {
                tracing::debug!(error = %other, "the store's tables could not be made");
                Self::new(Trouble::Other, "the database's tables could not be made")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_codes_are_read_by_their_primary_one() {
        assert_eq!(by_sqlite_code(5).map(|known| known.0), Some(Trouble::Locked));
        assert_eq!(by_sqlite_code(1032).map(|known| known.0), Some(Trouble::ReadOnly));
        assert_eq!(by_sqlite_code(267).map(|known| known.0), Some(Trouble::Damaged));
        assert_eq!(by_sqlite_code(4874).map(|known| known.0), Some(Trouble::Full));
        assert_eq!(by_sqlite_code(778).map(|known| known.0), Some(Trouble::Other));
        assert_eq!(by_sqlite_code(1).map(|known| known.0), None);
        assert_eq!(
            by_sqlstate("28P01").map(|known| known.0),
            Some(Trouble::Unreachable)
        );
        assert_eq!(by_sqlstate("53100").map(|known| known.0), Some(Trouble::Full));
        assert_eq!(by_sqlstate("57014").map(|known| known.0), Some(Trouble::Locked));
        assert_eq!(
            by_sqlstate("57P01").map(|known| known.0),
            Some(Trouble::Unreachable)
        );
        assert_eq!(by_sqlstate("x").map(|known| known.0), None);
    }
}
