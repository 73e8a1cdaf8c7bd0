//! One repository, and one tag of it.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, DateEvidence, ErrorCode, Lookup, Presence, SourceError};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::github::{self, Repository};
use freshcontext_parse::json::{self, text_at};

use crate::{parse, repo, request};

/// Asks for a repository, and for a tag of it. GitHub does not tell a private repository from an absent one (404). What is
/// no tag may be a branch or a commit, which one further question tells.
pub async fn look_up(cx: &Cx<'_>, asked: &Repository, tag: Option<&str>) -> Result<Lookup, SourceError> {
    let question = request::repository(asked)?;
    let url = question.url.to_string();
    let read = cx.read(question, as_text(parse::repository)).await;
    let facts = match read.map_err(repo::blocked) {
        Ok(facts) => facts,
        Err(error) => return Lookup::or_gone(Err(error), Basis::Mark, Some(&url)),
    };
    let mut signs = facts.standing();
    let moved = repo::moved(asked, &facts);
    let name = facts.full_name.clone();
    let today = moved.as_ref().and_then(|_| github::repository(&name).ok());
    signs.extend(moved);
    let mut found = Lookup::found(Some(name.clone()), DateEvidence::None, signs).showing(
        "full_name",
        name,
        None::<String>,
    );
    let Some(tag) = tag else { return Ok(found) };
    let at = today.as_ref().unwrap_or(asked);
    let question = request::tag(at, tag)?;
    let url = question.url.to_string();
    match cx.read(question, as_text(|body| named(body, tag))).await {
        Ok(true) => return Ok(found.showing("ref", format!("refs/tags/{tag}"), Some(url))),
        Ok(false) => {}
        Err(error) if error.code == ErrorCode::NotFound => {}
        Err(error) => return Err(error),
    }
    let question = request::commit(at, tag)?;
    let commit_url = question.url.to_string();
    match cx
        .read(
            question,
            as_text(|body| json::parse::<Value>(body, "GitHub commit")),
        )
        .await
    {
        Ok(commit) if text_at(&commit, "/sha").is_some() => {
            Ok(found.showing("commit", tag, Some(commit_url)))
        }
        Ok(_) => Err(SourceError::malformed("GitHub commit: the answer has no hash")),
        // 422: no commit is found for what could be a hash.
        Err(error) if error.code == ErrorCode::NotFound || error.http_status == Some(422) => {
            found.presence = Presence::Gone(Basis::Field);
            Ok(found.showing("HTTP status", "404", Some(url)))
        }
        Err(error) => Err(error),
    }
}

/// Whether the answer is about that tag. The interface once answered with all tags that begin so.
fn named(body: &str, tag: &str) -> Result<bool, SourceError> {
    let value: Value = json::parse(body, "GitHub tag")?;
    let wanted = format!("refs/tags/{tag}");
    let is = |value: &Value| {
        text_at(value, "/ref") == Some(wanted.as_str()) || text_at(value, "/tag_name") == Some(tag)
    };
    Ok(match &value {
        Value::Array(list) => list.iter().any(is),
        one => is(one),
    })
}
