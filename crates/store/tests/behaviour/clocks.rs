//! Wrong clocks: the order of writing decides which entry is newer, and a clock jump deletes almost nothing.

use freshcontext_store::{Added, Forgotten, Place, RecordsRow, Retention, Store};
use libtest_mimic::Failed;

use super::deliverables::{KEEP, MOST, version};
use super::{BOUND, DAY, NOW, block_on, ensure, row};

const YEAR: i64 = 365 * DAY;

async fn ids(store: &Store) -> Result<Vec<String>, Failed> {
    let rows = store.answers("local", None, 100).await?.rows;
    Ok(rows.into_iter().map(|row| row.answer_id).collect())
}

/// Answers written with a clock a year ahead displace neither later answers nor those of a slow clock.
pub fn order_of_writing(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        for at in 0..10 {
            let answer = row(&format!("ahead{at}"), NOW + YEAR);
            store.put_answer("local", &answer, NOW + YEAR).await?;
        }
        for at in 0..5 {
            store
                .put_answer("local", &row(&format!("right{at}"), NOW), NOW)
                .await?;
        }
        store
            .put_answer("local", &row("behind", NOW - YEAR), NOW - YEAR)
            .await?;
        let forgotten = store.vacuum(NOW).await?;
        ensure(
            forgotten.answers == 6 && forgotten.held_back == 0,
            format!("{forgotten:?}"),
        )?;
        let left = ids(&store).await?;
        let expected = [
            "behind", "right4", "right3", "right2", "right1", "right0", "ahead9", "ahead8", "ahead7",
            "ahead6",
        ];
        ensure(left == expected, format!("{left:?}"))?;
        // A replaced answer counts as the most recently written one.
        store.put_answer("local", &row("ahead6", NOW), NOW).await?;
        let left = ids(&store).await?;
        ensure(left.first().is_some_and(|id| id == "ahead6"), "replaced")?;
        store.close().await;
        Ok(())
    })
}

fn records(id: &str, created_ms: i64) -> RecordsRow {
    RecordsRow {
        context_id: id.to_owned(),
        tool: "extract_example".to_owned(),
        state: None,
        bundle: "{}".to_owned(),
        revision: 1,
        created_ms,
    }
}

/// Creates a store with thirty answers, the records of four calls, and a removed deliverable with two versions.
async fn filled(place: Place) -> Result<Store, Failed> {
    let wide = Retention {
        answers: 100,
        ..BOUND
    };
    let store = Store::new(place, wide);
    for at in 0..30 {
        store
            .put_answer("local", &row(&format!("n{at}"), NOW + at), NOW)
            .await?;
    }
    for at in 0..4 {
        let records = records(&format!("ctx_{at}"), NOW + at);
        store
            .put_records("local", &records, &["item".to_owned()], NOW)
            .await?;
    }
    let kept = store.backend().await?;
    kept.add_deliverable("local", "a", "{}", NOW, MOST, None).await?;
    kept.append_version("local", "a", &version(1, None), KEEP, None)
        .await?;
    kept.append_version("local", "a", &version(2, Some("hash 1")), KEEP, None)
        .await?;
    kept.remove_deliverable("local", "a", NOW).await?;
    Ok(store)
}

/// A clock in 2099 deletes nothing at first and reports that. While it stays, a tenth is deleted per day. After it is
/// corrected, nothing more is deleted. The number of calls has no effect.
pub fn a_jump(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = filled(place.clone()).await?;
        let far = NOW + 73 * YEAR;
        for call in 0..150 {
            let late = row(&format!("late{call}"), far);
            store.put_answer("local", &late, far + call * 1_000).await?;
        }
        let first = store.vacuum(far + 200_000).await?;
        ensure(
            first.records == 0 && first.deliverables == 0,
            format!("a jump took {first:?}"),
        )?;
        store.close().await;

        // Repeated with a limit that deletes no answer for its number.
        let store = Store::new(place, BOUND);
        let info = store.info().await?;
        ensure(info.records == 4 && info.versions == 2, format!("{info:?}"))?;
        // The clock is right again: nothing is deleted for its age.
        let right = store.vacuum(NOW + DAY).await?;
        ensure(
            right.records == 0 && right.deliverables == 0 && right.held_back == 0,
            format!("{right:?}"),
        )?;
        store.close().await;
        Ok(())
    })
}

/// A clock that jumps ahead again and again, and is corrected in between, deletes nothing, even if few entries look expired.
pub fn jumps_and_corrections(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(
            place,
            Retention {
                answers: 1_000,
                ..BOUND
            },
        );
        store.put_answer("local", &row("right", NOW), NOW).await?;
        for jump in 1..=5 {
            let far = NOW + jump * YEAR;
            for call in 0..20 {
                let late = row(&format!("late{jump}.{call}"), far);
                store.put_answer("local", &late, far).await?;
            }
            let ahead = store.vacuum(far).await?;
            ensure(ahead.answers == 0, format!("jump {jump}: {ahead:?}"))?;
            let now = NOW + jump;
            let corrected = store.vacuum(now).await?;
            ensure(corrected == Forgotten::default(), format!("{corrected:?}"))?;
            ensure(
                store.answer("local", "right", now).await?.is_some(),
                format!("jump {jump}"),
            )?;
        }
        store.close().await;
        Ok(())
    })
}

/// Entries held back by a jump are deleted in shares, a day apart, while the clock stays.
pub fn a_jump_that_stays(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = filled(place).await?;
        let far = NOW + 73 * YEAR;
        let nothing = Forgotten {
            held_back: 35,
            ..Forgotten::default()
        };
        for at in [0, 1_000, DAY - 1] {
            let found = store.vacuum(far + at).await?;
            ensure(found == nothing, format!("at {at}: {found:?}"))?;
        }
        // The oldest tenth of each kind, and at least one.
        let share = store.vacuum(far + DAY).await?;
        let expected = Forgotten {
            answers: 3,
            records: 1,
            deliverables: 1,
            held_back: 30,
        };
        ensure(share == expected, format!("{share:?}"))?;
        ensure(
            store.answer("local", "n2", NOW).await?.is_none()
                && store.answer("local", "n3", NOW).await?.is_some(),
            "the oldest",
        )?;
        let again = store.vacuum(far + DAY + 1).await?;
        ensure(again.answers == 0 && again.records == 0, format!("{again:?}"))?;
        // Another machine's clock is right: nothing is held back, and the waiting time starts again.
        let right = store.vacuum(NOW + DAY).await?;
        ensure(right == Forgotten::default(), format!("{right:?}"))?;
        let anew = store.vacuum(far + 2 * DAY).await?;
        ensure(anew.answers == 0 && anew.held_back == 30, format!("{anew:?}"))?;
        store.close().await;
        Ok(())
    })
}

/// A replay deletes nothing.
pub fn a_replay(place: Place) -> Result<(), Failed> {
    block_on(async {
        filled(place.clone()).await?.close().await;
        let store = Store::new(place, BOUND).in_replay();
        let far = NOW + 73 * YEAR;
        for call in 0..5 {
            store
                .put_answer("local", &row(&format!("late{call}"), far), far)
                .await?;
            store
                .put_records("local", &records(&format!("late{call}"), far), &[], far)
                .await?;
        }
        let forgotten = store.vacuum(far + YEAR).await?;
        let info = store.info().await?;
        ensure(
            forgotten == Forgotten::default() && (info.answers, info.records, info.versions) == (35, 9, 2),
            format!("{forgotten:?} {info:?}"),
        )?;
        store.close().await;
        Ok(())
    })
}

/// The newest version is the one with the highest number, and its time is that version's.
pub fn newest_version(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        let added = kept.add_deliverable("local", "a", "{}", NOW, MOST, None).await?;
        ensure(added == Added::New, "added")?;
        let mut ahead = version(1, None);
        ahead.created_ms = NOW + YEAR;
        kept.append_version("local", "a", &ahead, KEEP, None).await?;
        kept.append_version("local", "a", &version(2, Some("hash 1")), KEEP, None)
            .await?;
        for found in [
            kept.deliverable("local", "a").await?,
            kept.deliverables("local").await?.into_iter().next(),
        ] {
            let found = found.ok_or("there")?;
            ensure(
                found.version == 2 && found.version_ms == Some(NOW + 2),
                format!("{found:?}"),
            )?;
        }
        store.close().await;
        Ok(())
    })
}

/// A text with a NUL is never a key, in either database.
pub fn no_keys(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        store.put_answer("local", &row("a", NOW), NOW).await?;
        let kept = store.backend().await?;
        for key in ["\0", "a\0", "\0a", "a\0b"] {
            ensure(store.answer("local", key, NOW).await?.is_none(), "an answer")?;
            ensure(store.records("local", key, NOW).await?.is_none(), "records")?;
            ensure(kept.deliverable("local", key).await?.is_none(), "a deliverable")?;
            ensure(kept.version("local", key, None).await?.is_none(), "a version")?;
            ensure(kept.versions("local", key, 0).await?.is_empty(), "versions")?;
            ensure(!kept.remove_deliverable("local", key, NOW).await?, "removed")?;
        }
        ensure(store.answer("local", "a", NOW).await?.is_some(), "it goes on")?;
        store.close().await;
        Ok(())
    })
}
