//! Every limit, in one table.
//!
//! The defaults are the ones of the project's fault matrix. An operator may set any of them in the
//! configuration (`[limits]`, or `FRESHCONTEXT_LIMIT_<NAME>`); a caller may only tighten
//! what concerns its own call (`max_length`, `limit`, `max_age`).

use serde::{Deserialize, Serialize};

/// The table of limits. Units are in the field names: `_ms` milliseconds, `_bytes` bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Deadline of one tool call.
    pub call_deadline_ms: u64,
    /// Deadline of a composite call, shared by its sections.
    pub composite_deadline_ms: u64,
    /// Time to open a TCP connection, name resolution included.
    pub connect_ms: u64,
    /// Time for the TLS handshake.
    pub tls_ms: u64,
    /// Time from the request being sent to the response headers.
    pub first_byte_ms: u64,
    /// Longest silence while a body is being read.
    pub idle_read_ms: u64,
    /// Response body as it comes over the wire.
    pub body_wire_bytes: usize,
    /// Response body after content decoding.
    pub body_decoded_bytes: usize,
    /// Largest allowed expansion once 1 MiB has been decoded.
    pub expansion_ratio: usize,
    /// All response headers together.
    pub header_bytes: usize,
    /// Number of response header fields.
    pub header_fields: usize,
    /// Redirects followed for one request.
    pub redirects: u32,
    /// One line of JSON-RPC on stdin. Room for 100 signals at their longest in any script.
    pub stdio_line_bytes: usize,
    /// Requests on stdin that are read before one of them is answered and its answer written.
    pub stdio_requests: usize,
    /// Bytes of requests on stdin that are not answered, and of answers that are not written.
    pub stdio_bytes: usize,
    /// Body of one inbound HTTP request: as much as a line on stdin.
    pub http_body_bytes: usize,
    /// Bytes of inbound HTTP requests that are read and not answered, and of what is made of their texts, in all
    /// connections together. Bodies of up to [`SMALL_REQUEST`] bytes do not count.
    pub http_bytes: usize,
    /// Nesting of caller-given JSON.
    pub json_depth: usize,
    /// Tool calls being worked on at once.
    pub calls_in_flight: usize,
    /// Tool calls waiting for a place.
    pub calls_queued: usize,
    /// Longest wait for a place before `overloaded`.
    pub queue_wait_ms: u64,
    /// Threads that read what sources sent; 0 is one for each processor, and at least 2.
    pub reading_threads: usize,
    /// Bytes of what sources sent, and of what is made of it while it is read, in all calls together.
    /// See [`reading_shares`](Self::reading_shares).
    pub reading_bytes: usize,
    /// Requests in flight to a host whose source lists no number.
    pub per_host_in_flight: usize,
    /// Upper bound of `max_length`, in characters.
    pub result_chars: usize,
    /// Signals in one `evaluate_context` call.
    pub signals: usize,
    /// Bytes of all signal texts in one `evaluate_context` call.
    pub signals_bytes: usize,
    /// Attempts for one upstream request, the first included.
    pub attempts: u32,
    /// Tokens in the retry quota; a retry takes 5, a retry after a timeout 10, a success gives 1.
    pub retry_quota: u32,
    /// Longest `Retry-After` that is believed, in seconds.
    pub retry_after_max_s: u64,
    /// How long a host is left alone at least that refused and named no time.
    pub refusal_wait_ms: u64,
    /// Consecutive failures that open a host's circuit breaker.
    pub breaker_failures: u32,
    /// First wait of an open breaker; doubles up to [`breaker_max_open_ms`](Self::breaker_max_open_ms).
    pub breaker_open_ms: u64,
    /// Longest wait of an open breaker.
    pub breaker_max_open_ms: u64,
    /// Upstream requests one tool call may make.
    pub requests_per_call: u32,
    /// Bytes of cached response bodies held.
    pub cache_bytes: u64,
    /// Time to read the headers of an inbound HTTP request.
    pub inbound_header_ms: u64,
    /// Idle time of an inbound keep-alive connection.
    pub inbound_idle_ms: u64,
    /// Inbound connections in all.
    pub inbound_connections: usize,
    /// Inbound connections from one peer address.
    pub inbound_connections_per_peer: usize,
    /// Requests a minute from one address (an IPv6 network of 64 bits); 0 is no limit.
    pub inbound_rate_per_minute: u32,
    /// Requests that one address may send at once.
    pub inbound_rate_burst: u32,
    /// Addresses whose rate is kept at once; those beyond share one allowance.
    pub inbound_rate_clients: usize,
    /// Time given to running calls after SIGTERM.
    pub drain_ms: u64,
    /// Answers that the toolset `time` keeps marks of, of all owners together.
    pub answers_kept: u64,
    /// Days that they are kept.
    pub answers_days: u64,
    /// Deliverables of one owner.
    pub deliverables_kept: u64,
    /// Versions of one deliverable; the oldest end first.
    pub versions_kept: u64,
    /// Calls of one owner whose context records are kept; the oldest end first.
    pub records_kept: u64,
    /// Bytes of one call's context records as JSON; larger ones are given out and not kept.
    pub records_bytes: usize,
    /// An answer that takes longer is `slow` for `doctor --online`.
    pub doctor_slow_ms: u64,
}

impl Limits {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        call_deadline_ms: 20_000,
        composite_deadline_ms: 25_000,
        connect_ms: 5_000,
        tls_ms: 5_000,
        first_byte_ms: 10_000,
        idle_read_ms: 5_000,
        body_wire_bytes: 4 << 20,
        body_decoded_bytes: 8 << 20,
        expansion_ratio: 100,
        header_bytes: 32 << 10,
        header_fields: 100,
        redirects: 5,
        stdio_line_bytes: 16 << 20,
        stdio_requests: 512,
        stdio_bytes: 12 << 20,
        http_body_bytes: 16 << 20,
        http_bytes: 32 << 20,
        json_depth: 64,
        calls_in_flight: 64,
        calls_queued: 256,
        queue_wait_ms: 2_000,
        reading_threads: 0,
        reading_bytes: 42 << 20,
        per_host_in_flight: 2,
        result_chars: 20_000,
        signals: 500,
        signals_bytes: 16 << 20,
        attempts: 3,
        retry_quota: 500,
        retry_after_max_s: 3_600,
        refusal_wait_ms: 10_000,
        breaker_failures: 5,
        breaker_open_ms: 15_000,
        breaker_max_open_ms: 300_000,
        requests_per_call: 24,
        cache_bytes: 16 << 20,
        inbound_header_ms: 10_000,
        inbound_idle_ms: 60_000,
        inbound_connections: 512,
        inbound_connections_per_peer: 32,
        inbound_rate_per_minute: 3_000,
        inbound_rate_burst: 600,
        inbound_rate_clients: 16_384,
        drain_ms: 10_000,
        answers_kept: 10_000,
        answers_days: 30,
        deliverables_kept: 100,
        versions_kept: 100,
        records_kept: 200,
        records_bytes: 1 << 20,
        doctor_slow_ms: 5_000,
    };
}

/// How [`Limits::reading_bytes`] is divided. The shares are apart, so that nobody who waits for one holds
/// what somebody else needs to give it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingShares {
    /// What is made of bodies while they are read: the trees of documents.
    pub documents: usize,
    /// Bodies of up to [`SMALL_BODY`] bytes.
    pub small_bodies: usize,
    /// Larger bodies as they come over the wire.
    pub coming_bodies: usize,
    /// Larger bodies, unpacked.
    pub unpacked_bodies: usize,
}

/// A body of up to this many bytes, as it came and unpacked, needs no place among the large ones.
pub const SMALL_BODY: usize = 256 << 10;

impl Limits {
    /// The shares of [`reading_bytes`](Self::reading_bytes): half for documents, a sixth for each kind of
    /// bodies.
    pub const fn reading_shares(&self) -> ReadingShares {
        let sixth = self.reading_bytes / 6;
        ReadingShares {
            documents: self.reading_bytes - 3 * sixth,
            small_bodies: sixth,
            coming_bodies: sixth,
            unpacked_bodies: sixth,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A body of an inbound HTTP request of up to this many bytes needs no place among the large ones: what it may take
/// is bounded by the number of connections.
pub const SMALL_REQUEST: usize = 64 << 10;
/// Values (texts, numbers, lists, objects ...) in one message from a client, the arguments of `evaluate_context`
/// aside. Each takes up to about 200 bytes as a tree.
pub const MESSAGE_VALUES: usize = 10_000;
/// Values in the arguments of one `evaluate_context` call. Each takes up to about 80 bytes.
pub const SIGNALS_VALUES: usize = 100_000;
/// Bytes of lists of signals, signals and metadata that are given as JSON text in one `evaluate_context` call: what is
/// read of them is copied.
pub const JSON_TEXT_BYTES: usize = 4 << 20;
/// Most upstream dates may lie this far in the future (clock skew) and still be dates, in seconds.
pub const FUTURE_TOLERANCE_S: i64 = 300;
/// A calendar day begins this many hours before 00:00 UTC where it begins first, in Kiribati (UTC+14): from
/// then on it is no day of the future.
pub const EARLIEST_DAY_START_H: i64 = 14;
/// Publication dates of one item that lie more hours apart than this contradict each other.
pub const DATES_APART_H: i64 = 48;
/// Longest `url` or `query` argument, in characters.
pub const QUERY_CHARS: usize = 2_000;
/// Shortest `max_length`, in characters: room for an envelope's own lines and one item.
pub const MIN_RESULT_CHARS: usize = 300;
/// Exchanges of one recorded call; a call that makes more is no case.
pub const RECORDED_EXCHANGES: usize = 64;
/// Bytes of all bodies of one recorded call.
pub const RECORDED_BYTES: usize = 32 << 20;
/// Longest error message shown, in characters.
pub const ERROR_CHARS: usize = 300;
/// Longest that a host is left alone which refused and named no time, where its published window is
/// longer, in seconds: a used-up hour is no reason to stop for an hour unasked.
pub const REFUSAL_WAIT_MAX_S: u64 = 60;
/// Bytes of the tree of one HTML document.
pub const HTML_TREE_BYTES: usize = 24 << 20;
/// Nodes of one HTML document: elements, texts and comments.
pub const HTML_NODES: usize = 100_000;
/// Open elements of an HTML document, without those for formatting (`b`, `a` ...). Browsers stop at 512.
pub const HTML_DEPTH: usize = 256;
/// Elements for formatting that are open, and that HTML would open again in the next block, together.
pub const HTML_FORMATTING: usize = 64;
/// Tags of one HTML document, closing ones included.
pub const HTML_TAGS: usize = 400_000;
/// Attributes of one HTML tag.
pub const HTML_ATTRIBUTES_PER_TAG: usize = 64;
/// Attributes of one HTML tag up to which a page is read at all: the tokenizer calls itself for each that
/// is in double quotes, so many more would take the stack.
pub const HTML_ATTRIBUTES_READ: usize = 128;
/// Attributes of one HTML document.
pub const HTML_ATTRIBUTES: usize = 200_000;
/// `object`, `template` and their like in one HTML document.
pub const HTML_SCOPES: usize = 1_000;
/// Looks at open elements while one HTML document is read: each tag may look at all of them. Ordinary
/// pages need 10 to 20 for each node.
pub const HTML_STEPS: usize = 20_000_000;
/// Text directly in an HTML table, between two tags. It is held back until the next tag.
pub const HTML_TABLE_TEXT_BYTES: usize = 64 << 10;
/// Entries of one feed. A feed of more is refused: its reader keeps about 1 KiB for each.
pub const FEED_ENTRIES: usize = 5_000;
/// Columns of one CSV table. A table of more is refused.
pub const TABLE_COLUMNS: usize = 1_000;
/// Nesting of the elements of one feed.
pub const XML_DEPTH: usize = 128;
/// Namespaces declared at one place of a feed, those of the elements around it included.
pub const XML_NAMESPACES: usize = 256;
