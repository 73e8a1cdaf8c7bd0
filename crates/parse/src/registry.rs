//! The package registries, for all sources that ask them: their names, their pages, and the requests of their documents.

use freshcontext_contract::{Media, Request, SourceError};
use url::Url;

use crate::link;

/// A package registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Registry {
    /// npm.
    Npm,
    /// PyPI.
    Pypi,
    /// crates.io.
    Crates,
}

impl Registry {
    /// All of them, in the order of answers.
    pub const ALL: [Self; 3] = [Self::Npm, Self::Pypi, Self::Crates];

    /// Its prefix in arguments.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Crates => "crates",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "PyPI",
            Self::Crates => "crates.io",
        }
    }

    /// The page of a package for people.
    pub fn page(self, package: &str) -> String {
        match self {
            Self::Npm => format!("https://www.npmjs.com/package/{package}"),
            Self::Pypi => format!("https://pypi.org/project/{package}/"),
            Self::Crates => format!("https://crates.io/crates/{package}"),
        }
    }

    /// The document of a package with all its versions. A scope's slash is a part of the name and encoded.
    ///
    /// # Errors
    /// As [`link::built`].
    pub fn document(self, package: &str) -> Result<Request, SourceError> {
        Ok(document(match self {
            Self::Npm => link::built(NPM, &[package])?,
            Self::Pypi => link::built("https://pypi.org/pypi/", &[package, "json"])?,
            Self::Crates => link::built("https://crates.io/api/v1/crates/", &[package])?,
        }))
    }
}

const NPM: &str = "https://registry.npmjs.org/";

/// The default version of an npm package alone: small, for packages whose whole document is too large. It has no dates.
///
/// # Errors
/// As [`link::built`].
pub fn npm_latest(package: &str) -> Result<Request, SourceError> {
    Ok(document(link::built(NPM, &[package, "latest"])?))
}

fn document(url: Url) -> Request {
    Request::get(url, Media::Json).header("accept", "application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_their_addresses() {
        for (registry, name, url) in [
            (
                Registry::Npm,
                "@types/node",
                "https://registry.npmjs.org/@types%2Fnode",
            ),
            (Registry::Pypi, "Flask", "https://pypi.org/pypi/Flask/json"),
            (Registry::Crates, "serde", "https://crates.io/api/v1/crates/serde"),
        ] {
            assert_eq!(registry.document(name).unwrap().url.as_str(), url);
        }
        assert_eq!(
            npm_latest("@types/node").unwrap().url.as_str(),
            "https://registry.npmjs.org/@types%2Fnode/latest"
        );
    }
}
