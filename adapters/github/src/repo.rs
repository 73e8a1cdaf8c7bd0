//! `extract_github`: one repository.

use freshcontext_contract::asking::by_deciding;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::standing::Replacement;
use freshcontext_contract::{
    Adapter, ArgSpec, Cx, DateEvidence, Decay, Descriptor, Earlier, ErrorCode, FactTimes, HEAD, Heading,
    Hosts, Listing, Peek, Peeked, Question, Refetch, Response, SourceError, SourceResult, StandingEvidence,
    StandingState, TEXT, hosts, named,
};
use freshcontext_parse::charset::{self, as_text};
use freshcontext_parse::github::{self, Repository};
use freshcontext_parse::{link, prose};

use crate::input::{self, UrlInput};
use crate::parse::{self, Commit, NoReadme, Readme, Repo};
use crate::{CREDENTIALS, HOST, ROUTES, STATUS_RULES, TERMS, request};

/// The facts about reading a repository.
pub static GITHUB: Descriptor = Descriptor {
    id: "github",
    tool: "extract_github",
    title: "GitHub",
    heading: Heading::new("on GitHub", "repository", "repositories"),
    description: "GitHub repository: README, stars, newest commit. To find some use search_repos.",
    example: input::URL.example,
    profile: "code_activity",
    decay: Decay::RepositoryActivity,
    refetch: Refetch::Repository("extract_github"),
    hosts: Hosts::Fixed(&[HOST]),
    official: true,
    peek: Peek {
        question: Question::Own,
        listing: Listing::Named,
        asks: "the repository's own document with its ETag; a 304 costs nothing of a token's allowance",
        tells: "that no figure changed and nothing was pushed, so that the newest commit and the README are the same",
    },
    credentials: CREDENTIALS,
    routes: ROUTES,
    rates: &[hosts::GITHUB_API],
    status_rules: STATUS_RULES,
    args: ArgSpec::length(6000),
    facts: FactTimes {
        fixed: &[
            TEXT,
            HEAD,
            "commit",
            "commit_written_at",
            "committed_at",
            "created_at",
            "fork",
            "readme",
        ],
        moving: &[
            "archived",
            "default_branch",
            "disabled",
            "forks",
            "homepage",
            "language",
            "license",
            "open_issues_and_pulls",
            "pushed_at",
            "stars",
            "topics",
            "watchers",
        ],
        edited: None,
    },
    dates: "When the newest commit landed on the default branch; else the last push to any branch, as a signal.",
    terms: TERMS,
    ..Descriptor::PLAIN
};

/// One repository.
#[derive(Debug, Clone, Copy, Default)]
pub struct GitHub;

impl Adapter for GitHub {
    type Input = UrlInput;

    fn descriptor(&self) -> &'static Descriptor {
        &GITHUB
    }

    async fn collect(&self, cx: &Cx<'_>, input: UrlInput) -> Result<SourceResult, SourceError> {
        let asked = input::repository(&input.url)?;
        if let Some(moment) = cx.args().as_of {
            return earlier(cx, &asked, moment).await;
        }
        let (facts, commit, readme) = futures_util::future::join3(
            cx.read(request::repository(&asked)?, as_text(parse::repository)),
            cx.read(request::newest_commit(&asked, None)?, commit),
            cx.read(request::readme(&asked, None)?, readme),
        )
        .await;
        build(&asked, facts.map_err(blocked)?, commit, readme, (cx.now(), false))
    }

    /// The repository's document has `pushed_at`, the last push to any branch: commits and the README come by a push.
    async fn peek(&self, cx: &Cx<'_>, _: UrlInput, earlier: &Earlier) -> Result<Peeked, SourceError> {
        by_deciding(cx, earlier, |url| {
            // `/repos/{owner}/{name}`, without what is below it.
            url.path_segments().is_some_and(|parts| parts.count() == 3)
        })
        .await
    }
}

fn commit(response: &Response) -> Result<Option<Commit>, SourceError> {
    parse::newest_commit(&charset::decode(response).text, response.status)
}

fn readme(response: &Response) -> Result<Result<Readme, NoReadme>, SourceError> {
    let readme = parse::readme(&charset::decode(response).text, response.status)?;
    if matches!(readme, Err(NoReadme::Unread)) {
        // It may be no answer of GitHub's at all.
        response.discard();
    }
    Ok(readme)
}

/// The repository at an earlier moment: its newest commit then, and the README of that commit. All that GitHub has of
/// today alone is left out.
async fn earlier(
    cx: &Cx<'_>,
    asked: &Repository,
    moment: DateTime<Utc>,
) -> Result<SourceResult, SourceError> {
    let (facts, found) = futures_util::future::join(
        cx.read(request::repository(asked)?, as_text(parse::repository)),
        cx.read(request::newest_commit(asked, Some(moment))?, commit),
    )
    .await;
    let facts = facts.map_err(blocked)?.undescribed();
    let sha = found
        .as_ref()
        .ok()
        .and_then(|found| found.as_ref()?.sha.as_deref());
    let text = match sha {
        Some(sha) => cx.read(request::readme(asked, Some(sha))?, readme).await,
        None => Ok(Err(NoReadme::Absent)),
    };
    let existed = facts.existed(moment);
    let mut result = build(asked, facts, found, text, (cx.now(), true))?;
    if !existed {
        result.note("the repository was created later");
        result.show(Vec::new());
    }
    Ok(result)
}

/// Detail of the refusal of a repository that GitHub's staff disabled.
pub(crate) const BLOCKED: &str = "blocked";

/// A repository that GitHub blocked, for legal reasons (451) or for its terms (403 with a word of it), is there no more. No
/// key changes that.
pub(crate) fn blocked(mut error: SourceError) -> SourceError {
    if error.detail.as_deref() != Some(BLOCKED) {
        return error;
    }
    let (field, said) = match error.http_status {
        Some(451) => ("HTTP status", "451"),
        _ => ("message", "Repository access blocked"),
    };
    let sign = StandingEvidence::field(StandingState::Removed, field, said);
    error.hint = None;
    error.standing(sign.by("host"))
}

/// Whether a name or a web address may be what takes the place of a repository: another one, not a page of its own.
fn takes_place(name: &str, full_name: &str) -> bool {
    let path = name
        .strip_prefix("https://")
        .or_else(|| name.strip_prefix("http://"));
    let own = path.map_or(name, |path| {
        path.trim_start_matches("www.").trim_start_matches("github.com/")
    });
    let is_own = own
        .get(..full_name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(full_name))
        && !own
            .get(full_name.len()..)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c)));
    !is_own && (path.is_some() || is_repository(name))
}

/// The sign that a repository has another name today; another spelling is the same name.
pub(crate) fn moved(asked: &Repository, facts: &Repo) -> Option<StandingEvidence> {
    let name = &facts.full_name;
    let by = Replacement {
        id: Some(name.clone()),
        url: Some(format!("https://github.com/{name}")),
        title: None,
    };
    let sign = StandingEvidence::field(StandingState::Moved, "full_name", name.as_str());
    let is_other = !name.eq_ignore_ascii_case(&asked.to_string());
    is_other.then(|| sign.by("host").replaced_by(Some(by)))
}

/// Whether a word is `owner/name`.
fn is_repository(word: &str) -> bool {
    word.matches('/').count() == 1 && github::repository(word).is_ok()
}

/// Puts the three answers together. Only the facts are indispensable. At an earlier moment nothing is said of what the
/// repository has become since.
fn build(
    asked: &Repository,
    facts: Repo,
    commit: Result<Option<Commit>, SourceError>,
    readme: Result<Result<Readme, NoReadme>, SourceError>,
    (now, is_earlier): (DateTime<Utc>, bool),
) -> Result<SourceResult, SourceError> {
    let page = format!("https://github.com/{}", facts.full_name);
    let mut result = SourceResult::new(link::built(&page, &[])?, Vec::new());
    result.route = Some("rest");
    result.summary = Some(format!("GitHub repository {}", named(&facts.full_name)));
    let moved = moved(asked, &facts);
    if moved.is_some() && !is_earlier {
        result.note(format!("{asked} is now {}", named(&facts.full_name)));
    }
    if facts.archived() && !is_earlier {
        result.note("archived: read-only, no further commits will come");
    }
    if facts.fork() {
        result.note("a fork of another repository");
    }
    let (date, commit) = match commit {
        Ok(Some(commit)) => (
            DateEvidence::optional_field("commit.committer.date", commit.landed.clone()),
            Some(commit),
        ),
        Ok(None) => {
            result.note("the repository has no commits yet");
            (DateEvidence::None, None)
        }
        Err(error) => {
            result.note("dated by the last push to any branch, because the newest commit could not be read");
            result.fail("newest commit", error);
            (facts.pushed(), None)
        }
    };
    let full_name = facts.full_name.clone();
    let mut item = facts.into_item(date);
    item.standing.extend(moved);
    if let Some(commit) = commit {
        item.set(
            "commit",
            commit.sha.map(|sha| sha.chars().take(12).collect::<String>()),
        );
        item.set("committed_at", commit.landed.clone());
        item.set(
            "commit_written_at",
            commit
                .written
                .filter(|written| Some(written) != commit.landed.as_ref()),
        );
    }
    match readme {
        Ok(Ok(readme)) => {
            item.standing
                .extend(prose::of_readme("README", &readme.text, now, |name| {
                    takes_place(name, &full_name)
                }));
            item.set("readme", readme.url);
            if !item.summary.is_empty() {
                item.summary.push_str("\n\n");
            }
            item.summary.push_str(&readme.text);
        }
        Ok(Err(NoReadme::Absent)) => result.note("it has no README"),
        Ok(Err(NoReadme::Unread)) => result.note("its README is empty or too large to be handed out"),
        Err(error) if error.code == ErrorCode::NotFound => result.note("it has no README"),
        Err(error) => result.fail("README", error),
    }
    result.show(vec![item]);
    Ok(result)
}
