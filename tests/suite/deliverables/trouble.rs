//! Unwritable locations: a full disk, another user's folder, a locked or damaged database. The error is one
//! clear line, other tools keep working, no version is lost, and operation resumes afterwards.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use serde_json::json;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _};
use tokio::process::Command;

use super::setup::ensure;
use super::whole::{Changing, NAME};
use crate::places::{Kept, on_both, on_sqlite};
use crate::process::{BINARY, Finished, MODERN, Session, finish, program, through};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(on_both("deliverables::trouble::locked", locked));
    trials.extend(on_both("deliverables::trouble::damaged", damaged));
    trials.push(on_sqlite("deliverables::trouble::no_database", no_database));
    trials.push(Trial::test("deliverables::trouble::no_address", || {
        crate::run::block_on(no_address())
    }));
    if cfg!(unix) {
        trials.push(on_sqlite("deliverables::trouble::full_disk", full_disk));
        trials.push(on_sqlite("deliverables::trouble::another_users", another_users));
    }
    trials
}

const CLIENT: [&str; 3] = ["stdio", "--toolset", "time"];

/// The command line prints only the cause in one line, with advice.
fn refused(done: &Finished, says: &str) -> Result<(), Failed> {
    let lines: Vec<&str> = done.stderr.lines().collect();
    let told = match lines.as_slice() {
        [why, hint] => {
            why.starts_with("error: the store cannot be used: ")
                && why.contains(says)
                && hint.starts_with("  hint: ")
        }
        _ => false,
    };
    // What comes back by itself is a failure of this call, everything else a fault of the configuration.
    let code = if done.stderr.contains("call again later") {
        1
    } else {
        2
    };
    ensure(
        told && done.code == Some(code) && done.stdout.is_empty(),
        format!("{done:?} where it should say: {says}"),
    )
}

/// A client's deliverable fails with a one-line error, and other tools keep working.
async fn client(command: Command, says: &str) -> Result<(), Failed> {
    let mut session = Session::open(command, MODERN).await;
    let made = session.call("deliverable_generate", json!({"name": NAME})).await;
    let other = session.call("extract_hackernews", json!({"url": "c"})).await;
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), &ended.log)?;
    ensure(
        made.is_error
            // What comes back by itself says when to try again.
            && matches!(
                (made.code(), made.structured["retry_after_s"].is_u64()),
                ("misconfigured", false) | ("overloaded", true)
            )
            && made.text.contains(says)
            && made.text.trim_end().lines().count() == 1,
        format!("{} where it should say: {says}", made.text),
    )?;
    ensure(
        !other.is_error && other.structured["items"].is_array(),
        &other.text,
    )
}

/// Starts with two checked versions.
async fn with_versions(kept: Kept) -> Result<Changing, Failed> {
    let mut scene = Changing::new(kept, 0).await?;
    for _ in 0..2 {
        scene.generate().await?;
    }
    ensure(scene.look_once().await? == 2, "two versions")?;
    Ok(scene)
}

/// Earlier data is intact, and another version follows it.
async fn goes_on(scene: &mut Changing) -> Result<(), Failed> {
    let before = scene.look_once().await?;
    scene.generate().await?;
    ensure(scene.look_once().await? == before + 1, "it does not go on")
}

/// Another connection to the same database.
enum Other {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Other {
    async fn of(kept: &Kept) -> Result<Self, Failed> {
        if let Some(address) = kept.address() {
            return Ok(Self::Postgres(PgConnection::connect(address).await?));
        }
        let address = format!("sqlite://{}", kept.file().display());
        Ok(Self::Sqlite(SqliteConnection::connect(&address).await?))
    }

    async fn does(&mut self, statement: &'static str) -> Result<(), Failed> {
        match self {
            Self::Sqlite(connection) => connection.execute(statement).await.map(drop)?,
            Self::Postgres(connection) => connection.execute(statement).await.map(drop)?,
        }
        Ok(())
    }

    async fn leaves(self) -> Result<(), Failed> {
        match self {
            Self::Sqlite(connection) => connection.close().await?,
            Self::Postgres(connection) => connection.close().await?,
        }
        Ok(())
    }
}

async fn locked(kept: Kept) -> Result<(), Failed> {
    let mut scene = with_versions(kept).await?;
    let mut other = Other::of(&scene.kept).await?;
    let says = if scene.kept.address().is_none() {
        other.does("BEGIN EXCLUSIVE").await?;
        "the database is locked by another process"
    } else {
        other.does("BEGIN").await?;
        other
            .does("LOCK TABLE deliverable_versions, sync_registry IN ACCESS EXCLUSIVE MODE")
            .await?;
        "the database did not answer in time"
    };
    refused(&finish(scene.attempt(), "").await, says)?;
    client(scene.command(&CLIENT), says).await?;
    other.does("ROLLBACK").await?;
    other.leaves().await?;
    goes_on(&mut scene).await
}

/// A part of the database is lost and restored from an operator's copy.
async fn damaged(kept: Kept) -> Result<(), Failed> {
    let mut scene = with_versions(kept).await?;
    if scene.kept.address().is_some() {
        let mut other = Other::of(&scene.kept).await?;
        other
            .does("ALTER TABLE deliverable_versions RENAME TO elsewhere")
            .await?;
        let says = "a table of the database is missing, damaged or not ours to use";
        unusable(&mut scene, says).await?;
        other
            .does("ALTER TABLE elsewhere RENAME TO deliverable_versions")
            .await?;
        other.leaves().await?;
    } else {
        let file = scene.kept.file();
        let whole = std::fs::read(&file)?;
        let mut broken = whole.clone();
        // The first page, which describes the layout, stays intact.
        broken.iter_mut().skip(4_096).for_each(|byte| *byte = 0xA5);
        std::fs::write(&file, broken)?;
        unusable(&mut scene, "the database file is damaged or is none").await?;
        std::fs::write(&file, whole)?;
    }
    goes_on(&mut scene).await
}

/// Nothing can be generated or shown, and other tools keep working.
async fn unusable(scene: &mut Changing, says: &str) -> Result<(), Failed> {
    refused(&finish(scene.attempt(), "").await, says)?;
    let show = scene.command(&["deliverable", "show", NAME]);
    refused(&finish(show, "").await, says)?;
    client(scene.command(&CLIENT), says).await
}

/// A foreign file in place of the database stays unchanged.
async fn no_database(kept: Kept) -> Result<(), Failed> {
    let mut scene = with_versions(kept).await?;
    let file = scene.kept.file();
    let whole = std::fs::read(&file)?;
    let something = b"something else ".repeat(1_000);
    std::fs::write(&file, &something)?;
    let says = "the database file is damaged or is none";
    unusable(&mut scene, says).await?;
    ensure(std::fs::read(&file)? == something, "it was written to")?;
    std::fs::write(&file, whole)?;
    goes_on(&mut scene).await
}

/// An invalid database address is rejected first, with the setting's name and a valid value.
async fn no_address() -> Result<(), Failed> {
    let kept = Kept::in_folder();
    for wrong in [
        "nonsense",
        "http://127.0.0.1/x",
        "postgres:/x",
        "secret-word@host",
    ] {
        for words in [
            &["stdio", "--toolset", "time"][..],
            &["store", "info"],
            &["deliverable", "list"],
        ] {
            let mut command = kept.process(words);
            command.env("FRESHCONTEXT_DATABASE_URL", wrong);
            let done = finish(command, "").await;
            let first = done.stderr.lines().next().unwrap_or_default();
            ensure(
                done.code == Some(2)
                    && done.stdout.is_empty()
                    && first.contains("FRESHCONTEXT_DATABASE_URL")
                    && first.contains("postgres://user:password@host/database")
                    && !done.stderr.contains(wrong),
                format!("{wrong}, {words:?}: {done:?}"),
            )?;
        }
    }
    ensure(!kept.file().exists(), "a database was made instead")
}

/// Runs its last arguments on a separate disk with a copy of the data and `$2` KiB of space. The remaining
/// data is then copied back.
const ON_A_FULL_DISK: &str = r#"
set -e
data=$1 room=$2 disk=/mnt
shift 2
mount -t tmpfs full "$disk"
cp -p "$data"/* "$disk"/
used=$(du -sk "$disk" | cut -f1)
mount -o remount,size=$((used + room))k "$disk"
code=0
FRESHCONTEXT_DATA_DIR=$disk "$@" || code=$?
rm -f "$data"/*
cp -p "$disk"/* "$data"/
exit $code
"#;

/// Runs its last arguments with files limited to `$2` KiB, in blocks of 512 bytes. A process that ignores the
/// signal gets an error instead, as on a full disk.
const NO_LARGE_FILES: &str = r#"
room=$2
shift 2
trap '' XFSZ
ulimit -f $((2 * room))
exec "$@"
"#;

/// Returns how this machine simulates a full disk: a mount in a temporary namespace if permitted.
pub(super) async fn little_room() -> (&'static str, Vec<&'static str>, &'static str) {
    // Other users than root may mount in a namespace, but cannot resize everywhere.
    let mounts = "mount -t tmpfs full /mnt && mount -o remount,size=64k /mnt";
    for namespace in [vec!["--mount"], vec!["--user", "--map-root-user", "--mount"]] {
        let mut words = namespace.clone();
        words.extend(["sh", "-c", mounts]);
        let tried = program("unshare", &words).output().await;
        if tried.is_ok_and(|tried| tried.status.success()) {
            return ("unshare", namespace, ON_A_FULL_DISK);
        }
    }
    ("env", Vec::new(), NO_LARGE_FILES)
}

/// Runs its last arguments with the data on a read-only disk.
const ON_A_READ_ONLY_DISK: &str = r#"
set -e
data=$1
shift
mount --bind "$data" "$data"
mount -o remount,bind,ro "$data"
exec "$@"
"#;

/// Returns how this machine simulates a read-only disk; `None` if mounting is not permitted.
pub(super) async fn read_only() -> Option<(&'static str, Vec<&'static str>, &'static str)> {
    let mounts = "mount --bind /mnt /mnt && mount -o remount,bind,ro /mnt";
    for namespace in [vec!["--mount"], vec!["--user", "--map-root-user", "--mount"]] {
        let mut words = namespace.clone();
        words.extend(["sh", "-c", mounts]);
        let tried = program("unshare", &words).output().await;
        if tried.is_ok_and(|tried| tried.status.success()) {
            return Some(("unshare", namespace, ON_A_READ_ONLY_DISK));
        }
    }
    None
}

/// From no space to enough: either one complete version more, or a clear error and no change.
async fn full_disk(kept: Kept) -> Result<(), Failed> {
    let mut scene = with_versions(kept).await?;
    let folder = scene.kept.folder().display().to_string();
    let (runner, before, script) = little_room().await;
    let (mut versions, mut told, mut made) = (2, 0, 0);
    for room in [0, 4, 16, 36, 48, 64, 96, 128, 192, 256, 1_024, 8_192] {
        let amount = room.to_string();
        let mut words = before.clone();
        words.extend(["sh", "-c", script, "sh", &folder, &amount]);
        let done = finish(through(runner, &words, &scene.attempt()), "").await;
        if done.code == Some(0) {
            made += 1;
            versions += 1;
        } else {
            told += 1;
            let says = if script == ON_A_FULL_DISK {
                "there is no room left for the database"
            } else {
                "the database"
            };
            refused(&done, says)?;
            if room == 0 {
                client(through(runner, &words, &scene.command(&CLIENT)), says).await?;
            }
        }
        let whole = scene.look_once().await?;
        ensure(
            whole == versions,
            format!("{whole} of {versions} with {room} KiB"),
        )?;
    }
    eprintln!("{runner} {}: {told} refused, {made} made", before.concat());
    ensure(told > 0 && made > 0, format!("{told} refused, {made} made"))?;
    goes_on(&mut scene).await
}

/// A user without files on this machine.
const NOBODY: [&str; 3] = ["--reuid=65534", "--regid=65534", "--clear-groups"];

/// Runs `$0` with its arguments except the first, the program that it replaces.
const IN_PLACE_OF: &str = r#"shift; exec "$0" "$@""#;

async fn chmod(mode: &str, paths: &[&Path]) -> Result<(), Failed> {
    let done = program("chmod", &[mode]).args(paths).output().await?;
    ensure(done.status.success(), String::from_utf8_lossy(&done.stderr))
}

/// The folder is readable or not, and never writable. Root switches to another user, because permissions do
/// not restrict root; other users remove their own permission.
async fn another_users(kept: Kept) -> Result<(), Failed> {
    let mut scene = with_versions(kept).await?;
    let (folder, file) = (scene.kept.folder().to_owned(), scene.kept.file());
    let lock = file.with_extension("lock");
    let asked = program("id", &["-u"]).output().await?;
    let is_root = asked.stdout.trim_ascii() == b"0";
    // The program itself may be in a place that other users cannot reach.
    let reachable = folder.with_extension("program");
    if is_root && std::fs::hard_link(BINARY, &reachable).is_err() {
        std::fs::copy(BINARY, &reachable)?;
    }
    let stranger = reachable.display().to_string();
    let by_another = |mut command: Command| {
        command.env("HOME", "/");
        if !is_root {
            return command;
        }
        let mut words = NOBODY.to_vec();
        words.extend(["sh", "-c", IN_PLACE_OF, &stranger]);
        through("setpriv", &words, &command)
    };
    let mut found = Ok(());
    for (of_files, of_folder) in [("444", "555"), ("000", "555"), ("000", "000")] {
        chmod(of_files, &[&file, &lock]).await?;
        chmod(of_folder, &[&folder]).await?;
        let says = "cannot be written: permission denied";
        let done = finish(by_another(scene.attempt()), "").await;
        found = found.and(refused(&done, says));
        found = found.and(client(by_another(scene.command(&CLIENT)), says).await);
    }
    // There is no folder, and none can be created.
    let mut command = scene.attempt();
    command.env("FRESHCONTEXT_DATA_DIR", folder.join("below"));
    let done = finish(by_another(command), "").await;
    found = found.and(refused(
        &done,
        "the data folder cannot be made: permission denied",
    ));
    // Restored first: an unreadable folder cannot be removed.
    chmod("755", &[&folder]).await?;
    chmod("600", &[&file, &lock]).await?;
    if is_root {
        std::fs::remove_file(&reachable)?;
    }
    found?;
    goes_on(&mut scene).await
}
