//! Cost of the stages of `evaluate_context` on 100 signals of 2 KB, run one after the other in this process. The
//! evaluation spreads its work over all processors, so its stages are timed on one.

use std::hint::black_box;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use freshcontext_core::evaluate::{Options, evaluate_text};
use freshcontext_core::provenance::canonical_sha256;
use freshcontext_detect::inspect;

use crate::documents::{Form, mixed};
use crate::evaluate::arguments_of;
use crate::report::Row;
use crate::{Failure, Plan};

const GROUP: &str = "stages";

/// Runs the measurements of this group.
pub(crate) fn run(plan: &Plan, forms: &[Form]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let all = mixed(forms);
    for form in std::iter::once(&all).chain(forms) {
        let Some(texts) = form.pieces(100, 2_000) else {
            let what = format!("100 x 2000 B, {}", form.name);
            rows.push(Row::not_measured(
                GROUP,
                &what,
                "not enough of them on this machine",
            ));
            continue;
        };
        let line = arguments_of(texts.clone()).to_string();
        let clock: DateTime<Utc> = "2026-06-09T12:00:00Z".parse()?;
        let options = Options::default();
        let evaluation = evaluate_text(&line, clock, &options)?;
        let mut add = |stage: &str, each: f64| {
            rows.push(Row::new(GROUP, format!("{}: {stage}", form.name), "µs", each));
        };
        let time = plan.time / 10;
        add(
            "reading the arguments",
            micros(time, || {
                serde_json::from_str::<serde_json_borrow::Value<'_>>(&line).is_ok()
            }),
        );
        add(
            "the detector",
            micros(time, || texts.iter().filter(|text| inspect(text).failed).count()),
        );
        add(
            "hashes of the contents",
            micros(time, || {
                texts
                    .iter()
                    .map(|text| canonical_sha256(text).len())
                    .sum::<usize>()
            }),
        );
        add(
            "writing the structure",
            micros(time, || evaluation.json().is_ok()),
        );
        add("writing the cards", micros(time, || evaluation.text().len()));
        add(
            "reading and judging, on all processors",
            micros(time, || evaluate_text(&line, clock, &options).is_ok()),
        );
    }
    Ok(rows)
}

/// Returns the median microseconds of as many runs as fit into `time`.
fn micros<T>(time: Duration, mut work: impl FnMut() -> T) -> f64 {
    black_box(work());
    let (begin, mut each) = (Instant::now(), Vec::new());
    while begin.elapsed() < time || each.is_empty() {
        let one = Instant::now();
        black_box(work());
        each.push(one.elapsed().as_secs_f64() * 1e6);
    }
    each.sort_by(f64::total_cmp);
    each.get(each.len() / 2).copied().unwrap_or(0.0)
}
