//! Entries at the size limit of one operation: whatever was written can be read, an unreadable entry is an error, and
//! lists are paginated.

use freshcontext_store::{AnswerRow, Bounds, Place, RecordsRow, Store, StoreError, Trouble};
use libtest_mimic::Failed;

use super::deliverables::{KEEP, MOST, resource, version};
use super::{BOUND, NOW, block_on, ensure, row};

const READ_BYTES: usize = 10_000;

fn bounded(place: Place) -> Store {
    let bounds = Bounds {
        read_bytes: READ_BYTES,
        ..Bounds::DEFAULT
    };
    Store::bounded(place, BOUND, bounds)
}

fn refused<T>(done: Result<T, StoreError>, table: &str) -> Result<(), Failed> {
    let error = done.err().ok_or("no error")?;
    ensure(
        error.trouble == Trouble::TooLarge
            && error.message.contains(&format!("`{table}`"))
            && error.message.contains("limits.store_read_bytes (10000)"),
        format!("{table}: {error:?}"),
    )
}

fn answer(id: &str, bytes: usize) -> AnswerRow {
    let plain = row(id, NOW);
    let others = plain.answer_id.len() + plain.tool.len() + plain.arguments.len() + plain.hash.len();
    AnswerRow {
        record: "ä".repeat((bytes - others) / 2),
        ..plain
    }
}

/// The largest entry of each kind is written and read again; a larger one is refused, and other entries are still
/// written.
pub fn at_the_bound(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = bounded(place);
        let kept = store.backend().await?;

        let whole = READ_BYTES - 100;
        let large = answer("a", whole);
        store.put_answer("local", &large, NOW).await?;
        ensure(store.answer("local", "a", NOW).await? == Some(large), "an answer")?;
        refused(
            store.put_answer("local", &answer("b", READ_BYTES + 2), NOW).await,
            "answers",
        )?;
        let (one, other) = tokio::join!(
            store.keep_answer("local", answer("c", READ_BYTES + 2), NOW),
            store.keep_answer("local", answer("d", whole), NOW),
        );
        refused(one, "answers")?;
        other?;
        ensure(store.trouble().is_none(), "trouble")?;

        let records = |id: &str, bytes: usize| RecordsRow {
            context_id: id.to_owned(),
            tool: "extract_example".to_owned(),
            state: Some("s".to_owned()),
            bundle: "x".repeat(bytes),
            revision: 1,
            created_ms: NOW,
        };
        store
            .put_records("local", &records("ctx_1", whole), &[], NOW)
            .await?;
        let found = store.records("local", "ctx_1", NOW).await?;
        ensure(found == Some(records("ctx_1", whole)), "records")?;
        let larger = records("ctx_2", READ_BYTES);
        refused(
            store.put_records("local", &larger, &[], NOW).await,
            "kept_records",
        )?;
        let larger = "x".repeat(READ_BYTES);
        refused(
            kept.change_records("local", "ctx_1", 1, &larger).await,
            "kept_records",
        )?;

        refused(
            kept.add_deliverable("local", "a", &larger, NOW, MOST, None).await,
            "deliverables",
        )?;
        kept.add_deliverable("local", "a", &"x".repeat(whole), NOW, MOST, None)
            .await?;
        ensure(kept.deliverable("local", "a").await?.is_some(), "a deliverable")?;
        let mut made = version(1, None);
        made.body = larger.clone();
        refused(
            kept.append_version("local", "a", &made, KEEP, None).await,
            "deliverable_versions",
        )?;
        made.body = "x".repeat(whole);
        kept.append_version("local", "a", &made, KEEP, None).await?;
        ensure(kept.version("local", "a", None).await? == Some(made), "a version")?;

        let mut sync = resource(NOW, &["a", "b", "c"]);
        for (_, item) in &mut sync.items {
            *item = "x".repeat(READ_BYTES / 3 - 100);
        }
        kept.put_resource("local", &sync, None, None).await?;
        let found = kept.resource("local", &sync.resource).await?;
        ensure(found.map(|(row, _)| row) == Some(sync.clone()), "a resource")?;
        "another".clone_into(&mut sync.resource);
        for (_, item) in &mut sync.items {
            *item = "x".repeat(READ_BYTES / 3 + 1);
        }
        refused(
            kept.put_resource("local", &sync, None, None).await,
            "ephemeral_context",
        )?;
        sync.items.clear();
        sync.platform_cursor = Some(larger);
        refused(
            kept.put_resource("local", &sync, None, None).await,
            "sync_registry",
        )?;
        store.close().await;
        Ok(())
    })
}

/// A list that exceeds the size limit is returned in pages, with each entry once.
pub fn in_pages(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = bounded(place);
        for id in ["a", "b", "c", "d", "e"] {
            store
                .put_answer("local", &answer(id, READ_BYTES / 2 - 100), NOW)
                .await?;
        }
        let (mut pages, mut next, mut ids) = (Vec::new(), None, Vec::new());
        loop {
            let page = store.answers("local", next.as_ref(), 100).await?;
            pages.push(page.rows.len());
            ids.extend(page.rows.into_iter().map(|row| row.answer_id));
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        ensure(pages == [2, 2, 1, 0], format!("{pages:?}"))?;
        ensure(ids == ["e", "d", "c", "b", "a"], format!("{ids:?}"))?;

        let kept = store.backend().await?;
        kept.add_deliverable("local", "a", "{}", NOW, MOST, None).await?;
        let (mut before, mut all): (Option<String>, Vec<_>) = (None, Vec::new());
        for number in 1..=5 {
            let mut made = version(number, before.as_deref());
            made.body = "x".repeat(READ_BYTES / 2 - 200);
            kept.append_version("local", "a", &made, KEEP, None).await?;
            before = Some(made.hash.clone());
            all.push(made);
        }
        let (mut found, mut pages) = (Vec::new(), Vec::new());
        loop {
            let after = found
                .last()
                .map_or(0, |row: &freshcontext_store::VersionRow| row.version);
            let page = kept.versions("local", "a", after).await?;
            pages.push(page.len());
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        ensure(pages == [2, 2, 1, 0], format!("{pages:?}"))?;
        ensure(found == all, "each version once, in order")?;
        store.close().await;
        Ok(())
    })
}
