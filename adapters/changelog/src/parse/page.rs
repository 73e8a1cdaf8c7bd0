//! Pages of the web: what they say about their date, best evidence first, and what they hold.

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, StandingEvidence};
use freshcontext_parse::html::{self, Main, all, first, line_of};
use freshcontext_parse::page_date::{self, PageDate};
use freshcontext_parse::scraper::{ElementRef, Html};
use freshcontext_parse::{link, text};

use super::{Release, entries, instant, markdown, notice};

/// A page with less text than this may be a shell that its scripts fill.
const SHELL_CHARS: usize = 200;
/// The same where the page has scripts and nothing else says that they fill it.
const SCRIPTED_CHARS: usize = 40;
/// Elements into which the scripts of common frameworks write the page.
const MOUNTS: &str = "#root, #app, #__next, #__nuxt, #svelte, app-root, [data-reactroot], [ng-app]";
/// Words by which a page, in its title, headline or address, calls itself a list of releases.
const NAMES: [&str; 9] = [
    "changelog",
    "changelogs",
    "change log",
    "release notes",
    "releasenotes",
    "release history",
    "version history",
    "what s new",
    "whats new",
];
/// Words that do so where hardly any others stand beside them.
const SHORT_NAMES: [&str; 5] = ["changes", "releases", "updates", "versions", "announcements"];
/// Most words of a title, or of a part of it, with one of these.
const SHORT_NAME_WORDS: usize = 3;
/// Titles of pages that say that there is nothing.
const NOT_FOUND: [&str; 6] = [
    "404",
    "error 404",
    "404 error",
    "http 404",
    "404 page",
    "not found",
];
/// Most words of a title that says that something was not found; a longer one is a headline.
const NOT_FOUND_WORDS: usize = 5;

/// Longest text of a page whose prose is told apart, in bytes: failures are short.
const PROSE_BYTES: usize = 4_000;
/// What of a title is compared with the lines of a page.
const TITLE_CHARS: usize = 300;
/// What scripts write in place of a value that they do not have.
const ABSENT: [&str; 5] = ["undefined", "null", "nan", "[object", "object]"];
/// Fewest placeholders of a page that is hardly anything else.
const PLACEHOLDERS: usize = 3;
/// Most words of a page that only leads to another address; and where it says nothing else than that it leads there.
const MOVED_WORDS: usize = 60;
const REDIRECT_WORDS: usize = 20;
/// What such a page says to its visitor.
const REDIRECTS: [&str; 8] = [
    "you will be redirected",
    "you are being redirected",
    "you should be redirected",
    "redirect you",
    "redirecting you",
    "redirecting to",
    "redirecting...",
    "not redirected",
];
/// Why it says so.
const MOVED: [&str; 7] = [
    "moved",
    "new address",
    "new home",
    "new location",
    "new site",
    "new url",
    "new website",
];

/// What a page says.
#[derive(Debug)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its main text.
    pub text: String,
    /// Its prose alone, where it is short.
    pub prose: Option<String>,
    /// What it says about its date.
    pub dates: PageDate,
    /// Its feeds, the likeliest for releases first.
    pub feeds: Vec<Url>,
    /// The releases or dated entries on it, in its order.
    pub releases: Vec<Release>,
    /// Whether there is no document: a shell for scripts, an interstitial, a template that was not filled in.
    pub shell: bool,
    /// Whether its title, headline or address calls it a list of releases or of news.
    pub named: bool,
    /// Whether it only leads to another address.
    pub moved: bool,
    /// Whether it says, with a good status, that there is nothing here.
    pub not_found: bool,
    /// Signs by which it says that it does not stand itself.
    pub standing: Vec<StandingEvidence>,
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
    let main = Main::of(&document, address);
    // One long text at a time beside the tree: a page's memory is bounded by its length.
    let body = document.text();
    let is_shell = is_shell(&document, &body);
    let text = Some(main.text()).filter(|text| !text.is_empty()).unwrap_or(body);
    let prose = (text.len() <= PROSE_BYTES).then(|| main.prose());
    let headline = main
        .headline()
        .map(|headline| line_of(headline, " "))
        .unwrap_or_default();
    let dates = page_date::read(&document, &main, &text, address, now);
    let last = link::segments(address).pop().unwrap_or_default();
    let named = [title.as_str(), headline.as_str(), last]
        .into_iter()
        .any(names_releases);
    let own = below_title(&text, &title, &headline);
    let shell = is_shell || is_unfilled(&own);
    let moved = leads_elsewhere(&document, &own, address);
    drop(own);
    // Releases that a dated page only leads to are other pages' matter, and their dates, too.
    let outline = if named || dates.date == DateEvidence::None {
        main.outline()
    } else {
        main.own_outline()
    };
    let releases = releases(&outline, named, dates.documented);
    drop(outline);
    // What stands under the first entry of a list is about that entry.
    let first_entry = releases
        .first()
        .and_then(|release| text.find(release.title.as_str()));
    let start = text.get(..first_entry.unwrap_or(text.len())).unwrap_or_default();
    Page {
        standing: notice::signs(&document, &main, start, address, &base, now),
        feeds: feeds(&document, &base),
        shell,
        named,
        moved,
        not_found: says_not_found(&title),
        releases,
        title,
        text,
        prose,
        dates,
        cut: document.cut().note("page"),
    }
}

/// The text without the lines that repeat the title or the headline. A title may be as long as the page, so only its start
/// is searched for each line.
fn below_title(text: &str, title: &str, headline: &str) -> String {
    let title = text::clip(title, TITLE_CHARS);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !title.contains(line.trim()) && line.trim() != headline)
        .collect();
    lines.join("\n")
}

/// The releases or dated entries in the content of a page. What a page says of its own publication outranks a list,
/// unless the page calls itself one or its headings are plainly those of releases.
fn releases(outline: &str, named: bool, documented: bool) -> Vec<Release> {
    let is_dated = |releases: &[Release]| releases.iter().any(|release| instant(&release.date).is_some());
    let document = markdown::read(outline);
    let mut releases = document.releases;
    let dates = releases
        .iter()
        .filter(|release| instant(&release.date).is_some())
        .count();
    // `1.1 Introduction` is a section. An article may name two versions, and date neither.
    let enough = if documented {
        dates >= 2 && document.sure >= 2
    } else {
        document.sure >= 2
    };
    // Without dates a list says less than the page does.
    let says_less = documented && dates == 0 && document.sure < releases.len();
    if !named && !enough || says_less {
        releases.clear();
    }
    if (releases.len() < 2 || !is_dated(&releases)) && (named || !documented) {
        let dated = entries::read(outline, named);
        if dated.len() >= 2 {
            releases = dated;
        }
    }
    if releases.len() < 2 {
        releases.clear();
    }
    releases
}

/// Whether a title, or a part of it beside the site's name, calls the page a list of releases or of news.
fn names_releases(text: &str) -> bool {
    parts(text).any(|part| {
        let words = words(part);
        let padded = format!(" {} ", words.join(" "));
        let says = |name: &&str| padded.contains(&format!(" {name} "));
        NAMES.iter().any(&says) || words.len() <= SHORT_NAME_WORDS && SHORT_NAMES.iter().any(says)
    })
}

/// A title and its parts.
fn parts(title: &str) -> impl Iterator<Item = &str> {
    title
        .split(['|', '–', '—', '·', ':', '»', '/'])
        .chain(title.split(" - "))
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Whether a title, or a part of it beside the site's name, says that there is nothing here.
fn says_not_found(title: &str) -> bool {
    parts(title).any(|part| {
        let words = words(part);
        let plain = words.join(" ");
        NOT_FOUND.contains(&plain.as_str()) || words.len() <= NOT_FOUND_WORDS && plain.contains("not found")
    })
}

/// Whether a page holds no document until its scripts have run. A short page without such signs is short.
fn is_shell(document: &Html, body: &str) -> bool {
    let chars = body.chars().filter(|c| !c.is_whitespace()).count();
    if chars >= SHELL_CHARS {
        return false;
    }
    let empty = |element: ElementRef<'_>| html::text_of(element).is_empty();
    let asks = || {
        // Comments that a service adds are no part of the page.
        let asks = |element: &ElementRef<'_>| {
            let text = line_of(*element, " ").to_lowercase();
            text.contains("javascript") && !text.contains("comments")
        };
        all(document, "noscript").iter().any(asks)
    };
    let scripted = || first(document, "script[src]").is_some();
    chars == 0 || first(document, MOUNTS).is_some_and(empty) || asks() || chars < SCRIPTED_CHARS && scripted()
}

/// Whether a text is hardly more than placeholders: `{{ title }}` of a template, `undefined` of a script.
fn is_unfilled(text: &str) -> bool {
    let (mut unfilled, mut words) = (0, 0);
    let mut rest = text;
    loop {
        let (before, tail) = rest.split_once("{{").unwrap_or((rest, ""));
        for word in before.split_whitespace() {
            let word = word
                .trim_matches([',', '.', ';', ':', '(', ')', '"', '-'])
                .to_lowercase();
            if ABSENT.contains(&word.as_str()) {
                unfilled += 1;
            } else {
                words += usize::from(word.contains(char::is_alphabetic));
            }
        }
        let Some((_, after)) = tail.split_once("}}") else {
            break;
        };
        unfilled += 1;
        rest = after;
    }
    unfilled >= PLACEHOLDERS && unfilled * 2 >= words || unfilled > 0 && words == 0
}

/// Whether a page of a few words does nothing but lead to another address.
fn leads_elsewhere(document: &Html, text: &str, address: &Url) -> bool {
    if text::has_more_words(text, MOVED_WORDS) {
        return false;
    }
    let refreshes = all(document, "meta[http-equiv]").into_iter().any(|meta| {
        let value = meta.value();
        let is_refresh = value
            .attr("http-equiv")
            .is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
        let target = value
            .attr("content")
            .and_then(|content| content.split_once('='))
            .map(|(_, target)| target);
        let target = target.map(|target| target.trim_matches([' ', '\'', '"']));
        // A page that loads itself again is one that changes.
        is_refresh
            && target
                .and_then(|target| link::absolute(address, target))
                .is_some_and(|target| !html::same_page(&target, address))
    });
    let lower = text::one_line(text).to_lowercase().replace('…', "...");
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    refreshes || says(&REDIRECTS) && (says(&MOVED) || !text::has_more_words(text, REDIRECT_WORDS))
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
