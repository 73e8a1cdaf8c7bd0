//! The reader against recorded bodies.

use freshcontext_contract::ErrorCode;
use freshcontext_testkit::bodies::recording;

use crate::parse;

#[freshcontext_recorded::test]
fn recorded_lists_are_read() {
    for (name, received, merged) in [
        ("artlist_enveloped_american_samoa_2020.json", 11, 1),
        ("artlist_items_american_samoa_2020.json", 11, 1),
        ("artlist_items_indonesian_2025.json", 2, 0),
        ("artlist_items_puerto_rico_2020.json", 83, 4),
    ] {
        let body = recording(&format!("gdelt/{name}"));
        let list = parse::articles(&body, "q").unwrap();
        assert_eq!(
            (list.received, list.merged, list.unreadable, list.repaired),
            (received, merged, 0, false),
            "{name}"
        );
    }
}

#[freshcontext_recorded::test]
fn recorded_refusals_are_typed() {
    for (name, code) in [
        ("rate_limited.txt", ErrorCode::RateLimited),
        ("query_phrase_too_short.txt", ErrorCode::InvalidInput),
        ("query_too_short_or_long.txt", ErrorCode::InvalidInput),
        ("query_or_without_parens.txt", ErrorCode::InvalidInput),
        ("query_illegal_character.txt", ErrorCode::InvalidInput),
    ] {
        let body = recording(&format!("gdelt/{name}"));
        assert_eq!(parse::articles(&body, "q").unwrap_err().code, code, "{name}");
    }
}

#[freshcontext_recorded::test]
fn the_recorded_invalid_json_is_repaired() {
    let body = recording("gdelt/invalid_escape.json");
    let list = parse::articles(&body, "q").unwrap();
    assert!(list.repaired && !list.salvaged);
    assert_eq!(list.articles.len(), 1);
}
