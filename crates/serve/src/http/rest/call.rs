//! Calls of tools.

use std::sync::Arc;

use axum::response::Response;
use freshcontext_contract::ErrorCode;
use freshcontext_core::answer::Failure;
use freshcontext_core::unreadable::why_unreadable;
use freshcontext_engine::{Answer, Arguments, BorrowedArguments, CallContext, EVALUATE, in_name_of};
use freshcontext_spec::signed::Signature;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::accept::Form;
use super::{Asker, Body, Shared};
use crate::http::problem::{Problem, RequestId, status_of_call};
use crate::http::reply::{closing, reply};

/// Header of the signature of a body, as JSON.
const SIGNATURE: HeaderName = HeaderName::from_static("freshcontext-signature");

/// What a call comes to, before it is a response.
enum Written {
    Done(String, Option<Signature>),
    Failed(Box<Failure>, Value),
    FailedText(StatusCode, Option<u64>, String),
}

/// Runs a tool. It ends when the client disconnects.
pub(super) async fn run(
    shared: &Shared,
    id: &RequestId,
    tool: &str,
    body: &Body,
    form: Form,
    asker: Asker,
) -> Result<Response, Problem> {
    let engine = &shared.rest.engine;
    let Some(known) = engine.tool(tool) else {
        return Err(shared.rest.no_tool(tool));
    };
    let arguments = arguments(tool, body).ok_or_else(|| {
        let message = match why_unreadable(&body.bytes) {
            Some(why) => format!("the body {why}"),
            None => "the body must be a JSON object of arguments".to_owned(),
        };
        Problem::invalid(message).hint(format!("for example {}", known.example))
    })?;
    let cancellation = CancellationToken::new();
    let context = CallContext {
        cancellation: cancellation.clone(),
        owner: asker.owner,
        caller: asker.caller,
        id: Some(id.as_str().into()),
        ..CallContext::default()
    };
    // Cancels the call when the response is not awaited any more.
    let _ends = cancellation.drop_guard();
    let (name, own) = (tool.to_owned(), Arc::clone(engine));
    let work = async move { own.call(&name, arguments, context).await };
    let call = tokio::spawn(in_name_of(asker.share, work));
    let answer = tokio::select! {
        biased;
        () = shared.end.cancelled() => {
            let message = "the server is going away; this was not finished";
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Overloaded, message);
            return Ok(closing(problem.response(id)));
        }
        answer = call => answer,
    };
    let Ok(Ok(answer)) = answer else {
        return Err(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            ErrorCode::Internal,
            freshcontext_engine::defect().message,
        ));
    };
    let written = engine.written(tool, answer, |answer| written(answer, form));
    let Ok(written) = written else {
        return Err(shared.rest.no_tool(tool));
    };
    Ok(match (written, form) {
        (Written::Done(text, signature), form) => {
            let kind = match form {
                Form::Json => "application/json",
                Form::Text(kind) => kind,
            };
            let mut response = reply(StatusCode::OK, kind, text);
            let signature = signature.and_then(|signature| serde_json::to_string(&signature).ok());
            if let Some(signature) = signature.and_then(|text| HeaderValue::from_str(&text).ok()) {
                response.headers_mut().insert(SIGNATURE, signature);
            }
            response
        }
        (Written::Failed(failure, result), _) => Problem::of_call(&failure, result).response(id),
        (Written::FailedText(status, wait, text), form) => {
            let kind = match form {
                Form::Text(kind) => kind,
                Form::Json => "text/plain; charset=utf-8",
            };
            let mut response = reply(status, kind, text);
            if let Some(seconds) = wait {
                response
                    .headers_mut()
                    .insert(http::header::RETRY_AFTER, seconds.into());
            }
            response
        }
    })
}

fn written(mut answer: Answer, form: Form) -> Written {
    if let Some(failure) = answer.outcome().failure() {
        let (status, wait) = (status_of_call(failure), failure.retry_after_s);
        return match form {
            Form::Json => Written::Failed(Box::new(failure.clone()), answer.structured()),
            Form::Text(_) => Written::FailedText(status, wait, answer.into_text()),
        };
    }
    let body = match form {
        Form::Json => match answer.take_json() {
            Some(json) => Box::<str>::from(json).into(),
            None => answer.structured().to_string(),
        },
        Form::Text(_) => answer.text().to_owned(),
    };
    let signature = answer.signature(body.as_bytes());
    Written::Done(body, signature)
}

/// The arguments in a body; those of an evaluation borrow from it.
fn arguments(tool: &str, body: &Body) -> Option<Arguments> {
    if tool != EVALUATE {
        let arguments: Map<String, Value> = serde_json::from_slice(&body.bytes).ok()?;
        return Some(arguments.into());
    }
    let start = body.bytes.trim_ascii_start();
    let arguments = BorrowedArguments::beginning(body.bytes.slice_ref(start))?;
    let rest = start.get(arguments.json().len()..)?;
    rest.trim_ascii()
        .is_empty()
        .then_some(Arguments::Borrowed(arguments))
}
