//! Whether an award was terminated: what its actions say. The award's own record has no field for it.

use chrono::NaiveDate;
use freshcontext_contract::{SourceError, StandingEvidence, StandingState};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{date, text};
use serde::Deserialize;

/// Reasons for a change by which a contract ends early, "complete or partial": FPDS data dictionary, element 12C, "Reason For
/// Modification" (<https://www.fpds.gov/downloads/Version_1.5_specs/FPDS_DataDictionary_V1.5.pdf>). K, a close-out, ends a
/// contract that was done.
const TERMINATIONS: [&str; 4] = ["E", "F", "N", "X"];
/// Beginnings of words by which a later action takes a termination back.
const TAKEN_BACK: [&str; 3] = ["vacat", "rescind", "rescission"];
/// Longest description that is repeated as the reason, in characters.
const REASON_CHARS: usize = 200;

/// Answers to `transactions`: <https://github.com/fedspendingtransparency/usaspending-api>,
/// `api_contracts/contracts/v2/transactions.md`.
#[derive(Debug, Deserialize)]
struct Wire {
    results: Lenient<Action>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Deserialize)]
struct Action {
    action_date: Option<String>,
    action_type: Option<String>,
    action_type_description: Option<String>,
    description: Option<String>,
}

impl Action {
    fn day(&self) -> Option<NaiveDate> {
        date::day(self.action_date.as_deref()?.trim().get(..10)?)
    }

    fn terminates(&self) -> bool {
        let code = self.action_type.as_deref().unwrap_or_default().trim();
        TERMINATIONS.iter().any(|known| known.eq_ignore_ascii_case(code))
    }

    fn takes_back(&self) -> bool {
        let description = self.description.as_deref().unwrap_or_default().to_lowercase();
        let mut words = description.split(|c: char| !c.is_alphanumeric());
        words.any(|word| TAKEN_BACK.iter().any(|start| word.starts_with(start)))
    }

    fn sign(&self, day: NaiveDate) -> StandingEvidence {
        let code = self.action_type.as_deref().unwrap_or_default().trim();
        let means = self.action_type_description.as_deref().and_then(text::present);
        let value = means
            .as_ref()
            .map_or_else(|| code.to_owned(), |means| format!("{code}: {means}"));
        let reason = self.description.as_deref().and_then(text::present).or(means);
        // The code stands for a termination "complete or partial", so it is no more than a mark.
        StandingEvidence::mark(StandingState::Cancelled, "action_type", value)
            .since(Some(day))
            .by("agency")
            .reason(reason.map(|reason| text::clip(&reason, REASON_CHARS)))
    }
}

/// The sign in the actions of one award, in the order of the answer, newest first: the newest termination, unless it was
/// taken back since.
pub fn cancelled(body: &str) -> Result<Option<StandingEvidence>, SourceError> {
    let wire: Wire = json::parse(body, "USAspending actions")?;
    let actions = wire
        .results
        .or_none_readable("USAspending actions: none of them can be read")?;
    // The order asked for is that of days; a server that does not keep it must not make an old action the newest.
    let mut dated: Vec<(NaiveDate, &Action)> = actions
        .items
        .iter()
        .filter_map(|action| Some((action.day()?, action)))
        .collect();
    dated.sort_by_key(|(day, _)| std::cmp::Reverse(*day));
    let Some(at) = dated.iter().position(|(_, action)| action.terminates()) else {
        return Ok(None);
    };
    let back = dated.iter().take(at + 1).any(|(_, action)| action.takes_back());
    let newest = dated.get(at).filter(|_| !back);
    Ok(newest.map(|(day, action)| action.sign(*day)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::DateValue;

    fn action(day: &str, kind: &str, description: &str) -> String {
        format!(
            r#"{{"id":"CONT_TX_{day}","type":"D","action_date":"{day}","action_type":{kind},"action_type_description":"AS FPDS SAYS",
            "modification_number":"P1","description":{description},"federal_action_obligation":-5.0}}"#
        )
    }

    fn read(actions: &[String]) -> Option<StandingEvidence> {
        let body = format!(
            r#"{{"page_metadata":{{"page":1}},"results":[{}]}}"#,
            actions.join(",")
        );
        cancelled(&body).unwrap()
    }

    #[test]
    fn a_termination_cancels_since_its_day() {
        for code in ["E", "F", "N", "X"] {
            let sign = read(&[
                action("2025-07-01", "\"M\"", "\"ADMINISTRATIVE CHANGE\""),
                action(
                    "2025-06-01",
                    &format!("\"{code}\""),
                    "\"TERMINATED FOR CONVENIENCE\"",
                ),
                action("2025-02-01", "null", "null"),
            ])
            .unwrap();
            let day = NaiveDate::from_ymd_opt(2025, 6, 1).unwrap();
            assert_eq!(
                (sign.state, sign.since.clone()),
                (StandingState::Cancelled, Some(DateValue::Day(day)))
            );
            assert_eq!(sign.reason.as_deref(), Some("TERMINATED FOR CONVENIENCE"));
            assert_eq!(
                (sign.by.as_deref(), sign.value),
                (Some("agency"), format!("{code}: AS FPDS SAYS"))
            );
        }
    }

    #[test]
    fn a_termination_that_was_taken_back_is_none() {
        let terminated = action("2025-06-01", "\"F\"", "\"TERMINATE FOR CONVENIENCE\"");
        for words in [
            "THE TERMINATION IS VACATED",
            "RESCIND MOD P00003",
            "rescission of the termination",
        ] {
            let later = action("2025-08-01", "\"M\"", &format!("\"{words}\""));
            assert_eq!(read(&[later, terminated.clone()]), None, "{words}");
        }
        // What was said before it does not touch it, and a later one holds again.
        let earlier = action("2025-01-01", "\"M\"", "\"RESCIND STOP WORK ORDER\"");
        assert!(read(&[terminated.clone(), earlier]).is_some());
        let back = action("2025-08-01", "\"M\"", "\"TERMINATION RESCINDED\"");
        let again = action("2025-09-01", "\"E\"", "null");
        assert!(read(&[again, back, terminated]).is_some());
    }

    #[test]
    fn other_actions_cancel_nothing() {
        for (code, words) in [
            ("\"K\"", "\"CLOSE OUT\""),
            ("\"M\"", "\"PARTIAL TERMINATION OF LINE 3\""),
            ("\"C\"", "\"DEOBLIGATE\""),
            ("null", "\"TERMINATION\""),
            ("7", "null"),
        ] {
            assert_eq!(read(&[action("2025-06-01", code, words)]), None, "{code}");
        }
        assert_eq!(read(&[]), None);
    }

    /// A field that is gone, renamed or of another kind tells no state and costs nothing.
    #[test]
    fn a_changed_shape_tells_nothing() {
        let whole = action("2025-06-01", "\"F\"", "\"TERMINATE\"");
        assert!(read(std::slice::from_ref(&whole)).is_some());
        for (field, other) in [
            ("\"action_type\":", "\"action_code\":"),
            ("\"action_date\":\"2025-06-01\"", "\"action_date\":null"),
            ("\"action_date\":", "\"date\":"),
            ("\"action_date\":\"2025-06-01\"", "\"action_date\":\"June\""),
            ("\"action_type\":\"F\"", "\"action_type\":[\"F\"]"),
        ] {
            let changed = whole.replace(field, other);
            assert_ne!(changed, whole);
            assert_eq!(read(&[changed]), None, "{field}");
        }
        assert!(cancelled(r#"{"rows":[]}"#).is_err());
    }
}
