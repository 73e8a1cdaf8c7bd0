#![doc = include_str!("../README.md")]

mod input;
mod look_up;
mod parse;
mod request;

use freshcontext_contract::{
    Adapter, Apply, ArgSpec, CommonArgs, Credential, Cx, Decay, Descriptor, ErrorCode, FactTimes, HEAD,
    Heading, HostRate, Hosts, LATER, Marker, Pace, Refetch, Request, Route, SourceError, SourceResult,
    StandingState, StatusRule, TEXT, When, named, texts,
};
use freshcontext_parse::charset;

pub use input::Input;
use input::{Query, Subject};
pub use look_up::look_up;
use parse::Page;
use request::Plan;

/// The facts about Reddit.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "reddit",
    tool: "extract_reddit",
    title: "Reddit",
    heading: Heading::new("on Reddit", "post", "posts"),
    description: "Reddit posts, or one with comments: users' opinions. For developers' use extract_hackernews.",
    instead: Some("extract_hackernews"),
    example: input::URL.example,
    profile: "social_pulse",
    decay: Decay::LaunchSignals,
    refetch: Refetch::Address("url", &["reddit.com"]),
    hosts: Hosts::Fixed(&["www.reddit.com", "oauth.reddit.com"]),
    official: true,
    credentials: &[Credential::new(
        "oauth.reddit.com",
        &["REDDIT_CLIENT_ID"],
        Apply::ClientCredentials {
            secret_env: "REDDIT_CLIENT_SECRET",
            token_url: "https://www.reddit.com/api/v1/access_token",
        },
    )
    .required()
    .obtain(
        "https://support.reddithelp.com/hc/en-us/requests/new (new applications need Reddit's approval)",
    )],
    routes: &[
        Route::new(
            By::Oauth.id(),
            "Reddit's API as a registered application: scores, comments, pins, further pages",
        )
        .needing("REDDIT_CLIENT_ID")
        .telling(&[StandingState::Removed]),
        Route::new(
            By::Feed.id(),
            "the public Atom feeds: titles, texts and dates, no scores",
        )
        .untold("Reddit's feed does not say whether a post was removed"),
    ],
    rates: &[
        // What the feeds give an address since June 2026: `x-ratelimit-remaining: 0` after one answer.
        HostRate::new("www.reddit.com", Pace::new(1, 60))
            .link("https://support.reddithelp.com/hc/en-us/articles/16160319875092-Reddit-Data-API-Wiki"),
        // Where an application gets its token, which is no feed.
        HostRate::new("www.reddit.com", Pace::new(10, 60))
            .path("/api/v1/access_token")
            .link("https://github.com/reddit-archive/reddit/wiki/OAuth2"),
        // A share link is a redirect, no feed: it leaves the feed's slot to the feed.
        share_links("/r/*/s/"),
        share_links("/u/*/s/"),
        share_links("/user/*/s/"),
        // Where Reddit sends who must log in: it is followed at once, so that the answer says so.
        share_links("/login"),
        share_links("/account/login"),
        HostRate::new("oauth.reddit.com", Pace::new(60, 60))
            .link("https://github.com/reddit-archive/reddit/wiki/API"),
    ],
    status_rules: &[
        StatusRule::new(403, ErrorCode::Misconfigured)
            .when(When::HeaderPresent("www-authenticate"))
            .saying("the Reddit application behind REDDIT_CLIENT_ID lacks the permission for this"),
        closed("blocked due to a network policy", BLOCKED),
        closed("blocked by network security", BLOCKED),
        closed("\"private\"", "this subreddit is private"),
        closed("\"quarantined\"", "this subreddit is quarantined"),
        closed(
            "\"Forbidden\"",
            "Reddit keeps this closed (private, quarantined or restricted)",
        ),
        StatusRule::body(
            404,
            "\"banned\"",
            ErrorCode::NotFound,
            "this subreddit was banned by Reddit",
        ),
        StatusRule::new(404, ErrorCode::NotFound)
            .saying("Reddit has no such subreddit, post or user (or it was banned)"),
    ],
    markers: &[
        // With quotes, as posts that quote these pages come escaped in feeds and listings.
        Marker::new("name=\"js_challenge\"", ErrorCode::Challenge)
            .saying("Reddit answered with a JavaScript challenge"),
        Marker::new("action=\"/login/?reason=lor2\"", ErrorCode::AccessDenied)
            .saying("Reddit asks for a login"),
    ],
    args: ArgSpec {
        limit: Some((20, 100)),
        dates: true,
        sort: &["relevance", "newest", "top"],
        cursor: true,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            HEAD,
            "author",
            "crosspost_of",
            "edited_at",
            "gallery",
            "link",
            "reply_depth",
            "subreddit",
        ],
        moving: &["comments", "flair", "nsfw", "pinned", "points", "upvote_ratio"],
        edited: Some("edited_at"),
    },
    dates: "created_utc of the API, or published (in old feeds updated) of the feed entry; pinned posts do not count",
    terms: "Reddit's Data API terms and Responsible Builder Policy: https://redditinc.com/policies/data-api-terms",
    ..Descriptor::PLAIN
};

const BLOCKED: &str = "Reddit blocks anonymous requests from this network";

const fn closed(words: &'static str, message: &'static str) -> StatusRule {
    StatusRule::body(403, words, ErrorCode::AccessDenied, message)
}

const fn share_links(path: &'static str) -> HostRate {
    HostRate::new("www.reddit.com", Pace::new(10, 60))
        .path(path)
        .link("https://support.reddithelp.com/hc/en-us/articles/16160319875092-Reddit-Data-API-Wiki")
}

texts! {
    /// The ways to an answer.
    enum By(id) {
        /// The API.
        Oauth { id: "oauth" }
        /// The feeds.
        Feed { id: "feed" }
    }
}

/// The source.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reddit;

impl Adapter for Reddit {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let mut asked = input::recognise(&input.url)?;
        // Checked before the first request, whatever comes after.
        Plan::new(&asked, cx.args(), cx.now())?;
        if cx.args().cursor.is_some() && !cx.route_open(By::Oauth.id()) {
            return Err(SourceError::invalid_input(
                "cursor",
                "works only with REDDIT_CLIENT_ID set: Reddit's feeds have one page",
                input::URL.example,
            ));
        }
        if let Subject::Share(url) = &asked.subject {
            asked = follow_share(cx, url)
                .await
                .map_err(|error| with_advice(cx, error))?;
        }
        let plan = Plan::new(&asked, cx.args(), cx.now())?;
        let routes = if plan.after.is_some() {
            &[By::Oauth]
        } else {
            By::ALL
        };
        let routed = cx
            .first_route(routes, &[], |route| by_route(cx, route, &plan))
            .await
            .map_err(|error| with_advice(cx, error))?;
        let notes: Vec<String> = routed.notes().collect();
        let mut result = result(routed.answer, &plan, &asked, routed.route, cx.args())?;
        if routed.route == By::Feed.id() {
            result.note("Reddit's feeds do not give scores, comment counts, flairs or pins");
        }
        if result.items.iter().any(|item| item.fields.contains_key("points")) {
            result.note("`points` are upvotes less downvotes");
        }
        result.notes.extend(notes);
        Ok(result)
    }
}

async fn by_route(cx: &Cx<'_>, by: By, plan: &Plan) -> Result<Page, SourceError> {
    match by {
        By::Oauth => read(cx, request::api(plan)?, parse::listing).await,
        By::Feed => read(cx, request::feed(plan)?, parse::feed).await,
    }
}

/// One answer, unless Reddit redirected to a page that is none.
async fn read(
    cx: &Cx<'_>,
    request: Request,
    parse: fn(&str) -> Result<Page, SourceError>,
) -> Result<Page, SourceError> {
    cx.read(request, |response| match response.final_url.path() {
        path if path.starts_with("/subreddits/search") => Err(parse::no_such_subreddit()),
        path if ["/login", "/account/login"]
            .iter()
            .any(|login| path.starts_with(login)) =>
        {
            Err(SourceError::access_denied("Reddit asks for a login"))
        }
        _ if response.media_type().contains("html") => Err(response.block_page().unwrap_or_else(|| {
            SourceError::malformed("www.reddit.com sent an HTML page where a feed was due")
        })),
        _ => parse(&charset::decode(response).text).map_err(|error| response.block_page().unwrap_or(error)),
    })
    .await
}

/// Asks a share link where it leads.
async fn follow_share(cx: &Cx<'_>, url: &freshcontext_contract::url::Url) -> Result<Query, SourceError> {
    cx.read(request::share(url), |response| {
        let location = response.headers.get("location");
        let subject = location
            .and_then(|location| response.final_url.join(location).ok())
            .unwrap_or_else(|| response.final_url.clone());
        match input::recognise(subject.as_str()) {
            Ok(asked) if matches!(asked.subject, Subject::Post(_)) => Ok(asked),
            _ => Err(response.block_page().unwrap_or_else(|| {
                SourceError::not_found("this share link leads to no post")
                    .hint("open the link in a browser and pass the address it leads to")
            })),
        }
    })
    .await
}

/// Says what would open the door, where a key would.
fn with_advice(cx: &Cx<'_>, error: SourceError) -> SourceError {
    let closed = matches!(
        error.code,
        ErrorCode::AccessDenied | ErrorCode::Challenge | ErrorCode::RateLimited
    );
    if !closed || cx.route_open(By::Oauth.id()) {
        return error;
    }
    error.hint(
        "set REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET of a Reddit application to use the API; without them only \
         the public feeds are open, which answer about once a minute",
    )
}

fn result(
    mut page: Page,
    plan: &Plan,
    asked: &Query,
    route: &'static str,
    args: &CommonArgs,
) -> Result<SourceResult, SourceError> {
    if page.subreddits_only {
        return Err(parse::no_such_subreddit());
    }
    if page.items.is_empty() && page.unreadable > 0 {
        return Err(SourceError::malformed(
            "Reddit: no entry of the answer has the documented shape",
        ));
    }
    let is_list = matches!(plan.subject, Subject::Front | Subject::Subreddit(_));
    let suspects = if route == By::Feed.id() && is_list && plan.order == input::Order::Hot {
        parse::suspect_pins(&mut page.items)
    } else {
        0
    };
    let sent = page.items.len();
    page.items.retain(|item| args.is_by_then(&item.date));
    let later = sent - page.items.len();
    let more = page.items.len().saturating_sub(plan.limit);
    page.items.truncate(plan.limit);
    let mut result = SourceResult::new(request::page(plan)?, page.items);
    result.route = Some(route);
    result.summary = Some(described(plan));
    result.skip(page.unreadable, "without a title or text");
    result.skip(later, LATER);
    let comments = ["further comment was", "further comments were"];
    result.note_count(page.not_loaded, comments, "not sent by Reddit");
    let deeper = ["reply is", "replies are"];
    let why = format!("left out here: deeper than {} levels", parse::DEEPEST_REPLY);
    result.note_count(page.too_deep, deeper, &why);
    let leading = ["leading entry is", "leading entries are"];
    result.note_count(suspects, leading, "much older than the rest and may be pinned");
    if asked.one_word
        && let Subject::Search { query, .. } = &plan.subject
    {
        result.note(format!(
            "All of Reddit was searched for the word; for the subreddit of this name pass {}",
            named(&format!("r/{query}"))
        ));
    }
    if let Some(after) = page.after {
        // Pinned posts come on top of the limit: what was cut off opens the next page.
        let last_shown = result.items.last().and_then(|item| item.id.clone());
        result.next = if more == 0 { Some(after) } else { last_shown };
    }
    Ok(result)
}

fn described(plan: &Plan) -> String {
    let order = plan.order.id();
    let period = plan
        .period
        .map(|period| format!(", period: {period}"))
        .unwrap_or_default();
    match &plan.subject {
        Subject::Front => format!("Reddit's front page, {order}{period}"),
        Subject::Subreddit(name) => format!("r/{name}, {order}{period}"),
        Subject::Search {
            query,
            within: Some(name),
        } => {
            format!("Search in r/{name} for \"{query}\", sorted by {order}{period}")
        }
        Subject::Search { query, within: None } => {
            format!("Search on Reddit for \"{query}\", sorted by {order}{period}")
        }
        Subject::Post(id) => format!("Post {id} and its comments"),
        Subject::User(name) => format!("Posts and comments of u/{name}"),
        Subject::Share(_) => "A shared post".to_owned(),
    }
}
