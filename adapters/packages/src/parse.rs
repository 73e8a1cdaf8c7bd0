//! Registry documents into facts, purely. One module per registry.

mod as_of;
pub mod crates;
pub mod npm;
pub mod pypi;

use freshcontext_contract::chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{DateEvidence, Item, Lookup, Presence, StandingEvidence};
use freshcontext_parse::registry::Registry;
use freshcontext_parse::{link, text};

/// What is said of vulnerabilities where nobody looked for any: none shown is not none there.
pub const NOT_CHECKED: &str = "not checked";

/// Versions that the usual gap between releases is taken from.
const GAP_SAMPLE: usize = 21;

/// A version that its owner took back. It is no release to count or to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    /// The version.
    pub version: String,
    /// When it came out, as the registry writes it.
    pub written: String,
    /// The same as an instant.
    pub at: DateTime<Utc>,
    /// The owner's words.
    pub reason: Option<String>,
}

/// One published version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its number.
    pub version: String,
    /// When it came out, as the registry writes it.
    pub written: String,
    /// The same as an instant.
    pub at: DateTime<Utc>,
    /// Whether it is a pre-release by its registry's rules.
    pub prerelease: bool,
    /// Why its owner advises against it; empty where the owner does without a reason.
    pub deprecated: Option<String>,
}

/// What a registry says about a package.
#[derive(Debug, Default)]
pub struct Facts {
    /// Its name, as the registry spells it.
    pub name: String,
    /// The version handed out by default.
    pub latest: Option<String>,
    /// Whether that was worked out here because the registry does not say.
    pub inferred: bool,
    /// When that version came out.
    pub date: DateEvidence,
    /// What it is.
    pub description: Option<String>,
    /// Its published versions, those that are gone left out, in any order.
    pub published: Vec<Published>,
    /// Versions that their owner took back, in any order; none of them is in `published`.
    pub pulled: Vec<Pulled>,
    /// Number of versions, also of those without a date.
    pub versions: Option<usize>,
    /// Further facts, in the order to show them.
    pub fields: Vec<(&'static str, Value)>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Signs that the version handed out, or the package, does not stand as it is shown.
    pub standing: Vec<StandingEvidence>,
    /// Whether a further question about that was not answered.
    pub partly_told: bool,
}

impl Facts {
    /// Adds a fact to show.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.fields.push((name, value.into()));
    }

    /// Whether a version came out after the one that the registry hands out: a pre-release, or one of an older line.
    pub fn has_newer_than_latest(&self) -> bool {
        let is_latest = |published: &&Published| Some(&published.version) == self.latest.as_ref();
        let latest = self.published.iter().find(is_latest);
        latest.is_some_and(|latest| self.published.iter().any(|published| published.at > latest.at))
    }

    /// The item, with figures as of `now`.
    pub fn into_item(self, registry: Registry, now: DateTime<Utc>) -> Item {
        let title = match &self.latest {
            Some(latest) => format!("{} {} {latest}", registry.name(), self.name),
            None => format!("{} {}", registry.name(), self.name),
        };
        let mut item = Item::new(title, self.date);
        item.standing = self.standing;
        item.id = Some(format!("{}:{}", registry.prefix(), self.name));
        item.url = link::shown(&registry.page(&self.name));
        item.summary = self
            .description
            .as_deref()
            .map(|about| text::said(about, 400))
            .unwrap_or_default();
        item.set("registry", registry.name());
        item.set("latest", self.latest.clone());
        item.set_flag("latest_inferred", self.inferred);
        let newest = self.published.iter().max_by_key(|published| published.at);
        if let Some(newest) = newest
            && Some(&newest.version) != self.latest.as_ref()
        {
            let at = newest.at.to_rfc3339_opts(SecondsFormat::Secs, true);
            let advised = newest
                .deprecated
                .as_deref()
                .map(|reason| because("deprecated", reason));
            item.set(
                "newest_publish",
                format!("{} ({at}{})", newest.version, advised.unwrap_or_default()),
            );
        }
        // Whoever looks for it finds why it is not the newest; what is handed out says so by its standing.
        let pulled = self.pulled.iter().max_by_key(|pulled| pulled.at);
        if let Some(pulled) = pulled
            && newest.is_none_or(|newest| newest.at < pulled.at)
            && Some(&pulled.version) != self.latest.as_ref()
        {
            let at = pulled.at.to_rfc3339_opts(SecondsFormat::Secs, true);
            let why = because("yanked", pulled.reason.as_deref().unwrap_or_default());
            item.set("newest_pulled", format!("{} ({at}{why})", pulled.version));
        }
        item.set("versions", self.versions);
        if !self.published.is_empty() || !self.pulled.is_empty() {
            cadence(&self.published, now, &mut item);
        }
        for (name, value) in self.fields {
            item.set(name, value);
        }
        item
    }
}

/// A state behind a date, with its owner's reason.
fn because(state: &str, reason: &str) -> String {
    match text::said(reason, 200) {
        reason if reason.is_empty() => format!(", {state}"),
        reason => format!(", {state}: {reason}"),
    }
}

/// An answer about another package than the one asked for, which settles nothing.
pub fn other_record(name: &str) -> Lookup {
    Lookup::new(Presence::Unsettled("other_record")).showing("name", name, None::<String>)
}

/// How often stable versions come out.
fn cadence(published: &[Published], now: DateTime<Utc>, item: &mut Item) {
    let early = published.iter().filter(|published| published.prerelease).count();
    let mut stable: Vec<DateTime<Utc>> = published
        .iter()
        .filter(|published| !published.prerelease)
        .map(|published| published.at)
        .collect();
    stable.sort_unstable_by(|a, b| b.cmp(a));
    let within = |days: i64| {
        stable
            .iter()
            .filter(|at| **at <= now && now - **at <= TimeDelta::days(days))
            .count()
    };
    item.set("releases_30d", within(30));
    item.set("releases_365d", within(365));
    stable.truncate(GAP_SAMPLE);
    let mut gaps: Vec<TimeDelta> = stable
        .windows(2)
        .filter_map(|pair| Some(*pair.first()? - *pair.get(1)?))
        .collect();
    gaps.sort_unstable();
    // A single gap is no habit.
    if gaps.len() >= 2 {
        item.set("median_gap_days", median(&gaps).map(|gap| gap.num_days()));
    }
    item.set("prereleases", (early > 0).then_some(early));
}

/// The middle of sorted times; of an even number, the mean of the two in the middle.
fn median(sorted: &[TimeDelta]) -> Option<TimeDelta> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *sorted.get(sorted.len() / 2 - 1)?;
    Some((lower + upper) / 2)
}

/// A licence as its name; whole licence texts are left out.
pub fn license(value: Option<&Value>) -> Option<String> {
    let name = match value? {
        Value::String(name) => name.clone(),
        Value::Object(license) => license
            .get("type")
            .or_else(|| license.get("name"))?
            .as_str()?
            .to_owned(),
        // npm's form of old, with several of which one may be chosen: `[{"type": "MIT", "url": "..."}]`.
        Value::Array(licenses) => {
            let mut names: Vec<String> = licenses.iter().filter_map(|one| license(Some(one))).collect();
            names.dedup();
            names.join(" OR ")
        }
        _ => return None,
    };
    let name = text::one_line(&name);
    (!name.is_empty() && name.chars().count() <= 60).then_some(name)
}

/// A repository's page, from any of the ways in which manifests write it.
pub fn repository(written: &str) -> Option<String> {
    freshcontext_parse::github::repository(written)
        .map(|found| found.page())
        .ok()
        .or_else(|| {
            let plain = written.trim().strip_prefix("git+").unwrap_or(written.trim());
            link::shown(plain).map(|page| page.trim_end_matches(".git").to_owned())
        })
}

#[cfg(test)]
mod tests;
