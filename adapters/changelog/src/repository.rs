//! A repository on GitHub: releases, else the feed that also knows tags, else a file.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, ErrorCode, SourceError, counted};
use freshcontext_parse::github::Repository;
use freshcontext_parse::{charset, link};

use crate::answer::Found;
use crate::parse::{feed, markdown, releases as listing};
use crate::request;

/// Finds the releases of a repository.
pub async fn releases(cx: &Cx<'_>, name: &Repository) -> Result<Found, SourceError> {
    let what = format!("GitHub repository {name}");
    let page = |part: &str| link::built(&name.page(), &[part]);
    let answer = cx.send(request::releases(name)?).await;
    let mut notes: Vec<String> = Vec::new();
    let mut trouble = None;
    match answer.and_then(|response| response.validated(listing::read(&charset::decode(&response).text))) {
        Ok(list) if !list.releases.is_empty() => {
            let mut found = Found::new(what, page("releases")?, "rest", list.releases);
            found.complete = list.sent < request::PAGE;
            found.unreadable = list.unreadable;
            found.notes = notes;
            return Ok(found);
        }
        Ok(_) => notes.push("the repository makes no releases".to_owned()),
        Err(error) if error.code == ErrorCode::NotFound => {
            return Err(SourceError {
                message: format!("GitHub has no repository {name}, or it is private"),
                ..error
            });
        }
        Err(error) if error.code.another_route_may_help() => {
            notes.push(format!("GitHub's REST interface did not answer ({error})"));
            trouble = Some(error);
        }
        // A "slow down" or a refusal holds for all that GitHub serves.
        Err(error) => return Err(error),
    }
    for (route, kind) in [("releases_feed", "releases"), ("tags_feed", "tags")] {
        let answer = cx.send(request::github_feed(name, kind)?).await;
        let read = answer.and_then(|response| {
            response.validated(feed::github(charset::decode(&response).text.as_bytes()))
        });
        match read {
            Ok(releases) if !releases.is_empty() => {
                let mut found = Found::new(what, page(kind)?, route, releases);
                notes.push(
                    "dated by the last edit of each release or tag, which may be later than its publication"
                        .to_owned(),
                );
                found.notes = notes;
                return Ok(found);
            }
            Ok(_) => {}
            Err(error) if error.code.another_route_may_help() || error.code == ErrorCode::NotFound => {
                trouble = trouble.or(Some(error));
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(mut found) = file(cx, name, &what).await? {
        found.notes.splice(0..0, notes);
        return Ok(found);
    }
    if let Some(error) = trouble {
        // What could not be read may well have held something.
        return Err(error);
    }
    let mut found = Found::new(what, page("releases")?, "rest", Vec::new());
    found.notes = vec!["no releases, no tags and no changelog file under the usual names".to_owned()];
    found.complete = true;
    Ok(found)
}

/// The first of the usual files that holds versions.
async fn file(cx: &Cx<'_>, name: &Repository, what: &str) -> Result<Option<Found>, SourceError> {
    for answer in cx.send_all(request::files(name)?).await {
        let response = match answer {
            Ok(response) if response.status == 404 => continue,
            Ok(response) => response,
            Err(error) if error.code.another_route_may_help() => continue,
            Err(error) => return Err(error),
        };
        let document = markdown::read(&charset::decode(&response).text);
        if document.releases.iter().any(|release| !release.unreleased) {
            return Ok(Some(of_file(what, response.final_url.clone(), document)));
        }
    }
    Ok(None)
}

/// A changelog file as an answer.
pub fn of_file(what: &str, address: Url, document: markdown::Document) -> Found {
    let mut found = Found::new(what, address, "file", document.releases);
    found.complete = !document.cut;
    if document.cut {
        let most = markdown::MAX_LINES;
        found
            .notes
            .push(format!("only the first {most} lines of the file were read"));
    }
    if document.ambiguous > 0 {
        found.notes.push(format!(
            "{} two days (month or day first) and left out",
            counted(document.ambiguous, "date could mean", "dates could mean")
        ));
    }
    found
}
