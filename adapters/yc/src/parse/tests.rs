use super::*;
use freshcontext_contract::ErrorCode;
use proptest::prelude::*;

const LIST: &str = include_str!("../../../../fixtures/yc/batch/01.body.json");
const META: &str = include_str!("../../../../fixtures/yc/ok/meta.json");

fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn company(batch: &str, at: i64) -> Company {
    serde_json::from_value(
        serde_json::json!({"id": 1, "name": "A", "slug": "a", "batch": batch, "launched_at": at}),
    )
    .unwrap()
}

fn kind(batch: &str, at: i64) -> &'static str {
    match company(batch, at).date(&[], now()) {
        DateEvidence::Field { .. } => "high",
        DateEvidence::PageSignal { .. } => "medium",
        _ => "none",
    }
}

#[test]
fn the_date_is_as_good_as_its_batch() {
    assert_eq!(kind("W26", 1_767_931_304), "high");
    assert_eq!(kind("Winter 2019", 1_548_000_000), "high");
    assert_eq!(kind("W17", 1_488_000_000), "medium");
    assert_eq!(kind("Winter 2012", 1_322_045_771), "medium");
    assert_eq!(
        kind("S05", 1_326_791_708),
        "none",
        "a backfill of 2012 for a batch of 2005"
    );
    assert_eq!(kind("Winter 2011", 1_326_791_708), "none");
    assert_eq!(kind("IK12", 1_465_000_000), "none");
    assert_eq!(kind("Unspecified", 1_322_046_644), "none");
    assert_eq!(kind("W26", 0), "none");
    assert_eq!(kind("W26", 1_900_000_000), "none", "the future");
}

#[test]
fn a_second_shared_by_most_of_a_batch_is_no_date() {
    let mut batch = vec![company("S24", 1_720_000_000); 4];
    batch.push(company("S24", 1_720_500_000));
    batch.push(company("W24", 1_700_000_000));
    let mass = mass_published(&batch);
    assert_eq!(mass, [("S24".to_owned(), 1_720_000_000)]);
    assert_eq!(batch[0].date(&mass, now()), DateEvidence::None);
    assert!(matches!(batch[4].date(&mass, now()), DateEvidence::Field { .. }));
}

#[test]
fn a_record_keeps_its_facts_and_loses_what_is_unknown() {
    let listed = mirror(LIST).unwrap();
    assert_eq!((listed.companies.len(), listed.unreadable), (3, 1));
    let items: Vec<Item> = listed
        .companies
        .into_iter()
        .map(|company| company.into_item(DateEvidence::None))
        .collect();
    assert_eq!(items[0].fields["batch"], "Fall 2025");
    assert_eq!(items[0].fields["listed_long_before_batch"], true);
    assert_eq!(
        items[1].url.as_deref(),
        Some("https://www.ycombinator.com/companies/beta-2")
    );
    for unknown in ["team_size", "tags", "website", "top_company"] {
        assert!(!items[1].fields.contains_key(unknown), "{unknown}");
    }
    assert_eq!(items[2].fields["status"], "Inactive");
    assert!(
        !items[2].fields.contains_key("team_size"),
        "0 stands for nobody left"
    );
    assert_eq!(items[0].summary, "Robots for farms\nFirst line.\n- point");
}

#[test]
fn one_record_is_a_list_of_one() {
    let one = r#"{"id": 1, "name": "A", "slug": "a", "batch": "F24", "launched_at": 1728389519}"#;
    assert_eq!(mirror(one).unwrap().companies.len(), 1);
    assert_eq!(mirror("7").unwrap_err().code, ErrorCode::Malformed);
}

#[test]
fn words_choose_files_of_the_mirror() {
    let meta = meta(META).unwrap();
    let files = meta.files_for("open source developer tools", 2);
    assert_eq!(
        files,
        [
            "tags/open-source.json",
            "tags/developer-tools.json",
            "companies/top.json",
            "batches/winter-2026.json",
            "batches/fall-2025.json"
        ]
    );
    assert_eq!(
        meta.files_for("b2b", 0),
        ["companies/top.json"],
        "a list too long for an answer is left out"
    );
}

proptest! {
    #[test]
    fn any_prefix_gives_companies_or_malformed(cut in 0usize..2_500) {
        let body: String = LIST.chars().take(cut).collect();
        if let Err(error) = mirror(&body) {
            prop_assert_eq!(error.code, ErrorCode::Malformed);
        }
        let body: String = META.chars().take(cut).collect();
        let _ = meta(&body);
    }
}
