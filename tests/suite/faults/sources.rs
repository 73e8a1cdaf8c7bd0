//! Group B: sources that speak HTTP wrongly, or HTTP/2, byte by byte.

use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Failed, Trial};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::memory::figure;
use crate::process::{MODERN, Session, command};
use crate::run::block_on;
use crate::upstreams::hits;

/// Most memory that one swollen head may take, in KiB.
const HEAD_PEAK: u64 = 1 << 10;
/// The same for streams of HTTP/2.
const STREAM_PEAK: u64 = 4 << 10;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("faults::shorter_than_stated_and_longer", || block_on(lengths())),
        Trial::test("faults::sources_of_http2", || block_on(http2())),
    ];
    if cfg!(target_os = "linux") {
        trials.push(Trial::test("faults::swollen_heads", || block_on(swollen())));
    }
    trials
}

/// A source that writes bytes in answer to each request, whatever HTTP says of them, and leaves the connection open.
struct Raw {
    base: String,
    /// First lines of the requests, with the number of their connection.
    seen: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Raw {
    /// `answer` takes the number of the request.
    async fn start(answer: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::<Mutex<Vec<(usize, String)>>>::default();
        let (noted, answer) = (Arc::clone(&seen), Arc::new(answer));
        tokio::spawn(async move {
            let mut connections = 0;
            while let Ok((mut stream, _)) = listener.accept().await {
                connections += 1;
                let (noted, answer, connection) = (Arc::clone(&noted), Arc::clone(&answer), connections);
                tokio::spawn(async move {
                    loop {
                        let mut head = Vec::new();
                        while !head.ends_with(b"\r\n\r\n") {
                            match stream.read_u8().await {
                                Ok(byte) => head.push(byte),
                                Err(_) => return,
                            }
                        }
                        let line = String::from_utf8_lossy(&head).into_owned();
                        let number = {
                            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                            noted.push((connection, line));
                            noted.len() - 1
                        };
                        if stream.write_all(&answer(number)).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { base, seen }
    }

    fn seen(&self) -> Vec<(usize, String)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn session(&self) -> Session {
        let mut command = command(&["stdio"]);
        command
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", self.base))
            .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1")
            .env("FRESHCONTEXT_LIMIT_FIRST_BYTE_MS", "1500")
            .env("FRESHCONTEXT_LIMIT_IDLE_READ_MS", "1500")
            .env("FRESHCONTEXT_LIMIT_BREAKER_FAILURES", "1000");
        Session::open(command, MODERN).await
    }
}

/// A right answer as bytes.
fn good() -> Vec<u8> {
    let body = hits("rust");
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// B05: a body that is longer than its stated length is cut there, which is no answer, and one that is shorter is none
/// either; what is left on the connection is not taken for the next answer.
async fn lengths() -> Result<(), Failed> {
    let body = hits("rust");
    let upstream = Raw::start(move |number| match number {
        0 => format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{body}"
        )
        .into_bytes(),
        1 => format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\nContent-Length: 9\r\n\r\n{body}"
        )
        .into_bytes(),
        _ => good(),
    })
    .await;
    let mut session = upstream.session().await;
    for word in ["one", "two"] {
        let cut = session.call("extract_hackernews", json!({"url": word})).await;
        assert_eq!(cut.code(), "malformed", "{word}: {}", cut.text);
    }
    let next = session.call("extract_hackernews", json!({"url": "three"})).await;
    assert!(!next.is_error, "{}", next.text);
    let connections: Vec<usize> = upstream
        .seen()
        .iter()
        .map(|(connection, _)| *connection)
        .collect();
    assert_eq!(connections, [1, 2, 3], "no connection is used again");
    Ok(())
}

/// B04: each of these takes at most 1 MiB, and the next call is answered.
async fn swollen() -> Result<(), Failed> {
    let many = "x-many: 1\r\n".repeat(101);
    let heads = [
        format!("HTTP/1.1 200 OK\r\n{many}\r\n"),
        format!(
            "HTTP/1.1 200 OK\r\nx-a: {}\r\nContent-Length: 2\r\n\r\n{{}}",
            "a".repeat(64 << 10)
        ),
        format!("HTTP/1.1 200 {}", "a".repeat(1 << 20)),
        format!("HTTP/1.1 200 OK\r\n{}", "a: b\r\n".repeat((1 << 20) / 6)),
    ];
    let kinds = heads.len();
    // The same answer for every third request: an ordinary one first and after each.
    let upstream = Raw::start(move |number| match number % 2 {
        0 => good(),
        _ => heads[number / 2 % kinds].clone().into_bytes(),
    })
    .await;
    let mut session = upstream.session().await;
    let mut worst = 0;
    let (mut word, mut peak) = (0, 0);
    // All of them once without a measurement: what the first failures load is no memory of one.
    for kind in 0..=2 * kinds {
        word += 1;
        let fine = session
            .call("extract_hackernews", json!({"url": format!("word {word}")}))
            .await;
        assert!(!fine.is_error, "before {kind}: {}", fine.text);
        let now = figure(session.process(), "VmHWM");
        if kind > kinds {
            let above = now.saturating_sub(peak);
            eprintln!("swollen heads: +{above} KiB, kind {kind}");
            worst = worst.max(above);
        }
        peak = now;
        if kind < 2 * kinds {
            word += 1;
            let swollen = session
                .call("extract_hackernews", json!({"url": format!("word {word}")}))
                .await;
            assert!(
                ["malformed", "timeout"].contains(&swollen.code()),
                "{kind}: {}",
                swollen.text
            );
        }
    }
    assert!(worst <= HEAD_PEAK, "{worst} KiB for one");
    Ok(())
}

/// A frame of HTTP/2 (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// B24: the server speaks HTTP/1.1 to sources and offers nothing else; frames of HTTP/2 in answer are no answer, take
/// little memory, and the next call has a new connection.
async fn http2() -> Result<(), Failed> {
    let settings = frame(4, 0, 0, &[]);
    let floods: Vec<Vec<u8>> = vec![
        // GOAWAY
        [settings.clone(), frame(7, 0, 0, &[0; 8])].concat(),
        // RST_STREAM
        [settings.clone(), frame(3, 0, 1, &[0, 0, 0, 8]).repeat(10_000)].concat(),
        // CONTINUATION without an end
        [frame(1, 0, 1, b"x"), frame(9, 0, 1, &[b'a'; 16_000]).repeat(200)].concat(),
        // SETTINGS
        settings.repeat(100_000),
    ];
    let kinds = floods.len();
    let upstream = Raw::start(move |number| match number % 2 {
        0 => good(),
        _ => floods[number / 2 % kinds].clone(),
    })
    .await;
    let mut session = upstream.session().await;
    let mut before = 0;
    for kind in 0..kinds {
        let fine = session
            .call("extract_hackernews", json!({"url": format!("fine {kind}")}))
            .await;
        assert!(!fine.is_error, "{kind}: {}", fine.text);
        if kind == 0 && cfg!(target_os = "linux") {
            before = figure(session.process(), "VmHWM");
        }
        let flooded = session
            .call("extract_hackernews", json!({"url": format!("flood {kind}")}))
            .await;
        assert!(
            ["malformed", "unreachable", "timeout"].contains(&flooded.code()),
            "{kind}: {}",
            flooded.text
        );
    }
    if cfg!(target_os = "linux") {
        let above = figure(session.process(), "VmHWM").saturating_sub(before);
        assert!(above <= STREAM_PEAK, "{above} KiB");
    }
    for (_, head) in upstream.seen() {
        let head = head.to_ascii_lowercase();
        assert!(
            head.lines()
                .next()
                .is_some_and(|line| line.ends_with(" http/1.1")),
            "{head}"
        );
        assert!(
            !head.contains("upgrade") && !head.contains("http2-settings"),
            "{head}"
        );
    }
    Ok(())
}
