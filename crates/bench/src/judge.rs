//! `evaluate_context` over stdio, beside the reference.

use serde_json::{Value, json};

use crate::report::{Row, Target, note};
use crate::stdio::{Session, Timed};
use crate::texts::Prose;
use crate::{Failure, Plan};

const GROUP: &str = "evaluate";
/// The tool.
pub(crate) const TOOL: &str = "evaluate_context";

/// Arguments with this many signals of this many bytes of prose each.
pub(crate) fn arguments(signals: usize, bytes: usize) -> Value {
    let mut prose = Prose::new(20_260_609);
    let signals: Vec<Value> = (0..signals)
        .map(|number| {
            json!({
                "id": format!("note-{number}"),
                "source": format!("https://docs.example.org/{}/{number}", number % 7),
                "source_type": "official_docs",
                "title": prose.sentence(),
                "content": prose.text(bytes),
                "published_at": format!("2026-0{}-1{}T10:00:00Z", number % 5 + 1, number % 9),
                "retrieved_at": "2026-06-09T11:00:00Z",
                "semantic_score": (number % 10) as f64 / 10.0,
                "date_confidence": "high",
            })
        })
        .collect();
    json!({
        "profile": "official_docs", "intent": "developer_adoption", "now": "2026-06-09T12:00:00Z", "signals": signals,
    })
}

/// Measures.
pub(crate) fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let series = |signals: usize, bytes: usize| -> Result<(Timed, Option<Timed>), Failure> {
        note(&format!("evaluate_context: {signals} signals of {bytes} bytes"));
        let given = arguments(signals, bytes);
        let (mut ours, _) = Session::greeted(plan.ours.command(&[]), plan.life)?;
        let ours = ours.calls(TOOL, &given, plan.time)?;
        // The reference takes 100 signals at most.
        let Some(program) = plan.reference.as_ref().filter(|_| signals <= 100) else {
            return Ok((ours, None));
        };
        let (mut reference, _) = Session::greeted(program.command(&[]), plan.life)?;
        Ok((ours, Some(reference.calls(TOOL, &given, plan.time)?)))
    };
    for (signals, bytes, target) in [
        (1, 300, Some(Target::Times(2.5))),
        (10, 2_000, None),
        (100, 2_000, Some(Target::Times(12.0))),
        (100, 50_000, Some(Target::Times(6.0))),
        (500, 2_000, None),
    ] {
        let (ours, reference) = series(signals, bytes)?;
        let of = |figure: fn(&Timed) -> f64| (figure(&ours), reference.as_ref().map(figure));
        let name = format!("{signals} x {bytes} B");
        let mut add = |what: &str, unit, (ours, reference): (f64, Option<f64>), target: Option<Target>| {
            let mut row = Row::new(GROUP, format!("{name}{what}"), unit, ours).beside(reference);
            row.target = target;
            rows.push(row);
        };
        add("", "calls/s", of(|timed| timed.times.rate()), target);
        let most = (signals == 500).then_some(Target::AtMost(25.0));
        add(", median", "ms", of(|timed| timed.times.median()), most);
        add(", p99", "ms", of(|timed| timed.times.quantile(0.99)), None);
        let most = (signals == 100).then_some(Target::AtMost(130_000.0));
        add(", reply", "bytes", of(|timed| timed.bytes as f64), most);
    }
    let (mut pinned, _) = Session::greeted(plan.ours.on_one_core(), plan.life)?;
    let timed = pinned.calls(TOOL, &arguments(10, 2_000), plan.time)?;
    rows.push(
        Row::new(
            GROUP,
            "10 x 2000 B, server on one core",
            "calls/s",
            timed.times.rate(),
        )
        .target(Target::AtLeast(3_000.0)),
    );
    Ok(rows)
}
