//! `freshcontext doctor`: is everything set up?

use std::net::ToSocketAddrs as _;
use std::path::Path;
use std::time::Duration;

use freshcontext_contract::{Key, Transport as _};
use tokio::net::TcpStream;

use super::{FAILED, with_runtime};
use crate::app::{App, secret_names};
use crate::config::{ConfigError, Loaded, Sources, default_file};
use crate::output::{self, Style};
use crate::serve;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Fine,
    Note,
    Bad,
}

struct Report {
    bad: usize,
}

impl Report {
    fn say(&mut self, verdict: Verdict, what: &str, detail: &str) {
        let (style, word) = match verdict {
            Verdict::Fine => (Style::Good, "ok   "),
            Verdict::Note => (Style::Middling, "note "),
            Verdict::Bad => (Style::Bad, "BAD  "),
        };
        if verdict == Verdict::Bad {
            self.bad += 1;
        }
        output::line(&format!(
            "{}{what}: {}",
            output::paint(style, word),
            output::one_line(detail)
        ));
    }
}

pub(super) fn run(loaded: &Loaded, sources: &Sources, online: bool) -> Result<u8, ConfigError> {
    let settings = &loaded.settings;
    let mut report = Report { bad: 0 };
    report.say(Verdict::Fine, "version", env!("CARGO_PKG_VERSION"));
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
    for name in &loaded.unknown_environment {
        report.say(
            Verdict::Bad,
            "environment",
            &format!("{name} is not a setting; `freshcontext settings` lists them"),
        );
    }
    match settings.data_folder() {
        Some(folder) => match writable(&folder) {
            Ok(()) => report.say(Verdict::Fine, "data folder", &folder.display().to_string()),
            Err(error) => report.say(
                Verdict::Note,
                "data folder",
                &format!(
                    "{} cannot be written ({error}); page cursors end with the process",
                    folder.display()
                ),
            ),
        },
        None => report.say(
            Verdict::Note,
            "data folder",
            "none is known; page cursors end with the process",
        ),
    }
    // Building it reads the certificate authorities, the upstreams and the names of sources.
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
    if let Err(error) = serve::check(&settings.http) {
        report.say(Verdict::Bad, "http", &error.to_string());
    }
    keys(&app, &mut report);
    report.say(Verdict::Fine, "tools", &app.engine.tools().len().to_string());
    if online {
        reach(&app, settings.upstreams.as_slice(), &mut report)?;
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

fn writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".probe.{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}

/// Opens a connection to the first host of every source; nothing is asked of it.
fn reach(app: &App, upstreams: &[(String, String)], report: &mut Report) -> Result<(), ConfigError> {
    let mut hosts: Vec<&str> = app
        .engine
        .descriptors()
        .filter_map(|descriptor| descriptor.hosts.named().first().copied())
        .collect();
    hosts.sort_unstable();
    hosts.dedup();
    let redirected = |host: &str| upstreams.iter().any(|(from, _)| from == "*" || from == host);
    hosts.retain(|host| !redirected(host));
    let results = with_runtime(2, async {
        let attempts = hosts
            .iter()
            .map(|host| async move { (*host, connect(host).await) });
        futures_util::future::join_all(attempts).await
    })?;
    for (host, result) in results {
        match result {
            Ok(()) => report.say(Verdict::Fine, "online", host),
            Err(problem) => report.say(Verdict::Bad, "online", &format!("{host}: {problem}")),
        }
    }
    Ok(())
}

async fn connect(host: &str) -> Result<(), String> {
    let name = host.to_owned();
    let lookup = tokio::task::spawn_blocking(move || {
        (name.as_str(), 443)
            .to_socket_addrs()
            .map(Iterator::collect::<Vec<_>>)
    });
    let limit = Duration::from_secs(5);
    let Ok(Ok(Ok(addresses))) = tokio::time::timeout(limit, lookup).await else {
        return Err("the name cannot be resolved".to_owned());
    };
    match tokio::time::timeout(limit, TcpStream::connect(addresses.as_slice())).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no connection within 5 s".to_owned()),
    }
}
