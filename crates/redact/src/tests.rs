use super::*;
use crate::rules::Rules;
use proptest::prelude::*;
use serde_json::json;

/// One of each form, none of them ever issued.
fn canaries() -> Vec<String> {
    let many = |c: &str, times: usize| c.repeat(times);
    vec![
        format!("AKIA{}", many("A", 16)),
        format!("ghp_{}", many("a1", 18)),
        format!("github_pat_{}", many("b", 30)),
        format!("glpat-{}", many("c", 20)),
        format!("xoxb-{}", many("1", 20)),
        format!("hooks.slack.com/services/{}", many("T", 44)),
        format!("sk_live_{}", many("d", 24)),
        format!("AIza{}", many("e", 35)),
        format!("sk-ant-{}", many("f", 40)),
        format!("npm_{}", many("g", 36)),
        format!("pypi-AgEIcHlwaS5vcmc{}", many("h", 60)),
        format!("hf_{}", many("i", 34)),
        format!("SG.{}.{}", many("j", 22), many("k", 43)),
        format!("eyJ{}.eyJ{}.{}", many("l", 20), many("m", 20), many("n", 20)),
        format!("Authorization: Bearer {}", many("o", 24)),
        format!("password={}", many("p", 12)),
        format!("\"client_secret\": \"{}\"", many("q", 20)),
        "https://user:hunter22@host.example/".to_owned(),
        "somebody@mail.example.org".to_owned(),
        format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
            many("r", 64)
        ),
    ]
}

#[test]
fn every_rule_compiles() {
    let rules = Rules::all().unwrap();
    assert_eq!(rules.broken(), Vec::<&str>::new());
    assert!(rules.count() > 240, "{}", rules.count());
}

#[test]
fn every_form_is_masked_wherever_it_stands() {
    for canary in canaries() {
        for text in [
            canary.clone(),
            format!("before {canary} after"),
            format!("({canary})"),
            format!("前{canary}后"),
        ] {
            let (clean, found) = masked(&text);
            assert!(!found.is_empty(), "{text}");
            assert!(!holds_secret(&clean), "{clean}");
            assert_eq!(masked(&clean).0, clean);
        }
    }
}

#[test]
fn what_is_marked_goes_and_the_form_stays() {
    let mut value = json!({"title": "t", "metadata": {"ghp_x": 1, "title": ["a", {"b": "c"}]}, "n": 1});
    let mut touched = Vec::new();
    sweep(&mut value, &["title".to_owned()], "", &mut touched);
    assert_eq!(
        value,
        json!({"title": REMOVED, "metadata": {"ghp_x": 1, "title": [REMOVED, {"b": REMOVED}]}, "n": 1})
    );
    let fields: Vec<&str> = touched.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, ["/title", "/metadata/title"]);
}

#[test]
fn a_name_makes_its_value_a_secret() {
    let swept = |value: serde_json::Value| {
        let mut clean = value;
        sweep(&mut clean, &[], "", &mut Vec::new());
        joined(&mut clean);
        let mut again = clean.clone();
        let mut touched = Vec::new();
        sweep(&mut again, &[], "", &mut touched);
        assert_eq!((&again, touched.len()), (&clean, 0));
        clean
    };
    let mark = marks::mark(pairs::NAMED);
    for (given, kept) in [
        (json!({"password": "a"}), json!({"password": mark})),
        (json!({"db_password": 12}), json!({"db_password": mark})),
        (
            json!({"Authorization": "Basic eDp5"}),
            json!({"Authorization": mark}),
        ),
        (
            json!({"credentials": {"user": "a", "list": ["b", true, null]}}),
            json!({"credentials": {"user": mark, "list": [mark, true, null]}}),
        ),
        (
            json!({"name": "X-Api-Key", "value": "a"}),
            json!({"name": "X-Api-Key", "value": mark}),
        ),
        (json!(["--token", "abc123"]), json!(["--token", mark])),
        (
            json!(["Authorization", "Bearer abc123def"]),
            json!(["Authorization", mark]),
        ),
        (json!({"session": "abcdef123456"}), json!({"session": mark})),
        (
            json!({"ｐａｓｓｗｏｒｄ": "a"}),
            json!({"ｐａｓｓｗｏｒｄ": mark}),
        ),
        (
            json!({"properties": {"password": {"type": "string", "default": "a"}}}),
            json!({"properties": {"password": {"type": "string", "default": mark}}}),
        ),
    ] {
        assert_eq!(swept(given), kept);
    }
    for stays in [
        json!({"max_tokens": 100, "tokens": 5, "token_estimate": {"tokens": 5, "counted_by": "estimate: bytes / 4"}}),
        json!({"tokenizer": "o200k_base", "token_counts": {"a": 1}, "password_policy_url": "https://example.com/policy"}),
        json!({"session": "s-1", "mcp_session_id": "0192e4a0-0000-7000-8000-000000000000", "prompt_cache_key": "abc123def456"}),
        json!({"password": null, "token": true, "secret": "", "name": "title", "value": "a"}),
        json!({"required": ["password", "token"], "properties": {"token": {"type": "string"}}}),
    ] {
        assert_eq!(swept(stays.clone()), stays);
    }
}

#[test]
fn what_is_a_secret_only_together_is_masked() {
    let mut value = json!({"a": "x", "list": ["cookie: a", "b"], "user": "jane", "t": "password", "c": "n"});
    assert_eq!(joined(&mut value), Vec::<String>::new());
    let mut value = json!({"a": "curl -u 'jane:", "b": "hunter2xyz'"});
    let before = value.to_string();
    if holds_secret(&before) {
        assert!(!joined(&mut value).is_empty());
        assert!(!holds_secret(&value.to_string()), "{value}");
    }
}

#[test]
fn no_secret_that_is_found_hides_another_beside_it() {
    for canary in canaries() {
        for times in [2, 3, 12] {
            let text = canary.repeat(times);
            let clean = masked(&text).0;
            assert!(!holds_secret(&clean), "{clean}");
            assert_eq!(masked(&clean).0, clean);
        }
    }
}

#[test]
fn nothing_is_found_inside_a_mark_and_no_mark_is_made_up() {
    let rules = [
        "github_token",
        "named_secret",
        "email",
        "aws-access-token",
        "slack-bot-token",
    ];
    for name in rules {
        for text in [
            format!("password={}", marks::mark(name)),
            format!("\"token\": \"{}\"", marks::mark(name)),
            format!("Authorization: Bearer {}", marks::mark(name)),
            format!("https://{}@host.example/", marks::mark(name)),
        ] {
            assert!(!holds_secret(&text), "{text}");
        }
    }
    assert!(holds_secret("password=[masked:hunter2]"));
}

proptest! {
    #[test]
    fn twice_changes_nothing(parts in prop::collection::vec(".{0,30}", 0..4), pick in 0usize..20) {
        let text = parts.join(canaries().get(pick).map_or("", String::as_str));
        let once = masked(&text).0.into_owned();
        let again = masked(&once).0.into_owned();
        prop_assert_eq!(again, once);
    }

    #[test]
    fn names_and_values_twice_change_nothing(text in r#"(password|token|Cookie|key|authorization|%3D|\\n|&#64;|[=:"'\\ ,;@.a-z0-9\[\]]|\[masked:email\]){0,30}"#) {
        let once = masked(&text).0.into_owned();
        prop_assert!(!holds_secret(&once), "{:?} -> {:?}", text, once);
        let mut value = json!({"a": [once.clone()], "password": {"b": once.clone()}, "content": once});
        sweep(&mut value, &[], "", &mut Vec::new());
        joined(&mut value);
        let mut again = value.clone();
        let mut touched = Vec::new();
        sweep(&mut again, &[], "", &mut touched);
        prop_assert!(touched.is_empty() && joined(&mut again).is_empty(), "{}", value);
    }
}
