//! One tender by its number.

use freshcontext_contract::{Cx, Lookup, Presence, SourceError};
use freshcontext_parse::charset::as_text;

use crate::{parse, request, tenders};

/// Asks for the rows of a tender. The dataset covers the awards of five years, so that a number without rows may be any
/// other tender.
pub async fn look_up(cx: &Cx<'_>, number: &str) -> Result<Lookup, SourceError> {
    let request = request::of_tender(number)?;
    let url = request.url.to_string();
    let mut page = cx.read(request, as_text(parse::page)).await?;
    page.rows.retain(|row| row.tender.eq_ignore_ascii_case(number));
    let Some(tender) = tenders::group(&page.rows).into_iter().next() else {
        let nothing = Lookup::new(Presence::Unsettled("not_covered"));
        return Ok(nothing.showing("records", "0", Some(url)));
    };
    Ok(Lookup::of_item(tender.item()).showing("tender_no", number, None::<String>))
}
