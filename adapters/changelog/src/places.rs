//! Places where a changelog may be: which were read, and which could not be.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Retry, SourceError, counted};

/// Unread places that are named; of the others, only the number.
const NAMED: usize = 4;

/// The places that a call asked besides the address given.
#[derive(Debug, Default)]
pub struct Places {
    /// Places that were read and hold no changelog.
    absent: usize,
    /// Places that could not be read, in the order of the requests.
    unread: Vec<(Url, SourceError)>,
}

impl Places {
    /// Counts a place that was read and holds no changelog.
    pub fn absent(&mut self) {
        self.absent += 1;
    }

    /// Keeps the failure of a place. A place that says that it has nothing counts as read.
    pub fn failed(&mut self, at: Url, error: SourceError) {
        if error.code == freshcontext_contract::ErrorCode::NotFound {
            self.absent();
        } else {
            self.unread.push((at, error));
        }
    }

    /// The number of places that were read and hold no changelog.
    pub const fn read(&self) -> usize {
        self.absent
    }

    /// A remark where something was found although other places could not be read: one of them may be newer.
    pub fn note(&self) -> Option<String> {
        if self.unread.is_empty() {
            return None;
        }
        Some(format!(
            "{} could not be read and may hold newer entries: {}",
            counted(self.unread.len(), "other place", "other places"),
            self.names()
        ))
    }

    /// The failure of a call that found nothing while places could not be read: a temporary one if there is any, since
    /// another call may then succeed. `None` where all were read.
    pub fn failure(self) -> Option<SourceError> {
        let names = self.names();
        let (unread, absent) = (self.unread.len(), self.absent);
        let wait: Option<Duration> = self
            .unread
            .iter()
            .filter_map(|(_, error)| error.retry_after)
            .max();
        let temporary = self
            .unread
            .iter()
            .position(|(_, error)| error.retry != Retry::Permanent);
        let (_, mut error) = self.unread.into_iter().nth(temporary.unwrap_or_default())?;
        let told = match absent {
            0 => String::new(),
            count => format!(
                "; {} read and had none",
                counted(count, "other was", "others were")
            ),
        };
        let message = format!(
            "no changelog was found, and {} could not be read: {names}{told} ({})",
            counted(unread, "place", "places"),
            error.message
        );
        error.retry_after = wait;
        if error.hint.is_none() && error.retry == Retry::Permanent {
            error = error.hint("pass the address of the changelog itself, or owner/repo of its repository");
        }
        Some(error.saying(message))
    }

    fn names(&self) -> String {
        let named = self.unread.iter().take(NAMED);
        let mut names: Vec<String> = named
            .map(|(at, error)| format!("{at} ({})", error.code))
            .collect();
        if self.unread.len() > NAMED {
            names.push(format!("and {} more", self.unread.len() - NAMED));
        }
        names.join(", ")
    }
}
