//! What a budget and a query add to an evaluation: `cargo run --release -p freshcontext-core --example budget_cost`.
//!
//! Signals of 2 KB under 8,000 tokens, and as many texts again; the median of nine, in milliseconds.

#![expect(clippy::print_stdout, reason = "this program prints its figures")]

use std::fmt::Write as _;
use std::time::Instant;

use freshcontext_core::evaluate::{Options, evaluate_text};
use serde_json::{Value, json};

fn arguments(signals: usize, bytes: usize) -> Value {
    let words = [
        "context",
        "a",
        "migration",
        "of",
        "services",
        "the",
        "release",
        "notes",
        "say",
        "which",
        "settings",
    ];
    let mut state = 1_u32;
    let mut text = |number: usize| {
        let mut out = format!("Note {number}.");
        while out.len() < bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let word = words
                .iter()
                .cycle()
                .nth((state >> 20) as usize % 97)
                .copied()
                .unwrap_or_default();
            let end = if state >> 28 == 0 { "." } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(out, " {word}{}{end}", state % 7);
        }
        out
    };
    let signals: Vec<Value> = (0..signals)
        .map(|number| {
            json!({
                "source": format!("https://docs.example.org/{number}"), "source_type": "official_docs",
                "title": format!("Note {number}"), "content": text(number), "semantic_score": 0.8,
                "published_at": "2026-06-09T10:00:00Z", "retrieved_at": "2026-06-09T11:00:00Z", "date_confidence": "high",
            })
        })
        .collect();
    json!({"profile": "official_docs", "intent": "developer_adoption", "now": "2026-06-09T12:00:00Z", "signals": signals})
}

fn median(text: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let clock = "2026-06-09T12:00:00Z".parse()?;
    let mut times = Vec::new();
    for _ in 0..9 {
        let begun = Instant::now();
        let evaluation = evaluate_text(text, clock, &Options::default())?;
        std::hint::black_box(evaluation.json()?);
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(4).copied().unwrap_or_default())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let first = Instant::now();
    freshcontext_budget::Tokenizer::default().count("a");
    println!(
        "the vocabulary's first use: {:.0} ms",
        first.elapsed().as_secs_f64() * 1e3
    );
    for (signals, bytes) in [(125, 2_000), (250, 2_000), (500, 2_000), (500, 4_000)] {
        let mut call = arguments(signals, bytes);
        let without = median(&call.to_string())?;
        if let Some(call) = call.as_object_mut() {
            call.insert("budget".to_owned(), json!({"max_tokens": 8_000}));
        }
        let with = median(&call.to_string())?;
        if let Some(call) = call.as_object_mut() {
            call.remove("budget");
            call.insert(
                "query".to_owned(),
                json!("how to install the services of migration3 and releases"),
            );
            for signal in call
                .get_mut("signals")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                if let Some(signal) = signal.as_object_mut() {
                    signal.remove("semantic_score");
                }
            }
        }
        let by_query = median(&call.to_string())?;
        println!(
            "{signals} x {bytes} B: {without:.1} ms without, {with:.1} ms under 8,000 tokens, {:.1} ms added; {by_query:.1} ms \
             by a query, {:.1} ms added",
            with - without,
            by_query - without
        );
    }
    Ok(())
}
