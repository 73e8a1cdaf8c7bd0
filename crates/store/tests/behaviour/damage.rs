//! A database whose last bytes are cut off or altered, and copies that are made while it is written.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use freshcontext_store::{Place, Retention, Store, Trouble};
use libtest_mimic::Failed;
use sqlx::Connection as _;

use super::{BOUND, Folder, NOW, block_on, ensure, row};

const DATABASE: &str = "freshcontext.sqlite3";
const LOG: &str = "freshcontext.sqlite3-wal";
const ANSWERS: usize = 40;
/// The part of the log that is damaged: its last bytes.
const TAIL: usize = 4_096;
/// Every so many bytes of it are damaged in a quick run, from a random one on. `FRESHCONTEXT_EVERY_BYTE` damages each.
const EVERY: usize = 37;
pub(super) const WIDE: Retention = Retention {
    answers: 100_000,
    ..BOUND
};

pub(super) fn id(number: usize) -> String {
    format!("n{number:05}")
}

/// Returns how many answers a store has, in order. Each must be whole, and none may be missing before the last.
pub(super) async fn prefix(store: &Store) -> Result<usize, Failed> {
    let mut page = None;
    let mut ids = Vec::new();
    loop {
        let found = store.answers("local", page.as_ref(), 1_000).await?;
        for row in found.rows {
            let number: i64 = row.answer_id.trim_start_matches('n').parse()?;
            ensure(
                row == super::row(&row.answer_id, NOW + number),
                format!("a torn answer: {row:?}"),
            )?;
            ids.push(row.answer_id);
        }
        page = found.next;
        if page.is_none() {
            break;
        }
    }
    ids.reverse();
    let expected: Vec<String> = (0..ids.len()).map(id).collect();
    ensure(ids == expected, format!("not those that came first: {ids:?}"))?;
    Ok(ids.len())
}

pub(super) async fn put(store: &Store, number: usize) -> Result<(), freshcontext_store::StoreError> {
    let at = NOW + i64::try_from(number).unwrap();
    store.put_answer("local", &row(&id(number), at), NOW).await
}

/// Cuts or alters the log at every byte of its tail. The database opens with the answers that came first, all whole, and
/// an answer that is lost counts as not kept; or it is refused as damaged.
pub fn tail_of_the_log() -> Result<(), Failed> {
    let folder = Folder::new();
    let (every, first) = if std::env::var_os("FRESHCONTEXT_EVERY_BYTE").is_some() {
        (1, 0)
    } else {
        let random = RandomState::new().build_hasher().finish();
        (EVERY, usize::try_from(random % EVERY as u64)?)
    };
    block_on(async {
        let store = Store::new(Place::Folder(folder.0.clone()), WIDE);
        for number in 0..ANSWERS {
            put(&store, number).await?;
        }
        // As a machine that stops at this moment leaves it.
        let database = std::fs::read(folder.0.join(DATABASE))?;
        let log = std::fs::read(folder.0.join(LOG))?;
        store.close().await;
        ensure(log.len() > 2 * TAIL, format!("a log of {} bytes", log.len()))?;
        let (mut fewer, mut refused) = (0, 0);
        for at in (log.len() - TAIL + first..log.len()).step_by(every) {
            let mut altered = log.clone();
            *altered.get_mut(at).ok_or("within the log")? ^= 0x41;
            for damaged in [log.get(..at).ok_or("within the log")?, &altered] {
                let opened = Folder::new();
                std::fs::create_dir_all(&opened.0)?;
                std::fs::write(opened.0.join(DATABASE), &database)?;
                std::fs::write(opened.0.join(LOG), damaged)?;
                let store = Store::new(Place::Folder(opened.0.clone()), WIDE);
                match store.backend().await {
                    Ok(_) => {
                        let kept = prefix(&store)
                            .await
                            .map_err(|error| format!("byte {at}: {}", text(&error)))?;
                        fewer += usize::from(kept < ANSWERS);
                        let lost = store.answer("local", &id(kept), NOW).await?;
                        ensure(lost.is_none(), "a lost answer is not kept")?;
                        ensure(kept + 3 >= ANSWERS, format!("byte {at}: {kept} are left"))?;
                    }
                    Err(error) if error.trouble == Trouble::Damaged => refused += 1,
                    Err(error) => return Err(format!("byte {at}: {error:?}").into()),
                }
                store.close().await;
            }
        }
        ensure(fewer + refused > 0, "no damage was noticed")
    })
}

fn text(error: &Failed) -> String {
    error.message().unwrap_or_default().to_owned()
}

/// A copy that SQLite makes while answers are written is sound, and holds those that came first.
pub fn copied_while_written() -> Result<(), Failed> {
    let folder = Folder::new();
    block_on(async {
        let store = Arc::new(Store::new(Place::Folder(folder.0.clone()), WIDE));
        put(&store, 0).await?;
        let ended = Arc::new(AtomicBool::new(false));
        let writing = tokio::spawn({
            let (store, ended) = (Arc::clone(&store), Arc::clone(&ended));
            async move {
                let mut number = 1;
                while !ended.load(Ordering::Relaxed) {
                    put(&store, number).await?;
                    number += 1;
                }
                Ok::<usize, freshcontext_store::StoreError>(number)
            }
        });
        let mut before = 0;
        for _ in 0..8 {
            let copy = Folder::new();
            std::fs::create_dir_all(&copy.0)?;
            copied(&folder.0.join(DATABASE), &copy.0.join(DATABASE)).await?;
            let restored = Store::new(Place::Folder(copy.0.clone()), WIDE);
            ensure(restored.check().await?.is_empty(), "the copy is sound")?;
            let kept = prefix(&restored).await?;
            ensure(kept > before, format!("{kept} after {before}"))?;
            put(&restored, kept).await?;
            restored.close().await;
            // More was written in the meantime.
            before = kept;
        }
        ended.store(true, Ordering::Relaxed);
        let written = writing.await??;
        ensure(prefix(&store).await? == written, "copies disturb nothing")?;
        store.close().await;
        Ok(())
    })
}

/// Copies as `sqlite3 … ".backup …"` and `VACUUM INTO` do: from another connection, in one transaction.
async fn copied(from: &Path, to: &Path) -> Result<(), Failed> {
    let mut connection = sqlx::SqliteConnection::connect(&format!("sqlite://{}", from.display())).await?;
    sqlx::query("VACUUM INTO ?")
        .bind(to.to_str().unwrap())
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    Ok(())
}
