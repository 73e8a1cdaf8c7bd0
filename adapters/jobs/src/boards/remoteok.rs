//! Remote OK.

use freshcontext_contract::SourceError;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::link;
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, epoch, id_text, judged, line};
use crate::job::{Board, Job};
use crate::repair;

#[derive(Deserialize)]
struct Wire {
    /// Absent in the legal notice that stands first.
    #[serde(default)]
    legal: Option<Value>,
    #[serde(default)]
    id: Value,
    #[serde(default, deserialize_with = "or_absent")]
    position: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    epoch: Option<i64>,
    #[serde(default, deserialize_with = "or_absent")]
    date: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    company: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "or_absent")]
    description: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    location: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    salary_min: Option<u64>,
    #[serde(default, deserialize_with = "or_absent")]
    salary_max: Option<u64>,
    #[serde(default, deserialize_with = "or_absent")]
    url: Option<String>,
}

/// Reads the board. Only the legal notice is an empty board, not a failure.
pub fn remoteok(body: &str) -> Result<Read, SourceError> {
    let answer: Lenient<Wire> = json::parse(body, "Remote OK")?;
    let mut read = Read {
        unreadable: answer.unreadable,
        ..Read::default()
    };
    for wire in answer.items {
        let clean = |text: Option<String>| line(text.map(|text| repair::mojibake(&text)));
        let (Some(key), Some(position)) = (id_text(&wire.id), clean(wire.position)) else {
            if wire.legal.is_none() {
                read.unreadable += 1;
            }
            continue;
        };
        let mut job = Job::new(Board::RemoteOk, key, position);
        (job.date, job.at) = dated("date", wire.date);
        job.date = job
            .date
            .beside("epoch", wire.epoch.filter(|seconds| *seconds > 0));
        if job.at.is_none() {
            (job.date, job.at) = epoch("epoch", wire.epoch);
        }
        job.url = wire.url.as_deref().and_then(link::shown);
        job.company = clean(wire.company);
        job.tags = wire
            .tags
            .unwrap_or_default()
            .into_iter()
            .filter_map(|tag| clean(Some(tag)))
            .collect();
        job.location = clean(wire.location)
            .map(|place| place.trim_end_matches([',', ' ']).to_owned())
            .filter(|place| !place.is_empty());
        job.salary = salary(wire.salary_min, wire.salary_max);
        job.remote = Some(true);
        let text = repair::html_text(&repair::mojibake(&wire.description.unwrap_or_default()));
        job.text = repair::without_reader_trap(&text);
        read.jobs.push(job);
    }
    judged(read, "Remote OK")
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
