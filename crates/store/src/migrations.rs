//! Schema versions in order. A released version is never edited; changes are new versions.

use std::collections::BTreeMap;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migrate as _, MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::PgConnection;

use crate::error::{StoreError, Trouble};

/// Returns the schema versions of SQLite.
pub(crate) fn sqlite() -> Migrator {
    of(&[
        (1, "tables", include_str!("../migrations/sqlite/0001_tables.sql")),
        (
            2,
            "records",
            include_str!("../migrations/sqlite/0002_records.sql"),
        ),
        (
            3,
            "sequence",
            include_str!("../migrations/sqlite/0003_sequence.sql"),
        ),
        (
            4,
            "changes",
            include_str!("../migrations/sqlite/0004_changes.sql"),
        ),
    ])
}

/// Returns the schema versions of Postgres.
pub(crate) fn postgres() -> Migrator {
    of(&[
        (
            1,
            "tables",
            include_str!("../migrations/postgres/0001_tables.sql"),
        ),
        (
            2,
            "records",
            include_str!("../migrations/postgres/0002_records.sql"),
        ),
        (
            3,
            "sequence",
            include_str!("../migrations/postgres/0003_sequence.sql"),
        ),
        (
            4,
            "changes",
            include_str!("../migrations/postgres/0004_changes.sql"),
        ),
    ])
}

/// Returns the error for a database whose tables are older than this program, and which this role may not change.
fn outdated() -> StoreError {
    StoreError::new(
        Trouble::ReadOnly,
        "the tables are missing or older than this program, and this database user may not make tables: run \
         `freshcontext store migrate` once as a user who may",
    )
}

/// Brings the tables of a Postgres database to the newest version. Where they have it, nothing is written, so a role
/// without the right to make tables can be used.
///
/// # Errors
/// [`Trouble::ReadOnly`] if the role may not make what is missing; [`Trouble::Newer`] and [`Trouble::Damaged`] for tables that
/// are not those of this program.
pub(crate) async fn of_postgres(connection: &mut PgConnection) -> Result<(), StoreError> {
    let migrator = postgres();
    if is_current(&migrator, connection).await? {
        return Ok(());
    }
    match migrator.run_direct(None, &mut *connection, false).await {
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) if is_denied(&error) => {
            Err(outdated())
        }
        done => Ok(done?),
    }
}

/// Returns whether every version is applied, and no other one.
async fn is_current(migrator: &Migrator, connection: &mut PgConnection) -> Result<bool, StoreError> {
    let table = migrator.table_name.as_ref();
    let known: Option<String> = sqlx::query_scalar("SELECT to_regclass($1)::text")
        .bind(table)
        .fetch_one(&mut *connection)
        .await?;
    if known.is_none() || connection.dirty_version(table).await?.is_some() {
        return Ok(false);
    }
    let applied: BTreeMap<i64, Vec<u8>> = connection
        .list_applied_migrations(table)
        .await?
        .into_iter()
        .map(|applied| (applied.version, applied.checksum.into_owned()))
        .collect();
    let wanted: BTreeMap<i64, Vec<u8>> = migrator
        .iter()
        .map(|migration| (migration.version, migration.checksum.clone().into_owned()))
        .collect();
    Ok(applied == wanted)
}

fn is_denied(error: &sqlx::Error) -> bool {
    // insufficient_privilege
    matches!(error, sqlx::Error::Database(told) if told.code().as_deref() == Some("42501"))
}

fn of(versions: &[(i64, &'static str, &'static str)]) -> Migrator {
    let versions = versions.iter().map(|(version, name, sql)| {
        Migration::new(
            *version,
            (*name).into(),
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(versions.collect())
}
