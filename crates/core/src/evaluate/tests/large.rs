//! Large calls as JSON text, judged on all processors: the same verdicts as of their values, to the byte.

use super::*;

/// Of every kind that a list of signals may hold.
fn signals() -> Vec<Value> {
    let prose =
        "The harbour and its fences were inspected in spring, and nobody objected to the plan. ".repeat(12);
    let result = |items: Value| {
        json!({
            "content": prose, "items": items,
            "freshcontext": {"adapter": "hackernews", "source_url": "https://example.com/q", "retrieved_at": "2026-06-09T11:00:00Z"},
        })
    };
    let item = json!({"title": "An item", "url": "https://example.com/i", "date_confidence": "high", "freshness_score": 9, "summary": prose});
    (0..170)
        .map(|number| {
            let source = format!("https://docs.example.org/{number}");
            let content = format!("{number}. {prose}");
            match number % 10 {
                1 => signal(json!({"source": source, "content": "Access denied. You don't have permission to access this server."})),
                2 => signal(json!({"source": source, "content": null, "body": content})),
                3 => result(json!([item, item])),
                4 => result(json!([item])),
                5 => signal(json!({"source": source, "content": null})),
                6 => signal(json!({"source": source, "content": "The same few words."})),
                7 => signal(json!({"source": source, "content": content, "final_url": "https://docs.example.org/login"})),
                8 => signal(json!({"source": source, "content": content, "semantic_score": null})),
                9 => json!({"adapter": "yc", "code": "timeout", "message": "It took too long.", "source": "extract_yc"}),
                _ => signal(json!({"source": source, "content": content})),
            }
        })
        .collect()
}

fn read(text: &str) -> Result<Evaluation, SourceError> {
    evaluate_text(text, clock(), &Options::default())
}

#[test]
fn a_large_call_is_judged_as_its_values_are() {
    let mut arguments = call(&signals());
    for (name, value) in [
        ("intent", json!("citation_check")),
        ("query", json!("a harbour plan")),
        // Read as JSON before it is judged.
        ("signals", json!(json!(signals()).to_string())),
    ] {
        let text = arguments.to_string();
        assert!(text.len() > parallel::WORTHWHILE);
        let judged = read(&text).unwrap();
        assert_eq!(judged.verdicts.len(), 187);
        assert_eq!(
            judged,
            evaluate(&arguments, clock(), &Options::default()).unwrap()
        );
        arguments[name] = value;
    }
}

#[test]
fn what_is_wrong_with_a_large_call_is_named_as_ever() {
    let mut all = signals();
    all[150] = json!({"content": "Without a source."});
    let found = read(&call(&all).to_string()).unwrap();
    let without = found.verdicts.iter().find(|verdict| verdict.position == 150);
    assert_eq!(
        without.map(|verdict| verdict.source.as_str()),
        Some("not provided")
    );
    let text = call(&signals()).to_string();
    for (text, field) in [
        (text.replace("\"signals\"", "\"signal\""), "signal"),
        (text.replacen('{', "{\"signals\":7,", 1), "none"),
        (text.replacen("\"signals\"", "\"sign\\u0061ls\"", 1), "none"),
        (text.replacen('}', "},", 1), "arguments"),
        (format!("{text} x"), "arguments"),
    ] {
        let wrong = read(&text).err().and_then(|error| error.field);
        assert_eq!(wrong.as_deref().unwrap_or("none"), field);
    }
}
