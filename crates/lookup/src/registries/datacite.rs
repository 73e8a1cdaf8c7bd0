//! DataCite: DOIs of data sets, software and preprints (<https://support.datacite.org/docs/api-get-doi>).

use freshcontext_contract::standing::Replacement;
use freshcontext_contract::{
    Cx, DateEvidence, Descriptor, HostRate, Hosts, Lookup, Pace, Presence, Route, SourceError,
    StandingEvidence, StandingState,
};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::json::{self, text_at};
use freshcontext_parse::{link, text};
use serde_json::Value;

/// The facts about DataCite.
pub(crate) static DESCRIPTOR: Descriptor = Descriptor {
    id: "datacite",
    tool: "check_references",
    title: "DataCite",
    hosts: Hosts::Fixed(&["api.datacite.org"]),
    official: true,
    routes: &[Route::new("api", "DOIs that Crossref did not register")
        .telling(&[StandingState::Withdrawn, StandingState::Superseded])],
    rates: &[HostRate::new("api.datacite.org", Pace::new(8, 1))
        .in_flight(4)
        .link("https://support.datacite.org/docs/rate-limit")],
    dates: "The date of type Issued.",
    terms: "Metadata under CC0: https://support.datacite.org/docs/datacite-data-file-use-policy",
    ..Descriptor::PLAIN
};

/// Asks for the record of a DOI.
pub(crate) async fn look_up(cx: &Cx<'_>, doi: &str) -> Result<Lookup, SourceError> {
    let request = link::json("https://api.datacite.org/dois/", &[doi])?;
    cx.read(request, as_text(|body| read(body, doi))).await
}

fn read(body: &str, doi: &str) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "DataCite")?;
    let stated = text_at(&value, "/data/id").or_else(|| text_at(&value, "/data/attributes/doi"));
    let stated = stated.ok_or_else(|| SourceError::malformed("DataCite: the answer names no DOI"))?;
    if !stated.eq_ignore_ascii_case(doi) {
        return Ok(Lookup::new(Presence::Unsettled("other_record")).showing(
            "data.id",
            stated,
            None::<String>,
        ));
    }
    let state = text_at(&value, "/data/attributes/state").unwrap_or("findable");
    if !state.eq_ignore_ascii_case("findable") {
        // Its owner keeps the record hidden, for whatever reason.
        return Ok(Lookup::new(Presence::Unsettled("hidden_record")).showing("state", state, None::<String>));
    }
    let mut signs = Vec::new();
    let dates = || json::entries(&value, "/data/attributes/dates");
    let date = |kind: &str| {
        let of_kind =
            |date: &&Value| text_at(date, "/dateType").is_some_and(|is| is.eq_ignore_ascii_case(kind));
        dates().find(of_kind).and_then(|date| text_at(date, "/date"))
    };
    if let Some(day) = date("Withdrawn") {
        let sign = StandingEvidence::field(StandingState::Withdrawn, "dates[].dateType", "Withdrawn");
        signs.push(sign.since(Some(day)).by("publisher"));
    }
    for related in json::entries(&value, "/data/attributes/relatedIdentifiers") {
        let kind = text_at(related, "/relationType").unwrap_or_default();
        let field = "relatedIdentifiers[].relationType";
        // A later version may stand beside this one; what is obsolete does not.
        let sign = match kind {
            "IsObsoletedBy" => StandingEvidence::field(StandingState::Superseded, field, kind),
            "IsPreviousVersionOf" => StandingEvidence::mark(StandingState::Superseded, field, kind),
            _ => continue,
        };
        let Some(by) = text_at(related, "/relatedIdentifier").and_then(text::present) else {
            continue;
        };
        if by.eq_ignore_ascii_case(doi) {
            continue;
        }
        let is_doi = by.starts_with("10.");
        let by = Replacement {
            url: if is_doi {
                Some(format!("https://doi.org/{by}"))
            } else {
                link::shown(&by)
            },
            ..Replacement::id(by)
        };
        signs.push(sign.by("publisher").replaced_by(Some(by)));
    }
    let title = json::entries(&value, "/data/attributes/titles").find_map(|title| text_at(title, "/title"));
    let issued = DateEvidence::optional_field("dates[Issued]", date("Issued"));
    Ok(Lookup::found(title.map(str::to_owned), issued, signs).showing("data.id", stated, None::<String>))
}
