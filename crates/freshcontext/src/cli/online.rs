//! `freshcontext doctor --online`: calls each source with its documented example, at its own rate and within
//! a call's deadline, and compares the response with the known shape.

use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_contract::{Descriptor, Key, Status, Transport as _};
use freshcontext_fetch::{Exchange, Observe, Seen};
use serde::Serialize;
use serde_json::{Map, Value};

use super::report::{Report, Verdict};
use super::with_runtime;
use crate::app::App;
use crate::output;
use crate::shape::{Drift, Shapes, form_of, pattern, states_limit};
use freshcontext_config::{ConfigError, Settings};
use freshcontext_engine::about::secret_names;
use freshcontext_engine::{Answer, CallContext, Outcome};

/// Environment variable of the contact that some sources require in the user agent. It is a setting rather than a
/// source's key.
const CONTACT: &str = "FRESHCONTEXT_CONTACT";
/// Maximum length of a displayed rate-limit header value, in characters.
const SHOWN: usize = 40;

/// Result of checking one source.
#[derive(Debug, Serialize)]
pub(super) struct SourceCheck {
    source: &'static str,
    tool: &'static str,
    verdict: State,
    /// Why the check was skipped or failed, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Number of requests.
    requests: usize,
    /// Duration of the slowest request, in milliseconds.
    slowest_ms: u64,
    /// Number of requests to addresses without a known shape.
    unknown: usize,
    drift: Vec<Drift>,
}

/// State of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// Responds as expected.
    Ok,
    /// Responds differently than expected.
    Drifted,
    /// Does not respond.
    Unreachable,
    /// Rate-limited.
    Limited,
    /// Requires a key that is not set.
    Skipped,
}

/// Checks every source and fills the report.
pub(super) fn ask(
    settings: &Settings,
    environment: &[(String, String)],
    report: &mut Report,
) -> Result<Vec<SourceCheck>, ConfigError> {
    let watcher = Arc::new(Watcher {
        slow_ms: settings.limits.doctor_slow_ms,
        seen: Mutex::default(),
    });
    let app = App::build_observed(
        settings,
        environment,
        Arc::clone(&watcher) as Arc<dyn Observe>,
        None,
    )?;
    let sources: Vec<&'static Descriptor> = app.engine.descriptors().collect();
    output::progress(&format!("asking {} sources ...", sources.len()));
    let outcomes = with_runtime(2, async {
        let questions = sources.iter().map(|descriptor| async {
            if let Some(needed) = needed(&app, descriptor) {
                return Err(needed);
            }
            let arguments: Map<String, Value> = serde_json::from_str(descriptor.example).unwrap_or_default();
            let called = app
                .engine
                .call(descriptor.tool, arguments, CallContext::default());
            called.await.map_err(|error| error.to_string())
        });
        futures_util::future::join_all(questions).await
    })?;
    output::progress_done();
    let seen = std::mem::take(&mut *watcher.seen.lock().unwrap_or_else(PoisonError::into_inner));
    let mut all = Vec::new();
    for (descriptor, outcome) in sources.into_iter().zip(outcomes) {
        let seen = seen.iter().filter(|seen| seen.source == descriptor.id);
        let asked = compare(&app, descriptor, outcome, seen);
        asked.tell(report);
        all.push(asked);
    }
    Ok(all)
}

/// Returns the required keys of a source if none is set.
fn needed(app: &App, descriptor: &Descriptor) -> Option<String> {
    let names = secret_names(descriptor);
    let set = names.iter().any(|name| app.pipeline.configured(name));
    (descriptor.key() == Key::Required && !set).then(|| names.join(" or "))
}

/// Compares the response of one source with its known shape.
fn compare<'s>(
    app: &App,
    descriptor: &'static Descriptor,
    outcome: Result<Answer, String>,
    seen: impl Iterator<Item = &'s Exchanged>,
) -> SourceCheck {
    let mut asked = SourceCheck {
        source: descriptor.id,
        tool: descriptor.tool,
        verdict: State::Ok,
        detail: None,
        requests: 0,
        slowest_ms: 0,
        unknown: 0,
        drift: Vec::new(),
    };
    for exchange in seen {
        asked.requests += 1;
        asked.slowest_ms = asked.slowest_ms.max(exchange.took_ms);
        asked.unknown += usize::from(!exchange.known);
        for drift in &exchange.drift {
            if !asked.drift.contains(drift) {
                asked.drift.push(drift.clone());
            }
        }
    }
    match outcome {
        Err(needed) => {
            asked.verdict = State::Skipped;
            asked.detail = Some(format!("needs {needed}"));
            return asked;
        }
        Ok(answer) => asked.read(app, descriptor, answer.outcome()),
    }
    if asked.verdict == State::Skipped {
        // A refusal without a key says nothing about the response's shape.
        asked.drift.clear();
    }
    if asked.verdict == State::Ok && !asked.drift.is_empty() {
        asked.verdict = State::Drifted;
    }
    asked
}

impl SourceCheck {
    fn read(&mut self, app: &App, descriptor: &Descriptor, outcome: &Outcome) {
        match outcome {
            Outcome::Failure(failure) => {
                let hint = failure.hint.as_deref().unwrap_or_default();
                let code = failure.code.as_str();
                self.failed(app, descriptor, (code, &failure.message, hint), descriptor.id);
            }
            Outcome::Source(answer) => {
                for part in answer.scored().failures() {
                    self.failed(app, descriptor, (part.code, &part.message, ""), &part.what);
                }
                if answer.scored().status() == Status::Empty {
                    self.drifted(
                        "empty",
                        descriptor.id,
                        "the question of its documentation finds nothing",
                    );
                }
            }
            // The tool of a source returns no other kind of answer.
            _ => {}
        }
    }

    fn drifted(&mut self, kind: &'static str, place: &str, detail: &str) {
        self.drift.push(Drift {
            kind,
            place: place.to_owned(),
            detail: detail.to_owned(),
        });
    }

    /// Records a failure of the call or of a part of it.
    fn failed(
        &mut self,
        app: &App,
        descriptor: &Descriptor,
        (code, message, hint): (&str, &str, &str),
        place: &str,
    ) {
        match code {
            "challenge" | "access_denied" => self.drifted("block_page", place, message),
            "malformed" => self.drifted("malformed", place, message),
            "not_found" | "invalid_input" => self.drifted("question_gone", place, message),
            "internal" => self.drifted("defect", place, message),
            "misconfigured" => {
                let mut names = secret_names(descriptor);
                names.push(CONTACT);
                let said = format!("{message} {hint}");
                names.retain(|name| !app.pipeline.configured(name) && said.contains(name));
                if names.is_empty() {
                    self.drifted("key_refused", place, message);
                } else {
                    self.verdict = State::Skipped;
                    self.detail = Some(format!("needs {}", names.join(" or ")));
                }
            }
            "rate_limited" => self.unanswered(State::Limited, message),
            _ => self.unanswered(State::Unreachable, message),
        }
    }

    fn unanswered(&mut self, state: State, message: &str) {
        self.verdict = state;
        self.detail = Some(message.to_owned());
    }

    fn tell(&self, report: &mut Report) {
        let what = format!("online {}", self.source);
        let detail = self.detail.as_deref().unwrap_or_default();
        let requests = if self.requests == 1 { "request" } else { "requests" };
        match self.verdict {
            State::Ok => {
                let unknown = match self.unknown {
                    0 => String::new(),
                    count => format!(", {count} of an address without a known shape"),
                };
                let told = format!("{} {requests}, {} ms{unknown}", self.requests, self.slowest_ms);
                report.say(Verdict::Fine, &what, &told);
            }
            State::Skipped => report.say(Verdict::Note, &what, &format!("skipped: {detail}")),
            State::Limited => report.say(Verdict::Bad, &what, &format!("limited: {detail}")),
            State::Unreachable => report.say(Verdict::Bad, &what, &format!("unreachable: {detail}")),
            State::Drifted => {}
        }
        for drift in &self.drift {
            let told = format!("drift: {} {}: {}", drift.kind, drift.place, drift.detail);
            report.say(Verdict::Bad, &what, &told);
        }
    }
}

/// One observed exchange. It is compared immediately, so its body is not kept.
struct Exchanged {
    source: &'static str,
    took_ms: u64,
    known: bool,
    drift: Vec<Drift>,
}

/// Observes every exchange.
struct Watcher {
    slow_ms: u64,
    seen: Mutex<Vec<Exchanged>>,
}

impl Observe for Watcher {
    fn exchanged(&self, exchange: &Exchange<'_>) {
        let took_ms = u64::try_from(exchange.took.as_millis()).unwrap_or(u64::MAX);
        let host = exchange.url.host_str().unwrap_or_default();
        let mut seen = Exchanged {
            source: exchange.source,
            took_ms,
            known: true,
            drift: Vec::new(),
        };
        if let Ok(answer) = &exchange.outcome {
            let address = format!("{host}{}", pattern(exchange.url.path()));
            if took_ms > self.slow_ms {
                seen.drift.push(Drift {
                    kind: "slow",
                    place: address.clone(),
                    detail: format!("took {took_ms} ms, more than {} ms", self.slow_ms),
                });
            }
            seen.drift.extend(limits(host, &address, answer));
            if (200..300).contains(&answer.status) {
                match Shapes::generated().endpoint(exchange.source, exchange.url) {
                    Some(endpoint) => seen.drift.extend(endpoint.drifts(answer.body)),
                    // Pages and plain text have no shape to compare.
                    None => seen.known = form_of(answer.headers, answer.body).is_none(),
                }
            }
        }
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(seen);
    }
}

/// Returns rate limits that a host states for the first time. Reaching a limit is reported as such and is no drift.
fn limits(host: &str, address: &str, answer: &Seen<'_>) -> Vec<Drift> {
    if answer.status == 429 || answer.status == 503 {
        return Vec::new();
    }
    let names = answer.headers.0.iter().map(|(name, _)| name.as_str());
    let new = Shapes::generated().new_limit_headers(host, names);
    new.into_iter()
        .filter(|name| states_limit(name))
        .map(|name| {
            let value = answer.headers.get(name).unwrap_or_default();
            // A number and its unit; other values are not repeated.
            let plain = value.len() <= SHOWN
                && value
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b"=;,. -\"qwt".contains(&b));
            Drift {
                kind: "new_limit_header",
                place: address.to_owned(),
                detail: if plain {
                    format!("{name}: {value}")
                } else {
                    name.to_owned()
                },
            }
        })
        .collect()
}
