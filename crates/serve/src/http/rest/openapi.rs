//! The description of the interface (OpenAPI 3.1), assembled from the registry of tools and the types of the other bodies.

use std::collections::BTreeSet;
use std::sync::Arc;

use freshcontext_contract::ErrorCode;
use freshcontext_detect::Inspection;
use freshcontext_engine::Tool;
use freshcontext_mcp::{DESCRIPTION, VERSION};
use freshcontext_spec::stamp::Stamp;
use freshcontext_spec::validate::Report;
use http::{Method, StatusCode};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::TOOLS_PATH;
use super::facts::{Health, Inspected, Validated, Verified};
use super::operation::{OPERATIONS, Operation, Target};
use crate::http::problem::{ProblemDetails, TOO_MUCH_ASKED, status_of};

/// Statuses with which the door refuses a request, besides those of failed calls.
const DOOR: [StatusCode; 11] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::SERVICE_UNAVAILABLE,
];

/// Builds the description for these tools.
pub fn openapi(tools: &[Tool]) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut described = Described {
        types: settings.into_generator(),
        outputs: Vec::new(),
        paths: Map::new(),
    };
    for operation in &OPERATIONS {
        described.operation(operation, tools);
    }
    for tool in tools {
        let path = format!("{TOOLS_PATH}{}", tool.name);
        described.tool(&path, &tool.name, &tool.title, "tools", tool);
    }
    described.whole()
}

struct Described {
    types: SchemaGenerator,
    /// Schemas of results, each once: many tools share one.
    outputs: Vec<(Arc<Value>, String)>,
    paths: Map<String, Value>,
}

impl Described {
    fn operation(&mut self, operation: &Operation, tools: &[Tool]) {
        if let Target::Tool(name) = operation.target {
            // A tool that is off has no description: its address answers with 404.
            if let Some(tool) = tools.iter().find(|tool| tool.name == name) {
                self.tool(operation.path, operation.id, operation.summary, "checks", tool);
            }
            return;
        }
        let types = &mut self.types;
        let object = json!({"type": "object"});
        let list = |name: &str| json!({"type": "object", "properties": {name: {"type": "array", "items": object}}, "required": [name]});
        let (input, output) = match operation.target {
            Target::Stamp => (
                Some(types.subschema_for::<Stamp>()),
                json!(types.subschema_for::<Stamp>()),
            ),
            Target::Verify => (
                Some(types.subschema_for::<Stamp>()),
                json!(types.subschema_for::<Verified>()),
            ),
            Target::Validate => (
                Some(types.subschema_for::<Validated>()),
                json!(types.subschema_for::<Report>()),
            ),
            Target::Inspect => (
                Some(types.subschema_for::<Inspected>()),
                json!(types.subschema_for::<Inspection>()),
            ),
            Target::Health => (None, json!(types.subschema_for::<Health>())),
            Target::Tools => (None, list("tools")),
            Target::Sources => (None, list("sources")),
            Target::Keys => (None, list("keys")),
            Target::Spec | Target::Schema | Target::Decay | Target::OpenApi | Target::Tool(_) => {
                (None, object.clone())
            }
        };
        let tag = if operation.method == Method::POST {
            "checks"
        } else {
            "facts"
        };
        let mut described = json!({
            "operationId": operation.id,
            "summary": operation.summary,
            "tags": [tag],
        });
        if let (Some(input), Some(fields)) = (input, described.as_object_mut()) {
            fields.insert("requestBody".to_owned(), body(&json!(input), None));
        }
        let content = json!({"application/json": {"schema": output}});
        self.put(operation.path, &operation.method, described, &content);
    }

    fn tool(&mut self, path: &str, id: &str, summary: &str, tag: &str, tool: &Tool) {
        let output = self.output(tool);
        let example = serde_json::from_str(&tool.example).ok();
        let described = json!({
            "operationId": id,
            "summary": summary,
            "description": tool.description,
            "tags": [tag],
            "requestBody": body(&tool.input_schema, example),
        });
        let text = json!({"schema": {"type": "string"}});
        let content = json!({
            "application/json": {"schema": {"$ref": format!("#/components/schemas/{output}")}},
            "text/plain": text,
            "text/markdown": text,
        });
        self.put(path, &Method::POST, described, &content);
    }

    /// Name of the schema of a tool's result.
    fn output(&mut self, tool: &Tool) -> String {
        let known = self
            .outputs
            .iter()
            .find(|(schema, _)| **schema == *tool.output_schema);
        if let Some((_, name)) = known {
            return name.clone();
        }
        let name = format!("{}_result", tool.name);
        self.outputs.push((Arc::clone(&tool.output_schema), name.clone()));
        name
    }

    fn put(&mut self, path: &str, method: &Method, mut operation: Value, content: &Value) {
        let mut responses = Map::new();
        responses.insert(
            "200".to_owned(),
            json!({"description": "The result", "content": content}),
        );
        let calls = ErrorCode::ALL.map(status_of);
        let refusals = DOOR.iter().chain(&calls).chain([&TOO_MUCH_ASKED]);
        let refusals: BTreeSet<u16> = refusals.map(StatusCode::as_u16).collect();
        for status in refusals {
            let problem = json!({"$ref": "#/components/responses/Problem"});
            responses.insert(status.to_string(), problem);
        }
        if let Some(fields) = operation.as_object_mut() {
            fields.insert("responses".to_owned(), Value::Object(responses));
        }
        let item = self.paths.entry(path.to_owned()).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(method.as_str().to_lowercase(), operation);
        }
    }

    fn whole(mut self) -> Value {
        let problem = self.types.subschema_for::<ProblemDetails<'static>>();
        let mut schemas = self.types.take_definitions(true);
        schemas.extend(
            self.outputs
                .into_iter()
                .map(|(schema, name)| (name, (*schema).clone())),
        );
        for schema in schemas.values_mut() {
            without_formats(schema);
        }
        json!({
            "openapi": "3.1.1",
            "info": {
                "title": "FreshContext",
                "version": VERSION,
                "summary": DESCRIPTION,
                "description": "docs/rest.md explains statuses, error codes and media types.",
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": "/"}],
            // A token is needed where the operator set one.
            "security": [{}, {"token": []}],
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "responses": {"Problem": {
                    "description": "The request was refused or the call failed; the text form of a failed call is one line",
                    "headers": {"Retry-After": {"schema": {"type": "integer"}, "description": "Delay before the next attempt, in seconds"}},
                    "content": {
                        "application/problem+json": {"schema": problem},
                        "text/plain": {"schema": {"type": "string"}},
                        "text/markdown": {"schema": {"type": "string"}},
                    },
                }},
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
        })
    }
}

fn body(schema: &Value, example: Option<Value>) -> Value {
    let mut media = json!({"schema": schema});
    if let (Some(example), Some(media)) = (example, media.as_object_mut()) {
        media.insert("example".to_owned(), example);
    }
    json!({"required": true, "content": {"application/json": media}})
}

/// Removes formats of Rust's numbers, which other languages do not know.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let of_number = |format: &Value| {
                let word = format.as_str().unwrap_or_default();
                ["uint", "int", "double", "float"]
                    .iter()
                    .any(|kind| word.starts_with(kind))
            };
            if fields.get("format").is_some_and(of_number) {
                fields.shift_remove("format");
            }
            fields.values_mut().for_each(without_formats);
        }
        Value::Array(values) => values.iter_mut().for_each(without_formats),
        _ => {}
    }
}
