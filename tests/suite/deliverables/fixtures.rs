//! Properties of versions and differences, on the ordinary fixtures of every adapter, unchanged and altered:
//! one field changed, reordered, one entry fewer, fully and partly refused. FRESHCONTEXT_ALTERED sets the
//! number of altered fields per case.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;
use freshcontext_contract::AnyAdapter;
use freshcontext_contract::url::Url;
use freshcontext_deliverables::{Diff, Entry, State, Version, apply};
use freshcontext_follow::To;
use freshcontext_testkit::{Case, Exchange, Kind, Reply, SECRET, SeenRequest, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::setup::{Scene, conditional, ensure, limited};
use crate::cases::{of_a_composite, panic_line};
use crate::mutated::alter::alterations;
use crate::run::{CONTACT, block_on};
use crate::upstreams::reply;
use crate::{root, verdict};

const ALTERED: &str = "FRESHCONTEXT_ALTERED";
/// Altered fields per case, spread evenly.
const TRIED: usize = 16;
/// A step after which a source is requested again.
const LATER: TimeDelta = TimeDelta::minutes(2);

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    let cases: Vec<Case> = cases
        .into_iter()
        .filter(|case| case.kind == Kind::Ok && !of_a_composite(case))
        .collect();
    let tools: Vec<String> = cases.iter().map(|case| case.tool.clone()).collect();
    let mut trials = vec![Trial::test(
        "deliverables::fixtures::of_every_adapter",
        move || {
            let adapters = freshcontext_sources::adapters();
            let without = adapters
                .iter()
                .map(|adapter| AnyAdapter::descriptor(adapter.as_ref()).tool);
            let without = without.filter(|tool| !tools.iter().any(|known| known == tool));
            verdict(
                without
                    .map(|tool| format!("{tool} has no ordinary case"))
                    .collect(),
            )
        },
    )];
    trials.extend(cases.into_iter().map(|case| {
        let name = format!("deliverables::fixtures::{}", case.name);
        Trial::test(name, move || block_on(laws(&case)))
    }));
    trials
}

/// A case's exchanges, whose replies can be changed between two steps.
#[derive(Clone)]
struct Fixture(Arc<Mutex<Vec<(Exchange, Reply)>>>);

impl Fixture {
    fn of(case: &Case) -> Result<Self, String> {
        let exchanges = case.exchanges.iter().map(|exchange| {
            let body = case.body(exchange, std::path::Path::new(""))?;
            let kind = ("content-type".to_owned(), exchange.content_type());
            let reply = Reply {
                status: exchange.status,
                headers: vec![kind],
                body,
                delay_ms: 0,
            };
            Ok((exchange.clone(), reply))
        });
        Ok(Self(Arc::new(Mutex::new(
            exchanges.collect::<Result<_, String>>()?,
        ))))
    }

    fn replies(&self) -> Vec<Reply> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(_, reply)| reply.clone()).collect()
    }

    fn set(&self, replies: &[Reply]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for ((_, known), reply) in all.iter_mut().zip(replies) {
            known.clone_from(reply);
        }
    }

    /// Answers a request; if the query depends on the day, with the same address's response.
    fn answer(&self, request: &SeenRequest) -> Reply {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = |exchange: &Exchange| {
            let asked = Url::parse(&format!("https://{}{}", request.host, request.target));
            asked.is_ok_and(|asked| {
                exchange.method == request.method
                    && (exchange.url.host_str(), exchange.url.path()) == (asked.host_str(), asked.path())
            })
        };
        let found = all
            .iter()
            .find(|(exchange, _)| exchange.fits(request))
            .or_else(|| all.iter().find(|(exchange, _)| place(exchange)));
        let Some((_, said)) = found else {
            return reply(404, "text/plain", "no such exchange in this case");
        };
        let mut said = said.clone();
        if said.status == 200 && request.method == "GET" {
            let sum = said.body.iter().fold(7_u64, |sum, byte| {
                sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
            });
            said.headers.push(("etag".to_owned(), format!("\"{sum:x}\"")));
        }
        conditional(request, said)
    }
}

/// A deliverable with the case's call as its only source.
struct World {
    scene: Scene,
    fixture: Fixture,
    /// The fixture's original replies.
    plain: Vec<Reply>,
    /// The version before the last.
    before: Version,
    last: Version,
    /// Number of source changes.
    turn: usize,
    /// Changes seen so far by kind: added, removed, changed.
    seen: [usize; 3],
}

/// A scene of a case, with the case's call as the only source of a deliverable that has room for that many tokens.
pub(crate) async fn scene_of(case: &Case, max_tokens: u64) -> Result<Scene, Failed> {
    let fixture = Fixture::of(case)?;
    scene(case, fixture, max_tokens).await
}

async fn scene(case: &Case, fixture: Fixture, max_tokens: u64) -> Result<Scene, Failed> {
    let set = |config: &mut freshcontext_fetch::Config| {
        config.contact = Some(CONTACT.to_owned());
        let names = case.env.iter();
        config.secrets = names.map(|name| (name.clone(), SECRET.to_owned())).collect();
    };
    let scene = Scene::of(case.now, set, move |request| fixture.answer(request)).await?;
    let source = json!({"tool": case.tool, "arguments": case.arguments});
    scene.add_with_room(&[source], "use_last", max_tokens).await?;
    Ok(scene)
}

impl World {
    async fn of(case: &Case) -> Result<Self, Failed> {
        let fixture = Fixture::of(case)?;
        let scene = scene(case, fixture.clone(), 4_000).await?;
        let first = version(&scene).await?;
        Ok(Self {
            plain: fixture.replies(),
            fixture,
            scene,
            before: first.clone(),
            last: first,
            turn: 0,
            seen: [0; 3],
        })
    }

    /// Generates the next version from these replies and checks the properties of the difference.
    async fn says(&mut self, replies: &[Reply]) -> Result<Diff, Failed> {
        // Every response gets new bytes, because a route that decides about the others must have changed.
        self.turn += 1;
        let mut replies = replies.to_vec();
        for reply in replies.iter_mut().filter(|reply| reply.status == 200) {
            reply.body.extend(std::iter::repeat_n(b'\n', 1 + self.turn % 2));
        }
        self.fixture.set(&replies);
        self.scene.later(LATER);
        self.next().await
    }

    async fn next(&mut self) -> Result<Diff, Failed> {
        let next = version(&self.scene).await?;
        let (from, to) = (self.last.version, next.version);
        let told = self.scene.diff(from, To::Version(to)).await?;
        let found: Diff = serde_json::from_value(told["diff"].clone())?;
        ensure(
            apply(&self.last.items, &found) == sorted(&next.items),
            format!("applied to version {from} it does not give version {to}: {told}"),
        )?;
        let same = self.scene.diff(to, To::Version(to)).await?;
        let same: Diff = serde_json::from_value(same["diff"].clone())?;
        ensure(
            same.is_empty(),
            format!("version {to} differs from itself: {same:?}"),
        )?;
        let current = next
            .source_snapshots
            .iter()
            .all(|snapshot| snapshot.state == State::Current);
        ensure(
            current || found.removed.is_empty(),
            format!("a failed fetch shows a removal: {told}"),
        )?;
        for (seen, count) in
            self.seen
                .iter_mut()
                .zip([found.added.len(), found.removed.len(), found.changed.len()])
        {
            *seen += count;
        }
        self.before = std::mem::replace(&mut self.last, next);
        Ok(found)
    }

    /// Restores the original fixture.
    async fn restore(&mut self) -> Result<(), Failed> {
        self.says(&self.plain.clone()).await.map(drop)
    }

    fn state(&self) -> Option<State> {
        self.last.source_snapshots.first().map(|snapshot| snapshot.state)
    }
}

/// Generates a version and returns it completely.
async fn version(scene: &Scene) -> Result<Version, Failed> {
    let (shown, _) = scene.generate().await?;
    Ok(serde_json::from_value(shown)?)
}

fn sorted(items: &[Entry]) -> Vec<Entry> {
    let mut items = items.to_vec();
    items.sort_by(|one, other| (&one.resource, &one.id).cmp(&(&other.resource, &other.id)));
    items
}

async fn laws(case: &Case) -> Result<(), Failed> {
    let mut world = World::of(case).await?;
    ensure(world.state() == Some(State::Current), "the fixture as it is")?;
    fresh(&mut world).await?;
    altered(&mut world, case).await?;
    reordered(&mut world).await?;
    week_old(&mut world).await?;
    for refusal in refusals() {
        refused(case, &refusal).await?;
        for number in 0..case.exchanges.len() {
            in_part(case, number, &refusal).await?;
        }
    }
    let [added, removed, changed] = world.seen;
    ensure(
        added + removed + changed > 0,
        "no alteration was seen: this has tried nothing",
    )
}

/// A recent source is not requested again.
async fn fresh(world: &mut World) -> Result<(), Failed> {
    let asked = world.scene.asked();
    ensure(asked > 0, "nobody was asked")?;
    world.scene.later(TimeDelta::seconds(30));
    let found = world.next().await?;
    let more = world.scene.asked() - asked;
    ensure(more == 0, format!("{more} requests to a source that is fresh"))?;
    ensure(!found.is_news(), format!("news without a request: {found:?}"))
}

/// Other fields, and one entry less.
async fn altered(world: &mut World, case: &Case) -> Result<(), Failed> {
    let tried = std::env::var(ALTERED).ok().and_then(|tried| tried.parse().ok());
    let mut all: Vec<Vec<Reply>> = Vec::new();
    for (number, exchange) in case.exchanges.iter().enumerate() {
        let Some(plain) = world.plain.get(number).filter(|plain| plain.status == 200) else {
            continue;
        };
        let bodies = alterations(&plain.body, &exchange.content_type());
        let step = bodies.len().div_ceil(tried.unwrap_or(TRIED)).max(1);
        let bodies = bodies.into_iter().step_by(step).map(|altered| altered.body);
        for body in bodies.chain(lists(&plain.body, |_| true, |list| drop(list.remove(0)))) {
            let mut replies = world.plain.clone();
            replies[number].body = body;
            all.push(replies);
        }
    }
    ensure(!all.is_empty(), "nothing to alter")?;
    for replies in all {
        world.says(&replies).await?;
    }
    world.restore().await
}

/// Reordered entries have the same content and number; if an answer shows one of several copies of a report,
/// it may be another copy.
async fn reordered(world: &mut World) -> Result<(), Failed> {
    let of_entries = |list: &[Value]| list.iter().all(Value::is_object);
    for number in 0..world.plain.len() {
        for body in lists(&world.plain[number].body, of_entries, |list| list.reverse()) {
            let mut replies = world.plain.clone();
            replies[number].body = body;
            let found = world.says(&replies).await?;
            ensure(
                found.changed.is_empty() && found.added.len() == found.removed.len(),
                format!("another order of {number}: {found:?}"),
            )?;
        }
    }
    world.restore().await
}

/// Changes each selected list of two or more entries. Lists nested in a list's entries are left out.
fn lists(body: &[u8], these: fn(&[Value]) -> bool, change: fn(&mut Vec<Value>)) -> Vec<Vec<u8>> {
    let Ok(document) = serde_json::from_slice::<Value>(body) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    loop {
        let mut altered = document.clone();
        if !change_list(&mut altered, &mut out.len(), these, change) {
            return out;
        }
        out.push(altered.to_string().into_bytes());
    }
}

/// Changes the list after this many others. Returns whether it exists.
fn change_list(
    value: &mut Value,
    before: &mut usize,
    these: fn(&[Value]) -> bool,
    change: fn(&mut Vec<Value>),
) -> bool {
    match value {
        Value::Array(list) if list.len() > 1 && these(list) => {
            if *before == 0 {
                change(list);
                return true;
            }
            *before -= 1;
            false
        }
        Value::Object(entries) => entries
            .values_mut()
            .any(|value| change_list(value, before, these, change)),
        _ => false,
    }
}

/// A block page in place of the content.
const WALL: &str = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser \
    before accessing the site.</h1><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script>\
    </body></html>";

fn refusals() -> [Reply; 4] {
    [
        limited(),
        reply(503, "text/plain", "maintenance"),
        reply(403, "text/html", WALL),
        reply(200, "text/html", WALL),
    ]
}

/// If everything is refused, only the age changes, and the current state has no removals either. Uses a
/// separate server, because the server backs off from a refusing source.
async fn refused(case: &Case, refusal: &Reply) -> Result<(), Failed> {
    let mut world = World::of(case).await?;
    let found = world.says(&vec![refusal.clone(); world.plain.len()]).await?;
    ensure(
        world.state() == Some(State::LastUsed) && !found.is_news() && found.could_not_check.is_empty(),
        format!("{:?} {found:?}", world.last.source_snapshots),
    )?;
    world.scene.later(LATER);
    let now = world.scene.diff(world.last.version, To::Now).await?;
    let now: Diff = serde_json::from_value(now["diff"].clone())?;
    ensure(
        !now.is_news() && now.could_not_check.len() == world.last.items.len(),
        format!("{now:?}"),
    )
}

/// If one of its addresses is refused, the missing items do not count as removed.
async fn in_part(case: &Case, number: usize, refusal: &Reply) -> Result<(), Failed> {
    let mut world = World::of(case).await?;
    let mut replies = world.plain.clone();
    replies[number].clone_from(refusal);
    let found = world.says(&replies).await?;
    ensure(
        found.removed.is_empty(),
        format!("exchange {number}, {}: {found:?}", refusal.status),
    )
}

/// A week after the last sync: confirmed or fetched again, it is evaluated at the current time and states the
/// time of sync; so does an unavailable source.
async fn week_old(world: &mut World) -> Result<(), Failed> {
    let synced = world.last.source_snapshots[0]
        .synced_at
        .clone()
        .ok_or("it was synced")?;
    world.scene.later(TimeDelta::days(7));
    world.next().await?;
    let now = world.last.generated_at.clone();
    let snapshot = world.last.source_snapshots[0].clone();
    let says = if snapshot.synced_at.as_ref() == Some(&synced) {
        format!("synced {synced} (7 days ago), confirmed {now}")
    } else {
        format!("synced {now} (just now), confirmed {now}")
    };
    ensure(
        snapshot.state == State::Current && world.last.markdown.contains(&says),
        &world.last.markdown,
    )?;
    not_younger(world)?;
    let synced = snapshot.synced_at.ok_or("it was synced")?;
    world.fixture.set(&vec![limited(); world.plain.len()]);
    world.scene.later(TimeDelta::days(7));
    let found = world.next().await?;
    ensure(
        world.state() == Some(State::LastUsed) && !found.is_news(),
        format!("{found:?}"),
    )?;
    ensure(
        world.last.markdown.contains(&format!("as of {synced} ("))
            && world.last.markdown.contains("judged at now"),
        &world.last.markdown,
    )?;
    not_younger(world)
}

/// No item scores higher than in the previous version.
fn not_younger(world: &World) -> Result<(), Failed> {
    for entry in &world.last.items {
        let of = |version: &Version| {
            let entry = version.items.iter().find(|known| known.id == entry.id);
            entry.and_then(|entry| entry.judged.get("freshness_score")?.as_f64())
        };
        let (before, after) = (of(&world.before), of(&world.last));
        ensure(
            after <= before || before.is_none(),
            format!("{}: {before:?}, and a week later {after:?}", entry.id),
        )?;
    }
    Ok(())
}
