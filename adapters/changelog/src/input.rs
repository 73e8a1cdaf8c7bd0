//! What was asked for: a repository, a package, or a page of the web.

use freshcontext_contract::SourceError;
use freshcontext_contract::url::Url;
use freshcontext_parse::github::{self, NotOne, Repository};
use freshcontext_parse::npm;
use freshcontext_parse::registry::Registry;
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// A right argument, shown in errors.
pub const EXAMPLE: &str = r#"{"url": "https://github.com/rust-lang/rust"}"#;
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
        return Err(wrong("is empty"));
    }
    let lower = given.to_ascii_lowercase();
    for (prefix, registry) in [
        ("npm:", Registry::Npm),
        ("pypi:", Registry::Pypi),
        ("crates:", Registry::Crates),
        ("cargo:", Registry::Crates),
    ] {
        if lower.starts_with(prefix) {
            let name = given.get(prefix.len()..).unwrap_or_default().trim();
            return package(registry, name);
        }
    }
    if lower.contains("://") || lower.starts_with("git@") || lower.starts_with("github:") {
        return address(given);
    }
    if given.contains(char::is_whitespace) {
        return Err(wrong("is neither an address, a repository nor a package").hint(WAYS));
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
        return Err(wrong("may be a package or a site")
            .hint("write npm:NAME for the package, https://NAME for the site"));
    }
    if npm::is_name(given) {
        Ok(Query::Package(Registry::Npm, given.to_owned()))
    } else {
        Err(wrong("is not the name of a package").hint(WAYS))
    }
}

fn wrong(problem: &str) -> SourceError {
    SourceError::invalid_input("url", problem, EXAMPLE)
}

fn repository(given: &str) -> Result<Query, SourceError> {
    github::repository(given)
        .map(Query::Repository)
        .map_err(|why| wrong(why.problem()).hint(WAYS))
}

fn package(registry: Registry, name: &str) -> Result<Query, SourceError> {
    let plain = text::is_name(name, 214, "-_.")
        && name.bytes().any(|b| b.is_ascii_alphanumeric())
        && !name.starts_with('.');
    let fits = match registry {
        Registry::Npm => npm::is_name(name),
        Registry::Pypi => plain,
        Registry::Crates => plain && name.len() <= 64 && !name.contains('.'),
    };
    if fits {
        Ok(Query::Package(registry, name.to_owned()))
    } else {
        Err(wrong(&format!(
            "is not a name that {} can have",
            registry.prefix()
        )))
    }
}

fn address(given: &str) -> Result<Query, SourceError> {
    let Ok(url) = Url::parse(given) else {
        return repository(given);
    };
    if !matches!(url.scheme(), "http" | "https") {
        return repository(given);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "holds a user name or a password; give the address without it",
        ));
    }
    let path = url.path().trim_matches('/');
    match url.host_str().unwrap_or_default() {
        "github.com" | "www.github.com" => {
            if let Some(raw) = raw_file(&url) {
                return Ok(Query::Page(raw));
            }
            github::of_url(&url).map(Query::Repository).map_err(|why| {
                let error = wrong(why.problem());
                if why == NotOne::OwnerOnly {
                    error.hint("name one of its repositories: owner/repo")
                } else {
                    error.hint(WAYS)
                }
            })
        }
        "api.github.com" => repository(given),
        "www.npmjs.com" | "npmjs.com" => match path.strip_prefix("package/") {
            Some(rest) => package(Registry::Npm, rest.split("/v/").next().unwrap_or_default()),
            None => Err(wrong("is a page of npm that names no package")),
        },
        "pypi.org" => match path.strip_prefix("project/") {
            Some(rest) => package(Registry::Pypi, rest.split('/').next().unwrap_or_default()),
            None => Err(wrong("is a page of PyPI that names no project")),
        },
        "crates.io" => match path.strip_prefix("crates/") {
            Some(rest) => package(Registry::Crates, rest.split('/').next().unwrap_or_default()),
            None => Err(wrong("is a page of crates.io that names no crate")),
        },
        "" => Err(wrong("is not a valid address")),
        _ => Ok(Query::Page(url)),
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
