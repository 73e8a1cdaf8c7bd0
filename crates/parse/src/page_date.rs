//! What a page says about its date, best evidence first; and what it says against it.

mod article;
mod footers;
mod items;
mod jsonld;
mod labels;
mod times;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use freshcontext_contract::limits::DATES_APART_H;
use freshcontext_contract::moment::{Precision, read_date};
use freshcontext_contract::{DateEvidence, DateValue, quoted};
use scraper::{ElementRef, Html};
use url::Url;

use self::labels::Meaning;
use crate::date::{self, PathDate};
use crate::html::{Main, all, classes, first, line_of};

/// Publication dates of one page further apart than this contradict each other.
const APART: TimeDelta = TimeDelta::hours(DATES_APART_H);
/// Maximum length of a text with a labelled date, in characters.
const LABELLED_CHARS: usize = 120;

/// Metadata that names a publication in other vocabularies: Dublin Core (`issued`), Highwire Press as Google Scholar reads it,
/// Parse.ly, Sailthru, and RDFa. It counts where nothing else does. `citation_online_date` is that of a version, too: arXiv writes
/// the last one.
const STATED: &str = "meta[name='dc.date.issued' i], meta[name='dcterms.issued' i], meta[property='dcterms:issued' i], \
    meta[name='citation_publication_date' i], meta[name='parsely-pub-date' i], \
    meta[name='sailthru.date' i], meta[property='og:published_time' i], meta[property$='datePublished'], time[property$='datePublished']";

/// What a page says about its date.
#[derive(Debug, Default)]
pub struct PageDate {
    /// When it was published, and what shows it.
    pub date: DateEvidence,
    /// Whether a field whose meaning is documented says so, contradicted or not.
    pub documented: bool,
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

/// Reads all that a page says about its date. `main` is its content, and `text` that as text.
pub fn read(document: &Html, main: &Main<'_>, text: &str, address: &Url, now: DateTime<Utc>) -> PageDate {
    let sane = |value: &DateValue| !date::lies_ahead(value, now);
    let mut zoneless = None;
    let mut read = |text: &str| {
        let strict = date::machine(text);
        let is_strict = strict.is_some();
        let value = strict.or_else(|| otherwise_written(text)).filter(sane)?;
        let time_without_zone = matches!(value, DateValue::Day(_)) && text.contains(':');
        if time_without_zone {
            zoneless = zoneless.take().or_else(|| Some(text.trim().to_owned()));
        }
        Some((value, is_strict))
    };
    let linked = article::of(document, main, address);
    let title = first(document, "title").map_or_else(String::new, |title| line_of(title, ""));
    let of_metadata = |css: &str| -> Vec<String> {
        all(document, css)
            .into_iter()
            .filter(|element| !foreign(*element) && !main.is_of_another(*element))
            .filter(|element| !items::is_of_a_part(*element, main, &title))
            .filter_map(|element| {
                let element = element.value();
                element
                    .attr("content")
                    .or_else(|| element.attr("datetime"))
                    .map(str::to_owned)
            })
            .collect()
    };
    let changed = "meta[property='article:modified_time'], meta[property='og:updated_time'], \
        meta[itemprop='dateModified'], time[itemprop='dateModified']";
    let mut modified = linked
        .modified
        .iter()
        .find_map(|text| date::machine(text).filter(sane));
    modified = modified.or_else(|| {
        of_metadata(changed)
            .iter()
            .find_map(|text| date::machine(text).filter(sane))
    });

    let mut claims: Vec<Claim> = Vec::new();
    let mut claim = |what, value: Option<(DateValue, bool)>, field| {
        claims.extend(value.map(|(value, is_strict)| Claim {
            what,
            value,
            field: field && is_strict,
        }));
    };
    for (what, text, field) in &linked.published {
        claim(what, read(text), *field);
    }
    for css in [
        "meta[property='article:published_time'], meta[name='article:published_time']",
        "meta[itemprop='datePublished'], time[itemprop='datePublished']",
    ] {
        for text in of_metadata(css) {
            claim("published_time of the page's metadata", read(&text), true);
        }
    }
    let times = times::read(document, main, &title);
    claim(
        "time element marked as publication",
        times.published.as_deref().and_then(&mut read),
        false,
    );
    claim(
        "time element beside the headline",
        times.beside_headline.as_deref().and_then(&mut read),
        false,
    );
    let by_class = dated_class(document, main, &title);
    let labelled = labelled_date(document, main, &title);
    let day = |day: Option<NaiveDate>| day.map(DateValue::Day).filter(sane);
    let shown = |found| day(found).map(|day| (day, true));
    claim(
        "date marked as publication by its class",
        shown(by_class.published),
        false,
    );
    claim(
        "date beside a label such as Published",
        shown(labelled.published),
        false,
    );
    // A field in the form that its documentation asks for comes before one in another.
    claims.sort_by_key(|claim| !claim.field);
    let below = footers::read(document, main);
    modified = modified
        .or_else(|| times.changed.as_deref().and_then(date::machine).filter(sane))
        .or_else(|| day(by_class.changed))
        .or_else(|| day(labelled.changed))
        .or_else(|| below.changed.filter(sane));

    let mut dates = PageDate {
        modified: modified.as_ref().and_then(date::shown),
        ..PageDate::default()
    };
    let visible = text.lines().take(40).find_map(|line| {
        let short = line.chars().count() <= 120;
        short
            .then(|| date::find(line))
            .flatten()
            .and_then(|found| found.day(None))
    });
    let visible = visible.filter(|day| sane(&DateValue::Day(*day)));
    let in_path = date::in_address(address).filter(|found| sane(&DateValue::Day(found.first())));
    if claims.is_empty()
        && let Some(value) = below.published.filter(sane)
    {
        claims.push(Claim {
            what: "publication date in the article's footer",
            value,
            field: false,
        });
    }
    if claims.is_empty()
        && let Some((value, _)) = of_metadata(STATED).iter().find_map(|text| read(text))
    {
        claims.push(Claim {
            what: "publication date of the page's metadata",
            value,
            field: false,
        });
    }
    if claims.is_empty() {
        let mut stated = linked.published.iter().map(|(_, text, _)| text);
        if let Some(text) =
            stated.find(|text| date::machine(text).or_else(|| otherwise_written(text)).is_none())
        {
            let text = crate::text::said(text, 40);
            dates.notes.push(format!(
                "the page states its publication as {}, which cannot be read as a date",
                quoted(&text)
            ));
        }
        match in_path {
            Some(found) => dates.date = of_path(found, visible, &mut dates.notes),
            None => dates.visible = visible.map(|day| day.to_string()),
        }
        return dates;
    }
    dates.weigh(claims, in_path);
    if let Some(text) = zoneless.filter(|text| dates.date.value().is_some_and(|value| is_day_of(value, text)))
    {
        let text = crate::text::said(&text, 40);
        dates
            .notes
            .push(format!("{text} names no time zone: only its day is known"));
    }
    dates
}

/// Whether a value is the day of a time without a zone.
fn is_day_of(value: &DateValue, text: &str) -> bool {
    let day = date::day_without_zone(text).map(DateValue::Day);
    day.or_else(|| otherwise_written(text)).as_ref() == Some(value)
}

/// A day or an instant in another form than its field asks for, of which one reading exists: `November 20, 2026`,
/// `2026/11/20`, `20261120`, JavaScript's `Date.toString`. Of a time without a zone the day counts.
fn otherwise_written(text: &str) -> Option<DateValue> {
    let read = read_date(text)?;
    match read.precision {
        Precision::Instant if !read.zoneless => Some(DateValue::Instant(read.instant)),
        Precision::Instant | Precision::Day => Some(DateValue::Day(read.instant.date_naive())),
        Precision::Year | Precision::Month => None,
    }
}

impl PageDate {
    /// Takes the best claim, unless the others or the address speak against it.
    fn weigh(&mut self, mut claims: Vec<Claim>, in_path: Option<PathDate>) {
        let mut best = claims.remove(0);
        if best.field {
            best.value = sharper(best.value, claims.iter().filter(|claim| claim.field));
        }
        let Some(at) = best.at() else { return };
        self.documented = best.field;
        if let Some(found) = in_path.filter(|found| !best.field && at - end_of(*found) > APART) {
            // What bears an address has been there since: whatever a mere signal claims is a later edition.
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
        let apart = |found: &PathDate| start_of(*found) - at > APART || at - end_of(*found) > APART;
        if let Some(found) = in_path.filter(apart) {
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

/// Whether an element has more visible characters than these.
fn has_more_chars(element: ElementRef<'_>, most: usize) -> bool {
    let mut chars = 0;
    element.text().any(|text| {
        chars += text.trim().chars().count();
        chars > most
    })
}

/// Days that a page's text dates it by.
#[derive(Default)]
struct Days {
    published: Option<NaiveDate>,
    changed: Option<NaiveDate>,
}

/// Dates in elements whose class says that they are the publication, such as `publish-date`. What their words call a
/// later change is one, whatever their class.
fn dated_class(document: &Html, main: &Main<'_>, title: &str) -> Days {
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
    let mut days = Days::default();
    for element in all(document, "[class*=ublish], [class*=date], [class*=Date]") {
        let marked = classes(element).any(|class| {
            let plain: String = class
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            MARKS.iter().any(|mark| plain.contains(mark))
        });
        let said = line_of(element, " ");
        let is_own = !foreign(element) && main.holds(element) && !items::is_of_a_part(element, main, title);
        if !marked || said.chars().count() > 60 || !is_own {
            continue;
        }
        let before = labels::meaning(&labels::before(element));
        let given = element.value().attr("datetime").and_then(date::machine);
        for (at, statement) in labels::statements(&said).into_iter().enumerate() {
            let by_label = at == 0 && statement.meaning == Meaning::Unknown && before == Meaning::Changed;
            if statement.meaning == Meaning::Changed || by_label {
                days.changed = days.changed.or(Some(statement.day));
            } else if given.is_none() {
                days.published = days.published.or(Some(statement.day));
            }
        }
    }
    days
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
            let name = ancestor.value().name();
            is_of_another(ancestor)
                || matches!(
                    name,
                    "blockquote" | "aside" | "footer" | "nav" | "iframe" | "figure"
                )
        })
}

/// Whether a class, an id or the type of an item gives an element to another author.
fn is_of_another(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let scope = value.attr("itemtype").unwrap_or_default();
    let marked = classes(element).chain(value.id()).any(|mark| {
        let mark = mark.to_ascii_lowercase();
        let words: Vec<&str> = mark.split(['-', '_']).collect();
        let names = |word: &&&str| matches!(**word, "comment" | "comments" | "commentlist");
        let comments = mark.starts_with("comment") || words.iter().any(|word| names(&word));
        let own = words.iter().any(|word| ABOUT_COMMENTS.contains(word));
        let begins = words.first().is_some_and(|word| FOREIGN.contains(word));
        let is_review = mark.starts_with("woocommerce-review");
        (comments || begins || is_review) && !(comments && own)
    });
    marked || scope.ends_with("Comment") || scope.ends_with("UserComments")
}

/// `<dt>Announced</dt><dd>April 2, 2024</dd>`, or "Published: April 2, 2024" in a short text of its own.
fn labelled_date(document: &Html, main: &Main<'_>, title: &str) -> Days {
    let mut days = Days::default();
    let mut add = |meaning, day| match meaning {
        Meaning::Published => days.published = days.published.or(Some(day)),
        Meaning::Changed => days.changed = days.changed.or(Some(day)),
        Meaning::Unknown => {}
    };
    let own =
        |element| !foreign(element) && main.holds(element) && !items::is_of_a_part(element, main, title);
    for label in all(document, "dt, th") {
        let Some(value) = label.next_siblings().find_map(ElementRef::wrap) else {
            continue;
        };
        if !matches!(value.value().name(), "dd" | "td") || !own(label) {
            continue;
        }
        let said = line_of(label, "");
        let meaning = match labels::meaning(&said) {
            Meaning::Unknown if said.trim().trim_end_matches(':').eq_ignore_ascii_case("date") => {
                Meaning::Published
            }
            meaning => meaning,
        };
        if let Some(day) = date::find(&line_of(value, "")).and_then(|found| found.day(None)) {
            add(meaning, day);
        }
    }
    let places = "main p, article p, p, span, div, li, small, time, em, address, h2, h3, h4";
    for element in all(document, places) {
        let line = line_of(element, " ");
        if line.chars().count() > LABELLED_CHARS || !line.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let statements = labels::statements(&line);
        if statements.iter().any(|said| said.meaning != Meaning::Unknown) && own(element) {
            for said in statements {
                add(said.meaning, said.day);
            }
        }
    }
    days
}

#[cfg(test)]
mod tests;
