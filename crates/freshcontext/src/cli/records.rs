//! `freshcontext records`: context records from files and from the store, and their export. No network
//! access.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use freshcontext_contract::{Clock as _, Limits, SourceError};
use freshcontext_core::evaluate::{Options, evaluate};
use freshcontext_records::check::{check, delivered};
use freshcontext_records::export::{Format, export, read};
use freshcontext_records::ids::Ids;
use freshcontext_records::{Bundle, Native, RecordOptions};
use freshcontext_store::RecordsHead;
use serde_json::{Value, json};

use super::args::Records;
use super::{FAILED, WRONG, failed, unreadable, with_runtime};
use crate::app::App;
use crate::output;
use freshcontext_config::SystemClock;
use freshcontext_config::{ConfigError, Loaded, Sources};
use freshcontext_engine::Owner;
use freshcontext_engine::records::of_evaluation as note;
use freshcontext_files::read::{self as input, Bound};
use freshcontext_files::write::{self as atomic_file, NewFile};
use freshcontext_follow::{Follow, KeptMoment};
use freshcontext_mcp::timeline;

impl Records {
    /// Returns whether the task concerns stored records rather than a file.
    pub(super) fn is_kept(&self) -> bool {
        matches!(
            self,
            Self::List { .. } | Self::Show { .. } | Self::Export { kept: Some(_), .. }
        )
    }
}

/// Handles tasks on files, which need no settings and have no owner.
pub(super) fn run(task: &Records, token: Option<&str>, limits: &Limits) -> u8 {
    if token.is_some() {
        output::error(
            "records from a file belong to no token",
            Some("`--token` is for those that are kept: `records list`, `show ID`, `export --kept ID`"),
        );
        return WRONG;
    }
    match task {
        Records::Export {
            file: Some(file),
            format,
            ..
        } => with_bundle(file, limits, |bundle| exported(bundle, format)),
        Records::Page { file, text } => with_bundle(file, limits, |bundle| {
            sound(bundle, || {
                with_delivered(bundle, text.as_deref(), limits, |delivered| {
                    let adapters = freshcontext_sources::adapters();
                    let titles = adapters
                        .iter()
                        .map(|adapter| (adapter.descriptor().id, adapter.descriptor().title));
                    output::line(&timeline::of_records(bundle, delivered, titles));
                    0
                })
            })
        }),
        Records::Check { file, text, json } => with_bundle(file, limits, |bundle| {
            let wrong = match text {
                None => Vec::new(),
                Some(text) => match delivered_text(text, limits) {
                    Ok(text) => delivered(bundle, &text).err().unwrap_or_default(),
                    Err(code) => return code,
                },
            };
            said(bundle, wrong, *json)
        }),
        Records::Export { file: None, .. } | Records::List { .. } | Records::Show { .. } => WRONG,
    }
}

/// Handles tasks on an owner's stored records.
pub(super) fn kept(
    loaded: &Loaded,
    sources: &Sources,
    task: &Records,
    owner: &Owner,
) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let follow = app.follow()?;
    with_runtime(1, async {
        let done = of_kept(follow, task, owner).await;
        follow.engine().close().await;
        done.unwrap_or_else(|error| failed(&error))
    })
}

async fn of_kept(follow: &Follow, task: &Records, owner: &Owner) -> Result<u8, SourceError> {
    match task {
        Records::List { json } => {
            let heads = follow.list_kept_records(owner).await?;
            list(&heads, *json, follow.engine().clock().now());
            Ok(0)
        }
        Records::Show { context_id } => {
            let text = follow.kept_records(context_id, owner).await?;
            Ok(with_text(&text, |bundle| {
                output::line(&serde_json::to_string_pretty(bundle).unwrap_or_default());
                0
            }))
        }
        Records::Export {
            kept: Some(context_id),
            format,
            ..
        } => {
            let text = follow.kept_records(context_id, owner).await?;
            Ok(with_text(&text, |bundle| exported(bundle, format)))
        }
        Records::Export { .. } | Records::Page { .. } | Records::Check { .. } => Ok(WRONG),
    }
}

fn list(heads: &[RecordsHead], json: bool, now: DateTime<Utc>) {
    let at = |head: &RecordsHead| KeptMoment::of(head.created_ms, now);
    if json {
        let rows: Vec<Value> = heads
            .iter()
            .map(|head| {
                let at = at(head);
                let mut row = json!({"context_id": head.context_id, "tool": head.tool, "created_at": at.at,
                    "changes": head.revision - 1});
                if let (Some(ahead), Some(row)) = (at.ahead, row.as_object_mut()) {
                    row.insert("created_at_ahead".to_owned(), ahead.into());
                }
                row
            })
            .collect();
        output::line(&serde_json::to_string_pretty(&rows).unwrap_or_default());
        return;
    }
    let rows: Vec<Vec<String>> = heads
        .iter()
        .map(|head| {
            let changes = match head.revision - 1 {
                0 => String::new(),
                1 => "changed once since".to_owned(),
                times => format!("changed {times} times since"),
            };
            vec![
                head.context_id.clone(),
                at(head).words(),
                head.tool.clone(),
                changes,
            ]
        })
        .collect();
    if rows.is_empty() {
        output::line("No stored records.");
    }
    for row in output::table(&rows) {
        output::line(&row);
    }
}

fn exported(bundle: &Bundle, format: &str) -> u8 {
    let Some(format) = Format::ALL.into_iter().find(|form| form.as_str() == format) else {
        return WRONG;
    };
    sound(bundle, || written(bundle, format))
}

/// Runs `work` on a bundle that breaks no rule. Otherwise reports the broken rules and writes nothing of the bundle.
fn sound(bundle: &Bundle, work: impl FnOnce() -> u8) -> u8 {
    let broken = check(bundle);
    if broken.is_empty() {
        return work();
    }
    for what in &broken {
        output::error(what, None);
    }
    FAILED
}

fn with_bundle(file: &Path, limits: &Limits, work: impl FnOnce(&Bundle) -> u8) -> u8 {
    match input::read(file, Bound::input(limits)) {
        Ok(bytes) => with_text(&String::from_utf8_lossy(&bytes), work),
        Err(refused) => unreadable(&refused),
    }
}

fn with_text(text: &str, work: impl FnOnce(&Bundle) -> u8) -> u8 {
    match read(text) {
        Ok(bundle) => work(&bundle),
        Err(problem) => {
            output::error(
                &format!("no records can be read: {problem}"),
                Some("the file holds a bundle, an answer with `records`, JSON Lines or CloudEvents"),
            );
            FAILED
        }
    }
}

fn written(bundle: &Bundle, format: Format) -> u8 {
    let now = SystemClock.now();
    let mut seed = [0; 32];
    if let Err(error) = getrandom::fill(&mut seed) {
        output::error(&format!("no randomness for ids: {error}"), None);
        return FAILED;
    }
    let mut ids = Ids::new(u64::try_from(now.timestamp_millis()).unwrap_or_default(), seed);
    let at = now.to_rfc3339_opts(SecondsFormat::Millis, true);
    output::line(&export(bundle, format, &at, &mut ids));
    0
}

/// Reads the text that was delivered, or reports why it cannot be read.
fn delivered_text(file: &Path, limits: &Limits) -> Result<String, u8> {
    match input::read(file, Bound::input(limits)) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(refused) => Err(unreadable(&refused)),
    }
}

/// Runs `work` with the text that was delivered, if a file names it and it has the recorded hashes.
fn with_delivered(
    bundle: &Bundle,
    file: Option<&Path>,
    limits: &Limits,
    work: impl FnOnce(Option<&str>) -> u8,
) -> u8 {
    let Some(file) = file else {
        return work(None);
    };
    let text = match delivered_text(file, limits) {
        Ok(text) => text,
        Err(code) => return code,
    };
    match delivered(bundle, &text) {
        Ok(text) => work(Some(&text)),
        Err(wrong) => {
            for what in &wrong {
                output::error(what, None);
            }
            FAILED
        }
    }
}

fn said(bundle: &Bundle, wrong: Vec<String>, json: bool) -> u8 {
    let mut broken = check(bundle);
    broken.extend(wrong);
    let records = bundle.records();
    if json {
        let report = json!({"records": records.len(), "broken": broken});
        output::line(&serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        for what in &broken {
            output::line(&output::one_line(what));
        }
        output::line(&format!(
            "{} records, {} rules broken",
            records.len(),
            broken.len()
        ));
    }
    if broken.is_empty() { 0 } else { FAILED }
}

/// Writes the records of a call to a file. Returns whether that succeeded.
pub(super) fn keep(records: Option<Bundle>, file: &Path) -> bool {
    let Some(records) = records else {
        output::error("no records were made of this call", None);
        return false;
    };
    let text = serde_json::to_string_pretty(&records).unwrap_or_default();
    let done = atomic_file::write(file, (text + "\n").as_bytes(), NewFile::Shared);
    if let Err(problem) = &done {
        output::error(problem, None);
    }
    done.is_ok()
}

/// Evaluates these arguments and returns the records.
pub(super) fn of_evaluation(
    arguments: &mut Value,
    now: DateTime<Utc>,
    options: &Options,
) -> Result<Option<Bundle>, SourceError> {
    if let Some(fields) = arguments.as_object_mut() {
        fields.insert("records".to_owned(), "full".into());
    }
    let evaluation = evaluate(arguments, now, options)?;
    let asked = RecordOptions::of_arguments(arguments.get("records"), arguments.get("context"))?;
    let made = asked.map(|asked| note(&evaluation, &evaluation.text(), &asked, &Native::default(), now));
    made.transpose()
}
