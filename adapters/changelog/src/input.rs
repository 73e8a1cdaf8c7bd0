//! What was asked for: a repository, a package, or a page of the web.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::github::{self, NotOne, Repository};
use freshcontext_parse::registry::Registry;
use schemars::JsonSchema;
use serde::Deserialize;

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "https://github.com/rust-lang/rust"}"#);
const WAYS: &str = "pass owner/repo, npm:NAME, pypi:NAME, crates:NAME or the https address of a changelog";

/// Arguments of `extract_changelog`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// owner/repo, package (npm:express) or any URL
    pub url: String,
}

/// One thing that this source can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// The releases of a repository.
    Repository(Repository),
    /// The releases of a package.
    Package(Registry, String),
    /// A page, a feed or a file.
    Page(Url),
}

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Query, SourceError> {
    let given = given.trim();
    if given.is_empty() {
        return Err(URL.wrong("is empty"));
    }
    if let Some((prefix, name)) = given.split_once(':')
        && let Some(registry) = Registry::of_prefix(prefix)
    {
        return package(registry, name.trim());
    }
    let lower = given.to_ascii_lowercase();
    if lower.contains("://") || lower.starts_with("git@") || lower.starts_with("github:") {
        return address(given);
    }
    if given.contains(char::is_whitespace) {
        return Err(URL
            .wrong("is neither an address, a repository nor a package")
            .hint(WAYS));
    }
    if given.starts_with('@') {
        return package(Registry::Npm, given);
    }
    if let Some((host, _)) = given.split_once('/') {
        if host.contains('.') {
            return address(&format!("https://{given}"));
        }
        return repository(given);
    }
    if given.contains('.') {
        return Err(URL
            .wrong("may be a package or a site")
            .hint("write npm:NAME for the package, https://NAME for the site"));
    }
    package(Registry::Npm, given).map_err(|error| error.hint(WAYS))
}

fn repository(given: &str) -> Result<Query, SourceError> {
    github::repository(given)
        .map(Query::Repository)
        .map_err(|why| URL.wrong(why.problem()).hint(WAYS))
}

fn package(registry: Registry, name: &str) -> Result<Query, SourceError> {
    if registry.can_name(name) {
        return Ok(Query::Package(registry, name.to_owned()));
    }
    let problem = format!("is not a name that {} can have", registry.name());
    Err(URL.wrong(&problem))
}

fn address(given: &str) -> Result<Query, SourceError> {
    let Ok(url) = Url::parse(given) else {
        return repository(given);
    };
    if !matches!(url.scheme(), "http" | "https") {
        return repository(given);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(URL.wrong("holds a user name or a password; give the address without it"));
    }
    match url.host_str().unwrap_or_default() {
        "github.com" | "www.github.com" => {
            if let Some(raw) = raw_file(&url) {
                return Ok(Query::Page(raw));
            }
            github::of_url(&url).map(Query::Repository).map_err(|why| {
                let error = URL.wrong(why.problem());
                if why == NotOne::OwnerOnly {
                    error.hint("name one of its repositories: owner/repo")
                } else {
                    error.hint(WAYS)
                }
            })
        }
        "api.github.com" => repository(given),
        "" => Err(URL.wrong("is not a valid address")),
        _ => match Registry::of_page(&url) {
            Some((registry, Some(name))) => package(registry, name),
            Some((registry, None)) => {
                Err(URL.wrong(format!("is a page of {} that names no package", registry.name())))
            }
            None => Ok(Query::Page(url)),
        },
    }
}

/// `https://github.com/o/r/blob/main/CHANGELOG.md` means that file.
fn raw_file(url: &Url) -> Option<Url> {
    let mut segments = url.path_segments()?;
    let (owner, name) = (segments.next()?, segments.next()?);
    if !matches!(segments.next()?, "blob" | "raw") {
        return None;
    }
    let rest: Vec<&str> = segments.collect();
    if rest.len() < 2 {
        return None;
    }
    github::of_url(url).ok()?;
    Url::parse(&format!(
        "https://raw.githubusercontent.com/{owner}/{name}/{}",
        rest.join("/")
    ))
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_repository(given: &str) -> bool {
        matches!(recognise(given), Ok(Query::Repository(repository)) if repository.to_string() == "rust-lang/rust")
    }

    #[test]
    fn repositories_packages_and_pages() {
        for given in [
            "rust-lang/rust",
            "https://github.com/rust-lang/rust#readme",
            "https://github.com/rust-lang/rust.git",
            "github.com/rust-lang/rust/releases",
            "git@github.com:rust-lang/rust.git",
            "https://api.github.com/repos/rust-lang/rust/releases",
        ] {
            assert!(is_repository(given), "{given}");
        }
        for (given, registry, name) in [
            ("express", Registry::Npm, "express"),
            ("npm:socket.io", Registry::Npm, "socket.io"),
            ("@types/node", Registry::Npm, "@types/node"),
            (
                "https://www.npmjs.com/package/@types/node/v/20.0.0",
                Registry::Npm,
                "@types/node",
            ),
            ("pypi:Flask", Registry::Pypi, "Flask"),
            ("https://pypi.org/project/requests/", Registry::Pypi, "requests"),
            ("crates:serde", Registry::Crates, "serde"),
            (
                "https://crates.io/crates/serde/versions",
                Registry::Crates,
                "serde",
            ),
        ] {
            assert_eq!(
                recognise(given).unwrap(),
                Query::Package(registry, name.to_owned()),
                "{given}"
            );
        }
        for (given, url) in [
            ("https://example.com/changelog", "https://example.com/changelog"),
            ("example.com/changelog?x=1", "https://example.com/changelog?x=1"),
            (
                "https://github.com/o/r/blob/main/docs/CHANGES.md",
                "https://raw.githubusercontent.com/o/r/main/docs/CHANGES.md",
            ),
        ] {
            assert_eq!(
                recognise(given).unwrap(),
                Query::Page(Url::parse(url).unwrap()),
                "{given}"
            );
        }
    }

    #[test]
    fn what_is_none_of_them_is_refused_with_a_hint() {
        for given in [
            "",
            "Acme Rocket Company",
            "Acme",
            "socket.io",
            "npm:Not A Name",
            "npm:../../etc",
            "pypi:a/b",
            "crates:a.b",
            "https://github.com/rust-lang",
            "https://github.com/orgs/rust-lang/repositories",
            "https://github.com/topics/rust",
            "https://www.npmjs.com/",
            "file:///etc/passwd",
            "ftp://example.com/x",
            "a/b/c",
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(error.code.as_str(), "invalid_input", "{given}");
            assert!(error.message.contains("rust-lang/rust"), "{given}");
        }
    }
}
