//! Putting a version together, and comparing two.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError, code};
use freshcontext_core::evaluate::{Evaluation, evaluate_named};
use freshcontext_deliverables::{
    Definition, Diff, Entry, Gathered, OnUnchecked, Refused, Side, Slots, Snapshot, State, Version,
    chain_hash, diff, fill, gather,
};
use freshcontext_store::VersionRow;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::keeping::unusable;
use super::followed::{Followed, Mode};
use super::say::{self, Done};
use super::{To, moment, read_version, unwritable};
use crate::Follow;
use freshcontext_engine::{Owner, defect};

/// Attempts to append a version while others append theirs.
const APPENDS: usize = 100;

/// A judged gathering.
struct Made {
    gathered: Gathered,
    /// `None` where there was nothing to judge.
    evaluation: Option<Evaluation>,
    /// Items beyond those that are judged at once.
    beyond: usize,
}

impl Follow {
    /// Checks, syncs what is stale, judges everything at now, and appends a version. The network is done with before
    /// anything is written, and what is written is one row.
    ///
    /// Where nothing goes in, nothing is kept, and the error says what each source gave, unless `allow_empty`.
    pub(super) async fn generate(
        &self,
        name: &str,
        allow_empty: bool,
        owner: &Owner,
    ) -> Result<Done, SourceError> {
        let definition = self.find_deliverable(name, owner).await?;
        let followed = self.follow_all(&definition, Mode::Sync, owner).await?;
        let requests = followed.iter().map(|one| one.requests).sum();
        let now = self.engine.clock().now();
        let made = self
            .made(followed, &definition, definition.on_unchecked, now)
            .await?;
        if made.is_empty() && !allow_empty {
            return Err(empty(name, &made));
        }
        let kept = self.kept().await?;
        let keep = i64::try_from(self.engine.limits().versions_kept).unwrap_or(i64::MAX);
        for _ in 0..APPENDS {
            let last = kept
                .version(owner.as_str(), name, None)
                .await
                .map_err(|error| unusable(&error))?;
            let number = last.as_ref().map_or(1, |last| last.version.saturating_add(1));
            let before = last.as_ref().map(read_version).transpose()?;
            let predecessor = last.map(|last| last.hash);
            let version = version_of(
                name,
                number,
                &definition,
                &made,
                now,
                self.engine.limits().version_bytes,
            );
            let body = serde_json::to_string(&version).map_err(unwritable)?;
            let row = VersionRow {
                version: number,
                hash: chain_hash(number, predecessor.as_deref(), &body),
                predecessor_hash: predecessor,
                body,
                created_ms: now.timestamp_millis(),
            };
            let change = self.version_change(before.as_ref(), &version, &row.hash, owner, now)?;
            let appended = kept
                .append_version(owner.as_str(), name, &row, keep, Some(&change))
                .await
                .map_err(|error| unusable(&error))?;
            if appended {
                return Ok(Done::Generated(Box::new(say::Generated {
                    row,
                    version,
                    requests,
                    evaluation: made.evaluation,
                })));
            }
            // Removed meanwhile, or somebody else took the number.
            self.find_deliverable(name, owner).await?;
        }
        Err(SourceError::new(
            ErrorCode::Overloaded,
            format!("others append versions of {name} all the time; this one was not"),
        )
        .hint("try again"))
    }

    pub(super) async fn diff_deliverable(
        &self,
        name: String,
        from: i64,
        to: To,
        owner: &Owner,
    ) -> Result<Done, SourceError> {
        let (_, first) = self.deliverable_version(&name, Some(from), owner).await?;
        let (snapshots, diff) = match to {
            To::Version(number) => {
                let (_, second) = self.deliverable_version(&name, Some(number), owner).await?;
                let found = diff((&first).into(), (&second).into());
                (second.source_snapshots, found)
            }
            To::Now => self.since(&name, &first, owner).await?,
        };
        let at = self.engine.clock().now();
        Ok(Done::Compared(Box::new(say::Compared {
            name,
            from,
            to,
            diff,
            snapshots,
            at,
        })))
    }

    /// What changed since a version. Nothing is kept of what was fetched for it.
    pub(super) async fn since(
        &self,
        name: &str,
        first: &Version,
        owner: &Owner,
    ) -> Result<(Vec<Snapshot>, Diff), SourceError> {
        let definition = self.find_deliverable(name, owner).await?;
        let followed = self.follow_all(&definition, Mode::Look, owner).await?;
        let now = self.engine.clock().now();
        let made = self
            .made(followed, &definition, OnUnchecked::LeaveOut, now)
            .await?;
        let found = diff(
            first.into(),
            Side {
                snapshots: &made.gathered.snapshots,
                items: &made.gathered.entries,
            },
        );
        Ok((made.gathered.snapshots, found))
    }

    /// Gathers by a policy and judges at this moment.
    async fn made(
        &self,
        followed: Vec<Followed>,
        definition: &Definition,
        policy: OnUnchecked,
        now: DateTime<Utc>,
    ) -> Result<Made, SourceError> {
        let known = followed.into_iter().map(Followed::known).collect();
        let mut gathered = gather(known, policy).map_err(|refused| not_made(&refused))?;
        gathered.drop_facts_of_other_days(&now.date_naive().to_string());
        let most = self.engine.limits().signals;
        let beyond = gathered.entries.len().saturating_sub(most);
        let evaluation = if gathered.entries.is_empty() {
            None
        } else {
            let arguments = arguments(&gathered, definition, most);
            let sources = source_numbers(&gathered);
            let options = Arc::clone(self.engine.options());
            let judged = self
                .engine
                .beside(move || evaluate_named(&arguments, &sources, now, &options))
                .await;
            Some(judged.unwrap_or_else(|| Err(defect()))?)
        };
        for verdict in evaluation.iter().flat_map(|evaluation| &evaluation.verdicts) {
            if let Some(entry) = gathered.entries.get_mut(verdict.position) {
                entry.judged = Map::from_iter([
                    ("decision".to_owned(), verdict.decision.as_str().into()),
                    ("freshness_score".to_owned(), verdict.freshness_score.into()),
                    ("rank_score".to_owned(), verdict.rank_score.into()),
                ]);
            }
        }
        Ok(Made {
            gathered,
            evaluation,
            beyond,
        })
    }
}

/// The number of its source for each item.
fn source_numbers(gathered: &Gathered) -> Vec<usize> {
    let place = |entry: &Entry| {
        let mut snapshots = gathered.snapshots.iter();
        snapshots.position(|snapshot| snapshot.resource_id == entry.resource)
    };
    let numbers = gathered
        .entries
        .iter()
        .map(|entry| place(entry).unwrap_or_default());
    numbers.collect()
}

/// The arguments of `evaluate_context`: what was confirmed a moment ago counts as retrieved then.
fn arguments(gathered: &Gathered, definition: &Definition, most: usize) -> Value {
    let confirmed: BTreeMap<&str, &str> = gathered
        .snapshots
        .iter()
        .filter(|snapshot| snapshot.state == State::Current)
        .filter_map(|snapshot| Some((snapshot.resource_id.as_str(), snapshot.checked_at.as_deref()?)))
        .collect();
    let signals: Vec<Value> = gathered
        .entries
        .iter()
        .take(most)
        .map(|entry| {
            let mut signal = entry.item.clone();
            if let Some(at) = confirmed.get(entry.resource.as_str()) {
                signal.insert("retrieved_at".to_owned(), (*at).into());
            }
            Value::Object(signal)
        })
        .collect();
    let mut arguments = json!({
        "profile": definition.profile,
        "intent": definition.intent,
        "signals": signals,
        "budget": {"max_tokens": definition.max_tokens},
    });
    if let (Some(query), Some(arguments)) = (&definition.query, arguments.as_object_mut()) {
        arguments.insert("query".to_owned(), query.as_str().into());
    }
    arguments
}

impl Made {
    /// Whether nothing goes in.
    fn is_empty(&self) -> bool {
        let assembly = self
            .evaluation
            .as_ref()
            .and_then(|evaluation| evaluation.assembly.as_ref());
        assembly.is_none_or(|assembly| assembly.blocks.is_empty())
    }
}

/// What a caller reads where a version would hold no item.
fn empty(name: &str, made: &Made) -> SourceError {
    let gave = say::gave(&made.gathered.snapshots, made.evaluation.as_ref());
    SourceError::new(
        ErrorCode::NotFound,
        format!("no version of {name} was made, for it would hold no item: {gave}"),
    )
    .hint("`freshcontext deliverable check` says how the sources stand; --allow-empty (allow_empty) keeps an empty version")
}

/// What a caller reads where the policy is to refuse.
fn not_made(refused: &Refused) -> SourceError {
    let named: Vec<String> = refused
        .0
        .iter()
        .map(|trouble| format!("{} ({}: {})", code(&trouble.what), trouble.code, trouble.message))
        .collect();
    let known = refused.0.first().and_then(|trouble| {
        ErrorCode::ALL
            .into_iter()
            .find(|code| code.as_str() == trouble.code)
    });
    let mut error = SourceError::new(
        known.unwrap_or(ErrorCode::Unreachable),
        format!(
            "no version was made, for not all could be checked: {}",
            named.join("; ")
        ),
    )
    .hint("try again later, or define it with on_unchecked use_last or leave_out");
    let wait = refused.0.iter().filter_map(|trouble| trouble.retry_after_s).max();
    if let Some(wait) = wait {
        error = error.retry_after(std::time::Duration::from_secs(wait));
    }
    error
}

fn version_of(
    name: &str,
    number: i64,
    definition: &Definition,
    made: &Made,
    now: DateTime<Utc>,
    most: usize,
) -> Version {
    let Made {
        gathered,
        evaluation,
        beyond,
    } = made;
    let part = |part: fn(&Evaluation) -> Value| evaluation.as_ref().map(part).unwrap_or_default();
    let fitted = evaluation
        .as_ref()
        .and_then(|evaluation| evaluation.assembly.as_ref());
    let generated_at = moment(now);
    let blocks = fitted
        .map(|assembly| assembly.blocks.as_slice())
        .unwrap_or_default();
    let blocks: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    let markdown = fill(
        definition.template.as_deref(),
        &Slots {
            name,
            version: &number.to_string(),
            generated_at: &generated_at,
            style: definition.style.as_deref().unwrap_or_default(),
            recipients: &definition.recipients.join(", "),
            sources: &[
                say::sources(&gathered.snapshots, now),
                say::origins(evaluation.as_ref(), &gathered.entries),
            ]
            .concat(),
            blocks: &blocks,
            missing: &say::missing(&gathered.snapshots, evaluation.as_ref(), *beyond),
        },
        most,
    );
    Version {
        name: name.to_owned(),
        version: number,
        generated_at,
        definition: definition.clone(),
        source_snapshots: gathered.snapshots.clone(),
        items: gathered.entries.clone(),
        selection: named_selection(evaluation.as_ref(), &gathered.entries),
        budget: part(|evaluation| json!(evaluation.budget)),
        blocks: fitted.map(|assembly| json!(assembly.blocks)).unwrap_or_default(),
        origins: evaluation.as_ref().and_then(|evaluation| {
            let told = evaluation.origins.as_ref()?;
            Some(told.structure(|number| {
                say::entry_of(evaluation, &gathered.entries, number)
                    .map(|entry| entry.id.as_str())
                    .into()
            }))
        }),
        missing_context: part(|evaluation| json!(evaluation.missing_context)),
        markdown,
    }
}

/// What went in and what stayed out, each with the item's own id beside its index.
fn named_selection(evaluation: Option<&Evaluation>, entries: &[Entry]) -> Value {
    #[derive(Serialize)]
    struct Named<'a, T> {
        #[serde(flatten)]
        fate: &'a T,
        #[serde(flatten)]
        item: Option<Item<'a>>,
    }

    #[derive(Serialize)]
    struct Item<'a> {
        resource: &'a str,
        id: &'a str,
    }

    let selection = evaluation.and_then(|evaluation| Some((evaluation, evaluation.selection.as_ref()?)));
    let Some((evaluation, selection)) = selection else {
        return Value::Null;
    };
    let item = |index: usize| {
        let verdict = evaluation
            .verdicts
            .iter()
            .find(|verdict| verdict.index == index)?;
        let entry = entries.get(verdict.position)?;
        Some(Item {
            resource: &entry.resource,
            id: &entry.id,
        })
    };
    let selected = selection.selected.iter().map(|fate| Named {
        fate,
        item: item(fate.index),
    });
    let omitted = selection.omitted.iter().map(|fate| Named {
        fate,
        item: item(fate.index),
    });
    json!({"selected": selected.collect::<Vec<_>>(), "omitted": omitted.collect::<Vec<_>>()})
}
