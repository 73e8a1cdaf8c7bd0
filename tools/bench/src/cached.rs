//! Server overhead of a tool call that is answered from the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use freshcontext_testkit::{Reply, ScriptedUpstream};
use serde_json::{Value, json};

use crate::report::{Row, Target, Times, note};
use crate::stdio::{Request, Session};
use crate::texts::Prose;
use crate::web::{Connection, Served, post};
use crate::{Failure, Plan};

const GROUP: &str = "cached";
pub(crate) const TOOL: &str = "extract_hackernews";
/// Calls in each series.
const CALLS: usize = 3_000;

/// Returns a search result of Hacker News' search service in its documented form, with thirty stories.
pub(crate) fn stories() -> Vec<u8> {
    let mut prose = Prose::new(30);
    let hits: Vec<Value> = (0..30)
        .map(|number| {
            json!({
                "objectID": format!("{}", 40_000_000 + number), "created_at": "2025-06-01T10:00:00Z",
                "created_at_i": 1_748_772_000 + number * 60, "title": prose.sentence(),
                "url": format!("https://example.com/story/{number}"), "author": format!("example_{number}"),
                "points": number * 3, "num_comments": number, "_tags": ["story"],
                "updated_at": "2025-06-02T10:00:00Z",
            })
        })
        .collect();
    json!({"hits": hits, "nbHits": 30, "page": 0, "nbPages": 1, "hitsPerPage": 30})
        .to_string()
        .into_bytes()
}

/// Wraps `body` in a JSON reply with status 200.
pub(crate) fn reply(body: Vec<u8>) -> Reply {
    Reply {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body,
        delay_ms: 0,
    }
}

/// Runs the measurements of this group.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    note("cached calls");
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let body = stories();
    let upstream = ScriptedUpstream::start(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        reply(body.clone())
    })
    .await?;
    let setting = ("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    let arguments = json!({"url": "rust language"});

    let mut command = plan.ours.command(&[]);
    command.env(setting.0, &setting.1);
    let life = plan.life;
    let given = arguments.clone();
    // The child is driven by blocking reads, the upstream by this runtime.
    let stdio = tokio::task::spawn_blocking(move || over_stdio(command, &given, life)).await??;

    let served = Served::start(&plan.ours, &[(setting.0, setting.1.clone())])?;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": TOOL, "arguments": arguments}});
    let request = post(served.address(), &message);
    let mut connection = Connection::open(served.address()).await?;
    checked(&serde_json::from_slice(connection.ask(&request).await?)?)?;
    let mut millis = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let begin = Instant::now();
        connection.ask(&request).await?;
        millis.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let http = Times::new(millis);
    let upstream_requests = asked.load(Ordering::Relaxed);
    if upstream_requests > 2 {
        return Err(
            format!("the upstream was asked {upstream_requests} times: the calls were not cached").into(),
        );
    }
    let mut rows = Vec::new();
    for (what, times) in [("stdio", stdio), ("HTTP", http)] {
        rows.push(Row::new(
            GROUP,
            format!("{TOOL} over {what}, median"),
            "ms",
            times.median(),
        ));
        rows.push(
            Row::new(
                GROUP,
                format!("{TOOL} over {what}, p99"),
                "ms",
                times.quantile(0.99),
            )
            .target(Target::AtMost(1.0)),
        );
    }
    Ok(rows)
}

fn over_stdio(
    command: std::process::Command,
    arguments: &Value,
    life: std::time::Duration,
) -> Result<Times, Failure> {
    let (mut session, _) = Session::greeted(command, life)?;
    let params = json!({"name": TOOL, "arguments": arguments});
    checked(&json!({"result": session.request("tools/call", &params)?}))?;
    let mut request = Request::new("tools/call", &params);
    let mut millis = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let begin = Instant::now();
        session.again(&mut request)?;
        millis.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Times::new(millis))
}

/// Checks that the answer has content: a fast failure is not a benchmark.
pub(crate) fn checked(answer: &Value) -> Result<(), Failure> {
    if answer.pointer("/result/isError") == Some(&json!(false)) {
        Ok(())
    } else {
        Err(format!("{TOOL} was answered with {answer:.300}").into())
    }
}
