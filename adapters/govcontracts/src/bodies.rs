//! The reader against recorded bodies.

use freshcontext_contract::ErrorCode;
use freshcontext_testkit::bodies::recording;

use crate::input::By;
use crate::parse;

#[freshcontext_recorded::test]
fn recorded_contracts_keep_their_two_days() {
    let body = recording("govcontracts/contracts_full_fields.json");
    let page = parse::page(&body).unwrap();
    assert_eq!((page.awards.len(), page.unreadable, page.more), (5, 0, true));
    assert!(page.messages.is_empty());
    let station = page.awards[1].item(By::Signed);
    assert_eq!(station.title, "THE BOEING COMPANY: INTERNATIONAL SPACE STATION");
    assert_eq!(
        (
            station.fields["signed"].as_str(),
            station.fields["modified"].as_str()
        ),
        (Some("1993-11-15"), Some("2025-07-16"))
    );
    assert_eq!(station.fields["obligated_usd"], 22_108_961_401.86);
    assert_eq!(
        station.fields["naics"],
        "336414 GUIDED MISSILE AND SPACE VEHICLE MANUFACTURING"
    );
    // The same award id twice: both records are there.
    assert_eq!(
        page.awards
            .iter()
            .filter(|award| award.item(By::Signed).fields["award_id"] == "80GSFC18C0008")
            .count(),
        2
    );
    assert!(page.awards[3].item(By::Signed).summary.chars().count() <= 600);
}

#[freshcontext_recorded::test]
fn recorded_records_without_a_signing_day_have_no_date() {
    let body = recording("govcontracts/contracts_location_naics.json");
    let item = parse::page(&body).unwrap().awards[0].item(By::Signed);
    assert_eq!(item.date, freshcontext_contract::DateEvidence::None);
    assert_eq!(item.fields["place"], "REDONDO BEACH, CA, UNITED STATES");
    assert_eq!(item.fields["start"], "2003-10-01");
}

#[freshcontext_recorded::test]
fn recorded_vehicles_have_a_last_day_to_order_and_no_end() {
    let body = recording("govcontracts/idvs_null_end_date.json");
    let item = parse::page(&body).unwrap().awards[0].item(By::Signed);
    assert_eq!(item.fields["last_date_to_order"], "2019-12-31");
    assert!(!item.fields.contains_key("end"));
    assert!(!item.fields.contains_key("place"));
}

#[freshcontext_recorded::test]
fn the_recorded_recipients_are_read() {
    let body = recording("govcontracts/recipient_list.json");
    let recipients = parse::recipients(&body).unwrap();
    assert_eq!(recipients.len(), 4);
    assert_eq!(recipients[1].uei, None);
    assert!(matches!(
        parse::matching("State of California", recipients),
        parse::Match::No
    ));
}

#[freshcontext_recorded::test]
fn recorded_refusals_are_typed() {
    let body = recording("govcontracts/error_short_keyword.json");
    assert_eq!(parse::refusal(422, &body, "x").code, ErrorCode::InvalidInput);
    let body = recording("govcontracts/error_bad_sort.json");
    assert_eq!(parse::refusal(400, &body, "x").code, ErrorCode::UpstreamError);
}
