//! Speed of the failure inspector alone, in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use freshcontext_detect::inspect;
use serde_json::Value;

use crate::documents::Form;
use crate::report::{Row, note};
use crate::texts::Prose;
use crate::{Failure, Plan};

const GROUP: &str = "inspector";

/// Runs the measurements of this group.
pub(crate) fn run(plan: &Plan, forms: &[Form]) -> Result<Vec<Row>, Failure> {
    let mut prose = Prose::new(11);
    let mut make = |bytes: usize, count: usize| (0..count).map(|_| prose.text(bytes)).collect::<Vec<_>>();
    let mut rows = Vec::new();
    let mut add = |what: &str, texts: &[String]| {
        let (each, rate) = speed(texts, plan.time / 4);
        rows.push(Row::new(GROUP, format!("{what}, one text"), "µs", each));
        rows.push(Row::new(GROUP, what, "MB/s", rate));
    };
    add("prose, 300 B", &make(300, 200));
    add("prose, 2 KB", &make(2_000, 200));
    add("prose, 50 KB", &make(50_000, 20));
    for form in forms {
        match form.pieces(100, 2_000) {
            Some(texts) => add(&format!("{}, 2 KB", form.name), &texts),
            None => note(&format!("skipped: too few of {} on this machine", form.name)),
        }
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/failure-corpus/dev.jsonl");
    match std::fs::read_to_string(&corpus) {
        Ok(lines) => add("development corpus", &texts_of(&lines)?),
        Err(_) => note("skipped: the failure corpus is not beside this checkout"),
    }
    for (what, text) in hostile() {
        add(&format!("hostile: {what}"), &[text]);
    }
    Ok(rows)
}

fn texts_of(lines: &str) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line)?;
        texts.push(
            line.get("text")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
        );
    }
    Ok(texts)
}

/// Texts that cost a careless scanner far more than their length. Each has 50 KB, the maximum for one signal.
fn hostile() -> Vec<(&'static str, String)> {
    let repeat = |piece: &str| piece.repeat(50_000 / piece.len());
    vec![
        (
            "wordings of failure",
            repeat("access denied page not found please try again later "),
        ),
        ("one long word", repeat("a")),
        ("open tags", repeat("<div><a><b>")),
        ("open braces", repeat("{\"a\":[")),
        ("blank lines", format!("x{}", repeat(" \n\t\r"))),
        ("one-word sentences", repeat("no. ")),
        ("Chinese", repeat("抱歉，您访问的页面不存在。今天天气很好，")),
        ("combining marks", repeat("a\u{301}\u{302}\u{303}")),
    ]
}

/// Returns microseconds per text and megabytes per second.
fn speed(texts: &[String], time: Duration) -> (f64, f64) {
    let round = || {
        texts
            .iter()
            .filter(|text| std::hint::black_box(inspect(text)).failed)
            .count()
    };
    std::hint::black_box(round());
    let (mut rounds, begin) = (0_u32, Instant::now());
    while begin.elapsed() < time || rounds == 0 {
        std::hint::black_box(round());
        rounds += 1;
    }
    let seconds = begin.elapsed().as_secs_f64() / f64::from(rounds);
    let bytes: usize = texts.iter().map(String::len).sum();
    (seconds * 1e6 / texts.len() as f64, bytes as f64 / seconds / 1e6)
}
