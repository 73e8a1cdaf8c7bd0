//! What a caller asks for and says about its context.

use freshcontext_contract::SourceError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{CONTEXT_BYTES, MARKED_FIELDS};
use crate::objects::{Actor, Mappings};
use crate::values::Scope;
use freshcontext_redact as redact;

/// Where a request asks for records, in its `_meta`.
pub const RECORDS_KEY: &str = "freshcontext/records";
/// Where a request says what its context is, in its `_meta`.
pub const CONTEXT_KEY: &str = "freshcontext/context";

/// What the caller says about its context. It is recorded as it is said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Context {
    /// Whose context it is; a call's unless said.
    pub scope: Option<Scope>,
    /// Who takes part.
    pub actor_refs: Vec<Actor>,
    /// Sessions, threads, tasks.
    pub runtime_refs: Vec<Value>,
    /// Decisions of policies.
    pub policy_refs: Vec<Value>,
    /// Evidence.
    pub evidence_refs: Vec<Value>,
    /// Traces, logs, metrics.
    pub telemetry_refs: Vec<Value>,
    /// Ids of other protocols.
    pub external_mappings: Option<Mappings>,
    /// Names of fields whose text is to be removed from the records.
    pub redact: Vec<String>,
}

/// What a caller that asks for records says about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordOptions {
    /// What the caller says about its context.
    pub context: Context,
}

/// Options that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidRecordOptions {
    /// `records` or `context`.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
    /// A right value.
    pub example: &'static str,
}

const CONTEXT_EXAMPLE: &str = r#"{"scope": "handoff", "actor_refs": [{"id": "planner", "role": "agent"}]}"#;

impl RecordOptions {
    /// Reads the arguments `records` and `context` of a call.
    ///
    /// # Errors
    /// [`InvalidInput`](freshcontext_contract::ErrorCode::InvalidInput), which names the argument at fault.
    pub fn of_arguments(
        records: Option<&Value>,
        context: Option<&Value>,
    ) -> Result<Option<Self>, SourceError> {
        Self::read(records, context).map_err(|wrong| {
            let example = format_args!("{{\"{}\": {}}}", wrong.field, wrong.example);
            SourceError::invalid_input(wrong.field, wrong.problem, example)
        })
    }

    /// Reads `records` and `context`. `None` where no records are wanted; `context` alone asks for none.
    pub fn read(
        records: Option<&Value>,
        context: Option<&Value>,
    ) -> Result<Option<Self>, InvalidRecordOptions> {
        let wanted = match records {
            None | Some(Value::Null) => false,
            Some(Value::String(level)) if level == "none" => false,
            Some(Value::String(level)) if level == "full" => true,
            Some(_) => {
                return Err(InvalidRecordOptions {
                    field: "records",
                    problem: "must be none or full".to_owned(),
                    example: r#""full""#,
                });
            }
        };
        let wrong = |problem: String| InvalidRecordOptions {
            field: "context",
            problem,
            example: CONTEXT_EXAMPLE,
        };
        let context: Context = match context {
            None | Some(Value::Null) => Context::default(),
            // Some hosts send an object as its text.
            Some(Value::String(text))
                if text.len() <= CONTEXT_BYTES && text.trim_start().starts_with('{') =>
            {
                serde_json::from_str(text).map_err(|error| wrong(told(&error)))?
            }
            // serde would read a list for an object, too.
            Some(value) if !value.is_object() => return Err(wrong("must be an object".to_owned())),
            Some(value) => {
                if value.to_string().len() > CONTEXT_BYTES {
                    return Err(wrong(format!("is larger than {CONTEXT_BYTES} bytes")));
                }
                Context::deserialize(value).map_err(|error| wrong(told(&error)))?
            }
        };
        if context.redact.len() > MARKED_FIELDS {
            return Err(wrong(format!("marks more than {MARKED_FIELDS} fields")));
        }
        if let Some(name) = context.redact.iter().find(|name| redact::is_structure(name)) {
            let shown: String = name.chars().filter(char::is_ascii_graphic).take(40).collect();
            return Err(wrong(format!(
                "marks {shown}, which holds the records together and cannot be removed"
            )));
        }
        Ok(wanted.then_some(Self { context }))
    }
}

/// What serde says, in one line that fits an error.
fn told(error: &serde_json::Error) -> String {
    let told: String = error
        .to_string()
        .chars()
        .filter(|c| !c.is_control())
        .take(200)
        .collect();
    format!("cannot be read: {told}")
}

/// What this server sees of the request by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Native {
    /// Id of the JSON-RPC request.
    pub request_id: Option<Value>,
    /// Name and version of the client.
    pub client: Option<(String, String)>,
    /// `traceparent` of the request's `_meta` (W3C Trace Context).
    pub traceparent: Option<String>,
    /// `tracestate` of the request's `_meta`.
    pub tracestate: Option<String>,
    /// The gap that the request is to fill.
    pub missing_id: Option<String>,
}

impl Native {
    /// Trace and span, where `traceparent` has the form of W3C Trace Context: `00-TRACE-SPAN-FLAGS`.
    pub fn trace(&self) -> Option<(&str, &str)> {
        let mut parts = self.traceparent.as_deref()?.split('-');
        let (_version, trace, span, _flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let hex = |text: &str, digits: usize| {
            text.len() == digits
                && text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
                && text.bytes().any(|b| b != b'0')
        };
        (hex(trace, 32) && hex(span, 16)).then_some((trace, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn options_are_full_none_or_refused_by_name() {
        let read = |records: Value, context: Value| RecordOptions::read(Some(&records), Some(&context));
        assert_eq!(RecordOptions::read(None, None), Ok(None));
        assert_eq!(read(json!("none"), json!({})), Ok(None));
        let options = read(json!("full"), json!({"scope": "handoff"})).unwrap().unwrap();
        assert_eq!(options.context.scope, Some(Scope::Handoff));
        assert!(read(json!("full"), json!(r#"{"scope": "review"}"#)).is_ok());
        assert_eq!(read(json!("all"), json!({})).unwrap_err().field, "records");
        for wrong in [
            json!({"scop": "turn"}),
            json!([]),
            json!({"scope": "galaxy"}),
            json!({"redact": ["lifecycle"]}),
            json!({"runtime_refs": ["x".repeat(CONTEXT_BYTES)]}),
        ] {
            assert_eq!(read(json!("full"), wrong).unwrap_err().field, "context");
        }
    }

    #[test]
    fn only_a_whole_traceparent_is_a_trace() {
        let of = |text: &str| Native {
            traceparent: Some(text.to_owned()),
            ..Native::default()
        };
        let right = format!("00-{}-{}-01", "a".repeat(32), "b".repeat(16));
        assert_eq!(
            of(&right).trace(),
            Some(("a".repeat(32).as_str(), "b".repeat(16).as_str()))
        );
        for wrong in ["", "00-a-b-01", &right.to_uppercase(), &right.replace('a', "0")] {
            assert_eq!(of(wrong).trace(), None, "{wrong}");
        }
    }
}
