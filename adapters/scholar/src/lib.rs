#![doc = include_str!("../README.md")]

mod input;
mod parse;
mod request;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, Apply, ArgSpec, Credential, Cx, Descriptor, ErrorCode, Founding, HostRate, Hosts, Listing, Pace,
    Peek, Route, SourceError, SourceResult, StatusRule,
};
use freshcontext_parse::charset;

pub use input::Input;
use parse::Page;
use request::{Plan, Via};

/// The facts about Google Scholar and the open indexes behind it.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "google_scholar",
    tool: "extract_scholar",
    title: "Papers",
    description: "Papers of all fields with venue, date and citations. For preprints use extract_arxiv.",
    example: input::EXAMPLE,
    profile: "academic_research",
    hosts: Hosts::Fixed(&["scholar.google.com", "api.crossref.org", "api.openalex.org"]),
    official: false,
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
        .founded(Founding::Documented),
        Route::new(
            "openalex",
            "the same query at OpenAlex, where Crossref fails; OPENALEX_API_KEY raises its day's allowance",
        )
        .founded(Founding::Documented),
        Route::new(
            "scholar",
            "one page of Scholar's results, for a Scholar address, asked for once; years only; the others where Scholar refuses",
        ),
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
    status_rules: &[StatusRule::new(401, ErrorCode::Misconfigured)
        .saying("OpenAlex does not accept the key in OPENALEX_API_KEY")],
    markers: &[],
    args: ArgSpec {
        limit: Some((10, 20)),
        dates: true,
        sort: &["relevance", "newest"],
        cursor: true,
        ..ArgSpec::length(6_000)
    },
    dates: "The open indexes give days; Scholar gives a year, which is no date, or the age it shows when sorted by date",
    terms: "Google offers no interface and no licence for robots: one page per call, no second try, nothing worked around (https://scholar.google.com/robots.txt)",
};

/// How long Scholar is left alone after it refused.
const LEFT_ALONE: TimeDelta = TimeDelta::hours(1);
/// OpenAlex's allowance starts anew every midnight UTC: no refusal of it lasts longer.
const DAY: TimeDelta = TimeDelta::hours(24);

/// The source. Remembers who refused, and until when, so as not to insist.
#[derive(Debug, Default)]
pub struct Scholar {
    refusal: Refused,
    spent: Refused,
}

/// When a refusal ends, and what it was.
#[derive(Debug, Default)]
struct Refused(Mutex<Option<(DateTime<Utc>, ErrorCode)>>);

impl Refused {
    fn remember(&self, until: DateTime<Utc>, code: ErrorCode) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((until, code));
    }

    /// Where it still lasts. One further off than `longest` is the mark of a clock that was set back.
    fn lasting(&self, now: DateTime<Utc>, longest: TimeDelta) -> Option<(Duration, ErrorCode)> {
        let refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, code) = (*refused).filter(|(until, _)| now < *until && *until <= now + longest)?;
        Some(((until - now).to_std().unwrap_or_default(), code))
    }
}

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
    /// One page of Scholar, asked for once, unless it refused a short while ago.
    async fn by_scholar(&self, cx: &Cx<'_>, plan: &Plan) -> Result<(Page, Url), SourceError> {
        if let Some((wait, code)) = self.refusal.lasting(cx.now(), LEFT_ALONE) {
            let until = cx.now() + wait;
            let message = format!(
                "it refused before and is left alone until {}",
                until.format("%H:%M UTC")
            );
            return Err(SourceError::new(code, message).retry_after(wait));
        }
        let request = request::scholar(plan)?;
        let url = request.url.clone();
        let page = match cx.send(request).await {
            Ok(response) => response.validated(
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
            Err(error) if error.code == ErrorCode::BlockedAddress => Err(SourceError::challenge(
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
            self.refusal.remember(cx.now() + LEFT_ALONE, error.code);
        }
        Ok((page?, url))
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
            let url = request.url.clone();
            match charset::read(cx, request, parse::crossref).await {
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

    /// OpenAlex, unless its allowance of the day is known to be used up.
    async fn by_openalex(&self, cx: &Cx<'_>, plan: &Plan, words: &str) -> Result<(Page, Url), SourceError> {
        let keyed = cx.configured("OPENALEX_API_KEY");
        if let Some((wait, _)) = self.spent.lasting(cx.now(), DAY) {
            return Err(parse::spent(keyed).retry_after(wait));
        }
        let request = request::openalex(plan, words)?;
        let url = request.url.clone();
        let response = cx.send(request).await?;
        let text = charset::decode(&response).text;
        let page = response.validated(match response.status {
            403 | 429 => Err(parse::openalex_refusal(
                response.status,
                &response.headers,
                &text,
                keyed,
            )),
            _ => parse::openalex(&text),
        });
        if let Err(error) = &page
            && error.code == ErrorCode::RateLimited
            && let Some(wait) = error.retry_after
        {
            let wait = TimeDelta::from_std(wait).unwrap_or(DAY).min(DAY);
            self.spent.remember(cx.now() + wait, error.code);
        }
        Ok((page?, url))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_lasts_until_its_end_and_no_longer_than_it_can() {
        let now: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().unwrap();
        let spent = Refused::default();
        assert_eq!(spent.lasting(now, DAY), None);
        spent.remember(now + TimeDelta::seconds(47_052), ErrorCode::RateLimited);
        let later = now + TimeDelta::seconds(47_051);
        assert_eq!(
            spent.lasting(later, DAY),
            Some((Duration::from_secs(1), ErrorCode::RateLimited))
        );
        assert_eq!(spent.lasting(later + TimeDelta::seconds(1), DAY), None);
        assert_eq!(
            spent.lasting(now - TimeDelta::hours(20), DAY),
            None,
            "the clock was set back"
        );
    }
}
