#![doc = include_str!("../README.md")]

mod input;
mod parse;
mod request;

use freshcontext_contract::chrono::{DateTime, NaiveDate};
use freshcontext_contract::{
    Adapter, Apply, ArgSpec, AsOf, Credential, Cx, DateEvidence, DateValue, Decay, Descriptor, ErrorCode,
    FactTimes, HEAD, Heading, HostRate, Hosts, Item, LATER, Pace, Refetch, Request, Route, SourceError,
    SourceResult, TEXT, counted, named, texts,
};
use freshcontext_parse::charset;
use freshcontext_parse::charset::as_text;
use freshcontext_parse::text::has_word_or_form;

pub use input::Input;
use input::Subject;
use parse::{Board, Posts};

/// That a product was taken down, neither the API nor the feed says.
const UNTOLD: &str = "Product Hunt does not say whether a product was taken down";

/// The facts about Product Hunt.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "producthunt",
    tool: "extract_producthunt",
    title: "Product Hunt",
    heading: Heading::new("on Product Hunt", "product", "products"),
    description: "Product Hunt launches: a day's board, topic, product or word. For funded start-ups use extract_yc.",
    example: input::URL.example,
    profile: "product_research",
    decay: Decay::LaunchSignals,
    refetch: Refetch::Address("url", &["producthunt.com"]),
    hosts: Hosts::Fixed(&["www.producthunt.com", "api.producthunt.com"]),
    official: true,
    credentials: &[
        Credential::new("api.producthunt.com", &["PRODUCTHUNT_TOKEN", "PH_TOKEN"], Apply::Bearer)
            .required()
            .obtain("https://www.producthunt.com/v2/oauth/applications"),
    ],
    routes: &[
        Route::new(
            By::Api.id(),
            "Product Hunt's API with a developer token: votes, topics and launch dates; not for commercial use",
        )
        .needing("PRODUCTHUNT_TOKEN")
        .as_of(AsOf::Asked("postedBefore"))
        .untold(UNTOLD),
        Route::new(
            By::Feed.id(),
            "the public feed of 50 launches, also by topic; no votes and no launch dates of single products",
        )
        .untold(UNTOLD),
    ],
    rates: &[
        HostRate::new("www.producthunt.com", Pace::new(10, 60))
            .link("https://www.producthunt.com/feed"),
        HostRate::new("api.producthunt.com", Pace::new(30, 900))
            .in_flight(2)
            .link("https://api.producthunt.com/v2/docs/rate_limits/headers"),
    ],
    args: ArgSpec {
        limit: Some((20, 50)),
        sort: &["relevance", "newest", "top"],
        cursor: true,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[TEXT, HEAD, "draft_created_at", "featured_at", "hunter", "launch_day", "posted_at"],
        moving: &["comments", "rating", "topics", "total", "votes"],
        edited: None,
    },
    dates: "featuredAt, else createdAt, of the API; the feed dates no product, only its board (feed updated: the launch day)",
    terms: "Name and link Product Hunt; the API is not for commercial use (https://api.producthunt.com/v2/docs); its pages are closed to robots and not read",
    ..Descriptor::PLAIN
};

texts! {
    /// The ways to an answer.
    enum By(id) {
        /// The API, with a token.
        Api { id: "api" }
        /// The feed of the board.
        Feed { id: "feed" }
    }
}

/// What opens what the feed cannot give.
const ADVICE: &str = "set PRODUCTHUNT_TOKEN to a developer token of Product Hunt to use its API";

/// The source.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProductHunt;

impl Adapter for ProductHunt {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let subject = input::recognise(&input.url)?;
        let legal = |cursor: &str| cursor.len() <= 100 && cursor.bytes().all(|b| b.is_ascii_graphic());
        let cursor = cx.args().cursor_by(|cursor| legal(cursor).then_some(()))?;
        let routes: &[By] = if cursor.is_some() {
            if !cx.route_open(By::Api.id()) {
                return Err(SourceError::foreign_cursor().hint(ADVICE));
            }
            &[By::Api]
        } else {
            By::ALL
        };
        let routed = cx
            .first_route(routes, &[], |route| by_route(cx, route, &subject))
            .await?;
        Ok(routed.into_result())
    }
}

async fn by_route(cx: &Cx<'_>, by: By, subject: &Subject) -> Result<SourceResult, SourceError> {
    match by {
        By::Api => by_api(cx, subject).await,
        By::Feed => by_feed(cx, subject).await,
    }
}

/// One answer; one of which a part is missing is not kept either.
async fn posts(cx: &Cx<'_>, request: Request) -> Result<Posts, SourceError> {
    cx.read(request, |response| {
        let posts = parse::posts(&charset::decode(response).text)?;
        if posts.complaint.is_some() {
            response.discard();
        }
        Ok(posts)
    })
    .await
}

async fn by_api(cx: &Cx<'_>, subject: &Subject) -> Result<SourceResult, SourceError> {
    let wanted = request::Posts::of(subject, cx.args());
    if let Subject::Product(slug) = subject {
        let posts = posts(cx, request::post(slug)?).await?;
        if posts.items.is_empty() {
            return Err(SourceError::not_found(format!(
                "Product Hunt knows no post {}",
                named(slug)
            )));
        }
        return api_result(subject, None, posts);
    }
    if let Subject::Day(day) = subject {
        let mut posts = posts(cx, request::posts(&wanted)?).await?;
        // The API filters by when a draft was made, and lets later ones through.
        let before = posts.items.len();
        posts
            .items
            .retain(|item| launch_day(item).is_none_or(|launched| launched == *day));
        let others = before - posts.items.len();
        posts.total = posts.total.filter(|_| others == 0);
        let mut result = api_result(subject, None, posts)?;
        if others > 0 {
            result.skip(others, "launched on another day (Pacific time)");
            result.note("The API returns posts of other days for a day's board; they were left out");
        }
        result.own_date = Some(DateEvidence::signal("the day of the board", DateValue::Day(*day)));
        return Ok(result);
    }
    let Subject::Words(words) = subject else {
        let posts = posts(cx, request::posts(&wanted)?).await?;
        return api_result(subject, None, posts);
    };
    let topic = cx.read(request::topics(words)?, as_text(parse::topics)).await?;
    let of_topic = request::Posts {
        topic: topic.clone(),
        ..wanted
    };
    let mut posts = posts(cx, request::posts(&of_topic)?).await?;
    let read = posts.items.len();
    if topic.is_none() {
        posts.items.retain(|item| matches(item, words));
        posts.total = None;
    }
    let mut result = api_result(subject, topic.as_deref(), posts)?;
    match topic {
        Some(topic) => result.note(format!(
            "Product Hunt offers no text search; these are posts of the topic {}",
            named(&topic)
        )),
        None => matched_within(&mut result, read),
    }
    Ok(result)
}

/// The Pacific day on which a post was launched; `None` where its date cannot be read.
fn launch_day(item: &Item) -> Option<NaiveDate> {
    let text = match item.date.value()? {
        DateValue::Instant(at) => return Some(request::day_of(*at)),
        DateValue::Day(day) => return Some(*day),
        DateValue::EpochSeconds(seconds) => {
            return DateTime::from_timestamp(*seconds, 0).map(request::day_of);
        }
        DateValue::Text(text) => text,
    };
    freshcontext_parse::date::instant(text).map(request::day_of)
}

fn api_result(subject: &Subject, topic: Option<&str>, posts: Posts) -> Result<SourceResult, SourceError> {
    let mut result = SourceResult::new(request::page(subject, topic)?, posts.items);
    result.summary = Some(described(subject));
    result.set("total", posts.total);
    result.skip(posts.unreadable, "without a name");
    result.next = posts.next;
    if let Some(complaint) = posts.complaint {
        result.fail(
            "part of the query",
            SourceError::upstream(format!("Product Hunt says: {complaint}")),
        );
    }
    Ok(result)
}

async fn by_feed(cx: &Cx<'_>, subject: &Subject) -> Result<SourceResult, SourceError> {
    let topic = match subject {
        Subject::Topic(slug) => Some(slug.as_str()),
        _ => None,
    };
    let request = request::feed(topic)?;
    let url = request.url.clone();
    let board = cx.read(request, as_text(parse::board)).await;
    let board = board.map_err(|error| match error.code {
        ErrorCode::Challenge | ErrorCode::AccessDenied if !cx.route_open(By::Api.id()) => error.hint(ADVICE),
        _ => error,
    })?;
    let read = board.items.len();
    let mut result = SourceResult::new(url, Vec::new());
    result.summary = Some(described(subject));
    result.skip(board.unreadable, "without a title");
    let Board { items, slot, id, .. } = board;
    let shown: Vec<Item> = match subject {
        Subject::Board | Subject::Topic(_) => items,
        Subject::Words(words) => {
            matched_within(&mut result, read);
            items.into_iter().filter(|item| matches(item, words)).collect()
        }
        Subject::Product(slug) => {
            let found: Vec<Item> = items.into_iter().filter(|item| is_of(item, slug)).collect();
            if found.is_empty() {
                return Err(needs_token(format!(
                    "{slug} is not among the {read} latest posts, and the feed shows no others"
                )));
            }
            found
        }
        Subject::Day(day) if slot.map(request::day_of) == Some(*day) => items,
        Subject::Day(day) => {
            return Err(needs_token(format!(
                "the feed shows the current board only, not that of {day}"
            )));
        }
    };
    let read = shown.len();
    let shown: Vec<Item> = shown
        .into_iter()
        .filter(|item| cx.args().is_by_then(&item.date))
        .collect();
    result.skip(read - shown.len(), LATER);
    let more = shown.len().saturating_sub(cx.args().limit);
    result.show(shown.into_iter().take(cx.args().limit).collect());
    result.skip(more, "beyond the limit");
    if result.items.is_empty() {
        return Ok(result);
    }
    if let Some(topic) = topic {
        // Entries of a topic reach back for months, so the feed's slot dates nothing here.
        result.own_date = Some(DateEvidence::None);
        if !id.contains(&format!("category={topic}")) {
            result.note(format!(
                "Product Hunt gives its ordinary feed for topics it does not know; this one does not say it is {}",
                named(topic)
            ));
        }
    } else if let Some(slot) = slot {
        result.set("launch_day", request::day_of(slot).to_string());
        // The board's day is the date of the board as a whole; single posts of it stay undated.
        if matches!(subject, Subject::Board | Subject::Day(_)) {
            result.own_date = Some(DateEvidence::signal(
                "launch day of the board (the feed's updated)",
                slot,
            ));
        }
    }
    result.note("The feed gives when a draft was made, not when it was launched, and no votes");
    Ok(result)
}

/// Says how few posts were looked through.
fn matched_within(result: &mut SourceResult, read: usize) {
    let part = format!("the newest {}", counted(read, "post", "posts"));
    result.note(format!(
        "Product Hunt offers no text search; the words were matched within {part}"
    ));
    result.scope.looked_through = Some(part);
}

fn needs_token(message: String) -> SourceError {
    SourceError::misconfigured(message).hint(ADVICE)
}

fn is_of(item: &Item, slug: &str) -> bool {
    item.url
        .as_deref()
        .and_then(|url| url.rsplit('/').next())
        .is_some_and(|last| last.eq_ignore_ascii_case(slug))
}

/// Whether every word occurs in the name, the tagline or the topics.
fn matches(item: &Item, words: &str) -> bool {
    let topics = item
        .fields
        .get("topics")
        .map(ToString::to_string)
        .unwrap_or_default();
    let all = format!("{}\n{}\n{topics}", item.title, item.summary).to_lowercase();
    words
        .to_lowercase()
        .split_whitespace()
        .all(|word| has_word_or_form(&all, word.trim_matches(|c: char| !c.is_alphanumeric())))
}

fn described(subject: &Subject) -> String {
    match subject {
        Subject::Board => "Product Hunt's board".to_owned(),
        Subject::Topic(slug) => format!("Product Hunt's topic {slug}"),
        Subject::Product(slug) => format!("The Product Hunt post {slug}"),
        Subject::Day(day) => format!("Product Hunt's board of {day} (Pacific time)"),
        Subject::Words(words) => format!("Product Hunt posts for \"{words}\""),
    }
}
