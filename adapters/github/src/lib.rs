#![doc = include_str!("../README.md")]

mod input;
mod parse;
mod repo;
mod request;
mod search;

use freshcontext_contract::{
    AnyAdapter, Apply, Credential, ErrorCode, Founding, Route, StatusRule, Switch, When,
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
    required: false,
    obtain: "https://github.com/settings/personal-access-tokens (no permissions needed)",
}];

const ROUTES: &[Route] = &[Route {
    id: "rest",
    about: "REST interface",
    needs: None,
    switch: Switch::On,
    founding: Founding::Recorded,
}];

const TERMS: &str = "https://docs.github.com/site-policy/github-terms/github-terms-of-service#h-api-terms";

/// What a status says of a repository; how GitHub limits and refuses is the same for all who ask it.
const STATUS_RULES: &[StatusRule] = &[
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

/// The adapters of this crate.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    vec![Box::new(GitHub), Box::new(RepoSearch)]
}

#[cfg(test)]
mod tests;
