//! What is known beyond the text. How it was fetched is the caller's to read; the other texts of a call are read here.

use std::collections::HashMap;

use crate::features;

/// For a text that other addresses of the call gave too.
const REPEATED: Hint = Hint {
    weight: 2.0,
    why: "another address gave the same short text",
};

/// For a text that shares no word with its title and query.
const UNRELATED: Hint = Hint {
    weight: 1.0,
    why: "it shares no word with its title or query, as the others do",
};

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
    // Of each short text an address, and whether there are others.
    let mut addresses: HashMap<&str, (&str, bool)> = HashMap::new();
    for member in members {
        let text = member.text.trim();
        if let (Some(url), 1..=SHORT) = (member.url, text.len()) {
            let (first, several) = addresses.entry(text).or_insert((url, false));
            *several |= *first != url;
        }
    }
    let related: Vec<Option<bool>> = members.iter().map(shares_a_word).collect();
    let judged = related.iter().flatten().count();
    let sharing = related.iter().flatten().filter(|shares| **shares).count();
    let usual = judged >= 4 && sharing * 4 >= judged * 3;
    let hints = |(member, related): (&Member<'_>, Option<bool>)| {
        let known = addresses.get(member.text.trim());
        let repeated = known.is_some_and(|(_, several)| *several).then_some(REPEATED);
        let unrelated = usual && related == Some(false) && member.text.len() <= SHORT;
        let unrelated = unrelated.then_some(UNRELATED);
        repeated.into_iter().chain(unrelated).collect()
    };
    members.iter().zip(related).map(hints).collect()
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
