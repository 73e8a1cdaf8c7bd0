//! npm's documents. `time.modified` is the document's last write, not a release.

use freshcontext_contract::serde_json::{Map, Value};
use freshcontext_contract::standing::Basis;
use freshcontext_contract::{
    DateEvidence, ErrorCode, Lookup, Presence, SourceError, StandingEvidence, StandingState, named,
};
use freshcontext_parse::date::instant;
use freshcontext_parse::json::text_at;
use freshcontext_parse::registry::Registry;
use freshcontext_parse::{json, npm, text};
use semver::Version;

use super::{Facts, NOT_CHECKED, Published, license, other_record, repository};

/// Reads a package's document.
pub fn read(body: &str) -> Result<Facts, SourceError> {
    let value: Value = json::parse(body, "npm")?;
    let Some(name) = text_at(&value, "/name") else {
        let unnamed = || SourceError::malformed("npm: the answer names no package");
        return Err(npm::error(&value).unwrap_or_else(unnamed));
    };
    if let Some(held) = npm::security_holding(&value) {
        return Ok(placeholder(name, held));
    }
    let times = value.get("time").and_then(Value::as_object);
    let versions = value.get("versions").and_then(Value::as_object);
    if let Some(gone) = npm::unpublished(&value) {
        return Err(gone);
    }
    let mut facts = Facts {
        name: name.to_owned(),
        description: text_at(&value, "/description").map(str::to_owned),
        published: published(times, versions),
        versions: versions.map(Map::len),
        ..Facts::default()
    };
    latest(&value, versions, &mut facts);
    let manifest = facts.latest.as_ref().and_then(|latest| versions?.get(latest));
    let written = |latest: &String| times?.get(latest)?.as_str().map(str::to_owned);
    facts.date = DateEvidence::optional_field("time[latest]", facts.latest.as_ref().and_then(written));
    if times.is_none() {
        facts.notes.push(format!("npm sent no dates for {}", named(name)));
    }
    let deprecated = manifest
        .and_then(|manifest| manifest.get("deprecated"))
        .and_then(|deprecated| match deprecated {
            Value::String(reason) if !reason.trim().is_empty() => Some(Value::from(text::said(reason, 200))),
            Value::Bool(true) => Some(Value::from(true)),
            // Some registries write "" or false for a package that is not.
            _ => None,
        });
    facts.standing.extend(signs(&facts, manifest));
    facts.set("deprecated", deprecated.unwrap_or_default());
    let tags = value.get("dist-tags").and_then(Value::as_object);
    let others: Vec<String> = tags
        .into_iter()
        .flatten()
        .filter(|(tag, _)| *tag != "latest")
        .filter_map(|(tag, version)| {
            let version = version.as_str().filter(|version| !version.trim().is_empty())?;
            Some(format!("{tag}: {version}"))
        })
        .take(5)
        .collect();
    facts.set("other_tags", others);
    let own = |key: &str| {
        manifest
            .and_then(|manifest| manifest.get(key))
            .or_else(|| value.get(key))
    };
    facts.set("vulnerabilities", NOT_CHECKED);
    facts.set(
        "license",
        license(own("license")).or_else(|| license(own("licenses"))),
    );
    facts.set(
        "node",
        manifest.and_then(|manifest| text_at(manifest, "/engines/node")),
    );
    let source = own("repository")
        .and_then(|at| at.as_str().or_else(|| text_at(at, "/url")))
        .and_then(repository);
    facts.set("repository", source);
    Ok(facts)
}

/// What npm's placeholder shows of a package that was removed for malice: no release, and nothing of what was there.
fn placeholder(name: &str, held: SourceError) -> Facts {
    Facts {
        name: name.to_owned(),
        notes: vec![held.message],
        standing: held.standing,
        ..Facts::default()
    }
}

/// The signs of the version handed out. That another one is deprecated says nothing of it.
fn signs(facts: &Facts, manifest: Option<&Value>) -> Vec<StandingEvidence> {
    let Some(latest) = &facts.latest else {
        return Vec::new();
    };
    let deprecated = manifest.and_then(|manifest| npm::deprecation(&facts.name, latest, manifest));
    let stated = if facts.inferred {
        "versions"
    } else {
        "dist-tags.latest"
    };
    let is_early = Version::parse(latest).is_ok_and(|version| !version.pre.is_empty());
    let early = is_early.then(|| StandingEvidence::field(StandingState::Prerelease, stated, latest.as_str()));
    deprecated.into_iter().chain(early).collect()
}

/// The default version: `dist-tags.latest` where it exists, else the highest stable one.
fn latest(value: &Value, versions: Option<&Map<String, Value>>, facts: &mut Facts) {
    let tagged = text_at(value, "/dist-tags/latest");
    let exists = |version: &str| versions.is_some_and(|versions| versions.contains_key(version));
    if let Some(tagged) = tagged.filter(|tagged| exists(tagged)) {
        facts.latest = Some(tagged.to_owned());
        return;
    }
    let highest = versions
        .into_iter()
        .flatten()
        .filter_map(|(written, _)| Some((Version::parse(written).ok()?, written)))
        .max_by(|(a, _), (b, _)| (a.pre.is_empty(), a).cmp(&(b.pre.is_empty(), b)));
    facts.latest = highest.map(|(_, written)| written.clone());
    facts.inferred = facts.latest.is_some();
}

/// The versions that exist and have a date. `time` also holds two stamps of the document, versions
/// that are gone, and sometimes an object.
fn published(times: Option<&Map<String, Value>>, versions: Option<&Map<String, Value>>) -> Vec<Published> {
    times
        .into_iter()
        .flatten()
        .filter_map(|(version, written)| {
            let manifest = versions?.get(version)?;
            let written = written.as_str()?;
            Some(Published {
                version: version.clone(),
                at: instant(written)?,
                written: written.to_owned(),
                prerelease: Version::parse(version)
                    .map_or_else(|_| version.contains('-'), |version| !version.pre.is_empty()),
                deprecated: match manifest.get("deprecated") {
                    Some(Value::String(reason)) if !reason.trim().is_empty() => Some(reason.clone()),
                    Some(Value::Bool(true)) => Some(String::new()),
                    _ => None,
                },
            })
        })
        .collect()
}

/// Reads the manifest of the default version, which has no dates.
pub fn manifest(body: &str) -> Result<Facts, SourceError> {
    let value: Value = json::parse(body, "npm")?;
    let (Some(name), Some(version)) = (text_at(&value, "/name"), text_at(&value, "/version")) else {
        let unnamed = || SourceError::malformed("npm: the answer names no version");
        return Err(npm::error(&value).unwrap_or_else(unnamed));
    };
    if let Some(held) = npm::security_holding(&value) {
        return Ok(placeholder(name, held));
    }
    let mut facts = Facts {
        name: name.to_owned(),
        latest: Some(version.to_owned()),
        description: text_at(&value, "/description").map(str::to_owned),
        ..Facts::default()
    };
    facts.standing = signs(&facts, Some(&value));
    facts.set("vulnerabilities", NOT_CHECKED);
    let licenses = || license(value.get("licenses"));
    facts.set("license", license(value.get("license")).or_else(licenses));
    facts.notes.push(format!(
        "npm's document on {} is too large to be read: no dates",
        named(name)
    ));
    Ok(facts)
}

/// Reads of a package's document, or of the manifest of one version, what it says of that version.
pub fn version(body: &str, asked: &str, wanted: &str) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "npm")?;
    let Some(name) = text_at(&value, "/name") else {
        let unnamed = || SourceError::malformed("npm: the answer names no package");
        return Err(npm::error(&value).unwrap_or_else(unnamed));
    };
    if !Registry::Npm.is_same(name, asked) {
        return Ok(other_record(name));
    }
    let is_manifest = text_at(&value, "/version") == Some(wanted) && value.get("versions").is_none();
    let versions = value.get("versions").and_then(Value::as_object);
    let own = if is_manifest {
        Some(&value)
    } else {
        versions.and_then(|versions| versions.get(wanted))
    };
    let Some(manifest) = own else {
        // Of a package that was unpublished or replaced as a whole, the document says so.
        let mut removed = read(body)?.standing;
        removed.retain(|sign| sign.state == StandingState::Removed);
        if versions.is_none() && removed.is_empty() {
            return Err(SourceError::malformed("npm: the answer lists no versions"));
        }
        let mut gone = Lookup::new(Presence::Gone(Basis::Field));
        gone.signs = removed;
        return Ok(gone.showing("versions", format!("no {wanted}"), None::<String>));
    };
    let written = value
        .get("time")
        .and_then(|times| times.get(wanted))
        .and_then(Value::as_str);
    let is_early = Version::parse(wanted).is_ok_and(|version| !version.pre.is_empty());
    let early = is_early.then(|| StandingEvidence::field(StandingState::Prerelease, "version", wanted));
    // A placeholder is a version, and takes the place of all that was there.
    let held = npm::security_holding(&value).map_or_else(Vec::new, |held| held.standing);
    let signs = npm::deprecation(name, wanted, manifest)
        .into_iter()
        .chain(held)
        .chain(early)
        .collect();
    let found = Lookup::found(
        Some(format!("{name} {wanted}")),
        DateEvidence::optional_field("time", written),
        signs,
    );
    Ok(found.showing("versions", wanted, None::<String>))
}

/// Downloads by name: a single answer, or a map in which unknown names are null. An error of another kind
/// than "not found" is an error.
pub fn downloads(body: &str) -> Result<Vec<(String, u64)>, SourceError> {
    let Ok(value) = json::parse::<Value>(body, "npm downloads") else {
        return Ok(Vec::new());
    };
    if let Some(error) = npm::error(&value).filter(|error| error.code != ErrorCode::NotFound) {
        return Err(error);
    }
    let one = |value: &Value| {
        Some((
            text_at(value, "/package")?.to_owned(),
            value.get("downloads")?.as_u64()?,
        ))
    };
    Ok(match one(&value) {
        Some(found) => vec![found],
        None => value
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, value)| one(value))
            .collect(),
    })
}
