//! Requests that carry the operator's keys: only those whose address an adapter wrote.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::DateTime;
use freshcontext_contract::{AnyAdapter, Apply, Clock, Limits};
use freshcontext_engine::{CallContext, Engine};
use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest, StepClock};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::run::{block_on, call, engine, once};
use crate::upstreams::{json_reply, reply};
use crate::verdict;

const CANARY: &str = "canary-secret-value";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test(
            "credentials::go_along_where_the_adapter_wrote_the_address",
            || block_on(written()),
        ),
        Trial::test("credentials::stay_where_a_page_or_caller_named_the_host", || {
            block_on(foreign())
        }),
        Trial::test(
            "credentials::follow_a_renamed_repository_and_no_other_host",
            || block_on(redirected()),
        ),
    ]
}

/// A whole server with every key set.
fn keyed(base: &str, limits: Limits) -> Result<Arc<Engine>, String> {
    let now = DateTime::from_timestamp(1_794_000_000, 0).ok_or("a moment")?;
    let clock: Arc<dyn Clock> = Arc::new(StepClock::new(now));
    engine(base, clock, limits, |config| {
        config.secrets = names()
            .into_iter()
            .map(|name| (name, CANARY.to_owned()))
            .collect::<HashMap<_, _>>();
    })
}

/// Every environment name that holds a part of a credential.
fn names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for adapter in freshcontext_sources::adapters() {
        for credential in AnyAdapter::descriptor(adapter.as_ref()).credentials {
            names.extend(credential.env.iter().map(|name| (*name).to_owned()));
            if let Apply::ClientCredentials { secret_env, .. } = credential.apply {
                names.push(secret_env.to_owned());
            }
        }
    }
    names
}

/// Whether a request carries a secret, or a token derived from one.
fn carries(seen: &SeenRequest) -> bool {
    let told = |text: &str| text.contains(CANARY) || text.contains("minted-token");
    told(&seen.target)
        || seen.header("authorization").is_some()
        || seen.headers.iter().any(|(_, value)| told(value))
        || told(&String::from_utf8_lossy(&seen.body))
}

fn arguments(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Calls all tools with every source failing; each credential's host is requested with the credential.
async fn written() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| match seen.host.as_str() {
        "www.reddit.com" if seen.target.starts_with("/api/v1/access_token") => {
            json_reply(r#"{"access_token":"minted-token","token_type":"bearer","expires_in":3600}"#)
        }
        // Its second request is made only after a response to the first.
        "data.gov.sg" => json_reply(r#"{"success":true,"result":{"records":[],"total":0}}"#),
        _ => reply(503, "text/plain", "out of order"),
    })
    .await?;
    let mut limits = once();
    limits.breaker_failures = 1_000;
    let engine = keyed(&upstream.base(), limits)?;
    let mut wanted: BTreeMap<&'static str, usize> = BTreeMap::new();
    for adapter in freshcontext_sources::adapters() {
        let source = AnyAdapter::descriptor(adapter.as_ref());
        wanted.extend(source.credentials.iter().map(|credential| (credential.host, 0)));
        let example: Value = serde_json::from_str(source.example)?;
        call(&engine, source.tool, arguments(&example), CallContext::default()).await?;
    }
    let more = [
        ("extract_finance", json!({"symbols": ["AAPL"]})),
        ("extract_changelog", json!({"url": "rust-lang/rust"})),
        ("extract_github", json!({"url": "rust-lang/rust"})),
    ];
    for (tool, given) in more {
        // A tool with other arguments reports an error; the hosts below show whether enough was requested.
        let _ = call(&engine, tool, arguments(&given), CallContext::default()).await;
    }
    let mut complaints = Vec::new();
    for seen in upstream.requests() {
        let Some(count) = wanted.get_mut(seen.host.as_str()) else {
            continue;
        };
        *count += 1;
        if !carries(&seen) {
            complaints.push(format!("{}{} went without its key", seen.host, seen.target));
        }
    }
    complaints.extend(
        wanted
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(host, _)| format!("{host} was never asked")),
    );
    verdict(complaints)
}

/// A redirect to this address.
fn moved(to: &str) -> Reply {
    Reply {
        headers: vec![("location".to_owned(), to.to_owned())],
        ..reply(302, "text/html", "moved")
    }
}

const PAGE: &str = "https://stranger.example/changelog";

/// A script that answers for a foreign host.
type Answer = fn(&SeenRequest) -> Option<Reply>;

/// Every way in which foreign text becomes an address.
fn ways() -> Vec<(&'static str, &'static str, Value, Answer)> {
    let page = json!({"url": PAGE});
    vec![
        (
            "a page redirects there",
            "extract_changelog",
            page.clone(),
            |seen| (seen.host == "stranger.example").then(|| moved("https://api.github.com/user/emails")),
        ),
        (
            "a page offers a feed there",
            "extract_changelog",
            page.clone(),
            |seen| {
                (seen.host == "stranger.example").then(|| {
                let link = r#"<link rel="alternate" type="application/atom+xml" href="https://api.github.com/user">"#;
                reply(200, "text/html", &format!("<html><head>{link}</head><body><p>Hello</p></body></html>"))
            })
            },
        ),
        (
            "a page's feed redirects there",
            "extract_changelog",
            page.clone(),
            |seen| {
                (seen.host == "stranger.example").then(|| match seen.target.as_str() {
                    "/changelog" => {
                        let link = r#"<link rel="alternate" type="application/rss+xml" href="/feed.xml">"#;
                        reply(
                            200,
                            "text/html",
                            &format!("<html><head>{link}</head><body><p>Hello</p></body></html>"),
                        )
                    }
                    _ => moved("https://api.github.com/notifications"),
                })
            },
        ),
        (
            "a usual place redirects there",
            "extract_changelog",
            json!({"url": "https://stranger.example/"}),
            |seen| {
                (seen.host == "stranger.example").then(|| match seen.target.as_str() {
                    "/" => reply(200, "text/html", "<html><body><p>Hello</p></body></html>"),
                    _ => moved("https://api.github.com/gists"),
                })
            },
        ),
        ("a page refreshes to it", "extract_changelog", page, |seen| {
            (seen.host == "stranger.example").then(|| {
                let link = r#"<meta http-equiv="refresh" content="0; url=https://api.github.com/user">
                    <link rel="next" href="https://api.github.com/user">
                    <link rel="canonical" href="https://api.github.com/user">"#;
                let headers = "<https://api.github.com/user>; rel=\"next\"".to_owned();
                Reply {
                    headers: vec![
                        ("content-type".into(), "text/html".into()),
                        ("link".into(), headers),
                    ],
                    ..reply(
                        200,
                        "text/html",
                        &format!("<html><head>{link}</head><body></body></html>"),
                    )
                }
            })
        }),
        (
            "the caller names it",
            "extract_changelog",
            json!({"url": "https://api.github.com/user"}),
            |_| None,
        ),
        (
            "the caller names its root",
            "extract_changelog",
            json!({"url": "https://api.github.com/"}),
            |_| None,
        ),
        (
            "the caller names it with a query",
            "extract_changelog",
            json!({"url": "https://api.github.com/search/code?q=x"}),
            |_| None,
        ),
        (
            "a share link leads to the API",
            "extract_reddit",
            json!({"url": "https://www.reddit.com/r/rust/s/AbC123"}),
            |seen| {
                (seen.host == "www.reddit.com" && seen.target.contains("/s/"))
                    .then(|| moved("https://oauth.reddit.com/stranger"))
            },
        ),
    ]
}

/// Each such address is requested without the key, or not at all.
async fn foreign() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let mut led = 0;
    for (what, tool, given, answer) in ways() {
        let upstream = ScriptedUpstream::start(move |seen: &SeenRequest| {
            answer(seen).unwrap_or_else(|| match seen.target.as_str() {
                target if target.starts_with("/api/v1/access_token") => {
                    json_reply(r#"{"access_token":"minted-token","expires_in":3600}"#)
                }
                _ => reply(
                    200,
                    "text/html",
                    "<html><body><p>private things</p></body></html>",
                ),
            })
        })
        .await?;
        let engine = keyed(&upstream.base(), once())?;
        call(&engine, tool, arguments(&given), CallContext::default()).await?;
        let keyed_hosts = ["api.github.com", "data.gov.sg", "oauth.reddit.com"];
        for seen in upstream.requests() {
            // The adapter's own requests to these hosts.
            let own = seen.target.starts_with("/api/action/") || seen.target.starts_with("/comments/");
            if own || !keyed_hosts.contains(&seen.host.as_str()) {
                continue;
            }
            led += 1;
            if carries(&seen) {
                complaints.push(format!("{what}: {}{} got the key", seen.host, seen.target));
            }
        }
        for seen in upstream.requests() {
            if seen.host.starts_with("stranger") && carries(&seen) {
                complaints.push(format!("{what}: a stranger got a key at {}", seen.target));
            }
        }
    }
    // Most of these ways must lead to a request; otherwise this test proves nothing.
    if led < 8 {
        complaints.push(format!("only {led} requests went where a key belongs"));
    }
    verdict(complaints)
}

/// `GET /repos/a/b` of a renamed repository is answered with `301` to `/repositories/<id>` on the same host,
/// and that hop keeps the token; a redirect through another host loses it.
async fn redirected() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (through, expected) in [
        (
            "https://api.github.com/repositories/1/releases",
            [true, true].as_slice(),
        ),
        ("https://stranger.example/back", [true, false, false].as_slice()),
    ] {
        let upstream = ScriptedUpstream::start(move |seen: &SeenRequest| {
            if seen.target.starts_with("/repos/old/name/releases") {
                moved(through)
            } else if seen.host == "stranger.example" {
                moved("https://api.github.com/user")
            } else {
                json_reply("[]")
            }
        })
        .await?;
        let engine = keyed(&upstream.base(), once())?;
        let given = json!({"url": "old/name"});
        call(
            &engine,
            "extract_changelog",
            arguments(&given),
            CallContext::default(),
        )
        .await?;
        let got: Vec<bool> = upstream
            .requests()
            .iter()
            .filter(|seen| ["api.github.com", "stranger.example"].contains(&seen.host.as_str()))
            .map(carries)
            .collect();
        if got != expected {
            complaints.push(format!("through {through}: {got:?}"));
        }
    }
    verdict(complaints)
}
