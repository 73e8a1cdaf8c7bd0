//! Pages of the web: what they say about their date, best evidence first, and what they hold.

use freshcontext_contract::chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, DateValue};
use freshcontext_parse::scraper::{ElementRef, Html, Selector};
use freshcontext_parse::{html, link, text};

use super::{Release, dates, instant, jsonld, markdown};

/// Pages with less text than this hold no document.
const SHELL_CHARS: usize = 200;
/// Elements that one question of ours looks at.
const ELEMENTS: usize = 500;
/// A name, a label or a date is no longer than this.
const SHORT_BYTES: usize = 4_000;
/// A date may lie this far ahead of the clock.
const AHEAD: TimeDelta = TimeDelta::minutes(5);

/// What a page says.
#[derive(Debug)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its main text.
    pub text: String,
    /// Its date and what shows it.
    pub date: DateEvidence,
    /// When it was changed, where it says so.
    pub modified: Option<String>,
    /// A date on the page that stands alone and proves nothing.
    pub visible: Option<String>,
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
        .map(|title| words(title, ""))
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
    let (date, modified, visible) = signals(&document, &text, address, now);
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
        date,
        modified,
        visible,
        releases,
        not_found,
        cut: document.cut().note("page"),
    }
}

/// The text of an element on one line, its pieces set apart by `between`. Elements nest, and each may hold
/// the whole page: of a long text only the beginning is read.
fn words(element: ElementRef<'_>, between: &str) -> String {
    let mut out = String::new();
    for piece in element.text() {
        if !out.is_empty() {
            out.push_str(between);
        }
        out.push_str(piece);
        if out.len() > SHORT_BYTES {
            out.truncate(out.floor_char_boundary(SHORT_BYTES));
            break;
        }
    }
    text::one_line(&out)
}

/// The classes of an element, from its attribute: `scraper`'s own list keeps each name in a global table.
fn classes(element: ElementRef<'_>) -> impl Iterator<Item = &str> {
    element
        .value()
        .attr("class")
        .unwrap_or_default()
        .split_ascii_whitespace()
}

fn first<'d>(document: &'d Html, css: &str) -> Option<ElementRef<'d>> {
    let selector = Selector::parse(css).ok()?;
    document.select(&selector).next()
}

fn all<'d>(document: &'d Html, css: &str) -> Vec<ElementRef<'d>> {
    Selector::parse(css)
        .map(|selector| document.select(&selector).take(ELEMENTS).collect())
        .unwrap_or_default()
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

fn signals(
    document: &Html,
    text: &str,
    address: &Url,
    now: DateTime<Utc>,
) -> (DateEvidence, Option<String>, Option<String>) {
    let sane = |value: &DateValue| value_instant(value).is_some_and(|at| at <= now + AHEAD);
    let read = |text: &str| dates::machine(text).filter(sane);
    let linked = linked_data(document);
    let content = |css: &str| {
        all(document, css).into_iter().find_map(|element| {
            let element = element.value();
            read(element.attr("content").or_else(|| element.attr("datetime"))?)
        })
    };
    let published_ld = linked.published.as_deref().and_then(read);
    let published_meta =
        content("meta[property='article:published_time'], meta[name='article:published_time']")
            .or_else(|| content("meta[itemprop='datePublished'], time[itemprop='datePublished']"));
    let modified = linked
        .modified()
        .and_then(read)
        .or_else(|| content("meta[property='article:modified_time'], meta[property='og:updated_time']"));
    let shown = modified
        .as_ref()
        .and_then(value_instant)
        .map(|at| at.to_rfc3339());
    let of_page = linked.page_published.as_deref().and_then(read);
    if let Some(value) = published_ld.or_else(|| of_page.clone()) {
        let value = sharper(value, [of_page, published_meta]);
        return (DateEvidence::field("JSON-LD datePublished", value), shown, None);
    }
    if let Some(value) = published_meta {
        return (
            DateEvidence::field("published_time of the page's metadata", value),
            shown,
            None,
        );
    }
    if let Some(value) = published_time(document).and_then(|text| read(&text)) {
        return (
            DateEvidence::signal("time element marked as publication", value),
            shown,
            None,
        );
    }
    if let Some(value) = dated_class(document).map(DateValue::Day).filter(sane) {
        return (
            DateEvidence::signal("date marked as publication by its class", value),
            shown,
            None,
        );
    }
    let labelled = labelled_date(document, text).map(DateValue::Day).filter(sane);
    if let Some(value) = labelled {
        return (
            DateEvidence::signal("date beside a label such as Published", value),
            shown,
            None,
        );
    }
    let in_path = path_date(address).map(DateValue::Day).filter(sane);
    let visible = text.lines().take(40).find_map(|line| {
        let short = line.chars().count() <= 120;
        short
            .then(|| dates::find(line))
            .flatten()
            .and_then(|found| found.day(None))
    });
    let visible = visible.map(DateValue::Day).filter(sane);
    if let Some(value) = in_path {
        let both = visible.as_ref() == Some(&value);
        let what = if both {
            "date in the address and on the page"
        } else {
            "date in the address"
        };
        return (DateEvidence::signal(what, value), shown, None);
    }
    if let Some(value) = modified {
        return (
            DateEvidence::signal("modified: the page's last change", value),
            shown,
            None,
        );
    }
    let alone = visible.and_then(|value| match value {
        DateValue::Day(day) => Some(day.to_string()),
        _ => None,
    });
    (DateEvidence::None, shown, alone)
}

/// Some pages round one of their stamps to the day: another one of that day knows the time.
fn sharper(value: DateValue, others: [Option<DateValue>; 2]) -> DateValue {
    let Some(at) = value_instant(&value) else {
        return value;
    };
    if at.time() != NaiveTime::MIN {
        return value;
    }
    let same_day = |other: &DateValue| {
        value_instant(other)
            .is_some_and(|other| other.date_naive() == at.date_naive() && other.time() != NaiveTime::MIN)
    };
    others.into_iter().flatten().find(same_day).unwrap_or(value)
}

fn value_instant(value: &DateValue) -> Option<DateTime<Utc>> {
    instant(&DateEvidence::field("x", value.clone()))
}

/// JSON-LD of the main entity. What does not parse is skipped: pages break it often.
fn linked_data(document: &Html) -> jsonld::Dates {
    let mut found = jsonld::Dates::default();
    for script in all(document, "script[type='application/ld+json']") {
        let source: String = script.text().collect();
        jsonld::read(&source, &mut found);
    }
    found
}

/// A `time` element that says it is the publication, outside of comments, quotes and embeds.
fn published_time(document: &Html) -> Option<String> {
    all(
        document,
        "main time[datetime], article time[datetime], [role=main] time[datetime], header time[datetime]",
    )
    .into_iter()
    .find(|time| {
        let element = time.value();
        let classes = element.attr("class").unwrap_or_default().to_lowercase();
        let says = element.attr("pubdate").is_some()
            || ["publish", "pubdate", "entry-date", "post-date", "dt-published"]
                .iter()
                .any(|word| classes.contains(word));
        says && !foreign(*time)
    })
    .and_then(|time| time.value().attr("datetime").map(str::to_owned))
}

/// A date in an element whose class says that it is the publication, such as `publish-date`.
fn dated_class(document: &Html) -> Option<NaiveDate> {
    const MARKS: [&str; 8] = [
        "publishdate",
        "publisheddate",
        "datepublished",
        "publishedon",
        "pubdate",
        "postdate",
        "entrydate",
        "articledate",
    ];
    all(document, "[class*=ublish], [class*=date], [class*=Date]")
        .into_iter()
        .filter(|element| {
            classes(*element).any(|class| {
                let plain: String = class
                    .chars()
                    .filter(char::is_ascii_alphanumeric)
                    .map(|c| c.to_ascii_lowercase())
                    .collect();
                MARKS.iter().any(|mark| plain.contains(mark))
            }) && !foreign(*element)
        })
        .find_map(|element| {
            let said = words(element, " ");
            let short = said.chars().count() <= 60;
            short.then(|| dates::find(&said)).flatten()?.day(None)
        })
}

/// Whether an element belongs to somebody else's text within the page's main part.
fn foreign(element: ElementRef<'_>) -> bool {
    element
        .ancestors()
        .filter_map(ElementRef::wrap)
        .take_while(|ancestor| !matches!(ancestor.value().name(), "main" | "body"))
        .any(|ancestor| {
            let value = ancestor.value();
            let marked = classes(ancestor).chain(value.id()).any(|mark| {
                let mark = mark.to_ascii_lowercase();
                ["comment", "embed", "related", "sidebar", "instagram", "twitter"]
                    .iter()
                    .any(|word| mark.starts_with(word))
            });
            marked
                || matches!(
                    value.name(),
                    "blockquote" | "aside" | "footer" | "nav" | "iframe" | "figure"
                )
        })
}

/// `<dt>Announced</dt><dd>April 2, 2024</dd>`, or "Published: April 2, 2024" near the top.
fn labelled_date(document: &Html, text: &str) -> Option<NaiveDate> {
    const LABELS: [&str; 8] = [
        "announced",
        "published",
        "released",
        "release date",
        "posted",
        "date",
        "publication date",
        "issued",
    ];
    let is_label = |label: &str| LABELS.contains(&label.trim().trim_end_matches(':').to_lowercase().as_str());
    let pair = all(document, "dt, th").into_iter().find_map(|label| {
        let said = words(label, "");
        let value = label.next_siblings().find_map(ElementRef::wrap)?;
        let fits = is_label(&said) && matches!(value.value().name(), "dd" | "td") && !foreign(label);
        fits.then(|| dates::find(&words(value, "")))??.day(None)
    });
    pair.or_else(|| {
        text.lines()
            .take(60)
            .filter(|line| line.chars().count() <= 120)
            .find_map(|line| {
                let lower = line.to_lowercase();
                let label = LABELS.iter().filter(|label| **label != "date").find(|label| {
                    lower
                        .strip_prefix(**label)
                        .is_some_and(|rest| rest.starts_with([':', ' ']))
                })?;
                dates::find(line.get(label.len()..)?)?.day(None)
            })
    })
}

/// `/2024/05/06/title`, `/2024-05-06-title`.
fn path_date(address: &Url) -> Option<NaiveDate> {
    let path = address.path();
    let found = dates::find(path)?;
    match found {
        dates::Found::Day(day) => {
            let year = day.format("%Y").to_string();
            path.contains(&year).then_some(day)
        }
        dates::Found::Ambiguous(..) => None,
    }
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
