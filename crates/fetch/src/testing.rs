//! Test helpers of this crate: sources, a scripted loopback server, names, virtual time.

use std::collections::HashMap;
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    ArgSpec, BoxFuture, CallScope, Clock, Descriptor, ErrorCode, Hosts, KeyedUrl, Listing, Media, Peek,
    Request, Response, SourceError, Transport,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::config::{Config, Upstream};
use crate::pipeline::Pipeline;
use crate::ports::{Dial, Resolve, ResolveError, Timer};

/// Returns a source with default properties.
pub(crate) fn descriptor(id: &'static str) -> Descriptor {
    Descriptor {
        id,
        tool: "extract_test",
        title: "Test",
        description: "A crafted source.",
        example: "{}",
        profile: "none",
        hosts: Hosts::PublicWeb(&[]),
        official: true,
        peek: Peek::validators(Listing::Window),
        args: ArgSpec::length(1_000),
        dates: "None.",
        terms: "None.",
        ..Descriptor::PLAIN
    }
}

pub(crate) fn leak(descriptor: Descriptor) -> &'static Descriptor {
    Box::leak(Box::new(descriptor))
}

pub(crate) fn plain() -> &'static Descriptor {
    leak(descriptor("plain"))
}

/// A wall clock that tests set.
pub(crate) struct TestClock(pub(crate) Mutex<DateTime<Utc>>);

impl TestClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(
            DateTime::from_timestamp(1_794_000_000, 0).unwrap(),
        )))
    }

    pub(crate) fn shift(&self, seconds: i64) {
        *self.0.lock().unwrap() += TimeDelta::seconds(seconds);
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

/// A monotonic clock that only tests advance.
pub(crate) struct VirtualTimer {
    start: Instant,
    passed: watch::Sender<Duration>,
}

impl VirtualTimer {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            passed: watch::Sender::new(Duration::ZERO),
        })
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.passed.send_modify(|passed| *passed += time);
    }

    /// Advances virtual time in steps while a future runs, one step per turn of the runtime.
    pub(crate) async fn while_passing<F: Future>(&self, step: Duration, future: F) -> F::Output {
        let mut future = std::pin::pin!(future);
        loop {
            tokio::select! {
                biased;
                output = &mut future => return output,
                () = tokio::time::sleep(Duration::from_millis(1)) => self.advance(step),
            }
        }
    }
}

impl Timer for VirtualTimer {
    fn now(&self) -> Instant {
        self.start + *self.passed.borrow()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let mut passed = self.passed.subscribe();
        let until = *passed.borrow() + time;
        Box::pin(async move {
            let _ = passed.wait_for(|passed| *passed >= until).await;
        })
    }
}

type Resolved = Result<Vec<IpAddr>, ResolveError>;

/// Resolver with scripted answers: the n-th query gets the n-th list, and the last list repeats.
#[derive(Default)]
pub(crate) struct Names {
    answers: Mutex<HashMap<String, Vec<Resolved>>>,
    pub(crate) queries: AtomicUsize,
}

impl Names {
    pub(crate) fn add(self: &Arc<Self>, name: &str, lists: &[&[&str]]) -> Arc<Self> {
        let lists = lists
            .iter()
            .map(|list| Ok(list.iter().map(|text| text.parse().unwrap()).collect()))
            .collect();
        self.answers.lock().unwrap().insert(name.to_owned(), lists);
        Arc::clone(self)
    }

    pub(crate) fn fail(self: &Arc<Self>, name: &str, error: ResolveError) -> Arc<Self> {
        self.answers
            .lock()
            .unwrap()
            .insert(name.to_owned(), vec![Err(error)]);
        Arc::clone(self)
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        self.queries.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = match answers.get_mut(name) {
            Some(lists) if lists.len() > 1 => lists.remove(0),
            Some(lists) => lists[0].clone(),
            None => Err(ResolveError::NoSuchName),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Maps every checked address to one loopback socket, unless it has a socket of its own.
pub(crate) struct LeadTo {
    pub(crate) default: SocketAddr,
    pub(crate) own: HashMap<IpAddr, SocketAddr>,
    pub(crate) dialled: Mutex<Vec<IpAddr>>,
}

impl LeadTo {
    pub(crate) fn new(default: SocketAddr) -> Arc<Self> {
        Arc::new(Self {
            default,
            own: HashMap::new(),
            dialled: Mutex::default(),
        })
    }
}

impl Dial for LeadTo {
    fn sockets(&self, _host: &str, checked: &[IpAddr]) -> Vec<SocketAddr> {
        self.dialled.lock().unwrap().extend(checked);
        checked
            .iter()
            .map(|address| *self.own.get(address).unwrap_or(&self.default))
            .collect()
    }
}

/// Action of a scripted server in response to a request.
#[derive(Clone)]
pub(crate) enum Act {
    Send(Vec<u8>),
    Pause(Duration),
    /// Does nothing until the client closes the connection.
    Hang,
    Close,
    Reset,
}

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Number of the request in the server's lifetime, from 0.
    pub(crate) n: usize,
    pub(crate) connection: usize,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A scripted HTTP/1.1 server on loopback.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Mutex<Vec<Seen>>,
    pub(crate) connections: AtomicUsize,
    /// Connections that the client has closed.
    closed: watch::Sender<usize>,
    /// Requests received.
    received: watch::Sender<usize>,
}

type Handler = dyn Fn(&Seen) -> Vec<Act> + Send + Sync;

impl Server {
    pub(crate) async fn start(handler: impl Fn(&Seen) -> Vec<Act> + Send + Sync + 'static) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Arc::new(Self {
            address: listener.local_addr().unwrap(),
            seen: Mutex::default(),
            connections: AtomicUsize::new(0),
            closed: watch::Sender::new(0),
            received: watch::Sender::new(0),
        });
        let handler: Arc<Handler> = Arc::new(handler);
        let this = Arc::clone(&server);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let connection = this.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(Arc::clone(&this).serve(stream, connection, Arc::clone(&handler)));
            }
        });
        server
    }

    /// Starts a server that gives every request the same answer.
    pub(crate) async fn always(answer: impl Into<Vec<u8>>) -> Arc<Self> {
        let answer = answer.into();
        Self::start(move |_| vec![Act::Send(answer.clone())]).await
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub(crate) fn request(&self, n: usize) -> Seen {
        self.seen.lock().unwrap()[n].clone()
    }

    pub(crate) fn closed(&self) -> usize {
        *self.closed.borrow()
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until this many requests have arrived, at most ten seconds.
    pub(crate) async fn has_received(&self, requests: usize) {
        reaches(&self.received, requests).await;
    }

    /// Waits until the client has closed this many connections, at most ten seconds.
    pub(crate) async fn has_closed(&self, connections: usize) {
        reaches(&self.closed, connections).await;
    }

    async fn serve(self: Arc<Self>, mut stream: TcpStream, connection: usize, handler: Arc<Handler>) {
        let mut buffer = Vec::new();
        while let Some((head, body)) = read_request(&mut stream, &mut buffer).await {
            let seen = {
                let mut all = self.seen.lock().unwrap();
                let seen = Seen {
                    n: all.len(),
                    connection,
                    head,
                    body,
                };
                all.push(seen.clone());
                seen
            };
            self.received.send_modify(|count| *count += 1);
            for act in handler(&seen) {
                match act {
                    Act::Send(bytes) => {
                        if stream.write_all(&bytes).await.is_err() {
                            break;
                        }
                    }
                    Act::Pause(time) => tokio::time::sleep(time).await,
                    Act::Hang => {
                        let mut rest = [0; 64];
                        while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
                        self.closed.send_modify(|count| *count += 1);
                        return;
                    }
                    Act::Close => return,
                    Act::Reset => {
                        let _ = stream.set_zero_linger();
                        return;
                    }
                }
            }
        }
        self.closed.send_modify(|count| *count += 1);
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, String)> {
    loop {
        if let Some(end) = memchr::memmem::find(buffer, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length:")?
                        .trim()
                        .parse()
                        .ok()
                })
                .unwrap_or(0_usize);
            while buffer.len() < end + 4 + length {
                if stream.read_buf(buffer).await.ok()? == 0 {
                    return None;
                }
            }
            let body = String::from_utf8_lossy(&buffer[end + 4..end + 4 + length]).into_owned();
            buffer.drain(..end + 4 + length);
            return Some((head, body));
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

async fn reaches(count: &watch::Sender<usize>, wanted: usize) {
    let mut count = count.subscribe();
    let reached = count.wait_for(|count| *count >= wanted);
    tokio::time::timeout(Duration::from_secs(10), reached)
        .await
        .expect("it comes in time")
        .unwrap();
}

/// Builds a complete answer.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut text = format!("HTTP/1.1 {status} Crafted\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    text.push_str("\r\n");
    [text.as_bytes(), body].concat()
}

pub(crate) fn json(body: &str) -> Vec<u8> {
    answer(200, &[("content-type", "application/json")], body)
}

/// Returns a configuration that sends every request to this server.
pub(crate) fn config_to(server: &Server) -> Config {
    let mut config = Config::new(TestClock::new());
    config.upstreams = vec![Upstream::parse(&format!("*={}", server.base())).unwrap()];
    config
}

/// Sets time limits that are short enough for tests.
pub(crate) fn hasten(config: &mut Config) {
    config.limits.connect_ms = 300;
    config.limits.tls_ms = 300;
    config.limits.first_byte_ms = 300;
    config.limits.idle_read_ms = 200;
    config.limits.attempts = 1;
}

pub(crate) fn pipeline(config: Config) -> Arc<Pipeline> {
    Arc::new(Pipeline::new(config).unwrap())
}

/// Returns whether no request to any host is running or waiting.
pub(crate) fn is_idle(pipeline: &Pipeline) -> bool {
    let hosts = pipeline.status();
    hosts.iter().all(|host| host.in_flight == 0 && host.waiting == 0)
}

/// Returns a request for an address that the adapter wrote.
pub(crate) fn get(url: &str) -> Request {
    let url = KeyedUrl::new(Box::leak(url.to_owned().into_boxed_str()), &[]).unwrap();
    Request::get(url, Media::Json)
}

/// Returns a request for an address from outside.
pub(crate) fn get_foreign(url: &str) -> Request {
    Request::get(Url::parse(url).unwrap(), Media::Json)
}

pub(crate) fn scope(descriptor: &'static Descriptor, timer: &dyn Timer, seconds: u64) -> CallScope {
    CallScope {
        descriptor,
        deadline: timer.now() + Duration::from_secs(seconds),
        max_age: None,
    }
}

/// Sends with the real timer, a plain source, and a limit of twenty seconds.
pub(crate) async fn send(pipeline: &Pipeline, request: Request) -> Result<Response, SourceError> {
    let scope = scope(plain(), &crate::ports::TokioTimer, 20);
    pipeline.send(&scope, request).await
}

/// Sends and returns the code, the detail and the attempts of the failure.
pub(crate) async fn failure(pipeline: &Pipeline, request: Request) -> (ErrorCode, String, u32) {
    let error = send(pipeline, request).await.expect_err("a failure was due");
    (
        error.code,
        error.detail.unwrap_or_default().into_owned(),
        error.attempts,
    )
}

/// Captured log of this thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log until the guard is dropped.
    pub(crate) fn start() -> (Self, tracing::subscriber::DefaultGuard) {
        // Without a global subscriber a test that has none of its own can switch off a log line for the whole process, at
        // the moment in which it is the first to reach it.
        static EVERYTHING: Once = Once::new();
        EVERYTHING.call_once(|| {
            // Where another was first, it is the one that is wanted.
            let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
        });
        let log = Self::default();
        let sink = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || sink.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
