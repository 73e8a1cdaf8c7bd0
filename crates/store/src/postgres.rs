//! Postgres, for several machines. The connection has no TLS: on loopback, or through the operator's own tunnel.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::{ConnectOptions as _, Row as _};

use crate::backend::{AnswerRow, Backend, Info};
use crate::error::Trouble;
use crate::{BoxFuture, StoreError, is_no_key, migrations};

/// How long a connection may be waited for.
const ACQUIRE: Duration = Duration::from_secs(5);
/// Connections of one process.
const CONNECTIONS: u32 = 4;
/// Longest statement, so that a hanging server does not keep a caller.
const STATEMENT_MS: &str = "5000";

/// Accepted schemes.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

fn read_address(address: &str) -> Option<PgConnectOptions> {
    let known = SCHEMES.iter().any(|scheme| address.starts_with(scheme));
    known.then(|| PgConnectOptions::from_str(address).ok()).flatten()
}

/// Whether a text is the address of a Postgres database, such as `postgres://user:password@host/database`. Makes no
/// connection.
pub fn check_address(address: &str) -> bool {
    read_address(address).is_some()
}

pub(crate) struct Postgres {
    pool: PgPool,
}

impl Postgres {
    const NAME: &'static str = "postgres";

    /// Connects to `postgres://user:password@host/database`.
    pub(crate) async fn connect(address: &str) -> Result<Self, StoreError> {
        let options = read_address(address)
            .ok_or_else(|| {
                StoreError::new(
                    Trouble::Unreachable,
                    "database_url is no address such as postgres://user:password@host/database",
                )
            })?
            .options([("statement_timeout", STATEMENT_MS)])
            // What could not be done is told once, by us; statements are nothing for an operator's log.
            .disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(ACQUIRE)
            .connect_with(options)
            .await
            .map_err(|error| match error {
                sqlx::Error::PoolTimedOut => {
                    StoreError::new(Trouble::Unreachable, "the database server cannot be reached")
                }
                other => other.into(),
            })?;
        if let Err(error) = migrations::postgres().run(&pool).await {
            pool.close().await;
            return Err(error.into());
        }
        Ok(Self { pool })
    }

    fn writer(&self) -> &PgPool {
        &self.pool
    }

    async fn bytes(&self) -> Result<i64, StoreError> {
        let bytes = sqlx::query_scalar("SELECT pg_database_size(current_database())");
        Ok(bytes.fetch_one(&self.pool).await?)
    }
}

row_reader!(answer_of: PgRow => AnswerRow { answer_id, tool, arguments, hash, record, created_ms });
deliverable_operations!(Postgres, PgRow);
forgetting_operations!(Postgres);
records_operations!(Postgres, PgRow);

impl Backend for Postgres {
    shared_operations!();

    /// Reads every table to its end: the server itself keeps checksums where it was set up to.
    fn check(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let mut complaints = Vec::new();
            for statement in [
                "SELECT COUNT(*) FROM (SELECT * FROM answers) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM sync_registry) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM ephemeral_context) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM deliverables) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM deliverable_versions) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM kept_records) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM kept_record_items) AS whole",
                "SELECT COUNT(*) FROM (SELECT * FROM store_state) AS whole",
            ] {
                let read: Result<i64, sqlx::Error> =
                    sqlx::query_scalar(statement).fetch_one(&self.pool).await;
                if let Err(error) = read {
                    complaints.push(StoreError::from(error).message);
                }
            }
            Ok(complaints)
        })
    }

    fn vacuum(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            sqlx::query("VACUUM").execute(&self.pool).await?;
            Ok(())
        })
    }
}
