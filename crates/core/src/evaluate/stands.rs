//! Whether what a signal holds still stands, as the caller has it: the structure of our own items, words of a status, flags
//! of a registry's record. And what follows from it for the use.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use freshcontext_contract::standing::{Basis, Replacement};
use freshcontext_contract::{StandingEvidence, StandingState, code};
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::fields::last;
use super::profile::Intent;
use super::text::{is_blank, not_blank};
use super::verdict::{Decision, Handoff};
use crate::date::Confidence;
use crate::standing::{Severity, Standing, resolve};

/// Other words for the states.
const ALIASES: [(&str, StandingState); 14] = [
    ("obsolete", StandingState::Superseded),
    ("obsoleted", StandingState::Superseded),
    ("unpublished", StandingState::Removed),
    ("deleted", StandingState::Removed),
    ("dead", StandingState::Removed),
    ("eol", StandingState::Ended),
    ("inactive", StandingState::Ended),
    ("delisted", StandingState::Ended),
    ("terminated", StandingState::Cancelled),
    ("expired", StandingState::Closed),
    ("filled", StandingState::Closed),
    ("disputed", StandingState::Concern),
    ("flagged", StandingState::Concern),
    ("renamed", StandingState::Moved),
];

/// Names of facts that say a state by being true, or by a text.
const FLAGS: [(&str, StandingState); 7] = [
    ("retracted", StandingState::Retracted),
    ("is_retracted", StandingState::Retracted),
    ("withdrawn", StandingState::Withdrawn),
    ("deprecated", StandingState::Deprecated),
    ("yanked", StandingState::Yanked),
    ("archived", StandingState::Archived),
    ("prerelease", StandingState::Prerelease),
];
/// Names of facts that name what takes its place.
const REPLACEMENTS: [&str; 2] = ["superseded_by", "replaced_by"];
/// Texts of a flag that is not set.
const UNSET: [&str; 5] = ["false", "no", "0", "none", "null"];

/// The state of a word.
pub(super) fn state_of(word: &str) -> Option<StandingState> {
    let word = word.trim().to_ascii_lowercase();
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == word);
    StandingState::of(&word).or_else(|| Some(alias()?.1))
}

/// What a signal says of its standing, and how that was given.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub signs: Vec<StandingEvidence>,
    pub notes: Vec<Cow<'static, str>>,
    /// Whether the structure of our own items was read.
    has_structure: bool,
    /// The facts that were read, as `metadata.replaced_by`.
    facts: Vec<String>,
}

/// What is read in the structure of our own items.
const STRUCTURE: [&str; 11] = [
    "state",
    "since",
    "reason",
    "confidence",
    "by",
    "by.who",
    "by.notice",
    "replaced_by",
    "replaced_by.id",
    "replaced_by.url",
    "replaced_by.title",
];

impl Claims {
    /// Whether the value of this path was read, so that it is not named among what was not.
    pub(super) fn has_read(&self, path: &str) -> bool {
        let of_structure = || {
            let inner = path.strip_prefix("standing.")?;
            let inner = inner.strip_prefix("also[].").unwrap_or(inner);
            Some(STRUCTURE.contains(&inner))
        };
        self.facts.iter().any(|fact| fact == path)
            || (self.has_structure && of_structure().unwrap_or_default())
    }

    /// Of the signal itself, then of its facts and its metadata. What our own items say counts alone: their facts say the
    /// same once more. A status of a retrieval is none of a thing.
    pub(super) fn read(object: &ObjectAsVec<'_>) -> Self {
        let mut claims = Self::default();
        match last(object, "standing") {
            Some(Node::Object(standing)) => claims.of_structure(standing),
            Some(Node::Str(word)) if !is_blank(word) => claims.of_word("standing", word),
            _ => {}
        }
        if !claims.signs.is_empty() {
            return claims;
        }
        if let Some(Node::Str(word)) = last(object, "status")
            && state_of(word).is_some()
        {
            claims.of_word("status", word);
        }
        // OpenAlex and registries have their flags beside the title.
        claims.of_facts("", object);
        for (around, facts) in [
            ("fields.", last(object, "fields")),
            ("metadata.", last(object, "metadata")),
        ] {
            if let Some(Node::Object(facts)) = facts {
                claims.of_facts(around, facts);
            }
        }
        claims
    }

    fn of_word(&mut self, name: &'static str, word: &str) {
        let shown = freshcontext_contract::quoted_within(word, 40);
        match state_of(word) {
            Some(state) => {
                self.facts.push(name.to_owned());
                self.signs.push(StandingEvidence::mark(state, name, word));
                self.notes
                    .push(format!("Its standing was given as {} in {}.", shown, code(name)).into());
            }
            None => self.notes.push(
                format!("Its standing {shown} is none of the words that are known, and was passed over.")
                    .into(),
            ),
        }
    }

    /// The structure of an item of ours.
    fn of_structure(&mut self, standing: &ObjectAsVec<'_>) {
        let Some(mut sign) = sign_of(standing, "standing.state") else {
            self.notes
                .push("Its standing names no state that is known, and was passed over.".into());
            return;
        };
        sign.basis = match last(standing, "confidence").and_then(Node::as_str) {
            Some("high") => Basis::Field,
            Some("low") => Basis::Prose,
            _ => Basis::Mark,
        };
        let basis = sign.basis;
        self.signs.push(sign);
        self.has_structure = true;
        if let Some(Node::Array(also)) = last(standing, "also") {
            let further = also.iter().filter_map(|also| match also {
                Node::Object(also) => sign_of(also, "standing.also"),
                _ => None,
            });
            self.signs
                .extend(further.map(|sign| StandingEvidence { basis, ..sign }));
        }
    }

    /// The facts of an object; `around` is the path to it, with its dot.
    fn of_facts(&mut self, around: &'static str, facts: &ObjectAsVec<'_>) {
        let mut found = Vec::new();
        for (name, state) in FLAGS {
            let text = match last(facts, name) {
                Some(Node::Bool(true)) => None,
                Some(Node::Str(text)) => match not_blank(text) {
                    Some(text) if !UNSET.contains(&text.to_ascii_lowercase().as_str()) => Some(text),
                    _ => continue,
                },
                _ => continue,
            };
            let says_yes =
                text.is_none_or(|text| text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("yes"));
            let sign = StandingEvidence::mark(state, format!("{around}{name}"), text.unwrap_or("true"));
            self.signs.push(sign.reason(text.filter(|_| !says_yes)));
            found.push(name);
        }
        for name in REPLACEMENTS {
            if let Some(Node::Str(text)) = last(facts, name)
                && let Some(text) = not_blank(text)
            {
                let sign = StandingEvidence::mark(StandingState::Superseded, format!("{around}{name}"), text);
                self.signs.push(sign.replaced_by(Some(Replacement::id(text))));
                found.push(name);
            }
        }
        self.facts
            .extend(found.iter().map(|name| format!("{around}{name}")));
        if let Some(first) = found.first() {
            self.notes
                .push(format!("Its standing was given as {}.", code(&format!("{around}{first}"))).into());
        }
    }
}

/// The sign in a structure of ours.
fn sign_of(standing: &ObjectAsVec<'_>, field: &'static str) -> Option<StandingEvidence> {
    let text = |name: &str| last(standing, name).and_then(Node::as_str).and_then(not_blank);
    let word = text("state")?;
    let within = |object: &str, name: &str| match last(standing, object) {
        Some(Node::Object(object)) => last(object, name)
            .and_then(Node::as_str)
            .and_then(not_blank)
            .map(str::to_owned),
        _ => None,
    };
    let replaced_by = Replacement {
        id: within("replaced_by", "id").or_else(|| text("replaced_by").map(str::to_owned)),
        url: within("replaced_by", "url"),
        title: within("replaced_by", "title"),
    };
    let sign = StandingEvidence::field(state_of(word)?, field, word)
        .since(text("since"))
        .notice(within("by", "notice"))
        .reason(text("reason"))
        .replaced_by((replaced_by != Replacement::default()).then_some(replaced_by));
    let by = within("by", "who").or_else(|| text("by").map(str::to_owned));
    Some(match by {
        Some(by) => sign.by(by),
        None => sign,
    })
}

/// The state of these claims at that moment.
pub(super) fn standing(claims: &[StandingEvidence], now: DateTime<Utc>) -> Option<Box<Standing>> {
    resolve(claims, now).map(Box::new)
}

/// What a decision becomes where the thing does not stand, or with a reservation. Never better than it was.
pub(super) fn temper(decision: Decision, standing: &Standing, intent: &Intent) -> Decision {
    use Decision as D;
    let behind = match decision {
        D::UseFirst => D::UseAsBackground,
        D::CiteAsPrimary => D::CiteAsSupporting,
        other => other,
    };
    if decision == D::Exclude {
        return D::Exclude;
    }
    match (standing.severity, standing.state) {
        (Severity::Void, _) if standing.confidence == Confidence::High => D::Exclude,
        (Severity::Void, _) => D::NeedsVerification,
        (Severity::Replaced, _) => match decision {
            D::UseFirst | D::UseAsBackground => D::NeedsVerification,
            D::CiteAsPrimary => D::CiteAsSupporting,
            other => other,
        },
        (Severity::Ended, StandingState::Closed) if is_search_for_jobs(intent) => D::Exclude,
        (Severity::Reserved, StandingState::Yanked | StandingState::Concern) => match decision {
            D::UseFirst | D::CiteAsPrimary | D::CiteAsSupporting => D::NeedsVerification,
            other => other,
        },
        (Severity::Ended | Severity::Reserved, _) => behind,
        (Severity::Note, _) => decision,
    }
}

/// Whether it may be handed off all the same.
pub(super) fn temper_handoff(handoff: Handoff, standing: &Standing) -> Handoff {
    let stands = match (standing.severity, standing.state) {
        (Severity::Void | Severity::Replaced, _)
        | (Severity::Reserved, StandingState::Yanked | StandingState::Concern) => false,
        (Severity::Ended | Severity::Reserved | Severity::Note, _) => true,
    };
    if stands {
        return handoff;
    }
    Handoff {
        safe_for_agent_handoff: false,
        reason: "It does not stand as it is.",
    }
}

fn is_search_for_jobs(intent: &Intent) -> bool {
    intent.id == "job_search"
}
