//! Whether a signal can be traced back to where it came from, and passed on.

use serde_json::Value;
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::completeness::{is_one_of, source_completeness};
use super::given::Given;
use super::input::last;
use super::signal::Signal;
use super::text::{is_blank, not_blank, trim};
use super::verdict::{
    DateConfidence, Decision, Handoff, ProvenanceReadiness, ReadinessState, SignalStatus, SourceCompleteness,
    SourceIdentity, TimingCompleteness,
};
use crate::date::iso_millis;
use crate::provenance::sha256_hex;
use crate::sanitize::clean_line;

/// Source types that say nothing.
const WEAK_TYPES: [&str; 4] = ["", "default", "unknown", "custom"];
/// Source types of things that come from something else.
const DERIVED_TYPES: [&str; 10] = [
    "copy",
    "copied",
    "derived",
    "excerpt",
    "local",
    "local_custom",
    "local_file",
    "local_handoff",
    "secondary",
    "summary",
];
/// The first of these metadata fields that holds a text that is not blank, trimmed.
fn metadata_text<'a>(metadata: Option<&'a ObjectAsVec<'a>>, names: &[&str]) -> Option<&'a str> {
    let metadata = metadata?;
    names
        .iter()
        .find_map(|name| last(metadata, name).and_then(Node::as_str).and_then(not_blank))
}

fn is_derived(given: &Given<'_>, source_type: &str) -> bool {
    let flag = |name: &&str| {
        given
            .metadata
            .is_some_and(|map| matches!(last(map, name), Some(Node::Bool(true))))
    };
    is_one_of(source_type, &DERIVED_TYPES)
        || ["is_derived", "derived", "copied", "is_secondary"]
            .iter()
            .any(flag)
        || metadata_text(
            given.metadata,
            &[
                "derived_from",
                "copied_from",
                "original_source",
                "origin_source",
                "source_chain",
            ],
        )
        .is_some()
}

/// All that is known of where a signal came from.
pub(super) fn provenance_readiness(
    signal: &Signal<'_>,
    source_type: String,
    published_at: Option<String>,
) -> ProvenanceReadiness {
    let given = signal.given;
    let failed = signal.status == SignalStatus::Failed;
    let completeness = source_completeness(given.source);
    let weak_type = is_one_of(trim(signal.source_type), &WEAK_TYPES);
    let derived = is_derived(given, signal.source_type);
    let undated = published_at.is_none() || signal.date_confidence == DateConfidence::Unknown;
    let timing_completeness = if failed {
        TimingCompleteness::Unknown
    } else if undated || signal.retrieved_at.is_none() {
        TimingCompleteness::Partial
    } else {
        TimingCompleteness::Complete
    };
    let state = if failed || completeness == SourceCompleteness::Unusable {
        ReadinessState::Unknown
    } else if derived {
        ReadinessState::Derived
    } else if completeness == SourceCompleteness::Missing || signal.content_hash.is_none() {
        ReadinessState::Incomplete
    } else if completeness == SourceCompleteness::Complete && !undated && !weak_type {
        ReadinessState::Complete
    } else {
        ReadinessState::Partial
    };
    let result_id = given
        .id
        .and_then(not_blank)
        .or_else(|| {
            metadata_text(
                given.metadata,
                &["result_id", "resultId", "source_id", "sourceId"],
            )
        })
        .or_else(|| (completeness == SourceCompleteness::Complete).then(|| trim(given.source)));
    let fingerprint = metadata_text(given.metadata, &["semantic_fingerprint", "semanticFingerprint"]);
    let warnings = [
        (failed, "It failed, so it proves nothing."),
        (
            matches!(
                completeness,
                SourceCompleteness::Unusable | SourceCompleteness::Missing
            ),
            "The source names nothing that can be found again.",
        ),
        (
            completeness == SourceCompleteness::Weak,
            "The source is too vague to find again.",
        ),
        (weak_type, "The source_type says nothing."),
        (published_at.is_none(), "No usable date of publication."),
        (
            published_at.is_some() && undated,
            "How reliable the date is, nobody said.",
        ),
        (signal.retrieved_at.is_none(), "No usable date of retrieval."),
        (
            signal.content_hash.is_none(),
            "No content, hence no content hash.",
        ),
        (
            derived,
            "A copy or derivative: keep the way back to the original.",
        ),
    ];
    ProvenanceReadiness {
        state,
        source_identity: SourceIdentity {
            source_type,
            result_id: result_id.map(|id| clean_line(id).into()),
            completeness,
        },
        published_at,
        retrieved_at: signal.retrieved_at.map(iso_millis),
        timing_confidence: signal.date_confidence,
        timing_completeness,
        canonical_content_sha256: signal.content_hash.clone(),
        semantic_fingerprint_sha256: fingerprint.map(sha256_hex),
        warnings: warnings
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, warning)| warning)
            .collect(),
    }
}

/// Whether the signal may be passed on as it is.
pub(super) fn handoff(decision: Decision, state: ReadinessState) -> Handoff {
    if !decision.can_be_handed_off() {
        Handoff {
            safe_for_agent_handoff: false,
            reason: "Not usable.",
        }
    } else if state == ReadinessState::Complete {
        Handoff {
            safe_for_agent_handoff: true,
            reason: "Known origin.",
        }
    } else {
        Handoff {
            safe_for_agent_handoff: false,
            reason: "Origin not fully known.",
        }
    }
}

/// The caller's id, as it came but for what may not leave as text.
pub(super) fn own_id(id: &Node<'_>) -> Value {
    match id {
        Node::Str(text) => Value::from(clean_line(text).into_owned()),
        other => Value::from(other),
    }
}

/// Whether a content is there at all.
pub(super) fn has_content(given: &Given<'_>) -> bool {
    given.content.is_some_and(|content| !is_blank(content))
}
