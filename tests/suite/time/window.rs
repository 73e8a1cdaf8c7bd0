//! A list is a window: no adapter reports an item as gone because it is no longer listed.

use std::fmt::Write as _;

use freshcontext_contract::AnyAdapter;
use freshcontext_store::{Place, Retention, Store};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::setup::{Folder, ask, engine, ensure, ordinary_cases, recheck, serving};
use crate::verdict;

/// An item that no source has.
const PUSHED_OUT: &str = "pushed-out";

/// The ordinary answer of every tool, stored with an additional item that the current listing lacks.
pub(super) async fn never_gone_by_absence() -> Result<(), Failed> {
    let cases = ordinary_cases()?;
    let mut wrong = Vec::new();
    for adapter in freshcontext_sources::adapters() {
        let tool = AnyAdapter::descriptor(adapter.as_ref()).tool;
        let case = cases
            .get(tool)
            .ok_or_else(|| format!("{tool} has no ordinary case"))?;
        let folder = Folder::new();
        let (first, case, _, upstream) = serving(case, &folder).await?;
        let answer = ask(&first, tool, Value::Object(case.arguments.clone())).await?;
        first.close().await;
        had_one_more(&folder).await?;
        let later = engine(&upstream.base(), &folder, Some(&case), |_| {})?;
        let found = recheck(&later, &answer).await?;
        later.close().await;
        let items = found.structured["items"].as_array().cloned().unwrap_or_default();
        let absent = items.iter().find(|item| item["id"] == PUSHED_OUT);
        let said = absent.map(|item| (&item["verdict"], &item["detail"]));
        if said != Some((&json!("could_not_check"), &json!("outside_window"))) {
            wrong.push(format!(
                "{tool} says {said:?} of an item that is not listed any more"
            ));
        }
        if found.structured["verdict"] != "could_not_check" {
            wrong.push(format!("{tool}: {}", found.text));
        }
    }
    verdict(wrong)
}

/// Returns the hash that is stored beside marks: SHA-256 over the sorted ids, dates and hashes of the items, with those of
/// the whole, as answers that were kept earlier have it.
fn hash(record: &Value) -> String {
    let parts = |parts: &Value| {
        let all = parts.as_object().into_iter().flatten();
        let all: Vec<String> = all
            .filter(|(name, _)| *name != "text")
            .map(|(name, hash)| format!("{name}={}", hash.as_str().unwrap_or_default()))
            .collect();
        all.join(" ")
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines: Vec<String> = record["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| {
            format!(
                "{}\t{}\t{}",
                text(&item["id"]),
                text(&item["date"]),
                parts(&item["parts"])
            )
        })
        .collect();
    lines.sort_unstable();
    lines.push(parts(&record["whole"]));
    let mut hash = String::new();
    for byte in Sha256::digest(lines.join("\n")) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

/// Adds an item to the one stored answer and removes its exchanges, so that everything is fetched.
async fn had_one_more(folder: &Folder) -> Result<(), Failed> {
    let bound = Retention {
        answers: 10,
        age_ms: i64::MAX,
        deliverables: 1,
        versions: 1,
        records: 1,
    };
    let store = Store::new(Place::Folder(folder.0.clone()), bound);
    let mut rows = store.answers("local", None, 2).await?.rows;
    ensure(rows.len() == 1, format!("{} answers are kept", rows.len()))?;
    let mut row = rows.remove(0);
    let mut record: Value = serde_json::from_str(&row.record)?;
    record["asked"] = json!([]);
    let items = record["items"].as_array_mut().ok_or("items")?;
    items.push(json!({"id": PUSHED_OUT, "parts": {"title": "0"}, "shown": true}));
    row.hash = hash(&record);
    row.record = record.to_string();
    store.put_answer("local", &row, row.created_ms).await?;
    store.close().await;
    Ok(())
}
