//! `search_repos`: repositories by words and qualifiers.

use std::fmt::Write;
use std::time::Duration;

use freshcontext_contract::{
    Adapter, ArgSpec, Cx, Decay, Descriptor, ErrorCode, FactTimes, HEAD, Heading, Hosts, Refetch,
    SourceError, SourceResult, TEXT, hosts,
};

use crate::input::{self, QueryInput};
use crate::{CREDENTIALS, HOST, ROUTES, STATUS_RULES, TERMS, parse, request};

/// The facts about searching repositories.
pub static REPOSEARCH: Descriptor = Descriptor {
    id: "reposearch",
    tool: "search_repos",
    title: "GitHub search",
    heading: Heading::new("on GitHub", "repository", "repositories"),
    description: "GitHub repositories by words and qualifiers, stars, last push. For one use extract_github.",
    example: input::QUERY.example,
    profile: "code_activity",
    decay: Decay::RepositoryActivity,
    refetch: Refetch::Repository("extract_github"),
    hosts: Hosts::Fixed(&[HOST]),
    official: true,
    credentials: CREDENTIALS,
    routes: ROUTES,
    rates: &[hosts::GITHUB_API, hosts::GITHUB_SEARCH],
    status_rules: STATUS_RULES,
    args: ArgSpec {
        limit: Some((10, 50)),
        dates: true,
        sort: &["relevance", "newest", "top"],
        cursor: true,
        ..ArgSpec::length(6000)
    },
    facts: FactTimes {
        fixed: &["created_at", "fork"],
        moving: &[
            TEXT,
            HEAD,
            "archived",
            "default_branch",
            "disabled",
            "forks",
            "homepage",
            "language",
            "license",
            "open_issues_and_pulls",
            "pushed_at",
            "stars",
            "topics",
            "total",
            "watchers",
        ],
        edited: None,
    },
    dates: "`pushed_at`, the last push to any branch: a signal for the last change, not a publication date.",
    terms: TERMS,
    ..Descriptor::PLAIN
};

/// Repositories by words.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepoSearch;

impl Adapter for RepoSearch {
    type Input = QueryInput;

    fn descriptor(&self) -> &'static Descriptor {
        &REPOSEARCH
    }

    async fn collect(&self, cx: &Cx<'_>, input: QueryInput) -> Result<SourceResult, SourceError> {
        let query = input::query(&input.query)?;
        let args = cx.args();
        let page = request::page(args)?;
        let request = request::search(&query, args, page)?.cache_for(Duration::from_mins(5));
        let found = cx
            .read(request, |response| parse::search(response, args.as_of.is_some()))
            .await?;
        let mut result = SourceResult::new(request::search_page(&query, args)?, Vec::new());
        result.route = Some("rest");
        let mut summary = format!(
            "GitHub repositories for {}: {} found",
            request::bounded(&query, args),
            found.total
        );
        if page > 1 {
            let _ = write!(summary, ", page {page}");
        }
        result.summary = Some(summary);
        result.set("total", found.total);
        result.skip(found.unreadable, "without a name");
        if !found.items.is_empty() && request::has_next(args, page, found.total) {
            result.next = Some((page + 1).to_string());
        }
        result.show(found.items);
        if found.incomplete {
            let message = "GitHub ran out of time: there may be more and better matches";
            result.fail(
                "rest of the search",
                SourceError::new(ErrorCode::Timeout, message),
            );
        }
        Ok(result)
    }
}
