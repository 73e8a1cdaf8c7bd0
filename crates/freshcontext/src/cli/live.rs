//! `freshcontext sources --live`: the live state of the sources, from the running service, or else from this process.

use std::net::SocketAddr;

use freshcontext_engine::live::{self, Report, Tone, sharing_words, since_words};
use http::StatusCode;
use serde_json::Value;

use super::local::{self, NoAnswer};
use super::{FAILED, with_runtime};
use crate::app::App;
use crate::output::{self, Style};
use freshcontext_config::{ConfigError, HostRule, HttpSettings, Loaded, Sources};

/// Path of the report.
const PATH: &str = "/v1/sources";

pub(super) fn run(loaded: &Loaded, sources: &Sources, as_json: bool) -> Result<u8, ConfigError> {
    let settings = &loaded.settings.http;
    let address = local::address(settings)?;
    let described = match ask(settings, address)? {
        Ok(described) => described,
        Err(NoAnswer::NotRunning(why)) => {
            output::note(&format!(
                "freshcontext: no service answers at http://{address} ({why}); this process has asked no source, so it \
                 shows keys and limits only. A server on stdio reports its own state in the resource freshcontext://sources"
            ));
            live::described(&App::build(&loaded.settings, &sources.environment)?.engine)
        }
        Err(NoAnswer::Failed(why)) => {
            output::error(&format!("http://{address}{PATH}: {why}"), None);
            return Ok(FAILED);
        }
    };
    if as_json {
        output::line(&serde_json::to_string_pretty(&described).unwrap_or_default());
        return Ok(0);
    }
    let report: Report = match serde_json::from_value(described) {
        Ok(report) => report,
        Err(error) => {
            let what = format!("http://{address}{PATH} answers in another form: {error}");
            output::error(&what, Some("is it a freshcontext service of another version?"));
            return Ok(FAILED);
        }
    };
    show(&report);
    Ok(0)
}

/// Asks the service that these settings describe, with the first token that they hold.
fn ask(settings: &HttpSettings, address: SocketAddr) -> Result<Result<Value, NoAnswer>, ConfigError> {
    let token = settings.all_tokens().map(|(_, token)| token).next();
    let host = host(settings, address);
    let asked = with_runtime(1, local::get(address, &host, PATH, token))?;
    let failed = |why: &str| Err(NoAnswer::Failed(why.to_owned()));
    Ok(match asked {
        Ok((status, body)) if status.is_success() => match serde_json::from_slice(&body) {
            Ok(described) => Ok(described),
            Err(_) => failed("the answer is not JSON; is it a freshcontext service?"),
        },
        Ok((StatusCode::UNAUTHORIZED, _)) => {
            failed("the service refused the token of this configuration (`http.token`, `http.tokens`)")
        }
        Ok((status, _)) => failed(&format!("status {}", status.as_u16())),
        Err(error) => Err(error),
    })
}

/// Returns a Host that the service answers: its address, or else the first of its names.
fn host(settings: &HttpSettings, address: SocketAddr) -> String {
    let (ip, port) = (address.ip().to_string(), Some(address.port()));
    let rules = &settings.allowed_hosts;
    if rules.iter().any(|rule| rule.admits(&ip, port)) {
        return address.to_string();
    }
    let named = rules.iter().find_map(|rule| match rule {
        HostRule::Exact(..) => Some(rule.to_string()),
        HostRule::Below(domain) => Some(format!("freshcontext.{domain}")),
        HostRule::Network(_) => None,
    });
    named.unwrap_or_else(|| address.to_string())
}

fn show(report: &Report) {
    output::line(&output::paint(Style::Dim, &since_words(report)));
    let (sharing, tone) = sharing_words(&report.sharing);
    output::line(&output::paint(style(tone), &output::one_line(&sharing)));
    for source in &report.sources {
        output::line("");
        output::line(&format!(
            "{}  {}",
            output::paint(Style::Bold, &output::one_line(&source.id)),
            output::paint(Style::Dim, &output::one_line(&source.tool))
        ));
        for row in source.rows() {
            let text = output::paint(style(row.tone), &output::one_line(&row.text));
            output::line(&format!("  {:<9}{text}", row.name));
        }
    }
}

const fn style(tone: Tone) -> Style {
    match tone {
        Tone::Good => Style::Good,
        Tone::Plain => Style::Plain,
        Tone::Middling => Style::Middling,
        Tone::Bad => Style::Bad,
    }
}
