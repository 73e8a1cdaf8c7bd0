//! The mirror of Go's modules (<https://go.dev/ref/mod#goproxy-protocol>).

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{
    Cx, DateEvidence, Descriptor, HostRate, Hosts, Lookup, Media, Pace, Presence, Request, Route, SourceError,
};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::json::{self, text_at};
use freshcontext_parse::link;
use serde_json::Value;

/// The facts about the mirror.
pub(crate) static DESCRIPTOR: Descriptor = Descriptor {
    id: "go_modules",
    tool: "check_references",
    title: "Go module mirror",
    hosts: Hosts::Fixed(&["proxy.golang.org"]),
    official: true,
    routes: &[Route::new("info", "one version of a module")
        .untold("the mirror does not say here whether a version was retracted")],
    // No limit is published; be modest.
    rates: &[HostRate::new("proxy.golang.org", Pace::new(10, 1))
        .in_flight(4)
        .link("https://proxy.golang.org/")],
    dates: "`Time` of the version.",
    terms: "https://proxy.golang.org/privacy",
    ..Descriptor::PLAIN
};

/// Asks for a version of a module. The mirror does not tell a private module from an absent one.
pub(crate) async fn look_up(cx: &Cx<'_>, module: &str, version: Option<&str>) -> Result<Lookup, SourceError> {
    let module = escaped(module);
    let mut segments: Vec<&str> = module.split('/').collect();
    let file = version.map(|version| format!("{}.info", escaped(version)));
    match &file {
        Some(file) => segments.extend(["@v", file]),
        None => segments.push("@latest"),
    }
    let url = link::built("https://proxy.golang.org/", &segments)?;
    let address = url.to_string();
    // A module that is not there is told in plain text.
    let request = Request::get(url, Media::Json);
    let read = cx.read(request, as_text(|body| read(body, version))).await;
    Lookup::or_gone(read, Basis::Mark, Some(&address))
}

fn read(body: &str, version: Option<&str>) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "Go module mirror")?;
    let stated = text_at(&value, "/Version")
        .ok_or_else(|| SourceError::malformed("Go module mirror: the answer names no version"))?;
    if version.is_some_and(|version| version != stated) {
        return Ok(Lookup::new(Presence::Unsettled("other_record")).showing(
            "Version",
            stated,
            None::<String>,
        ));
    }
    let date = DateEvidence::optional_field("Time", text_at(&value, "/Time"));
    Ok(Lookup::found(None, date, Vec::new()).showing("Version", stated, None::<String>))
}

/// Capitals as the mirror writes them: `!a` (<https://go.dev/ref/mod#goproxy-protocol>).
fn escaped(path: &str) -> String {
    path.chars()
        .fold(String::with_capacity(path.len()), |mut out, c| {
            if c.is_ascii_uppercase() {
                out.push('!');
            }
            out.push(c.to_ascii_lowercase());
            out
        })
}
