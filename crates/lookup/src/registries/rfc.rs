//! The RFC Editor's records (<https://www.rfc-editor.org/faq/#json>).

use freshcontext_contract::standing::{Basis, Replacement};
use freshcontext_contract::{
    Cx, DateEvidence, Descriptor, HostRate, Hosts, Lookup, Pace, Presence, Route, SourceError,
    StandingEvidence, StandingState,
};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::json::{self, text_at};
use freshcontext_parse::link;
use serde_json::Value;

/// The facts about the RFC Editor.
pub(crate) static DESCRIPTOR: Descriptor = Descriptor {
    id: "rfc_editor",
    tool: "check_references",
    title: "RFC Editor",
    hosts: Hosts::Fixed(&["www.rfc-editor.org"]),
    official: true,
    routes: &[Route::new("record", "the record of one RFC").telling(&[
        StandingState::Superseded,
        StandingState::Ended,
        StandingState::Amended,
    ])],
    // No limit is published; be modest.
    rates: &[HostRate::new("www.rfc-editor.org", Pace::new(4, 1))
        .in_flight(2)
        .link("https://www.rfc-editor.org/robots.txt")],
    dates: "`pub_date` of the record.",
    terms: "Public records: https://trustee.ietf.org/",
    ..Descriptor::PLAIN
};

/// Asks for the record of an RFC. A number without one was not given out.
pub(crate) async fn look_up(cx: &Cx<'_>, number: u32) -> Result<Lookup, SourceError> {
    let request = link::json("https://www.rfc-editor.org/rfc/", &[&format!("rfc{number}.json")])?;
    let url = request.url.to_string();
    let read = cx.read(request, as_text(|body| read(body, number))).await;
    // No form of its own tells its 404 from that of anything between.
    Lookup::or_gone(read, Basis::Mark, Some(&url))
}

fn read(body: &str, number: u32) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "RFC Editor")?;
    let stated = text_at(&value, "/doc_id")
        .ok_or_else(|| SourceError::malformed("RFC Editor: the record has no id"))?;
    if number_of(stated) != Some(number) {
        return Ok(Lookup::new(Presence::Unsettled("other_record")).showing(
            "doc_id",
            stated,
            None::<String>,
        ));
    }
    let others = |pointer: &str| -> Vec<String> {
        let names = json::entries(&value, pointer)
            .filter_map(Value::as_str)
            .map(str::trim);
        names
            .filter(|name| number_of(name).is_some_and(|other| other != number))
            .map(str::to_owned)
            .collect()
    };
    let named = |name: &str| Replacement {
        url: number_of(name).map(|number| format!("https://www.rfc-editor.org/info/rfc{number}")),
        ..Replacement::id(name)
    };
    let mut signs: Vec<StandingEvidence> = Vec::new();
    // `status` keeps the word of before: INTERNET STANDARD of RFC 793.
    for by in others("/obsoleted_by") {
        let sign = StandingEvidence::field(StandingState::Superseded, "obsoleted_by", by.as_str());
        signs.push(sign.by("publisher").replaced_by(Some(named(&by))));
    }
    for by in others("/updated_by") {
        // An update changes a part and replaces nothing, so it is the notice.
        let sign = StandingEvidence::field(StandingState::Amended, "updated_by", by.as_str());
        signs.push(sign.by("publisher").notice(Some(by)));
    }
    if let Some(status) =
        text_at(&value, "/status").filter(|status| status.trim().eq_ignore_ascii_case("historic"))
    {
        signs.push(StandingEvidence::field(StandingState::Ended, "status", status).by("publisher"));
    }
    let date = DateEvidence::optional_field("pub_date", text_at(&value, "/pub_date"));
    let title = text_at(&value, "/title").map(|title| title.trim().to_owned());
    Ok(Lookup::found(title, date, signs).showing("doc_id", stated, None::<String>))
}

/// The number of `RFC0793` or `RFC 793`.
fn number_of(name: &str) -> Option<u32> {
    let (head, digits) = name.trim().split_at_checked(3)?;
    head.eq_ignore_ascii_case("rfc")
        .then(|| digits.trim().parse().ok())?
}
