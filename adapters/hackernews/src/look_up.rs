//! One item by its number.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, Item, Lookup, Presence, SourceError};

use crate::parse::firebase::Node;
use crate::{parse, request};

/// Asks the item interface. Deleted and dead items, and numbers that it does not know, are gone.
pub async fn look_up(cx: &Cx<'_>, id: u64) -> Result<Lookup, SourceError> {
    let request = request::item(id)?;
    let url = request.url.to_string();
    let read = cx
        .read(request, |response| parse::firebase::item(response, false))
        .await;
    let found = read.map(|Node { item, .. }| settled(item, id));
    Lookup::or_gone(found, Basis::Field, Some(&url))
}

/// What an item says of the number that was asked for: of another one, nothing.
fn settled(item: Item, id: u64) -> Lookup {
    let stated = item.id.clone().unwrap_or_default();
    let found = if stated == id.to_string() {
        Lookup::of_item(item)
    } else {
        Lookup::new(Presence::Unsettled("other_record"))
    };
    found.showing("id", stated, None::<String>)
}
