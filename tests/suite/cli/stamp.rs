//! `stamp` and `verify`: a stamp verifies, a change of any fact is detected, and errors name the field.

use freshcontext_testkit::bodies::root;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{Finished, command, finish, scratch};
use crate::run::block_on;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::stamps_of_the_vectors", || block_on(vectors())),
        Trial::test("cli::every_stamped_fact_counts", || block_on(tampered())),
        Trial::test("cli::what_cannot_be_stamped", || block_on(refused())),
        Trial::test("cli::what_cannot_be_verified", || block_on(unverified())),
    ]
}

async fn run(words: &[&str], input: &Value) -> Finished {
    finish(command(words), &input.to_string()).await
}

/// A file with that key in a folder of its own.
fn key_file(name: &str, key: &str) -> Result<String, Failed> {
    let folder = scratch().join("stamp");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(name);
    std::fs::write(&file, key)?;
    Ok(file.display().to_string())
}

/// Converts the reference's fact names into this project's.
fn facts(input: &Value) -> Value {
    let names = [
        ("result_id", "resultId"),
        ("content", "rawContent"),
        ("semantic_fingerprint", "semanticFingerprint"),
        ("adapter", "adapter"),
        ("published_at", "publishedAt"),
        ("retrieved_at", "retrievedAt"),
        ("engine_version", "engineVersion"),
        ("verdict_id", "verdictId"),
        ("decision", "decision"),
    ];
    let facts = names.into_iter().filter(|(_, theirs)| !input[theirs].is_null());
    Value::Object(
        facts
            .map(|(ours, theirs)| (ours.to_owned(), input[theirs].clone()))
            .collect(),
    )
}

/// Test vectors by another implementation: the same signatures, with and without a key.
async fn vectors() -> Result<(), Failed> {
    let file = root().join("crates/spec/src/ha_pri_vectors.json");
    let both: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let mut complaints = Vec::new();
    let mut tried = 0;
    for version in ["v2", "v3"] {
        for (at, vector) in both[version]["validVectors"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            tried += 1;
            let key = match vector["key"].as_str() {
                // Editors add the line ending; it is not part of the key.
                Some(key) => Some(key_file(&format!("vector-{at}"), &format!("{key}\n"))?),
                None => None,
            };
            let with_key: Vec<&str> = key.iter().flat_map(|file| ["--key-file", file]).collect();
            let stamped = run(
                &[&["stamp", "-"], &with_key[..]].concat(),
                &facts(&vector["input"]),
            )
            .await;
            let expected = ["haPriSigV2", "haPriSigV3"].map(|name| &vector["expected"][name]);
            let stamp: Value = serde_json::from_str(&stamped.stdout).unwrap_or_default();
            if !expected.contains(&&stamp["signature"]) || stamp["signature"].is_null() {
                complaints.push(format!("{version} {}: {stamped:?}", vector["name"]));
            }
            let verified = run(&[&["verify", "-"], &with_key[..]].concat(), &stamp).await;
            if verified.code != Some(0) || !verified.stdout.starts_with("valid: ") {
                complaints.push(format!("{version} {}: {verified:?}", vector["name"]));
            }
        }
    }
    assert_eq!(tried, 4);
    verdict(complaints)
}

fn whole() -> Value {
    json!({"result_id": "r-1", "content": "A text.", "semantic_fingerprint": "what", "adapter": "custom",
        "published_at": "2026-03-05", "retrieved_at": "2026-03-05T12:00:00Z", "engine_version": "1",
        "verdict_id": "v", "decision": "use_first"})
}

async fn tampered() -> Result<(), Failed> {
    let key = key_file("key", "a key of the tests")?;
    let other = key_file("other", "another key of the tests")?;
    let stamped = run(&["stamp", "-", "--key-file", &key], &whole()).await;
    let stamp: Value = serde_json::from_str(&stamped.stdout).map_err(|_| format!("{stamped:?}"))?;
    let mut complaints = Vec::new();
    for name in whole().as_object().into_iter().flat_map(|facts| facts.keys()) {
        let mut changed = stamp.clone();
        changed[name] = json!("2026-03-04");
        let verified = run(&["verify", "-", "--key-file", &key, "--json"], &changed).await;
        let report: Value = serde_json::from_str(&verified.stdout).unwrap_or_default();
        if verified.code != Some(1) || report["verification"] != "invalid" {
            complaints.push(format!("{name}: {verified:?}"));
        }
    }
    let verified = run(&["verify", "-", "--key-file", &other], &stamp).await;
    if verified.code != Some(1) || !verified.stdout.starts_with("invalid: ") {
        complaints.push(format!("another key: {verified:?}"));
    }
    // An unkeyed stamp does not verify with a key.
    let mut facts = whole();
    for name in ["verdict_id", "decision"] {
        facts.as_object_mut().map(|facts| facts.remove(name));
    }
    let hashed = run(&["stamp", "-"], &facts).await;
    let hashed: Value = serde_json::from_str(&hashed.stdout).map_err(|_| format!("{hashed:?}"))?;
    let verified = run(&["verify", "-", "--key-file", &key], &hashed).await;
    if verified.code != Some(1) || !verified.stdout.contains("not signed with a key") {
        complaints.push(format!("a hash for a key: {verified:?}"));
    }
    // A fact that no payload covers is told, and so is the text "null", which has the payload of an absent fact.
    for (name, value) in [
        ("verdict_id", "v"),
        ("decision", "use_first"),
        ("decision", "null"),
        ("result_id", "null"),
        ("semantic_fingerprint", "null"),
        ("published_at", "null"),
        ("retrieved_at", "null"),
        ("engine_version", "null"),
    ] {
        let bare = run(&["stamp", "-"], &json!({"content": "a", "adapter": "b"})).await;
        let mut added: Value = serde_json::from_str(&bare.stdout).map_err(|_| format!("{bare:?}"))?;
        added[name] = json!(value);
        let verified = run(&["verify", "-", "--json"], &added).await;
        let report: Value = serde_json::from_str(&verified.stdout).unwrap_or_default();
        if verified.code != Some(1) || report["verification"] != "invalid" || !report["covers"].is_null() {
            complaints.push(format!("{name} {value}: {verified:?}"));
        }
        let mut keyed = stamp.clone();
        keyed[name] = json!(null);
        keyed["signature"] = json!(null);
        keyed["scheme"] = json!(null);
        let resigned = run(&["stamp", "-", "--key-file", &key], &keyed).await;
        let mut resigned: Value =
            serde_json::from_str(&resigned.stdout).map_err(|_| format!("{resigned:?}"))?;
        resigned[name] = json!("null");
        let verified = run(&["verify", "-", "--key-file", &key], &resigned).await;
        if verified.code != Some(1) || !verified.stdout.starts_with("invalid: ") {
            complaints.push(format!("{name}, with a key: {verified:?}"));
        }
    }
    verdict(complaints)
}

/// Each with exit code 2, nothing on stdout, and the field's name.
async fn refused() -> Result<(), Failed> {
    let key = key_file("key-of-refused", "a key of the tests")?;
    let empty = key_file("empty", "\n")?;
    let with = |name: &str, value: Value| {
        let mut facts = whole();
        facts[name] = value;
        facts
    };
    let without = |name: &str| {
        let mut facts = whole();
        facts.as_object_mut().map(|facts| facts.remove(name));
        facts
    };
    let keyed = ["stamp", "-", "--key-file", &key];
    let mut complaints = Vec::new();
    for (words, facts, named) in [
        (&keyed[..], without("content"), "`content`"),
        (&keyed, without("adapter"), "`adapter`"),
        (&keyed, with("content", json!(5)), "`content`"),
        (&keyed, with("publishedAt", json!("2026-03-05")), "`publishedAt`"),
        (&keyed, with("published_at", json!("yesterday")), "`published_at`"),
        (&keyed, with("retrieved_at", json!("12:00")), "`retrieved_at`"),
        (&keyed, with("result_id", json!("a\nadapter=b")), "`result_id`"),
        (&keyed, with("decision", json!("a\rb")), "`decision`"),
        (&keyed, with("signature", json!("00")), "`signature`"),
        (&keyed, with("result_id", json!("null")), "`result_id`"),
        (
            &keyed,
            with("semantic_fingerprint", json!("null")),
            "`semantic_fingerprint`",
        ),
        (&keyed, with("engine_version", json!("null")), "`engine_version`"),
        (&keyed, with("decision", json!("null")), "`decision`"),
        (&["stamp", "-"], whole(), "`verdict_id`"),
        (&keyed, json!([]), "content"),
        (&["stamp", "-", "--key-file", &empty], whole(), "is empty"),
        (
            &["stamp", "-", "--key-file", "none/at/all"],
            whole(),
            "none/at/all",
        ),
        (&["stamp", "none/at/all"], whole(), "none/at/all"),
    ] {
        let done = run(words, &facts).await;
        if (done.code, done.stdout.as_str()) != (Some(2), "") || !done.stderr.contains(named) {
            complaints.push(format!("{words:?} {facts}: {done:?}"));
        }
    }
    verdict(complaints)
}

async fn unverified() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let bare = run(&["verify", "-"], &whole()).await;
    if bare.code != Some(1) || !bare.stdout.starts_with("unknown: ") {
        complaints.push(format!("no stamp: {bare:?}"));
    }
    let mut unsigned = whole();
    unsigned["scheme"] = json!("FRESHCONTEXT_HA_PRI_V2");
    let done = run(&["verify", "-"], &unsigned).await;
    if done.code != Some(1) || !done.stdout.contains("there is no `signature`") {
        complaints.push(format!("no signature: {done:?}"));
    }
    for (scheme, named) in [
        ("FRESHCONTEXT_HA_PRI_V3", "--key-file"),
        ("FRESHCONTEXT_HA_PRI_V9", "scheme"),
    ] {
        unsigned["scheme"] = json!(scheme);
        unsigned["signature"] = json!("00");
        let done = run(&["verify", "-"], &unsigned).await;
        if (done.code, done.stdout.as_str()) != (Some(2), "") || !done.stderr.contains(named) {
            complaints.push(format!("{scheme}: {done:?}"));
        }
    }
    verdict(complaints)
}
