//! What a composite takes beyond its slowest source, with every upstream equally slow.

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
/// Every answer of the upstream takes this long.
const DELAY_MS: u64 = 150;
/// Calls of each kind; each in a fresh process, so that nothing is cached and no host is paced.
const ROUNDS: usize = 5;

/// Measures.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let replies = replies()?;
    let upstream = ScriptedUpstream::start(move |seen| {
        let path = seen.target.split('?').next().unwrap_or_default();
        let known = replies.get(&(seen.host.clone(), path.to_owned()));
        let mut reply = known.cloned().unwrap_or(Reply {
            status: 404,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: b"{}".to_vec(),
            delay_ms: 0,
        });
        reply.delay_ms = DELAY_MS;
        reply
    })
    .await?;
    let base = format!("*={}", upstream.base());
    let plan = plan.clone();
    tokio::task::spawn_blocking(move || composites().iter().map(|one| row(one, &plan, &base)).collect())
        .await?
}

fn row(composite: &Composite, plan: &Plan, base: &str) -> Result<Row, Failure> {
    note(&format!("composite: {}", composite.tool));
    let command = || {
        let mut command = plan.ours.command(&[]);
        command.env("FRESHCONTEXT_UPSTREAM", base);
        command
    };
    let example: Map<String, Value> = serde_json::from_str(composite.example)?;
    let sections = (composite.plan)(example.clone())
        .map_err(|error| error.to_string())?
        .sections;
    let time = |tool: &str, arguments: &Map<String, Value>| -> Result<(f64, bool), Failure> {
        let mut millis = Vec::with_capacity(ROUNDS);
        let mut content = false;
        for _ in 0..ROUNDS {
            let (one, good) = cold_call(command(), tool, arguments, plan.life)?;
            millis.push(one);
            content = good;
        }
        Ok((Times::new(millis).median(), content))
    };
    let mut slowest = 0.0_f64;
    let mut filled = 0;
    for section in &sections {
        let (millis, content) = time(section.tool, &section.arguments)?;
        slowest = slowest.max(millis);
        filled += usize::from(content);
    }
    let (whole, _) = time(composite.tool, &example)?;
    let what = format!(
        "{} over its slowest source ({slowest:.0} ms; {filled} of {} sections with content)",
        composite.tool,
        sections.len()
    );
    Ok(Row::new(GROUP, what, "ms", whole - slowest).target(Target::AtMost(5.0)))
}

/// The time of a process's first call of a tool, and whether content came back.
fn cold_call(
    command: Command,
    tool: &str,
    arguments: &Map<String, Value>,
    life: Duration,
) -> Result<(f64, bool), Failure> {
    let (mut session, _) = Session::greeted(command, life)?;
    // What a process does once only is not the composite's.
    session.request("tools/list", &json!({}))?;
    let line = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
    .to_string();
    let begin = Instant::now();
    let answer: Value = serde_json::from_slice(session.exchange(line.as_bytes())?)?;
    let millis = begin.elapsed().as_secs_f64() * 1e3;
    Ok((millis, answer.pointer("/result/isError") == Some(&json!(false))))
}

/// The answers of all good cases by host and path; a query may be another than the case's.
fn replies() -> Result<HashMap<(String, String), Reply>, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut out = HashMap::new();
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
                delay_ms: 0,
            };
            out.entry((host.to_owned(), exchange.url.path().to_owned()))
                .or_insert(reply);
        }
    }
    Ok(out)
}
