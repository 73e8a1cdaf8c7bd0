//! The implemented FreshContext Specification: its version, and the sentences that the validator quotes
//! verbatim.

/// The specification's name.
pub const NAME: &str = "FreshContext Specification";

/// The implemented and validated version. Stated nowhere else.
pub const VERSION: &str = "1.2";

/// The specification as data: version, levels, and the sentences that the validator quotes.
pub fn described() -> serde_json::Value {
    use crate::level::Level;
    let level = |level: Level, says: &str| serde_json::json!({"level": level.as_str(), "stars": level.stars(), "says": says});
    serde_json::json!({
        "name": NAME,
        "version": VERSION,
        "levels": [
            level(Level::Aware, says::AWARE),
            level(Level::Compatible, says::ENVELOPE),
            level(Level::Scored, says::SCORED),
        ],
        "sentences": says::ALL,
        "schema": "/v1/schema",
    })
}

/// Sentences of the specification, verbatim.
pub mod says {
    /// Lowest level.
    pub const AWARE: &str = "Partial implementations that include only `retrieved_at` without \
        `freshness_confidence` are considered **FreshContext-aware** but not fully compatible.";
    /// Compatible text.
    pub const ENVELOPE: &str =
        "Every FreshContext-compatible response MUST wrap its content in the following envelope:";
    /// Compatible JSON.
    pub const JSON_FORM: &str = "Its responses include the structured JSON form with `freshcontext.retrieved_at` \
        and `freshcontext.freshness_confidence` fields";
    /// Highest level.
    pub const SCORED: &str = "Full compatible + numeric `freshness_score` with domain-specific decay";
    /// Highest level, in the words of the specification's site.
    pub const FULL_FORM: &str = "Full JSON form + numeric freshness_score on every result.";
    /// Schema of the JSON form.
    pub const SCHEMA: &str = "This form can be validated against the JSON Schema.";
    /// Header `Source`.
    pub const SOURCE: &str = "| `Source` | Yes | Valid URL | The canonical URL of the original source |";
    /// Header `Published`.
    pub const PUBLISHED: &str = "| `Published` | Yes | ISO 8601 date or `\"unknown\"` | Best estimate of when the \
        content was originally published |";
    /// Header `Retrieved`.
    pub const RETRIEVED: &str = "| `Retrieved` | Yes | ISO 8601 datetime with timezone | Exact timestamp when this \
        data was fetched |";
    /// Header `Confidence`.
    pub const CONFIDENCE: &str = "| `Confidence` | Yes | `high`, `medium`, or `low` | Confidence level of the `Published` date estimate |";
    /// Dates in the future.
    pub const FORWARD: &str = "Never fabricate or forward-date content timestamps";
    /// Timestamps in the future.
    pub const FUTURE: &str =
        "Future timestamps beyond a small clock-skew tolerance MUST NOT be treated as current.";
    /// Invalid dates.
    pub const INVALID: &str = "Invalid timestamps MUST NOT be treated as current.";
    /// A score without a date.
    pub const MISSING: &str = "Missing timestamps MUST NOT be treated as current.";
    /// Confidence of an unknown date.
    pub const UNKNOWN: &str = "If no reliable timestamp exists, implementations SHOULD set `freshness_score` to `null` \
        and `freshness_confidence` to `low`.";
    /// Range of the score.
    pub const RANGE: &str = "A numeric representation of data freshness from 0-100.";
    /// Formula of the score.
    pub const DECAY: &str = "R_t = R_0 · e^(-λt)";
    /// Producer of the data.
    pub const ADAPTER: &str =
        "Clearly identify which source system produced the data via the `adapter` field";
    /// Failures formatted as results.
    pub const FAILURE: &str = "Adapters MUST NOT wrap failed, empty, blocked, timeout, rate-limited, access-denied, \
        or malformed output as high-confidence fresh context.";
    /// Retrieval time of a composite.
    pub const GENERATED: &str =
        "Include a composite `retrieved_at` timestamp representing the time the composite call was initiated";
    /// Parts of a composite.
    pub const SECTIONS: &str = "Each upstream result MUST retain its own FreshContext envelope";
    /// Failed parts of a composite.
    pub const SURFACE: &str = "Surface retrieval failures explicitly";

    /// All sentences.
    pub const ALL: [&str; 23] = [
        AWARE, ENVELOPE, JSON_FORM, SCORED, FULL_FORM, SCHEMA, SOURCE, PUBLISHED, RETRIEVED, CONFIDENCE,
        FORWARD, FUTURE, INVALID, MISSING, UNKNOWN, RANGE, DECAY, ADAPTER, FAILURE, GENERATED, SECTIONS,
        SURFACE, LOGGED,
    ];
    /// Handling of retrieval errors.
    pub const LOGGED: &str = "Log retrieval errors without silently returning cached or stale data";
}

#[cfg(test)]
mod tests {
    use freshcontext_testkit::bodies::shared_text;

    use super::*;

    #[freshcontext_recorded::test]
    fn the_sentences_stand_in_the_specification_and_so_does_the_version() {
        let repository = shared_text("seeds/freshcontext-spec-v1.2-repo.md");
        let site = shared_text("seeds/freshcontext-spec-v1.2-site.txt");
        for sentence in says::ALL {
            assert!(
                repository.contains(sentence) || site.contains(sentence),
                "not in the specification: {sentence}"
            );
        }
        assert!(repository.contains(&format!("This document is version {VERSION} of the {NAME}.")));
        assert!(site.starts_with(&format!("Version {VERSION} ")));
    }
}
