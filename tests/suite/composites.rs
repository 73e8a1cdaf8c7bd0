//! Composites through the whole server: each section fails or succeeds separately, with its own envelope,
//! position and share.
//!
//! A composite's case states `success` if every section answers and `partial` if one cannot be called; its
//! `items` are the sections that answer.

mod form;
mod identity;
mod share;
mod timing;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use freshcontext_contract::Limits;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_engine::{CallContext, Engine};
use freshcontext_sources::{Composite, Plan};
use freshcontext_testkit::check::{Outcome, wording};
use freshcontext_testkit::damage::CHALLENGE;
use freshcontext_testkit::{Case, Reply, Script, ScriptedUpstream, SeenRequest, StepClock, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use self::form::form;
use crate::cases::{of_a_composite, panic_line};
use crate::run::{self, CONTACT, block_on, call, once};
use crate::upstreams::reply;
use crate::{root, verdict};

/// The composite that the trials of the whole process call, and arguments for it.
pub fn landscape() -> Result<(&'static str, Value), Failed> {
    let all = freshcontext_sources::composites();
    let composite = all.iter().find(|one| one.tool == "extract_landscape");
    let composite = composite.ok_or("extract_landscape is missing")?;
    Ok((composite.tool, serde_json::from_str(composite.example)?))
}

type Check = fn(Arc<Table>) -> std::pin::Pin<Box<dyn Future<Output = Result<(), Failed>>>>;

const CHECKS: [(&str, Check); 7] = [
    ("answer", |table| Box::pin(answer(table))),
    ("every_subset", |table| Box::pin(every_subset(table))),
    ("deadline", |table| Box::pin(timing::deadline(table))),
    ("freshness", |table| Box::pin(share::freshness(table))),
    ("progress", |table| Box::pin(timing::progress(table))),
    ("nobody_listens", |table| Box::pin(timing::nobody_listens(table))),
    ("cancelled", |table| Box::pin(timing::cancelled(table))),
];

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    let mut trials = vec![
        Trial::test("composites::length", || block_on(share::length())),
        Trial::test("composites::names", || block_on(identity::names())),
        Trial::test("composites::tickers", || block_on(identity::tickers())),
        Trial::test(
            "composites::own_arguments",
            || block_on(identity::own_arguments()),
        ),
    ];
    for case in cases.into_iter().filter(of_a_composite) {
        let name = format!("{}::{}", case.tool, case.name);
        let table = Arc::new(Table::set(case).unwrap_or_else(|error| panic_line(&error)));
        for (check, run) in CHECKS {
            let table = Arc::clone(&table);
            trials.push(Trial::test(format!("{name}::{check}"), move || {
                block_on(run(table))
            }));
        }
    }
    trials
}

/// A composite's case with its plan.
struct Table {
    case: Case,
    composite: &'static Composite,
    plan: Plan,
}

impl Table {
    fn set(case: Case) -> Result<Self, String> {
        let composite = freshcontext_sources::composites()
            .iter()
            .find(|composite| composite.tool == case.tool)
            .ok_or_else(|| format!("there is no composite {}", case.tool))?;
        let plan = (composite.plan)(case.arguments.clone()).map_err(|error| error.to_string())?;
        Ok(Self {
            case,
            composite,
            plan,
        })
    }

    /// Starts a server whose upstream follows the case, unless `instead` returns a reply.
    async fn serve(
        &self,
        limits: Limits,
        instead: impl Fn(&SeenRequest) -> Option<Reply> + Send + Sync + 'static,
    ) -> Result<(Arc<Engine>, ScriptedUpstream, Script), String> {
        let script = Script::of(&self.case, Path::new(""))?;
        let answers = script.clone();
        let upstream =
            ScriptedUpstream::start(move |seen| instead(seen).unwrap_or_else(|| answers.answer(seen)))
                .await
                .map_err(|error| error.to_string())?;
        Ok((engine(&upstream.base(), self.case.now, limits)?, upstream, script))
    }

    async fn ordinary(&self, arguments: &Value) -> Result<Outcome, String> {
        let (engine, _upstream, _) = self.serve(once(), |_| None).await?;
        let mut all = self.case.arguments.clone();
        all.extend(arguments.as_object().cloned().unwrap_or_default());
        call(&engine, self.composite.tool, all, CallContext::default()).await
    }

    /// Returns the requests of each section, found by calling its tool separately.
    async fn questions(&self) -> Result<Vec<HashSet<String>>, String> {
        let mut out = Vec::new();
        for part in &self.plan.sections {
            let (engine, upstream, _) = self.serve(once(), |_| None).await?;
            if part.skipped.is_none() {
                call(&engine, part.tool, part.arguments.clone(), CallContext::default()).await?;
            }
            out.push(upstream.requests().iter().map(address).collect());
        }
        Ok(out)
    }

    /// Returns the section that a request belongs to. A request that no section makes normally belongs to a
    /// failing one.
    fn asker(&self, questions: &[HashSet<String>], failing: &[usize], seen: &SeenRequest) -> Option<usize> {
        let known = questions.iter().position(|asked| asked.contains(&address(seen)));
        known.or_else(|| {
            failing.iter().copied().find(|at| {
                let tool = self.plan.sections.get(*at).map_or("", |part| part.tool);
                freshcontext_sources::adapters().iter().any(|adapter| {
                    let descriptor = adapter.descriptor();
                    descriptor.tool == tool && descriptor.hosts.named().contains(&seen.host.as_str())
                })
            })
        })
    }
}

fn address(seen: &SeenRequest) -> String {
    format!("{} {}{}", seen.method, seen.host, seen.target)
}

/// A whole server all of whose upstreams are at `base`.
pub fn engine(base: &str, now: DateTime<Utc>, limits: Limits) -> Result<Arc<Engine>, String> {
    run::engine(base, Arc::new(StepClock::new(now)), limits, |config| {
        config.contact = Some(CONTACT.to_owned());
    })
}

fn sections(outcome: &Outcome) -> &[Value] {
    outcome.structured["sections"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// G02 for composites: the case as written, with its form checked, each request made once, and a story in two
/// sections marked as such.
async fn answer(table: Arc<Table>) -> Result<(), Failed> {
    let (engine, _upstream, script) = table.serve(Limits::DEFAULT, |_| None).await?;
    let arguments = table.case.arguments.clone();
    let outcome = call(&engine, table.composite.tool, arguments, CallContext::default()).await?;
    let mut out = script.complaints();
    out.extend(form(&table, &engine, &outcome));
    let expect = &table.case.expect;
    out.extend(wording(expect, &outcome));
    let answered = outcome.structured["coverage"]["answered"].as_u64();
    if answered != expect.items.and_then(|items| u64::try_from(items).ok()) {
        out.push(format!(
            "{answered:?} sections answered, expected {:?}",
            expect.items
        ));
    }
    let all = answered == u64::try_from(table.plan.sections.len()).ok();
    if expect.status.as_deref() != Some(if all { "success" } else { "partial" }) {
        out.push(format!("expected {:?}", expect.status));
    }
    let mut pages: BTreeMap<&str, &str> = BTreeMap::new();
    for section in sections(&outcome) {
        let label = section["label"].as_str().unwrap_or_default();
        for item in section["result"]["items"].as_array().into_iter().flatten() {
            let linked = [&item["fields"]["link"], &item["url"]];
            let seen = linked
                .iter()
                .filter_map(|page| page.as_str())
                .find_map(|page| pages.get(page).copied());
            let told = item["fields"]["also_in"].as_str();
            if let Some(first) = seen.filter(|first| *first != label)
                && told != Some(first)
            {
                out.push(format!("{item} stands in {first} too, and says {told:?}"));
            }
        }
        for item in section["result"]["items"].as_array().into_iter().flatten() {
            for page in [&item["fields"]["link"], &item["url"]] {
                if let Some(page) = page.as_str() {
                    pages.entry(page).or_insert(label);
                }
            }
        }
    }
    verdict(out)
}

/// G06: every subset of failing sections, in three ways of failing.
async fn every_subset(table: Arc<Table>) -> Result<(), Failed> {
    let questions = Arc::new(table.questions().await?);
    let whole = table.ordinary(&json!({})).await?;
    let mut out = Vec::new();
    for (at, own) in questions.iter().enumerate() {
        let shared = questions
            .iter()
            .skip(at + 1)
            .flatten()
            .find(|asked| own.contains(*asked));
        if let Some(shared) = shared {
            out.push(format!(
                "two sections ask {shared}; the subsets below mean nothing"
            ));
        }
    }
    let count = table.plan.sections.len();
    for subset in 0_usize..1 << count {
        let failing: Vec<usize> = (0..count).filter(|at| subset & (1 << at) != 0).collect();
        let (asked, theirs, of) = (Arc::clone(&questions), failing.clone(), Arc::clone(&table));
        let (engine, _upstream, _) = table
            .serve(once(), move |seen| {
                let at = of.asker(&asked, &theirs, seen)?;
                theirs.contains(&at).then(|| refusal(at + subset))
            })
            .await?;
        let arguments = table.case.arguments.clone();
        let outcome = call(&engine, table.composite.tool, arguments, CallContext::default()).await?;
        let mut wrong = form(&table, &engine, &outcome);
        for (at, (section, before)) in sections(&outcome).iter().zip(sections(&whole)).enumerate() {
            let expected = if failing.contains(&at) && before["status"] != "skipped" {
                &json!("failed")
            } else {
                &before["status"]
            };
            if section["status"] != *expected {
                wrong.push(format!(
                    "section {at} is {}, expected {expected}",
                    section["status"]
                ));
            }
            let code = section["error"]["code"].as_str();
            if code == Some("internal")
                || (code.is_some() == section["result"].is_object() && section["status"] != "skipped")
            {
                wrong.push(format!("section {at} failed with {code:?}: {section}"));
            }
            // Where a failed register left a name as it was given, another question brought the same.
            let asked = |section: &Value| section["result"]["freshcontext"]["source_url"].clone();
            let titles = |section: &Value| -> Vec<Value> {
                let items = section["result"]["items"].as_array().into_iter().flatten();
                items.map(|item| item["title"].clone()).collect()
            };
            let differ = if asked(section) == asked(before) {
                section["result"]["items"] != before["result"]["items"]
            } else {
                titles(section) != titles(before)
            };
            if !failing.contains(&at) && differ {
                // Only the mark of a story that was also in a failed section may change.
                let moved = section.to_string().contains("also_in") || before.to_string().contains("also_in");
                if !moved {
                    wrong.push(format!("section {at} differs: {section}"));
                }
            }
        }
        out.extend(
            wrong
                .into_iter()
                .map(|line| format!("failing {failing:?}: {line}")),
        );
        if out.len() > 8 {
            break;
        }
    }
    verdict(out)
}

/// Refusals that no source mistakes for a result.
fn refusal(turn: usize) -> Reply {
    match turn % 3 {
        0 => reply(403, "text/plain", "forbidden"),
        1 => reply(200, "text/html; charset=utf-8", CHALLENGE),
        _ => reply(500, "text/plain", "down"),
    }
}
