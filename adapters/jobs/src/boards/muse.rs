//! The Muse.

use freshcontext_contract::{SourceError, quoted};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{link, text};
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, id_text, line};
use crate::job::{Board, Job};
use crate::repair;

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Answer {
    #[serde_with(skip_apply)]
    #[serde(default)]
    results: Option<Lenient<Wire>>,
    error: Option<String>,
    page: Option<u64>,
    page_count: Option<u64>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Wire {
    id: Value,
    name: String,
    publication_date: Option<String>,
    contents: Option<String>,
    #[serde(default)]
    locations: Lenient<Named>,
    #[serde(default)]
    categories: Lenient<Named>,
    #[serde(default)]
    levels: Lenient<Named>,
    refs: Option<Refs>,
    company: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Refs {
    #[serde(default)]
    landing_page: Option<String>,
}

fn names(list: &Lenient<Named>) -> Option<String> {
    let names: Vec<&str> = list
        .items
        .iter()
        .map(|named| named.name.trim())
        .filter(|name| !name.is_empty())
        .collect();
    line(Some(names.join("; ")))
}

/// Reads one page.
pub fn muse(body: &str) -> Result<Read, SourceError> {
    let answer: Answer = json::parse(body, "The Muse")?;
    let Some(results) = answer.results else {
        return Err(match answer.error {
            Some(error) => {
                let said = text::said(&error, 80);
                SourceError::upstream(format!("The Muse answered: {}", quoted(&said)))
            }
            None => SourceError::malformed("The Muse: the answer has no results"),
        });
    };
    let pages = answer.page.zip(answer.page_count);
    Ok(Read {
        more: pages.is_some_and(|(page, count)| page.saturating_add(1) < count),
        ..Read::of(results.filter_map(job), "The Muse")?
    })
}

fn job(wire: Wire) -> Option<Job> {
    let mut job = Job::new(Board::Muse, id_text(&wire.id)?, line(Some(wire.name))?);
    (job.date, job.at) = dated("publication_date", wire.publication_date);
    let page = wire.refs.and_then(|refs| refs.landing_page);
    job.url = page.as_deref().and_then(link::shown);
    job.company = line(wire.company.map(|company| company.name));
    job.location = names(&wire.locations);
    let mut places = wire.locations.items.iter();
    let remote = places.any(|place| place.name.to_lowercase().contains("remote"));
    job.remote = remote.then_some(true);
    job.category = names(&wire.categories);
    job.level = names(&wire.levels);
    job.text = repair::html_text(&wire.contents.unwrap_or_default());
    Some(job)
}
