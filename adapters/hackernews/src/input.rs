//! What was asked for: a search, a list of Hacker News, or one thread.

use freshcontext_contract::chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError, texts};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::DESCRIPTOR;

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "rust"}"#);
/// Rows on one page of the site.
const SITE_PAGE: u32 = 30;
/// Deepest page that is asked for; the search index itself stops at 1,000 hits.
const MAX_PAGE: u32 = 999;

/// Arguments of `extract_hackernews`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, an item id (8863) or a Hacker News URL
    pub url: String,
}

/// One thing that this source can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// A search, or a list that is a search.
    Search(Search),
    /// One item with its comments.
    Thread(u64),
}

texts! {
    /// A list that the site itself shows and that other routes can answer too. Its id is the list of the item
    /// interface; `path` is its page of the site, `tag` that of the search index.
    pub enum Board(id, path, about, tag) {
        /// The front page.
        Front { id: "topstories", path: "news", about: "Hacker News front page", tag: "front_page" }
        /// The newest submissions.
        Newest { id: "newstories", path: "newest", about: "newest Hacker News submissions", tag: "story" }
        /// Ask HN.
        Ask { id: "askstories", path: "ask", about: "Ask HN posts", tag: "ask_hn" }
        /// Show HN.
        Show { id: "showstories", path: "show", about: "Show HN posts", tag: "show_hn" }
        /// Job posts.
        Jobs { id: "jobstories", path: "jobs", about: "Hacker News job posts", tag: "job" }
        /// The best of the last days, which the search index does not know.
        Best { id: "beststories", path: "best", about: "best recent Hacker News stories", tag: "story" }
    }
}

/// A search in the index, in its own terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// The list of the site that this stands for.
    pub board: Option<Board>,
    /// The words; may be empty.
    pub query: String,
    /// `tags` of the search interface.
    pub tags: String,
    /// `numericFilters` of the search interface.
    pub filters: Vec<String>,
    /// Search in the addresses of stories only.
    pub in_address: bool,
    /// Newest first instead of by relevance and points.
    pub newest: bool,
    /// Page, from 0.
    pub page: u32,
    /// Rows per page, where the address fixes them.
    pub per_page: Option<u32>,
}

impl Search {
    fn words(query: &str) -> Self {
        Self {
            query: query.to_owned(),
            tags: "story".to_owned(),
            ..Self::default()
        }
    }

    fn board(board: Board) -> Self {
        // The index keeps no rank of Ask, Show and Jobs: newest first is what it can say truthfully.
        let newest = board != Board::Front;
        Self {
            board: Some(board),
            tags: board.tag().to_owned(),
            newest,
            ..Self::default()
        }
    }

    fn tagged(tags: impl Into<String>) -> Self {
        Self {
            tags: tags.into(),
            newest: true,
            ..Self::default()
        }
    }

    fn on_page(mut self, page: u32, per_page: u32) -> Self {
        if page > 0 {
            self.page = page;
            self.per_page = Some(per_page);
        }
        self
    }
}

/// Reads the argument. `now` is for addresses that mean a day relative to today.
pub fn recognise(given: &str, now: DateTime<Utc>) -> Result<Query, SourceError> {
    let ours = |host: &str| DESCRIPTOR.hosts.allows(host);
    let given = match Given::of(URL, given, ours)? {
        Given::Words(words) => words,
        Given::Address(url) => return match url.host_str().unwrap_or_default() {
            "news.ycombinator.com" => site(&url, now),
            "hn.algolia.com" => algolia(&url, now),
            "hacker-news.firebaseio.com" => firebase(&url),
            _ => Err(URL
                .wrong("is an address outside Hacker News; pass an HN address or plain words")
                .hint(
                    "to find discussions of a site, pass https://news.ycombinator.com/from?site=example.com",
                )),
        },
    };
    if let Some(rest) = given.strip_prefix("item?id=") {
        return thread(rest);
    }
    if given.bytes().all(|byte| byte.is_ascii_digit()) {
        return thread(given);
    }
    Ok(Query::Search(Search::words(given)))
}

fn number(url: &Url, name: &str) -> Result<Option<u32>, SourceError> {
    let Some(text) = link::parameter(url, name) else {
        return Ok(None);
    };
    let value = text.parse::<u32>().ok().filter(|value| *value <= MAX_PAGE);
    value
        .map(Some)
        .ok_or_else(|| URL.wrong(format!("has a `{name}` that is not a page number")))
}

fn thread(id: &str) -> Result<Query, SourceError> {
    let id = id.split(['&', '#']).next().unwrap_or_default();
    match id.parse::<u64>() {
        Ok(id) if id > 0 && id < 1 << 53 => Ok(Query::Thread(id)),
        _ => Err(URL.wrong("names no item number")),
    }
}

fn user(url: &Url) -> Result<String, SourceError> {
    let id = link::parameter(url, "id").ok_or_else(|| URL.wrong("names no user (`id=`)"))?;
    if text::is_name(&id, 32, "_-") {
        Ok(id)
    } else {
        Err(URL.wrong("has a user name that Hacker News cannot have"))
    }
}

/// A page of news.ycombinator.com.
fn site(url: &Url, now: DateTime<Utc>) -> Result<Query, SourceError> {
    let page = number(url, "p")?.unwrap_or(1).saturating_sub(1);
    let board = |board| Ok(Query::Search(Search::board(board).on_page(page, SITE_PAGE)));
    let search = |search: Search| Ok(Query::Search(search.on_page(page, SITE_PAGE)));
    match url.path().trim_matches('/') {
        "" | "news" | "news.php" | "rss" => board(Board::Front),
        "newest" => board(Board::Newest),
        "ask" => board(Board::Ask),
        "show" => board(Board::Show),
        "jobs" => board(Board::Jobs),
        "best" => board(Board::Best),
        "asknew" => search(Search::tagged("ask_hn")),
        "shownew" => search(Search::tagged("show_hn")),
        "newcomments" => search(Search::tagged("comment")),
        "front" => search(day(url, now)?),
        "item" => thread(&link::parameter(url, "id").ok_or_else(|| URL.wrong("names no item (`id=`)"))?),
        "submitted" => search(Search::tagged(format!("author_{},(story,poll,job)", user(url)?))),
        "threads" => search(Search::tagged(format!("author_{},comment", user(url)?))),
        "from" => {
            let query = link::parameter(url, "site").ok_or_else(|| URL.wrong("names no site (`site=`)"))?;
            search(Search { query, in_address: true, ..Search::tagged("story") })
        }
        "over" => {
            let points = number(url, "points")?.unwrap_or(100);
            search(Search { filters: vec![format!("points>={points}")], ..Search::tagged("story") })
        }
        "user" => Err(URL.wrong("is a user page, which holds no dated items").hint(
            "pass https://news.ycombinator.com/submitted?id=NAME or https://news.ycombinator.com/threads?id=NAME",
        )),
        _ => Err(URL.wrong("is a page of Hacker News that this tool does not read")
            .hint("it reads the front page, newest, best, ask, show, jobs, front?day=, from?site=, submitted?id=, threads?id= and item?id=")),
    }
}

/// `front?day=`: the stories of one UTC day; without a day, yesterday's, as on the site.
fn day(url: &Url, now: DateTime<Utc>) -> Result<Search, SourceError> {
    let day = match link::parameter(url, "day") {
        Some(text) => NaiveDate::parse_from_str(&text, "%Y-%m-%d")
            .map_err(|_| URL.wrong("has a `day` that is not a date such as 2026-04-26"))?,
        None => now
            .date_naive()
            .checked_sub_days(Days::new(1))
            .unwrap_or_else(|| now.date_naive()),
    };
    let start = day.and_time(NaiveTime::MIN).and_utc();
    let end = start + TimeDelta::days(1);
    let filters = vec![
        format!("created_at_i>={}", start.timestamp()),
        format!("created_at_i<{}", end.timestamp()),
    ];
    Ok(Search {
        filters,
        ..Search::words("")
    })
}

/// A page of hn.algolia.com: the search form, or its interface.
fn algolia(url: &Url, now: DateTime<Utc>) -> Result<Query, SourceError> {
    let path = url.path().trim_matches('/');
    if let Some(id) = path.strip_prefix("api/v1/items/") {
        return thread(id);
    }
    let api = match path {
        "" => None,
        "api/v1/search" => Some(false),
        "api/v1/search_by_date" => Some(true),
        _ => {
            return Err(URL
                .wrong("is a page of hn.algolia.com that this tool does not read")
                .hint("pass https://hn.algolia.com/?q=your+words"));
        }
    };
    let query = link::parameter(url, "q")
        .or_else(|| link::parameter(url, "query"))
        .unwrap_or_default();
    let mut search = if let Some(newest) = api {
        let tags = listed(url, "tags", |b| {
            b.is_ascii_alphanumeric() || b"_-,()".contains(&b)
        })?;
        let filters = listed(url, "numericFilters", |b| {
            b.is_ascii_alphanumeric() || b"_<>=!,".contains(&b)
        })?;
        let in_address = link::parameter(url, "restrictSearchableAttributes").as_deref() == Some("url");
        Search {
            query,
            tags,
            filters: filters
                .split(',')
                .filter(|filter| !filter.is_empty())
                .map(str::to_owned)
                .collect(),
            in_address,
            newest,
            ..Search::default()
        }
    } else {
        let tags = match link::parameter(url, "type").as_deref() {
            None | Some("story") => "story",
            Some("all") => "",
            Some("comment") => "comment",
            Some("ask_hn") => "ask_hn",
            Some("show_hn") => "show_hn",
            Some("job") => "job",
            Some("poll") => "poll",
            Some("front_page") => "front_page",
            Some(_) => {
                return Err(URL.wrong("has a `type` that is none of all, story, comment, poll, job"));
            }
        };
        let newest = link::parameter(url, "sort").is_some_and(|sort| sort.eq_ignore_ascii_case("byDate"));
        Search {
            newest,
            tags: tags.to_owned(),
            filters: form_range(url, now)?,
            ..Search::words(&query)
        }
    };
    search.page = number(url, "page")?.unwrap_or(0);
    search.per_page = number(url, "hitsPerPage")?
        .filter(|rows| *rows > 0)
        .map(|rows| rows.min(50));
    Ok(Query::Search(search))
}

fn listed(url: &Url, name: &str, fits: impl Fn(u8) -> bool) -> Result<String, SourceError> {
    let text = link::parameter(url, name).unwrap_or_default();
    if text.len() <= 200 && text.bytes().all(fits) {
        Ok(text)
    } else {
        Err(URL.wrong(format!("has `{name}` that the search interface does not know")))
    }
}

/// `dateRange` of the search form, as filters.
fn form_range(url: &Url, now: DateTime<Utc>) -> Result<Vec<String>, SourceError> {
    let after = |time: TimeDelta| vec![format!("created_at_i>={}", (now - time).timestamp())];
    let bound = |name: &str, sign: &str| -> Result<Option<String>, SourceError> {
        let Some(text) = link::parameter(url, name) else {
            return Ok(None);
        };
        let seconds: i64 = text
            .parse()
            .map_err(|_| URL.wrong(format!("has a `{name}` that is no number")))?;
        Ok(Some(format!("created_at_i{sign}{seconds}")))
    };
    match link::parameter(url, "dateRange").as_deref() {
        None | Some("all") => Ok(Vec::new()),
        Some("last24h") => Ok(after(TimeDelta::days(1))),
        Some("pastWeek") => Ok(after(TimeDelta::days(7))),
        Some("pastMonth") => Ok(after(TimeDelta::days(30))),
        Some("pastYear") => Ok(after(TimeDelta::days(365))),
        Some("custom") => Ok([bound("dateStart", ">=")?, bound("dateEnd", "<")?]
            .into_iter()
            .flatten()
            .collect()),
        Some(_) => Err(URL.wrong("has a `dateRange` that the search form does not know")),
    }
}

/// An address of the item interface.
fn firebase(url: &Url) -> Result<Query, SourceError> {
    let path = url.path().trim_matches('/').trim_end_matches(".json");
    if let Some(id) = path.strip_prefix("v0/item/") {
        return thread(id);
    }
    path.strip_prefix("v0/")
        .and_then(Board::of_id)
        .map(|board| Query::Search(Search::board(board)))
        .ok_or_else(|| URL.wrong("is an address of the item interface that holds no dated items"))
}

#[cfg(test)]
mod tests;
