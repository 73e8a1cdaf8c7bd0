//! Fields that hold records together.

/// Names of fields that hold the records together, beside those that end in `_id`, `_ref`, `_refs` and `_at`.
const STRUCTURE: [&str; 24] = [
    "scope",
    "lifecycle",
    "content_mode",
    "redaction_state",
    "redaction_method",
    "redacted_by",
    "field",
    "method",
    "reason",
    "severity",
    "status",
    "overflow_strategy",
    "injection_point",
    "event_class",
    "selector_type",
    "trust_level",
    "visibility",
    "schema_version",
    "tokenizer",
    "token_counts",
    "date_confidence",
    "digest",
    "hash",
    "sha256",
];

/// Whether a field of this name cannot be marked.
pub fn is_structure(name: &str) -> bool {
    STRUCTURE.contains(&name)
        || ["_id", "_ref", "_refs", "_at"]
            .iter()
            .any(|end| name.ends_with(end))
}
