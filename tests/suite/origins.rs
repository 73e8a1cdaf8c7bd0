//! How many independent origins there are, through the whole server: what a caller pastes, with a budget and without one. The cases
//! are data: `tests/suite/origins/cases.json`.

use freshcontext_testkit::check::Outcome;
use libtest_mimic::{Failed, Trial};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::process::{MODERN, Session, command};
use crate::run::block_on;
use crate::verdict;

/// Time of the evaluations.
const NOW: &str = "2031-01-02T12:00:00Z";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("origins::pasted", || block_on(pasted(None))),
        Trial::test("origins::within_a_budget", || block_on(pasted(Some(1_500)))),
    ]
}

/// A list of a caller, and what the answer says of it.
#[derive(Deserialize)]
struct Case {
    note: String,
    /// The signals; a date and a kind that they lack are added.
    signals: Vec<Value>,
    /// Independent origins; as many as signals where each is its own, of which nothing is said.
    origins: usize,
    /// Evidence that is named.
    #[serde(default)]
    because: Vec<String>,
}

fn cases() -> Result<Vec<Case>, Failed> {
    serde_json::from_str(include_str!("origins/cases.json")).map_err(|error| error.to_string().into())
}

async fn pasted(max_tokens: Option<u64>) -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let mut complaints = Vec::new();
    for case in cases()? {
        let signals: Vec<Value> = case
            .signals
            .iter()
            .map(|signal| {
                let mut full = json!({"source_type": "news", "published_at": "2031-01-02T08:00:00Z"});
                for (name, value) in signal.as_object().into_iter().flatten() {
                    full[name] = value.clone();
                }
                full
            })
            .collect();
        let count = signals.len();
        let mut arguments = json!({"intent": "citation_check", "now": NOW, "signals": signals});
        if let Some(most) = max_tokens {
            arguments["max_tokens"] = most.into();
        }
        let outcome = session.call("evaluate_context", arguments).await;
        complaints.extend(
            said(&case, count, &outcome).map(|wrong| format!("{}: {wrong}: {}", case.note, outcome.text)),
        );
    }
    verdict(complaints)
}

/// What is wrong with an answer; text and structure say the same.
fn said(case: &Case, count: usize, outcome: &Outcome) -> Option<String> {
    let told = &outcome.structured["origins"];
    if case.origins == count {
        let silent = told.is_null() && !outcome.text.contains("Origins: ");
        return (!silent).then(|| format!("origins of {count} independent items: {told}"));
    }
    let plural = if case.origins == 1 { "" } else { "s" };
    let phrase = format!("Origins: {count} items, {} origin{plural}", case.origins);
    if !outcome.text.contains(&phrase) {
        return Some(format!("the text lacks {phrase:?}"));
    }
    if told["items"] != json!(count) || told["origins"] != json!(case.origins) {
        return Some(format!("the structure says {told}"));
    }
    let lacking = case.because.iter().find(|reason| {
        !told.to_string().contains(reason.as_str()) || !outcome.text.contains(reason.as_str())
    });
    lacking.map(|reason| format!("{reason:?} is not named: {told}"))
}
