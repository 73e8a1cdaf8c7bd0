//! The Atom feeds.

use freshcontext_contract::chrono::TimeDelta;
use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, Item, SourceError};
use freshcontext_parse::feed::{self, Entry};
use freshcontext_parse::{html, link, text};

use super::Page;

/// Between these two comments stands what the author wrote.
const OWN_TEXT: (&str, &str) = ("<!-- SC_OFF -->", "<!-- SC_ON -->");

/// Reads a feed of posts or comments.
pub fn feed(body: &str) -> Result<Page, SourceError> {
    let feed = feed::read(body, "Reddit")?;
    let mut page = Page::default();
    let mut subreddits = 0_usize;
    for entry in feed.entries {
        if entry.id.starts_with("t5_") {
            subreddits += 1;
            continue;
        }
        match item(entry) {
            Some(item) => page.items.push(item),
            None => page.unreadable += 1,
        }
    }
    page.subreddits_only = page.items.is_empty() && subreddits > 0;
    Ok(page)
}

fn item(entry: Entry) -> Option<Item> {
    if entry.title.is_empty() {
        return None;
    }
    // Reddit's feeds of 2020 have `updated` alone, and it is the submission time there.
    let date = match (entry.published, entry.updated) {
        (Some(published), _) => DateEvidence::field("published", published),
        (None, Some(updated)) => DateEvidence::field("updated", updated),
        (None, None) => DateEvidence::None,
    };
    let mut item = Item::new(entry.title, date);
    item.url = entry.link.as_deref().and_then(on_the_site);
    item.id = Some(entry.id).filter(|id| id.starts_with("t3_") || id.starts_with("t1_"));
    item.summary = own_text(&entry.html).map(html::to_text).unwrap_or_default();
    item.set("subreddit", entry.categories.into_iter().next());
    let author = entry.authors.into_iter().next();
    item.set(
        "author",
        author.map(|name| name.trim().trim_start_matches("/u/").to_owned()),
    );
    let linked = linked_page(&entry.html).filter(|linked| Some(linked) != item.url.as_ref());
    item.set("link", linked);
    Some(item)
}

/// Feeds name the host they were asked from (`old`, `ud`); the page is the same on the main one.
fn on_the_site(href: &str) -> Option<String> {
    let mut url = Url::parse(&link::shown(href)?).ok()?;
    if url.host_str().is_some_and(|host| host.ends_with(".reddit.com")) {
        url.set_host(Some("www.reddit.com")).ok()?;
    }
    Some(url.into())
}

fn own_text(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once(OWN_TEXT.0)?;
    Some(rest.split_once(OWN_TEXT.1).map_or(rest, |(own, _)| own))
}

/// The address behind `[link]` at the end of the content.
fn linked_page(content: &str) -> Option<String> {
    let tail = content.rsplit_once(OWN_TEXT.1).map_or(content, |(_, tail)| tail);
    let fragment = html::fragment(tail);
    let anchor = html::all(&fragment, "a[href]")
        .into_iter()
        .find(|anchor| text::one_line(&anchor.text().collect::<String>()) == "[link]")?;
    on_the_site(anchor.attr("href")?)
}

/// Marks the leading entries of a hot feed that are much older than all the rest: feeds do not show
/// which posts are pinned, and Reddit pins at most two. Returns how many.
pub fn suspect_pins(items: &mut [Item]) -> usize {
    const PINS: usize = 2;
    const MUCH_OLDER: TimeDelta = TimeDelta::days(3);
    let date = |item: &Item| item.date.instant();
    let Some((_, rest)) = items.split_at_checked(PINS) else {
        return 0;
    };
    let oldest = rest.iter().filter_map(date).min();
    let Some(oldest) = oldest.filter(|_| rest.len() > PINS) else {
        return 0;
    };
    let mut marked = 0;
    for item in items.iter_mut().take(PINS) {
        if date(item).is_some_and(|at| at + MUCH_OLDER < oldest) {
            item.out_of_order = true;
            item.set("pinned", "perhaps");
            marked += 1;
        } else {
            break;
        }
    }
    marked
}

#[cfg(test)]
mod tests;
