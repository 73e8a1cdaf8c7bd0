//! Requests, built purely.

use std::time::Duration;

use freshcontext_contract::{Media, Request, SourceError};
use freshcontext_parse::link;
use freshcontext_parse::registry::{self, Registry};

/// Versions come out by the hour.
const KEEP: Duration = Duration::from_mins(10);

/// A package's document.
pub fn package(registry: Registry, name: &str) -> Result<Request, SourceError> {
    let request = match registry {
        Registry::Pypi => registry.document(&normalised(name)),
        _ => registry.document(name),
    };
    Ok(request?.cache_for(KEEP))
}

/// The default version alone: small, for packages whose whole document is too large. It has no dates.
pub fn npm_latest(name: &str) -> Result<Request, SourceError> {
    Ok(registry::npm_latest(name)?.cache_for(KEEP))
}

/// The manifest of one version of an npm package.
pub fn npm_manifest(name: &str, version: &str) -> Result<Request, SourceError> {
    Ok(registry::npm_version(name, version)?.cache_for(KEEP))
}

/// PyPI's document of one version of a project.
pub fn pypi_version(name: &str, version: &str) -> Result<Request, SourceError> {
    let url = link::built("https://pypi.org/pypi/", &[&normalised(name), version, "json"])?;
    let request = Request::get(url, Media::Json).header("accept", "application/json");
    Ok(request.cache_for(KEEP))
}

/// The page of a project in PyPI's index, which states whether it is archived, deprecated or quarantined
/// (<https://docs.pypi.org/api/index-api/>).
pub fn pypi_index(name: &str) -> Result<Request, SourceError> {
    let url = link::built("https://pypi.org/simple/", &[&normalised(name), ""])?;
    let request = Request::get(url, Media::Json).header("accept", "application/vnd.pypi.simple.v1+json");
    Ok(request.cache_for(KEEP))
}

/// Downloads of the last month. Scoped names are asked one by one, the others together.
pub fn npm_downloads(names: &[&str]) -> Result<Vec<Request>, SourceError> {
    let (scoped, plain): (Vec<&str>, Vec<&str>) =
        names.iter().copied().partition(|name| name.starts_with('@'));
    let mut groups: Vec<String> = scoped.iter().map(|name| (*name).to_owned()).collect();
    if !plain.is_empty() {
        groups.insert(0, plain.join(","));
    }
    groups
        .iter()
        .map(|group| {
            let mut url = link::built("https://api.npmjs.org/downloads/point/last-month", &[])?;
            // The comma and the at sign stand as they are; the slash of a scope does, too.
            let path = format!("{}/{group}", url.path());
            url.set_path(&path);
            let request = Request::get(url, Media::Json).header("accept", "application/json");
            Ok(request.accepting(&[404]).cache_for(Duration::from_hours(6)))
        })
        .collect()
}

/// A project's name as PEP 503 compares it.
pub fn normalised(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for part in name.split(['-', '_', '.']).filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(&part.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_the_documented_ones() {
        for (registry, name, url) in [
            (Registry::Npm, "react", "https://registry.npmjs.org/react"),
            (
                Registry::Npm,
                "@types/node",
                "https://registry.npmjs.org/@types%2Fnode",
            ),
            (
                Registry::Pypi,
                "Zope.Interface",
                "https://pypi.org/pypi/zope-interface/json",
            ),
            (
                Registry::Crates,
                "serde_json",
                "https://crates.io/api/v1/crates/serde_json",
            ),
        ] {
            assert_eq!(package(registry, name).unwrap().url.as_str(), url);
        }
        assert_eq!(
            pypi_index("Zope.Interface").unwrap().url.as_str(),
            "https://pypi.org/simple/zope-interface/"
        );
        let downloads = npm_downloads(&["react", "@types/node", "zod"]).unwrap();
        let urls: Vec<&str> = downloads.iter().map(|request| request.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://api.npmjs.org/downloads/point/last-month/react,zod",
                "https://api.npmjs.org/downloads/point/last-month/@types/node"
            ]
        );
        assert_eq!(
            npm_latest("zod").unwrap().url.as_str(),
            "https://registry.npmjs.org/zod/latest"
        );
    }
}
