//! The fixtures of the MCP conformance suite, on the server's own HTTP stack.
//!
//! The suite calls tools, resources and prompts with fixed names and results, which the real server does not
//! have. This program mounts them on the same HTTP stack: `cargo run --example conformance_fixture --
//! 127.0.0.1:8790`, then the suite with `--url http://127.0.0.1:8790/mcp`.

#![expect(
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "fixtures are JSON values, written in the call; indexing one to read it does not panic"
)]

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use freshcontext_config::HttpSettings;
use freshcontext_contract::Limits;
use freshcontext_serve::http;
use hmac::{Hmac, KeyInit, Mac};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CompleteRequestParams, CompleteResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::Sha256;

/// A red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A silent sound.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

#[derive(Clone)]
struct Fixture {
    tools: Arc<Vec<Tool>>,
}

type Context = RequestContext<RoleServer>;

/// Values are written as JSON, as in the suite's documentation.
fn of<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Builds a final result; rmcp removes the type for older revisions.
fn complete<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    of(value)
}

fn text(text: &str) -> Result<CallToolResponse, ErrorData> {
    content(json!([{"type": "text", "text": text}]))
}

fn content(content: Value) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResponse::Complete(complete(
        json!({"content": content, "isError": false}),
    )?))
}

fn ask(requests: Value, state: Option<&str>) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResponse::InputRequired(of(wanted(requests, state))?))
}

fn wanted(requests: Value, state: Option<&str>) -> Value {
    let mut wanted = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        wanted["requestState"] = seal(state).into();
    }
    wanted
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": {
        "type": "object", "properties": {field: {"type": kind}}, "required": [field]}}})
}

fn sampling() -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}], "maxTokens": 50}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

/// Appends a tag to a state to detect changes.
fn seal(state: &str) -> String {
    let tag: Vec<String> = mac(state)
        .map(|mac| {
            mac.finalize()
                .into_bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        })
        .unwrap_or_default();
    format!("{state}.{}", tag.concat())
}

fn mac(state: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(b"a key for fixtures only").ok()?;
    mac.update(state.as_bytes());
    Some(mac)
}

/// Returns the state of a request, or an error if it was changed in transit.
fn opened(request: &CallToolRequestParams) -> Result<Option<String>, ErrorData> {
    let Some(given) = &request.request_state else {
        return Ok(None);
    };
    let state = given.rsplit_once('.').map_or("", |(state, _)| state);
    if seal(state) == *given {
        Ok(Some(state.to_owned()))
    } else {
        Err(ErrorData::invalid_params("the request state was changed", None))
    }
}

impl Fixture {
    fn new() -> Self {
        let schema = json!({"type": "object", "properties": {}});
        let names = [
            "test_simple_text",
            "test_image_content",
            "test_audio_content",
            "test_embedded_resource",
            "test_multiple_content_types",
            "test_error_handling",
            "test_tool_with_progress",
            "test_missing_capability",
            "test_streaming_elicitation",
            "test_logging_tool",
            "test_input_required_result_elicitation",
            "test_input_required_result_sampling",
            "test_input_required_result_list_roots",
            "test_input_required_result_request_state",
            "test_input_required_result_multiple_inputs",
            "test_input_required_result_multi_round",
            "test_input_required_result_tampered_state",
            "test_input_required_result_capabilities",
        ];
        let mut tools: Vec<Tool> = names
            .iter()
            .map(|name| json!({"name": name, "description": "A fixture.", "inputSchema": schema}))
            .chain([
                json!({"name": "test_custom_header", "description": "A fixture.", "inputSchema": {
                "type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}}),
            ])
            .filter_map(|tool| serde_json::from_value(tool).ok())
            .collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            tools: Arc::new(tools),
        }
    }

    async fn progress(context: &Context) {
        for done in [0.0, 50.0, 100.0] {
            if let Some(token) = context.meta.get_progress_token() {
                let note = ProgressNotificationParam::new(token, done).with_total(100.0);
                let _ = context.peer.notify_progress(note).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn with_input(request: &CallToolRequestParams, context: &Context) -> Result<CallToolResponse, ErrorData> {
        let given = serde_json::to_value(&request.input_responses).unwrap_or_default();
        let state = opened(request)?;
        let answer = |key: &str, field: &str| given[key]["content"][field].as_str().map(str::to_owned);
        let can = |what: &str| {
            let declared = serde_json::to_value(context.client_capabilities()).unwrap_or_default();
            !declared[what].is_null()
        };
        match request.name.trim_start_matches("test_input_required_result_") {
            "sampling" if !given["capital"].is_null() => text("The model answered."),
            "sampling" => ask(json!({"capital": sampling()}), None),
            "list_roots" if !given["client_roots"].is_null() => text("The roots are known."),
            "list_roots" => ask(json!({"client_roots": roots()}), None),
            "request_state" | "tampered_state" if state.is_some() && !given["confirm"].is_null() => {
                text("state-ok: the state came back unchanged")
            }
            "request_state" | "tampered_state" => ask(
                json!({"confirm": form("Please confirm", "ok", "boolean")}),
                Some("confirm"),
            ),
            "multiple_inputs" => {
                let keys = ["user_name", "greeting", "client_roots"];
                if state.is_some() && keys.iter().all(|key| !given[key].is_null()) {
                    return text("All three are here.");
                }
                let requests = json!({"user_name": form("What is your name?", "name", "string"),
                    "greeting": sampling(), "client_roots": roots()});
                ask(requests, Some("multiple"))
            }
            "multi_round" => match state.as_deref() {
                Some("round-1") if !given["step1"].is_null() => ask(
                    json!({"step2": form("Step 2: What is your favorite color?", "color", "string")}),
                    Some("round-2"),
                ),
                Some("round-2") if !given["step2"].is_null() => text("Both rounds are done."),
                _ => ask(
                    json!({"step1": form("Step 1: What is your name?", "name", "string")}),
                    Some("round-1"),
                ),
            },
            "capabilities" => {
                let mut requests = serde_json::Map::new();
                if can("elicitation") {
                    requests.insert(
                        "user_name".to_owned(),
                        form("What is your name?", "name", "string"),
                    );
                }
                if can("sampling") {
                    requests.insert("greeting".to_owned(), sampling());
                }
                if requests.is_empty() || !given.is_null() {
                    text("done")
                } else {
                    ask(Value::Object(requests), None)
                }
            }
            _ => match answer("user_name", "name") {
                Some(name) => text(&format!("Hello, {name}!")),
                None => ask(
                    json!({"user_name": form("What is your name?", "name", "string")}),
                    None,
                ),
            },
        }
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let info = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "completions": {}},
            "serverInfo": {"name": "conformance-fixture", "version": "0"},
        });
        serde_json::from_value(info)
            .unwrap_or_else(|_| ServerConfig::new(rmcp::model::ServerCapabilities::default()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
        match request.name.as_ref() {
            "test_simple_text" => text("This is a simple text response for testing."),
            "test_image_content" => content(json!([image])),
            "test_audio_content" => content(json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}])),
            "test_embedded_resource" => content(json!([{"type": "resource", "resource": {
                "uri": "test://embedded-resource", "mimeType": "text/plain",
                "text": "This is an embedded resource content."}}])),
            "test_multiple_content_types" => content(json!([
                {"type": "text", "text": "Multiple content types test:"}, image,
                {"type": "resource", "resource": {"uri": "test://mixed-content-resource",
                    "mimeType": "application/json", "text": "{\"test\":\"data\",\"value\":123}"}}])),
            "test_error_handling" => Ok(CallToolResponse::Complete(complete(
                json!({"isError": true, "content": [
                {"type": "text", "text": "This tool intentionally returns an error for testing"}]}),
            )?)),
            "test_tool_with_progress" => {
                Self::progress(&context).await;
                text("The work is done.")
            }
            "test_missing_capability" => {
                let declared = serde_json::to_value(context.client_capabilities()).unwrap_or_default();
                if declared["sampling"].is_null() {
                    let needed: ClientCapabilities = of(json!({"sampling": {}}))?;
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                text("The capability is there.")
            }
            "test_streaming_elicitation" => {
                Self::progress(&context).await;
                Self::with_input(&request, &context)
            }
            "test_logging_tool" | "test_custom_header" => text("done"),
            name if name.starts_with("test_input_required_result_") && self.get_tool(name).is_some() => {
                Self::with_input(&request, &context)
            }
            _ => Err(ErrorData::invalid_params("Unknown tool", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        complete(json!({"resources": [
            {"uri": "test://static-text", "name": "text", "description": "A fixture.", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "binary", "description": "A fixture.", "mimeType": "image/png"}]}))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        complete(
            json!({"resultType": "complete", "resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "template",
            "description": "A fixture.", "mimeType": "application/json"}]}),
        )
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let contents = match uri {
            "test://static-text" => json!({"uri": uri, "mimeType": "text/plain",
                "text": "This is the content of the static text resource."}),
            "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
            _ => match uri
                .strip_prefix("test://template/")
                .and_then(|rest| rest.strip_suffix("/data"))
            {
                Some(id) => json!({"uri": uri, "mimeType": "application/json",
                    "text": json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string()}),
                None => {
                    return Err(ErrorData::invalid_params(
                        "Resource not found",
                        Some(json!({"uri": uri})),
                    ));
                }
            },
        };
        Ok(ReadResourceResponse::Complete(complete(
            json!({"contents": [contents]}),
        )?))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| json!({"name": name, "description": "A fixture.", "required": true});
        complete(json!({"prompts": [
            {"name": "test_simple_prompt", "description": "A fixture."},
            {"name": "test_prompt_with_arguments", "description": "A fixture.", "arguments": [argument("arg1"), argument("arg2")]},
            {"name": "test_prompt_with_embedded_resource", "description": "A fixture.", "arguments": [argument("resourceUri")]},
            {"name": "test_prompt_with_image", "description": "A fixture."},
            {"name": "test_input_required_result_prompt", "description": "A fixture."}]}))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let request = serde_json::to_value(&request).unwrap_or_default();
        let argument = |name: &str| request["arguments"][name].as_str().unwrap_or_default().to_owned();
        let user = |content: Value| json!({"role": "user", "content": content});
        let words = |words: &str| json!({"type": "text", "text": words});
        let messages = match request["name"].as_str().unwrap_or_default() {
            "test_simple_prompt" => json!([user(words("This is a simple prompt for testing."))]),
            "test_prompt_with_arguments" => json!([user(words(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            )))]),
            "test_prompt_with_embedded_resource" => json!([
                user(
                    json!({"type": "resource", "resource": {"uri": argument("resourceUri"), "mimeType": "text/plain",
                    "text": "Embedded resource content for testing."}})
                ),
                user(words("Please process the embedded resource above."))
            ]),
            "test_prompt_with_image" => json!([
                user(json!({"type": "image", "data": PNG, "mimeType": "image/png"})),
                user(words("Please analyze the image above."))
            ]),
            "test_input_required_result_prompt" if request["inputResponses"].is_null() => {
                let requests =
                    json!({"user_context": form("What context should the prompt use?", "context", "string")});
                return Ok(GetPromptResponse::InputRequired(of(wanted(requests, None))?));
            }
            "test_input_required_result_prompt" => json!([user(words("Use the given context."))]),
            _ => return Err(ErrorData::invalid_params("Unknown prompt", None)),
        };
        Ok(GetPromptResponse::Complete(complete(
            json!({"messages": messages}),
        )?))
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        complete(json!({"completion": {"values": [], "total": 0, "hasMore": false}}))
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let Some(addr) = std::env::args()
        .nth(1)
        .and_then(|addr| addr.parse::<SocketAddr>().ok())
    else {
        return ExitCode::from(2);
    };
    let Ok(listener) = http::bind(addr).await else {
        return ExitCode::from(2);
    };
    let settings = HttpSettings {
        addr,
        ..HttpSettings::default()
    };
    let interfaces = http::Interfaces::only(Fixture::new());
    http::serve(interfaces, listener, &settings, &Limits::DEFAULT).await;
    ExitCode::SUCCESS
}
