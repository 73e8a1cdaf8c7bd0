//! Answers into items, purely.

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::serde_json::{self, Value};
use freshcontext_contract::{
    DateEvidence, Item, Response, SourceError, StandingEvidence, StandingState, quoted,
};
use freshcontext_parse::json::{self, Lenient};
use freshcontext_parse::{charset, date, link, text};
use serde::Deserialize;

/// A repository, as the single call and the search give it.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
pub struct Repo {
    /// `owner/name`, with the spelling and the owner of today.
    pub full_name: String,
    description: Option<String>,
    html_url: Option<String>,
    homepage: Option<String>,
    stargazers_count: Option<u64>,
    forks_count: Option<u64>,
    open_issues_count: Option<u64>,
    subscribers_count: Option<u64>,
    language: Option<String>,
    topics: Option<Vec<String>>,
    license: Option<License>,
    archived: Option<bool>,
    disabled: Option<bool>,
    fork: Option<bool>,
    default_branch: Option<String>,
    created_at: Option<String>,
    pushed_at: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
struct License {
    spdx_id: Option<String>,
}

/// What `pushed_at` is: nearly, but not quite, the last change.
const PUSHED: &str = "pushed_at: last push to any branch";

impl Repo {
    /// Whether no further commits can come.
    pub fn archived(&self) -> bool {
        self.archived == Some(true)
    }

    /// Without the description of today, which would stand before the README of then.
    pub fn undescribed(self) -> Self {
        Self {
            description: None,
            ..self
        }
    }

    /// Whether it was there at a moment; so it was where GitHub does not say since when it is.
    pub fn existed(&self, moment: DateTime<Utc>) -> bool {
        let created = self.created_at.as_deref().and_then(date::instant);
        created.is_none_or(|created| created <= moment)
    }

    /// When it was created, as evidence: a repository is a thing of that day, whatever was pushed to it later.
    pub fn created(&self) -> DateEvidence {
        self.created_at.as_deref().map_or(DateEvidence::None, |at| {
            DateEvidence::signal("created_at: when the repository was created", at)
        })
    }

    /// Whether it was made from another repository.
    pub fn fork(&self) -> bool {
        self.fork == Some(true)
    }

    /// The last push as evidence. `updated_at` is none: a star or an edited description moves it.
    pub fn pushed(&self) -> DateEvidence {
        self.pushed_at
            .as_deref()
            .map_or(DateEvidence::None, |at| DateEvidence::signal(PUSHED, at))
    }

    /// What its flags say of its standing.
    pub fn standing(&self) -> Vec<StandingEvidence> {
        let mut signs = Vec::new();
        if self.archived() {
            signs.push(StandingEvidence::field(StandingState::Archived, "archived", "true").by("owner"));
        }
        if self.disabled == Some(true) {
            signs.push(StandingEvidence::mark(StandingState::Removed, "disabled", "true").by("host"));
        }
        signs
    }

    /// The item, dated by this evidence.
    pub fn into_item(self, date: DateEvidence) -> Item {
        let mut item = Item::new(text::one_line(&self.full_name), date);
        item.standing = self.standing();
        item.id = Some(self.full_name.clone());
        item.url = self
            .html_url
            .as_deref()
            .and_then(link::shown)
            .or_else(|| link::shown(&format!("https://github.com/{}", self.full_name)));
        item.summary = self
            .description
            .as_deref()
            .map(text::one_line)
            .unwrap_or_default();
        item.set("stars", self.stargazers_count);
        item.set("forks", self.forks_count);
        item.set("watchers", self.subscribers_count);
        item.set("open_issues_and_pulls", self.open_issues_count);
        item.set("language", self.language);
        item.set("topics", self.topics.unwrap_or_default());
        let license = self.license.and_then(|license| license.spdx_id);
        item.set("license", license.filter(|id| id != "NOASSERTION"));
        for (name, value) in [
            ("archived", self.archived),
            ("disabled", self.disabled),
            ("fork", self.fork),
        ] {
            // Only what is out of the ordinary is worth a line.
            item.set(name, value.filter(|value| *value));
        }
        item.set("default_branch", self.default_branch);
        item.set("homepage", self.homepage.as_deref().and_then(link::shown));
        item.set("created_at", self.created_at);
        item.set("pushed_at", self.pushed_at);
        item
    }
}

/// Reads a single repository.
pub fn repository(body: &str) -> Result<Repo, SourceError> {
    json::parse(body, "GitHub repository")
}

/// The newest commit. People's names and addresses in it are left where they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its hash.
    pub sha: Option<String>,
    /// When it landed on the branch.
    pub landed: Option<String>,
    /// When it was written; can be years before it landed.
    pub written: Option<String>,
}

/// Reads the list of commits; `None` for a repository without any.
pub fn newest_commit(body: &str, status: u16) -> Result<Option<Commit>, SourceError> {
    if status == 409 {
        return Ok(None);
    }
    let list: Lenient<Value> = json::parse(body, "GitHub commits")?;
    let Some(first) = list.items.first() else {
        return Ok(None);
    };
    let text = |pointer: &str| first.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let commit = Commit {
        sha: text("/sha"),
        landed: text("/commit/committer/date"),
        written: text("/commit/author/date"),
    };
    if commit.landed.is_none() {
        return Err(SourceError::malformed(
            "GitHub commits: the newest commit has no date",
        ));
    }
    Ok(Some(commit))
}

/// The text of a README and where it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Readme {
    /// The text as it was written, without what a reader would not see.
    pub text: String,
    /// Its page.
    pub url: Option<String>,
}

/// Why a README is not shown.
#[derive(Debug, PartialEq, Eq)]
pub enum NoReadme {
    /// There is none.
    Absent,
    /// It is too large for GitHub to hand out this way, or empty.
    Unread,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
struct File {
    content: Option<String>,
    encoding: Option<String>,
    html_url: Option<String>,
}

/// Reads the README.
pub fn readme(body: &str, status: u16) -> Result<Result<Readme, NoReadme>, SourceError> {
    if status == 404 {
        return Ok(Err(NoReadme::Absent));
    }
    let file: File = json::parse(body, "GitHub README")?;
    let url = file.html_url.as_deref().and_then(link::shown);
    match (file.content, file.encoding.as_deref()) {
        (Some(content), Some("base64")) => {
            let bytes = base64_lines(&content)
                .ok_or_else(|| SourceError::malformed("GitHub README: the content is not base64"))?;
            let text = visible(&charset::decode_bytes(&bytes, None).text);
            Ok(if text.is_empty() {
                Err(NoReadme::Unread)
            } else {
                Ok(Readme { text, url })
            })
        }
        (Some(content), None | Some("utf-8")) if !content.trim().is_empty() => Ok(Ok(Readme {
            text: visible(&content),
            url,
        })),
        _ => Ok(Err(NoReadme::Unread)),
    }
}

fn base64_lines(content: &str) -> Option<Vec<u8>> {
    use base64::Engine;
    let compact: String = content.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(compact).ok()
}

/// A README without what a reader does not see.
fn visible(text: &str) -> String {
    text::paragraphs(&text::without_comments(text))
}

/// One page of a search.
#[derive(Debug)]
pub struct Found {
    /// The repositories, in GitHub's order.
    pub items: Vec<Item>,
    /// Entries without a name.
    pub unreadable: usize,
    /// Matches in all.
    pub total: u64,
    /// Whether GitHub ran out of time.
    pub incomplete: bool,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
struct SearchPage {
    total_count: u64,
    incomplete_results: Option<bool>,
    items: Lenient<Repo>,
}

/// Reads one page of a search. At an earlier moment (`created`) repositories are dated by their creation.
pub fn search(response: &Response, created: bool) -> Result<Found, SourceError> {
    let found = search_page(&charset::decode(response).text, response.status, created)?;
    if found.incomplete {
        // The same search in a minute may well find the rest.
        response.discard();
    }
    Ok(found)
}

/// As [`search`], from text.
pub fn search_page(body: &str, status: u16, created: bool) -> Result<Found, SourceError> {
    if status == 422 {
        return Err(refused(body));
    }
    let page: SearchPage = json::parse(body, "GitHub search")?;
    let found = page.items.filter_map(|repo| {
        let date = if created { repo.created() } else { repo.pushed() };
        Some(repo.into_item(date))
    });
    let found = found.or_none_readable("GitHub search: none of the repositories has a name")?;
    Ok(Found {
        items: found.items,
        unreadable: found.unreadable,
        total: page.total_count,
        incomplete: page.incomplete_results == Some(true),
    })
}

/// A query that GitHub does not understand is the caller's to mend; GitHub says why.
fn refused(body: &str) -> SourceError {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let reason = value
        .pointer("/errors/0/message")
        .or_else(|| value.get("message"))
        .and_then(Value::as_str)
        .and_then(text::present);
    match reason {
        Some(reason) => {
            let problem = format!("was refused by GitHub: {}", quoted(&text::clip(&reason, 160)));
            crate::input::QUERY.wrong(problem).status(422)
        }
        None => SourceError::upstream("GitHub refused the search without a reason").status(422),
    }
}
