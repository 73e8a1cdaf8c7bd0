//! The search index: pages of hits.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{ErrorCode, Response, SourceError};
use freshcontext_parse::json::{self, Lenient};
use serde::Deserialize;

use super::Listing;
use super::post::{Post, index_date};

/// A page of hits. A body without `hits` is an error in disguise or no page at all.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    hits: Option<Lenient<Hit>>,
    #[serde(default, deserialize_with = "json::or_absent")]
    nb_hits: Option<u64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    exhaustive_nb_hits: Option<bool>,
    #[serde(default, deserialize_with = "json::or_absent")]
    page: Option<u64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    nb_pages: Option<u64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    message: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    error: Option<String>,
}

/// One hit. Keys that do not apply are null in old answers and missing in new ones.
#[derive(Debug, Deserialize)]
struct Hit {
    #[serde(rename = "objectID")]
    object_id: Value,
    #[serde(default, deserialize_with = "json::or_absent")]
    created_at: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    created_at_i: Option<i64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    title: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    url: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    author: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    points: Option<i64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    num_comments: Option<u64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    story_text: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    comment_text: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    job_text: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    story_id: Option<u64>,
    #[serde(default, deserialize_with = "json::or_absent")]
    story_title: Option<String>,
    #[serde(default, deserialize_with = "json::or_absent")]
    parent_id: Option<u64>,
    #[serde(default, rename = "_tags", deserialize_with = "json::or_absent")]
    tags: Option<Vec<String>>,
}

/// Kinds worth telling apart, the telling one first: an Ask HN post is tagged `story` as well.
const KINDS: [&str; 7] = ["comment", "pollopt", "poll", "job", "ask_hn", "show_hn", "story"];

impl Hit {
    fn kind(&self) -> Option<String> {
        let tags = self.tags.as_deref().unwrap_or_default();
        let tagged = KINDS.into_iter().find(|kind| tags.iter().any(|tag| tag == kind));
        tagged
            .or(self.comment_text.is_some().then_some("comment"))
            .map(str::to_owned)
    }

    fn post(self) -> Option<Post> {
        let id = match &self.object_id {
            Value::String(text) => text.parse().ok()?,
            other => other.as_u64()?,
        };
        let kind = self.kind();
        let is_comment = kind.as_deref() == Some("comment");
        Some(Post {
            id,
            title: self.title,
            url: self.url,
            author: self.author,
            points: self.points,
            comments: self.num_comments,
            text: if is_comment {
                self.comment_text
            } else {
                self.story_text.or(self.job_text)
            },
            date: index_date(self.created_at_i, self.created_at),
            story: is_comment.then_some((self.story_title, self.story_id)),
            parent: self.parent_id.filter(|_| is_comment),
            kind,
            ..Post::default()
        })
    }
}

/// Reads one page of hits.
pub fn page(response: &Response) -> Result<Listing, SourceError> {
    read(json::read(response, "Hacker News search")?)
}

fn read(page: Page) -> Result<Listing, SourceError> {
    let Some(hits) = page.hits else {
        return Err(match page.message.or(page.error) {
            Some(message) => {
                let message = format!(
                    "Hacker News search answered with an error: {}",
                    super::post::title_text(&message)
                );
                SourceError::new(ErrorCode::UpstreamError, message)
            }
            None => SourceError::malformed("Hacker News search: the answer has no `hits`"),
        });
    };
    let sent = hits.items.len() + hits.unreadable;
    let items: Vec<_> = hits
        .items
        .into_iter()
        .filter_map(|hit| hit.post()?.into_item(false))
        .collect();
    if items.is_empty() && sent > 0 {
        return Err(SourceError::malformed(
            "Hacker News search: none of the hits has the documented shape",
        ));
    }
    Ok(Listing {
        unreadable: sent - items.len(),
        items,
        total: page
            .nb_hits
            .map(|total| (total, page.exhaustive_nb_hits.unwrap_or(false))),
        pages: page.page.zip(page.nb_pages),
        cut: None,
    })
}

/// As [`page`], from text, for tests.
#[cfg(test)]
pub fn from_text(text: &str) -> Result<Listing, SourceError> {
    read(json::parse(text, "Hacker News search")?)
}
