//! What is known to be missing: a question, why it matters, and the call that would answer it.

use std::collections::HashMap;

use freshcontext_contract::named;
use serde::Serialize;
use serde_json::Value;

use crate::calls::{Call, refetch};
use crate::candidate::{Candidate, Reason, Replaced, Usability};
use crate::ids::missing_id;
use crate::limits::Require;

/// How much a gap matters: the five of Agent Context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// It matters little.
    Low,
    /// It matters.
    Medium,
    /// What it is needed for is weak without it.
    High,
    /// Nothing should be done before it is filled.
    Blocking,
}

/// Somewhere the answer may be found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// Where it is from.
    pub source: String,
    /// The call that would tell; null where no tool of ours has it.
    pub call: Option<Call>,
    /// What else to do about it.
    pub how: &'static str,
}

/// A known gap.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissingContext {
    /// The same for the same gap in every call.
    pub missing_id: String,
    /// Whose it is: this call's.
    pub scope: &'static str,
    /// What is not known.
    pub question: String,
    /// What it is needed for.
    pub needed_for: String,
    /// How much it matters.
    pub severity: Severity,
    /// The results that it is about, by their index.
    pub results: Vec<usize>,
    /// Where the answer may be found.
    pub candidate_sources: Vec<Source>,
    /// What should not be done before it is filled.
    pub blocked_actions: Vec<&'static str>,
    /// `open`.
    pub status: &'static str,
}

/// Whose gaps these are.
pub const SCOPE: &str = "tool_invocation";
/// Rank from which a gap is one of high severity: what is below would hardly be used.
const MATTERS: f64 = 0.55;

const AGAIN: &str = "Fetch it, then judge it again.";
const IN_PARTS: &str = "Pass it in parts, each with its source and date.";
const YOURS: &str = "No tool here has it: fetch it yourself, and pass it with its retrieved_at.";

/// What is known to be missing, each gap once, the gravest first.
pub(crate) fn gaps(candidates: &[Candidate<'_>], needed_for: &str) -> Vec<MissingContext> {
    let mut out = Gaps {
        needed_for,
        found: Vec::new(),
        places: HashMap::new(),
    };
    for candidate in candidates {
        let name = candidate.source.as_ref();
        let severity = if candidate.rank >= MATTERS {
            Severity::High
        } else {
            Severity::Medium
        };
        // What is withheld is no gap that a call could fill.
        match candidate.ineligible(Require::Any).map(|(reason, _)| reason) {
            Some(Reason::MissingPermission) => {
                out.add(
                    format!("Who can permit the use of {}?", named(name)),
                    Severity::Medium,
                    candidate.index,
                    Some(Source {
                        source: name.to_owned(),
                        call: None,
                        how: "Ask whoever denied it.",
                    }),
                    vec!["use"],
                );
                continue;
            }
            Some(Reason::PrivacyRisk | Reason::PolicyBlock) => continue,
            _ => {}
        }
        match candidate.usability {
            Usability::Failed => out.add(
                format!(
                    "What does {} say? Its retrieval failed: what it holds is not known.",
                    named(name)
                ),
                severity,
                candidate.index,
                Some(source_of(candidate)),
                vec!["use", "cite", "conclude_that_there_is_none"],
            ),
            Usability::TooLong => out.add(
                format!("What does {} say? It is too long to be judged.", named(name)),
                severity,
                candidate.index,
                Some(Source {
                    source: name.to_owned(),
                    call: None,
                    how: IN_PARTS,
                }),
                vec!["use", "cite", "conclude_that_there_is_none"],
            ),
            Usability::NeedsRefresh => out.add(
                format!("What does {} say now?", named(name)),
                severity,
                candidate.index,
                Some(source_of(candidate)),
                vec!["use_as_current", "hand_off"],
            ),
            _ if candidate.published_at.is_none() => out.add(
                format!("When was {} published? No usable date is known.", named(name)),
                if candidate.is_irrelevant() {
                    Severity::Low
                } else {
                    Severity::Medium
                },
                candidate.index,
                Some(source_of(candidate)),
                vec!["state_its_age"],
            ),
            Usability::Usable | Usability::Void => {}
        }
        if let Some(replaced) = &candidate.replaced_by {
            out.add(
                format!(
                    "What does {} say? It takes the place of {}.",
                    named(&replaced.name),
                    named(name)
                ),
                severity,
                candidate.index,
                Some(source_of_replacement(candidate, replaced)),
                vec!["use_as_current"],
            );
        }
        if candidate.relevance.is_none() {
            out.add(
                "How relevant are these results? Nobody judged it.".to_owned(),
                Severity::Info,
                candidate.index,
                Some(Source {
                    source: "the caller".to_owned(),
                    call: Some(Call {
                        tool: "evaluate_context".to_owned(),
                        arguments: Value::Null,
                    }),
                    how: "Call again with query, or with a semantic_score in each signal.",
                }),
                Vec::new(),
            );
        }
    }
    out.found.sort_by_key(|gap| std::cmp::Reverse(gap.severity));
    out.found
}

/// The question which of those that do not fit are to go in.
pub(crate) fn choice(over: &[&Candidate<'_>], needed_for: &str) -> MissingContext {
    let names: Vec<String> = over
        .iter()
        .take(20)
        .map(|candidate| candidate.index.to_string())
        .collect();
    let more = if over.len() > names.len() {
        " and others"
    } else {
        ""
    };
    let question = format!(
        "Not all fits: which results are to go in? Left out as it stands are {}{more}.",
        names.join(", ")
    );
    let again = Call {
        tool: "evaluate_context".to_owned(),
        arguments: Value::Null,
    };
    MissingContext {
        missing_id: missing_id(SCOPE, &question, needed_for, Some(&again)),
        scope: SCOPE,
        question,
        needed_for: needed_for.to_owned(),
        severity: Severity::Blocking,
        results: over.iter().map(|candidate| candidate.index).collect(),
        candidate_sources: vec![Source {
            source: "the user".to_owned(),
            call: Some(again),
            how: "Call again with the signals that are chosen, a larger budget, or another overflow_strategy.",
        }],
        blocked_actions: vec!["use_assembly"],
        status: "open",
    }
}

fn source_of(candidate: &Candidate<'_>) -> Source {
    let call = refetch(candidate);
    Source {
        source: candidate.source.to_string(),
        how: match &call {
            Some(call) if call.arguments.is_null() => "Repeat the call that failed, with its arguments.",
            Some(_) => AGAIN,
            None => YOURS,
        },
        call,
    }
}

/// Where what takes a candidate's place may be found: by the way in which the candidate itself is.
fn source_of_replacement(candidate: &Candidate<'_>, replaced: &Replaced<'_>) -> Source {
    let of_replacement = Candidate {
        source: replaced.url.clone().unwrap_or_else(|| replaced.name.clone()),
        source_type: candidate.source_type.clone(),
        title: Some(replaced.name.clone()),
        ..Candidate::default()
    };
    let call = refetch(&of_replacement);
    Source {
        source: of_replacement.source.to_string(),
        how: if call.is_some() { AGAIN } else { YOURS },
        call,
    }
}

impl MissingContext {
    /// Whether a call of this tool would fill it.
    fn asks(&self, tool: &str) -> bool {
        let mut calls = self
            .candidate_sources
            .iter()
            .filter_map(|source| source.call.as_ref());
        calls.any(|call| call.tool == tool)
    }
}

struct Gaps<'a> {
    needed_for: &'a str,
    found: Vec<MissingContext>,
    /// Where each is, by its id.
    places: HashMap<String, usize>,
}

impl Gaps<'_> {
    fn add(
        &mut self,
        question: String,
        severity: Severity,
        index: usize,
        source: Option<Source>,
        blocked_actions: Vec<&'static str>,
    ) {
        let call = source.as_ref().and_then(|source| source.call.as_ref());
        let id = missing_id(SCOPE, &question, self.needed_for, call);
        let next = self.found.len();
        // A failure told twice, once without its arguments, is one gap.
        let told = call.filter(|call| call.arguments.is_null()).and_then(|call| {
            self.found
                .iter()
                .position(|gap| gap.question == question && gap.asks(&call.tool))
        });
        let place = told.unwrap_or_else(|| *self.places.entry(id.clone()).or_insert(next));
        if let Some(known) = self.found.get_mut(place) {
            known.results.push(index);
            known.severity = known.severity.max(severity);
            if let Some(source) = source
                && !known.candidate_sources.contains(&source)
            {
                known.candidate_sources.push(source);
            }
            return;
        }
        self.found.push(MissingContext {
            missing_id: id,
            scope: SCOPE,
            question,
            needed_for: self.needed_for.to_owned(),
            severity,
            results: vec![index],
            candidate_sources: source.into_iter().collect(),
            blocked_actions,
            status: "open",
        });
    }
}
