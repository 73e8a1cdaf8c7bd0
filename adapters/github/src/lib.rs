#![doc = include_str!("../README.md")]

mod input;
mod look_up;
mod parse;
mod repo;
mod request;
mod search;

use freshcontext_contract::{Apply, AsOf, Credential, ErrorCode, Route, StandingState, StatusRule};

pub use input::{QueryInput, UrlInput};
pub use look_up::look_up;
pub use repo::{GITHUB, GitHub};
pub use search::{REPOSEARCH, RepoSearch};

/// The only host that both tools talk to.
const HOST: &str = "api.github.com";

/// One token opens both tools' larger allowance.
const CREDENTIALS: &[Credential] = &[
    Credential::new(HOST, &["GITHUB_TOKEN", "GH_TOKEN"], Apply::Bearer)
        .obtain("https://github.com/settings/personal-access-tokens (no permissions needed)"),
];

const ROUTES: &[Route] = &[Route::new("rest", "REST interface")
    .telling(&[
        StandingState::Removed,
        StandingState::Superseded,
        StandingState::Moved,
        StandingState::Ended,
        StandingState::Deprecated,
        StandingState::Archived,
    ])
    .as_of(AsOf::Asked(
        "until of commits, ref of the README, created of a search",
    ))];

const TERMS: &str = "https://docs.github.com/site-policy/github-terms/github-terms-of-service#h-api-terms";

/// What a status says of a repository; how GitHub limits and refuses is the same for all who ask it.
const STATUS_RULES: &[StatusRule] = &[
    StatusRule::new(404, ErrorCode::NotFound).saying("GitHub has no such repository, or it is private"),
    StatusRule::new(451, ErrorCode::AccessDenied)
        .saying("GitHub has blocked this repository for legal reasons")
        .detail(repo::BLOCKED),
    // Its staff disabled the repository, by `block.reason` for its terms of service: no limit, and no key changes it.
    StatusRule::body(
        403,
        "Repository access blocked",
        ErrorCode::AccessDenied,
        "GitHub has blocked access to this repository",
    )
    .detail(repo::BLOCKED),
];

#[cfg(test)]
mod tests;
