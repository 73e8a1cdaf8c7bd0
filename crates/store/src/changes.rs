//! Changes of deliverables in order, and the webhooks that they are posted to. A change is written in the transaction
//! that makes it, so that no crash separates the two.

use serde::Serialize;

use crate::BoxFuture;
use crate::error::StoreError;

/// A change that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    /// The deliverable.
    pub name: String,
    /// Stable id of the change, by which a receiver recognises a repetition.
    pub change_id: String,
    /// The change, as JSON in the writer's format.
    pub body: String,
    /// Time of the change, in milliseconds since 1970.
    pub created_ms: i64,
    /// Maximum number of stored changes of the deliverable; the newest are kept.
    pub keep: i64,
}

/// A stored change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeRow {
    /// Its number within the deliverable, from 1 without gaps.
    pub number: i64,
    /// Stable id of the change.
    pub change_id: String,
    /// The change, as JSON in the writer's format.
    pub body: String,
    /// Time of the change, in milliseconds since 1970.
    pub created_ms: i64,
}

/// How far a deliverable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The deliverable.
    pub name: String,
    /// Its newest version; 0 if there is none.
    pub version: i64,
    /// Number of its newest change; 0 if there is none.
    pub changes: i64,
}

/// A webhook that is about to be stored with a new deliverable.
#[derive(Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Address that changes are posted to.
    pub url: String,
    /// Secret of the signatures; `None` for the operator's own.
    pub secret: Option<String>,
}

/// State of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    /// The deliverable.
    pub name: String,
    /// Address that changes are posted to. It may hold a secret.
    pub url: String,
    /// Number of the last change that was delivered or given up.
    pub position: i64,
    /// Number of the newest change.
    pub changes: i64,
    /// Attempts to deliver the next change.
    pub attempts: i64,
    /// Time of the next attempt, in milliseconds since 1970.
    pub next_ms: i64,
    /// Number of delivered changes.
    pub delivered: i64,
    /// Time of the last delivery, in milliseconds since 1970.
    pub delivered_ms: Option<i64>,
    /// Number of changes that were given up.
    pub given_up: i64,
    /// Why the last attempt to deliver the next change failed.
    pub failure: Option<String>,
    /// Time of that attempt, in milliseconds since 1970.
    pub failed_ms: Option<i64>,
}

/// A change that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GivenUpRow {
    /// Its number within the deliverable.
    pub number: i64,
    /// Stable id of the change; empty if the change itself was no longer stored.
    pub change_id: String,
    /// Attempts that were made.
    pub attempts: i64,
    /// Why the last one failed.
    pub failure: String,
    /// Time of giving up, in milliseconds since 1970.
    pub given_up_ms: i64,
}

/// Who takes a delivery, and when.
#[derive(Debug, Clone, Copy)]
pub struct Holder<'a> {
    /// Id of the process.
    pub id: &'a str,
    /// The current time, in milliseconds since 1970.
    pub now_ms: i64,
    /// For how long the process holds the webhook, in milliseconds.
    pub lease_ms: i64,
    /// Longest back-off, in milliseconds. A later time of the next attempt is invalid.
    pub longest_ms: i64,
}

/// A delivery that this process holds.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Address to post to.
    pub url: String,
    /// Secret of the signatures; `None` for the operator's own.
    pub secret: Option<String>,
    /// Attempts that were made before.
    pub attempts: i64,
    /// Number of the last change that was delivered or given up.
    pub position: i64,
    /// The change.
    pub change: ChangeRow,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// The receiver took the change.
    Delivered,
    /// The attempt failed; there will be another one.
    Retry {
        /// Why it failed.
        failure: String,
        /// Time of the next attempt, in milliseconds since 1970.
        next_ms: i64,
    },
    /// The change is not tried again.
    GivenUp {
        /// Stable id of the change.
        change_id: String,
        /// Attempts that were made.
        attempts: i64,
        /// Why the last one failed.
        failure: String,
        /// Number of stored failures of the deliverable; the newest are kept.
        keep: i64,
    },
}

/// Operations on changes and webhooks. Each is one short transaction.
pub trait Changes: Send + Sync {
    /// Returns how far each of an owner's deliverables is, sorted by name.
    fn heads<'a>(&'a self, owner: &'a str) -> BoxFuture<'a, Result<Vec<Head>, StoreError>>;

    /// Returns stored changes of a deliverable after this number, oldest first, at most `most`.
    fn changes<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        after: i64,
        most: i64,
    ) -> BoxFuture<'a, Result<Vec<ChangeRow>, StoreError>>;

    /// Returns an owner's webhooks, sorted by name.
    fn webhooks<'a>(&'a self, owner: &'a str) -> BoxFuture<'a, Result<Vec<WebhookRow>, StoreError>>;

    /// Returns the changes of a deliverable that were given up, oldest first.
    fn webhook_failures<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Vec<GivenUpRow>, StoreError>>;

    /// Returns owner and name of webhooks that an attempt is due for, at most `most`, longest due first. `only` limits
    /// them to an owner's, and to one deliverable if that is named.
    fn due_webhooks<'a>(
        &'a self,
        by: Holder<'a>,
        only: Option<(&'a str, Option<&'a str>)>,
        most: i64,
    ) -> BoxFuture<'a, Result<Vec<(String, String)>, StoreError>>;

    /// Takes the next delivery of a webhook. Returns `None` if none is due or another process holds the webhook.
    fn take_delivery<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        by: Holder<'a>,
    ) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>>;

    /// Records what came of an attempt to deliver the change of this number. Returns `false` and changes nothing if the
    /// process no longer holds the webhook, or the change was settled.
    fn settle_delivery<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        by: Holder<'a>,
        number: i64,
        settled: &'a Settled,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;
}

/// Writes a change in a transaction. The update locks the deliverable, so that changes are numbered in the order in
/// which they become visible.
macro_rules! note_change {
    ($transaction:expr, $owner:expr, $change:expr) => {{
        let change: &$crate::changes::NewChange = $change;
        let noted = bound!(
            "UPDATE deliverables SET changes = changes + 1 \
             WHERE owner = $1 AND name = $2 AND removed_ms IS NULL",
            $owner,
            &change.name,
        )
        .execute(&mut *$transaction)
        .await?
        .rows_affected();
        if noted > 0 {
            bound!(
                "INSERT INTO deliverable_changes (owner, name, number, change_id, body, created_ms) \
                 SELECT owner, name, changes, $3, $4, $5 FROM deliverables WHERE owner = $1 AND name = $2",
                $owner,
                &change.name,
                &change.change_id,
                &change.body,
                change.created_ms,
            )
            .execute(&mut *$transaction)
            .await?;
            bound!(
                "DELETE FROM deliverable_changes WHERE owner = $1 AND name = $2 AND number <= \
                 (SELECT changes FROM deliverables WHERE owner = $1 AND name = $2) - $3",
                $owner,
                &change.name,
                change.keep.max(1),
            )
            .execute(&mut *$transaction)
            .await?;
        }
    }};
}

/// Condition of a webhook that an attempt is due for: a lease or a back-off that ends later than one can last is
/// invalid. `$3` is the current time, `$4` the end of the longest lease, `$5` that of the longest back-off.
macro_rules! due {
    ($held:literal) => {
        concat!(
            "(w.held_until_ms <= $3 OR w.held_until_ms > $4",
            $held,
            ") AND (w.next_ms <= $3 OR w.next_ms > $5)"
        )
    };
}

/// Implements the operations for a type with a field `pool`, a method `writer`, and this row type.
macro_rules! changes_operations {
    ($store:ty, $row:ty) => {
        row_reader!(change_of: $row => ChangeRow { number, change_id, body, created_ms });
        row_reader!(webhook_of: $row => WebhookRow {
            name, url, position, changes, attempts, next_ms, delivered, delivered_ms, given_up, failure, failed_ms
        });
        row_reader!(given_up_of: $row => GivenUpRow { number, change_id, attempts, failure, given_up_ms });

        impl $crate::changes::Changes for $store {
            fn heads<'a>(
                &'a self,
                owner: &'a str,
            ) -> BoxFuture<'a, Result<Vec<$crate::changes::Head>, StoreError>> {
                self.within(async move {
                    let mut rows = bound!(
                        "SELECT d.name, d.changes, COALESCE((SELECT MAX(v.version) FROM deliverable_versions AS v \
                         WHERE v.owner = d.owner AND v.name = d.name), 0) AS version FROM deliverables AS d \
                         WHERE d.owner = $1 AND d.removed_ms IS NULL AND octet_length(d.name) <= 4096 \
                         ORDER BY d.name",
                        owner,
                    )
                    .fetch(&self.pool);
                    let mut room = self.room("deliverables");
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        let name: String = row.try_get("name")?;
                        room.take_texts([Some(name.as_str())])?;
                        let (version, changes) = (row.try_get("version")?, row.try_get("changes")?);
                        all.push($crate::changes::Head { name, version, changes });
                    }
                    Ok(all)
                })
            }

            fn changes<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                after: i64,
                most: i64,
            ) -> BoxFuture<'a, Result<Vec<$crate::changes::ChangeRow>, StoreError>> {
                self.within(async move {
                    if is_no_key(name) {
                        return Ok(Vec::new());
                    }
                    let mut room = self.room("deliverable_changes");
                    let query = bound!(
                        concat!(
                            "SELECT c.number, ",
                            sized!("$5", "c.", "change_id", "body"),
                            ", c.created_ms FROM deliverable_changes AS c JOIN deliverables AS d \
                             ON d.owner = c.owner AND d.name = c.name AND d.removed_ms IS NULL \
                             WHERE c.owner = $1 AND c.name = $2 AND c.number > $3 ORDER BY c.number LIMIT $4"
                        ),
                        owner,
                        name,
                        after,
                        most,
                        room.most(),
                    );
                    let mut rows = query.fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        all.push(change_of(&row, &mut room)?);
                    }
                    Ok(all)
                })
            }

            fn webhooks<'a>(
                &'a self,
                owner: &'a str,
            ) -> BoxFuture<'a, Result<Vec<$crate::changes::WebhookRow>, StoreError>> {
                self.within(async move {
                    let mut room = self.room("webhooks");
                    let query = bound!(
                        concat!(
                            "SELECT ",
                            sized!("$2", "w.", "name", "url", "failure"),
                            ", w.position, d.changes, w.attempts, w.next_ms, w.delivered, w.delivered_ms, \
                             w.given_up, w.failed_ms FROM webhooks AS w JOIN deliverables AS d \
                             ON d.owner = w.owner AND d.name = w.name AND d.removed_ms IS NULL \
                             WHERE w.owner = $1 ORDER BY w.name"
                        ),
                        owner,
                        room.most(),
                    );
                    let mut rows = query.fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        all.push(webhook_of(&row, &mut room)?);
                    }
                    Ok(all)
                })
            }

            fn webhook_failures<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
            ) -> BoxFuture<'a, Result<Vec<$crate::changes::GivenUpRow>, StoreError>> {
                self.within(async move {
                    if is_no_key(name) {
                        return Ok(Vec::new());
                    }
                    let mut room = self.room("webhook_failures");
                    let query = bound!(
                        concat!(
                            "SELECT number, ",
                            sized!("$3", "", "change_id", "failure"),
                            ", attempts, given_up_ms FROM webhook_failures WHERE owner = $1 AND name = $2 \
                             ORDER BY number"
                        ),
                        owner,
                        name,
                        room.most(),
                    );
                    let mut rows = query.fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        all.push(given_up_of(&row, &mut room)?);
                    }
                    Ok(all)
                })
            }

            fn due_webhooks<'a>(
                &'a self,
                by: $crate::changes::Holder<'a>,
                only: Option<(&'a str, Option<&'a str>)>,
                most: i64,
            ) -> BoxFuture<'a, Result<Vec<(String, String)>, StoreError>> {
                self.within(async move {
                    let (owner, name) = (only.map(|(owner, _)| owner), only.and_then(|(_, name)| name));
                    let mut rows = bound!(
                        concat!(
                            "SELECT w.owner, w.name FROM webhooks AS w JOIN deliverables AS d \
                             ON d.owner = w.owner AND d.name = w.name AND d.removed_ms IS NULL \
                             AND d.changes > w.position WHERE COALESCE($1, w.owner) = w.owner \
                             AND COALESCE($2, w.name) = w.name AND ",
                            due!(""),
                            " ORDER BY w.next_ms, w.owner, w.name LIMIT $6"
                        ),
                        owner,
                        name,
                        by.now_ms,
                        by.latest_lease(),
                        by.latest_attempt(),
                        most,
                    )
                    .fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        all.push((row.try_get("owner")?, row.try_get("name")?));
                    }
                    Ok(all)
                })
            }

            fn take_delivery<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                by: $crate::changes::Holder<'a>,
            ) -> BoxFuture<'a, Result<Option<$crate::changes::Delivery>, StoreError>> {
                self.within(async move {
                    let mut transaction = self.writer().begin().await?;
                    let taken = bound!(
                        concat!(
                            "UPDATE webhooks AS w SET holder = $6, held_until_ms = $7 \
                             WHERE w.owner = $1 AND w.name = $2 AND ",
                            due!(" OR w.holder = $6")
                        ),
                        owner,
                        name,
                        by.now_ms,
                        by.latest_lease(),
                        by.latest_attempt(),
                        by.id,
                        by.now_ms.saturating_add(by.lease_ms),
                    )
                    .execute(&mut *transaction)
                    .await?
                    .rows_affected();
                    if taken == 0 {
                        transaction.rollback().await?;
                        return Ok(None);
                    }
                    let mut room = self.room("webhooks");
                    let hook = bound!(
                        concat!(
                            "SELECT ",
                            sized!("$3", "", "url", "secret"),
                            ", position, attempts FROM webhooks WHERE owner = $1 AND name = $2"
                        ),
                        owner,
                        name,
                        room.most(),
                    )
                    .fetch_one(&mut *transaction)
                    .await?;
                    room.take(hook.try_get("bytes")?)?;
                    let position: i64 = hook.try_get("position")?;
                    let mut room = self.room("deliverable_changes");
                    let change = bound!(
                        concat!(
                            "SELECT number, ",
                            sized!("$4", "", "change_id", "body"),
                            ", created_ms FROM deliverable_changes \
                             WHERE owner = $1 AND name = $2 AND number > $3 ORDER BY number LIMIT 1"
                        ),
                        owner,
                        name,
                        position,
                        room.most(),
                    )
                    .fetch_optional(&mut *transaction)
                    .await?;
                    let Some(change) = change else {
                        transaction.rollback().await?;
                        return Ok(None);
                    };
                    let delivery = $crate::changes::Delivery {
                        url: hook.try_get("url")?,
                        secret: hook.try_get("secret")?,
                        attempts: hook.try_get("attempts")?,
                        position,
                        change: change_of(&change, &mut room)?,
                    };
                    transaction.commit().await?;
                    Ok(Some(delivery))
                })
            }

            fn settle_delivery<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                by: $crate::changes::Holder<'a>,
                number: i64,
                settled: &'a $crate::changes::Settled,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                use $crate::changes::Settled;
                self.within(async move {
                    let mut transaction = self.writer().begin().await?;
                    let done = match settled {
                        Settled::Delivered => {
                            bound!(
                                "UPDATE webhooks SET position = $4, attempts = 0, next_ms = 0, holder = NULL, \
                                 held_until_ms = 0, failure = NULL, failed_ms = NULL, \
                                 delivered = delivered + 1, delivered_ms = $5 \
                                 WHERE owner = $1 AND name = $2 AND holder = $3 AND position < $4",
                                owner,
                                name,
                                by.id,
                                number,
                                by.now_ms,
                            )
                            .execute(&mut *transaction)
                            .await?
                        }
                        Settled::Retry { failure, next_ms } => {
                            bound!(
                                "UPDATE webhooks SET attempts = attempts + 1, next_ms = $5, holder = NULL, \
                                 held_until_ms = 0, failure = $6, failed_ms = $7 \
                                 WHERE owner = $1 AND name = $2 AND holder = $3 AND position < $4",
                                owner,
                                name,
                                by.id,
                                number,
                                next_ms,
                                failure,
                                by.now_ms,
                            )
                            .execute(&mut *transaction)
                            .await?
                        }
                        Settled::GivenUp { .. } => {
                            bound!(
                                "UPDATE webhooks SET position = $4, attempts = 0, next_ms = 0, holder = NULL, \
                                 held_until_ms = 0, failure = NULL, failed_ms = NULL, given_up = given_up + 1 \
                                 WHERE owner = $1 AND name = $2 AND holder = $3 AND position < $4",
                                owner,
                                name,
                                by.id,
                                number,
                            )
                            .execute(&mut *transaction)
                            .await?
                        }
                    };
                    if done.rows_affected() == 0 {
                        transaction.rollback().await?;
                        return Ok(false);
                    }
                    if let Settled::GivenUp { change_id, attempts, failure, keep } = settled {
                        bound!(
                            "INSERT INTO webhook_failures \
                             (owner, name, number, change_id, attempts, failure, given_up_ms) \
                             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (owner, name, number) DO NOTHING",
                            owner,
                            name,
                            number,
                            change_id,
                            attempts,
                            failure,
                            by.now_ms,
                        )
                        .execute(&mut *transaction)
                        .await?;
                        bound!(
                            "DELETE FROM webhook_failures WHERE owner = $1 AND name = $2 AND number <= \
                             (SELECT number FROM webhook_failures WHERE owner = $1 AND name = $2 \
                             ORDER BY number DESC LIMIT 1 OFFSET $3)",
                            owner,
                            name,
                            keep.max(&1),
                        )
                        .execute(&mut *transaction)
                        .await?;
                    }
                    transaction.commit().await?;
                    Ok(true)
                })
            }
        }
    };
}

impl Holder<'_> {
    /// Returns the latest valid end of a lease, by a clock that is as far ahead as two machines may differ.
    pub(crate) const fn latest_lease(&self) -> i64 {
        self.now_ms
            .saturating_add(self.lease_ms)
            .saturating_add(crate::SKEW_MS)
    }

    /// Returns the latest valid time of the next attempt.
    pub(crate) const fn latest_attempt(&self) -> i64 {
        self.now_ms
            .saturating_add(self.longest_ms)
            .saturating_add(crate::SKEW_MS)
    }
}
