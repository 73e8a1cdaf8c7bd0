//! `as_of`: whether a moment can be asked for, and whether a source can answer for it.

use chrono::{DateTime, Utc};
use freshcontext_contract::{Descriptor, SourceError, code, read_as_of};
use freshcontext_core::answer::NOT_SUPPORTED;
use serde_json::Value;

/// The name of the argument.
pub const AS_OF: &str = "as_of";

/// Refuses a moment that has not begun yet. Of a day, the beginning counts: today is a moment to ask for.
///
/// # Errors
/// `invalid_input`, where it is no date, or lies ahead.
pub fn not_ahead(given: &Value, now: DateTime<Utc>) -> Result<(), SourceError> {
    if read_as_of(given)?.instant > now {
        let example = format!("{{\"{AS_OF}\": \"{}\"}}", now.format("%Y-%m-%d"));
        return Err(SourceError::invalid_input(
            AS_OF,
            "lies in the future; nothing is known as of then",
            example,
        ));
    }
    Ok(())
}

/// Refuses what [`not_ahead`] refuses, and a source that cannot say what it showed earlier.
///
/// # Errors
/// `invalid_input`, with the detail `not_supported` where the source cannot answer.
pub fn check(descriptor: &Descriptor, given: &Value, now: DateTime<Utc>) -> Result<(), SourceError> {
    not_ahead(given, now)?;
    match unanswerable(descriptor) {
        Some(message) => {
            let mut error = SourceError::new(freshcontext_contract::ErrorCode::InvalidInput, message)
                .detail(NOT_SUPPORTED)
                .hint("leave as_of out for what the source shows now");
            error.field = Some(AS_OF.into());
            Err(error)
        }
        None => Ok(()),
    }
}

/// Why a source cannot answer for an earlier moment; `None` where it can.
pub fn unanswerable(descriptor: &Descriptor) -> Option<String> {
    let reason = descriptor.no_as_of()?;
    Some(format!(
        "{} cannot answer for an earlier moment ({}: {NOT_SUPPORTED}), because {reason}",
        code(descriptor.tool),
        AS_OF
    ))
}
