//! Requests, built purely.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, CommonArgs, Media, Request, SourceError};
use freshcontext_parse::link;

use crate::input::{Query, URL};

/// Papers in one answer.
pub const MAX_PAPERS: usize = 50;
/// arXiv gives out at most this many results of one search.
const MAX_START: u32 = 30_000;
/// Lists change once a day; a short keep lets a mistaken answer of theirs go away soon.
const CACHE: Duration = Duration::from_mins(10);

/// Where in the list of results to begin.
pub fn start(asked: &Query, args: &CommonArgs) -> Result<u32, SourceError> {
    let asked = match (args.cursor_within(..)?, asked) {
        (Some(start), _) => start,
        (None, Query::Search { start, .. }) => *start,
        (None, Query::Papers(_)) => 0,
    };
    if asked < MAX_START {
        Ok(asked)
    } else {
        let field = if args.cursor.is_some() { "cursor" } else { "url" };
        let problem = format!("goes past the {MAX_START} results that arXiv gives out");
        Err(Argument::new(field, URL.example).wrong(problem))
    }
}

/// The query as it is sent: with the bounds of the call, where it has any.
pub fn bounded(query: &str, args: &CommonArgs) -> String {
    if args.since.is_none() && args.until.is_none() {
        return query.to_owned();
    }
    let from = args.since.map_or_else(
        || "199101010000".to_owned(),
        |at| at.format("%Y%m%d%H%M").to_string(),
    );
    let to = args.until.map_or_else(
        || "209912312359".to_owned(),
        |at| at.format("%Y%m%d%H%M").to_string(),
    );
    format!("({query}) AND submittedDate:[{from} TO {to}]")
}

/// The address that answers; it is also the documented one that shows this very data.
pub fn address(asked: &Query, args: &CommonArgs, start: u32, again: bool) -> Result<Url, SourceError> {
    let mut url = link::built("https://export.arxiv.org/api/query", &[])?;
    let mut pairs = url.query_pairs_mut();
    let rows = match asked {
        Query::Papers(ids) => {
            pairs.append_pair("id_list", &ids.join(","));
            ids.len()
        }
        Query::Search { query, .. } => {
            pairs.append_pair("search_query", &bounded(query, args));
            args.limit.min(MAX_PAPERS)
        }
    };
    if let Query::Search { newest, .. } = asked {
        let (by, order) = match args.sort {
            Some("newest") => ("submittedDate", "descending"),
            Some("oldest") => ("submittedDate", "ascending"),
            None if *newest => ("submittedDate", "descending"),
            _ => ("relevance", "descending"),
        };
        pairs.append_pair("sortBy", by).append_pair("sortOrder", order);
    }
    let (start, rows) = (start.to_string(), rows.to_string());
    // The second try is spelled another way, so that no cache of theirs answers it with the first one's
    // failure; ours has forgotten that.
    let paging = [("start", start.as_str()), ("max_results", rows.as_str())];
    if again {
        pairs.extend_pairs(paging.iter().rev());
    } else {
        pairs.extend_pairs(paging.iter());
    }
    drop(pairs);
    Ok(url)
}

/// The request. A refused query comes as a feed with status 400, and a limit as plain text, which we
/// both read ourselves.
pub fn query(asked: &Query, args: &CommonArgs, start: u32, again: bool) -> Result<Request, SourceError> {
    let url = address(asked, args, start, again)?;
    Ok(Request::get(url, Media::Any)
        .header("accept", "application/atom+xml")
        .accepting(&[400])
        .cache_for(CACHE))
}

/// The page of a paper.
pub fn paper_page(id: &str) -> Result<Url, SourceError> {
    link::built(&format!("https://arxiv.org/abs/{id}"), &[])
}

/// The page on which a person finds the same papers: its search takes words, and not the prefixes of the interface.
pub fn search_page(query: &str) -> Result<Url, SourceError> {
    let bare = |word: &str| {
        let (prefix, rest) = word.trim_matches(['(', ')']).split_once(':')?;
        ["all", "ti", "au", "abs", "co", "jr", "cat"]
            .contains(&prefix)
            .then(|| rest.to_owned())
    };
    let words: Vec<String> = query
        .split_whitespace()
        .filter(|word| !["AND", "OR", "ANDNOT"].contains(word))
        .map(|word| bare(word).unwrap_or_else(|| word.trim_matches(['(', ')']).to_owned()))
        .collect();
    link::queried(
        "https://arxiv.org/search/",
        &[],
        [("searchtype", "all"), ("query", words.join(" ").as_str())],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::recognise;

    fn args() -> CommonArgs {
        CommonArgs::defaults(&crate::DESCRIPTOR.args)
    }

    fn sent(given: &str, args: &CommonArgs) -> String {
        let asked = recognise(given).unwrap();
        let start = start(&asked, args).unwrap();
        query(&asked, args, start, false).unwrap().url.to_string()
    }

    #[test]
    fn queries_are_encoded_exactly_once() {
        assert_eq!(
            sent("\"a b\" Ramírez", &args()),
            "https://export.arxiv.org/api/query?search_query=all%3A%22a+b%22+AND+all%3ARam%C3%ADrez&sortBy=relevance&sortOrder=descending&start=0&max_results=10"
        );
        assert_eq!(
            sent("astro-ph/0601001v1", &args()),
            "https://export.arxiv.org/api/query?id_list=astro-ph%2F0601001v1&start=0&max_results=1"
        );
    }

    #[test]
    fn bounds_order_and_cursor_are_sent() {
        let args = CommonArgs {
            since: Some("2026-01-01T00:00:00Z".parse().unwrap()),
            sort: Some("newest"),
            cursor: Some("20".to_owned()),
            limit: 5,
            ..args()
        };
        assert_eq!(
            sent("x OR y", &args),
            "https://export.arxiv.org/api/query?search_query=%28all%3Ax+OR+all%3Ay%29+AND+submittedDate%3A%5B202601010000+TO+209912312359%5D&sortBy=submittedDate&sortOrder=descending&start=20&max_results=5"
        );
    }

    #[test]
    fn nonsense_cursors_are_refused() {
        let asked = recognise("x").unwrap();
        for cursor in ["", "x", "-1", "30000", "99999999999"] {
            let args = CommonArgs {
                cursor: Some(cursor.to_owned()),
                ..args()
            };
            assert_eq!(
                start(&asked, &args).unwrap_err().field.as_deref(),
                Some("cursor"),
                "{cursor}"
            );
        }
        let far = recognise("https://export.arxiv.org/api/query?search_query=x&start=40000").unwrap();
        assert_eq!(start(&far, &args()).unwrap_err().field.as_deref(), Some("url"));
    }

    #[test]
    fn the_second_try_is_the_same_question() {
        let asked = recognise("x").unwrap();
        let first = address(&asked, &args(), 0, false).unwrap();
        let second = address(&asked, &args(), 0, true).unwrap();
        assert_ne!(first, second);
        let sorted = |url: &Url| {
            let mut pairs: Vec<_> = url.query_pairs().into_owned().collect();
            pairs.sort();
            pairs
        };
        assert_eq!(sorted(&first), sorted(&second));
    }
}
