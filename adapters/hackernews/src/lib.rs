#![doc = include_str!("../README.md")]

mod input;
mod look_up;
mod parse;
mod request;
mod routes;

use freshcontext_contract::asking::by_validators;
use freshcontext_contract::{
    Adapter, ArgSpec, AsOf, Cx, Decay, Descriptor, Earlier, ErrorCode, FactTimes, HEAD, Heading, HostRate,
    Hosts, Pace, Peeked, Refetch, Route, SourceError, SourceResult, StandingState, StatusRule, TEXT, hosts,
};

pub use input::Input;
pub use look_up::look_up;
use routes::By;

/// The facts about Hacker News.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "hackernews",
    tool: "extract_hackernews",
    title: "Hacker News",
    heading: Heading::new("on Hacker News", "story", "stories"),
    description: "Hacker News stories, or one thread with comments. For users' opinions use extract_reddit.",
    instead: Some("extract_reddit"),
    example: input::URL.example,
    profile: "social_pulse",
    decay: Decay::FastDiscussion,
    refetch: Refetch::Address("url", &["news.ycombinator.com"]),
    hosts: Hosts::Fixed(&[
        "hn.algolia.com",
        "hacker-news.firebaseio.com",
        "news.ycombinator.com",
    ]),
    official: true,
    routes: &[
        Route::new(By::Algolia.id(), "the search index").as_of(AsOf::Asked("numericFilters=created_at_i")),
        Route::new(By::Firebase.id(), "the item interface").telling(&[StandingState::Removed]),
        Route::new(By::Rss.id(), "the feed of the front page"),
        Route::new(By::Html.id(), "the pages of the site")
            .telling(&[StandingState::Removed, StandingState::Concern]),
    ],
    rates: &[
        hosts::HN_ALGOLIA,
        HostRate::new("hacker-news.firebaseio.com", Pace::new(50, 1))
            .in_flight(8)
            .link("https://github.com/HackerNews/API"),
        HostRate::new("news.ycombinator.com", Pace::new(2, 60))
            .link("https://news.ycombinator.com/robots.txt"),
    ],
    status_rules: &[
        too_fast(403),
        too_fast(503),
        StatusRule::body(
            401,
            "Permission denied",
            ErrorCode::UpstreamError,
            "the Hacker News item interface does not know this path",
        ),
    ],
    args: ArgSpec {
        limit: Some((20, request::MAX_ROWS as usize)),
        dates: true,
        sort: &["relevance", "newest"],
        cursor: true,
        ..ArgSpec::length(4000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "author",
            "depth",
            "discussion",
            "linked_year",
            "parent",
            "story",
            "type",
        ],
        moving: &[
            HEAD,
            "age",
            "comments",
            "newest_comment",
            "options",
            "points",
            "rank",
            "replies",
            "total",
        ],
        edited: None,
    },
    dates: "The moment of submission in UTC, a field of the source; a linked article may be older (`linked_year`).",
    terms: "The interfaces are open; the site asks crawlers for long delays (https://news.ycombinator.com/robots.txt).",
    ..Descriptor::PLAIN
};

const fn too_fast(status: u16) -> StatusRule {
    let message = "Hacker News asks us to slow down";
    StatusRule::body(status, parse::page::TOO_FAST, ErrorCode::RateLimited, message)
}

/// Hacker News.
#[derive(Debug, Clone, Copy, Default)]
pub struct HackerNews;

impl Adapter for HackerNews {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        match input::recognise(&input.url, cx.now())? {
            input::Query::Thread(id) => routes::thread(cx, id).await,
            input::Query::Search(search) => match search.board {
                Some(board) => routes::board(cx, &search, board).await,
                None => routes::search(cx, &search).await,
            },
        }
    }

    /// A search of the last day or week has another address by now, and its old one does not know what is new.
    async fn peek(&self, cx: &Cx<'_>, input: Input, earlier: &Earlier) -> Result<Peeked, SourceError> {
        if let input::Query::Search(search) = input::recognise(&input.url, cx.now())?
            && search.board.is_none()
        {
            let window = request::Window::of(&search, cx.args())?;
            let address = request::search(&search, cx.args(), window)?.url;
            if !earlier.has_asked(&address) {
                return Ok(Peeked::Untold);
            }
        }
        by_validators(cx, earlier).await
    }
}

#[cfg(test)]
mod tests;
