//! Startup of a server: time to the first answer, memory at that point, and the tool list.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::report::{Row, Target, Times};
use crate::stdio::{Program, Request, Session};
use crate::{Failure, Plan};

const GROUP: &str = "start";

struct Figures {
    start: Times,
    resident_kib: f64,
    list_bytes: f64,
    list: Times,
}

fn figures(program: &Program, spawns: usize, life: Duration) -> Result<Figures, Failure> {
    let mut start = Vec::with_capacity(spawns);
    let mut resident = Vec::with_capacity(spawns);
    for _ in 0..spawns {
        let (session, millis) = Session::greeted(program.command(&[]), life)?;
        start.push(millis);
        resident.push(session.resident_kib()?);
    }
    let (mut session, _) = Session::greeted(program.command(&[]), life)?;
    session.request("tools/list", &json!({}))?;
    let mut list = Vec::new();
    let mut list_bytes = 0;
    let mut request = Request::new("tools/list", &json!({}));
    for _ in 0..200 {
        let begin = Instant::now();
        list_bytes = session.again(&mut request)?.len();
        list.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Figures {
        start: Times::new(start),
        resident_kib: Times::new(resident).median(),
        list_bytes: list_bytes as f64,
        list: Times::new(list),
    })
}

/// Runs the measurements of this group.
pub(crate) fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let ours = figures(&plan.ours, plan.spawns, plan.life)?;
    let reference = match &plan.reference {
        Some(program) => Some(figures(program, plan.spawns.min(10), plan.life)?),
        None => None,
    };
    let of = |figure: fn(&Figures) -> f64| (figure(&ours), reference.as_ref().map(figure));
    let row = |what: &str, unit, (ours, reference): (f64, Option<f64>)| {
        Row::new(GROUP, what, unit, ours).beside(reference)
    };
    Ok(vec![
        row("start to first reply, median", "ms", of(|f| f.start.median())).target(Target::AtMost(15.0)),
        row("start to first reply, p99", "ms", of(|f| f.start.quantile(0.99))),
        row(
            "memory after the first reply (VmRSS)",
            "MiB",
            of(|f| f.resident_kib / 1024.0),
        )
        .target(Target::AtMost(16.0)),
        row("tools/list, line", "bytes", of(|f| f.list_bytes)),
        row("tools/list, p99", "ms", of(|f| f.list.quantile(0.99))),
    ])
}
