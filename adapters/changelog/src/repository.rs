//! A repository on GitHub: releases, else the feed that also knows tags, else a file.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, ErrorCode, Response, SourceError, counted, quoted};
use freshcontext_parse::charset::{self, as_text};
use freshcontext_parse::github::Repository;
use freshcontext_parse::link;

use crate::answer::Found;
use crate::parse::{feed, file, markdown, releases as listing};
use crate::places::Places;
use crate::request;

/// Finds the releases of a repository.
pub async fn releases(cx: &Cx<'_>, name: &Repository) -> Result<Found, SourceError> {
    let what = format!("GitHub repository {name}");
    let page = |part: &str| link::built(&name.page(), &[part]);
    let answer = cx.read(request::releases(name)?, as_text(listing::read)).await;
    let mut notes: Vec<String> = Vec::new();
    let mut trouble = None;
    match answer {
        Ok(list) if !list.releases.is_empty() => {
            let mut found = Found::new(what, page("releases")?, "rest", list.releases);
            found.complete = list.sent < request::PAGE;
            found.unreadable = list.unreadable;
            found.notes = notes;
            return Ok(found);
        }
        Ok(_) => notes.push("the repository makes no releases".to_owned()),
        Err(error) if error.code == ErrorCode::NotFound => {
            return Err(error.saying(format!("GitHub has no repository {name}, or it is private")));
        }
        Err(error) if error.code.another_route_may_help() => {
            notes.push(format!("GitHub's REST interface did not answer ({error})"));
            trouble = Some(error);
        }
        // A "slow down" or a refusal holds for all that GitHub serves.
        Err(error) => return Err(error),
    }
    for (route, kind) in [("releases_feed", "releases"), ("tags_feed", "tags")] {
        let read = as_text(feed::github);
        match cx.read(request::github_feed(name, kind)?, read).await {
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
                notes.push(format!("the feed of {kind} could not be read ({error})"));
                trouble = trouble.or(Some(error));
            }
            Err(error) => return Err(error),
        }
    }
    let mut places = Places::default();
    if let Some(mut found) = file(cx, name, &what, &mut places).await? {
        found.notes.splice(0..0, notes);
        found.notes.extend(places.note());
        return Ok(found);
    }
    // What could not be read may well have held something.
    if let Some(error) = trouble.or_else(|| places.failure()) {
        return Err(error);
    }
    let mut found = Found::new(what, page("releases")?, "rest", Vec::new());
    found.notes = vec!["no releases, no tags and no changelog file under the usual names".to_owned()];
    found.complete = true;
    Ok(found)
}

/// The first of the usual files that holds versions. `places` gets those before it that could not be read.
async fn file(
    cx: &Cx<'_>,
    name: &Repository,
    what: &str,
    places: &mut Places,
) -> Result<Option<Found>, SourceError> {
    let read = |response: &Response| {
        let document = file::read(&charset::decode(response).text);
        let holds = response.status != 404 && document.releases.iter().any(|release| !release.unreleased);
        Ok(holds.then(|| of_file(what, response.final_url.clone(), document)))
    };
    let files = request::files(name)?;
    let addresses: Vec<Url> = files.iter().map(|request| request.url.clone()).collect();
    for (at, answer) in addresses.into_iter().zip(cx.read_all(files, read).await) {
        match answer {
            Ok(None) => places.absent(),
            Err(error) if error.code.another_route_may_help() => places.failed(at, error),
            answer => return answer,
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
    if let Some(above) = document.above {
        let above = quoted(&above);
        found.notes.push(format!(
            "a line above the first release that was read names a higher version, {above}, which may be a newer release"
        ));
    }
    if document.ambiguous > 0 {
        found.notes.push(format!(
            "{} two days (month or day first) and left out",
            counted(document.ambiguous, "date could mean", "dates could mean")
        ));
    }
    found
}
