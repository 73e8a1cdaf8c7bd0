//! The search index: pages of hits.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{Response, SourceError, quoted};
use freshcontext_parse::json::{self, Lenient};
use serde::Deserialize;

use super::Listing;
use super::post::{Post, index_date};

/// A page of hits. A body without `hits` is an error in disguise or no page at all.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde_with(skip_apply)]
    hits: Option<Lenient<Hit>>,
    nb_hits: Option<u64>,
    exhaustive_nb_hits: Option<bool>,
    page: Option<u64>,
    nb_pages: Option<u64>,
    message: Option<String>,
    error: Option<String>,
}

/// One hit. Keys that do not apply are null in old answers and missing in new ones.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
struct Hit {
    #[serde(rename = "objectID")]
    object_id: Value,
    created_at: Option<String>,
    created_at_i: Option<i64>,
    title: Option<String>,
    url: Option<String>,
    author: Option<String>,
    points: Option<i64>,
    num_comments: Option<u64>,
    story_text: Option<String>,
    comment_text: Option<String>,
    job_text: Option<String>,
    story_id: Option<u64>,
    story_title: Option<String>,
    parent_id: Option<u64>,
    #[serde(rename = "_tags")]
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
    read(json::of(response, "Hacker News search")?)
}

fn read(page: Page) -> Result<Listing, SourceError> {
    let Some(hits) = page.hits else {
        return Err(match page.message.or(page.error) {
            Some(message) => {
                let message = format!(
                    "Hacker News search answered with an error: {}",
                    quoted(&super::post::title_text(&message))
                );
                SourceError::upstream(message)
            }
            None => SourceError::malformed("Hacker News search: the answer has no `hits`"),
        });
    };
    let hits = hits.filter_map(|hit| hit.post()?.into_item(false));
    let hits = hits.or_none_readable("Hacker News search: none of the hits has the documented shape")?;
    Ok(Listing {
        unreadable: hits.unreadable,
        items: hits.items,
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
