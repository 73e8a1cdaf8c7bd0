//! From a subject to the requests of a route. Pure.

use std::time::Duration;

use chrono_tz::America::Los_Angeles;
use freshcontext_contract::chrono::{
    DateTime, Days, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, TimeZone, Utc,
};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::link;
use serde_json::{Map, Value, json};

use crate::input::Subject;

/// Most that one page of the API holds, whatever is asked for.
pub const API_PAGE: usize = 20;

/// The fields that are shown. Few, since each costs of a budget that all callers of a token share.
const POST: &str = "id name tagline description slug url website votesCount commentsCount reviewsRating createdAt \
    featuredAt topics(first: 3) { edges { node { name slug } } }";

/// The public feed; of a topic where there is one.
pub fn feed(topic: Option<&str>) -> Result<Request, SourceError> {
    let topic = topic.map(|topic| ("category", topic));
    let url = link::queried("https://www.producthunt.com/feed", &[], topic)?;
    Ok(Request::get(url, Media::Xml).cache_for(Duration::from_mins(5)))
}

/// What the posts of a query have to fulfil.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posts {
    /// Topic, by its slug.
    pub topic: Option<String>,
    /// `RANKING`, `NEWEST`, `VOTES`.
    pub order: &'static str,
    /// Posted at or after.
    pub after: Option<DateTime<Utc>>,
    /// Posted before.
    pub before: Option<DateTime<Utc>>,
    /// How many.
    pub first: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Posts {
    /// The posts of a subject with the common arguments worked in.
    pub fn of(subject: &Subject, args: &CommonArgs) -> Self {
        let day = match subject {
            Subject::Day(day) => pacific_day(*day),
            _ => None,
        };
        let (from, to) = day.unzip();
        Self {
            topic: match subject {
                Subject::Topic(slug) => Some(slug.clone()),
                _ => None,
            },
            order: match args.sort {
                Some("newest") => "NEWEST",
                Some("top") => "VOTES",
                _ => "RANKING",
            },
            after: from,
            before: match args.as_of.map(|moment| moment + TimeDelta::seconds(1)) {
                Some(moment) => Some(to.map_or(moment, |to| to.min(moment))),
                None => to,
            },
            first: args.limit.min(API_PAGE),
            cursor: args.cursor.clone(),
        }
    }
}

/// A day on Product Hunt, which runs on Pacific time, as instants.
fn pacific_day(day: NaiveDate) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let start = |day: NaiveDate| {
        let start = Los_Angeles
            .from_local_datetime(&day.and_time(NaiveTime::MIN))
            .earliest()?;
        Some(start.with_timezone(&Utc))
    };
    Some((start(day)?, start(day.checked_add_days(Days::new(1))?)?))
}

/// The Pacific day of an instant.
pub fn day_of(at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&Los_Angeles).date_naive()
}

fn graphql(query: &str, variables: &Map<String, Value>) -> Result<Request, SourceError> {
    let url = KeyedUrl::new("https://api.producthunt.com/v2/api/graphql", &[])?;
    let request = Request::post_json(url, &json!({"query": query, "variables": variables}));
    // Both carry a body that says more than the status.
    Ok(request.cache_for(Duration::from_mins(10)).accepting(&[401, 429]))
}

/// A list of posts. There is no text search.
pub fn posts(wanted: &Posts) -> Result<Request, SourceError> {
    let query = format!(
        "query($first: Int, $after: String, $topic: String, $order: PostsOrder, $from: DateTime, $to: DateTime) {{ \
         posts(first: $first, after: $after, topic: $topic, order: $order, postedAfter: $from, postedBefore: $to) \
         {{ totalCount pageInfo {{ hasNextPage endCursor }} edges {{ node {{ {POST} }} }} }} }}"
    );
    let mut variables = Map::new();
    variables.insert("first".to_owned(), wanted.first.into());
    variables.insert("order".to_owned(), wanted.order.into());
    let instant = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    for (name, value) in [
        ("after", wanted.cursor.clone()),
        ("topic", wanted.topic.clone()),
        ("from", wanted.after.map(instant)),
        ("to", wanted.before.map(instant)),
    ] {
        if let Some(value) = value {
            variables.insert(name.to_owned(), value.into());
        }
    }
    graphql(&query, &variables)
}

/// One post.
pub fn post(slug: &str) -> Result<Request, SourceError> {
    let query = format!("query($slug: String) {{ post(slug: $slug) {{ {POST} }} }}");
    graphql(&query, &Map::from_iter([("slug".to_owned(), slug.into())]))
}

/// Topics whose name or alias has the words.
pub fn topics(words: &str) -> Result<Request, SourceError> {
    let query = "query($query: String) { topics(query: $query, first: 3) { edges { node { name slug } } } }";
    graphql(query, &Map::from_iter([("query".to_owned(), words.into())]))
}

/// The page of the site that shows the same.
pub fn page(subject: &Subject, topic: Option<&str>) -> Result<Url, SourceError> {
    use freshcontext_contract::chrono::Datelike;
    let path = match (subject, topic) {
        (Subject::Topic(slug), _) => format!("topics/{slug}"),
        (_, Some(slug)) => format!("topics/{slug}"),
        (Subject::Product(slug), None) => format!("posts/{slug}"),
        (Subject::Day(day), None) => {
            format!("leaderboard/daily/{}/{}/{}", day.year(), day.month(), day.day())
        }
        (Subject::Board | Subject::Words(_), None) => String::new(),
    };
    link::built(&format!("https://www.producthunt.com/{path}"), &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::recognise;
    use freshcontext_contract::ArgSpec;

    fn args() -> CommonArgs {
        CommonArgs {
            limit: 20,
            ..CommonArgs::defaults(&ArgSpec::length(6_000))
        }
    }

    fn body(request: &Request) -> Value {
        serde_json::from_slice(request.body.as_deref().unwrap()).unwrap()
    }

    #[test]
    fn feeds_have_exact_addresses() {
        assert_eq!(
            feed(None).unwrap().url.as_str(),
            "https://www.producthunt.com/feed"
        );
        assert_eq!(
            feed(Some("no-code")).unwrap().url.as_str(),
            "https://www.producthunt.com/feed?category=no-code"
        );
    }

    #[test]
    fn posts_never_name_a_search_and_stay_within_a_page() {
        let subject = recognise("https://www.producthunt.com/topics/saas").unwrap();
        let args = CommonArgs {
            limit: 50,
            sort: Some("top"),
            ..args()
        };
        let request = posts(&Posts::of(&subject, &args)).unwrap();
        assert_eq!(request.url.as_str(), "https://api.producthunt.com/v2/api/graphql");
        let body = body(&request);
        assert_eq!(
            body["variables"],
            json!({"first": 20, "order": "VOTES", "topic": "saas"})
        );
        let query = body["query"].as_str().unwrap();
        assert!(
            !query.contains("search") && query.contains("topics(first: 3)") && query.contains("featuredAt")
        );
    }

    #[test]
    fn a_day_is_a_pacific_day() {
        let posts = |given: &str| Posts::of(&recognise(given).unwrap(), &args());
        let summer = posts("https://www.producthunt.com/leaderboard/daily/2026/7/13");
        assert_eq!(summer.after.unwrap().to_rfc3339(), "2026-07-13T07:00:00+00:00");
        assert_eq!(summer.before.unwrap().to_rfc3339(), "2026-07-14T07:00:00+00:00");
        let change = posts("https://www.producthunt.com/leaderboard/daily/2026/11/1");
        assert_eq!(
            (change.before.unwrap() - change.after.unwrap()).num_hours(),
            25,
            "the clocks go back"
        );
        assert_eq!(
            day_of("2026-07-13T06:59:59Z".parse().unwrap()).to_string(),
            "2026-07-12"
        );
    }

    #[test]
    fn words_travel_as_variables() {
        let request = topics("a\"b {c}").unwrap();
        assert_eq!(body(&request)["variables"]["query"], "a\"b {c}");
        assert_eq!(body(&post("x").unwrap())["variables"], json!({"slug": "x"}));
    }
}
