//! `freshcontext doctor`: checks the installation.

use freshcontext_contract::{Key, Transport as _};
use freshcontext_spec::specification;
use serde_json::json;

use super::report::{Report, Verdict};
use super::{FAILED, online};
use crate::app::App;
use crate::output;
use freshcontext_config::{ConfigError, Loaded, Sources, default_file};
use freshcontext_engine::about::secret_names;
use freshcontext_serve::http;

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
    if let Err(error) = http::check(&settings.http) {
        report.say(Verdict::Bad, "http", &error.to_string());
    }
    keys(&app, &mut report);
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

fn keys(app: &App, report: &mut Report) {
    for descriptor in app.engine.descriptors() {
        let names = secret_names(descriptor);
        let set = names.iter().any(|name| app.pipeline.configured(name));
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
                    &format!("works without a key; {} opens more", names.join(" or ")),
                );
            }
        }
    }
}
