//! The verdict on one reference.

use chrono::{DateTime, Utc};
use freshcontext_contract::standing::Basis;
use freshcontext_contract::{
    ErrorCode, FailureKind, Lookup, Presence, Shown, SourceError, StandingEvidence, StandingState,
};

use super::{Judged, Verdict};
use crate::date::{self, Confidence};
use crate::sanitize::{clean_error, clean_line, cut_marked};
use crate::standing::{self, Standing};

/// Longest title, field and value that is repeated, in characters.
const SHOWN_CHARS: usize = 300;
/// Reason of a page that says, with a good status, that there is nothing at its address.
const SOFT_NOT_FOUND: &str = "soft_not_found";
/// Reason of a reference whose source was not asked within the time or the pace.
const NOT_ASKED: &str = "not_asked_in_time";

impl Judged {
    fn new(verdict: Verdict, confidence: Confidence) -> Self {
        Self {
            verdict,
            standing: None,
            date: None,
            title: None,
            confidence,
            shown: Vec::new(),
            detail: None,
            message: None,
        }
    }

    /// Of a text that is no reference, and why.
    pub fn not_recognised(why: &str) -> Self {
        Self {
            detail: Some(why.to_owned()),
            ..Self::new(Verdict::NotRecognised, Confidence::High)
        }
    }

    /// Of a reference of which the answer of its source settles nothing, and why.
    pub fn not_settled(why: &str) -> Self {
        Self {
            detail: Some(why.to_owned()),
            ..Self::new(Verdict::CouldNotCheck, Confidence::Low)
        }
    }

    /// Of a reference whose source was not asked within the time.
    pub fn not_asked() -> Self {
        Self {
            detail: Some(NOT_ASKED.to_owned()),
            ..Self::new(Verdict::CouldNotCheck, Confidence::Low)
        }
    }
}

/// The verdict on what a look-up came to. Only what its own registry or address says makes a thing gone or void; what failed says
/// nothing of it.
pub fn judge(read: Result<Lookup, SourceError>, now: DateTime<Utc>) -> Judged {
    match read {
        Ok(lookup) => of_lookup(lookup, now),
        Err(error) => of_failure(&error, now),
    }
}

/// Why the text of a page is none of the page: a "not found" with a good status, a wall, a parked domain. The phrases of
/// the adapter are English; the detector reads the other languages, too.
fn failed_page(text: &str) -> Option<&'static str> {
    let found = freshcontext_detect::inspect(text);
    found.kind.map(|kind| match kind {
        FailureKind::NotFound => SOFT_NOT_FOUND,
        other => other.as_str(),
    })
}

fn of_lookup(mut lookup: Lookup, now: DateTime<Utc>) -> Judged {
    if lookup.presence == Presence::Found
        && let Some(why) = lookup.page_text.as_deref().and_then(failed_page)
    {
        lookup.presence = Presence::Unsettled(why);
    }
    let standing = standing::resolve(&lookup.signs, now);
    let (verdict, confidence) = match (&lookup.presence, &standing) {
        (Presence::Unsettled(_), _) => (Verdict::CouldNotCheck, Confidence::Low),
        (Presence::Gone(basis), standing) => {
            let removed = standing
                .as_ref()
                .filter(|standing| standing.state == StandingState::Removed);
            (
                Verdict::Gone,
                removed.map_or(of_basis(*basis), |standing| standing.confidence),
            )
        }
        (Presence::Found, None) => (Verdict::Stands, Confidence::High),
        (Presence::Found, Some(standing)) => decided(standing, &lookup.signs),
    };
    let detail = match lookup.presence {
        Presence::Unsettled(why) => Some(why.to_owned()),
        Presence::Found | Presence::Gone(_) => None,
    };
    // A state of something that was not settled would read as one of the reference.
    let standing = standing.filter(|_| verdict != Verdict::CouldNotCheck);
    Judged {
        standing,
        date: date::resolve(&lookup.date, now).shown,
        title: lookup.title.as_deref().and_then(line),
        shown: lookup.shown.into_iter().map(clean).collect(),
        detail,
        ..Judged::new(verdict, confidence)
    }
}

/// The verdict that the states make: that of the weightiest one that takes anything away.
fn decided(standing: &Standing, signs: &[StandingEvidence]) -> (Verdict, Confidence) {
    let others = standing.also.iter().map(|also| also.state);
    for state in std::iter::once(standing.state).chain(others) {
        let of_state = || signs.iter().filter(|sign| sign.state == state);
        let is_replaced = of_state().any(|sign| sign.replaced_by.is_some());
        let verdict = of_state_verdict(state, is_replaced);
        if verdict != Verdict::Stands {
            let surest = of_state().map(|sign| sign.basis).min();
            return (verdict, surest.map_or(standing.confidence, of_basis));
        }
    }
    (Verdict::Stands, Confidence::High)
}

/// The one table: which verdict a state makes.
const fn of_state_verdict(state: StandingState, is_replaced: bool) -> Verdict {
    use StandingState as S;
    match state {
        S::Removed => Verdict::Gone,
        S::Retracted | S::Withdrawn | S::Yanked | S::Cancelled => Verdict::Withdrawn,
        S::Superseded => Verdict::Superseded,
        S::Moved => Verdict::Moved,
        S::Deprecated if is_replaced => Verdict::Superseded,
        S::Deprecated
        | S::Ended
        | S::Closed
        | S::Concern
        | S::Amended
        | S::Corrected
        | S::Archived
        | S::Acquired
        | S::Prerelease => Verdict::Stands,
    }
}

const fn of_basis(basis: Basis) -> Confidence {
    match basis {
        Basis::Field => Confidence::High,
        Basis::Mark => Confidence::Medium,
        Basis::Prose => Confidence::Low,
    }
}

fn of_failure(error: &SourceError, now: DateTime<Utc>) -> Judged {
    let standing = standing::resolve(&error.standing, now);
    let status = error.http_status.map(|status| Shown {
        field: "HTTP status".into(),
        value: status.to_string(),
        url: None,
    });
    if let Some(standing) = standing.filter(|standing| standing.state == StandingState::Removed) {
        let confidence = standing.confidence;
        return Judged {
            standing: Some(standing),
            shown: status.into_iter().collect(),
            ..Judged::new(Verdict::Gone, confidence)
        };
    }
    let detail = if is_not_asked(error) {
        NOT_ASKED
    } else {
        error.code.as_str()
    };
    Judged {
        shown: status.into_iter().collect(),
        detail: Some(detail.to_owned()),
        message: Some(clean_error(&error.message)),
        ..Judged::new(Verdict::CouldNotCheck, Confidence::Low)
    }
}

/// Whether no request of it left this machine for want of time: its own pace, or the deadline.
fn is_not_asked(error: &SourceError) -> bool {
    let is_pace = error.detail.as_deref() == Some("pace");
    let is_late = matches!(error.code, ErrorCode::Timeout | ErrorCode::Overloaded);
    is_pace || (is_late && error.attempts == 0)
}

/// Whether a later call may settle a verdict that this one could not.
pub fn is_to_be_asked_again(judged: &Judged) -> bool {
    judged.verdict == Verdict::CouldNotCheck && judged.detail.as_deref() == Some(NOT_ASKED)
}

fn clean(shown: Shown) -> Shown {
    Shown {
        field: line(&shown.field).unwrap_or_default().into(),
        value: line(&shown.value).unwrap_or_default(),
        url: shown.url.and_then(|url| crate::answer::canonical(&url)),
    }
}

fn line(text: &str) -> Option<String> {
    let line = clean_line(text);
    let line = cut_marked(line.trim(), SHOWN_CHARS);
    (!line.is_empty()).then(|| line.into_owned())
}
