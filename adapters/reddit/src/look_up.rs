//! One post, or one comment of it.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, Lookup, Presence, SourceError};

use crate::input::{self, Query};
use crate::request::{self, Plan};
use crate::{By, by_route, with_advice};

/// Asks the API where it is open, else the feed, which does not say whether a post was removed. `address` is the post's or
/// the comment's page; `id` is the full name without its kind.
pub async fn look_up(cx: &Cx<'_>, address: &str, id: &str) -> Result<Lookup, SourceError> {
    let asked: Query = input::recognise(address)?;
    let plan = Plan::new(&asked, cx.args(), cx.now())?;
    let page = request::page(&plan)?.to_string();
    let routed = cx
        .first_route(By::ALL, &[], |route| by_route(cx, route, &plan))
        .await;
    let found = routed.map_err(|error| with_advice(cx, error)).map(|routed| {
        let is_it = |shown: &str| {
            shown
                .split_once('_')
                .is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(id))
        };
        let item = routed
            .answer
            .items
            .into_iter()
            .find(|item| item.id.as_deref().is_some_and(is_it));
        match item {
            Some(item) => {
                let told = if routed.route == By::Feed.id() {
                    "feed, which does not say what was removed"
                } else {
                    "API"
                };
                Lookup::of_item(item).showing("route", told, None::<String>)
            }
            None => Lookup::new(Presence::Unsettled("not_in_answer")).showing("id", id, None::<String>),
        }
    });
    Lookup::or_gone(found, Basis::Mark, Some(&page))
}
