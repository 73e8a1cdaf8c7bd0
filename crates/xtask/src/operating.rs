//! Tables for operators: error codes with their next step, and the hosts that each source is asked at.

use std::fmt::Write as _;

use freshcontext_contract::{ErrorCode, Hosts};
use freshcontext_engine::advice;

/// What a code means, and who can act on it.
const fn meaning(code: ErrorCode) -> (&'static str, &'static str) {
    match code {
        ErrorCode::InvalidInput => (
            "an argument is wrong; the message names it and shows a right value",
            "caller",
        ),
        ErrorCode::BlockedAddress => (
            "the address is private, local or denied by the operator",
            "caller",
        ),
        ErrorCode::NotFound => ("the source says that the thing does not exist", "caller"),
        ErrorCode::RateLimited => (
            "the source asked for fewer requests",
            "caller, or operator with a key",
        ),
        ErrorCode::AccessDenied => ("the source refused (401, 403, 451, a login wall)", "operator"),
        ErrorCode::Challenge => ("a captcha or interstitial stood in for the content", "caller"),
        ErrorCode::Timeout => ("the time for the call ran out", "caller"),
        ErrorCode::Unreachable => (
            "no connection; the detail is `dns`, `connect` or `tls`",
            "operator",
        ),
        ErrorCode::Malformed => ("the answer does not have the documented form", "maintainers"),
        ErrorCode::TooLarge => ("the answer exceeds a size limit", "caller"),
        ErrorCode::UpstreamError => ("the source failed on its side", "source"),
        ErrorCode::Misconfigured => ("a setting or a key is missing or wrong", "operator"),
        ErrorCode::CircuitOpen => (
            "the source failed repeatedly and is left alone for a while",
            "source",
        ),
        ErrorCode::Overloaded => ("this server has no free place for the call", "caller"),
        ErrorCode::Cancelled => ("the caller cancelled", "caller"),
        ErrorCode::Internal => ("a defect in this server", "maintainers"),
    }
}

/// Returns a row for every error code.
pub fn codes() -> String {
    let mut out =
        String::from("| Code | What happened | Who can act | Next step |\n| --- | --- | --- | --- |\n");
    for code in ErrorCode::ALL {
        let (what, who) = meaning(code);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {what} | {who} | {} |",
            code.as_str(),
            advice::general(code)
        );
    }
    out
}

/// Returns a row for every source with its hosts.
pub fn hosts() -> String {
    let mut out = String::from("| Tool | Hosts, by https |\n| --- | --- |\n");
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let named: Vec<String> = facts
            .hosts
            .named()
            .iter()
            .map(|host| format!("`{host}`"))
            .collect();
        let any = match facts.hosts {
            Hosts::Fixed(_) => "",
            Hosts::PublicWeb(_) => ", and any public host that the caller names",
        };
        let _ = writeln!(out, "| `{}` | {}{any} |", facts.tool, named.join(", "));
    }
    out
}
