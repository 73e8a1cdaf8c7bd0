//! One award by its key.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, Lookup, Presence, Response, SourceError};

use crate::collect::read;
use crate::{actions, award, input, request};

/// Asks for an award, and for the actions of a contract: these alone say that it was terminated, so where they cannot be
/// read, nothing is settled.
pub async fn look_up(cx: &Cx<'_>, id: &str) -> Result<Lookup, SourceError> {
    let request = request::award(id)?;
    let url = request.url.to_string();
    let detail = cx.read(request, |response| award::detail(&read(response)?)).await;
    let found = detail.map(|award| {
        Lookup::of_item(award.item(input::By::Signed)).showing(
            "generated_unique_award_id",
            id,
            None::<String>,
        )
    });
    let mut found = Lookup::or_gone(found, Basis::Field, Some(&url))?;
    if found.presence == Presence::Found && id.starts_with("CONT_") {
        let signs = |response: &Response| actions::cancelled(&read(response)?);
        found.signs.extend(cx.read(request::actions(id)?, signs).await?);
    }
    Ok(found)
}
