//! Lists in the shape of EDGAR's, with invented filings.

use freshcontext_contract::serde_json::{Value, json};

use super::*;
use crate::parse::submissions;

/// A list of `(form, filed, event, file number)`, and what the rows say of each other.
fn listed(rows: &[(&str, &str, &str, &str)], tickers: &[&str]) -> (Company, Vec<Filing>) {
    let column = |pick: fn(&(&str, &str, &str, &str)) -> String| -> Value { rows.iter().map(pick).collect() };
    let accession: Value = (0..rows.len())
        .map(|at| format!("0000000001-26-{at:06}"))
        .collect();
    let body = json!({"cik": 1, "name": "Example Corp", "tickers": tickers,
        "formerNames": [{"name": "Old Example, Inc.", "from": "2001-01-01T00:00:00.000Z", "to": "2020-05-06T04:00:00.000Z"}],
        "filings": {"recent": {"accessionNumber": accession, "form": column(|row| row.0.to_owned()),
            "filingDate": column(|row| row.1.to_owned()), "reportDate": column(|row| row.2.to_owned()),
            "fileNumber": column(|row| row.3.to_owned())}}});
    let (company, listed, _) = submissions(&body.to_string()).unwrap();
    (company, listed.filings)
}

fn states(rows: &[(&str, &str, &str, &str)]) -> Vec<Vec<StandingState>> {
    let (company, filings) = listed(rows, &["EXM"]);
    let relations = Relations::of(&filings);
    let of = |filing: &Filing| {
        relations
            .signs(filing, &company)
            .iter()
            .map(|sign| sign.state)
            .collect()
    };
    filings.iter().map(of).collect()
}

#[test]
fn an_amendment_of_the_same_period_amends_exactly_one_report() {
    use StandingState::Amended;
    let amended = [
        ("10-K/A", "2026-04-30", "2025-12-31", ""),
        ("10-K", "2026-03-01", "2025-12-31", ""),
    ];
    assert_eq!(states(&amended), [vec![], vec![Amended]]);
    let (company, filings) = listed(&amended, &[]);
    let sign = Relations::of(&filings).signs(&filings[1], &company).remove(0);
    assert_eq!(sign.replaced_by.unwrap().id.unwrap(), filings[0].accession);
    assert_eq!(sign.since, Some(filings[0].filed.unwrap().into()));
    for others in [
        // Another period, another form, a holder's form, two reports of one day, an earlier amendment.
        [
            ("10-K/A", "2026-04-30", "2024-12-31", ""),
            ("10-K", "2026-03-01", "2025-12-31", ""),
        ]
        .as_slice(),
        &[
            ("10-Q/A", "2026-04-30", "2025-12-31", ""),
            ("10-K", "2026-03-01", "2025-12-31", ""),
        ],
        &[
            ("4/A", "2026-04-30", "2025-12-31", ""),
            ("4", "2026-03-01", "2025-12-31", ""),
        ],
        &[
            ("8-K/A", "2026-04-30", "2026-03-01", ""),
            ("8-K", "2026-03-01", "2026-03-01", ""),
            ("8-K", "2026-03-02", "2026-03-01", ""),
        ],
        &[
            ("10-K/A", "2026-02-01", "2025-12-31", ""),
            ("10-K", "2026-03-01", "2025-12-31", ""),
        ],
        &[("10-K/A", "2026-04-30", "", ""), ("10-K", "2026-03-01", "", "")],
    ] {
        assert!(states(others).iter().all(Vec::is_empty), "{others:?}");
    }
}

#[test]
fn a_request_withdraws_the_statements_of_its_file_number_unless_it_is_taken_back() {
    use StandingState::Withdrawn;
    let rows = [
        ("S-1", "2026-06-01", "", "333-1"),
        ("RW", "2026-05-22", "", "333-1"),
        ("S-1/A", "2026-04-01", "", "333-1"),
        ("S-1", "2026-03-01", "", "333-1"),
        ("S-1", "2026-03-02", "", "333-2"),
        ("CORRESP", "2026-03-03", "", "333-1"),
    ];
    assert_eq!(
        states(&rows),
        [vec![], vec![], vec![Withdrawn], vec![Withdrawn], vec![], vec![]]
    );
    let back = [&[("RW WD", "2026-05-30", "", "333-1")], rows.as_slice()].concat();
    assert!(states(&back).iter().all(Vec::is_empty));
    let amendment = [("AW", "2026-05-22", "", "333-1"), rows[2], rows[3]];
    assert_eq!(states(&amendment), [vec![], vec![Withdrawn], vec![]]);
}

#[test]
fn a_company_has_ended_where_nothing_follows_and_moved_where_it_was_asked_by_an_old_name() {
    let ended = [("15-12G", "2026-05-01", "", ""), ("10-Q", "2026-03-01", "", "")];
    let (company, filings) = listed(&ended, &[]);
    assert_eq!(
        of_company(&company, &filings).unwrap().state,
        StandingState::Ended
    );
    let one_class = [("10-Q", "2026-08-01", "", ""), ("15-12B", "2026-05-01", "", "")];
    assert_eq!(of_company(&company, &listed(&one_class, &[]).1), None);
    let notes = [("25-NSE", "2026-08-01", "", ""), ("10-Q", "2026-05-01", "", "")];
    let (listed_still, filings) = listed(&notes, &["EXM"]);
    assert_eq!(of_company(&listed_still, &filings), None);
    assert_eq!(
        of_company(&company, &filings).unwrap().state,
        StandingState::Ended
    );
    let moved = of_name(&company, "old example").unwrap();
    assert_eq!(
        (moved.state, moved.replaced_by.unwrap().id.unwrap().as_str()),
        (StandingState::Moved, "Example Corp")
    );
    assert_eq!(of_name(&company, "example"), None);
    assert_eq!(of_name(&company, "other"), None);
}
