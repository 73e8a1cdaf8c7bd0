#![doc = include_str!("../README.md")]

mod answer;
mod input;
mod package;
mod parse;
mod repository;
mod request;
mod site;

use freshcontext_contract::{
    Adapter, AnyAdapter, Apply, ArgSpec, Credential, Cx, Descriptor, ErrorCode, Founding, Harvest, Hosts,
    Listing, Peek, Route, SourceError, Switch, hosts,
};

pub use input::Input;
use input::Wanted;

/// The facts about changelogs.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "changelog",
    tool: "extract_changelog",
    title: "Changelog",
    description: "Releases of a repository, package or site, with notes. For cadence and downloads use package_trends.",
    example: input::EXAMPLE,
    profile: "official_docs",
    hosts: Hosts::PublicWeb(&[
        "api.github.com",
        "github.com",
        "raw.githubusercontent.com",
        "registry.npmjs.org",
        "pypi.org",
        "crates.io",
    ]),
    official: true,
    peek: Peek::validators(Listing::Window),
    credentials: &[Credential {
        host: "api.github.com",
        env: &["GITHUB_TOKEN", "GH_TOKEN"],
        apply: Apply::Bearer,
        required: false,
        obtain: "https://github.com/settings/personal-access-tokens (no permissions needed)",
    }],
    routes: &[
        route("rest", "GitHub's REST interface", Founding::Recorded),
        route(
            "releases_feed",
            "GitHub's feed of releases and tags",
            Founding::Recorded,
        ),
        route("tags_feed", "GitHub's feed of tags", Founding::Documented),
        route("file", "a changelog file", Founding::Recorded),
        route(
            "registry",
            "the package registry's list of versions",
            Founding::Documented,
        ),
        route("feed", "a feed of the site", Founding::Recorded),
        route("page", "a page of the site", Founding::Recorded),
    ],
    rates: &[hosts::GITHUB_API, hosts::NPM, hosts::PYPI, hosts::CRATES_IO],
    status_rules: &[],
    markers: &[],
    args: ArgSpec {
        limit: Some((15, request::MAX_RELEASES)),
        dates: true,
        ..ArgSpec::length(6000)
    },
    dates: "`published_at` of a release or a feed's `published`; dates in headings and last edits are signals.",
    terms: "GitHub Terms of Service, section H; registries ask to be modest; robots are held to the page asked for.",
};

const fn route(id: &'static str, about: &'static str, founding: Founding) -> Route {
    Route {
        id,
        about,
        needs: None,
        switch: Switch::On,
        founding,
    }
}

/// Changelogs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changelog;

impl Adapter for Changelog {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<Harvest, SourceError> {
        let found = match input::recognise(&input.url)? {
            Wanted::Repository(name) => repository::releases(cx, &name).await?,
            Wanted::Package(registry, name) => package::releases(cx, registry, &name).await?,
            Wanted::Page(url) => site::releases(cx, url).await?,
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

/// The adapters of this crate.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    vec![Box::new(Changelog)]
}
