//! Storage locations of tests: a folder or a database. Tests that do not stop the server share one Postgres.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use freshcontext_store::{Place, Retention, Store};
use libtest_mimic::{Failed, Trial};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::process::Command;

use crate::process;
use crate::root;
use crate::run::block_on;

/// Set by CI: a missing Postgres is then a failure.
const REQUIRED: &str = "FRESHCONTEXT_REQUIRE_POSTGRES";

/// A location, removed when dropped.
pub struct Kept {
    folder: PathBuf,
    postgres: Option<Postgres>,
    /// Address of its database on Postgres.
    address: Option<String>,
}

/// A Postgres, started by the script of the store's tests.
struct Postgres {
    script: Child,
    said: Mutex<BufReader<ChildStdout>>,
    address: String,
}

impl Postgres {
    fn start() -> Result<Self, String> {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(|error| error.to_string())?
            .port();
        let mut script = std::process::Command::new("bash")
            .arg(root().join("crates/store/tests/postgres.sh"))
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut said = BufReader::new(script.stdout.take().ok_or("a pipe")?);
        let mut address = String::new();
        said.read_line(&mut address).map_err(|error| error.to_string())?;
        if address.trim().is_empty() {
            let ended = script.wait().map_err(|error| error.to_string())?;
            return Err(format!(
                "Postgres did not start (crates/store/tests/postgres.sh: {ended})"
            ));
        }
        Ok(Self {
            script,
            said: Mutex::new(said),
            address: address.trim().to_owned(),
        })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // The script stops its server when its input ends.
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}

impl Kept {
    /// Creates a temporary folder for this test.
    pub fn in_folder() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("freshcontext-kept-{}-{next}", std::process::id());
        Self {
            folder: std::env::temp_dir().join(name),
            postgres: None,
            address: None,
        }
    }

    /// Starts a Postgres for this test.
    fn in_postgres() -> Result<Self, String> {
        let postgres = Postgres::start()?;
        let mut kept = Self::in_folder();
        kept.address = Some(postgres.address.clone());
        kept.postgres = Some(postgres);
        Ok(kept)
    }

    /// Creates an empty database on the shared Postgres, which stops with the suite.
    async fn in_database() -> Result<Self, String> {
        static SHARED: LazyLock<Result<Postgres, String>> = LazyLock::new(Postgres::start);
        let server = SHARED.as_ref().map_err(Clone::clone)?;
        let mut kept = Self::in_folder();
        let name = kept.folder.file_name().unwrap_or_default().to_string_lossy();
        let made = async {
            let mut connection = PgConnection::connect(&server.address).await?;
            let create = AssertSqlSafe(format!("CREATE DATABASE \"{name}\""));
            connection.execute(create).await?;
            connection.close().await
        };
        made.await.map_err(|error: sqlx::Error| error.to_string())?;
        let base = server.address.rsplit_once('/').map_or("", |(base, _)| base);
        kept.address = Some(format!("{base}/{name}"));
        Ok(kept)
    }

    /// Returns the data folder, which contains the SQLite file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The SQLite file.
    pub fn file(&self) -> PathBuf {
        self.folder.join("freshcontext.sqlite3")
    }

    /// Returns the address of the database on Postgres.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Returns the kind of database.
    pub fn kind(&self) -> &'static str {
        if self.address.is_some() {
            "postgres"
        } else {
            "sqlite"
        }
    }

    /// Stops or starts the Postgres, and waits until that is done.
    pub fn tell(&self, word: &str) -> Result<(), Failed> {
        let postgres = self
            .postgres
            .as_ref()
            .ok_or("no Postgres of its own: see on_postgres")?;
        let mut input = postgres.script.stdin.as_ref().ok_or("its input")?;
        writeln!(input, "{word}")?;
        let mut said = String::new();
        let mut output = postgres.said.lock().unwrap_or_else(PoisonError::into_inner);
        output.read_line(&mut said)?;
        if said.trim() == word {
            Ok(())
        } else {
            Err(Failed::from(format!("Postgres did not {word}: {said}")))
        }
    }

    /// Environment of a process that uses this location.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let folder = ("FRESHCONTEXT_DATA_DIR", self.folder.display().to_string());
        let database = self
            .address()
            .map(|address| ("FRESHCONTEXT_DATABASE_URL", address.to_owned()));
        std::iter::once(folder).chain(database).collect()
    }

    /// The server's command line with this location.
    pub fn process(&self, arguments: &[&str]) -> Command {
        let mut command = process::command(arguments);
        command.envs(self.environment());
        command
    }

    /// The same at a time, with every source at `base`.
    pub fn command(&self, arguments: &[&str], now: &str, base: &str) -> Command {
        let mut command = self.process(arguments);
        command
            .env("FRESHCONTEXT_REPLAY_AT", now)
            .env("FRESHCONTEXT_UPSTREAM", format!("*={base}"))
            .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1")
            .env("FRESHCONTEXT_LIMIT_VERSIONS_KEPT", "1000000");
        command
    }

    /// Opens the store directly.
    pub fn store(&self) -> Store {
        let place = match self.address() {
            Some(address) => Place::Postgres(address.to_owned()),
            None => Place::Folder(self.folder.clone()),
        };
        let bound = Retention {
            answers: 1_000,
            age_ms: i64::MAX,
            deliverables: 100,
            versions: 1_000_000,
            records: 1_000,
        };
        Store::new(place, bound)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Whether Postgres is installed, according to its start script.
static INSTALLED: LazyLock<bool> = LazyLock::new(|| {
    let mut look = std::process::Command::new("bash");
    look.arg(root().join("crates/store/tests/postgres.sh"))
        .arg("--installed")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    look.status().is_ok_and(|status| status.success())
});

/// Ignores a test without an installed Postgres, unless one is required; then it fails.
fn ignored_without_postgres(trial: Trial) -> Trial {
    let required = std::env::var_os(REQUIRED).is_some();
    trial.with_ignored_flag(!required && !*INSTALLED)
}

/// A test with its own Postgres, which it may stop.
pub fn on_postgres<F>(name: &str, work: impl FnOnce(Kept) -> F + Send + 'static) -> Trial
where
    F: Future<Output = Result<(), Failed>>,
{
    ignored_without_postgres(Trial::test(format!("{name}::postgres"), move || {
        block_on(work(Kept::in_postgres()?))
    }))
}

/// A test with its own folder.
pub fn on_sqlite<F>(name: &str, work: impl FnOnce(Kept) -> F + Send + 'static) -> Trial
where
    F: Future<Output = Result<(), Failed>>,
{
    Trial::test(format!("{name}::sqlite"), move || {
        block_on(work(Kept::in_folder()))
    })
}

/// The same test with its own folder and with its own database.
pub fn on_both<F>(name: &str, work: impl FnOnce(Kept) -> F + Send + Copy + 'static) -> [Trial; 2]
where
    F: Future<Output = Result<(), Failed>>,
{
    let in_database = Trial::test(format!("{name}::postgres"), move || {
        block_on(async { work(Kept::in_database().await?).await })
    });
    [on_sqlite(name, work), ignored_without_postgres(in_database)]
}
