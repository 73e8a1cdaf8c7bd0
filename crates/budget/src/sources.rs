//! Made by `cargo xtask generate` from the descriptors of the sources.

use freshcontext_contract::Refetch;

/// Id of a source, its tool, and how the tool is asked for one item again.
#[rustfmt::skip]
pub(crate) const SOURCES: [(&str, &str, Refetch); 16] = [
    ("arxiv", "extract_arxiv", Refetch::Address("url", &["arxiv.org"])),
    ("changelog", "extract_changelog", Refetch::Address("url", &["*"])),
    ("finance", "extract_finance", Refetch::Ticker),
    ("gdelt", "extract_gdelt", Refetch::Title("url")),
    ("gebiz", "extract_gebiz", Refetch::Title("url")),
    ("github", "extract_github", Refetch::Repository("extract_github")),
    ("google_scholar", "extract_scholar", Refetch::Title("url")),
    ("govcontracts", "extract_govcontracts", Refetch::Address("url", &["usaspending.gov"])),
    ("hackernews", "extract_hackernews", Refetch::Address("url", &["news.ycombinator.com"])),
    ("jobs", "search_jobs", Refetch::Title("query")),
    ("packagetrends", "package_trends", Refetch::Package),
    ("producthunt", "extract_producthunt", Refetch::Address("url", &["producthunt.com"])),
    ("reddit", "extract_reddit", Refetch::Address("url", &["reddit.com"])),
    ("reposearch", "search_repos", Refetch::Repository("extract_github")),
    ("sec_filings", "extract_sec_filings", Refetch::Address("url", &["sec.gov"])),
    ("yc", "extract_yc", Refetch::Address("url", &["ycombinator.com"])),
];
