//! What kind of thing the items of a source are: which of them can be copies of one another.

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A report, a post, a page: others may report the same, or copy it.
    Report,
    /// What one person says in a discussion.
    Comment,
    /// A paper: its title is its own.
    Paper,
    /// A package, a repository, a product, a release: by its project.
    Project,
    /// A filing, an award, an advert, a quote: its words are a form's, and its number makes it another.
    Record,
}

/// Kinds by the names of sources: ids of adapters, and what callers write for them.
const KINDS: [(&str, Kind); 30] = [
    ("arxiv", Kind::Paper),
    ("award", Kind::Record),
    ("changelog", Kind::Project),
    ("crates", Kind::Project),
    ("filing", Kind::Record),
    ("finance", Kind::Record),
    ("gebiz", Kind::Record),
    ("github", Kind::Project),
    ("google_scholar", Kind::Paper),
    ("govcontracts", Kind::Record),
    ("job", Kind::Record),
    ("jobs", Kind::Record),
    ("npm", Kind::Project),
    ("package", Kind::Project),
    ("packagetrends", Kind::Project),
    ("paper", Kind::Paper),
    ("preprint", Kind::Paper),
    ("producthunt", Kind::Project),
    ("pypi", Kind::Project),
    ("quote", Kind::Record),
    ("release", Kind::Project),
    ("repository", Kind::Project),
    ("reposearch", Kind::Project),
    ("scholar", Kind::Paper),
    ("scholarly", Kind::Paper),
    ("sec", Kind::Record),
    ("sec_filings", Kind::Record),
    ("tender", Kind::Record),
    ("yc", Kind::Project),
    ("academic_paper", Kind::Paper),
];

/// Sources whose items are posts about other pages.
const POSTS: [&str; 3] = ["hackernews", "producthunt", "reddit"];

/// The kind of the items of a source of this name. A source that is not known reports.
pub(crate) fn kind(source_type: &str, title: &str) -> Kind {
    let known = KINDS
        .iter()
        .find(|(name, _)| *name == source_type)
        .map(|(_, kind)| *kind);
    match known {
        Some(kind) => kind,
        None if is_post(source_type) && title.starts_with("Comment by ") => Kind::Comment,
        None => Kind::Report,
    }
}

/// Whether items of this source are posts about other pages.
pub(crate) fn is_post(source_type: &str) -> bool {
    POSTS.contains(&source_type)
}
