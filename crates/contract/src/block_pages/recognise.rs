//! Judging an HTTP answer by the marks.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::error::{ErrorCode, SourceError};
use crate::failure::FailureKind;
use crate::wire::{Headers, Response};

use super::fingerprint::{Fingerprint, Strength};
use super::search::Search;
use super::table::{FINGERPRINTS, HEADER_MARKS};

/// Most of a body that is searched, in bytes: this much of its head, and a quarter of it of its tail
/// (some marks stand at the very end).
const SEARCHED: usize = 1 << 20;

/// Words beside the marks up to which a good status still counts as a block page: a stock page has some
/// explanation on it, a document has more than that.
const BLOCK_PAGE_WORDS: usize = 250;

/// The same where the mark may stand on good pages, too.
const HINT_WORDS: usize = 12;

/// The same where the status is a refusal already, and the mark only says whose.
const REFUSED_WORDS: usize = 1500;

/// A block page that stood in for the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPage {
    /// Whose block page it is, for example `Cloudflare`.
    pub vendor: &'static str,
    /// What it means for the caller.
    pub code: ErrorCode,
    /// The same more finely, where the code does not say it.
    pub detail: Option<&'static str>,
    /// One line for the reader.
    pub reason: String,
}

impl BlockPage {
    fn new(vendor: &'static str, kind: FailureKind) -> Self {
        Self {
            vendor,
            code: kind.code(),
            detail: Some(kind.as_str()).filter(|kind_name| *kind_name != kind.code().as_str()),
            reason: format!("{vendor} answered with {} instead of the content", kind.phrase()),
        }
    }
}

impl From<BlockPage> for SourceError {
    fn from(page: BlockPage) -> Self {
        Self {
            detail: page.detail.map(Into::into),
            ..Self::new(page.code, page.reason).with("vendor", page.vendor)
        }
    }
}

impl Response {
    /// Returns the error for a known block page; `None` if the answer is not one. For readers that accept more than
    /// their documented shape and find neither.
    pub fn block_page(&self) -> Option<SourceError> {
        let block_page = recognise(self.status, &self.media_type(), &self.headers, &self.body)?;
        Some(SourceError::from(block_page).status(self.status))
    }
}

/// Recognises a block page in an HTTP answer: for answers that are not of the kind that was due, for
/// refusing statuses, and for HTML pages. `body` is the decoded body in any ASCII-compatible charset.
///
/// Shape comes first: a page with a document on it is no block page, whatever it quotes. `None` says that no
/// known vendor's block page was seen, not that the answer is good. Work is bounded by the searched part of
/// the body (1.25 MiB) and linear in it.
pub fn recognise(status: u16, media_type: &str, headers: &Headers, body: &[u8]) -> Option<BlockPage> {
    let refused = !(200..400).contains(&status);
    for mark in HEADER_MARKS {
        let Some(value) = headers.get(mark.name) else {
            continue;
        };
        let fits = mark.value.is_empty() || value.to_ascii_lowercase().contains(mark.value);
        if fits && mark.strength == Strength::Proof {
            return Some(BlockPage::new(mark.vendor, mark.kind));
        }
    }
    let marks = fingerprints_in(body);
    let structured = ["json", "csv"].iter().any(|kind| media_type.contains(kind));
    let words = if structured {
        text_words(body)
    } else {
        page_words(body)
    };
    let allowed = |mark: &Fingerprint| match (refused, mark.strength) {
        (true, _) => REFUSED_WORDS,
        (false, Strength::Proof) => BLOCK_PAGE_WORDS,
        (false, Strength::Hint) => HINT_WORDS,
    };
    if let Some(mark) = best(&marks)
        && words <= allowed(mark)
    {
        return Some(BlockPage::new(mark.vendor, mark.kind));
    }
    if !refused || words > REFUSED_WORDS {
        return None;
    }
    let header = HEADER_MARKS.iter().find(|mark| {
        let value = headers.get(mark.name).map(str::to_ascii_lowercase);
        matches!(status, 401 | 403 | 405 | 406 | 429 | 503)
            && value.is_some_and(|value| value.contains(mark.value))
    })?;
    Some(BlockPage::new(
        header.vendor,
        if status == 429 {
            FailureKind::RateLimited
        } else {
            header.kind
        },
    ))
}

/// The marks that occur in a body, each once, in the order of the table. Searches at most the first
/// MiB and the last quarter MiB.
pub fn fingerprints_in(body: &[u8]) -> Vec<&'static Fingerprint> {
    static SEARCH: LazyLock<Search> =
        LazyLock::new(|| Search::new(FINGERPRINTS.iter().copied().flatten().map(|mark| mark.needle)));
    let mut found = BTreeSet::new();
    for part in parts(body) {
        SEARCH.find(part, &mut found);
    }
    if found.is_empty() {
        return Vec::new();
    }
    let all = FINGERPRINTS.iter().copied().flatten().enumerate();
    all.filter(|(index, _)| found.contains(index))
        .map(|(_, mark)| mark)
        .collect()
}

/// The mark that says most: a proof before a hint; a vendor's challenge before what else the page says.
pub fn best<'a>(marks: &[&'a Fingerprint]) -> Option<&'a Fingerprint> {
    let rank = |mark: &Fingerprint| (mark.strength, mark.kind == FailureKind::Challenge);
    marks.iter().copied().rev().max_by_key(|mark| rank(mark))
}

/// The searched parts of a body.
fn parts(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (head, rest) = body.split_at_checked(SEARCHED).unwrap_or((body, &[]));
    let tail = rest
        .get(rest.len().saturating_sub(SEARCHED / 4)..)
        .unwrap_or_default();
    [head, tail].into_iter().filter(|part| !part.is_empty())
}

/// Words of a text, counted up to one more than matters.
fn text_words(body: &[u8]) -> usize {
    let words = body.split(u8::is_ascii_whitespace).filter(|word| word.len() > 1);
    words
        .take(REFUSED_WORDS + 1)
        .count()
        .max(body.len().min(SEARCHED) / 40)
}

/// Visible words of a page: tags, scripts, styles and link texts do not count. Counted up to one more
/// than matters.
fn page_words(body: &[u8]) -> usize {
    let mut rest = body.get(..SEARCHED.min(body.len())).unwrap_or_default();
    let mut words = 0;
    while !rest.is_empty() && words <= REFUSED_WORDS {
        let open = memchr(b'<', rest).unwrap_or(rest.len());
        let (text, markup) = rest.split_at_checked(open).unwrap_or((rest, &[]));
        words += text
            .split(u8::is_ascii_whitespace)
            .filter(|word| word.len() > 1)
            .count();
        rest = after_element(markup);
    }
    words
}

/// What follows a tag; for elements whose text nobody reads as content, what follows the element.
fn after_element(markup: &[u8]) -> &[u8] {
    const UNREAD: [&[u8]; 6] = [b"<script", b"<style", b"<title", b"<noscript", b"<svg", b"<a "];
    let starts = |name: &[u8]| {
        markup
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let tag_end = memchr(b'>', markup).map_or(markup.len(), |at| at + 1);
    let after_tag = markup.get(tag_end..).unwrap_or_default();
    let Some(name) = UNREAD.iter().find(|name| starts(name)) else {
        return after_tag;
    };
    let name = name.trim_ascii_end();
    let mut rest = after_tag;
    while let Some(at) = memchr(b'<', rest) {
        rest = rest.get(at..).unwrap_or_default();
        let closes = rest.get(1..=name.len()).is_some_and(|close| {
            close.first() == Some(&b'/')
                && close
                    .get(1..)
                    .is_some_and(|close| name.get(1..).is_some_and(|name| close.eq_ignore_ascii_case(name)))
        });
        rest = rest.get(1..).unwrap_or_default();
        if closes {
            let end = memchr(b'>', rest).map_or(rest.len(), |at| at + 1);
            return rest.get(end..).unwrap_or_default();
        }
    }
    &[]
}

fn memchr(byte: u8, text: &[u8]) -> Option<usize> {
    text.iter().position(|candidate| *candidate == byte)
}
