//! One post, or one comment of it.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, Item, Lookup, Presence, SourceError};

use crate::input::{self, Query};
use crate::request::{self, Plan};
use crate::{By, by_route, with_advice};

/// Asks the API where it is open, else the feed, which does not say whether a post was removed. `address` is the post's or
/// the comment's page; `name` is its full name:
/// `t3_` and the number of a post, `t1_` and that of a comment.
pub async fn look_up(cx: &Cx<'_>, address: &str, name: &str) -> Result<Lookup, SourceError> {
    let asked: Query = input::recognise(address)?;
    let plan = Plan::new(&asked, cx.args(), cx.now())?;
    let page = request::page(&plan)?.to_string();
    let routed = cx
        .first_route(By::ALL, &[], |route| by_route(cx, route, &plan))
        .await;
    let found = routed.map_err(|error| with_advice(cx, error)).map(|routed| {
        let item = routed.answer.items.into_iter().find(|item| is(item, name));
        match item {
            Some(item) => {
                let told = if routed.route == By::Feed.id() {
                    "feed, which does not say what was removed"
                } else {
                    "API"
                };
                Lookup::of_item(item).showing("route", told, None::<String>)
            }
            None => Lookup::new(Presence::Unsettled("not_in_answer")).showing("name", name, None::<String>),
        }
    });
    Lookup::or_gone(found, Basis::Mark, Some(&page))
}

/// Whether an item is the one of that full name: by its id, else by its page.
fn is(item: &Item, name: &str) -> bool {
    let same = |id: &str| id.eq_ignore_ascii_case(name);
    let Some((kind, number)) = name.split_once('_') else {
        return false;
    };
    let is_kind = item.id.as_deref().is_some_and(|id| id.starts_with(kind));
    let page = item.url.as_deref().unwrap_or_default();
    let mut segments = page
        .split('/')
        .skip_while(|segment| *segment != "comments")
        .skip(1);
    let of_page = match kind {
        "t3" => segments.next(),
        _ => segments.nth(2),
    };
    item.id.as_deref().is_some_and(same)
        || (is_kind && of_page.is_some_and(|id| id.eq_ignore_ascii_case(number)))
}
