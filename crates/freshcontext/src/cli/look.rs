//! Terminal formatting of a result: colours and hyperlinks. The text stays unchanged.

use std::fmt::Write as _;

use url::Url;

use crate::output::{Style, paint_on};

/// Maximum length of an address that becomes a hyperlink, in bytes. Terminals ignore longer ones.
const LINK_BYTES: usize = 2_000;
/// Minimum score of a fresh item, and minimum score without a warning, from the specification's bands.
const FRESH: u32 = 70;
const USABLE: u32 = 50;

/// Colours a result without control characters other than line ends and tabs.
pub(super) fn answer(text: &str) -> String {
    let mut in_head = false;
    let lines = text.lines().map(|line| {
        // Sections of a composite have headers of their own.
        in_head = line == "[FRESHCONTEXT]" || in_head && line != "---";
        paint_on(true, style(line, in_head), &linked(line))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn style(line: &str, in_head: bool) -> Style {
    if line.starts_with('[') && !line.contains("FRESHCONTEXT") {
        return Style::Bold;
    }
    let frame = ["[FRESHCONTEXT]", "[/FRESHCONTEXT]", "---"].contains(&line)
        || line.starts_with("Data ")
        || line.starts_with("End of data ");
    if frame {
        return Style::Dim;
    }
    let Some((key, value)) = line.split_once(": ").filter(|_| in_head) else {
        return Style::Plain;
    };
    match (key, value.split(' ').next().unwrap_or_default()) {
        ("Score", score) => match score.parse() {
            Ok(FRESH..) => Style::Good,
            Ok(USABLE..) => Style::Middling,
            Ok(_) => Style::Bad,
            Err(_) => Style::Plain,
        },
        ("Confidence", "high") => Style::Good,
        ("Confidence", "medium") => Style::Middling,
        ("Confidence", "low") => Style::Bad,
        _ => Style::Plain,
    }
}

/// Turns the addresses of a line into hyperlinks (OSC 8).
fn linked(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = first_address(rest) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let end = from
            .find(|c: char| c.is_whitespace() || "<>\"`|".contains(c))
            .unwrap_or(from.len());
        let word = from.get(..end).unwrap_or(from);
        let address = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
        // A bracket that opened before the address closes after it.
        let address = match address.strip_suffix([')', ']', '}']) {
            Some(inner) if !inner.contains(['(', '[', '{']) => inner,
            _ => address,
        };
        out.push_str(before);
        match Url::parse(address) {
            // A serialised URL is ASCII without control characters.
            Ok(url) if url.has_host() && url.as_str().len() <= LINK_BYTES => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\x1b]8;;{url}\x1b\\{address}\x1b]8;;\x1b\\");
            }
            _ => out.push_str(address),
        }
        rest = from.get(address.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn first_address(text: &str) -> Option<usize> {
    ["https://", "http://"]
        .iter()
        .filter_map(|scheme| text.find(scheme))
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn link(address: &str) -> String {
        format!("\x1b]8;;{address}\x1b\\{address}\x1b]8;;\x1b\\")
    }

    /// Removes escape sequences.
    fn plain(text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('\x1b') {
            out.push_str(before);
            rest = match after.strip_prefix("]8;;") {
                Some(osc) => osc.split_once("\x1b\\").unwrap().1,
                None => after.split_once('m').unwrap().1,
            };
        }
        out + rest
    }

    #[test]
    fn addresses_become_links_without_the_punctuation_around_them() {
        let address = "https://example.com/a?b=c";
        for (line, expected) in [
            (
                format!("see {address}, or not"),
                format!("see {}, or not", link(address)),
            ),
            (format!("({address})."), format!("({}).", link(address))),
            (format!("{address} {address}"), format!("{0} {0}", link(address))),
        ] {
            assert_eq!(linked(&line), expected);
        }
        let wiki = "https://example.com/wiki/Rust_(language)";
        assert_eq!(linked(wiki), link(wiki));
        assert_eq!(linked("https:// and http://"), "https:// and http://");
    }

    #[test]
    fn scores_and_confidence_have_colours_in_the_head_only() {
        let shown =
            answer("[FRESHCONTEXT]\nConfidence: high\nScore: 50 (verify)\n---\nScore: 3\n[1] A title");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines,
            [
                "\x1b[2m[FRESHCONTEXT]\x1b[0m",
                "\x1b[32mConfidence: high\x1b[0m",
                "\x1b[33mScore: 50 (verify)\x1b[0m",
                "\x1b[2m---\x1b[0m",
                "Score: 3",
                "\x1b[1m[1] A title\x1b[0m",
            ]
        );
    }

    proptest! {
        #[test]
        fn the_words_stay_as_they_are(text in "(https?://|[ -~\n]|\\PC){0,60}") {
            prop_assert_eq!(plain(&answer(text.trim_end())), text.trim_end().lines().collect::<Vec<_>>().join("\n"));
        }
    }
}
