//! A Postgres that sends without end: the server ends that connection, says why in one line, and takes little memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use freshcontext_engine::RECHECK;
use libtest_mimic::{Failed, Trial};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::large::is_small;
use super::processes::{search, stdio, upstream};
use super::setup::ensure;
use crate::memory::figure;
use crate::places::{Kept, on_postgres};
use crate::process::{MODERN, Session};
use crate::run::block_on;

/// Bytes that such a server sends at most on one connection.
const STREAMED: u64 = 2 << 30;
/// Longest for one call: it waits for the store, and for nothing else.
const LONGEST: Duration = Duration::from_secs(6);

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let mut trials = vec![
        on_postgres("time::streaming_while_open::one", |kept| {
            while_open(kept, Sent::One(b'D'))
        }),
        on_postgres("time::streaming_while_open::many", |kept| {
            while_open(kept, Sent::Rows)
        }),
    ];
    for (name, sent) in [
        ("row", Sent::One(b'D')),
        ("notice", Sent::One(b'N')),
        ("notices", Sent::Notices),
        ("setting", Sent::One(b'S')),
        ("settings", Sent::Settings),
        ("error", Sent::One(b'E')),
    ] {
        trials.push(Trial::test(format!("time::streaming_{name}"), move || {
            block_on(from_the_first(sent))
        }));
    }
    trials
}

/// What a server sends.
#[derive(Debug, Clone, Copy)]
enum Sent {
    /// One message of this kind, which announces 2 GiB.
    One(u8),
    /// Notices of 1 KB.
    Notices,
    /// Settings of 1 KB, each another one.
    Settings,
    /// Rows of 1 KB that read as deliverables.
    Rows,
}

impl Sent {
    /// A message, and the part of its body that it begins with.
    fn message(self, number: u64) -> Vec<u8> {
        let text = "x".repeat(970);
        let (kind, body) = match self {
            Self::One(kind) => {
                let mut message = vec![kind];
                message.extend((1_u32 << 31).to_be_bytes());
                return message;
            }
            Self::Notices => (b'N', format!("M{text}\0\0").into_bytes()),
            Self::Settings => (b'S', format!("{number}\0{text}\0").into_bytes()),
            Self::Rows => {
                let mut body = 6_u16.to_be_bytes().to_vec();
                for column in [text.as_bytes(), b"{}"] {
                    body.extend(u32::try_from(column.len()).unwrap_or_default().to_be_bytes());
                    body.extend(column);
                }
                for _ in 0..4 {
                    body.extend(8_u32.to_be_bytes());
                    body.extend(0_u64.to_be_bytes());
                }
                (b'D', body)
            }
        };
        let mut message = vec![kind];
        message.extend(u32::try_from(body.len() + 4).unwrap_or_default().to_be_bytes());
        message.extend(body);
        message
    }

    /// Sends for as long as it is taken, up to 2 GiB.
    async fn stream(self, to: &mut TcpStream, sent: &AtomicU64) -> std::io::Result<()> {
        let part = vec![b'x'; 64 << 10];
        let (mut all, mut number) = (0, 0);
        while all < STREAMED {
            let mut bytes = Vec::new();
            if all == 0 || !matches!(self, Self::One(_)) {
                bytes = self.message(number);
                while !matches!(self, Self::One(_)) && bytes.len() < part.len() {
                    number += 1;
                    bytes.extend(self.message(number));
                }
            }
            let bytes = if bytes.is_empty() { &part } else { &bytes };
            to.write_all(bytes).await?;
            all += bytes.len() as u64;
            sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            number += 1;
        }
        Ok(())
    }
}

/// A server that admits every caller, and answers every statement with such messages.
async fn from_the_first(flood: Sent) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let kept = Kept::in_folder();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let sent = Arc::<AtomicU64>::default();
    let counted = Arc::clone(&sent);
    let serving = tokio::spawn(async move {
        while let Ok((mut to, _)) = listener.accept().await {
            let counted = Arc::clone(&counted);
            tokio::spawn(async move {
                let mut request = [0; 4_096];
                let _asks_for_tls = to.read(&mut request).await?;
                to.write_all(b"N").await?;
                let _startup = to.read(&mut request).await?;
                // AuthenticationOk and ReadyForQuery.
                to.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").await?;
                let _statement = to.read(&mut request).await?;
                flood.stream(&mut to, &counted).await
            });
        }
    });
    let mut command = stdio(&upstream.base(), &kept);
    command.env(
        "FRESHCONTEXT_DATABASE_URL",
        format!("postgres://a@127.0.0.1:{port}/a"),
    );
    let mut session = Session::open(command, MODERN).await;
    let idle = figure(session.process(), "VmRSS");
    for round in 0..3 {
        let began = Instant::now();
        let (tool, arguments) = search(&format!("rust {round}"));
        let answer = session.call(tool, arguments).await;
        ensure(
            !answer.is_error && answer.text.contains("\nNot-Kept: "),
            &answer.text,
        )?;
        let refused = session.call(RECHECK, json!({"answer_id": "aAAAAAAAAAAAA"})).await;
        is_small(session.process(), idle, &format!("{flood:?}"))?;
        ensure(
            refused.is_error && refused.text.trim_end().lines().count() == 1,
            &refused.text,
        )?;
        ensure(
            refused.text.contains("limits.store_read_bytes (8388608)"),
            &refused.text,
        )?;
        let took = began.elapsed();
        ensure(took < LONGEST, format!("round {round} took {took:?}"))?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    ensure(sent.load(Ordering::Relaxed) > 0, "nothing was streamed")?;
    serving.abort();
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), ended.log)
}

/// A server that was good, streams 2 GiB, and is good again.
async fn while_open(kept: Kept, flood: Sent) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let address = kept.address().ok_or("an address")?.to_owned();
    let (base, name) = address.rsplit_once('/').ok_or("a database")?;
    let server = base.rsplit_once('@').ok_or("a server")?.1.to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let bad = Arc::new(AtomicBool::new(false));
    let is_bad = Arc::clone(&bad);
    let serving = tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (server, bad) = (server.clone(), Arc::clone(&is_bad));
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await?;
                let (mut there, mut back) = (vec![0; 16_384], vec![0; 16_384]);
                // Whether a statement was sent last, rather than a look at whether the connection is alive.
                let mut statement = false;
                loop {
                    tokio::select! {
                        read = client.read(&mut there) => match read? {
                            0 => return Ok(()),
                            read => {
                                statement = matches!(there.first(), Some(b'B' | b'P'));
                                server.write_all(&there[..read]).await?;
                            }
                        },
                        read = server.read(&mut back) => match read? {
                            0 => return Ok(()),
                            _ if statement && bad.load(Ordering::Relaxed) => {
                                return flood.stream(&mut client, &AtomicU64::new(0)).await;
                            }
                            read => client.write_all(&back[..read]).await?,
                        },
                    }
                }
            });
        }
    });
    let mut command = stdio(&upstream.base(), &kept);
    let address = format!("postgres://freshcontext@127.0.0.1:{port}/{name}");
    command.env("FRESHCONTEXT_DATABASE_URL", address);
    let mut session = Session::open(command, MODERN).await;
    let (tool, arguments) = search("rust");
    let answer = session.call(tool, arguments).await;
    let recheck = json!({"answer_id": answer.structured["answer_id"]});
    ensure(recheck["answer_id"].is_string(), &answer.text)?;
    let (tool, arguments) = match flood {
        Sent::Rows => ("deliverable_list", json!({})),
        _ => (RECHECK, recheck.clone()),
    };
    // Its statement is prepared by then, on each connection.
    for _ in 0..8 {
        let before = session.call(tool, arguments.clone()).await;
        ensure(!before.is_error, &before.text)?;
    }
    let idle = figure(session.process(), "VmRSS");
    bad.store(true, Ordering::Relaxed);
    let began = Instant::now();
    let refused = session.call(tool, arguments).await;
    let took = began.elapsed();
    is_small(session.process(), idle, &format!("{flood:?} while open"))?;
    ensure(
        refused.code() == "too_large" && refused.text.contains("limits.store_read_bytes (8388608)"),
        &refused.text,
    )?;
    ensure(took < LONGEST, format!("it took {took:?}"))?;
    let (tool, arguments) = search("rust async");
    let other = session.call(tool, arguments).await;
    ensure(
        !other.is_error && other.text.contains("\nNot-Kept: "),
        &other.text,
    )?;
    bad.store(false, Ordering::Relaxed);
    let mut found = session.call(RECHECK, recheck.clone()).await;
    for _ in 0..20 {
        if !found.is_error {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        found = session.call(RECHECK, recheck.clone()).await;
    }
    ensure(found.structured["verdict"] == "current", &found.text)?;
    serving.abort();
    session.hang_up();
    let ended = session.end().await;
    ensure(ended.status.success(), ended.log)
}
