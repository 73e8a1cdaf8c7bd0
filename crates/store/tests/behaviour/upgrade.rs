//! A database with the second schema version opens with its data in order.

use std::fmt::Write as _;

use freshcontext_store::{Place, Store};
use libtest_mimic::Failed;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, SqlSafeStr as _};

use super::deliverables::resource;
use super::{BOUND, NOW, block_on, ensure};

const SQLITE: [&str; 2] = [
    include_str!("../../migrations/sqlite/0001_tables.sql"),
    include_str!("../../migrations/sqlite/0002_records.sql"),
];
const POSTGRES: [&str; 2] = [
    include_str!("../../migrations/postgres/0001_tables.sql"),
    include_str!("../../migrations/postgres/0002_records.sql"),
];

fn second(statements: [&'static str; 2]) -> Migrator {
    let all = statements.into_iter().zip(1_i64..).map(|(sql, version)| {
        Migration::new(
            version,
            "tables".into(),
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(all.collect())
}

/// Returns statements for rows as the second schema version wrote them.
fn rows() -> String {
    let mut out = String::new();
    for (id, at) in [("first", NOW), ("second", NOW + 1), ("third", NOW + 2)] {
        let _ = write!(
            out,
            "INSERT INTO answers VALUES ('local', '{id}', 'extract_example', '{{}}', 'hash', '{{}}', {at});
             INSERT INTO kept_records VALUES ('local', 'ctx_{id}', 'extract_example', NULL, '{{}}', 1, {at});"
        );
    }
    let held = resource(NOW, &["1"]);
    out + &format!(
        "INSERT INTO sync_registry VALUES ('local', '{}', {NOW}, '1', 1, {}, '{{}}', '1', 'window', {NOW});
         INSERT INTO ephemeral_context VALUES ('local', '{}', '1', 0, '{{\"id\":\"1\"}}');",
        held.resource,
        held.source_latest_ms.unwrap_or_default(),
        held.resource,
    )
}

pub fn from_the_second(place: Place) -> Result<(), Failed> {
    block_on(async {
        match &place {
            Place::Folder(folder) => {
                std::fs::create_dir_all(folder)?;
                let file = folder.join("freshcontext.sqlite3");
                let address = format!("sqlite://{}?mode=rwc", file.display());
                let mut connection = sqlx::SqliteConnection::connect(&address).await?;
                second(SQLITE).run(&mut connection).await?;
                connection.execute(AssertSqlSafe(rows())).await?;
                connection.close().await?;
            }
            Place::Postgres(address) => {
                let mut connection = sqlx::PgConnection::connect(address).await?;
                second(POSTGRES).run(&mut connection).await?;
                connection.execute(AssertSqlSafe(rows())).await?;
                connection.close().await?;
            }
            Place::Memory => return Err("nothing older is in memory".into()),
        }
        let store = Store::new(place, BOUND);
        let answers: Vec<String> = store
            .answers("local", None, 10)
            .await?
            .rows
            .into_iter()
            .map(|row| row.answer_id)
            .collect();
        ensure(answers == ["third", "second", "first"], format!("{answers:?}"))?;
        let records: Vec<String> = store
            .list_records("local", NOW)
            .await?
            .into_iter()
            .map(|head| head.context_id)
            .collect();
        ensure(
            records == ["ctx_third", "ctx_second", "ctx_first"],
            format!("{records:?}"),
        )?;
        let kept = store.backend().await?;
        let held = resource(NOW, &["1"]);
        let (row, revision) = kept.resource("local", &held.resource).await?.ok_or("kept")?;
        ensure(row == held, format!("{row:?}"))?;
        let next = resource(NOW + 1, &["2"]);
        ensure(
            kept.put_resource("local", &next, Some(revision), None).await?,
            "it is followed on",
        )?;
        ensure(store.info().await?.schema == 4, "the fourth version")?;
        store.close().await;
        Ok(())
    })
}
