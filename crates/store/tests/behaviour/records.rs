//! Context records: stored, found by state and items, changed, limited in number, and separate per owner.

use freshcontext_store::{Place, RecordsRow, Store};
use libtest_mimic::Failed;

use super::{BOUND, DAY, NOW, block_on, ensure};

fn row(id: &str, created_ms: i64) -> RecordsRow {
    RecordsRow {
        context_id: id.to_owned(),
        tool: "extract_example".to_owned(),
        state: Some(format!("state of {id}")),
        bundle: r#"{"context_envelope":{"title":"naïve \"quoted\" ' \\ text"}}"#.to_owned(),
        revision: 1,
        created_ms,
    }
}

fn items(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

pub fn kept(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let (one, two) = (items(&["a", "b"]), items(&["b", "c", "b"]));
        store.put_records("anna", &row("ctx_1", NOW), &one, NOW).await?;
        store
            .put_records("anna", &row("ctx_2", NOW + 1), &two, NOW)
            .await?;
        store.put_records("ben", &row("ctx_3", NOW), &one, NOW).await?;
        let found = store.records("anna", "ctx_1", NOW).await?;
        ensure(found == Some(row("ctx_1", NOW)), format!("{found:?}"))?;
        ensure(
            store.records("ben", "ctx_1", NOW).await?.is_none(),
            "another owner's",
        )?;
        let listed = store.list_records("anna", NOW + 2).await?;
        let ids: Vec<&str> = listed.iter().map(|head| head.context_id.as_str()).collect();
        ensure(ids == ["ctx_2", "ctx_1"], format!("newest first: {ids:?}"))?;
        let backend = store.backend().await?;
        for (owner, state, items, expected) in [
            ("anna", None, items(&["b", "a"]), vec!["ctx_1", "ctx_2"]),
            ("anna", None, items(&["c"]), vec!["ctx_2"]),
            (
                "anna",
                Some("state of ctx_1"),
                items(&["c"]),
                vec!["ctx_1", "ctx_2"],
            ),
            ("anna", Some("state of ctx_3"), items(&[]), vec![]),
            ("ben", Some("state of ctx_3"), items(&["c"]), vec!["ctx_3"]),
        ] {
            let found = backend.records_about(owner, state, &items).await?;
            ensure(
                found == expected,
                format!("{owner} {state:?} {items:?}: {found:?}"),
            )?;
        }
        // A writer with an outdated revision changes nothing, and neither does another owner.
        ensure(backend.change_records("anna", "ctx_1", 1, "{}").await?, "changed")?;
        ensure(
            !backend.change_records("anna", "ctx_1", 1, "[]").await?,
            "read before",
        )?;
        ensure(
            !backend.change_records("ben", "ctx_1", 2, "[]").await?,
            "not his to change",
        )?;
        let changed = store.records("anna", "ctx_1", NOW).await?;
        let expected = RecordsRow {
            bundle: "{}".to_owned(),
            revision: 2,
            ..row("ctx_1", NOW)
        };
        ensure(changed == Some(expected), format!("{changed:?}"))?;
        ensure(store.info().await?.records == 3, "all are counted")?;
        store.close().await;
        Ok(())
    })
}

pub fn bounded(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let held = items(&["a"]);
        store
            .put_records("local", &row("old", NOW - 31 * DAY), &held, NOW)
            .await?;
        store
            .put_records("other", &row("others", NOW - 31 * DAY), &held, NOW)
            .await?;
        ensure(
            store.records("local", "old", NOW).await?.is_none(),
            "too old to be found",
        )?;
        // With the same timestamp, as for calls in the same millisecond.
        for at in 0..6 {
            store
                .put_records("local", &row(&format!("ctx_{at}"), NOW), &held, NOW)
                .await?;
        }
        let listed = store.list_records("local", NOW).await?;
        let ids: Vec<&str> = listed.iter().map(|head| head.context_id.as_str()).collect();
        ensure(
            ids == ["ctx_5", "ctx_4", "ctx_3", "ctx_2"],
            format!("the newest four: {ids:?}"),
        )?;
        let about = store.backend().await?.records_about("local", None, &held).await?;
        ensure(
            about.len() == 4,
            format!("items go with their records: {about:?}"),
        )?;
        ensure(
            store.info().await?.records == 5,
            "the other owner's is left alone",
        )?;
        // One of five is more than a tenth: it is deleted after the clock has stayed for a day.
        ensure(store.vacuum(NOW).await?.held_back == 1, "too many at once")?;
        ensure(store.vacuum(NOW + DAY).await?.records == 1, "a day later")?;
        ensure(
            store.info().await?.records == 4,
            "until it is too old for anybody",
        )?;
        ensure(
            !store.put_records("local", &row("ctx_5", NOW), &held, NOW).await?,
            "records of an id that is there are left as they are, which is said",
        )?;
        let about = store.backend().await?.records_about("other", None, &held).await?;
        ensure(about.is_empty(), "and its items")?;
        store.close().await;
        Ok(())
    })
}
