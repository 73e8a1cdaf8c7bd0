//! The Muse.

use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{link, text};
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, id_text, judged, line};
use crate::job::{Board, Job};
use crate::repair;

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    results: Option<Lenient<Wire>>,
    #[serde(default, deserialize_with = "or_absent")]
    error: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    page: Option<u64>,
    #[serde(default, deserialize_with = "or_absent")]
    page_count: Option<u64>,
}

#[derive(Deserialize)]
struct Wire {
    id: Value,
    name: String,
    #[serde(default, deserialize_with = "or_absent")]
    publication_date: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    contents: Option<String>,
    #[serde(default)]
    locations: Lenient<Named>,
    #[serde(default)]
    categories: Lenient<Named>,
    #[serde(default)]
    levels: Lenient<Named>,
    #[serde(default, deserialize_with = "or_absent")]
    refs: Option<Refs>,
    #[serde(default, deserialize_with = "or_absent")]
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
                let said = text::clip(&text::one_line(&error), 80);
                SourceError::new(ErrorCode::UpstreamError, format!("The Muse answered: {said}"))
            }
            None => SourceError::malformed("The Muse: the answer has no results"),
        });
    };
    let more = matches!((answer.page, answer.page_count), (Some(page), Some(count)) if page.saturating_add(1) < count);
    let mut read = Read {
        unreadable: results.unreadable,
        more,
        ..Read::default()
    };
    for wire in results.items {
        let (Some(key), Some(name)) = (id_text(&wire.id), line(Some(wire.name))) else {
            read.unreadable += 1;
            continue;
        };
        let mut job = Job::new(Board::Muse, key, name);
        (job.date, job.at) = dated("publication_date", wire.publication_date);
        job.url = wire
            .refs
            .and_then(|refs| refs.landing_page)
            .as_deref()
            .and_then(link::shown);
        job.company = line(wire.company.map(|company| company.name));
        job.location = names(&wire.locations);
        let remote = wire
            .locations
            .items
            .iter()
            .any(|place| place.name.to_lowercase().contains("remote"));
        job.remote = remote.then_some(true);
        job.category = names(&wire.categories);
        job.level = names(&wire.levels);
        job.text = repair::html_text(&wire.contents.unwrap_or_default());
        read.jobs.push(job);
    }
    judged(read, "The Muse")
}
