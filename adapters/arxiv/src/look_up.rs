//! One paper by its id: whether it is there, and whether a later version takes the place of the one that is named.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, Lookup, Presence, SourceError};

use crate::input::{self, Query};
use crate::{answers, fetch, parse, request};

/// Asks for the latest version of a paper. An id that arXiv does not have, and a version that it never had, is gone.
pub async fn look_up(cx: &Cx<'_>, id: &str) -> Result<Lookup, SourceError> {
    let (base, version) = input::without_version(id);
    let asked = Query::Papers(vec![base.to_owned()]);
    let url = request::address(&asked, cx.args(), 0, false)?;
    let feed = fetch(cx, &asked, 0).await?;
    let nothing = feed.papers.is_empty() && feed.unreadable == 0;
    let Some(latest) = feed.papers.into_iter().find(|paper| answers(paper, base)) else {
        let presence = if nothing {
            Presence::Gone(Basis::Field)
        } else {
            Presence::Unsettled("other_record")
        };
        return Ok(Lookup::new(presence).showing("totalResults", feed.total.unwrap_or_default().to_string(), Some(url)));
    };
    let newest = latest.id.clone().unwrap_or_default();
    let newest_version = input::without_version(&newest).1;
    if version.zip(newest_version).is_some_and(|(version, newest)| version > newest) {
        return Ok(Lookup::new(Presence::Gone(Basis::Field)).showing("entry.id", newest, Some(url)));
    }
    let is_old = version.zip(newest_version).is_some_and(|(version, newest)| version < newest);
    let signs = if is_old {
        parse::behind(id, &latest).into_iter().collect()
    } else {
        latest.standing.clone()
    };
    let updated = latest.fields.get("updated").and_then(|updated| updated.as_str()).map(str::to_owned);
    let mut found = Lookup::of_item(latest).showing("entry.id", newest, None::<String>);
    found.signs = signs;
    if let (true, Some(updated)) = (is_old, updated) {
        found = found.showing("entry.updated", updated, None::<String>);
    }
    Ok(found)
}
