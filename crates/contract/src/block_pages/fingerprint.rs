//! What one mark of a block page is.

use crate::ErrorCode;

/// What a block page is, more finely than [`ErrorCode`] says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockPageKind {
    /// A captcha, proof of work or interstitial.
    Challenge,
    /// A refusal: firewall, policy, geography, corporate filter.
    AccessDenied,
    /// Too many requests.
    RateLimited,
    /// Only for people who are logged in.
    LoginRequired,
    /// There is nothing at this address.
    NotFound,
    /// The site is down, overloaded or being maintained.
    Unavailable,
    /// A gateway waited in vain.
    Timeout,
    /// The site failed.
    ServerError,
    /// A page without content that asks for scripts.
    ScriptRequired,
    /// Consent is asked for before any content.
    ConsentWall,
    /// A domain that is parked or for sale.
    Parked,
}

impl BlockPageKind {
    /// The code that callers branch on.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::Challenge | Self::ScriptRequired => ErrorCode::Challenge,
            Self::AccessDenied | Self::LoginRequired | Self::ConsentWall => ErrorCode::AccessDenied,
            Self::RateLimited => ErrorCode::RateLimited,
            Self::NotFound | Self::Parked => ErrorCode::NotFound,
            Self::Unavailable | Self::ServerError => ErrorCode::UpstreamError,
            Self::Timeout => ErrorCode::Timeout,
        }
    }

    /// The kind in plain words, to follow "this is ".
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Challenge => "a check for people (captcha or interstitial)",
            Self::AccessDenied => "a refusal",
            Self::RateLimited => "a request limit",
            Self::LoginRequired => "a login page",
            Self::NotFound => "a page for addresses that do not exist",
            Self::Unavailable => "an outage or maintenance page",
            Self::Timeout => "a gateway timeout",
            Self::ServerError => "a server error page",
            Self::ScriptRequired => "an empty page that needs scripts",
            Self::ConsentWall => "a consent page",
            Self::Parked => "a parked or unused domain",
        }
    }
}

/// How much a mark proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Also occurs on pages that carry content (a vendor's script runs on good pages too). Counts
    /// only together with a refusing status or a page without content.
    Hint,
    /// Occurs on the block page only; still needs a page without a document of its own, because anything
    /// can be quoted.
    Proof,
}

/// One mark of one vendor's block page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Whose block page it is.
    pub vendor: &'static str,
    /// The mark, in lower-case ASCII; compared with ASCII case ignored.
    pub needle: &'static str,
    /// What the block page is.
    pub kind: BlockPageKind,
    /// How much the mark proves.
    pub strength: Strength,
}
