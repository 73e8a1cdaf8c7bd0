//! Overhead of a composite over its slowest source, with all upstreams equally slow.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use freshcontext_sources::{Composite, composites};
use freshcontext_testkit::case::load_cases;
use freshcontext_testkit::{Case, Kind, Reply, ScriptedUpstream};
use serde_json::{Map, Value, json};

use crate::report::{Row, Target, Times, note};
use crate::stdio::Session;
use crate::{Failure, Plan};

const GROUP: &str = "composite";
/// Latency of every upstream answer.
const DELAY_MS: u64 = 150;
/// Calls of each kind. Each call runs in a fresh process, so that no answer is cached and no host is rate limited.
const ROUNDS: usize = 9;
/// A ticker that no quote source knows: all routes are tried, one after the other.
const NOBODY_HAS: (&str, &str) = ("tickers", "NOPE");

/// Runs the measurements of this group.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let replies = Replies::read()?;
    let upstream = ScriptedUpstream::start(move |seen| replies.to(&seen.host, &seen.target)).await?;
    let base = format!("*={}", upstream.base());
    let plan = plan.clone();
    tokio::task::spawn_blocking(move || rows(&plan, &base)).await?
}

fn rows(plan: &Plan, base: &str) -> Result<Vec<Row>, Failure> {
    let mut out = Vec::new();
    for composite in composites() {
        let mut arguments: Map<String, Value> = serde_json::from_str(composite.example)?;
        out.push(row(composite, &arguments, "", plan, base)?);
        let (name, value) = NOBODY_HAS;
        if arguments.insert(name.to_owned(), value.into()).is_some() {
            out.push(row(
                composite,
                &arguments,
                ", a quote nowhere to be had,",
                plan,
                base,
            )?);
        }
    }
    Ok(out)
}

/// Measures one composite. The kinds of call take turns, so that other load on the machine affects all of them alike.
fn row(
    composite: &Composite,
    arguments: &Map<String, Value>,
    remark: &str,
    plan: &Plan,
    base: &str,
) -> Result<Row, Failure> {
    note(&format!("composite: {}{remark}", composite.tool));
    let sections = (composite.plan)(arguments.clone())
        .map_err(|error| error.to_string())?
        .sections;
    let mut calls = vec![Series::of(composite.tool, arguments)];
    calls.extend(sections.iter().map(|part| Series::of(part.tool, &part.arguments)));
    for _ in 0..ROUNDS {
        for series in &mut calls {
            let mut command = plan.ours.command(&[]);
            command.env("FRESHCONTEXT_UPSTREAM", base);
            let (millis, content) = cold_call(command, series.tool, series.arguments, plan.life)?;
            series.millis.push(millis);
            series.content = content;
        }
    }
    let mut calls = calls.into_iter();
    let whole = calls.next().ok_or("nothing was called")?.median();
    let filled = calls.clone().filter(|section| section.content).count();
    let slowest = calls.map(Series::median).fold(0.0, f64::max);
    let what = format!(
        "{}{remark} over its slowest source ({slowest:.0} ms; {filled} of {} sections with content)",
        composite.tool,
        sections.len()
    );
    Ok(Row::new(GROUP, what, "ms", whole - slowest).target(Target::AtMost(5.0)))
}

/// Timed calls of one tool.
#[derive(Clone)]
struct Series<'a> {
    tool: &'a str,
    arguments: &'a Map<String, Value>,
    millis: Vec<f64>,
    /// Whether the last call returned content.
    content: bool,
}

impl<'a> Series<'a> {
    fn of(tool: &'a str, arguments: &'a Map<String, Value>) -> Self {
        Self {
            tool,
            arguments,
            millis: Vec::with_capacity(ROUNDS),
            content: false,
        }
    }

    fn median(self) -> f64 {
        Times::new(self.millis).median()
    }
}

/// Times the first call of a tool in a new process, and returns whether it had content.
fn cold_call(
    command: Command,
    tool: &str,
    arguments: &Map<String, Value>,
    life: Duration,
) -> Result<(f64, bool), Failure> {
    let (mut session, _) = Session::greeted(command, life)?;
    // Keeps one-time work of the process out of the measured call.
    session.request("tools/list", &json!({}))?;
    let line = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
    .to_string();
    let begin = Instant::now();
    let answer: Value = serde_json::from_slice(session.exchange(line.as_bytes())?)?;
    let millis = begin.elapsed().as_secs_f64() * 1e3;
    Ok((millis, answer.pointer("/result/isError") == Some(&json!(false))))
}

/// The recorded answers of all successful cases.
struct Replies {
    /// Keyed by host and path with query.
    exact: HashMap<(String, String), Reply>,
    /// Keyed by host and path, for a query that no case has.
    near: HashMap<(String, String), Reply>,
}

impl Replies {
    fn read() -> Result<Self, Failure> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let mut out = Self {
            exact: HashMap::new(),
            near: HashMap::new(),
        };
        let good = |case: &Case| case.kind == Kind::Ok;
        for case in load_cases(&root)?.into_iter().filter(good) {
            for exchange in case
                .exchanges
                .iter()
                .filter(|exchange| exchange.recording.is_none())
            {
                let Some(host) = exchange.url.host_str() else {
                    continue;
                };
                let reply = Reply {
                    status: exchange.status,
                    headers: vec![("content-type".to_owned(), exchange.content_type())],
                    body: case.body(exchange, &root)?,
                    delay_ms: DELAY_MS,
                };
                let path = exchange.url.path().to_owned();
                let target = match exchange.url.query() {
                    Some(query) => format!("{path}?{query}"),
                    None => path.clone(),
                };
                let exact = out.exact.entry((host.to_owned(), target));
                exact.or_insert_with(|| reply.clone());
                out.near.entry((host.to_owned(), path)).or_insert(reply);
            }
        }
        Ok(out)
    }

    fn to(&self, host: &str, target: &str) -> Reply {
        let path = target.split('?').next().unwrap_or_default();
        let exact = self.exact.get(&(host.to_owned(), target.to_owned()));
        let near = || self.near.get(&(host.to_owned(), path.to_owned()));
        exact.or_else(near).cloned().unwrap_or(Reply {
            status: 404,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: b"{}".to_vec(),
            delay_ms: DELAY_MS,
        })
    }
}
