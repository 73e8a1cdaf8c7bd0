//! Any page of the web by its address: whether it is still there, and under which address.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Cx, DateEvidence, ErrorCode, FailureKind, Lookup, Presence, Response, SourceError, StandingEvidence,
    StandingState,
};
use freshcontext_parse::text;

use crate::parse::headers;
use crate::parse::page::Page;
use crate::redirects;
use crate::site::{self, Document};

/// Segments and hosts of addresses to which sites send who is not signed in or has not agreed to cookies.
const DOORS: [&str; 10] = [
    "login",
    "log-in",
    "signin",
    "sign-in",
    "sign_in",
    "consent",
    "consents",
    "cookiewall",
    "privacywall",
    "captcha",
];
/// Names of hosts that do nothing else. In a path they are subjects of pages.
const DOOR_HOSTS: [&str; 3] = ["accounts", "auth", "sso"];
/// Last segments of addresses to which sites send who asks for a page that they do not have.
const FAILURES: [&str; 13] = [
    "404",
    "410",
    "error",
    "error404",
    "404error",
    "error-404",
    "error_404",
    "notfound",
    "not-found",
    "not_found",
    "pagenotfound",
    "page-not-found",
    "page_not_found",
];
/// Names of home pages.
const HOMES: [&str; 5] = ["home", "homepage", "index", "default", "welcome"];
/// Languages in which sites have home pages of their own (ISO 639-1).
const LANGUAGES: [&str; 40] = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr",
    "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl",
    "sv", "th", "tr", "uk", "vi", "zh",
];

/// Asks for a page. A permanent redirect moved it; a temporary one did not. What leads to the root of a site, to a login, or
/// to a page that says that there is nothing with a good status settles nothing.
pub async fn look_up(cx: &Cx<'_>, address: &Url) -> Result<Lookup, SourceError> {
    let mut url = address.clone();
    url.set_fragment(None);
    let first = url.clone();
    let followed = match redirects::follow(cx, &mut url, |response| read(cx, response)).await {
        Ok(Some(followed)) => followed,
        Ok(None) => return Ok(Lookup::new(Presence::Unsettled("too_many_redirects"))),
        Err(error) => return absent(error, url.as_str()),
    };
    // The address to use is the one that the permanent redirects lead to, not where a temporary one goes on.
    let moved = followed.moved(&url);
    let (mut found, last) = followed.read;
    if let Some(reason) = elsewhere(&first, &last) {
        let unsettled = Lookup::new(Presence::Unsettled(reason));
        return Ok(unsettled.showing("Location", last, None::<String>));
    }
    if let (Some(sign), Presence::Found) = (moved, &found.presence) {
        found.signs.insert(0, sign);
    }
    Ok(found)
}

/// What an answer says of the page, and where it came from.
fn read(cx: &Cx<'_>, response: &Response) -> Result<(Lookup, Url), SourceError> {
    let last = response.final_url.clone();
    let found = match site::read(cx, response) {
        Ok(Document::Html(page, _)) if page.not_found || says_absent(&page) => {
            Lookup::new(Presence::Unsettled("soft_not_found")).showing("title", page.title, None::<String>)
        }
        Ok(Document::Html(page, _)) if page.moved => {
            Lookup::new(Presence::Unsettled("leads_elsewhere")).showing("title", page.title, None::<String>)
        }
        Ok(Document::Html(page, _)) if page.shell => {
            response.discard();
            Lookup::new(Presence::Unsettled("no_text"))
        }
        Ok(Document::Html(page, _)) => {
            let text = format!("{}\n\n{}", page.title, text::clip(&page.text, READ_CHARS));
            let title = Some(page.title).filter(|title| !title.is_empty());
            Lookup::found(title, page.dates.date, page.standing).reading(text)
        }
        Ok(Document::Found(found)) => Lookup::found(None, DateEvidence::None, found.standing),
        // A file that is no page is there all the same, unless it stands for one that was refused.
        Err(error)
            if matches!(error.code, ErrorCode::NotFound | ErrorCode::Malformed)
                && !response.body.is_empty() =>
        {
            if let Some(wall) = response.block_page() {
                return Err(wall);
            }
            Lookup::found(None, DateEvidence::None, headers::signs(&response.headers, &last))
        }
        Err(error) => return Err(error),
    };
    let found = found.showing("HTTP status", response.status.to_string(), None::<String>);
    Ok((found, last))
}

/// What a failure says of the page: gone for good (410), gone for now at least (404), or nothing.
fn absent(error: SourceError, asked: &str) -> Result<Lookup, SourceError> {
    let sign = |status: &str| {
        StandingEvidence::field(StandingState::Removed, "HTTP status", status.to_owned()).by("host")
    };
    match (error.code, error.http_status) {
        (ErrorCode::NotFound, Some(410)) => {
            Lookup::or_gone(Err(error.standing(sign("410"))), Basis::Field, Some(asked))
        }
        (ErrorCode::NotFound, Some(404) | None) => Lookup::or_gone(Err(error), Basis::Mark, Some(asked)),
        // Known by its content alone: a parked domain, the first page of a server, a host that has no such site.
        (ErrorCode::NotFound, Some(status)) => {
            let parked = FailureKind::Parked.as_str();
            let is_parked = error.detail.as_deref() == Some(parked);
            let why = if is_parked { parked } else { "soft_not_found" };
            let unsettled = Lookup::new(Presence::Unsettled(why));
            Ok(unsettled.showing("HTTP status", status.to_string(), Some(asked)))
        }
        _ => Err(error),
    }
}

/// Words by which a page says that there is nothing, or nothing any more, at its address.
const ABSENT: [&str; 16] = [
    "not found",
    "404",
    "does not exist",
    "doesn't exist",
    "doesn\u{2019}t exist",
    "could not be found",
    "couldn't be found",
    "couldn\u{2019}t be found",
    "cannot be found",
    "can't be found",
    "can\u{2019}t be found",
    "couldn't find",
    "could not find",
    "no longer available",
    "no longer exists",
    "has been removed",
];
/// Characters of its beginning by which a page is told from a failure.
const READ_CHARS: usize = 4_000;
/// Most words of a page that says hardly anything else.
const ABSENT_WORDS: usize = 120;
/// Characters of its beginning in which it says so.
const ABSENT_CHARS: usize = 200;

/// Whether a short page says at its beginning that there is nothing at its address.
fn says_absent(page: &Page) -> bool {
    if text::has_more_words(&page.text, ABSENT_WORDS) {
        return false;
    }
    let begin: String = page.text.chars().take(ABSENT_CHARS).collect();
    let words = format!("{} {begin}", page.title).to_lowercase();
    ABSENT.iter().any(|absent| text::has_word(&words, absent))
}

/// Why an answer from another address is none of the page that was asked for. Where a site sends all whose page it does
/// not have (any more) says nothing about the page.
fn elsewhere(first: &Url, last: &Url) -> Option<&'static str> {
    if is_home(last) && !is_home(first) {
        return Some("redirected_to_root");
    }
    if is_door(last) && !is_door(first) {
        return Some("redirected_to_login");
    }
    (is_failure(last) && !is_failure(first)).then_some("redirected_to_error")
}

/// Whether an address is the home page of a site, or of one language of it.
fn is_home(url: &Url) -> bool {
    let mut segments = url
        .path_segments()
        .into_iter()
        .flatten()
        .filter(|segment| !segment.is_empty());
    let Some(first) = segments.next() else {
        // A query at the root may be a page: `/?p=12`.
        return url.query().is_none();
    };
    let last = segments.next();
    if segments.next().is_some() {
        return false;
    }
    let is_named = |segment: &str| HOMES.iter().any(|home| stem(segment).eq_ignore_ascii_case(home));
    let is_file = |segment: &str| segment.contains('.');
    match last {
        // `/index.php?p=12` may be a page, as the root with a query.
        None if is_named(first) => !is_file(first) || url.query().is_none(),
        None => is_language(first) && url.query().is_none(),
        Some(last) => is_language(first) && is_named(last) && url.query().is_none(),
    }
}

/// Whether a segment is a language of a site: `en`, `pt-br`, `zh_CN`. Other names of two letters stand for parts of a site,
/// so they must be codes of a language ([`LANGUAGES`]).
fn is_language(segment: &str) -> bool {
    let mut parts = segment.split(['-', '_']);
    let is_code = |code: &str| LANGUAGES.iter().any(|known| code.eq_ignore_ascii_case(known));
    let is_region =
        |region: &str| matches!(region.len(), 2 | 4) && region.bytes().all(|byte| byte.is_ascii_alphabetic());
    parts.next().is_some_and(is_code) && parts.next().is_none_or(is_region) && parts.next().is_none()
}

/// Whether an address is where a site asks its readers to sign in or to agree.
fn is_door(url: &Url) -> bool {
    let is = |names: &[&str], word: &str| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    let label = url
        .host_str()
        .and_then(|host| host.split_once('.'))
        .map(|(label, _)| label);
    let mut segments = url.path_segments().into_iter().flatten();
    label.is_some_and(|label| is(&DOORS, label) || is(&DOOR_HOSTS, label))
        || segments.any(|segment| is(&DOORS, stem(segment)))
}

/// Whether an address is the page of a site for addresses that it does not have.
fn is_failure(url: &Url) -> bool {
    let mut segments = url.path_segments().into_iter().flatten();
    let last = segments.rfind(|segment| !segment.is_empty());
    last.is_some_and(|last| FAILURES.iter().any(|name| stem(last).eq_ignore_ascii_case(name)))
}

/// A segment without the ending of a file.
fn stem(segment: &str) -> &str {
    segment.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(first: &str, last: &str) -> Option<&'static str> {
        let url = |path: &str| Url::parse(path).unwrap();
        elsewhere(&url(first), &url(last))
    }

    #[test]
    fn a_redirect_to_where_a_site_sends_everybody_says_nothing_of_the_page() {
        let (root, login, error) = ("redirected_to_root", "redirected_to_login", "redirected_to_error");
        for (last, reason) in [
            ("https://pages.example.com/", root),
            ("https://other.example.org/", root),
            ("https://pages.example.com/home", root),
            ("https://pages.example.com/index.html", root),
            ("https://pages.example.com/default.aspx", root),
            ("https://pages.example.com/en/", root),
            ("https://pages.example.com/pt-BR", root),
            ("https://pages.example.com/de/index.html", root),
            ("https://pages.example.com/404", error),
            ("https://pages.example.com/404.html", error),
            ("https://pages.example.com/en/not-found", error),
            ("https://pages.example.com/error?aspxerrorpath=/a/b", error),
            ("https://pages.example.com/login?next=/a/b", login),
            ("https://consent.example.com/?continue=x", login),
            ("https://login.example.com/oauth2/v2", login),
            ("https://accounts.example.com/x", login),
        ] {
            assert_eq!(
                between("https://pages.example.com/a/b", last),
                Some(reason),
                "{last}"
            );
        }
    }

    #[test]
    fn a_page_that_has_another_address_is_no_home_page_and_no_failure() {
        for last in [
            "https://pages.example.com/new/b",
            "https://pages.example.com/home/b",
            "https://pages.example.com/en/a/b",
            "https://pages.example.com/tv",
            "https://pages.example.com/index.php?p=12",
            "https://pages.example.com/?p=12",
            "https://pages.example.com/errors-of-1904",
            "https://pages.example.com/docs/404/b",
            "https://pages.example.com/docs/accounts",
            "https://www.pages.example.com/a/b/",
        ] {
            assert_eq!(between("https://pages.example.com/a/b", last), None, "{last}");
        }
        for (first, last) in [
            ("http://pages.example.com/", "https://pages.example.com/en/"),
            (
                "https://pages.example.com/index.html",
                "https://pages.example.com/",
            ),
            (
                "https://pages.example.com/docs/errors/404",
                "https://pages.example.com/docs/errors/404/",
            ),
            ("https://login.example.com/a", "https://login.example.com/b"),
        ] {
            assert_eq!(between(first, last), None, "{first} to {last}");
        }
    }
}
