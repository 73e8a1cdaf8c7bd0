//! Made by `cargo xtask generate` from the descriptors of the sources.

use freshcontext_contract::Decay;

/// Id of a source, and its class.
#[rustfmt::skip]
pub(super) const SOURCES: [(&str, Decay); 16] = [
    ("arxiv", Decay::AcademicWork),
    ("changelog", Decay::PackageCadence),
    ("finance", Decay::MarketContext),
    ("gdelt", Decay::NewsCycle),
    ("gebiz", Decay::MarketContext),
    ("github", Decay::RepositoryActivity),
    ("google_scholar", Decay::AcademicWork),
    ("govcontracts", Decay::MarketContext),
    ("hackernews", Decay::FastDiscussion),
    ("jobs", Decay::MaterialEvents),
    ("packagetrends", Decay::PackageCadence),
    ("producthunt", Decay::LaunchSignals),
    ("reddit", Decay::LaunchSignals),
    ("reposearch", Decay::RepositoryActivity),
    ("sec_filings", Decay::MaterialEvents),
    ("yc", Decay::MarketContext),
];
