//! `evaluate_context` over stdio, compared with the reference.

use serde_json::{Value, json};

use crate::documents::{Form, mixed};
use crate::report::{Row, Target, note};
use crate::stdio::{Session, Timed, in_turns};
use crate::texts::Prose;
use crate::{Failure, Plan};

const GROUP: &str = "evaluate";
/// Name of the tool under test.
pub(crate) const TOOL: &str = "evaluate_context";

/// Returns arguments with `signals` signals of `bytes` bytes of prose each.
pub(crate) fn arguments(signals: usize, bytes: usize) -> Value {
    let mut prose = Prose::new(20_260_609);
    arguments_of((0..signals).map(|_| prose.text(bytes)).collect())
}

/// Returns arguments with one signal for each of these texts.
pub(crate) fn arguments_of(texts: Vec<String>) -> Value {
    let mut prose = Prose::new(20_261_122);
    let signals: Vec<Value> = texts
        .into_iter()
        .enumerate()
        .map(|(number, text)| {
            json!({
                "id": format!("note-{number}"),
                "source": format!("https://docs.example.org/{}/{number}", number % 7),
                "source_type": "official_docs",
                "title": prose.sentence(),
                "content": text,
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

/// Returns one sentence, repeated up to `bytes` bytes.
fn repeated(bytes: usize) -> String {
    const SENTENCE: &str =
        "The library opens at nine and closes at six, except on the first Monday of the month. ";
    SENTENCE.chars().cycle().take(bytes).collect()
}

/// Runs series of calls on both servers.
struct Bench<'p> {
    plan: &'p Plan,
    rows: Vec<Row>,
}

impl Bench<'_> {
    fn series(&self, what: &str, given: &Value, both: bool) -> Result<(Timed, Option<Timed>), Failure> {
        note(&format!("evaluate_context: {what}"));
        let (ours, _) = Session::greeted(self.plan.ours.command(&[]), self.plan.life)?;
        let Some(program) = self.plan.reference.as_ref().filter(|_| both) else {
            return Ok((ours.calls(TOOL, given, self.plan.time)?, None));
        };
        let (reference, _) = Session::greeted(program.command(&[]), self.plan.life)?;
        let [ours, reference] = in_turns([ours, reference], TOOL, given, self.plan.time)?;
        Ok((ours, Some(reference)))
    }

    fn add(&mut self, what: String, unit: &'static str, figures: (f64, Option<f64>), target: Option<Target>) {
        let mut row = Row::new(GROUP, what, unit, figures.0).beside(figures.1);
        row.target = target;
        self.rows.push(row);
    }

    /// Measures calls with `signals` signals of `bytes` bytes each, in one form of text.
    fn form(
        &mut self,
        form: &str,
        (signals, bytes): (usize, usize),
        texts: Option<Vec<String>>,
        target: Target,
    ) -> Result<(), Failure> {
        let what = format!("{signals} x {bytes} B, {form}");
        let Some(texts) = texts else {
            self.rows.push(Row::not_measured(
                GROUP,
                &what,
                "not enough of them on this machine",
            ));
            return Ok(());
        };
        let (ours, reference) = self.series(&what, &arguments_of(texts), true)?;
        let of = |figure: fn(&Timed) -> f64| (figure(&ours), reference.as_ref().map(figure));
        self.add(
            what.clone(),
            "calls/s",
            of(|timed| timed.times.rate()),
            Some(target),
        );
        self.add(
            format!("{what}, reply"),
            "bytes",
            of(|timed| timed.bytes as f64),
            Some(Target::AtMost(130_000.0)),
        );
        Ok(())
    }
}

/// Runs the measurements of this group.
pub(crate) fn run(plan: &Plan, forms: &[Form]) -> Result<Vec<Row>, Failure> {
    let mut bench = Bench {
        plan,
        rows: Vec::new(),
    };
    for form in forms {
        let (documents, bytes, hash) = form.about();
        let what = format!("read: {}, {documents} documents, SHA-256 {hash}", form.name);
        bench.add(what, "bytes", (bytes as f64, None), None);
    }
    let all = mixed(forms);
    for form in std::iter::once(&all).chain(forms) {
        bench.form(form.name, (100, 2_000), form.pieces(100, 2_000), EIGHT_TIMES)?;
    }
    let mut prose = Prose::new(20_260_609);
    for bytes in [2_000, 50_000] {
        let generated = (0..100).map(|_| prose.text(bytes)).collect();
        bench.form("generated prose", (100, bytes), Some(generated), EIGHT_TIMES)?;
        let same = vec![repeated(bytes); 100];
        bench.form("repeated text", (100, bytes), Some(same), EIGHT_TIMES)?;
    }
    bench.form(all.name, (100, 50_000), all.pieces(100, 50_000), EIGHT_TIMES)?;
    sizes(&mut bench)?;
    Ok(bench.rows)
}

const EIGHT_TIMES: Target = Target::Times(8.0);

/// Measures other signal counts, with generated prose.
fn sizes(bench: &mut Bench<'_>) -> Result<(), Failure> {
    for (signals, bytes, target) in [
        (1, 300, Some(Target::Times(2.5))),
        (10, 2_000, None),
        (500, 2_000, None),
    ] {
        let name = format!("{signals} x {bytes} B, generated prose");
        // The reference accepts at most 100 signals.
        let (ours, reference) = bench.series(&name, &arguments(signals, bytes), signals <= 100)?;
        let of = |figure: fn(&Timed) -> f64| (figure(&ours), reference.as_ref().map(figure));
        bench.add(name.clone(), "calls/s", of(|timed| timed.times.rate()), target);
        let most = (signals == 500).then_some(Target::AtMost(25.0));
        bench.add(
            format!("{name}, median"),
            "ms",
            of(|timed| timed.times.median()),
            most,
        );
        bench.add(
            format!("{name}, p99"),
            "ms",
            of(|timed| timed.times.quantile(0.99)),
            None,
        );
    }
    let (pinned, _) = Session::greeted(bench.plan.ours.on_one_core(), bench.plan.life)?;
    let timed = pinned.calls(TOOL, &arguments(10, 2_000), bench.plan.time)?;
    bench.add(
        "10 x 2000 B, generated prose, server on one core".to_owned(),
        "calls/s",
        (timed.times.rate(), None),
        Some(Target::AtLeast(3_000.0)),
    );
    Ok(())
}
