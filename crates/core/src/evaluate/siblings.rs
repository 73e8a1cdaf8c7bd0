//! Evidence about a signal from the other signals of its call, independent of their texts.

use std::collections::HashMap;

use freshcontext_detect::{Hint, features};

use super::given::Given;

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

/// Longest text that counts as the same short text under several addresses, in bytes.
const SHORT: usize = 1000;

/// How much of a text is compared with its title and query, in bytes.
const COMPARED: usize = 400;

/// How much of a title, and of a query, it is compared with, in bytes.
const ASKED: usize = 200;

/// For each signal, what the others say: the same short text under different addresses; no word shared with its own title and query
/// where the siblings do. Nothing where every text is long; linear in the texts' beginnings.
pub(super) fn hints(signals: &[Given<'_>], query: Option<&str>) -> Vec<Vec<Hint>> {
    if signals.len() < 2 || signals.iter().all(|given| text(given).len() > SHORT) {
        return Vec::new();
    }
    // Of each short text an address, and whether there are others.
    let mut addresses: HashMap<&str, (&str, bool)> = HashMap::new();
    for given in signals {
        let text = text(given).trim();
        if (1..=SHORT).contains(&text.len()) {
            let (first, several) = addresses.entry(text).or_insert((given.source, false));
            *several |= *first != given.source;
        }
    }
    let related: Vec<Option<bool>> = signals.iter().map(|given| shares_a_word(given, query)).collect();
    let judged = related.iter().flatten().count();
    let sharing = related.iter().flatten().filter(|shares| **shares).count();
    let usual = judged >= 4 && sharing * 4 >= judged * 3;
    let of_one = |(given, related): (&Given<'_>, Option<bool>)| {
        let known = addresses.get(text(given).trim());
        let repeated = known.is_some_and(|(_, several)| *several).then_some(REPEATED);
        let unrelated = usual && related == Some(false) && text(given).len() <= SHORT;
        let unrelated = unrelated.then_some(UNRELATED);
        repeated.into_iter().chain(unrelated).collect()
    };
    signals.iter().zip(related).map(of_one).collect()
}

fn text<'a>(given: &Given<'a>) -> &'a str {
    given.content.unwrap_or_default()
}

/// Whether a signal's text shares a word of four letters or more with its title or the query; `None` where there is nothing to
/// compare.
fn shares_a_word(given: &Given<'_>, query: Option<&str>) -> Option<bool> {
    let mut wanted = Vec::new();
    for part in [given.title, query].into_iter().flatten() {
        features::walk(head(part, ASKED), 0, |gram| {
            if gram.word && gram.end - gram.start >= 4 {
                wanted.push(gram.bucket);
            }
        });
    }
    if wanted.is_empty() {
        return None;
    }
    let mut shares = false;
    features::walk(head(text(given), COMPARED), 0, |gram| {
        shares |= gram.word && wanted.contains(&gram.bucket);
    });
    Some(shares)
}

/// The longest head of a text with at most `bytes` bytes.
fn head(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_short_text_under_several_addresses_weighs() {
        let given = |source, content| Given {
            source,
            title: Some("Tides in the harbour"),
            content: Some(content),
            ..Given::default()
        };
        let same = "Welcome. Please choose your region to go on.";
        let signals = [
            given("https://a.example/1", same),
            given("https://b.example/2", same),
            given("https://c.example/3", "Tides are high in spring."),
            given("https://d.example/4", "The harbour was rebuilt."),
            given(
                "https://e.example/5",
                "Low tides show the old pier of the harbour.",
            ),
        ];
        let hints = hints(&signals, None);
        let counts: Vec<usize> = hints.iter().map(Vec::len).collect();
        assert!(counts[0] >= 1 && counts[1] >= 1, "{hints:?}");
        assert_eq!(&counts[2..], [0, 0, 0]);
    }

    #[test]
    fn a_short_text_beside_its_subject_weighs_where_the_others_keep_to_theirs() {
        let given = |source, title, content| Given {
            source,
            title: Some(title),
            content: Some(content),
            ..Given::default()
        };
        let mut signals = vec![
            given("a", "Tides in spring", "Tides are high in spring."),
            given("b", "The old pier", "The pier was rebuilt."),
            given("c", "Harbour dues", "Dues for the harbour rise."),
            given("d", "Ferry times", "Pick a region to go on."),
        ];
        assert_eq!(hints(&signals, None), [vec![], vec![], vec![], vec![UNRELATED]]);
        // The query counts, too; and of three signals none is said to be odd.
        assert_eq!(hints(&signals, Some("region")).concat(), []);
        signals.remove(0);
        assert_eq!(hints(&signals, None).concat(), []);
    }
}
