//! Where things are kept while they are tried: a folder, or a database. Trials that do not stop the server share one
//! Postgres.

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

/// Set by CI: no Postgres is then a failure.
const REQUIRED: &str = "FRESHCONTEXT_REQUIRE_POSTGRES";

/// A place, removed when it is dropped.
pub struct Kept {
    folder: PathBuf,
    postgres: Option<Postgres>,
    /// The address of its database, where that is one of a Postgres.
    address: Option<String>,
}

/// A Postgres, by the script of the store's tests.
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
        // The script ends its server when its input ends.
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}

impl Kept {
    /// A folder of this trial's own.
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

    /// A Postgres of this trial's own.
    fn in_postgres() -> Result<Self, String> {
        let postgres = Postgres::start()?;
        let mut kept = Self::in_folder();
        kept.address = Some(postgres.address.clone());
        kept.postgres = Some(postgres);
        Ok(kept)
    }

    /// An empty database of the Postgres that trials share. It ends when the suite does.
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

    /// The folder of the data, where the SQLite file is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The SQLite file.
    pub fn file(&self) -> PathBuf {
        self.folder.join("freshcontext.sqlite3")
    }

    /// The address of the database, where that is one of a Postgres.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Which database it is.
    pub fn kind(&self) -> &'static str {
        if self.address.is_some() {
            "postgres"
        } else {
            "sqlite"
        }
    }

    /// Has the Postgres stopped or started, as somebody else would, and waits until it is.
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

    /// What a process is told of it.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let folder = ("FRESHCONTEXT_DATA_DIR", self.folder.display().to_string());
        let database = self
            .address()
            .map(|address| ("FRESHCONTEXT_DATABASE_URL", address.to_owned()));
        std::iter::once(folder).chain(database).collect()
    }

    /// The server's command line, which keeps what it keeps here.
    pub fn process(&self, arguments: &[&str]) -> Command {
        let mut command = process::command(arguments);
        command.envs(self.environment());
        command
    }

    /// The same at a moment, with every source at `base`.
    pub fn command(&self, arguments: &[&str], now: &str, base: &str) -> Command {
        let mut command = self.process(arguments);
        command
            .env("FRESHCONTEXT_REPLAY_AT", now)
            .env("FRESHCONTEXT_UPSTREAM", format!("*={base}"))
            .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1")
            .env("FRESHCONTEXT_LIMIT_VERSIONS_KEPT", "1000000");
        command
    }

    /// The store itself.
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

/// Whether this machine has a Postgres, by the script that would start it.
static INSTALLED: LazyLock<bool> = LazyLock::new(|| {
    let mut look = std::process::Command::new("bash");
    look.arg(root().join("crates/store/tests/postgres.sh"))
        .arg("--installed")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    look.status().is_ok_and(|status| status.success())
});

/// A trial is ignored where no Postgres is installed, unless one is required: then it fails.
fn ignored_without_postgres(trial: Trial) -> Trial {
    let required = std::env::var_os(REQUIRED).is_some();
    trial.with_ignored_flag(!required && !*INSTALLED)
}

/// A trial on a Postgres of its own, which it may stop.
pub fn on_postgres<F>(name: &str, work: impl FnOnce(Kept) -> F + Send + 'static) -> Trial
where
    F: Future<Output = Result<(), Failed>>,
{
    ignored_without_postgres(Trial::test(format!("{name}::postgres"), move || {
        block_on(work(Kept::in_postgres()?))
    }))
}

/// A trial in a folder of its own.
pub fn on_sqlite<F>(name: &str, work: impl FnOnce(Kept) -> F + Send + 'static) -> Trial
where
    F: Future<Output = Result<(), Failed>>,
{
    Trial::test(format!("{name}::sqlite"), move || {
        block_on(work(Kept::in_folder()))
    })
}

/// The same trial in a folder and in a database of its own.
pub fn on_both<F>(name: &str, work: impl FnOnce(Kept) -> F + Send + Copy + 'static) -> [Trial; 2]
where
    F: Future<Output = Result<(), Failed>>,
{
    let in_database = Trial::test(format!("{name}::postgres"), move || {
        block_on(async { work(Kept::in_database().await?).await })
    });
    [on_sqlite(name, work), ignored_without_postgres(in_database)]
}
