//! Signed verdicts and answers, from a server to `freshcontext verify` with nothing but the key document.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{MODERN, command, finish, scratch};
use crate::run::block_on;
use crate::verdict;
use crate::wire::HttpServer;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("rest::signed", || block_on(signed())),
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
    let folder = scratch().join("signed");
    std::fs::create_dir_all(&folder)?;
    let name = |end: &str| folder.join(format!("{}-{end}", std::process::id()));
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
