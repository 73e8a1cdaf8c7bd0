//! A package at an earlier moment: registries keep when each version came out.

use std::str::FromStr;

use freshcontext_contract::DateEvidence;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_parse::registry::Registry;

use super::{Facts, Published};

impl Facts {
    /// What the registry handed out at that moment: the version of today, if it was out by then, else the highest stable
    /// one of those that were. What is only known of the version of today goes.
    #[must_use]
    pub fn at(mut self, moment: DateTime<Utc>, registry: Registry) -> Self {
        let first = self.published.iter().min_by_key(|published| published.at);
        let first = first.map(|published| published.written.clone());
        self.published.retain(|published| published.at <= moment);
        // Remarks are about today's versions.
        self.notes.clear();
        // Nobody says when a version was pulled or advised against.
        self.pulled.clear();
        self.published
            .iter_mut()
            .for_each(|published| published.deprecated = None);
        self.versions = Some(self.published.len());
        let is_latest = |published: &&Published| self.latest.as_ref() == Some(&published.version);
        if self.published.iter().any(|published| is_latest(&published)) {
            return self;
        }
        self.fields.clear();
        self.standing.clear();
        let highest = highest(&self.published, registry).cloned();
        self.inferred = highest.is_some();
        // Without a version the package is dated by its first, which is later.
        let written = highest
            .as_ref()
            .map_or(first, |found| Some(found.written.clone()));
        self.latest = highest.map(|found| found.version);
        self.date = DateEvidence::optional_field("publication of the version", written);
        self
    }
}

/// The highest stable version, else the highest of all.
fn highest(published: &[Published], registry: Registry) -> Option<&Published> {
    match registry {
        Registry::Pypi => by(published, |text| pep440_rs::Version::from_str(text).ok()),
        Registry::Npm | Registry::Crates => by(published, |text| semver::Version::parse(text).ok()),
    }
}

fn by<V: Ord>(published: &[Published], read: impl Fn(&str) -> Option<V>) -> Option<&Published> {
    published
        .iter()
        .max_by_key(|published| (!published.prerelease, read(&published.version), published.at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::npm;

    const BODY: &str = r#"{"name":"x","dist-tags":{"latest":"2.0.0"},"license":"MIT",
        "versions":{"1.0.0":{"license":"MIT"},"1.1.0-rc.1":{},"1.0.1":{},"2.0.0":{"license":"MIT"}},
        "time":{"1.0.0":"2020-01-01T00:00:00Z","1.1.0-rc.1":"2020-03-01T00:00:00Z",
        "1.0.1":"2020-02-01T00:00:00Z","2.0.0":"2021-01-01T00:00:00Z","modified":"2021-01-01T00:00:00Z"}}"#;

    fn at(moment: &str) -> Facts {
        npm::read(BODY)
            .unwrap()
            .at(moment.parse().unwrap(), Registry::Npm)
    }

    #[test]
    fn the_version_is_the_one_of_that_moment() {
        for (moment, latest, versions) in [
            ("2020-01-15T00:00:00Z", Some("1.0.0"), 1),
            ("2020-06-01T00:00:00Z", Some("1.0.1"), 3),
            ("2021-01-01T00:00:00Z", Some("2.0.0"), 4),
            ("2019-01-01T00:00:00Z", None, 0),
        ] {
            let facts = at(moment);
            assert_eq!(
                (facts.latest.as_deref(), facts.versions),
                (latest, Some(versions)),
                "{moment}"
            );
        }
        assert!(at("2020-06-01T00:00:00Z").fields.is_empty());
        assert!(!at("2022-01-01T00:00:00Z").fields.is_empty());
        assert_eq!(
            at("2019-01-01T00:00:00Z").date.instant(),
            Some("2020-01-01T00:00:00Z".parse().unwrap())
        );
    }
}
