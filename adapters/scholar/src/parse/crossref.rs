//! Crossref's answer.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, Item, Lookup, Presence, SourceError, StandingEvidence};
use freshcontext_parse::html;
use freshcontext_parse::json::{self, Lenient, or_absent};
use serde::Deserialize;

use super::Page;
use super::standing::{Crossref, Moment, Update};

#[derive(Deserialize)]
struct Answer {
    message: Message,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Message {
    items: Lenient<Work>,
    #[serde(rename = "total-results")]
    total: Option<u64>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Work {
    #[serde(rename = "DOI")]
    doi: String,
    title: Option<Vec<String>>,
    #[serde(default)]
    author: Lenient<Author>,
    #[serde(rename = "container-title")]
    container: Option<Vec<String>>,
    published: Option<Parts>,
    #[serde(rename = "is-referenced-by-count")]
    cited_by: Option<u64>,
    publisher: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(rename = "abstract")]
    summary: Option<String>,
    created: Option<Moment>,
    #[serde(rename = "updated-by")]
    updated_by: Option<Lenient<Update>>,
    #[serde(rename = "update-to")]
    update_to: Option<Lenient<Update>>,
}

#[derive(Deserialize)]
struct Author {
    #[serde(default)]
    given: Option<String>,
    #[serde(default)]
    family: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
struct Parts {
    #[serde(rename = "date-parts")]
    parts: Vec<Vec<Option<i32>>>,
}

/// Names shown of a long list.
const NAMES: usize = 8;

/// Reads the answer.
pub fn crossref(body: &str) -> Result<Page, SourceError> {
    let answer: Answer = json::parse(body, "Crossref")?;
    let works = answer.message.items.filter_map(item);
    let works = works.or_none_readable("Crossref: no entry has a title")?;
    Ok(Page {
        items: works.items,
        unreadable: works.unreadable,
        total: answer.message.total,
        ..Page::default()
    })
}

#[derive(Deserialize)]
struct One {
    message: Work,
}

/// Reads the record of one work. A record of another work than the one asked for settles nothing.
pub fn work(body: &str, doi: &str) -> Result<Lookup, SourceError> {
    let work = json::parse::<One>(body, "Crossref")?.message;
    if !work.doi.trim().eq_ignore_ascii_case(doi) {
        return Ok(Lookup::new(Presence::Unsettled("other_record")).showing("DOI", work.doi, None::<String>));
    }
    let title = work.line();
    let signs = work.signs(title.as_deref().unwrap_or_default());
    let (date, _) = published(work.published.as_ref());
    Ok(Lookup::found(title, date, signs).showing("DOI", work.doi, None::<String>))
}

impl Work {
    /// Its title as a line.
    fn line(&self) -> Option<String> {
        let titles = self.title.iter().flatten().map(|title| html::to_line(title));
        titles.into_iter().find(|title| !title.is_empty())
    }

    /// Its signs, under its title as a line.
    fn signs(&self, title: &str) -> Vec<StandingEvidence> {
        let crossref = Crossref {
            doi: self.doi.trim(),
            title,
            created: self.created.as_ref(),
            updated_by: self.updated_by.as_ref(),
            update_to: self.update_to.as_ref(),
        };
        crossref.signs()
    }
}

fn item(work: Work) -> Option<Item> {
    let (date, shown) = published(work.published.as_ref());
    let mut item = Item::new(work.line()?, date);
    item.standing = work.signs(&item.title);
    // Every DOI begins so; an address of another text leads nowhere.
    let doi = Some(work.doi.trim()).filter(|doi| doi.starts_with("10."));
    item.url = doi.map(|doi| format!("https://doi.org/{doi}"));
    item.set(
        "year",
        shown
            .as_deref()
            .and_then(|shown| shown.split('-').next()?.parse::<i32>().ok()),
    );
    item.set("published", shown);
    let names: Vec<String> = work.author.items.iter().filter_map(name).collect();
    item.set_flag("authors_cut", names.len() > NAMES);
    item.set("authors", names.into_iter().take(NAMES).collect::<Vec<_>>());
    item.set(
        "venue",
        work.container
            .unwrap_or_default()
            .first()
            .map(|venue| html::to_line(venue)),
    );
    item.set("publisher", work.publisher);
    item.set("type", work.kind);
    item.set("cited_by", work.cited_by);
    item.set("doi", work.doi.as_str());
    item.summary = work
        .summary
        .map(|summary| html::to_text(&summary))
        .unwrap_or_default();
    item.id = Some(work.doi);
    Some(item)
}

fn name(author: &Author) -> Option<String> {
    let parts: Vec<&str> = [&author.given, &author.family]
        .into_iter()
        .filter_map(Option::as_deref)
        .collect();
    let name = if parts.is_empty() {
        author.name.clone()?
    } else {
        parts.join(" ")
    };
    let name = html::to_line(&name);
    (!name.is_empty()).then_some(name)
}

/// A whole day is a date; a year, or a year and month, is a fact to show and no date.
fn published(parts: Option<&Parts>) -> (DateEvidence, Option<String>) {
    let Some(parts) = parts.and_then(|parts| parts.parts.first()) else {
        return (DateEvidence::None, None);
    };
    let part = |at: usize| parts.get(at).copied().flatten();
    let Some(year) = part(0).filter(|year| (1000..=9999).contains(year)) else {
        return (DateEvidence::None, None);
    };
    let month = part(1)
        .and_then(|month| u32::try_from(month).ok())
        .filter(|month| (1..=12).contains(month));
    let day = part(2).and_then(|day| u32::try_from(day).ok());
    let whole = month
        .zip(day)
        .and_then(|(month, day)| NaiveDate::from_ymd_opt(year, month, day));
    match (whole, month) {
        (Some(day), _) => (DateEvidence::field("published", day), Some(day.to_string())),
        (None, Some(month)) => (DateEvidence::YearOnly(year), Some(format!("{year}-{month:02}"))),
        (None, None) => (DateEvidence::YearOnly(year), Some(year.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    const BODY: &str = include_str!("../../../../fixtures/scholar/walled_crossref/crossref.json");

    #[test]
    fn partial_dates_stay_partial() {
        let page = crossref(BODY).unwrap();
        assert_eq!(
            (page.items.len(), page.unreadable, page.total),
            (4, 1, Some(1234))
        );
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        assert_eq!(page.items[0].date, DateEvidence::field("published", day));
        assert_eq!(page.items[1].date, DateEvidence::YearOnly(2025));
        assert_eq!(page.items[1].fields["published"], "2025-07");
        assert_eq!(page.items[2].date, DateEvidence::YearOnly(1998));
        assert_eq!(
            page.items[3].date,
            DateEvidence::None,
            "neither `created` nor `issued` is publication"
        );
    }

    #[test]
    fn titles_and_abstracts_lose_their_markup() {
        let page = crossref(BODY).unwrap();
        assert_eq!(page.items[0].title, "Attention & memory in graph networks");
        assert_eq!(
            page.items[0].url.as_deref(),
            Some("https://doi.org/10.5555/example.1")
        );
        assert!(page.items[0].summary.contains("We study attention."));
        assert_eq!(page.items[0].fields["authors"][0], "Ada Example");
        assert_eq!(
            page.items[0].fields["cited_by"], 0,
            "nobody cited it yet: a fact, not an absence"
        );
    }

    #[test]
    fn what_is_no_list_is_malformed() {
        for body in [
            "{}",
            r#"{"message": {}}"#,
            r#"{"message": {"items": [{"x": 1}]}}"#,
            "",
        ] {
            assert_eq!(crossref(body).unwrap_err().code, ErrorCode::Malformed, "{body}");
        }
        assert!(
            crossref(r#"{"message": {"items": [], "total-results": 0}}"#)
                .unwrap()
                .items
                .is_empty()
        );
    }
}
