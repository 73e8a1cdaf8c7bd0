//! What depends on the decision alone, in words.

use serde::Serialize;

use super::verdict::Decision;

/// The words of one decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Words {
    /// A name for people.
    pub label: &'static str,
    /// What the decision says about the signal.
    pub meaning: &'static str,
    /// What to do now.
    pub action: &'static str,
    /// One line for a summary.
    pub summary: &'static str,
}

impl Decision {
    /// The words of this decision.
    pub const fn words(self) -> Words {
        match self {
            Self::UseFirst => Words {
                label: "Use first",
                meaning: "Closely relevant and fresh.",
                action: "Put it first, source included.",
                summary: "Ready to lead.",
            },
            Self::CiteAsPrimary => Words {
                label: "Cite as primary",
                meaning: "Relevant, fresh and from an authoritative kind of source.",
                action: "Cite it as main evidence.",
                summary: "Fit to be main evidence.",
            },
            Self::CiteAsSupporting => Words {
                label: "Cite as supporting",
                meaning: "Relevant, but its age keeps it from carrying a claim alone.",
                action: "Cite it beside a current source.",
                summary: "Backs up other evidence.",
            },
            Self::UseAsBackground => Words {
                label: "Use as background",
                meaning: "Useful, but not strong or current enough to lead.",
                action: "Do not lead with it.",
                summary: "Good for orientation.",
            },
            Self::NeedsRefresh => Words {
                label: "Needs refresh",
                meaning: "Too old or undated for a subject that moves fast.",
                action: "Fetch a current version first.",
                summary: "Out of date for this purpose.",
            },
            Self::NeedsVerification => Words {
                label: "Needs verification",
                meaning: "When it was published cannot be told.",
                action: "Find its date and origin first.",
                summary: "Check it before use.",
            },
            Self::WatchOnly => Words {
                label: "Watch only",
                meaning: "Too weak to build on, though not worthless.",
                action: "Skip for now.",
                summary: "Not strong enough yet.",
            },
            Self::Exclude => Words {
                label: "Exclude",
                meaning: "A failed retrieval, or nothing that matches.",
                action: "Leave out, or fetch again.",
                summary: "Not usable.",
            },
        }
    }
}
