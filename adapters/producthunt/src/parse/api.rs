//! The API's answers.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, Item, SourceError, quoted};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{link, text};
use serde::Deserialize;
use serde_json::Value;

/// Posts of one answer.
#[derive(Debug, Default)]
pub struct Posts {
    /// Those that can be read.
    pub items: Vec<Item>,
    /// Entries without a name.
    pub unreadable: usize,
    /// How many there are in all.
    pub total: Option<u64>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// A complaint that came beside the data.
    pub complaint: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Connection {
    #[serde_with(skip_apply)]
    #[serde(default)]
    edges: Option<Lenient<Edge>>,
    #[serde_with(skip_apply)]
    #[serde(default)]
    nodes: Option<Lenient<Post>>,
    #[serde(rename = "totalCount")]
    total: Option<u64>,
    #[serde(rename = "pageInfo")]
    page: Option<PageInfo>,
}

#[derive(Deserialize)]
struct Edge {
    node: Post,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    #[serde(default)]
    has_next_page: bool,
    #[serde(default)]
    end_cursor: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Post {
    name: String,
    id: Option<String>,
    tagline: Option<String>,
    description: Option<String>,
    slug: Option<String>,
    url: Option<String>,
    votes_count: Option<u64>,
    comments_count: Option<u64>,
    reviews_rating: Option<f64>,
    created_at: Option<String>,
    featured_at: Option<String>,
    topics: Option<Topics>,
}

#[derive(Deserialize)]
struct Topics {
    #[serde(default)]
    edges: Lenient<TopicEdge>,
}

#[derive(Deserialize)]
struct TopicEdge {
    node: Topic,
}

#[derive(Deserialize)]
struct Topic {
    name: String,
}

/// Reads posts: a list, or one.
pub fn posts(body: &str) -> Result<Posts, SourceError> {
    let (data, complaint) = data(body)?;
    let mut out = Posts {
        complaint,
        ..Posts::default()
    };
    let wire: Lenient<Post> = match (data.get("posts"), data.get("post")) {
        (Some(posts), _) => {
            let connection: Connection = from_value(posts)?;
            if connection.edges.is_none() && connection.nodes.is_none() {
                return Err(SourceError::malformed("Product Hunt: the answer lists no posts"));
            }
            out.total = connection.total;
            out.next = connection
                .page
                .filter(|page| page.has_next_page)
                .and_then(|page| page.end_cursor);
            let edges = connection
                .edges
                .unwrap_or_default()
                .filter_map(|edge| Some(edge.node));
            let mut posts = connection.nodes.unwrap_or_default();
            posts.items.splice(0..0, edges.items);
            posts.unreadable += edges.unreadable;
            posts
        }
        (None, Some(Value::Null)) => Lenient::default(),
        (None, Some(post)) => vec![from_value(post)?].into(),
        (None, None) => return Err(SourceError::malformed("Product Hunt: the answer holds no posts")),
    };
    let posts = wire
        .filter_map(item)
        .or_none_readable("Product Hunt: no entry is a post")?;
    (out.items, out.unreadable) = (posts.items, posts.unreadable);
    Ok(out)
}

/// Reads topics: the slug of the first.
pub fn topics(body: &str) -> Result<Option<String>, SourceError> {
    let (data, _) = data(body)?;
    let slug = data.pointer("/topics/edges/0/node/slug").and_then(Value::as_str);
    Ok(slug.map(str::to_owned))
}

fn from_value<T: for<'de> Deserialize<'de>>(value: &Value) -> Result<T, SourceError> {
    T::deserialize(value)
        .map_err(|error| SourceError::malformed("Product Hunt: posts of another shape").caused_by(error))
}

/// The data of an answer, with what was complained of beside it; an error where there is no data.
fn data(body: &str) -> Result<(Value, Option<String>), SourceError> {
    let mut value: Value = json::parse(body, "Product Hunt")?;
    let complaint = value.pointer("/errors/0").cloned();
    let data = value
        .get_mut("data")
        .map(Value::take)
        .filter(|data| !data.is_null());
    match (data, complaint) {
        (Some(data), complaint) => Ok((data, complaint.as_ref().map(said))),
        (None, Some(complaint)) => Err(refused(&complaint)),
        (None, None) => Err(SourceError::malformed(
            "Product Hunt: the answer has neither data nor errors",
        )),
    }
}

/// What an error says. Its own kind has no `message`, GraphQL's has.
fn said(error: &Value) -> String {
    let text = ["message", "error_description", "error"]
        .iter()
        .filter_map(|name| error.get(*name).and_then(Value::as_str))
        .find(|text| !text.trim().is_empty());
    text.map_or_else(
        || "an error without words".to_owned(),
        |text| quoted(&text::said(text, 120)),
    )
}

fn refused(error: &Value) -> SourceError {
    match error.get("error").and_then(Value::as_str) {
        Some("rate_limit_reached") => {
            let wait = error.pointer("/details/reset_in").and_then(Value::as_u64);
            let refusal =
                SourceError::rate_limited("Product Hunt's budget for this token is used up").status(429);
            match wait {
                Some(seconds) => refusal.retry_after(Duration::from_secs(seconds)),
                None => refusal,
            }
        }
        Some(kind) if kind.contains("token") || kind.contains("oauth") => {
            SourceError::misconfigured("Product Hunt does not accept the token in PRODUCTHUNT_TOKEN")
                .status(401)
        }
        _ => SourceError::upstream(format!("Product Hunt rejected the query: {}", said(error))),
    }
}

fn item(post: Post) -> Option<Item> {
    let name = text::one_line(&post.name);
    if name.is_empty() {
        return None;
    }
    let date = match (&post.featured_at, &post.created_at) {
        (Some(featured), _) => DateEvidence::field("featuredAt", featured.as_str()),
        (None, Some(created)) => DateEvidence::field("createdAt", created.as_str()),
        (None, None) => DateEvidence::None,
    };
    let mut item = Item::new(name, date);
    let from_slug = || {
        post.slug
            .as_ref()
            .map(|slug| format!("https://www.producthunt.com/posts/{slug}"))
    };
    item.url = post.url.as_deref().and_then(plain).or_else(from_slug);
    item.id = post.id;
    let texts = [post.tagline, post.description]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    item.summary = text::paragraphs(&texts.join("\n"));
    item.set("votes", post.votes_count);
    item.set("comments", post.comments_count);
    item.set("rating", post.reviews_rating.filter(|rating| *rating > 0.0));
    item.set("posted_at", post.created_at);
    item.set("featured_at", post.featured_at);
    let topics = post.topics.map(|topics| topics.edges.items).unwrap_or_default();
    let topics: Vec<String> = topics.into_iter().map(|edge| edge.node.name).collect();
    item.set("topics", topics);
    Some(item)
}

/// Without its query, which names the application that asked.
fn plain(url: &str) -> Option<String> {
    let mut url = Url::parse(&link::shown(url)?).ok()?;
    url.set_query(None);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;
    use freshcontext_testkit::bodies::recording;

    const BODY: &str = include_str!("../../../../fixtures/producthunt/api/01.body.json");

    #[test]
    fn featured_is_the_launch_and_posted_the_second_best() {
        let posts = posts(BODY).unwrap();
        assert_eq!(
            (posts.items.len(), posts.unreadable, posts.total),
            (3, 1, Some(57))
        );
        assert_eq!(posts.next.as_deref(), Some("MjA="));
        assert_eq!(
            posts.items[0].date,
            DateEvidence::field("featuredAt", "2026-11-20T08:24:00Z")
        );
        assert_eq!(posts.items[0].fields["posted_at"], "2026-11-19T21:03:04Z");
        assert_eq!(
            posts.items[1].date,
            DateEvidence::field("createdAt", "2026-11-20T08:01:00Z")
        );
        assert_eq!(posts.items[2].date, DateEvidence::None);
    }

    #[test]
    fn addresses_do_not_name_the_application() {
        let posts = posts(BODY).unwrap();
        assert_eq!(
            posts.items[0].url.as_deref(),
            Some("https://www.producthunt.com/posts/example-one")
        );
        assert_eq!(
            posts.items[1].url.as_deref(),
            Some("https://www.producthunt.com/posts/example-two")
        );
        assert_eq!(posts.items[0].fields["votes"], 0, "nobody voted yet: a fact");
        assert!(
            !posts.items[0].fields.contains_key("rating"),
            "0 stands for unrated"
        );
    }

    #[test]
    fn errors_without_a_message_are_read() {
        let limited = r#"{"data":null,"errors":[{"error":"rate_limit_reached","details":{"reset_in":600}}]}"#;
        let error = posts(limited).unwrap_err();
        assert_eq!(
            (error.code, error.retry_after),
            (ErrorCode::RateLimited, Some(Duration::from_mins(10)))
        );
        let token = r#"{"data":null,"errors":[{"error":"invalid_oauth_token","error_description":"x"}]}"#;
        assert_eq!(posts(token).unwrap_err().code, ErrorCode::Misconfigured);
        let query = r#"{"errors":[{"message":"Field 'posts' doesn't accept argument 'search'"}]}"#;
        let error = posts(query).unwrap_err();
        assert_eq!(error.code, ErrorCode::UpstreamError);
        assert!(error.message.contains("doesn't accept argument"));
    }

    #[test]
    fn data_beside_errors_is_data_with_a_complaint() {
        let both = r#"{"data":{"posts":{"nodes":[{"name":"A"}]}},"errors":[{"message":"topics failed"}]}"#;
        let posts = posts(both).unwrap();
        assert_eq!(
            (posts.items.len(), posts.complaint.as_deref()),
            (1, Some("\"topics failed\""))
        );
    }

    #[test]
    fn none_is_no_error_and_nonsense_is() {
        assert!(
            posts(r#"{"data":{"posts":{"totalCount":0,"edges":[]}}}"#)
                .unwrap()
                .items
                .is_empty()
        );
        assert!(posts(r#"{"data":{"post":null}}"#).unwrap().items.is_empty());
        assert_eq!(topics(r#"{"data":{"topics":{"edges":[]}}}"#).unwrap(), None);
        for body in [
            "{}",
            "[]",
            r#"{"data":{}}"#,
            r#"{"posts":[]}"#,
            r#"{"data":{"posts":{"edges":[{"x":1}]}}}"#,
            r#"{"data":{"posts":{"totalCount":7}}}"#,
            r#"{"data":{"posts":[]}}"#,
            "",
        ] {
            assert_eq!(posts(body).unwrap_err().code, ErrorCode::Malformed, "{body}");
        }
    }

    #[freshcontext_recorded::test]
    fn twenty_recorded_nodes_are_read() {
        let file = recording("producthunt/graphql_nodes_2025-06-15.json");
        let recorded: Value = serde_json::from_str(&file).unwrap();
        let body = serde_json::json!({"data": {"posts": {"nodes": recorded["posts"]}}}).to_string();
        let posts = posts(&body).unwrap();
        assert_eq!((posts.items.len(), posts.unreadable), (20, 0));
        assert_eq!(
            posts.items[0].url.as_deref(),
            Some("https://www.producthunt.com/posts/comet-browser-by-perplexity")
        );
        assert_eq!(posts.items[0].fields["topics"][0], "Artificial Intelligence");
        let launch = DateEvidence::field("createdAt", "2025-06-15T07:01:00Z");
        assert!(posts.items.iter().all(|item| item.date == launch));
    }
}
