//! An unavailable database: it refuses, hangs, stops during a session, is locked, or is not a database.
//! Answers are sent as fast as without a store and state that they are not stored; tools that need the store
//! report the cause; once it is available, answers are stored again without a restart.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use freshcontext_engine::RECHECK;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _, Row as _};
use tokio::net::TcpListener;
use tokio::process::Command;

use super::processes::{search, stdio, upstream};
use super::setup::ensure;
use crate::liveness::thrice;
use crate::places::{Kept, on_both, on_postgres, on_sqlite};
use crate::process::{MODERN, PATIENCE, Session, finish, outcome, signal};
use crate::wire::{HttpServer, rpc, version_headers};

/// Concurrent calls.
const AT_ONCE: usize = 12;
/// Additional time for such calls compared with those without a store: one answer's wait, and a margin for a
/// busy machine.
const BEYOND: Duration = Duration::from_secs(2);
/// Maximum time in which a tool that needs the store reports an error: one operation, and a margin for a busy
/// machine.
const REFUSED: Duration = Duration::from_millis(4_500);
/// Pause between two waves, in which the database is retried more than once.
const PAUSE: Duration = Duration::from_secs(4);

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("time::waiting::refused", || thrice(refused)),
        Trial::test("time::waiting::silent", || thrice(silent)),
    ];
    if cfg!(unix) {
        trials.push(on_sqlite("time::waiting::lock_held", lock_held));
        trials.push(on_sqlite("time::waiting::locked_while_open", locked_while_open));
        trials.push(on_sqlite("time::waiting::no_files", no_files));
        trials.push(on_sqlite("time::waiting::no_configuration", no_configuration));
        trials.push(on_postgres(
            "time::waiting::stopped_while_open",
            stopped_while_open,
        ));
        trials.push(on_postgres("time::waiting::comes_later", comes_later));
        trials.extend(on_both("time::waiting::ids_are_kept", ids_are_kept));
    }
    trials
}

/// A server whose database is at this address.
fn at(address: &str, base: &str, kept: &Kept) -> Command {
    let mut command = stdio(base, kept);
    command.env("FRESHCONTEXT_DATABASE_URL", address);
    command
}

/// Makes calls concurrently. Returns their results and the total time.
async fn wave(session: &mut Session, words: &str) -> (Duration, Vec<Value>) {
    let began = Instant::now();
    let mut requests = Vec::new();
    for at in 0..AT_ONCE {
        // The same request, so that the cache answers without a pace; with different arguments, so that the
        // answer differs.
        let (tool, arguments) = search(&format!("{words}{}", " ".repeat(at)));
        let call = json!({"name": tool, "arguments": arguments});
        requests.push(session.request("tools/call", call).await);
    }
    let mut answers = session.answers(&requests).await;
    let took = began.elapsed();
    let answers = requests.iter().filter_map(|id| answers.remove(id)).collect();
    (took, answers)
}

/// Duration of a wave with storage off.
async fn without_a_store(base: &str, kept: &Kept) -> Duration {
    let mut command = stdio(base, kept);
    command.env("FRESHCONTEXT_STORE", "off");
    let mut session = Session::open(command, MODERN).await;
    let (took, _) = wave(&mut session, "words").await;
    session.hang_up();
    session.end().await;
    took
}

/// An answer without an id, with the line that it is not stored.
fn is_not_kept(answer: &Value) -> Result<(), Failed> {
    let result = outcome(answer);
    let lines = result.text.lines().filter(|line| line.starts_with("Not-Kept: "));
    ensure(
        !result.is_error
            && result.structured["items"].is_array()
            && result.structured.get("answer_id").is_none()
            && !result.text.contains("Answer-Id")
            && lines.count() == 1
            && answer["result"]["_meta"]["io.github.freshcontext/answer"]["status"] == "not_kept",
        answer.to_string(),
    )
}

/// No call of a wave takes longer than without a store, and no answer has an id.
async fn goes_on(session: &mut Session, words: &str, without: Duration) -> Result<(), Failed> {
    let (took, answers) = wave(session, words).await;
    eprintln!("{words}: {took:?}, {without:?} without a store");
    ensure(
        took <= without + BEYOND,
        format!("{AT_ONCE} calls took {took:?}, and {without:?} without a store"),
    )?;
    answers.iter().try_for_each(is_not_kept)
}

/// Tools that need the store report in one line and in time that it is unavailable.
async fn is_refused(session: &mut Session, says: &str) -> Result<(), Failed> {
    for (tool, arguments) in [
        (RECHECK, json!({"answer_id": "aAAAAAAAAAAAA"})),
        ("deliverable_list", json!({})),
        ("deliverable_generate", json!({"name": "brief"})),
    ] {
        let began = Instant::now();
        let refused = session.call(tool, arguments).await;
        let took = began.elapsed();
        ensure(
            refused.is_error
                // What is down or locked comes back by itself, and says when to try again.
                && matches!(
                    (refused.code(), refused.structured["retry_after_s"].is_u64()),
                    ("misconfigured", false) | ("overloaded", true)
                )
                && refused.text.contains("the store cannot be used: ")
                && refused.text.contains(says)
                && refused.structured["hint"].is_string()
                && refused.text.trim_end().lines().count() == 1,
            format!("{tool}: {} where it should say: {says}", refused.text),
        )?;
        ensure(took <= REFUSED, format!("{tool} took {took:?} to fail"))?;
    }
    Ok(())
}

/// Waits until an answer has an id, which can be rechecked.
async fn is_kept_again(session: &mut Session) -> Result<(), Failed> {
    let until = Instant::now() + PATIENCE;
    for round in 0.. {
        let (tool, arguments) = search(&format!("rust async{}", " ".repeat(round)));
        let answer = session.call(tool, arguments).await;
        ensure(!answer.is_error, &answer.text)?;
        let id = &answer.structured["answer_id"];
        if id.is_string() {
            let found = session.call(RECHECK, json!({"answer_id": id})).await;
            return ensure(found.structured["verdict"] == "current", &found.text);
        }
        ensure(Instant::now() < until, "no answer is kept")?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Two waves with a pause between, and the tools that need the store.
async fn out_of_reach(command: Command, base: &str, kept: &Kept, says: &str) -> Result<(), Failed> {
    let without = without_a_store(base, kept).await;
    let mut session = Session::open(command, MODERN).await;
    goes_on(&mut session, "first", without).await?;
    is_refused(&mut session, says).await?;
    tokio::time::sleep(PAUSE).await;
    goes_on(&mut session, "second", without).await?;
    let began = Instant::now();
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), &ended.log)?;
    ensure(
        began.elapsed() < REFUSED,
        format!("it took {:?} to leave", began.elapsed()),
    )?;
    ensure(
        ended.log.matches("the store cannot be used").count() == 1,
        ended.log,
    )
}

async fn refused() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let kept = Kept::in_folder();
    let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    let command = at(
        &format!("postgres://a@127.0.0.1:{port}/a"),
        &upstream.base(),
        &kept,
    );
    out_of_reach(command, &upstream.base(), &kept, "cannot be reached").await
}

/// It accepts connections and never responds.
async fn silent() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let kept = Kept::in_folder();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let holding = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    let command = at(
        &format!("postgres://a@127.0.0.1:{port}/a"),
        &upstream.base(),
        &kept,
    );
    let done = out_of_reach(command, &upstream.base(), &kept, "did not answer in time").await;
    holding.abort();
    done
}

async fn lock_held(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    std::fs::create_dir_all(kept.folder())?;
    let lock = File::create(kept.file().with_extension("lock"))?;
    lock.lock()?;
    let command = stdio(&upstream.base(), &kept);
    let says = "the database";
    out_of_reach(command, &upstream.base(), &kept, says).await?;
    // Once released, the same process stores its answers.
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let (_, answers) = wave(&mut session, "held").await;
    answers.iter().try_for_each(is_not_kept)?;
    lock.unlock()?;
    is_kept_again(&mut session).await?;
    session.hang_up();
    session.end().await;
    Ok(())
}

/// Another connection locks the database after it was opened.
async fn locked_while_open(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let without = without_a_store(&upstream.base(), &kept).await;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    is_kept_again(&mut session).await?;
    let address = format!("sqlite://{}", kept.file().display());
    let mut other = SqliteConnection::connect(&address).await?;
    other.execute("BEGIN IMMEDIATE").await?;
    goes_on(&mut session, "locked", without).await?;
    tokio::time::sleep(PAUSE).await;
    goes_on(&mut session, "still locked", without).await?;
    other.execute("ROLLBACK").await?;
    other.close().await?;
    is_kept_again(&mut session).await?;
    session.hang_up();
    session.end().await;
    Ok(())
}

/// Stopped processes, which continue when this is dropped.
struct Stopped(Vec<u32>);

impl Drop for Stopped {
    fn drop(&mut self) {
        for process in &self.0 {
            signal(*process, "CONT");
        }
    }
}

impl Stopped {
    /// Stops the database server and then all of its connection processes, in that order, so that no new one
    /// starts.
    async fn all_of(address: &str) -> Result<Self, Failed> {
        let mut own = PgConnection::connect(address).await?;
        let statement = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'";
        let mut processes = Vec::new();
        for row in own.fetch_all(statement).await? {
            processes.push(u32::try_from(row.try_get::<i32, _>("pid")?)?);
        }
        let first = *processes.first().ok_or("a connection")?;
        let status = std::fs::read_to_string(format!("/proc/{first}/status"))?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        processes.insert(0, parent.ok_or("a parent")?.trim().parse()?);
        for process in &processes {
            signal(*process, "STOP");
        }
        Ok(Self(processes))
    }
}

/// The database server stops during a session: its connections stay open, and nothing arrives.
async fn stopped_while_open(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let without = without_a_store(&upstream.base(), &kept).await;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    is_kept_again(&mut session).await?;
    let stopped = Stopped::all_of(kept.address().ok_or("an address")?).await?;
    goes_on(&mut session, "stopped", without).await?;
    is_refused(&mut session, "in time").await?;
    tokio::time::sleep(PAUSE).await;
    goes_on(&mut session, "still stopped", without).await?;
    drop(stopped);
    is_kept_again(&mut session).await?;
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), ended.log)
}

/// The database becomes available after the server has started.
async fn comes_later(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    kept.tell("stop")?;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let (_, answers) = wave(&mut session, "early").await;
    answers.iter().try_for_each(is_not_kept)?;
    kept.tell("start")?;
    is_kept_again(&mut session).await?;
    session.hang_up();
    session.end().await;
    Ok(())
}

/// An answer with an id is stored: the process is killed with the last id in transit.
async fn ids_are_kept(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut told = Vec::new();
    for round in 0..3 {
        let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
        let (_, answers) = wave(&mut session, &format!("words {round}")).await;
        signal(session.process(), "KILL");
        session.end().await;
        for answer in &answers {
            let id = outcome(answer).structured["answer_id"].clone();
            told.extend(id.as_str().map(str::to_owned));
        }
    }
    ensure(told.len() > AT_ONCE, format!("{} answers have ids", told.len()))?;
    let ids = super::processes::whole(&kept).await?;
    let lost: Vec<&String> = told.iter().filter(|id| !ids.contains(id)).collect();
    ensure(lost.is_empty(), format!("ids of nothing: {lost:?}"))
}

fn pipe(path: &Path) -> Result<(), Failed> {
    let made = std::process::Command::new("mkfifo").arg(path).status()?;
    ensure(made.success(), "mkfifo")
}

/// In place of a database file there is a pipe without a writer, or an endless device.
async fn no_files(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let without = without_a_store(&upstream.base(), &kept).await;
    let file = kept.file();
    let wal = kept.folder().join("freshcontext.sqlite3-wal");
    let lock = file.with_extension("lock");
    for (place, device) in [
        (&file, None),
        (&file, Some("/dev/zero")),
        (&file, Some("/dev/full")),
        (&wal, None),
        (&lock, None),
        (&lock, Some("/dev/zero")),
    ] {
        let _ = std::fs::remove_dir_all(kept.folder());
        std::fs::create_dir_all(kept.folder())?;
        match device {
            Some(device) => std::os::unix::fs::symlink(device, place)?,
            None => pipe(place)?,
        }
        let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
        let began = Instant::now();
        let (tool, arguments) = search("rust");
        let open = session
            .request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await;
        let ping = session.request("ping", json!({})).await;
        let answers = session.answers(&[open, ping]).await;
        is_not_kept(&answers[&open])?;
        ensure(began.elapsed() <= BEYOND, format!("{:?}", began.elapsed()))?;
        goes_on(&mut session, "words", without).await?;
        let says = match device {
            Some(_) => "is a symbolic link",
            None => "is not a regular file",
        };
        is_refused(&mut session, says).await?;
        session.hang_up();
        let ended = session.end().await;
        ensure(ended.status.success(), ended.log)?;
        let told = finish(kept.process(&["store", "info"]), "").await;
        ensure(
            told.code == Some(1) && told.stdout.is_empty() && told.stderr.contains(says),
            format!("{told:?}"),
        )?;
        over_http(&kept, &upstream.base()).await?;
    }
    Ok(())
}

/// The same over HTTP: the health check and a call.
async fn over_http(kept: &Kept, base: &str) -> Result<(), Failed> {
    let mut command = kept.process(&["http", "--addr", "127.0.0.1:0", "--toolset", "time"]);
    command.env("FRESHCONTEXT_UPSTREAM", format!("*={base}"));
    let server = HttpServer::of(command).await;
    let (tool, arguments) = search("rust");
    let params = json!({"name": tool, "arguments": arguments});
    let headers = version_headers(MODERN, "tools/call", &params);
    let message = rpc(MODERN, 1, "tools/call", params.clone());
    let began = Instant::now();
    let (answer, healthy) = tokio::join!(
        server.post(&headers, &message),
        server.send("GET", "/healthz", &[], "")
    );
    ensure(healthy.status == 200, healthy.body)?;
    ensure(began.elapsed() <= BEYOND, format!("{:?}", began.elapsed()))?;
    is_not_kept(&answer.json())
}

/// A configuration that is a pipe or a device: a named one is rejected in one line, the default one is
/// skipped with a log entry.
async fn no_configuration(kept: Kept) -> Result<(), Failed> {
    std::fs::create_dir_all(kept.folder())?;
    let named = kept.folder().join("pipe.toml");
    pipe(&named)?;
    let named = named.display().to_string();
    for file in [named.as_str(), "/dev/zero", "/dev/full"] {
        for arguments in [["stdio", "--config", file], ["http", "--config", file]] {
            let began = Instant::now();
            let told = finish(kept.process(&arguments), "").await;
            let errors = told.stderr.lines().filter(|line| line.starts_with("error: "));
            ensure(
                told.code == Some(2)
                    && told.stdout.is_empty()
                    && errors.count() == 1
                    && told.stderr.contains("cannot read "),
                format!("{arguments:?}: {told:?}"),
            )?;
            ensure(began.elapsed() < REFUSED, format!("{:?}", began.elapsed()))?;
        }
    }
    let home = kept.folder().join("home");
    let folder = home.join(".config/freshcontext");
    std::fs::create_dir_all(&folder)?;
    pipe(&folder.join("config.toml"))?;
    let mut command = kept.process(&["stdio"]);
    command.env("HOME", &home);
    let mut session = Session::open(command, MODERN).await;
    session.ask("ping", json!({})).await;
    session.hang_up();
    let ended = session.end().await;
    ensure(
        ended.status.success()
            && ended.log.lines().count() == 1
            && ended
                .log
                .contains("is not a regular file that can be read; it was skipped"),
        ended.log,
    )
}
