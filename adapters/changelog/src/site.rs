//! Any page of the web: a changelog, a feed, a file, an article, or a site that has one of these.

use std::borrow::Cow;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, DateEvidence, Request, Response, SourceError, named, quoted};
use freshcontext_parse::feed::looks_like as looks_like_a_feed;
use freshcontext_parse::{charset, html, link, text};

use crate::answer::Found;
use crate::parse::page::{self, Page};
use crate::parse::{Release, feed, file, headers, instant};
use crate::places::Places;
use crate::{is_final, redirects, repository, request};

/// Feeds of one page that are tried.
const FEEDS: usize = 2;
/// Words that a page must have more of to be an article: a line such as "Updated 2026-11-21" alone is none.
const ARTICLE_WORDS: usize = 8;

/// What one address turned out to be.
pub(crate) enum Document {
    Found(Box<Found>),
    Html(Box<Page>, Url),
}

/// Finds the releases that an address leads to.
pub async fn releases(cx: &Cx<'_>, address: Url) -> Result<Found, SourceError> {
    let first = clean(address);
    let mut address = first.clone();
    // The answer lives as long as what was read from it: its body counts as memory of the call, and the page does not.
    let read = |response: &Response| Ok((read(cx, response)?, response.clone()));
    let followed = redirects::follow(cx, &mut address, read).await?.ok_or_else(|| {
        let message = format!("{} redirected more than {} times", host(&first), redirects::HOPS);
        SourceError::upstream(message).hint("pass the address to which the page has moved")
    })?;
    // Another spelling of an address is no other page, and the root of a site is where pages end that are there no more.
    let is_elsewhere = !html::same_page(&first, &address) && address.path() != "/";
    let moved = followed.moved(&address).filter(|_| is_elsewhere);
    let (document, response) = followed.read;
    let (page, url) = match document {
        Document::Found(mut found) => {
            found.standing.extend(moved);
            return Ok(*found);
        }
        Document::Html(mut page, url) => {
            page.standing.extend(moved);
            (*page, url)
        }
    };
    if page.releases.is_empty() && page.not_found {
        return Err(SourceError::not_found(format!(
            "{} says that there is nothing at this address",
            host(&url)
        )));
    }
    if page.releases.is_empty() && page.moved {
        let message = format!("{} says that this page has moved to another address", host(&url));
        return Err(SourceError::not_found(message).hint("pass the address that the page leads to"));
    }
    let dated = page
        .releases
        .iter()
        .any(|release| instant(&release.date).is_some());
    if page.releases.len() >= 2 && dated {
        return Ok(listed(page, url));
    }
    let is_root = url.path() == "/";
    let has_text = text::has_more_words(&page.text, ARTICLE_WORDS);
    let is_article = !is_root && !page.shell && has_text && page.dates.any();
    if page.releases.is_empty() && is_article {
        return Ok(article(page, url));
    }
    let mut places = Places::default();
    for feed in page.feeds.iter().take(FEEDS) {
        match fetched(cx, request::page(feed.clone())).await? {
            Ok(Some(mut found)) => {
                found
                    .notes
                    .push(format!("read from the feed that {} offers", host(&url)));
                found.notes.extend(places.note());
                return Ok(found);
            }
            Ok(None) => places.absent(),
            Err(error) => places.failed(feed.clone(), error),
        }
    }
    if page.releases.len() >= 2 {
        return Ok(noting(listed(page, url), &places));
    }
    if let Some(found) = probe(cx, &url, &mut places).await? {
        return Ok(noting(found, &places));
    }
    if page.shell {
        response.discard();
        let message = scripts_only(&url);
        return Err(
            SourceError::malformed(message).hint("pass the address of its feed or of a changelog file")
        );
    }
    // What the caller names and what calls itself a changelog is one, dated or not.
    if !is_root && has_text && (page.named || page.dates.visible.is_some()) {
        return Ok(noting(article(page, url), &places));
    }
    // What holds no release may be a damaged page, so the next call asks for it again.
    response.discard();
    let read = places.read();
    if let Some(failure) = places.failure() {
        return Err(failure);
    }
    let message = format!("no changelog at {url} or under {read} other usual addresses");
    Err(SourceError::not_found(message)
        .hint("pass the address of the changelog itself, or owner/repo of its repository"))
}

/// Adds which other places could not be read.
fn noting(mut found: Found, places: &Places) -> Found {
    found.notes.extend(places.note());
    found
}

fn scripts_only(url: &Url) -> String {
    format!("{} sent a page that holds no text without its scripts", host(url))
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or("the site")
}

/// Without credentials, tracking and fragment.
fn clean(url: Url) -> Url {
    let mut url = link::without_tracking(link::absolute(&url, url.as_str()).unwrap_or(url));
    url.set_fragment(None);
    url
}

/// The releases of a feed, or none where the answer is another document. The outer error ends the call; the inner one
/// is that of this feed alone.
async fn fetched(cx: &Cx<'_>, request: Request) -> Result<Result<Option<Found>, SourceError>, SourceError> {
    // What an answer is when read says nothing against the call.
    let read = |response: &Response| {
        Ok(
            response.validated(read(cx, response).and_then(|document| match document {
                Document::Found(found) => Ok(Some(*found).filter(|found| !found.releases.is_empty())),
                Document::Html(page, at) if page.shell => Err(SourceError::malformed(scripts_only(&at))),
                Document::Html(..) => Ok(None),
            })),
        )
    };
    match cx.read(request, read).await {
        Err(error) if is_final(&error) => Err(error),
        Err(error) => Ok(Err(error)),
        Ok(answer) => Ok(answer),
    }
}

/// Fewest characters of a text for each NUL beyond the first; with more it is no text.
const CHARS_PER_NUL: usize = 1_000;

/// A text without its few stray NULs, which broken tools leave behind; with more of them it is no text. HTML leaves them
/// out, too (WHATWG HTML, 13.2.6.4.7).
fn without_nuls(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match text.matches('\0').count() {
        0 => Some(text),
        few if few <= 1 + text.len() / CHARS_PER_NUL => Some(text.replace('\0', "").into()),
        _ => None,
    }
}

/// Reads an answer by what it is, not by how its address ends.
pub(crate) fn read(cx: &Cx<'_>, response: &Response) -> Result<Document, SourceError> {
    let media = response.media_type();
    let url = clean(response.final_url.clone());
    let readable = media.is_empty()
        || media.starts_with("text/")
        || ["xml", "json", "octet-stream", "markdown"]
            .iter()
            .any(|kind| media.contains(kind));
    if !readable {
        return Err(SourceError::malformed(format!(
            "{} sent {}, which is no text",
            host(&url),
            named(&media)
        )));
    }
    let decoded = charset::decode(response);
    let body = decoded.text;
    if body.trim().is_empty() {
        return Err(SourceError::malformed(format!(
            "{} sent an empty answer",
            host(&url)
        )));
    }
    let Some(body) = without_nuls(body) else {
        return Err(SourceError::malformed(format!(
            "{} sent something that is no text",
            host(&url)
        )));
    };
    if looks_like_a_feed(&body) {
        let feed = feed::read(&body, &url)?;
        let what = if feed.title.is_empty() {
            format!("feed of {}", host(&url))
        } else {
            format!("feed {}", quoted(&feed.title))
        };
        let standing = headers::signs(&response.headers, &url);
        let found = Found::new(what, url, "feed", feed.releases);
        return Ok(Document::Found(Box::new(Found { standing, ..found })));
    }
    let start: String = body
        .trim_start()
        .chars()
        .take(500)
        .collect::<String>()
        .to_ascii_lowercase();
    let html = media.contains("html") || start.starts_with("<!doctype html") || start.starts_with("<html");
    if html {
        if let Some(block_page) = response.block_page() {
            return Err(block_page);
        }
        let mut page = page::read(&body, &url, cx.now());
        // Headers are fields of the host's, so what they say comes before what the page says.
        let own = std::mem::take(&mut page.standing);
        page.standing = headers::signs(&response.headers, &url);
        page.standing.extend(own);
        return Ok(Document::Html(Box::new(page), url));
    }
    let document = file::read(&body);
    if document.releases.is_empty() {
        let message = format!("the text at {url} has no headings with versions");
        return Err(SourceError::not_found(message).hint("pass the address of a changelog"));
    }
    let what = format!("changelog {url}");
    let standing = headers::signs(&response.headers, &url);
    let found = repository::of_file(&what, url, document);
    Ok(Document::Found(Box::new(Found { standing, ..found })))
}

fn listed(page: Page, url: Url) -> Found {
    let what = if page.title.is_empty() {
        format!("page {url}")
    } else {
        format!("page {}", quoted(&page.title))
    };
    let mut found = Found {
        standing: page.standing,
        ..Found::new(what, url, "page", page.releases)
    };
    found.notes.extend(page.cut);
    found
}

/// One dated page, such as the announcement of a release.
fn article(page: Page, url: Url) -> Found {
    let title = if page.title.is_empty() {
        url.to_string()
    } else {
        page.title
    };
    let release = Release {
        title: title.clone(),
        date: page.dates.date,
        url: Some(url.to_string()),
        notes: page.text,
        ..Release::default()
    };
    let mut found = Found::new(format!("page {}", quoted(&title)), url, "page", vec![release]);
    found.article = true;
    found.prose = page.prose;
    found.standing = page.standing;
    found.notes.extend(page.cut);
    found.notes.extend(page.dates.notes);
    if let Some(modified) = page.dates.modified {
        if found
            .releases
            .iter()
            .all(|release| release.date == DateEvidence::None)
        {
            let note = "the page says when it was changed, not when it was published";
            found.notes.push(note.to_owned());
        }
        found.fields.insert("modified".to_owned(), modified.into());
    }
    if found
        .releases
        .iter()
        .all(|release| release.date == DateEvidence::None)
        && found.notes.is_empty()
    {
        found
            .notes
            .push("the page says nothing about when it was published".to_owned());
    }
    if let Some(visible) = page.dates.visible {
        found.fields.insert("visible_date".to_owned(), visible.into());
        found
            .notes
            .push("a date stands on the page, but nothing shows that it is the page's own".to_owned());
    }
    found
}

/// A probe's answer with its rank: 3 for a file or a feed, 2 for a page of dated releases, 1 for one of releases without
/// dates; `None` where it has fewer than two.
fn ranked(document: Document) -> Option<(u8, Found)> {
    match document {
        Document::Found(found) if found.releases.len() >= 2 => Some((3, *found)),
        Document::Html(page, at) if page.releases.len() >= 2 && !page.not_found => {
            let dated = page
                .releases
                .iter()
                .any(|release| instant(&release.date).is_some());
            Some((if dated { 2 } else { 1 }, listed(*page, at)))
        }
        _ => None,
    }
}

/// Asks a site's usual places at once and keeps the best: a file or a feed, then a page of releases. `places` gets those
/// that hold none and those that could not be read.
async fn probe(cx: &Cx<'_>, url: &Url, places: &mut Places) -> Result<Option<Found>, SourceError> {
    let probes = request::probes(url);
    let addresses: Vec<Url> = probes.iter().map(|request| request.url.clone()).collect();
    let mut best: Option<(u8, Found)> = None;
    let read = |response: &Response| match response.status {
        400.. => Ok(Ok(None)),
        // Ranked here: what is kept of each until all have answered is not counted as memory of a reader.
        _ => Ok(
            response.validated(read(cx, response).and_then(|document| match document {
                Document::Html(page, at) if page.shell && page.releases.is_empty() && !page.not_found => {
                    Err(SourceError::malformed(scripts_only(&at)))
                }
                document => Ok(ranked(document)),
            })),
        ),
    };
    for (at, answer) in addresses.into_iter().zip(cx.read_all(probes, read).await) {
        let (rank, found) = match answer.and_then(std::convert::identity) {
            Err(error) if is_final(&error) => return Err(error),
            Err(error) => {
                places.failed(at, error);
                continue;
            }
            Ok(None) => {
                places.absent();
                continue;
            }
            Ok(Some(ranked)) => ranked,
        };
        if best.as_ref().is_none_or(|(known, _)| rank > *known) {
            best = Some((rank, found));
        }
    }
    Ok(best.map(|(_, mut found)| {
        found
            .notes
            .push(format!("found at {}, not at the address given", found.page));
        found
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_stray_nuls_make_no_binary_file_of_a_text() {
        let text = format!("{}\0{}", "word ".repeat(300), "word ".repeat(300));
        let read = without_nuls(text.as_str().into()).unwrap();
        assert_eq!(read, text.replace('\0', ""));
        assert_eq!(without_nuls("ab".into()).as_deref(), Some("ab"));
        assert_eq!(without_nuls("GIF89a\0\0\0\u{1}\0".into()), None);
    }
}
