//! `freshcontext doctor`: checks the installation.

use std::time::Duration;

use freshcontext_contract::{Apply, Key, Transport as _};
use freshcontext_coordination::Coordinator;
use freshcontext_spec::specification;
use serde_json::json;

use super::report::{Report, Verdict};
use super::{FAILED, oauth, online, with_runtime};
use crate::app::{App, proxy_variable};
use crate::{output, telemetry};
use freshcontext_config::{ConfigError, Loaded, Settings, Sources, default_file};
use freshcontext_engine::about::key_sets;
use freshcontext_serve::http;

/// Longest wait for Redis.
const REDIS_PATIENCE: Duration = Duration::from_secs(3);

pub(super) fn run(
    loaded: &Loaded,
    sources: &Sources,
    online: bool,
    as_json: bool,
) -> Result<u8, ConfigError> {
    let settings = &loaded.settings;
    let mut report = Report {
        as_json,
        bad: 0,
        findings: Vec::new(),
    };
    report.say(Verdict::Fine, "version", env!("CARGO_PKG_VERSION"));
    report.say(Verdict::Fine, specification::NAME, specification::VERSION);
    match (&loaded.file, default_file()) {
        (Some(file), _) => report.say(Verdict::Fine, "configuration", &file.display().to_string()),
        (None, Some(file)) => {
            report.say(
                Verdict::Fine,
                "configuration",
                &format!("no file at {}; defaults and environment", file.display()),
            );
        }
        (None, None) => report.say(
            Verdict::Note,
            "configuration",
            "no folder for it is known (is HOME set?)",
        ),
    }
    if let Some(file) = &loaded.no_file {
        let problem = format!("{} is not a regular file; it was skipped", file.display());
        report.say(Verdict::Bad, "configuration", &problem);
    }
    for name in &loaded.unknown_environment {
        report.say(
            Verdict::Bad,
            "environment",
            &format!("{name} is not a setting; `freshcontext settings` lists them"),
        );
    }
    let cursors = match (&settings.cursor_secret, settings.cursor_secrets().len()) {
        (Some(_), _) => "sealed with a key made of `cursor_secret`",
        (None, 0) => {
            "sealed with a random key: they end with the process, and no other process reads them (`cursor_secret`)"
        }
        (None, _) => {
            "sealed with a key made of the HTTP tokens, which callers know (`cursor_secret` is for itself)"
        }
    };
    report.say(Verdict::Fine, "page cursors", cursors);
    // Assembling reads the certificate authorities, the upstreams and the names of sources.
    let app = App::build(settings, &sources.environment)?;
    let roots = settings.extra_ca.as_ref().map_or_else(
        || "public certificate authorities".to_owned(),
        |file| format!("public certificate authorities and {}", file.display()),
    );
    report.say(Verdict::Fine, "TLS", &roots);
    for (host, base) in &settings.upstreams {
        report.say(
            Verdict::Note,
            "upstream",
            &format!("requests for {host} go to {base}"),
        );
    }
    if let Some(shared) = &app.shared {
        look_at_redis(shared, &mut report)?;
    }
    if let Err(error) = http::check(&settings.http) {
        report.say(Verdict::Bad, "http", &error.to_string());
    }
    oauth::look(&settings.http, &app, &mut report)?;
    store(settings, &mut report)?;
    proxy(settings, &sources.environment, &mut report);
    for problem in telemetry::half_set(settings, &sources.environment) {
        report.say(Verdict::Note, "otel", &problem);
    }
    if settings.contact.is_none() {
        report.say(
            Verdict::Note,
            "contact",
            "not set (`contact`): SEC EDGAR refuses requests that name nobody to write to",
        );
    }
    keys(&app, &mut report);
    half_keys(&app, &sources.environment, &mut report);
    report.say(Verdict::Fine, "tools", &app.engine.tools().len().to_string());
    let asked = if online {
        online::ask(settings, &sources.environment, &mut report)?
    } else {
        Vec::new()
    };
    if as_json {
        let mut told = json!({"ok": report.bad == 0, "findings": report.findings});
        if let (true, Some(told)) = (online, told.as_object_mut()) {
            told.insert("sources".to_owned(), json!(asked));
        }
        output::line(&serde_json::to_string_pretty(&told).unwrap_or_default());
    }
    Ok(if report.bad == 0 { 0 } else { FAILED })
}

/// Opens the store of the toolset `time`.
fn store(settings: &Settings, report: &mut Report) -> Result<(), ConfigError> {
    if !settings.with_time() {
        return Ok(());
    }
    let Some(store) = settings.store() else {
        report.say(
            Verdict::Note,
            "store",
            "off (`store`): nothing is kept between calls",
        );
        return Ok(());
    };
    let found = with_runtime(1, async {
        let found = store.info().await;
        store.close().await;
        found
    })?;
    match found {
        Ok(info) => report.say(
            Verdict::Fine,
            "store",
            &format!(
                "{}, tables of version {}, {} answers",
                store.kind(),
                info.schema,
                info.answers
            ),
        ),
        Err(error) => report.say(Verdict::Bad, "store", &error.to_string()),
    }
    Ok(())
}

fn proxy(settings: &Settings, environment: &[(String, String)], report: &mut Report) {
    match (settings.proxy, proxy_variable(environment)) {
        (false, None) => {}
        (false, Some((name, _))) => report.say(
            Verdict::Note,
            "proxy",
            &format!("{name} is set and is not used; `proxy` (FRESHCONTEXT_PROXY=true) switches it on"),
        ),
        (true, Some((name, _))) => {
            report.say(
                Verdict::Fine,
                "proxy",
                &format!("requests go through the one of {name}"),
            );
        }
        (true, None) => report.say(
            Verdict::Bad,
            "proxy",
            "`proxy` is on, and HTTPS_PROXY, HTTP_PROXY and ALL_PROXY are empty: requests go out directly",
        ),
    }
}

/// Names credentials of which one half is set.
fn half_keys(app: &App, environment: &[(String, String)], report: &mut Report) {
    let is_set = |name: &str| {
        environment
            .iter()
            .any(|(known, value)| known == name && !value.trim().is_empty())
    };
    let mut told: Vec<&str> = Vec::new();
    for descriptor in app.engine.descriptors() {
        for credential in descriptor.credentials {
            let Apply::ClientCredentials { secret_env, .. } = credential.apply else {
                continue;
            };
            let id = credential.env.iter().find(|name| is_set(name));
            let problem = match (id, is_set(secret_env)) {
                (Some(id), false) => format!("{id} is set without {secret_env}: neither is used"),
                (None, true) => format!(
                    "{secret_env} is set without {}: neither is used",
                    credential.env.join(" or ")
                ),
                _ => continue,
            };
            if !told.contains(&secret_env) {
                told.push(secret_env);
                report.say(Verdict::Bad, descriptor.id, &problem);
            }
        }
    }
}

fn keys(app: &App, report: &mut Report) {
    for descriptor in app.engine.descriptors() {
        let sets = key_sets(descriptor);
        let set = sets
            .iter()
            .any(|set| set.iter().all(|name| app.pipeline.configured(name)));
        let names: Vec<String> = sets.iter().map(|set| set.join(" and ")).collect();
        match descriptor.key() {
            Key::None => {}
            _ if set => report.say(Verdict::Fine, descriptor.id, "key set"),
            Key::Required => report.say(
                Verdict::Note,
                descriptor.id,
                &format!("answers nothing without a key: set {}", names.join(" or ")),
            ),
            Key::Optional => {
                report.say(
                    Verdict::Note,
                    descriptor.id,
                    &format!("works without a key; answers more with {}", names.join(" or ")),
                );
            }
        }
    }
}

/// Connects to Redis, as a replica does.
fn look_at_redis(shared: &Coordinator, report: &mut Report) -> Result<(), ConfigError> {
    let (connected, status) = super::with_runtime(1, async {
        let connected = shared.connected_within(REDIS_PATIENCE).await;
        let status = shared.status();
        shared.leave().await;
        (connected, status)
    })?;
    if connected {
        report.say(Verdict::Fine, "redis", "answers; limits and the cache are shared");
    } else {
        let problem = format!(
            "does not answer ({}); each replica keeps to its share of each limit (`redis_url`)",
            status.why
        );
        report.say(Verdict::Bad, "redis", &problem);
    }
    Ok(())
}
