//! Source profiles and intents: two closed sets, as data.

use std::fmt;

/// How much a profile's sources count as an authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// May be cited as primary evidence.
    High,
    /// May lead a context, but is not primary evidence.
    Medium,
}

/// How a profile treats doubtful dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatePolicy {
    /// What is not dated is not usable as current.
    Strict,
    /// A date is expected.
    Balanced,
    /// Age matters little.
    Lenient,
}

impl DatePolicy {
    /// How much of the selection rank the freshness is, 0..=1; the rest is relevance.
    pub const fn freshness_weight(self) -> f64 {
        match self {
            Self::Strict => 0.3,
            Self::Balanced => 0.15,
            Self::Lenient => 0.05,
        }
    }
}

/// What kind of sources the signals are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// The id that callers give.
    pub id: &'static str,
    /// The source type whose decay rate sets the profile's half-life.
    pub decay_of: &'static str,
    /// Whether its sources may be primary evidence.
    pub authority: Authority,
    /// How it treats doubtful dates.
    pub date_policy: DatePolicy,
    /// The source type at whose rate a signal ages that has none.
    pub unnamed_as: &'static str,
    /// Whether only current signals are of any use: what is undated or less than half fresh has to
    /// be fetched again.
    pub needs_current: bool,
}

const fn profile(
    id: &'static str,
    decay_of: &'static str,
    authority: Authority,
    date_policy: DatePolicy,
) -> Profile {
    Profile {
        id,
        decay_of,
        authority,
        date_policy,
        unnamed_as: "default",
        needs_current: false,
    }
}

/// The profile where none is given, in every tool and command.
pub const PROFILE: &str = "local_custom";
/// The intent where none is given.
pub const INTENT: &str = "developer_adoption";

/// All profiles.
pub const PROFILES: [Profile; 12] = {
    use Authority::{High, Medium};
    use DatePolicy::{Balanced, Lenient, Strict};
    [
        profile("official_docs", "github", High, Balanced),
        profile("code_activity", "github", Medium, Balanced),
        profile("social_pulse", "hackernews", Medium, Strict),
        profile("academic_research", "arxiv", High, Lenient),
        Profile {
            needs_current: true,
            ..profile("market_finance", "finance", Medium, Strict)
        },
        Profile {
            needs_current: true,
            ..profile("jobs_opportunities", "jobs", Medium, Strict)
        },
        profile("government_regulatory", "govcontracts", High, Strict),
        profile("company_intel", "company_landscape", Medium, Balanced),
        profile("product_research", "producthunt", Medium, Balanced),
        profile("composite_landscape", "landscape", Medium, Balanced),
        profile("multi_agent_handoff", "default", Medium, Balanced),
        Profile {
            // Files and notes that somebody keeps.
            unnamed_as: "documentation",
            ..profile("local_custom", "default", Medium, Balanced)
        },
    ]
};

impl Profile {
    /// The profile of that id; ids are matched exactly.
    pub fn find(id: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.id == id)
    }
}

/// What the caller wants the signals for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intent {
    /// The id that callers give.
    pub id: &'static str,
    /// Whether the caller looks for something to cite.
    pub cites: bool,
    /// The limits of this evaluation, attached to every result.
    pub caveat: Option<&'static str>,
}

/// All intents.
pub const INTENTS: [Intent; 7] = {
    const CITES: Option<&str> = Some("Citable, not certified as true.");
    const fn intent(id: &'static str, cites: bool, caveat: Option<&'static str>) -> Intent {
        Intent { id, cites, caveat }
    }
    [
        intent("citation_check", true, CITES),
        intent("student_research", true, CITES),
        intent("developer_adoption", false, None),
        intent("job_search", false, Some("No career or legal advice.")),
        intent("market_watch", false, Some("No investment advice.")),
        intent(
            "business_due_diligence",
            false,
            Some("No legal, tax or investment advice."),
        ),
        intent("medical_literature_triage", false, Some("No medical advice.")),
    ]
};

impl Intent {
    /// The intent of that id; ids are matched exactly.
    pub fn find(id: &str) -> Option<&'static Self> {
        INTENTS.iter().find(|intent| intent.id == id)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}
