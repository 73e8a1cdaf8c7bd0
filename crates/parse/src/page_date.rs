//! What a page says about its date, best evidence first; and what it says against it.

mod jsonld;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use freshcontext_contract::limits::DATES_APART_H;
use freshcontext_contract::{DateEvidence, DateValue};
use scraper::{ElementRef, Html};
use url::Url;

use crate::date::{self, PathDate};
use crate::html::{all, classes, line_of};

/// Publication dates of one page further apart than this contradict each other.
const APART: TimeDelta = TimeDelta::hours(DATES_APART_H);
/// Maximum length of a text with a labelled date, in characters.
const LABELLED_CHARS: usize = 120;

/// What a page says about its date.
#[derive(Debug, Default)]
pub struct PageDate {
    /// When it was published, and what shows it.
    pub date: DateEvidence,
    /// When it was changed, where it says so. Not a publication.
    pub modified: Option<String>,
    /// A date on the page that stands alone and proves nothing.
    pub visible: Option<String>,
    /// What there is to know about the date: contradictions, a month in the place of a day.
    pub notes: Vec<String>,
}

/// One statement of when the page was published.
struct Claim {
    /// What says so.
    what: &'static str,
    value: DateValue,
    /// Whether it is a field whose meaning is documented.
    field: bool,
}

impl Claim {
    fn at(&self) -> Option<DateTime<Utc>> {
        self.value.instant()
    }

    /// What says so, and when.
    fn told(&self) -> String {
        format!("{} {}", self.what, date::shown(&self.value).unwrap_or_default())
    }

    fn evidence(self) -> DateEvidence {
        if self.field {
            DateEvidence::field(self.what, self.value)
        } else {
            DateEvidence::signal(self.what, self.value)
        }
    }
}

/// Reads all that a page says about its date.
pub fn read(document: &Html, text: &str, address: &Url, now: DateTime<Utc>) -> PageDate {
    let sane = |value: &DateValue| !date::lies_ahead(value, now);
    let read = |text: &str| date::machine(text).filter(sane);
    let linked = linked_data(document);
    let of_metadata = |css: &str| -> Vec<DateValue> {
        all(document, css)
            .into_iter()
            .filter(|element| !foreign(*element))
            .filter_map(|element| {
                let element = element.value();
                read(element.attr("content").or_else(|| element.attr("datetime"))?)
            })
            .collect()
    };
    let modified = linked.modified().and_then(read).or_else(|| {
        of_metadata("meta[property='article:modified_time'], meta[property='og:updated_time']")
            .into_iter()
            .next()
    });
    let mut dates = PageDate {
        modified: modified.as_ref().and_then(date::shown),
        ..PageDate::default()
    };
    let mut claims: Vec<Claim> = Vec::new();
    let mut claim = |what, value: Option<DateValue>, field| {
        claims.extend(value.map(|value| Claim { what, value, field }));
    };
    let ld = "JSON-LD datePublished";
    claim(ld, linked.published.as_deref().and_then(read), true);
    claim(ld, linked.page_published.as_deref().and_then(read), true);
    for css in [
        "meta[property='article:published_time'], meta[name='article:published_time']",
        "meta[itemprop='datePublished'], time[itemprop='datePublished']",
    ] {
        for value in of_metadata(css) {
            claim("published_time of the page's metadata", Some(value), true);
        }
    }
    let marked = published_time(document).and_then(|text| read(&text));
    claim("time element marked as publication", marked, false);
    let by_class = dated_class(document).map(DateValue::Day).filter(sane);
    claim("date marked as publication by its class", by_class, false);
    let labelled = labelled_date(document).map(DateValue::Day).filter(sane);
    claim("date beside a label such as Published", labelled, false);

    let visible = text.lines().take(40).find_map(|line| {
        let short = line.chars().count() <= 120;
        short
            .then(|| date::find(line))
            .flatten()
            .and_then(|found| found.day(None))
    });
    let visible = visible.filter(|day| sane(&DateValue::Day(*day)));
    let in_path = date::in_address(address).filter(|found| sane(&DateValue::Day(found.first())));
    if claims.is_empty() {
        match in_path {
            Some(found) => dates.date = of_path(found, visible, &mut dates.notes),
            None => dates.visible = visible.map(|day| day.to_string()),
        }
        return dates;
    }
    dates.weigh(claims, in_path);
    dates
}

impl PageDate {
    /// Takes the best claim, unless the others or the address speak against it.
    fn weigh(&mut self, mut claims: Vec<Claim>, in_path: Option<PathDate>) {
        let mut best = claims.remove(0);
        if best.field {
            best.value = sharper(best.value, claims.iter().filter(|claim| claim.field));
        }
        let Some(at) = best.at() else { return };
        if let Some(found) = in_path.filter(|found| at - end_of(*found) > APART) {
            // What bears an address has been there since: whatever claims a later day is a later edition.
            self.notes.push(format!(
                "{}, but the address is of {found}: the page is not newer than that",
                best.told()
            ));
            self.date = of_path(found, None, &mut self.notes);
            return;
        }
        let mut against: Vec<String> = Vec::new();
        for other in claims {
            if other.at().is_some_and(|other| (at - other).abs() > APART) {
                let told = other.told();
                if !against.contains(&told) {
                    against.push(told);
                }
            }
        }
        if let Some(found) = in_path.filter(|found| start_of(*found) - at > APART) {
            against.push(format!("the address {found}"));
        }
        if against.is_empty() {
            self.date = best.evidence();
            return;
        }
        let told = format!("{} against {}", best.told(), against.join(", "));
        self.notes.push(format!(
            "the page's publication dates contradict each other: {told}"
        ));
        self.date = if best.field {
            DateEvidence::PageSignal {
                what: format!("{}, contradicted by other dates of the page", best.what).into(),
                value: best.value,
            }
        } else {
            // Signals against signals leave nothing to rely on.
            DateEvidence::None
        };
    }

    /// Whether the page says anything about when it was made, so that it is a document with a history.
    pub fn any(&self) -> bool {
        self.date != DateEvidence::None || self.modified.is_some() || !self.notes.is_empty()
    }
}

/// The date in an address as evidence, with a note about it.
fn of_path(found: PathDate, visible: Option<NaiveDate>, notes: &mut Vec<String>) -> DateEvidence {
    match found {
        PathDate::Day(day) if visible == Some(day) => {
            DateEvidence::signal("date in the address and on the page", day)
        }
        PathDate::Day(day) => DateEvidence::signal("date in the address", day),
        PathDate::Month(first) => {
            notes.push(format!(
                "the address names the month {found} alone: its first day stands for it"
            ));
            DateEvidence::signal("month in the address, the day is not known", first)
        }
    }
}

fn start_of(found: PathDate) -> DateTime<Utc> {
    found.first().and_time(NaiveTime::MIN).and_utc()
}

/// The last day that an address names, as a day counts: from its beginning.
fn end_of(found: PathDate) -> DateTime<Utc> {
    found.last().and_time(NaiveTime::MIN).and_utc()
}

/// Some pages round one of their stamps to the day: another one of that day knows the time.
fn sharper<'c>(value: DateValue, others: impl Iterator<Item = &'c Claim>) -> DateValue {
    let Some(at) = value.instant().filter(|at| at.time() == NaiveTime::MIN) else {
        return value;
    };
    let mut same_day = others.filter(|other| {
        other
            .at()
            .is_some_and(|other| other.date_naive() == at.date_naive() && other.time() != NaiveTime::MIN)
    });
    same_day.next().map_or(value, |other| other.value.clone())
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
            let said = line_of(element, " ");
            let short = said.chars().count() <= 60;
            short.then(|| date::find(&said)).flatten()?.day(None)
        })
}

/// Words that begin the class or id of what is not the page's own text.
const FOREIGN: [&str; 12] = [
    "comment",
    "comments",
    "commentlist",
    "reply",
    "replies",
    "disqus",
    "embed",
    "related",
    "sidebar",
    "instagram",
    "twitter",
    "review",
];
/// Words beside "comments" that speak of the page itself: `has-comments`, `comments-open`.
const ABOUT_COMMENTS: [&str; 8] = ["has", "no", "with", "without", "open", "closed", "off", "count"];

/// Whether an element belongs to another author's text within the page: a comment, a quote, an embed.
fn foreign(element: ElementRef<'_>) -> bool {
    std::iter::once(element)
        .chain(element.ancestors().filter_map(ElementRef::wrap))
        .take_while(|ancestor| !matches!(ancestor.value().name(), "main" | "body" | "html"))
        .any(|ancestor| {
            let value = ancestor.value();
            let scope = value.attr("itemtype").unwrap_or_default();
            let marked = classes(ancestor).chain(value.id()).any(|mark| {
                let mark = mark.to_ascii_lowercase();
                let words: Vec<&str> = mark.split(['-', '_']).collect();
                let names = |word: &&&str| matches!(**word, "comment" | "comments" | "commentlist");
                let comments = mark.starts_with("comment") || words.iter().any(|word| names(&word));
                let own = words.iter().any(|word| ABOUT_COMMENTS.contains(word));
                let begins = words.first().is_some_and(|word| FOREIGN.contains(word));
                (comments || begins) && !(comments && own)
            });
            marked
                || scope.ends_with("Comment")
                || scope.ends_with("UserComments")
                || matches!(
                    value.name(),
                    "blockquote" | "aside" | "footer" | "nav" | "iframe" | "figure"
                )
        })
}

/// `<dt>Announced</dt><dd>April 2, 2024</dd>`, or "Published: April 2, 2024" in a short text of its own.
fn labelled_date(document: &Html) -> Option<NaiveDate> {
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
        let said = line_of(label, "");
        let value = label.next_siblings().find_map(ElementRef::wrap)?;
        let fits = is_label(&said) && matches!(value.value().name(), "dd" | "td") && !foreign(label);
        fits.then(|| date::find(&line_of(value, "")))??.day(None)
    });
    pair.or_else(|| {
        let places = "main p, article p, p, span, div, li, small, time, em, address, h2, h3, h4";
        all(document, places).into_iter().find_map(|element| {
            let line = line_of(element, " ");
            if line.chars().count() > LABELLED_CHARS {
                return None;
            }
            let lower = line.to_lowercase();
            let label = LABELS.iter().filter(|label| **label != "date").find(|label| {
                lower
                    .strip_prefix(**label)
                    .is_some_and(|rest| rest.starts_with([':', ' ']))
            })?;
            let day = date::find(line.get(label.len()..)?)?.day(None)?;
            (!foreign(element)).then_some(day)
        })
    })
}
