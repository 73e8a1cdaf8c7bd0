#![doc = include_str!("../README.md")]

mod input;
mod look_up;
mod parse;
mod request;
mod xml;

use std::fmt::Write;

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::{
    Adapter, ArgSpec, AsOf, Cx, Decay, Descriptor, ErrorCode, FactTimes, HEAD, Heading, HostRate, Hosts,
    Item, LATER, Pace, Refetch, Request, Response, Route, SourceError, SourceResult, StandingState,
    StandingTold, StatusRule, TEXT, quoted,
};

use freshcontext_parse::date;

pub use input::Input;
use input::Query;
pub use look_up::look_up;
use parse::{Feed, Trouble};

/// The facts about arXiv.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "arxiv",
    tool: "extract_arxiv",
    title: "arXiv",
    heading: Heading::new("on arXiv", "paper", "papers"),
    description: "arXiv preprints with abstracts, dated by version. For journals and citations use extract_scholar.",
    instead: Some("extract_scholar"),
    example: input::URL.example,
    profile: "academic_research",
    decay: Decay::AcademicWork,
    refetch: Refetch::Address("url", &["arxiv.org"]),
    hosts: Hosts::Fixed(&["export.arxiv.org"]),
    official: true,
    routes: &[Route::new("api", "query interface")
        .telling(&[StandingState::Withdrawn, StandingState::Superseded])
        .at_the_cost_of(1)
        .as_of(AsOf::Asked("submittedDate, and earlier versions by number"))],
    rates: &[
        HostRate::new("export.arxiv.org", Pace::new(1, 3)).link("https://info.arxiv.org/help/api/tou.html")
    ],
    status_rules: &[
        StatusRule::new(406, ErrorCode::RateLimited).saying("arXiv refuses automatic requests for a while"),
        StatusRule::body(
            503,
            "rate exceeded",
            ErrorCode::RateLimited,
            "arXiv asks us to slow down",
        ),
        StatusRule::body(
            403,
            "rate exceeded",
            ErrorCode::RateLimited,
            "arXiv asks us to slow down",
        ),
    ],
    args: ArgSpec {
        limit: Some((10, request::MAX_PAPERS)),
        dates: true,
        sort: &["relevance", "newest", "oldest"],
        cursor: true,
        ..ArgSpec::length(6000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "affiliations",
            "authors",
            "authors_total",
            "categories",
            "comment",
            "date_contradicted_by",
            "first_submitted",
            "pdf",
            "primary_category",
            "updated",
            "version",
            "withdrawn",
            "withdrawn_at",
        ],
        moving: &[HEAD, "doi", "journal_ref", "total"],
        edited: Some("updated"),
    },
    dates: "`updated`, when the version shown was submitted; `first_submitted`, the first version, stands beside it.",
    terms: "One request every 3 seconds over one connection (https://info.arxiv.org/help/api/tou.html).",
    ..Descriptor::PLAIN
};

/// arXiv.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arxiv;

impl Adapter for Arxiv {
    type Input = Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Input) -> Result<SourceResult, SourceError> {
        let asked = input::recognise(&input.url)?;
        let start = request::start(&asked, cx.args())?;
        let feed = fetch(cx, &asked, start).await?;
        match &asked {
            Query::Papers(ids) => {
                let mut result = papers(ids, feed)?;
                match cx.args().as_of {
                    Some(moment) => earlier_versions(cx, moment, &mut result).await?,
                    None => later_versions(cx, ids, &mut result).await?,
                }
                Ok(result)
            }
            Query::Search { query, .. } => {
                let mut result = found(query, feed, start, cx)?;
                if let Some(moment) = cx.args().as_of {
                    earlier_versions(cx, moment, &mut result).await?;
                }
                Ok(result)
            }
        }
    }
}

/// Asks, and once more where arXiv's index is unwell. The pace between the two is the pipeline's.
async fn fetch(cx: &Cx<'_>, asked: &Query, start: u32) -> Result<Feed, SourceError> {
    let whole_text = matches!(asked, Query::Papers(ids) if ids.len() <= 2);
    let mut complaint = String::new();
    for again in [false, true] {
        match ask(cx, request::query(asked, cx.args(), start, again)?, whole_text).await? {
            Ok(feed) => return Ok(feed),
            Err(what) => complaint = what,
        }
    }
    Err(SourceError::upstream(format!("{complaint}, twice")).hint("try again in a minute"))
}

/// Asks once. The inner error is a complaint about an index that is unwell; its answer is not kept.
async fn ask(cx: &Cx<'_>, request: Request, whole_text: bool) -> Result<Result<Feed, String>, SourceError> {
    let read = |response: &Response| match parse::feed(response, whole_text) {
        Ok(feed) => Ok(Ok(feed)),
        Err(Trouble::Failed(error)) => Err(error),
        Err(Trouble::Unsteady(what)) => {
            response.discard();
            Ok(Err(what))
        }
    };
    cx.read(request, read).await
}

/// Papers of an answer whose later versions are asked for; for a longer list that is not worth the wait.
const LATER_OF: usize = 5;

/// Learns of papers that were asked for in one version whether a later one exists: in one further request, and only where
/// a version was named. Where it fails, the answer stands and says that it tells less.
async fn later_versions(cx: &Cx<'_>, ids: &[String], result: &mut SourceResult) -> Result<(), SourceError> {
    let is_named = |id: &&String| input::without_version(id).1.is_some();
    let found = |id: &&String| result.items.iter().any(|paper| answers(paper, id));
    let mut bases: Vec<String> = Vec::new();
    for id in ids.iter().filter(is_named).filter(found) {
        let base = input::without_version(id).0;
        if !bases.iter().any(|other| other == base) {
            bases.push(base.to_owned());
        }
    }
    if bases.is_empty() {
        return Ok(());
    }
    let mut told = Err(());
    if ids.len() <= LATER_OF {
        let request = request::query(&Query::Papers(bases), cx.args(), 0, false)?;
        told = match ask(cx, request, false).await {
            Ok(Ok(feed)) => Ok(feed),
            Err(error) if matches!(error.code, ErrorCode::Cancelled | ErrorCode::Internal) => {
                return Err(error);
            }
            Ok(Err(_)) | Err(_) => Err(()),
        };
    }
    let Ok(latest) = told else {
        result.standing_told = Some(StandingTold::Partly);
        return Ok(());
    };
    for paper in &mut result.items {
        let id = paper.id.as_deref().unwrap_or_default();
        if let Some(latest) = latest
            .papers
            .iter()
            .find(|latest| answers(latest, input::without_version(id).0))
        {
            let sign = parse::behind(id, latest);
            paper.standing.extend(sign);
        } else {
            result.standing_told = Some(StandingTold::Partly);
        }
    }
    Ok(())
}

/// Versions that one request asks for at most.
const EARLIER: usize = 50;

/// Puts in place of each paper whose version shown is later than a moment the version that was the newest then: in one
/// further request, and only where a paper was there by then. What is not found is left out as later.
async fn earlier_versions(
    cx: &Cx<'_>,
    moment: DateTime<Utc>,
    result: &mut SourceResult,
) -> Result<(), SourceError> {
    // A withdrawal is a version of its own, which does not date the paper.
    let is_later = |paper: &Item| {
        let at = |name: &str| paper.fields.get(name).and_then(|at| date::instant(at.as_str()?));
        let shown = paper.date.instant();
        shown
            .into_iter()
            .chain(at("updated"))
            .chain(at("withdrawn_at"))
            .any(|at| at > moment)
    };
    let mut ids: Vec<String> = Vec::new();
    for paper in result.items.iter().filter(|paper| is_later(paper)) {
        let (base, version) = input::without_version(paper.id.as_deref().unwrap_or_default());
        let first = paper
            .fields
            .get("first_submitted")
            .and_then(|at| date::instant(at.as_str()?));
        if let Some(version) = version.filter(|_| first.is_some_and(|first| first <= moment)) {
            ids.extend((1..version).rev().map(|version| format!("{base}v{version}")));
        }
    }
    ids.truncate(EARLIER);
    if ids.is_empty() {
        leave_out(result, is_later);
        return Ok(());
    }
    let request = request::query(&Query::Papers(ids), cx.args(), 0, false)?;
    let versions = match ask(cx, request, false).await {
        Ok(Ok(feed)) => feed.papers,
        Err(error) if matches!(error.code, ErrorCode::Cancelled | ErrorCode::Internal) => return Err(error),
        Ok(Err(_)) | Err(_) => {
            result.note("earlier versions could not be read; papers with a later version are left out");
            leave_out(result, is_later);
            return Ok(());
        }
    };
    for paper in result.items.iter_mut().filter(|paper| is_later(paper)) {
        let base = input::without_version(paper.id.as_deref().unwrap_or_default()).0;
        let then = versions
            .iter()
            .filter(|version| answers(version, base) && !is_later(version))
            .max_by_key(|version| version.date.instant());
        if let Some(then) = then {
            *paper = then.clone();
        }
    }
    leave_out(result, is_later);
    Ok(())
}

/// Leaves out papers that are later than the moment asked for, and counts them.
fn leave_out(result: &mut SourceResult, is_later: impl Fn(&Item) -> bool) {
    let (later, papers): (Vec<Item>, Vec<Item>) = result.items.drain(..).partition(is_later);
    result.skip(later.len(), LATER);
    result.show(papers);
}

/// Papers by id, in the order asked; arXiv sends them in its own and leaves out what it does not know.
fn papers(ids: &[String], feed: Feed) -> Result<SourceResult, SourceError> {
    let canonical = match ids {
        [first, ..] => request::paper_page(first)?,
        [] => request::search_page("")?,
    };
    let mut result = SourceResult::new(canonical, Vec::new());
    result.route = Some("api");
    result.skip(feed.unreadable, "without an id or a title");
    let mut papers = feed.papers;
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for id in ids {
        match papers.iter().position(|paper| answers(paper, id)) {
            Some(at) => found.push(papers.remove(at)),
            None => missing.push(id),
        }
    }
    result.summary = Some(match (found.len(), ids) {
        (0, _) => format!("arXiv has no paper {}", ids.join(", ")),
        (_, [id]) => format!("arXiv paper {id}"),
        (count, _) => format!("{count} of the {} arXiv papers asked for", ids.len()),
    });
    result.show(found);
    if !result.items.is_empty() {
        for id in missing {
            result.fail(
                id.clone(),
                SourceError::not_found(format!("arXiv has no paper {id}")),
            );
        }
    }
    Ok(result)
}

/// Whether a paper is the one asked for: the same id, and the same version where one was named.
fn answers(paper: &Item, id: &str) -> bool {
    let sent = paper.id.as_deref().unwrap_or_default();
    let ((asked, asked_version), (base, version)) =
        (input::without_version(id), input::without_version(sent));
    // Old ids may be asked with their subject class, which the answer leaves out.
    let plain = |id: &str| match id.split_once('/') {
        Some((archive, number)) => format!("{}/{number}", archive.split('.').next().unwrap_or_default()),
        None => id.to_owned(),
    };
    plain(asked) == plain(base) && (asked_version.is_none() || version.is_none() || asked_version == version)
}

fn found(query: &str, feed: Feed, start: u32, cx: &Cx<'_>) -> Result<SourceResult, SourceError> {
    let args = cx.args();
    let mut result = SourceResult::new(request::search_page(query)?, Vec::new());
    result.route = Some("api");
    let shown = u64::try_from(feed.papers.len() + feed.unreadable).unwrap_or(u64::MAX);
    let mut summary = format!("arXiv search {}", request::bounded(query, args));
    if let Some(total) = feed.total {
        let _ = write!(summary, ": {total} papers");
        if total > 0 && shown > 0 {
            let _ = write!(
                summary,
                ", {} to {} shown",
                u64::from(start) + 1,
                u64::from(start) + shown
            );
        } else if total > 0 {
            let _ = write!(summary, ", none after {start}");
        }
        result.set("total", total);
        let next = u64::from(start) + shown;
        if shown > 0 && next < total && next < 30_000 {
            result.next = Some(next.to_string());
        }
    }
    result.summary = Some(summary);
    if let Some(understood) = feed
        .understood
        .filter(|read| read.contains(" OR ") && !query.contains(" OR "))
    {
        result.note(format!("arXiv read the query as: {}", quoted(&understood)));
    }
    if args.since.is_some() || (args.until.is_some() && args.until != args.as_of) {
        result.note("`since` and `until` are about the first submission");
    }
    let revised = feed
        .papers
        .iter()
        .filter(|paper| paper.fields.contains_key("updated"))
        .count();
    let dated = ["paper is dated by its", "papers are dated by their"];
    result.note_count(revised, dated, "latest version; `first_submitted` is the first");
    result.skip(feed.unreadable, "without an id or a title");
    result.show(feed.papers);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_matched_by_id_and_version() {
        let paper = |id: &str| Item {
            id: Some(id.to_owned()),
            ..Item::default()
        };
        assert!(answers(&paper("2104.12255v2"), "2104.12255"));
        assert!(answers(&paper("2104.12255v1"), "2104.12255v1"));
        assert!(!answers(&paper("2104.12255v1"), "2104.12255v2"));
        assert!(answers(&paper("math/0309136v1"), "math.GT/0309136"));
        assert!(!answers(&paper("2104.1225v1"), "2104.12255"));
    }
}
