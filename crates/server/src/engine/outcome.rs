//! What comes of a call.

use freshcontext_contract::{ErrorCode, SourceError};
use serde_json::{Map, Value};

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// The text for the model.
    pub text: String,
    /// The same as data.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Facts about the call that are not part of the answer (`cached_age_s`, `attempts`).
    pub meta: Option<Map<String, Value>>,
}

/// What a caller reads when our own code failed. The log has the place.
pub(super) fn defect() -> SourceError {
    SourceError::new(
        ErrorCode::Internal,
        "a defect in this server ended this call; other calls go on",
    )
}
