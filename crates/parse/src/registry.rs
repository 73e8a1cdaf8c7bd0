//! The package registries, for all sources that ask them: their names, their pages, and the requests of their documents.

use freshcontext_contract::{Media, Request, SourceError};
use url::Url;

use crate::{link, text};

/// The longest name that is looked for, in bytes. PyPI states no limit; npm's is this.
const MAX_NAME: usize = 214;

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

    /// The registry that a prefix names, in any case: `npm`, `pypi` or `pip`, `crates`, `crate` or `cargo`.
    pub fn of_prefix(prefix: &str) -> Option<Self> {
        match prefix.trim().to_ascii_lowercase().as_str() {
            "npm" => Some(Self::Npm),
            "pypi" | "pip" => Some(Self::Pypi),
            "crates" | "crate" | "cargo" => Some(Self::Crates),
            _ => None,
        }
    }

    /// Whether it can have a package of this name, by its own rules: npm's; letters, digits and
    /// `-_.` between a letter or digit at each end (<https://packaging.python.org/en/latest/specifications/name-normalization/>);
    /// at most 64 letters, digits and `-_` after a letter (<https://crates.io>).
    pub fn can_name(self, name: &str) -> bool {
        let begins = |fits: fn(&char) -> bool| name.chars().next().is_some_and(|c| fits(&c));
        match self {
            Self::Npm => is_npm_name(name),
            Self::Pypi => {
                text::is_name(name, MAX_NAME, "-_.")
                    && begins(char::is_ascii_alphanumeric)
                    && name.ends_with(|c: char| c.is_ascii_alphanumeric())
            }
            Self::Crates => text::is_name(name, 64, "-_") && begins(char::is_ascii_alphabetic),
        }
    }

    /// Whether two names are those of one package: PyPI takes runs of `-_.` for one
    /// (<https://packaging.python.org/en/latest/specifications/name-normalization/>), crates.io takes `-` and `_` for one, both
    /// in any case. npm has old packages whose names differ in case alone.
    pub fn is_same(self, name: &str, other: &str) -> bool {
        let separators: &[char] = match self {
            Self::Npm => return name == other,
            Self::Pypi => &['-', '_', '.'],
            Self::Crates => &['-', '_'],
        };
        let parts = |name: &str| -> Vec<String> {
            let parts = name.split(separators);
            let parts = parts.filter(|part| self != Self::Pypi || !part.is_empty());
            parts.map(str::to_ascii_lowercase).collect()
        };
        parts(name) == parts(other)
    }

    /// The registry and the package of a package page's address. `None` for any other address.
    pub fn of_page(url: &Url) -> Option<(Self, Option<&str>)> {
        let (registry, before, after) = match url.host_str()? {
            "www.npmjs.com" | "npmjs.com" => (Self::Npm, "package/", "/v/"),
            "pypi.org" => (Self::Pypi, "project/", "/"),
            "crates.io" => (Self::Crates, "crates/", "/"),
            _ => return None,
        };
        let rest = url.path().trim_matches('/').strip_prefix(before);
        Some((registry, rest.and_then(|rest| rest.split(after).next())))
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

    /// The page of all versions of a package.
    pub fn versions_page(self, package: &str) -> String {
        let page = self.page(package);
        match self {
            Self::Npm => page + "?activeTab=versions",
            Self::Pypi => page + "#history",
            Self::Crates => page + "/versions",
        }
    }

    /// The page of one version of a package.
    pub fn version_page(self, package: &str, version: &str) -> String {
        let page = self.page(package);
        match self {
            Self::Npm => format!("{page}/v/{version}"),
            Self::Pypi => format!("{page}{version}/"),
            Self::Crates => format!("{page}/{version}"),
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
    npm_version(package, "latest")
}

/// One version of an npm package alone, by its number or its tag.
///
/// # Errors
/// As [`link::built`].
pub fn npm_version(package: &str, version: &str) -> Result<Request, SourceError> {
    Ok(document(link::built(NPM, &[package, version])?))
}

fn document(url: Url) -> Request {
    Request::get(url, Media::Json).header("accept", "application/json")
}

/// Whether npm can have a package of this name: lower case, at most 214 characters, optionally with a scope. Upper
/// case is left in old names.
pub(crate) fn is_npm_name(name: &str) -> bool {
    let part = |part: &str, scoped: bool| {
        !part.is_empty()
            && (scoped || !part.starts_with(['.', '_']))
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.~".contains(&b))
            && part.bytes().any(|b| b.is_ascii_alphanumeric())
    };
    name.len() <= 214
        && match name.strip_prefix('@') {
            Some(rest) => rest
                .split_once('/')
                .is_some_and(|(scope, name)| part(scope, false) && part(name, true)),
            None => part(name, false),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_a_registry_can_have() {
        for (registry, can, cannot) in [
            (Registry::Npm, "@types/node", "React"),
            (Registry::Pypi, "zope.interface", "-x"),
            (Registry::Pypi, "Flask", "a/b"),
            (Registry::Crates, "serde_json", "a.b"),
            (Registry::Crates, "x", "2x"),
        ] {
            assert!(
                registry.can_name(can) && !registry.can_name(cannot),
                "{can} {cannot}"
            );
            assert!(!registry.can_name(""));
        }
    }

    #[test]
    fn names_are_compared_by_the_rules_of_their_registry() {
        for (registry, name, other, is_same) in [
            (Registry::Npm, "@types/node", "@types/node", true),
            (Registry::Npm, "JSONStream", "jsonstream", false),
            (Registry::Npm, "a-b", "a_b", false),
            (Registry::Pypi, "Zope.Interface", "zope__interface", true),
            (Registry::Pypi, "x", "y", false),
            (Registry::Crates, "serde_json", "serde-json", true),
            (Registry::Crates, "serde", "serde-json", false),
        ] {
            assert_eq!(registry.is_same(name, other), is_same, "{name} {other}");
        }
    }

    #[test]
    fn pages_name_their_package() {
        for (page, found) in [
            (
                "https://www.npmjs.com/package/@types/node/v/20.0.0",
                Some((Registry::Npm, Some("@types/node"))),
            ),
            (
                "https://pypi.org/project/requests/",
                Some((Registry::Pypi, Some("requests"))),
            ),
            (
                "https://crates.io/crates/serde/versions",
                Some((Registry::Crates, Some("serde"))),
            ),
            ("https://crates.io/", Some((Registry::Crates, None))),
            ("https://example.com/package/x", None),
        ] {
            assert_eq!(Registry::of_page(&Url::parse(page).unwrap()), found, "{page}");
        }
        for registry in Registry::ALL {
            let page = Url::parse(&registry.version_page("a", "1.0")).unwrap();
            assert_eq!(Registry::of_page(&page), Some((registry, Some("a"))), "{page}");
            let all = Url::parse(&registry.versions_page("a")).unwrap();
            assert_eq!(Registry::of_page(&all), Some((registry, Some("a"))), "{all}");
        }
    }

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
