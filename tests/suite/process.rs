//! The server as a child process: MCP lines by hand, and plain command lines.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use freshcontext_testkit::check::Outcome;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

/// The server's binary.
pub const BINARY: &str = env!("CARGO_BIN_EXE_freshcontext-under-test");

/// Revisions that begin with `initialize`.
pub const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The revision without a handshake.
pub const MODERN: &str = "2026-07-28";

/// Longest wait for anything that must come; a test that needs it has failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A folder of the suite's own, in place of the user's home.
pub fn scratch() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("suite");
    std::fs::create_dir_all(&folder).expect("a folder for the server's files");
    folder
}

/// The binary with these arguments, an environment without surprises, and pipes.
pub fn command(arguments: &[&str]) -> Command {
    program(BINARY, arguments)
}

/// The same for another program.
pub fn program(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", scratch())
        .env("FRESHCONTEXT_DATA_DIR", scratch().join("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The same command, started by another program that takes it as its last arguments.
pub fn through(runner: &str, arguments: &[&str], command: &Command) -> Command {
    let given = command.as_std();
    let mut through = program(runner, arguments);
    through.arg(given.get_program()).args(given.get_args());
    for (name, value) in given.get_envs() {
        if let Some(value) = value {
            through.env(name, value);
        }
    }
    through
}

/// What a finished command left.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command line to its end, with this on stdin.
pub async fn finish(mut command: Command, input: &str) -> Finished {
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writing = async move {
        // A command that does not read its input may close it early.
        let _ = stdin.write_all(input.as_bytes()).await;
    };
    let waiting = tokio::time::timeout(PATIENCE, child.wait_with_output());
    let (output, ()) = tokio::join!(waiting, writing);
    let output = output.expect("the command ends").expect("its output");
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on stdout"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on stderr"),
    }
}

/// Sends a signal to a process that this test started.
pub fn signal(process: u32, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([format!("-{name}"), process.to_string()])
        .status();
    assert!(
        sent.is_ok_and(|status| status.success()),
        "kill -{name} {process}"
    );
}

/// Text that a task collects from a pipe.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<String>>);

impl Log {
    /// Collects lines until the pipe ends.
    pub fn of(pipe: impl AsyncRead + Send + Unpin + 'static) -> (Self, JoinHandle<()>) {
        let log = Self::default();
        let sink = log.clone();
        let task = tokio::spawn(async move {
            let mut lines = BufReader::new(pipe).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let mut text = sink.0.lock().unwrap_or_else(PoisonError::into_inner);
                text.push_str(&line);
                text.push('\n');
            }
        });
        (log, task)
    }

    pub fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An MCP session over stdio with a child process. Every line of stdout is checked to be JSON-RPC.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    logging: JoinHandle<()>,
    pub log: Log,
    /// Everything that came on stdout.
    pub raw: String,
    version: &'static str,
    last_id: i64,
}

impl Session {
    /// A session without a word spoken.
    pub fn silent(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the binary starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (log, logging) = Log::of(child.stderr.take().expect("a pipe"));
        Self {
            input: child.stdin.take(),
            output,
            logging,
            log,
            raw: String::new(),
            version: MODERN,
            last_id: 0,
            child,
        }
    }

    /// A session of a revision, begun the way that revision begins.
    pub async fn open(command: Command, version: &'static str) -> Self {
        let mut session = Self::silent(command);
        session.version = version;
        if version == MODERN {
            let found = session.ask("server/discover", json!({})).await;
            assert!(
                found["result"]["supportedVersions"]
                    .as_array()
                    .is_some_and(|all| all.contains(&json!(MODERN))),
                "{found}"
            );
            return session;
        }
        let hello = json!({"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "suite", "version": "1"}});
        let welcome = session.ask("initialize", hello).await;
        assert_eq!(welcome["result"]["protocolVersion"], version, "{welcome}");
        session
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        session
    }

    /// A session of the newest revision with the ordinary command line.
    pub async fn with_upstream(base: &str) -> Self {
        let mut command = command(&["stdio"]);
        command.env("FRESHCONTEXT_UPSTREAM", format!("*={base}"));
        Self::open(command, MODERN).await
    }

    pub fn process(&self) -> u32 {
        self.child.id().expect("a running process")
    }

    /// Writes bytes as they are.
    pub async fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("stdin is open");
        input.write_all(bytes).await.expect("the server reads");
        input.flush().await.expect("the server reads");
    }

    /// Writes one message.
    pub async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request in the session's revision; returns its id.
    pub async fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        let message = self.message(id, method, params);
        self.send(&message).await;
        id
    }

    /// A request in the session's revision, not sent.
    pub fn message(&self, id: i64, method: &str, params: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": in_revision(self.version, params)})
    }

    /// The next message, or `None` at the end of stdout.
    pub async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line())
            .await
            .expect("the server answers")
            .expect("UTF-8 on stdout")?;
        self.raw.push_str(&line);
        self.raw.push('\n');
        let message: Value = serde_json::from_str(&line).expect("a line of stdout is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Messages up to the answer of this request, which is the last of them.
    pub async fn until(&mut self, id: impl Into<Value>) -> Vec<Value> {
        let id = id.into();
        let mut messages = Vec::new();
        loop {
            let message = self.next().await.expect("an answer before the end");
            let found = message.get("id") == Some(&id);
            messages.push(message);
            if found {
                return messages;
            }
        }
    }

    /// A request and its answer; nothing else may come between.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let mut messages = self.until(id).await;
        let answer = messages.pop().expect("the answer");
        assert!(messages.is_empty(), "unasked for: {messages:?}");
        answer
    }

    /// Answers to all these requests, by id; none may come twice.
    pub async fn answers(&mut self, ids: &[i64]) -> HashMap<i64, Value> {
        let mut found = HashMap::new();
        while found.len() < ids.len() {
            let message = self.next().await.expect("an answer before the end");
            let id = message["id"].as_i64().expect("an id that was sent");
            assert!(ids.contains(&id), "nobody asked {message}");
            assert!(found.insert(id, message).is_none(), "{id} answered twice");
        }
        found
    }

    /// Calls a tool.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Outcome {
        let answer = self
            .ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .await;
        outcome(&answer)
    }

    /// Sends calls of a tool at once; their outcomes in that order.
    pub async fn calls(&mut self, calls: &[(&str, Value)]) -> Vec<Outcome> {
        let mut ids = Vec::new();
        let mut lines = String::new();
        for (tool, arguments) in calls {
            self.last_id += 1;
            ids.push(self.last_id);
            let params = json!({"name": tool, "arguments": arguments});
            lines.push_str(&self.message(self.last_id, "tools/call", params).to_string());
            lines.push('\n');
        }
        self.write(lines.as_bytes()).await;
        let mut answers = self.answers(&ids).await;
        ids.iter()
            .map(|id| outcome(&answers.remove(id).unwrap_or_default()))
            .collect()
    }

    /// Closes stdin.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Everything until the process ends, and how it ended.
    pub async fn end(mut self) -> Ended {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message);
        }
        let status = tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .expect("the process ends")
            .expect("its status");
        let _ = self.logging.await;
        Ended {
            status,
            messages,
            log: self.log.text(),
            raw: self.raw,
        }
    }
}

/// How a session ended.
pub struct Ended {
    pub status: ExitStatus,
    /// Messages since the last one read.
    pub messages: Vec<Value>,
    pub log: String,
    /// All of stdout.
    pub raw: String,
}

/// Parameters with what a revision wants in each of them.
pub fn in_revision(version: &str, mut params: Value) -> Value {
    if version == MODERN
        && let Some(params) = params.as_object_mut()
    {
        let meta = params.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
        meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "suite", "version": "1"});
    }
    params
}

/// What came of a tool call, from its JSON-RPC answer.
pub fn outcome(answer: &Value) -> Outcome {
    let result = &answer["result"];
    let content = result["content"].as_array();
    assert!(content.is_some(), "not a tool's result: {answer}");
    Outcome {
        text: content
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        structured: result["structuredContent"].clone(),
        is_error: result["isError"] == true,
    }
}
