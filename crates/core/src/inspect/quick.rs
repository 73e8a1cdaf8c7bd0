//! Seeing that prose is prose without reading it twice.
//!
//! Most texts are content, and most content is plain ASCII prose whose first kilobyte shows a subject of
//! its own. The full reading of such a text folds it, searches it for four thousand wordings and weighs
//! every statement. This pass counts only the statements that are certain to be the text's own, by bounds
//! that hold for [`read`](super::reading::read), and accepts once they are enough; what it cannot be
//! certain of it leaves uncounted, and a text that it does not accept is read in full.
//!
//! A statement is certain where all of this holds:
//!
//! * Its bytes are ASCII, and no *anchor* is in it: every wording is one word, or has a run of
//!   two or three neighbours that is listed, so there is none in the statement. Single words of furniture, advice and
//!   explanation are allowed.
//! * More of its words have a subject of their own than are allowed words or belong to retrieving, failing
//!   and addressing, by at least three. Every rule that would make it a part of a failure page asks for
//!   fewer.
//! * It is longer than the lone words that head failure pages, and no line of a stack trace.

use super::anchors::{Known, Short, Table, hash, hash_of, short, table};
use super::fold::{WRAPPED, head};
use super::reading::ENOUGH;
use super::words;

/// How much is looked at, in bytes.
const LOOK: usize = 3 << 10;

/// Shorter statements may be a heading or a lone word of failure.
const SHORTEST: usize = 7;

/// A word of letters that is followed by white space, with a mark in between or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    /// Small letters.
    key: Short,
    /// How many they are.
    letters: usize,
    /// With the space before it and its mark.
    length: usize,
    /// Its mark ends a sentence.
    ends: bool,
}

impl Word {
    /// The longest one, in letters.
    const LONGEST: usize = size_of::<Short>();
    /// With a space before it, a mark, and what follows that.
    const SEEN: usize = Self::LONGEST + 3;

    /// The word that these bytes begin with, perhaps behind a space, if they are enough to see its end.
    fn read(bytes: &[u8; Self::SEEN]) -> Option<Self> {
        let from = usize::from(bytes.first() == Some(&b' '));
        let word = bytes.get(from..)?;
        let (first, mut letters) = leading(*word.first_chunk()?);
        let mut next = 0;
        if letters == 8 {
            let (more, count) = leading(*word.get(8..)?.first_chunk()?);
            next = more;
            letters += count;
        }
        let mark = *word.get(letters)?;
        let marked = !is_blank(mark);
        if letters == 0 || (marked && !(is_one_of(mark, b",;:.!?") && is_blank(*word.get(letters + 1)?))) {
            return None;
        }
        Some(Self {
            key: [first, next],
            letters,
            length: from + letters + usize::from(marked),
            ends: marked && is_one_of(mark, b".!?"),
        })
    }
}

/// The letters that eight bytes begin with, as small ones, and how many they are. All bytes at once: a loop
/// that ends where a word does costs more than all the rest of reading it.
fn leading(bytes: [u8; 8]) -> (u64, usize) {
    const EACH: u64 = u64::MAX / 0xff;
    // A small letter for a large one, and for nothing else.
    let small = u64::from_le_bytes(bytes) | (EACH * 0x20);
    // The upper bit of each byte: it is beyond `z`, or does not reach `a`, or is none of ASCII. What is carried
    // over falls behind such a byte, where nothing is asked any more.
    let beyond = small.wrapping_add(EACH * u64::from(0x7f - b'z'));
    let reaches = small.wrapping_add(EACH * u64::from(0x80 - b'a'));
    let others = ((beyond | !reaches | small) >> 7) & EACH;
    // All below the lowest of those bits.
    let letters = small & others.wrapping_sub(1) & !others;
    (letters, others.trailing_zeros() as usize / 8)
}

/// Whether a byte is one of these, all of them below 64. A shift, not a comparison with each.
const fn is_one_of(byte: u8, those: &[u8]) -> bool {
    let (mut set, mut rest) = (0_u64, those);
    while let [first, more @ ..] = rest {
        set |= 1 << (*first & 63);
        rest = more;
    }
    byte < 64 && set >> byte & 1 == 1
}

/// What was seen of prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prose {
    /// Nothing before the end of the reading was left uncounted that speaks of failures.
    pub(super) clean: bool,
}

/// Whether a text's beginning is seen to be prose with a subject of its own.
pub(super) fn prose(text: &str) -> Option<Prose> {
    let seen = head(text, LOOK).as_bytes();
    let mut scan = Scan {
        table: table(),
        statement: Statement::default(),
        subject: 0,
        clean: true,
    };
    let mut line = Line::at(0);
    let mut at = 0;
    while scan.subject <= ENOUGH {
        let end = seen.len() - scan.words(seen.get(at..)?).len();
        if scan.subject > ENOUGH {
            break;
        }
        at = end + run(seen.get(end..)?, is_blank).len();
        let Some(first) = seen.get(at) else {
            // A statement that is cut off here may go on as anything.
            scan.statement.doubt(seen.len() < text.len());
            scan.end();
            break;
        };
        let blank = seen.get(end..at)?;
        let breaks = blank.iter().filter(|byte| matches!(byte, b'\n' | 0x0c)).count();
        if breaks > 0 {
            // A wrapped line goes on; where that cannot be told, neither half is counted.
            let small = first.is_ascii_lowercase() || !first.is_ascii();
            if breaks == 1 && small && (line.length(end) >= WRAPPED || !line.ascii) {
                scan.statement.doubt(!line.ascii);
            } else {
                scan.end();
                line = Line::at(at);
            }
        }
        if line.start < at {
            line.folded += blank.len().saturating_sub(1);
        }
        if !blank.is_empty() && blank != b" " {
            // What follows may be a word again.
            continue;
        }
        let piece = run(seen.get(at..)?, |byte| !is_blank(byte));
        at += piece.len();
        line.ascii &= piece.is_ascii();
        scan.piece(piece);
    }
    (scan.subject > ENOUGH).then_some(Prose { clean: scan.clean })
}

/// The line that fold may join with the next.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// Where it begins.
    start: usize,
    /// How many of its bytes folding takes away.
    folded: usize,
    /// Whether all of it is ASCII.
    ascii: bool,
}

impl Line {
    const fn at(start: usize) -> Self {
        Self {
            start,
            folded: 0,
            ascii: true,
        }
    }

    /// Its length once it is folded, up to here.
    const fn length(&self, end: usize) -> usize {
        end.saturating_sub(self.start + self.folded)
    }
}

/// The bytes at the start for which this holds.
fn run(bytes: &[u8], holds: impl Fn(u8) -> bool) -> &[u8] {
    let length = bytes.iter().take_while(|byte| holds(**byte)).count();
    bytes.get(..length).unwrap_or_default()
}

/// The white space of ASCII as Unicode has it, vertical tab included.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// What is known of the statement that is being read.
#[derive(Debug, Clone, Copy, Default)]
struct Statement {
    /// Three counts in one number, sixteen bits each: words with a subject of their own, at most as many as the
    /// full reading finds; words that a failure page has, at least as many; all words.
    counts: u64,
    /// All that is known of any of its words, and of the statement. Nothing before it has begun.
    known: Known,
    /// The hashes of the two words before, 0 where no run goes on behind them.
    before: [u64; 2],
    /// It begins like a line of a stack trace.
    at: bool,
}

impl Statement {
    /// One word in [`counts`](Self::counts).
    const WORD: u64 = 1 << 32;

    fn doubt(&mut self, doubt: bool) {
        if doubt {
            self.known = self.known.and(Known::DOUBT);
        }
    }
}

struct Scan {
    table: &'static Table,
    statement: Statement,
    /// Words of certain statements.
    subject: usize,
    clean: bool,
}

impl Scan {
    /// Ends a statement.
    fn end(&mut self) {
        let Statement { counts, known, .. } = std::mem::take(&mut self.statement);
        let [subject, own, words] = [0, 16, 32].map(|below| (counts >> below & 0xffff) as usize);
        let certain = !known.has(Known::DOUBT);
        if certain && words >= SHORTEST && subject > own + 2 {
            self.subject += words;
        } else {
            self.clean &= certain && own == 0;
        }
    }

    /// Reads what stands between white space, and ends the statement where a sentence ends.
    fn piece(&mut self, mut piece: &[u8]) {
        loop {
            let end = piece.iter().enumerate().find_map(|(at, byte)| {
                let closes = |next: &u8| matches!(next, b'"' | b'\'' | b')' | b']');
                let ends = matches!(byte, b'.' | b'!' | b'?') && piece.get(at + 1).is_none_or(closes);
                ends.then_some(at + 1)
            });
            let Some((sentence, after)) = end.and_then(|end| piece.split_at_checked(end)) else {
                self.bare(piece);
                return;
            };
            self.bare(sentence);
            self.end();
            piece = after;
        }
    }

    /// Counts a piece without a sentence's end inside.
    fn bare(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        self.begin(short(piece));
        let statement = &mut self.statement;
        statement.doubt(!piece.is_ascii() || (statement.at && piece.contains(&b'(')));
        let outside = |byte: u8| !byte.is_ascii_alphanumeric();
        let before = run(piece, outside);
        let inner = piece.get(before.len()..).unwrap_or_default();
        let behind = inner.iter().rev().take_while(|byte| outside(**byte)).count();
        let inner = inner.get(..inner.len() - behind).unwrap_or_default();
        // Contractions and compounds are one word, of which sort is left open. Anything else may be an
        // address or a number, which is no word at all.
        let joins = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-');
        if !inner.is_empty() && !before.contains(&b'/') && inner.iter().all(joins) {
            if inner.iter().all(u8::is_ascii_alphabetic) {
                self.word(hash_of(inner), words::names_a_failure(inner));
                return;
            }
            self.statement.counts += Statement::WORD;
        }
        for word in inner.split(|byte| outside(*byte)).filter(|word| !word.is_empty()) {
            let known = self.known(hash_of(word));
            if !known.has(Known::FUNCTION) {
                self.statement.counts += u64::from(Known::OWN.only(Known::OWN));
            }
        }
    }

    /// Looks up a word, and notes what is known of it.
    #[inline]
    fn known(&mut self, hash: u64) -> Known {
        let known = self.table.get(hash);
        let statement = &mut self.statement;
        let [first, middle] = statement.before;
        let run = middle != 0 && known.has(Known::CLOSES) && self.table.has_run([first, middle, hash]);
        statement.known = statement.known.and(known);
        statement.doubt(run);
        statement.before = [middle, if known.has(Known::OPENS) { hash } else { 0 }];
        known
    }

    /// Notes what a statement begins with.
    fn begin(&mut self, piece: Short) {
        const AT: u64 = u64::from_le_bytes(*b"at\0\0\0\0\0\0");
        const FILE: u64 = u64::from_le_bytes(*b"file\0\0\0\0");
        let statement = &mut self.statement;
        if statement.known == Known::default() {
            let [first, _] = piece;
            statement.known = Known::BEGUN;
            statement.at = first == AT;
            statement.doubt(first == FILE || first.to_le_bytes().starts_with(b"#"));
        }
    }

    /// Reads the words that a text begins with, and gives what is left of it. Nearly every piece follows a single
    /// space, and is a word with at most one mark behind it. A function of its own, so that the processor's
    /// registers are left to it.
    #[inline(never)]
    fn words<'a>(&mut self, mut text: &'a [u8]) -> &'a [u8] {
        while let Some(word) = text.first_chunk().and_then(Word::read) {
            let (read, rest) = text.split_at_checked(word.length).unwrap_or_default();
            text = rest;
            self.begin(word.key);
            let letters = || read.trim_ascii_start().get(..word.letters);
            // Most words are too short.
            let named = word.letters > 7 && letters().is_some_and(words::names_a_failure);
            self.word(hash(word.key), named);
            if word.ends {
                self.end();
                if self.subject > ENOUGH {
                    break;
                }
            }
        }
        text
    }

    /// Counts a word of letters alone.
    #[inline]
    fn word(&mut self, hash: u64, names_a_failure: bool) {
        let known = self.known(hash);
        let counted = if names_a_failure { Known::OWN } else { known };
        self.statement.counts += Statement::WORD + u64::from(counted.only(Known::SUBJECT.and(Known::OWN)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fold::fold;
    use super::super::phrases;
    use super::super::reading::read;
    use super::*;

    /// What the full reading looks at.
    const READ: usize = 12 << 10;

    /// The law: what is accepted here, the full reading stops at, too.
    fn holds(text: &str) {
        if let Some(seen) = prose(text.trim()) {
            let reading = read(&fold(head(text.trim(), READ), true));
            assert!(reading.stopped, "{text}");
            let speaks = !reading.verdicts.is_empty() || reading.mentions > 0;
            assert!(!(seen.clean && speaks), "{text}");
        }
    }

    /// A word read in plain steps.
    fn letter_by_letter(bytes: &[u8; Word::SEEN]) -> Option<Word> {
        let from = usize::from(bytes[0] == b' ');
        let own = run(&bytes[from..from + Word::LONGEST], |byte| {
            byte.is_ascii_alphabetic()
        });
        let mark = match &bytes[from + own.len()..] {
            [next, ..] if is_blank(*next) => None,
            [mark, next, ..] if b",;:.!?".contains(mark) && is_blank(*next) => Some(*mark),
            _ => return None,
        };
        (!own.is_empty()).then(|| Word {
            key: short(own),
            letters: own.len(),
            length: from + own.len() + usize::from(mark.is_some()),
            ends: mark.is_some_and(|mark| b".!?".contains(&mark)),
        })
    }

    #[test]
    fn the_longest_word_is_seen_and_no_longer_one() {
        for (text, letters) in [
            ("ABCDEFGHIJKLMNOP    ", Some(16)),
            (" abcdefghijklmnop; ", Some(16)),
            ("abcdefgh           ", Some(8)),
            ("abcdefghijklmnopq  ", None),
            ("abcdefghijklmnop;. ", None),
            ("  abc              ", None),
            ("caf\u{e9} au lait, bitte", None),
        ] {
            let bytes = text.as_bytes().first_chunk().unwrap();
            assert_eq!(Word::read(bytes), letter_by_letter(bytes), "{text}");
            assert_eq!(Word::read(bytes).map(|word| word.letters), letters, "{text}");
        }
    }

    #[test]
    fn plain_prose_is_seen() {
        let text = "The ferry crossed the narrow river before winter, and the village market opened late. "
            .repeat(20);
        assert_eq!(prose(&text), Some(Prose { clean: true }));
        assert_eq!(prose(text.get(..600).unwrap()), None, "too little");
        let mixed = format!("Access denied. {text}");
        assert_eq!(prose(&mixed), Some(Prose { clean: false }));
    }

    #[test]
    fn a_failure_however_long_is_not_accepted() {
        for text in [
            "We are sorry, but the page you requested could not be found. Please try again later. ",
            "Your request was blocked by the security policy of this site. Contact the owner. ",
            "error: connection timed out while reading the response of the server\n",
            "at render (/srv/app/ferry/river/village.js:12:4) narrow winter market harbour crossing bridges\n",
        ] {
            assert_eq!(prose(&text.repeat(40)), None, "{text}");
        }
    }

    #[test]
    fn wordings_in_prose_keep_the_law() {
        let prose = "The ferry crossed the narrow river before winter, and the village market opened late";
        for (_, wording, _) in phrases::all() {
            for join in [" ", ". ", "\n", "\u{201d} "] {
                let text = format!("{prose}{join}{wording}{join}");
                holds(&text.repeat(1_300 / text.len()));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn words_are_read_like_letter_by_letter(
            text in "[ ]?[a-zA-Z]{0,18}[ ,;:.!?\n\t@\\[`{/0-9\u{e9}-]{0,3}.{19}", any in any::<[u8; Word::SEEN]>()
        ) {
            for bytes in [text.as_bytes().first_chunk().unwrap(), &any] {
                prop_assert_eq!(Word::read(bytes), letter_by_letter(bytes));
            }
        }

        #[test]
        fn whatever_is_accepted_would_have_been_read_as_a_document(
            parts in proptest::collection::vec((0usize..5_000, 0usize..12, 1usize..12), 1..60)
        ) {
            let wordings: Vec<&str> = phrases::all().map(|(_, wording, _)| wording).collect();
            let own: Vec<&str> = "ferry crossed narrow river Winter village Market opened the of a at file \
                and because harbour's north-west 2019 https://example.org/a #4 (see caf\u{e9} error page you"
                .split_whitespace()
                .collect();
            let joins = [" ", ". ", "\n", "\n\n", ", ", "-", "! ", "\u{2019}s ", ".\" ", " (", "\r\n", "\u{200b}"];
            let mut text = String::new();
            for (wording, join, words) in parts {
                for word in 0..words * 2 {
                    text.push_str(own[(wording * 7 + word * word * 31 + word) % own.len()]);
                    text.push(' ');
                }
                if wording % 3 == 0 {
                    text.push_str(wordings[wording % wordings.len()]);
                }
                text.push_str(joins[join]);
            }
            holds(&text);
        }
    }
}
