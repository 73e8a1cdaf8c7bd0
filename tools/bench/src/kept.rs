//! The answer store with a raised limit: a million writes next to concurrent readers, and whether the limit holds.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use freshcontext_store::{AnswerRow, Place, Retention, Store};

use crate::Failure;
use crate::report::{Row, Target, note};

const GROUP: &str = "store";
/// Number of concurrent readers.
const READERS: u64 = 32;
/// Pause of each reader between two reads.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes of marks per answer: those of a list of about eight items.
const MARKS: usize = 2_000;
/// Writes beyond the limit, as a fraction: one in this many.
const BEYOND: u64 = 20;
/// Maximum 99th percentile of the write time, in milliseconds.
const WRITE_MS: f64 = 10.0;
const OWNER: &str = "local";
/// Arbitrary start time, in milliseconds since 1970.
const BEGUN_MS: i64 = 1_800_000_000_000;

/// A folder that is deleted at the end of the run.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) async fn run(answers: u64) -> Result<Vec<Row>, Failure> {
    let folder = Folder(std::env::temp_dir().join(format!("freshcontext-bench-{}", std::process::id())));
    let bound = Retention {
        answers,
        age_ms: i64::MAX / 2,
        deliverables: 0,
        versions: 0,
        records: 1,
    };
    let store = Arc::new(Store::new(Place::Folder(folder.0.clone()), bound));
    let first = answer(0);
    store.put_answer(OWNER, &first, first.created_ms).await?;
    note(&format!("store: writing {answers} answers"));
    let written = Arc::new(AtomicU64::new(1));
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..READERS)
        .map(|reader| {
            tokio::spawn(read(
                Arc::clone(&store),
                Arc::clone(&written),
                Arc::clone(&over),
                reader,
            ))
        })
        .collect();
    let begun = Instant::now();
    let mut writes = Vec::new();
    for at in 1..answers + answers / BEYOND {
        let answer = answer(at);
        let writing = Instant::now();
        store.put_answer(OWNER, &answer, answer.created_ms).await?;
        writes.push(writing.elapsed());
        written.store(at + 1, Ordering::Relaxed);
    }
    let took = begun.elapsed();
    over.store(true, Ordering::Relaxed);
    let mut reads = Vec::new();
    for reader in readers {
        reads.extend(reader.await??);
    }
    let kept = store.info().await?;
    let complaints = store.check().await?;
    if let Some(complaint) = complaints.first() {
        return Err(format!("the store is not sound: {complaint}").into());
    }
    store.close().await;
    // The limit, plus the overshoot that is possible between two checks.
    let most = answers + Retention::slack(answers);
    Ok(vec![
        Row::new(
            GROUP,
            "write beside 32 readers, median",
            "ms",
            part(&mut writes, 50),
        ),
        Row::new(GROUP, "write beside 32 readers, p99", "ms", part(&mut writes, 99))
            .target(Target::AtMost(WRITE_MS)),
        Row::new(GROUP, "write, the slowest", "ms", part(&mut writes, 100)),
        Row::new(GROUP, "read beside the writes, p99", "ms", part(&mut reads, 99)),
        Row::new(GROUP, "writes", "1/s", count(writes.len()) / took.as_secs_f64()),
        Row::new(GROUP, "reads", "1/s", count(reads.len()) / took.as_secs_f64()),
        Row::new(
            GROUP,
            format!("answers kept of {}", writes.len() + 1),
            "",
            real(kept.answers),
        )
        .target(Target::AtMost(real(i64::try_from(most)?))),
        Row::new(
            GROUP,
            "size of the database",
            "MiB",
            real(kept.bytes) / f64::from(1 << 20),
        ),
    ])
}

/// Reads stored answers one after the other until all writes are done. Returns the duration of each read.
async fn read(
    store: Arc<Store>,
    written: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    reader: u64,
) -> Result<Vec<Duration>, Failure> {
    let mut took = Vec::new();
    let mut step = reader;
    while !over.load(Ordering::Relaxed) {
        let known = written.load(Ordering::Relaxed);
        // Picks from the newer half, which is certainly still stored.
        step = step
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(reader | 1);
        let at = known - 1 - (step >> 33) % known.div_ceil(2);
        let reading = Instant::now();
        let found = store.answer(OWNER, &id(at), BEGUN_MS).await?;
        took.push(reading.elapsed());
        if found.is_none() {
            return Err(format!("answer {at} of {known} is not kept").into());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(took)
}

fn id(at: u64) -> String {
    format!("a{at:012}")
}

fn answer(at: u64) -> AnswerRow {
    AnswerRow {
        answer_id: id(at),
        tool: "extract_hackernews".to_owned(),
        arguments: format!("{{\"url\":\"words {at}\"}}"),
        hash: format!("{at:064x}"),
        record: "m".repeat(MARKS),
        created_ms: BEGUN_MS.saturating_add_unsigned(at),
    }
}

/// Returns the given percentile of the times, in milliseconds.
fn part(times: &mut [Duration], hundredth: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * hundredth / 100).min(times.len().saturating_sub(1));
    times
        .get(at)
        .map_or(f64::NAN, |time| time.as_secs_f64() * 1_000.0)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn count(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn real(number: i64) -> f64 {
    number as f64
}
