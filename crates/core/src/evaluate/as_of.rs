//! Judging as of an earlier moment: what was published later is left out and counted, what was said later is ignored.

use chrono::{DateTime, Utc};
use freshcontext_contract::{SourceError, counted, read_as_of};
use serde_json::Value;
use serde_json_borrow::Value as Node;

use super::given::Given;
use super::text::is_blank;
use crate::date::{iso_millis, read, read_date};

/// The moment that an argument asks for: of a day its end, and never later than `now`.
///
/// # Errors
/// `invalid_input`, where it is no date, or lies ahead of `now`.
pub(super) fn moment(given: &Node<'_>, now: DateTime<Utc>) -> Result<DateTime<Utc>, SourceError> {
    let read = read_as_of(&Value::from(given))?;
    if read.instant > now {
        let example = format!("{{\"as_of\": \"{}\"}}", now.format("%Y-%m-%d"));
        let problem = "lies in the future of the evaluation";
        return Err(SourceError::invalid_input("as_of", problem, example));
    }
    Ok(read.last().min(now))
}

/// Leaves out signals that were published after a moment, and what of the others was said after it; adds what must be
/// said to `notes`.
pub(super) fn leave_out_later(signals: &mut Vec<Given<'_>>, moment: DateTime<Utc>, notes: &mut Vec<String>) {
    let date = |text: Option<&str>| text.filter(|text| !is_blank(text)).and_then(read_date);
    let before = signals.len();
    signals.retain(|given| date(given.published_at).is_none_or(|date| date.known().last() <= moment));
    let later = before - signals.len();
    notes.push(format!("Judged as of {}", iso_millis(moment)));
    if later > 0 {
        let left_out = counted(later, "signal was", "signals were");
        notes.push(format!("{left_out} left out: published later than that"));
    }
    for given in signals {
        if date(given.published_at).is_none() {
            given
                .notes
                .push("Undated: whether it was there at that moment is not known.".into());
        }
        if date(given.retrieved_at).is_some_and(|date| date.known().instant > moment) {
            given.retrieved_at = None;
            given
                .notes
                .push("Retrieved after that moment: its text may have changed since.".into());
        }
        let signs = given.standing.len();
        given.standing.retain(|sign| {
            let since = sign.since.as_ref().and_then(|since| read(since).ok());
            since.is_none_or(|since| since.last() <= moment)
        });
        if given.standing.len() == signs && given.standing.iter().any(|sign| sign.since.is_none()) {
            given
                .notes
                .push("Its state has no date: whether it held at that moment is not known.".into());
        }
    }
}
