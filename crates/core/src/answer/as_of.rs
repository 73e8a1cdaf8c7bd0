//! Answers as of an earlier moment: what was not known then is left out, and that is said.

use chrono::{DateTime, Utc};
use freshcontext_contract::moment::parse_instant;
use freshcontext_contract::standing::Basis;
use freshcontext_contract::{
    AsOf, DateEvidence, Descriptor, HEAD, LATER, SourceError, SourceResult, StandingEvidence, StandingState,
    StandingTold, Status, TEXT, named_list,
};
use serde_json::{Map, Value};

use crate::date::{iso_millis, read, resolve};

/// Leaves out of a result what was not known at `moment`, and says so in its notes.
///
/// Kept are items that are certainly not later, with the facts that the source's table has as fixed. Of these a date that
/// is later goes, too: it was written afterwards, or nothing shows that it was not.
pub(super) fn leave_out_later(result: &mut SourceResult, descriptor: &Descriptor, moment: DateTime<Utc>) {
    let facts = &descriptor.facts;
    let mut gone = Gone::default();
    let (mut later, mut undated) = (0, 0);
    result.items.retain(|item| match last_instant(&item.date) {
        Some(last) if last <= moment && !is_contradicted_later(&item.date, moment) => true,
        Some(_) => {
            later += 1;
            false
        }
        None => {
            undated += 1;
            false
        }
    });
    // Any page may have been edited since the date that it bears.
    let keeps_text = facts.is_fixed(TEXT) && !result.any_page;
    for item in &mut result.items {
        let edited = facts.edited.and_then(|name| item.fields.get(name));
        let is_as_published = keeps_text && edited.is_none_or(|edited| !holds_later(edited, moment));
        if !is_as_published && !item.summary.is_empty() {
            item.summary.clear();
            add(&mut gone.moving, TEXT);
        }
        gone.fields(&mut item.fields, |name| facts.is_fixed(name), moment);
        let marks: Vec<(StandingState, String)> = title_marks(&item.standing).collect();
        gone.standing(&mut item.standing, moment);
        // A publisher writes `RETRACTED:` before a title when that happens, which may be years after the publication.
        for (state, mark) in marks {
            if !item.standing.iter().any(|sign| sign.state == state) {
                item.title = without_mark(&item.title, &mark);
            }
        }
    }
    gone.fields(&mut result.fields, |name| facts.is_fixed(name), moment);
    gone.standing(&mut result.standing, moment);
    for part in &mut result.failures {
        gone.standing(&mut part.error.standing, moment);
        if is_later(&part.error.message, moment) {
            UNREADABLE.clone_into(&mut part.error.message);
        }
    }
    if !facts.is_fixed(HEAD)
        || result
            .summary
            .as_deref()
            .is_some_and(|head| is_later(head, moment))
    {
        result.summary = Some(format!("{} as of {}", descriptor.title, iso_millis(moment)));
    }
    result.notes.retain(|note| !is_later(note, moment));
    if result
        .own_date
        .as_ref()
        .is_some_and(|date| last_instant(date).is_none_or(|last| last > moment))
    {
        result.own_date = None;
    }
    let items = std::mem::take(&mut result.items);
    result.show(items);
    // The source's reader may have left out some of its own.
    match result.skipped.iter_mut().find(|part| part.reason == LATER) {
        Some(part) => part.count += later,
        None => result.skip(later, LATER),
    }
    result.skip(undated, "undated, so not known to be earlier");
    gone.say(result, descriptor, moment);
}

/// Whether another field of the source gives a later date: then it is not certain that the item was there.
fn is_contradicted_later(date: &DateEvidence, moment: DateTime<Utc>) -> bool {
    matches!(date, DateEvidence::Disputed { by, .. } if is_later(by, moment))
}

/// The detail of the error of a source that cannot answer for an earlier moment, and what its answer says of `as_of`.
pub const NOT_SUPPORTED: &str = "not_supported";

/// An error as it could be known at a moment: without states that began later, and without words about them.
pub fn known_then(mut error: SourceError, moment: Option<DateTime<Utc>>) -> SourceError {
    let Some(moment) = moment else { return error };
    Gone::default().standing(&mut error.standing, moment);
    if is_later(&error.message, moment) {
        UNREADABLE.clone_into(&mut error.message);
    }
    error
}

/// What an error says of a thing that was taken away after the moment asked for.
const UNREADABLE: &str = "what it was then can no longer be read from the source";

/// The names of what was left out.
#[derive(Default)]
struct Gone {
    /// Facts that move.
    moving: Vec<String>,
    /// Facts that are dates after the moment.
    later: Vec<String>,
    undated_states: Vec<&'static str>,
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

impl Gone {
    fn fields(
        &mut self,
        fields: &mut Map<String, Value>,
        is_fixed: impl Fn(&str) -> bool,
        moment: DateTime<Utc>,
    ) {
        fields.retain(|name, value| {
            if !is_fixed(name) {
                add(&mut self.moving, name);
                return false;
            }
            let lies_later = holds_later(value, moment);
            if lies_later {
                add(&mut self.later, name);
            }
            !lies_later
        });
    }

    /// A state that began later, or without a day, is not one of that moment. A sign without a day beside one of the same state
    /// with a day says nothing more.
    fn standing(&mut self, signs: &mut Vec<StandingEvidence>, moment: DateTime<Utc>) {
        let last =
            |sign: &StandingEvidence| sign.since.as_ref().and_then(|date| Some(read(date).ok()?.last()));
        let dated: Vec<StandingState> = signs
            .iter()
            .filter(|sign| last(sign).is_some())
            .map(|sign| sign.state)
            .collect();
        signs.retain(|sign| {
            if let Some(since) = last(sign) {
                return since <= moment;
            }
            if dated.contains(&sign.state) {
                return false;
            }
            let state = sign.state.as_str();
            if !self.undated_states.contains(&state) {
                self.undated_states.push(state);
            }
            false
        });
    }

    fn say(self, result: &mut SourceResult, descriptor: &Descriptor, moment: DateTime<Utc>) {
        if !self.moving.is_empty() {
            let names = named_list(&self.moving, ", ");
            result.note(format!("Not known at {}: {names}", iso_millis(moment)));
        }
        if !self.later.is_empty() {
            let names = named_list(&self.later, ", ");
            result.note(format!("Left out, as the date lies after that moment: {names}"));
        }
        if !self.undated_states.is_empty() {
            let states = self.undated_states.join(", ");
            result.standing_told = Some(StandingTold::Partly);
            result.note(format!(
                "Whether it stood then is not known: the source says {states} without since when"
            ));
        }
        let route = match result.route {
            Some(id) => descriptor.route(id),
            None => descriptor.routes.first(),
        };
        result.note(match route.map(|route| route.as_of) {
            Some(AsOf::Asked(parameters)) => {
                format!("The source was asked for that moment ({parameters}); what it has removed since is missing")
            }
            _ => "Filtered from what the source shows today; what it has removed since is missing".to_owned(),
        });
        if result.items.is_empty() && result.status != Status::Partial {
            result.status = Status::Empty;
        }
    }
}

/// The marks in a title that are signs of a state.
fn title_marks(signs: &[StandingEvidence]) -> impl Iterator<Item = (StandingState, String)> {
    let marks = signs
        .iter()
        .filter(|sign| sign.basis == Basis::Mark && sign.field == "title" && !sign.value.is_empty());
    marks.map(|sign| (sign.state, sign.value.clone()))
}

/// A title without such a mark at its beginning or its end.
fn without_mark(title: &str, mark: &str) -> String {
    let rest = title.strip_prefix(mark).or_else(|| title.strip_suffix(mark));
    rest.map(str::trim)
        .filter(|rest| !rest.is_empty())
        .unwrap_or(title)
        .to_owned()
}

/// The last moment that a date may mean; `None` where it is no date.
fn last_instant(date: &DateEvidence) -> Option<DateTime<Utc>> {
    // What no date could be at any time (a placeholder, a year alone) is refused here as everywhere.
    resolve(date, DateTime::<Utc>::MAX_UTC).instant?;
    read(date.value()?).ok().map(|date| date.last())
}

/// Whether a value holds a date that is later, at any depth.
fn holds_later(value: &Value, moment: DateTime<Utc>) -> bool {
    match value {
        Value::String(text) => is_later(text, moment),
        Value::Array(values) => values.iter().any(|value| holds_later(value, moment)),
        Value::Object(fields) => fields.values().any(|value| holds_later(value, moment)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a text holds an ISO 8601 date, or consists of another date, that is later.
pub(super) fn is_later(text: &str, moment: DateTime<Utc>) -> bool {
    let begins_later = |date: &str| parse_instant(date).is_some_and(|date| date.instant > moment);
    if begins_later(text) {
        return true;
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let dash = |at: usize| bytes.get(at) == Some(&b'-');
    let is_day = |at: usize| {
        (0..4).all(|place| digit(at + place))
            && dash(at + 4)
            && digit(at + 5)
            && digit(at + 6)
            && dash(at + 7)
            && digit(at + 8)
            && digit(at + 9)
            && !digit(at + 10)
            && (at == 0 || !digit(at - 1))
    };
    let ends = |at: usize| {
        bytes
            .iter()
            .skip(at)
            .position(|byte| !(byte.is_ascii_alphanumeric() || b"-:.+".contains(byte)))
            .map_or(bytes.len(), |length| at + length)
    };
    (0..bytes.len()).filter(|at| is_day(*at)).any(|at| {
        let whole = text.get(at..ends(at)).unwrap_or_default();
        let whole = whole.trim_end_matches(['.', ':', '-', '+']);
        let day = text.get(at..at + 10).unwrap_or_default();
        match parse_instant(whole) {
            Some(date) => date.instant > moment,
            None => begins_later(day),
        }
    })
}

#[cfg(test)]
mod tests {
    use freshcontext_contract::DateValue;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn later_dates_are_found_wherever_a_text_has_them() {
        let moment = at("2026-03-01T12:00:00Z");
        for later in [
            "2026-03-02",
            "2026-03-01T12:00:01Z",
            "1.1.0 (2026-03-02)",
            "seen 2026-03-01T12:30:00Z, again",
            "from 2020-01-01 to 2026-12-31.",
            "Mon, 02 Mar 2026 10:00:00 GMT",
        ] {
            assert!(is_later(later, moment), "{later}");
        }
        for earlier in [
            "2026-03-01",
            "2026-03-01T12:00:00Z",
            "1.1.0 (2026-02-28)",
            "10.1234/2099-12-319",
            "no date",
            "",
        ] {
            assert!(!is_later(earlier, moment), "{earlier}");
        }
    }

    #[test]
    fn a_date_that_a_later_one_contradicts_is_not_earlier() {
        let filed = |by: &str| DateEvidence::Disputed {
            name: "filingDate".into(),
            value: DateValue::Text("2026-02-20".to_owned()),
            by: by.to_owned(),
        };
        let moment = at("2026-03-01T12:00:00Z");
        assert!(is_contradicted_later(
            &filed("acceptanceDateTime 2026-03-16"),
            moment
        ));
        assert!(!is_contradicted_later(
            &filed("acceptanceDateTime 2026-02-16"),
            moment
        ));
    }

    #[test]
    fn a_day_is_known_when_it_is_over() {
        let day = DateEvidence::field("day", DateValue::Text("2026-03-01".to_owned()));
        assert_eq!(last_instant(&day), Some(at("2026-03-01T23:59:59.999Z")));
        assert_eq!(last_instant(&DateEvidence::YearOnly(2026)), None);
        let placeholder = DateEvidence::field("day", DateValue::Text("1970-01-01".to_owned()));
        assert_eq!(last_instant(&placeholder), None);
    }
}
