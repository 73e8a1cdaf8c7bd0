//! How many things of an answer are in which state.

use std::collections::BTreeMap;

use freshcontext_contract::StandingState;
use serde_json::{Map, Value};

use super::line::said_of;
use super::{Severity, Standing};

/// Numbers of items named for one state.
const NAMED: usize = 10;

/// What an answer says of all it shows, on one line: `1 of 3 is retracted: [2]`. `None` where nothing is said.
/// The items come with their numbers.
pub(crate) fn overview<'s>(
    subject: Option<&Standing>,
    items: impl Iterator<Item = (usize, &'s Standing)>,
    total: usize,
) -> Option<String> {
    let mut of_state: BTreeMap<StandingState, Vec<usize>> = BTreeMap::new();
    for (number, standing) in items {
        of_state.entry(standing.state).or_default().push(number);
    }
    let subject = subject.map(|subject| format!("as a whole {}", subject.line()));
    let counted = of_state.iter().map(|(state, numbers)| {
        if total == 1 {
            return format!("[1] {}", said_of(*state, false));
        }
        let mut names: Vec<String> = numbers
            .iter()
            .take(NAMED)
            .map(|number| format!("[{number}]"))
            .collect();
        if numbers.len() > NAMED {
            names.push(format!("{} more", numbers.len() - NAMED));
        }
        format!(
            "{} of {total} {}: {}",
            numbers.len(),
            said_of(*state, numbers.len() > 1),
            names.join(", ")
        )
    });
    let parts: Vec<String> = subject.into_iter().chain(counted).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// How many are of which severity, those that occur.
pub(crate) fn counts<'s>(items: impl Iterator<Item = &'s Standing>) -> Map<String, Value> {
    let mut counts: BTreeMap<Severity, u64> = BTreeMap::new();
    for standing in items {
        *counts.entry(standing.severity).or_default() += 1;
    }
    let named = counts
        .into_iter()
        .map(|(severity, count)| (severity.as_str().to_owned(), count.into()));
    named.collect()
}
