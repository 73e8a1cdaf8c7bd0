//! A key that its source rejects. If the host requires a key, the refusal is the result and there is no
//! retry; any other host gets one retry without the key.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Apply, Credential, Descriptor};
use freshcontext_engine::CallContext;
use freshcontext_testkit::{Case, SECRET, Script, ScriptedUpstream, SeenRequest, StepClock};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value};

use crate::run::{block_on, call, engine, once};
use crate::upstreams::reply;
use crate::{root, verdict};

/// One test per source and key, so a source with a new key has one as well.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        for credential in facts.credentials {
            let name = format!("refused_keys::{}::{}", facts.id, credential.host);
            trials.push(Trial::test(name, move || block_on(refused(facts, credential))));
        }
    }
    trials.push(Trial::test("refused_keys::said", || block_on(said())));
    trials
}

/// A result obtained without the key says so.
async fn said() -> Result<(), Failed> {
    let case = Case::read(&root().join("fixtures/github/repository/case.toml"))?;
    let script = Script::of(&case, Path::new(""))?;
    let upstream = ScriptedUpstream::start(move |seen| {
        if carries_key(seen) {
            reply(401, "application/json", r#"{"message": "Bad credentials"}"#)
        } else {
            script.answer(seen)
        }
    })
    .await?;
    let clock = Arc::new(StepClock::new(case.now));
    let engine = engine(&upstream.base(), clock, once(), |config| {
        config.secrets = HashMap::from([("GITHUB_TOKEN".to_owned(), SECRET.to_owned())]);
    })?;
    let outcome = call(
        &engine,
        &case.tool,
        case.arguments.clone(),
        CallContext::default(),
    )
    .await?;
    if outcome.is_error
        || outcome
            .text
            .matches("does not accept the key in GITHUB_TOKEN")
            .count()
            != 1
    {
        return Err(format!("it should say once that the key was refused:\n{}", outcome.text).into());
    }
    Ok(())
}

/// Requests with and without the key, by address.
type Asked = BTreeMap<String, (usize, usize)>;

async fn refused(facts: &'static Descriptor, credential: &'static Credential) -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen| {
        let (status, body) = if carries_key(seen) {
            (401, r#"{"message": "Bad credentials"}"#)
        } else if seen.target.contains("datastore_search") {
            // GeBIZ requests its dataset's record only after a first response.
            (200, r#"{"success": true, "result": {"records": [], "total": 0}}"#)
        } else {
            (404, r#"{"message": "Not Found"}"#)
        };
        reply(status, "application/json", body)
    })
    .await?;
    let clock = Arc::new(StepClock::new("2026-11-21T20:15:00Z".parse()?));
    let engine = engine(&upstream.base(), clock, once(), |config| {
        config.secrets = secrets(credential);
    })?;
    let arguments: Map<String, Value> = serde_json::from_str(facts.example)?;
    call(&engine, facts.tool, arguments, CallContext::default()).await?;

    let mut wrong = Vec::new();
    let at_host = asked(&upstream, credential.host, "");
    let with_key = match credential.apply {
        // The token endpoint refuses the client; the host itself gets no request.
        Apply::ClientCredentials { token_url, .. } => {
            for (address, counts) in &at_host {
                wrong.push(format!("{address} was asked without a token: {counts:?}"));
            }
            let issuer = Url::parse(token_url)?;
            asked(&upstream, issuer.host_str().unwrap_or_default(), issuer.path())
        }
        _ => at_host,
    };
    if with_key.is_empty() {
        wrong.push(format!("{} was not asked at all", credential.host));
    }
    let due = if credential.required { (1, 0) } else { (1, 1) };
    for (address, counts) in with_key {
        if counts != due {
            wrong.push(format!(
                "{address} was asked {} times with the key and {} times without, not {} and {}",
                counts.0, counts.1, due.0, due.1
            ));
        }
    }
    verdict(wrong)
}

fn secrets(credential: &Credential) -> HashMap<String, String> {
    let secret_env = match credential.apply {
        Apply::ClientCredentials { secret_env, .. } => Some(secret_env),
        _ => None,
    };
    credential
        .env
        .first()
        .into_iter()
        .copied()
        .chain(secret_env)
        .map(|name| (name.to_owned(), SECRET.to_owned()))
        .collect()
}

/// Returns the requests to a host below a path, without the key in the addresses.
fn asked(upstream: &ScriptedUpstream, host: &str, path: &str) -> Asked {
    let mut asked = Asked::new();
    for seen in upstream.requests() {
        if seen.host != host || !seen.target.starts_with(path) {
            continue;
        }
        let parameters = seen.target.split(['?', '&']);
        let address: Vec<&str> = parameters.filter(|part| !part.ends_with(SECRET)).collect();
        let counts = asked.entry(format!("{host}{}", address.join(" "))).or_default();
        if carries_key(&seen) {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }
    asked
}

/// Whether a request carries the tests' key, in any form.
fn carries_key(seen: &SeenRequest) -> bool {
    seen.target.contains(SECRET)
        || seen
            .headers
            .iter()
            .any(|(name, value)| name == "authorization" || value.contains(SECRET))
}
