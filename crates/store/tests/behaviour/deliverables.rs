//! Storage of deliverables.

use std::sync::Arc;

use freshcontext_store::{Added, Place, ResourceRow, Store, VersionRow};
use libtest_mimic::Failed;

use super::{BOUND, DAY, NOW, block_on, ensure};

pub(super) const MOST: i64 = 3;
pub(super) const KEEP: i64 = 5;

pub(super) fn version(number: i64, predecessor: Option<&str>) -> VersionRow {
    VersionRow {
        version: number,
        hash: format!("hash {number}"),
        predecessor_hash: predecessor.map(str::to_owned),
        body: format!(r#"{{"number":{number},"text":"naïve ' \" \\"}}"#),
        created_ms: NOW + number,
    }
}

pub(super) fn resource(synced_ms: i64, items: &[&str]) -> ResourceRow {
    ResourceRow {
        resource: r#"search_example {"query":"rust"}"#.to_owned(),
        synced_ms,
        platform_cursor: items.first().map(|id| (*id).to_owned()),
        source_latest_ms: Some(synced_ms - DAY),
        validators: "{}".to_owned(),
        content_hash: items.concat(),
        status: "window".to_owned(),
        checked_ms: synced_ms,
        items: items
            .iter()
            .map(|id| ((*id).to_owned(), format!(r#"{{"id":"{id}"}}"#)))
            .collect(),
    }
}

/// A deliverable is added once, listed, limited in number, and absent after removal. Its name may be reused, and its
/// versions then continue.
pub fn defined(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        let add = |name: &'static str| kept.add_deliverable("local", name, "{}", NOW, MOST, None);
        ensure(add("a").await? == Added::New, "the first")?;
        ensure(add("a").await? == Added::Exists, "the same name")?;
        add("b").await?;
        add("c").await?;
        ensure(add("d").await? == Added::TooMany, "one too many")?;
        let names: Vec<String> = kept
            .deliverables("local")
            .await?
            .into_iter()
            .map(|row| row.name)
            .collect();
        ensure(names == ["a", "b", "c"], format!("{names:?}"))?;
        kept.append_version("local", "a", &version(1, None), KEEP, None)
            .await?;
        let row = kept.deliverable("local", "a").await?.ok_or("there")?;
        ensure(
            row.version == 1 && row.version_ms == Some(NOW + 1),
            format!("{row:?}"),
        )?;
        ensure(
            kept.remove_deliverable("local", "a", NOW).await?,
            "it was there to be removed",
        )?;
        ensure(
            !kept.remove_deliverable("local", "a", NOW).await?,
            "removed once only",
        )?;
        ensure(kept.deliverable("local", "a").await?.is_none(), "removed")?;
        ensure(
            kept.version("local", "a", Some(1)).await?.is_none(),
            "a removed one shows no version",
        )?;
        ensure(
            !kept
                .append_version("local", "a", &version(2, None), KEEP, None)
                .await?,
            "nothing is appended to a removed one",
        )?;
        ensure(add("a").await? == Added::New, "its name is free again")?;
        let row = kept.deliverable("local", "a").await?.ok_or("there again")?;
        ensure(row.version == 1, "its versions go on")?;
        kept.remove_deliverable("local", "a", NOW).await?;
        // It is the only entry, so it is deleted after the clock has stayed for a day.
        let held = store.vacuum(NOW + 31 * DAY).await?;
        ensure(held.deliverables == 0 && held.held_back == 1, format!("{held:?}"))?;
        let gone = store.vacuum(NOW + 32 * DAY).await?;
        ensure(gone.deliverables == 1 && gone.held_back == 0, format!("{gone:?}"))?;
        ensure(
            add("a").await? == Added::New,
            "removed long ago, and added once more",
        )?;
        let row = kept.deliverable("local", "a").await?.ok_or("anew")?;
        ensure(row.version == 0, "nothing is left of it")?;
        store.close().await;
        Ok(())
    })
}

/// An owner cannot see, follow or remove another owner's deliverable.
pub fn owned(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        kept.add_deliverable("anna", "brief", r#"{"of":"anna"}"#, NOW, MOST, None)
            .await?;
        ensure(
            kept.add_deliverable("ben", "brief", "{}", NOW, MOST, None)
                .await?
                == Added::New,
            "names are the owner's own",
        )?;
        kept.append_version("anna", "brief", &version(1, None), KEEP, None)
            .await?;
        kept.put_resource("anna", &resource(NOW, &["1"]), None, None)
            .await?;
        ensure(kept.version("ben", "brief", Some(1)).await?.is_none(), "versions")?;
        ensure(
            kept.resource("ben", &resource(NOW, &[]).resource)
                .await?
                .is_none(),
            "resources",
        )?;
        kept.remove_deliverable("ben", "brief", NOW).await?;
        kept.forget_resource("ben", &resource(NOW, &[]).resource).await?;
        let annas = kept.deliverable("anna", "brief").await?.ok_or("anna's")?;
        ensure(
            annas.definition == r#"{"of":"anna"}"#,
            "untouched by another's removal",
        )?;
        ensure(
            kept.resource("anna", &resource(NOW, &[]).resource)
                .await?
                .is_some(),
            "so are her items",
        )?;
        store.close().await;
        Ok(())
    })
}

/// A sync replaces exactly the revision that its writer read, independent of the writers' clocks.
pub fn synced(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        let ahead = resource(NOW + 28 * DAY, &["3", "2", "1"]);
        let id = &ahead.resource;
        ensure(kept.resource("local", id).await?.is_none(), "never")?;
        ensure(
            !kept.put_resource("local", &ahead, Some(0), None).await?,
            "in place of what never was",
        )?;
        ensure(kept.put_resource("local", &ahead, None, None).await?, "the first")?;
        let (row, first) = kept.resource("local", id).await?.ok_or("kept")?;
        ensure(row == ahead, "as it was given, in its order")?;
        ensure(
            !kept.put_resource("local", &ahead, None, None).await?,
            "where something is by now",
        )?;
        // Written with a clock a month ahead. A correct clock can still confirm and replace it.
        ensure(kept.note_current("local", id, first, NOW + 5).await?, "confirmed")?;
        let (row, same) = kept.resource("local", id).await?.ok_or("kept")?;
        ensure(
            row.checked_ms == NOW + 5 && same == first,
            "a moment that no clock can have shown gives way",
        )?;
        ensure(
            kept.note_current("local", id, first, NOW + 2).await?,
            "by another",
        )?;
        let (row, _) = kept.resource("local", id).await?.ok_or("kept")?;
        ensure(row.checked_ms == NOW + 5, "the later of two looks stays")?;
        let right = resource(NOW + 10, &["4", "3"]);
        ensure(
            kept.put_resource("local", &right, Some(first), None).await?,
            "what was read is replaced, whatever its moment",
        )?;
        let (row, second) = kept.resource("local", id).await?.ok_or("kept")?;
        ensure(row == right && second > first, format!("{second} after {first}"))?;
        // A writer that read the first revision is too late for every change.
        ensure(
            !kept.put_resource("local", &ahead, Some(first), None).await?,
            "read before",
        )?;
        ensure(
            !kept.note_current("local", id, first, NOW + 90).await?,
            "a check of an earlier sync says nothing",
        )?;
        ensure(
            kept.resource("local", id).await? == Some((right, second)),
            "the second stays as it is",
        )?;
        let empty = resource(NOW - 90 * DAY, &[]);
        ensure(
            kept.put_resource("local", &empty, Some(second), None).await?,
            "by a clock that is behind",
        )?;
        let (row, third) = kept.resource("local", id).await?.ok_or("kept")?;
        ensure(row == empty, "nothing there is not never synced")?;
        kept.forget_resource("local", id).await?;
        ensure(kept.resource("local", id).await?.is_none(), "forgotten")?;
        ensure(
            kept.put_resource("local", &ahead, None, None).await?,
            "begun anew",
        )?;
        let (_, anew) = kept.resource("local", id).await?.ok_or("kept")?;
        ensure(
            anew > third && !kept.put_resource("local", &empty, Some(third), None).await?,
            "a revision is never given twice",
        )?;
        store.close().await;
        Ok(())
    })
}

/// Version numbers have no gaps and are assigned once; the oldest versions are deleted first.
pub fn versioned(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        kept.add_deliverable("local", "a", "{}", NOW, MOST, None).await?;
        ensure(
            !kept
                .append_version("local", "a", &version(2, None), KEEP, None)
                .await?,
            "a gap",
        )?;
        let mut before: Option<String> = None;
        for number in 1..=8 {
            let row = version(number, before.as_deref());
            ensure(
                kept.append_version("local", "a", &row, KEEP, None).await?,
                "in order",
            )?;
            ensure(
                !kept.append_version("local", "a", &row, KEEP, None).await?,
                "twice",
            )?;
            before = Some(row.hash);
        }
        let numbers: Vec<i64> = kept
            .versions("local", "a", 0)
            .await?
            .into_iter()
            .map(|row| row.version)
            .collect();
        ensure(numbers == [4, 5, 6, 7, 8], format!("{numbers:?}"))?;
        let newest = kept.version("local", "a", None).await?.ok_or("the newest")?;
        ensure(newest == version(8, Some("hash 7")), format!("{newest:?}"))?;
        store.close().await;
        Ok(())
    })
}

/// The stores of two processes, eight calls at once: every version is complete and each number is assigned once.
pub fn appended_at_once(place: Place) -> Result<(), Failed> {
    block_on(async {
        let stores = [
            Arc::new(Store::new(place.clone(), BOUND)),
            Arc::new(Store::new(place, BOUND)),
        ];
        let kept = stores[0].backend().await?;
        kept.add_deliverable("local", "a", "{}", NOW, MOST, None).await?;
        let mut writers = Vec::new();
        for (writer, store) in stores.iter().cycle().take(8).enumerate() {
            let store = Arc::clone(store);
            writers.push(tokio::spawn(async move {
                let kept = store.backend().await?;
                let items: Vec<String> = (0..20).map(|at| format!("{writer}-{at}")).collect();
                let names: Vec<&str> = items.iter().map(String::as_str).collect();
                let mut made = 0;
                while made < 5 {
                    let sync = resource(NOW, &names);
                    let read = kept.resource("local", &sync.resource).await?;
                    kept.put_resource("local", &sync, read.map(|(_, revision)| revision), None)
                        .await?;
                    let last = kept.version("local", "a", None).await?;
                    let number = last.as_ref().map_or(1, |last| last.version + 1);
                    let row = version(number, last.as_ref().map(|last| last.hash.as_str()));
                    made += i32::from(kept.append_version("local", "a", &row, 100, None).await?);
                }
                Ok::<_, freshcontext_store::StoreError>(())
            }));
        }
        for writer in writers {
            writer.await??;
        }
        let rows = kept.versions("local", "a", 0).await?;
        ensure(rows.len() == 40, format!("{} of 40", rows.len()))?;
        for (row, number) in rows.iter().zip(1_i64..) {
            let before = (number > 1).then(|| format!("hash {}", number - 1));
            ensure(*row == version(number, before.as_deref()), format!("{row:?}"))?;
        }
        let (found, _) = kept
            .resource("local", &resource(NOW, &[]).resource)
            .await?
            .ok_or("kept")?;
        let one = found.items.first().and_then(|(id, _)| id.split_once('-'));
        let whole = found.items.len() == 20
            && found
                .items
                .iter()
                .all(|(id, _)| id.split_once('-').map(|id| id.0) == one.map(|one| one.0));
        ensure(whole, "the items are those of one sync")?;
        for store in &stores {
            store.close().await;
        }
        Ok(())
    })
}
