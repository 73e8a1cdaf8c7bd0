//! The snapshot that holds the rest together.

use serde_json::Value;

use super::mappings::Mappings;
use super::record::{Facts, is_empty, record};
use crate::values::{RedactionState, Scope, State};

record! {
    /// A snapshot of one call, with references to the rest of its bundle.
    Envelope
    needs {
        /// Version of Agent Context that the records follow.
        schema_version: String,
        /// Id of this snapshot.
        context_id: String,
        /// Whose context it is.
        scope: Scope,
        /// Where the snapshot stands.
        lifecycle: State,
        /// When it was made, ISO 8601 in UTC.
        created_at: String,
        /// What made it.
        producer: Producer,
    }
    may {
        /// The budget.
        budget_ref: String,
        /// Trace and span that the request named.
        telemetry_refs: Telemetry,
        /// Ids of other protocols (ours on the envelope; the specification has them on source refs).
        external_mappings: Mappings,
    }
    lists {
        /// Who took part.
        actor_refs: Vec<Actor>,
        /// Sessions, threads, tasks, as the caller names them.
        runtime_refs: Vec<Value>,
        /// Surfaces.
        surface_refs: Vec<String>,
        /// Items that were selected or injected.
        item_refs: Vec<String>,
        /// Selections.
        selection_refs: Vec<String>,
        /// Assemblies.
        assembly_refs: Vec<String>,
        /// Injections.
        injection_refs: Vec<String>,
        /// Compactions.
        compaction_refs: Vec<String>,
        /// Gaps.
        missing_context_refs: Vec<String>,
        /// Decisions of policies, as the caller names them.
        policy_refs: Vec<Value>,
        /// Evidence, as the caller names it.
        evidence_refs: Vec<Value>,
        /// What was masked or removed, field by field (ours).
        redactions: Vec<Redaction>,
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// What made the records.
    Producer
    needs {
        /// Its name.
        id: String,
        /// Its version.
        version: String,
    }
}

record! {
    /// Somebody who took part.
    Actor
    needs {
        /// Who, by a name or id.
        id: String,
        /// `agent`, `service`, `user`, `model`, `peer` or the caller's own word.
        role: String,
    }
    may {
        /// Its version.
        version: String,
    }
}

record! {
    /// What ties the records to traces: W3C Trace Context, as it came with the request.
    Telemetry
    may {
        /// Trace, 32 hexadecimal digits.
        trace_id: String,
        /// Span, 16 hexadecimal digits.
        span_id: String,
        /// `traceparent` as it came.
        traceparent: String,
        /// `tracestate` as it came.
        tracestate: String,
    }
    lists {
        /// What the caller names besides.
        refs: Vec<Value>,
    }
}

record! {
    /// One field of one record in which something was masked or removed.
    Redaction
    needs {
        /// Id of the record.
        record_ref: String,
        /// The field, as a JSON Pointer in the record.
        field: String,
        /// What was done.
        redaction_state: RedactionState,
        /// What for: `pattern:NAME` for what a pattern found, `marked` for what the caller marked, `sensitivity`.
        redaction_method: String,
        /// Who did it.
        redacted_by: String,
    }
}
