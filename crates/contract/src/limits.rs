//! Every limit, in one table.
//!
//! The defaults are the ones of the project's fault matrix. An operator may set any of them in the
//! configuration (`[limits]`, or `FRESHCONTEXT_LIMIT_<NAME>`); a caller may only tighten
//! what concerns its own call (`max_length`, `limit`, `max_age`).

use serde::{Deserialize, Serialize};

/// Makes [`Limits`] of its one table: a name, a type, a default, and what it bounds. That text is the documentation of the
/// field, of the settings and of the generated pages.
macro_rules! limits {
    ($($name:ident: $kind:ty = $default:expr, $about:literal;)*) => {
        /// The table of limits. Units are in the field names: `_ms` milliseconds, `_bytes` bytes.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Limits {
            $(#[doc = $about] pub $name: $kind,)*
        }

        impl Limits {
            /// The defaults.
            pub const DEFAULT: Self = Self { $($name: $default,)* };

            /// The name of every limit and what it bounds, in the order of the table.
            pub const ABOUT: &'static [(&'static str, &'static str)] = &[$((stringify!($name), $about),)*];
        }
    };
}

limits! {
    call_deadline_ms: u64 = 20_000, "Time for one tool call.";
    composite_deadline_ms: u64 = 25_000, "Time for a composite call, shared by its sections.";
    connect_ms: u64 = 5_000, "Time to open a connection to a source, name resolution included.";
    tls_ms: u64 = 5_000, "Time for the TLS handshake.";
    first_byte_ms: u64 = 10_000, "Time from a request to its response headers.";
    idle_read_ms: u64 = 5_000, "Longest silence inside a response body.";
    body_wire_bytes: usize = 4 << 20, "Response body as it comes over the wire.";
    body_decoded_bytes: usize = 8 << 20, "Response body after decompression.";
    expansion_ratio: usize = 100, "Largest expansion by decompression once 1 MiB is decoded.";
    header_bytes: usize = 32 << 10, "All response headers together.";
    header_fields: usize = 100, "Number of response headers.";
    redirects: u32 = 5, "Redirects followed for one request.";
    stdio_line_bytes: usize = 16 << 20, "One JSON-RPC line on stdin.";
    stdio_requests: usize = 512,
        "Requests on stdin read ahead of the answers: with so many not answered, or answered and not read, no \
         further one is read.";
    stdio_bytes: usize = 12 << 20,
        "The same in bytes: requests that are at work, and answers that are not read, which get a third of it.";
    stdio_ahead_bytes: usize = 2 << 20,
        "Lines on stdin that are read although there is no room for their requests yet, so that the cancellations \
         among them are seen.";
    http_body_bytes: usize = 16 << 20, "Body of one HTTP request to us.";
    http_bytes: usize = 32 << 20,
        "Bodies over 64 KiB of HTTP requests that are not answered, each counted twice for what is made of \
         it. Who finds no room within `queue_wait_ms` gets `overloaded`.";
    json_depth: usize = 64, "Nesting of a call's arguments.";
    calls_in_flight: usize = 64, "Tool calls worked on at once.";
    calls_queued: usize = 256, "Tool calls waiting for a place.";
    caller_share: usize = 50,
        "Percent of the places for calls, of the queue before them and of the connections that one caller over HTTP \
         may take where several tokens are set; 100 is no limit.";
    queue_wait_ms: u64 = 2_000, "Longest wait for a place before `overloaded`.";
    reading_threads: usize = 0,
        "Threads that read what sources sent, apart from those that serve; 0 is one for each processor, and \
         at least 2.";
    reading_bytes: usize = 30 << 20,
        "Memory for what sources sent and for what is made of it while it is read, in all calls together: \
         half for documents, a sixth each for bodies up to 256 KiB, for larger ones as they come, and for \
         these unpacked. Who finds none within `queue_wait_ms` gets `overloaded`.";
    per_host_in_flight: usize = 2, "Requests in flight to a host whose source lists no number.";
    result_chars: usize = 20_000, "Upper bound of `max_length`.";
    signals: usize = 500, "Signals in one `evaluate_context` call.";
    signals_bytes: usize = 16 << 20, "All signal texts of one `evaluate_context` call.";
    attempts: u32 = 3, "Attempts for one upstream request, the first included.";
    retry_quota: u32 = 500, "Tokens for retries; a retry takes 5 (10 after a timeout), a success gives 1.";
    retry_after_max_s: u64 = 3_600, "Longest Retry-After that is believed.";
    refusal_wait_ms: u64 = 10_000, "Least time a host is left alone that refused and named no time.";
    breaker_failures: u32 = 5, "Consecutive failures after which a host is left alone.";
    breaker_open_ms: u64 = 15_000, "First time a host is left alone; doubles with each failed probe.";
    breaker_max_open_ms: u64 = 300_000, "Longest time a host is left alone.";
    requests_per_call: u32 = 24, "Upstream requests of one tool call.";
    cache_bytes: u64 = 16 << 20, "Cached response bodies held in memory.";
    inbound_header_ms: u64 = 10_000, "Time to read the headers, and then the body, of an HTTP request to us.";
    inbound_idle_ms: u64 = 60_000, "Idle time of a keep-alive connection to us.";
    inbound_connections: usize = 512, "Connections to us in all.";
    inbound_connections_per_peer: usize = 32,
        "Connections to us from one address. Those of callers on this machine and of `http.proxies` do not count, nor \
         those on which a caller with a named token is served, which `caller_share` limits.";
    inbound_connections_kept: usize = 16,
        "Connections beyond these limits that are read as far as their first head: `/healthz`, `/readyz` and `/metrics` \
         are answered, all else gets 503.";
    inbound_rate_per_minute: u32 = 3_000,
        "Requests a minute from one address over HTTP, then 429; 0 is no limit. Callers on this machine count \
         only with `http.limit_loopback`, and `http.proxies` never.";
    inbound_rate_burst: u32 = 600, "Requests that one address may send at once before that rate holds.";
    inbound_rate_clients: usize = 16_384,
        "Addresses whose rate is kept at once, about 64 bytes each; those beyond share one allowance.";
    listeners: usize = 128, "Open `subscriptions/listen` streams over HTTP in all.";
    listeners_per_caller: usize = 32,
        "The same for one caller: the holder of a named token, or all others together.";
    stream_keep_alive_ms: u64 = 15_000, "Interval of the comments that keep a silent stream over HTTP open.";
    drain_ms: u64 = 10_000, "Time that running calls get after SIGTERM.";
    answers_kept: u64 = 10_000, "Answers that the toolset `time` keeps marks of, of all callers together.";
    answers_days: u64 = 30, "Days that they are kept, and context records, and a removed deliverable with its versions.";
    deliverables_kept: u64 = 100, "Deliverables of one owner.";
    versions_kept: u64 = 100, "Versions of one deliverable; the oldest end first.";
    version_bytes: usize = 1 << 20,
        "Bytes of the text of one version; items that do not fit are left out of it, and it says so.";
    changes_kept: u64 = 200,
        "Changes of one deliverable that are kept for those who listen and for its webhook; the oldest end first, and \
         one that the webhook had not delivered counts as given up.";
    webhook_attempts: u32 = 12, "Attempts to post one change to a webhook, the first included; then it is given up.";
    webhook_retry_ms: u64 = 5_000, "First pause before a change is posted again; it doubles with each failure.";
    webhook_max_retry_ms: u64 = 3_600_000, "Longest such pause, also where the receiver asks for a longer one.";
    records_kept: u64 = 200,
        "Calls of one owner whose context records the toolset `time` keeps; the oldest end first.";
    records_bytes: usize = 1 << 20,
        "Bytes of one call's context records; larger ones are given out and not kept.";
    input_bytes: usize = 16 << 20,
        "A file, a pipe or stdin that a command works on, one line of `inspect --jsonl`, and all files of the \
         arguments of one call together.";
    config_bytes: usize = 4 << 20,
        "A file of keys or certificates. The settings file is read before this is known: up to the default.";
    client_config_bytes: usize = 16 << 20, "A client's configuration that `install` edits.";
    store_wait_ms: u64 = 1_000,
        "Longest that an answer waits to be kept by the toolset `time`. One that is not kept by then goes out \
         without an id, and says so.";
    store_operation_ms: u64 = 3_000,
        "Time for one operation of the store that a caller asked for, and for opening its database.";
    store_retry_ms: u64 = 1_000,
        "First pause before a database that could not be used is tried again, in the background; it doubles with \
         each failure.";
    store_max_retry_ms: u64 = 15_000, "Longest such pause.";
    store_read_bytes: usize = 8 << 20,
        "Texts that one operation of the store reads or writes. An entry with more is an error, and a Postgres server that \
         sends more is disconnected.";
    references: usize = 50, "References that one `check_references` call asks about; those beyond come with its cursor.";
    references_total: usize = 5_000, "References in all that one `check_references` call may give or hold in its text.";
    references_text_bytes: usize = 4 << 20, "The text of one `check_references` call.";
    references_deadline_ms: u64 = 24_000, "Time for the questions of one `check_references` call.";
    doctor_slow_ms: u64 = 5_000, "An answer that takes longer is `slow` for `doctor --online`.";
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

impl Limits {
    /// What one caller may take of this many places, by [`caller_share`](Self::caller_share): at least one.
    pub const fn share_of(&self, places: usize) -> usize {
        if self.caller_share >= 100 {
            return places;
        }
        let share = places.saturating_mul(self.caller_share) / 100;
        if share == 0 { 1 } else { share }
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
/// Values in the arguments of one `evaluate_context` call. Each takes up to about 80 bytes, so that these take, until the call
/// is answered, what those of any other message may.
pub const SIGNALS_VALUES: usize = 25_000;
/// Values in the text of one `check_references` call where that is JSON. Each takes up to about 250 bytes while it is read.
pub const REFERENCES_VALUES: usize = 200_000;

/// Minimum interval between two requests for an OAuth issuer's keys, in seconds, whatever callers send.
pub const OAUTH_INTERVAL_S: u64 = 60;
/// Age from which an issuer's keys are requested again, in seconds.
pub const OAUTH_FRESH_S: u64 = 600;
/// Age up to which an issuer's keys serve while it cannot be reached, in seconds.
pub const OAUTH_KEPT_S: u64 = 86_400;
/// Time for an issuer's metadata and keys together, in milliseconds.
pub const OAUTH_WAIT_MS: u64 = 5_000;
/// An issuer's metadata, and its key document.
pub const OAUTH_DOCUMENT_BYTES: usize = SMALL_BODY;
/// Keys of one issuer; those beyond are not used.
pub const OAUTH_KEYS: usize = 64;
/// Length of a key id, in bytes. A key with a longer one is not used.
pub const OAUTH_KEY_ID_BYTES: usize = 1 << 10;
/// Allowed difference between this clock and the issuer's, in seconds.
pub const OAUTH_LEEWAY_S: f64 = 30.0;
/// Bytes of an answer of the server's own service to the command line.
pub const OWN_ANSWER_BYTES: usize = 4 << 20;
/// Items of one answer among which origins are looked for. Each item beyond counts as its own, and the answer says so.
pub const ORIGINS_ITEMS: usize = 500;
/// Longest progress token, in bytes: it is repeated with every step. With a longer one no progress is told.
pub const PROGRESS_TOKEN_BYTES: usize = 1 << 10;
/// Values in one response that `freshcontext validate` reads. A composite of hundreds of items has some thousands.
pub const VALIDATED_VALUES: usize = 100_000;
/// Values in a client's configuration that `install` edits. Each takes up to about 200 bytes while it is read.
pub const CLIENT_CONFIG_VALUES: usize = 250_000;
/// Bytes of lists of signals, signals and metadata that are given as JSON text in one `evaluate_context` call: what is
/// read of them is copied.
pub const JSON_TEXT_BYTES: usize = 4 << 20;
/// Most upstream dates may lie this far in the future (clock skew) and still be dates, in seconds.
pub const FUTURE_TOLERANCE_S: i64 = 300;
/// From this age on, a copy from a cache on the way is told of in a note, in seconds. Lists of registries are kept for minutes.
pub const COPY_AGE_TOLD_S: u64 = 3_600;
/// Highest `Age` of a copy that is believed to the second: a year, in seconds.
pub const COPY_AGE_MAX_S: u64 = 366 * 86_400;
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
/// Longest wait that is believed of the body of a refusal, in seconds: allowances start again at midnight.
pub const BODY_WAIT_MAX_S: u64 = 86_400;
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
pub const HTML_STEPS: usize = 12_000_000;
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
