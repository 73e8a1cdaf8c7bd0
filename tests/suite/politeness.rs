//! F05: published limits hold by the upstream's own clock, whatever many callers ask for at once.
//!
//! The pace of arXiv and GDELT has a trial of its own in `limits`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{HostRate, Limits};
use freshcontext_engine::{CallContext, Engine};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Kind, Reply, ScriptedUpstream, SeenRequest, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use crate::composites::engine;
use crate::run::{CONTACT, block_on, call};
use crate::upstreams::{json_reply, ordinary};
use crate::wire::HttpServer;
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("politeness::sec", || block_on(sec())),
        Trial::test("politeness::data_gov_sg", || block_on(data_gov_sg())),
        Trial::test("politeness::github_search", || block_on(github_search())),
        Trial::test("politeness::reddit_feeds", || block_on(reddit_feeds())),
        Trial::test("politeness::crates_io", || block_on(crates_io())),
        Trial::test(
            "politeness::composites_at_once",
            || block_on(composites_at_once()),
        ),
        Trial::test("politeness::fifty_callers", || block_on(fifty_callers())),
        Trial::test("politeness::asked_anew", || block_on(asked_anew())),
    ]
}

/// One feed a minute: a call that cannot wait makes no request, and its error says how to lift the limit.
async fn reddit_feeds() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 3_000)?;
    let ask = |word: &str| Map::from_iter([("url".to_owned(), Value::from(word))]);
    let first = call(&engine, "extract_reddit", ask("r/rust"), CallContext::default()).await?;
    let second = call(&engine, "extract_reddit", ask("r/python"), CallContext::default()).await?;
    let asked = upstream
        .requests()
        .iter()
        .filter(|seen| seen.host == "www.reddit.com")
        .count();
    let mut wrong = Vec::new();
    if first.is_error || asked != 1 {
        wrong.push(format!("{asked} requests; the first: {}", first.text));
    }
    if second.code() != "rate_limited" || !second.text.contains("REDDIT_CLIENT_ID") {
        wrong.push(format!("the second: {}", second.text));
    }
    verdict(wrong)
}

/// The same question twice is one request, and a `max_age` of 0 asks the source again.
async fn asked_anew() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 10_000)?;
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    for more in [
        json!({}),
        json!({}),
        json!({"max_age": 0}),
        json!({"max_age": "0"}),
    ] {
        let mut arguments = Map::from_iter([("url".to_owned(), Value::from("rust"))]);
        arguments.extend(more.as_object().cloned().unwrap_or_default());
        let outcome = call(&engine, "extract_hackernews", arguments, CallContext::default()).await?;
        if outcome.is_error {
            wrong.push(outcome.text);
        }
        asked.push(upstream.requests().len());
    }
    let once = asked.first().copied().unwrap_or_default();
    if once == 0 || asked != [once, once, 2 * once, 3 * once] {
        wrong.push(format!("requests after each call: {asked:?}"));
    }
    verdict(wrong)
}

/// Arguments of one call.
type Question = (String, Value);

/// A tool's question for each of `count` words.
fn questions(tool: &str, argument: &str, count: usize, word: impl Fn(usize) -> String) -> Vec<Question> {
    (0..count)
        .map(|at| {
            (
                tool.to_owned(),
                Value::Object(Map::from_iter([(argument.to_owned(), word(at).into())])),
            )
        })
        .collect()
}

/// The ticker of a made-up company.
fn ticker(at: usize) -> String {
    let letter = |n: usize| char::from(b'A' + u8::try_from(n % 26).unwrap_or_default());
    format!("Q{}{}", letter(at / 26), letter(at))
}

/// An upstream with the responses of all ordinary cases by host and path, for any query; tickers and crates
/// are generated on request.
async fn everything() -> Result<ScriptedUpstream, String> {
    let mut known: HashMap<(String, String), Reply> = HashMap::new();
    for case in load_cases(&root().join("fixtures"))?
        .iter()
        .filter(|case| case.kind == Kind::Ok)
    {
        for exchange in case.exchanges.iter().filter(|exchange| exchange.status == 200) {
            let place = (
                exchange.url.host_str().unwrap_or_default().to_owned(),
                exchange.url.path().to_owned(),
            );
            let reply = Reply {
                status: 200,
                headers: vec![("content-type".to_owned(), exchange.content_type())],
                body: case.body(exchange, Path::new(""))?,
                delay_ms: 0,
            };
            known.entry(place).or_insert(reply);
        }
    }
    let body = |host: &str, path: &str| {
        let reply = known.get(&(host.to_owned(), path.to_owned()));
        reply.map(|reply| String::from_utf8_lossy(&reply.body).into_owned())
    };
    let company =
        body("data.sec.gov", "/submissions/CIK0001000001.json").ok_or("no filings in the fixtures")?;
    let serde = body("crates.io", "/api/v1/crates/serde").ok_or("no crate in the fixtures")?;
    let table: Map<String, Value> = (0..60)
        .map(|at| {
            (
                at.to_string(),
                json!({"cik_str": 1_000_001 + at, "ticker": ticker(at), "title": format!("Example {at}")}),
            )
        })
        .chain([(
            "60".to_owned(),
            json!({"cik_str": 1_000_001, "ticker": "PLTR", "title": "Example"}),
        )])
        .collect();
    let table = Value::Object(table).to_string();
    ScriptedUpstream::start(move |seen| {
        let path = seen.target.split('?').next().unwrap_or_default();
        match seen.host.as_str() {
            "www.sec.gov" => json_reply(&table),
            "data.sec.gov" => json_reply(&company),
            "quote.cnbc.com" => json_reply(&quotes(seen)),
            "crates.io" => json_reply(&serde.replace("serde", path.rsplit('/').next().unwrap_or_default())),
            _ => {
                let found = known.get(&(seen.host.clone(), path.to_owned()));
                found.cloned().unwrap_or_else(|| ordinary(seen))
            }
        }
    })
    .await
    .map_err(|error| error.to_string())
}

/// A quote for each symbol that is asked for.
fn quotes(seen: &SeenRequest) -> String {
    let url = Url::parse(&format!("https://{}{}", seen.host, seen.target)).expect("an address");
    let symbols = url.query_pairs().find(|(name, _)| name == "symbols");
    let symbols = symbols
        .map(|(_, symbols)| symbols.into_owned())
        .unwrap_or_default();
    let quotes: Vec<Value> = symbols
        .split('|')
        .map(|symbol| {
            json!({"symbol": symbol, "name": "Example", "last": "10.50", "currencyCode": "USD",
                "last_time": "2026-11-20T16:00:00.000-0500"})
        })
        .collect();
    json!({"FormattedQuoteResult": {"FormattedQuote": quotes}}).to_string()
}

fn local(upstream: &ScriptedUpstream, deadline_ms: u64) -> Result<Arc<Engine>, String> {
    let limits = Limits {
        call_deadline_ms: deadline_ms,
        composite_deadline_ms: deadline_ms,
        ..Limits::DEFAULT
    };
    let now = "2026-11-21T20:15:00Z".parse().map_err(|_| "a wrong instant")?;
    engine(&upstream.base(), now, limits)
}

/// Makes all calls concurrently. Returns the results in order; none may exceed the deadline and a margin.
async fn at_once(
    engine: &Arc<Engine>,
    questions: &[Question],
    most: Duration,
) -> Result<Vec<Outcome>, Failed> {
    let mut running = JoinSet::new();
    for (at, (tool, arguments)) in questions.iter().cloned().enumerate() {
        let engine = Arc::clone(engine);
        running.spawn(async move {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            (at, call(&engine, &tool, arguments, CallContext::default()).await)
        });
    }
    collected(running, most).await
}

async fn collected(
    mut running: JoinSet<(usize, Result<Outcome, String>)>,
    most: Duration,
) -> Result<Vec<Outcome>, Failed> {
    let began = Instant::now();
    let count = running.len();
    let mut outcomes = BTreeMap::new();
    while let Some(done) = running.join_next().await {
        let (at, outcome) = done?;
        outcomes.insert(at, outcome?);
    }
    if outcomes.len() != count || began.elapsed() > most {
        return Err(format!("{} of {count} answers in {:?}", outcomes.len(), began.elapsed()).into());
    }
    Ok(outcomes.into_values().collect())
}

/// Compares every published limit of every source with the requests received.
fn violations(requests: &[SeenRequest]) -> Vec<String> {
    let adapters = freshcontext_sources::adapters();
    let rates: Vec<&HostRate> = adapters
        .iter()
        .flat_map(|adapter| adapter.descriptor().rates)
        .collect();
    let mut seen: BTreeMap<(&str, &str), (&HostRate, Vec<Instant>)> = BTreeMap::new();
    for request in requests {
        let fitting = rates
            .iter()
            .filter(|rate| rate.host == request.host && request.target.starts_with(rate.path));
        if let Some(rate) = fitting.max_by_key(|rate| rate.path.len()) {
            let times = &mut seen.entry((rate.host, rate.path)).or_insert((rate, Vec::new())).1;
            times.push(request.at);
        }
    }
    let mut out = Vec::new();
    for (place, (rate, times)) in &seen {
        let window = usize::try_from(rate.pace.requests)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        for together in times.windows(window) {
            let apart = together[window - 1] - together[0];
            if apart < rate.pace.per {
                out.push(format!("{place:?}: {window} requests within {apart:?}"));
            }
        }
    }
    out
}

fn of<'r>(requests: &'r [SeenRequest], host: &str) -> Vec<&'r SeenRequest> {
    requests.iter().filter(|seen| seen.host == host).collect()
}

/// Returns the number of served calls; all others must be refused with a delay.
fn served(outcomes: &[Outcome], longest: u64) -> Result<usize, Failed> {
    let mut served = 0;
    for outcome in outcomes {
        if outcome.is_error {
            let wait = outcome.structured["retry_after_s"].as_u64().unwrap_or_default();
            if outcome.code() != "rate_limited" || !(1..=longest).contains(&wait) {
                return Err(format!("{} {}", outcome.text, outcome.structured).into());
            }
        } else {
            served += 1;
        }
    }
    Ok(served)
}

/// EDGAR: at most 10 requests a second over all its hosts together, each with the contact.
async fn sec() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 9_000)?;
    let calls = questions("extract_sec_filings", "url", 50, ticker);
    let outcomes = at_once(&engine, &calls, Duration::from_millis(9_500)).await?;
    let count = served(&outcomes, 20)?;
    let requests = upstream.requests();
    let mut out = violations(&requests);
    for together in requests.windows(11) {
        let apart = together[10].at - together[0].at;
        if apart < Duration::from_secs(1) {
            out.push(format!("11 requests within {apart:?}"));
        }
    }
    for seen in &requests {
        if !seen
            .header("user-agent")
            .is_some_and(|agent| agent.contains(CONTACT))
        {
            out.push(format!("no contact: {:?}", seen.headers));
        }
    }
    let asked = (
        of(&requests, "www.sec.gov").len(),
        of(&requests, "data.sec.gov").len(),
    );
    if asked != (1, count) || !(20..50).contains(&count) {
        out.push(format!("{count} served with {asked:?} requests"));
    }
    verdict(out)
}

/// data.gov.sg: 4 in 10 seconds without a key.
async fn data_gov_sg() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 12_000)?;
    let calls = questions("extract_gebiz", "url", 11, |at| format!("word{at}"));
    let outcomes = at_once(&engine, &calls, Duration::from_millis(12_500)).await?;
    let count = served(&outcomes, 30)?;
    let requests = upstream.requests();
    let mut out = violations(&requests);
    let asked = of(&requests, "data.gov.sg").len();
    if (asked, count) != (8, 8) {
        out.push(format!("{count} served with {asked} requests, expected 8"));
    }
    verdict(out)
}

/// GitHub's search: 10 a minute without a token, over tools and composites; no call waits for the next minute
/// only to fail.
async fn github_search() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 20_000)?;
    let mut calls = questions("search_repos", "query", 14, |at| format!("word{at}"));
    calls.extend(questions("extract_gov_landscape", "query", 4, |at| {
        format!("company{at}")
    }));
    let outcomes = at_once(&engine, &calls, Duration::from_secs(8)).await?;
    let (alone, composed) = outcomes.split_at(14);
    let mut count = served(alone, 60)?;
    for outcome in composed {
        let section = section(outcome, "reposearch");
        if section["status"] == "failed" {
            let wait = section["error"]["retry_after_s"].as_u64().unwrap_or_default();
            assert_eq!(section["error"]["code"], "rate_limited", "{section}");
            assert!((1..=60).contains(&wait), "{section}");
        } else {
            count += 1;
        }
    }
    let requests = upstream.requests();
    let asked = of(&requests, "api.github.com")
        .iter()
        .filter(|seen| seen.target.starts_with("/search/"))
        .count();
    assert_eq!((asked, count), (10, 10), "requests and answers");
    verdict(violations(&requests))
}

fn section<'o>(outcome: &'o Outcome, adapter: &str) -> &'o Value {
    let sections = outcome.structured["sections"].as_array();
    let found = sections.and_then(|all| all.iter().find(|section| section["adapter"] == adapter));
    found.unwrap_or(&Value::Null)
}

/// crates.io: one a second.
async fn crates_io() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 8_000)?;
    let calls = questions("package_trends", "packages", 12, |at| {
        format!("crates:example{at}")
    });
    let outcomes = at_once(&engine, &calls, Duration::from_millis(8_500)).await?;
    let count = served(&outcomes, 12)?;
    let requests = upstream.requests();
    let mut out = violations(&requests);
    let asked = of(&requests, "crates.io").len();
    if asked != count || !(6..=8).contains(&count) {
        out.push(format!("{count} served with {asked} requests"));
    }
    verdict(out)
}

/// All composites, with their examples and with other arguments, at the same time.
fn composed() -> Vec<Question> {
    let mut out = Vec::new();
    for composite in freshcontext_sources::composites() {
        let example: Value = serde_json::from_str(composite.example).unwrap_or_default();
        let first = ["topic", "idea", "query", "tickers", "company"]
            .into_iter()
            .find(|name| example[name].is_string());
        let mut other = example.clone();
        other[first.unwrap_or_default()] = json!("Example");
        out.extend([example, other].map(|arguments| (composite.tool.to_owned(), arguments)));
    }
    out
}

/// Returns the codes of sections that failed for another reason than pace.
fn other_failures(outcome: &Outcome) -> Vec<String> {
    let sections = outcome.structured["sections"].as_array();
    let codes = sections.into_iter().flatten().filter_map(|section| {
        let code = section["error"]["code"].as_str()?;
        let told = section["error"]["retry_after_s"]
            .as_u64()
            .is_some_and(|wait| wait > 0);
        let fine = (code == "rate_limited" && told) || section["error"]["detail"] == "not_asked";
        (!fine).then(|| section["error"].to_string())
    });
    codes.collect()
}

async fn composites_at_once() -> Result<(), Failed> {
    let upstream = everything().await?;
    let engine = local(&upstream, 8_000)?;
    let calls = composed();
    let outcomes = at_once(&engine, &calls, Duration::from_millis(8_500)).await?;
    let mut out = violations(&upstream.requests());
    for ((tool, arguments), outcome) in calls.iter().zip(&outcomes) {
        if outcome.is_error {
            out.push(format!("{tool} {arguments}: {}", outcome.text));
        }
        out.extend(other_failures(outcome));
    }
    verdict(out)
}

/// Fifty callers of one process, each with its own connection, over tools and composites.
async fn fifty_callers() -> Result<(), Failed> {
    let upstream = everything().await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_CONTACT", CONTACT),
        ("FRESHCONTEXT_LIMIT_CALL_DEADLINE_MS", "8000"),
        ("FRESHCONTEXT_LIMIT_COMPOSITE_DEADLINE_MS", "8000"),
        ("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS_PER_PEER", "64"),
    ])
    .await;
    let mut calls = composed();
    calls.extend(questions("extract_sec_filings", "url", 10, ticker));
    calls.extend(questions("extract_gebiz", "url", 6, |at| format!("word{at}")));
    calls.extend(questions("search_repos", "query", 10, |at| format!("word{at}")));
    calls.extend(questions("package_trends", "packages", 8, |at| {
        format!("crates:example{at}")
    }));
    calls.extend(questions("extract_gdelt", "url", 3, |at| format!("word{at}")));
    calls.extend(questions("extract_arxiv", "url", 3, |at| format!("word{at}")));
    assert_eq!(calls.len(), 50);
    let server = Arc::new(server);
    let mut running = JoinSet::new();
    for (at, (tool, arguments)) in calls.iter().cloned().enumerate() {
        let server = Arc::clone(&server);
        running.spawn(async move { (at, Ok(server.call(&tool, arguments).await)) });
    }
    let outcomes = collected(running, Duration::from_secs(9)).await?;
    let requests = upstream.requests();
    let mut out = violations(&requests);
    let composites = composed().len();
    served(&outcomes[composites..], 60)?;
    for outcome in &outcomes[..composites] {
        out.extend(other_failures(outcome));
    }
    let strangers = requests.iter().filter(|seen| {
        !seen
            .header("user-agent")
            .is_some_and(|agent| agent.contains(CONTACT))
    });
    out.extend(strangers.map(|seen| format!("no contact at {}", seen.host)));
    verdict(out)
}
