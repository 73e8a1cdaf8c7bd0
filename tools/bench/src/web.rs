//! The freshcontext server over HTTP, and its load generator: raw requests on keep-alive connections.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::report::{Row, Target, Times, note};
use crate::stdio::Program;
use crate::{Failure, Plan, evaluate};

const GROUP: &str = "http";
/// Concurrent connections.
const CLIENTS: usize = 32;
/// Reply timeout: only a hung server takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server on a free loopback port, killed when dropped.
pub(crate) struct Served {
    child: Child,
    address: SocketAddr,
}

impl Served {
    /// Starts the server with additional settings (environment variables and their values).
    pub(crate) fn start(program: &Program, environment: &[(&str, String)]) -> Result<Self, Failure> {
        let mut command = program.command(&["http", "--addr", "127.0.0.1:0"]);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = child.stderr.take().map(BufReader::new);
        // From here on, the child is killed on every exit path.
        let mut served = Self {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
        };
        let lines = said.into_iter().flat_map(BufRead::lines);
        for line in lines {
            if let Some((_, rest)) = line?.split_once("http://") {
                served.address = rest.trim_end_matches("/mcp").parse()?;
                return Ok(served);
            }
        }
        Err("the HTTP server did not say its address".into())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds a complete HTTP request for one JSON-RPC message.
pub(crate) fn post(address: SocketAddr, message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// One keep-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(1 << 16),
        })
    }

    /// Sends a request, reads the complete reply, and returns its body.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        tokio::time::timeout(PATIENCE, self.exchange(request)).await?
    }

    async fn exchange(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        self.buffer.clear();
        self.stream.write_all(request).await?;
        let (head, length) = loop {
            self.more().await?;
            if let Some(found) = head(&self.buffer)? {
                break found;
            }
        };
        while self.buffer.len() < head + length {
            self.more().await?;
        }
        Ok(self.buffer.get(head..).unwrap_or_default())
    }

    async fn more(&mut self) -> Result<(), Failure> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(())
    }
}

/// Returns the lengths of the head and of the body once the head is complete. Any status but 200 is an error.
fn head(bytes: &[u8]) -> Result<Option<(usize, usize)>, Failure> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).to_ascii_lowercase();
    if !head.starts_with("http/1.1 200") {
        return Err(format!("answered {:?}", head.lines().next().unwrap_or_default()).into());
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .ok_or("a reply without content-length")?;
    Ok(Some((end + 4, length.trim().parse()?)))
}

/// Returns calls per second with [`CLIENTS`] clients, and the duration of each call.
async fn load(address: SocketAddr, request: Vec<u8>, time: Duration) -> Result<(f64, Times), Failure> {
    let begin = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let request = request.clone();
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await?;
                let mut millis = Vec::new();
                while begin.elapsed() < time {
                    let one = Instant::now();
                    connection.ask(&request).await?;
                    millis.push(one.elapsed().as_secs_f64() * 1e3);
                }
                Ok::<_, Failure>(millis)
            })
        })
        .collect();
    let mut all = Vec::new();
    for client in clients {
        all.extend(client.await??);
    }
    Ok((all.len() as f64 / begin.elapsed().as_secs_f64(), Times::new(all)))
}

/// Runs the measurements of this group.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let calls = [
        ("ping", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})),
        (
            "rejected argument",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": evaluate::TOOL, "arguments": {"profile": "none"}}}),
        ),
        (
            "evaluate_context, smallest",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": evaluate::TOOL, "arguments": {
                    "profile": "official_docs", "intent": "developer_adoption",
                    "signals": [{"source": "https://example.com/", "title": "A title"}]}}}),
        ),
    ];
    for (what, message) in calls {
        note(&format!("http: {what}"));
        // The probe and the last warm-up connections count in addition to the clients.
        let room = (
            "FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS_PER_PEER",
            "256".to_owned(),
        );
        let served = Served::start(&plan.ours, &[room])?;
        let request = post(served.address(), &message);
        let answer: Value =
            serde_json::from_slice(Connection::open(served.address()).await?.ask(&request).await?)?;
        if answer.get("result").is_none() {
            return Err(format!("{what} was answered with {answer:.300}").into());
        }
        load(served.address(), request.clone(), plan.time / 10).await?;
        let (rate, times) = load(served.address(), request, plan.time).await?;
        rows.push(
            Row::new(GROUP, format!("{what}, {CLIENTS} clients"), "calls/s", rate)
                .target(Target::AtLeast(10_000.0)),
        );
        rows.push(Row::new(
            GROUP,
            format!("{what}, {CLIENTS} clients, p99"),
            "ms",
            times.quantile(0.99),
        ));
    }
    Ok(rows)
}
