//! The reader against recorded bodies.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, DateValue, ErrorCode};
use freshcontext_testkit::bodies::recording;

use crate::{parse, search};

#[freshcontext_recorded::test]
fn the_recorded_company_is_read() {
    let body = recording("sec/submissions_CIK0000320193.json");
    let (company, filings, files) = parse::submissions(&body).unwrap();
    assert_eq!((company.cik, company.name.as_str()), (320_193, "Apple Inc."));
    assert_eq!(company.tickers, ["AAPL"]);
    assert_eq!((filings.filings.len(), files.len()), (1000, 1));
    let newest = filings
        .filings
        .iter()
        .find(|filing| filing.form == "8-K")
        .unwrap();
    let item = newest.item(&company);
    assert_eq!(item.title, "Apple Inc. 8-K: results of operations");
    let day = NaiveDate::from_ymd_opt(2023, 8, 3).unwrap();
    assert_eq!(item.date, DateEvidence::field("filingDate", DateValue::Day(day)));
    // 16:30:21 in New York, in summer.
    assert_eq!(item.fields["accepted_at"], "2023-08-03T20:30:21.000Z");
    assert_eq!(
        item.url.as_deref(),
        Some("https://www.sec.gov/Archives/edgar/data/320193/000032019323000075/aapl-20230803.htm")
    );
    assert_eq!(item.fields["event_date"], "2023-08-03");
}

#[freshcontext_recorded::test]
fn a_company_without_filings_has_none() {
    let body = recording("sec/submissions_no_filings_odd_name.json");
    let (company, filings, files) = parse::submissions(&body).unwrap();
    assert!(company.name.starts_with("Company Name Three `!#$"));
    assert!(filings.filings.is_empty() && files.is_empty());
}

#[freshcontext_recorded::test]
fn the_recorded_page_keeps_names_dates_and_items() {
    let body = recording("sec/efts_10000_hits.json");
    let page = search::page(&body).unwrap();
    assert_eq!((page.documents, page.filings.len(), page.unread), (100, 100, 0));
    assert_eq!((page.total, page.more), (10_000, true));
    let item = page.filings[1].item();
    assert_eq!(item.title, "FORD MOTOR CREDIT CO LLC 8-K: results of operations");
    assert_eq!(item.fields["filed"], "2023-07-27");
    assert_eq!(item.fields["location"], "Dearborn, MI");
    let newest = page.filings.iter().filter_map(|found| found.filed).max();
    assert_eq!(newest, NaiveDate::from_ymd_opt(2025, 2, 20));
}

#[freshcontext_recorded::test]
fn the_recorded_single_hit_has_two_tickers() {
    let body = recording("sec/efts_1_hit.json");
    let item = search::page(&body).unwrap().filings[0].item();
    assert_eq!(item.title, "BrightSpring Health Services, Inc. ARS");
    assert_eq!(item.fields["tickers"], serde_json::json!(["BTSG", "BTSGU"]));
}

#[freshcontext_recorded::test]
fn recorded_refusals_are_no_absence() {
    let body = recording("sec/efts_blank_search_error.json");
    assert_eq!(search::page(&body).unwrap_err().code, ErrorCode::InvalidInput);
    let body = recording("sec/efts_0_hits.json");
    assert!(search::page(&body).unwrap().filings.is_empty());
    let body = recording("sec/submissions_unknown_cik.xml");
    assert_eq!(parse::submissions(&body).unwrap_err().code, ErrorCode::Malformed);
}
