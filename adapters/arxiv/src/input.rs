//! What was asked for: papers by id, or a search in arXiv's query language.

mod id;
mod query;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::{self, Given};
use schemars::JsonSchema;
use serde::Deserialize;

pub use id::{parse as parse_id, without_version};

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "https://arxiv.org/abs/2104.12255"}"#);
/// Hosts of arXiv, and of the DOIs that lead there.
const HOSTS: [&str; 6] = [
    "arxiv.org",
    "www.arxiv.org",
    "export.arxiv.org",
    "doi.org",
    "dx.doi.org",
    "www.doi.org",
];
/// Ids in one call.
const MAX_IDS: usize = 50;

/// Arguments of `extract_arxiv`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Words (ti:, au:, cat:), ids, DOI or arXiv URL
    pub url: String,
}

/// One thing that this source can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// These papers, in this order.
    Papers(Vec<String>),
    /// A search.
    Search {
        /// `search_query`, complete.
        query: String,
        /// `start` of the address that was passed.
        start: u32,
        /// Newest submissions first, because the address says so.
        newest: bool,
    },
}

impl Query {
    fn search(query: String) -> Self {
        Self::Search {
            query,
            start: 0,
            newest: false,
        }
    }
}

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Query, SourceError> {
    let given = match Given::of(URL, given, |host| HOSTS.contains(&host))? {
        Given::Words(words) => words,
        Given::Address(url) => {
            return match url.host_str().unwrap_or_default() {
                host if !HOSTS.contains(&host) => {
                    Err(URL.wrong("is an address outside arXiv; pass an arXiv address, an id or a query"))
                }
                host if host.ends_with("doi.org") => doi(url.path().trim_start_matches('/')),
                _ => page(&url),
            };
        }
    };
    if let Some(ids) = ids(given) {
        return Ok(Query::Papers(ids));
    }
    if given.starts_with("10.") && given.contains('/') && !given.contains(char::is_whitespace) {
        return doi(given);
    }
    if let Some(rest) = given.strip_prefix("doi:").or_else(|| given.strip_prefix("DOI:")) {
        return doi(rest.trim());
    }
    query::read(given)
        .map(Query::search)
        .ok_or_else(|| URL.wrong("holds no word to search for"))
}

/// One or several ids and nothing else.
fn ids(given: &str) -> Option<Vec<String>> {
    if let Some(id) = id::parse(given) {
        return Some(vec![id]);
    }
    let parts = given
        .split([',', ' ', ';'])
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let ids: Option<Vec<String>> = parts.map(id::parse).collect();
    ids.filter(|ids| !ids.is_empty() && ids.len() <= MAX_IDS)
}

/// arXiv's own DOIs end in the id.
fn doi(given: &str) -> Result<Query, SourceError> {
    let lower = given.to_ascii_lowercase();
    let id = lower
        .strip_prefix("10.48550/arxiv.")
        .and_then(|rest| given.get(given.len() - rest.len()..));
    match id.and_then(id::parse) {
        Some(id) => Ok(Query::Papers(vec![id])),
        None => Err(URL
            .wrong("is not a DOI of arXiv, which looks like 10.48550/arXiv.2104.12255")
            .hint("a paper published elsewhere is found by its title")),
    }
}

fn page(url: &Url) -> Result<Query, SourceError> {
    let path = url.path().trim_matches('/');
    let (kind, rest) = path.split_once('/').unwrap_or((path, ""));
    match kind {
        "abs" | "pdf" | "html" | "ps" | "format" | "e-print" | "src" | "tb" => {
            let rest = rest.strip_suffix(".pdf").unwrap_or(rest);
            id::parse(rest)
                .map(|id| Query::Papers(vec![id]))
                .ok_or_else(|| URL.wrong("is an arXiv address without a valid paper id"))
        }
        "api" if rest == "query" => interface(url),
        "list" => {
            let category = rest.split('/').next().unwrap_or_default();
            let query = query::category(category).ok_or_else(|| URL.wrong("names no category of arXiv"))?;
            Ok(Query::Search {
                query,
                start: 0,
                newest: true,
            })
        }
        "search" => form(url),
        _ => Err(URL
            .wrong("is an arXiv page that this tool does not read")
            .hint("it reads abs, pdf, html, list and search pages and api/query")),
    }
}

/// The interface's own address: passed on as it is.
fn interface(url: &Url) -> Result<Query, SourceError> {
    let start = match link::parameter(url, "start") {
        Some(text) => text
            .parse()
            .map_err(|_| URL.wrong("has a `start` that is not a number"))?,
        None => 0,
    };
    if let Some(query) = link::parameter(url, "search_query") {
        let newest =
            link::parameter(url, "sortBy").is_some_and(|by| by == "submittedDate" || by == "lastUpdatedDate");
        return Ok(Query::Search { query, start, newest });
    }
    link::parameter(url, "id_list")
        .and_then(|list| ids(&list))
        .map(Query::Papers)
        .ok_or_else(|| URL.wrong("has neither `search_query` nor valid ids in `id_list`"))
}

/// The search form of the site.
fn form(url: &Url) -> Result<Query, SourceError> {
    let words = link::parameter(url, "query")
        .ok_or_else(|| URL.wrong("is a search page without words (`query=`)"))?;
    let field = match link::parameter(url, "searchtype").as_deref() {
        Some("title") => "ti",
        Some("author") => "au",
        Some("abstract") => "abs",
        Some("comments") => "co",
        Some("journal_ref") => "jr",
        Some("report_num") => "rn",
        Some("paper_id") => {
            return ids(&words)
                .map(Query::Papers)
                .ok_or_else(|| URL.wrong("names no valid paper id"));
        }
        _ => "all",
    };
    query::words(&words, field)
        .map(Query::search)
        .ok_or_else(|| URL.wrong("holds no word to search for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn papers(given: &str) -> Vec<String> {
        match recognise(given) {
            Ok(Query::Papers(ids)) => ids,
            other => panic!("{given}: {other:?}"),
        }
    }

    fn search(given: &str) -> String {
        match recognise(given) {
            Ok(Query::Search { query, .. }) => query,
            other => panic!("{given}: {other:?}"),
        }
    }

    #[test]
    fn every_way_to_name_a_paper() {
        for given in [
            "2104.12255v1",
            "arXiv:2104.12255v1",
            "arxiv: 2104.12255v1",
            "https://arxiv.org/abs/2104.12255v1",
            "http://www.arxiv.org/pdf/2104.12255v1.pdf",
            "https://arxiv.org/html/2104.12255v1#S1",
            "arxiv.org/abs/2104.12255v1?context=cs",
            "https://export.arxiv.org/abs/2104.12255v1",
            "10.48550/arXiv.2104.12255v1",
            "doi:10.48550/ARXIV.2104.12255v1",
            "https://doi.org/10.48550/arXiv.2104.12255v1",
            "https://export.arxiv.org/api/query?id_list=2104.12255v1&max_results=1",
        ] {
            assert_eq!(papers(given), ["2104.12255v1"], "{given}");
        }
        assert_eq!(
            papers("https://arxiv.org/abs/astro-ph/0601001v1"),
            ["astro-ph/0601001v1"]
        );
        assert_eq!(papers("cs/0503050, 0704.0001"), ["cs/0503050", "0704.0001"]);
        assert_eq!(
            papers("https://arxiv.org/pdf/math.GT/0309136"),
            ["math.GT/0309136"]
        );
    }

    #[test]
    fn searches_of_all_kinds() {
        assert_eq!(search("testing"), "all:testing");
        assert_eq!(search("https://arxiv.org/list/cs.CL/recent"), "cat:cs.CL");
        assert_eq!(
            search("https://arxiv.org/search/?query=Ram%C3%ADrez&searchtype=author"),
            "au:Ramírez"
        );
        assert_eq!(
            recognise(
                "http://export.arxiv.org/api/query?search_query=ti:a+OR+b&start=20&sortBy=submittedDate"
            )
            .unwrap(),
            Query::Search {
                query: "ti:a OR b".to_owned(),
                start: 20,
                newest: true
            }
        );
    }

    #[test]
    fn the_wrong_kind_gets_an_error_that_shows_a_right_one() {
        for given in [
            "",
            "  ",
            "\"\"",
            "https://example.com/abs/2104.12255",
            "https://arxiv.org/",
            "https://arxiv.org/abs/",
            "https://arxiv.org/abs/hello",
            "https://arxiv.org/user",
            "https://arxiv.org/search/",
            "https://export.arxiv.org/api/query?id_list=abc",
            "https://export.arxiv.org/api/query?search_query=a&start=x",
            "10.1103/PhysRevD.76.013009",
            "https://doi.org/10.1038/nature123",
            "ftp://arxiv.org/abs/2104.12255",
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(error.code.as_str(), "invalid_input", "{given}");
            assert!(error.message.contains("arxiv.org/abs/2104.12255"), "{given}");
        }
    }
}
