//! One thread from the search index: the story and the tree of its comments.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{Item, Response, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::json;

use super::post::{Post, index_date};

/// A thread.
#[derive(Debug)]
pub struct Thread {
    /// The story (or the comment that was asked for).
    pub root: Item,
    /// Its comments: those closer to the root first, in the order of the source.
    pub comments: Vec<Item>,
    /// Comments that were deleted.
    pub deleted: usize,
    /// Comments that could not be read, or whose replies could not.
    pub unreadable: usize,
}

impl Thread {
    /// The newest comment, as text.
    pub fn newest_comment(&self) -> Option<String> {
        let newest = self.comments.iter().max_by_key(|item| item.date.instant());
        newest.and_then(|item| super::date_text(&item.date))
    }

    /// Puts the newest comments first. Those without a date come last.
    pub fn newest_first(&mut self) {
        self.comments
            .sort_by_key(|item| std::cmp::Reverse(item.date.instant()));
    }
}

/// Reads a thread.
pub fn thread(response: &Response) -> Result<Thread, SourceError> {
    read(&json::of(response, "Hacker News thread")?)
}

fn read(root: &Value) -> Result<Thread, SourceError> {
    if root.is_null() {
        return Err(SourceError::not_found("Hacker News has no such item"));
    }
    let Some(mut post) = node(root) else {
        return Err(SourceError::malformed(
            "Hacker News thread: the answer has no `id`",
        ));
    };
    let mut comments = Vec::new();
    let (mut deleted, mut unreadable, mut total) = (0, 0, 0_u64);
    // A comment without answers has an empty list of them; without a list, there is no telling.
    let lists = |node: &Value| node.get("children").is_some_and(Value::is_array);
    if !lists(root) {
        unreadable += 1;
    }
    // Breadth first: a long exchange under one comment must not hide the others.
    let mut level: Vec<(&Value, u64)> = children(root).map(|child| (child, 1)).collect();
    while !level.is_empty() {
        let mut deeper = Vec::new();
        for (child, depth) in level {
            deeper.extend(children(child).map(|grandchild| (grandchild, depth + 1)));
            let replies = children(child).count() as u64;
            if !lists(child) {
                unreadable += 1;
            }
            let item = node(child).filter(|post| post.text.is_some()).and_then(|post| {
                let parent = post.parent.filter(|_| depth > 1);
                Post {
                    kind: Some("comment".to_owned()),
                    parent,
                    ..post
                }
                .into_item(true)
            });
            let Some(mut item) = item else {
                // What has no list of replies is counted already.
                deleted += usize::from(lists(child));
                continue;
            };
            total += 1;
            item.fields.shift_remove("type");
            if depth > 1 {
                item.set("depth", depth);
            }
            item.set("replies", (replies > 0).then_some(replies));
            comments.push(item);
        }
        level = deeper;
    }
    let is_comment = post.kind.as_deref() == Some("comment");
    if is_comment {
        let story = root.get("story_id").and_then(Value::as_u64);
        post.story = Some((text(root, "story_title"), story));
    }
    post.comments = lists(root).then_some(total);
    let mut root_item = post.into_item(true).ok_or_else(|| {
        let sign = StandingEvidence::mark(StandingState::Removed, "text", "").by("author");
        SourceError::not_found("this Hacker News item was deleted").standing(sign)
    })?;
    root_item.set("options", options(root));
    Ok(Thread {
        root: root_item,
        comments,
        deleted,
        unreadable,
    })
}

fn children(node: &Value) -> impl Iterator<Item = &Value> {
    json::entries(node, "/children")
}

fn text(node: &Value, name: &str) -> Option<String> {
    json::text_at(node, &format!("/{name}")).map(str::to_owned)
}

fn node(node: &Value) -> Option<Post> {
    Some(Post {
        id: node.get("id").and_then(Value::as_u64)?,
        kind: text(node, "type"),
        title: text(node, "title"),
        url: text(node, "url"),
        author: text(node, "author"),
        points: node.get("points").and_then(Value::as_i64),
        text: text(node, "text"),
        date: index_date(
            node.get("created_at_i").and_then(Value::as_i64),
            text(node, "created_at"),
        ),
        parent: node.get("parent_id").and_then(Value::as_u64),
        ..Post::default()
    })
}

/// The options of a poll, with their points.
fn options(root: &Value) -> Vec<String> {
    json::entries(root, "/options")
        .filter_map(|option| {
            let label = super::post::title_text(&text(option, "text")?);
            Some(match option.get("points").and_then(Value::as_i64) {
                Some(points) => format!("{label} ({points})"),
                None => label,
            })
        })
        .collect()
}

/// As [`thread`], from text, for tests.
#[cfg(test)]
pub fn from_text(text: &str) -> Result<Thread, SourceError> {
    read(&json::parse(text, "Hacker News thread")?)
}
