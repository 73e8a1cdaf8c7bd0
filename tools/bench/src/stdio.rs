//! A server as a child process that speaks JSON-RPC lines, and the loop that times it. The same loop drives the
//! freshcontext server and the reference.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Failure;
use crate::report::Times;

/// Program to start.
#[derive(Debug, Clone)]
pub(crate) enum Program {
    /// The freshcontext binary.
    Ours(PathBuf),
    /// The reference: a script that `node` runs.
    Reference(PathBuf),
}

impl Program {
    /// Returns the command, with an environment that isolates the run from the user's own settings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = match self {
            Self::Ours(path) => Command::new(path),
            Self::Reference(path) => {
                let mut command = Command::new("node");
                command.arg(path);
                command
            }
        };
        command.args(arguments).stderr(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("FRESHCONTEXT_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// Returns the command pinned to one processor, if `taskset` is available.
    pub(crate) fn on_one_core(&self) -> Command {
        match self {
            Self::Ours(path) if Path::new("/usr/bin/taskset").exists() => {
                let mut command = Command::new("/usr/bin/taskset");
                command.args(["-c", "1"]).arg(path).stderr(Stdio::null());
                command
            }
            _ => self.command(&[]),
        }
    }
}

/// A running server. It is killed when dropped, and when its maximum lifetime is over.
#[derive(Debug)]
pub(crate) struct Session {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    next_id: u64,
    /// Dropping the sender ends the watchdog thread.
    _watch: mpsc::Sender<()>,
}

impl Session {
    /// Starts a server with a maximum lifetime of `life`.
    pub(crate) fn start(mut command: Command, life: Duration) -> Result<Self, Failure> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no stdin")?;
        let output = child.stdout.take().ok_or("no stdout")?;
        let child = Arc::new(Mutex::new(child));
        let (watch, over) = mpsc::channel::<()>();
        let watched = Arc::clone(&child);
        std::thread::spawn(move || {
            if over.recv_timeout(life) == Err(mpsc::RecvTimeoutError::Timeout) {
                // The reader then gets the end of the stream and reports it.
                let _ = watched.lock().unwrap_or_else(PoisonError::into_inner).kill();
            }
        });
        Ok(Self {
            child,
            input,
            output: BufReader::with_capacity(1 << 16, output),
            line: Vec::new(),
            next_id: 1,
            _watch: watch,
        })
    }

    /// Starts a server and initialises a session. Returns the time to its answer, in milliseconds.
    pub(crate) fn greeted(command: Command, life: Duration) -> Result<(Self, f64), Failure> {
        let begin = Instant::now();
        let mut session = Self::start(command, life)?;
        session.exchange(
            br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
        )?;
        let millis = begin.elapsed().as_secs_f64() * 1e3;
        session
            .input
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        session.input.flush()?;
        Ok((session, millis))
    }

    /// Sends one line and reads one line. Does not parse: both servers are timed by their bytes.
    pub(crate) fn exchange(&mut self, line: &[u8]) -> Result<&[u8], Failure> {
        let line = [line, b"\n"].concat();
        self.input.write_all(&line)?;
        self.answer()
    }

    /// Sends a request with a new id and reads one line. An id must be unique within a session.
    pub(crate) fn again(&mut self, request: &mut Request) -> Result<&[u8], Failure> {
        self.next_id += 1;
        request.line.truncate(request.length);
        writeln!(request.line, ",\"id\":{}}}", self.next_id)?;
        self.input.write_all(&request.line)?;
        self.answer()
    }

    fn answer(&mut self) -> Result<&[u8], Failure> {
        self.input.flush()?;
        self.line.clear();
        if self.output.read_until(b'\n', &mut self.line)? == 0 {
            return Err("the server closed its output, or its time was over".into());
        }
        Ok(&self.line)
    }

    /// Sends a request and parses its answer, which must be a result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
        let answer: Value = serde_json::from_slice(self.exchange(request.as_bytes())?)?;
        match answer.get("result") {
            Some(result) if answer.get("id") == Some(&json!(id)) => Ok(result.clone()),
            _ => Err(format!("{method} was answered with {answer:.300}").into()),
        }
    }

    /// Returns the resident memory in KiB, as the operating system reports it.
    pub(crate) fn resident_kib(&self) -> Result<f64, Failure> {
        let id = self.child.lock().unwrap_or_else(PoisonError::into_inner).id();
        resident_kib(id)
    }

    /// Calls this tool sequentially for about `time`, at least [`TURNS`] times, after a warm-up of a tenth of `time`.
    pub(crate) fn calls(self, tool: &str, arguments: &Value, time: Duration) -> Result<Timed, Failure> {
        let mut series = Series::begin(self, tool, arguments, time / 10)?;
        for _ in 0..TURNS {
            series.run(time / TURNS)?;
        }
        series.end()
    }
}

/// Turns per server, with at least one call each.
const TURNS: u32 = 8;

/// Times two servers in turns, so that other load on the machine affects both.
pub(crate) fn in_turns(
    sessions: [Session; 2],
    tool: &str,
    arguments: &Value,
    time: Duration,
) -> Result<[Timed; 2], Failure> {
    let [one, other] = sessions.map(|session| Series::begin(session, tool, arguments, time / 10));
    let (mut one, mut other) = (one?, other?);
    for _ in 0..TURNS {
        one.run(time / TURNS)?;
        other.run(time / TURNS)?;
    }
    Ok([one.end()?, other.end()?])
}

/// Sequential calls of one tool. Answers are checked before and after the timed calls, not in between.
struct Series {
    session: Session,
    tool: String,
    request: Request,
    millis: Vec<f64>,
    bytes: usize,
}

impl Series {
    /// Warms up: makes unmeasured calls for `warm`.
    fn begin(mut session: Session, tool: &str, arguments: &Value, warm: Duration) -> Result<Self, Failure> {
        let params = json!({"name": tool, "arguments": arguments});
        let first = session.request("tools/call", &params)?;
        if first.get("isError") == Some(&json!(true)) {
            return Err(format!("{tool} failed: {first:.300}").into());
        }
        let mut request = Request::new("tools/call", &params);
        let begin = Instant::now();
        while begin.elapsed() < warm {
            session.again(&mut request)?;
        }
        Ok(Self {
            session,
            tool: tool.to_owned(),
            request,
            millis: Vec::new(),
            bytes: 0,
        })
    }

    /// Makes calls for about `time`, at least one.
    fn run(&mut self, time: Duration) -> Result<(), Failure> {
        let begin = Instant::now();
        loop {
            let one = Instant::now();
            self.bytes = self.session.again(&mut self.request)?.len();
            self.millis.push(one.elapsed().as_secs_f64() * 1e3);
            if begin.elapsed() >= time {
                return Ok(());
            }
        }
    }

    fn end(self) -> Result<Timed, Failure> {
        let last: Value = serde_json::from_slice(&self.session.line)?;
        if last.pointer("/result/content").is_none() {
            return Err(format!("{} was answered with {last:.300}", self.tool).into());
        }
        Ok(Timed {
            times: Times::new(self.millis),
            bytes: self.bytes,
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // The child may have exited already; it is reaped in either case.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A request that is sent repeatedly. Only its id changes, so writing it costs next to nothing.
#[derive(Debug)]
pub(crate) struct Request {
    line: Vec<u8>,
    length: usize,
}

impl Request {
    /// Serialises the request without its id.
    pub(crate) fn new(method: &str, params: &Value) -> Self {
        let mut line = json!({"jsonrpc": "2.0", "method": method, "params": params})
            .to_string()
            .into_bytes();
        line.pop();
        Self {
            length: line.len(),
            line,
        }
    }
}

/// Result of a series of calls.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    /// Duration of each call, in milliseconds.
    pub times: Times,
    /// Length of the last answer's line, in bytes.
    pub bytes: usize,
}

/// Returns the resident memory of a process in KiB (Linux only).
pub(crate) fn resident_kib(process: u32) -> Result<f64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB"));
    Ok(kib.ok_or("no VmRSS")?.trim().parse()?)
}
