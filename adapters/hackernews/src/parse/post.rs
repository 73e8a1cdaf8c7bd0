//! What all routes share: how a post of Hacker News becomes an item.

use freshcontext_contract::chrono::{Datelike, SecondsFormat};
use freshcontext_contract::{DateEvidence, Item, StandingEvidence};
use freshcontext_parse::{html, link, text};

/// Longest self-text shown in a list, in characters. A thread shows all of it.
const LIST_TEXT: usize = 600;

/// Who may have killed a post (<https://news.ycombinator.com/newsfaq.html>).
pub const KILLERS: &str = "software, user flags, or moderators";

/// A post, whatever route told about it. Absent stays absent.
#[derive(Debug, Default, Clone)]
pub struct Post {
    pub id: u64,
    pub kind: Option<String>,
    pub title: Option<String>,
    pub url: Option<String>,
    pub author: Option<String>,
    pub points: Option<i64>,
    pub comments: Option<u64>,
    pub text: Option<String>,
    pub date: DateEvidence,
    /// Words such as "3 hours ago", where the source gives no instant.
    pub age: Option<String>,
    pub rank: Option<u64>,
    /// For a comment: title and number of the story it belongs to.
    pub story: Option<(Option<String>, Option<u64>)>,
    pub parent: Option<u64>,
    /// Signs that it does not stand as it is shown.
    pub standing: Vec<StandingEvidence>,
}

impl Post {
    /// The item; `None` for a post with neither title nor text, which is a deleted one.
    pub fn into_item(self, whole_text: bool) -> Option<Item> {
        let page = discussion(self.id);
        let body = self
            .text
            .as_deref()
            .map(html::to_text)
            .filter(|body| !body.is_empty());
        let title = self
            .title
            .as_deref()
            .map(title_text)
            .filter(|title| !title.is_empty());
        let is_comment = self.kind.as_deref() == Some("comment") || self.story.is_some();
        let shown = match (&title, &body, is_comment) {
            (Some(title), _, false) => title.clone(),
            (None, None, _) => return None,
            (_, _, true) => comment_title(self.author.as_deref(), self.story.as_ref()),
            (None, Some(body), false) => text::said(body, 80),
        };
        let mut item = Item::new(shown, self.date);
        item.id = Some(self.id.to_string());
        item.standing = self.standing;
        let external = self.url.as_deref().and_then(link::shown).filter(|_| !is_comment);
        item.url = Some(external.clone().unwrap_or_else(|| page.clone()));
        if let Some(body) = body {
            let shown = if whole_text {
                body.clone()
            } else {
                text::clip(&body, LIST_TEXT)
            };
            item.set_excerpt(shown, &body);
        }
        item.set("rank", self.rank);
        item.set("points", self.points);
        item.set("comments", self.comments);
        item.set("author", self.author);
        item.set("age", self.age);
        item.set("type", self.kind.filter(|kind| kind != "story"));
        if !is_comment {
            item.set(
                "linked_year",
                title.as_deref().and_then(|title| linked_year(title, &item.date)),
            );
        }
        if let Some((_, Some(story))) = self.story {
            item.set("story", discussion(story));
        }
        item.set("parent", self.parent.map(discussion));
        if external.is_some() {
            item.set("discussion", page);
        }
        Some(item)
    }
}

fn comment_title(author: Option<&str>, story: Option<&(Option<String>, Option<u64>)>) -> String {
    let by = author.map_or_else(|| "Comment".to_owned(), |author| format!("Comment by {author}"));
    let on = story
        .and_then(|(title, _)| title.as_deref())
        .map(title_text)
        .filter(|title| !title.is_empty());
    on.map_or(by.clone(), |on| format!("{by} on: {on}"))
}

/// The page of an item.
pub fn discussion(id: u64) -> String {
    format!("https://news.ycombinator.com/item?id={id}")
}

/// A title as plain text: entities are decoded once, and `<` is a character, not markup.
pub fn title_text(title: &str) -> String {
    html::to_line(&title.replace('<', "&lt;"))
}

/// The year in brackets that ends a title when the linked article is older than its submission.
pub fn linked_year(title: &str, date: &DateEvidence) -> Option<i32> {
    let mut rest = title.trim_end();
    // "(2019) [pdf]": what stands in square brackets says what kind of file it is.
    while let Some(open) = rest.strip_suffix(']').and_then(|inner| inner.rfind('[')) {
        rest = rest.get(..open)?.trim_end();
    }
    let inner = rest.strip_suffix(')')?;
    let year = inner.get(inner.rfind('(')? + 1..)?.trim();
    let year: i32 = text::digits(year, 4..=4).filter(|year| *year >= 1000)?;
    match date.instant() {
        Some(at) => (year <= at.year()).then_some(year),
        None => (year <= 2100).then_some(year),
    }
}

/// The instant of evidence as text, for fields and notes.
pub fn date_text(date: &DateEvidence) -> Option<String> {
    date.instant()
        .map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// Evidence from the two forms in which the search index gives a moment.
pub fn index_date(seconds: Option<i64>, text: Option<String>) -> DateEvidence {
    match (seconds, text) {
        (Some(seconds), text) => DateEvidence::field("created_at_i", seconds).beside("created_at", text),
        (None, text) => DateEvidence::optional_field("created_at", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(day: &str) -> DateEvidence {
        DateEvidence::field("created_at", format!("{day}T00:00:00Z"))
    }

    #[test]
    fn a_year_at_the_end_of_a_title_is_the_articles_year() {
        let date = on("2026-04-26");
        assert_eq!(linked_year("USB Cheat Sheet (2022)", &date), Some(2022));
        assert_eq!(linked_year("A paper (1995) [pdf]", &date), Some(1995));
        assert_eq!(linked_year("A talk (2012) [video] [pdf]", &date), Some(2012));
        for other in [
            "(2022) first",
            "Blade Runner (2049)",
            "Plan (v2)",
            "Year 2022",
            "Odd (20220)",
            "x ()",
            ")(",
            "[",
            "é]",
        ] {
            assert_eq!(linked_year(other, &date), None, "{other}");
        }
    }

    #[test]
    fn titles_are_decoded_once_and_keep_angle_brackets() {
        assert_eq!(
            title_text("Fish &#x27;n&#x27; chips &amp;amp; Vec<T> &gt; all"),
            "Fish 'n' chips &amp; Vec<T> > all"
        );
    }

    #[test]
    fn a_post_without_anything_is_no_item() {
        assert!(
            Post {
                id: 1,
                ..Post::default()
            }
            .into_item(false)
            .is_none()
        );
    }

    #[test]
    fn links_that_are_no_web_address_fall_back_to_the_discussion() {
        for url in [None, Some(""), Some("javascript:alert(1)"), Some("item?id=4")] {
            let post = Post {
                id: 4,
                title: Some("t".into()),
                url: url.map(str::to_owned),
                ..Post::default()
            };
            let item = post.into_item(false).unwrap();
            assert_eq!(
                item.url.as_deref(),
                Some("https://news.ycombinator.com/item?id=4")
            );
            assert!(item.fields.get("discussion").is_none());
        }
    }
}
