//! Remotive.

use freshcontext_contract::SourceError;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::link;
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, id_text, judged, line};
use crate::job::{Board, Job};
use crate::repair;

#[derive(Deserialize)]
struct Answer {
    jobs: Lenient<Wire>,
}

#[derive(Deserialize)]
struct Wire {
    id: Value,
    title: String,
    #[serde(default, deserialize_with = "or_absent")]
    url: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    company_name: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    category: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "or_absent")]
    job_type: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    publication_date: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    candidate_required_location: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    salary: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    description: Option<String>,
}

/// Reads the sample. Everything there is remote; the location is where candidates may live.
pub fn remotive(body: &str) -> Result<Read, SourceError> {
    let answer: Answer = json::parse(body, "Remotive")?;
    let mut read = Read {
        unreadable: answer.jobs.unreadable,
        ..Read::default()
    };
    for wire in answer.jobs.items {
        let (Some(key), Some(title)) = (id_text(&wire.id), line(Some(wire.title))) else {
            read.unreadable += 1;
            continue;
        };
        let mut job = Job::new(Board::Remotive, key, title);
        (job.date, job.at) = dated("publication_date", wire.publication_date);
        job.url = wire.url.as_deref().and_then(link::shown);
        job.company = line(wire.company_name);
        job.category = line(wire.category);
        job.tags = wire
            .tags
            .unwrap_or_default()
            .into_iter()
            .filter_map(|tag| line(Some(tag)))
            .collect();
        job.kind = line(wire.job_type.map(|kind| kind.replace('_', " ")));
        job.location = line(wire.candidate_required_location);
        job.salary = line(wire.salary);
        job.remote = Some(true);
        job.text = repair::html_text(&wire.description.unwrap_or_default());
        read.jobs.push(job);
    }
    judged(read, "Remotive")
}
