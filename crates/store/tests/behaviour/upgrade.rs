//! A database with the second schema version opens with its data in order.

use std::fmt::Write as _;
use std::path::Path;

use freshcontext_store::{Place, Store, Trouble};
use libtest_mimic::Failed;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, SqlSafeStr as _};

use super::deliverables::resource;
use super::{BOUND, NOW, block_on, ensure, row};

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
        let store = Store::new(place.clone(), BOUND);
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
        if let Place::Folder(folder) = place {
            copied(&folder).await?;
        }
        Ok(())
    })
}

/// The database as it was before its update is beside it, for its owner only.
async fn copied(folder: &Path) -> Result<(), Failed> {
    let copy = folder.join("freshcontext.sqlite3.version-2");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&copy)?.permissions().mode() & 0o777;
        ensure(mode == 0o600, format!("{mode:o}"))?;
    }
    let mut connection = sqlx::SqliteConnection::connect(&format!("sqlite://{}", copy.display())).await?;
    let version: i64 = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut connection)
        .await?;
    let answers: i64 = sqlx::query_scalar("SELECT count(*) FROM answers")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    ensure((version, answers) == (2, 3), format!("{version}, {answers}"))?;
    ensure(
        !folder.join("freshcontext.sqlite3.copy").exists(),
        "no part of a copy is left",
    )
}

/// A database of a later version is refused, and works again for the program that made it.
pub fn of_a_later_version(place: Place) -> Result<(), Failed> {
    const LATER: &str =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        SELECT 99, 'later', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
    const AGAIN: &str = "DELETE FROM _sqlx_migrations WHERE version = 99";
    block_on(async {
        let first = Store::new(place.clone(), BOUND);
        first.put_answer("local", &row("a", NOW), NOW).await?;
        first.close().await;
        run(&place, LATER).await?;
        let before = bytes(&place)?;
        let second = Store::new(place.clone(), BOUND);
        let error = second.put_answer("local", &row("b", NOW), NOW).await.unwrap_err();
        second.close().await;
        ensure(error.trouble == Trouble::Newer, format!("{error:?}"))?;
        ensure(error.message.contains("later version"), &error.message)?;
        ensure(bytes(&place)? == before, "the file is left as it is")?;
        run(&place, AGAIN).await?;
        let third = Store::new(place, BOUND);
        ensure(
            third.answer("local", "a", NOW).await?.is_some(),
            "nothing is lost",
        )?;
        ensure(
            third.answer("local", "b", NOW).await?.is_none(),
            "nothing was added",
        )?;
        third.close().await;
        Ok(())
    })
}

/// A database file of another program is refused and not written to.
pub fn of_another_program() -> Result<(), Failed> {
    let folder = super::Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    let place = Place::Folder(folder.0.clone());
    block_on(async {
        let address = format!("sqlite://{}?mode=rwc", folder.file().display());
        let mut connection = sqlx::SqliteConnection::connect(&address).await?;
        connection
            .execute("CREATE TABLE bookmarks (address TEXT)")
            .await?;
        connection.close().await?;
        let store = Store::new(place.clone(), BOUND);
        let error = store.put_answer("local", &row("a", NOW), NOW).await.unwrap_err();
        store.close().await;
        ensure(error.trouble == Trouble::Damaged, format!("{error:?}"))?;
        let mut connection = sqlx::SqliteConnection::connect(&address).await?;
        let tables: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_schema")
            .fetch_all(&mut connection)
            .await?;
        connection.close().await?;
        ensure(tables == ["bookmarks"], format!("{tables:?}"))
    })
}

async fn run(place: &Place, statement: &'static str) -> Result<(), Failed> {
    match place {
        Place::Folder(folder) => {
            let address = format!("sqlite://{}", folder.join("freshcontext.sqlite3").display());
            let mut connection = sqlx::SqliteConnection::connect(&address).await?;
            connection.execute(statement).await?;
            connection.close().await?;
        }
        Place::Postgres(address) => {
            let mut connection = sqlx::PgConnection::connect(address).await?;
            connection.execute(statement).await?;
            connection.close().await?;
        }
        Place::Memory => return Err("memory has no versions".into()),
    }
    Ok(())
}

fn bytes(place: &Place) -> Result<Vec<u8>, Failed> {
    match place {
        Place::Folder(folder) => Ok(std::fs::read(folder.join("freshcontext.sqlite3"))?),
        _ => Ok(Vec::new()),
    }
}
