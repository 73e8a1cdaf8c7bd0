//! What is missing: gaps that were found, and the one that a call was made to fill.

use freshcontext_budget::{Call, fills, missing_id};
use serde_json::{Value, json};

use super::Maker;
use crate::objects::{Facts, Missing, MissingSource};
use crate::values::{EventClass, Severity};
use freshcontext_redact::masked;

/// A gap as it is found.
pub(crate) struct Gap {
    pub question: String,
    pub needed_for: String,
    pub severity: Severity,
    pub source: MissingSource,
    pub blocked: Vec<String>,
    pub subjects: Vec<String>,
}

/// The call that a source of an answer names.
pub(crate) fn call_of(call: &Value) -> Option<Call> {
    Some(Call {
        tool: call.get("tool")?.as_str()?.to_owned(),
        arguments: call.get("arguments").cloned().unwrap_or_default(),
    })
}

impl Maker<'_> {
    /// A gap, once.
    pub(crate) fn gap(&mut self, gap: Gap, cause: Option<&str>) {
        // Texts that are redacted are not hashed, and the id is a hash.
        let question = masked(&gap.question).0.into_owned();
        let call = gap.source.call.as_ref().and_then(call_of);
        let id = missing_id(self.scope.as_str(), &question, &gap.needed_for, call.as_ref());
        let mut metadata = Facts::new();
        if !gap.subjects.is_empty() {
            metadata.insert("item_refs".to_owned(), json!(gap.subjects));
        }
        self.missing(
            Missing {
                missing_id: id,
                scope: self.scope,
                severity: gap.severity,
                status: "open".to_owned(),
                created_at: self.at.clone(),
                question: Some(question),
                needed_for: Some(gap.needed_for),
                requested_from: None,
                candidate_sources: vec![gap.source],
                blocked_actions: gap.blocked,
                resolution_refs: Vec::new(),
                metadata,
            },
            cause,
        );
    }

    /// A gap as it was written elsewhere, once.
    pub(crate) fn missing(&mut self, missing: Missing, cause: Option<&str>) {
        let id = missing.missing_id.clone();
        let refs = &mut self.bundle.context_envelope.missing_context_refs;
        if refs.contains(&id) {
            return;
        }
        refs.push(id.clone());
        self.bundle.missing_context.push(missing);
        self.event(EventClass::MissingDetected, cause, &[id], None);
    }

    /// Notes that this call was made to fill a gap.
    pub(crate) fn asked_to_fill(&mut self) {
        let Some(id) = self.occasion.native.missing_id.clone() else {
            return;
        };
        self.bundle.context_envelope.missing_context_refs.push(id.clone());
        self.bundle.missing_context.push(Missing {
            missing_id: id.clone(),
            scope: self.scope,
            severity: Severity::Info,
            status: "open".to_owned(),
            created_at: self.at.clone(),
            question: None,
            needed_for: None,
            requested_from: Some(self.occasion.tool.to_owned()),
            candidate_sources: Vec::new(),
            blocked_actions: Vec::new(),
            resolution_refs: Vec::new(),
            metadata: Facts::from_iter([(
                "named_by".to_owned(),
                json!("freshcontext/missing_id of this request"),
            )]),
        });
        self.event(EventClass::MissingRequested, None, &[id], None);
    }

    /// Notes that the gap which this call was made for is filled, by what is named.
    pub(crate) fn filled(&mut self, by: &[String], cause: &str) {
        let Some(id) = self.occasion.native.missing_id.clone() else {
            return;
        };
        // Another call than the gap's own says nothing of it.
        if !fills(&id, self.occasion.tool, self.occasion.arguments) {
            return;
        }
        if let Some(missing) = self
            .bundle
            .missing_context
            .iter_mut()
            .find(|it| it.missing_id == id)
        {
            "resolved".clone_into(&mut missing.status);
            missing.resolution_refs = by.to_vec();
        }
        self.event(EventClass::MissingResolved, Some(cause), &[id], None);
    }
}
