//! Composites: each section is marked and rechecked as an answer of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use freshcontext_core::composite::Section;
use freshcontext_core::provenance::sha256_hex;
use futures_util::future::join_all;
use serde_json::{Map, Value};

use super::finding::{Admitted, Finding, SectionFinding};
use super::marks::{Draft, Kept, KeptSection, Record, canonical};
use super::watch::Watch;
use crate::Follow;

/// Sections with their marks, before it is known how much of each is shown.
#[derive(Default)]
pub(crate) struct Marked {
    retrieved: Option<DateTime<Utc>>,
    sections: Vec<Option<KeptSection>>,
}

impl Marked {
    /// The marks of all sections that answered. A section that failed leaves nothing to recheck.
    pub(crate) fn of(sections: &[Section], watches: &[Arc<Watch>]) -> Self {
        let mut retrieved: Option<DateTime<Utc>> = None;
        let marks = sections
            .iter()
            .zip(watches)
            .map(|(section, watch)| {
                let judged = section.outcome.as_ref().ok()?;
                let oldest = retrieved.map_or(judged.retrieved_at(), |at| at.min(judged.retrieved_at()));
                retrieved = Some(oldest);
                let structured = judged.render(usize::MAX).structured;
                Some(KeptSection {
                    tool: section.tool.to_owned(),
                    label: section.label.clone(),
                    arguments: section
                        .arguments
                        .as_ref()
                        .and_then(Value::as_object)
                        .cloned()
                        .unwrap_or_default(),
                    record: Record::of(judged.items(), &structured, judged.items().len(), watch.asked()),
                })
            })
            .collect();
        Self {
            retrieved,
            sections: marks,
        }
    }

    /// What is kept of the answer that shows `structured`; `None` where no section told anything.
    pub(crate) fn draft(
        self,
        tool: String,
        arguments: &Map<String, Value>,
        structured: Option<&Value>,
    ) -> Option<Draft> {
        let shown = structured?.get("sections")?.as_array()?;
        let sections: Vec<KeptSection> = self
            .sections
            .into_iter()
            .zip(shown)
            .filter_map(|(section, shown)| {
                let mut section = section?;
                // Too old for the caller: a warning stands in place of what it says.
                let items = shown.get("result")?.get("items").and_then(Value::as_array);
                let items = items.map_or(0, Vec::len);
                for (at, mark) in section.record.items.iter_mut().enumerate() {
                    mark.shown = at < items;
                }
                Some(section)
            })
            .collect();
        let hashes: Vec<String> = sections
            .iter()
            .map(|section| format!("{}\t{}\t{}", section.tool, section.label, section.record.hash()))
            .collect();
        Some(Draft {
            hash: sha256_hex(&hashes.join("\n")),
            tool,
            arguments: canonical(arguments),
            retrieved_ms: self.retrieved?.timestamp_millis(),
            record: Kept::Sections { sections },
        })
    }
}

impl Follow {
    /// Rechecks every section at once, as one call and under one deadline.
    pub(super) async fn look_at_sections(
        &self,
        sections: Vec<KeptSection>,
    ) -> Result<Vec<SectionFinding>, SourceError> {
        let admitted = Admitted {
            place: Arc::new(self.engine.admit().await?),
            deadline: Instant::now() + Duration::from_millis(self.engine.limits().composite_deadline_ms),
        };
        let looks = sections.into_iter().map(|section| {
            let admitted = admitted.clone();
            async move {
                let KeptSection {
                    tool,
                    label,
                    arguments,
                    record,
                } = section;
                let finding = match self.look(&tool, &arguments, Some(&record), Some(admitted)).await {
                    Ok((finding, _)) => finding,
                    // Its source may be off by now.
                    Err(error) => Finding::none(&record, error),
                };
                SectionFinding { tool, label, finding }
            }
        });
        Ok(join_all(looks).await)
    }
}
