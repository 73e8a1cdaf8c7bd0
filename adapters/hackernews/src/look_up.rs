//! One item by its number.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, Lookup, SourceError};

use crate::{parse, request};

/// Asks the item interface. Deleted and dead items, and numbers that it does not know, are gone.
pub async fn look_up(cx: &Cx<'_>, id: u64) -> Result<Lookup, SourceError> {
    let request = request::item(id)?;
    let url = request.url.to_string();
    let read = cx
        .read(request, |response| parse::firebase::item(response, false))
        .await;
    let found = read.map(|node| Lookup::of_item(node.item).showing("id", id.to_string(), None::<String>));
    Lookup::or_gone(found, Basis::Field, Some(&url))
}
