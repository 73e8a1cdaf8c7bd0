//! A minimal HTTP client that sends exactly the test's bytes.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use freshcontext_testkit::check::Outcome;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::process::{Log, MODERN, PATIENCE, command, in_revision, outcome};

/// The server on a free port of loopback.
pub struct HttpServer {
    pub child: Child,
    pub address: SocketAddr,
    pub log: Log,
}

impl HttpServer {
    /// Starts with this environment and waits until it reports its address.
    pub async fn start(environment: &[(&str, &str)]) -> Self {
        let mut command = command(&["http", "--addr", "127.0.0.1:0"]);
        command.envs(environment.iter().copied());
        Self::of(command).await
    }

    /// Starts this command, like [`start`](Self::start).
    pub async fn of(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the binary starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        let address = loop {
            let read = tokio::time::timeout(PATIENCE, stderr.read_line(&mut said)).await;
            assert!(
                read.expect("the server starts").expect("UTF-8") > 0,
                "it ended: {said}"
            );
            let place = said
                .lines()
                .last()
                .and_then(|line| line.split_once("MCP at http://"));
            if let Some((_, place)) = place {
                break place.trim().trim_end_matches("/mcp").parse().expect("an address");
            }
        };
        let (log, _) = Log::of(stderr);
        Self { child, address, log }
    }

    /// With a scripted upstream.
    pub async fn with_upstream(base: &str) -> Self {
        Self::start(&[("FRESHCONTEXT_UPSTREAM", &format!("*={base}"))]).await
    }

    pub fn process(&self) -> u32 {
        self.child.id().expect("a running process")
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address)
            .await
            .expect("the server listens")
    }

    /// Sends bytes on a new connection and reads the response to its end.
    pub async fn raw(&self, bytes: impl AsRef<[u8]>) -> Answer {
        let mut stream = self.connect().await;
        // The server may refuse and close before everything is written.
        let _ = stream.write_all(bytes.as_ref()).await;
        Answer::read(&mut stream).await
    }

    /// A request with the headers that a client of this server sends, unless they are given.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.raw(request(self.address, method, path, headers, body)).await
    }

    /// POSTs a message to the endpoint.
    pub async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.send("POST", "/mcp", headers, &message.to_string()).await
    }

    /// One request of a revision, with the headers it wants; the answer's JSON.
    pub async fn ask(&self, version: &str, method: &str, params: Value) -> Value {
        let answer = self
            .post(
                &version_headers(version, method, &params),
                &rpc(version, 1, method, params.clone()),
            )
            .await;
        assert_eq!(answer.status, 200, "{method}: {}", answer.body);
        answer.json()
    }

    /// Calls a tool in the newest revision.
    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let answer = self
            .ask(
                MODERN,
                "tools/call",
                json!({"name": tool, "arguments": arguments}),
            )
            .await;
        outcome(&answer)
    }
}

/// A message of a revision.
pub fn rpc(version: &str, id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": in_revision(version, params)})
}

/// Returns the headers that a revision requires in addition to the body.
pub fn version_headers<'a>(version: &'a str, method: &'a str, params: &'a Value) -> Vec<(&'a str, &'a str)> {
    let mut headers = vec![("MCP-Protocol-Version", version)];
    if version == MODERN {
        headers.push(("Mcp-Method", method));
        // Of a resource, its address.
        if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
            headers.push(("Mcp-Name", name));
        }
    }
    headers
}

/// A request as bytes. A header given with an empty value is left out.
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> String {
    let host = address.to_string();
    let length = body.len().to_string();
    let mut all: Vec<(&str, &str)> = vec![
        ("Host", &host),
        ("Connection", "close"),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
        ("Content-Length", &length),
    ];
    all.retain(|(name, _)| !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)));
    all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
    let mut text = format!("{method} {path} HTTP/1.1\r\n");
    for (name, value) in all {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    text + "\r\n" + body
}

/// An answer, its body without chunks.
#[derive(Debug)]
pub struct Answer {
    /// 0 if the connection was closed without a response.
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// Reads to the end of the connection.
    pub async fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        // A reset after the response does not affect it.
        let _ = reading.expect("the server answers or closes");
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let chunked = headers
            .iter()
            .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked { unchunk(body) } else { body.to_owned() };
        Self {
            status,
            headers,
            body,
        }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// Returns the message in the body: JSON, or the last event of a stream.
    pub fn json(&self) -> Value {
        let text = if self.header("content-type").starts_with("text/event-stream") {
            self.events().pop().unwrap_or_default()
        } else {
            self.body.clone()
        };
        serde_json::from_str(&text).unwrap_or_else(|error| Value::String(format!("{error}: {text}")))
    }

    /// Returns the data of a stream's events; empty ones are keep-alives.
    pub fn events(&self) -> Vec<String> {
        self.body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(|data| data.trim().to_owned())
            .filter(|data| !data.is_empty())
            .collect()
    }
}

fn unchunk(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(chunk) = after.get(..size).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        body.push_str(chunk);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    body
}

/// Waits until a condition holds, or fails after a while.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(
        tokio::time::timeout(PATIENCE, waiting).await.is_ok(),
        "{what} never came"
    );
}
