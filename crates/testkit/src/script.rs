//! A case's exchanges as an upstream script: exactly the expected requests, in any order.

use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use url::Url;

use crate::case::{Case, Encoding, Exchange};
use crate::upstream::{Reply, SeenRequest};

/// Value of every configured key in tests. It must appear in requests only.
pub const SECRET: &str = "canary-secret-5f1c";

/// A case's exchanges and the requests received.
#[derive(Debug, Clone)]
pub struct Script(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    lines: Vec<Line>,
    unexpected: Vec<String>,
    otherwise: Reply,
    /// Whether a request that no exchange fits gets the answer to a similar one.
    heedless: bool,
}

#[derive(Debug)]
struct Line {
    exchange: Exchange,
    reply: Reply,
    asked: usize,
}

impl Script {
    /// Builds the script of a case and reads its bodies.
    pub fn of(case: &Case, recordings: &Path) -> Result<Self, String> {
        let mut lines = Vec::new();
        for exchange in &case.exchanges {
            let mut headers: Vec<_> = exchange
                .headers
                .iter()
                .filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
                .collect();
            headers.push(("content-type".to_owned(), exchange.content_type()));
            let body = case.body(exchange, recordings)?;
            if let Some(encoding) = exchange.encoding {
                headers.push(("content-encoding".to_owned(), name(encoding).to_owned()));
            }
            let reply = Reply {
                status: exchange.status,
                headers,
                body,
                delay_ms: 0,
            };
            lines.push(Line {
                exchange: exchange.clone(),
                reply,
                asked: 0,
            });
        }
        let otherwise = Reply {
            status: 404,
            headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
            body: b"no such exchange in this case".to_vec(),
            delay_ms: 0,
        };
        Ok(Self(Arc::new(Mutex::new(State {
            lines,
            unexpected: Vec::new(),
            otherwise,
            heedless: false,
        }))))
    }

    /// Changes every reply.
    pub fn alter(&self, change: impl Fn(&Exchange, &mut Reply)) {
        for line in &mut self.lock().lines {
            change(&line.exchange, &mut line.reply);
        }
    }

    /// Answers every request, expected or not, with this reply.
    pub fn answer_all(&self, reply: &Reply) {
        self.alter(|_, line| line.clone_from(reply));
        self.lock().otherwise.clone_from(reply);
    }

    /// Makes the upstream heedless of queries: a request that no exchange fits gets the answer of one to the same path, else
    /// to the same host, like a source that ignores the bounds it was asked for.
    pub fn ignore_queries(&self) {
        self.lock().heedless = true;
    }

    /// Answers one request.
    pub fn answer(&self, request: &SeenRequest) -> Reply {
        let mut state = self.lock();
        // Among several exchanges for one address, the first that is still due answers, then the last.
        let is_due = |line: &&Line| line.exchange.times == 0 || line.asked < line.exchange.times;
        let lines = &state.lines;
        let place = lines
            .iter()
            .position(|line| is_due(&line) && line.exchange.fits(request))
            .or_else(|| lines.iter().rposition(|line| line.exchange.fits(request)))
            .or_else(|| state.alike(request));
        if let Some(line) = place.and_then(|place| state.lines.get_mut(place)) {
            line.asked += 1;
            return line.packed();
        }
        state.unexpected.push(format!(
            "{} https://{}{}",
            request.method, request.host, request.target
        ));
        state.otherwise.clone()
    }

    /// Returns the deviations from the case, with advice.
    pub fn complaints(&self) -> Vec<String> {
        let state = self.lock();
        let mut out: Vec<String> = state
            .unexpected
            .iter()
            .map(|request| {
                let known: Vec<_> = state
                    .lines
                    .iter()
                    .map(|line| line.exchange.url.as_str())
                    .collect();
                format!("unexpected request {request}; add an [[exchange]] for it, or fix one of {known:?}")
            })
            .collect();
        for line in &state.lines {
            let times = line.exchange.times;
            if times > 0 && line.asked != times {
                let url = &line.exchange.url;
                out.push(format!(
                    "{url} was asked {} times, the case says {times}; fix `times` or drop it",
                    line.asked
                ));
            }
        }
        out
    }

    /// Returns the number of requests so far.
    pub fn asked(&self) -> usize {
        let state = self.lock();
        state.unexpected.len() + state.lines.iter().map(|line| line.asked).sum::<usize>()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The exchange that a heedless upstream takes for the one meant.
    fn alike(&self, request: &SeenRequest) -> Option<usize> {
        let path = request.target.split('?').next().filter(|_| self.heedless)?;
        let of_host = |line: &Line| line.exchange.url.host_str() == Some(request.host.as_str());
        let of_path = |line: &Line| of_host(line) && line.exchange.url.path() == path;
        self.lines
            .iter()
            .position(of_path)
            .or_else(|| self.lines.iter().position(of_host))
    }
}

impl Exchange {
    /// Whether this exchange matches a request. Added secrets are not part of the address.
    pub fn fits(&self, request: &SeenRequest) -> bool {
        let Ok(asked) = Url::parse(&format!("https://{}{}", request.host, request.target)) else {
            return false;
        };
        let body = String::from_utf8_lossy(&request.body);
        self.method == request.method
            && self.url.host_str() == asked.host_str()
            && self.url.path() == asked.path()
            && public_query(&self.url) == public_query(&asked)
            && self.body_contains.iter().all(|part| body.contains(part.as_str()))
    }
}

impl Line {
    /// Returns the reply as it is sent. The body is encoded only here, so that tests alter the text and not its encoding.
    fn packed(&self) -> Reply {
        let mut reply = self.reply.clone();
        if let Some(encoding) = self.exchange.encoding
            && reply
                .headers
                .iter()
                .any(|(header, _)| header == "content-encoding")
        {
            let Encoding::Gzip = encoding;
            let mut packer = GzEncoder::new(Vec::new(), Compression::default());
            let packed = packer.write_all(&reply.body).and_then(|()| packer.finish());
            reply.body = packed.unwrap_or_default();
        }
        reply
    }
}

/// Returns the name of a coding.
const fn name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Gzip => "gzip",
    }
}

fn public_query(url: &Url) -> Vec<&str> {
    url.query()
        .into_iter()
        .flat_map(|query| query.split('&'))
        .filter(|pair| !pair.ends_with(SECRET))
        .collect()
}
