//! Pages of the web: what they say about their date, best evidence first, and what they hold.

use freshcontext_contract::DateEvidence;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_parse::html::{self, all, first, line_of};
use freshcontext_parse::page_date::{self, PageDate};
use freshcontext_parse::scraper::Html;
use freshcontext_parse::{date, link, text};

use super::{Release, instant, markdown};

/// Pages with less text than this hold no document.
const SHELL_CHARS: usize = 200;

/// What a page says.
#[derive(Debug)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its main text.
    pub text: String,
    /// What it says about its date.
    pub dates: PageDate,
    /// Its feeds, the likeliest for releases first.
    pub feeds: Vec<Url>,
    /// The releases or dated entries on it, in its order.
    pub releases: Vec<Release>,
    /// Whether there is no document: a shell for scripts, an interstitial.
    pub shell: bool,
    /// Whether it says, with a good status, that there is nothing here.
    pub not_found: bool,
    /// What of it was not read, as a remark.
    pub cut: Option<String>,
}

/// Reads a page.
pub fn read(source: &str, address: &Url, now: DateTime<Utc>) -> Page {
    let document = html::document(source);
    let base = first(&document, "base[href]")
        .and_then(|base| base.value().attr("href"))
        .and_then(|href| link::absolute(address, href))
        .unwrap_or_else(|| address.clone());
    let title = first(&document, "title")
        .map(|title| line_of(title, ""))
        .unwrap_or_default();
    let main = ["main", "[role=main]", "article"]
        .into_iter()
        .find_map(|css| first(&document, css));
    let body = document.text();
    let text = main
        .map(html::text_of)
        .filter(|text| text.chars().count() >= SHELL_CHARS)
        .unwrap_or_else(|| body.clone());
    let outline = document.outline();
    let mut releases = markdown::read(&outline).releases;
    if releases.len() < 2 || releases.iter().all(|release| instant(&release.date).is_none()) {
        let dated = dated_entries(&outline);
        if dated.len() >= 2 {
            releases = dated;
        }
    }
    if releases.len() < 2 {
        releases.clear();
    }
    let dates = page_date::read(&document, &text, address, now);
    let lower = title.to_lowercase();
    let not_found = lower.contains("not found")
        || lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "404");
    Page {
        feeds: feeds(&document, &base),
        shell: body.chars().filter(|c| !c.is_whitespace()).count() < SHELL_CHARS,
        title,
        text,
        dates,
        releases,
        not_found,
        cut: document.cut().note("page"),
    }
}

/// Entries under headings that are dates, as on a blog's front page.
fn dated_entries(outline: &str) -> Vec<Release> {
    let mut releases: Vec<Release> = Vec::new();
    let mut day = None;
    let mut headings = 0;
    for line in outline.lines() {
        let Some(heading) = line
            .strip_prefix("## ")
            .map(str::trim)
            .filter(|heading| !heading.is_empty())
        else {
            if let Some(last) = releases.last_mut().filter(|_| day.is_some())
                && last.notes.len() < 20_000
            {
                last.notes.push_str(line);
                last.notes.push('\n');
            }
            continue;
        };
        let found = date::find(heading).and_then(|found| found.day(None));
        if let Some(found) = found.filter(|_| heading.split_whitespace().count() <= 6) {
            day = Some(found);
            headings += 1;
        } else if let Some(day) = day {
            if releases.len() >= markdown::MAX_RELEASES {
                break;
            }
            releases.push(Release {
                title: text::clip(heading, 200),
                date: DateEvidence::signal("date heading above the entry", day),
                ..Release::default()
            });
        }
    }
    for release in &mut releases {
        release.notes = text::paragraphs(&release.notes);
    }
    if headings >= 2 { releases } else { Vec::new() }
}

/// Feeds that the page offers: those for releases first, those for comments never.
fn feeds(document: &Html, base: &Url) -> Vec<Url> {
    let mut found: Vec<(u8, Url)> = Vec::new();
    for element in all(document, "link[href]") {
        let element = element.value();
        let attribute = |name: &str| element.attr(name).unwrap_or_default().to_ascii_lowercase();
        let kind = attribute("type");
        let feed = [
            "application/rss+xml",
            "application/atom+xml",
            "application/feed+json",
        ]
        .contains(&kind.trim());
        if !feed || !attribute("rel").split_whitespace().any(|rel| rel == "alternate") {
            continue;
        }
        let Some(url) = element.attr("href").and_then(|href| link::absolute(base, href)) else {
            continue;
        };
        let words = format!("{} {}", attribute("title"), url.path().to_ascii_lowercase());
        if words.contains("comment") || found.iter().any(|(_, known)| *known == url) {
            continue;
        }
        let telling = ["changelog", "release", "update", "what's new"]
            .iter()
            .any(|word| words.contains(word));
        found.push((u8::from(!telling), url));
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, url)| url).collect()
}
