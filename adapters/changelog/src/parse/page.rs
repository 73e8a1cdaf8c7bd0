//! Pages of the web: what they say about their date, best evidence first, and what they hold.

use freshcontext_contract::DateEvidence;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_parse::scraper::{ElementRef, Html, Selector};
use freshcontext_parse::{html, link, text};

use super::signals::{self, Signals};
use super::{Release, dates, instant, markdown};

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
    pub dates: Signals,
    /// Its feeds, the likeliest for releases first.
    pub feeds: Vec<Url>,
    /// The releases or dated entries on it, in its order.
    pub releases: Vec<Release>,
    /// Whether there is no document: a shell for scripts, an interstitial.
    pub shell: bool,
    /// Whether it says, with a good status, that there is nothing here.
    pub not_found: bool,
}

/// Reads a page.
pub fn read(source: &str, address: &Url, now: DateTime<Utc>) -> Page {
    let document = html::document(source);
    let base = first(&document, "base[href]")
        .and_then(|base| base.value().attr("href"))
        .and_then(|href| link::absolute(address, href))
        .unwrap_or_else(|| address.clone());
    let title = first(&document, "title")
        .map(|title| text::one_line(&title.text().collect::<String>()))
        .unwrap_or_default();
    let main = ["main", "[role=main]", "article"]
        .into_iter()
        .find_map(|css| first(&document, css));
    let body = html::to_text(source);
    let text = main
        .map(html::text_of)
        .filter(|text| text.chars().count() >= SHELL_CHARS)
        .unwrap_or_else(|| body.clone());
    let outline = html::to_text(&with_marks(source));
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
    let dates = signals::read(&document, &text, address, now);
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
    }
}

fn first<'d>(document: &'d Html, css: &str) -> Option<ElementRef<'d>> {
    let selector = Selector::parse(css).ok()?;
    document.select(&selector).next()
}

pub(super) fn all<'d>(document: &'d Html, css: &str) -> Vec<ElementRef<'d>> {
    Selector::parse(css)
        .map(|selector| document.select(&selector).take(500).collect())
        .unwrap_or_default()
}

/// The source with a mark before each heading, so that its text can be read like a changelog file.
fn with_marks(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 1_000);
    let mut rest = source;
    while let Some(at) = rest.find("<h").or_else(|| rest.find("<H")) {
        let Some((before, tag)) = rest.split_at_checked(at) else {
            break;
        };
        out.push_str(before);
        let is_heading = tag.as_bytes().get(2).is_some_and(|b| (b'1'..=b'6').contains(b))
            && tag.as_bytes().get(3).is_some_and(|b| !b.is_ascii_alphanumeric());
        let end = tag.find('>').filter(|_| is_heading).map_or(2, |end| end + 1);
        let (open, after) = tag.split_at_checked(end).unwrap_or((tag, ""));
        out.push_str(open);
        if is_heading {
            out.push_str("&#35;&#35; ");
        }
        rest = after;
    }
    out.push_str(rest);
    out
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
        let found = dates::find(heading).and_then(|found| found.day(None));
        if let Some(found) = found.filter(|_| heading.split_whitespace().count() <= 6) {
            day = Some(found);
            headings += 1;
        } else if let Some(day) = day {
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
