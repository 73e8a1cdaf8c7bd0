//! One work by its DOI, in Crossref's register (<https://api.crossref.org/swagger-ui/index.html>).

use std::time::Duration;

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, ErrorCode, Lookup, Presence, SourceError};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::{json, link};

use crate::parse;

/// A notice may be registered on any day.
const KEEP: Duration = Duration::from_mins(30);

/// Asks Crossref for the record of a DOI. [`NotFound`](ErrorCode::NotFound) where it registered none: other agencies may have.
pub async fn look_up(cx: &Cx<'_>, doi: &str) -> Result<Lookup, SourceError> {
    let request = link::json("https://api.crossref.org/works/", &[doi])?.cache_for(KEEP);
    cx.read(request, as_text(|body| parse::work(body, doi))).await
}

/// Asks which agency a DOI without a record is of. Crossref would know it where the prefix is one of its own: then it is gone.
pub async fn look_up_prefix(cx: &Cx<'_>, prefix: &str) -> Result<Option<Lookup>, SourceError> {
    let request = link::json("https://api.crossref.org/prefixes/", &[prefix])?.cache_for(KEEP);
    let url = request.url.to_string();
    let gone = Lookup::new(Presence::Gone(Basis::Mark)).showing("prefix", prefix, Some(url));
    match cx
        .read(request, as_text(|body| json::parse::<Value>(body, "Crossref")))
        .await
    {
        Ok(_) => Ok(Some(gone)),
        Err(error) if error.code == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
