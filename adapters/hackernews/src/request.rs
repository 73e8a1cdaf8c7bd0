//! Requests, built purely.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, Media, Request, SourceError};
use freshcontext_parse::link;

use crate::input::{Board, Search};

/// Rows that one answer may have.
pub const MAX_ROWS: u32 = 50;
/// The largest page number worth sending.
const MAX_OFFSET: u64 = 10_000;
/// Lists move by the minute.
const LIST_CACHE: Duration = Duration::from_mins(1);

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Page, from 0.
    pub page: u32,
    /// Rows per page.
    pub rows: u32,
}

impl Window {
    /// The window of this call: the cursor's, else the address's, else the first.
    pub fn of(search: &Search, args: &CommonArgs) -> Result<Self, SourceError> {
        let limit = u32::try_from(args.limit).unwrap_or(MAX_ROWS).clamp(1, MAX_ROWS);
        if let Some((page, rows)) = args.cursor_by(cursor_parts)? {
            return Ok(Self { page, rows });
        }
        let rows = match search.per_page {
            // An address on a later page is only the same page with the same number of rows.
            Some(rows) if search.page > 0 || !args.limit_given => rows.clamp(1, MAX_ROWS),
            _ => limit,
        };
        Ok(Self {
            page: search.page,
            rows,
        })
    }

    /// The cursor for the page after this one.
    pub fn next(self) -> String {
        format!("{}x{}", self.page + 1, self.rows)
    }
}

fn cursor_parts(cursor: &str) -> Option<(u32, u32)> {
    let (page, rows) = cursor.split_once('x')?;
    let (page, rows) = (page.parse::<u32>().ok()?, rows.parse::<u32>().ok()?);
    let fits = (1..=MAX_ROWS).contains(&rows) && u64::from(page) * u64::from(rows) <= MAX_OFFSET;
    fits.then_some((page, rows))
}

/// More comments than any thread has.
const MOST_COMMENTS: usize = 1_000_000;

/// The cursor within a thread: how many comments were already shown.
pub fn thread_offset(args: &CommonArgs) -> Result<usize, SourceError> {
    let offset = |cursor: &str| cursor.strip_prefix('c')?.parse().ok();
    let offset = args.cursor_by(|cursor| offset(cursor).filter(|offset| *offset < MOST_COMMENTS));
    Ok(offset?.unwrap_or(0))
}

/// Whether the newest are to come first: the caller's `sort`, else what the address says.
pub fn newest_first(search: &Search, args: &CommonArgs) -> bool {
    args.sort.map_or(search.newest, |sort| sort == "newest")
}

/// The search in the interface, without its paging: the address that shows this very data.
pub fn search_url(search: &Search, args: &CommonArgs) -> Result<Url, SourceError> {
    let newest = newest_first(search, args);
    let way = if newest { "search_by_date" } else { "search" };
    let mut filters = search.filters.clone();
    filters.extend(
        args.since
            .map(|since| format!("created_at_i>={}", since.timestamp())),
    );
    filters.extend(
        args.until
            .map(|until| format!("created_at_i<={}", until.timestamp())),
    );
    let filters = filters.join(",");
    let query = [
        ("query", given(&search.query)),
        ("tags", given(&search.tags)),
        ("restrictSearchableAttributes", search.in_address.then_some("url")),
        ("numericFilters", given(&filters)),
    ];
    link::queried("https://hn.algolia.com/api/v1/", &[way], query)
}

fn given(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The page on which people see this search, where the search form can express it; else the
/// interface's own address.
pub fn shown_url(search: &Search, args: &CommonArgs) -> Result<Url, SourceError> {
    let kinds = ["story", "comment", "ask_hn", "show_hn", "job", "poll"];
    let plain =
        search.filters.is_empty() && !search.in_address && args.since.is_none() && args.until.is_none();
    if !plain || search.query.is_empty() || !kinds.contains(&search.tags.as_str()) {
        return search_url(search, args);
    }
    let newest = newest_first(search, args).then_some("byDate");
    // Stories by relevance are what the form shows unasked.
    let kind = Some(search.tags.as_str()).filter(|tags| *tags != "story");
    let query = [("q", given(&search.query)), ("type", kind), ("sort", newest)];
    link::queried("https://hn.algolia.com/", &[], query)
}

/// One page of a search.
pub fn search(search: &Search, args: &CommonArgs, window: Window) -> Result<Request, SourceError> {
    let mut url = search_url(search, args)?;
    {
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("hitsPerPage", &window.rows.to_string());
        if window.page > 0 {
            pairs.append_pair("page", &window.page.to_string());
        }
    }
    Ok(Request::get(url, Media::Json).cache_for(LIST_CACHE))
}

/// A whole thread.
pub fn thread(id: u64) -> Result<Request, SourceError> {
    Ok(link::json("https://hn.algolia.com/api/v1/items/", &[&id.to_string()])?.cache_for(LIST_CACHE))
}

/// The ids of a list, in the site's own order.
pub fn ids(board: Board) -> Result<Request, SourceError> {
    firebase(&[&format!("{}.json", board.id())])
}

/// One item.
pub fn item(id: u64) -> Result<Request, SourceError> {
    firebase(&["item", &format!("{id}.json")])
}

fn firebase(segments: &[&str]) -> Result<Request, SourceError> {
    Ok(link::json("https://hacker-news.firebaseio.com/v0/", segments)?.cache_for(LIST_CACHE))
}

/// The feed of the front page. We look at the body ourselves: the site apologises in plain text.
pub fn rss() -> Result<Request, SourceError> {
    Ok(Request::get(
        link::built("https://news.ycombinator.com/rss", &[])?,
        Media::Any,
    ))
}

/// A page of the site.
pub fn page(board: Board, page: u32) -> Result<Request, SourceError> {
    Ok(Request::get(board_url(board, page)?, Media::Html))
}

/// The address of a list for people.
pub fn board_url(board: Board, page: u32) -> Result<Url, SourceError> {
    let number = (page + 1).to_string();
    let query = (page > 0).then_some(("p", number.as_str()));
    link::queried("https://news.ycombinator.com/", &[board.path()], query)
}

/// The address of an item for people.
pub fn item_url(id: u64) -> Result<Url, SourceError> {
    let id = id.to_string();
    link::queried("https://news.ycombinator.com/item", &[], [("id", id.as_str())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Query, recognise};
    use freshcontext_contract::chrono::{DateTime, Utc};

    fn args() -> CommonArgs {
        CommonArgs::defaults(&crate::DESCRIPTOR.args)
    }

    fn sent(given: &str, args: &CommonArgs) -> String {
        let now: DateTime<Utc> = "2026-04-26T08:30:00Z".parse().unwrap();
        let Query::Search(wanted) = recognise(given, now).unwrap() else {
            panic!("{given} is a thread")
        };
        let window = Window::of(&wanted, args).unwrap();
        search(&wanted, args, window).unwrap().url.to_string()
    }

    #[test]
    fn queries_are_encoded_exactly_once() {
        assert_eq!(
            sent("\"c#\" & más 🦀 100%25", &args()),
            "https://hn.algolia.com/api/v1/search?query=%22c%23%22+%26+m%C3%A1s+%F0%9F%A6%80+100%2525&tags=story&hitsPerPage=20"
        );
        assert_eq!(
            sent("https://hn.algolia.com/?q=a%20b%26c", &args()),
            "https://hn.algolia.com/api/v1/search?query=a+b%26c&tags=story&hitsPerPage=20"
        );
    }

    #[test]
    fn lists_orders_and_bounds_are_sent_to_the_source() {
        assert_eq!(
            sent("https://news.ycombinator.com/", &args()),
            "https://hn.algolia.com/api/v1/search?tags=front_page&hitsPerPage=20"
        );
        assert_eq!(
            sent("https://news.ycombinator.com/newest", &args()),
            "https://hn.algolia.com/api/v1/search_by_date?tags=story&hitsPerPage=20"
        );
        let bounded = CommonArgs {
            since: Some("2026-01-01T00:00:00Z".parse().unwrap()),
            until: Some("2026-01-02T23:59:59.999Z".parse().unwrap()),
            sort: Some("newest"),
            limit: 5,
            limit_given: true,
            ..args()
        };
        assert_eq!(
            sent("rust", &bounded),
            "https://hn.algolia.com/api/v1/search_by_date?query=rust&tags=story&numericFilters=created_at_i%3E%3D1767225600%2Ccreated_at_i%3C%3D1767398399&hitsPerPage=5"
        );
    }

    #[test]
    fn cursors_continue_and_nonsense_is_refused() {
        let second = CommonArgs {
            cursor: Some("1x20".to_owned()),
            ..args()
        };
        assert!(sent("rust", &second).ends_with("&hitsPerPage=20&page=1"));
        assert!(sent("https://news.ycombinator.com/news?p=3", &args()).ends_with("&hitsPerPage=30&page=2"));
        for cursor in ["", "x", "1", "1x0", "1x51", "-1x5", "9999x50", "1x20 "] {
            let args = CommonArgs {
                cursor: Some(cursor.to_owned()),
                ..args()
            };
            assert!(Window::of(&Search::default(), &args).is_err(), "{cursor}");
            assert!(thread_offset(&args).is_err(), "{cursor}");
        }
    }

    #[test]
    fn other_routes_have_their_documented_addresses() {
        assert_eq!(
            thread(8863).unwrap().url.as_str(),
            "https://hn.algolia.com/api/v1/items/8863"
        );
        assert_eq!(
            item(8863).unwrap().url.as_str(),
            "https://hacker-news.firebaseio.com/v0/item/8863.json"
        );
        assert_eq!(
            ids(Board::Best).unwrap().url.as_str(),
            "https://hacker-news.firebaseio.com/v0/beststories.json"
        );
        assert_eq!(
            page(Board::Front, 1).unwrap().url.as_str(),
            "https://news.ycombinator.com/news?p=2"
        );
        assert_eq!(rss().unwrap().url.as_str(), "https://news.ycombinator.com/rss");
        assert_eq!(
            item_url(5).unwrap().as_str(),
            "https://news.ycombinator.com/item?id=5"
        );
        assert_eq!(
            search_url(&Search::default(), &args()).unwrap().as_str(),
            "https://hn.algolia.com/api/v1/search"
        );
    }

    #[test]
    fn people_see_a_plain_search_in_the_search_form() {
        let shown = |search: &Search, args: &CommonArgs| shown_url(search, args).unwrap().to_string();
        let plain = Search {
            query: "c# & go".into(),
            tags: "story".into(),
            ..Search::default()
        };
        assert_eq!(shown(&plain, &args()), "https://hn.algolia.com/?q=c%23+%26+go");
        let comments = Search {
            tags: "comment".into(),
            newest: true,
            ..plain.clone()
        };
        assert_eq!(
            shown(&comments, &args()),
            "https://hn.algolia.com/?q=c%23+%26+go&type=comment&sort=byDate"
        );
        let by_author = Search {
            tags: "author_pg,story".into(),
            ..plain
        };
        assert!(shown(&by_author, &args()).starts_with("https://hn.algolia.com/api/v1/search?"));
    }
}
