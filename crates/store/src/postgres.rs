//! Postgres, for several machines. Connections are encrypted as `sslmode` of the address says (`tls.rs`).

use std::str::FromStr as _;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use crate::backend::{AnswerRow, AnswersPage, Backend, Info};
use crate::error::{SILENT, StoreError, Trouble};
use crate::reach::Reach;
#[cfg(target_os = "linux")]
use crate::relay::Relay;
use crate::room::Room;
use crate::tables::writable;
#[cfg(target_os = "linux")]
use crate::tls::Tls;
use crate::{BoxFuture, is_no_key, migrations};

/// Connections per process.
const CONNECTIONS: u32 = 4;
/// Tenths of an operation's timeout that a statement may take on the server. The server then cancels it first, and
/// the connection stays usable.
const STATEMENT_TENTHS: u32 = 9;

/// Accepted schemes.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

fn read_address(address: &str) -> Option<PgConnectOptions> {
    let known = SCHEMES.iter().any(|scheme| address.starts_with(scheme));
    known.then(|| PgConnectOptions::from_str(address).ok()).flatten()
}

/// Returns whether a text is the address of a Postgres database, such as `postgres://user:password@host/database`.
/// Makes no connection.
pub fn check_address(address: &str) -> bool {
    read_address(address).is_some()
}

pub(crate) struct Postgres {
    pool: PgPool,
    reach: Weak<Reach>,
    /// Limits the bytes that the server sends.
    #[cfg(target_os = "linux")]
    _relay: Relay,
}

impl Postgres {
    const NAME: &'static str = "postgres";

    /// Connects to `postgres://user:password@host/database`.
    pub(crate) async fn connect(address: &str, reach: &Arc<Reach>) -> Result<Self, StoreError> {
        let longest = reach.bounds().operation;
        let options = options(address, longest * STATEMENT_TENTHS / 10).await?;
        #[cfg(target_os = "linux")]
        let tls = Tls::of(&options, address)?;
        #[cfg(target_os = "linux")]
        let (relay, options) =
            Relay::start(options, reach.bounds().read_bytes, longest, tls).map_err(|error| {
                tracing::debug!(%error, "no socket for the database's connections");
                StoreError::new(
                    Trouble::Other,
                    "no socket for the database's connections could be made",
                )
            })?;
        let connecting = async {
            // Not through the pool, which would retry a refused connection until its timeout.
            let mut first = options.connect().await?;
            migrations::of_postgres(&mut first).await?;
            // The result of closing does not matter.
            let _ = first.close().await;
            let pool = PgPoolOptions::new()
                .max_connections(CONNECTIONS)
                .acquire_timeout(longest)
                .connect_with(options)
                .await?;
            Ok(pool)
        };
        let pool = tokio::time::timeout(longest, connecting)
            .await
            .unwrap_or_else(|_| Err(StoreError::new(Trouble::Unreachable, SILENT)))?;
        Ok(Self {
            pool,
            reach: Arc::downgrade(reach),
            #[cfg(target_os = "linux")]
            _relay: relay,
        })
    }

    /// Returns a single-use connection for maintenance, without a statement timeout.
    async fn without_timeout(&self) -> Result<PgConnection, StoreError> {
        let mut own = self.pool.acquire().await?.detach();
        sqlx::query("SET statement_timeout = 0").execute(&mut own).await?;
        Ok(own)
    }

    fn writer(&self) -> &PgPool {
        &self.pool
    }

    async fn bytes(&self) -> Result<i64, StoreError> {
        let bytes = sqlx::query_scalar("SELECT pg_database_size(current_database())");
        Ok(bytes.fetch_one(&self.pool).await?)
    }
}

async fn options(address: &str, statement: Duration) -> Result<PgConnectOptions, StoreError> {
    let address = address.to_owned();
    // Parsing may read a password file if the address has no password.
    let read = tokio::task::spawn_blocking(move || read_address(&address));
    let options = read.await.ok().flatten().ok_or_else(|| {
        StoreError::new(
            Trouble::Unreachable,
            "database_url is no address such as postgres://user:password@host/database",
        )
    })?;
    Ok(options
        .options([("statement_timeout", statement.as_millis().to_string())])
        // This crate reports errors itself, and statements do not belong in an operator's log.
        .disable_statement_logging())
}

row_reader!(answer_of: PgRow => AnswerRow { answer_id, tool, arguments, hash, record, created_ms });
deliverable_operations!(Postgres, PgRow);
forgetting_operations!(Postgres);
records_operations!(Postgres, PgRow);
changes_operations!(Postgres, PgRow);
in_time!(Postgres);

impl Backend for Postgres {
    shared_operations!();

    /// Reads every table completely. The server verifies checksums itself if it is configured to.
    fn check(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let mut own = self.without_timeout().await?;
            let mut complaints = Vec::new();
            for statement in [
                "SELECT COUNT(*) FROM (SELECT * FROM answers) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM sync_registry) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM ephemeral_context) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM deliverables) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM deliverable_versions) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM deliverable_changes) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM webhooks) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM webhook_failures) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM kept_records) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM kept_record_items) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM store_state) AS whole",
            ] {
                let read: Result<i64, sqlx::Error> = sqlx::query_scalar(statement).fetch_one(&mut own).await;
                if let Err(error) = read {
                    complaints.push(StoreError::from(error).message);
                }
            }
            Ok(complaints)
        })
    }

    fn vacuum(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let mut own = self.without_timeout().await?;
            sqlx::query("VACUUM").execute(&mut own).await?;
            Ok(())
        })
    }
}
