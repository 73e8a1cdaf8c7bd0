//! Remotive.

use freshcontext_contract::SourceError;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::link;
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, id_text, line, lines};
use crate::job::{Board, Job};
use crate::repair;

#[derive(Deserialize)]
struct Answer {
    jobs: Lenient<Wire>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Wire {
    id: Value,
    title: String,
    url: Option<String>,
    company_name: Option<String>,
    category: Option<String>,
    tags: Option<Vec<String>>,
    job_type: Option<String>,
    publication_date: Option<String>,
    candidate_required_location: Option<String>,
    salary: Option<String>,
    description: Option<String>,
}

/// Reads the sample. Everything there is remote; the location is where candidates may live.
pub fn remotive(body: &str) -> Result<Read, SourceError> {
    let answer: Answer = json::parse(body, "Remotive")?;
    Read::of(answer.jobs.filter_map(job), "Remotive")
}

fn job(wire: Wire) -> Option<Job> {
    let mut job = Job::new(Board::Remotive, id_text(&wire.id)?, line(Some(wire.title))?);
    (job.date, job.at) = dated("publication_date", wire.publication_date);
    job.url = wire.url.as_deref().and_then(link::shown);
    job.company = line(wire.company_name);
    job.category = line(wire.category);
    job.tags = lines(wire.tags);
    job.kind = line(wire.job_type.map(|kind| kind.replace('_', " ")));
    job.location = line(wire.candidate_required_location);
    job.salary = line(wire.salary);
    job.remote = Some(true);
    job.text = repair::html_text(&wire.description.unwrap_or_default());
    Some(job)
}
