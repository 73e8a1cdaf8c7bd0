//! `freshcontext tools`, `freshcontext sources` and `freshcontext settings`.

use std::sync::Arc;

use freshcontext_contract::{Descriptor, Hosts, Key, Transport as _};
use serde_json::{Value, json};

use crate::app::{App, secret_names};
use crate::output::{self, Style};
use freshcontext_config::{ConfigError, Loaded, Settings, Sources};
use freshcontext_mcp::{McpServer, cost};

pub(super) fn tools(loaded: &Loaded, sources: &Sources, as_json: bool) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let server = McpServer::new(Arc::clone(&app.engine));
    if as_json {
        let listed: Vec<Value> = server
            .tools()
            .iter()
            .map(|tool| {
                let mut listed = json!(tool);
                let example = app.engine.tool(&tool.name).map(|tool| tool.example.as_str());
                // Not part of MCP's list: valid arguments for a first call.
                if let (Some(listed), Some(example)) = (listed.as_object_mut(), example) {
                    let example = serde_json::from_str(example).unwrap_or_default();
                    listed.insert("example".to_owned(), example);
                }
                listed
            })
            .collect();
        output::line(&serde_json::to_string_pretty(&listed).unwrap_or_default());
        return Ok(0);
    }
    let mut rows = vec![
        ["tool", "to read", "title", "description", "arguments", "answers"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let (mut total, mut answers) = (0, 0);
    for tool in server.tools() {
        let cost = cost(tool);
        total += cost.visible;
        answers += cost.output;
        let bytes = |count: usize| format!("{count:>5} B");
        rows.push(vec![
            tool.name.to_string(),
            bytes(cost.visible),
            bytes(cost.title),
            bytes(cost.description),
            bytes(cost.input),
            bytes(cost.output),
        ]);
    }
    for row in output::table(&rows) {
        output::line(&row);
    }
    let count = rows.len() - 1;
    output::line(&output::paint(
        Style::Dim,
        &format!(
            "{count} tools; {total} bytes of names, titles, descriptions and schemas of arguments for a model to read, \
             {answers} of schemas of answers"
        ),
    ));
    Ok(0)
}

/// Prints the current settings; secrets only as set or not set.
pub(super) fn settings(loaded: &Loaded, as_json: bool) {
    if as_json {
        let defaults = Settings::default();
        let listed: Vec<Value> = freshcontext_config::settings()
            .iter()
            .map(|setting| {
                json!({
                    "key": setting.key,
                    "environment": setting.env,
                    "kind": setting.kind.words(),
                    "about": setting.about,
                    "default": setting.show(&defaults),
                    "value": setting.show(&loaded.settings),
                })
            })
            .collect();
        output::line(&serde_json::to_string_pretty(&listed).unwrap_or_default());
        return;
    }
    if let Some(file) = &loaded.file {
        output::line(&format!(
            "# read from {}",
            output::one_line(&file.display().to_string())
        ));
    }
    let mut rows = vec![vec![
        "KEY".to_owned(),
        "ENVIRONMENT".to_owned(),
        "VALUE".to_owned(),
    ]];
    for setting in freshcontext_config::settings() {
        let value = output::one_line(&setting.show(&loaded.settings));
        rows.push(vec![
            setting.key,
            setting.env,
            if value.is_empty() { "-".to_owned() } else { value },
        ]);
    }
    for row in output::table(&rows) {
        output::line(&row);
    }
}

pub(super) fn sources(loaded: &Loaded, sources: &Sources, as_json: bool) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let described: Vec<Value> = app
        .engine
        .descriptors()
        .map(|descriptor| describe(&app, descriptor))
        .collect();
    if as_json {
        output::line(&serde_json::to_string_pretty(&described).unwrap_or_default());
        return Ok(0);
    }
    for (at, descriptor) in app.engine.descriptors().enumerate() {
        if at > 0 {
            output::line("");
        }
        show(&app, descriptor);
    }
    Ok(0)
}

fn is_set(app: &App, name: &str) -> bool {
    app.pipeline.configured(name)
}

fn key_words(descriptor: &Descriptor) -> &'static str {
    match descriptor.key() {
        Key::None => "none",
        Key::Optional => "optional",
        Key::Required => "required",
    }
}

/// Returns whether a route is usable, and the reason if not.
fn route_state(app: &App, descriptor: &Descriptor, id: &str) -> (bool, String) {
    let Some(route) = descriptor.route(id) else {
        return (false, "unknown".to_owned());
    };
    match route.needs {
        Some(env) if !is_set(app, env) => (false, format!("needs {env}")),
        _ => (true, "on".to_owned()),
    }
}

fn rates(descriptor: &Descriptor) -> Vec<String> {
    descriptor
        .rates
        .iter()
        .map(|rate| {
            let pace =
                |pace: freshcontext_contract::Pace| format!("{} per {} s", pace.requests, pace.per.as_secs());
            let keyed = rate
                .keyed
                .map(|keyed| format!(", {} with a key", pace(keyed)))
                .unwrap_or_default();
            format!(
                "{}{}: {}{keyed}, {} at once ({})",
                rate.host,
                rate.path,
                pace(rate.pace),
                rate.in_flight,
                rate.link
            )
        })
        .collect()
}

fn describe(app: &App, descriptor: &'static Descriptor) -> Value {
    let routes: Vec<Value> = descriptor
        .routes
        .iter()
        .map(|route| {
            let (usable, state) = route_state(app, descriptor, route.id);
            json!({
                "id": route.id,
                "about": route.about,
                "usable": usable,
                "state": state,
                "needs": route.needs,
            })
        })
        .collect();
    let keys: Vec<Value> = secret_names(descriptor)
        .into_iter()
        .map(|name| json!({"env": name, "set": is_set(app, name)}))
        .collect();
    let (hosts, any_public) = match descriptor.hosts {
        Hosts::Fixed(hosts) => (hosts, false),
        Hosts::PublicWeb(hosts) => (hosts, true),
    };
    json!({
        "id": descriptor.id,
        "tool": descriptor.tool,
        "title": descriptor.title,
        "official": descriptor.official,
        "key": key_words(descriptor),
        "keys": keys,
        "routes": routes,
        "limits": rates(descriptor),
        "hosts": hosts,
        "any_public_host": any_public,
        "dates": descriptor.dates,
        "terms": descriptor.terms,
        "profile": descriptor.profile,
    })
}

fn show(app: &App, descriptor: &'static Descriptor) {
    output::line(&format!(
        "{}  {}",
        output::paint(Style::Bold, descriptor.id),
        output::paint(Style::Dim, descriptor.tool)
    ));
    let row = |name: &str, text: &str| output::line(&format!("  {name:<7}{text}"));
    let names = secret_names(descriptor);
    if names.is_empty() {
        row("key", "none needed");
    } else {
        let states: Vec<String> = names
            .iter()
            .map(|name| {
                if is_set(app, name) {
                    output::paint(Style::Good, &format!("{name} set"))
                } else {
                    format!("{name} not set")
                }
            })
            .collect();
        row(
            "key",
            &format!("{}: {}", key_words(descriptor), states.join(", ")),
        );
        for credential in descriptor.distinct_credentials() {
            row("", &format!("get one: {}", credential.obtain));
        }
    }
    for route in descriptor.routes {
        let (usable, state) = route_state(app, descriptor, route.id);
        let state = output::paint(if usable { Style::Good } else { Style::Middling }, &state);
        row("route", &format!("{} ({}): {state}", route.id, route.about));
    }
    for rate in rates(descriptor) {
        row("limit", &rate);
    }
    let hosts = descriptor.hosts.named().join(", ");
    let any = if matches!(descriptor.hosts, Hosts::PublicWeb(_)) {
        "any public web host; usually "
    } else {
        ""
    };
    row("hosts", &format!("{any}{hosts}"));
    row("dates", descriptor.dates);
    row("terms", descriptor.terms);
}
