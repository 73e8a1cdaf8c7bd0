//! REST: the same answers as MCP and the command line give, and an interface that is as described.

mod interface;
mod signatures;

use std::path::Path;
use std::sync::Arc;

use freshcontext_config::HttpSettings;
use freshcontext_core::date::iso_millis;
use freshcontext_mcp::McpServer;
use freshcontext_serve::http::{Interfaces, Rest, serve_until};
use freshcontext_spec::schema::json_schema;
use freshcontext_testkit::{Case, SECRET, Script, ScriptedUpstream, load_cases};
use futures_util::StreamExt as _;
use futures_util::stream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use crate::process::{MODERN, command, finish, outcome, scratch};
use crate::run::{self, Bench, block_on};
use crate::wire::{Answer, request, rpc, version_headers};
use crate::{root, verdict};

/// Cases at a time. Each has its deadlines by the machine's clock: dozens at once would miss them on a busy machine.
const AT_ONCE: usize = 4;

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| crate::cases::panic_line(&error));
    let mut tools: Vec<String> = cases.iter().map(|case| case.tool.clone()).collect();
    tools.sort();
    tools.dedup();
    let cases: Arc<[Case]> = cases.into();
    let mut trials: Vec<Trial> = tools
        .into_iter()
        .map(|tool| {
            let cases = Arc::clone(&cases);
            Trial::test(format!("rest::same::{tool}"), move || {
                let own: Vec<&Case> = cases.iter().filter(|case| case.tool == tool).collect();
                block_on(async {
                    let complaints: Vec<Vec<String>> = stream::iter(own.into_iter().map(same))
                        .buffered(AT_ONCE)
                        .collect()
                        .await;
                    verdict(complaints.concat())
                })
            })
        })
        .collect();
    trials.extend(interface::trials());
    trials.extend(signatures::trials());
    trials
}

/// An answer in both forms, without what each server seals with a key of its own.
#[derive(Debug, PartialEq)]
struct Both {
    structured: Value,
    text: String,
}

impl Both {
    fn of(mut structured: Value, text: &str) -> Self {
        without_cursors(&mut structured);
        let lines = text.trim_end().lines();
        let kept: Vec<&str> = lines.filter(|line| !line.starts_with("Next-Cursor: ")).collect();
        Self {
            structured,
            text: kept.join("\n"),
        }
    }
}

fn without_cursors(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("next_cursor");
            fields.values_mut().for_each(without_cursors);
        }
        Value::Array(values) => values.iter_mut().for_each(without_cursors),
        _ => {}
    }
}

/// One request to an HTTP service over the engine of a bench of its own.
async fn asked(case: &Case, message: impl FnOnce(std::net::SocketAddr) -> String) -> Result<Answer, Failed> {
    let bench = Bench::start(case, Path::new(""), run::once(), |_| {}).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let mcp = McpServer::new(Arc::clone(&bench.engine));
    let interfaces = Interfaces {
        rest: Some(Arc::new(Rest::new(
            Arc::clone(&bench.engine),
            mcp.clone(),
            |_| Vec::new(),
        ))),
        ..Interfaces::only(mcp)
    };
    let settings = HttpSettings::default();
    let limits = run::once();
    let asking = async {
        let mut stream = TcpStream::connect(address).await?;
        tokio::io::AsyncWriteExt::write_all(&mut stream, message(address).as_bytes()).await?;
        Ok::<_, Failed>(Answer::read(&mut stream).await)
    };
    let never = std::future::pending::<()>;
    tokio::select! {
        answer = asking => answer,
        () = serve_until(interfaces, listener, &settings, &limits, never(), never()) => Err("it ended".into()),
    }
}

/// MCP, REST and the command line answer a case with the same structure and the same text.
async fn same(case: &Case) -> Vec<String> {
    match compared(case).await {
        Ok(complaints) => complaints
            .into_iter()
            .map(|said| format!("{}: {said}", case.name))
            .collect(),
        Err(failed) => vec![format!("{}: {}", case.name, failed.message().unwrap_or("failed"))],
    }
}

async fn compared(case: &Case) -> Result<Vec<String>, Failed> {
    let mut complaints = Vec::new();
    let params = json!({"name": case.tool, "arguments": case.arguments});
    let over_mcp = asked(case, |address| {
        let message = rpc(MODERN, 1, "tools/call", params.clone()).to_string();
        request(
            address,
            "POST",
            "/mcp",
            &version_headers(MODERN, "tools/call", &params),
            &message,
        )
    })
    .await?;
    let expected = outcome(&over_mcp.json());
    let path = format!("/v1/tools/{}", case.tool);
    let arguments = Value::Object(case.arguments.clone()).to_string();
    let rest = |accept: &'static str| {
        let (path, arguments) = (path.clone(), arguments.clone());
        move |address| request(address, "POST", &path, &[("Accept", accept)], &arguments)
    };
    let structured = asked(case, rest("application/json")).await?;
    let text = asked(case, rest("text/plain")).await?;
    if structured.status != text.status || (structured.status == 200) == expected.is_error {
        complaints.push(format!("{} and {}", structured.status, text.status));
    }
    let body = structured.json();
    let own = if expected.is_error {
        body["result"].clone()
    } else {
        body.clone()
    };
    let wanted = Both::of(expected.structured.clone(), &expected.text);
    let over_rest = Both::of(own, &text.body);
    if over_rest != wanted {
        complaints.push(format!("REST differs:\n{over_rest:?}\nMCP:\n{wanted:?}"));
    }
    complaints.extend(if expected.is_error {
        problem(&structured, &expected.structured)
    } else {
        strict(&body)
    });
    let at_shell = shell(case).await?;
    let mut wanted = expected.structured;
    without_cursors(&mut wanted);
    if at_shell != wanted {
        complaints.push(format!("the command line differs:\n{at_shell}\nMCP:\n{wanted}"));
    }
    Ok(complaints)
}

/// A failed call as problem details.
fn problem(answer: &Answer, failure: &Value) -> Vec<String> {
    let body = answer.json();
    let mut complaints = Vec::new();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            complaints.push(format!("{what}: {}", answer.body));
        }
    };
    must(
        answer.header("content-type") == "application/problem+json",
        "the media type",
    );
    must(body["status"] == answer.status, "the status");
    must(body["code"] == failure["code"], "the code");
    must(body["detail"] == failure["message"], "the detail");
    must(body["request_id"] == answer.header("x-request-id"), "the id");
    must(answer.status >= 400, "the class of the status");
    let wait = failure["retry_after_s"]
        .as_u64()
        .map(|seconds| seconds.to_string());
    must(
        answer.header("retry-after") == wait.unwrap_or_default(),
        "Retry-After",
    );
    complaints
}

/// An answer of a source keeps to the strict schema.
fn strict(answer: &Value) -> Vec<String> {
    if answer.get("freshcontext").is_none() {
        return Vec::new();
    }
    let Ok(validator) = jsonschema::validator_for(&json_schema()) else {
        return vec!["the schema is not one".to_owned()];
    };
    let errors = validator.iter_errors(answer);
    errors
        .map(|error| format!("strict schema: {error} at {}", error.instance_path()))
        .collect()
}

/// The structure that the command line prints.
async fn shell(case: &Case) -> Result<Value, Failed> {
    let script = Script::of(case, Path::new(""))?;
    let upstream = ScriptedUpstream::start(move |seen| script.answer(seen)).await?;
    let folder = scratch().join("rest");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{}.json", case.name.replace('/', "-")));
    std::fs::write(&file, Value::Object(case.arguments.clone()).to_string())?;
    let mut call = command(&["call", &case.tool, "--json", "--set", "limits.attempts=1"]);
    call.arg(format!("@{}", file.display()))
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
        .env("FRESHCONTEXT_REPLAY_AT", iso_millis(case.now));
    for name in &case.env {
        call.env(
            name,
            if name == "FRESHCONTEXT_CONTACT" {
                run::CONTACT
            } else {
                SECRET
            },
        );
    }
    let done = finish(call, "").await;
    let mut structured: Value =
        serde_json::from_str(&done.stdout).map_err(|error| format!("{error}: {done:?}"))?;
    without_cursors(&mut structured);
    Ok(structured)
}
