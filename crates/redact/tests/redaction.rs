//! What is masked and what stays, by tables.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

#[path = "redaction/forms.rs"]
mod forms;

use std::path::{Path, PathBuf};

use freshcontext_redact::{holds_secret, masked, masked_value};
use serde_json::{Value, json};

/// A form in the places of a text where it may stand.
fn places(text: &str) -> Vec<String> {
    vec![
        text.to_owned(),
        format!("before {text} after"),
        format!("a\n{text}\nb"),
        format!("({text})"),
        format!("- {text}, and more"),
        Value::from(text).to_string(),
        json!({"content": text}).to_string(),
    ]
}

#[test]
fn every_form_is_masked_in_every_place() {
    let mut seen = Vec::new();
    for form in forms::all() {
        for text in places(&form.text) {
            let (clean, _) = masked(&text);
            if let Some(secret) = form.secrets.iter().find(|secret| clean.contains(secret.as_str())) {
                seen.push(format!("{}: {secret} of {text:?} is in {clean:?}", form.name));
            } else if holds_secret(&clean) || masked(&clean).0 != clean {
                seen.push(format!("{}: twice changes {clean:?}", form.name));
            }
        }
        let value = json!({"a": [form.text], form.text.clone(): 1, "b": {"c": form.text}});
        let clean = masked_value(value).to_string();
        if let Some(secret) = form.secrets.iter().find(|secret| clean.contains(secret.as_str())) {
            seen.push(format!("{}: {secret} is in {clean}", form.name));
        }
    }
    assert!(seen.is_empty(), "{} leaks:\n{}", seen.len(), seen.join("\n"));
}

#[test]
fn ordinary_text_stays_byte_for_byte() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/redaction/ordinary.txt");
    let text = std::fs::read_to_string(file).expect("ordinary.txt");
    let mut wrong = Vec::new();
    assert!(text.lines().count() >= 60);
    for line in text.lines().chain([text.trim_end()]) {
        let (clean, found) = masked(line);
        if clean != line {
            wrong.push(format!("{found:?}: {line:.200} -> {clean:.200}"));
        }
        let value = json!({"title": line, "content": [line]});
        let clean = masked_value(value.clone());
        if clean != value && line.len() < 500 {
            wrong.push(format!("in JSON: {line} -> {clean}"));
        }
    }
    assert!(wrong.is_empty(), "{} changes:\n{}", wrong.len(), wrong.join("\n"));
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// Prints what is masked in a folder of bodies: `BODIES=../../../shared/recordings cargo test -p freshcontext-redact
/// --test redaction -- --nocapture bodies`.
#[test]
fn what_is_masked_in_a_folder_of_bodies_is_shown() {
    let Some(folder) = std::env::var_os("BODIES") else {
        return;
    };
    let mut all = Vec::new();
    files(Path::new(&folder), &mut all);
    all.sort();
    for path in all {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let (clean, found) = masked(&text);
        if found.is_empty() {
            continue;
        }
        println!("## {} {found:?}", path.display());
        let mut at = 0;
        let mut shown = 0;
        // What stood where each mark is, with what is around it.
        for (mark, _) in clean.match_indices("[masked:") {
            let before: String = clean[..mark]
                .chars()
                .rev()
                .take(30)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            let name = clean[mark..].split(']').next().unwrap_or_default();
            if let Some(found) = text[at..].find(before.as_str()) {
                at += found + before.len();
                let was: String = text[at..].chars().take(60).collect();
                println!("   {name}: {before:?} >>> {was:?}");
                shown += 1;
            }
            if shown >= 12 {
                break;
            }
        }
    }
}
