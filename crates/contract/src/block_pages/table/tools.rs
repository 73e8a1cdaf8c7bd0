//! Tools that read pages for an agent: what they print where they could not.

use crate::failure::FailureKind::{AccessDenied, LoginRequired, NotFound, Unavailable};

use super::super::fingerprint::Fingerprint;
use super::{hint, proof};

pub(super) const MARKS: &[Fingerprint] = &[
    // Above the text of an error page, with status 200.
    proof("Jina Reader", Unavailable, "warning: target url returned error"),
    proof(
        "MCP fetch server",
        AccessDenied,
        "autonomous fetching of this page is not allowed",
    ),
    proof("Claude Code", AccessDenied, "claude code is unable to fetch from"),
    proof("LangChain", NotFound, "no good wikipedia search result was found"),
    hint("OpenSSH", LoginRequired, "permission denied (publickey"),
];
