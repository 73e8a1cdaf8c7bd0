#![doc = include_str!("../README.md")]

mod input;
mod look_up;
mod parse;
mod request;

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, ArgSpec, Cx, Decay, Descriptor, ErrorCode, FactTimes, HEAD, Heading, HostRate, Hosts, Item,
    Listing, Pace, PartFailure, Peek, Refetch, Response, Route, SourceError, SourceResult, StandingState,
    StandingTold, StatusRule, TEXT, When, hosts, named, named_list,
};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::registry::Registry;
use freshcontext_parse::{charset, link};
use futures_util::future::{join, join_all};

pub use input::Input;
use input::Query;
pub use look_up::look_up;
use parse::Facts;

/// The facts about package registries.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "packagetrends",
    tool: "package_trends",
    title: "Packages",
    heading: Heading::new("in package registries", "package", "packages"),
    description: "npm, PyPI, crates.io: latest version, cadence, downloads, vulnerabilities. For notes use extract_changelog.",
    instead: Some("extract_changelog"),
    example: input::URL.example,
    profile: "code_activity",
    decay: Decay::PackageCadence,
    refetch: Refetch::Package,
    hosts: Hosts::Fixed(&["registry.npmjs.org", "api.npmjs.org", "pypi.org", "crates.io"]),
    official: true,
    peek: Peek::validators(Listing::Named),
    routes: &[Route::new("registry", "the registries' own interfaces")
        .telling(&[
            StandingState::Removed,
            StandingState::Ended,
            StandingState::Yanked,
            StandingState::Deprecated,
            StandingState::Archived,
            StandingState::Prerelease,
        ])
        .at_the_cost_of(1)],
    rates: &[
        hosts::NPM,
        hosts::PYPI,
        hosts::CRATES_IO,
        HostRate::new("api.npmjs.org", Pace::new(5, 1))
            .in_flight(2)
            .link("https://github.com/npm/registry/blob/main/docs/download-counts.md"),
    ],
    status_rules: &[StatusRule::new(403, ErrorCode::AccessDenied)
        .when(When::BodyContains("crawler policy"))
        .saying("crates.io refuses requests whose user agent does not name its program")],
    args: ArgSpec::length(5000),
    facts: FactTimes {
        fixed: &[
            HEAD,
            "latest",
            "latest_inferred",
            "license",
            "median_gap_days",
            "newest_publish",
            "node",
            "prereleases",
            "registry",
            "releases_30d",
            "releases_365d",
            "requires_python",
            "rust_version",
            "versions",
        ],
        moving: &[
            TEXT,
            "deprecated",
            "downloads",
            "downloads_90d",
            "downloads_last_month",
            "newest_pulled",
            "other_tags",
            "repository",
            "vulnerabilities",
            "yanked",
        ],
        edited: None,
    },
    dates: "When the latest version was published; never the last write of a registry's document.",
    terms: "crates.io allows one request a second (https://crates.io/data-access); npm and PyPI ask to be modest.",
    ..Descriptor::PLAIN
};

/// Package registries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Packages;

/// One look-up and what came of it.
struct Looked {
    name: String,
    registry: Registry,
    picked: bool,
    result: Result<Facts, SourceError>,
}

impl Adapter for Packages {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let asked = input::recognise(&input.packages)?;
        let alone = asked.len() == 1;
        let lookups = asked.iter().flat_map(|asked| {
            asked
                .registries
                .iter()
                .map(move |registry| one(cx, asked, *registry, alone))
        });
        let (looked, downloads) = join(join_all(lookups), npm_downloads(cx, &asked)).await;
        gather(cx, &asked, looked, downloads)
    }
}

async fn one(cx: &Cx<'_>, asked: &Query, registry: Registry, alone: bool) -> Looked {
    let result = async {
        let read = match registry {
            Registry::Npm => parse::npm::read,
            Registry::Pypi => parse::pypi::read,
            Registry::Crates => parse::crates::read,
        };
        match cx
            .read(request::package(registry, &asked.name)?, as_text(read))
            .await
        {
            // A state of the project has no date, so it says nothing about an earlier moment.
            Ok(facts) if registry == Registry::Pypi && alone && cx.args().as_of.is_none() => {
                pypi_status(cx, asked, facts).await
            }
            Err(error)
                if registry == Registry::Pypi
                    && alone
                    && asked.picked
                    && error.code == ErrorCode::NotFound =>
            {
                Err(pypi_quarantine(cx, asked, error).await)
            }
            // Some documents hold thousands of nightlies.
            Err(error) if error.code == ErrorCode::TooLarge && registry == Registry::Npm => {
                let latest = request::npm_latest(&asked.name)?;
                cx.read(latest, as_text(parse::npm::manifest)).await
            }
            answer => answer,
        }
    };
    Looked {
        name: asked.name.clone(),
        registry,
        picked: asked.picked,
        result: result.await,
    }
}

/// Adds what PyPI's index says of the project as a whole. That is one further request, and only worth it for one package;
/// without it the answer is still whole.
async fn pypi_status(cx: &Cx<'_>, asked: &Query, mut facts: Facts) -> Result<Facts, SourceError> {
    let request = request::pypi_index(&asked.name)?;
    let page = request.url.clone();
    match cx.read(request, as_text(parse::pypi::status)).await {
        Ok(sign) => facts.standing.extend(sign.map(|sign| sign.shown_at(page))),
        Err(error) if matches!(error.code, ErrorCode::Cancelled | ErrorCode::Internal) => return Err(error),
        Err(_) => facts.partly_told = true,
    }
    Ok(facts)
}

/// Why a project that the caller named has no document: PyPI gives none of one that it keeps in quarantine, and its index
/// says so. Any other answer leaves the project unknown.
async fn pypi_quarantine(cx: &Cx<'_>, asked: &Query, unknown: SourceError) -> SourceError {
    let Ok(request) = request::pypi_index(&asked.name) else {
        return unknown;
    };
    let page = request.url.clone();
    match cx.read(request, as_text(parse::pypi::status)).await {
        Ok(Some(sign)) if sign.state == StandingState::Removed => unknown
            .saying(format!("{} is in quarantine on PyPI", named(&asked.name)))
            .standing(sign.shown_at(page)),
        _ => unknown,
    }
}

/// Downloads of the last month. They are an extra: without them the answer is still whole.
async fn npm_downloads(cx: &Cx<'_>, asked: &[Query]) -> Result<Vec<(String, u64)>, SourceError> {
    if cx.args().as_of.is_some() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = asked
        .iter()
        .filter(|asked| asked.registries.contains(&Registry::Npm))
        .map(|asked| asked.name.as_str())
        .collect();
    let mut found = Vec::new();
    let counts = |response: &Response| {
        let counts = parse::npm::downloads(&charset::decode(response).text)?;
        if counts.is_empty() {
            response.discard();
        }
        Ok(counts)
    };
    for answer in cx.read_all(request::npm_downloads(&names)?, counts).await {
        found.extend(answer?);
    }
    Ok(found)
}

fn gather(
    cx: &Cx<'_>,
    asked: &[Query],
    looked: Vec<Looked>,
    downloads: Result<Vec<(String, u64)>, SourceError>,
) -> Result<SourceResult, SourceError> {
    let mut result = SourceResult::new(page(asked)?, Vec::new());
    result.route = Some("registry");
    let names = named_list(asked.iter().map(|asked| &asked.name), ", ");
    result.summary = Some(format!("Packages in their registries: {names}"));
    let counts = match downloads {
        Ok(counts) => counts,
        Err(error) => {
            result.note(format!("npm's download figures are missing ({error})"));
            Vec::new()
        }
    };
    let (mut items, mut missing): (Vec<Item>, Vec<Looked>) = (Vec::new(), Vec::new());
    let mut has_newest = true;
    for one in looked {
        match one.result {
            Ok(mut facts) => {
                has_newest &= !facts.has_newer_than_latest();
                if cx.args().as_of.is_none() {
                    result.notes.append(&mut facts.notes);
                }
                if facts.partly_told {
                    result.standing_told = Some(StandingTold::Partly);
                }
                if let Some((_, count)) = counts
                    .iter()
                    .find(|(name, _)| one.registry == Registry::Npm && *name == facts.name)
                {
                    facts
                        .fields
                        .insert(0, ("downloads_last_month", Value::from(*count)));
                }
                items.push(match cx.args().as_of {
                    Some(moment) => facts.at(moment, one.registry).into_item(one.registry, moment),
                    None => facts.into_item(one.registry, cx.now()),
                });
            }
            Err(error) if matches!(error.code, ErrorCode::Cancelled | ErrorCode::Internal) => {
                return Err(error);
            }
            Err(error) if error.code == ErrorCode::NotFound => missing.push(Looked {
                result: Err(error),
                ..one
            }),
            Err(error) => result.fail(format!("{}:{}", one.registry.prefix(), one.name), error),
        }
    }
    result.scope.has_newest = has_newest;
    result.show(items);
    say_missing(result, asked, &missing)
}

/// What is nowhere is a failure of that name; what is in some registries only is a remark.
fn say_missing(
    mut result: SourceResult,
    asked: &[Query],
    missing: &[Looked],
) -> Result<SourceResult, SourceError> {
    let alone = asked.len() == 1;
    for one in asked {
        let absent: Vec<&Looked> = missing
            .iter()
            .filter(|gone| {
                gone.name == one.name && gone.picked == one.picked && one.registries.contains(&gone.registry)
            })
            .collect();
        let names: Vec<&str> = absent.iter().map(|gone| gone.registry.name()).collect();
        let places = match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        if absent.len() < one.registries.len() {
            if !absent.is_empty() {
                result.note(format!("{} is not in {places}", named(&one.name)));
            }
            continue;
        }
        // The registry's own words, such as "was unpublished", are better than ours.
        let said = absent
            .iter()
            .filter_map(|gone| gone.result.as_ref().err())
            .find(|error| !error.standing.is_empty());
        let mut error = SourceError::not_found(said.map_or_else(
            || format!("{} is not in {places}", named(&one.name)),
            |error| error.message.clone(),
        ));
        error.standing = said.map(|said| said.standing.clone()).unwrap_or_default();
        if alone && (one.picked || said.is_some()) {
            return Err(error);
        }
        if alone {
            result.note(error.message);
        } else {
            let what = if one.picked {
                format!(
                    "{}:{}",
                    one.registries.first().map_or("", |r| r.prefix()),
                    one.name
                )
            } else {
                one.name.clone()
            };
            result.fail(what, error);
        }
    }
    same_names(&mut result);
    // Nothing at all: a failure where anything failed, else honestly empty.
    if result.items.is_empty() && !result.failures.is_empty() {
        let exists = |part: &PartFailure| part.error.code != ErrorCode::NotFound;
        return Err(match result.failures.iter().position(exists) {
            Some(first) => result.failures.swap_remove(first).error,
            None => SourceError::not_found("none of the packages exists"),
        });
    }
    Ok(result)
}

/// A name in several registries is rarely one thing.
fn same_names(result: &mut SourceResult) {
    let bare = |item: &Item| {
        item.id
            .as_deref()
            .and_then(|id| id.split_once(':'))
            .map(|(_, name)| name.to_lowercase())
    };
    let names: Vec<String> = result.items.iter().filter_map(bare).collect();
    let mut shared: Vec<&String> = names
        .iter()
        .filter(|name| names.iter().filter(|other| other == name).count() > 1)
        .collect();
    shared.sort();
    shared.dedup();
    if !shared.is_empty() {
        let shared = named_list(shared, ", ");
        result.note(format!(
            "in several registries, which may be unrelated packages: {shared}"
        ));
    }
}

/// The page of the only package, else the documented address of the first one's data.
fn page(asked: &[Query]) -> Result<Url, SourceError> {
    let first = asked
        .first()
        .and_then(|asked| Some((asked, *asked.registries.first()?)));
    let page = match first {
        Some((one, Registry::Pypi)) => Registry::Pypi.page(&request::normalised(&one.name)),
        Some((one, registry)) => registry.page(&one.name),
        None => "https://www.npmjs.com/".to_owned(),
    };
    link::built(&page, &[])
}
