//! Random failures, in rounds: stored data is complete, confirmed data is never lost, and results match the
//! source. Each round causes one kind of failure during a `deliverable generate` and a call, then generates a
//! version without failures. Fourteen rounds on each database; FRESHCONTEXT_ROUNDS overrides the number,
//! FRESHCONTEXT_SEED repeats a run.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::Value;
use tokio::process::{Child, Command};

use super::setup::ensure;
use super::trouble::{little_room, read_only};
use super::whole::Changing;
use crate::places::Kept;
use crate::process::{Finished, PATIENCE, finish, signal, through};

const ROUNDS: &str = "FRESHCONTEXT_ROUNDS";
const SEED: &str = "FRESHCONTEXT_SEED";
const DAY_S: i64 = 86_400;

/// Reproducible pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    /// `kill -9` during generation.
    Killed,
    /// Stopped during generation while another process generates.
    Stopped,
    /// A clock that is days ahead.
    ClockAhead,
    /// A clock that is days behind.
    ClockBehind,
    /// Little or no disk space.
    FullDisk,
    /// A read-only disk.
    ReadOnlyDisk,
    /// The database server is restarted.
    Restarted,
}

/// Failures on each database.
const ON_SQLITE: [Trouble; 6] = [
    Trouble::Killed,
    Trouble::Stopped,
    Trouble::ClockAhead,
    Trouble::ClockBehind,
    Trouble::FullDisk,
    Trouble::ReadOnlyDisk,
];
const ON_POSTGRES: [Trouble; 5] = [
    Trouble::Killed,
    Trouble::Stopped,
    Trouble::ClockAhead,
    Trouble::ClockBehind,
    Trouble::Restarted,
];

/// An answer with an id, from a process that ended normally.
struct Confirmed {
    id: String,
    hash: String,
}

struct Rounds {
    scene: Changing,
    random: Random,
    /// Duration of an undisturbed generation.
    whole: Duration,
    confirmed: Vec<Confirmed>,
    calls: u64,
    /// Attempts that made a version despite a failure, and those that were refused or ended.
    made: u64,
    not_made: u64,
}

pub async fn often(kept: Kept) -> Result<(), Failed> {
    let which = kept.kind();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let rounds = number(ROUNDS).unwrap_or(14);
    let seed = number(SEED).unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        u64::try_from(since.as_nanos() & u128::from(u64::MAX)).unwrap_or_default()
    });
    eprintln!("{which}: {rounds} rounds, {SEED}={seed}");
    let on_sqlite = kept.address().is_none();
    let mut kinds = if on_sqlite {
        ON_SQLITE.to_vec()
    } else {
        ON_POSTGRES.to_vec()
    };
    if on_sqlite && read_only().await.is_none() {
        eprintln!("NOT CHECKED: a disk that cannot be written, which takes a namespace to mount it in");
        kinds.retain(|kind| *kind != Trouble::ReadOnlyDisk);
    }
    let mut scene = Changing::new(kept, 0).await?;
    let began = Instant::now();
    scene.generate().await?;
    let whole = began.elapsed();
    let mut run = Rounds {
        scene,
        random: Random(seed),
        whole,
        confirmed: Vec::new(),
        calls: 0,
        made: 0,
        not_made: 0,
    };
    let mut done: BTreeMap<Trouble, u64> = BTreeMap::new();
    let began = Instant::now();
    for round in 0..rounds {
        // Each kind in turn, in a different order each time.
        let turn = usize::try_from(round)? % kinds.len();
        if turn == 0 {
            for at in (1..kinds.len()).rev() {
                let other = run.random.below(u64::try_from(at)? + 1);
                kinds.swap(at, usize::try_from(other)?);
            }
        }
        let kind = kinds[turn];
        run.round(kind).await.map_err(|error| {
            Failed::from(format!(
                "{which}, {SEED}={seed}, round {round}, {kind:?}: {error:?}"
            ))
        })?;
        *done.entry(kind).or_default() += 1;
    }
    let versions = run.scene.look_once().await?;
    eprintln!(
        "{which}: {rounds} rounds in {} s, {done:?}: under trouble {} made and {} not made; {versions} versions, all whole, \
         and {} answers, all found",
        began.elapsed().as_secs(),
        run.made,
        run.not_made,
        run.confirmed.len(),
    );
    ensure(run.confirmed.len() as u64 >= rounds, "an answer in each round")
}

impl Rounds {
    async fn round(&mut self, kind: Trouble) -> Result<(), Failed> {
        let days = i64::try_from(1 + self.random.below(400))? * DAY_S;
        match kind {
            Trouble::Killed => self.killed().await?,
            Trouble::Stopped => self.stopped().await?,
            Trouble::ClockAhead => self.wrong_clock(days).await?,
            Trouble::ClockBehind => self.wrong_clock(-days).await?,
            Trouble::FullDisk => self.full_disk().await?,
            Trouble::ReadOnlyDisk => self.read_only_disk().await?,
            Trouble::Restarted => self.restarted().await?,
        }
        self.scene.look_once().await?;
        // With a correct clock the source is requested, and its current content is reported.
        self.scene.generate_true(0).await?;
        self.call(0).await?;
        self.all_found().await
    }

    fn moment(&mut self) -> Duration {
        let share = self.random.below(1_100) as f64 / 1_000.0;
        self.whole.mul_f64(share)
    }

    fn start(&mut self) -> Result<Child, Failed> {
        let mut command = self.scene.attempt();
        Ok(command.spawn()?)
    }

    async fn killed(&mut self) -> Result<(), Failed> {
        let mut command = self.scene.attempt();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        tokio::time::sleep(self.moment()).await;
        if child.try_wait()?.is_none() {
            child.start_kill()?;
            self.not_made += 1;
        } else {
            self.made += 1;
        }
        tokio::time::timeout(PATIENCE, child.wait()).await??;
        Ok(())
    }

    /// The other process may report that the stopped one locks the database. The stopped one finishes
    /// normally.
    async fn stopped(&mut self) -> Result<(), Failed> {
        let child = self.start()?;
        tokio::time::sleep(self.moment()).await;
        let process = child.id();
        if let Some(process) = process {
            signal(process, "STOP");
        }
        let other = finish(self.scene.attempt(), "").await;
        if let Some(process) = process {
            signal(process, "CONT");
        }
        self.made_or_said(&other)?;
        let done = tokio::time::timeout(PATIENCE, child.wait_with_output()).await??;
        // On Postgres the server may have ended its statement meanwhile.
        let done = Finished {
            code: done.status.code(),
            stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
        };
        self.made_or_said(&done)
    }

    async fn wrong_clock(&mut self, ahead_s: i64) -> Result<(), Failed> {
        self.scene.generate_true(ahead_s).await?;
        self.made += 1;
        self.call(ahead_s).await?;
        // A process with a correct clock reads the stored data and reports no future time.
        let check = self
            .scene
            .command(&["deliverable", "check", super::whole::NAME, "--json"]);
        let now = self.scene.now();
        let done = finish(check, "").await;
        ensure(matches!(done.code, Some(0 | 3)), &done.stderr)?;
        let checked: Value = serde_json::from_str(&done.stdout)?;
        let source = &checked["sources"][0];
        for name in ["synced_at", "checked_at"] {
            let has_come = source[name].as_str().is_none_or(|at| at <= now.as_str());
            ensure(has_come, format!("{name} at {now}: {source}"))?;
        }
        ensure(
            source["synced_at_ahead"].is_string() == (ahead_s > 0),
            format!("at {now}: {source}"),
        )
    }

    async fn full_disk(&mut self) -> Result<(), Failed> {
        let room = (4 * self.random.below(100)).to_string();
        let (runner, mut words, script) = little_room().await;
        let folder = self.scene.kept.folder().display().to_string();
        words.extend(["sh", "-c", script, "sh", &folder, &room]);
        let done = finish(through(runner, &words, &self.scene.attempt()), "").await;
        self.made_or_said(&done)
    }

    async fn read_only_disk(&mut self) -> Result<(), Failed> {
        let (runner, mut words, script) = read_only().await.ok_or("a namespace")?;
        let folder = self.scene.kept.folder().display().to_string();
        words.extend(["sh", "-c", script, "sh", &folder]);
        let done = finish(through(runner, &words, &self.scene.attempt()), "").await;
        ensure(
            done.code == Some(2),
            format!("made on a read-only disk: {done:?}"),
        )?;
        self.made_or_said(&done)
    }

    async fn restarted(&mut self) -> Result<(), Failed> {
        let child = self.start()?;
        tokio::time::sleep(self.moment()).await;
        self.scene.kept.tell("stop")?;
        tokio::time::sleep(Duration::from_millis(self.random.below(300))).await;
        self.scene.kept.tell("start")?;
        let done = tokio::time::timeout(PATIENCE, child.wait_with_output()).await??;
        let done = Finished {
            code: done.status.code(),
            stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
        };
        self.made_or_said(&done)
    }

    /// A version was made, or one line explains why not.
    fn made_or_said(&mut self, done: &Finished) -> Result<(), Failed> {
        if done.code == Some(0) {
            self.made += 1;
            return Ok(());
        }
        self.not_made += 1;
        let said = done
            .stderr
            .lines()
            .find(|line| line.starts_with("error: "))
            .is_some_and(|line| line.contains("the store cannot be used: "));
        ensure(
            matches!(done.code, Some(1 | 2)) && said && done.stdout.is_empty(),
            format!("{done:?}"),
        )
    }

    /// A separate call with this clock. Its answer is stored when the process has ended.
    async fn call(&mut self, ahead_s: i64) -> Result<(), Failed> {
        self.calls += 1;
        let query = format!("url=words {}", self.calls);
        let words = [
            "call",
            "extract_hackernews",
            &query,
            "--toolset",
            "time",
            "--json",
        ];
        let command: Command = self.scene.command_by(&words, ahead_s);
        let done = finish(command, "").await;
        ensure(done.code == Some(0), &done.stderr)?;
        let answer: Value = serde_json::from_str(&done.stdout)?;
        let text = |name: &str| answer[name].as_str().map(str::to_owned);
        let (Some(id), Some(hash)) = (text("answer_id"), text("answer_hash")) else {
            return Err(format!("no id, without any trouble: {} {}", done.stdout, done.stderr).into());
        };
        self.confirmed.push(Confirmed { id, hash });
        Ok(())
    }

    /// Every confirmed answer is found unchanged.
    async fn all_found(&self) -> Result<(), Failed> {
        let store = self.scene.kept.store();
        let mut lost = Vec::new();
        for one in &self.confirmed {
            let row = store.answer("local", &one.id, 0).await?;
            if row.is_none_or(|row| row.hash != one.hash) {
                lost.push(one.id.clone());
            }
        }
        store.close().await;
        ensure(lost.is_empty(), format!("answers that were confirmed: {lost:?}"))
    }
}

/// Two processes that generate at the same time make two complete versions in order, repeatedly.
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
