#![doc = include_str!("../README.md")]

mod boards;
mod deadline;
mod filled;
mod input;
mod job;
mod places;
mod repair;
mod request;
mod select;
mod words;

use std::collections::HashSet;

use freshcontext_contract::chrono::TimeDelta;
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Adapter, Apply, ArgSpec, Credential, Cx, Decay, Descriptor, ErrorCode, FactTimes, Founding, HEAD,
    Heading, HostRate, Hosts, LATER, Pace, Refetch, Retry, Route, SourceError, SourceResult, StandingState,
    StatusRule, TEXT, When, counted, hosts, quoted,
};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::link;
use freshcontext_parse::text;

use futures_util::future::join5;

use boards::{Read, Thread};
pub use input::Input;
use input::Search;
use job::{Board, Job};
use select::Selection;

/// What the text of an advert tells, whatever board it is from.
const CLOSED: &[StandingState] = &[StandingState::Closed];

/// The facts about the job boards.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "jobs",
    tool: "search_jobs",
    title: "Job boards",
    heading: Heading::new("on job boards", "job", "jobs"),
    description: "Job boards (five): open jobs, fresh to likely closed. For start-ups that hire use extract_yc.",
    example: input::EXAMPLE,
    profile: "jobs_opportunities",
    decay: Decay::MaterialEvents,
    refetch: Refetch::Title("query"),
    hosts: Hosts::Fixed(&[
        "remotive.com",
        "remoteok.com",
        "www.arbeitnow.com",
        "www.themuse.com",
        "hn.algolia.com",
    ]),
    official: true,
    credentials: &[
        Credential::new("www.themuse.com", &["THEMUSE_API_KEY"], Apply::Query("api_key"))
            .obtain("https://www.themuse.com/developers/api/v2"),
    ],
    routes: &[
        Route::new(Board::Remotive.id(), "Remotive's public sample of remote jobs").telling(CLOSED),
        Route::new(Board::RemoteOk.id(), "Remote OK's board").telling(CLOSED),
        Route::new(Board::Arbeitnow.id(), "Arbeitnow's newest two pages").telling(CLOSED),
        Route::new(
            Board::Muse.id(),
            "two pages of The Muse; THEMUSE_API_KEY raises its limit",
        )
        .founded(Founding::Documented)
        .telling(CLOSED),
        Route::new(Board::HackerNews.id(), "Hacker News' monthly hiring thread").telling(CLOSED),
    ],
    rates: &[
        HostRate::new("remotive.com", Pace::new(2, 60))
            .link("https://github.com/remotive-com/remote-jobs-api"),
        HostRate::new("remoteok.com", Pace::new(10, 60)).link("https://remoteok.com/api"),
        HostRate::new("www.arbeitnow.com", Pace::new(20, 60))
            .link("https://www.arbeitnow.com/blog/job-board-api"),
        HostRate::new("www.themuse.com", Pace::new(500, 3_600))
            .keyed(Pace::new(3_600, 3_600))
            .in_flight(2)
            .link("https://www.themuse.com/developers/api/v2"),
        hosts::HN_ALGOLIA,
    ],
    status_rules: &[
        StatusRule::new(403, ErrorCode::RateLimited)
            .when(When::HeaderIs("x-ratelimit-remaining", "0"))
            .saying("The Muse's hourly limit is used up; THEMUSE_API_KEY raises it"),
        StatusRule::new(403, ErrorCode::Misconfigured)
            .when(When::BodyContains("Invalid API key"))
            .saying("The Muse does not accept the key in THEMUSE_API_KEY"),
    ],
    args: ArgSpec {
        limit: Some((20, 50)),
        cursor: true,
        ..ArgSpec::length(8_000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "category",
            "deadline",
            "deadline_unread",
            "deadline_year_inferred",
            "keywords",
            "level",
            "location",
            "remote",
            "salary",
            "source",
            "tags",
            "type",
        ],
        moving: &[HEAD, "age_days", "also_on", "badge", "boards", "deadline_passed"],
        edited: None,
    },
    dates: "the publication field of each board, in UTC; an advert without one is shown last, as undated",
    terms: "Each board asks to be named and linked: https://github.com/remotive-com/remote-jobs-api, https://remoteok.com/api, https://www.arbeitnow.com/blog/job-board-api",
    ..Descriptor::PLAIN
};

/// The source.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jobs;

/// Pages read of a board that has many.
const PAGES: u32 = 2;

impl Adapter for Jobs {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let search = input::check(input, cx.args())?;
        let (remotive, remoteok, arbeitnow, muse, hacker_news) = join5(
            async { cx.read(request::remotive()?, as_text(boards::remotive)).await },
            async { cx.read(request::remoteok()?, as_text(boards::remoteok)).await },
            arbeitnow(cx, &search),
            muse(cx, &search),
            hacker_news(cx, &search),
        )
        .await;
        let answers = [remotive, remoteok, arbeitnow, muse, hacker_news];
        result(cx, &search, Board::ALL.iter().copied().zip(answers).collect())
    }
}

/// One answer of a board.
/// Page after page while they are young enough; what a later page cannot give does not cost the first.
async fn arbeitnow(cx: &Cx<'_>, search: &Search) -> Result<Read, SourceError> {
    let mut read = cx
        .read(request::arbeitnow(1)?, as_text(boards::arbeitnow))
        .await?;
    let oldest_wanted = cx.moment() - TimeDelta::days(i64::from(search.max_age_days));
    for page in 2..=PAGES {
        let young = read
            .jobs
            .iter()
            .filter_map(|job| job.at)
            .min()
            .is_none_or(|oldest| oldest >= oldest_wanted);
        if !read.more || !young {
            break;
        }
        let next = cx
            .read(request::arbeitnow(page)?, as_text(boards::arbeitnow))
            .await?;
        join(&mut read, next);
    }
    Ok(read)
}

async fn muse(cx: &Cx<'_>, search: &Search) -> Result<Read, SourceError> {
    let mut read = cx.read(request::muse(0, search)?, as_text(boards::muse)).await?;
    for page in 1..PAGES {
        if !read.more {
            break;
        }
        let next = cx
            .read(request::muse(page, search)?, as_text(boards::muse))
            .await?;
        join(&mut read, next);
    }
    Ok(read)
}

/// Pages of a moving list repeat entries.
fn join(read: &mut Read, next: Read) {
    let mut known: HashSet<String> = read.jobs.iter().map(|job| job.key.clone()).collect();
    read.jobs
        .extend(next.jobs.into_iter().filter(|job| known.insert(job.key.clone())));
    read.unreadable += next.unreadable;
    read.more = next.more;
}

/// The newest thread, and the one before while the newest is young.
async fn hacker_news(cx: &Cx<'_>, search: &Search) -> Result<Read, SourceError> {
    const YOUNG: TimeDelta = TimeDelta::days(10);
    /// Adverts are posted to a thread for about a month.
    const OPEN: TimeDelta = TimeDelta::days(31);
    let now = cx.moment();
    let threads = |text: &str| boards::hiring_threads(text, cx.now());
    let mut threads = cx.read(request::hiring_threads()?, as_text(threads)).await?;
    threads.retain(|thread| thread.at <= now + TimeDelta::minutes(5));
    let oldest_wanted = now - TimeDelta::days(i64::from(search.max_age_days)) - OPEN;
    let wanted = match threads.first() {
        Some(newest) if now - newest.at < YOUNG => 2,
        _ => 1,
    };
    let mut read = Read::default();
    for thread in threads
        .iter()
        .take(wanted)
        .filter(|thread| thread.at >= oldest_wanted)
    {
        join(&mut read, hiring_thread(cx, thread).await?);
    }
    Ok(read)
}

/// The adverts of a thread by the search, or as a tree where the search has none of them.
async fn hiring_thread(cx: &Cx<'_>, thread: &Thread) -> Result<Read, SourceError> {
    let comments = |text: &str| boards::hiring_comments(text, thread.id);
    let read = cx
        .read(request::hiring_comments(thread.id)?, as_text(comments))
        .await?;
    if read.jobs.is_empty() && thread.comments > 0 {
        return cx
            .read(request::hiring_tree(thread.id)?, as_text(boards::hiring_tree))
            .await;
    }
    Ok(read)
}

fn result(
    cx: &Cx<'_>,
    search: &Search,
    answers: Vec<(Board, Result<Read, SourceError>)>,
) -> Result<SourceResult, SourceError> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut failed: Vec<(Board, SourceError)> = Vec::new();
    let mut counts: Vec<(Board, usize)> = Vec::new();
    let mut unreadable = 0;
    for (board, answer) in answers {
        match answer {
            Ok(read) => {
                counts.push((board, read.jobs.len()));
                unreadable += read.unreadable;
                jobs.extend(read.jobs);
            }
            Err(error) => failed.push((board, error)),
        }
    }
    if counts.is_empty() {
        return Err(no_board(failed));
    }
    let total = jobs.len();
    // They would take the places of earlier ones.
    jobs.retain(|job| cx.args().is_by_then(&job.date));
    let later = total - jobs.len();
    let Selection {
        jobs,
        not_remote,
        remote_unsaid,
        too_old,
        no_place,
        elsewhere,
        unclear,
        by_town,
        repeated,
        undated,
        gap,
    } = select::select(jobs, search, cx.moment());
    let fitting = jobs.len();
    let limit = cx.args().limit.min(50);
    let shown: Vec<(Job, Vec<String>)> = jobs.into_iter().skip(search.offset).take(limit).collect();
    let used: Vec<Board> = Board::ALL
        .iter()
        .copied()
        .filter(|board| {
            shown
                .iter()
                .any(|(job, _)| job.board == *board || job.also_on.contains(board))
        })
        .collect();
    let places: Vec<String> = counts
        .iter()
        .map(|(board, read)| format!("{}: {read} read", board.name()))
        .collect();
    let oldest = shown.iter().filter_map(|(job, _)| job.dated(cx.moment())).min();
    let items = shown
        .into_iter()
        .map(|(job, found)| job.into_item(cx.moment(), found))
        .collect();
    let first = used
        .first()
        .or(counts.first().map(|(board, _)| board))
        .copied()
        .unwrap_or(Board::Remotive);
    let mut result = SourceResult::new(page(first)?, items);
    result.summary = Some(format!(
        "{}: {fitting} of {total} adverts {}",
        described(search),
        if fitting == 1 { "fits" } else { "fit" }
    ));
    result.scope.until = oldest.map(|oldest| oldest + TimeDelta::days(i64::from(search.max_age_days)));
    result.skip(later, LATER);
    result.set("boards", places);
    result.skip(unreadable, "without a title or id");
    result.skip(not_remote, "not remote");
    result.skip(remote_unsaid, "that do not say that they are remote throughout");
    result.skip(too_old, format!("older than {} days", search.max_age_days));
    result.skip(no_place, "without a stated place");
    result.skip(elsewhere, "in another place");
    result.skip(unclear.len(), "of a place that may be the one asked for");
    result.skip(repeated, "found more than once");
    if let Some(place) = &search.location {
        if !unclear.is_empty() {
            let names = some_of(&unclear);
            let adverts = counted(unclear.len(), "fitting advert names", "fitting adverts name");
            result.note(format!("{adverts} a place that may lie in {place}: {names}"));
        }
        if let Some(gap) = gap.filter(|_| elsewhere > 0) {
            result.note(gap.told(place));
        }
        if !by_town.is_empty() {
            let names = some_of(&by_town);
            result.note(format!(
                "In {place} by their towns, which are matched against a list: {names}"
            ));
        }
    }
    let adverts = ["fitting advert has", "fitting adverts have"];
    result.note_count(undated, adverts, "no usable date; undated adverts come last");
    result.scope.looked_through = Some(format!("the newest {}", counted(total, "advert", "adverts")));
    result.note("The boards offer no reliable search, so their newest adverts were read and matched here word by word");
    if !used.is_empty() {
        let sources: Vec<String> = used
            .iter()
            .map(|board| format!("{} ({})", board.name(), board.home()))
            .collect();
        result.note(format!("Jobs by courtesy of {}", sources.join(", ")));
    }
    let next = search.offset + limit;
    result.next = (next < fitting).then(|| next.to_string());
    for (board, error) in failed {
        result.fail(board.name(), error);
    }
    Ok(result)
}

/// Places that a note names.
const NAMED_PLACES: usize = 6;

/// Some of these places, each once and quoted, because they are words of the boards.
fn some_of(places: &[String]) -> String {
    let mut names: Vec<String> = Vec::new();
    for place in places {
        let name = quoted(&text::said(place, 40)).clone();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED_PLACES);
    names.truncate(NAMED_PLACES);
    let shown = names.join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

/// Where the adverts of a board that are shown can be seen.
fn page(board: Board) -> Result<Url, SourceError> {
    let page = match board {
        Board::Remotive => "https://remotive.com/remote-jobs",
        Board::RemoteOk => "https://remoteok.com/",
        Board::Arbeitnow => "https://www.arbeitnow.com/",
        Board::Muse => "https://www.themuse.com/search",
        Board::HackerNews => "https://news.ycombinator.com/submitted?id=whoishiring",
    };
    link::built(page, &[])
}

/// The error of a call in which every board failed: the first one's code, everybody's reason.
fn no_board(failed: Vec<(Board, SourceError)>) -> SourceError {
    let reasons: Vec<String> = failed
        .iter()
        .map(|(board, error)| format!("{}: {}", board.name(), error.code))
        .collect();
    let temporary = failed.iter().any(|(_, error)| error.retry != Retry::Permanent);
    let Some((_, first)) = failed.into_iter().next() else {
        return SourceError::internal("no board was asked");
    };
    let mut error = first.clone();
    error.message = format!("no job board answered ({})", reasons.join("; "));
    error.retry = if temporary {
        Retry::GaveUp
    } else {
        Retry::Permanent
    };
    error
}

fn described(search: &Search) -> String {
    let mut limits = vec![format!("at most {} days old", search.max_age_days)];
    if let Some(place) = &search.location {
        limits.push(format!("in {place}"));
    }
    if search.remote_only {
        limits.push("remote only".to_owned());
    }
    format!("Jobs for \"{}\", {}", search.query, limits.join(", "))
}
