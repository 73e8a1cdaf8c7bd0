//! The API's listings.

use freshcontext_contract::chrono::{DateTime, SecondsFormat};
use freshcontext_contract::{
    DateEvidence, ErrorCode, Item, SourceError, StandingEvidence, StandingState, quoted,
};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{link, text};
use serde::Deserialize;
use serde_json::Value;

use super::Page;
use crate::request::SITE;

/// A listing, or the two of a comment page, or an error with status 200.
#[derive(Debug, Deserialize)]
struct Thing {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    data: Value,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
struct Children {
    children: Lenient<Thing>,
    after: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Default, Deserialize)]
struct Post {
    id: Option<String>,
    title: Option<String>,
    author: Option<String>,
    subreddit: Option<String>,
    selftext: Option<String>,
    is_self: Option<bool>,
    url: Option<String>,
    permalink: Option<String>,
    created_utc: Option<f64>,
    /// `false`, or when it was edited.
    edited: Option<f64>,
    score: Option<i64>,
    hide_score: Option<bool>,
    upvote_ratio: Option<f64>,
    num_comments: Option<u64>,
    stickied: Option<bool>,
    promoted: Option<bool>,
    over_18: Option<bool>,
    is_gallery: Option<bool>,
    link_flair_text: Option<String>,
    crosspost_parent: Option<String>,
    removed_by_category: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Default, Deserialize)]
struct Comment {
    id: Option<String>,
    author: Option<String>,
    body: Option<String>,
    subreddit: Option<String>,
    link_title: Option<String>,
    permalink: Option<String>,
    created_utc: Option<f64>,
    edited: Option<f64>,
    score: Option<i64>,
    score_hidden: Option<bool>,
    stickied: Option<bool>,
    /// A listing, or empty text where there are none.
    replies: Option<Value>,
}

/// Reads a listing, or the two listings of a comment page.
pub fn listing(body: &str) -> Result<Page, SourceError> {
    let value: Value = json::parse(body, "Reddit")?;
    if let Some(status) = value.get("error") {
        return Err(error_body(&value, status));
    }
    let mut page = Page::default();
    let mut subreddits = 0_usize;
    let listings = match value {
        Value::Array(listings) if !listings.is_empty() => listings,
        Value::Object(_) => vec![value],
        _ => return Err(SourceError::malformed("Reddit: the answer is not a listing")),
    };
    let single = listings.len() == 1;
    for value in listings {
        let children = children_of(value)?;
        page.unreadable += children.children.unreadable;
        if single {
            page.after = children.after.filter(|after| !after.is_empty());
        }
        for thing in children.children.items {
            if thing.kind == "t5" {
                subreddits += 1;
            } else {
                add(thing, &mut page, 0);
            }
        }
    }
    page.subreddits_only = page.items.is_empty() && subreddits > 0;
    Ok(page)
}

fn children_of(value: Value) -> Result<Children, SourceError> {
    let thing: Thing = from_value(value).unwrap_or(Thing {
        kind: String::new(),
        data: Value::Null,
    });
    let children = (thing.kind == "Listing")
        .then(|| from_value::<Children>(thing.data))
        .flatten();
    children.ok_or_else(|| SourceError::malformed("Reddit: the answer is not a listing"))
}

fn from_value<T: for<'de> Deserialize<'de>>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

/// Replies nest; deeper ones than people read are left out (and counted).
pub const DEEPEST_REPLY: usize = 8;

/// Counts what is left out below the deepest level that is shown: each comment of the whole tree there, and apart from
/// them those that Reddit did not send either.
fn count_too_deep(thing: Thing, page: &mut Page) {
    // A loop, not a call of itself: how deep replies nest is the sender's choice.
    let mut rest = vec![thing];
    while let Some(thing) = rest.pop() {
        match thing.kind.as_str() {
            "t1" => {
                page.too_deep += 1;
                let replies = from_value::<Comment>(thing.data).and_then(|wire| wire.replies);
                let below = replies.and_then(|replies| children_of(replies).ok());
                rest.extend(below.into_iter().flat_map(|below| below.children.items));
            }
            "more" => not_sent(&thing, page),
            _ => page.unreadable += 1,
        }
    }
}

/// Counts the comments that Reddit names and does not send.
fn not_sent(more: &Thing, page: &mut Page) {
    let count = more.data.get("count").and_then(Value::as_u64);
    let count = usize::try_from(count.unwrap_or_default()).unwrap_or(usize::MAX);
    page.not_loaded = page.not_loaded.saturating_add(count);
}

fn add(thing: Thing, page: &mut Page, depth: usize) {
    match thing.kind.as_str() {
        "t3" => match from_value::<Post>(thing.data).and_then(post) {
            Some(item) => page.items.push(item),
            None => page.unreadable += 1,
        },
        "t1" => {
            let Some(mut wire) = from_value::<Comment>(thing.data) else {
                page.unreadable += 1;
                return;
            };
            let replies = wire.replies.take().and_then(|replies| children_of(replies).ok());
            match comment(wire, depth) {
                Some(item) => page.items.push(item),
                None => page.unreadable += 1,
            }
            for reply in replies.into_iter().flat_map(|replies| replies.children.items) {
                if depth < DEEPEST_REPLY {
                    add(reply, page, depth + 1);
                } else {
                    count_too_deep(reply, page);
                }
            }
        }
        "more" => not_sent(&thing, page),
        _ => page.unreadable += 1,
    }
}

fn post(wire: Post) -> Option<Item> {
    let title = text::one_line(&wire.title?);
    if title.is_empty() {
        return None;
    }
    let mut item = Item::new(title, created(wire.created_utc));
    item.url = wire
        .permalink
        .filter(|path| path.starts_with('/'))
        .or_else(|| wire.id.as_ref().map(|id| format!("/comments/{id}/")))
        .and_then(|path| link::shown(&format!("{SITE}{path}")));
    item.id = wire.id.map(|id| format!("t3_{id}"));
    let own_text = wire.selftext.unwrap_or_default();
    let category = wire
        .removed_by_category
        .as_deref()
        .filter(|category| !category.trim().is_empty());
    item.standing.extend(match category {
        Some(category) => {
            let sign = StandingEvidence::field(StandingState::Removed, "removed_by_category", category);
            Some(sign.by(who_removed(category)))
        }
        None => removed("selftext", &own_text, wire.author.as_deref()),
    });
    match own_text.trim() {
        removed @ ("[removed]" | "[deleted]") => item.set("text", removed),
        text => text::paragraphs(text).clone_into(&mut item.summary),
    }
    let pinned = wire.stickied == Some(true);
    let promoted = wire.promoted == Some(true);
    item.out_of_order = pinned || promoted;
    item.set("subreddit", wire.subreddit);
    item.set("author", wire.author);
    item.set("points", wire.score.filter(|_| wire.hide_score != Some(true)));
    let ratio = wire.upvote_ratio.filter(|ratio| (0.0..=1.0).contains(ratio));
    item.set("upvote_ratio", ratio);
    item.set("comments", wire.num_comments);
    item.set("flair", wire.link_flair_text);
    if wire.is_self == Some(false) {
        item.set("link", wire.url.and_then(|url| link::shown(&url)));
    }
    item.set("edited_at", edited(wire.edited));
    item.set("crosspost_of", wire.crosspost_parent);
    for (name, holds) in [
        ("nsfw", wire.over_18 == Some(true)),
        ("gallery", wire.is_gallery == Some(true)),
        ("pinned", pinned),
        ("promoted", promoted),
    ] {
        item.set_flag(name, holds);
    }
    Some(item)
}

fn comment(wire: Comment, depth: usize) -> Option<Item> {
    let body = wire.body?;
    let author = wire.author.as_deref().unwrap_or("[unknown]");
    let title = match wire.link_title {
        Some(on) => format!("Comment by {author} on: {}", text::one_line(&on)),
        None => format!("Comment by {author}"),
    };
    let mut item = Item::new(title, created(wire.created_utc));
    item.url = wire
        .permalink
        .filter(|path| path.starts_with('/'))
        .and_then(|path| link::shown(&format!("{SITE}{path}")));
    item.id = wire.id.map(|id| format!("t1_{id}"));
    item.standing
        .extend(removed("body", &body, wire.author.as_deref()));
    item.summary = text::paragraphs(&body);
    let pinned = wire.stickied == Some(true);
    item.out_of_order = pinned;
    item.set("subreddit", wire.subreddit);
    item.set("author", wire.author);
    item.set("points", wire.score.filter(|_| wire.score_hidden != Some(true)));
    item.set("edited_at", edited(wire.edited));
    item.set_flag("pinned", pinned);
    item.set("reply_depth", (depth > 0).then_some(depth));
    Some(item)
}

/// The sign in the text that Reddit leaves of what was taken away. A text that stands beside an author `[deleted]` stands:
/// the account is gone.
fn removed(field: &'static str, text: &str, author: Option<&str>) -> Option<StandingEvidence> {
    let text = text.trim();
    let by = match (text, author) {
        ("[removed]", _) => "moderators",
        ("[deleted]", Some("[deleted]") | None) => "author",
        _ => return None,
    };
    Some(StandingEvidence::field(StandingState::Removed, field, text).by(by))
}

/// Who took a post away, by Reddit's category.
fn who_removed(category: &str) -> String {
    match category {
        "moderator" => "moderators".to_owned(),
        "deleted" | "author" => "author".to_owned(),
        "reddit" | "anti_evil_ops" | "copyright_takedown" => format!("host ({category})"),
        other => other.to_owned(),
    }
}

/// `created_utc` alone: `created` ran eight hours ahead for years.
fn created(seconds: Option<f64>) -> DateEvidence {
    DateEvidence::optional_field("created_utc", seconds.and_then(whole_seconds))
}

fn edited(seconds: Option<f64>) -> Option<String> {
    let at = DateTime::from_timestamp(whole_seconds(seconds?)?, 0)?;
    Some(at.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// Reddit writes whole seconds, at times as a float; 0 and below stand for "unknown".
#[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
fn whole_seconds(seconds: f64) -> Option<i64> {
    (1.0..1e12).contains(&seconds).then_some(seconds as i64)
}

/// `{"error": 403, "message": "Forbidden", "reason": "private"}`, also with status 200.
fn error_body(value: &Value, status: &Value) -> SourceError {
    let reason = value.get("reason").and_then(Value::as_str).unwrap_or_default();
    let message = value.get("message").and_then(Value::as_str).unwrap_or_default();
    let said = if reason.is_empty() { message } else { reason };
    let said = text::said(said, 80);
    let status = status.as_u64().and_then(|status| u16::try_from(status).ok());
    let code = match status {
        Some(401 | 403) => ErrorCode::AccessDenied,
        Some(404) => ErrorCode::NotFound,
        Some(429) => ErrorCode::RateLimited,
        _ => ErrorCode::UpstreamError,
    };
    let mut error = SourceError::new(code, format!("Reddit answered with an error: {}", quoted(&said)));
    error.http_status = status;
    error
}

#[cfg(test)]
mod tests;
