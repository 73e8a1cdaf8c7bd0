//! Limits and refusals of hosts that several sources share, so that each is written down once.

use std::time::Duration;

use crate::descriptor::{HostRate, Pace, StatusRule, When};
use crate::error::ErrorCode;

/// How hosts say no. The pipeline reads their answers by it for every source that asks there, after the
/// source's own [`status_rules`](crate::descriptor::Descriptor::status_rules).
#[derive(Debug)]
pub struct Refusals {
    /// The hosts that say it so.
    pub hosts: &'static [&'static str],
    /// What their statuses mean; the first rule that holds counts.
    pub rules: &'static [StatusRule],
    /// How long they want to be left alone where they ask to slow down and do not say until when.
    pub wait: Option<Duration>,
}

/// The refusals of a host (lower case, as `url` normalises it), where they are written down here.
pub fn refusals(host: &str) -> Option<&'static Refusals> {
    [&GITHUB_REFUSALS, &SEC_REFUSALS, &REGISTRY_REFUSALS]
        .into_iter()
        .find(|known| known.hosts.contains(&host))
}

/// Hosts of one operator, as sources name them. Where one of them asks to slow down, all are left alone: what one
/// was refused is not asked of its sister at once.
const OPERATORS: [&[&str]; 4] = [
    &["api.github.com", "github.com", "raw.githubusercontent.com"],
    &["www.sec.gov", "data.sec.gov", "efts.sec.gov"],
    &["api-production.data.gov.sg", "data.gov.sg"],
    &["oauth.reddit.com", "www.reddit.com"],
];

/// All hosts of the operator of this one (lower case), itself included; empty where it stands alone.
pub fn of_one_operator(host: &str) -> &'static [&'static str] {
    OPERATORS
        .into_iter()
        .find(|hosts| hosts.contains(&host))
        .unwrap_or_default()
}

/// EDGAR counts the requests of an address over all its hosts together, and goes on refusing for about
/// ten minutes: <https://www.sec.gov/os/accessing-edgar-data>.
pub static SEC_REFUSALS: Refusals = Refusals {
    hosts: &["www.sec.gov", "data.sec.gov", "efts.sec.gov"],
    rules: &[],
    wait: Some(Duration::from_mins(10)),
};

/// A 404 that the interface itself did not give. It says nothing of the thing that was asked for: networks answer so for
/// hosts that they block.
const NOT_ITS_OWN_404: StatusRule = StatusRule::new(404, ErrorCode::Malformed)
    .when(When::NoErrorInJson)
    .saying("a 404 that is not in the form of this interface: something before it may have answered");

/// The interfaces of registries, which say in JSON what they do not have: `{"error":"Not found"}`
/// (<https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md>), `{"message": "Not Found"}`
/// (<https://docs.pypi.org/api/json/>), `{"errors":[{"detail":"..."}]}` (<https://crates.io/data-access>). The interface of
/// Hacker News says `null` with status 200, and errors in JSON
/// (<https://firebase.google.com/docs/database/rest/start>).
pub static REGISTRY_REFUSALS: Refusals = Refusals {
    hosts: &[
        "registry.npmjs.org",
        "pypi.org",
        "crates.io",
        "hacker-news.firebaseio.com",
    ],
    rules: &[NOT_ITS_OWN_404],
    wait: None,
};

const GITHUB_LIMIT: &str =
    "GitHub's allowance for this address is used up; set GITHUB_TOKEN for 5,000 requests an hour";
const GITHUB_BURST: &str = "GitHub asks us to slow down (secondary limit)";

/// GitHub's REST interface. A 403 is a limit more often than a refusal: the primary one is known by
/// `x-ratelimit-remaining: 0`, the secondary one by `retry-after` or by its words, since its answers may
/// lack every `x-ratelimit-*` header. Either may come as 429. Where no end is named, the documentation
/// asks for a minute: <https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api>.
pub static GITHUB_REFUSALS: Refusals = Refusals {
    hosts: &["api.github.com"],
    rules: &[
        github(
            401,
            When::Always,
            ErrorCode::Misconfigured,
            "GitHub does not accept the token in GITHUB_TOKEN",
        ),
        github_burst(403, When::BodyContains("secondary rate limit")),
        github_burst(429, When::BodyContains("secondary rate limit")),
        github_burst(403, When::BodyContains("abuse detection")),
        github_burst(429, When::BodyContains("abuse detection")),
        github_limit(403, When::HeaderIs("x-ratelimit-remaining", "0")),
        github_limit(429, When::HeaderIs("x-ratelimit-remaining", "0")),
        github_burst(403, When::HeaderPresent("retry-after")),
        github_limit(403, When::BodyContains("rate limit exceeded")),
        github_burst(429, When::Always),
        NOT_ITS_OWN_404,
    ],
    wait: Some(Duration::from_mins(1)),
};

const fn github_limit(status: u16, when: When) -> StatusRule {
    github(status, when, ErrorCode::RateLimited, GITHUB_LIMIT)
}

const fn github_burst(status: u16, when: When) -> StatusRule {
    github(status, when, ErrorCode::RateLimited, GITHUB_BURST)
}

const fn github(status: u16, when: When, code: ErrorCode, message: &'static str) -> StatusRule {
    StatusRule::new(status, code).when(when).saying(message)
}

/// GitHub's REST interface without search: 60 an hour without a token, 5,000 with one.
/// The window is kept by GitHub itself (`x-ratelimit-*`); here only bursts are held back.
pub const GITHUB_API: HostRate = HostRate {
    host: "api.github.com",
    path: "",
    pace: Pace::new(60, 60),
    keyed: Some(Pace::new(300, 60)),
    in_flight: 4,
    link: "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api",
};

/// GitHub's search has a pool of its own: 10 a minute without a token, 30 with one.
pub const GITHUB_SEARCH: HostRate = HostRate {
    host: "api.github.com",
    path: "/search/",
    pace: Pace::new(10, 60),
    keyed: Some(Pace::new(30, 60)),
    in_flight: 2,
    link: "https://docs.github.com/rest/search/search#rate-limit",
};

/// Algolia's Hacker News search: 10,000 an hour from one address.
pub const HN_ALGOLIA: HostRate = HostRate {
    host: "hn.algolia.com",
    path: "",
    pace: Pace::new(10_000, 3_600),
    keyed: None,
    in_flight: 4,
    link: "https://hn.algolia.com/api",
};

/// The npm registry states no number; be modest.
pub const NPM: HostRate = HostRate {
    host: "registry.npmjs.org",
    path: "",
    pace: Pace::new(20, 1),
    keyed: None,
    in_flight: 4,
    link: "https://docs.npmjs.com/policies/crawlers",
};

/// PyPI states no number; its documentation asks to be modest.
pub const PYPI: HostRate = HostRate {
    host: "pypi.org",
    path: "",
    pace: Pace::new(10, 1),
    keyed: None,
    in_flight: 4,
    link: "https://docs.pypi.org/api/",
};

/// crates.io: at most one request a second.
pub const CRATES_IO: HostRate = HostRate {
    host: "crates.io",
    path: "",
    pace: Pace::new(1, 1),
    keyed: None,
    in_flight: 1,
    link: "https://crates.io/data-access#api",
};
