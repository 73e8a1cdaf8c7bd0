//! `kill -9` at any moment of `deliverable generate`: what is kept is whole, and nothing that was kept is lost. Twelve
//! times on each database; FRESHCONTEXT_KILLS says how often instead, FRESHCONTEXT_SEED repeats a run.

use std::process::Stdio;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use super::setup::ensure;
use super::whole::Changing;
use crate::places::Kept;
use crate::process::{PATIENCE, finish};

const KILLS: &str = "FRESHCONTEXT_KILLS";
const SEED: &str = "FRESHCONTEXT_SEED";

/// Numbers that look random and can be had again (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

pub async fn often(kept: Kept) -> Result<(), Failed> {
    let which = kept.kind();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let kills = number(KILLS).unwrap_or(12);
    let seed = number(SEED).unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        u64::try_from(since.as_nanos() & u128::from(u64::MAX)).unwrap_or_default()
    });
    eprintln!("{which}: {kills} kills, {SEED}={seed}");
    let mut random = Random(seed);
    let mut scene = Changing::new(kept, 0).await?;
    // How long one takes that nobody kills.
    let began = Instant::now();
    scene.generate().await?;
    let whole = began.elapsed();
    let store = scene.kept.store();
    let mut versions = scene.look(&store).await?;
    let (mut killed, mut attempts) = (0_u64, 0);
    while killed < kills {
        attempts += 1;
        let mut command = scene.attempt();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let share = (random.next() % 1_100) as f64 / 1_000.0;
        tokio::time::sleep(whole.mul_f64(share)).await;
        if child.try_wait()?.is_none() {
            child.start_kill()?;
            killed += 1;
        }
        tokio::time::timeout(PATIENCE, child.wait()).await??;
        versions = scene.look(&store).await.map_err(|error| {
            Failed::from(format!("{which}, {SEED}={seed}, after kill {killed}: {error:?}"))
        })?;
    }
    // And it goes on.
    scene.generate().await?;
    let after = scene.look(&store).await?;
    store.close().await;
    ensure(after == versions + 1, "it does not go on")?;
    eprintln!(
        "{which}: {killed} kills in {attempts} attempts of {} ms, {after} versions, all whole",
        whole.as_millis()
    );
    Ok(())
}

/// Two processes that generate at the same moment make two versions, in order and whole, again and again.
pub async fn two_at_once(kept: Kept) -> Result<(), Failed> {
    let mut scene = Changing::new(kept, 50).await?;
    let began = Instant::now();
    for round in 1..=3 {
        let one = scene.attempt();
        let other = scene.command(&["deliverable", "generate", super::whole::NAME]);
        let (one, other) = tokio::join!(finish(one, ""), finish(other, ""));
        ensure(
            (one.code, other.code) == (Some(0), Some(0)),
            one.stderr + &other.stderr,
        )?;
        let versions = scene.look_once().await?;
        ensure(
            versions == 2 * round,
            format!("{versions} versions in round {round}"),
        )?;
    }
    ensure(
        began.elapsed() < Duration::from_mins(1),
        "they wait for each other",
    )
}
