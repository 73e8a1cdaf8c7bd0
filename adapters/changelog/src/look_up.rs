//! Any page of the web by its address: whether it is still there, and under which address.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Cx, DateEvidence, ErrorCode, Lookup, Presence, Response, SourceError, StandingEvidence, StandingState,
};
use freshcontext_parse::text;

use crate::parse::headers;
use crate::parse::page::Page;
use crate::redirects;
use crate::site::{self, Document};

/// Segments of addresses to which sites send who is not signed in.
const DOORS: [&str; 6] = ["login", "signin", "sign-in", "sign_in", "consent", "captcha"];

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
        Ok(Document::Html(page, _)) => Lookup::found(
            Some(page.title).filter(|title| !title.is_empty()),
            page.dates.date,
            page.standing,
        ),
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
        (ErrorCode::NotFound, _) => Lookup::or_gone(Err(error), Basis::Mark, Some(asked)),
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

/// Why an answer from another address is none of the page that was asked for.
fn elsewhere(first: &Url, last: &Url) -> Option<&'static str> {
    let is_root = |url: &Url| matches!(url.path(), "" | "/") && url.query().is_none();
    if is_root(last) && !is_root(first) {
        return Some("redirected_to_root");
    }
    let leads_in = |url: &Url| {
        let mut segments = url.path_segments().into_iter().flatten();
        segments.any(|segment| {
            DOORS.iter().any(|door| {
                segment
                    .split('.')
                    .next()
                    .is_some_and(|segment| segment.eq_ignore_ascii_case(door))
            })
        })
    };
    (leads_in(last) && !leads_in(first)).then_some("redirected_to_login")
}
