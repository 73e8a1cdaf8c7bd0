//! The reader against recorded bodies.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_testkit::bodies::recording;

use crate::{parse, tenders};

#[freshcontext_recorded::test]
fn the_recorded_page_is_fifteen_tenders() {
    let body = recording("gebiz/first_20_rows.json");
    let page = parse::page(&body).unwrap();
    assert_eq!((page.rows.len(), page.total), (20, Some(18_021)));
    let tenders = tenders::group(&page.rows);
    assert_eq!(tenders.len(), 15);
    let newest = tenders.iter().filter_map(|tender| tender.awarded).max();
    assert_eq!(newest, NaiveDate::from_ymd_opt(2024, 9, 13));
    assert_eq!(tenders[0].total, Some(375_000.0));
}

#[freshcontext_recorded::test]
fn recorded_odd_rows_are_cleaned() {
    let body = recording("gebiz/odd_rows.json");
    let page = parse::page(&body).unwrap();
    let tenders = tenders::group(&page.rows);
    assert_eq!((page.rows.len(), tenders.len()), (14, 10));
    let school = tenders[0].item();
    assert_eq!(school.fields["agency"], "Anglo-Chinese School (Independent)");
    assert_eq!(school.fields["total_sgd"], 431_554);
    let failed = tenders
        .iter()
        .map(tenders::Tender::item)
        .filter(|item| item.fields["outcome"] == "Awarded to No Suppliers");
    assert_eq!(
        failed
            .filter(|item| !item.fields.contains_key("total_sgd"))
            .count(),
        3
    );
    let panel = tenders.last().unwrap().item();
    assert!(panel.fields.contains_key("nominal_lines") && !panel.fields.contains_key("total_sgd"));
    assert!(tenders.iter().all(|tender| !tender.item().title.contains('\t')));
}
