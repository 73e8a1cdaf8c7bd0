//! What the inspector says.

use std::borrow::Cow;
use std::fmt;

use freshcontext_contract::block_pages::BlockPageKind;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[doc = $what:literal])* $name:ident = $says:literal,)*) => {
        /// What kind of failure a text is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Kind { $($(#[doc = $what])* #[serde(rename = $says)] $name,)* }

        impl Kind {
            /// All kinds, in the order of the documentation.
            pub const ALL: [Self; [$($says),*].len()] = [$(Self::$name,)*];

            /// The kind as it appears in results, for example `rate_limited`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }
        }
    };
}

kinds! {
    /// A captcha, proof of work or interstitial.
    Challenge = "challenge",
    /// A refusal: firewall, policy, geography, corporate filter.
    AccessDenied = "access_denied",
    /// Too many requests, or a quota used up.
    RateLimited = "rate_limited",
    /// Only for people who are logged in, or whose key is accepted.
    LoginRequired = "login_required",
    /// The thing does not exist, or no longer.
    NotFound = "not_found",
    /// The site is down, overloaded or being maintained.
    Unavailable = "unavailable",
    /// Somebody waited in vain.
    Timeout = "timeout",
    /// The request was wrong.
    ClientError = "client_error",
    /// The server failed.
    ServerError = "server_error",
    /// A page without content that asks for scripts.
    ScriptRequired = "script_required",
    /// Consent is asked for before any content.
    ConsentWall = "consent_wall",
    /// A domain that is parked or for sale.
    Parked = "parked",
    /// Nothing came back.
    Empty = "empty",
    /// What came back is not readable as anything.
    Malformed = "malformed",
    /// A tool speaks in place of its source.
    ToolError = "tool_error",
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<BlockPageKind> for Kind {
    fn from(kind: BlockPageKind) -> Self {
        match kind {
            BlockPageKind::Challenge => Self::Challenge,
            BlockPageKind::AccessDenied => Self::AccessDenied,
            BlockPageKind::RateLimited => Self::RateLimited,
            BlockPageKind::LoginRequired => Self::LoginRequired,
            BlockPageKind::NotFound => Self::NotFound,
            BlockPageKind::Unavailable => Self::Unavailable,
            BlockPageKind::Timeout => Self::Timeout,
            BlockPageKind::ServerError => Self::ServerError,
            BlockPageKind::ScriptRequired => Self::ScriptRequired,
            BlockPageKind::ConsentWall => Self::ConsentWall,
            BlockPageKind::Parked => Self::Parked,
        }
    }
}

/// One fact that weighed in the judgement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// What was looked at: `form`, `wall`, `wording`, `shape`, `value`, `residue`.
    pub aspect: &'static str,
    /// What was seen, in a few words; a quotation is cut short.
    pub seen: String,
}

/// The judgement of one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// Whether the text is a failed retrieval rather than content.
    pub failed: bool,
    /// What kind of failure; `None` where the text is content.
    pub kind: Option<Kind>,
    /// How sure the judgement is, 0..=1. For a failure, 0.5..0.9 means that the evidence is thin:
    /// worth a note, not an exclusion.
    pub confidence: f64,
    /// One line: why.
    pub reason: Cow<'static, str>,
    /// The facts that weighed, strongest first; at most eight.
    pub evidence: Vec<Evidence>,
}

impl Inspection {
    /// From this confidence on, a failure is certain enough to leave the text out.
    pub const SURE: f64 = 0.9;

    /// A failure.
    pub(crate) fn failure(kind: Kind, confidence: f64, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            failed: true,
            kind: Some(kind),
            confidence: round(confidence),
            reason: reason.into(),
            evidence: Vec::new(),
        }
    }

    /// Content.
    pub(crate) fn genuine(confidence: f64, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            failed: false,
            kind: None,
            confidence: round(confidence),
            reason: reason.into(),
            evidence: Vec::new(),
        }
    }

    /// Adds a fact, up to the eighth.
    #[must_use]
    pub(crate) fn with(mut self, aspect: &'static str, seen: impl Into<String>) -> Self {
        if self.evidence.len() < 8 {
            self.evidence.push(Evidence {
                aspect,
                seen: seen.into(),
            });
        }
        self
    }

    /// Whether this is a failure beyond reasonable doubt; see [`Self::SURE`].
    pub fn is_sure_failure(&self) -> bool {
        self.failed && self.confidence >= Self::SURE
    }
}

/// Two decimals, inside 0..=1: the figure is a judgement, more digits would be a pretence.
fn round(confidence: f64) -> f64 {
    (confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0
}
