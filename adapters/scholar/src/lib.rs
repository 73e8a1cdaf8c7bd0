#![doc = include_str!("../README.md")]

mod input;
mod parse;
mod request;

use std::sync::{Mutex, PoisonError};

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, AnyAdapter, Apply, ArgSpec, Credential, Cx, Descriptor, ErrorCode, Harvest, HostRate, Hosts,
    Pace, Route, SourceError, StatusRule, Switch, When,
};
use freshcontext_parse::charset;

pub use input::Input;
use parse::Page;
use request::{Plan, Via};

/// The facts about Google Scholar and the open indexes behind it.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "google_scholar",
    tool: "extract_scholar",
    title: "Scholar",
    description: "Papers from Scholar, else Crossref or OpenAlex.",
    example: input::EXAMPLE,
    profile: "academic_research",
    hosts: Hosts::Fixed(&["scholar.google.com", "api.crossref.org", "api.openalex.org"]),
    official: false,
    credentials: &[Credential {
        host: "api.openalex.org",
        env: &["OPENALEX_API_KEY"],
        apply: Apply::Query("api_key"),
        obtain: "https://openalex.org/settings/api",
    }],
    routes: &[
        Route {
            id: "scholar",
            about: "one page of Scholar's results, asked for once; years only",
            needs: None,
            switch: Switch::On,
        },
        Route {
            id: "crossref",
            about: "the same query at Crossref, where Scholar is walled; publication days",
            needs: None,
            switch: Switch::On,
        },
        Route {
            id: "openalex",
            about: "the same query at OpenAlex, where Crossref fails too; OPENALEX_API_KEY raises its limit",
            needs: None,
            switch: Switch::On,
        },
    ],
    rates: &[
        HostRate {
            host: "scholar.google.com",
            path: "",
            pace: Pace::new(1, 10),
            keyed: None,
            in_flight: 1,
            link: "https://scholar.google.com/intl/en/scholar/help.html",
        },
        HostRate {
            host: "api.crossref.org",
            path: "",
            pace: Pace::new(5, 1),
            keyed: None,
            in_flight: 1,
            link: "https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/",
        },
        HostRate {
            host: "api.openalex.org",
            path: "",
            pace: Pace::new(5, 1),
            keyed: None,
            in_flight: 1,
            link: "https://docs.openalex.org/how-to-use-the-api/rate-limits-and-authentication",
        },
    ],
    status_rules: &[StatusRule {
        status: 401,
        when: When::Always,
        code: ErrorCode::Misconfigured,
        message: "OpenAlex does not accept the key in OPENALEX_API_KEY",
    }],
    markers: &[],
    args: ArgSpec {
        max_length: 6_000,
        limit: Some((10, 20)),
        dates: true,
        sort: &["relevance", "newest"],
        cursor: true,
        max_age: true,
    },
    dates: "Scholar gives a year, which is no date; sorted by date, the age it shows; the open indexes give days",
    terms: "Google offers no interface and no licence for robots: one page per call, no second try, nothing worked around (https://scholar.google.com/robots.txt)",
};

/// How long Scholar is left alone after it refused.
const LEFT_ALONE: TimeDelta = TimeDelta::hours(1);

/// The source. Remembers that Scholar refused, so as not to insist.
#[derive(Debug, Default)]
pub struct Scholar {
    refused: Mutex<Option<(DateTime<Utc>, ErrorCode)>>,
}

/// The adapters of this crate.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    vec![Box::new(Scholar::default())]
}

impl Adapter for Scholar {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<Harvest, SourceError> {
        let plan = Plan::new(input::recognise(&input.url)?, cx.args())?;
        let words = plan.search.words();
        let mut walled = None;
        if matches!(plan.only, None | Some(Via::Scholar)) {
            match self.by_scholar(cx, &plan).await {
                Ok((page, url)) => return Ok(harvest(page, &plan, Via::Scholar, url)),
                Err(error) => {
                    let elsewhere =
                        is_wall(error.code) && plan.only.is_none() && input.fallback != Some(false);
                    if !elsewhere || words.is_none() {
                        return Err(advised(error, words.is_some()));
                    }
                    walled = Some(error);
                }
            }
        }
        // A cursor of Scholar has ended above, and every other plan has words.
        let Some(words) = words else {
            return Err(SourceError::invalid_input(
                "cursor",
                "does not belong to this search",
                input::EXAMPLE,
            ));
        };
        let (page, via, url, failed) = by_open_index(cx, &plan, &words, walled.as_ref()).await?;
        let mut harvest = harvest(page, &plan, via, url);
        if let Some(error) = &walled {
            harvest.note(format!(
                "Google Scholar was walled ({}: {}); the same query was asked of {} instead",
                error.code,
                error.message,
                via.name()
            ));
        }
        if let Some(error) = failed {
            harvest.note(format!("Crossref did not answer ({}); OpenAlex did", error.code));
        }
        Ok(harvest)
    }
}

impl Scholar {
    /// One page of Scholar, asked for once, unless it refused a short while ago.
    async fn by_scholar(&self, cx: &Cx<'_>, plan: &Plan) -> Result<(Page, Url), SourceError> {
        if let Some((until, code)) = self.refusal(cx.now()) {
            let message = format!(
                "it refused before and is left alone until {}",
                until.format("%H:%M UTC")
            );
            let wait = (until - cx.now()).to_std().unwrap_or_default();
            return Err(SourceError::new(code, message).retry_after(wait));
        }
        let request = request::scholar(plan)?;
        let url = request.url.clone();
        let page = match cx.send(request).await {
            Ok(response) => response.judged(
                match parse::refusal(response.status, &response.headers, &response.body) {
                    Some(error) => Err(error),
                    None => parse::results(
                        &charset::decode(&response).text,
                        plan.newest,
                        response.retrieved_at,
                    ),
                },
            ),
            // The "unusual traffic" page is on another host, to which nothing is sent.
            Err(error) if error.code == ErrorCode::BlockedAddress => Err(SourceError::new(
                ErrorCode::Challenge,
                "Google Scholar redirected to another host",
            )),
            Err(error) => Err(error),
        };
        if let Err(error) = &page
            && matches!(
                error.code,
                ErrorCode::Challenge | ErrorCode::AccessDenied | ErrorCode::RateLimited
            )
        {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            *refused = Some((cx.now() + LEFT_ALONE, error.code));
        }
        Ok((page?, url))
    }

    fn refusal(&self, now: DateTime<Utc>) -> Option<(DateTime<Utc>, ErrorCode)> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.filter(|(until, _)| now < *until && *until <= now + LEFT_ALONE)
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
        error.hint("allow `fallback` to ask Crossref and OpenAlex instead, or try extract_arxiv")
    } else {
        error.hint("search for the title or the authors instead: then Crossref and OpenAlex can answer")
    }
}

/// The first open index that answers, in their order; also why Crossref did not.
async fn by_open_index(
    cx: &Cx<'_>,
    plan: &Plan,
    words: &str,
    walled: Option<&SourceError>,
) -> Result<(Page, Via, Url, Option<SourceError>), SourceError> {
    let mut failed = None;
    if plan.only != Some(Via::OpenAlex) {
        let request = request::crossref(plan, words)?;
        let url = request.url.clone();
        let page = match cx.send(request).await {
            Ok(response) => response.judged(parse::crossref(&charset::decode(&response).text)),
            Err(error) => Err(error),
        };
        match page {
            Ok(page) => return Ok((page, Via::Crossref, url, None)),
            Err(error) if plan.only.is_some() => return Err(error),
            Err(error) => failed = Some(error),
        }
    }
    let request = request::openalex(plan, words)?;
    let url = request.url.clone();
    let page = match cx.send(request).await {
        Ok(response) => response.judged(parse::openalex(&charset::decode(&response).text)),
        Err(error) => Err(error),
    };
    match page {
        Ok(page) => Ok((page, Via::OpenAlex, url, failed)),
        Err(error) => Err(none_answered(walled, failed.as_ref(), error)),
    }
}

/// The error where every route failed: Scholar's own, since that is what was asked for.
fn none_answered(
    walled: Option<&SourceError>,
    crossref: Option<&SourceError>,
    openalex: SourceError,
) -> SourceError {
    let (Some(walled), Some(crossref)) = (walled, crossref) else {
        return openalex;
    };
    let message = format!(
        "{}; Crossref: {}; OpenAlex: {}",
        walled.message, crossref.code, openalex.code
    );
    let mut error = SourceError::new(walled.code, message);
    error.http_status = walled.http_status;
    error.retry_after = walled.retry_after;
    error.hint("wait a while, or try extract_arxiv")
}

fn harvest(page: Page, plan: &Plan, via: Via, url: Url) -> Harvest {
    let shown = page.items.len();
    let full = shown >= plan.limit;
    let mut items = page.items;
    items.truncate(plan.limit);
    let mut harvest = Harvest::new(url, items);
    harvest.route = Some(via.id());
    let what = plan
        .search
        .words()
        .unwrap_or_else(|| "papers citing one, or versions of one".to_owned());
    let order = if plan.newest {
        "newest first"
    } else {
        "by relevance"
    };
    harvest.summary = Some(format!(
        "{} results for {what:?}, {order}, from number {}",
        via.name(),
        plan.offset + 1
    ));
    harvest.set("total_results", page.total);
    if let Some((oldest, newest)) = page.years {
        harvest.set("oldest_year", oldest);
        harvest.set("newest_year", newest);
    }
    harvest.skip(page.unreadable, "without a title");
    if let Some(cut) = page.cut {
        harvest.note(cut);
    }
    if via == Via::Scholar && shown > 0 {
        harvest.note("Scholar gives years only; a year is shown and is not used as a date");
    }
    let more = page
        .total
        .is_none_or(|total| total > (plan.offset + shown) as u64);
    if full && more {
        harvest.next = Some(plan.next(via));
    }
    harvest
}
