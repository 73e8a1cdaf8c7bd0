#![doc = include_str!("../README.md")]

mod input;
mod look_up;
mod parse;
mod request;

use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, Apply, ArgSpec, AsOf, Credential, Cx, Decay, Descriptor, ErrorCode, FactTimes, Founding, HEAD,
    Heading, HostRate, Hosts, Listing, Pace, Peek, Refetch, Route, SourceError, SourceResult, StandingState,
    StatusRule, TEXT, Wait,
};
use freshcontext_parse::charset::as_text;

pub use input::Input;
pub use look_up::{look_up, look_up_prefix};
use parse::Page;
use request::{Plan, Via};

/// The facts about Google Scholar and the open indexes behind it.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "google_scholar",
    tool: "extract_scholar",
    title: "Papers",
    heading: Heading::new("in papers", "paper", "papers"),
    description: "Scholar, Crossref, OpenAlex papers: venue, date, citations. For preprints use extract_arxiv.",
    instead: Some("extract_arxiv"),
    example: input::URL.example,
    profile: "academic_research",
    decay: Decay::AcademicWork,
    refetch: Refetch::Title("url"),
    hosts: Hosts::Fixed(&["scholar.google.com", "api.crossref.org", "api.openalex.org"]),
    peek: Peek::none(Listing::Window),
    credentials: &[
        Credential::new("api.openalex.org", &["OPENALEX_API_KEY"], Apply::Query("api_key"))
            .obtain("https://openalex.org/settings/api"),
    ],
    routes: &[
        Route::new(
            "crossref",
            "Crossref, where works are registered; publication days",
        )
        .founded(Founding::Documented)
        .telling(&[
            StandingState::Retracted,
            StandingState::Removed,
            StandingState::Withdrawn,
            StandingState::Superseded,
            StandingState::Concern,
            StandingState::Corrected,
        ])
        .as_of(AsOf::Asked("until-pub-date")),
        Route::new(
            "openalex",
            "the same query at OpenAlex, where Crossref fails; OPENALEX_API_KEY raises its day's allowance",
        )
        .founded(Founding::Documented)
        .telling(&[StandingState::Retracted])
        .as_of(AsOf::Asked("to_publication_date")),
        Route::new(
            "scholar",
            "one page of Scholar's results, for a Scholar address, asked for once; years only; the others where Scholar refuses",
        )
        .telling(&[StandingState::Retracted, StandingState::Withdrawn])
        .untold("Google Scholar's page does not say whether a paper was retracted, except by a mark in its title"),
    ],
    rates: &[
        HostRate::new("scholar.google.com", Pace::new(1, 10))
            .link("https://scholar.google.com/intl/en/scholar/help.html"),
        HostRate::new("api.crossref.org", Pace::new(5, 1)).link(
            "https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/",
        ),
        HostRate::new("api.openalex.org", Pace::new(5, 1))
            .link("https://docs.openalex.org/how-to-use-the-api/rate-limits-and-authentication"),
    ],
    status_rules: &[
        StatusRule::new(401, ErrorCode::Misconfigured)
            .saying("OpenAlex does not accept the key in OPENALEX_API_KEY"),
        // 0.10 USD of calls a day without a key, ten times that with a free one
        // (developers.openalex.org/api-reference/authentication).
        spent(429, "Insufficient budget"),
        spent(403, "Insufficient budget"),
        StatusRule::body(
            403,
            "rate limit",
            ErrorCode::RateLimited,
            "OpenAlex asked us to slow down",
        )
        .waiting(RETRY_AFTER),
    ],
    args: ArgSpec {
        limit: Some((10, 20)),
        dates: true,
        sort: &["relevance", "newest"],
        cursor: true,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[TEXT, HEAD, "authors", "authors_cut", "doi", "published", "publisher", "type", "venue", "year"],
        moving: &["cited_by", "full_text", "newest_year", "oldest_year", "total_results", "versions"],
        edited: None,
    },
    dates: "The open indexes give days; Scholar gives a year, which is no date, or the age it shows when sorted by date",
    terms: "Google offers no interface and no licence for robots: one page per call, no second try, nothing worked around (https://scholar.google.com/robots.txt)",
    ..Descriptor::PLAIN
};

/// OpenAlex names hours, in seconds, until midnight UTC.
const RETRY_AFTER: Wait = Wait::At("/retryAfter");

const fn spent(status: u16, words: &'static str) -> StatusRule {
    let message = "OpenAlex's allowance of the day is used up";
    StatusRule::body(status, words, ErrorCode::RateLimited, message).waiting(RETRY_AFTER)
}

/// The source.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scholar;

impl Adapter for Scholar {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let plan = Plan::new(input::recognise(&input.url)?, cx.args())?;
        let words = plan.search.words();
        let asks_scholar = match plan.only {
            Some(via) => via == Via::Scholar,
            // Structured sources come before scraping; a page of Scholar is read where it was asked for.
            None => plan.search.is_address || input.fallback == Some(false),
        };
        let mut refused = None;
        if asks_scholar {
            match self.by_scholar(cx, &plan).await {
                Ok((page, url)) => return Ok(result(page, &plan, Via::Scholar, url)),
                Err(error) => {
                    let elsewhere =
                        is_wall(error.code) && plan.only.is_none() && input.fallback != Some(false);
                    if !elsewhere || words.is_none() {
                        return Err(advised(error, words.is_some()));
                    }
                    refused = Some(error);
                }
            }
        }
        // A cursor of Scholar has ended above, and every other plan has words.
        let words = words.ok_or_else(SourceError::foreign_cursor)?;
        let (page, via, url, failed) = self.by_open_index(cx, &plan, &words, refused.as_ref()).await?;
        let mut result = result(page, &plan, via, url);
        if let Some(error) = &refused {
            result.note(format!(
                "Google Scholar could not be read ({}: {}); {} was asked the same query instead",
                error.code,
                error.message,
                via.name()
            ));
        }
        if let Some(error) = failed {
            result.note(format!("Crossref did not answer ({}); OpenAlex did", error.code));
        }
        Ok(result)
    }
}

impl Scholar {
    /// One page of Scholar, asked for once.
    async fn by_scholar(&self, cx: &Cx<'_>, plan: &Plan) -> Result<(Page, Url), SourceError> {
        let request = request::scholar(plan)?;
        let url = request.url.clone();
        let page = cx
            .read(request, |response| parse::answer(response, plan.newest))
            .await?;
        Ok((page, url))
    }

    /// The first open index that answers, in their order; also why Crossref did not.
    async fn by_open_index(
        &self,
        cx: &Cx<'_>,
        plan: &Plan,
        words: &str,
        refused: Option<&SourceError>,
    ) -> Result<(Page, Via, Url, Option<SourceError>), SourceError> {
        let mut failed = None;
        if plan.only != Some(Via::OpenAlex) {
            let request = request::crossref(plan, words)?;
            let url = request::page(Via::Crossref, words)?;
            match cx.read(request, as_text(parse::crossref)).await {
                Ok(page) => return Ok((page, Via::Crossref, url, None)),
                Err(error) if plan.only.is_some() => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
        match self.by_openalex(cx, plan, words).await {
            Ok((page, url)) => Ok((page, Via::OpenAlex, url, failed)),
            Err(error) => Err(none_answered(refused, failed.as_ref(), error)),
        }
    }

    /// OpenAlex; a refusal says what a key would change.
    async fn by_openalex(&self, cx: &Cx<'_>, plan: &Plan, words: &str) -> Result<(Page, Url), SourceError> {
        let request = request::openalex(plan, words)?;
        let url = request::page(Via::OpenAlex, words)?;
        match cx.read(request, as_text(parse::openalex)).await {
            Ok(page) => Ok((page, url)),
            Err(error) if error.code == ErrorCode::RateLimited => {
                Err(error.hint(if cx.configured("OPENALEX_API_KEY") {
                    "it resets at midnight UTC; the plan of OPENALEX_API_KEY decides how much it is"
                } else {
                    "set OPENALEX_API_KEY for ten times as much (free: https://openalex.org/settings/api); it resets at midnight UTC"
                }))
            }
            Err(error) => Err(error),
        }
    }
}

/// Whether a failure is one of reaching Scholar. An unreadable page is not: somebody has to look.
fn is_wall(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Challenge
            | ErrorCode::AccessDenied
            | ErrorCode::RateLimited
            | ErrorCode::UpstreamError
            | ErrorCode::Timeout
            | ErrorCode::Unreachable
            | ErrorCode::CircuitOpen
    )
}

fn advised(error: SourceError, has_words: bool) -> SourceError {
    if !is_wall(error.code) || error.hint.is_some() {
        return error;
    }
    if has_words {
        error.hint("pass fallback=true to ask Crossref and OpenAlex instead, or use extract_arxiv")
    } else {
        error.hint("search for the title or the authors instead: then Crossref and OpenAlex can answer")
    }
}

/// The error where every route failed: Scholar's own where it was asked for, else that of the last one,
/// with what the others said.
fn none_answered(
    refused: Option<&SourceError>,
    crossref: Option<&SourceError>,
    mut openalex: SourceError,
) -> SourceError {
    let Some(crossref) = crossref else {
        return openalex;
    };
    let Some(refused) = refused else {
        openalex.message = format!("{}; Crossref before it: {}", openalex.message, crossref.code);
        return openalex;
    };
    let message = format!(
        "{}; Crossref: {}; OpenAlex: {}",
        refused.message, crossref.code, openalex.code
    );
    refused
        .clone()
        .saying(message)
        .hint("wait a while, or try extract_arxiv")
}

fn result(page: Page, plan: &Plan, via: Via, url: Url) -> SourceResult {
    let shown = page.items.len();
    let full = shown >= plan.limit;
    let mut items = page.items;
    items.truncate(plan.limit);
    let mut result = SourceResult::new(url, items);
    result.route = Some(via.id());
    let what = plan
        .search
        .words()
        .unwrap_or_else(|| "papers citing one, or versions of one".to_owned());
    let order = if plan.newest {
        "newest first"
    } else {
        "by relevance"
    };
    result.summary = Some(format!(
        "{} results for {what:?}, {order}{}",
        via.name(),
        if plan.offset > 0 {
            format!(", from number {}", plan.offset + 1)
        } else {
            String::new()
        }
    ));
    result.set("total_results", page.total);
    if let Some((oldest, newest)) = page.years {
        result.set("oldest_year", oldest);
        result.set("newest_year", newest);
    }
    result.skip(page.unreadable, "without a title");
    if let Some(cut) = page.cut {
        result.note(cut);
    }
    if via == Via::Scholar && shown > 0 {
        result.note("Scholar gives years only; a year is shown and is not used as a date");
    }
    let more = page
        .total
        .is_none_or(|total| total > (plan.offset + shown) as u64);
    if full && more {
        result.next = Some(plan.next(via));
    }
    result
}
