//! Refusals of requests.

use crate::token::Flaw;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refused {
    /// It has no access token.
    Missing,
    /// Its token is not valid.
    Invalid(Flaw),
    /// Its token has not all required scopes.
    Scope,
    /// The issuer's keys are not known, so no token can be checked.
    Unavailable,
}
