//! Papers by their ids: whether each is there, and whether a later version takes the place of the one that is named.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, Item, Lookup, Presence, SourceError};

use crate::input::{self, Query};
use crate::{answers, fetch, parse, request};

/// Asks for the latest version of each paper, in one request, which is what arXiv's pace asks for; in the order of the ids, at
/// most 50. An id that arXiv does not have, and a version that it never had, is gone.
pub async fn look_up(cx: &Cx<'_>, ids: &[String]) -> Result<Vec<Lookup>, SourceError> {
    let mut bases: Vec<String> = Vec::new();
    for id in ids {
        let base = input::without_version(id).0;
        if !bases.iter().any(|known| known == base) {
            bases.push(base.to_owned());
        }
    }
    let asked = Query::Papers(bases);
    let url = request::address(&asked, cx.args(), 0, false)?;
    let feed = fetch(cx, &asked, 0).await?;
    // Entries of other papers, and such as cannot be read, may stand for what seems to be absent.
    let is_stranger = |paper: &Item| !ids.iter().any(|id| answers(paper, input::without_version(id).0));
    let is_settled = feed.unreadable == 0 && !feed.papers.iter().any(is_stranger);
    let one = |id: &String| {
        let is_it = |paper: &&Item| answers(paper, input::without_version(id).0);
        if let Some(latest) = feed.papers.iter().find(is_it) {
            return of_latest(id, latest.clone(), &url);
        }
        let presence = if is_settled {
            Presence::Gone(Basis::Field)
        } else {
            Presence::Unsettled("other_record")
        };
        Lookup::new(presence).showing("entry.id", format!("no {id}"), Some(url.clone()))
    };
    Ok(ids.iter().map(one).collect())
}

/// What the latest version of a paper says of the one that is asked for.
fn of_latest(id: &str, latest: Item, url: &Url) -> Lookup {
    let newest = latest.id.clone().unwrap_or_default();
    let versions = input::without_version(id)
        .1
        .zip(input::without_version(&newest).1);
    if versions.is_some_and(|(version, newest)| version > newest) {
        return Lookup::new(Presence::Gone(Basis::Field)).showing("entry.id", newest, Some(url.clone()));
    }
    let is_old = versions.is_some_and(|(version, newest)| version < newest);
    let signs = if is_old {
        parse::behind(id, &latest).into_iter().collect()
    } else {
        latest.standing.clone()
    };
    let updated = latest
        .fields
        .get("updated")
        .and_then(|updated| updated.as_str())
        .map(str::to_owned);
    let mut found = Lookup::of_item(latest).showing("entry.id", newest, None::<String>);
    found.signs = signs;
    match updated.filter(|_| is_old) {
        Some(updated) => found.showing("entry.updated", updated, None::<String>),
        None => found,
    }
}
