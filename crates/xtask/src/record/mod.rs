//! `cargo xtask record <tool> <key=value>...`: records a real call as a case for the suite.
//!
//! The call goes through the real engine and pipeline. Every exchange is stored as the pipeline saw it,
//! including redirects and error statuses, with decompressed bodies. Personal data and secrets are removed
//! first ([`Scrubber`]). The case is then replayed once, and its outcome becomes the expectation.

mod scrub;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext::app::App;
use freshcontext_config::Settings;
use freshcontext_contract::chrono::{DateTime, SubsecRound as _, Utc};
use freshcontext_contract::limits::{RECORDED_BYTES, RECORDED_EXCHANGES};
use freshcontext_contract::{Clock, Descriptor, FixedClock, Method, When, block_pages, hosts};
use freshcontext_engine::{CallContext, Written};
use freshcontext_fetch::{Exchange as Seen, Observe, READ_HEADERS};
use freshcontext_testkit::case::{Expect, ExpectFailure, ExpectItem, Origin};
use freshcontext_testkit::{Case, Exchange, Kind, SECRET, Script, ScriptedUpstream};
use serde_json::{Map, Value};

pub use scrub::Scrubber;

/// Number of items whose facts a case states.
const ITEMS: usize = 5;
/// Longest request body that a case requires verbatim, in bytes.
const BODY_TEXT: usize = 4 << 10;
/// The operator's contact, a setting rather than a source's key.
const CONTACT: &str = "FRESHCONTEXT_CONTACT";

/// What to record, and where.
#[derive(Debug)]
pub struct Order<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Folder of the cases, structured like `fixtures/`.
    pub into: &'a Path,
    /// Name of the case.
    pub name: &'a str,
    /// Settings of the call.
    pub settings: &'a Settings,
    /// Environment, for keys.
    pub environment: &'a [(String, String)],
    /// Time of the call.
    pub now: DateTime<Utc>,
}

/// Result of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// The folder of the case.
    pub folder: PathBuf,
    /// Summary for the user.
    pub summary: String,
}

/// One recorded exchange.
struct Kept {
    source: &'static str,
    method: Method,
    url: String,
    request: Option<Vec<u8>>,
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

#[derive(Default)]
struct Tape {
    kept: Vec<Kept>,
    bytes: usize,
    too_much: bool,
    unanswered: Vec<String>,
}

#[derive(Default)]
struct Recorder(Mutex<Tape>);

impl Observe for Recorder {
    fn exchanged(&self, exchange: &Seen<'_>) {
        let mut tape = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let host = exchange.url.host_str().unwrap_or_default();
        let answer = match &exchange.outcome {
            Ok(answer) => answer,
            Err(code) => return tape.unanswered.push(format!("{host}: {code}")),
        };
        tape.bytes += answer.body.len();
        if tape.kept.len() >= RECORDED_EXCHANGES || tape.bytes > RECORDED_BYTES {
            tape.too_much = true;
            return;
        }
        tape.kept.push(Kept {
            source: exchange.source,
            method: exchange.method,
            url: exchange.url.to_string(),
            request: exchange.request.map(<[u8]>::to_vec),
            status: answer.status,
            headers: answer.headers.0.clone(),
            body: answer.body.to_vec(),
        });
    }
}

/// Records a call. Errors are one line; nothing has been written then.
pub async fn record(order: Order<'_>) -> Result<Recorded, String> {
    let folder = destination(&order)?;
    // A case's clock stands still and needs no milliseconds.
    let now = order.now.trunc_subsecs(0);
    let recorder = Arc::new(Recorder::default());
    let app = App::build_observed(
        order.settings,
        order.environment,
        Arc::clone(&recorder) as Arc<dyn Observe>,
        Some(Arc::new(FixedClock(now)) as Arc<dyn Clock>),
    )
    .map_err(|error| error.to_string())?;
    if app.engine.tool(order.tool).is_none() {
        return Err(format!(
            "there is no tool `{}`; `freshcontext tools` lists them",
            order.tool
        ));
    }
    let called = app
        .engine
        .call(order.tool, order.arguments.clone(), CallContext::default());
    let live = called.await.map_err(|error| error.to_string())?.written();
    let tape = std::mem::take(&mut *recorder.0.lock().unwrap_or_else(PoisonError::into_inner));
    if tape.too_much {
        return Err(format!(
            "the call made more than {RECORDED_EXCHANGES} exchanges or brought more than {} MiB; ask for less",
            RECORDED_BYTES >> 20
        ));
    }
    if !tape.unanswered.is_empty() {
        let first = tape.unanswered.first().map_or("", String::as_str);
        return Err(format!(
            "a request had no answer, which no case can hold ({first}); try again"
        ));
    }
    if tape.kept.is_empty() {
        let said = live.text.lines().next().unwrap_or_default();
        return Err(format!(
            "no request was made, so there is nothing to record: {said}"
        ));
    }
    let descriptors: Vec<&'static Descriptor> = app.engine.descriptors().collect();
    let mut scrubber = scrubber(&order, &descriptors);
    let asked = Value::Object(order.arguments.clone()).to_string();
    scrubber.learn(asked.as_bytes());
    for kept in &tape.kept {
        scrubber.learn(&kept.body);
        for (_, value) in &kept.headers {
            scrubber.learn(value.as_bytes());
        }
    }
    let written = write(&order, &folder, &tape.kept, &scrubber, &descriptors, now, &live).await;
    match written {
        Ok(summary) => Ok(Recorded { folder, summary }),
        Err(error) => {
            // An incomplete case would fail the suite or leak data.
            let _ = std::fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}

/// Returns the folder of the case, which must not exist. `fixtures/` is reserved for hand-written cases.
fn destination(order: &Order<'_>) -> Result<PathBuf, String> {
    let plain = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    if !plain(order.name) {
        return Err(format!(
            "`{}` is no name for a case; letters, digits, - and _ are, for example rust-search",
            order.name
        ));
    }
    if order.into.file_name().is_some_and(|name| name == "fixtures") {
        return Err("fixtures/ is for what we wrote; recordings go elsewhere (--into)".to_owned());
    }
    let source = order.tool.trim_start_matches("extract_");
    let folder = order.into.join(source).join(order.name);
    if folder.exists() {
        return Err(format!(
            "{} is there already; choose another --name",
            folder.display()
        ));
    }
    Ok(folder)
}

/// Returns a scrubber for the contact and for every environment value that may be a key.
fn scrubber(order: &Order<'_>, descriptors: &[&'static Descriptor]) -> Scrubber {
    let names: BTreeSet<&str> = descriptors
        .iter()
        .flat_map(|descriptor| names_of(descriptor))
        .collect();
    let keys = order
        .environment
        .iter()
        .filter(|(name, _)| names.contains(name.as_str()) || name == CONTACT)
        .map(|(_, value)| value.as_str());
    Scrubber::new(keys.chain(order.settings.contact.as_deref()))
}

fn names_of(descriptor: &Descriptor) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for credential in descriptor.credentials {
        names.extend(credential.env);
        if let freshcontext_contract::Apply::ClientCredentials { secret_env, .. } = credential.apply {
            names.push(secret_env);
        }
    }
    names.extend(descriptor.routes.iter().filter_map(|route| route.needs));
    names
}

/// Returns the response headers that these sources' adapters read; no other header is stored.
fn read_headers(descriptors: &[&'static Descriptor]) -> BTreeSet<&'static str> {
    let mut names: BTreeSet<&str> = READ_HEADERS.into_iter().collect();
    names.extend(block_pages::header_names());
    let rules = descriptors.iter().flat_map(|descriptor| {
        let shared = descriptor
            .hosts
            .named()
            .iter()
            .filter_map(|host| hosts::refusals(host));
        descriptor
            .status_rules
            .iter()
            .chain(shared.flat_map(|refusals| refusals.rules))
    });
    for rule in rules {
        if let When::HeaderPresent(name) | When::HeaderIs(name, _) = rule.when {
            names.insert(name);
        }
    }
    names
}

/// Writes the case, replays it, and states the outcome as its expectation.
async fn write(
    order: &Order<'_>,
    folder: &Path,
    kept: &[Kept],
    scrubber: &Scrubber,
    descriptors: &[&'static Descriptor],
    now: DateTime<Utc>,
    live: &Written,
) -> Result<String, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let sources: BTreeSet<&str> = kept.iter().map(|kept| kept.source).collect();
    let asked: Vec<&'static Descriptor> = descriptors
        .iter()
        .filter(|descriptor| sources.contains(descriptor.id))
        .copied()
        .collect();
    let known = read_headers(&asked);
    let mut exchanges = Vec::new();
    for (at, kept) in kept.iter().enumerate() {
        exchanges.push(exchange(kept, at, folder, scrubber, &known)?);
    }
    let clean = |text: &str| String::from_utf8_lossy(&scrubber.clean(text.as_bytes())).into_owned();
    let mut arguments: Map<String, Value> =
        serde_json::from_str(&clean(&Value::Object(order.arguments.clone()).to_string()))
            .map_err(|error| format!("the arguments cannot be scrubbed: {error}"))?;
    // TOML has no null, and a null argument counts as absent.
    arguments.retain(|_, value| !value.is_null());
    let set = |name: &&str| {
        let in_environment = order
            .environment
            .iter()
            .any(|(known, value)| known == name && !value.trim().is_empty());
        in_environment || (*name == CONTACT && order.settings.contact.is_some())
    };
    let names: BTreeSet<&str> = asked
        .iter()
        .flat_map(|descriptor| names_of(descriptor))
        .chain([CONTACT])
        .collect();
    let hosts: BTreeSet<&str> = exchanges
        .iter()
        .filter_map(|exchange| exchange.url.host_str())
        .collect();
    let hosts = hosts.into_iter().collect::<Vec<_>>().join(", ");
    let mut case = Case {
        tool: order.tool.to_owned(),
        kind: kind(live),
        origin: Origin::Recorded,
        reads: None,
        partly: None,
        wrong: None,
        note: format!("Recorded on {} from {hosts}.", now.format("%Y-%m-%d")),
        now,
        env: names
            .iter()
            .filter(|name| set(name))
            .map(|name| (*name).to_owned())
            .collect(),
        arguments,
        exchanges,
        expect: Expect::default(),
        name: order.name.to_owned(),
        folder: folder.to_owned(),
    };
    let replayed = play(&case).await?;
    case.expect = expectation(&replayed, &clean);
    let text = case.to_toml()?;
    for (file, bytes) in files(folder)?
        .into_iter()
        .chain([("case.toml".to_owned(), text.clone().into_bytes())])
    {
        if let Some(leak) = scrubber.leaks(&bytes).first() {
            return Err(format!(
                "{leak} could not be taken out of {file}; nothing was written"
            ));
        }
    }
    std::fs::write(folder.join("case.toml"), text).map_err(|error| format!("case.toml: {error}"))?;
    let same = clean(&comparable(live)) == clean(&comparable(&replayed));
    let [secrets, people, machines] = scrubber.counts();
    Ok(format!(
        "{} exchanges, {secrets} secrets, {people} mail and {machines} IP addresses taken out. {}",
        kept.len(),
        if same {
            "Played back, it gives the same answer."
        } else {
            "Played back, it gives another answer than the live call: what was taken out counts here, or the answers \
             depend on their order. Read it before you keep it."
        }
    ))
}

/// Returns a result without the parts that differ between two calls.
fn comparable(outcome: &Written) -> String {
    let mut value = outcome.structured.clone();
    if let Some(value) = value.as_object_mut() {
        for own in ["next_cursor", "content"] {
            value.remove(own);
        }
    }
    value.to_string()
}

fn exchange(
    kept: &Kept,
    at: usize,
    folder: &Path,
    scrubber: &Scrubber,
    known: &BTreeSet<&'static str>,
) -> Result<Exchange, String> {
    let headers: BTreeMap<String, String> = kept
        .headers
        .iter()
        .filter(|(name, _)| known.contains(name.as_str()))
        .map(|(name, value)| {
            let value = scrubber.clean(value.as_bytes());
            (name.clone(), String::from_utf8_lossy(&value).into_owned())
        })
        .collect();
    let mut file = None;
    if !kept.body.is_empty() {
        let kind = headers
            .get("content-type")
            .map(String::as_str)
            .unwrap_or_default();
        let name = format!("{:02}.{}", at + 1, ending(kind));
        std::fs::write(folder.join(&name), scrubber.clean(&kept.body))
            .map_err(|error| format!("{name}: {error}"))?;
        file = Some(name);
    }
    let address = scrubber.clean_address(&kept.url);
    let asked = kept
        .request
        .as_deref()
        .and_then(|body| std::str::from_utf8(body).ok());
    let asked = asked.filter(|text| !text.is_empty() && text.len() <= BODY_TEXT);
    Ok(Exchange {
        method: match kept.method {
            Method::Get => "GET",
            Method::PostQuery => "POST",
        }
        .to_owned(),
        url: address
            .parse()
            .map_err(|_| "an address is none any more once scrubbed".to_owned())?,
        body_contains: asked
            .map(|text| scrubber.clean_address(text))
            .into_iter()
            .collect(),
        times: 1,
        status: kept.status,
        headers,
        encoding: None,
        origin: None,
        reads: None,
        body: file,
        recording: None,
        text: None,
    })
}

fn ending(content_type: &str) -> &'static str {
    [
        ("json", "json"),
        ("html", "html"),
        ("xml", "xml"),
        ("csv", "csv"),
        ("markdown", "md"),
        ("text/", "txt"),
    ]
    .iter()
    .find(|(part, _)| content_type.contains(part))
    .map_or("bin", |(_, ending)| ending)
}

fn kind(outcome: &Written) -> Kind {
    let text = |name: &str| {
        let value = outcome.structured.get(name);
        value.and_then(Value::as_str).unwrap_or_default()
    };
    if outcome.is_error {
        return match text("code") {
            "rate_limited" => Kind::Limited,
            "access_denied" | "challenge" | "misconfigured" => Kind::Denied,
            "malformed" => Kind::Malformed,
            _ => Kind::Odd,
        };
    }
    match text("status") {
        "empty" => Kind::Empty,
        "partial" => Kind::Odd,
        _ => Kind::Ok,
    }
}

/// Replays a case like the suite: with a server of its own and scripted upstreams.
async fn play(case: &Case) -> Result<Written, String> {
    let script = Script::of(case, Path::new(""))?;
    let answers = script.clone();
    let upstream = ScriptedUpstream::start(move |seen| answers.answer(seen))
        .await
        .map_err(|error| format!("cannot play it back: {error}"))?;
    let settings = Settings {
        upstreams: vec![("*".to_owned(), upstream.base())],
        contact: case
            .env
            .iter()
            .any(|name| name == CONTACT)
            .then(|| "ops@example.com".to_owned()),
        ..Settings::default()
    };
    let environment: Vec<(String, String)> = case
        .env
        .iter()
        .map(|name| (name.clone(), SECRET.to_owned()))
        .collect();
    let nobody = Arc::new(Recorder::default()) as Arc<dyn Observe>;
    let clock = Arc::new(FixedClock(case.now)) as Arc<dyn Clock>;
    let app = App::build_observed(&settings, &environment, nobody, Some(clock))
        .map_err(|error| error.to_string())?;
    let called = app
        .engine
        .call(&case.tool, case.arguments.clone(), CallContext::default());
    let outcome = called.await.map_err(|error| error.to_string())?;
    let complaints = script.complaints();
    if complaints.is_empty() {
        return Ok(outcome.written());
    }
    Err(format!(
        "played back, the call does not ask the same: {}",
        complaints.join("; ")
    ))
}

/// Derives the expectation from the outcome of a replay.
fn expectation(outcome: &Written, clean: &impl Fn(&str) -> String) -> Expect {
    let empty = Value::Null;
    let answer = &outcome.structured;
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(clean);
    if outcome.is_error {
        return Expect {
            error: text(answer, "code"),
            retry_after_s: answer.get("retry_after_s").and_then(Value::as_u64),
            ..Expect::default()
        };
    }
    // A composite has sections instead, which its checks cover.
    let facts = answer.get("freshcontext").unwrap_or(&empty);
    let or_none = |value: &Value, name: &str| text(value, name).or_else(|| Some("none".to_owned()));
    let items = answer.get("items").and_then(Value::as_array);
    let failures = answer.get("failures").and_then(Value::as_array);
    let score = facts.get("freshness_score");
    Expect {
        status: text(answer, "status").or_else(|| Some("success".to_owned())),
        items: items.map(|items| {
            let cut = answer.get("truncated").and_then(Value::as_u64);
            items.len() + cut.and_then(|cut| usize::try_from(cut).ok()).unwrap_or(0)
        }),
        source_url: text(facts, "source_url"),
        content_date: or_none(facts, "content_date"),
        confidence: text(facts, "freshness_confidence"),
        score: score.map(|score| {
            if score.is_null() {
                "none".into()
            } else {
                score.clone()
            }
        }),
        route: text(answer, "route"),
        item: items
            .into_iter()
            .flatten()
            .take(ITEMS)
            .enumerate()
            .map(|(index, item)| ExpectItem {
                index,
                title: text(item, "title"),
                url: or_none(item, "url"),
                published_at: or_none(item, "published_at"),
                confidence: text(item, "date_confidence"),
                ..ExpectItem::default()
            })
            .collect(),
        failure: failures
            .into_iter()
            .flatten()
            .filter_map(|part| {
                Some(ExpectFailure {
                    what: text(part, "what")?,
                    error: text(part, "code")?,
                })
            })
            .collect(),
        ..Expect::default()
    }
}

fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = std::fs::read(entry.path()).map_err(|error| format!("{name}: {error}"))?;
        out.push((name, bytes));
    }
    Ok(out)
}
