//! Judges `evaluate_context` arguments, one JSON value a line on stdin, and writes one JSON line for
//! each: `{"structured", "text"}` or `{"error": {"code", "field", "message"}}`. With the argument
//! `--differences` it lists the wanted differences from the reference server instead; with
//! `--bench` it times calls of several sizes.
//!
//! The differential test in `tests/differential` drives it.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(
    clippy::disallowed_methods,
    reason = "a bench needs a clock, and a caller without `now` does too"
)]

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use chrono::{DateTime, Utc};
use freshcontext_core::evaluate::{DIFFERENCES, Options, evaluate};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("--differences") => println!("{}", serde_json::to_string(&DIFFERENCES)?),
        Some("--bench") => bench()?,
        _ => lines(Utc::now())?,
    }
    Ok(())
}

fn lines(clock: DateTime<Utc>) -> Result<(), Box<dyn Error>> {
    let options = Options::default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let arguments: Value = serde_json::from_str(&line?)?;
        let answer = match evaluate(&arguments, clock, &options) {
            Ok(evaluation) => json!({"structured": evaluation, "text": evaluation.text()}),
            Err(error) => json!({"error": {
                "code": error.code.as_str(), "field": error.field, "message": error.message,
            }}),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Milliseconds a call, JSON text in and JSON text out, as a server would spend them.
fn bench() -> Result<(), Box<dyn Error>> {
    let mut options = Options::default();
    options.limits.signals_bytes = 16 << 20;
    let clock: DateTime<Utc> = "2026-06-09T12:00:00Z".parse()?;
    for (signals, bytes, rounds) in [
        (1, 300, 2_000),
        (10, 2_000, 500),
        (100, 2_000, 100),
        (500, 2_000, 20),
        (100, 50_000, 10),
    ] {
        let sentence = "The release notes describe what changed in the parser and why it matters. ";
        let signals: Vec<Value> = (0..signals)
            .map(|number| {
                let content: String = sentence.chars().cycle().take(bytes - 8).collect();
                json!({
                    "source": format!("https://docs.example.org/page/{number}"), "source_type": "official_docs",
                    "title": format!("Page {number}"), "content": format!("{number:>7} {content}"),
                    "published_at": "2026-06-08T10:00:00Z", "semantic_score": 0.9, "date_confidence": "high",
                })
            })
            .collect();
        let count = signals.len();
        let text = json!({"profile": "official_docs", "intent": "developer_adoption", "signals": signals})
            .to_string();
        let (mut size, mut evaluating) = (0, 0.0);
        let begin = Instant::now();
        for _ in 0..rounds {
            let arguments: Value = serde_json::from_str(&text)?;
            let evaluated = Instant::now();
            let evaluation = evaluate(&arguments, clock, &options).map_err(|error| error.to_string())?;
            let text = evaluation.text();
            evaluating += evaluated.elapsed().as_secs_f64();
            size = serde_json::to_string(&evaluation)?.len() + text.len();
        }
        let each = |seconds: f64| seconds * 1e3 / f64::from(rounds);
        println!(
            "{count} signals of {bytes} bytes: {:.3} ms a call with parsing and writing, {:.3} ms to evaluate; {size} bytes out",
            each(begin.elapsed().as_secs_f64()),
            each(evaluating),
        );
    }
    Ok(())
}
