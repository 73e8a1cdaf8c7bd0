//! The Wayback Machine: the nearest copy of an address (<https://archive.org/help/wayback_api.php>).

use freshcontext_contract::chrono::NaiveDateTime;
use freshcontext_contract::{Cx, Descriptor, HostRate, Hosts, Pace, Route, SourceError};
use freshcontext_core::references::ArchivedCopy;
use freshcontext_parse::charset::as_text;
use freshcontext_parse::json::{self, text_at};
use freshcontext_parse::link;
use serde_json::Value;
use url::Url;

/// The facts about the Wayback Machine.
pub(crate) static DESCRIPTOR: Descriptor = Descriptor {
    id: "wayback",
    tool: "check_references",
    title: "Wayback Machine",
    hosts: Hosts::Fixed(&["archive.org"]),
    official: true,
    routes: &[Route::new("available", "the nearest copy of what is gone")
        .untold("an archive says nothing of the page of today")],
    // Addresses that ask more than some fifteen times a minute have been refused.
    rates: &[HostRate::new("archive.org", Pace::new(15, 60))
        .in_flight(2)
        .link("https://archive.org/help/wayback_api.php")],
    dates: "The moment of the copy.",
    terms: "https://archive.org/about/terms.php",
    ..Descriptor::PLAIN
};

/// Asks for the nearest copy of an address; `None` where there is none.
pub(crate) async fn copy_of(cx: &Cx<'_>, page: &Url) -> Result<Option<ArchivedCopy>, SourceError> {
    let url = link::queried(
        "https://archive.org/wayback/available",
        &[],
        [("url", page.as_str())],
    )?;
    let request = freshcontext_contract::Request::get(url, freshcontext_contract::Media::Json);
    cx.read(request, as_text(read)).await
}

fn read(body: &str) -> Result<Option<ArchivedCopy>, SourceError> {
    let value: Value = json::parse(body, "Wayback Machine")?;
    if value.get("archived_snapshots").is_none() {
        return Err(SourceError::malformed(
            "Wayback Machine: the answer has no list of copies",
        ));
    }
    let Some(closest) = value.pointer("/archived_snapshots/closest") else {
        return Ok(None);
    };
    let is_available = closest.get("available") == Some(&Value::Bool(true));
    // A copy of the page that says that it is gone is no copy of the page.
    let is_page =
        text_at(closest, "/status").is_none_or(|status| status.starts_with('2') || status.starts_with('3'));
    let address = text_at(closest, "/url")
        .and_then(|url| link::shown(&url.replacen("http://web.archive.org", "https://web.archive.org", 1)));
    let at =
        text_at(closest, "/timestamp").and_then(|at| NaiveDateTime::parse_from_str(at, "%Y%m%d%H%M%S").ok());
    Ok(address
        .filter(|_| is_available && is_page)
        .map(|url| ArchivedCopy {
            url,
            at: at.map(|at| at.and_utc()),
        }))
}
