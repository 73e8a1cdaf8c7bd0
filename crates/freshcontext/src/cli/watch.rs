//! `freshcontext deliverable watch`: prints a line of JSON for each change and maintains feeds of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use freshcontext_contract::SourceError;
use freshcontext_deliverables::{Feed, Source};
use serde_json::json;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{FAILED, failed, with_runtime};
use crate::app::App;
use crate::output;
use crate::webhooks::{courier, post_until};
use freshcontext_config::{ConfigError, Loaded, Sources};
use freshcontext_engine::Owner;
use freshcontext_files::write::{self as atomic_file, NewFile};
use freshcontext_follow::Follow;
use freshcontext_serve::signals;

/// Divisor of the random shift of each interval, a tenth, which spreads the requests of many watchers.
const JITTER: u32 = 10;

/// Deliverable to watch, and outputs for its changes besides stdout.
pub(super) struct WatchOptions {
    pub name: String,
    pub every: Option<u64>,
    pub atom: Option<PathBuf>,
    pub json_feed: Option<PathBuf>,
}

/// Reason why watching ended.
enum Ended {
    /// The deliverable cannot be watched any longer.
    Source(SourceError),
    /// A feed could not be written.
    Write(String),
}

impl From<SourceError> for Ended {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

pub(super) fn run(
    loaded: &Loaded,
    sources: &Sources,
    options: &WatchOptions,
    owner: &Owner,
) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let follow = app.follow()?;
    let courier = courier(Some(follow), &app.pipeline, &loaded.settings)?;
    with_runtime(2, async {
        let stop = CancellationToken::new();
        let posting = post_until(courier.as_ref(), &stop);
        let watching = async {
            let done = watch(follow, options, owner).await;
            stop.cancel();
            done
        };
        let (done, ()) = tokio::join!(watching, posting);
        follow.engine().close().await;
        match done {
            Ok(()) => 0,
            Err(Ended::Source(error)) => failed(&error),
            Err(Ended::Write(problem)) => {
                output::error(&problem, None);
                FAILED
            }
        }
    })
}

async fn watch(follow: &Follow, options: &WatchOptions, owner: &Owner) -> Result<(), Ended> {
    let mut feed = follow.deliverable_feed(&options.name, owner).await?;
    write_feeds(follow, options, &feed)?;
    let end = signals::end();
    let gone = output::reader_gone();
    tokio::pin!(end, gone);
    let mut turns: Vec<(Source, Instant)> = Vec::new();
    loop {
        // The definition may change meanwhile; removing the deliverable ends the loop.
        let sources = follow.watched_sources(&options.name, owner).await?;
        turns.retain(|(known, _)| sources.iter().any(|(source, _)| source == known));
        for (source, _) in &sources {
            if !turns.iter().any(|(known, _)| known == source) {
                turns.push((source.clone(), Instant::now()));
            }
        }
        let Some((source, turn)) = turns.iter_mut().min_by_key(|(_, turn)| *turn) else {
            return Ok(());
        };
        tokio::select! {
            biased;
            () = &mut end => return Ok(()),
            // The reader of stdout disconnected.
            () = &mut gone => return Ok(()),
            () = sleep_until(*turn) => {}
        }
        // A running request is completed first, so that shutdown happens between two requests.
        let seen = follow.watch_source(&options.name, source, owner).await?;
        let every = match options.every {
            Some(seconds) => Duration::from_secs(seconds),
            None => sources
                .iter()
                .find(|(known, _)| known == source)
                .map_or(Duration::ZERO, |(_, every)| *every),
        };
        let mut wait = jittered(every);
        if let Some(trouble) = &seen.trouble {
            output::note(&output::one_line(&format!(
                "{}: {}: {}",
                trouble.what, trouble.code, trouble.message
            )));
            wait = wait.max(Duration::from_secs(trouble.retry_after_s.unwrap_or_default()));
        }
        *turn = Instant::now() + wait;
        if seen.events.is_empty() {
            continue;
        }
        for event in &seen.events {
            let mut line = json!(event);
            if let Some(line) = line.as_object_mut() {
                line.insert("deliverable".to_owned(), options.name.as_str().into());
            }
            output::line(&line.to_string());
        }
        feed.add(seen.events);
        write_feeds(follow, options, &feed)?;
        if output::is_lost() {
            return Ok(());
        }
    }
}

/// Shifts an interval by at most a tenth in either direction.
fn jittered(every: Duration) -> Duration {
    let mut random = [0_u8; 4];
    if getrandom::fill(&mut random).is_err() {
        return every;
    }
    let share = f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX);
    let span = every / JITTER;
    every.saturating_sub(span) + (span * 2).mul_f64(share)
}

fn write_feeds(follow: &Follow, options: &WatchOptions, feed: &Feed) -> Result<(), Ended> {
    let now = follow
        .engine()
        .clock()
        .now()
        .to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    if let Some(file) = &options.atom {
        write(file, &feed.atom(&now))?;
    }
    if let Some(file) = &options.json_feed {
        write(file, &format!("{:#}\n", feed.json()))?;
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<(), Ended> {
    atomic_file::write(file, text.as_bytes(), NewFile::Shared).map_err(Ended::Write)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_a_tenth_at_most() {
        let hour = Duration::from_hours(1);
        let mut seen = Vec::new();
        for _ in 0..100 {
            let wait = jittered(hour);
            assert!(
                (Duration::from_mins(54)..=Duration::from_mins(66)).contains(&wait),
                "{wait:?}"
            );
            seen.push(wait);
        }
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 1, "it differs");
    }
}
