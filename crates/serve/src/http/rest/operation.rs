//! The operations with a fixed path. Each tool has one more, at `/v1/tools/` and its name.

use freshcontext_core::evaluate;
use http::Method;

/// Name of the tool of `/v1/references`.
const CHECK_REFERENCES: &str = "check_references";

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Tool(&'static str),
    Stamp,
    Verify,
    Validate,
    Inspect,
    Tools,
    Health,
    Spec,
    Schema,
    Decay,
    Sources,
    Keys,
    OpenApi,
}

/// One operation.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// Name in generated clients.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) target: Target,
}

const fn post(path: &'static str, id: &'static str, target: Target, summary: &'static str) -> Operation {
    Operation {
        method: Method::POST,
        path,
        id,
        summary,
        target,
    }
}

const fn get(path: &'static str, id: &'static str, target: Target, summary: &'static str) -> Operation {
    Operation {
        method: Method::GET,
        path,
        id,
        summary,
        target,
    }
}

/// All operations with a fixed path.
pub(super) static OPERATIONS: [Operation; 15] = [
    post(
        "/v1/evaluate",
        "evaluate",
        Target::Tool(evaluate::TOOL),
        "Evaluates documents that the caller has",
    ),
    post(
        "/v1/recheck",
        "recheck_answer",
        Target::Tool(freshcontext_engine::RECHECK),
        "Says whether an earlier answer still holds",
    ),
    post(
        "/v1/references",
        "references",
        Target::Tool(CHECK_REFERENCES),
        "Says of each reference whether it still stands",
    ),
    post(
        "/v1/stamp",
        "stamp",
        Target::Stamp,
        "Stamps facts with a hash (Ha-Pri, version 2)",
    ),
    post(
        "/v1/verify",
        "verify",
        Target::Verify,
        "Checks the hash of stamped facts",
    ),
    post(
        "/v1/validate",
        "validate",
        Target::Validate,
        "Validates a FreshContext response: level, and what it lacks",
    ),
    post(
        "/v1/inspect",
        "inspect",
        Target::Inspect,
        "Says whether a text is content or a failed retrieval",
    ),
    get(
        "/v1/tools",
        "list_tools",
        Target::Tools,
        "The tools, as MCP lists them, each with an example",
    ),
    get(
        "/v1/health",
        "health",
        Target::Health,
        "Whether the server takes new work, and its version",
    ),
    get(
        "/v1/spec",
        "spec",
        Target::Spec,
        "The implemented specification: version, levels, sentences",
    ),
    get(
        "/v1/schema",
        "schema",
        Target::Schema,
        "The JSON Schema of an answer",
    ),
    get(
        "/v1/decay",
        "decay",
        Target::Decay,
        "Decay classes and the rates in force",
    ),
    get(
        "/v1/sources",
        "sources",
        Target::Sources,
        "The sources: routes, keys, limits, terms, and the live state of each",
    ),
    get(
        "/v1/keys",
        "keys",
        Target::Keys,
        "Public keys of signatures (JWK Set), and what a signature says",
    ),
    get("/openapi.json", "openapi", Target::OpenApi, "This description"),
];

/// The operation at a path.
pub(super) fn find(method: &Method, path: &str) -> Option<&'static Operation> {
    OPERATIONS
        .iter()
        .find(|operation| operation.method == method && operation.path == path)
}
