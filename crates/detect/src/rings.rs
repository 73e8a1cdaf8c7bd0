//! What is known beyond the text: the transport of one signal, and the other texts of one call.

use std::collections::HashMap;

use crate::features;
use crate::verdict::{Inspection, Kind};

/// What a caller knows about how a text was fetched. All optional.
#[derive(Debug, Clone, Copy, Default)]
pub struct Transport<'a> {
    /// The address that was asked for.
    pub url: Option<&'a str>,
    /// The status of the answer.
    pub http_status: Option<u16>,
    /// Its media type, parameters and all.
    pub content_type: Option<&'a str>,
    /// Where redirects ended.
    pub final_url: Option<&'a str>,
}

/// What a final address says: these last parts of a path are not what anybody asked for.
const DETOURS: [(&str, Kind); 12] = [
    ("login", Kind::LoginRequired),
    ("signin", Kind::LoginRequired),
    ("sign-in", Kind::LoginRequired),
    ("captcha", Kind::Challenge),
    ("challenge", Kind::Challenge),
    ("sorry", Kind::Challenge),
    ("blocked", Kind::AccessDenied),
    ("consent", Kind::ConsentWall),
    ("404", Kind::NotFound),
    ("not-found", Kind::NotFound),
    ("notfound", Kind::NotFound),
    ("maintenance", Kind::Unavailable),
];

/// File types by the end of an address, and what the media type must then contain.
const TYPES: [(&str, &str); 5] = [
    (".json", "json"),
    (".pdf", "pdf"),
    (".xml", "xml"),
    (".csv", "csv"),
    (".zip", "zip"),
];

/// Weight of a detour or of a wrong media type, in units of the text's margin; of another host.
const HEAVY: f32 = 2.5;
const LIGHT: f32 = 0.3;

/// Weight of a text that other addresses of the call gave too, and of one that shares no word with its title and query.
const REPEATED: f32 = 2.0;
const UNRELATED: f32 = 1.0;

/// What a ring adds to the text's margin, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// Added to the margin; at least 0.
    pub weight: f32,
    /// What it points to.
    pub kind: Option<Kind>,
    /// Why, in words.
    pub why: &'static str,
}

impl Transport<'_> {
    /// A status from 400 up, which needs no text: the verdict. Everything else only adds weight: see [`Self::hints`].
    pub fn verdict(&self) -> Option<Inspection> {
        let status = self.http_status.filter(|status| (400..600).contains(status))?;
        let kind = match status {
            401 | 407 => Kind::LoginRequired,
            402 | 403 | 451 => Kind::AccessDenied,
            404 | 410 => Kind::NotFound,
            408 | 504 | 522 | 524 => Kind::Timeout,
            429 => Kind::RateLimited,
            503 => Kind::Unavailable,
            500.. => Kind::ServerError,
            _ => Kind::ClientError,
        };
        Some(
            Inspection::failure(kind, 0.99, format!("the answer had HTTP status {status}"))
                .with("transport", format!("HTTP {status}")),
        )
    }

    /// What weighs besides the status. Never fails a text alone.
    pub fn hints(&self) -> Vec<Hint> {
        let mut hints = Vec::new();
        let path = |url: &str| -> String {
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            rest.split_once('/')
                .map_or("", |(_, path)| path)
                .trim_end_matches('/')
                .to_ascii_lowercase()
        };
        let asked = self.url.map(path).unwrap_or_default();
        if let Some(ended) = self.final_url.map(path)
            && ended != asked
        {
            let parts = || {
                ended
                    .split('/')
                    .flat_map(|part| [part, part.split('.').next().unwrap_or(part)])
            };
            if let Some((_, kind)) = DETOURS
                .iter()
                .find(|(name, _)| parts().any(|part| part == *name) && !asked.contains(name))
            {
                hints.push(Hint {
                    weight: HEAVY,
                    kind: Some(*kind),
                    why: "the final address is not that of a document",
                });
            }
        }
        if let (Some(from), Some(to)) = (self.url.map(host), self.final_url.map(host))
            && from != to
        {
            hints.push(Hint {
                weight: LIGHT,
                kind: None,
                why: "the final address is on another host",
            });
        }
        if let Some(media) = self.content_type.map(str::to_ascii_lowercase)
            && media.contains("html")
            && TYPES.iter().any(|(end, _)| asked.ends_with(end))
        {
            hints.push(Hint {
                weight: HEAVY,
                kind: None,
                why: "HTML came where the address names another type",
            });
        }
        hints
    }
}

fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest
        .split(['/', '?', '#', ':'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    host.strip_prefix("www.").map_or(host.clone(), str::to_owned)
}

/// One signal of a call, as the batch sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Member<'a> {
    /// Where it is from.
    pub url: Option<&'a str>,
    /// Its title.
    pub title: Option<&'a str>,
    /// What was searched for.
    pub query: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
}

/// Longest text that counts as the same short text under several addresses, in bytes.
const SHORT: usize = 1000;

/// What the other texts of a call say about each: the same short text under different addresses; no word shared with its own
/// title and query where the siblings do. Linear in the texts' first 1,000 bytes.
pub fn batch(members: &[Member<'_>]) -> Vec<Vec<Hint>> {
    let mut addresses: HashMap<&str, Vec<&str>> = HashMap::new();
    for member in members {
        let text = member.text.trim();
        if let (Some(url), 1..=SHORT) = (member.url, text.len()) {
            let known = addresses.entry(text).or_default();
            if !known.contains(&url) && known.len() < 2 {
                known.push(url);
            }
        }
    }
    let related: Vec<Option<bool>> = members.iter().map(shares_a_word).collect();
    let judged = related.iter().flatten().count();
    let sharing = related.iter().flatten().filter(|shares| **shares).count();
    let usual = judged >= 4 && sharing * 4 >= judged * 3;
    members
        .iter()
        .zip(related)
        .map(|(member, related)| {
            let mut hints = Vec::new();
            if addresses
                .get(member.text.trim())
                .is_some_and(|known| known.len() > 1)
            {
                hints.push(Hint {
                    weight: REPEATED,
                    kind: None,
                    why: "another address gave the same short text",
                });
            }
            if usual && related == Some(false) && member.text.len() <= SHORT {
                hints.push(Hint {
                    weight: UNRELATED,
                    kind: None,
                    why: "it shares no word with its title or query, as the others do",
                });
            }
            hints
        })
        .collect()
}

/// Whether a text shares a word of four letters or more with its title or query; `None` where there is nothing to compare.
fn shares_a_word(member: &Member<'_>) -> Option<bool> {
    let mut wanted = Vec::new();
    for part in [member.title, member.query].into_iter().flatten() {
        features::walk(crate::segment::head(part, 200), 0, |gram| {
            if gram.word && gram.end - gram.start >= 4 {
                wanted.push(gram.bucket);
            }
        });
    }
    if wanted.is_empty() {
        return None;
    }
    let mut shares = false;
    features::walk(crate::segment::head(member.text, SHORT), 0, |gram| {
        shares |= gram.word && wanted.contains(&gram.bucket);
    });
    Some(shares)
}
