//! TLS to Postgres, by each `sslmode`; and a role that may not make tables.

use std::path::Path;

use freshcontext_store::{Place, Store, StoreError, Trouble};
use libtest_mimic::Failed;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::{BOUND, Folder, NOW, Postgres, block_on, database, ensure, row};

/// Writes an authority, `name.ca.pem`, and returns it.
fn authority(folder: &Path, name: &str) -> Result<CertifiedIssuer<'static, KeyPair>, Failed> {
    let mut params = CertificateParams::new(Vec::<String>::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    std::fs::write(folder.join(format!("{name}.ca.pem")), authority.pem())?;
    Ok(authority)
}

/// Uses a store at this address: writes and reads one answer.
fn used(address: &str) -> Result<(), StoreError> {
    block_on(async {
        let store = Store::new(Place::Postgres(address.to_owned()), BOUND);
        let written = store.put_answer("local", &row("a", NOW), NOW).await;
        let read = store.answer("local", "a", NOW).await;
        store.close().await;
        written.and(read.map(drop))
    })
}

pub(crate) fn checked(plain: &str) -> Result<(), Failed> {
    let folder = Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    let known = authority(&folder.0, "known")?;
    authority(&folder.0, "other")?;
    // For localhost, and not for 127.0.0.1.
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(vec!["localhost".to_owned()])?.signed_by(&key, &known)?;
    std::fs::write(folder.0.join("server.crt"), certificate.pem())?;
    std::fs::write(folder.0.join("server.key"), key.serialize_pem())?;
    let server = Postgres::start_with(Some(&folder.0))?;
    let named = server.address.replace("127.0.0.1", "localhost");
    let numbered = server.address.as_str();
    let root = |name: &str| {
        format!(
            "sslrootcert={}",
            folder.0.join(format!("{name}.ca.pem")).display()
        )
    };
    let nothing = format!("sslrootcert={}", folder.0.join("nothing").display());
    for (address, parameters, problem) in [
        (numbered, String::new(), None),
        (numbered, "sslmode=prefer".to_owned(), None),
        (numbered, "sslmode=require".to_owned(), None),
        (numbered, format!("sslmode=verify-ca&{}", root("known")), None),
        (&named, format!("sslmode=verify-full&{}", root("known")), None),
        (
            numbered,
            format!("sslmode=verify-full&{}", root("known")),
            Some("is for another host name"),
        ),
        (
            &named,
            format!("sslmode=verify-full&{}", root("other")),
            Some("an authority that is not trusted"),
        ),
        (
            &named,
            format!("sslmode=require&{}", root("other")),
            Some("an authority that is not trusted"),
        ),
        (
            &named,
            "sslmode=verify-full".to_owned(),
            Some("an authority that is not trusted"),
        ),
        (
            &named,
            format!("sslmode=verify-full&{nothing}"),
            Some("sslrootcert cannot be read"),
        ),
        (
            numbered,
            "sslmode=disable".to_owned(),
            Some("refused this user, password or database name"),
        ),
        (
            plain,
            "sslmode=require".to_owned(),
            Some("has no TLS, and sslmode asks for it"),
        ),
        (
            plain,
            "sslcert=x&sslkey=y".to_owned(),
            Some("certificates of the client"),
        ),
    ] {
        let done = used(&format!("{address}?{parameters}"));
        match (problem, done) {
            (None, Ok(())) => {}
            (Some(problem), Err(error)) => ensure(
                error.to_string().contains(problem) && error.trouble == Trouble::Unreachable,
                format!("{parameters}: {error}"),
            )?,
            (_, done) => return Err(format!("{parameters}: {done:?}").into()),
        }
    }
    Ok(())
}

/// A connection that the server ends costs nothing that was written, and the next call works.
pub(crate) fn ended_connections(server: &str) -> Result<(), Failed> {
    let address = database(server)?;
    block_on(async {
        let store = Store::new(Place::Postgres(address.clone()), BOUND);
        store.put_answer("local", &row("before", NOW), NOW).await?;
        let mut operator = PgConnection::connect(&address).await?;
        for _ in 0..3 {
            let ended: i64 = sqlx::query_scalar(
                "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .fetch_one(&mut operator)
            .await?;
            ensure(ended > 0, "no connection of the store was there")?;
            let kept = store.answer("local", "before", NOW).await?;
            ensure(kept == Some(row("before", NOW)), format!("{kept:?}"))?;
        }
        operator.close().await?;
        store.close().await;
        Ok(())
    })
}

/// A role that may not make tables is told what to do, and works once somebody else has made them.
pub(crate) fn role_without_ddl(server: &str) -> Result<(), Failed> {
    let address = database(server)?;
    let statements = |address: String, all: &'static [&'static str]| {
        block_on(async move {
            let mut connection = PgConnection::connect(&address).await?;
            for statement in all {
                connection.execute(AssertSqlSafe(*statement)).await?;
            }
            connection.close().await
        })
    };
    statements(
        address.clone(),
        &[
            "CREATE ROLE plain_writer LOGIN",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        ],
    )?;
    let restricted = address.replace("freshcontext@", "plain_writer@");
    let error = used(&restricted).err().ok_or("it made tables")?;
    ensure(
        error.trouble == Trouble::ReadOnly && error.to_string().contains("store migrate"),
        format!("{error}"),
    )?;
    used(&address)?;
    statements(
        address,
        &[
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO plain_writer",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO plain_writer",
        ],
    )?;
    used(&restricted)?;
    Ok(())
}
