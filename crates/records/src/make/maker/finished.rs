//! The end: states are written, then texts are masked and removed, and what was done is noted.

use super::super::PRODUCER;
use super::Maker;
use crate::bundle::Bundle;
use crate::objects::Redaction;
use crate::values::{EventClass, RedactionState, State};
use freshcontext_redact::{joined, sweep};

impl Maker<'_> {
    /// Writes the states, then masks and removes.
    pub(crate) fn finish(mut self) -> Result<Bundle, String> {
        if let Some(defect) = self.defect {
            return Err(defect);
        }
        for item in &mut self.bundle.context_item {
            if let Some(state) = self.states.get(&item.item_id) {
                item.lifecycle = *state;
            }
        }
        for selection in &mut self.bundle.context_selection {
            if let Some(state) = self.states.get(&selection.selection_id) {
                selection.lifecycle = *state;
            }
        }
        let marked = &self.occasion.options.context.redact;
        let mut redactions = std::mem::take(&mut self.withheld);
        let mut swept = Vec::new();
        for mut record in self.bundle.records() {
            let mut touched = Vec::new();
            sweep(&mut record.value, marked, "", &mut touched);
            redactions.extend(touched.into_iter().map(|it| Redaction {
                record_ref: record.id.clone(),
                field: it.field,
                redaction_state: if it.removed {
                    RedactionState::Removed
                } else {
                    RedactionState::Masked
                },
                redaction_method: it.method,
                redacted_by: if it.removed { "the caller" } else { PRODUCER }.to_owned(),
            }));
            // Pieces that are a secret only where they stand together.
            redactions.extend(joined(&mut record.value).into_iter().map(|field| Redaction {
                record_ref: record.id.clone(),
                field,
                redaction_state: RedactionState::Masked,
                redaction_method: "pattern:joined_secret".to_owned(),
                redacted_by: PRODUCER.to_owned(),
            }));
            swept.push((record.kind, record.value));
        }
        if redactions.is_empty() {
            return Ok(self.bundle);
        }
        self.bundle = Bundle::of_records(swept)?;
        self.note(redactions);
        match self.defect {
            Some(defect) => Err(defect),
            None => Ok(self.bundle),
        }
    }

    /// Notes what was masked and removed: on the items, in an event, and in the envelope.
    fn note(&mut self, redactions: Vec<Redaction>) {
        let mut subjects: Vec<String> = Vec::new();
        let mut items: Vec<String> = Vec::new();
        for redaction in &redactions {
            let record = &redaction.record_ref;
            let item = self
                .bundle
                .context_item
                .iter_mut()
                .find(|item| item.item_id == *record);
            if let Some(item) = item {
                item.lifecycle = State::Redacted;
                item.redaction_state = item.redaction_state.max(redaction.redaction_state);
                if !items.contains(record) {
                    items.push(record.clone());
                }
            } else if !subjects.contains(record) {
                subjects.push(record.clone());
            }
        }
        let mut cause = self
            .bundle
            .context_event
            .last()
            .map(|event| event.event_id.clone());
        if !items.is_empty() {
            cause = Some(self.event(
                EventClass::RedactionApplied,
                cause.as_deref(),
                &items,
                Some(State::Redacted),
            ));
        }
        if !subjects.is_empty() {
            self.event(EventClass::RedactionApplied, cause.as_deref(), &subjects, None);
        }
        self.bundle.context_envelope.redactions = redactions;
    }
}
