//! Arbeitnow.

use freshcontext_contract::SourceError;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::link;
use serde::Deserialize;
use serde_json::Value;

use super::{Read, epoch, line, lines};
use crate::job::{Board, Job};
use crate::repair;

#[derive(Deserialize)]
struct Answer {
    data: Lenient<Wire>,
    #[serde(default)]
    links: Value,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Wire {
    slug: String,
    title: String,
    company_name: Option<String>,
    description: Option<String>,
    remote: Option<bool>,
    url: Option<String>,
    tags: Option<Vec<String>>,
    job_types: Option<Vec<String>>,
    location: Option<String>,
    created_at: Option<i64>,
}

/// Reads one page.
pub fn arbeitnow(body: &str) -> Result<Read, SourceError> {
    let answer: Answer = json::parse(body, "Arbeitnow")?;
    Ok(Read {
        more: answer.links.get("next").is_some_and(Value::is_string),
        ..Read::of(answer.data.filter_map(job), "Arbeitnow")?
    })
}

fn job(wire: Wire) -> Option<Job> {
    let title = line(Some(wire.title)).filter(|_| !wire.slug.is_empty())?;
    let mut job = Job::new(Board::Arbeitnow, wire.slug, title);
    (job.date, job.at) = epoch("created_at", wire.created_at);
    job.url = wire.url.as_deref().and_then(link::shown);
    job.company = line(wire.company_name);
    job.tags = lines(wire.tags);
    job.kind = line(Some(lines(wire.job_types).join(", ")));
    job.location = line(wire.location);
    job.remote = wire.remote;
    job.text = repair::html_text(&wire.description.unwrap_or_default());
    Some(job)
}
