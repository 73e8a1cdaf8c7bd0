//! The reader against every body we have, whole and cut anywhere.

use std::path::{Path, PathBuf};

use freshcontext_contract::chrono::NaiveDate;
use proptest::prelude::*;

use crate::{parse, tenders};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn recording(name: &str) -> Option<String> {
    let path = root().join("../shared/recordings/gebiz").join(name);
    if let Ok(text) = std::fs::read_to_string(&path) {
        return Some(text);
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "the recordings are missing"
    );
    println!("SKIPPED: no recording {name}");
    None
}

fn bodies() -> Vec<String> {
    let mut out = Vec::new();
    let mut folders = vec![
        root().join("fixtures/gebiz"),
        root().join("../shared/recordings/gebiz"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind != "toml") {
                out.push(String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned());
            }
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_prefix_of_any_body_is_read_or_refused(share in 0.0f64..1.0) {
        for body in bodies() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small length")]
            let mut end = (body.len() as f64 * share) as usize;
            while !body.is_char_boundary(end) {
                end -= 1;
            }
            let cut = body.get(..end).unwrap_or_default();
            if let Ok(page) = parse::page(cut) {
                drop(tenders::group(&page.rows));
            }
            let _ = (parse::file(cut), parse::updated(cut), parse::ready(cut));
        }
    }
}

#[test]
fn the_recorded_page_is_fifteen_tenders() {
    let Some(body) = recording("first_20_rows.json") else {
        return;
    };
    let page = parse::page(&body).unwrap();
    assert_eq!((page.rows.len(), page.total), (20, Some(18_021)));
    let tenders = tenders::group(&page.rows);
    assert_eq!(tenders.len(), 15);
    let newest = tenders.iter().filter_map(|tender| tender.awarded).max();
    assert_eq!(newest, NaiveDate::from_ymd_opt(2024, 9, 13));
    assert_eq!(tenders[0].total, Some(375_000.0));
}

#[test]
fn recorded_odd_rows_are_cleaned() {
    let Some(body) = recording("odd_rows.json") else {
        return;
    };
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

#[test]
fn the_recorded_file_reads_like_the_rows() {
    let Some(body) = recording("csv_rows_33_52.csv") else {
        return;
    };
    let (rows, lost) = parse::file(&body).unwrap();
    assert_eq!((rows.len(), lost), (20, 0));
    assert!(rows.iter().any(|row| row.description.contains("(\"VOIP\")")));
    assert_eq!(rows.iter().filter(|row| row.supplier.is_none()).count(), 1);
}
