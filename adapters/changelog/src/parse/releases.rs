//! GitHub: the list of releases from the REST interface.

use freshcontext_contract::{DateEvidence, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::json::{self, Lenient};
use freshcontext_parse::{link, text};
use serde::Deserialize;

use super::{Release, marks};

#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
struct Wire {
    tag_name: String,
    name: Option<String>,
    body: Option<String>,
    html_url: Option<String>,
    published_at: Option<String>,
    draft: Option<bool>,
    prerelease: Option<bool>,
}

/// What the list holds.
#[derive(Debug, Default)]
pub struct Listing {
    /// The releases, in GitHub's order, which is not always that of their publication.
    pub releases: Vec<Release>,
    /// Entries that could not be read.
    pub unreadable: usize,
    /// Entries sent, drafts included.
    pub sent: usize,
}

/// Reads the list.
pub fn read(body: &str) -> Result<Listing, SourceError> {
    let list: Lenient<Wire> = json::parse(body, "GitHub releases")?;
    let sent = list.sent();
    let list = list.or_none_readable("GitHub releases: none of the entries has a tag")?;
    let mut releases: Vec<Release> = list
        .items
        .into_iter()
        .filter(|wire| wire.draft != Some(true))
        .map(release)
        .collect();
    super::mark_unversioned(&mut releases);
    Ok(Listing {
        releases,
        unreadable: list.unreadable,
        sent,
    })
}

fn release(wire: Wire) -> Release {
    let name = wire.name.as_deref().and_then(text::present);
    // The flag is set by hand and often forgotten.
    let early = if wire.prerelease == Some(true) {
        Some(StandingEvidence::field(StandingState::Prerelease, "prerelease", "true").by("owner"))
    } else {
        let by_name = name.as_deref().and_then(|name| marks::early_name("name", name));
        by_name.or_else(|| marks::early_tag("tag_name", &wire.tag_name))
    };
    let pulled = name.as_deref().and_then(|name| marks::pulled("name", name));
    let release = Release {
        tag: name
            .as_ref()
            .filter(|name| **name != wire.tag_name)
            .map(|_| wire.tag_name.clone()),
        title: name.unwrap_or(wire.tag_name),
        // `created_at` is the date of the tagged commit, which can be a month older.
        date: DateEvidence::optional_field("published_at", wire.published_at),
        url: wire.html_url.as_deref().and_then(link::shown),
        notes: wire
            .body
            .as_deref()
            .map(|body| text::paragraphs(&text::without_comments(body)))
            .unwrap_or_default(),
        ..Release::default()
    };
    release.early(early).pulled(pulled)
}
