//! The reader against every body we have, whole and cut anywhere.

use std::path::{Path, PathBuf};

use freshcontext_contract::{CommonArgs, ErrorCode};
use proptest::prelude::*;

use crate::input::{Input, read};
use crate::{DESCRIPTOR, parse, request};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn recording(name: &str) -> Option<String> {
    let path = root().join("../shared/recordings/gdelt").join(name);
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
        root().join("fixtures/gdelt"),
        root().join("../shared/recordings/gdelt"),
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

fn plan() -> request::Plan {
    let input = Input {
        url: "fish".to_owned(),
        ..Input::default()
    };
    let now = "2020-09-03T00:00:00Z".parse().unwrap();
    request::plan(
        &read(&input).unwrap(),
        &CommonArgs::defaults(&DESCRIPTOR.args),
        now,
    )
    .unwrap()
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
            if let Ok(list) = parse::articles(body.get(..end).unwrap_or_default(), "fish") {
                drop(parse::harvest(list, &plan(), &CommonArgs::defaults(&DESCRIPTOR.args)));
            }
        }
    }
}

#[test]
fn recorded_lists_are_read() {
    for (name, received, merged) in [
        ("artlist_enveloped_american_samoa_2020.json", 11, 2),
        ("artlist_items_american_samoa_2020.json", 11, 2),
        ("artlist_items_indonesian_2025.json", 2, 0),
        ("artlist_items_puerto_rico_2020.json", 83, 20),
    ] {
        let Some(body) = recording(name) else { return };
        let list = parse::articles(&body, "q").unwrap();
        assert_eq!(
            (list.received, list.merged, list.unreadable, list.repaired),
            (received, merged, 0, false),
            "{name}"
        );
    }
}

#[test]
fn recorded_refusals_are_typed() {
    for (name, code) in [
        ("rate_limited.txt", ErrorCode::RateLimited),
        ("query_phrase_too_short.txt", ErrorCode::InvalidInput),
        ("query_too_short_or_long.txt", ErrorCode::InvalidInput),
        ("query_or_without_parens.txt", ErrorCode::InvalidInput),
        ("query_illegal_character.txt", ErrorCode::InvalidInput),
    ] {
        let Some(body) = recording(name) else { return };
        assert_eq!(parse::articles(&body, "q").unwrap_err().code, code, "{name}");
    }
}

#[test]
fn the_recorded_invalid_json_is_repaired() {
    let Some(body) = recording("invalid_escape.json") else {
        return;
    };
    let list = parse::articles(&body, "q").unwrap();
    assert!(list.repaired && !list.salvaged);
    assert_eq!(list.articles.len(), 1);
}
