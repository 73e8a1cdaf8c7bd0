//! Signed verdicts and answers, from a server to `freshcontext verify` with nothing but the key document.

use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{MODERN, command, finish, scratch};
use crate::run::block_on;
use crate::verdict;
use crate::wire::HttpServer;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("rest::signed", || block_on(signed())),
        Trial::test("rest::signed_whole", || block_on(whole())),
        Trial::test("rest::signing_keys", || block_on(keys())),
    ]
}

/// Seeds of no importance.
const OLD: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const NEW: &str = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8";

/// What `verify` says of a file under these settings' key document: its exit code and its reason.
async fn verified(
    file: &str,
    signature: Option<&str>,
    keys: &str,
    retired: Option<&str>,
) -> Result<(Option<i32>, String), Failed> {
    // Trials run beside one another.
    static CHECKS: AtomicUsize = AtomicUsize::new(0);
    let folder = scratch().join("signed");
    std::fs::create_dir_all(&folder)?;
    let check = CHECKS.fetch_add(1, Ordering::Relaxed);
    let name = |end: &str| folder.join(format!("{}-{check}-{end}", std::process::id()));
    let mut printing = command(&["keys"]);
    printing.env("FRESHCONTEXT_SIGNING_KEYS", keys);
    if let Some(moment) = retired {
        printing.env("FRESHCONTEXT_SIGNING_RETIRED", format!("old={moment}"));
    }
    let printed = finish(printing, "").await;
    std::fs::write(name("keys"), &printed.stdout)?;
    std::fs::write(name("file"), file)?;
    let mut verify = command(&["verify", "--json"]);
    verify.arg(name("file")).arg("--keys").arg(name("keys"));
    if let Some(signature) = signature {
        std::fs::write(name("signature"), signature)?;
        verify.arg("--signature").arg(name("signature"));
    }
    let done = finish(verify, "").await;
    let said: Value = serde_json::from_str(&done.stdout).map_err(|error| format!("{error}: {done:?}"))?;
    Ok((done.code, said["reason"].as_str().unwrap_or_default().to_owned()))
}

/// A changed byte, another key, a rotated key and an ended one are told apart, for a verdict and for an answer.
async fn signed() -> Result<(), Failed> {
    let old = format!("old={OLD}");
    let server = HttpServer::start(&[("FRESHCONTEXT_SIGNING_KEYS", &old)]).await;
    let given = json!({"signals": [{"content": "a b", "source": "https://example.com/"}]});
    let answer = server.send("POST", "/v1/evaluate", &[], &given.to_string()).await;
    let signature = answer.header("freshcontext-signature").to_owned();
    let mut complaints = Vec::new();
    let both = format!("old={OLD},new={NEW}");
    let (other, missing) = (format!("old={NEW}"), format!("new={NEW}"));
    let changed = answer.body.replace("needs_verification", "use_first");
    let body = &answer.body;
    for (what, file, keys, retired, expected) in [
        ("as it is", body, &old, None, (Some(0), "valid")),
        ("changed", &changed, &old, None, (Some(1), "changed")),
        ("another key", body, &other, None, (Some(1), "other_key")),
        ("an unknown key", body, &missing, None, (Some(1), "unknown_key")),
        (
            "a rotated key",
            body,
            &both,
            Some("2100-01-01T00:00:00Z"),
            (Some(0), "retired_key"),
        ),
        (
            "an ended key",
            body,
            &both,
            Some("2020-01-01T00:00:00Z"),
            (Some(1), "expired_key"),
        ),
    ] {
        for signature in [None, Some(signature.as_str())] {
            let found = verified(file, signature, keys, retired).await?;
            if (found.0, found.1.as_str()) != expected {
                complaints.push(format!("{what} ({}): {found:?}", signature.is_some()));
            }
        }
    }
    // Over MCP the text is signed, and the verdicts are signed as over REST.
    let params = json!({"name": "evaluate_context", "arguments": given});
    let result = server.ask(MODERN, "tools/call", params).await["result"].clone();
    let signature = result["_meta"]["io.github.freshcontext/signature"].to_string();
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    for (file, signature) in [(text, Some(signature.as_str())), (&result.to_string(), None)] {
        let found = verified(file, signature, &old, None).await?;
        if found != (Some(0), "valid".to_owned()) {
            complaints.push(format!("over MCP: {found:?} {result}"));
        }
    }
    // At the shell, too.
    let mut shell = command(&["evaluate", "-", "--json"]);
    shell.env("FRESHCONTEXT_SIGNING_KEYS", &old);
    let done = finish(shell, &given.to_string()).await;
    let found = verified(&done.stdout, None, &old, None).await?;
    if found != (Some(0), "valid".to_owned()) {
        complaints.push(format!("at the shell: {found:?} {done:?}"));
    }
    let failed = server.send("POST", "/v1/evaluate", &[], "{}").await;
    if !failed.header("freshcontext-signature").is_empty() {
        complaints.push("a failed call is signed".to_owned());
    }
    verdict(complaints)
}

/// Every change of an evaluation is told, wherever it is; and nothing that is not signed is valid.
async fn whole() -> Result<(), Failed> {
    let old = format!("old={OLD}");
    let settings = [("FRESHCONTEXT_SIGNING_KEYS", old.as_str())];
    let server = HttpServer::start(&settings).await;
    let given = json!({"signals": [
        {"content": "a b", "source": "https://example.com/a", "title": "A", "published_at": "2026-11-20", "semantic_score": 0.4},
        {"content": "c", "source": "https://example.com/c", "semantic_score": 0.300_000_000_000_000_04}
    ]});
    let answer = server.send("POST", "/v1/evaluate", &[], &given.to_string()).await;
    let signed = answer.json();
    let mut complaints = Vec::new();
    let mut check = async |what: &str, file: &str, code: i32, reason: &str| -> Result<(), Failed> {
        let found = verified(file, None, &old, None).await?;
        if (found.0, found.1.as_str()) != (Some(code), reason) {
            complaints.push(format!("{what}: {found:?} instead of {reason}"));
        }
        Ok(())
    };
    // Order and blanks count for nothing.
    let pretty = serde_json::to_string_pretty(&signed)?;
    check("as it is", &answer.body, 0, "valid").await?;
    check("pretty", &pretty, 0, "valid").await?;
    let later = json!("2040-01-01T00:00:00.000Z");
    for (place, value) in [
        ("/results/0/source", json!("https://example.org/")),
        ("/results/0/title", json!("B")),
        ("/results/0/handoff/safe_for_agent_handoff", json!(true)),
        ("/results/0/confidence", json!("certain")),
        ("/results/0/provenance_readiness/state", json!("other")),
        ("/results/0/evaluated_at", later.clone()),
        ("/results/0/revalidate_after", later.clone()),
        ("/results/1/index", json!(0)),
        ("/results/1", signed["results"][0].clone()),
        ("/results", json!([])),
        ("/now", later),
        ("/added", json!(1)),
        ("/results/0/added", json!(null)),
        ("/signature/says", json!("This is true.")),
        ("/signature/engine_version", json!("9")),
        ("/signature/added", json!(1)),
        ("/signature/evaluation/added", json!(1)),
        ("/signature/verdicts", json!([])),
        (
            "/signature/verdicts/1",
            signed["signature"]["verdicts"][0].clone(),
        ),
        (
            "/signature/evaluation",
            signed["signature"]["verdicts"][0].clone(),
        ),
    ] {
        let mut changed = signed.clone();
        let (parent, name) = place.rsplit_once('/').ok_or("no place")?;
        match changed.pointer_mut(parent) {
            Some(Value::Array(items)) => items[name.parse::<usize>()?] = value,
            Some(parent) => parent[name] = value,
            None => return Err(format!("there is no {parent}").into()),
        }
        check(place, &changed.to_string(), 1, "changed").await?;
    }
    // A name that comes twice is refused at every depth, whichever of the two is the signed one.
    let decision = format!("\"decision\":{}", signed["results"][0]["decision"]);
    let twice = answer.body.replacen(
        &decision,
        &format!("\"decision\":\"cite_as_primary\",{decision}"),
        1,
    );
    let escaped = answer
        .body
        .replacen(&decision, &format!("\"d\\u0065cision\":\"x\",{decision}"), 1);
    let results = answer.body.replacen('{', "{\"results\":[],", 1);
    for (what, file) in [
        ("twice", &twice),
        ("escaped", &escaped),
        ("results twice", &results),
    ] {
        check(what, file, 1, "duplicate_field").await?;
    }
    let wrapped = format!(
        "{{\"result\":{{\"x\":[{twice}],\"structuredContent\":{}}}}}",
        answer.body
    );
    check("twice beside it", &wrapped, 1, "duplicate_field").await?;
    // What is not signed, or as an earlier version signed, is not valid.
    let mut earlier = signed.clone();
    earlier["signature"] = json!({"says": "x", "engine_version": signed["signature"]["engine_version"],
        "verdicts": signed["signature"]["verdicts"]});
    check("earlier", &earlier.to_string(), 1, "verdicts_only").await?;
    earlier["results"][0]["decision"] = json!("use_first");
    check("earlier, changed", &earlier.to_string(), 1, "changed").await?;
    let nothing = json!({"says": "x", "engine_version": "0", "verdicts": []});
    for signature in [nothing, json!(null), json!({}), json!([])] {
        let forged = json!({"results": [], "assembly": {"text": "forged"}, "signature": signature});
        check("forged", &forged.to_string(), 1, "unknown_scheme").await?;
        let mut stripped = signed.clone();
        stripped["signature"] = signature;
        check("stripped", &stripped.to_string(), 1, "unknown_scheme").await?;
    }
    // With records, which leave in the same object.
    let mut recorded = given;
    recorded["records"] = json!("full");
    let answer = server
        .send("POST", "/v1/evaluate", &[], &recorded.to_string())
        .await;
    if !answer.json()["records"].is_object() {
        return Err(format!("no records: {}", answer.body).into());
    }
    check("with records", &answer.body, 0, "valid").await?;
    let mut changed = answer.json();
    changed["records"]["added"] = json!(1);
    check("records", &changed.to_string(), 1, "changed").await?;
    verdict(complaints)
}

/// Keys come from the environment or from files; what is wrong with them is said without showing them.
async fn keys() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let file = scratch().join("signing-key");
    std::fs::write(&file, format!("{NEW}\n"))?;
    let named = format!("new=file:{}", file.display());
    let (short, spaced) = ("a=c2hvcnQ".to_owned(), format!("a/b={NEW}"));
    for (keys, code, says) in [
        (named, 0, "\"new\""),
        (format!("new={NEW}"), 0, "EdDSA"),
        (short, 2, "32 bytes"),
        (spaced, 2, "`a/b`"),
        ("a=file:/nowhere/at/all".to_owned(), 2, "/nowhere"),
    ] {
        let mut printing = command(&["keys"]);
        printing.env("FRESHCONTEXT_SIGNING_KEYS", &keys);
        let done = finish(printing, "").await;
        let said = format!("{}{}", done.stdout, done.stderr);
        if done.code != Some(code) || !said.contains(says) || said.contains(NEW) || said.contains("c2hvcnQ") {
            complaints.push(format!("{keys}: {done:?}"));
        }
    }
    let unsigned = finish(command(&["keys"]), "").await;
    if !unsigned.stdout.contains("signs nothing") {
        complaints.push(format!("{unsigned:?}"));
    }
    verdict(complaints)
}
