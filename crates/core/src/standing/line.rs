//! The words of a state: one renderer for a tool's text, a block of a hand-off, a verdict and a page.

use std::fmt::Write as _;

use freshcontext_contract::{StandingState, named, quoted};

use super::{Severity, Standing};

/// Characters of `YYYY-MM-DD`.
const DAY: usize = 10;

impl Standing {
    /// All of it on one line, without `Standing: ` before it:
    /// `retracted since 2020-06-05 (Retraction Watch); notice https://doi.org/... · also: concern 2020-06-03`.
    pub fn line(&self) -> String {
        let mut out = self.state.as_str().to_owned();
        if let Some(since) = &self.since {
            out.extend([" since ", day(since)]);
        }
        if let Some(who) = &self.by.who {
            // Writing to a String cannot fail.
            let _ = write!(out, " ({})", name_of(who));
        }
        if let Some(reason) = &self.reason {
            out.push_str(": ");
            out.push_str(&quoted(reason));
        }
        if let Some(replacement) = self.replacement() {
            out.push_str("; replaced by ");
            out.push_str(&named(replacement));
        }
        if let Some(notice) = &self.by.notice {
            out.push_str("; notice ");
            out.push_str(&named(notice));
        }
        let also: Vec<String> = self
            .also
            .iter()
            .map(|also| match &also.since {
                Some(since) => format!("{} {}", also.state.as_str(), day(since)),
                None => also.state.as_str().to_owned(),
            })
            .collect();
        if !also.is_empty() {
            out.push_str(" · also: ");
            out.push_str(&also.join(", "));
        }
        out
    }

    /// The state and what it means, in a few words: `superseded by 10.5555/ex.v2`, `archived: no more changes will come`.
    pub fn brief(&self) -> String {
        match (self.severity, self.replacement()) {
            (Severity::Replaced, Some(by)) => {
                let joined = if self.state == StandingState::Moved {
                    "to"
                } else {
                    "by"
                };
                format!("{} {joined} {}", self.state.as_str(), named(by))
            }
            _ => format!("{}: {}", self.state.as_str(), meaning(self.state)),
        }
    }

    /// A sentence that says the state and who says so: `Retracted 2020-06-05, says Retraction Watch.`
    pub fn sentence(&self) -> String {
        let word = self.state.as_str();
        let mut letters = word.chars();
        let mut out: String = letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .chain(letters)
            .collect();
        if let Some(since) = &self.since {
            out.extend([" ", day(since)]);
        }
        if let Some(who) = &self.by.who {
            // Writing to a String cannot fail.
            let _ = write!(out, ", says {}", name_of(who));
        }
        let _ = write!(out, ": {}.", meaning(self.state));
        out
    }

    /// What to do about it, where its source names it.
    pub fn action(&self) -> String {
        match (self.replacement(), self.severity) {
            (Some(by), _) => format!("Use {} instead.", named(by)),
            (None, Severity::Void) => "Do not use it.".to_owned(),
            (None, _) => format!("Say that it {} where you use it.", said_of(self.state, false)),
        }
    }
}

/// What is said of one thing, or of several, in a state.
pub(super) fn said_of(state: StandingState, several: bool) -> String {
    let (is, has, was) = if several {
        ("are", "have", "were")
    } else {
        ("is", "has", "was")
    };
    match state {
        StandingState::Moved | StandingState::Ended => format!("{has} {}", state.as_str()),
        StandingState::Concern if several => "have concerns raised about them".to_owned(),
        StandingState::Concern => "has a concern raised about it".to_owned(),
        StandingState::Removed | StandingState::Acquired => format!("{was} {}", state.as_str()),
        StandingState::Prerelease if several => "are pre-releases".to_owned(),
        StandingState::Prerelease => "is a pre-release".to_owned(),
        _ => format!("{is} {}", state.as_str()),
    }
}

/// What a state means, for readers.
pub const fn meaning(state: StandingState) -> &'static str {
    use StandingState as S;
    match state {
        S::Retracted => "its publisher says not to rely on it",
        S::Removed => "it was taken away",
        S::Withdrawn => "whoever issued it took it back",
        S::Superseded => "a newer one takes its place",
        S::Moved => "it has another name or address",
        S::Cancelled => "it will not be completed",
        S::Ended => "its time is over",
        S::Closed => "nothing can be done with it any more",
        S::Yanked => "it was pulled from normal use",
        S::Concern => "there is doubt about it",
        S::Deprecated => "its owner advises against it",
        S::Amended => "a later document changes it",
        S::Corrected => "a correction of it was published",
        S::Archived => "no more changes will come",
        S::Acquired => "it goes on under another owner",
        S::Prerelease => "it is not meant as stable",
    }
}

/// The day of a date as it is written.
fn day(shown: &str) -> &str {
    shown.get(..DAY).unwrap_or(shown)
}

/// Who says it, for readers.
fn name_of(who: &str) -> String {
    match who {
        "retraction-watch" => "Retraction Watch".to_owned(),
        other => named(other),
    }
}
