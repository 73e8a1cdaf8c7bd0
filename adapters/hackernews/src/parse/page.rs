//! The site itself: its feed and its pages.

use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, Item, Response, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::json::Lenient;
use freshcontext_parse::scraper::{ElementRef, Selector};
use freshcontext_parse::{charset, feed, html as markup, link, selectors, text};

use super::Listing;
use super::post::{KILLERS, Post, title_text};

/// What the site says, with any status, when it is asked too fast.
pub const TOO_FAST: &str = "not able to serve your requests this quickly";
/// The apology stands alone; a page that merely quotes it is longer.
const APOLOGY_CHARS: usize = 2_000;

/// Reads the feed of the front page.
pub fn rss(response: &Response) -> Result<Listing, SourceError> {
    let text = charset::decode(response).text;
    apology(&text)?;
    read_feed(&text).map_err(|error| response.block_page().unwrap_or(error))
}

fn read_feed(text: &str) -> Result<Listing, SourceError> {
    let feed = feed::read(text, "Hacker News feed")?;
    let list = Lenient::from(feed.entries).filter_map(entry);
    if list.items.is_empty() {
        return Err(SourceError::malformed(
            "Hacker News feed: it holds no readable entry",
        ));
    }
    Ok(Listing {
        unreadable: list.unreadable,
        items: list.items,
        ..Listing::default()
    })
}

/// The item number stands only in the link to the comments, inside the description.
fn entry(entry: feed::Entry) -> Option<Item> {
    let id = entry
        .html
        .split("item?id=")
        .nth(1)
        .or_else(|| {
            entry
                .link
                .as_deref()?
                .split("news.ycombinator.com/item?id=")
                .nth(1)
        })
        .and_then(leading_number)?;
    let post = Post {
        id,
        title: Some(entry.title.replace('&', "&amp;")),
        url: entry.link,
        date: DateEvidence::optional_field("pubDate", entry.published),
        ..Post::default()
    };
    post.into_item(false)
}

/// Reads a page of rows. A page without rows is a refusal, never an empty list.
pub fn rows(response: &Response) -> Result<Listing, SourceError> {
    read_rows(&charset::decode(response).text, &response.final_url)
}

fn read_rows(html: &str, base: &Url) -> Result<Listing, SourceError> {
    apology(html)?;
    let document = markup::document(html);
    let select = Selectors::new()?;
    let mut listing = Listing {
        cut: document.cut().note("page"),
        ..Listing::default()
    };
    for row in document.outermost(&select.row) {
        // On the page of an item, the comments are rows too.
        if row
            .attr("class")
            .is_some_and(|names| names.split_whitespace().any(|name| name == "comtr"))
        {
            continue;
        }
        match post(row, &select, base).and_then(|post| post.into_item(false)) {
            Some(item) => listing.items.push(item),
            None => listing.unreadable += 1,
        }
    }
    if listing.items.is_empty() {
        let message =
            "Hacker News sent a page without a single story, which usually means that it blocks this address";
        return Err(SourceError::access_denied(message).hint("try again in some minutes"));
    }
    Ok(listing)
}

fn apology(text: &str) -> Result<(), SourceError> {
    if text.len() < APOLOGY_CHARS && text.contains(TOO_FAST) {
        return Err(SourceError::rate_limited("Hacker News asks us to slow down"));
    }
    Ok(())
}

selectors! {
    struct Selectors {
        row: "tr[class~=athing]",
        // `.titleline` since 2022, `.storylink` before.
        title: "[class~=titleline] > a, a[class~=storylink]",
        points: "[class~=score]",
        user: "[class~=hnuser]",
        age: "[class~=age]",
        anchor: "[class~=subtext] a, [class~=subline] a",
        rank: "[class~=rank]",
    }
}

fn post(row: ElementRef<'_>, select: &Selectors, base: &Url) -> Option<Post> {
    let id = row.value().attr("id")?.parse().ok()?;
    let anchor = row.select(&select.title).next()?;
    let title = text::one_line(&anchor.text().collect::<String>());
    let below = row.next_siblings().find_map(ElementRef::wrap);
    let first = |selector: &Selector| below.and_then(|below| below.select(selector).next());
    let words = |selector: &Selector| {
        first(selector).map(|element| text::one_line(&element.text().collect::<String>()))
    };
    let age = first(&select.age);
    let stamp = age
        .and_then(|age| age.value().attr("title"))
        .map_or(DateEvidence::None, age_title);
    Some(Post {
        id,
        // The parser has decoded the entities already; they must not be decoded again.
        title: Some(title.replace('&', "&amp;")),
        url: anchor
            .value()
            .attr("href")
            .and_then(|href| link::absolute(base, href))
            .map(String::from),
        author: words(&select.user).filter(|name| !name.is_empty()),
        points: words(&select.points)
            .and_then(|words| leading_number(&words))
            .and_then(|n| i64::try_from(n).ok()),
        comments: below.and_then(|below| comments(below, select)),
        age: if stamp == DateEvidence::None {
            words(&select.age)
        } else {
            None
        },
        date: stamp,
        rank: row
            .select(&select.rank)
            .next()
            .and_then(|rank| leading_number(&rank.text().collect::<String>())),
        standing: marks(anchor),
        ..Post::default()
    })
}

/// The marks that the site puts before the link of a title: `[flagged]` by its users, `[dead]` where it was killed. The
/// words of a title stand in the link.
fn marks(anchor: ElementRef<'_>) -> Vec<StandingEvidence> {
    let cell = anchor.parent();
    let around = cell.into_iter().flat_map(|cell| cell.prev_siblings());
    let before: String = anchor
        .prev_siblings()
        .chain(around)
        .filter_map(|node| node.value().as_text().map(|text| text.to_string()))
        .collect();
    let states = [
        ("[dead]", StandingState::Removed, KILLERS),
        ("[flagged]", StandingState::Concern, "users"),
    ];
    let marks = states.into_iter().filter(|(mark, ..)| before.contains(mark));
    marks
        .map(|(mark, state, by)| StandingEvidence::mark(state, "title", mark).by(by))
        .collect()
}

/// "145 comments" or "discuss". Job posts have neither.
fn comments(below: ElementRef<'_>, select: &Selectors) -> Option<u64> {
    below.select(&select.anchor).find_map(|anchor| {
        let words = title_text(&anchor.text().collect::<String>());
        if words == "discuss" {
            Some(0)
        } else if words.ends_with("comment") || words.ends_with("comments") {
            leading_number(&words)
        } else {
            None
        }
    })
}

/// The `title` of an age: `2026-04-26T06:24:42 1777184682`, before 2025 without the epoch. The
/// visible words are no date: for a story in its second chance they count from that chance.
fn age_title(title: &str) -> DateEvidence {
    let mut parts = title.split_whitespace();
    let iso = parts.next().unwrap_or_default();
    if let Some(seconds) = parts.next().and_then(|epoch| epoch.parse::<i64>().ok()) {
        return DateEvidence::field("age title", seconds).beside("age title", Some(iso));
    }
    match iso.parse::<i64>() {
        Ok(seconds) => DateEvidence::field("age title", seconds),
        Err(_) if iso.contains('T') => DateEvidence::field("age title", iso),
        Err(_) => DateEvidence::None,
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let digits: String = text
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

/// As [`rows`], from text, for tests.
#[cfg(test)]
pub fn rows_from_text(html: &str) -> Result<Listing, SourceError> {
    read_rows(html, &Url::parse("https://news.ycombinator.com/news").unwrap())
}

/// As [`rss`], from text, for tests.
#[cfg(test)]
pub fn feed_from_text(text: &str) -> Result<Listing, SourceError> {
    apology(text)?;
    read_feed(text)
}
