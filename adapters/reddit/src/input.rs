//! What the caller may pass as `url`, and what it asks Reddit for.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError, texts};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `extract_reddit`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, r/rust, r/rust words, u/name or URL
    pub url: String,
}

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "r/rust"}"#);

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The front page.
    Front,
    /// One subreddit, or several joined by `+`.
    Subreddit(String),
    /// A search, in one subreddit or everywhere.
    Search {
        /// The words searched for.
        query: String,
        /// The subreddit searched in; `None` is all of Reddit.
        within: Option<String>,
    },
    /// One post with its comments, by the id without its `t3_`.
    Post(String),
    /// What one user posted.
    User(String),
    /// A share link (`/r/x/s/abc`): a redirect to a post, known only once it was followed.
    Share(Url),
}

texts! {
    /// An order of a listing; its id is Reddit's word for it.
    pub enum Order(id) {
        /// What Reddit shows first by default.
        Hot { id: "hot" }
        /// Newest first.
        New { id: "new" }
        /// Most votes in a period.
        Top { id: "top" }
        /// Gaining votes now.
        Rising { id: "rising" }
        /// Most contested in a period.
        Controversial { id: "controversial" }
        /// Best match (search only).
        Relevance { id: "relevance" }
        /// Most comments (search only).
        Comments { id: "comments" }
    }
}

impl Order {
    /// Whether Reddit takes a period (`t`) with it in a listing.
    pub const fn has_period(self) -> bool {
        matches!(self, Self::Top | Self::Controversial)
    }
}

/// A subject with what else the address said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is asked for.
    pub subject: Subject,
    /// The order in the address (`/new/`, `?sort=top`).
    pub order: Option<Order>,
    /// The period in the address (`?t=week`).
    pub period: Option<&'static str>,
    /// Whether a single plain word was taken for a search; it might have meant a subreddit.
    pub one_word: bool,
}

impl Query {
    fn of(subject: Subject) -> Self {
        Self {
            subject,
            order: None,
            period: None,
            one_word: false,
        }
    }
}

/// The periods Reddit knows.
pub const PERIODS: [&str; 6] = ["hour", "day", "week", "month", "year", "all"];

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Query, SourceError> {
    let given = match Given::of(URL, given, is_reddit_host)? {
        Given::Words(words) => words,
        Given::Address(url) if url.host_str().is_some_and(is_reddit_host) => return from_url(&url),
        Given::Address(_) => return Err(URL.wrong("must lead to reddit.com")),
    };
    let path = given.trim_start_matches('/');
    let mut words = path.splitn(2, char::is_whitespace);
    let first = words.next().unwrap_or_default().trim_end_matches('/');
    let rest = words.next().unwrap_or_default().trim();
    if let Some((prefix, name)) = first.split_once('/') {
        let prefix = prefix.to_ascii_lowercase();
        if rest.is_empty() && matches!(prefix.as_str(), "r" | "u" | "user" | "comments") {
            return from_path(&format!("{prefix}/{name}"), &[]);
        }
        if prefix == "r" {
            let within = subreddit(name)?;
            return Ok(Query::of(Subject::Search {
                query: rest.to_owned(),
                within: Some(within),
            }));
        }
    }
    let one_word = is_name(given, 21);
    let subject = Subject::Search {
        query: given.to_owned(),
        within: None,
    };
    Ok(Query {
        one_word,
        ..Query::of(subject)
    })
}

fn is_reddit_host(host: &str) -> bool {
    host == "redd.it" || link::is_within(host, "reddit.com")
}

fn from_url(url: &Url) -> Result<Query, SourceError> {
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if url.host_str() == Some("redd.it") {
        let id = url.path().trim_matches('/');
        return Ok(Query::of(Subject::Post(post_id(id)?)));
    }
    from_path(url.path(), &pairs)
}

/// Reads a path of the site with its query.
fn from_path(path: &str, query: &[(String, String)]) -> Result<Query, SourceError> {
    let of_query = |name: &str| {
        query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    let mut asked = Query::of(Subject::Front);
    asked.order = of_query("sort").and_then(Order::of_id);
    asked.period =
        of_query("t").and_then(|t| PERIODS.into_iter().find(|known| known.eq_ignore_ascii_case(t)));
    let parts: Vec<&str> = path
        .split('/')
        .map(without_suffix)
        .filter(|part| !part.is_empty())
        .collect();
    let search = |within: Option<String>| match of_query("q").map(str::trim) {
        Some(query) if !query.is_empty() => Ok(Subject::Search {
            query: query.to_owned(),
            within,
        }),
        _ => Err(URL
            .like(r#"{"url": "async runtime"}"#)
            .wrong("is a search without `q`")),
    };
    match parts.as_slice() {
        [] | ["best"] => {}
        ["search", ..] => asked.subject = search(None)?,
        ["comments" | "gallery" | "poll", id, ..]
        | ["r" | "u" | "user", _, "comments" | "gallery", id, ..] => {
            asked.subject = Subject::Post(post_id(id)?);
        }
        ["r", _, "s", code] if is_name(code, 32) => {
            let address = format!("https://www.reddit.com/{}", parts.join("/"));
            let url = Url::parse(&address).map_err(|_| unknown_page())?;
            asked.subject = Subject::Share(url);
        }
        ["r", name, "search", ..] => asked.subject = search(Some(subreddit(name)?))?,
        ["r", name] => asked.subject = Subject::Subreddit(subreddit(name)?),
        ["r", name, order] if Order::of_id(order).is_some() => {
            asked.subject = Subject::Subreddit(subreddit(name)?);
            asked.order = Order::of_id(order);
        }
        ["u" | "user", name] | ["u" | "user", name, "submitted" | "comments" | "overview"] => {
            asked.subject = Subject::User(user(name)?);
        }
        [order] if Order::of_id(order).is_some() => asked.order = Order::of_id(order),
        _ => return Err(unknown_page()),
    }
    Ok(asked)
}

/// A path segment without the suffix of a machine view: `rust.json`, `.rss`.
fn without_suffix(part: &str) -> &str {
    [".json", ".rss", ".xml"]
        .into_iter()
        .find_map(|suffix| part.strip_suffix(suffix))
        .unwrap_or(part)
}

fn unknown_page() -> SourceError {
    URL.like(r#"{"url": "https://www.reddit.com/r/rust/new/"}"#).wrong("is a Reddit page of a kind this tool does not read (it reads subreddits, posts, users and searches)")
}

fn is_name(name: &str, most: usize) -> bool {
    text::is_name(name, most, "_-")
}

/// A subreddit name, or several joined by `+`.
fn subreddit(name: &str) -> Result<String, SourceError> {
    if name.len() <= 400 && name.split('+').all(|one| is_name(one, 50)) {
        return Ok(name.to_owned());
    }
    Err(URL.wrong("does not name a subreddit (letters, digits and _)"))
}

fn user(name: &str) -> Result<String, SourceError> {
    if is_name(name, 40) {
        return Ok(name.to_owned());
    }
    Err(URL
        .like(r#"{"url": "u/example_user"}"#)
        .wrong("does not name a Reddit user"))
}

fn post_id(id: &str) -> Result<String, SourceError> {
    let id = id.strip_prefix("t3_").unwrap_or(id);
    if text::is_name(id, 16, "") {
        return Ok(id.to_ascii_lowercase());
    }
    let example = r#"{"url": "https://www.reddit.com/comments/1pz1lp2/"}"#;
    Err(URL.like(example).wrong("does not name a post"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    fn subject(given: &str) -> Subject {
        recognise(given).unwrap().subject
    }

    fn sub(name: &str) -> Subject {
        Subject::Subreddit(name.to_owned())
    }

    fn search(query: &str, within: Option<&str>) -> Subject {
        Subject::Search {
            query: query.to_owned(),
            within: within.map(str::to_owned),
        }
    }

    #[test]
    fn names_and_addresses_of_one_subreddit_are_the_same_thing() {
        for given in [
            "r/rust",
            "/r/rust/",
            "https://www.reddit.com/r/rust/",
            "http://old.reddit.com/r/rust",
            "reddit.com/r/rust",
            "https://www.reddit.com/r/rust/.json",
            "https://www.reddit.com/r/rust.json?limit=3",
            "https://www.reddit.com/r/rust/.rss",
        ] {
            assert_eq!(subject(given), sub("rust"), "{given}");
        }
        assert_eq!(subject("r/rust+golang"), sub("rust+golang"));
    }

    #[test]
    fn an_order_in_path_or_query_is_kept() {
        let asked = recognise("https://www.reddit.com/r/rust/?sort=new").unwrap();
        assert_eq!((asked.subject, asked.order), (sub("rust"), Some(Order::New)));
        let asked = recognise("https://www.reddit.com/r/rust/top/?t=week&utm_source=share").unwrap();
        assert_eq!(
            (asked.subject, asked.order, asked.period),
            (sub("rust"), Some(Order::Top), Some("week"))
        );
        assert_eq!(recognise("r/rust/new").unwrap().order, Some(Order::New));
    }

    #[test]
    fn words_are_a_search_even_a_single_one() {
        let asked = recognise("rust").unwrap();
        assert_eq!((asked.subject, asked.one_word), (search("rust", None), true));
        assert_eq!(subject("mcp servers"), search("mcp servers", None));
        assert_eq!(
            subject("r/rust async runtime"),
            search("async runtime", Some("rust"))
        );
        assert_eq!(subject("a/b testing"), search("a/b testing", None));
        assert_eq!(subject("TCP/IP"), search("TCP/IP", None));
    }

    #[test]
    fn search_addresses_give_their_words_decoded() {
        assert_eq!(
            subject("https://www.reddit.com/search/?q=caf%C3%A9+%26+tea&type=posts"),
            search("café & tea", None)
        );
        assert_eq!(
            subject("https://www.reddit.com/r/rust/search?q=tokio&restrict_sr=1"),
            search("tokio", Some("rust"))
        );
        assert_eq!(
            recognise("https://www.reddit.com/search/").unwrap_err().code,
            ErrorCode::InvalidInput
        );
    }

    #[test]
    fn posts_users_and_share_links() {
        for given in [
            "https://www.reddit.com/r/guam/comments/1wszcb6/dmv_need_help_guam_id/",
            "https://www.reddit.com/comments/1wszcb6",
            "https://redd.it/1wszcb6",
            "https://www.reddit.com/gallery/1wszcb6",
            "comments/t3_1wszcb6",
        ] {
            assert_eq!(subject(given), Subject::Post("1wszcb6".to_owned()), "{given}");
        }
        assert_eq!(
            subject("u/example_user"),
            Subject::User("example_user".to_owned())
        );
        let asked = recognise("https://www.reddit.com/user/example_user/?sort=new").unwrap();
        assert_eq!(
            (asked.subject, asked.order),
            (Subject::User("example_user".to_owned()), Some(Order::New))
        );
        let Subject::Share(url) = subject("https://www.reddit.com/r/rust/s/AbC123?utm_name=x") else {
            panic!()
        };
        assert_eq!(url.as_str(), "https://www.reddit.com/r/rust/s/AbC123");
    }

    #[test]
    fn wrong_things_are_refused_with_a_right_one() {
        for given in [
            "https://example.com/r/rust",
            "https://notreddit.com/r/rust",
            "https://www.reddit.com/wiki/faq",
            "r/ru$st",
            "https://www.reddit.com/r/a%2F..%2Fb/",
            "ftp://www.reddit.com/r/rust",
            "https://redd.it/",
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{given}");
            assert!(error.message.contains("Example: {"), "{}", error.message);
        }
    }
}
