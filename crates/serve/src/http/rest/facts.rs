//! Operations without the network: facts about the server, and checks of what the caller sends.

use axum::body::Bytes;
use axum::response::Response;
use freshcontext_detect::inspect;
use freshcontext_engine::{Engine, about, live};
use freshcontext_mcp::{NAME, VERSION};
use freshcontext_spec::ha_pri::Verification;
use freshcontext_spec::signed::KeyDocument;
use freshcontext_spec::stamp::{Stamp, StampError, covers};
use freshcontext_spec::validate::validate;
use freshcontext_spec::{schema, specification};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as value};

use super::operation::Target;
use super::{Shared, json, parsed};
use crate::http::problem::Problem;

/// Answers a GET.
pub(super) fn read(shared: &Shared, target: Target) -> Response {
    let engine = &shared.rest.engine;
    let body = match target {
        Target::Tools => value!({"tools": shared.rest.tools.listed_with_examples()}),
        Target::Health => health(shared.filter.is_ready()),
        Target::Spec => specification::described(),
        Target::Schema => schema::json_schema(),
        Target::Decay => about::decay(engine.decay()),
        Target::Sources => live::described(engine),
        Target::Keys => key_document(engine),
        Target::OpenApi => return json(shared.rest.openapi()),
        Target::Tool(_) | Target::Stamp | Target::Verify | Target::Validate | Target::Inspect => Value::Null,
    };
    json(body.to_string())
}

fn key_document(engine: &Engine) -> Value {
    let keys = engine.keys().map(|keys| keys.document().json());
    keys.unwrap_or_else(|| KeyDocument::default().json())
}

/// State and version of the server.
#[derive(Serialize, JsonSchema)]
pub(super) struct Health {
    /// `ready`, or `draining` where the server takes no new work.
    status: &'static str,
    /// Name of the server.
    name: &'static str,
    /// Version of the server.
    version: &'static str,
    /// Version of the implemented specification.
    specification: &'static str,
}

fn health(is_ready: bool) -> Value {
    let health = Health {
        status: if is_ready { "ready" } else { "draining" },
        name: NAME,
        version: VERSION,
        specification: specification::VERSION,
    };
    serde_json::to_value(health).unwrap_or_default()
}

/// Result of the check of a signature.
#[derive(Serialize, JsonSchema)]
pub(super) struct Verified {
    /// `valid`, `invalid` or `unknown`.
    verification: &'static str,
    /// What that means.
    detail: &'static str,
    /// What the signature covers, if it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    covers: Option<&'static str>,
}

/// Text or JSON of a response to validate.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Validated {
    /// The response: its text, or the JSON itself.
    response: Value,
}

/// A text to inspect.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Inspected {
    /// The text.
    text: String,
}

/// Answers a POST that calls no tool.
pub(super) fn worked(shared: &Shared, target: Target, body: &Bytes) -> Result<Response, Problem> {
    let body = match target {
        Target::Stamp => {
            let stamp = Stamp::from_json(body).and_then(|facts| facts.stamped(None, VERSION));
            serde_json::to_value(stamp.map_err(problem)?)
        }
        Target::Verify => {
            let (verification, detail) = Stamp::from_json(body)
                .and_then(|stamp| stamp.verified(None))
                .map_err(problem)?;
            serde_json::to_value(Verified {
                verification: verification.as_str(),
                detail,
                covers: (verification == Verification::Valid).then_some(covers(false)),
            })
        }
        Target::Validate => {
            let given: Validated = parsed(body, r#"{"response": {"freshcontext": {}}}"#)?;
            let text = match given.response {
                Value::String(text) => text,
                other => other.to_string(),
            };
            serde_json::to_value(validate(&text, Some(shared.rest.engine.clock().now())))
        }
        Target::Inspect => {
            let given: Inspected = parsed(body, r#"{"text": "Just a moment..."}"#)?;
            serde_json::to_value(inspect(&given.text))
        }
        _ => Ok(Value::Null),
    };
    Ok(json(body.unwrap_or_default().to_string()))
}

fn problem(error: StampError) -> Problem {
    let keyed = "a caller's key is not sent to a server: use `freshcontext stamp` and `freshcontext verify` with --key-file";
    Problem::invalid(error.what).hint(error.hint.unwrap_or(keyed))
}
