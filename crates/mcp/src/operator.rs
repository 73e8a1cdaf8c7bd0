//! The operator's page: the live state of the sources as one HTML page, without scripts. It loads nothing.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use freshcontext_core::sanitize::clean_line;
use freshcontext_engine::live::{Report, Source, Tone, sharing_words, since_words};
use sha2::{Digest as _, Sha256};

use crate::identity::VERSION;
use crate::timeline::STYLE;

/// Styles of this page, after those that all pages share.
const OWN_STYLE: &str = include_str!("operator.css");

/// A page and its content security policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPage {
    /// The HTML document.
    pub html: String,
    /// Value of the header `Content-Security-Policy`.
    pub policy: String,
}

/// Draws a report.
pub fn page(report: &Report) -> OperatorPage {
    let style = [STYLE, OWN_STYLE].concat();
    let hash = BASE64_STANDARD.encode(Sha256::digest(&style));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let (sharing, tone) = sharing_words(&report.sharing);
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let _ = write!(
        html,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>FreshContext: sources</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n\
         <h1>Sources of this server</h1>\n<p class=\"lede\">FreshContext {VERSION}, {}.</p>\n\
         <p class=\"{}\">{}.</p>\n<p class=\"quiet\">Reload the page for the current state. \
         <code>/v1/sources</code> has it as JSON.</p>\n",
        escaped(&since_words(report)),
        class(tone),
        escaped(&sharing),
    );
    overview(&mut html, report);
    for source in &report.sources {
        section(&mut html, source);
    }
    html.push_str("</main>\n</body>\n</html>\n");
    OperatorPage { html, policy }
}

fn overview(html: &mut String, report: &Report) {
    html.push_str(
        "<div class=\"wide\" role=\"region\" aria-label=\"Overview\" tabindex=\"0\">\n<table>\n<caption class=\"unseen\">State of each source</caption>\n\
         <thead><tr><th scope=\"col\">Source</th><th scope=\"col\">State</th><th scope=\"col\">Last success</th>\
         <th scope=\"col\">Waiting</th></tr></thead>\n<tbody>\n",
    );
    for source in &report.sources {
        let (words, tone) = source.live.state.words();
        let success = source.live.last_success.map_or_else(
            || "none".to_owned(),
            |at| at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        );
        let waiting: usize = source.live.hosts.iter().map(|host| host.waiting).sum();
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th><td class=\"{}\">{words}</td><td>{success}</td><td>{waiting}</td></tr>",
            escaped(&source.tool),
            escaped(&source.title),
            class(tone),
        );
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
}

fn section(html: &mut String, source: &Source) {
    let tool = escaped(&source.tool);
    let _ = write!(
        html,
        "<section aria-labelledby=\"{tool}\">\n<h2 id=\"{tool}\">{}</h2>\n<p class=\"quiet\"><code>{tool}</code></p>\n<dl class=\"facts\">\n",
        escaped(&source.title),
    );
    for row in source.rows() {
        let _ = writeln!(
            html,
            "<dt>{}</dt><dd class=\"{}\">{}</dd>",
            row.name,
            class(row.tone),
            escaped(&row.text),
        );
    }
    html.push_str("</dl>\n</section>\n");
}

const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Plain => "plain",
        Tone::Middling => "warn",
        Tone::Bad => "bad",
    }
}

/// Escapes a text for an element or a quoted attribute, cleaned like all output.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{DateTime, Utc};
    use freshcontext_engine::live::{Live, Sharing, State};

    #[test]
    fn a_page_loads_nothing_and_keeps_texts_as_texts() {
        let at: DateTime<Utc> = "2026-11-21T20:15:00Z".parse().unwrap();
        let hostile = "<script>alert(1)</script>\"'&";
        let report = Report {
            at,
            since: at,
            sharing: Sharing::OwnShare {
                replicas: 2,
                for_s: 5,
                why: hostile.to_owned(),
            },
            sources: vec![Source {
                id: "echo".to_owned(),
                tool: "extract_echo".to_owned(),
                title: hostile.to_owned(),
                live: Live {
                    state: State::Untried,
                    last_success: None,
                    last_failure: None,
                    block_page: None,
                    route: None,
                    missing_keys: Vec::new(),
                    hosts: Vec::new(),
                },
            }],
        };
        let page = page(&report);
        for bad in ["<script", "src=", "url(", "@import", "http-equiv", "\r"] {
            assert!(!page.html.contains(bad), "{bad}");
        }
        assert_eq!(page.html.matches("&lt;script&gt;").count(), 3, "{}", page.html);
        assert!(page.html.contains("1/2 of each limit"));
    }
}
