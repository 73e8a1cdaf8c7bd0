//! Limit on the bytes that a Postgres server sends. sqlx allocates as many bytes as a message announces, up to 4 GiB,
//! and accepts only an address, not a stream. It therefore connects to a socket of this process, which relays
//! messages in both directions. If the server exceeds the limit, the client gets an error in place of the message,
//! and the connection ends.
//!
//! The socket has an abstract name with 128 random bits, so it leaves nothing in the file system. It accepts
//! connections from this process only, because the server may trust this process by its user or its address.

use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, BufWriter};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::error::{NOT_CONNECTED, SENT_TOO_MUCH, SILENT};
use crate::room::LIMIT;
use crate::tls::{Opened, Tls};

/// Maximum bytes per answer of messages that are not rows: descriptions, notices, errors. This limit is on top of the
/// limit for rows.
const OTHER_BYTES: u64 = 256 << 10;
/// Maximum bytes of the settings that a server reports on one connection. sqlx keeps them for the lifetime of the
/// connection.
const SETTING_BYTES: u64 = 64 << 10;

/// Message kinds, from <https://www.postgresql.org/docs/current/protocol-message-formats.html>.
mod kind {
    pub(super) const DATA_ROW: u8 = b'D';
    pub(super) const ERROR: u8 = b'E';
    pub(super) const PARAMETER_STATUS: u8 = b'S';
    pub(super) const READY: u8 = b'Z';
}

/// Relay between sqlx and the server. Dropping it ends all its connections.
pub(crate) struct Relay {
    accepting: JoinHandle<()>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Address of the server.
enum Server {
    Socket(PathBuf),
    Host(String, u16),
}

/// Settings that all connections share.
struct Terms {
    server: Server,
    /// Maximum time to connect to the server.
    connect: Duration,
    /// Maximum bytes of rows per answer, as the operator configured it.
    most: usize,
    /// TLS to the server.
    tls: Option<Tls>,
}

impl Relay {
    /// Starts a relay to the server of these options. Returns options that lead to the relay.
    pub(crate) fn start(
        options: PgConnectOptions,
        most: usize,
        connect: Duration,
        tls: Option<Tls>,
    ) -> io::Result<(Self, PgConnectOptions)> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let folder = format!("freshcontext-{:032x}", u128::from_ne_bytes(random));
        // sqlx appends the file name to the folder of a socket.
        let name = format!("{folder}/.s.PGSQL.{}", options.get_port());
        let listener = StdListener::bind_addr(&SocketAddr::from_abstract_name(name)?)?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        let terms = Terms {
            server: Server::of(&options),
            connect,
            most,
            tls,
        };
        let accepting = tokio::spawn(accept(listener, Arc::new(terms)));
        // Within this process nothing is encrypted.
        let options = options.ssl_mode(PgSslMode::Disable);
        Ok((Self { accepting }, options.socket(format!("\0{folder}"))))
    }
}

impl Server {
    fn of(options: &PgConnectOptions) -> Self {
        let (host, port) = (options.get_host(), options.get_port());
        let folder = options.get_socket().cloned();
        let folder = folder.or_else(|| host.starts_with('/').then(|| PathBuf::from(host)));
        match folder {
            Some(folder) => Self::Socket(folder.join(format!(".s.PGSQL.{port}"))),
            None => Self::Host(host.to_owned(), port),
        }
    }
}

async fn accept(listener: UnixListener, terms: Arc<Terms>) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            _ = open.join_next(), if !open.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((client, _)) if is_own(&client) => {
                    let terms = Arc::clone(&terms);
                    // sqlx sees the end of the connection, too, so the result is not needed here.
                    open.spawn(async move { serve(client, &terms).await.ok() });
                }
                Ok(_) => {}
                // For example, no file descriptor is left.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }
}

/// Returns whether the other end is this process.
fn is_own(client: &UnixStream) -> bool {
    let other = client.peer_cred().ok().and_then(|other| other.pid());
    other.is_some_and(|other| u32::try_from(other) == Ok(std::process::id()))
}

/// Both directions of a connection to the server.
type Directions = (
    Box<dyn AsyncRead + Send + Unpin>,
    Box<dyn AsyncWrite + Send + Unpin>,
);

async fn serve(client: UnixStream, terms: &Terms) -> io::Result<()> {
    match tokio::time::timeout(terms.connect, connect(terms)).await {
        Ok(connected) => match connected? {
            Ok((from, to)) => both(client, from, to, terms.most).await,
            Err(problem) => refuse(client, &problem).await,
        },
        Err(_) => refuse(client, SILENT).await,
    }
}

/// Connects to the server, encrypted as its address says. The inner error is told in place of the server.
async fn connect(terms: &Terms) -> io::Result<Result<Directions, String>> {
    let (host, port) = match &terms.server {
        Server::Socket(path) => {
            let (from, to) = UnixStream::connect(path).await?.into_split();
            return Ok(Ok((Box::new(from), Box::new(to))));
        }
        Server::Host(host, port) => (host.as_str(), *port),
    };
    let server = TcpStream::connect((host, port)).await?;
    server.set_nodelay(true)?;
    let opened = match &terms.tls {
        None => Ok(Opened::Plain(server)),
        Some(tls) => tls.open(server).await,
    };
    Ok(opened.map(|opened| -> Directions {
        match opened {
            Opened::Plain(server) => {
                let (from, to) = server.into_split();
                (Box::new(from), Box::new(to))
            }
            Opened::Encrypted(server) => {
                let (from, to) = tokio::io::split(*server);
                (Box::new(from), Box::new(to))
            }
        }
    }))
}

/// Says why there is no connection, in place of the server.
async fn refuse(mut client: UnixStream, problem: &str) -> io::Result<()> {
    // The client writes first; what it wrote must be read, or the end of the socket could overtake the message.
    let mut first = [0; 4 << 10];
    let _ = client.read(&mut first).await?;
    client.write_all(&error(NOT_CONNECTED, problem)).await?;
    client.shutdown().await
}

/// Relays both directions until one of them ends.
async fn both(
    client: UnixStream,
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    most: usize,
) -> io::Result<()> {
    let (mut from_client, to_client) = client.into_split();
    tokio::select! {
        done = tokio::io::copy(&mut from_client, &mut to) => done.map(drop),
        done = pass(from, to_client, most) => done,
    }
}

/// Bytes received since the start of an answer, and bytes of settings since the start of the connection.
#[derive(Default)]
struct Came {
    rows: u64,
    others: u64,
    settings: u64,
}

impl Came {
    /// Counts a message. Returns whether all counts are within their limits.
    fn count(&mut self, kind: u8, bytes: u64, most: u64) -> bool {
        let sum = match kind {
            kind::DATA_ROW => &mut self.rows,
            _ => &mut self.others,
        };
        *sum = sum.saturating_add(bytes);
        if kind == kind::PARAMETER_STATUS {
            self.settings = self.settings.saturating_add(bytes);
        }
        // A quarter more, for the parts of rows that are not text: lengths and numbers.
        let rows = most.saturating_add(most / 4).saturating_add(OTHER_BYTES);
        self.rows <= rows && self.others <= OTHER_BYTES && self.settings <= SETTING_BYTES
    }
}

/// Relays messages, each with its announced length, as long as they are within their limits.
async fn pass(from: impl AsyncRead + Unpin, to: impl AsyncWrite + Unpin, most: usize) -> io::Result<()> {
    let (mut from, mut to) = (BufReader::new(from), BufWriter::new(to));
    let bound = u64::try_from(most).unwrap_or(u64::MAX);
    let mut came = Came::default();
    loop {
        if from.buffer().is_empty() {
            to.flush().await?;
        }
        let kind = from.read_u8().await?;
        let length = from.read_u32().await?;
        // The length includes itself, but not the kind.
        let body = u64::from(length.saturating_sub(4));
        if !came.count(kind, body + 5, bound) {
            let message = format!("the database server sends more than {LIMIT} ({most}) allows");
            to.write_all(&error(SENT_TOO_MUCH, &message)).await?;
            return to.flush().await;
        }
        to.write_u8(kind).await?;
        to.write_u32(length).await?;
        let passed = tokio::io::copy(&mut (&mut from).take(body), &mut to).await?;
        if passed < body {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if kind == kind::READY {
            came = Came {
                settings: came.settings,
                ..Came::default()
            };
        }
    }
}

/// Builds an error message in the server's format.
fn error(code: &str, message: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap_or(u32::MAX);
    let mut bytes = vec![kind::ERROR];
    bytes.extend(length.to_be_bytes());
    bytes.extend(fields.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use sqlx::ConnectOptions as _;
    use tokio::net::TcpListener;

    use super::*;
    use crate::error::{StoreError, Trouble};

    #[test]
    fn a_server_that_says_nothing_is_said_to_be_silent() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let error = runtime.block_on(async {
            // It accepts by its backlog, and reads nothing.
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let address = format!("postgres://a@127.0.0.1:{port}/a?sslmode=prefer");
            let options: PgConnectOptions = address.parse().unwrap();
            let tls = Tls::of(&options, &address).unwrap();
            assert!(tls.is_some());
            let most = 1 << 20;
            let (_relay, options) = Relay::start(options, most, Duration::from_millis(50), tls).unwrap();
            StoreError::from(options.connect().await.unwrap_err())
        });
        assert_eq!(
            (error.trouble, error.message.as_str()),
            (Trouble::Unreachable, SILENT)
        );
    }
}
