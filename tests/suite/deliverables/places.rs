//! Where deliverables are kept while they are tried: a folder, or a database of a Postgres that ends with it.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use freshcontext_store::{Place, Retention, Store};
use tokio::process::Command;

use crate::process;
use crate::root;

/// Set by CI: no Postgres is then a failure.
const REQUIRED: &str = "FRESHCONTEXT_REQUIRE_POSTGRES";

/// A place, removed when it is dropped.
pub struct Kept {
    folder: PathBuf,
    postgres: Option<(Child, String)>,
}

impl Kept {
    /// A folder of this trial's own.
    pub fn in_folder() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("freshcontext-deliverables-{}-{next}", std::process::id());
        Self {
            folder: std::env::temp_dir().join(name),
            postgres: None,
        }
    }

    /// A Postgres; `None` where there is none and none is required.
    pub fn in_postgres() -> Result<Option<Self>, String> {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(|error| error.to_string())?
            .port();
        let mut child = std::process::Command::new("bash")
            .arg(root().join("crates/store/tests/postgres.sh"))
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut address = String::new();
        if let Some(stdout) = child.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut address);
        }
        if address.trim().is_empty() {
            let _ = child.wait();
            if std::env::var_os(REQUIRED).is_some() {
                return Err("there is no Postgres here, and it is required".to_owned());
            }
            eprintln!("NOT CHECKED: deliverables on Postgres (apt-get install postgresql)");
            return Ok(None);
        }
        let mut kept = Self::in_folder();
        kept.postgres = Some((child, address.trim().to_owned()));
        Ok(Some(kept))
    }

    /// What a process is told of it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let folder = ("FRESHCONTEXT_DATA_DIR", self.folder.display().to_string());
        let database = self
            .postgres
            .iter()
            .map(|(_, address)| ("FRESHCONTEXT_DATABASE_URL", address.clone()));
        std::iter::once(folder).chain(database).collect()
    }

    /// The server's command line, which keeps what it keeps here, at a moment, with every source at `base`.
    pub fn command(&self, arguments: &[&str], now: &str, base: &str) -> Command {
        let mut command = process::command(arguments);
        command
            .env("FRESHCONTEXT_REPLAY_AT", now)
            .env("FRESHCONTEXT_UPSTREAM", format!("*={base}"))
            .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1")
            .env("FRESHCONTEXT_LIMIT_VERSIONS_KEPT", "1000000")
            .envs(self.environment());
        command
    }

    /// The store itself.
    pub fn store(&self) -> Store {
        let place = match &self.postgres {
            Some((_, address)) => Place::Postgres(address.clone()),
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
        if let Some((child, _)) = &mut self.postgres {
            // The script ends its server when its input ends.
            drop(child.stdin.take());
            let _ = child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
