//! From what is asked for to the request of a route. Pure.

use std::time::Duration;

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::{link, text};

use crate::input::{Order, PERIODS, Query, Subject};

/// The site: feeds and the pages that people read.
pub const SITE: &str = "https://www.reddit.com";
/// The API for registered applications.
pub const API: &str = "https://oauth.reddit.com";

/// Reddit changes its throttling often and feeds are the scarce good: a quarter of an hour is fresh.
const CACHE: Duration = Duration::from_mins(15);

/// What is asked for, with the common arguments worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What.
    pub subject: Subject,
    /// In which order.
    pub order: Order,
    /// Within which period, one of [`PERIODS`].
    pub period: Option<&'static str>,
    /// How many.
    pub limit: usize,
    /// The full name of the last post of the page before (`t3_...`).
    pub after: Option<String>,
}

impl Plan {
    /// Works the common arguments in. The caller's `sort` wins over the order in an address; `since`
    /// alone asks for the newest, since a hot list does not reach back evenly.
    pub fn new(asked: &Query, args: &CommonArgs, now: DateTime<Utc>) -> Result<Self, SourceError> {
        let searching = matches!(asked.subject, Subject::Search { .. });
        let usual = if searching { Order::Relevance } else { Order::Hot };
        let order = match args.sort {
            Some("newest") => Order::New,
            Some("top") => Order::Top,
            Some(_) => usual,
            None => asked
                .order
                .unwrap_or(if args.since.is_some() { Order::New } else { usual }),
        };
        let known = match order {
            Order::Relevance | Order::Comments => searching,
            Order::Rising | Order::Controversial => !searching,
            Order::Hot | Order::New | Order::Top => true,
        };
        let order = if known { order } else { Order::Hot };
        let period = asked
            .period
            .or_else(|| args.since.map(|since| period_since(since, now)));
        let period = period.filter(|_| searching || order.has_period());
        let after = args.cursor_by(full_name)?;
        Ok(Self {
            subject: asked.subject.clone(),
            order,
            period,
            limit: args.limit.clamp(1, 100),
            after,
        })
    }
}

/// The shortest of Reddit's periods that reaches back to `since`.
fn period_since(since: DateTime<Utc>, now: DateTime<Utc>) -> &'static str {
    let spans = [1, 24, 7 * 24, 31 * 24, 366 * 24];
    spans
        .into_iter()
        .zip(PERIODS)
        .find(|(hours, _)| now - since <= TimeDelta::hours(*hours))
        .map_or("all", |(_, name)| name)
}

/// A cursor is the full name of a thing: kind, underscore, base-36 number.
fn full_name(cursor: &str) -> Option<String> {
    let (kind, id) = cursor.strip_prefix('t')?.split_once('_')?;
    let fits = kind.len() == 1 && kind.bytes().all(|b| b.is_ascii_digit()) && text::is_name(id, 16, "");
    fits.then(|| cursor.to_owned())
}

/// The query of one address, in the order in which it is written.
type Pairs<'a> = Vec<(&'static str, &'a str)>;

/// Where the site shows the plan: its path and its query. Feeds and pages write a search within one subreddit
/// differently.
fn on_site<'p>(plan: &'p Plan, restricted: &'static str) -> (Vec<&'p str>, Pairs<'p>) {
    let mut query: Pairs<'_> = Vec::new();
    let mut segments: Vec<&str> = Vec::new();
    let order = plan.order.id();
    match &plan.subject {
        Subject::Front | Subject::Subreddit(_) => {
            if let Subject::Subreddit(name) = &plan.subject {
                segments.extend(["r", name.as_str()]);
            }
            if plan.order != Order::Hot {
                segments.push(order);
            }
        }
        Subject::Search { query: words, within } => {
            query.push(("q", words));
            if let Some(name) = within {
                segments.extend(["r", name.as_str()]);
                query.push(("restrict_sr", restricted));
            }
            segments.push("search");
            query.push(("sort", order));
        }
        Subject::Post(id) => segments.extend(["comments", id.as_str()]),
        Subject::User(name) => segments.extend(["user", name.as_str()]),
        Subject::Share(_) => {}
    }
    query.extend(plan.period.map(|period| ("t", period)));
    (segments, query)
}

/// The Atom feed that answers the plan.
pub fn feed(plan: &Plan) -> Result<Request, SourceError> {
    if let Subject::Share(url) = &plan.subject {
        return Ok(share(url));
    }
    let limit = plan.limit.to_string();
    let (mut segments, mut query) = on_site(plan, "on");
    match segments.last_mut() {
        Some(last) if *last == "search" => *last = "search.rss",
        _ => segments.push(".rss"),
    }
    query.push(("limit", &limit));
    // Any kind: a redirect to the login page is told by where it leads.
    let request = Request::get(link::queried(SITE, &segments, query)?, Media::Any);
    Ok(request
        .header("accept", "application/atom+xml, application/xml;q=0.9, */*;q=0.1")
        .cache_for(CACHE))
}

/// The API call that answers the plan.
pub fn api(plan: &Plan) -> Result<Request, SourceError> {
    let limit = plan.limit.to_string();
    let order = plan.order.id();
    let mut query: Pairs<'_> = Vec::new();
    let mut segments: Vec<&str> = Vec::new();
    match &plan.subject {
        Subject::Front => segments.push(order),
        Subject::Subreddit(name) => segments.extend(["r", name.as_str(), order]),
        Subject::Search { query: words, within } => {
            if let Some(name) = within {
                segments.extend(["r", name.as_str()]);
            }
            segments.push("search");
            query.push(("q", words));
            if within.is_some() {
                query.push(("restrict_sr", "1"));
            }
            query.push(("sort", order));
        }
        Subject::Post(id) => segments.extend(["comments", id.as_str()]),
        Subject::User(name) => {
            segments.extend(["user", name.as_str(), "overview"]);
            if plan.order != Order::Hot {
                query.push(("sort", order));
            }
        }
        Subject::Share(url) => return Ok(share(url)),
    }
    if let Some(period) = plan.period {
        query.push(("t", period));
    }
    if let Some(after) = &plan.after {
        query.push(("after", after));
    }
    query.push(("limit", &limit));
    query.push(("raw_json", "1"));
    let url = KeyedUrl::new(API, &segments)?.with(query);
    Ok(Request::get(url, Media::Json).cache_for(CACHE))
}

/// A share link, followed only to learn which post it leads to; the page itself is not read, so a
/// page that is refused does not matter.
pub fn share(url: &Url) -> Request {
    Request::get(url.clone(), Media::Any)
        .cache_for(Duration::from_hours(24))
        // Where it leads is all that is wanted: the page there is not asked.
        .accepting(&[301, 302, 303, 307, 308, 403])
}

/// The page for people that shows the same.
pub fn page(plan: &Plan) -> Result<Url, SourceError> {
    if let Subject::Share(url) = &plan.subject {
        return Ok(url.clone());
    }
    let (mut segments, query) = on_site(plan, "1");
    segments.push("");
    link::queried(SITE, &segments, query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::recognise;
    use freshcontext_contract::{ArgSpec, ErrorCode};

    fn now() -> DateTime<Utc> {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn args() -> CommonArgs {
        CommonArgs {
            limit: 20,
            ..CommonArgs::defaults(&ArgSpec::length(6_000))
        }
    }

    fn plan(given: &str) -> Plan {
        Plan::new(&recognise(given).unwrap(), &args(), now()).unwrap()
    }

    #[test]
    fn each_target_has_its_feed_its_call_and_its_page() {
        let rows = [
            (
                "r/rust",
                "https://www.reddit.com/r/rust/.rss?limit=20",
                "https://oauth.reddit.com/r/rust/hot?limit=20&raw_json=1",
                "https://www.reddit.com/r/rust/",
            ),
            (
                "https://www.reddit.com/r/rust/?sort=new",
                "https://www.reddit.com/r/rust/new/.rss?limit=20",
                "https://oauth.reddit.com/r/rust/new?limit=20&raw_json=1",
                "https://www.reddit.com/r/rust/new/",
            ),
            (
                "https://www.reddit.com/r/rust/top/?t=week",
                "https://www.reddit.com/r/rust/top/.rss?t=week&limit=20",
                "https://oauth.reddit.com/r/rust/top?t=week&limit=20&raw_json=1",
                "https://www.reddit.com/r/rust/top/?t=week",
            ),
            (
                "café & \"tea\"",
                "https://www.reddit.com/search.rss?q=caf%C3%A9+%26+%22tea%22&sort=relevance&limit=20",
                "https://oauth.reddit.com/search?q=caf%C3%A9+%26+%22tea%22&sort=relevance&limit=20&raw_json=1",
                "https://www.reddit.com/search/?q=caf%C3%A9+%26+%22tea%22&sort=relevance",
            ),
            (
                "r/rust tokio",
                "https://www.reddit.com/r/rust/search.rss?q=tokio&restrict_sr=on&sort=relevance&limit=20",
                "https://oauth.reddit.com/r/rust/search?q=tokio&restrict_sr=1&sort=relevance&limit=20&raw_json=1",
                "https://www.reddit.com/r/rust/search/?q=tokio&restrict_sr=1&sort=relevance",
            ),
            (
                "https://redd.it/1wszcb6",
                "https://www.reddit.com/comments/1wszcb6/.rss?limit=20",
                "https://oauth.reddit.com/comments/1wszcb6?limit=20&raw_json=1",
                "https://www.reddit.com/comments/1wszcb6/",
            ),
            (
                "u/example_user",
                "https://www.reddit.com/user/example_user/.rss?limit=20",
                "https://oauth.reddit.com/user/example_user/overview?limit=20&raw_json=1",
                "https://www.reddit.com/user/example_user/",
            ),
            (
                "https://www.reddit.com/",
                "https://www.reddit.com/.rss?limit=20",
                "https://oauth.reddit.com/hot?limit=20&raw_json=1",
                "https://www.reddit.com/",
            ),
        ];
        for (given, want_feed, want_api, want_page) in rows {
            let plan = plan(given);
            assert_eq!(feed(&plan).unwrap().url.as_str(), want_feed);
            assert_eq!(api(&plan).unwrap().url.as_str(), want_api);
            assert_eq!(page(&plan).unwrap().as_str(), want_page);
        }
    }

    #[test]
    fn the_callers_sort_wins_and_since_asks_for_the_newest() {
        let asked = recognise("r/rust/top").unwrap();
        let newest = CommonArgs {
            sort: Some("newest"),
            ..args()
        };
        assert_eq!(Plan::new(&asked, &newest, now()).unwrap().order, Order::New);
        let since = CommonArgs {
            since: Some("2026-11-18T00:00:00Z".parse().unwrap()),
            ..args()
        };
        let plan = Plan::new(&recognise("r/rust").unwrap(), &since, now()).unwrap();
        assert_eq!((plan.order, plan.period), (Order::New, None));
        let plan = Plan::new(&recognise("tokio release").unwrap(), &since, now()).unwrap();
        assert_eq!((plan.order, plan.period), (Order::New, Some("week")));
        let plan = Plan::new(&asked, &since, now()).unwrap();
        assert_eq!((plan.order, plan.period), (Order::Top, Some("week")));
    }

    #[test]
    fn a_cursor_is_a_full_name_and_nothing_else() {
        let asked = recognise("r/rust").unwrap();
        let good = CommonArgs {
            cursor: Some("t3_58gcp9".to_owned()),
            ..args()
        };
        let url = api(&Plan::new(&asked, &good, now()).unwrap()).unwrap().url;
        assert_eq!(
            url.as_str(),
            "https://oauth.reddit.com/r/rust/hot?after=t3_58gcp9&limit=20&raw_json=1"
        );
        for bad in ["2", "t3_", "t3_../x", "x3_58gcp9", "t33_58gcp9"] {
            let bad = CommonArgs {
                cursor: Some(bad.to_owned()),
                ..args()
            };
            assert_eq!(
                Plan::new(&asked, &bad, now()).unwrap_err().code,
                ErrorCode::InvalidInput
            );
        }
    }
}
