//! What all kinds of answers have in common: ids, states, events, the text that went out, and redaction at the end.

mod delivered;
mod finished;
mod gaps;
mod items;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::json;

pub(crate) use delivered::Shape;
pub(crate) use gaps::Gap;
pub(crate) use items::Piece;

use super::native::{mappings, telemetry};
use super::{Occasion, PRODUCER};
use crate::bundle::{Bundle, SCHEMA_VERSION};
use crate::ids::Ids;
use crate::objects::{Actor, Envelope, Event, Facts, Producer, Redaction, Surface};
use crate::values::{EventClass, Kind, RedactionState, Scope, State};
use freshcontext_redact::masked;

/// Makes the records of one call.
pub(crate) struct Maker<'a> {
    pub occasion: &'a Occasion<'a>,
    /// The text that went out.
    pub text: &'a str,
    pub bundle: Bundle,
    pub at: String,
    pub scope: Scope,
    ids: Ids,
    states: BTreeMap<String, State>,
    /// Hashes that are not published because their text holds what is redacted.
    withheld: Vec<Redaction>,
    /// A step that the table of states does not allow: a defect of ours.
    defect: Option<String>,
}

/// The form of every moment in records: milliseconds, in UTC.
pub(crate) fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

impl<'a> Maker<'a> {
    pub(crate) fn new(occasion: &'a Occasion<'a>, text: &'a str) -> Self {
        let now_ms = u64::try_from(occasion.now.timestamp_millis()).unwrap_or_default();
        let mut ids = Ids::new(now_ms, occasion.seed);
        let at = moment(occasion.now);
        let context = &occasion.options.context;
        let scope = context.scope.unwrap_or(Scope::ToolInvocation);
        let mut actor_refs = vec![Actor {
            id: PRODUCER.to_owned(),
            role: "service".to_owned(),
            version: Some(occasion.version.to_owned()),
        }];
        if let Some((name, version)) = &occasion.native.client {
            actor_refs.push(Actor {
                id: name.clone(),
                role: "client".to_owned(),
                version: Some(version.clone()).filter(|version| !version.is_empty()),
            });
        }
        actor_refs.extend(context.actor_refs.iter().cloned());
        let envelope = Envelope {
            schema_version: SCHEMA_VERSION.to_owned(),
            context_id: ids.next(Kind::Envelope),
            scope,
            lifecycle: State::Available,
            created_at: at.clone(),
            producer: Producer {
                id: PRODUCER.to_owned(),
                version: occasion.version.to_owned(),
            },
            budget_ref: None,
            telemetry_refs: telemetry(occasion),
            external_mappings: Some(mappings(occasion)),
            actor_refs,
            runtime_refs: context.runtime_refs.clone(),
            surface_refs: Vec::new(),
            item_refs: Vec::new(),
            selection_refs: Vec::new(),
            assembly_refs: Vec::new(),
            injection_refs: Vec::new(),
            compaction_refs: Vec::new(),
            missing_context_refs: Vec::new(),
            policy_refs: context.policy_refs.clone(),
            evidence_refs: context.evidence_refs.clone(),
            redactions: Vec::new(),
            metadata: Facts::from_iter([("tool".to_owned(), json!(occasion.tool))]),
        };
        let bundle = Bundle {
            context_envelope: envelope,
            context_surface: Vec::new(),
            context_item: Vec::new(),
            context_source_ref: Vec::new(),
            context_selection: Vec::new(),
            context_budget: Vec::new(),
            context_window: Vec::new(),
            context_assembly: Vec::new(),
            context_injection: Vec::new(),
            context_compaction: Vec::new(),
            context_summary: Vec::new(),
            missing_context: Vec::new(),
            context_event: Vec::new(),
        };
        Self {
            occasion,
            text,
            bundle,
            at,
            scope,
            ids,
            states: BTreeMap::new(),
            withheld: Vec::new(),
            defect: None,
        }
    }

    pub(crate) fn id(&mut self, kind: Kind) -> String {
        self.ids.next(kind)
    }

    /// Who reads the answer.
    pub(crate) fn target(&self) -> String {
        match &self.occasion.native.client {
            Some((name, _)) => format!("mcp client: {name}"),
            None => "the caller of the tool".to_owned(),
        }
    }

    /// Whether a text must not be hashed: it holds a secret, or the caller marked what holds it.
    pub(crate) fn is_withheld(&self, text: &str) -> bool {
        self.marks("content") || masked(text).0 != text
    }

    fn marks(&self, field: &str) -> bool {
        self.occasion
            .options
            .context
            .redact
            .iter()
            .any(|name| name == field)
    }

    /// Notes that a hash is not published.
    pub(crate) fn withhold(&mut self, record: &str, field: &str) {
        self.withheld.push(Redaction {
            record_ref: record.to_owned(),
            field: field.to_owned(),
            redaction_state: RedactionState::Removed,
            redaction_method: "hash_of_redacted_text".to_owned(),
            redacted_by: PRODUCER.to_owned(),
        });
    }

    /// Notes something that happened, and brings its subjects to a state. The event's id.
    pub(crate) fn event(
        &mut self,
        class: EventClass,
        cause: Option<&str>,
        subjects: &[String],
        state: Option<State>,
    ) -> String {
        if let Some(state) = state {
            for subject in subjects {
                let step = self.states.get(subject).is_none_or(|now| now.may_become(state));
                if !step {
                    self.defect = Some(format!("{subject} may not become {}", state.as_str()));
                }
                self.states.insert(subject.clone(), state);
            }
        }
        let event_id = self.ids.next(Kind::Event);
        let sequence = self.bundle.context_event.len() as u64 + 1;
        self.bundle.context_event.push(Event {
            event_id: event_id.clone(),
            event_class: class,
            context_id: self.bundle.context_envelope.context_id.clone(),
            sequence,
            created_at: self.at.clone(),
            cause_ref: cause.map(str::to_owned),
            lifecycle: state,
            subject_refs: subjects.to_vec(),
            metadata: Facts::new(),
        });
        event_id
    }

    /// A surface and its items, with their events. The event that the items came with.
    pub(crate) fn surface(&mut self, mut surface: Surface) -> String {
        surface.item_refs = unique(surface.item_refs);
        let (id, items) = (surface.surface_id.clone(), surface.item_refs.clone());
        self.bundle.context_envelope.surface_refs.push(id.clone());
        self.bundle.context_surface.push(surface);
        let asked = self
            .bundle
            .context_event
            .first()
            .map(|event| event.event_id.clone());
        let created = self.event(EventClass::SurfaceCreated, asked.as_deref(), &[id], None);
        // The same item in two sections came once.
        let new: Vec<String> = items
            .into_iter()
            .filter(|item| !self.states.contains_key(item))
            .collect();
        if new.is_empty() {
            return created;
        }
        self.event(
            EventClass::ItemAdded,
            Some(&created),
            &new,
            Some(State::Available),
        )
    }
}

/// Each once, in order. A source may list the same thing twice.
pub(crate) fn unique(ids: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}
