//! `freshcontext store`: the data of the toolset `time`.

use chrono::{DateTime, Utc};
use freshcontext_contract::{Clock as _, named};
use freshcontext_deliverables::{Definition, verify_chain};
use freshcontext_store::{AnswerRow, Info, Store, StoreError};

use super::args::StoreTask;
use super::{FAILED, WRONG, with_runtime};
use crate::output;
use freshcontext_config::SystemClock;
use freshcontext_config::{ConfigError, Loaded};
use freshcontext_engine::Owner;
use freshcontext_follow::KeptMoment;

/// Maximum number of answers that an export reads at once.
const PAGE: i64 = 1_000;

pub(super) fn run(loaded: &Loaded, task: StoreTask) -> Result<u8, ConfigError> {
    let Some(store) = loaded.settings.store() else {
        output::error("nothing is kept: the setting `store` is off", None);
        return Ok(WRONG);
    };
    let done = with_runtime(1, async {
        let done = work(&store, task).await;
        store.close().await;
        done
    })?;
    Ok(done.unwrap_or_else(|error| {
        output::error(&error.to_string(), hint(&error));
        FAILED
    }))
}

async fn work(store: &Store, task: StoreTask) -> Result<u8, StoreError> {
    let now = SystemClock.now();
    match task {
        StoreTask::Info { json } => show(&store.info().await?, json, now),
        StoreTask::Check => {
            let mut complaints = store.check().await?;
            let (versions, broken) = chains(store).await?;
            complaints.extend(broken);
            complaints.extend(unreadable_definitions(store).await?);
            if complaints.is_empty() {
                output::line("sound");
                if versions > 0 {
                    output::line(&format!(
                        "versions of deliverables: {versions}, each as it was written"
                    ));
                }
            } else {
                for complaint in &complaints {
                    output::error(complaint, None);
                }
                return Ok(FAILED);
            }
        }
        StoreTask::Migrate => {
            // Opening brings the tables to this program's version.
            let info = store.info().await?;
            output::line(&format!("{}: tables of version {}", info.backend, info.schema));
        }
        StoreTask::Vacuum => {
            let forgotten = store.vacuum(now.timestamp_millis()).await?;
            output::line(&format!("{} answers forgotten", forgotten.answers));
            if forgotten.held_back > 0 {
                output::note(&held_back(forgotten.held_back));
            }
        }
        StoreTask::Export => {
            let mut next = None;
            loop {
                let page = store
                    .answers(Owner::default().as_str(), next.as_ref(), PAGE)
                    .await?;
                for row in &page.rows {
                    export(row, now);
                }
                next = page.next;
                if next.is_none() {
                    break;
                }
            }
        }
    }
    Ok(0)
}

/// Walks the versions of every owner's deliverables. Returns how many there are, and what is wrong with them: a version
/// whose hash is not that of its content, or that does not follow its predecessor.
async fn chains(store: &Store) -> Result<(usize, Vec<String>), StoreError> {
    let kept = store.backend().await?;
    let (mut count, mut broken) = (0, Vec::new());
    for (owner, name) in kept.deliverable_keys().await? {
        let mut last: Option<(i64, String)> = None;
        loop {
            let after = last.as_ref().map_or(0, |(number, _)| *number);
            let rows = kept.versions(&owner, &name, after).await?;
            if rows.is_empty() {
                break;
            }
            count += rows.len();
            let chain = rows.iter().map(|row| {
                let predecessor = row.predecessor_hash.as_deref();
                (row.version, predecessor, row.hash.as_str(), row.body.as_str())
            });
            let before = last.as_ref().map(|(number, hash)| (*number, hash.as_str()));
            if let Err(number) = verify_chain(before, chain) {
                broken.push(format!(
                    "version {number} of the deliverable {} is not what was written, or does not follow the version before it",
                    named(&name)
                ));
                break;
            }
            last = rows.into_iter().last().map(|row| (row.version, row.hash));
        }
    }
    Ok((count, broken))
}

/// Deliverables whose definition cannot be read: no command can use them.
async fn unreadable_definitions(store: &Store) -> Result<Vec<String>, StoreError> {
    let kept = store.backend().await?;
    let mut broken = Vec::new();
    for (owner, name) in kept.deliverable_keys().await? {
        let row = match kept.deliverable(&owner, &name).await {
            // Larger than is read, which says nothing of what it holds.
            Err(error) if error.trouble == freshcontext_store::Trouble::TooLarge => continue,
            row => row?,
        };
        let unread = row.and_then(|row| serde_json::from_str::<Definition>(&row.definition).err());
        if let Some(error) = unread {
            broken.push(format!(
                "the definition of the deliverable {} (of {owner}) cannot be read: {error}",
                named(&name)
            ));
        }
    }
    Ok(broken)
}

/// Writes an answer as a line of JSON.
fn export(row: &AnswerRow, now: DateTime<Utc>) {
    let answered = KeptMoment::of(row.created_ms, now);
    let mut line = serde_json::json!({
        "answer_id": row.answer_id,
        "tool": row.tool,
        "arguments": read(&row.arguments),
        "answer_hash": row.hash,
        "answered_at": answered.at,
        "marks": read(&row.record),
    });
    if let (Some(ahead), Some(line)) = (answered.ahead, line.as_object_mut()) {
        line.insert("answered_at_ahead".to_owned(), ahead.into());
    }
    output::line(&line.to_string());
}

fn read(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Builds the note about entries that look expired but are kept.
fn held_back(count: u64) -> String {
    format!(
        "{count} entries look older than limits.answers_days and are kept until the clock has proved right: they are deleted a \
         day after they are first found, at most a tenth of the store each day"
    )
}

fn show(info: &Info, json: bool, now: DateTime<Utc>) {
    if json {
        output::line(&serde_json::to_string_pretty(info).unwrap_or_default());
        return;
    }
    let or_none = |ms: Option<i64>| ms.map_or_else(|| "-".to_owned(), |ms| KeptMoment::of(ms, now).words());
    let rows = [
        ("database", info.backend.to_owned()),
        ("tables", format!("version {}", info.schema)),
        ("answers", info.answers.to_string()),
        ("owners", info.owners.to_string()),
        ("deliverables", info.deliverables.to_string()),
        ("versions", info.versions.to_string()),
        ("records", info.records.to_string()),
        ("oldest", or_none(info.oldest_ms)),
        ("newest", or_none(info.newest_ms)),
        ("size", format!("{} bytes", info.bytes)),
    ];
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(name, value)| vec![name.to_owned(), value])
        .collect();
    for row in output::table(&rows) {
        output::line(&row);
    }
}

fn hint(error: &StoreError) -> Option<&'static str> {
    use freshcontext_store::Trouble;
    match error.trouble {
        Trouble::Damaged => {
            Some("move the file away; a new one is made, and only ids of earlier answers are lost")
        }
        Trouble::Locked => Some("another process works on it; try again"),
        Trouble::ReadOnly | Trouble::Full => {
            Some("`data_dir` names another folder; `store = \"memory\"` needs none")
        }
        Trouble::Unreachable => Some("`database_url` (FRESHCONTEXT_DATABASE_URL) names the server"),
        Trouble::Newer => Some("use the newer freshcontext, or another data folder"),
        Trouble::TooLarge => {
            Some("the limit that the error names can be raised, for this command alone with `--set`")
        }
        Trouble::Other => None,
    }
}
