//! A stored change as receivers and readers get it.

use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_store::ChangeRow;
use serde_json::Value;

/// Returns the document that is posted and read: the change with its number.
pub(crate) fn document(row: &ChangeRow) -> Result<Value, SourceError> {
    let mut body: Value = serde_json::from_str(&row.body).map_err(|error| {
        SourceError::new(ErrorCode::Internal, "a stored change cannot be read").caused_by(error)
    })?;
    if let Some(data) = body.get_mut("data").and_then(Value::as_object_mut) {
        data.insert("sequence".to_owned(), row.number.into());
    }
    Ok(body)
}
