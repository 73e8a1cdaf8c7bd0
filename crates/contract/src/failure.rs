//! What kinds of failed retrievals there are.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::ErrorCode;

macro_rules! kinds {
    ($($(#[doc = $what:literal])* $name:ident = $says:literal, $code:ident, $phrase:literal;)*) => {
        /// What kind of failure a text or a page is, more finely than [`ErrorCode`] says it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum FailureKind { $($(#[doc = $what])* #[serde(rename = $says)] $name,)* }

        impl FailureKind {
            /// All kinds, in the order of the documentation.
            pub const ALL: [Self; [$($says),*].len()] = [$(Self::$name,)*];

            /// The kind as it appears in results, for example `rate_limited`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }

            /// The code that callers branch on.
            pub const fn code(self) -> ErrorCode {
                match self { $(Self::$name => ErrorCode::$code,)* }
            }

            /// The kind in plain words, to follow "this is ".
            pub const fn phrase(self) -> &'static str {
                match self { $(Self::$name => $phrase,)* }
            }
        }
    };
}

kinds! {
    /// A captcha, proof of work or interstitial.
    Challenge = "challenge", Challenge, "a check for people (captcha or interstitial)";
    /// A refusal: firewall, policy, geography, corporate filter.
    AccessDenied = "access_denied", AccessDenied, "a refusal";
    /// Too many requests, or a quota used up.
    RateLimited = "rate_limited", RateLimited, "a request limit";
    /// Requires a login or an accepted key.
    LoginRequired = "login_required", AccessDenied, "a login page";
    /// The thing does not exist, or no longer.
    NotFound = "not_found", NotFound, "a page for addresses that do not exist";
    /// The site is down, overloaded or being maintained.
    Unavailable = "unavailable", UpstreamError, "an outage or maintenance page";
    /// Timed out.
    Timeout = "timeout", Timeout, "a gateway timeout";
    /// The request was wrong.
    ClientError = "client_error", UpstreamError, "a complaint about the request";
    /// The server failed.
    ServerError = "server_error", UpstreamError, "a server error page";
    /// A page without content that asks for scripts.
    ScriptRequired = "script_required", Challenge, "an empty page that needs scripts";
    /// Consent is asked for before any content.
    ConsentWall = "consent_wall", AccessDenied, "a consent page";
    /// A domain that is parked or for sale.
    Parked = "parked", NotFound, "a parked or unused domain";
    /// Nothing came back.
    Empty = "empty", Malformed, "an empty answer";
    /// What came back is not readable as anything.
    Malformed = "malformed", Malformed, "an unreadable answer";
    /// A tool speaks in place of its source.
    ToolError = "tool_error", UpstreamError, "a tool's own message";
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
