//! PyPI's documents. A release is dated by its first file: a wheel may follow years later.

use std::str::FromStr;

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::serde_json::{Map, Value};
use freshcontext_contract::standing::{Basis, Replacement, replacement_in};
use freshcontext_contract::{DateEvidence, Lookup, Presence, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::date::in_utc;
use freshcontext_parse::json::text_at;
use freshcontext_parse::registry::Registry;
use freshcontext_parse::{json, link, text};
use pep440_rs::Version;
use serde::Deserialize;

use super::{Facts, NOT_CHECKED, Published, Pulled, license, other_record, repository};

/// Reads a project's document.
pub fn read(body: &str) -> Result<Facts, SourceError> {
    let value: Value = json::parse(body, "PyPI")?;
    let info = value.get("info").filter(|info| info.is_object());
    let Some((info, name)) = info.and_then(|info| Some((info, text_at(info, "/name")?))) else {
        return Err(SourceError::malformed("PyPI: the answer names no project"));
    };
    let releases = value.get("releases").and_then(Value::as_object);
    let pulled: Vec<Pulled> = releases
        .into_iter()
        .flatten()
        .filter(|(_, files)| all_yanked(files))
        .filter_map(|(version, files)| {
            let (written, at, _) = first_file(files)?;
            let reasons = files.as_array().into_iter().flatten();
            let mut reasons = reasons.filter_map(|file| text_at(file, "/yanked_reason"));
            Some(Pulled {
                version: version.clone(),
                written: written.to_owned(),
                at,
                reason: reasons.next().map(str::to_owned),
            })
        })
        .collect();
    let published: Vec<Published> = releases
        .into_iter()
        .flatten()
        .filter(|(_, files)| !all_yanked(files))
        .filter_map(|(version, files)| {
            let (written, at, _) = first_file(files)?;
            let prerelease = Version::from_str(version).is_ok_and(|version| version.any_prerelease());
            Some(Published {
                version: version.clone(),
                written: written.to_owned(),
                at,
                prerelease,
                deprecated: None,
            })
        })
        .collect();
    let mut facts = Facts {
        name: name.to_owned(),
        description: text_at(info, "/summary").map(str::to_owned),
        versions: releases.map(Map::len),
        ..Facts::default()
    };
    let files_of = |version: &str| releases.and_then(|releases| releases.get(version));
    let stated = text_at(info, "/version");
    let withdrawn = stated.filter(|stated| {
        let files = value.get("urls").filter(|files| has_files(files));
        is_yanked(info) || files.or_else(|| files_of(stated)).is_some_and(all_yanked)
    });
    if stated.is_none() || withdrawn.is_some() {
        let standing = published
            .iter()
            .filter(|published| Some(published.version.as_str()) != withdrawn);
        let highest = standing
            .filter_map(|published| Some((Version::from_str(&published.version).ok()?, published)))
            .max_by(|(a, _), (b, _)| (!a.any_prerelease(), a).cmp(&(!b.any_prerelease(), b)));
        facts.latest = highest.map(|(_, published)| published.version.clone());
        facts.inferred = facts.latest.is_some();
    }
    // A yanked version is the latest only where no other stands.
    if facts.latest.is_none() {
        facts.latest = stated.map(str::to_owned);
    } else if let Some(withdrawn) = withdrawn {
        facts.notes.push(format!(
            "{withdrawn}, which PyPI names as the latest version of {}, is yanked",
            facts.name
        ));
    }
    let of_latest = || files_of(facts.latest.as_ref()?);
    let files = value.get("urls").filter(|_| !facts.inferred);
    let first = files.or_else(of_latest).and_then(first_file);
    facts.date = DateEvidence::optional_field("upload_time", first.map(|(_, at, _)| at))
        .beside("upload_time", first.and_then(|(.., other)| other));
    facts.published = published;
    facts.pulled = pulled;
    facts.standing = signs(info, &facts, files.or_else(of_latest));
    if is_yanked(info) && !facts.inferred {
        let reason = text_at(info, "/yanked_reason").map(|reason| text::said(reason, 200));
        facts.set("yanked", reason.map_or(Value::Bool(true), Value::from));
    }
    let holes: Vec<&str> = json::entries(&value, "/vulnerabilities")
        .filter(|hole| hole.get("withdrawn").is_none_or(Value::is_null))
        .filter_map(|hole| text_at(hole, "/id"))
        .take(10)
        .collect();
    // Without the list nobody looked; an empty one says that none is known.
    if value.get("vulnerabilities").is_none_or(|list| !list.is_array()) {
        facts.set("vulnerabilities", NOT_CHECKED);
    } else if holes.is_empty() {
        facts.set("vulnerabilities", "none listed by PyPI");
    } else {
        facts.set("vulnerabilities", holes);
    }
    let named = license(info.get("license_expression").filter(|value| !value.is_null()))
        .or_else(|| license(info.get("license")));
    facts.set("license", named);
    facts.set("requires_python", text_at(info, "/requires_python"));
    let urls = info.get("project_urls").and_then(Value::as_object);
    let sources = urls.into_iter().flatten().filter(|(label, _)| {
        let label = label.to_lowercase();
        ["source", "repository", "code", "github"]
            .iter()
            .any(|word| label.contains(word))
    });
    let source = sources.filter_map(|(_, url)| url.as_str()).find_map(repository);
    let home = text_at(info, "/home_page")
        .filter(|home| home.contains("github.com"))
        .and_then(repository);
    facts.set("repository", source.or(home));
    Ok(facts)
}

/// Reads of a project's document, or of that of one version, what it says of that version.
pub fn version(body: &str, asked: &str, wanted: &str) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "PyPI")?;
    if let Some(name) = text_at(&value, "/info/name").filter(|name| !Registry::Pypi.is_same(name, asked)) {
        return Ok(other_record(name));
    }
    let is_wanted = |written: &str| {
        written == wanted
            || Version::from_str(written)
                .is_ok_and(|written| Version::from_str(wanted).is_ok_and(|wanted| written == wanted))
    };
    let stated = text_at(&value, "/info/version").filter(|version| is_wanted(version));
    let releases = value.get("releases").and_then(Value::as_object);
    let (facts, files) = if stated.is_some() {
        (read(body)?, None)
    } else {
        let found = releases
            .into_iter()
            .flatten()
            .find(|(version, _)| is_wanted(version));
        let Some((_, files)) = found else {
            read(body)?;
            if releases.is_none() {
                return Err(SourceError::malformed("PyPI: the answer lists no releases"));
            }
            let gone = Lookup::new(Presence::Gone(Basis::Field));
            return Ok(gone.showing("releases", format!("no {wanted}"), None::<String>));
        };
        let facts = Facts {
            name: text_at(&value, "/info/name").unwrap_or_default().to_owned(),
            latest: Some(wanted.to_owned()),
            ..Facts::default()
        };
        (facts, Some(files))
    };
    let (signs, date) = match files {
        Some(files) => {
            let date = first_file(files).map(|(_, at, _)| at);
            (
                signs(&Value::Null, &facts, Some(files)),
                DateEvidence::optional_field("upload_time", date),
            )
        }
        None => (facts.standing, facts.date),
    };
    let found = Lookup::found(Some(format!("{} {wanted}", facts.name)), date, signs);
    Ok(found.showing("version", wanted, None::<String>))
}

/// Whether a version or a file is marked as withdrawn.
fn is_yanked(of: &Value) -> bool {
    of.get("yanked") == Some(&Value::Bool(true))
}

fn has_files(files: &Value) -> bool {
    files.as_array().is_some_and(|files| !files.is_empty())
}

/// Whether a release is withdrawn: with all of its files.
fn all_yanked(files: &Value) -> bool {
    has_files(files) && files.as_array().is_some_and(|files| files.iter().all(is_yanked))
}

/// The signs of the version handed out.
fn signs(info: &Value, facts: &Facts, files: Option<&Value>) -> Vec<StandingEvidence> {
    let files = files
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    // `info` is about the version that it names. A release is yanked with all of its files; one of several is a file's matter.
    let field = if is_yanked(info) && !facts.inferred {
        Some("info.yanked")
    } else if !files.is_empty() && files.iter().all(is_yanked) {
        Some("urls[].yanked")
    } else {
        None
    };
    let reason = text_at(info, "/yanked_reason")
        .filter(|_| !facts.inferred)
        .or_else(|| files.iter().find_map(|file| text_at(file, "/yanked_reason")))
        .filter(|reason| !reason.trim().is_empty());
    // "Use 21.11b1 instead." names another version of the same project.
    let instead = reason.and_then(|reason| replacement_in(reason, |word| Version::from_str(word).is_ok()));
    let yanked = field.map(|field| {
        StandingEvidence::field(StandingState::Yanked, field, "true")
            .by("owner")
            .reason(reason)
            .replaced_by(instead.map(Replacement::id))
    });
    let classifiers = json::entries(info, "/classifiers").filter_map(Value::as_str);
    // A classifier is a word of the last upload, not of the registry.
    let inactive = classifiers
        .map(str::trim)
        .find(|word| *word == INACTIVE)
        .map(|word| StandingEvidence::mark(StandingState::Ended, "info.classifiers", word).by("owner"));
    let early = facts
        .latest
        .as_deref()
        .filter(|latest| Version::from_str(latest).is_ok_and(|version| version.any_prerelease()))
        .map(|latest| StandingEvidence::field(StandingState::Prerelease, "info.version", latest));
    yanked.into_iter().chain(inactive).chain(early).collect()
}

/// Of a project that is no longer worked on (<https://pypi.org/classifiers/>).
const INACTIVE: &str = "Development Status :: 7 - Inactive";

#[derive(Deserialize)]
struct Simple {
    #[serde(rename = "meta")]
    _meta: Meta,
    #[serde(rename = "project-status", default)]
    status: Value,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "api-version")]
    _version: String,
}

/// Reads the status of a project from its index page in JSON (PEP 792); a project without one is active. The PEP's text
/// calls its word `state` and its example `status` (<https://peps.python.org/pep-0792/>).
pub fn status(body: &str) -> Result<Option<StandingEvidence>, SourceError> {
    let page: Simple = json::parse(body, "PyPI's index")?;
    let word = ["status", "state"]
        .into_iter()
        .find_map(|name| Some((name, page.status.get(name)?.as_str()?.trim())));
    let Some((name, word)) = word else {
        return Ok(None);
    };
    let (state, by) = match word.to_ascii_lowercase().as_str() {
        "archived" => (StandingState::Archived, "owner"),
        "deprecated" => (StandingState::Deprecated, "owner"),
        // The registry lets nobody install it.
        "quarantined" => (StandingState::Removed, "registry"),
        _ => return Ok(None),
    };
    let reason = text_at(&page.status, "/reason").filter(|reason| !reason.trim().is_empty());
    let sign = StandingEvidence::field(state, format!("project-status.{name}"), word)
        .by(by)
        .reason(reason);
    let replacement = reason
        .filter(|_| state == StandingState::Deprecated)
        .and_then(replacement);
    Ok(Some(sign.replaced_by(replacement)))
}

/// What a reason names instead: an address, or a package by a name that no word is.
fn replacement(reason: &str) -> Option<Replacement> {
    let is_address = |word: &str| word.starts_with("https://") || word.starts_with("http://");
    let is_package =
        |word: &str| Registry::Pypi.can_name(word) && word.contains(|c: char| !c.is_ascii_alphabetic());
    let found = replacement_in(reason, |word| is_address(word) || is_package(word))?;
    Some(if is_address(found) {
        Replacement::url(link::shown(found)?)
    } else {
        Replacement {
            url: link::shown(&Registry::Pypi.page(found)),
            ..Replacement::id(found)
        }
    })
}

/// The earliest file of a release. Old answers have only the form without a zone, which is UTC.
fn first_file(files: &Value) -> Option<(&str, DateTime<Utc>, Option<&str>)> {
    let moments = files.as_array()?.iter().filter_map(|file| {
        let older = text_at(file, "/upload_time");
        let written = text_at(file, "/upload_time_iso_8601").or(older)?;
        Some((written, in_utc(written)?, older))
    });
    moments.min_by_key(|(_, at, _)| *at)
}
