#![doc = include_str!("../README.md")]

mod batch;
mod input;
mod parse;
mod request;
mod select;

use std::collections::HashSet;

use freshcontext_contract::asking::by_deciding;
use freshcontext_contract::{
    Adapter, ArgSpec, AsOf, Cx, Decay, Descriptor, Earlier, ErrorCode, FactTimes, HEAD, Heading, HostRate,
    Hosts, Listing, Pace, Peek, Peeked, Question, Refetch, Response, Route, SourceError, SourceResult,
    StandingState, TEXT, counted, named, named_list,
};
use freshcontext_parse::charset;
use freshcontext_parse::charset::as_text;

pub use input::Input;
use input::{Filter, Flag, Search};
use parse::{Company, Listed, Meta};

/// The facts about the directory of YC companies.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "yc",
    tool: "extract_yc",
    title: "Y Combinator",
    heading: Heading::new("at Y Combinator", "company", "companies"),
    description: "Y Combinator companies with status, team size and hiring. For launches use extract_producthunt.",
    example: input::URL.example,
    profile: "company_intel",
    decay: Decay::MarketContext,
    refetch: Refetch::Address("url", &["ycombinator.com"]),
    hosts: Hosts::Fixed(&["yc-oss.github.io"]),
    peek: Peek {
        question: Question::Own,
        listing: Listing::Window,
        asks: "the mirror's meta.json with its ETag: it changes with every build",
        tells: "that the mirror was not built again",
    },
    routes: &[Route::new(
        MIRROR,
        "yc-oss, a public mirror of the directory, rebuilt daily; it has no search",
    )
    .telling(&[StandingState::Ended, StandingState::Acquired])
    .as_of(AsOf::NotSupported(
        "the directory shows companies as they are today, without since when",
    ))],
    rates: &[HostRate::new("yc-oss.github.io", Pace::new(30, 10))
        .in_flight(4)
        .link("https://github.com/yc-oss/api")],
    args: ArgSpec {
        limit: Some((20, 100)),
        sort: &["relevance", "newest"],
        cursor: true,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &["batch"],
        moving: &[
            TEXT,
            HEAD,
            "directory_as_of",
            "former_names",
            "hiring",
            "industry",
            "listed_long_before_batch",
            "locations",
            "nonprofit",
            "stage",
            "status",
            "tags",
            "team_size",
            "top_company",
            "total",
            "website",
        ],
        edited: None,
    },
    dates: "launched_at, when YC published the listing: high from 2019 on, medium for 2012 to 2018, none before (backfilled)",
    terms: "The mirror is public (https://github.com/yc-oss/api); YC's terms close its own site to robots (https://www.ycombinator.com/legal), so it is not asked",
    ..Descriptor::PLAIN
};

const MIRROR: &str = "mirror";
/// Newest batches looked into for words, and for one company.
const BATCHES_FOR_WORDS: usize = 4;
const BATCHES_FOR_ONE: usize = 10;
/// More companies than the directory has.
const MOST_COMPANIES: usize = 10_000;
/// The source.
#[derive(Debug, Clone, Copy, Default)]
pub struct Yc;

impl Adapter for Yc {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    /// All files of the mirror are made together, and `meta.json` says when.
    async fn peek(&self, cx: &Cx<'_>, _: Input, earlier: &Earlier) -> Result<Peeked, SourceError> {
        by_deciding(cx, earlier, |url| url.path().ends_with("/meta.json")).await
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let search = input::recognise(&input.url)?;
        let offset = cx.args().cursor_within(..MOST_COMPANIES)?.unwrap_or(0);
        let ask = |_| mirror(cx, &search, offset);
        let routed = cx.first_route(&[MIRROR], &[], ask).await?;
        Ok(routed.into_result())
    }
}

/// Lists are newest first, searches by relevance, unless the caller says.
fn newest(cx: &Cx<'_>, search: &Search) -> bool {
    cx.args()
        .sort
        .map_or(search.query.is_empty(), |sort| sort == "newest")
}

async fn mirror(cx: &Cx<'_>, search: &Search, offset: usize) -> Result<SourceResult, SourceError> {
    let meta = cx.read(request::mirror("meta.json")?, as_text(parse::meta)).await;
    let chosen = request::files(search);
    let guessed = chosen.is_none();
    let (files, meta) = match (chosen, meta) {
        (Some(files), meta) => (files, meta.ok()),
        (None, Ok(meta)) => {
            let batches = if search.company.is_some() {
                BATCHES_FOR_ONE
            } else {
                BATCHES_FOR_WORDS
            };
            (meta.files_for(&search.query, batches), Some(meta))
        }
        (None, Err(error)) => return Err(error),
    };
    let requests = files
        .iter()
        .map(|file| request::mirror(file))
        .collect::<Result<Vec<_>, _>>()?;
    let read = |response: &Response| parse::mirror(&charset::decode(response).text);
    let answers = cx.read_all(requests, read).await;
    let mut all = Listed::default();
    let mut failed: Vec<(String, SourceError)> = Vec::new();
    for (file, answer) in files.iter().zip(answers) {
        match answer {
            Ok(listed) => {
                all.companies.extend(listed.companies);
                all.unreadable += listed.unreadable;
            }
            Err(error) => failed.push((file.clone(), error)),
        }
    }
    if failed.len() == files.len() && !failed.is_empty() {
        // A list that could not be read says more than one that is not there: it may hold the company.
        let telling = failed
            .iter()
            .position(|(_, error)| error.code != ErrorCode::NotFound);
        let (file, error) = failed.swap_remove(telling.unwrap_or_default());
        return Err(if error.code == ErrorCode::NotFound {
            no_such_list(&file)
        } else {
            error
        });
    }
    finish(cx, search, offset, all, &files, guessed, meta.as_ref(), failed)
}

fn no_such_list(file: &str) -> SourceError {
    SourceError::not_found(format!("the mirror has no list {}", named(file)))
        .hint("batches are named like `Winter 2026` or `W26`, labels and industries as on ycombinator.com/companies")
}

#[expect(
    clippy::too_many_arguments,
    reason = "one place joins what the route gathered"
)]
fn finish(
    cx: &Cx<'_>,
    search: &Search,
    offset: usize,
    all: Listed,
    files: &[String],
    guessed: bool,
    meta: Option<&Meta>,
    failed: Vec<(String, SourceError)>,
) -> Result<SourceResult, SourceError> {
    // Lists overlap: a company in three of them is one.
    let mut once = HashSet::new();
    let mut all = all;
    all.companies.retain(|company| once.insert(company.id));
    let read = all.companies.len();
    let mass = parse::mass_published(&all.companies);
    let fitting = select::select(all.companies, search, newest(cx, search));
    let total = fitting.len();
    if let Some(slug) = &search.company
        && total == 0
        && failed.is_empty()
    {
        let message =
            format!("no company {slug} among the {read} of the newest batches and the top companies");
        return Err(
            SourceError::not_found(message).hint("name its batch as well, for example `S15` with its name")
        );
    }
    let limit = cx.args().limit;
    let shown: Vec<Company> = fitting.into_iter().skip(offset).take(limit).collect();
    let mut result = result(cx, search, shown, &mass)?;
    result.set("total", total);
    result.skip(all.unreadable, "without id, name or slug");
    if guessed {
        let part = format!(
            "{} of {}",
            counted(read, "company", "companies"),
            named_list(files, ", ")
        );
        result.note(format!(
            "The mirror has no search: the words were matched against {part}, not the whole directory"
        ));
        result.scope.looked_through = Some(part);
    }
    if let Some(at) = meta.and_then(parse::Meta::built) {
        result.set("directory_as_of", freshcontext_parse::text::clip(at, 40));
    }
    if offset + limit < total {
        result.next = Some((offset + limit).to_string());
    }
    for (file, error) in failed {
        result.fail(file, error);
    }
    Ok(result)
}

fn result(
    cx: &Cx<'_>,
    search: &Search,
    companies: Vec<Company>,
    mass: &[(String, i64)],
) -> Result<SourceResult, SourceError> {
    let items: Vec<_> = companies
        .into_iter()
        .map(|company| {
            let date = company.date(mass, cx.now());
            company.into_item(date)
        })
        .collect();
    let any = !items.is_empty();
    let mut result = SourceResult::new(request::page(search)?, items);
    result.summary = Some(described(search));
    if any {
        result
            .note("A date is when YC published the listing; the facts about a company may be newer or older");
    }
    Ok(result)
}

fn described(search: &Search) -> String {
    if let Some(slug) = &search.company {
        return format!("The YC company {slug}");
    }
    if let Some(file) = &search.file {
        return format!("YC companies of the list {file}");
    }
    let mut parts: Vec<String> = Vec::new();
    if !search.query.is_empty() {
        parts.push(format!("\"{}\"", search.query));
    }
    for filter in Filter::ALL {
        let values = search.of(*filter);
        if !values.is_empty() {
            parts.push(format!("{} {}", filter.word(), values.join(" or ")));
        }
    }
    let asked = Flag::ALL.iter().filter(|flag| search.flags.contains(flag));
    parts.extend(asked.map(|flag| flag.word().to_owned()));
    if parts.is_empty() {
        "YC companies of the newest batches".to_owned()
    } else {
        format!("YC companies: {}", parts.join(", "))
    }
}
