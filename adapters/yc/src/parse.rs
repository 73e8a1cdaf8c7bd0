//! From bytes to companies and items. Pure.

use std::collections::HashMap;

use freshcontext_contract::chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use freshcontext_contract::{DateEvidence, Item, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{link, text};
use serde::Deserialize;
use serde_json::Value;

use crate::batch::{Batch, Season};
use crate::input::{Filter, Flag};

/// One company.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Deserialize)]
pub struct Company {
    /// The key; names and slugs change.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its slug.
    pub slug: String,
    former_names: Option<Vec<String>>,
    website: Option<String>,
    /// One line about it.
    pub one_liner: Option<String>,
    long_description: Option<String>,
    team_size: Option<u64>,
    /// Its batch, in either spelling.
    pub batch: Option<String>,
    /// Active, Inactive, Acquired, Public.
    pub status: Option<String>,
    stage: Option<String>,
    industry: Option<String>,
    subindustry: Option<String>,
    /// Industries.
    pub industries: Option<Vec<String>>,
    /// Regions.
    pub regions: Option<Vec<String>>,
    all_locations: Option<String>,
    /// Labels.
    pub tags: Option<Vec<String>>,
    /// Whether it hires.
    #[serde(rename = "isHiring")]
    pub hiring: Option<bool>,
    /// Whether it is a non-profit.
    pub nonprofit: Option<bool>,
    /// Whether YC calls it a top company.
    #[serde(rename = "top_company")]
    pub top: Option<bool>,
    /// When its page was made public.
    pub launched_at: Option<i64>,
}

/// Companies of one answer.
#[derive(Debug, Default)]
pub struct Listed {
    /// Those that can be read.
    pub companies: Vec<Company>,
    /// Entries without id, name or slug.
    pub unreadable: usize,
}

/// Reads a file of the mirror: a list, or one company.
pub fn mirror(body: &str) -> Result<Listed, SourceError> {
    let value: Value = json::parse(body, "yc-oss mirror")?;
    let list = match value {
        Value::Array(_) => value,
        Value::Object(_) => Value::Array(vec![value]),
        _ => {
            return Err(SourceError::malformed(
                "yc-oss mirror: the file is no list of companies",
            ));
        }
    };
    let list: Lenient<Company> = serde_json::from_value(list)
        .map_err(|error| SourceError::malformed("yc-oss mirror: unreadable").caused_by(error))?;
    listed(list, "yc-oss mirror")
}

fn listed(list: Lenient<Company>, what: &str) -> Result<Listed, SourceError> {
    let list = list.or_none_readable(&format!("{what}: no entry is a company"))?;
    Ok(Listed {
        companies: list.items,
        unreadable: list.unreadable,
    })
}

/// The parts of `meta.json` that are used.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Default, Deserialize)]
pub struct Meta {
    /// When the mirror was built. Not a date of any company.
    pub last_updated: Option<String>,
    batches: Option<HashMap<String, Slot>>,
    industries: Option<HashMap<String, Slot>>,
    tags: Option<HashMap<String, Slot>>,
}

impl Meta {
    /// When the mirror was built, where that is a date.
    pub fn built(&self) -> Option<&str> {
        let text = self.last_updated.as_deref()?.trim();
        NaiveDate::parse_from_str(text.get(..10)?, "%Y-%m-%d").ok()?;
        Some(text)
    }
}

#[derive(Debug, Deserialize)]
struct Slot {
    #[serde(default)]
    name: String,
    #[serde(default)]
    count: u64,
}

/// Reads `meta.json`.
pub fn meta(body: &str) -> Result<Meta, SourceError> {
    let meta: Meta = json::parse(body, "yc-oss mirror")?;
    let lists = [&meta.batches, &meta.industries, &meta.tags];
    if meta.last_updated.is_none() && lists.iter().all(|lists| lists.is_none()) {
        return Err(SourceError::malformed(
            "yc-oss mirror: the overview has neither lists nor a date",
        ));
    }
    Ok(meta)
}

/// A file with more companies than this is larger than an answer may be (2 KB each).
const MOST: u64 = 2_500;

impl Meta {
    /// Files worth looking into for words, since the mirror has no search: labels and industries named
    /// by the words, the top companies, and the newest batches.
    pub fn files_for(&self, query: &str, batches: usize) -> Vec<String> {
        let words: Vec<String> = query
            .to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_owned)
            .collect();
        let mut named: Vec<(usize, u64, String)> = Vec::new();
        for (folder, slots) in [("tags", &self.tags), ("industries", &self.industries)] {
            for (slug, slot) in slots.iter().flatten() {
                let parts: Vec<String> = slot
                    .name
                    .to_lowercase()
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned)
                    .collect();
                let fits = !parts.is_empty() && parts.iter().all(|part| words.contains(part));
                if fits && slot.count <= MOST && safe(slug) {
                    named.push((parts.len(), slot.count, format!("{folder}/{slug}.json")));
                }
            }
        }
        // The most exact first, then the smallest.
        named.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut files: Vec<String> = named.into_iter().take(3).map(|(.., file)| file).collect();
        files.push("companies/top.json".to_owned());
        let mut newest: Vec<(Batch, &String)> = self
            .batches
            .iter()
            .flatten()
            .filter_map(|(slug, _)| Some((Batch::read(slug)?, slug)))
            .collect();
        newest.sort_by(|a, b| b.cmp(a));
        files.extend(
            newest
                .into_iter()
                .filter(|(_, slug)| safe(slug))
                .take(batches)
                .map(|(_, slug)| format!("batches/{slug}.json")),
        );
        files
    }
}

fn safe(slug: &str) -> bool {
    slug.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// Which companies share one second with most of their batch: the mark of a backfill.
pub fn mass_published(companies: &[Company]) -> Vec<(String, i64)> {
    let mut batches: HashMap<&str, Vec<i64>> = HashMap::new();
    for company in companies {
        if let (Some(batch), Some(at)) = (company.batch.as_deref(), company.launched_at) {
            batches.entry(batch).or_default().push(at);
        }
    }
    let mut out = Vec::new();
    for (batch, seconds) in batches {
        let mut counts: HashMap<i64, usize> = HashMap::new();
        for second in &seconds {
            *counts.entry(*second).or_default() += 1;
        }
        let shared = counts
            .into_iter()
            .find(|(_, count)| *count >= 3 && *count * 2 > seconds.len());
        out.extend(shared.map(|(second, _)| (batch.to_owned(), second)));
    }
    out
}

impl Company {
    /// Its batch, if it has a season.
    pub fn batch(&self) -> Option<Batch> {
        Batch::read(self.batch.as_deref()?)
    }

    /// When YC made its page public: a date for batches whose pages went public one by one.
    pub fn date(&self, mass: &[(String, i64)], now: DateTime<Utc>) -> DateEvidence {
        let Some(seconds) = self.launched_at.filter(|seconds| *seconds > 0) else {
            return DateEvidence::None;
        };
        let Some(at) = DateTime::from_timestamp(seconds, 0).filter(|at| *at <= now) else {
            return DateEvidence::None;
        };
        let shared = mass
            .iter()
            .any(|(batch, second)| Some(batch.as_str()) == self.batch.as_deref() && *second == seconds);
        match self.batch().map(|batch| batch.year) {
            Some(year) if year >= 2019 && !shared => DateEvidence::field("launched_at", at),
            Some(2012..) if !shared => {
                DateEvidence::signal("launched_at: the batch's pages went public together", at)
            }
            _ => DateEvidence::None,
        }
    }

    /// What it has of a filter.
    pub fn values(&self, filter: Filter) -> &[String] {
        match filter {
            Filter::Batch => self.batch.as_slice(),
            Filter::Status => self.status.as_slice(),
            Filter::Industry => self.industries.as_deref().unwrap_or_default(),
            Filter::Region => self.regions.as_deref().unwrap_or_default(),
            Filter::Tag => self.tags.as_deref().unwrap_or_default(),
        }
    }

    /// Whether something holds of it.
    pub fn holds(&self, flag: Flag) -> bool {
        let holds = match flag {
            Flag::Hiring => self.hiring,
            Flag::Nonprofit => self.nonprofit,
            Flag::Top => self.top,
        };
        holds == Some(true)
    }

    /// Everything words may be found in.
    pub fn haystack(&self) -> String {
        let lists = [&self.former_names, &self.tags, &self.industries];
        let texts = [&self.one_liner, &self.long_description];
        let mut all = vec![self.name.as_str()];
        all.extend(lists.into_iter().flatten().flatten().map(String::as_str));
        all.extend(texts.into_iter().flatten().map(String::as_str));
        all.join("\n")
    }

    /// What its status says beside being active or public.
    fn standing(&self) -> Option<StandingEvidence> {
        let status = self.status.as_deref()?;
        let state = match status {
            "Inactive" => StandingState::Ended,
            "Acquired" => StandingState::Acquired,
            _ => return None,
        };
        Some(StandingEvidence::field(state, "status", status).by("host"))
    }

    /// As an item.
    pub fn into_item(self, date: DateEvidence) -> Item {
        let mut item = Item::new(text::one_line(&self.name), date);
        item.id = Some(self.id.to_string());
        item.url = link::shown(&format!("https://www.ycombinator.com/companies/{}", self.slug));
        let batch = self.batch();
        item.set(
            "batch",
            batch.map_or_else(|| self.batch.clone(), |batch| Some(batch.to_string())),
        );
        let early = batch.zip(self.launched_at).is_some_and(|(batch, at)| {
            let month = match batch.season {
                Season::Winter => 1,
                Season::Spring => 4,
                Season::Summer => 6,
                Season::Fall => 9,
            };
            let start = NaiveDate::from_ymd_opt(batch.year - 1, month, 1);
            let start = start.map(|start| start.and_time(NaiveTime::MIN).and_utc().timestamp());
            at > 0 && start.is_some_and(|start| at < start)
        });
        item.set_flag(
            "listed_long_before_batch",
            early && batch.is_some_and(|batch| batch.year >= 2019),
        );
        item.standing.extend(self.standing());
        item.set("status", self.status);
        item.set("team_size", self.team_size.filter(|size| *size > 0));
        item.set("stage", self.stage);
        item.set("industry", self.subindustry.or(self.industry));
        item.set("locations", self.all_locations);
        item.set("website", self.website.as_deref().and_then(link::shown));
        item.set("hiring", self.hiring);
        item.set("nonprofit", self.nonprofit.filter(|yes| *yes));
        item.set("top_company", self.top.filter(|yes| *yes));
        item.set("tags", self.tags);
        item.set("former_names", self.former_names);
        let first = self.one_liner.unwrap_or_default();
        let long = text::paragraphs(&self.long_description.unwrap_or_default());
        let with = |long: &str| text::paragraphs(&format!("{first}\n{long}"));
        item.set_excerpt(with(&text::clip(&long, 600)), &with(&long));
        item
    }
}

#[cfg(test)]
mod tests;
