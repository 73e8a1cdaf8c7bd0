//! The request of each board. Pure.

use std::time::Duration;

use freshcontext_contract::{KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::link;

use crate::input::Search;
use crate::words::Query;

const ARBEITNOW: &str = "https://www.arbeitnow.com/api/job-board-api";
const HN_SEARCH: &str = "https://hn.algolia.com/api/v1/search_by_date";

/// Remotive's whole public sample. Its `search` parameter has no effect today, and one address for
/// all queries keeps to the four fetches a day that Remotive asks for.
pub fn remotive() -> Result<Request, SourceError> {
    Ok(link::json("https://remotive.com/api/remote-jobs", &[])?.cache_for(Duration::from_hours(6)))
}

/// Remote OK's whole board: a tag is one existing tag, and queries are seldom one.
pub fn remoteok() -> Result<Request, SourceError> {
    Ok(link::json("https://remoteok.com/api", &[])?.cache_for(Duration::from_hours(1)))
}

/// One page of Arbeitnow, from 1. It knows no filter that would help.
pub fn arbeitnow(page: u32) -> Result<Request, SourceError> {
    let page = page.to_string();
    let url = link::queried(ARBEITNOW, &[], [("page", page.as_str())])?;
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_hours(1)))
}

/// One page of The Muse, from 0. There is no text search; a category and a place narrow it.
pub fn muse(page: u32, search: &Search) -> Result<Request, SourceError> {
    let page = page.to_string();
    let mut query: Vec<(&str, &str)> = vec![("page", &page)];
    if let Some(category) = muse_category(&search.query) {
        query.push(("category", category));
    }
    if search.remote_wanted() {
        query.push(("location", "Flexible / Remote"));
    } else if let Some(place) = search.place() {
        query.push(("location", place));
    }
    let url = KeyedUrl::new("https://www.themuse.com/api/public/jobs", &[])?.with(query);
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_hours(1)))
}

/// The one category whose spelling is attested, for queries that can mean nothing else. An unknown one
/// would answer with nothing; "engineer" alone may well be a mining engineer.
pub fn muse_category(query: &str) -> Option<&'static str> {
    const SIGNS: [&str; 27] = [
        "software",
        "developer",
        "developers",
        "programmer",
        "backend",
        "back-end",
        "frontend",
        "front-end",
        "fullstack",
        "full-stack",
        "devops",
        "sre",
        "rust",
        "golang",
        "python",
        "java",
        "javascript",
        "typescript",
        "kotlin",
        "ruby",
        "php",
        "scala",
        "c++",
        "c#",
        "react",
        "node.js",
        "android",
    ];
    let software = Query::of(query)
        .words
        .iter()
        .any(|word| SIGNS.contains(&word.as_str()));
    software.then_some("Software Engineering")
}

/// The monthly threads of Hacker News, newest first.
pub fn hiring_threads() -> Result<Request, SourceError> {
    let query = [("tags", "story,author_whoishiring"), ("query", "hiring")];
    let url = link::queried(HN_SEARCH, &[], query)?;
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_hours(1)))
}

/// The comments of a thread, newest first.
pub fn hiring_comments(thread: u64) -> Result<Request, SourceError> {
    let tags = format!("comment,story_{thread}");
    let query = [("tags", tags.as_str()), ("hitsPerPage", "1000")];
    let url = link::queried(HN_SEARCH, &[], query)?;
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_mins(30)))
}

/// A whole thread as a tree, where the search has nothing for it.
pub fn hiring_tree(thread: u64) -> Result<Request, SourceError> {
    let tree = link::json("https://hn.algolia.com/api/v1/items/", &[&thread.to_string()])?;
    Ok(tree.cache_for(Duration::from_mins(30)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str, location: Option<&str>, remote_only: bool) -> Search {
        Search {
            query: query.to_owned(),
            location: location.map(str::to_owned),
            remote_only,
            max_age_days: 60,
            keywords: vec![],
            offset: 0,
        }
    }

    #[test]
    fn addresses_are_exact() {
        assert_eq!(
            remotive().unwrap().url.as_str(),
            "https://remotive.com/api/remote-jobs"
        );
        assert_eq!(remoteok().unwrap().url.as_str(), "https://remoteok.com/api");
        assert_eq!(
            arbeitnow(2).unwrap().url.as_str(),
            "https://www.arbeitnow.com/api/job-board-api?page=2"
        );
        assert_eq!(
            hiring_threads().unwrap().url.as_str(),
            "https://hn.algolia.com/api/v1/search_by_date?tags=story%2Cauthor_whoishiring&query=hiring"
        );
        assert_eq!(
            hiring_comments(42).unwrap().url.as_str(),
            "https://hn.algolia.com/api/v1/search_by_date?tags=comment%2Cstory_42&hitsPerPage=1000"
        );
        assert_eq!(
            hiring_tree(42).unwrap().url.as_str(),
            "https://hn.algolia.com/api/v1/items/42"
        );
    }

    #[test]
    fn the_muse_gets_what_it_can_filter_by() {
        let url = |search: &Search| muse(1, search).unwrap().url.to_string();
        assert_eq!(
            url(&search("mining engineer", None, false)),
            "https://www.themuse.com/api/public/jobs?page=1"
        );
        assert_eq!(
            url(&search("front-end developer", Some("New York, NY"), false)),
            "https://www.themuse.com/api/public/jobs?page=1&category=Software+Engineering&location=New+York%2C+NY"
        );
        for search in [
            search("nurse", Some("Berlin"), true),
            search("nurse", Some("Remote"), false),
        ] {
            assert_eq!(
                url(&search),
                "https://www.themuse.com/api/public/jobs?page=1&location=Flexible+%2F+Remote"
            );
        }
    }

    #[test]
    fn remotive_may_be_asked_at_most_four_times_a_day() {
        assert!(remotive().unwrap().cache_for >= Duration::from_hours(6));
    }
}
