//! Requests, built purely.

use std::time::Duration;

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::github::Repository;
use freshcontext_parse::link;

/// GitHub gives out at most this many results of one search.
const MAX_RESULTS: u32 = 1_000;
const API: &str = "https://api.github.com/";

fn get(url: KeyedUrl) -> Request {
    Request::get(url, Media::Json)
        .header("accept", "application/vnd.github+json")
        .header("x-github-api-version", "2022-11-28")
}

/// A moment as GitHub takes it.
fn instant(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The repository's own facts.
pub fn repository(repository: &Repository) -> Result<Request, SourceError> {
    Ok(get(KeyedUrl::new(
        API,
        &["repos", &repository.owner, &repository.name],
    )?))
}

/// A tag, by its name.
pub fn tag(repository: &Repository, tag: &str) -> Result<Request, SourceError> {
    let mut segments = vec!["repos", &repository.owner, &repository.name, "git", "ref", "tags"];
    segments.extend(tag.split('/'));
    Ok(get(KeyedUrl::new(API, &segments)?))
}

/// The commit that a branch, a tag or a hash names.
pub fn commit(repository: &Repository, name: &str) -> Result<Request, SourceError> {
    let mut segments = vec!["repos", &repository.owner, &repository.name, "commits"];
    segments.extend(name.split('/'));
    Ok(get(KeyedUrl::new(API, &segments)?))
}

/// The newest commit of the default branch, at an earlier moment where one is given. 409 means that there is none yet.
pub fn newest_commit(repository: &Repository, until: Option<DateTime<Utc>>) -> Result<Request, SourceError> {
    let url = KeyedUrl::new(API, &["repos", &repository.owner, &repository.name, "commits"])?;
    let until = until.map(instant);
    let bounds = [("per_page", Some("1")), ("until", until.as_deref())];
    Ok(get(url.with(bounds)).accepting(&[409]))
}

/// The README of a commit, else of the default branch, in whatever case and format it is kept. 404 means that there is
/// none.
pub fn readme(repository: &Repository, commit: Option<&str>) -> Result<Request, SourceError> {
    let url = KeyedUrl::new(API, &["repos", &repository.owner, &repository.name, "readme"])?;
    Ok(get(url.with([("ref", commit)]))
        .accepting(&[404])
        .cache_for(Duration::from_mins(30)))
}

/// Which page of a search, from 1.
pub fn page(args: &CommonArgs) -> Result<u32, SourceError> {
    let last = MAX_RESULTS.div_ceil(rows(args));
    Ok(args.cursor_within(1..=last)?.unwrap_or(1))
}

/// Rows of one page.
pub fn rows(args: &CommonArgs) -> u32 {
    u32::try_from(args.limit).unwrap_or(100).clamp(1, 100)
}

/// Whether another page may be asked for.
pub fn has_next(args: &CommonArgs, page: u32, total: u64) -> bool {
    let shown = u64::from(page) * u64::from(rows(args));
    shown < total && shown < u64::from(MAX_RESULTS)
}

/// The search as GitHub takes it: with the bounds of the call as a qualifier.
pub fn bounded(query: &str, args: &CommonArgs) -> String {
    // What was pushed to lately existed before: at an earlier moment that of its creation counts.
    let name = if args.as_of.is_some() { "created" } else { "pushed" };
    match (args.since, args.until) {
        (None, None) => query.to_owned(),
        (Some(since), None) => format!("{query} {name}:>={}", instant(since)),
        (None, Some(until)) => format!("{query} {name}:<={}", instant(until)),
        (Some(since), Some(until)) => format!("{query} {name}:{}..{}", instant(since), instant(until)),
    }
}

/// GitHub's name for an order; none for the best match.
fn order(args: &CommonArgs) -> Option<&'static str> {
    match args.sort {
        Some("newest") => Some("updated"),
        Some("top") => Some("stars"),
        _ => None,
    }
}

/// One page of a search. 422 is a query that GitHub does not understand; it says why.
pub fn search(query: &str, args: &CommonArgs, page: u32) -> Result<Request, SourceError> {
    let (bounded, rows, number) = (bounded(query, args), rows(args).to_string(), page.to_string());
    let order = order(args);
    let url = KeyedUrl::new(API, &["search", "repositories"])?.with([
        ("q", Some(bounded.as_str())),
        ("sort", order),
        ("order", order.map(|_| "desc")),
        ("per_page", Some(rows.as_str())),
        ("page", (page > 1).then_some(number.as_str())),
    ]);
    Ok(get(url).accepting(&[422]))
}

/// The search as a page for people.
pub fn search_page(query: &str, args: &CommonArgs) -> Result<Url, SourceError> {
    let (bounded, order) = (bounded(query, args), order(args));
    let query = [
        ("q", Some(bounded.as_str())),
        ("type", Some("repositories")),
        ("s", order),
        ("o", order.map(|_| "desc")),
    ];
    link::queried("https://github.com/search", &[], query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> CommonArgs {
        CommonArgs::defaults(&crate::REPOSEARCH.args)
    }

    #[test]
    fn repository_requests() {
        let rust = Repository {
            owner: "rust-lang".into(),
            name: "rust".into(),
        };
        assert_eq!(
            repository(&rust).unwrap().url.as_str(),
            "https://api.github.com/repos/rust-lang/rust"
        );
        assert_eq!(
            newest_commit(&rust, None).unwrap().url.as_str(),
            "https://api.github.com/repos/rust-lang/rust/commits?per_page=1"
        );
        assert_eq!(
            readme(&rust, None).unwrap().url.as_str(),
            "https://api.github.com/repos/rust-lang/rust/readme"
        );
        let headers = repository(&rust).unwrap().headers;
        assert!(headers.contains(&("x-github-api-version".into(), "2022-11-28".to_owned())));
    }

    #[test]
    fn searches_are_encoded_exactly_once() {
        assert_eq!(
            search("c++ \"a b\" #1 é", &args(), 1).unwrap().url.as_str(),
            "https://api.github.com/search/repositories?q=c%2B%2B+%22a+b%22+%231+%C3%A9&per_page=10"
        );
        let bounded = CommonArgs {
            since: Some("2026-01-01T00:00:00Z".parse().unwrap()),
            sort: Some("top"),
            limit: 5,
            ..args()
        };
        assert_eq!(
            search("x", &bounded, 2).unwrap().url.as_str(),
            "https://api.github.com/search/repositories?q=x+pushed%3A%3E%3D2026-01-01T00%3A00%3A00Z&sort=stars&order=desc&per_page=5&page=2"
        );
        assert_eq!(
            search_page(
                "x y",
                &CommonArgs {
                    sort: Some("newest"),
                    ..args()
                }
            )
            .unwrap()
            .as_str(),
            "https://github.com/search?q=x+y&type=repositories&s=updated&o=desc"
        );
    }

    #[test]
    fn pages_stay_within_what_github_gives_out() {
        for (cursor, fits) in [
            ("2", true),
            ("100", true),
            ("101", false),
            ("0", false),
            ("x", false),
            ("", false),
        ] {
            let args = CommonArgs {
                cursor: Some(cursor.to_owned()),
                ..args()
            };
            assert_eq!(page(&args).is_ok(), fits, "{cursor}");
        }
        assert!(has_next(&args(), 1, 11) && !has_next(&args(), 1, 10) && !has_next(&args(), 100, 5_000));
    }
}
