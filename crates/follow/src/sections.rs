//! Composites: each section is rechecked as an answer of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use freshcontext_contract::SourceError;
use freshcontext_core::recheck::{Finding, SectionFinding};
use futures_util::future::join_all;

use super::again::{Admitted, Within};
use super::compare::unknown;
use super::marks::KeptSection;
use crate::Follow;

impl Follow {
    /// Rechecks every section at once, as one call and under one deadline. Items that score less than `least` were not shown, and are no
    /// news.
    pub(super) async fn look_at_sections(
        &self,
        sections: Vec<KeptSection>,
        least: Option<f64>,
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
                let within = Within {
                    admitted: Some(admitted),
                    least,
                };
                let finding = match self.look(&tool, &arguments, Some(&record), within).await {
                    Ok((finding, _)) => finding,
                    // Its source may be off by now.
                    Err(error) => Finding {
                        comparison: unknown(&record, "not_read"),
                        error: Some(error),
                        ..Finding::default()
                    },
                };
                SectionFinding { tool, label, finding }
            }
        });
        Ok(join_all(looks).await)
    }
}
