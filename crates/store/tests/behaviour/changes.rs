//! Changes of deliverables, and their webhooks.

use std::sync::Arc;

use freshcontext_store::{Backend, Holder, NewChange, NewWebhook, Place, Settled, Store};
use libtest_mimic::Failed;

use super::deliverables::{KEEP, MOST, resource, version};
use super::{BOUND, NOW, block_on, ensure};

const MINUTE: i64 = 60_000;

fn change(id: &str) -> NewChange {
    NewChange {
        name: "a".to_owned(),
        change_id: id.to_owned(),
        body: format!(r#"{{"id":"{id}"}}"#),
        created_ms: NOW,
        keep: 3,
    }
}

fn by(id: &str, now_ms: i64) -> Holder<'_> {
    Holder {
        id,
        now_ms,
        lease_ms: MINUTE,
        longest_ms: 60 * MINUTE,
    }
}

fn webhook() -> NewWebhook {
    NewWebhook {
        url: "https://hooks.example.com/a".to_owned(),
        secret: Some("whsec_x".to_owned()),
    }
}

async fn with_versions(kept: &Arc<dyn Backend>, count: i64) -> Result<(), Failed> {
    kept.add_deliverable("local", "a", "{}", NOW, MOST, Some(&webhook()))
        .await?;
    let mut before: Option<String> = None;
    for number in 1..=count {
        let row = version(number, before.as_deref());
        let made = change(&format!("id {number}"));
        ensure(
            kept.append_version("local", "a", &row, KEEP, Some(&made)).await?,
            "appended",
        )?;
        before = Some(row.hash);
    }
    Ok(())
}

/// Changes are written with what they tell of or not at all, numbered without gaps, bounded, and the owner's alone.
pub fn in_order(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        with_versions(&kept, 2).await?;
        let taken = version(2, None);
        ensure(
            !kept
                .append_version("local", "a", &taken, KEEP, Some(&change("lost")))
                .await?,
            "the number is taken",
        )?;
        let synced = resource(NOW, &["1"]);
        kept.put_resource("local", &synced, None, Some(&change("id 3")))
            .await?;
        ensure(
            !kept
                .put_resource("local", &synced, Some(-1), Some(&change("lost")))
                .await?,
            "another revision",
        )?;
        let all = kept.changes("local", "a", 0, 10).await?;
        let found: Vec<(i64, &str)> = all
            .iter()
            .map(|row| (row.number, row.change_id.as_str()))
            .collect();
        ensure(
            found == [(1, "id 1"), (2, "id 2"), (3, "id 3")],
            format!("{found:?}"),
        )?;
        kept.put_resource("local", &synced, Some(1), Some(&change("id 4")))
            .await?;
        let all = kept.changes("local", "a", 2, 10).await?;
        ensure(
            all.len() == 2 && kept.changes("local", "a", 0, 10).await?.len() == 3,
            "the newest three are kept",
        )?;
        let heads = kept.heads("local").await?;
        ensure(
            matches!(heads.as_slice(), [head] if (head.version, head.changes) == (2, 4)),
            format!("{heads:?}"),
        )?;
        ensure(
            kept.heads("anna").await?.is_empty()
                && kept.changes("anna", "a", 0, 10).await?.is_empty()
                && kept.webhooks("anna").await?.is_empty(),
            "another owner's",
        )?;
        // A removed deliverable has no webhook, and its name begins where it ended.
        kept.remove_deliverable("local", "a", NOW).await?;
        ensure(
            kept.webhooks("local").await?.is_empty() && kept.changes("local", "a", 0, 10).await?.is_empty(),
            "removed",
        )?;
        kept.add_deliverable("local", "a", "{}", NOW, MOST, Some(&webhook()))
            .await?;
        let hooks = kept.webhooks("local").await?;
        ensure(
            matches!(hooks.as_slice(), [hook] if (hook.position, hook.changes) == (4, 4)),
            format!("{hooks:?}"),
        )?;
        Ok(())
    })
}

/// One process at a time delivers, in order; what it does not settle is delivered again, and what is given up is recorded.
pub fn delivered(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(place, BOUND);
        let kept = store.backend().await?;
        with_versions(&kept, 3).await?;
        let due = kept.due_webhooks(by("one", NOW), None, 10).await?;
        ensure(due == [("local".to_owned(), "a".to_owned())], format!("{due:?}"))?;
        let other = Some(("local", Some("b")));
        ensure(
            kept.due_webhooks(by("one", NOW), other, 10).await?.is_empty(),
            "of another",
        )?;
        let first = kept
            .take_delivery("local", "a", by("one", NOW))
            .await?
            .ok_or("due")?;
        ensure(
            first.change.number == 1 && first.url == webhook().url,
            "the oldest first",
        )?;
        ensure(
            kept.take_delivery("local", "a", by("two", NOW)).await?.is_none()
                && kept.due_webhooks(by("two", NOW), None, 10).await?.is_empty(),
            "held",
        )?;
        // Its process ended: the lease runs out. A clock that is a minute ahead ends no lease early.
        ensure(
            kept.take_delivery("local", "a", by("two", NOW - MINUTE))
                .await?
                .is_none(),
            "held",
        )?;
        let again = kept
            .take_delivery("local", "a", by("two", NOW + MINUTE))
            .await?
            .ok_or("due")?;
        ensure(again.change == first.change, "the same change, by the same id")?;
        ensure(
            !kept
                .settle_delivery("local", "a", by("one", NOW), 1, &Settled::Delivered)
                .await?,
            "it holds it no longer",
        )?;
        let two = by("two", NOW + MINUTE);
        ensure(
            kept.settle_delivery("local", "a", two, 1, &Settled::Delivered)
                .await?,
            "settled",
        )?;
        ensure(
            !kept
                .settle_delivery("local", "a", two, 1, &Settled::Delivered)
                .await?,
            "once",
        )?;

        let second = kept.take_delivery("local", "a", two).await?.ok_or("due")?;
        ensure(second.change.number == 2, "in order")?;
        let retry = Settled::Retry {
            failure: "503".to_owned(),
            next_ms: NOW + 2 * MINUTE,
        };
        kept.settle_delivery("local", "a", two, 2, &retry).await?;
        ensure(
            kept.take_delivery("local", "a", two).await?.is_none(),
            "backed off",
        )?;
        let later = by("two", NOW + 2 * MINUTE);
        let second = kept.take_delivery("local", "a", later).await?.ok_or("due")?;
        ensure((second.change.number, second.attempts) == (2, 1), "the same one")?;
        let given_up = Settled::GivenUp {
            change_id: second.change.change_id.clone(),
            attempts: 2,
            failure: "503".to_owned(),
            keep: 10,
        };
        kept.settle_delivery("local", "a", later, 2, &given_up).await?;
        let failures = kept.webhook_failures("local", "a").await?;
        ensure(
            matches!(failures.as_slice(), [failure] if (failure.number, failure.attempts) == (2, 2)),
            format!("{failures:?}"),
        )?;
        // A back-off that a wrong clock wrote ends, too.
        let third = kept.take_delivery("local", "a", later).await?.ok_or("due")?;
        ensure(third.change.number == 3, "the next one")?;
        let far = Settled::Retry {
            failure: "503".to_owned(),
            next_ms: NOW + 1_000_000 * MINUTE,
        };
        kept.settle_delivery("local", "a", later, 3, &far).await?;
        ensure(
            kept.take_delivery("local", "a", later).await?.is_some(),
            "not for years",
        )?;
        kept.settle_delivery("local", "a", later, 3, &Settled::Delivered)
            .await?;
        let hooks = kept.webhooks("local").await?;
        ensure(
            matches!(
                hooks.as_slice(),
                [hook] if (hook.position, hook.delivered, hook.given_up) == (3, 2, 1) && hook.failure.is_none()
            ),
            format!("{hooks:?}"),
        )?;
        ensure(
            kept.due_webhooks(later, None, 10).await?.is_empty(),
            "nothing is left",
        )
    })
}

/// Changes of one deliverable by several writers are numbered without a gap.
pub fn written_at_once(place: Place) -> Result<(), Failed> {
    block_on(async {
        let store = Arc::new(Store::new(place, BOUND));
        let kept = store.backend().await?;
        kept.add_deliverable("local", "a", "{}", NOW, MOST, None).await?;
        let mut writers = Vec::new();
        for writer in 0..4 {
            let kept = Arc::clone(&kept);
            writers.push(tokio::spawn(async move {
                let mut row = resource(NOW, &["1"]);
                row.resource = format!("search_example {writer}");
                let mut read = None;
                for step in 0..5 {
                    let made = NewChange {
                        keep: 100,
                        ..change(&format!("{writer}-{step}"))
                    };
                    kept.put_resource("local", &row, read, Some(&made)).await?;
                    read = kept
                        .resource("local", &row.resource)
                        .await?
                        .map(|(_, revision)| revision);
                }
                Ok::<_, freshcontext_store::StoreError>(())
            }));
        }
        for writer in writers {
            writer.await.map_err(|error| error.to_string())??;
        }
        let numbers: Vec<i64> = kept
            .changes("local", "a", 0, 100)
            .await?
            .iter()
            .map(|row| row.number)
            .collect();
        ensure(numbers == (1..=20).collect::<Vec<_>>(), format!("{numbers:?}"))
    })
}
