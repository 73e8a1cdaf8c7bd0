//! What context records need of an evaluation beside its output.

use freshcontext_budget::{Reason, Require};
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::ScoredSignal;
use super::fit::{POLICY, candidate};
use super::input::{Request, last};
use super::text::{is_blank, not_blank};
use super::verdict::Verdict;
use crate::sanitize::{clean, clean_line, cut_marked};

/// What the records of an evaluation are made from beside its output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Noted {
    /// Facts about each result, in rank order.
    pub known: Vec<Known>,
    /// What the caller looked for, cleaned.
    pub query: Option<String>,
}

/// Facts about a result that its verdict does not repeat.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// Its text, cleaned.
    pub content: Option<String>,
    /// Its own title, cleaned; not one that was made of something else.
    pub title: Option<String>,
    /// Its id.
    pub item_id: String,
    /// SHA-256 of its canonical content.
    pub content_sha256: Option<String>,
    /// The caller's word for how sensitive it is.
    pub sensitivity: Option<String>,
    /// The caller's policy about it.
    pub policy: Option<String>,
    /// How long the caller wants it kept.
    pub retention_hint: Option<String>,
    /// Why it would stay out of any budget, and what that rests on.
    pub ineligible: Option<(Reason, String)>,
}

impl Noted {
    pub(super) fn of(request: &Request<'_>, scored: &[ScoredSignal<'_>], verdicts: &[Verdict]) -> Self {
        Self {
            known: scored
                .iter()
                .zip(verdicts)
                .map(|(scored, verdict)| Known::of(scored, verdict))
                .collect(),
            query: request.query.map(|query| clean_line(query).into_owned()),
        }
    }
}

impl Known {
    fn of(scored: &ScoredSignal<'_>, verdict: &Verdict) -> Self {
        let candidate = candidate(scored, verdict);
        // Of an item without a summary the title is what was retrieved.
        let (hash, content) = (&scored.signal.content_hash, scored.signal.given.own_content());
        let retention = scored
            .signal
            .given
            .metadata
            .and_then(|metadata| last(metadata, "retention_hint"));
        Self {
            item_id: candidate.item_id.to_string(),
            title: candidate.title.as_deref().map(str::to_owned),
            sensitivity: candidate
                .facts
                .sensitivity
                .map(|word| clean_line(word).into_owned()),
            policy: scored.signal.given.metadata.and_then(policy_of),
            retention_hint: retention
                .and_then(Node::as_str)
                .and_then(not_blank)
                .map(|hint| cut_marked(&clean_line(hint), POLICY).into_owned()),
            ineligible: candidate.ineligible(Require::Any),
            content_sha256: hash.clone(),
            content: content
                .filter(|content| !is_blank(content))
                .map(|content| clean(content).into_owned()),
        }
    }
}

/// The reference of a policy that the caller names, whether it blocks or not.
fn policy_of(metadata: &ObjectAsVec<'_>) -> Option<String> {
    let reference = match last(metadata, "policy") {
        Some(Node::Str(reference)) => Some(reference.as_ref()),
        Some(Node::Object(policy)) => last(policy, "ref").and_then(Node::as_str),
        _ => None,
    };
    let reference = reference.and_then(not_blank)?;
    Some(cut_marked(&clean_line(reference), POLICY).into_owned())
}
