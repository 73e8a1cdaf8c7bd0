//! The handler with a span and a duration for each request, if telemetry is on. Otherwise each request costs one check.

use std::borrow::Cow;

use freshcontext_telemetry::{Ended, Operation, Request};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult, NumberOrString,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tracing::Instrument as _;

use crate::server::McpServer;
use crate::{live, prompts, skill, timeline};

/// Resources with a fixed URI. Others hold names that a caller chose.
const FIXED: [&str; 3] = [timeline::URI, skill::URI, live::URI];

/// A handler whose requests are traced.
#[derive(Debug, Clone)]
pub struct Traced(McpServer);

impl Traced {
    /// Traces the requests of this handler.
    pub const fn new(server: McpServer) -> Self {
        Self(server)
    }
}

/// Runs a request in its span. `failed` tells a result that reports a failure.
async fn traced<T>(
    operation: Option<Operation>,
    work: impl Future<Output = Result<T, ErrorData>>,
    failed: impl FnOnce(&T) -> bool,
) -> Result<T, ErrorData> {
    let Some(operation) = operation else {
        return work.await;
    };
    let result = work.instrument(operation.span()).await;
    operation.end(match &result {
        Ok(value) if failed(value) => Ended::ToolError,
        Ok(_) => Ended::Done,
        Err(error) => Ended::Error(error.code.0),
    });
    result
}

/// What a request is about, where the server knows it.
#[derive(Default)]
struct Target<'t> {
    tool: Option<&'t str>,
    prompt: Option<&'t str>,
    resource: Option<&'t str>,
}

fn begin(
    method: &'static str,
    context: &RequestContext<RoleServer>,
    target: &Target<'_>,
) -> Option<Operation> {
    if !freshcontext_telemetry::is_on() {
        return None;
    }
    let head = context.extensions.get::<http::request::Parts>();
    let of_meta = |name: &str| context.meta.get(name).and_then(Value::as_str);
    let of_head = |name: &str| head.and_then(|head| head.headers.get(name)?.to_str().ok());
    Operation::begin(&Request {
        method,
        tool: target.tool,
        prompt: target.prompt,
        resource: target.resource,
        id: Some(match &context.id {
            NumberOrString::Number(number) => number.to_string(),
            NumberOrString::String(text) => text.to_string(),
        }),
        protocol: context
            .protocol_version()
            .filter(|version| ProtocolVersion::KNOWN_VERSIONS.contains(version))
            .map(|version| version.to_string()),
        over_http: head.is_some(),
        meta: (of_meta("traceparent"), of_meta("tracestate")),
        head: (of_head("traceparent"), of_head("tracestate")),
    })
}

/// Begins the span of a request for a resource.
fn of_resource(method: &'static str, uri: &str, context: &RequestContext<RoleServer>) -> Option<Operation> {
    let resource = FIXED.into_iter().find(|known| *known == uri);
    begin(
        method,
        context,
        &Target {
            resource,
            ..Target::default()
        },
    )
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Traced {
    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    async fn ping(&self, context: Context) -> Result<(), ErrorData> {
        let operation = begin("ping", &context, &Target::default());
        traced(operation, self.0.ping(context), |()| false).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let operation = begin("initialize", &context, &Target::default());
        traced(operation, self.0.initialize(request, context), |_| false).await
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let operation = begin("server/discover", &context, &Target::default());
        traced(operation, self.0.discover(context), |_| false).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let operation = begin("completion/complete", &context, &Target::default());
        traced(operation, self.0.complete(request, context), |_| false).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let operation = begin("tools/list", &context, &Target::default());
        traced(operation, self.0.list_tools(request, context), |_| false).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.0.tools().iter().find(|tool| tool.name == request.name);
        let target = Target {
            tool: tool.map(|tool| &*tool.name),
            ..Target::default()
        };
        let operation = begin("tools/call", &context, &target);
        let failed = |response: &CallToolResponse| matches!(response, CallToolResponse::Complete(result) if result.is_error == Some(true));
        traced(operation, self.0.call_tool(request, context), failed).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let operation = begin("prompts/list", &context, &Target::default());
        traced(operation, self.0.list_prompts(request, context), |_| false).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let target = Target {
            prompt: prompts::known(&request.name),
            ..Target::default()
        };
        let operation = begin("prompts/get", &context, &target);
        traced(operation, self.0.get_prompt(request, context), |_| false).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let operation = begin("resources/list", &context, &Target::default());
        traced(operation, self.0.list_resources(request, context), |_| false).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let operation = begin("resources/templates/list", &context, &Target::default());
        let work = self.0.list_resource_templates(request, context);
        traced(operation, work, |_| false).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let operation = of_resource("resources/read", &request.uri, &context);
        traced(operation, self.0.read_resource(request, context), |_| false).await
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let operation = begin(
            "subscriptions/listen",
            context.request_context(),
            &Target::default(),
        );
        traced(operation, self.0.listen(context), |()| false).await
    }

    #[expect(deprecated, reason = "older revisions of the protocol have it")]
    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        let operation = of_resource("resources/subscribe", &request.uri, &context);
        traced(operation, self.0.subscribe(request, context), |()| false).await
    }

    #[expect(deprecated, reason = "older revisions of the protocol have it")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        let operation = of_resource("resources/unsubscribe", &request.uri, &context);
        traced(operation, self.0.unsubscribe(request, context), |()| false).await
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListSkillsResult, ErrorData> {
        let operation = begin("skills/list", &context, &Target::default());
        traced(operation, self.0.list_skills(request, context), |_| false).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: Context,
    ) -> Result<GetSkillResult, ErrorData> {
        let operation = of_resource("skills/get", &request.uri, &context);
        traced(operation, self.0.get_skill(request, context), |_| false).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        // The method's name is the caller's own text.
        let operation = begin("_OTHER", &context, &Target::default());
        traced(operation, self.0.on_custom_request(request, context), |_| false).await
    }
}
