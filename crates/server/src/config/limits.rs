//! The limits as settings: a line of documentation each, and reading by name.

use freshcontext_contract::Limits;
use serde_json::Value;

/// Every limit with what it bounds. A test holds it equal to the fields of [`Limits`].
pub const LIMITS: &[(&str, &str)] = &[
    ("call_deadline_ms", "Time for one tool call."),
    (
        "composite_deadline_ms",
        "Time for a composite call, shared by its sections.",
    ),
    (
        "connect_ms",
        "Time to open a connection to a source, name resolution included.",
    ),
    ("tls_ms", "Time for the TLS handshake."),
    ("first_byte_ms", "Time from a request to its response headers."),
    ("idle_read_ms", "Longest silence inside a response body."),
    ("body_wire_bytes", "Response body as it comes over the wire."),
    ("body_decoded_bytes", "Response body after decompression."),
    (
        "expansion_ratio",
        "Largest expansion by decompression once 1 MiB is decoded.",
    ),
    ("header_bytes", "All response headers together."),
    ("header_fields", "Number of response headers."),
    ("redirects", "Redirects followed for one request."),
    ("stdio_line_bytes", "One JSON-RPC line on stdin."),
    (
        "stdio_requests",
        "Requests on stdin read ahead of the answers: with so many not answered, or answered and not read, no further one is read.",
    ),
    (
        "stdio_bytes",
        "The same in bytes: requests that are not answered, and answers that are not read.",
    ),
    ("http_body_bytes", "Body of one HTTP request to us."),
    (
        "http_bytes",
        "Bodies over 64 KiB of HTTP requests that are not answered, each counted twice for what is made of it. Who finds no room within `queue_wait_ms` gets `overloaded`.",
    ),
    ("json_depth", "Nesting of a call's arguments."),
    ("calls_in_flight", "Tool calls worked on at once."),
    ("calls_queued", "Tool calls waiting for a place."),
    ("queue_wait_ms", "Longest wait for a place before `overloaded`."),
    (
        "reading_threads",
        "Threads that read what sources sent, apart from those that serve; 0 is one for each processor, and at least 2.",
    ),
    (
        "reading_bytes",
        "Memory for what sources sent and for what is made of it while it is read, in all calls together: half for documents, a sixth each for bodies up to 256 KiB, for larger ones as they come, and for these unpacked. Who finds none within `queue_wait_ms` gets `overloaded`.",
    ),
    (
        "per_host_in_flight",
        "Requests in flight to a host whose source lists no number.",
    ),
    ("result_chars", "Upper bound of `max_length`."),
    ("signals", "Signals in one `evaluate_context` call."),
    (
        "signals_bytes",
        "All signal texts of one `evaluate_context` call.",
    ),
    (
        "attempts",
        "Attempts for one upstream request, the first included.",
    ),
    (
        "retry_quota",
        "Tokens for retries; a retry takes 5 (10 after a timeout), a success gives 1.",
    ),
    ("retry_after_max_s", "Longest Retry-After that is believed."),
    (
        "refusal_wait_ms",
        "Least time a host is left alone that refused and named no time.",
    ),
    (
        "breaker_failures",
        "Consecutive failures after which a host is left alone.",
    ),
    (
        "breaker_open_ms",
        "First time a host is left alone; doubles with each failed probe.",
    ),
    ("breaker_max_open_ms", "Longest time a host is left alone."),
    ("requests_per_call", "Upstream requests of one tool call."),
    ("cache_bytes", "Cached response bodies held in memory."),
    (
        "inbound_header_ms",
        "Time to read the headers, and then the body, of an HTTP request to us.",
    ),
    ("inbound_idle_ms", "Idle time of a keep-alive connection to us."),
    ("inbound_connections", "Connections to us in all."),
    (
        "inbound_connections_per_peer",
        "Connections to us from one address.",
    ),
    (
        "inbound_rate_per_minute",
        "Requests a minute from one address over HTTP, then 429; 0 is no limit. Callers on this machine count only with `http.limit_loopback`.",
    ),
    (
        "inbound_rate_burst",
        "Requests that one address may send at once before that rate holds.",
    ),
    (
        "inbound_rate_clients",
        "Addresses whose rate is kept at once, about 64 bytes each; those beyond share one allowance.",
    ),
    ("drain_ms", "Time that running calls get after SIGTERM."),
    (
        "answers_kept",
        "Answers that the toolset `time` keeps marks of, of all callers together.",
    ),
    (
        "answers_days",
        "Days that they are kept, and context records, and a removed deliverable with its versions.",
    ),
    ("deliverables_kept", "Deliverables of one owner."),
    (
        "versions_kept",
        "Versions of one deliverable; the oldest end first.",
    ),
    (
        "records_kept",
        "Calls of one owner whose context records the toolset `time` keeps; the oldest end first.",
    ),
    (
        "records_bytes",
        "Bytes of one call's context records; larger ones are given out and not kept.",
    ),
    (
        "doctor_slow_ms",
        "An answer that takes longer is `slow` for `doctor --online`.",
    ),
];

/// Limits for which 0 means something ("none").
const ZERO_MAKES_SENSE: &[&str] = &[
    "redirects",
    "calls_queued",
    "queue_wait_ms",
    "reading_threads",
    "retry_quota",
    "cache_bytes",
    "inbound_rate_per_minute",
    "drain_ms",
];

/// Sets a limit by name.
pub(super) fn store(limits: &mut Limits, name: &str, value: &Value) -> Result<(), String> {
    let number = value.as_u64().ok_or("must be a whole number of 0 or more")?;
    if number == 0 && !ZERO_MAKES_SENSE.contains(&name) {
        return Err("must be 1 or more".to_owned());
    }
    let mut all = serde_json::to_value(&*limits).map_err(|_| "cannot be set")?;
    if let Some(slot) = all.get_mut(name) {
        *slot = value.clone();
    }
    *limits = serde_json::from_value(all).map_err(|_| "is too large")?;
    Ok(())
}

/// A limit's value by name.
pub(super) fn show(limits: &Limits, name: &str) -> String {
    serde_json::to_value(limits)
        .ok()
        .and_then(|all| all.get(name).map(ToString::to_string))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_exactly_the_fields_of_limits() {
        let all = serde_json::to_value(Limits::DEFAULT).unwrap();
        let fields: Vec<&str> = all.as_object().unwrap().keys().map(String::as_str).collect();
        let listed: Vec<&str> = LIMITS.iter().map(|(name, _)| *name).collect();
        assert_eq!(fields, listed);
    }

    #[test]
    fn zero_is_refused_where_it_would_stop_the_server() {
        let mut limits = Limits::DEFAULT;
        assert!(store(&mut limits, "calls_in_flight", &Value::from(0)).is_err());
        store(&mut limits, "redirects", &Value::from(0)).unwrap();
        assert_eq!(limits.redirects, 0);
    }
}
