//! What is known beyond the text. How it was fetched is the caller's to read; the other texts of a call are read here.

use std::collections::HashMap;

use crate::features;

/// Weight of a text that other addresses of the call gave too, and of one that shares no word with its title and query.
const REPEATED: f32 = 2.0;
const UNRELATED: f32 = 1.0;

/// Weight of a retrieval that ended elsewhere, or brought another type than its address names, in units of the margin.
pub const DETOUR: f32 = 2.5;

/// What a ring adds to the text's margin, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// Added to the margin; at least 0.
    pub weight: f32,
    /// Why, in words.
    pub why: &'static str,
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

/// How much of a text is compared with its title and query, in bytes.
const COMPARED: usize = 400;

/// What the other texts of a call say about each: the same short text under different addresses; no word shared with its own
/// title and query where the siblings do. Nothing where every text is long; linear in the texts' beginnings.
pub fn batch(members: &[Member<'_>]) -> Vec<Vec<Hint>> {
    if members.len() < 2 || members.iter().all(|member| member.text.len() > SHORT) {
        return Vec::new();
    }
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
                    why: "another address gave the same short text",
                });
            }
            if usual && related == Some(false) && member.text.len() <= SHORT {
                hints.push(Hint {
                    weight: UNRELATED,
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
        features::walk(crate::text::head(part, 200), 0, |gram| {
            if gram.word && gram.end - gram.start >= 4 {
                wanted.push(gram.bucket);
            }
        });
    }
    if wanted.is_empty() {
        return None;
    }
    let mut shares = false;
    features::walk(crate::text::head(member.text, COMPARED), 0, |gram| {
        shares |= gram.word && wanted.contains(&gram.bucket);
    });
    Some(shares)
}
