//! `recheck`: is what was answered still so?

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_core::answer::{Scored, ScoredItem};
use freshcontext_core::date::KeptMoment;
use freshcontext_core::recheck::{Against, Finding, Found, Recheck, Subject, Verdict};
use freshcontext_engine::{Owner, Work};
use freshcontext_records::later::Part;
use serde_json::{Map, Value};

use super::again::{Again, Within, says_gone};
use super::compare::{compare, gone, tell_now, unchanged, unknown};
use super::marks::{Kept, Record};
use super::records::Changes;
use super::tool::{EXAMPLE, Question};
use super::watch::Watch;
use crate::Follow;

impl Follow {
    /// Rechecks an answer. Only what the caller got wrong, and an answer that is not kept, is an error; whatever keeps
    /// us from knowing is a verdict.
    pub async fn recheck(
        &self,
        arguments: &Map<String, Value>,
        owner: &Owner,
    ) -> Result<Recheck, SourceError> {
        let times = &self.toolset;
        let begun = self.engine.clock().now();
        let (subject, found, changes) = match Question::read(arguments)? {
            Question::Answer(id) => {
                let (row, then) = times.find(owner, &id, begun.timestamp_millis()).await?;
                let mut changes = Changes::of_answer(&row, begun);
                let mut unanswered = Vec::new();
                let found = match then {
                    Kept::Answer(then) => {
                        unanswered.clone_from(&then.unread);
                        let arguments = serde_json::from_str(&row.arguments).unwrap_or_default();
                        let (finding, fresh) = self
                            .look(&row.tool, &arguments, Some(&then), Within::default())
                            .await?;
                        if let Some(fresh) = fresh.filter(|_| finding.comparison.verdict == Verdict::Current)
                        {
                            times.renew(owner, &row, &then, fresh.asked, begun).await;
                        }
                        changes.add(Part::of_tool(&row.tool), &then, &finding.comparison);
                        Found::Answer(Box::new(finding))
                    }
                    Kept::Sections {
                        sections,
                        unanswered: of_then,
                    } => {
                        unanswered = of_then;
                        let arguments: Map<String, Value> =
                            serde_json::from_str(&row.arguments).unwrap_or_default();
                        let least = arguments.get("min_freshness_score").and_then(Value::as_f64);
                        let found = self.look_at_sections(sections.clone(), least).await?;
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
                    against: Against::Answer,
                    unanswered,
                };
                (subject, found, changes)
            }
            Question::Call {
                tool,
                arguments,
                hash,
                since,
            } => {
                // Somewhere it is tomorrow already.
                if since.is_some_and(|since| since > begun + TimeDelta::days(1)) {
                    let problem = "lies in the future, so nothing can be newer";
                    return Err(SourceError::invalid_input("since", problem, "2026-11-22"));
                }
                let has_hash = hash.is_some();
                let arguments = self.engine.read_again(&tool, arguments)?;
                let (mut finding, fresh) = self.look(&tool, &arguments, None, Within::default()).await?;
                if let Some(fresh) = fresh {
                    against(&mut finding, &fresh, hash.as_deref(), since);
                }
                let mut changes = Changes::default();
                if let Some(hash) = hash.filter(|_| finding.comparison.verdict == Verdict::Changed) {
                    changes = Changes::of_whole(&tool, &arguments, &hash);
                }
                let subject = Subject {
                    answer_id: None,
                    tool,
                    answered: since.map(KeptMoment::given),
                    against: if has_hash { Against::Hash } else { Against::Moment },
                    unanswered: Vec::new(),
                };
                (subject, Found::Answer(Box::new(finding)), changes)
            }
        };
        let now = self.engine.clock().now();
        times.note_changes(owner, &changes, now).await;
        Ok(Recheck {
            subject,
            found,
            checked_at: now,
        })
    }

    /// Asks a source again, and compares.
    pub(super) async fn look(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        then: Option<&Record>,
        within: Within,
    ) -> Result<(Finding, Option<Record>), SourceError> {
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
        let now = self.engine.clock().now();
        let earlier = then.filter(|then| !then.has_ended(now));
        let earlier = earlier.map(|then| then.asked.clone()).unwrap_or_default();
        let again = self
            .ask_again(adapter, arguments, earlier, within.admitted, &watch)
            .await;
        let mut finding = Finding {
            requests: watch.requests(),
            bytes: watch.bytes(),
            ..Finding::default()
        };
        let empty = Record::empty();
        let before = then.unwrap_or(&empty);
        match again {
            Ok(Again::Unchanged(evidence)) => {
                finding.comparison = unchanged(before);
                finding.evidence = evidence;
                let asked = watch.renewed(&before.asked);
                Ok((
                    finding,
                    then.map(|then| Record {
                        asked,
                        ..then.clone()
                    }),
                ))
            }
            Ok(Again::Fetched(now)) => {
                let record = Record::of(&now, watch.asked());
                if then.is_some() {
                    let missing: Vec<&str> = now.missing().collect();
                    let mut listed = record.clone();
                    if let Some(least) = within.least {
                        listed.leave_out(before, &below(&now, least));
                    }
                    finding.comparison = compare(before, &listed, &missing);
                    tell_now(&mut finding.comparison, &record, &now);
                }
                finding.hash_now = Some(record.hash());
                Ok((finding, Some(record)))
            }
            // Of a call whose arguments the caller just gave.
            Err(error) if then.is_none() && error.code == ErrorCode::InvalidInput => Err(error),
            Err(error) => {
                let listing = adapter.descriptor().peek.listing;
                finding.comparison = if says_gone(&error, listing, before.items.len()) {
                    gone(before)
                } else {
                    unknown(before, "not_read")
                };
                finding.error = Some(error);
                Ok((finding, None))
            }
        }
    }
}

/// The places of items that the caller asked not to see.
fn below(now: &Scored, least: f64) -> Vec<bool> {
    let is_below = |item: &ScoredItem| item.score.is_some_and(|score| f64::from(score) < least);
    now.items().iter().map(is_below).collect()
}

/// The verdict against a hash, or against a moment: without the earlier marks, only of the whole.
fn against(finding: &mut Finding, fresh: &Record, hash: Option<&str>, since: Option<DateTime<Utc>>) {
    let comparison = &mut finding.comparison;
    comparison.verdict = match (hash, since) {
        _ if fresh.partial => Verdict::CouldNotCheck,
        (Some(hash), _) if fresh.hash() == hash || fresh.earlier_hash() == hash => Verdict::Current,
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
