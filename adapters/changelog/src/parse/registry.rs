//! Package registries: where a package's source is, and when its versions came out.

use std::cmp::Reverse;

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{DateEvidence, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::date::in_utc;
use freshcontext_parse::github::{self, Repository};
use freshcontext_parse::json::text_at;
use freshcontext_parse::registry::Registry;
use freshcontext_parse::{json, link, npm as npm_error, text};

use super::{Release, marks, version};

/// What a registry says about a package.
#[derive(Debug, Default)]
pub struct Package {
    /// Its name, as the registry spells it.
    pub name: String,
    /// Its repository on GitHub.
    pub repository: Option<Repository>,
    /// Its versions, without those that are gone; the newest where there are very many.
    pub releases: Vec<Release>,
    /// Whether there are more versions than were read.
    pub more: bool,
    /// The version that the registry hands out by default.
    pub latest: Option<String>,
}

/// Reads a registry's answer.
pub fn read(registry: Registry, body: &str) -> Result<Package, SourceError> {
    let value: Value = json::parse(body, registry.prefix())?;
    let removed = || npm_error::security_holding(&value).or_else(|| npm_error::unpublished(&value));
    if registry == Registry::Npm
        && let Some(removed) = removed()
    {
        return Err(removed);
    }
    let package = match registry {
        Registry::Npm => npm(&value),
        Registry::Pypi => pypi(&value),
        Registry::Crates => crates(&value),
    };
    package.ok_or_else(|| {
        if let Some(error) = npm_error::error(&value).filter(|_| registry == Registry::Npm) {
            return error;
        }
        SourceError::malformed(format!(
            "{}: the answer names no package or lists no versions",
            registry.prefix()
        ))
    })
}

fn release(registry: Registry, name: &str, version: &str, date: DateEvidence) -> Release {
    let release = Release {
        title: version.to_owned(),
        date,
        url: link::shown(&registry.version_page(name, version)),
        ..Release::default()
    };
    // By semver, item 9, which npm's versions follow, a hyphen begins a pre-release: https://semver.org/#spec-item-9
    let by_grammar =
        || (registry == Registry::Npm && version.contains('-')).then(|| marks::early("version", version));
    release.early(marks::early_tag("version", version).or_else(by_grammar))
}

impl Release {
    /// Marks it as pulled by its owner. That is said of one version, by a field of the registry.
    fn yank(&mut self, field: String, reason: Option<&str>) {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let sign = StandingEvidence::field(StandingState::Yanked, field, "true");
        self.standing.push(sign.by("owner").reason(reason));
        self.yanked = true;
    }
}

/// Versions that are read of one package. Each takes some hundred bytes in a registry's document, so that one of as many
/// is larger than a body may be.
const MAX_VERSIONS: usize = 20_000;

/// `time` may hold versions that are gone. The document of one version has no list.
fn npm(value: &Value) -> Option<Package> {
    let name = text_at(value, "/name")?.to_owned();
    let versions = value.get("versions").and_then(Value::as_object);
    let of_one = text_at(value, "/version").is_some();
    if versions.is_none() && !of_one {
        return None;
    }
    let at = |version: &str| value.get("time").and_then(|times| times.get(version)?.as_str());
    let mut listed: Vec<_> = versions.into_iter().flatten().collect();
    let more = listed.len() > MAX_VERSIONS;
    if more {
        listed.sort_by_cached_key(|(version, _)| Reverse(at(version)));
        listed.truncate(MAX_VERSIONS);
    }
    let releases = listed
        .into_iter()
        .map(|(version, about)| {
            let mut release = release(
                Registry::Npm,
                &name,
                version,
                DateEvidence::optional_field("time", at(version)),
            );
            if let Some(reason) = text_at(about, "/deprecated") {
                release.notes = format!("deprecated: {}", text::said(reason, 200));
            }
            release
                .standing
                .extend(npm_error::deprecation(&name, version, about));
            release
        })
        .collect();
    let repository = value.get("repository").and_then(|repository| {
        repository
            .as_str()
            .or_else(|| text_at(repository, "/url"))
            .and_then(|url| github::repository(url).ok())
    });
    Some(Package {
        latest: text_at(value, "/dist-tags/latest").map(str::to_owned),
        name,
        repository,
        releases,
        more,
    })
}

/// When the first of a release's files came, whether all are yanked, and why. Old answers have only the form without a
/// zone, which is UTC.
fn of_files(files: &Value) -> Option<(DateTime<Utc>, bool, Option<&str>)> {
    let files = files.as_array()?;
    let moments = files.iter().filter_map(|file| {
        let written = text_at(file, "/upload_time_iso_8601").or_else(|| text_at(file, "/upload_time"));
        in_utc(written?)
    });
    let is_yanked = |file: &Value| file.get("yanked") == Some(&Value::Bool(true));
    let reason = files.iter().find_map(|file| text_at(file, "/yanked_reason"));
    Some((moments.min()?, files.iter().all(is_yanked), reason))
}

/// A release is dated by its first file: wheels may follow years later.
fn pypi(value: &Value) -> Option<Package> {
    let info = value.get("info")?;
    let name = text_at(info, "/name")?.to_owned();
    let dated = |version: &str, files: &Value| {
        let (at, is_yanked, reason) = of_files(files)?;
        let date = DateEvidence::field("upload_time", at);
        let mut release = release(Registry::Pypi, &name, version, date);
        if is_yanked {
            release.yank(format!("releases[{version}][].yanked"), reason);
        }
        Some(release)
    };
    // The list is deprecated and may go (https://docs.pypi.org/api/json/): the files of the newest release stay.
    let listed = value
        .get("releases")
        .and_then(Value::as_object)
        .filter(|listed| !listed.is_empty());
    let releases: Vec<Release> = match (listed, text_at(info, "/version")) {
        (Some(listed), _) => listed
            .iter()
            .filter_map(|(version, files)| dated(version, files))
            .collect(),
        (None, Some(version)) => match value.get("urls") {
            Some(files) => dated(version, files).into_iter().collect(),
            // An empty list without files is a project without releases; with neither, this is no project's document.
            None => value
                .get("releases")
                .filter(|list| list.is_object())
                .map(|_| Vec::new())?,
        },
        (None, None) => Vec::new(),
    };
    let urls = info.get("project_urls").and_then(Value::as_object);
    let repository = urls
        .into_iter()
        .flatten()
        .filter_map(|(_, url)| url.as_str())
        .chain(text_at(info, "/home_page"))
        .find_map(|url| {
            github::repository(url)
                .ok()
                .filter(|_| url.contains("github.com"))
        });
    Some(Package {
        latest: latest(text_at(info, "/version"), &releases),
        name,
        repository,
        releases,
        more: listed.is_none(),
    })
}

/// The version that a registry hands out by default: the one it states, unless that was withdrawn and another was not.
fn latest(stated: Option<&str>, releases: &[Release]) -> Option<String> {
    let withdrawn = |said: &str| {
        releases
            .iter()
            .any(|release| release.yanked && release.title == said)
    };
    let standing = || {
        let standing = releases.iter().filter(|release| !release.yanked);
        let highest = standing.max_by_key(|release| (!release.prerelease, version::parse(&release.title)));
        highest.map(|release| release.title.clone())
    };
    match stated {
        Some(said) if withdrawn(said) => standing().or_else(|| Some(said.to_owned())),
        said => said.map(str::to_owned),
    }
}

fn crates(value: &Value) -> Option<Package> {
    let facts = value.get("crate")?;
    let name = text_at(facts, "/name")
        .or_else(|| text_at(facts, "/id"))?
        .to_owned();
    let releases: Vec<Release> = json::entries(value, "/versions")
        .filter_map(|version| {
            let date = DateEvidence::optional_field("created_at", text_at(version, "/created_at"));
            let number = text_at(version, "/num")?;
            let mut release = release(Registry::Crates, &name, number, date);
            if version.get("yanked") == Some(&Value::Bool(true)) {
                let reason = text_at(version, "/yank_message");
                release.yank(format!("versions[{number}].yanked"), reason);
            }
            Some(release)
        })
        .collect();
    let repository = text_at(facts, "/repository").and_then(|url| github::repository(url).ok());
    Some(Package {
        latest: latest(text_at(facts, "/max_stable_version"), &releases),
        name,
        repository,
        releases,
        more: false,
    })
}
