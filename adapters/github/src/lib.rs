#![doc = include_str!("../README.md")]

mod input;
mod parse;
mod repo;
mod request;
mod search;

use freshcontext_contract::{
    AnyAdapter, Apply, Credential, Cx, ErrorCode, Request, Response, SourceError, StatusRule, When,
};

pub use input::{QueryInput, UrlInput};
pub use repo::{GITHUB, GitHub};
pub use search::{REPOSEARCH, RepoSearch};

/// The only host that both tools talk to.
const HOST: &str = "api.github.com";

/// One token opens both tools' larger allowance.
const CREDENTIALS: &[Credential] = &[Credential {
    host: HOST,
    env: &["GITHUB_TOKEN", "GH_TOKEN"],
    apply: Apply::Bearer,
    obtain: "https://github.com/settings/personal-access-tokens (no permissions needed)",
}];

/// A 403 of GitHub is a limit more often than a refusal, and says so in one of several ways.
const STATUS_RULES: &[StatusRule] = &[
    StatusRule {
        status: 401,
        when: When::Always,
        code: ErrorCode::Misconfigured,
        message: "GitHub does not accept the token in GITHUB_TOKEN",
    },
    StatusRule {
        status: 403,
        when: When::HeaderIs("x-ratelimit-remaining", "0"),
        code: ErrorCode::RateLimited,
        message: LIMIT,
    },
    StatusRule {
        status: 403,
        when: When::HeaderPresent("retry-after"),
        code: ErrorCode::RateLimited,
        message: BURST,
    },
    StatusRule {
        status: 403,
        when: When::BodyContains("secondary rate limit"),
        code: ErrorCode::RateLimited,
        message: BURST,
    },
    StatusRule {
        status: 403,
        when: When::BodyContains("abuse detection"),
        code: ErrorCode::RateLimited,
        message: BURST,
    },
    StatusRule {
        status: 403,
        when: When::BodyContains("rate limit exceeded"),
        code: ErrorCode::RateLimited,
        message: LIMIT,
    },
    StatusRule {
        status: 429,
        when: When::HeaderIs("x-ratelimit-remaining", "0"),
        code: ErrorCode::RateLimited,
        message: LIMIT,
    },
    StatusRule {
        status: 404,
        when: When::Always,
        code: ErrorCode::NotFound,
        message: "GitHub has no such repository, or it is private",
    },
    StatusRule {
        status: 451,
        when: When::Always,
        code: ErrorCode::AccessDenied,
        message: "GitHub has blocked this repository for legal reasons",
    },
];

const LIMIT: &str =
    "GitHub's allowance for this address is used up; set GITHUB_TOKEN for 5,000 requests an hour";
const BURST: &str = "GitHub asks us to slow down (secondary limit)";

/// Sends a request; where GitHub refuses the token, once more without it. The second value says so.
async fn send(cx: &Cx<'_>, request: Request) -> (Result<Response, SourceError>, bool) {
    let mut anonymous = request.clone();
    match cx.send(request).await {
        Err(error) if error.http_status == Some(401) && cx.configured("GITHUB_TOKEN") => {
            anonymous.anonymous = true;
            (cx.send(anonymous).await, true)
        }
        answer => (answer, false),
    }
}

const TOKEN_REFUSED: &str = "GitHub does not accept the token in GITHUB_TOKEN; answered without it";

/// The adapters of this crate.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    vec![Box::new(GitHub), Box::new(RepoSearch)]
}

#[cfg(test)]
mod tests;
