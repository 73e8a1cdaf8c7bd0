//! Limits of hosts that several sources share, so that each is written down once.

use crate::{HostRate, Pace};

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
