//! Names that several companies have, through the whole server: what each section is about is said, and no section
//! shows another company where its source can tell.

use std::sync::Arc;

use freshcontext_contract::Limits;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_engine::CallContext;
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::{call, engine, sections};
use crate::upstreams::{json_reply, reply};
use crate::verdict;

/// Companies of the register: number, ticker, legal name.
const REGISTER: [(u64, &str, &str); 15] = [
    (320_193, "AAPL", "Apple Inc."),
    (1_418_121, "APLE", "Apple Hospitality REIT, Inc."),
    (27_904, "DAL", "DELTA AIR LINES, INC."),
    (1_101_396, "DLA", "DELTA APPAREL, INC"),
    (1_326_801, "META", "Meta Platforms, Inc."),
    (1_600_001, "MTLS", "Meta Data Ltd"),
    (1_512_673, "XYZ", "Block, Inc."),
    (12_659, "HRB", "H&R BLOCK INC"),
    (27_419, "TGT", "TARGET CORP"),
    (1_600_002, "TGEN", "Target Genetics Inc"),
    (1_306_965, "SHEL", "Shell plc"),
    (66_740, "MMM", "3M CO"),
    (1_018_724, "AMZN", "AMAZON COM INC"),
    (1_577_526, "AI", "C3.ai, Inc."),
    (1_652_044, "GOOGL", "Alphabet Inc."),
];

/// Name and ticker given, the company that is meant (`None` where it cannot be known), and what is said.
const NAMES: [(&str, Option<&str>, Option<&str>, &str); 18] = [
    ("Apple", Some("AAPL"), Some("Apple Inc."), "(CIK 320193)"),
    ("Apple", None, Some("Apple Inc."), "Apple Hospitality REIT, Inc."),
    (
        "Apple",
        Some("DAL"),
        Some("Apple Inc."),
        "The arguments disagree: DAL is the ticker of",
    ),
    ("Delta", Some("DAL"), Some("DELTA AIR LINES, INC."), "(CIK 27904)"),
    (
        "Delta",
        None,
        None,
        "Which is meant is not known: pass its ticker.",
    ),
    (
        "Delta",
        Some("MMM"),
        None,
        "The arguments disagree: MMM is the ticker of",
    ),
    (
        "Meta",
        Some("META"),
        Some("Meta Platforms, Inc."),
        "(CIK 1326801)",
    ),
    ("Meta", None, None, "Meta Data Ltd"),
    (
        "Square",
        Some("XYZ"),
        Some("Block, Inc."),
        "`Square` is not the legal name of",
    ),
    (
        "Square",
        None,
        None,
        "not the name of a company that is listed in the US",
    ),
    ("Target", None, Some("TARGET CORP"), "Target Genetics Inc"),
    ("Shell", None, Some("Shell plc"), "(CIK 1306965)"),
    ("3M", None, Some("3M CO"), "(CIK 66740)"),
    ("Amazon", None, Some("AMAZON COM INC"), "(CIK 1018724)"),
    ("Amazon.com", None, Some("AMAZON COM INC"), "(CIK 1018724)"),
    ("C3.ai", None, Some("C3.ai, Inc."), "(CIK 1577526)"),
    ("Block", Some("XYZ"), Some("Block, Inc."), "(CIK 1512673)"),
    ("Google", Some("GOOGL"), Some("Alphabet Inc."), "(CIK 1652044)"),
];

/// A namesake: it has every name's first word, and is nobody who is asked for.
const NAMESAKE: &str = "BUS COMPANY";

fn upstream(seen: &SeenRequest) -> Reply {
    let of_ticker = |text: &str| REGISTER.iter().find(|(_, ticker, _)| text.contains(ticker));
    let body = String::from_utf8_lossy(&seen.body).into_owned();
    match (seen.host.as_str(), seen.target.as_str()) {
        ("www.sec.gov", _) => {
            let rows = REGISTER.iter().enumerate().map(|(at, (cik, ticker, title))| {
                (at.to_string(), json!({"cik_str": cik, "ticker": ticker, "title": title}))
            });
            json_reply(&Value::Object(rows.collect()).to_string())
        }
        ("data.sec.gov", target) => {
            let found = REGISTER
                .iter()
                .find(|(cik, ..)| target.contains(&format!("CIK{cik:010}")));
            let Some((cik, ticker, name)) = found else {
                return reply(404, "text/plain", "nothing here");
            };
            json_reply(
                &json!({"cik": cik.to_string(), "name": name, "tickers": [ticker], "filings": {"recent": {
                    "accessionNumber": ["0000320193-26-000101"], "filingDate": ["2026-11-20"], "reportDate": ["2026-11-20"],
                    "acceptanceDateTime": ["2026-11-20T16:30:25.000Z"], "form": ["8-K"], "items": ["8.01"],
                    "primaryDocument": ["a.htm"], "primaryDocDescription": ["8-K"], "size": [1]}, "files": []}})
                .to_string(),
            )
        }
        ("efts.sec.gov", _) => json_reply(r#"{"hits": {"total": {"value": 0, "relation": "eq"}, "hits": []}}"#),
        ("api.usaspending.gov", "/api/v2/recipient/") => {
            let keyword = serde_json::from_str::<Value>(&body).unwrap_or_default()["keyword"].clone();
            let word = keyword.as_str().unwrap_or_default().to_uppercase();
            json_reply(
                &json!({"page_metadata": {"page": 1, "total": 2}, "results": [
                    {"id": "a-P", "name": format!("{word} {NAMESAKE}"), "uei": "EXAMPLE0BUS1", "recipient_level": "P", "amount": 9},
                    {"id": "b-P", "name": format!("{word}, INC."), "uei": "EXAMPLE0MEAN", "recipient_level": "P", "amount": 5}]})
                .to_string(),
            )
        }
        ("api.usaspending.gov", target) if target.contains("/recipient/") => {
            json_reply(r#"{"name": "X", "parent_uei": "EXAMPLE0ELSE", "parents": []}"#)
        }
        ("api.usaspending.gov", _) => json_reply(
            &json!({"results": [
                award("A1", NAMESAKE, "EXAMPLE0BUS1"),
                award("A2", "THE ONE ASKED FOR", "EXAMPLE0MEAN")], "page_metadata": {"page": 1, "hasNext": false}})
            .to_string(),
        ),
        ("api.gdeltproject.org", _) => json_reply(
            r#"{"articles": [{"url": "https://news.example/a", "title": "An article", "seendate": "20261120T181500Z",
                "domain": "news.example", "language": "English", "sourcecountry": "United States"}]}"#,
        ),
        ("quote.cnbc.com", target) => {
            let asked = target.split("symbols=").nth(1).and_then(|rest| rest.split('&').next());
            let Some((_, ticker, name)) = of_ticker(asked.unwrap_or_default()) else {
                return reply(404, "text/plain", "nothing here");
            };
            json_reply(
                &json!({"FormattedQuoteResult": {"FormattedQuote": [{"symbol": ticker, "code": 0, "name": name,
                    "last": "336.13", "last_time": "2026-11-20T13:00:00.000-0500", "currencyCode": "USD",
                    "exchange": "NASDAQ", "type": "STOCK"}]}})
                .to_string(),
            )
        }
        _ => reply(404, "text/plain", "nothing here"),
    }
}

fn award(id: &str, name: &str, uei: &str) -> Value {
    json!({"internal_id": 1, "Award ID": id, "Recipient Name": name, "Recipient UEI": uei, "recipient_id": format!("{id}-C"),
        "Award Amount": 10.5, "Description": "GOODS", "Base Obligation Date": "2026-11-19",
        "generated_internal_id": format!("CONT_AWD_{id}_-NONE-_-NONE-")})
}

async fn asked(tool: &str, arguments: Value) -> Result<(Outcome, Vec<String>), String> {
    let upstream = ScriptedUpstream::start(upstream)
        .await
        .map_err(|error| error.to_string())?;
    let now: DateTime<Utc> = "2026-11-21T20:15:00Z".parse().map_err(|_| "no time")?;
    let engine: Arc<_> = engine(&upstream.base(), now, Limits::DEFAULT)?;
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let outcome = call(&engine, tool, arguments, CallContext::default()).await?;
    let requests = upstream.requests();
    let seen = requests
        .iter()
        .map(|seen| format!("{}{}", seen.host, seen.target))
        .collect();
    Ok((outcome, seen))
}

/// What stands before the first section.
fn head(outcome: &Outcome) -> &str {
    outcome.text.split("\n## ").next().unwrap_or_default()
}

/// Every name: what is meant is said, and what is another company's is nowhere.
pub(super) async fn names() -> Result<(), Failed> {
    let mut out = Vec::new();
    for (name, ticker, meant, said) in NAMES {
        let (outcome, seen) = asked(
            "extract_company_landscape",
            json!({"company": name, "ticker": ticker}),
        )
        .await?;
        let who = format!("{name} {ticker:?}");
        if !head(&outcome).contains(said) {
            out.push(format!("{who}: {said} is not said in\n{}", head(&outcome)));
        }
        for section in sections(&outcome) {
            let (adapter, taken) = (section["adapter"].as_str(), section["taken_for"].as_str());
            let shown = section["result"]["items"].as_array().map_or(0, Vec::len);
            if shown > 0 && taken.is_none_or(|taken| !head(&outcome).contains(taken)) {
                out.push(format!("{who}: {adapter:?} does not say what it is about"));
            }
            let text = section["result"].to_string();
            let others = REGISTER.iter().filter(|(.., other)| Some(*other) != meant);
            for (cik, _, other) in others {
                let about = adapter == Some("sec") || adapter == Some("finance");
                if about && (text.contains(other) || text.contains(&format!("\"cik\":{cik}"))) {
                    out.push(format!("{who}: {adapter:?} is about {other}"));
                }
            }
            let wrong = section["result"]["items"].as_array().into_iter().flatten();
            for item in wrong.filter(|item| item["title"].as_str().is_some_and(|t| t.starts_with(NAMESAKE))) {
                out.push(format!("{who}: an award to a namesake: {item}"));
            }
        }
        let of = |host: &str| seen.iter().any(|at| at.starts_with(host));
        let settled = meant.is_some();
        if settled != of("data.sec.gov") || settled != of("quote.cnbc.com") {
            out.push(format!("{who}: {seen:?}"));
        }
        if outcome.text.contains("They may be different companies") {
            out.push(format!("{who}: one company is told as two:\n{}", head(&outcome)));
        }
    }
    verdict(out)
}

/// A ticker alone is searched nowhere; where the register names its company, that name is.
pub(super) async fn tickers() -> Result<(), Failed> {
    let mut out = Vec::new();
    for (tickers, words) in [
        ("AI", Some("C3.ai")),
        ("DAL", Some("DELTA+AIR+LINES")),
        ("ZZZZ", None),
        ("AI,DAL", None),
    ] {
        let (outcome, seen) = asked("extract_finance_landscape", json!({"tickers": tickers})).await?;
        let searched: Vec<&String> = seen
            .iter()
            .filter(|at| at.starts_with("hn.algolia.com") || at.starts_with("www.reddit.com"))
            .collect();
        let right = match words {
            Some(words) => !searched.is_empty() && searched.iter().any(|at| at.contains(words)),
            None => searched.is_empty(),
        };
        if !right {
            out.push(format!("{tickers}: {searched:?}\n{}", head(&outcome)));
        }
    }
    verdict(out)
}

/// A wrong argument is told of the composite's own argument.
pub(super) async fn own_arguments() -> Result<(), Failed> {
    let (outcome, _) = asked(
        "extract_company_landscape",
        json!({"company": "7", "ticker": "no ticker!"}),
    )
    .await?;
    let mut out = Vec::new();
    for section in sections(&outcome) {
        let error = &section["error"];
        if error["code"] == "invalid_input"
            && (error["field"] == "url" || error["message"].to_string().contains("`url`"))
        {
            out.push(format!("{error}"));
        }
    }
    let told = sections(&outcome)
        .iter()
        .any(|section| section["error"]["field"] == "ticker");
    if !told {
        out.push(format!("no error names the ticker: {}", outcome.text));
    }
    verdict(out)
}
