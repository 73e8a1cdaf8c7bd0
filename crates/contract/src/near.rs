//! Names that a tool does not declare: near misses of a declared one, and others.

use crate::error::SourceError;
use crate::quote::{closed, code};

/// The most characters of an unknown name that are repeated.
const SHOWN: usize = 40;
/// The most unknown names that a note lists.
const LISTED: usize = 8;

/// The declared name that an undeclared one is a near miss of: the same but for case and separators, its plural, or one
/// slip away (two in long names), as the optimal string alignment distance counts them.
pub fn near_miss<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let plain = letters(name);
    let mut known = known.map(|known| (known, letters(known)));
    known
        .find(|(_, letters)| {
            plain == *letters
                || plain.strip_suffix('s') == Some(letters)
                || letters.strip_suffix('s') == Some(&plain)
                || strsim::osa_distance(&plain, letters) <= slips(letters.len().min(plain.len()))
        })
        .map(|(known, _)| known)
}

/// How many slips of the pen a name of this length may have. In short names one makes another word.
const fn slips(length: usize) -> usize {
    match length {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

/// A name without case and separators; of a long one, the beginning.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.take(SHOWN).flat_map(char::to_lowercase).collect()
}

/// Refuses the first name that is not declared and is a near miss of one that is.
///
/// # Errors
/// [`InvalidInput`](crate::ErrorCode::InvalidInput), which names both.
pub fn refuse_near_misses<'n, 'k, K: Iterator<Item = &'k str>>(
    names: impl Iterator<Item = &'n str>,
    known: impl Fn() -> K,
    example: &str,
) -> Result<(), SourceError> {
    for name in names {
        if known().all(|known| known != name)
            && let Some(meant) = near_miss(name, known())
        {
            let problem = format!("is not an argument of this tool; did you mean `{meant}`?");
            return Err(SourceError::invalid_input(shown(name), problem, example));
        }
    }
    Ok(())
}

/// The note that lists the names that are not declared; `None` where there are none.
pub fn not_known<'n, 'k, K: Iterator<Item = &'k str>>(
    names: impl Iterator<Item = &'n str>,
    known: impl Fn() -> K,
) -> Option<String> {
    let unknown = names.filter(|name| known().all(|known| known != *name));
    let mut unknown: Vec<String> = unknown.map(|name| code(&closed(shown(name)))).collect();
    let more = unknown.len().saturating_sub(LISTED);
    unknown.truncate(LISTED);
    if more > 0 {
        unknown.push(format!("{more} more"));
    }
    (!unknown.is_empty()).then(|| {
        format!(
            "ignored, as this tool has no such argument: {}",
            unknown.join(", ")
        )
    })
}

fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_refused_in_one_sentence() {
        let known = || ["company", "ticker"].into_iter();
        let refused =
            refuse_near_misses(["tickers"].into_iter(), known, r#"{"ticker": "EXMP"}"#).unwrap_err();
        assert_eq!(
            refused.message,
            r#"`tickers` is not an argument of this tool; did you mean `ticker`? Example: {"ticker": "EXMP"}"#
        );
    }

    /// What workflow tools and agents add is no near miss of what the tools take.
    #[test]
    fn added_arguments_are_no_near_misses() {
        let known = [
            "url",
            "query",
            "limit",
            "since",
            "until",
            "sort",
            "cursor",
            "max_age",
            "max_length",
            "company",
            "idea",
            "topic",
            "profile",
            "intent",
            "signals",
            "now",
            "budget",
            "name",
            "from",
            "to",
            "hash",
            "tool",
            "arguments",
        ];
        for added in [
            "toolCallId",
            "tool_call_id",
            "sessionId",
            "session_id",
            "action",
            "chatInput",
            "_meta",
            "metadata",
            "explanation",
            "reason",
            "thought",
            "random_string",
            "requestId",
            "waitForPreviousTools",
            "security_risk",
            "id",
            "type",
            "kwargs",
            "user",
            "locale",
            "no_such_argument",
            "__proto__",
        ] {
            assert_eq!(near_miss(added, known.into_iter()), None, "{added}");
        }
    }
}
