//! Entries of 200 MB in the database, put there by another program. Each is refused in one line, the server takes little
//! memory, and its next call works.

use freshcontext_engine::RECHECK;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use super::processes::{search, stdio, upstream};
use super::setup::ensure;
use crate::memory::figure;
use crate::places::{Kept, on_both, on_sqlite};
use crate::process::{MODERN, Session, finish, program, through};
use crate::run::block_on;

/// Has the suite run the statements in its arguments on this SQLite file, and nothing else.
const OTHER_PROGRAM: &str = "FRESHCONTEXT_SUITE_STATEMENTS_ON";
/// Bytes of one text.
const LARGE: usize = 200_000_000;
/// The peak above an idle server, in KiB.
const PEAK: u64 = 64 << 10;
/// What the kernel grants one command, in KiB. The text alone is larger.
const GRANTED: &str = "163840";

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let mut trials = Vec::from(on_both("time::large_entries", entries));
    // Postgres has no key of this size.
    trials.push(on_sqlite("time::large_key", key));
    trials
}

/// Checks the peak of a process against what it took when idle.
pub(super) fn is_small(process: u32, idle: u64, what: &str) -> Result<(), Failed> {
    let peak = figure(process, "VmHWM");
    eprintln!("{what}: idle {idle} KiB, peak {peak} KiB");
    ensure(
        peak <= idle + PEAK,
        format!("{what}: {peak} KiB, and {idle} KiB before"),
    )
}

/// Whether this process is the other program, which has done its work then. It is a process of its own because a bound on
/// SQLite's memory holds for a whole process, and the suite has one as soon as a trial opens a store.
pub fn is_other_program() -> bool {
    let Ok(file) = std::env::var(OTHER_PROGRAM) else {
        return false;
    };
    let done = block_on(async {
        let mut database = SqliteConnection::connect(&format!("sqlite://{file}")).await?;
        for statement in std::env::args().skip(1) {
            database.execute(AssertSqlSafe(statement)).await?;
        }
        database.close().await
    });
    done.expect("a file that takes these statements");
    true
}

/// Runs statements as another program would.
async fn run(kept: &Kept, statements: &[String]) -> Result<(), Failed> {
    if let Some(address) = kept.address() {
        let mut other = PgConnection::connect(address).await?;
        for statement in statements {
            other.execute(AssertSqlSafe(statement.clone())).await?;
        }
        other.close().await?;
    } else {
        let mut other = program(&std::env::current_exe()?.to_string_lossy(), &[]);
        other.env(OTHER_PROGRAM, kept.file()).args(statements);
        let done = finish(other, "").await;
        ensure(done.code == Some(0), done.stderr)?;
    }
    Ok(())
}

/// How a caller meets the large text.
enum Asked {
    Tool(&'static str, Value),
    Resource(String),
}

impl Asked {
    /// The error of this call, or the whole answer where there is none.
    async fn error(&self, session: &mut Session) -> String {
        match self {
            Self::Tool(name, arguments) => {
                let outcome = session.call(name, arguments.clone()).await;
                if outcome.is_error && outcome.code() == "too_large" {
                    outcome.text
                } else {
                    format!("no error of this kind: {:.600}", outcome.text)
                }
            }
            Self::Resource(uri) => {
                let answer = session.ask("resources/read", json!({"uri": uri})).await;
                match answer["error"]["message"].as_str() {
                    Some(message) => message.to_owned(),
                    None => format!("no error: {:.300}", answer.to_string()),
                }
            }
        }
    }
}

async fn entries(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let (tool, arguments) = search("rust async");
    let call = json!({"name": tool, "arguments": arguments, "_meta": {"freshcontext/records": "full"}});
    let answer = session.ask("tools/call", call).await;
    let structured = &answer["result"]["structuredContent"];
    let id = structured["answer_id"].clone();
    let context = structured["records"]["context_envelope"]["context_id"].clone();
    ensure(id.is_string() && context.is_string(), answer.to_string())?;
    let mut add = kept.process(&["deliverable", "add", "brief"]);
    add.args(["--source", "extract_hackernews url=rust"]);
    let added = finish(add, "").await;
    ensure(added.code == Some(0), added.stderr)?;
    for _ in 0..2 {
        let made = session
            .call("deliverable_generate", json!({"name": "brief"}))
            .await;
        ensure(!made.is_error, made.text)?;
    }
    let recheck = || Asked::Tool(RECHECK, json!({"answer_id": id}));
    let records = || {
        Asked::Resource(format!(
            "freshcontext://records/{}",
            context.as_str().unwrap_or_default()
        ))
    };
    let generate = || Asked::Tool("deliverable_generate", json!({"name": "brief"}));
    let diff = || Asked::Tool("deliverable_diff", json!({"name": "brief", "from": 1, "to": 2}));
    let list = || Asked::Tool("deliverable_list", json!({}));
    let idle = figure(session.process(), "VmRSS");
    // Every text, those included that may be absent: one that is too large must not count as absent.
    for (table, column, asked) in [
        ("answers", "record", recheck()),
        ("answers", "arguments", recheck()),
        ("kept_records", "bundle", records()),
        ("kept_records", "state", records()),
        ("deliverables", "definition", list()),
        ("deliverables", "definition", generate()),
        ("sync_registry", "validators", generate()),
        ("sync_registry", "platform_cursor", generate()),
        ("ephemeral_context", "item", generate()),
        ("deliverable_versions", "body", diff()),
        ("deliverable_versions", "predecessor_hash", diff()),
    ] {
        let what = format!("{} {table}.{column}", kept.kind());
        // Postgres indexes no text of this size.
        if kept.address().is_some() && column == "state" {
            continue;
        }
        let which = match table {
            "answers" => format!("answer_id = '{}'", id.as_str().unwrap_or_default()),
            "ephemeral_context" => "position = 0".to_owned(),
            "deliverable_versions" => "version = 2".to_owned(),
            _ => "owner = 'local'".to_owned(),
        };
        let large = if kept.address().is_some() {
            format!("repeat('x', {LARGE})")
        } else {
            format!("hex(zeroblob({}))", LARGE / 2)
        };
        run(
            &kept,
            &[
                format!("CREATE TABLE before AS SELECT * FROM {table}"),
                format!("UPDATE {table} SET {column} = {large} WHERE {which}"),
            ],
        )
        .await?;
        let said = asked.error(&mut session).await;
        is_small(session.process(), idle, &what)?;
        ensure(
            said.contains(&format!("`{table}`")) && said.contains("limits.store_read_bytes (8388608)"),
            format!("{what}: {said}"),
        )?;
        ensure(said.trim_end().lines().count() == 1, format!("{what}: {said}"))?;
        if table == "answers" || column == "definition" {
            commands(&kept, table).await?;
        }
        run(
            &kept,
            &[
                format!("DELETE FROM {table}"),
                format!("INSERT INTO {table} SELECT * FROM before"),
                "DROP TABLE before".to_owned(),
            ],
        )
        .await?;
        // What is wrong with one entry is nothing to the others, nor to itself once it is mended.
        let (tool, arguments) = search(&format!("rust after {table}"));
        let after = session.call(tool, arguments).await;
        ensure(after.structured["answer_id"].is_string(), after.text)?;
        let mended = asked.error(&mut session).await;
        ensure(mended.starts_with("no error"), format!("{what}: {mended}"))?;
    }
    is_small(session.process(), idle, kept.kind())?;
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), ended.log)
}

/// A key of 100 MB, which SQLite compares others with: the server takes little memory, and goes on.
async fn key(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let (tool, arguments) = search("rust async");
    let answer = session.call(tool, arguments).await;
    let recheck = json!({"answer_id": answer.structured["answer_id"]});
    let idle = figure(session.process(), "VmRSS");
    let large = format!("substr(answer_id, 1, 1) || hex(zeroblob({}))", LARGE / 4);
    let columns = "tool, arguments, hash, record, created_ms, seq";
    run(
        &kept,
        &[format!(
            "INSERT INTO answers (owner, answer_id, {columns}) SELECT owner, {large}, {columns} FROM answers LIMIT 1"
        )],
    )
    .await?;
    for round in 0..3 {
        let (tool, arguments) = search(&format!("rust {round}"));
        let after = session.call(tool, arguments).await;
        let refused = after.text.contains(
            "\nNot-Kept: the database has an entry with more bytes than limits.store_read_bytes allows;",
        );
        ensure(!after.is_error && refused, &after.text)?;
        let found = session.call(RECHECK, recheck.clone()).await;
        ensure(
            found.code() == "too_large" && found.text.trim_end().lines().count() == 1,
            &found.text,
        )?;
    }
    is_small(session.process(), idle, "a key")?;
    run(
        &kept,
        &["DELETE FROM answers WHERE octet_length(answer_id) > 1000".to_owned()],
    )
    .await?;
    let found = session.call(RECHECK, recheck).await;
    ensure(found.structured["verdict"] == "current", &found.text)?;
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), ended.log)
}

/// The commands that look at the whole store, in little memory.
async fn commands(kept: &Kept, table: &str) -> Result<(), Failed> {
    for (arguments, code) in [
        (["store", "info"], 0),
        (["store", "check"], 0),
        (["store", "vacuum"], 0),
        (["store", "export"], i32::from(table == "answers")),
        (["deliverable", "list"], i32::from(table == "deliverables")),
    ] {
        let script = ["-c", "ulimit -d $0 && exec \"$@\"", GRANTED];
        let done = finish(through("sh", &script, &kept.process(&arguments)), "").await;
        ensure(
            done.code == Some(code),
            format!("{arguments:?}: {:?} {:.300}", done.code, done.stderr),
        )?;
        ensure(
            code == 0 || done.stderr.contains("limits.store_read_bytes (8388608)"),
            format!("{arguments:?}: {}", done.stderr),
        )?;
    }
    Ok(())
}
