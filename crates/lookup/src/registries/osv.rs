//! OSV: security advisories of many databases (<https://google.github.io/osv.dev/get-v1-vulns/>,
//! <https://ossf.github.io/osv-schema/>).

use freshcontext_contract::{
    Cx, DateEvidence, Descriptor, ErrorCode, HostRate, Hosts, Lookup, Pace, Presence, Route, SourceError,
    StandingEvidence, StandingState,
};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::json::{self, text_at};
use freshcontext_parse::{link, text};
use serde_json::Value;

/// The facts about OSV.
pub(crate) static DESCRIPTOR: Descriptor = Descriptor {
    id: "osv",
    tool: "check_references",
    title: "OSV",
    hosts: Hosts::Fixed(&["api.osv.dev"]),
    official: true,
    routes: &[Route::new("vulns", "one advisory by its id").telling(&[StandingState::Withdrawn])],
    // No limit is published; be modest.
    rates: &[HostRate::new("api.osv.dev", Pace::new(10, 1))
        .in_flight(4)
        .link("https://google.github.io/osv.dev/api/")],
    dates: "`published` of the advisory.",
    terms: "Each database keeps its licence: https://google.github.io/osv.dev/data/",
    ..Descriptor::PLAIN
};

/// Asks for an advisory. OSV has those of open source alone: one that it does not have may be any other product's.
pub(crate) async fn look_up(cx: &Cx<'_>, id: &str) -> Result<Lookup, SourceError> {
    let request = link::json("https://api.osv.dev/v1/vulns/", &[id])?;
    let url = request.url.to_string();
    match cx.read(request, as_text(|body| read(body, id))).await {
        Err(error) if error.code == ErrorCode::NotFound => {
            Ok(Lookup::new(Presence::Unsettled("not_covered")).showing("HTTP status", "404", Some(url)))
        }
        answer => answer,
    }
}

fn read(body: &str, id: &str) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "OSV")?;
    let stated =
        text_at(&value, "/id").ok_or_else(|| SourceError::malformed("OSV: the answer names no advisory"))?;
    let aliases = json::entries(&value, "/aliases").filter_map(Value::as_str);
    if !std::iter::once(stated)
        .chain(aliases)
        .any(|known| known.eq_ignore_ascii_case(id))
    {
        return Ok(Lookup::new(Presence::Unsettled("other_record")).showing("id", stated, None::<String>));
    }
    let withdrawn = text_at(&value, "/withdrawn").and_then(text::present);
    let withdrawn = withdrawn.map(|at| {
        let sign = StandingEvidence::field(StandingState::Withdrawn, "withdrawn", at.as_str());
        sign.since(Some(at)).by("registry")
    });
    let date = DateEvidence::optional_field("published", text_at(&value, "/published"));
    let title = text_at(&value, "/summary").map(str::to_owned);
    Ok(Lookup::found(title, date, withdrawn.into_iter().collect()).showing("id", stated, None::<String>))
}
