//! Remote OK.

use freshcontext_contract::SourceError;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::link;
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, epoch, id_text, line};
use crate::job::{Board, Job};
use crate::repair;

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Wire {
    /// Absent in the legal notice that stands first.
    legal: Option<Value>,
    #[serde(default)]
    id: Value,
    position: Option<String>,
    epoch: Option<i64>,
    date: Option<String>,
    company: Option<String>,
    tags: Option<Vec<String>>,
    description: Option<String>,
    location: Option<String>,
    salary_min: Option<u64>,
    salary_max: Option<u64>,
    url: Option<String>,
}

/// Reads the board. Only the legal notice is an empty board, not a failure.
pub fn remoteok(body: &str) -> Result<Read, SourceError> {
    let is_notice =
        |wire: &Wire| wire.legal.is_some() && (id_text(&wire.id).is_none() || wire.position.is_none());
    let mut answer: Lenient<Wire> = json::parse(body, "Remote OK")?;
    answer.items.retain(|wire| !is_notice(wire));
    Read::of(answer.filter_map(job), "Remote OK")
}

fn job(wire: Wire) -> Option<Job> {
    let clean = |text: Option<String>| line(text.map(|text| repair::mojibake(&text)));
    let mut job = Job::new(Board::RemoteOk, id_text(&wire.id)?, clean(wire.position)?);
    (job.date, job.at) = dated("date", wire.date);
    let seconds = wire.epoch.filter(|seconds| *seconds > 0);
    job.date = job.date.beside("epoch", seconds);
    if job.at.is_none() {
        (job.date, job.at) = epoch("epoch", wire.epoch);
    }
    job.url = wire.url.as_deref().and_then(link::shown);
    job.company = clean(wire.company);
    let tags = wire.tags.unwrap_or_default().into_iter();
    job.tags = tags.filter_map(|tag| clean(Some(tag))).collect();
    job.location = clean(wire.location)
        .map(|place| place.trim_end_matches([',', ' ']).to_owned())
        .filter(|place| !place.is_empty());
    job.salary = salary(wire.salary_min, wire.salary_max);
    job.remote = Some(true);
    let text = repair::html_text(&repair::mojibake(&wire.description.unwrap_or_default()));
    job.text = repair::without_reader_trap(&text);
    Some(job)
}

/// 0 stands for unknown.
fn salary(least: Option<u64>, most: Option<u64>) -> Option<String> {
    match (least.filter(|sum| *sum > 0), most.filter(|sum| *sum > 0)) {
        (Some(least), Some(most)) if least != most => Some(format!("{least} to {most}")),
        (Some(sum), Some(_)) => Some(sum.to_string()),
        (Some(least), None) => Some(format!("from {least}")),
        (None, Some(most)) => Some(format!("up to {most}")),
        (None, None) => None,
    }
}
