//! From a search to the request of a route. Pure.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, KeyedUrl, Media, Request, SourceError, texts};
use freshcontext_parse::{link, text};

use crate::input::Search;

texts! {
    /// The ways to an answer, in their order.
    pub enum Via(id, name) {
        /// Scholar's result page.
        Scholar { id: "scholar", name: "Google Scholar" }
        /// Crossref's index of registered works.
        Crossref { id: "crossref", name: "Crossref" }
        /// OpenAlex's index.
        OpenAlex { id: "openalex", name: "OpenAlex" }
    }
}

/// A search with the common arguments worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What.
    pub search: Search,
    /// How many results.
    pub limit: usize,
    /// How many were shown before.
    pub offset: usize,
    /// Newest first.
    pub newest: bool,
    /// First day, `YYYY-MM-DD`.
    pub from: Option<String>,
    /// Last day.
    pub to: Option<String>,
    /// The route that gave the page before, where this is a further one.
    pub only: Option<Via>,
}

/// Results on one page of Scholar.
const SCHOLAR_PAGE: usize = 10;

impl Plan {
    /// Works the common arguments in.
    pub fn new(search: Search, args: &CommonArgs) -> Result<Self, SourceError> {
        let (only, offset) = match args.cursor_by(cursor_parts)? {
            None => (None, search.start.unwrap_or(0)),
            Some((via, offset)) => (Some(via), offset),
        };
        let limit = if args.limit_given {
            args.limit
        } else {
            search.num.unwrap_or(args.limit)
        };
        let year = |name: &str| {
            search
                .get(name)
                .filter(|year| text::is_digits(year, 4..=4))
                .map(str::to_owned)
        };
        let days = args.days();
        let from = days.since.map(|day| day.to_string());
        let from = from.or_else(|| year("as_ylo").map(|year| format!("{year}-01-01")));
        let to = days.until.map(|day| day.to_string());
        let to = to.or_else(|| year("as_yhi").map(|year| format!("{year}-12-31")));
        let newest = args
            .sort
            .map_or_else(|| search.by_date(), |sort| sort == "newest");
        Ok(Self {
            search,
            limit: limit.clamp(1, 20),
            offset,
            newest,
            from,
            to,
            only,
        })
    }

    /// The first and the last day as a filter, under an index's own names; `None` where neither is bounded.
    fn bounds(&self, from: &str, to: &str) -> Option<String> {
        let bounds: Vec<String> = [(from, &self.from), (to, &self.to)]
            .into_iter()
            .filter_map(|(name, day)| Some(format!("{name}:{}", day.as_deref()?)))
            .collect();
        (!bounds.is_empty()).then(|| bounds.join(","))
    }

    /// The cursor of the next page.
    pub fn next(&self, via: Via) -> String {
        format!("{}:{}", via.id(), self.offset + self.limit)
    }
}

fn cursor_parts(cursor: &str) -> Option<(Via, usize)> {
    let (id, offset) = cursor.split_once(':')?;
    let via = Via::of_id(id)?;
    let offset = offset.parse::<usize>().ok().filter(|offset| *offset <= 9_000)?;
    Some((via, offset))
}

/// Scholar's page, in English so that it can be read. Nothing is added that would let the request
/// pass for a visitor's. Refusals come back to us: they decide the route.
pub fn scholar(plan: &Plan) -> Result<Request, SourceError> {
    let mut url = link::built("https://scholar.google.com/scholar", &[])?;
    {
        let mut query = url.query_pairs_mut();
        for (name, value) in &plan.search.parameters {
            let replaced = match name.as_str() {
                "as_ylo" => plan.from.is_some(),
                "as_yhi" => plan.to.is_some(),
                "scisbd" => true,
                _ => false,
            };
            if !replaced {
                query.append_pair(name, value);
            }
        }
        for (name, day) in [("as_ylo", &plan.from), ("as_yhi", &plan.to)] {
            if let Some(year) = day.as_deref().and_then(|day| day.split('-').next()) {
                query.append_pair(name, year);
            }
        }
        if plan.newest {
            query.append_pair(
                "scisbd",
                plan.search
                    .get("scisbd")
                    .filter(|value| *value == "1")
                    .unwrap_or("2"),
            );
        }
        query.append_pair("hl", "en");
        if plan.offset > 0 {
            query.append_pair("start", &plan.offset.to_string());
        }
        if plan.limit != SCHOLAR_PAGE {
            query.append_pair("num", &plan.limit.to_string());
        }
    }
    let request = Request::get(url, Media::Any).cache_for(Duration::from_hours(24));
    Ok(request.accepting(&[301, 302, 303, 307, 308, 403, 429, 503]))
}

/// Crossref's index.
pub fn crossref(plan: &Plan, words: &str) -> Result<Request, SourceError> {
    let (words, author) = split_author(words);
    let bounds = plan.bounds("from-pub-date", "until-pub-date");
    let (rows, offset) = (plan.limit.to_string(), plan.offset.to_string());
    let query = [
        ("query", Some(words.as_str())),
        (
            "query.author",
            author.as_deref().or_else(|| plan.search.get("as_sauthors")),
        ),
        ("query.container-title", plan.search.get("as_publication")),
        ("filter", bounds.as_deref()),
        ("sort", plan.newest.then_some("published")),
        ("order", plan.newest.then_some("desc")),
        ("rows", Some(rows.as_str())),
        ("offset", (plan.offset > 0).then_some(offset.as_str())),
    ];
    let url = link::queried("https://api.crossref.org/works", &[], query)?;
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_hours(6)))
}

/// OpenAlex's index.
pub fn openalex(plan: &Plan, words: &str) -> Result<Request, SourceError> {
    let (mut words, author) = split_author(words);
    if let Some(author) = author {
        words = text::one_line(&format!("{words} {author}"));
    }
    let bounds = plan.bounds("from_publication_date", "to_publication_date");
    let (rows, page) = (plan.limit.to_string(), (plan.offset / plan.limit + 1).to_string());
    let url = KeyedUrl::new("https://api.openalex.org/works", &[])?.with([
        ("search", Some(words.as_str())),
        ("filter", bounds.as_deref()),
        ("sort", plan.newest.then_some("publication_date:desc")),
        ("per_page", Some(rows.as_str())),
        ("page", (plan.offset > 0).then_some(page.as_str())),
    ]);
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_hours(6)))
}

/// Takes Scholar's `author:"name"` out of a query, and the names of its other operators.
fn split_author(words: &str) -> (String, Option<String>) {
    let mut author = None;
    let mut rest = words.to_owned();
    if let Some((before, after)) = words.split_once("author:") {
        let (name, after) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((name, after)) => (name, after),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        author = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        rest = format!("{before} {after}");
    }
    let rest = rest.replace("intitle:", " ").replace("source:", " ");
    (text::one_line(&rest), author)
}

/// The page of an open index on which a person finds the same works.
pub fn page(via: Via, words: &str) -> Result<Url, SourceError> {
    match via {
        Via::OpenAlex => link::queried("https://openalex.org/works", &[], [("search", words)]),
        Via::Crossref | Via::Scholar => link::queried(
            "https://search.crossref.org/search/works",
            &[],
            [("q", words), ("from_ui", "yes")],
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::recognise;
    use freshcontext_contract::{ArgSpec, ErrorCode};

    fn args() -> CommonArgs {
        CommonArgs {
            limit: 10,
            ..CommonArgs::defaults(&ArgSpec::length(6_000))
        }
    }

    fn plan(given: &str, args: &CommonArgs) -> Plan {
        Plan::new(recognise(given).unwrap(), args).unwrap()
    }

    #[test]
    fn scholar_is_asked_in_english_and_plainly() {
        let url = |given: &str, args: &CommonArgs| scholar(&plan(given, args)).unwrap().url.to_string();
        assert_eq!(
            url("\"exact words\" naïve", &args()),
            "https://scholar.google.com/scholar?q=%22exact+words%22+na%C3%AFve&hl=en"
        );
        assert_eq!(
            url(
                "https://scholar.google.de/scholar?hl=de&as_sdt=0,5&q=x&as_ylo=2020&start=10&scisbd=1&btnG=",
                &args()
            ),
            "https://scholar.google.com/scholar?as_sdt=0%2C5&q=x&as_ylo=2020&scisbd=1&hl=en&start=10"
        );
        let newest = CommonArgs {
            sort: Some("newest"),
            limit: 5,
            limit_given: true,
            since: Some("2024-05-06T00:00:00Z".parse().unwrap()),
            ..args()
        };
        assert_eq!(
            url("x", &newest),
            "https://scholar.google.com/scholar?q=x&as_ylo=2024&scisbd=2&hl=en&num=5"
        );
    }

    #[test]
    fn open_indexes_get_the_same_search() {
        let bounds = CommonArgs {
            since: Some("2024-05-06T00:00:00Z".parse().unwrap()),
            until: Some("2025-01-01T23:59:59Z".parse().unwrap()),
            ..args()
        };
        let plan = plan("author:\"a turing\" machines & minds", &bounds);
        let words = plan.search.words().unwrap();
        assert_eq!(
            crossref(&plan, &words).unwrap().url.as_str(),
            "https://api.crossref.org/works?query=machines+%26+minds&query.author=a+turing&filter=from-pub-date%3A2024-05-06%2Cuntil-pub-date%3A2025-01-01&rows=10"
        );
        assert_eq!(
            openalex(&plan, &words).unwrap().url.as_str(),
            "https://api.openalex.org/works?search=machines+%26+minds+a+turing&filter=from_publication_date%3A2024-05-06%2Cto_publication_date%3A2025-01-01&per_page=10"
        );
    }

    #[test]
    fn a_cursor_stays_on_its_route() {
        let further = CommonArgs {
            cursor: Some("crossref:10".to_owned()),
            ..args()
        };
        let plan = plan("x", &further);
        assert_eq!((plan.only, plan.offset), (Some(Via::Crossref), 10));
        assert_eq!(
            crossref(&plan, "x").unwrap().url.as_str(),
            "https://api.crossref.org/works?query=x&rows=10&offset=10"
        );
        assert_eq!(
            openalex(&plan, "x").unwrap().url.as_str(),
            "https://api.openalex.org/works?search=x&per_page=10&page=2"
        );
        assert_eq!(plan.next(Via::Crossref), "crossref:20");
        for bad in ["10", "bing:10", "scholar:-1", "scholar:99999", "scholar:"] {
            let args = CommonArgs {
                cursor: Some(bad.to_owned()),
                ..args()
            };
            let error = Plan::new(recognise("x").unwrap(), &args).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{bad}");
        }
    }

    #[test]
    fn scholar_is_never_retried_and_kept_for_a_day() {
        let request = scholar(&plan("x", &args())).unwrap();
        assert!(request.cache_for >= Duration::from_hours(24));
        assert!(
            [302, 403, 429, 503]
                .iter()
                .all(|status| request.accept_status.contains(status))
        );
        assert!(request.headers.is_empty());
    }
}
