//! Replay upstream: every fixture's exchanges behind one loopback address.
//!
//! A request without a case gets 404: an invented response would falsify the demonstration.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshcontext_testkit::{Case, Exchange, Kind, Reply, ScriptedUpstream, SeenRequest, load_cases};

use crate::examples::{self, ordinary};
use crate::words::{shell, words};

/// Loaded cases.
#[derive(Debug)]
pub struct Replay {
    lines: Arc<Vec<(Exchange, Reply)>>,
    calls: BTreeMap<String, Vec<String>>,
}

impl Replay {
    /// Loads fixtures (the default), or the cases of a folder of recordings.
    pub fn load(root: &Path, dir: Option<&Path>) -> Result<Self, String> {
        let fixtures = root.join("fixtures");
        let dir = dir.map_or_else(|| fixtures.clone(), Path::to_owned);
        let (mut cases, recordings) = if holds_cases(&dir) {
            (load_cases(&dir)?, PathBuf::new())
        } else {
            (load_cases(&root.join("tests/recordings"))?, dir)
        };
        // A refusal would answer similar requests too, and the server then backs off from that source.
        cases.retain(|case| !matches!(case.kind, Kind::Limited | Kind::Denied | Kind::Malformed));
        // If two cases share an address, the ordinary response is served.
        cases.sort_by_key(|case| case.kind != Kind::Ok);
        let mut lines = Vec::new();
        for case in &cases {
            for exchange in &case.exchanges {
                let mut headers: Vec<_> = exchange
                    .headers
                    .iter()
                    .filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"))
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                headers.push(("content-type".to_owned(), exchange.content_type()));
                let body = case.body(exchange, &recordings)?;
                let reply = Reply {
                    status: exchange.status,
                    headers,
                    body,
                    delay_ms: 0,
                };
                lines.push((exchange.clone(), reply));
            }
        }
        Ok(Self {
            lines: Arc::new(lines),
            calls: calls(&cases),
        })
    }

    /// Starts the upstream.
    pub async fn start(&self, listen: SocketAddr) -> Result<ScriptedUpstream, String> {
        let lines = Arc::clone(&self.lines);
        let started = ScriptedUpstream::bind(listen, move |request| answer(&lines, request)).await;
        started.map_err(|error| format!("cannot listen on {listen}: {error}; choose another with --listen"))
    }

    /// Returns the command line of a call that one tool's ordinary fixture answers.
    pub fn call(&self, tool: &str) -> Option<&[String]> {
        self.calls.get(tool).map(Vec::as_slice)
    }

    /// Returns instructions for the user.
    pub fn introduction(&self, base: &str) -> String {
        let mut out = format!(
            "Replaying {} answers at {base}. In another terminal:\n\n  export FRESHCONTEXT_UPSTREAM='*={base}' FRESHCONTEXT_REPLAY_AT={}\n",
            self.lines.len(),
            examples::NOW
        );
        for call in self.calls.values() {
            out.push_str("  ");
            out.push_str(&shell(call));
            out.push('\n');
        }
        out.push_str("\nStop with Ctrl-C.");
        out
    }
}

fn holds_cases(dir: &Path) -> bool {
    load_cases(dir).is_ok_and(|cases| !cases.is_empty())
}

fn answer(lines: &[(Exchange, Reply)], request: &SeenRequest) -> Reply {
    let found = lines.iter().find(|(exchange, _)| exchange.fits(request));
    found.map_or_else(|| unknown(request), |(_, reply)| reply.clone())
}

fn unknown(request: &SeenRequest) -> Reply {
    let line = format!(
        "no fixture answers {} https://{}{}\n",
        request.method, request.host, request.target
    );
    Reply {
        status: 404,
        headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
        body: line.into_bytes(),
        delay_ms: 0,
    }
}

/// Returns the calls that these cases answer.
fn calls(cases: &[Case]) -> BTreeMap<String, Vec<String>> {
    ordinary(cases)
        .into_iter()
        .map(|(tool, case)| (tool.to_owned(), words(tool, &case.arguments)))
        .collect()
}
