#![doc = include_str!("../README.md")]

mod answer;
mod input;
mod look_up;
mod package;
mod parse;
mod places;
mod redirects;
mod repository;
mod request;
mod site;

use freshcontext_contract::{
    Adapter, Apply, ArgSpec, Credential, Cx, Decay, Descriptor, ErrorCode, FactTimes, Founding, HEAD,
    Heading, Hosts, Refetch, Route, SourceError, SourceResult, StandingState, TEXT, hosts,
};

pub use input::Input;
use input::Query;
pub use look_up::look_up;

/// States that the name of a release or a flag of it tells.
const OF_RELEASES: &[StandingState] = &[StandingState::Yanked, StandingState::Prerelease];
/// The same, with those that the headers of an answer tell of the whole.
const OF_RESOURCES: &[StandingState] = &[
    StandingState::Superseded,
    StandingState::Moved,
    StandingState::Ended,
    StandingState::Yanked,
    StandingState::Deprecated,
    StandingState::Prerelease,
];
/// The same, with those that a page tells of itself.
const OF_PAGES: &[StandingState] = &[
    StandingState::Superseded,
    StandingState::Moved,
    StandingState::Ended,
    StandingState::Closed,
    StandingState::Yanked,
    StandingState::Deprecated,
    StandingState::Archived,
    StandingState::Prerelease,
];

/// The facts about changelogs.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "changelog",
    tool: "extract_changelog",
    title: "Changelog",
    heading: Heading::new("in its changelog", "entry", "entries"),
    description: "Changelogs and releases of a repository, package or site. For cadence and downloads use package_trends.",
    instead: Some("package_trends"),
    example: input::URL.example,
    profile: "official_docs",
    decay: Decay::PackageCadence,
    refetch: Refetch::Address("url", &["*"]),
    hosts: Hosts::PublicWeb(&[
        "api.github.com",
        "github.com",
        "raw.githubusercontent.com",
        "registry.npmjs.org",
        "pypi.org",
        "crates.io",
    ]),
    official: true,
    credentials: &[
        Credential::new("api.github.com", &["GITHUB_TOKEN", "GH_TOKEN"], Apply::Bearer)
            .obtain("https://github.com/settings/personal-access-tokens (no permissions needed)"),
    ],
    routes: &[
        Route::new("rest", "GitHub's REST interface").telling(OF_RELEASES),
        Route::new("releases_feed", "GitHub's feed of releases and tags").telling(OF_RELEASES),
        Route::new("tags_feed", "GitHub's feed of tags")
            .founded(Founding::Documented)
            .telling(OF_RELEASES),
        Route::new("file", "a changelog file").telling(OF_RESOURCES),
        Route::new("registry", "the package registry's list of versions")
            .founded(Founding::Documented)
            .telling(&[
                StandingState::Removed,
                StandingState::Yanked,
                StandingState::Deprecated,
                StandingState::Prerelease,
            ]),
        Route::new("feed", "a feed of the site").telling(OF_RESOURCES),
        Route::new("page", "a page of the site").telling(OF_PAGES),
    ],
    rates: &[hosts::GITHUB_API, hosts::NPM, hosts::PYPI, hosts::CRATES_IO],
    args: ArgSpec {
        limit: Some((15, request::MAX_RELEASES)),
        dates: true,
        ..ArgSpec::length(6000)
    },
    facts: FactTimes {
        fixed: &[TEXT, "date_contradicted_by", "sections", "signal", "tag"],
        moving: &[
            HEAD,
            "latest",
            "modified",
            "newest_prerelease",
            "newest_stable",
            "prerelease",
            "releases_365d",
            "releases_90d",
            "repository",
            "unreleased",
            "unreleased_section",
            "visible_date",
            "yanked",
        ],
        edited: None,
    },
    dates: "`published_at` of a release or a feed's `published`; dates in headings and last edits are signals.",
    terms: "GitHub Terms of Service, section H; registries ask to be modest; robots are held to the page asked for.",
    ..Descriptor::PLAIN
};

/// Changelogs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changelog;

impl Adapter for Changelog {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let found = match input::recognise(&input.url)? {
            Query::Repository(name) => repository::releases(cx, &name).await?,
            Query::Package(registry, name) => package::releases(cx, registry, &name).await?,
            Query::Page(url) => site::releases(cx, url).await?,
        };
        Ok(answer::build(cx.args(), cx.now(), found))
    }
}

/// Errors that another route would not change.
fn is_final(error: &SourceError) -> bool {
    matches!(
        error.code,
        ErrorCode::InvalidInput | ErrorCode::Cancelled | ErrorCode::Internal | ErrorCode::Overloaded
    )
}
