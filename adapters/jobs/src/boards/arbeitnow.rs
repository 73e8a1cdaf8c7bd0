//! Arbeitnow.

use freshcontext_contract::SourceError;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::link;
use serde::Deserialize;
use serde_json::Value;

use super::{Read, epoch, judged, line};
use crate::job::{Board, Job};
use crate::repair;

#[derive(Deserialize)]
struct Answer {
    data: Lenient<Wire>,
    #[serde(default)]
    links: Value,
}

#[derive(Deserialize)]
struct Wire {
    slug: String,
    title: String,
    #[serde(default, deserialize_with = "or_absent")]
    company_name: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    description: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    remote: Option<bool>,
    #[serde(default, deserialize_with = "or_absent")]
    url: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "or_absent")]
    job_types: Option<Vec<String>>,
    #[serde(default, deserialize_with = "or_absent")]
    location: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    created_at: Option<i64>,
}

/// Reads one page.
pub fn arbeitnow(body: &str) -> Result<Read, SourceError> {
    let answer: Answer = json::parse(body, "Arbeitnow")?;
    let more = answer.links.get("next").is_some_and(Value::is_string);
    let mut read = Read {
        unreadable: answer.data.unreadable,
        more,
        ..Read::default()
    };
    for wire in answer.data.items {
        let Some(title) = line(Some(wire.title)).filter(|_| !wire.slug.is_empty()) else {
            read.unreadable += 1;
            continue;
        };
        let mut job = Job::new(Board::Arbeitnow, wire.slug, title);
        (job.date, job.at) = epoch("created_at", wire.created_at);
        job.url = wire.url.as_deref().and_then(link::shown);
        job.company = line(wire.company_name);
        job.tags = wire
            .tags
            .unwrap_or_default()
            .into_iter()
            .filter_map(|tag| line(Some(tag)))
            .collect();
        let kinds: Vec<String> = wire
            .job_types
            .unwrap_or_default()
            .into_iter()
            .filter_map(|kind| line(Some(kind)))
            .collect();
        job.kind = line(Some(kinds.join(", ")));
        job.location = line(wire.location);
        job.remote = wire.remote;
        job.text = repair::html_text(&wire.description.unwrap_or_default());
        read.jobs.push(job);
    }
    judged(read, "Arbeitnow")
}
