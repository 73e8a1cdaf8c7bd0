//! OpenAlex's answer.

use std::collections::BTreeMap;

use freshcontext_contract::chrono::{Datelike, NaiveDate};
use freshcontext_contract::{DateEvidence, Item, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{html, link};
use serde::Deserialize;
use serde_json::Value;

use super::Page;
use super::standing::title_mark;

#[derive(Deserialize)]
struct Answer {
    results: Lenient<Work>,
    #[serde(default)]
    meta: Value,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Work {
    id: String,
    title: Option<String>,
    doi: Option<String>,
    publication_date: Option<String>,
    cited_by_count: Option<u64>,
    #[serde(default)]
    authorships: Lenient<Authorship>,
    #[serde(default)]
    primary_location: Value,
    abstract_inverted_index: Option<BTreeMap<String, Vec<usize>>>,
    is_retracted: Option<bool>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Authorship {
    author: Author,
}

#[derive(Deserialize)]
struct Author {
    display_name: String,
}

/// Names shown of a long list.
const NAMES: usize = 8;
/// Words of an abstract that are put back in order; no abstract is longer.
const WORDS: usize = 2_000;

/// Reads the answer.
pub fn openalex(body: &str) -> Result<Page, SourceError> {
    let answer: Answer = json::parse(body, "OpenAlex")?;
    let total = answer.meta.get("count").and_then(Value::as_u64);
    let works = answer.results.filter_map(item);
    let works = works.or_none_readable("OpenAlex: no entry has a title")?;
    Ok(Page {
        items: works.items,
        unreadable: works.unreadable,
        total,
        ..Page::default()
    })
}

fn item(work: Work) -> Option<Item> {
    let title = html::to_line(&work.title?);
    if title.is_empty() {
        return None;
    }
    let mut item = Item::new(title, date(work.publication_date.as_deref()));
    let landing = json::text_at(&work.primary_location, "/landing_page_url");
    item.url = [work.doi.as_deref(), landing, Some(work.id.as_str())]
        .into_iter()
        .flatten()
        .find_map(link::shown);
    // A year alone is shown as one.
    let known = work
        .publication_date
        .filter(|_| !matches!(item.date, DateEvidence::YearOnly(_)));
    item.set("published", known);
    let names: Vec<String> = work
        .authorships
        .items
        .into_iter()
        .map(|one| one.author.display_name)
        .collect();
    item.set_flag("authors_cut", names.len() > NAMES);
    item.set("authors", names.into_iter().take(NAMES).collect::<Vec<_>>());
    item.set(
        "venue",
        work.primary_location
            .pointer("/source/display_name")
            .cloned()
            .unwrap_or_default(),
    );
    item.set("cited_by", work.cited_by_count);
    item.set(
        "doi",
        work.doi
            .as_deref()
            .map(|doi| doi.trim_start_matches("https://doi.org/")),
    );
    item.summary = work
        .abstract_inverted_index
        .map(|index| in_order(&index))
        .unwrap_or_default();
    // The notices of retractions and errata are works, too: <https://docs.openalex.org/api-entities/works/work-object#type>.
    let is_notice = matches!(work.kind.as_deref(), Some("retraction" | "erratum"));
    if work.is_retracted == Some(true) && !is_notice {
        // One flag, without a notice, a day and a kind.
        let sign = StandingEvidence::mark(StandingState::Retracted, "is_retracted", "true");
        item.standing.push(sign);
        item.standing.extend(title_mark(&item.title));
    }
    item.id = Some(work.id.rsplit('/').next().unwrap_or(&work.id).to_owned());
    Some(item)
}

/// The first of a month may stand for a day that nobody knows.
fn date(text: Option<&str>) -> DateEvidence {
    let Some(text) = text else {
        return DateEvidence::None;
    };
    match NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        // So OpenAlex writes a year of which no more is known.
        Ok(day) if day.ordinal() == 1 => DateEvidence::YearOnly(day.year()),
        Ok(day) if day.day() == 1 => DateEvidence::signal(
            "publication_date: the first of a month may stand for an unknown day",
            day,
        ),
        Ok(day) => DateEvidence::field("publication_date", day),
        Err(_) => DateEvidence::field("publication_date", text),
    }
}

/// The abstract from its words' positions.
fn in_order(index: &BTreeMap<String, Vec<usize>>) -> String {
    let places = index
        .iter()
        .flat_map(|(word, places)| places.iter().map(move |place| (*place, word.as_str())));
    let words: BTreeMap<usize, &str> = places.filter(|(place, _)| *place < WORDS).collect();
    words.into_values().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    const BODY: &str = include_str!("../../../../fixtures/scholar/walled_openalex/openalex.json");

    #[test]
    fn the_first_of_a_month_is_only_a_signal() {
        let page = openalex(BODY).unwrap();
        assert_eq!((page.items.len(), page.total), (3, Some(3)));
        assert!(
            matches!(&page.items[0].date, DateEvidence::Field { name, .. } if name == "publication_date")
        );
        assert!(matches!(page.items[1].date, DateEvidence::PageSignal { .. }));
        assert_eq!(page.items[2].date, DateEvidence::None);
    }

    #[test]
    fn the_abstract_is_put_back_in_order() {
        let page = openalex(BODY).unwrap();
        assert_eq!(page.items[0].summary, "We study what we see.");
        assert_eq!(
            page.items[0].url.as_deref(),
            Some("https://doi.org/10.5555/example.9")
        );
        assert_eq!(page.items[0].id.as_deref(), Some("W1"));
    }

    #[test]
    fn what_is_no_list_is_malformed() {
        for body in ["{}", r#"{"results": [{"id": 5}]}"#, "[]"] {
            assert_eq!(openalex(body).unwrap_err().code, ErrorCode::Malformed, "{body}");
        }
    }
}
