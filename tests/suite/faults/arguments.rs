//! Group D: arguments of every tool by its schema, and hostile words in queries.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{Clock, Limits};
use freshcontext_engine::{CallContext, Engine};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{ScriptedUpstream, SeenRequest, StepClock};
use freshcontext_xtask::{examples, replay};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::run::{self, block_on};
use crate::upstreams::{ordinary, reply};
use crate::{root, verdict};

/// Random calls of each kind for each tool.
const CALLS: u64 = 40;
const ARGUMENTS: &str = "FRESHCONTEXT_ARGUMENTS";
const SEED: &str = "FRESHCONTEXT_SEED";
/// Longest a call may take, with a margin for a busy machine.
const LONGEST: Duration = Duration::from_secs(30);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("faults::random_arguments", || block_on(random())),
        Trial::test("faults::optional_arguments", || block_on(optional())),
        Trial::test("faults::hostile_queries", || block_on(queries())),
        Trial::test("faults::order_of_arguments", || block_on(order())),
    ]
}

fn clock() -> Result<Arc<dyn Clock>, String> {
    let now = examples::NOW
        .parse()
        .map_err(|_| "the moment of the examples is none")?;
    Ok(Arc::new(StepClock::new(now)))
}

async fn fixtures() -> Result<ScriptedUpstream, String> {
    let replay = replay::Replay::load(&root(), None)?;
    replay.start(SocketAddr::from(([127, 0, 0, 1], 0))).await
}

async fn call(engine: &Arc<Engine>, tool: &str, arguments: Map<String, Value>) -> Result<Outcome, String> {
    run::call(engine, tool, arguments, CallContext::default()).await
}

fn example(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Reproducible pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = self.below(u64::try_from(all.len()).unwrap_or(1));
        &all[usize::try_from(at).unwrap_or_default()]
    }

    fn text(&mut self) -> Value {
        let words = [
            "rust",
            "serde",
            "2026-11-01",
            "AAPL",
            "remote",
            "a b",
            "ü",
            "日本",
            "https://example.com/x",
            "10m",
            "0",
        ];
        json!(self.pick(&words))
    }

    /// A value as a schema declares it.
    fn valid(&mut self, schema: &Value) -> Value {
        if let Some(choice) = schema["enum"].as_array().filter(|choice| !choice.is_empty()) {
            return self.pick(choice).clone();
        }
        match schema["type"].as_str() {
            Some("integer") => {
                let least = schema["minimum"].as_i64().unwrap_or(0);
                let most = schema["maximum"].as_i64().unwrap_or(least + 1_000).max(least);
                let above = self.below(u64::try_from(most - least).unwrap_or(0).saturating_add(1).max(1));
                json!(least + i64::try_from(above).unwrap_or_default())
            }
            Some("number") => json!(self.below(100) as f64 / 100.0),
            Some("boolean") => json!(self.below(2) == 0),
            Some("array") => {
                let length = 1 + self.below(3);
                (0..length).map(|_| self.valid(&schema["items"])).collect()
            }
            Some("object") => Value::Object(self.object(schema, 2)),
            _ => self.text(),
        }
    }

    /// An object with its required properties, and one in `one_in` of the others.
    fn object(&mut self, schema: &Value, one_in: u64) -> Map<String, Value> {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut made = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&json!(name)) || self.below(one_in) == 0 {
                made.insert(name.clone(), self.valid(property));
            }
        }
        made
    }

    /// A value that is hardly ever right.
    fn odd(&mut self) -> Value {
        let odd = [
            Value::Null,
            json!(""),
            json!(" \t"),
            json!("NaN"),
            json!(-1),
            json!(0),
            json!(1_000_000_000),
            json!(u64::MAX),
            json!(1e308),
            json!(1.5),
            json!(true),
            json!([]),
            json!([[[]]]),
            json!({}),
            json!({"__proto__": {"a": 1}}),
            json!("a\u{0}b"),
            json!("\u{202e}x"),
            json!("x".repeat(10_000)),
            json!("../../etc/passwd"),
            json!("0000-00-00"),
        ];
        self.pick(&odd).clone()
    }

    /// Right arguments with one thing wrong.
    fn nearly(&mut self, schema: &Value, mut right: Map<String, Value>) -> Map<String, Value> {
        let names: Vec<String> = schema["properties"]
            .as_object()
            .map(|all| all.keys().cloned().collect())
            .unwrap_or_default();
        match self.below(4) {
            0 if !right.is_empty() => {
                let there: Vec<String> = right.keys().cloned().collect();
                right.remove(self.pick(&there));
            }
            1 => {
                let names = ["__proto__", "constructor", "Limit", "extra", ""];
                let name = (*self.pick(&names)).to_owned();
                right.insert(name, self.odd());
            }
            _ if !names.is_empty() => {
                let name = self.pick(&names).clone();
                right.insert(name, self.odd());
            }
            _ => {}
        }
        right
    }
}

/// D08: no panic, no hang, and no structure beside its schema, whatever the arguments.
async fn random() -> Result<(), Failed> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let calls = number(ARGUMENTS).unwrap_or(CALLS);
    let now = freshcontext_config::SystemClock.now().timestamp();
    let seed = number(SEED).unwrap_or(u64::try_from(now).unwrap_or(1));
    eprintln!("random arguments: seed {seed}");
    let upstream = fixtures().await?;
    let limits = Limits {
        breaker_failures: u32::MAX,
        ..run::once()
    };
    let engine = run::engine(&upstream.base(), clock()?, limits, run::hurry)?;
    let mut random = Random(seed);
    let mut complaints = Vec::new();
    let (mut made, mut failed, mut panics) = (0_u64, 0_u64, 0_u64);
    for tool in engine.tools() {
        let schema = &tool.input_schema;
        let output = jsonschema::validator_for(&tool.output_schema).map_err(|error| error.to_string())?;
        for at in 0..calls * 2 {
            let mut arguments = random.object(schema, 3);
            if random.below(2) == 0 {
                arguments.extend(example(&tool.example));
            }
            if at % 2 == 1 {
                arguments = random.nearly(schema, arguments);
            }
            let began = Instant::now();
            let outcome = call(&engine, &tool.name, arguments.clone()).await?;
            made += 1;
            failed += u64::from(outcome.is_error);
            let told = || format!("seed {seed}, {} {}", tool.name, Value::Object(arguments.clone()));
            if outcome.code() == "internal" {
                panics += 1;
                complaints.push(format!("{}: {}", told(), outcome.text));
            }
            if began.elapsed() > LONGEST {
                complaints.push(format!("{}: took {:?}", told(), began.elapsed()));
            }
            if let Some(error) = output.iter_errors(&outcome.structured).next() {
                complaints.push(format!("{}: {error} at {}", told(), error.instance_path()));
            }
            if outcome.text.is_empty() {
                complaints.push(format!("{}: says nothing", told()));
            }
        }
    }
    eprintln!("random arguments: {made} calls, {failed} errors, {panics} panics");
    if failed == made || failed == 0 {
        complaints.push(format!(
            "{failed} of {made} calls failed, so half of it was not tried"
        ));
    }
    complaints.truncate(20);
    verdict(complaints)
}

/// D07: an option that is blank or null counts as absent, an enormous limit is cut to the bound and that is said.
async fn optional() -> Result<(), Failed> {
    let upstream = fixtures().await?;
    let (mut complaints, mut clamped) = (Vec::new(), 0);
    let first = run::engine(&upstream.base(), clock()?, run::once(), run::hurry)?;
    let sources: Vec<&'static str> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor().tool)
        .collect();
    for tool in first
        .tools()
        .iter()
        .filter(|tool| sources.contains(&tool.name.as_str()))
    {
        let engine = run::engine(&upstream.base(), clock()?, run::once(), run::hurry)?;
        let plain = call(&engine, &tool.name, example(&tool.example)).await?;
        if plain.is_error {
            complaints.push(format!("{}: {}", tool.name, plain.text));
            continue;
        }
        let given = example(&tool.example);
        let required = tool.input_schema["required"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let options = tool.input_schema["properties"].as_object().into_iter().flatten();
        for (name, property) in
            options.filter(|(name, _)| !given.contains_key(*name) && !required.contains(&json!(name)))
        {
            let mut blanks = vec![Value::Null];
            if property["type"] == "string" {
                blanks.extend([json!(""), json!(" \t")]);
            }
            if ["limit", "max_length"].contains(&name.as_str()) {
                blanks.push(json!(0));
            }
            for blank in blanks {
                let mut arguments = given.clone();
                arguments.insert(name.clone(), blank.clone());
                let outcome = call(&engine, &tool.name, arguments).await?;
                if outcome.is_error || outcome.structured["items"] != plain.structured["items"] {
                    complaints.push(format!("{}: {name} is {blank}: {:.200}", tool.name, outcome.text));
                }
            }
            if name == "limit" || name == "max_length" {
                let mut arguments = given.clone();
                arguments.insert(name.clone(), json!(1_000_000_000));
                let outcome = call(&engine, &tool.name, arguments).await?;
                let said = outcome.structured["notes"].to_string();
                // The fixtures hold no answer for another number of items.
                if outcome.code() == "not_found" {
                    continue;
                }
                clamped += 1;
                if outcome.is_error || !said.contains(name.as_str()) {
                    complaints.push(format!(
                        "{}: {name} of 10^9: {said} {:.200}",
                        tool.name, outcome.text
                    ));
                }
            }
        }
    }
    if clamped < sources.len() {
        complaints.push(format!("only {clamped} bounds were tried"));
    }
    verdict(complaints)
}

/// Words that would break out of a query, each with the mark `injected`.
fn hostile() -> Vec<String> {
    let mut all: Vec<String> = [
        "rust&injected=1",
        "rust?injected=1",
        "rust#injected",
        "rust;injected=1",
        "rust\r\nx-injected: 1",
        "rust\nx-injected: 1",
        "rust\0injected",
        "rust\u{202e}injected",
        "rust\" OR \"injected",
        "rust' ANDNOT injected",
        "rust) ANDNOT (injected",
        "../../injected",
        "rust/../injected",
        "rust\\injected",
        "rust<injected>",
        "rust%00injected",
        "rust%0d%0ax-injected:%201",
        "rust%26injected=1",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push("injected ".repeat((1 << 20) / 9));
    all
}

/// D09: what a caller writes is encoded once: no parameter, header, fragment or path of theirs reaches a source.
async fn queries() -> Result<(), Failed> {
    let upstream =
        ScriptedUpstream::start(|_: &SeenRequest| reply(404, "text/plain", "nothing here")).await?;
    let limits = Limits {
        breaker_failures: u32::MAX,
        ..run::once()
    };
    let mut complaints = Vec::new();
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let engine = run::engine(&upstream.base(), clock()?, limits.clone(), run::hurry)?;
        let tool = engine.tool(facts.tool).ok_or("a source without its tool")?;
        let texts: Vec<String> = tool.input_schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, property)| {
                property["type"] == "string" && property["enum"].is_null() && name.as_str() != "cursor"
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in texts {
            for words in hostile() {
                let before = upstream.requests().len();
                let mut arguments = example(facts.example);
                arguments.insert(name.clone(), json!(words));
                call(&engine, facts.tool, arguments).await?;
                for seen in &upstream.requests()[before..] {
                    *asked.entry(facts.tool).or_default() += 1;
                    if let Some(wrong) = broken_out(&words, seen) {
                        complaints.push(format!(
                            "{} {name} {words:.40?}: {wrong}: {:.200}",
                            facts.tool, seen.target
                        ));
                    }
                }
            }
        }
    }
    if asked.len() < 10 {
        complaints.push(format!("few sources were asked: {asked:?}"));
    }
    complaints.truncate(30);
    verdict(complaints)
}

/// How words of a caller broke out of a request's encoding, if they did.
fn broken_out(words: &str, seen: &SeenRequest) -> Option<String> {
    let odd = seen
        .target
        .chars()
        .find(|c| !c.is_ascii_graphic() || ['"', '<', '>', '#', '\\'].contains(c));
    if let Some(odd) = odd {
        return Some(format!("{odd:?} is not encoded"));
    }
    if seen.headers.iter().any(|(name, _)| name.contains("injected")) {
        return Some("a header of the caller's".to_owned());
    }
    if !words.contains('%') && seen.target.contains("%25") {
        return Some("encoded twice".to_owned());
    }
    let url = Url::parse(&format!("https://{}{}", seen.host, seen.target)).ok()?;
    if url.query_pairs().any(|(name, _)| name.contains("injected")) {
        return Some("a parameter of the caller's".to_owned());
    }
    let climbs = words.contains("../")
        && url
            .path_segments()
            .is_some_and(|mut parts| parts.any(|part| part == "injected"));
    climbs.then(|| "a path of the caller's".to_owned())
}

/// F13: the order of arguments makes no other request.
async fn order() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let engine = run::engine(&upstream.base(), clock()?, run::once(), run::hurry)?;
    let mut answers = Vec::new();
    for text in [
        r#"{"url": "rust", "limit": 5, "since": "2020-01-01"}"#,
        r#"{"since": "2020-01-01", "limit": 5, "url": "rust"}"#,
        r#"{"limit": 5, "url": "rust", "since": "2020-01-01"}"#,
    ] {
        let outcome = call(&engine, "extract_hackernews", example(text)).await?;
        assert!(!outcome.is_error, "{}", outcome.text);
        answers.push(outcome.structured["items"].clone());
    }
    assert_eq!(upstream.requests().len(), 1);
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    Ok(())
}
