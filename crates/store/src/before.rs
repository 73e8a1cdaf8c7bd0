//! The copy of a database file that is made before its tables are brought to a newer version.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqlitePool;

use crate::address::address;
use crate::error::{StoreError, Trouble};
use crate::{migrations, private};

/// The table in which sqlx notes the versions that were applied.
const VERSIONS: &str = "_sqlx_migrations";

/// Looks at the tables of a database before they are made or updated. If they are older than this program's, it copies the
/// database beside itself, as `<name>.version-<n>`. A copy that exists is left as it is. Nothing is changed unless the
/// copy is whole.
///
/// # Errors
/// [`Trouble::Damaged`] for tables of another program. [`Trouble::Full`] or [`Trouble::ReadOnly`] if there is no room for
/// the copy: the database is then not updated either.
pub(crate) async fn look(pool: &SqlitePool, file: &Path) -> Result<(), StoreError> {
    let tables: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .fetch_all(pool)
        .await?;
    if !tables.iter().any(|name| name == VERSIONS) {
        let of_another = tables.iter().any(|name| !name.starts_with("sqlite_"));
        return if of_another {
            let message = "the database file has tables, and they are not those of this program";
            Err(StoreError::new(Trouble::Damaged, message))
        } else {
            Ok(())
        };
    }
    let applied: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(pool)
        .await?;
    let newest = migrations::sqlite()
        .iter()
        .map(|migration| migration.version)
        .max();
    let Some(applied) = applied.filter(|applied| newest.is_some_and(|newest| *applied < newest)) else {
        return Ok(());
    };
    let copy = beside(file, &format!(".version-{applied}"));
    if copy.exists() {
        return Ok(());
    }
    // Under another name until it is whole, and with its mode from the start: SQLite writes into an empty file.
    let part = beside(file, ".copy");
    removed(&part)?;
    drop(private::file(&part, "the copy of the database", &[])?);
    let name = address(&part).to_string_lossy().into_owned();
    let written = sqlx::query("VACUUM INTO ?").bind(name).execute(pool).await;
    if let Err(error) = written {
        let _ = std::fs::remove_file(&part);
        return Err(error.into());
    }
    std::fs::rename(&part, &copy).map_err(|error| failed(&error.kind().to_string()))
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn removed(file: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(&error.kind().to_string())),
        _ => Ok(()),
    }
}

fn failed(why: &str) -> StoreError {
    StoreError::new(
        Trouble::ReadOnly,
        format!("the copy of the database before its update cannot be made: {why}"),
    )
}
