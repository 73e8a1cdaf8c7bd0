//! Deletion of stored entries: entries beyond the limit, in the order of writing, and expired entries.
//!
//! Age depends on a wall clock, which may be wrong by years. Three rules limit the damage. An entry expires only
//! together with all entries that were written before it. The pass that first finds expired entries deletes nothing;
//! a pass after the waiting time deletes those that had expired then. A pass never deletes more than a tenth of a kind.

use serde::Serialize;

use crate::BoxFuture;
use crate::error::StoreError;

/// Divisor of the share of a kind that one pass may delete for its age: a tenth.
const SHARE: i64 = 10;
/// Maximum waiting time in milliseconds: a day.
const WAIT_MS: i64 = 24 * 60 * 60 * 1_000;
/// Divisor of the retention period that gives a shorter waiting time. The entries of a period that expire during one
/// wait are then fewer than a share, so that a short period is kept to.
const WAITS: i64 = 20;

/// Numbers of deleted entries, and of entries held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// Answers deleted for their number or their age.
    pub answers: u64,
    /// Calls whose context records were deleted for their age.
    pub records: u64,
    /// Removed deliverables that were deleted with their versions for their age.
    pub deliverables: u64,
    /// Entries that look expired but are kept until the clock has proved right.
    pub held_back: u64,
}

/// Number of entries of one kind, and of those that look expired.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    pub(crate) all: i64,
    pub(crate) old: i64,
}

impl Counted {
    const fn share(self) -> i64 {
        self.all / SHARE
    }

    /// Returns the number of entries to delete: the expired ones, but at most a share, and at least one.
    pub(crate) fn taken(self) -> i64 {
        self.old.min(self.share().max(1))
    }

    /// Returns whether so many entries expired at once that the clock may be wrong.
    pub(crate) const fn suspicious(self) -> bool {
        self.old > self.share()
    }
}

/// State of the wait between the pass that first finds expired entries and the pass that deletes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Begins with this pass, or begins again because the clock was set back.
    Begins,
    /// Not over yet.
    Lasts,
    /// Over. Entries that had expired at this time, in milliseconds since the epoch, may be deleted.
    Over(i64),
}

/// Returns the state at `now_ms` of a wait that began at `since_ms`, where entries are kept for `age_ms`.
pub(crate) fn waited(since_ms: Option<i64>, age_ms: i64, now_ms: i64) -> Wait {
    match since_ms {
        Some(since) if since <= now_ms => {
            if now_ms.saturating_sub(since) < (age_ms / WAITS).min(WAIT_MS) {
                Wait::Lasts
            } else {
                Wait::Over(since)
            }
        }
        // A later start is from another clock.
        _ => Wait::Begins,
    }
}

/// The operations that delete. Each is one short transaction.
pub trait Forgetting: Send + Sync {
    /// Deletes all answers except the `keep` most recently written. Returns the number of deleted answers.
    fn forget_beyond(&self, keep: u64) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Deletes answers, context records and removed deliverables that were older than `age_ms` when an earlier pass found
    /// them, but no more than a share at once.
    fn forget_old(&self, age_ms: i64, now_ms: i64) -> BoxFuture<'_, Result<Forgotten, StoreError>>;
}

/// Selects the last expired entry in the order of writing: its timestamp is too old, and no entry before it has a valid
/// timestamp that is not. A timestamp ahead of the clock counts as neither.
macro_rules! last_old {
    ($table:literal) => {
        concat!(
            "SELECT MAX(o.seq) FROM ",
            $table,
            " AS o WHERE o.created_ms < $1 AND o.seq < COALESCE((SELECT y.seq FROM ",
            $table,
            " AS y WHERE y.created_ms + 0 >= $1 AND y.created_ms + 0 <= $2 ORDER BY y.seq LIMIT 1), $3)"
        )
    };
}

/// Implements the operations for a type with a method `writer`.
macro_rules! forgetting_operations {
    ($store:ty) => {
        impl $crate::forgetting::Forgetting for $store {
            fn forget_beyond(&self, keep: u64) -> BoxFuture<'_, Result<u64, StoreError>> {
                Box::pin(async move {
                    // `<=` also deletes entries that share the sequence number at the limit, so that the limit holds.
                    let done = bound!(
                        "DELETE FROM answers WHERE seq <= \
                         (SELECT seq FROM answers ORDER BY seq DESC LIMIT 1 OFFSET $1)",
                        i64::try_from(keep).unwrap_or(i64::MAX),
                    )
                    .execute(self.writer())
                    .await?;
                    Ok(done.rows_affected())
                })
            }

            fn forget_old(
                &self,
                age_ms: i64,
                now_ms: i64,
            ) -> BoxFuture<'_, Result<$crate::forgetting::Forgotten, StoreError>> {
                Box::pin(async move {
                    use $crate::forgetting::{Counted, Wait, waited};
                    let ahead = now_ms.saturating_add($crate::SKEW_MS);
                    // Begins with a write, so that two processes cannot each delete a share.
                    let mut transaction = self.writer().begin().await?;
                    bound!(
                        "INSERT INTO store_state (name, value) VALUES ('looked_ms', $1) \
                         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                        now_ms,
                    )
                    .execute(&mut *transaction)
                    .await?;
                    let since: Option<i64> =
                        sqlx::query_scalar("SELECT value FROM store_state WHERE name = 'held_ms'")
                            .fetch_optional(&mut *transaction)
                            .await?;
                    let wait = waited(since, age_ms, now_ms);
                    if wait != Wait::Lasts {
                        bound!(
                            "INSERT INTO store_state (name, value) VALUES ('held_ms', $1) \
                             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                            now_ms,
                        )
                        .execute(&mut *transaction)
                        .await?;
                    }
                    // Counts what is expired now and, where the wait is over, what had expired when it began.
                    let (mut expired, mut suspicious) = (0, false);
                    let mut moment = now_ms;
                    let (kinds, last, removed) = loop {
                        let oldest = moment.saturating_sub(age_ms);
                        let mut kinds = Vec::new();
                        let mut last: Vec<i64> = Vec::new();
                        for (last_old, counted) in [
                            (
                                last_old!("answers"),
                                "SELECT COUNT(*), COALESCE(SUM(CASE WHEN seq <= $1 THEN 1 ELSE 0 END), 0) \
                                 FROM answers",
                            ),
                            (
                                last_old!("kept_records"),
                                "SELECT COUNT(*), COALESCE(SUM(CASE WHEN seq <= $1 THEN 1 ELSE 0 END), 0) \
                                 FROM kept_records",
                            ),
                        ] {
                            let up_to: Option<i64> = sqlx::query_scalar(last_old)
                                .bind(oldest)
                                .bind(ahead)
                                .bind(i64::MAX)
                                .fetch_one(&mut *transaction)
                                .await?;
                            // Counting reads every entry, so it happens only if an entry is expired.
                            let (all, old): (i64, i64) = match up_to {
                                None => (0, 0),
                                Some(up_to) => {
                                    sqlx::query_as(counted)
                                        .bind(up_to)
                                        .fetch_one(&mut *transaction)
                                        .await?
                                }
                            };
                            kinds.push(Counted { all, old });
                            last.push(up_to.unwrap_or(-1));
                        }
                        // All timestamps of a removed deliverable must be too old: its addition, its versions and its
                        // removal.
                        let all: i64 =
                            sqlx::query_scalar("SELECT COUNT(*) FROM deliverables WHERE removed_ms IS NOT NULL")
                                .fetch_one(&mut *transaction)
                                .await?;
                        let removed: Vec<(String, String)> = sqlx::query_as(
                            "SELECT d.owner, d.name FROM deliverables AS d WHERE d.removed_ms < $1 \
                             AND octet_length(d.owner) + octet_length(d.name) <= 4096 \
                             AND (d.created_ms < $1 OR d.created_ms > $2) \
                             AND NOT EXISTS (SELECT 1 FROM deliverable_versions AS v WHERE v.owner = d.owner \
                             AND v.name = d.name AND v.created_ms >= $1 AND v.created_ms <= $2) \
                             ORDER BY d.removed_ms, d.owner, d.name",
                        )
                        .bind(oldest)
                        .bind(ahead)
                        .fetch_all(&mut *transaction)
                        .await?;
                        kinds.push(Counted {
                            all,
                            old: i64::try_from(removed.len()).unwrap_or(i64::MAX),
                        });
                        if moment == now_ms {
                            expired = kinds.iter().map(|kind| kind.old).sum();
                            suspicious = kinds.iter().any(|kind| kind.suspicious());
                        }
                        match wait {
                            Wait::Over(since) if since < moment && expired > 0 => moment = since,
                            _ => break (kinds, last, removed),
                        }
                    };
                    let over = matches!(wait, Wait::Over(_));
                    let mut out = $crate::forgetting::Forgotten::default();
                    let mut taken = kinds.iter().map(|kind| if over { kind.taken() } else { 0 });
                    let mut last = last.into_iter();
                    let (answers, up_to) = (taken.next().unwrap_or(0), last.next().unwrap_or(-1));
                    if answers > 0 {
                        let done = bound!(
                            "DELETE FROM answers WHERE seq <= $1 AND seq <= \
                             (SELECT seq FROM answers ORDER BY seq LIMIT 1 OFFSET $2)",
                            up_to,
                            answers - 1,
                        );
                        out.answers = done.execute(&mut *transaction).await?.rows_affected();
                    }
                    let (records, up_to) = (taken.next().unwrap_or(0), last.next().unwrap_or(-1));
                    if records > 0 {
                        let done = bound!(
                            "DELETE FROM kept_records WHERE seq <= $1 AND seq <= \
                             (SELECT seq FROM kept_records ORDER BY seq LIMIT 1 OFFSET $2)",
                            up_to,
                            records - 1,
                        );
                        out.records = done.execute(&mut *transaction).await?.rows_affected();
                        sqlx::query(
                            "DELETE FROM kept_record_items WHERE NOT EXISTS (SELECT 1 FROM kept_records AS k \
                             WHERE k.owner = kept_record_items.owner \
                             AND k.context_id = kept_record_items.context_id)",
                        )
                        .execute(&mut *transaction)
                        .await?;
                    }
                    let most = usize::try_from(taken.next().unwrap_or(0)).unwrap_or(0);
                    for (owner, name) in removed.iter().take(most) {
                        for statement in [
                            "DELETE FROM deliverable_versions WHERE owner = $1 AND name = $2",
                            "DELETE FROM deliverable_changes WHERE owner = $1 AND name = $2",
                            "DELETE FROM webhook_failures WHERE owner = $1 AND name = $2",
                            "DELETE FROM deliverables WHERE owner = $1 AND name = $2 \
                             AND removed_ms IS NOT NULL",
                        ] {
                            bound!(statement, owner, name)
                                .execute(&mut *transaction)
                                .await?;
                        }
                        out.deliverables += 1;
                    }
                    transaction.commit().await?;
                    let gone = out.answers + out.records + out.deliverables;
                    out.held_back = u64::try_from(expired).unwrap_or(0).saturating_sub(gone);
                    // Not logged by the passes during a wait.
                    if out.held_back > 0 && suspicious && wait != Wait::Lasts {
                        tracing::warn!(
                            forgotten = gone,
                            held_back = out.held_back,
                            "more than a tenth of the stored entries look expired at once, so the clock may be wrong: \
                             at most a tenth is deleted each day while the clock stays there"
                        );
                    }
                    Ok(out)
                })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn counted(all: i64, old: i64) -> Counted {
        Counted { all, old }
    }

    #[test]
    fn a_share_goes_and_no_more() {
        assert_eq!(counted(4, 4).taken(), 1);
        assert_eq!(counted(100, 40).taken(), 10);
        assert_eq!(counted(100, 3).taken(), 3);
        assert_eq!(counted(0, 0).taken(), 0);
        assert!(counted(100, 11).suspicious() && !counted(100, 10).suspicious());
    }

    #[test]
    fn a_clock_is_believed_after_a_wait() {
        let age_ms = 30 * WAIT_MS;
        let at = |since_ms: i64| waited(Some(since_ms), age_ms, NOW);
        assert_eq!(waited(None, age_ms, NOW), Wait::Begins);
        assert_eq!(at(NOW + 1), Wait::Begins);
        assert_eq!(at(NOW), Wait::Lasts);
        assert_eq!(at(NOW - WAIT_MS + 1), Wait::Lasts);
        assert_eq!(at(NOW - WAIT_MS), Wait::Over(NOW - WAIT_MS));
        // A short period has a shorter wait.
        let hour_ms = WAIT_MS / 24;
        assert_eq!(
            waited(Some(NOW - hour_ms), 20 * hour_ms, NOW),
            Wait::Over(NOW - hour_ms)
        );
    }
}
