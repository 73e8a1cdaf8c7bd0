//! Deliverables: named sets of sources that are checked, synced, put together into versions, and compared.

mod changes;
mod follow;
mod followed;
mod keep;
mod make;
mod page;
mod say;
mod tools;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError, as_declared, named};

use freshcontext_core::evaluate::{Intent, Profile};
use freshcontext_deliverables::{Definition, Source, Version, Wrong, chain_hash, check_name, verify_chain};
use freshcontext_store::{Added, Backend, DeliverableRow, Head, NewWebhook, VersionRow};
use serde_json::{Map, Value};
use url::Url;

pub use changes::{CHANGES_SUFFIX, DELIVERABLE_URI};
pub use page::VersionPage;
pub use tools::deliverable_tools;
pub(crate) use tools::read_task;
pub use watch::Seen;

use super::keeping::unusable;
use super::marks::canonical;
use crate::Follow;
use freshcontext_engine::{Deliverable, Owner, Work};
use say::{Done, Listed, Stored};

/// Names of the tools.
const TOOLS: [&str; 3] = ["deliverable_generate", "deliverable_diff", "deliverable_list"];

pub use freshcontext_core::evaluate::{INTENT, PROFILE};

/// What a version is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// Another version.
    Version(i64),
    /// What the sources say now.
    Now,
}

/// Where the changes of a deliverable are posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// The address, which the caller has checked ([`Poster::check`](crate::Poster::check)).
    pub url: Url,
    /// Whether the signatures are made with the operator's own secret; else one is generated.
    pub own_secret: bool,
}

/// What is to be done with deliverables.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Defines one.
    Add {
        /// Its name.
        name: String,
        /// What it is made of.
        definition: Box<Definition>,
        /// Where its changes are posted.
        notify: Option<Notify>,
    },
    /// Says what there is.
    List {
        /// With every version that is kept.
        versions: bool,
    },
    /// Says what is stored of the sources of all deliverables, and since when. Nobody is asked.
    Stored,
    /// Says which of its sources are stale, without fetching what is not asked for.
    Check {
        /// Which one.
        name: String,
    },
    /// Fetches what is stale.
    Sync {
        /// Which one.
        name: String,
    },
    /// Makes a version of what is so now.
    Generate {
        /// Which one.
        name: String,
        /// Whether a version without an item is kept, too; else it is an error.
        allow_empty: bool,
    },
    /// Shows a version.
    Show {
        /// Which one.
        name: String,
        /// The newest where no number is given.
        version: Option<i64>,
    },
    /// Says what changed.
    Diff {
        /// Which one.
        name: String,
        /// From this version.
        from: i64,
        /// To that one, or to now.
        to: To,
    },
    /// Removes one.
    Remove {
        /// Which one.
        name: String,
    },
}

impl Follow {
    /// Does what is to be done with an owner's deliverables. What cannot be checked is part of the outcome, unless the
    /// deliverable's policy is to refuse.
    pub async fn deliverable(&self, task: Task, owner: &Owner) -> Result<Box<dyn Deliverable>, SourceError> {
        let done = match task {
            Task::Add {
                name,
                definition,
                notify,
            } => self.add_deliverable(name, definition, notify, owner).await?,
            Task::List { versions } => self.list_deliverables(versions, owner).await?,
            Task::Stored => self.stored_sources(owner).await?,
            Task::Check { name } => self.check_deliverable(name, owner).await?,
            Task::Sync { name } => self.sync_deliverable(name, owner).await?,
            Task::Generate { name, allow_empty } => self.generate(&name, allow_empty, owner).await?,
            Task::Show { name, version } => {
                let (row, version) = self.deliverable_version(&name, version, owner).await?;
                let now = self.engine.clock().now();
                let webhook = self.webhook_of(&name, owner).await?;
                Done::Shown(Box::new(say::Shown {
                    row,
                    version,
                    now,
                    webhook,
                }))
            }
            Task::Diff { name, from, to } => self.diff_deliverable(name, from, to, owner).await?,
            Task::Remove { name } => self.remove_deliverable(name, owner).await?,
        };
        Ok(Box::new(done))
    }

    /// What keeps them.
    pub(crate) async fn kept(&self) -> Result<Arc<dyn Backend>, SourceError> {
        let store = self.toolset.store();
        let Some(store) = store else {
            return Err(SourceError::new(
                ErrorCode::Misconfigured,
                "deliverables need the store, and the setting `store` is off",
            ));
        };
        store.backend().await.map_err(|error| unusable(&error))
    }

    /// Sources are tools of one source with arguments that they take; no request is made.
    fn checked_source(&self, source: &Source) -> Result<Source, SourceError> {
        let wrong = |problem: &str| {
            let field = format!("sources: {}", named(&source.tool));
            SourceError::invalid_input(field, problem, "search_jobs query=rust remote_only=true")
        };
        let Some(tool) = self.engine.tool(&source.tool) else {
            return Err(wrong("is no tool"));
        };
        let Work::Source(adapter) = &tool.work else {
            return Err(wrong(
                "asks more than one source; name the tools of its sections instead",
            ));
        };
        // As a call reads them: `query` for `url`, for one.
        let (arguments, _) = as_declared(&tool.input_schema, &tool.example, source.arguments.clone())?;
        let source = Source::new(source.tool.clone(), &arguments);
        if let Some(name) = missing_argument(&tool.input_schema, &source.arguments) {
            let field = format!("sources: {}: {name}", source.tool);
            return Err(SourceError::invalid_input(field, "is missing", &tool.example));
        }
        if source.arguments.contains_key("cursor") {
            return Err(wrong(
                "has a cursor, which leads to one page once; ask for more with limit",
            ));
        }
        self.engine.prepare(adapter.as_ref(), &source.arguments)?;
        let arguments = serde_json::from_str(&canonical(&source.arguments)).unwrap_or_default();
        Ok(Source::new(source.tool.clone(), &arguments))
    }

    async fn add_deliverable(
        &self,
        name: String,
        mut definition: Box<Definition>,
        notify: Option<Notify>,
        owner: &Owner,
    ) -> Result<Done, SourceError> {
        check_name(&name).map_err(|wrong| refused(&wrong))?;
        definition.sources = definition
            .sources
            .iter()
            .map(|source| self.checked_source(source))
            .collect::<Result<_, _>>()?;
        definition.check().map_err(|wrong| refused(&wrong))?;
        if Profile::find(&definition.profile).is_none() {
            let problem = "is none that evaluate_context knows";
            return Err(SourceError::invalid_input("profile", problem, PROFILE));
        }
        if Intent::find(&definition.intent).is_none() {
            let problem = "is none that evaluate_context knows";
            return Err(SourceError::invalid_input("intent", problem, INTENT));
        }
        if definition.max_tokens < freshcontext_budget::LEAST_TOKENS {
            let problem = format!("must be {} or more", freshcontext_budget::LEAST_TOKENS);
            return Err(SourceError::invalid_input("max_tokens", problem, "4000"));
        }
        let body = serde_json::to_string(&definition).map_err(unwritable)?;
        let most = i64::try_from(self.engine.limits().deliverables_kept).unwrap_or(i64::MAX);
        let now = self.engine.clock().now().timestamp_millis();
        let webhook = notify.map(new_webhook).transpose()?;
        let added = self
            .kept()
            .await?
            .add_deliverable(owner.as_str(), &name, &body, now, most, webhook.as_ref())
            .await
            .map_err(|error| unusable(&error))?;
        match added {
            Added::New => Ok(Done::Added {
                name,
                definition,
                webhook: webhook.map(|made| say::NewHook {
                    url: made.url,
                    secret: made.secret,
                }),
            }),
            Added::Exists => Err(SourceError::invalid_input(
                "name",
                "is taken; remove that deliverable first, or choose another name",
                "jobs-2",
            )),
            Added::TooMany => Err(SourceError::new(
                ErrorCode::TooLarge,
                format!("{most} deliverables are kept already (limits.deliverables_kept)"),
            )),
        }
    }

    async fn list_deliverables(&self, versions: bool, owner: &Owner) -> Result<Done, SourceError> {
        let rows = self
            .kept()
            .await?
            .deliverables(owner.as_str())
            .await
            .map_err(|error| unusable(&error))?;
        let mut webhooks = self.webhooks(owner).await?;
        let mut all = Vec::with_capacity(rows.len());
        for row in rows {
            let webhook = webhooks.iter().position(|hook| hook.row.name == row.name);
            let definition = read_definition(&row)?;
            let mut lines = versions.then(Vec::new);
            if let Some(lines) = &mut lines {
                self.each_version(&row.name, owner, |stored, version| {
                    lines.push(say::VersionLine::of(stored, &version));
                })
                .await?;
            }
            all.push(Listed {
                row,
                definition,
                versions: lines,
                webhook: webhook.map(|at| webhooks.swap_remove(at)),
            });
        }
        let now = self.engine.clock().now();
        Ok(Done::Listed { all, now })
    }

    /// What is stored of each source of an owner's deliverables.
    async fn stored_sources(&self, owner: &Owner) -> Result<Done, SourceError> {
        let rows = self
            .kept()
            .await?
            .deliverables(owner.as_str())
            .await
            .map_err(|error| unusable(&error))?;
        let mut all: Vec<Stored> = Vec::new();
        for row in rows {
            for source in read_definition(&row)?.sources {
                if let Some(known) = all.iter_mut().find(|known| known.source == source) {
                    known.deliverables.push(row.name.clone());
                } else {
                    all.push(Stored {
                        kept: self.held(&source, owner).await?,
                        source,
                        deliverables: vec![row.name.clone()],
                    });
                }
            }
        }
        let now = self.engine.clock().now();
        Ok(Done::Stored { all, now })
    }

    /// How far each of an owner's deliverables is, by name.
    pub async fn deliverable_state(&self, owner: &Owner) -> Result<BTreeMap<String, Progress>, SourceError> {
        let heads = self
            .kept()
            .await?
            .heads(owner.as_str())
            .await
            .map_err(|error| unusable(&error))?;
        Ok(heads
            .into_iter()
            .map(
                |Head {
                     name,
                     version,
                     changes,
                 }| (name, Progress { version, changes }),
            )
            .collect())
    }

    /// The webhooks of an owner's deliverables, each with the changes that it gave up.
    async fn webhooks(&self, owner: &Owner) -> Result<Vec<say::Webhook>, SourceError> {
        let kept = self.kept().await?;
        let rows = kept
            .webhooks(owner.as_str())
            .await
            .map_err(|error| unusable(&error))?;
        let mut all = Vec::with_capacity(rows.len());
        for row in rows {
            let given_up = if row.given_up > 0 {
                kept.webhook_failures(owner.as_str(), &row.name)
                    .await
                    .map_err(|error| unusable(&error))?
            } else {
                Vec::new()
            };
            all.push(say::Webhook { row, given_up });
        }
        Ok(all)
    }

    /// Changes that the webhooks of an owner's deliverables, or of one of them, wait to post, and the time of the next attempt.
    /// `None` if there are none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn waiting_changes(
        &self,
        owner: &Owner,
        name: Option<&str>,
    ) -> Result<Option<(i64, DateTime<Utc>)>, SourceError> {
        let hooks = self.webhooks(owner).await?;
        let waiting: Vec<&say::Webhook> = hooks
            .iter()
            .filter(|hook| name.is_none_or(|name| hook.row.name == name) && hook.waiting() > 0)
            .collect();
        let changes = waiting.iter().map(|hook| hook.waiting()).sum();
        let next = waiting.iter().map(|hook| hook.row.next_ms).min();
        let now = self.engine().clock().now();
        Ok(next.map(|next| {
            (
                changes,
                DateTime::from_timestamp_millis(next).unwrap_or(now).max(now),
            )
        }))
    }

    async fn webhook_of(&self, name: &str, owner: &Owner) -> Result<Option<say::Webhook>, SourceError> {
        let all = self.webhooks(owner).await?;
        Ok(all.into_iter().find(|hook| hook.row.name == name))
    }

    /// An owner's deliverable. Unknown, removed and foreign ones are not found alike.
    pub async fn find_deliverable(&self, name: &str, owner: &Owner) -> Result<Definition, SourceError> {
        let row = self
            .kept()
            .await?
            .deliverable(owner.as_str(), name)
            .await
            .map_err(|error| unusable(&error))?;
        row.as_ref().map_or_else(|| Err(unknown(name)), read_definition)
    }

    /// A version of a deliverable; the newest where no number is given.
    pub async fn deliverable_version(
        &self,
        name: &str,
        version: Option<i64>,
        owner: &Owner,
    ) -> Result<(VersionRow, Version), SourceError> {
        let found = self
            .kept()
            .await?
            .version(owner.as_str(), name, version)
            .await
            .map_err(|error| unusable(&error))?;
        let Some(row) = found else {
            self.find_deliverable(name, owner).await?;
            let which = version.map_or_else(
                || "no version yet".to_owned(),
                |number| format!("no version {number}"),
            );
            return Err(SourceError::not_found(format!(
                "the deliverable {name} has {which}"
            )));
        };
        if chain_hash(row.version, row.predecessor_hash.as_deref(), &row.body) != row.hash {
            return Err(altered(name, row.version));
        }
        let version = read_version(&row)?;
        Ok((row, version))
    }

    /// Hands each version that is kept to `look`, oldest first and a few at a time, after a check that it follows the one before
    /// it unchanged.
    pub(crate) async fn each_version(
        &self,
        name: &str,
        owner: &Owner,
        mut look: impl FnMut(&VersionRow, Version),
    ) -> Result<(), SourceError> {
        let kept = self.kept().await?;
        let mut last: Option<(i64, String)> = None;
        loop {
            let after = last.as_ref().map_or(0, |(number, _)| *number);
            let rows = kept
                .versions(owner.as_str(), name, after)
                .await
                .map_err(|error| unusable(&error))?;
            if rows.is_empty() {
                return Ok(());
            }
            let chain = rows.iter().map(|row| {
                let predecessor = row.predecessor_hash.as_deref();
                (row.version, predecessor, row.hash.as_str(), row.body.as_str())
            });
            if let Err(number) = verify_chain(
                last.as_ref().map(|(number, hash)| (*number, hash.as_str())),
                chain,
            ) {
                return Err(altered(name, number));
            }
            for row in rows {
                look(&row, read_version(&row)?);
                last = Some((row.version, row.hash));
            }
        }
    }

    async fn remove_deliverable(&self, name: String, owner: &Owner) -> Result<Done, SourceError> {
        let definition = self.find_deliverable(&name, owner).await?;
        let kept = self.kept().await?;
        let now = self.engine.clock().now().timestamp_millis();
        let webhook = self.webhook_of(&name, owner).await?;
        let removed = kept
            .remove_deliverable(owner.as_str(), &name, now)
            .await
            .map_err(|error| unusable(&error))?;
        if !removed {
            return Err(unknown(&name));
        }
        // Items that no other deliverable follows are not kept.
        let rest = kept
            .deliverables(owner.as_str())
            .await
            .map_err(|error| unusable(&error))?;
        let mut followed = Vec::new();
        for row in &rest {
            followed.extend(read_definition(row)?.sources);
        }
        for source in definition
            .sources
            .iter()
            .filter(|source| !followed.contains(source))
        {
            kept.forget_resource(owner.as_str(), &source.resource())
                .await
                .map_err(|error| unusable(&error))?;
        }
        let undelivered = webhook.map_or(0, |webhook| webhook.waiting());
        Ok(Done::Removed { name, undelivered })
    }
}

/// How far a deliverable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Its newest version; 0 where there is none yet.
    pub version: i64,
    /// Number of its newest change; 0 where there is none yet.
    pub changes: i64,
}

/// The webhook as it is stored, with a secret of its own where the operator has none.
fn new_webhook(notify: Notify) -> Result<NewWebhook, SourceError> {
    let secret = if notify.own_secret {
        None
    } else {
        let made = crate::webhook::WebhookSecret::generate().ok_or_else(|| {
            SourceError::new(
                ErrorCode::Internal,
                "no secret could be generated: this machine has no randomness",
            )
        })?;
        Some(made.expose())
    };
    Ok(NewWebhook {
        url: notify.url.into(),
        secret,
    })
}

/// The first required argument that is absent or empty.
fn missing_argument<'s>(schema: &'s Value, arguments: &Map<String, Value>) -> Option<&'s str> {
    let required = schema.get("required").and_then(Value::as_array);
    let mut names = required.into_iter().flatten().filter_map(Value::as_str);
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    };
    names.find(|name| arguments.get(*name).is_none_or(is_empty))
}

fn refused(wrong: &Wrong) -> SourceError {
    SourceError::invalid_input(
        wrong.field,
        &wrong.problem,
        "deliverable add jobs --source 'search_jobs query=rust'",
    )
}

fn unknown(name: &str) -> SourceError {
    let mut error = SourceError::not_found(format!("there is no deliverable {}", named(name)));
    error.field = Some("name".into());
    error.hint("`deliverable_list` (`freshcontext deliverable list`) names them")
}

fn unwritable(error: serde_json::Error) -> SourceError {
    SourceError::new(ErrorCode::Internal, "what is to be kept cannot be written").caused_by(error)
}

fn unreadable(error: serde_json::Error) -> SourceError {
    SourceError::new(
        ErrorCode::Internal,
        "what is kept of this deliverable cannot be read",
    )
    .caused_by(error)
}

/// Somebody changed the database by other means than ours.
fn altered(name: &str, number: i64) -> SourceError {
    SourceError::new(
        ErrorCode::Internal,
        format!("version {number} of {name} is not what was written"),
    )
    .hint("`freshcontext store check` says whether the database is sound")
}

fn read_definition(row: &DeliverableRow) -> Result<Definition, SourceError> {
    serde_json::from_str(&row.definition).map_err(unreadable)
}

fn read_version(row: &VersionRow) -> Result<Version, SourceError> {
    serde_json::from_str(&row.body).map_err(unreadable)
}

/// A moment as results write it.
fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
