//! REST on the port of MCP: the same tools, and what the command line does without the network.

mod accept;
mod call;
mod facts;
mod openapi;
mod operation;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use freshcontext_contract::ErrorCode;
use freshcontext_contract::limits::{MESSAGE_VALUES, SIGNALS_VALUES};
use freshcontext_core::sanitize::{clean_error, cut};
use freshcontext_core::unreadable::why_unreadable;
use freshcontext_core::values::hold_more_values_than;
use freshcontext_engine::{EVALUATE, Engine, Owner};
use freshcontext_mcp::McpServer;
use freshcontext_mcp::caller::{Caller, Share};
use freshcontext_mcp::jsonrpc::frame::TOO_MANY_VALUES;
use freshcontext_metrics::Refusal;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use percent_encoding::percent_decode_str;
use tokio_util::sync::CancellationToken;

use super::auth::AuthFilter;
use super::body::{Bodies, Read};
use super::coding::{coding_of, encodings, not_decoded};
use super::problem::{OPENAPI_PATH, Problem, RequestId, Voice};
use super::reply::{closing, reply};
use super::unread::unread_body;
use accept::Form;
pub use openapi::openapi;
use operation::{OPERATIONS, Target, find};

/// Path under which each tool has an address of its own.
const TOOLS_PATH: &str = "/v1/tools/";
/// Maximum length of a caller-supplied name in an error, in characters.
const SHOWN_CHARS: usize = 60;

/// A tool that this deployment does not offer, and the setting that opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedTool {
    /// Name of the tool.
    pub name: String,
    /// What the operator does to open it, such as ``add `time` to `toolsets` ``.
    pub opened_by: String,
}

/// The interface, over one engine.
pub struct Rest {
    engine: Arc<Engine>,
    tools: McpServer,
    find_closed: fn(&Engine) -> Vec<ClosedTool>,
    /// Listed at the first request for a tool that is not there.
    closed: OnceLock<Vec<ClosedTool>>,
    /// Assembled at the first request.
    openapi: OnceLock<String>,
}

impl Rest {
    /// `tools` is the list that MCP clients see; `closed` lists the tools that are not offered.
    pub fn new(engine: Arc<Engine>, tools: McpServer, closed: fn(&Engine) -> Vec<ClosedTool>) -> Self {
        Self {
            engine,
            tools,
            find_closed: closed,
            closed: OnceLock::new(),
            openapi: OnceLock::new(),
        }
    }

    /// The engine that answers.
    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The description of the interface as JSON.
    fn openapi(&self) -> String {
        let describe = || openapi(self.engine.tools()).to_string();
        self.openapi.get_or_init(describe).clone()
    }

    /// The problem of a tool that is not there.
    fn no_tool(&self, name: &str) -> Problem {
        let shown = clean_error(name);
        let shown = cut(&shown, SHOWN_CHARS);
        let problem = |message| Problem::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message);
        let closed = self.closed.get_or_init(|| (self.find_closed)(&self.engine));
        match closed.iter().find(|closed| closed.name == name) {
            Some(closed) => problem(format!("the tool `{shown}` is off in this deployment"))
                .hint(format!("the operator can {}", closed.opened_by)),
            None => problem(format!("there is no tool `{shown}`")).hint("GET /v1/tools lists the tools"),
        }
    }
}

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rest").field(&self.engine).finish()
    }
}

/// Shared state of the routes.
struct Shared {
    rest: Arc<Rest>,
    bodies: Arc<Bodies>,
    filter: Arc<AuthFilter>,
    /// Cancelled when unfinished work is abandoned.
    end: CancellationToken,
}

pub(super) fn router(
    rest: Arc<Rest>,
    bodies: Arc<Bodies>,
    filter: Arc<AuthFilter>,
    end: CancellationToken,
) -> Router {
    let shared = Arc::new(Shared {
        rest,
        bodies,
        filter,
        end,
    });
    Router::new()
        .route(OPENAPI_PATH, any(answer))
        .route("/v1", any(answer))
        .route("/v1/", any(answer))
        .route("/v1/{*rest}", any(answer))
        .with_state(shared)
}

/// Who makes a call.
struct Asker {
    owner: Owner,
    caller: Option<Arc<str>>,
    share: Option<usize>,
}

impl Asker {
    fn of(request: &Request) -> Self {
        let caller = request.extensions().get::<Caller>();
        let owner = caller.map_or_else(Owner::default, |caller| Owner::of_token(&caller.name));
        Self {
            owner,
            caller: caller.map(|caller| Arc::clone(&caller.name)),
            share: request.extensions().get::<Share>().map(|share| share.0),
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, mut request: Request) -> Response {
    let id = request.extensions_mut().remove::<RequestId>();
    let Some(id) = id else {
        // The door in front of the routes marks each request.
        return Response::new(axum::body::Body::empty());
    };
    let method = request.method().clone();
    tracing::debug!(request_id = id.as_str(), %method, "REST");
    let mut response = match handled(&shared, &id, request).await {
        Ok(response) => response,
        Err(refused) => {
            shared.filter.refused(Refusal::Protocol);
            refused.response(&id)
        }
    };
    id.mark(&mut response);
    response
}

/// Answers a request. An error is a refusal of the request itself; a call that failed is a response.
async fn handled(shared: &Shared, id: &RequestId, request: Request) -> Result<Response, Problem> {
    let path = decoded(request.uri().path());
    let allowed: Vec<Method> = methods_of(&path);
    if allowed.is_empty() {
        let what = "there is nothing at this path";
        let problem = Problem::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, what);
        return Err(problem.hint("GET /openapi.json describes every path"));
    }
    if !allowed.contains(request.method()) {
        return Ok(wrong_method(shared, id, &allowed));
    }
    let form = Form::wanted(request.headers())?;
    let asker = Asker::of(&request);
    if request.method() != Method::POST {
        let Some(operation) = find(&Method::GET, &path) else {
            return Err(Problem::invalid("nothing is read here"));
        };
        form.json_only()?;
        return Ok(facts::read(shared, operation.target));
    }
    is_json(request.headers())?;
    if let Some(coding) = coding_of(request.headers()) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let problem = Problem::new(status, ErrorCode::InvalidInput, not_decoded(&coding));
        shared.filter.refused(Refusal::Protocol);
        return Ok(encodings(problem.response(id)));
    }
    let length = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    let read = match shared.bodies.read(request.into_body(), length).await {
        Ok(read) => read,
        Err(unread) => {
            let voice = Voice::Problem(id.clone());
            return Ok(unread_body(unread, &shared.bodies, &shared.filter, &voice));
        }
    };
    let target = find(&Method::POST, &path).map(|operation| operation.target);
    let tool = match target {
        Some(Target::Tool(tool)) => tool,
        Some(target) => {
            form.json_only()?;
            within(&read.bytes, MESSAGE_VALUES)?;
            return facts::worked(shared, target, &read.bytes);
        }
        None => path.strip_prefix(TOOLS_PATH).unwrap_or_default(),
    };
    let most = if tool == EVALUATE {
        SIGNALS_VALUES
    } else {
        MESSAGE_VALUES
    };
    within(&read.bytes, most)?;
    call::run(shared, id, tool, &read, form, asker).await
}

/// A path with its percent-encoded bytes as they are meant (RFC 3986, section 6.2.2.2), so that every method finds the
/// same thing at it. An encoded slash stays: it divides nothing.
fn decoded(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let decoded = percent_decode_str(segment).decode_utf8();
        decoded
            .ok()
            .filter(|decoded| !decoded.contains('/'))
            .map_or_else(|| segment.to_owned(), Into::into)
    });
    segments.collect::<Vec<String>>().join("/")
}

/// Methods of a path, none if there is nothing.
fn methods_of(path: &str) -> Vec<Method> {
    let mut methods: Vec<Method> = OPERATIONS
        .iter()
        .filter(|operation| operation.path == path)
        .map(|operation| operation.method.clone())
        .collect();
    let is_tool = path
        .strip_prefix(TOOLS_PATH)
        .is_some_and(|name| !name.is_empty() && !name.contains('/'));
    if is_tool {
        methods.push(Method::POST);
    }
    if methods.contains(&Method::GET) {
        methods.push(Method::HEAD);
    }
    methods
}

fn wrong_method(shared: &Shared, id: &RequestId, allowed: &[Method]) -> Response {
    shared.filter.refused(Refusal::Protocol);
    let names = allowed.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
    let message = format!("this path takes {names}");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::InvalidInput, message);
    let mut response = closing(problem.response(id));
    if let Ok(names) = HeaderValue::from_str(&names) {
        response.headers_mut().insert(header::ALLOW, names);
    }
    response
}

fn within(body: &Bytes, most: usize) -> Result<(), Problem> {
    if hold_more_values_than(&[body], most) {
        return Err(Problem::invalid(TOO_MANY_VALUES));
    }
    Ok(())
}

/// A body is JSON; without a media type it is taken for JSON.
fn is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    let problem = Problem::new(
        status,
        ErrorCode::InvalidInput,
        "the body must be application/json",
    );
    Err(problem.hint("send `Content-Type: application/json`"))
}

/// A response as JSON.
fn json(text: String) -> Response {
    reply(StatusCode::OK, "application/json", text)
}

/// Reads a body into its type.
fn parsed<'b, T: serde::Deserialize<'b>>(read: &'b Bytes, example: &str) -> Result<T, Problem> {
    serde_json::from_slice(read).map_err(|error| {
        let what = if error.is_data() {
            format!(
                "the body is not as described: {}",
                clean_error(&error.to_string())
            )
        } else {
            format!("the body {}", why_unreadable(read).unwrap_or("is not JSON"))
        };
        Problem::invalid(what).hint(format!("for example {example}"))
    })
}

/// The bytes of a body and its share of the memory.
type Body = Read;
