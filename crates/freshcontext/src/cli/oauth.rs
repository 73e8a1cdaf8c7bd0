//! What `doctor` says of access tokens.

use std::collections::BTreeSet;

use freshcontext_config::{ConfigError, HttpSettings, is_on_this_machine};
use freshcontext_contract::url::Url;

use super::report::{Report, Verdict};
use super::with_runtime;
use crate::access::resource_server;
use crate::app::App;

/// Name of the findings.
const SUBJECT: &str = "oauth";

/// Asks the issuer for its keys, as the service does with the first token. Settings of which a part is missing are
/// reported with the other HTTP settings.
pub(super) fn look(settings: &HttpSettings, app: &App, report: &mut Report) -> Result<(), ConfigError> {
    let oauth = &settings.oauth;
    if !oauth.is_set() || oauth.check().is_err() {
        return Ok(());
    }
    let Some(server) = resource_server(oauth, &app.pipeline)? else {
        return Ok(());
    };
    let issuer = oauth.issuer.as_deref().unwrap_or_default();
    match with_runtime(1, server.report())? {
        Err(reason) => {
            let problem = format!("the keys of {issuer} cannot be read: {reason} (`http.oauth.issuer`)");
            report.say(Verdict::Bad, SUBJECT, &problem);
        }
        Ok(found) if found.algorithms.is_empty() => {
            let problem = format!(
                "{issuer} has no usable key: keys for RS256 (2048 bits or more), ES256 or EdDSA (Ed25519) are used, \
                 so no access token can be checked"
            );
            report.say(Verdict::Bad, SUBJECT, &problem);
        }
        Ok(found) => {
            let (count, kinds) = (found.algorithms.len(), found.algorithms.into_iter());
            let kinds: Vec<String> = kinds.collect::<BTreeSet<_>>().into_iter().collect();
            let keys = if count == 1 { "key" } else { "keys" };
            let fine = format!("{issuer}: {count} usable {keys} ({})", kinds.join(", "));
            report.say(Verdict::Fine, SUBJECT, &fine);
        }
    }
    if oauth.scopes.is_empty() {
        let note = "no scope is required (`http.oauth.scopes`): every token of the issuer for this audience is accepted";
        report.say(Verdict::Note, SUBJECT, note);
    }
    resource(settings, report);
    Ok(())
}

/// Looks at the address that clients write.
fn resource(settings: &HttpSettings, report: &mut Report) {
    let Some(url) = settings.oauth.resource().and_then(|text| Url::parse(text).ok()) else {
        return;
    };
    if url.scheme() != "https" && !is_on_this_machine(&url) {
        let note = format!("clients send their access tokens to {url} without TLS (`http.oauth.resource`)");
        report.say(Verdict::Note, SUBJECT, &note);
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let known = |port| settings.allowed_hosts.iter().any(|rule| rule.admits(host, port));
    if !known(url.port_or_known_default()) && !known(url.port()) {
        let problem = format!(
            "clients are sent to {url}, whose host is not one of `http.allowed_hosts`: they would get 403"
        );
        report.say(Verdict::Bad, SUBJECT, &problem);
    }
}
