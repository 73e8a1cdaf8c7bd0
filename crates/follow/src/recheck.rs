//! `recheck`: is what was answered still so?

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use freshcontext_contract::{AnyAdapter, Earlier, ErrorCode, Evidence, SourceError};
use freshcontext_records::later::Part;
use serde_json::{Map, Value};

use super::compare::{Now, Verdict, compare, gone, unchanged, unknown};
use super::finding::{Admitted, Finding, Found, Subject};
use super::marks::{Kept, Record};
use super::moments::KeptMoment;
use super::outcome;
use super::peeking::{Peeking, Settled};
use super::records::Changes;
use super::tool::{EXAMPLE, Question};
use super::watch::Watch;
use crate::Follow;
use freshcontext_engine::{Ask, Collected, Owner, ToolOutcome, Work};

/// The answer as it is now.
pub(super) struct Fresh {
    record: Record,
    missing: Vec<String>,
}

impl Follow {
    /// Rechecks an answer. Only what the caller got wrong, and an answer that is not kept, is an error; whatever keeps
    /// us from knowing is a verdict.
    pub async fn recheck(
        &self,
        arguments: &Map<String, Value>,
        owner: &Owner,
    ) -> Result<ToolOutcome, SourceError> {
        let times = &self.toolset;
        let begun = self.engine.clock().now();
        let (subject, found, changes) = match Question::read(arguments)? {
            Question::Answer(id) => {
                let (row, then) = times.find(owner, &id, begun.timestamp_millis()).await?;
                let mut changes = Changes::of_answer(&row, begun);
                let found = match then {
                    Kept::Answer(then) => {
                        let arguments = serde_json::from_str(&row.arguments).unwrap_or_default();
                        let (finding, _) = self.look(&row.tool, &arguments, Some(&then), None).await?;
                        changes.add(Part::of_tool(&row.tool), &then, &finding.comparison);
                        Found::Answer(Box::new(finding))
                    }
                    Kept::Sections { sections } => {
                        let found = self.look_at_sections(sections.clone()).await?;
                        for (then, now) in sections.iter().zip(&found) {
                            let part = Part {
                                tool: now.tool.clone(),
                                label: Some(now.label.clone()),
                            };
                            changes.add(part, &then.record, &now.finding.comparison);
                        }
                        Found::Sections(found)
                    }
                };
                let subject = Subject {
                    answer_id: Some(id),
                    tool: row.tool,
                    answered: Some(KeptMoment::of(row.created_ms, begun)),
                };
                (subject, found, changes)
            }
            Question::Call {
                tool,
                arguments,
                hash,
                since,
            } => {
                let (mut finding, fresh) = self.look(&tool, &arguments, None, None).await?;
                if let Some(fresh) = fresh {
                    against(&mut finding, &fresh.record, hash.as_deref(), since);
                }
                let mut changes = Changes::default();
                if let Some(hash) = hash.filter(|_| finding.comparison.verdict == Verdict::Changed) {
                    changes = Changes::of_whole(&tool, &arguments, &hash);
                }
                let subject = Subject {
                    answer_id: None,
                    tool,
                    answered: since.map(KeptMoment::given),
                };
                (subject, Found::Answer(Box::new(finding)), changes)
            }
        };
        let now = self.engine.clock().now();
        times.note_changes(owner, &changes, now).await;
        Ok(outcome::outcome(&subject, &found, now))
    }

    /// Asks the cheap question, then for everything where that does not settle it. A section of a composite has a admitted
    /// already.
    pub(super) async fn look(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        then: Option<&Record>,
        admitted: Option<Admitted>,
    ) -> Result<(Finding, Option<Fresh>), SourceError> {
        let adapter = match self.engine.tool(tool).map(|tool| &tool.work) {
            Some(Work::Source(adapter)) => adapter,
            Some(Work::Composite(_)) => {
                let problem = "names a composite, whose answers are rechecked by their answer_id";
                return Err(SourceError::invalid_input("tool", problem, EXAMPLE));
            }
            _ => {
                let problem = "names no tool with one source that is on here";
                return Err(SourceError::invalid_input("tool", problem, EXAMPLE));
            }
        };
        let watch = Watch::new(Arc::clone(self.engine.transport()));
        let looked = self.looked(adapter, arguments, then, admitted, &watch).await;
        let mut finding = Finding {
            requests: watch.requests(),
            bytes: watch.bytes(),
            ..Finding::default()
        };
        let empty = Record::empty();
        let before = then.unwrap_or(&empty);
        match looked {
            Ok(Looked::Settled(evidence)) => {
                finding.comparison = unchanged(before);
                finding.evidence = evidence;
                Ok((finding, None))
            }
            Ok(Looked::Fresh(fresh)) => {
                if then.is_some() {
                    let now = Now {
                        record: &fresh.record,
                        missing: &fresh.missing,
                    };
                    finding.comparison = compare(before, &now);
                }
                finding.hash_now = Some(fresh.record.hash());
                Ok((finding, Some(fresh)))
            }
            // Of a call whose arguments the caller just gave.
            Err(error) if then.is_none() && error.code == ErrorCode::InvalidInput => Err(error),
            Err(error) => {
                let named = adapter.descriptor().peek.listing == freshcontext_contract::Listing::Named;
                finding.comparison = if error.code == ErrorCode::NotFound && named && before.items.len() <= 1
                {
                    gone(before)
                } else {
                    unknown(before, "not_read")
                };
                finding.error = Some(error);
                Ok((finding, None))
            }
        }
    }

    async fn looked(
        &self,
        adapter: &Arc<dyn AnyAdapter>,
        arguments: &Map<String, Value>,
        then: Option<&Record>,
        admitted: Option<Admitted>,
        watch: &Arc<Watch>,
    ) -> Result<Looked, SourceError> {
        let (mut common, own) = self.engine.prepare(adapter.as_ref(), arguments)?;
        // Past the cache: a copy of the answer would confirm itself.
        common.max_age = Some(Duration::ZERO);
        let admitted = match admitted {
            Some(admitted) => admitted,
            None => Admitted {
                place: Arc::new(self.engine.admit().await?),
                deadline: Instant::now() + Duration::from_millis(self.engine.limits().call_deadline_ms),
            },
        };
        self.engine.prepare_tables();
        let settled = Arc::new(Settled::default());
        let ask = Ask {
            adapter: Arc::new(Peeking {
                inner: Arc::clone(adapter),
                earlier: Earlier {
                    asked: then.map(|then| then.asked.clone()).unwrap_or_default(),
                },
                settled: Arc::clone(&settled),
            }),
            common,
            own,
            deadline: admitted.deadline,
            place: admitted.place,
            transport: Some(Arc::clone(watch) as _),
        };
        let descriptor = adapter.descriptor();
        let arguments = arguments.clone();
        self.engine
            .read(ask, move |engine, collected: Collected| {
                if let Some(evidence) = settled.take() {
                    return Ok(Looked::Settled(evidence));
                }
                let scored = engine.score(descriptor, collected, &arguments)?;
                let structured = scored.render(usize::MAX).structured;
                let items = scored.items();
                let shown = structured
                    .get("items")
                    .and_then(Value::as_array)
                    .map_or(0, Vec::len);
                let failures = structured.get("failures").and_then(Value::as_array);
                let missing = failures
                    .into_iter()
                    .flatten()
                    .filter(|part| {
                        part.get("code").and_then(Value::as_str) == Some(ErrorCode::NotFound.as_str())
                    })
                    .filter_map(|part| part.get("what").and_then(Value::as_str))
                    .map(str::to_owned)
                    .collect();
                Ok(Looked::Fresh(Fresh {
                    record: Record::of(items, &structured, shown, Vec::new()),
                    missing,
                }))
            })
            .await
    }
}

enum Looked {
    Settled(Vec<Evidence>),
    Fresh(Fresh),
}

/// The verdict against a hash, or against a moment: without the earlier marks, only of the whole.
fn against(finding: &mut Finding, fresh: &Record, hash: Option<&str>, since: Option<DateTime<Utc>>) {
    let comparison = &mut finding.comparison;
    comparison.verdict = match (hash, since) {
        _ if fresh.partial => Verdict::CouldNotCheck,
        (Some(hash), _) if fresh.hash() == hash => Verdict::Current,
        (None, Some(since)) => {
            let since = since.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
            let newer = |date: &&str| *date > since.as_str();
            let marks = fresh.items.iter();
            comparison.added = marks
                .filter(|mark| mark.date.as_deref().as_ref().is_some_and(newer))
                .map(|mark| mark.id.clone())
                .collect();
            comparison.added_count = comparison.added.len();
            if comparison.added.is_empty() {
                Verdict::Current
            } else {
                Verdict::Changed
            }
        }
        _ => Verdict::Changed,
    };
}
