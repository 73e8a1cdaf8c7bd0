//! From signs to a state.

use chrono::{DateTime, Utc};
use freshcontext_contract::standing::{Basis, Replacement};
use freshcontext_contract::{StandingEvidence, StandingState};

use super::{Also, By, Said, Severity, Standing};
use crate::address::canonical;
use crate::date::{Confidence, implausible, lies_ahead, read, shown};
use crate::sanitize::{clean_line, cut_marked};

/// Longest reason and longest value of a field, in characters.
const REASON_CHARS: usize = 200;
/// Longest name, id and address, in characters.
const NAME_CHARS: usize = 300;
/// Signs kept of one state; more would be noise.
const SIGNS: usize = 5;

/// The state that these signs make at that moment, and what says so; `None` where nothing holds.
///
/// The weightiest state counts. Of several signs of it the first that is dated says since when, and who says so; the surest
/// gives the confidence. A state that is announced for a day to come does not hold yet, and a day to come is never the one
/// since when a state holds.
pub fn resolve(signs: &[StandingEvidence], now: DateTime<Utc>) -> Option<Standing> {
    let holds = |sign: &&StandingEvidence| {
        let since = sign.since.as_ref().and_then(|since| read(since).ok());
        !is_announced(sign) || since.is_none_or(|since| !lies_ahead(&since, now))
    };
    let mut states: Vec<_> = signs.iter().filter(holds).map(|sign| sign.state).collect();
    states.sort_unstable();
    states.dedup();
    let mut made = states.into_iter().filter_map(|state| {
        let of_state: Vec<&StandingEvidence> = signs
            .iter()
            .filter(holds)
            .filter(|sign| sign.state == state)
            .collect();
        // One sign gives the day and whose word it is: a day of one must not stand under the name of another.
        let dated = of_state.iter().find(|sign| since(sign, now).is_some());
        let lead = dated.or(of_state.first())?;
        let surest = of_state.iter().map(|sign| sign.basis).min()?;
        Some((
            surest,
            Also {
                state,
                since: since(lead, now),
                by: By {
                    who: text(lead.by.as_deref(), NAME_CHARS),
                    notice: text(lead.notice.as_deref(), NAME_CHARS),
                },
                evidence: of_state.iter().take(SIGNS).map(|sign| said(sign)).collect(),
            },
        ))
    });
    let (surest, main) = made.next()?;
    let of_main = || signs.iter().filter(holds).filter(|sign| sign.state == main.state);
    Some(Standing {
        state: main.state,
        severity: Severity::of(main.state),
        since: main.since,
        by: main.by,
        reason: of_main().find_map(|sign| text(sign.reason.as_deref(), REASON_CHARS)),
        replaced_by: of_main().find_map(replacement),
        evidence: main.evidence,
        confidence: match surest {
            Basis::Field => Confidence::High,
            Basis::Mark => Confidence::Medium,
            Basis::Prose => Confidence::Low,
        },
        also: made.map(|(_, also)| also).collect(),
    })
}

/// Whether the state of a sign may be announced for a day to come. A notice is there once it can be read, though it be dated
/// by the issue that will print it. A withdrawal without a notice is a date alone: OSV's is "the time the entry should be
/// considered to have been withdrawn" (<https://ossf.github.io/osv-schema/#withdrawn-field>).
const fn is_announced(sign: &StandingEvidence) -> bool {
    use StandingState as S;
    match sign.state {
        S::Cancelled | S::Ended | S::Closed | S::Deprecated => true,
        S::Withdrawn => sign.notice.is_none() && sign.replaced_by.is_none(),
        _ => false,
    }
}

fn since(sign: &StandingEvidence, now: DateTime<Utc>) -> Option<String> {
    let parsed = read(sign.since.as_ref()?).ok()?;
    let is_day = implausible(parsed.instant).is_none() && !lies_ahead(&parsed, now);
    is_day.then(|| shown(&parsed))
}

fn said(sign: &StandingEvidence) -> Said {
    Said {
        field: text(Some(&sign.field), NAME_CHARS).unwrap_or_default(),
        value: text(Some(&sign.value), REASON_CHARS).unwrap_or_default(),
        url: sign.url.as_deref().and_then(canonical),
    }
}

fn replacement(sign: &StandingEvidence) -> Option<Replacement> {
    let named = sign.replaced_by.as_ref()?;
    let made = Replacement {
        id: text(named.id.as_deref(), NAME_CHARS),
        url: named.url.as_deref().and_then(canonical),
        title: text(named.title.as_deref(), NAME_CHARS),
    };
    (made != Replacement::default()).then_some(made)
}

/// A clean line, unless it is empty.
fn text(given: Option<&str>, chars: usize) -> Option<String> {
    let line = clean_line(given?);
    let line = cut_marked(line.trim(), chars);
    (!line.is_empty()).then(|| line.into_owned())
}
