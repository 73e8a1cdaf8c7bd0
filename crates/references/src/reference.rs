//! The kinds of references, each with its normal form.

use std::fmt;

use freshcontext_parse::github::Repository;
use freshcontext_parse::registry::Registry;
use url::Url;

/// Where a package is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ecosystem {
    /// npm, PyPI or crates.io.
    Registry(Registry),
    /// Modules of Go.
    Go,
}

impl Ecosystem {
    /// The prefix of its references.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Registry(registry) => registry.prefix(),
            Self::Go => "go",
        }
    }

    /// The ecosystem of a prefix or a type of package URL, in any case (<https://github.com/package-url/purl-spec>).
    pub fn of_prefix(prefix: &str) -> Option<Self> {
        if prefix.eq_ignore_ascii_case("go") || prefix.eq_ignore_ascii_case("golang") {
            return Some(Self::Go);
        }
        Registry::of_prefix(prefix).map(Self::Registry)
    }
}

/// A reference in its normal form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A DOI in lower case: `10.1016/s0140-6736(20)31180-6`.
    Doi(String),
    /// An arXiv id without its prefix, with the version where one is named.
    Arxiv(String),
    /// An http(s) address without fragment that is of no other kind.
    Page(Url),
    /// A package, in one version or in the one that its registry hands out.
    Package {
        /// Its ecosystem.
        ecosystem: Ecosystem,
        /// Its name, as the ecosystem compares names.
        name: String,
        /// Its version.
        version: Option<String>,
    },
    /// A repository of GitHub, and a tag (or a branch, or a commit) of it.
    Repository {
        /// The repository.
        repository: Repository,
        /// The tag.
        tag: Option<String>,
    },
    /// A security advisory: `CVE-2021-44228`, `GHSA-jfh8-c2jp-5v3q`.
    Advisory(String),
    /// An item of Hacker News.
    HackerNews(u64),
    /// A post on Reddit, or a comment of it.
    Reddit {
        /// Number of the post, in base 36.
        post: String,
        /// Number of the comment.
        comment: Option<String>,
    },
    /// A filing with the SEC.
    Filing {
        /// Its accession number with dashes.
        accession: String,
        /// The company in whose folder it was named.
        cik: Option<u64>,
    },
    /// A federal award, by the key of USAspending.
    Award(String),
    /// A tender of GeBIZ.
    Tender(String),
    /// A Request for Comments.
    Rfc(u32),
    /// A book, by its 13 digits.
    Isbn(String),
}

impl Reference {
    /// The name of its kind in results.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Doi(_) => "doi",
            Self::Arxiv(_) => "arxiv",
            Self::Page(_) => "url",
            Self::Package { .. } => "package",
            Self::Repository { .. } => "repository",
            Self::Advisory(_) => "advisory",
            Self::HackerNews(_) => "hackernews",
            Self::Reddit { .. } => "reddit",
            Self::Filing { .. } => "sec_filing",
            Self::Award(_) => "award",
            Self::Tender(_) => "tender",
            Self::Rfc(_) => "rfc",
            Self::Isbn(_) => "isbn",
        }
    }

    /// Its normal form, which is recognised as the same reference.
    pub fn id(&self) -> String {
        self.to_string()
    }

    /// Its page on the public web, where archives may have a copy of it.
    pub fn page(&self) -> Option<Url> {
        let address = match self {
            Self::Page(url) => return Some(url.clone()),
            Self::HackerNews(_) | Self::Reddit { .. } => self.id(),
            Self::Repository { repository, tag } => match tag {
                Some(tag) => format!("{}/tree/{tag}", repository.page()),
                None => repository.page(),
            },
            _ => return None,
        };
        Url::parse(&address).ok()
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doi(id)
            | Self::Arxiv(id)
            | Self::Advisory(id)
            | Self::Award(id)
            | Self::Tender(id)
            | Self::Isbn(id) => f.write_str(id),
            Self::Page(url) => url.fmt(f),
            Self::Package {
                ecosystem,
                name,
                version,
            } => {
                write!(f, "{}:{name}", ecosystem.prefix())?;
                version.iter().try_for_each(|version| write!(f, "@{version}"))
            }
            Self::Repository { repository, tag } => {
                repository.fmt(f)?;
                tag.iter().try_for_each(|tag| write!(f, "@{tag}"))
            }
            Self::HackerNews(number) => write!(f, "https://news.ycombinator.com/item?id={number}"),
            Self::Reddit { post, comment } => {
                write!(f, "https://www.reddit.com/comments/{post}/")?;
                comment.iter().try_for_each(|comment| write!(f, "_/{comment}/"))
            }
            Self::Filing { accession, .. } => f.write_str(accession),
            Self::Rfc(number) => write!(f, "RFC {number}"),
        }
    }
}

/// Why nothing found would not mean that a thing is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// It was cut out of a running text, where it may end elsewhere: at a broken line, or with something glued to it.
    End,
    /// The file names another package index beside the public one.
    OtherIndex,
}

impl Doubt {
    /// The word in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::End => "end_not_sure",
            Self::OtherIndex => "other_index",
        }
    }
}

/// One reference as a document has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// The reference.
    pub text: String,
    /// The title under which it is cited.
    pub title: Option<String>,
    /// The company that a filing is of.
    pub company: Option<String>,
    /// Why it would not be gone if it was not found.
    pub doubt: Option<Doubt>,
}

impl Cited {
    /// A reference without anything said of it.
    pub const fn new(text: String) -> Self {
        Self {
            text,
            title: None,
            company: None,
            doubt: None,
        }
    }
}
