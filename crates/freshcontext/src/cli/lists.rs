//! `freshcontext tools`, `freshcontext sources` and `freshcontext settings`.

use std::sync::Arc;

use freshcontext_contract::{Descriptor, Hosts};
use serde_json::{Value, json};

use crate::app::App;
use crate::output::{self, Style};
use freshcontext_config::{ConfigError, Loaded, Settings, Sources};
use freshcontext_engine::about::{self, key_words, rates, route_state, secret_names};
use freshcontext_mcp::{McpServer, cost};

pub(super) fn tools(loaded: &Loaded, sources: &Sources, as_json: bool) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    let server = McpServer::new(Arc::clone(&app.engine));
    if as_json {
        let listed = server.listed_with_examples();
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
    if as_json {
        output::line(&serde_json::to_string_pretty(&about::sources(&app.engine)).unwrap_or_default());
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

fn show(app: &App, descriptor: &'static Descriptor) {
    let transport = app.engine.transport().as_ref();
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
                if transport.configured(name) {
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
        let (usable, state) = route_state(transport, descriptor, route.id);
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
