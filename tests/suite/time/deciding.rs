//! One address that decides about the others: it alone is requested, nothing is requested twice, and an
//! address that depends on the day is not trusted on another day.

use crate::time::setup::Timed;
use freshcontext_contract::chrono::TimeDelta;
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Reply, Script, ScriptedUpstream};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::setup::{FIRST, Folder, Says, ask, case, engine, ensure, recheck, serving, stories};
use crate::run::block_on;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("time::deciding::repository", || block_on(repository())),
        Trial::test("time::deciding::dataset", || block_on(dataset())),
        Trial::test("time::deciding::awards", || block_on(awards())),
        Trial::test("time::deciding::awards_until_today", || {
            block_on(awards_until_today())
        }),
        Trial::test("time::deciding::search_of_the_last_day", || block_on(last_day())),
    ]
}

/// An earlier answer, and a later process that rechecks it.
struct Answered {
    answer: Outcome,
    later: Timed,
    script: Script,
    upstream: ScriptedUpstream,
    /// Requests of the full fetch.
    full: usize,
    _folder: Folder,
}

impl Answered {
    async fn of(case: &Case) -> Result<Self, Failed> {
        let folder = Folder::new();
        let (first, case, script, upstream) = serving(case, &folder).await?;
        let answer = ask(&first, &case.tool, Value::Object(case.arguments.clone())).await?;
        first.close().await;
        let later = engine(&upstream.base(), &folder, Some(&case), |_| {})?;
        Ok(Self {
            answer,
            later,
            script,
            full: upstream.requests().len(),
            upstream,
            _folder: folder,
        })
    }

    /// Returns the verdict, what changed as a whole or in the first item, and the requested paths.
    async fn recheck(&self) -> Result<(Value, String, Vec<String>), Failed> {
        let before = self.upstream.requests().len();
        let found = recheck(&self.later, &self.answer).await?.structured;
        let asked = self.upstream.requests().split_off(before);
        let changed = format!("{} {}", found["changed"], found["items"][0]["changed"]);
        let paths = asked
            .iter()
            .map(|seen| seen.target.split('?').next().unwrap_or_default().to_owned())
            .collect();
        Ok((found["verdict"].clone(), changed, paths))
    }

    /// Replaces text in the bodies of the addresses that contain this.
    fn says(&self, address: &str, from: &str, to: &str) -> Result<(), Failed> {
        let seen = std::sync::atomic::AtomicBool::new(false);
        self.script.alter(|exchange, reply: &mut Reply| {
            let body = String::from_utf8_lossy(&reply.body).into_owned();
            if exchange.url.as_str().contains(address) && body.contains(from) {
                reply.body = body.replace(from, to).into_bytes();
                seen.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
        ensure(seen.into_inner(), format!("no body at {address} has {from}"))
    }
}

async fn repository() -> Result<(), Failed> {
    let case = case("github/repository")?;
    let answered = Answered::of(&case).await?;
    let (verdict, _, asked) = answered.recheck().await?;
    ensure(
        verdict == "current" && asked.len() == 1,
        format!("{verdict} by {asked:?}"),
    )?;
    // A changed number: the document that was already requested is not requested again.
    answered.says(
        "/repos/",
        "\"stargazers_count\": 100",
        "\"stargazers_count\": 101",
    )?;
    let (verdict, changed, asked) = answered.recheck().await?;
    answered.later.close().await;
    ensure(verdict == "changed" && changed.contains("fields.stars"), changed)?;
    ensure(asked.len() == answered.full, format!("{asked:?}"))
}

async fn dataset() -> Result<(), Failed> {
    let answered = Answered::of(&case("gebiz/ok")?).await?;
    let (verdict, _, asked) = answered.recheck().await?;
    ensure(verdict == "current", &verdict)?;
    ensure(
        asked.len() == 1 && asked.iter().all(|path| path.ends_with("/metadata")),
        format!("{asked:?}"),
    )?;
    // Published again with the same rows: the rows are compared, and the dataset's own date differs.
    answered.says("/metadata", "2026-09-07T", "2026-12-09T")?;
    let (verdict, changed, asked) = answered.recheck().await?;
    answered.later.close().await;
    ensure(verdict == "changed", &verdict)?;
    ensure(changed.contains("fields.data_as_of"), changed)?;
    ensure(asked.len() == answered.full, format!("{asked:?}"))
}

async fn awards() -> Result<(), Failed> {
    let answered = Answered::of(&case("govcontracts/ok")?).await?;
    let (verdict, _, asked) = answered.recheck().await?;
    ensure(verdict == "current", &verdict)?;
    let search = "/api/v2/search/spending_by_award/";
    ensure(asked == [search], format!("{asked:?}"))?;
    // RFC 9110, section 13.1.2: a POST whose validator matches is refused.
    let conditional = answered.upstream.requests();
    ensure(
        conditional
            .iter()
            .all(|seen| seen.header("if-none-match").is_none()),
        "a POST with a validator",
    )?;
    answered.says("spending_by_award", "SORTING ROBOTS", "SORTING MACHINES")?;
    let (verdict, changed, asked) = answered.recheck().await?;
    answered.later.close().await;
    ensure(verdict == "changed", format!("{verdict} {changed}"))?;
    ensure(asked.len() == answered.full, format!("{asked:?}"))
}

/// Days that end today end on another day tomorrow: the earlier query would not show new items.
async fn awards_until_today() -> Result<(), Failed> {
    let mut case = case("govcontracts/ok")?;
    case.arguments.insert("since".to_owned(), "2020-01-01".into());
    let answered = Answered::of(&case).await?;
    let (verdict, _, asked) = answered.recheck().await?;
    answered.later.close().await;
    ensure(verdict == "current", &verdict)?;
    ensure(asked.len() == answered.full, format!("{asked:?}"))
}

async fn last_day() -> Result<(), Failed> {
    let folder = Folder::new();
    let mut page = stories(&FIRST);
    page.headers.push(("etag".to_owned(), "\"always\"".to_owned()));
    let upstream = Says::new(page).upstream().await?;
    let mut today = case("hackernews/search")?;
    let arguments = json!({"url": "https://hn.algolia.com/?query=rust&dateRange=last24h"});
    let first = engine(&upstream.base(), &folder, Some(&today), |_| {})?;
    let answer = ask(&first, "extract_hackernews", arguments).await?;
    first.close().await;
    today.now += TimeDelta::hours(5);
    let later = engine(&upstream.base(), &folder, Some(&today), |_| {})?;
    let found = recheck(&later, &answer).await?;
    later.close().await;
    ensure(found.structured["verdict"] == "current", &found.text)?;
    let asked = upstream.requests();
    let (Some(then), Some(now)) = (asked.first(), asked.last()) else {
        return Err(Failed::from("nothing was asked"));
    };
    ensure(asked.len() == 2 && then.target != now.target, &now.target)?;
    ensure(now.header("if-none-match").is_none(), "the old address was asked")
}
