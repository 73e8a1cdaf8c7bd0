//! What is said where nothing goes in: what came nearest, why it stays out, and how to get it.

use freshcontext_contract::{named, quote::quoted_within};

use crate::block::whole;
use crate::candidate::{Candidate, Judge, Reason, Relevance, Usability};
use crate::limits::{Budget, Strategy};
use crate::output::Omitted;
use crate::percent::percent;

/// Longest title of the nearest candidate, in characters.
const TITLE_CHARS: usize = 80;

/// One paragraph about a selection of nothing; none where there was no candidate. `order` is the order of use.
pub(crate) fn note(order: &[&Candidate<'_>], omitted: &[Omitted], budget: &Budget) -> Option<String> {
    let reason_of =
        |candidate: &Candidate<'_>| omitted.iter().find(|omitted| omitted.index == candidate.index);
    let all = order.len();
    // Of those that the caller can get, the first; sorting is stable.
    let mut near: Vec<(&Candidate<'_>, &Omitted)> = order
        .iter()
        .filter_map(|candidate| Some((*candidate, reason_of(candidate)?)))
        .collect();
    near.sort_by_key(|(candidate, omitted)| distance(candidate, omitted.reason));
    let (candidate, omitted) = *near.first()?;
    let fit = format!("0 of {all} fit.");
    // What may not be used is not named either.
    if distance(candidate, omitted.reason) == WITHHELD {
        return Some(format!(
            "{fit} All are withheld by what their metadata says; selection.omitted has the reason of each. \
             To get them: change their sensitivity, permission or policy."
        ));
    }
    let (cause, step) = cause(candidate, omitted, budget);
    Some(format!(
        "{fit} Nearest: {}{}, left out because {cause}. To get it: {step}.",
        candidate.title.as_deref().map_or_else(
            || named(&candidate.source),
            |title| quoted_within(title, TITLE_CHARS)
        ),
        facts(candidate),
    ))
}

const WITHHELD: u8 = 4;

/// How much has to change for a candidate that stays out for this reason.
fn distance(candidate: &Candidate<'_>, reason: Reason) -> u8 {
    match reason {
        Reason::Budget | Reason::StaleSource | Reason::UnverifiedDate | Reason::DuplicateCoverage => 0,
        // The strategy of that name, where no policy of the caller is at work.
        Reason::PolicyBlock if candidate.facts.blocking_policy.is_none() => 0,
        Reason::LowRelevance => 1,
        Reason::FailedRetrieval => 2,
        Reason::UnsupportedMedia | Reason::DoesNotStand => 3,
        Reason::PolicyBlock | Reason::PrivacyRisk | Reason::MissingPermission => WITHHELD,
    }
}

/// Relevance and day, in brackets.
fn facts(candidate: &Candidate<'_>) -> String {
    let relevance = candidate.relevance.map(|relevance| match relevance.by {
        Judge::Query => format!("{} of the query", percent(relevance.score)),
        Judge::Caller | Judge::Order => format!("score {:.2}", relevance.score),
    });
    let day = candidate
        .published_at
        .as_deref()
        .map_or("undated", |date| date.get(..10).unwrap_or(date));
    let parts: Vec<String> = relevance.into_iter().chain([day.to_owned()]).collect();
    format!(" ({})", parts.join(", "))
}

/// Why it stays out, and what would let it in.
fn cause(candidate: &Candidate<'_>, omitted: &Omitted, budget: &Budget) -> (String, String) {
    let room = || {
        let text = whole(candidate);
        let tokens = budget.tokenizer.count(&text) as u64;
        let (bytes, reserved) = (text.len() as u64, budget.reserved_tokens);
        match (budget.tokens(), budget.max_bytes) {
            (Some(left), _) if tokens > left => (
                format!("it takes {tokens} tokens and {left} were left"),
                format!(
                    "raise max_tokens to {}, or give max_items: 1 in its place",
                    tokens + reserved
                ),
            ),
            (_, Some(left)) => (
                format!("it takes {bytes} bytes and {left} were left"),
                format!("raise max_bytes to {bytes}, or give max_items: 1 in its place"),
            ),
            _ => (format!("it takes {tokens} tokens"), "raise max_tokens".to_owned()),
        }
    };
    let of = |cause: String, step: &str| (cause, step.to_owned());
    match omitted.reason {
        Reason::Budget if budget.overflow_strategy == Strategy::Custom => {
            let (cause, step) = room();
            (
                cause,
                format!("{step}, or pass a shorter text as metadata.replacement"),
            )
        }
        Reason::Budget | Reason::PolicyBlock | Reason::DuplicateCoverage => room(),
        Reason::StaleSource => of(
            format!("its freshness is {}", candidate.freshness.unwrap_or(0)),
            "use require: dated, or any",
        ),
        Reason::UnverifiedDate => of(
            "it has no usable date".to_owned(),
            "use require: any, or pass its published_at",
        ),
        Reason::LowRelevance => {
            let relevance = candidate.relevance.unwrap_or(Relevance {
                score: 0.0,
                least: 0.0,
                by: Judge::Caller,
            });
            match relevance.by {
                Judge::Query => of(
                    if relevance.score > 0.0 {
                        format!(
                            "it shares {} of the query's weight, and the least that goes in is {}",
                            percent(relevance.score),
                            percent(relevance.least)
                        )
                    } else {
                        "it shares no word of weight with the query".to_owned()
                    },
                    "use words of the text in query, or leave query out",
                ),
                Judge::Caller | Judge::Order => (
                    format!("its score is {:.2}", relevance.score),
                    format!(
                        "pass a semantic_score of {:.2} or more, or a query in place of scores",
                        relevance.least
                    ),
                ),
            }
        }
        Reason::FailedRetrieval if candidate.usability == Usability::TooLong => of(
            "it is too long to be judged".to_owned(),
            "pass it in parts, each with its source and date",
        ),
        Reason::FailedRetrieval => of(
            "nothing was retrieved".to_owned(),
            "fetch it again; missing_context names the call where a tool here has it",
        ),
        Reason::DoesNotStand => of(
            "it does not stand any more".to_owned(),
            "use what takes its place; missing_context names that where the source does",
        ),
        Reason::UnsupportedMedia => of("it is no text".to_owned(), "pass its text as content"),
        Reason::PrivacyRisk | Reason::MissingPermission => {
            of("it is withheld".to_owned(), "change what its metadata says")
        }
    }
}
