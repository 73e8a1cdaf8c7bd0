//! What all kinds of answers have in common: ids, states, events, the text that went out, and redaction at the end.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, SecondsFormat, Utc};
use freshcontext_budget::missing_id;
use serde_json::{Value, json};

use super::native::{authority, mappings, telemetry};
use super::{Answered, Occasion};
use crate::bundle::{Bundle, SCHEMA_VERSION};
use crate::ids::{Ids, sha256_hex, source_id};
use crate::limits::{BYTES_PER_TOKEN, INLINE_BYTES};
use crate::objects::{
    Actor, Assembly, Block, Envelope, Event, Facts, Freshness, Injection, Item, Missing, MissingSource,
    Producer, Redaction, Selector, SourceRef, Span, Surface, Tokens,
};
use crate::redact::{REMOVED, masked, sweep};
use crate::values::{
    ContentMode, EventClass, InjectionPoint, Kind, RedactionState, Scope, SelectorType, Severity, State,
};

/// Who makes the records and masks in them.
pub(super) const PRODUCER: &str = "freshcontext";

/// An item as an answer has it.
#[derive(Debug, Default)]
pub(crate) struct Piece<'a> {
    /// `item`, `document`, `section` or `signal`.
    pub kind: &'static str,
    pub title: Cow<'a, str>,
    /// The title as its source gave it, which is part of the id; not one that was made of something else.
    pub own_title: Option<Cow<'a, str>>,
    /// Address, or a stable name.
    pub uri: Cow<'a, str>,
    pub source_kind: Cow<'a, str>,
    pub native_id: Option<Cow<'a, str>>,
    pub content: Option<Cow<'a, str>>,
    /// A JSON Pointer into the structured result, where the content is there.
    pub pointer: Option<String>,
    pub freshness: Option<Freshness>,
    pub delivered: bool,
    pub priority: Option<u64>,
    pub sensitivity: Option<Cow<'a, str>>,
    pub policy: Option<Cow<'a, str>>,
    /// It is no text.
    pub opaque: bool,
    /// Why its content is not repeated, and by what rule.
    pub withheld: Option<(RedactionState, &'static str)>,
    /// Its id, where the answer names it.
    pub known_id: Option<String>,
    /// SHA-256 of its content, where the answer names it.
    pub known_sha256: Option<String>,
    pub tokens: Option<Tokens>,
    pub retention_hint: Option<String>,
    pub metadata: Facts,
}

/// A gap as it is found.
pub(crate) struct Gap {
    pub question: String,
    pub needed_for: String,
    pub severity: Severity,
    pub source: MissingSource,
    pub blocked: Vec<String>,
    pub subjects: Vec<String>,
}

/// Makes the records of one call.
pub(crate) struct Maker<'a> {
    pub occasion: &'a Occasion<'a>,
    pub answered: Answered<'a>,
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
    pub(crate) fn new(occasion: &'a Occasion<'a>, answered: Answered<'a>) -> Self {
        let now_ms = u64::try_from(occasion.now.timestamp_millis()).unwrap_or_default();
        let mut ids = Ids::new(now_ms, occasion.seed);
        let at = moment(occasion.now);
        let context = &occasion.wish.context;
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
            answered,
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
        self.occasion.wish.context.redact.iter().any(|name| name == field)
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

    /// An item and its source. An item that is there already is the same; its id either way.
    pub(crate) fn item(&mut self, piece: Piece<'_>) -> String {
        let clean_uri = if self.marks("uri") {
            // No hash of what is removed; told apart by their order.
            format!("{REMOVED} {}", self.bundle.context_item.len() + 1)
        } else {
            masked(&piece.uri).0.into_owned()
        };
        let content = piece.content.as_deref();
        let holds = content.is_some_and(|content| self.is_withheld(content));
        let unseen = content.is_none() && self.marks("content");
        let hashed = match content {
            Some(_) if self.marks("content") => {
                Some(format!("{REMOVED} {}", self.bundle.context_item.len() + 1))
            }
            Some(content) => Some(masked(content).0.into_owned()),
            None => None,
        };
        let title = piece.own_title.as_deref();
        let clean_title = match title {
            Some(_) if self.marks("title") => {
                Some(format!("{REMOVED} {}", self.bundle.context_item.len() + 1))
            }
            title => title.map(|title| masked(title).0.into_owned()),
        };
        let changed = holds || unseen || clean_uri != piece.uri || clean_title.as_deref() != title;
        let item_id = match piece.known_id.filter(|_| !changed) {
            Some(id) => id,
            None => (self.occasion.identify)(&clean_uri, clean_title.as_deref(), hashed.as_deref()),
        };
        if self
            .bundle
            .context_item
            .iter()
            .any(|item| item.item_id == item_id)
        {
            return item_id;
        }
        let digest = match (&piece.known_sha256, content) {
            _ if holds || unseen => None,
            (Some(known), _) => Some(format!("sha256:{known}")),
            (None, Some(content)) => Some(format!("sha256:{}", sha256_hex(content))),
            (None, None) => None,
        };
        let source = self.source(
            &piece.source_kind,
            &clean_uri,
            piece.native_id.as_deref(),
            &item_id,
            {
                let freshness = piece.freshness.as_ref();
                SourceFacts {
                    uri: piece.uri.clone().into_owned(),
                    digest: digest.clone(),
                    withheld: holds || unseen,
                    retrieved_at: freshness.and_then(|it| it.retrieved_at.clone()),
                    modified_at: freshness.and_then(|it| it.published_at.clone()),
                }
            },
        );
        if let Some((state, rule)) = piece.withheld {
            self.withheld.push(Redaction {
                record_ref: item_id.clone(),
                field: "/content".to_owned(),
                redaction_state: state,
                redaction_method: rule.to_owned(),
                redacted_by: PRODUCER.to_owned(),
            });
        }
        // What was not delivered is pointed at.
        let inline =
            content.filter(|content| content.len() <= INLINE_BYTES && piece.delivered && !piece.opaque);
        let (content_mode, content_ref) = match (&inline, &piece.pointer) {
            (Some(_), _) => (ContentMode::Inline, None),
            _ if piece.opaque => (ContentMode::Opaque, Some(piece.uri.clone().into_owned())),
            (None, Some(pointer)) if content.is_some() => (
                ContentMode::ToolResultRef,
                Some(format!("structuredContent#{pointer}")),
            ),
            _ => (ContentMode::Ref, Some(piece.uri.clone().into_owned())),
        };
        let bytes = content.map(|content| content.len() as u64);
        self.bundle.context_item.push(Item {
            item_id: item_id.clone(),
            context_kind: piece.kind.to_owned(),
            title: piece.title.into_owned(),
            content_mode,
            trust_level: "external".to_owned(),
            sensitivity: piece
                .sensitivity
                .map_or_else(|| "unknown".to_owned(), Cow::into_owned),
            redaction_state: RedactionState::None,
            visibility: if piece.delivered {
                "delivered"
            } else {
                "not_delivered"
            }
            .to_owned(),
            lifecycle: State::Available,
            created_at: self.at.clone(),
            freshness: piece.freshness.unwrap_or_else(unknown_age),
            content: inline.map(str::to_owned),
            content_ref,
            mime_type: content.map(|_| "text/plain".to_owned()),
            language: None,
            token_estimate: piece.tokens.or_else(|| {
                bytes.map(|bytes| Tokens {
                    tokens: bytes.div_ceil(BYTES_PER_TOKEN),
                    counted_by: format!("estimate: bytes / {BYTES_PER_TOKEN}"),
                })
            }),
            byte_size: bytes,
            priority: piece.priority,
            retention_hint: piece.retention_hint,
            source_refs: vec![source],
            policy_refs: piece
                .policy
                .map(|policy| Value::String(policy.into_owned()))
                .into_iter()
                .collect(),
            metadata: piece.metadata,
        });
        item_id
    }

    fn source(
        &mut self,
        kind: &str,
        clean_uri: &str,
        native_id: Option<&str>,
        item_id: &str,
        facts: SourceFacts,
    ) -> String {
        // Two versions of one page are two sources, each with its digest.
        let id = source_id(kind, clean_uri, item_id);
        let mut metadata = Facts::new();
        if let Some(native) = native_id {
            metadata.insert("native_id".to_owned(), native.into());
        }
        if facts.withheld {
            self.withhold(&id, "/digest");
        }
        let selector = native_id.map(|native| Selector {
            selector_type: SelectorType::Custom,
            value: Some(format!("native id {native}")),
            of_sha256: None,
            spans: Vec::new(),
        });
        self.bundle.context_source_ref.push(SourceRef {
            source_id: id.clone(),
            authority: authority(&facts.uri).filter(|_| !self.marks("uri")),
            uri: facts.uri,
            source_kind: kind.to_owned(),
            selector,
            digest: facts.digest,
            external_mappings: None,
            license: None,
            retrieved_at: facts.retrieved_at,
            modified_at: facts.modified_at,
            provenance_refs: Vec::new(),
            metadata,
        });
        id
    }

    /// What was put together and went out: the blocks of the text, each with the items that are in it, and what the text
    /// became visible to. `cause` is the event that it follows from.
    pub(crate) fn delivered(
        &mut self,
        blocks: &[(Span, Option<u64>, Vec<String>)],
        shape: &Shape,
        budget_ref: Option<&str>,
        cause: &str,
    ) {
        let text = self.answered.text;
        let assembly_id = self.id(Kind::Assembly);
        let mut items: Vec<String> = Vec::new();
        let mut ordered = Vec::new();
        for (at, (span, tokens, refs)) in blocks.iter().enumerate() {
            let cut = usize::try_from(span.start)
                .ok()
                .zip(usize::try_from(span.end).ok());
            let part = cut
                .and_then(|(start, end)| text.get(start..end))
                .unwrap_or_default();
            let withheld = self.is_withheld(part);
            if withheld {
                self.withhold(&assembly_id, &format!("/ordered_blocks/{at}/sha256"));
            }
            ordered.push(Block {
                order: at as u64 + 1,
                span: span.clone(),
                sha256: (!withheld).then(|| sha256_hex(part)),
                tokens: *tokens,
                item_refs: refs.clone(),
            });
            for item in refs {
                if !items.contains(item) {
                    items.push(item.clone());
                }
            }
        }
        let withheld = self.is_withheld(text);
        self.bundle.context_assembly.push(Assembly {
            assembly_id: assembly_id.clone(),
            target: self.target(),
            wrapping_policy: shape.wrapping.to_owned(),
            separator_policy: shape.separator.to_owned(),
            visibility: "delivered".to_owned(),
            redaction_state: if withheld {
                RedactionState::Removed
            } else {
                RedactionState::None
            },
            created_at: self.at.clone(),
            budget_ref: budget_ref.map(str::to_owned),
            ordered_blocks: ordered,
            source_item_refs: items.clone(),
        });
        let injection_id = self.id(Kind::Injection);
        if withheld {
            self.withhold(&injection_id, "/hash");
        }
        self.bundle.context_injection.push(Injection {
            injection_id: injection_id.clone(),
            assembly_id: assembly_id.clone(),
            target: self.target(),
            injection_point: InjectionPoint::Custom,
            visibility: "delivered".to_owned(),
            created_at: self.at.clone(),
            native_id: self.occasion.native.request_id.as_ref().map(|id| match id {
                Value::String(id) => id.clone(),
                other => other.to_string(),
            }),
            final_ref: Some("content#/0/text".to_owned()),
            hash: (!withheld).then(|| format!("sha256:{}", sha256_hex(text))),
            metadata: Facts::from_iter([
                ("point".to_owned(), json!("tool_result")),
                ("bytes".to_owned(), json!(text.len())),
            ]),
        });
        let chosen: Vec<String> = items
            .iter()
            .filter(|item| self.states.get(*item) == Some(&State::Available))
            .cloned()
            .collect();
        // Where nothing was selected, all that came was chosen with the call.
        for item in chosen {
            self.states.insert(item, State::Selected);
        }
        // Of what was compacted the summary is shown, not the item.
        let shown: Vec<String> = items
            .iter()
            .filter(|item| self.states.get(*item) == Some(&State::Selected))
            .cloned()
            .collect();
        let cause = self.event(
            EventClass::AssemblyCreated,
            Some(cause),
            &with(&assembly_id, &shown),
            Some(State::Assembled),
        );
        self.event(
            EventClass::InjectionApplied,
            Some(&cause),
            &with(&injection_id, &with(&assembly_id, &shown)),
            Some(State::Injected),
        );
        let envelope = &mut self.bundle.context_envelope;
        envelope.assembly_refs.push(assembly_id);
        envelope.injection_refs.push(injection_id);
        envelope.item_refs = items;
        envelope.lifecycle = State::Injected;
    }

    /// The whole text as one block.
    pub(crate) fn whole_text(&self, items: Vec<String>) -> Vec<(Span, Option<u64>, Vec<String>)> {
        let end = self.answered.text.len() as u64;
        vec![(Span { start: 0, end }, None, items)]
    }

    /// A gap, once.
    pub(crate) fn gap(&mut self, gap: Gap, cause: Option<&str>) {
        // Texts that are redacted are not hashed, and the id is a hash.
        let question = masked(&gap.question).0.into_owned();
        let id = missing_id(self.scope.as_str(), &question, &gap.needed_for);
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
        let marked = &self.occasion.wish.context.redact;
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

/// How a text is built.
pub(crate) struct Shape {
    pub wrapping: &'static str,
    pub separator: &'static str,
}

/// What a source reference says besides its kind.
struct SourceFacts {
    uri: String,
    digest: Option<String>,
    withheld: bool,
    retrieved_at: Option<String>,
    modified_at: Option<String>,
}

/// Each once, in order. A source may list the same thing twice.
pub(crate) fn unique(ids: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

fn with(first: &str, rest: &[String]) -> Vec<String> {
    std::iter::once(first.to_owned())
        .chain(rest.iter().cloned())
        .collect()
}

fn unknown_age() -> Freshness {
    Freshness {
        date_confidence: "unknown".to_owned(),
        published_at: None,
        retrieved_at: None,
        freshness_score: None,
        age: None,
        decision: None,
        revalidate_after: None,
    }
}
