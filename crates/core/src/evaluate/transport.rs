//! What the retrieval of a signal says about it, in any language: its status, its media type, where it ended.

use url::Url;

use super::given::Given;

/// Weight of a retrieval that ended elsewhere, or brought another type than its address names, in units of the detector's margin.
pub(super) const DETOUR: f32 = 2.5;

/// Names of pages that stand in for what was asked for.
const STAND_INS: [&str; 12] = [
    "404",
    "blocked",
    "captcha",
    "challenge",
    "consent",
    "denied",
    "error",
    "login",
    "notfound",
    "not-found",
    "signin",
    "sorry",
];

/// Address suffixes of content that is not HTML. (`.md` and `.txt` are left out: sites show them as pages.)
const NO_PAGES: [&str; 4] = [".csv", ".json", ".pdf", ".xml"];

/// Why the received content may not be the requested one. This alone fails no text, because content may move and
/// may be labelled with the wrong type.
pub(super) fn doubt(given: &Given<'_>) -> Option<String> {
    if given.final_url.is_none() && given.content_type.is_none() {
        return None;
    }
    let asked = Url::parse(given.source.trim()).ok();
    if let Some(ended) = given
        .final_url
        .and_then(|address| Url::parse(address.trim()).ok())
    {
        let stands_in = |url: &Url| {
            let names = url.path_segments().into_iter().flatten().next_back().map(stem);
            names.and_then(|name| {
                STAND_INS
                    .iter()
                    .find(|known| name.eq_ignore_ascii_case(known))
                    .copied()
            })
        };
        let before = asked.as_ref().and_then(stands_in);
        if let Some(name) = stands_in(&ended).filter(|name| before != Some(name)) {
            return Some(format!("its retrieval ended at a page called {name}"));
        }
    }
    let media = given.content_type?;
    let path = asked.as_ref()?.path().to_ascii_lowercase();
    let ending = NO_PAGES.iter().find(|ending| path.ends_with(**ending))?;
    let html = media.split(';').next().is_some_and(|media| {
        matches!(
            media.trim().to_ascii_lowercase().as_str(),
            "text/html" | "application/xhtml+xml"
        )
    });
    html.then(|| format!("its address ends in {ending}, and a page came"))
}

/// A name without its ending.
fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
