//! Schema versions in order. A released version is never edited; changes are new versions.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

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
    ])
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
