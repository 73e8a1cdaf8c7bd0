//! The reference's seven batches, and what its reviewers expected.

use freshcontext_testkit::bodies::shared_text;

use super::*;

fn read(name: &str) -> Value {
    serde_json::from_str(&shared_text(&format!("reference/batches/{name}"))).unwrap()
}

const NAMES: [&str; 7] = [
    "academic.json",
    "jobs.json",
    "mixed-agent-handoff.json",
    "multi-agent-handoff.json",
    "official-docs.json",
    "product-research.json",
    "rag-vendors.json",
];

/// Where the rules decide otherwise than the reviewer: batch, place in it, what the rules say.
const DISAGREEMENTS: [(&str, usize, Decision); 13] = [
    ("academic.json", 7, Decision::CiteAsPrimary),
    ("jobs.json", 8, Decision::UseAsBackground),
    ("mixed-agent-handoff.json", 0, Decision::UseFirst),
    ("multi-agent-handoff.json", 1, Decision::UseFirst),
    ("multi-agent-handoff.json", 8, Decision::UseAsBackground),
    ("multi-agent-handoff.json", 10, Decision::UseFirst),
    ("official-docs.json", 2, Decision::WatchOnly),
    ("official-docs.json", 7, Decision::WatchOnly),
    ("official-docs.json", 8, Decision::UseFirst),
    ("product-research.json", 8, Decision::WatchOnly),
    ("product-research.json", 10, Decision::UseFirst),
    ("rag-vendors.json", 4, Decision::NeedsVerification),
    ("rag-vendors.json", 8, Decision::UseAsBackground),
];

#[freshcontext_recorded::test]
fn forty_six_of_fifty_nine_expectations_come_true() {
    let (mut agreed, mut expected, mut found) = (0, 0, Vec::new());
    for name in NAMES {
        let batch = batch(&read(name), clock(), &Options::default()).unwrap();
        assert_eq!(batch.rows.len(), 12, "{name}");
        agreed += batch.agreed();
        expected += batch.expected();
        found.extend(
            batch
                .disagreements()
                .map(|row| (name, row.position, row.decision)),
        );
    }
    found.sort_unstable();
    assert_eq!(found, DISAGREEMENTS);
    assert_eq!((agreed, expected), (46, 59));
}

#[test]
fn an_unknown_expectation_is_refused_by_name() {
    let arguments = call(&[signal(json!({})), signal(json!({"expected_decision": "use"}))]);
    let error = batch(&arguments, clock(), &Options::default()).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("signals[1].expected_decision"));
}

#[test]
fn rows_carry_the_reviewers_note() {
    let arguments = call(&[signal(
        json!({"expected_decision": "watch_only", "review_note": "a\nb"}),
    )]);
    let batch = batch(&arguments, clock(), &Options::default()).unwrap();
    let row = &batch.rows[0];
    assert_eq!((row.agrees(), row.note.as_deref()), (Some(false), Some("a b")));
    assert_eq!(row.decision, Decision::UseFirst);
}
