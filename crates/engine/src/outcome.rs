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

impl ToolOutcome {
    /// The code of a composite that failed as a whole; `None` where there is an answer.
    pub fn failure_code(&self) -> Option<ErrorCode> {
        let said = self
            .structured
            .as_ref()
            .and_then(|structured| structured.get("code")?.as_str());
        let known = ErrorCode::ALL
            .into_iter()
            .find(|code| Some(code.as_str()) == said);
        self.is_error.then(|| known.unwrap_or(ErrorCode::Internal))
    }
}

/// What a caller reads when our own code failed. The log has the place.
pub fn defect() -> SourceError {
    SourceError::new(
        ErrorCode::Internal,
        "a defect in this server ended this call; other calls go on",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_code_is_not_passed_on() {
        let outcome = |is_error, code: &str| ToolOutcome {
            text: String::new(),
            structured: Some(json!({"code": code})),
            is_error,
            meta: None,
        };
        assert_eq!(outcome(true, "timeout").failure_code(), Some(ErrorCode::Timeout));
        assert_eq!(outcome(true, "made_up").failure_code(), Some(ErrorCode::Internal));
        assert_eq!(outcome(false, "timeout").failure_code(), None);
    }
}
