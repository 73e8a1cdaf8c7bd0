//! A host that refuses without a delay gets no second request: not from the refused call, and not from the
//! next ones during the back-off that callers are told.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use freshcontext_contract::{Descriptor, ErrorCode, Limits, When};
use freshcontext_testkit::{Case, Reply, SeenRequest, load_cases};
use libtest_mimic::{Failed, Trial};

use crate::cases::{of_a_composite, panic_line};
use crate::run::{Bench, block_on};
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    let descriptors: BTreeMap<&str, &'static Descriptor> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| (adapter.descriptor().tool, adapter.descriptor()))
        .collect();
    cases
        .into_iter()
        .filter(|case| case.expect.status.is_some() && !case.exchanges.is_empty() && !of_a_composite(case))
        .map(|case| {
            let refusals = descriptors
                .get(case.tool.as_str())
                .map_or_else(Vec::new, |descriptor| refusals(descriptor));
            let name = format!("{}::{}::refused", case.tool, case.name);
            let case = Arc::new(case);
            Trial::test(name, move || block_on(asked_once(&case, refusals)))
        })
        .collect()
}

/// A refusal, with a description for complaints.
type Refusal = (String, Reply);

fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    headers.push(("content-type".to_owned(), "text/plain".to_owned()));
    Reply {
        status,
        headers,
        body: body.as_bytes().to_vec(),
        delay_ms: 0,
    }
}

/// All ways in which a source may refuse without a delay: the common ones, and its own.
fn refusals(descriptor: &Descriptor) -> Vec<Refusal> {
    let mut out = vec![
        ("429".to_owned(), reply(429, &[], "Too Many Requests")),
        (
            "429 and a time that is none".to_owned(),
            reply(429, &[("retry-after", "in a while")], "Too Many Requests"),
        ),
        (
            "403 that means slow down".to_owned(),
            reply(403, &[("x-ratelimit-remaining", "0")], "slow down"),
        ),
    ];
    for marker in descriptor.markers {
        // A page that requires a setting will not change on a retry.
        if matches!(marker.code, ErrorCode::RateLimited | ErrorCode::Misconfigured) {
            for status in [200, 403, 429] {
                let what = format!("{status} with `{}`", marker.contains);
                out.push((what, reply(status, &[], marker.contains)));
            }
        }
    }
    for rule in descriptor.status_rules {
        if rule.code == ErrorCode::RateLimited {
            let refusal = match rule.when {
                When::Always | When::NoErrorInJson => reply(rule.status, &[], "no"),
                When::BodyContains(text) => reply(rule.status, &[], text),
                When::HeaderIs(name, value) => reply(rule.status, &[(name, value)], "no"),
                When::HeaderPresent(name) => reply(rule.status, &[(name, "in a while")], "no"),
            };
            out.push((format!("{} by the source's own rule", rule.status), refusal));
        }
    }
    out
}

async fn asked_once(case: &Case, refusals: Vec<Refusal>) -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (what, refusal) in refusals {
        let bench = Bench::hurried(case, Path::new(""), Limits::DEFAULT, |script| {
            script.answer_all(&refusal);
        })
        .await?;
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        if !outcome.is_error {
            complaints.push(format!("{what}: an answer came of it: {}", outcome.text));
            continue;
        }
        if outcome.code() == "rate_limited" && outcome.structured.get("retry_after_s").is_none() {
            complaints.push(format!(
                "{what}: it is not said how long the source is left alone"
            ));
        }
        let requests = bench.upstream.requests();
        complaints.extend(repeated(&what, &requests));
        // A waiting caller would get the same error; no request is made meanwhile.
        let again = bench.call(&case.tool, case.arguments.clone()).await?;
        let more = bench.upstream.requests().split_off(requests.len());
        if let Some(request) = more.first().filter(|_| outcome.code() == "rate_limited") {
            complaints.push(format!(
                "{what}: the next call asked {} again ({} requests, {})",
                request.host,
                more.len(),
                again.code()
            ));
        }
    }
    // One address refused while the others succeed.
    for number in 0..case.exchanges.len() {
        let bench = Bench::hurried(case, Path::new(""), Limits::DEFAULT, |script| {
            let at = AtomicUsize::new(0);
            script.alter(|_, line| {
                if at.fetch_add(1, Ordering::Relaxed) == number {
                    line.clone_from(&reply(429, &[], "Too Many Requests"));
                }
            });
        })
        .await?;
        bench.call(&case.tool, case.arguments.clone()).await?;
        let what = format!("429 of exchange {} alone", number + 1);
        let mut requests = bench.upstream.requests();
        requests.retain(|request| {
            let refused = case.exchanges.get(number).map(|exchange| &exchange.url);
            refused.is_some_and(|url| {
                url.host_str() == Some(request.host.as_str()) && request.target.starts_with(url.path())
            })
        });
        complaints.extend(repeated(&what, &requests));
    }
    verdict(complaints)
}

/// Returns requests that were sent more than once.
fn repeated(what: &str, requests: &[SeenRequest]) -> Vec<String> {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in requests {
        let body = String::from_utf8_lossy(&request.body);
        let name = format!("{} {}{} {body}", request.method, request.host, request.target);
        *asked.entry(name).or_default() += 1;
    }
    let repeated = asked.into_iter().filter(|(_, times)| *times > 1);
    repeated
        .map(|(request, times)| format!("{what}: asked {times} times: {request}"))
        .collect()
}
