//! Behaviour of a store, tested on SQLite and on Postgres. Without an installed Postgres, its tests are
//! ignored; with FRESHCONTEXT_REQUIRE_POSTGRES they fail.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "this whole binary is a test"
)]

#[path = "behaviour/changes.rs"]
mod changes;
#[path = "behaviour/clocks.rs"]
mod clocks;
#[path = "behaviour/damage.rs"]
mod damage;
#[path = "behaviour/deliverables.rs"]
mod deliverables;
#[cfg(target_os = "linux")]
#[path = "behaviour/disk.rs"]
mod disk;
#[cfg(unix)]
#[path = "behaviour/private.rs"]
mod private;
#[path = "behaviour/records.rs"]
mod records;
#[path = "behaviour/sizes.rs"]
mod sizes;
#[cfg(target_os = "linux")]
#[path = "behaviour/tls.rs"]
mod tls;
#[path = "behaviour/upgrade.rs"]
mod upgrade;

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use freshcontext_store::{AnswerRow, Forgotten, Place, Retention, Store, Trouble};
use libtest_mimic::{Arguments, Failed, Trial};

/// Set by CI: a missing Postgres is then a failure.
const REQUIRED: &str = "FRESHCONTEXT_REQUIRE_POSTGRES";
const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 86_400_000;
const BOUND: Retention = Retention {
    answers: 10,
    age_ms: 30 * DAY,
    deliverables: 3,
    versions: 5,
    records: 4,
};

type Behaviour = fn(Place) -> Result<(), Failed>;
#[cfg(target_os = "linux")]
type OnServer = fn(&str) -> Result<(), Failed>;

/// Each test starts with an empty store and leaves nothing running.
const BEHAVIOURS: [(&str, Behaviour); 28] = [
    ("opened_by_many_at_once", opened_at_once),
    ("keeps_what_it_is_given", keeps),
    ("owners_are_apart", owners),
    ("old_and_many_are_forgotten", bounded),
    ("survives_a_restart", restart),
    ("many_at_once", at_once),
    ("info_check_vacuum", upkeep),
    ("deliverables_defined", deliverables::defined),
    ("deliverables_owned", deliverables::owned),
    ("deliverables_synced", deliverables::synced),
    ("deliverables_versioned", deliverables::versioned),
    ("deliverables_appended_at_once", deliverables::appended_at_once),
    ("changes_in_order", changes::in_order),
    ("changes_delivered", changes::delivered),
    ("changes_written_at_once", changes::written_at_once),
    ("records_kept", records::kept),
    ("records_bounded", records::bounded),
    ("clocks_order_of_writing", clocks::order_of_writing),
    ("clocks_a_jump", clocks::a_jump),
    ("clocks_a_jump_that_stays", clocks::a_jump_that_stays),
    ("clocks_jumps_and_corrections", clocks::jumps_and_corrections),
    ("clocks_a_replay", clocks::a_replay),
    ("clocks_newest_version", clocks::newest_version),
    ("no_keys", clocks::no_keys),
    ("sizes_at_the_bound", sizes::at_the_bound),
    ("sizes_in_pages", sizes::in_pages),
    ("upgraded", upgrade::from_the_second),
    ("of_a_later_version", upgrade::of_a_later_version),
];

fn main() {
    #[cfg(target_os = "linux")]
    if let Some(folder) = std::env::var_os(disk::FOLDER) {
        return disk::serve(PathBuf::from(folder));
    }
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    for (name, behaviour) in BEHAVIOURS {
        trials.push(Trial::test(format!("sqlite::{name}"), move || {
            let folder = Folder::new();
            behaviour(Place::Folder(folder.0.clone()))
        }));
    }
    trials.push(Trial::test("sqlite::memory_ends_with_it", memory));
    trials.push(Trial::test("sqlite::damaged_file", damaged));
    trials.push(Trial::test("sqlite::locked_file", locked));
    trials.push(Trial::test(
        "sqlite::of_another_program",
        upgrade::of_another_program,
    ));
    trials.push(Trial::test("sqlite::tail_of_the_log", damage::tail_of_the_log));
    trials.push(Trial::test(
        "sqlite::copied_while_written",
        damage::copied_while_written,
    ));
    #[cfg(target_os = "linux")]
    for (name, trial) in disk::TRIALS {
        trials.push(Trial::test(format!("sqlite::{name}"), trial).with_ignored_flag(!disk::is_possible()));
    }
    trials.push(Trial::test("sqlite::unusable_folder", unusable));
    #[cfg(unix)]
    trials.extend([
        Trial::test("sqlite::private_files_made", private::made),
        Trial::test("sqlite::private_files_narrowed", private::narrowed),
        Trial::test("sqlite::links_to_nothing", private::links),
        Trial::test("sqlite::pipes", private::pipes),
        Trial::test("sqlite::shared_folder", private::shared),
        Trial::test("sqlite::folder_of_any_name", private::any_name),
    ]);
    trials.push(Trial::test("postgres::unreachable", unreachable));
    // One server with a database per test, started by the first test that needs it.
    let server = Arc::<OnceLock<Result<Postgres, String>>>::default();
    let absent = std::env::var_os(REQUIRED).is_none() && !Postgres::is_installed();
    for (name, behaviour) in BEHAVIOURS {
        let server = Arc::clone(&server);
        let trial = Trial::test(format!("postgres::{name}"), move || {
            let server = server.get_or_init(Postgres::start).as_ref();
            let address = &server.map_err(Clone::clone)?.address;
            behaviour(Place::Postgres(database(address)?))
        });
        trials.push(trial.with_ignored_flag(absent));
    }
    #[cfg(target_os = "linux")]
    {
        let behaviours: [(&str, OnServer); 3] = [
            ("tls", tls::checked),
            ("ended_connections", tls::ended_connections),
            ("role_without_ddl", tls::role_without_ddl),
        ];
        for (name, behaviour) in behaviours {
            let server = Arc::clone(&server);
            let trial = Trial::test(format!("postgres::{name}"), move || {
                let server = server.get_or_init(Postgres::start).as_ref();
                behaviour(&server.map_err(Clone::clone)?.address)
            });
            trials.push(trial.with_ignored_flag(absent));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(server);
    conclusion.exit();
}

/// A temporary folder, removed with its last reference.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "freshcontext-store-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        Self(std::env::temp_dir().join(name))
    }

    fn file(&self) -> PathBuf {
        self.0.join("freshcontext.sqlite3")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A Postgres server, started by `postgres.sh`; it stops when its stdin closes.
struct Postgres {
    child: Child,
    address: String,
}

impl Postgres {
    /// Returns the command of the script, which reports whether Postgres is installed, or starts a server.
    fn script(argument: &str) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/postgres.sh");
        let mut command = Command::new("bash");
        command.arg(script).arg(argument);
        command
    }

    fn is_installed() -> bool {
        let mut asked = Self::script("--installed");
        asked.stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    }

    fn start() -> Result<Self, String> {
        Self::start_with(None)
    }

    /// With a folder of a certificate and its key, a server that accepts TLS only.
    fn start_with(tls: Option<&Path>) -> Result<Self, String> {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.map_err(|error| error.to_string())?.port();
        let mut child = Self::script(&port.to_string())
            .args(tls)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut address = String::new();
        if let Some(stdout) = child.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut address);
        }
        if address.trim().is_empty() {
            let ended = child.wait().map_err(|error| error.to_string())?;
            return Err(format!("Postgres did not start (tests/postgres.sh: {ended})"));
        }
        Ok(Self {
            child,
            address: address.trim().to_owned(),
        })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Creates an empty database and returns its address.
fn database(server: &str) -> Result<String, Failed> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("behaviour_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    block_on(async {
        use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
        let mut connection = sqlx::PgConnection::connect(server).await?;
        connection
            .execute(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .await?;
        connection.close().await
    })?;
    let base = server.rsplit_once('/').map_or(server, |(base, _)| base);
    Ok(format!("{base}/{name}"))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

fn row(id: &str, created_ms: i64) -> AnswerRow {
    AnswerRow {
        answer_id: id.to_owned(),
        tool: "extract_example".to_owned(),
        arguments: r#"{"query":"naïve \"quoted\" ' \\ text"}"#.to_owned(),
        hash: "00".repeat(32),
        record: r#"{"items":[]}"#.to_owned(),
        created_ms,
    }
}

fn ensure(holds: bool, otherwise: impl std::fmt::Display) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(Failed::from(otherwise.to_string()))
    }
}

fn keeps(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        store.put_answer("local", &row("a", NOW), NOW).await?;
        let kept = store.answer("local", "a", NOW).await?;
        ensure(kept == Some(row("a", NOW)), format!("{kept:?}"))?;
        let later = AnswerRow {
            tool: "other".to_owned(),
            ..row("a", NOW + 1)
        };
        store.put_answer("local", &later, NOW).await?;
        ensure(store.answer("local", "a", NOW).await? == Some(later), "replaced")?;
        ensure(store.answer("local", "b", NOW).await?.is_none(), "unknown")?;
        store.put_answer("local", &row("c", NOW + 2), NOW).await?;
        let ids: Vec<String> = store
            .answers("local", None, 10)
            .await?
            .rows
            .into_iter()
            .map(|row| row.answer_id)
            .collect();
        ensure(ids == ["c", "a"], format!("newest first: {ids:?}"))?;
        store.close().await;
        Ok(())
    })
}

fn owners(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        store.put_answer("anna", &row("same", NOW), NOW).await?;
        store
            .put_answer(
                "ben",
                &AnswerRow {
                    tool: "bens".to_owned(),
                    ..row("same", NOW)
                },
                NOW,
            )
            .await?;
        store.put_answer("ben", &row("only-ben", NOW), NOW).await?;
        let annas = store.answer("anna", "same", NOW).await?.map(|row| row.tool);
        ensure(annas.as_deref() == Some("extract_example"), format!("{annas:?}"))?;
        ensure(
            store.answer("anna", "only-ben", NOW).await?.is_none(),
            "another owner's id",
        )?;
        ensure(
            store.answers("anna", None, 10).await?.rows.len() == 1,
            "a list of one's own",
        )?;
        ensure(store.info().await?.owners == 2, "owners are counted")?;
        store.close().await;
        Ok(())
    })
}

fn bounded(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        store
            .put_answer("local", &row("old", NOW - 31 * DAY), NOW)
            .await?;
        ensure(
            store.answer("local", "old", NOW).await?.is_none(),
            "too old to be found",
        )?;
        for at in 0..20 {
            store
                .put_answer("local", &row(&format!("n{at}"), NOW + at), NOW)
                .await?;
        }
        let forgotten = store.vacuum(NOW).await?;
        ensure(
            forgotten.answers == 11 && forgotten.held_back == 0,
            format!("{forgotten:?}: one too old, ten too many"),
        )?;
        ensure(store.info().await?.answers == 10, "ten are left")?;
        ensure(
            store.answer("local", "n19", NOW).await?.is_some(),
            "the newest stays",
        )?;
        ensure(
            store.answer("local", "n9", NOW).await?.is_none(),
            "the oldest went",
        )?;
        store.close().await;
        Ok(())
    })
}

fn restart(place: Place) -> Result<(), Failed> {
    block_on(async {
        let first = Store::new(place.clone(), BOUND);
        first.put_answer("local", &row("a", NOW), NOW).await?;
        first.close().await;
        let second = Store::new(place, BOUND);
        ensure(
            second.answer("local", "a", NOW).await?.is_some(),
            "kept over a restart",
        )?;
        second.close().await;
        Ok(())
    })
}

/// Eight stores open a new database concurrently.
fn opened_at_once(place: Place) -> Result<(), Failed> {
    block_on(async {
        let mut openers = Vec::new();
        for at in 0..8 {
            let store = Store::new(place.clone(), BOUND);
            openers.push(tokio::spawn(async move {
                let kept = store.put_answer("local", &row(&format!("n{at}"), NOW), NOW).await;
                store.close().await;
                kept
            }));
        }
        for opener in openers {
            opener.await??;
        }
        let store = Store::new(place, BOUND);
        let answers = store.info().await?.answers;
        store.close().await;
        ensure(answers == 8, format!("{answers} of 8"))
    })
}

/// Two stores on one database have eight writers each.
fn at_once(place: Place) -> Result<(), Failed> {
    block_on(async {
        let wide = Retention {
            answers: 10_000,
            ..BOUND
        };
        let stores = [
            Arc::new(Store::new(place.clone(), wide)),
            Arc::new(Store::new(place, wide)),
        ];
        let mut writers = Vec::new();
        for (which, store) in stores.iter().enumerate() {
            for writer in 0..8 {
                let store = Arc::clone(store);
                writers.push(tokio::spawn(async move {
                    for at in 0..25 {
                        store
                            .put_answer("local", &row(&format!("{which}-{writer}-{at}"), NOW), NOW)
                            .await?;
                    }
                    Ok::<_, freshcontext_store::StoreError>(())
                }));
            }
        }
        for writer in writers {
            writer.await??;
        }
        let answers = stores[0].info().await?.answers;
        ensure(answers == 400, format!("{answers} of 400"))?;
        ensure(stores[1].check().await?.is_empty(), "sound")?;
        for store in &stores {
            store.close().await;
        }
        Ok(())
    })
}

fn upkeep(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let empty = store.info().await?;
        ensure(
            empty.answers == 0 && empty.oldest_ms.is_none() && empty.schema == 4,
            format!("{empty:?}"),
        )?;
        store.put_answer("local", &row("a", NOW), NOW).await?;
        ensure(store.check().await?.is_empty(), "sound")?;
        ensure(
            store.vacuum(NOW).await? == Forgotten::default(),
            "nothing to forget",
        )?;
        let info = store.info().await?;
        ensure(
            info.answers == 1 && info.newest_ms == Some(NOW) && info.bytes > 0,
            format!("{info:?}"),
        )?;
        store.close().await;
        Ok(())
    })
}

fn memory() -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(Place::Memory, BOUND);
        store.put_answer("local", &row("a", NOW), NOW).await?;
        ensure(store.answer("local", "a", NOW).await?.is_some(), "kept")?;
        let other = Store::new(Place::Memory, BOUND);
        ensure(other.answer("local", "a", NOW).await?.is_none(), "each its own")
    })
}

fn damaged() -> Result<(), Failed> {
    let folder = Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    std::fs::write(folder.file(), b"this was a database once".repeat(200))?;
    let before = std::fs::read(folder.file())?;
    block_on(async {
        let error = Store::new(Place::Folder(folder.0.clone()), BOUND)
            .put_answer("local", &row("a", NOW), NOW)
            .await
            .unwrap_err();
        ensure(error.trouble == Trouble::Damaged, format!("{error:?}"))
    })?;
    ensure(std::fs::read(folder.file())? == before, "it is left as it is")
}

/// Another process locks the file: a clear error within seconds, and normal operation afterwards.
fn locked() -> Result<(), Failed> {
    let folder = Folder::new();
    block_on(async {
        use sqlx::{Connection as _, Executor as _};
        let store = Store::new(Place::Folder(folder.0.clone()), BOUND);
        store.put_answer("local", &row("a", NOW), NOW).await?;
        let address = format!("sqlite://{}", folder.file().display());
        let mut other = sqlx::SqliteConnection::connect(&address).await?;
        other.execute("BEGIN EXCLUSIVE").await?;
        let error = store.put_answer("local", &row("b", NOW), NOW).await.unwrap_err();
        ensure(error.trouble == Trouble::Locked, format!("{error:?}"))?;
        other.execute("ROLLBACK").await?;
        store.put_answer("local", &row("b", NOW), NOW).await?;
        store.close().await;
        Ok(())
    })
}

/// The folder's path is a file, so no user can create a database there.
fn unusable() -> Result<(), Failed> {
    let folder = Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    let file = folder.0.join("file");
    std::fs::write(&file, b"")?;
    block_on(async {
        let error = Store::new(Place::Folder(file), BOUND).info().await.unwrap_err();
        ensure(error.trouble == Trouble::ReadOnly, format!("{error:?}"))
    })
}

fn unreachable() -> Result<(), Failed> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    block_on(async {
        let address = format!("postgres://user:hidden@127.0.0.1:{port}/none");
        let error = Store::new(Place::Postgres(address), BOUND)
            .info()
            .await
            .unwrap_err();
        ensure(error.trouble == Trouble::Unreachable, format!("{error:?}"))?;
        ensure(!error.message.contains("hidden"), "no secret is shown")
    })
}
