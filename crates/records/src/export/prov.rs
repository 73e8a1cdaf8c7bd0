//! PROV-JSON: who made what from what.

use serde_json::{Map, Value, json};

use crate::bundle::Bundle;

/// The prefix of all names of ours.
const PREFIX: &str = "fc";
const NAMESPACE: &str = "urn:freshcontext:";

/// A document that grows.
#[derive(Default)]
struct Document {
    parts: Map<String, Value>,
    relations: usize,
}

impl Document {
    fn put(&mut self, part: &str, id: &str, value: Value) {
        let part = self
            .parts
            .entry(part)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(part) = part {
            part.insert(id.to_owned(), value);
        }
    }

    fn relate(&mut self, relation: &str, value: Value) {
        self.relations += 1;
        let id = format!("_:r{}", self.relations);
        self.put(relation, &id, value);
    }
}

fn name(id: &str) -> String {
    format!("{PREFIX}:{id}")
}

/// A type of ours.
fn typed(kind: &str) -> Value {
    json!({"$": name(kind), "type": "prov:QUALIFIED_NAME"})
}

/// The moment as PROV has it.
fn moment(at: &str) -> Value {
    json!({"$": at, "type": "xsd:dateTime"})
}

/// Items, sources, assemblies and summaries are entities; selecting, putting together, delivering and summarising are
/// activities; the producer, the client and whom the caller names are agents.
pub(super) fn document(bundle: &Bundle) -> Value {
    let mut out = Document::default();
    let envelope = &bundle.context_envelope;
    let service = name("agent-freshcontext");
    out.put(
        "agent",
        &service,
        json!({"prov:type": {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"},
            "prov:label": format!("{} {}", envelope.producer.id, envelope.producer.version)}),
    );
    for (at, actor) in envelope.actor_refs.iter().enumerate().skip(1) {
        let id = name(&format!("agent-{at}"));
        out.put(
            "agent",
            &id,
            json!({"prov:label": actor.id, "fc:role": actor.role}),
        );
    }
    let context = name(&envelope.context_id);
    out.put(
        "entity",
        &context,
        json!({"prov:type": typed("context_envelope"), "prov:generatedAtTime": moment(&envelope.created_at)}),
    );
    out.relate(
        "wasAttributedTo",
        json!({"prov:entity": context, "prov:agent": service}),
    );
    for source in &bundle.context_source_ref {
        let mut value = json!({"prov:type": typed("context_source_ref"), "prov:location": source.uri,
            "fc:source_kind": source.source_kind});
        for (field, text) in [
            ("fc:digest", &source.digest),
            ("fc:retrieved_at", &source.retrieved_at),
        ] {
            if let (Some(text), Some(fields)) = (text, value.as_object_mut()) {
                fields.insert(field.to_owned(), text.as_str().into());
            }
        }
        out.put("entity", &name(&source.source_id), value);
    }
    for item in &bundle.context_item {
        let id = name(&item.item_id);
        out.put(
            "entity",
            &id,
            json!({"prov:type": typed("context_item"), "prov:label": item.title,
                "fc:lifecycle": item.lifecycle.as_str(), "fc:date_confidence": item.freshness.date_confidence}),
        );
        for source in &item.source_refs {
            out.relate(
                "wasDerivedFrom",
                json!({"prov:generatedEntity": id, "prov:usedEntity": name(source)}),
            );
        }
    }
    made(bundle, &mut out, &service);
    let mut whole = Map::new();
    whole.insert(
        "prefix".to_owned(),
        json!({PREFIX: NAMESPACE, "xsd": "http://www.w3.org/2001/XMLSchema#", "prov": "http://www.w3.org/ns/prov#"}),
    );
    whole.extend(out.parts);
    Value::Object(whole)
}

/// What was done, from what, and what came of it.
fn made(bundle: &Bundle, out: &mut Document, service: &str) {
    let act = |out: &mut Document, id: &str, kind: &str, at: &str, used: &[String], by: Option<&str>| {
        let activity = name(id);
        out.put(
            "activity",
            &activity,
            json!({"prov:type": typed(kind), "prov:startTime": at, "prov:endTime": at}),
        );
        out.relate(
            "wasAssociatedWith",
            json!({"prov:activity": activity, "prov:agent": service}),
        );
        for entity in used {
            out.relate(
                "used",
                json!({"prov:activity": activity, "prov:entity": name(entity)}),
            );
        }
        if let Some(entity) = by {
            out.relate(
                "wasGeneratedBy",
                json!({"prov:entity": name(entity), "prov:activity": activity}),
            );
        }
    };
    for selection in &bundle.context_selection {
        let (id, at) = (&selection.selection_id, &selection.created_at);
        act(
            out,
            id,
            "context_selection",
            at,
            &selection.candidate_item_refs,
            None,
        );
    }
    for summary in &bundle.context_summary {
        out.put(
            "entity",
            &name(&summary.summary_id),
            json!({"prov:type": typed("context_summary"), "fc:method": summary.method.as_str(),
                "fc:loss_notes": summary.loss_notes}),
        );
        for item in &summary.source_item_refs {
            out.relate(
                "wasDerivedFrom",
                json!({"prov:generatedEntity": name(&summary.summary_id), "prov:usedEntity": name(item)}),
            );
        }
    }
    for compaction in &bundle.context_compaction {
        let (id, at) = (&compaction.compaction_id, &compaction.created_at);
        let summary = Some(compaction.summary_ref.as_str());
        act(
            out,
            id,
            "context_compaction",
            at,
            &compaction.source_item_refs,
            summary,
        );
    }
    for assembly in &bundle.context_assembly {
        let id = &assembly.assembly_id;
        out.put(
            "entity",
            &name(id),
            json!({"prov:type": typed("context_assembly"), "fc:target": assembly.target}),
        );
        for item in &assembly.source_item_refs {
            out.relate(
                "wasDerivedFrom",
                json!({"prov:generatedEntity": name(id), "prov:usedEntity": name(item)}),
            );
        }
        out.relate(
            "wasAttributedTo",
            json!({"prov:entity": name(id), "prov:agent": service}),
        );
    }
    for injection in &bundle.context_injection {
        let used = [injection.assembly_id.clone()];
        act(
            out,
            &injection.injection_id,
            "context_injection",
            &injection.created_at,
            &used,
            None,
        );
    }
}
