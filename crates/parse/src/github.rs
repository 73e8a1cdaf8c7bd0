//! GitHub, for all sources that ask it: the names of repositories in all the forms in which people and
//! manifests write them.

use std::fmt;

use url::Url;

/// First path segments of github.com that are pages of the site, not owners.
const RESERVED: [&str; 46] = [
    "about",
    "account",
    "apps",
    "blog",
    "codespaces",
    "collections",
    "contact",
    "copilot",
    "customer-stories",
    "dashboard",
    "enterprise",
    "enterprises",
    "events",
    "explore",
    "features",
    "gist",
    "github-copilot",
    "issues",
    "join",
    "login",
    "logout",
    "marketplace",
    "mobile",
    "new",
    "notifications",
    "organizations",
    "orgs",
    "pricing",
    "pulls",
    "readme",
    "resources",
    "search",
    "security",
    "sessions",
    "settings",
    "signup",
    "site",
    "solutions",
    "sponsors",
    "stars",
    "team",
    "topics",
    "trending",
    "users",
    "watching",
    "why-github",
];

/// One repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repository {
    /// Its owner, a user or an organisation.
    pub owner: String,
    /// Its name, without `.git`.
    pub name: String,
}

impl Repository {
    /// Its page.
    pub fn page(&self) -> String {
        format!("https://github.com/{}/{}", self.owner, self.name)
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// Why a text names no repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotOne {
    /// It does not look like GitHub at all.
    Elsewhere,
    /// A page of the site, such as a topic or a search.
    SitePage,
    /// An owner without a repository.
    OwnerOnly,
    /// A GitHub address with a name that GitHub cannot have.
    BadName,
}

impl NotOne {
    /// What is wrong, as a phrase that follows the argument's name.
    pub const fn problem(self) -> &'static str {
        match self {
            Self::Elsewhere => "is not a GitHub repository",
            Self::SitePage => "is a page of GitHub, not a repository",
            Self::OwnerOnly => "is a user or organisation, not a repository",
            Self::BadName => "has a name that no GitHub repository can have",
        }
    }
}

/// The repository that a text names: `owner/name`, a web address of any of its pages, an address of
/// the REST interface or of a raw file, `git@github.com:owner/name.git`, `github:owner/name`.
pub fn repository(given: &str) -> Result<Repository, NotOne> {
    let given = given.trim();
    let given = given.strip_prefix("git+").unwrap_or(given);
    let lower = given.to_ascii_lowercase();
    for prefix in ["git@github.com:", "github:"] {
        if lower.starts_with(prefix) {
            return path(given.get(prefix.len()..).unwrap_or_default());
        }
    }
    if lower.contains("://") {
        let url = Url::parse(given).map_err(|_| NotOne::Elsewhere)?;
        if !matches!(url.scheme(), "http" | "https" | "ssh" | "git") {
            return Err(NotOne::Elsewhere);
        }
        return of_url(&url);
    }
    if [
        "github.com/",
        "www.github.com/",
        "api.github.com/",
        "raw.githubusercontent.com/",
    ]
    .iter()
    .any(|host| lower.starts_with(host))
    {
        let url = Url::parse(&format!("https://{given}")).map_err(|_| NotOne::Elsewhere)?;
        return of_url(&url);
    }
    // A bare `owner/name`, and nothing that could be another host or a longer path.
    match given.split_once('/') {
        Some((owner, name)) if !name.contains('/') && !owner.contains('.') => {
            let name = name.split(['#', '?']).next().unwrap_or_default();
            named(owner, name).map_err(|_| NotOne::Elsewhere)
        }
        _ => Err(NotOne::Elsewhere),
    }
}

/// As [`repository`], for an address that is already parsed.
pub fn of_url(url: &Url) -> Result<Repository, NotOne> {
    match url.host_str().unwrap_or_default().to_ascii_lowercase().as_str() {
        "github.com" | "www.github.com" | "raw.githubusercontent.com" | "codeload.github.com" => {
            path(url.path())
        }
        "api.github.com" => match url.path().trim_start_matches('/').split_once('/') {
            Some(("repos", rest)) => path(rest),
            _ => Err(NotOne::SitePage),
        },
        _ => Err(NotOne::Elsewhere),
    }
}

fn path(path: &str) -> Result<Repository, NotOne> {
    let path = path.split(['#', '?']).next().unwrap_or_default();
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    match (segments.next(), segments.next()) {
        (None, _) => Err(NotOne::SitePage),
        (Some(owner), _) if RESERVED.contains(&owner.to_ascii_lowercase().as_str()) => Err(NotOne::SitePage),
        (Some(_), None) => Err(NotOne::OwnerOnly),
        (Some(owner), Some(name)) => named(owner, name),
    }
}

fn named(owner: &str, name: &str) -> Result<Repository, NotOne> {
    let name = name.strip_suffix(".git").unwrap_or(name);
    let owner_fits = (1..=100).contains(&owner.len())
        && owner
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !owner.starts_with('-');
    let name_fits = (1..=100).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        && !matches!(name, "." | "..");
    if RESERVED.contains(&owner.to_ascii_lowercase().as_str()) {
        Err(NotOne::SitePage)
    } else if owner_fits && name_fits {
        Ok(Repository {
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    } else {
        Err(NotOne::BadName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_of_a_repository() {
        for given in [
            "rust-lang/rust",
            " rust-lang/rust ",
            "rust-lang/rust#readme",
            "https://github.com/rust-lang/rust",
            "http://www.GitHub.com/rust-lang/rust/",
            "github.com/rust-lang/rust.git",
            "https://github.com/rust-lang/rust#readme",
            "https://github.com/rust-lang/rust?tab=readme-ov-file",
            "https://github.com/rust-lang/rust/tree/master/library",
            "https://github.com/rust-lang/rust/issues/5",
            "https://api.github.com/repos/rust-lang/rust/releases",
            "https://raw.githubusercontent.com/rust-lang/rust/HEAD/README.md",
            "git@github.com:rust-lang/rust.git",
            "ssh://git@github.com/rust-lang/rust.git",
            "git+https://github.com/rust-lang/rust.git",
            "git://github.com/rust-lang/rust.git",
            "github:rust-lang/rust",
        ] {
            let found = repository(given).unwrap();
            assert_eq!(found.to_string(), "rust-lang/rust", "{given}");
        }
        assert_eq!(repository("a/b.js").unwrap().name, "b.js");
    }

    #[test]
    fn what_is_no_repository_says_why() {
        for (given, why) in [
            ("https://github.com/topics/rust", NotOne::SitePage),
            ("https://github.com/orgs/rust-lang/repositories", NotOne::SitePage),
            ("https://github.com/", NotOne::SitePage),
            ("https://api.github.com/users/octocat", NotOne::SitePage),
            ("https://github.com/rust-lang", NotOne::OwnerOnly),
            ("https://github.com/a/..", NotOne::SitePage),
            ("https://github.com/a/b%20c", NotOne::BadName),
            ("https://gitlab.com/a/b", NotOne::Elsewhere),
            ("https://gist.github.com/a/b", NotOne::Elsewhere),
            ("https://github.com.example.com/a/b", NotOne::Elsewhere),
            ("example.com/page", NotOne::Elsewhere),
            ("rust async runtime", NotOne::Elsewhere),
            ("a/b/c", NotOne::Elsewhere),
            ("ftp://github.com/a/b", NotOne::Elsewhere),
            ("", NotOne::Elsewhere),
        ] {
            assert_eq!(repository(given), Err(why), "{given}");
        }
    }

    proptest! {
        #[test]
        fn names_are_safe_in_a_path(text in "(https://github.com/|git@github.com:)?\\PC{0,40}") {
            if let Ok(found) = repository(&text) {
                prop_assert!(found.owner.bytes().chain(found.name.bytes()).all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
            }
        }
    }
}
