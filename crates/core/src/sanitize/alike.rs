//! What characters look like, as far as an envelope's delimiter is concerned.
//!
//! The tables are made from Unicode's own data and not written by hand: compatibility decompositions (UAX #15), the
//! confusables of UTS #39, and the property `Bidi_Paired_Bracket_Type` (UAX #9). They are kept as constants, because
//! looking a character up in the whole of that data costs more memory than a server at rest needs. The test below
//! makes them anew and compares; `UPDATE_TABLES=1 cargo test -p freshcontext-core tables` writes them.

use super::tables::{CLOSINGS, LETTERS, OPENINGS, SLASHES};

/// Whether a character looks like an opening bracket, other than a round or a curly one: those are everywhere in
/// code and prose, and no delimiter has them.
pub(super) fn is_opening(c: char) -> bool {
    c == '[' || (!c.is_ascii() && OPENINGS.binary_search(&c).is_ok())
}

/// The same for closing ones.
pub(super) fn is_closing(c: char) -> bool {
    c == ']' || (!c.is_ascii() && CLOSINGS.binary_search(&c).is_ok())
}

/// Whether a character looks like a slash or a backslash.
pub(super) fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\') || (!c.is_ascii() && SLASHES.binary_search(&c).is_ok())
}

/// The capital letter of the delimiters' name that a character looks like, whatever its case.
pub(super) fn letter(c: char) -> Option<u8> {
    if c.is_ascii() {
        return match u8::try_from(c).map(|byte| byte.to_ascii_uppercase()) {
            Ok(b'0') => Some(b'O'),
            Ok(byte) if super::NAME.contains(&byte) => Some(byte),
            _ => None,
        };
    }
    let at = LETTERS.binary_search_by_key(&c, |(alike, _)| *alike).ok()?;
    LETTERS.get(at).map(|(_, letter)| *letter)
}

/// Whether a byte is the first of anything that [`is_opening`] names outside ASCII.
pub(super) fn is_lead_of_opening(byte: u8) -> bool {
    matches!(byte, 0xe0..=0xe3 | 0xef)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use icu_properties::CodePointMapData;
    use icu_properties::props::{BidiMirroringGlyph, BidiPairedBracketType};
    use unicode_normalization::UnicodeNormalization as _;
    use unicode_normalization::char::is_combining_mark;

    use super::*;
    use crate::sanitize::NAME;

    /// Shapes that Unicode draws from a letter or a bracket without saying so in the data used here: letters in
    /// a dark disc, in a dark square, and of flags (each an alphabet from A), small capitals, and the pieces of
    /// which tall square brackets are built.
    const ALPHABETS: [char; 3] = ['\u{1f150}', '\u{1f170}', '\u{1f1e6}'];
    const SMALL_CAPITALS: [(char, u8); 7] = [
        ('ꜰ', b'F'),
        ('ʀ', b'R'),
        ('ᴇ', b'E'),
        ('ꜱ', b'S'),
        ('ʜ', b'H'),
        ('ɴ', b'N'),
        ('ᴛ', b'T'),
    ];
    const OPENING_PIECES: std::ops::RangeInclusive<char> = '⎡'..='⎣';
    const CLOSING_PIECES: std::ops::RangeInclusive<char> = '⎤'..='⎦';

    fn bracket(c: char, wanted: BidiPairedBracketType) -> bool {
        CodePointMapData::<BidiMirroringGlyph>::new()
            .get(c)
            .paired_bracket_type
            == wanted
    }

    fn single(text: &str) -> Option<char> {
        let mut chars = text.chars().filter(|c| !is_combining_mark(*c));
        chars.next().filter(|_| chars.next().is_none())
    }

    /// What a character stands for or can be taken for, one character each.
    fn readings(c: char) -> Vec<char> {
        let compatible: String = c.nfkc().collect();
        // Also within the parentheses or before the stop that come with an enclosed letter.
        let enclosed: String = compatible.chars().filter(|part| part.is_alphanumeric()).collect();
        let mut forms = vec![compatible, enclosed, c.to_string()];
        forms.extend(
            [c.to_uppercase().collect(), c.to_lowercase().collect::<String>()]
                .into_iter()
                .filter(|other| *other != c.to_string()),
        );
        let skeletons: Vec<String> = forms
            .iter()
            .map(|form| unicode_security::skeleton(form).collect())
            .collect();
        forms
            .iter()
            .chain(&skeletons)
            .filter_map(|form| single(form))
            .collect()
    }

    fn letter_of(c: char, readings: &[char]) -> Option<u8> {
        let alphabet = ALPHABETS.iter().find_map(|first| {
            let place = u32::from(c)
                .checked_sub(u32::from(*first))
                .filter(|place| *place < 26)?;
            u8::try_from(place).ok().map(|place| b'A' + place)
        });
        let small = SMALL_CAPITALS.iter().find(|(small, _)| readings.contains(small));
        readings
            .iter()
            .filter(|reading| reading.is_ascii())
            .filter_map(|reading| letter(*reading))
            .chain(alphabet)
            .chain(small.map(|(_, letter)| *letter))
            .find(|letter| NAME.contains(letter))
    }

    #[derive(Default, PartialEq)]
    struct Tables {
        openings: Vec<char>,
        closings: Vec<char>,
        slashes: Vec<char>,
        letters: Vec<(char, u8)>,
    }

    fn made() -> Tables {
        let mut made = Tables::default();
        // Behind the second plane there are ideographs only.
        for c in '\u{80}'..'\u{20000}' {
            let compatible: String = c.nfkc().collect();
            let plain = single(&compatible).unwrap_or(c);
            let ordinary = matches!(plain, '(' | ')' | '{' | '}');
            let is = |wanted| !ordinary && (bracket(c, wanted) || bracket(plain, wanted));
            if is(BidiPairedBracketType::Open) || OPENING_PIECES.contains(&c) {
                made.openings.push(c);
                continue;
            }
            if is(BidiPairedBracketType::Close) || CLOSING_PIECES.contains(&c) {
                made.closings.push(c);
                continue;
            }
            let readings = readings(c);
            if readings.iter().any(|reading| matches!(reading, '/' | '\\')) {
                made.slashes.push(c);
            } else if let Some(letter) = letter_of(c, &readings) {
                made.letters.push((c, letter));
            }
        }
        made
    }

    fn source(tables: &Tables) -> String {
        let mut out = String::from(
            "//! Made by `UPDATE_TABLES=1 cargo test -p freshcontext-core tables`; see `alike`.\n",
        );
        let chars = |list: &[char]| -> Vec<String> {
            list.iter()
                .map(|c| format!("'\\u{{{:x}}}'", u32::from(*c)))
                .collect()
        };
        let letters = tables
            .letters
            .iter()
            .map(|(c, letter)| format!("('\\u{{{:x}}}', b'{}')", u32::from(*c), char::from(*letter)))
            .collect();
        for (about, name, kind, entries) in [
            ("Opening brackets.", "OPENINGS", "char", chars(&tables.openings)),
            ("Closing brackets.", "CLOSINGS", "char", chars(&tables.closings)),
            (
                "Slashes and backslashes.",
                "SLASHES",
                "char",
                chars(&tables.slashes),
            ),
            (
                "Letters of the name, as capitals.",
                "LETTERS",
                "(char, u8)",
                letters,
            ),
        ] {
            let _ = write!(
                out,
                "\n/// {about}\n#[rustfmt::skip]\npub(super) static {name}: [{kind}; {}] = [\n",
                entries.len()
            );
            let per_line = if kind == "char" { 10 } else { 6 };
            for line in entries.chunks(per_line) {
                let _ = writeln!(out, "    {},", line.join(", "));
            }
            out.push_str("];\n");
        }
        out
    }

    #[test]
    fn the_tables_are_what_unicode_says() {
        let made = made();
        let kept = Tables {
            openings: OPENINGS.to_vec(),
            closings: CLOSINGS.to_vec(),
            slashes: SLASHES.to_vec(),
            letters: LETTERS.to_vec(),
        };
        if std::env::var_os("UPDATE_TABLES").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sanitize/tables.rs");
            std::fs::write(file, source(&made)).unwrap();
        } else {
            assert!(made == kept, "the tables are old: see the top of this file");
        }
    }

    #[test]
    fn the_tables_are_sorted_and_their_first_bytes_known() {
        assert!(OPENINGS.is_sorted() && CLOSINGS.is_sorted() && SLASHES.is_sorted());
        assert!(LETTERS.is_sorted_by_key(|(c, _)| *c));
        for c in OPENINGS {
            assert!(is_lead_of_opening(c.to_string().as_bytes()[0]), "{c:?}");
        }
    }
}
