//! Masking of secrets and e-mail addresses, and removal of what the caller marks, before anything is hashed or exported.
//!
//! The patterns are those that the makers of the keys publish for scanners (prefix and length), as gitleaks and
//! GitHub's secret scanning have them. A pattern finds forms, not meanings: a password in prose stays.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};
use serde_json::Value;

/// Name and pattern. Where a pattern has a group `keep`, that part stays before the mark.
const PATTERNS: [(&str, &str); 19] = [
    (
        "private_key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)",
    ),
    (
        "url_password",
        r"(?P<keep>\b[a-zA-Z][a-zA-Z0-9+.-]+://)[^\s/@:\[\]]*:[^\s/@\[\]]+@",
    ),
    ("aws_access_key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    (
        "github_token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    (
        "gitlab_token",
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}",
    ),
    ("slack_token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    (
        "slack_webhook",
        r"\bhooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{43,}",
    ),
    ("stripe_key", r"\b(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("google_key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("anthropic_or_openai_key", r"\bsk-[A-Za-z0-9_-]{20,}"),
    ("npm_token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("pypi_token", r"\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}"),
    ("hugging_face_token", r"\bhf_[A-Za-z0-9]{34,}"),
    ("sendgrid_key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    (
        "json_web_token",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    (
        "authorization",
        r#"(?i)(?P<keep>\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[a-z]{1,}\s{1,3})?)[A-Za-z0-9+/=_.~-]{8,}"#,
    ),
    (
        "bearer_token",
        r"(?P<keep>\b[Bb]earer\s{1,3})[A-Za-z0-9+/=_.~-]{20,}",
    ),
    (
        "named_secret",
        r#"(?i)(?P<keep>(?:api[_-]?key|apikey|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|secret|password|passwd|token)["']?\s{0,3}(?:=|:)\s{0,3}["']?)[A-Za-z0-9+/=_.~%!@#$^*-]{8,}"#,
    ),
    (
        "email",
        r"(?i)\b[a-z0-9][a-z0-9._%+-]*@(?:[a-z0-9-]+\.)+[a-z]{2,24}\b",
    ),
];

/// What stands where a marked field was.
pub const REMOVED: &str = "[removed]";

static SET: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(PATTERNS.iter().map(|(_, pattern)| pattern)).ok());
static EACH: LazyLock<Vec<(&'static str, Option<Regex>)>> = LazyLock::new(|| {
    PATTERNS
        .iter()
        .map(|(name, pattern)| (*name, Regex::new(pattern).ok()))
        .collect()
});

/// Times that a text is searched: a mark can be what makes a second secret beside it stand out. A text that still holds
/// one then is removed whole.
const PASSES: usize = 4;

/// The text with a mark in place of each secret and e-mail address, and the names of the patterns that found any.
/// Twice changes nothing: a mark holds nothing that a pattern finds.
pub fn masked(text: &str) -> (Cow<'_, str>, Vec<&'static str>) {
    let Some(set) = SET.as_ref() else {
        // Without patterns nothing may pass. A test sees to it that they compile.
        return (Cow::Borrowed(REMOVED), vec!["no_patterns"]);
    };
    let mut found = Vec::new();
    let mut out = Cow::Borrowed(text);
    if !set.is_match(text) {
        return (out, found);
    }
    for _ in 0..PASSES {
        for (name, pattern) in EACH.iter() {
            let Some(pattern) = pattern else { continue };
            if !pattern.is_match(&out) {
                continue;
            }
            let replaced = pattern
                .replace_all(&out, |captures: &Captures<'_>| {
                    let keep = captures.name("keep").map_or("", |keep| keep.as_str());
                    format!("{keep}[masked:{name}]")
                })
                .into_owned();
            out = Cow::Owned(replaced);
            if !found.contains(name) {
                found.push(*name);
            }
        }
        if !set.is_match(&out) {
            return (out, found);
        }
    }
    (Cow::Borrowed(REMOVED), found)
}

/// Whether a secret or an e-mail address is in a text.
pub fn holds_secret(text: &str) -> bool {
    SET.as_ref().is_none_or(|set| set.is_match(text))
}

/// Names of fields that hold the records together, beside those that end in `_id`, `_ref`, `_refs` and `_at`.
const STRUCTURE: [&str; 24] = [
    "scope",
    "lifecycle",
    "content_mode",
    "redaction_state",
    "redaction_method",
    "redacted_by",
    "field",
    "method",
    "reason",
    "severity",
    "status",
    "overflow_strategy",
    "injection_point",
    "event_class",
    "selector_type",
    "trust_level",
    "visibility",
    "schema_version",
    "tokenizer",
    "token_counts",
    "date_confidence",
    "digest",
    "hash",
    "sha256",
];

/// Whether a field of this name cannot be marked.
pub(crate) fn is_structure(name: &str) -> bool {
    STRUCTURE.contains(&name)
        || ["_id", "_ref", "_refs", "_at"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// What was done to one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touched {
    /// JSON Pointer in the record.
    pub(crate) field: String,
    /// Whether it was removed (else masked).
    pub(crate) removed: bool,
    /// The name of the method.
    pub(crate) method: String,
}

/// Masks and removes in every text of a record, names of fields included, and says where.
pub(crate) fn sweep(value: &mut Value, marked: &[String], path: &str, out: &mut Vec<Touched>) {
    let touched = |field: &str, method: &str| Touched {
        field: field.to_owned(),
        removed: false,
        method: format!("pattern:{method}"),
    };
    match value {
        Value::String(text) => {
            if let (Cow::Owned(clean), found) = masked(text) {
                out.extend(found.iter().map(|method| touched(path, method)));
                *text = clean;
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter_mut().enumerate() {
                sweep(value, marked, &format!("{path}/{at}"), out);
            }
        }
        Value::Object(fields) => {
            for (name, mut value) in std::mem::take(fields) {
                let (name, found) = {
                    let (clean, found) = masked(&name);
                    (clean.into_owned(), found)
                };
                let place = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                out.extend(found.iter().map(|method| touched(&place, method)));
                if marked.contains(&name) {
                    remove(&mut value);
                    out.push(Touched {
                        field: place,
                        removed: true,
                        method: "marked".to_owned(),
                    });
                } else {
                    sweep(&mut value, marked, &place, out);
                }
                fields.insert(name, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Takes every text out of a value and leaves its form.
fn remove(value: &mut Value) {
    match value {
        Value::String(text) => REMOVED.clone_into(text),
        Value::Array(values) => values.iter_mut().for_each(remove),
        Value::Object(fields) => {
            for (name, mut value) in std::mem::take(fields) {
                remove(&mut value);
                fields.insert(masked(&name).0.into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// One of each form, none of them ever issued.
    pub(crate) fn canaries() -> Vec<String> {
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
    fn every_pattern_compiles() {
        assert!(SET.is_some());
        assert!(EACH.iter().all(|(_, pattern)| pattern.is_some()));
    }

    #[test]
    fn every_form_is_masked_wherever_it_stands() {
        for canary in canaries() {
            for text in [
                canary.clone(),
                format!("before {canary} after"),
                format!("({canary})"),
            ] {
                let (clean, found) = masked(&text);
                assert!(!found.is_empty(), "{text}");
                assert!(!holds_secret(&clean), "{clean}");
                assert_eq!(masked(&clean).0, clean);
            }
        }
    }

    #[test]
    fn ordinary_words_hashes_and_ids_stay() {
        for text in [
            "The token economy grows; passwords are hard.",
            "Use `token: string` in the signature.",
            "https://news.ycombinator.com/item?id=8863",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "evt_0192e4a0-0000-7000-8000-000000000000",
            "itm_9f86d081884c7d659a2feaa0c55ad015",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "context.selection.completed",
            "git@",
        ] {
            assert_eq!(masked(text).0, text);
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

    proptest! {
        #[test]
        fn twice_changes_nothing(parts in prop::collection::vec(".{0,30}", 0..4), pick in 0usize..20) {
            let text = parts.join(canaries().get(pick).map_or("", String::as_str));
            let once = masked(&text).0.into_owned();
            let again = masked(&once).0.into_owned();
            prop_assert_eq!(again, once);
        }
    }
}
