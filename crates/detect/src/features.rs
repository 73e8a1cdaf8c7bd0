//! Features of a text: n-grams by hash, and named figures of its shape.

use std::sync::LazyLock;

use crate::mentions;
use crate::segment::Segments;

/// Number of weight slots. Each slot stores one of the n-grams that hash to it and identifies which, so an
/// unseen word does not get another word's weight.
pub const SLOTS: usize = 7 << 15;

/// Number of n-grams per slot that can be distinguished.
pub const CHECKS: u8 = 8;

/// Number of hash buckets: a slot and the n-gram within it.
pub const BUCKETS: usize = SLOTS * CHECKS as usize;

/// Initial hash of a word.
const START: u32 = 0x0bad_5eed;

/// Length of a stem: "verweigert" and "verweigern" share one. The ending of a longer word counts too:
/// "unreachable" and "unavailable" share one.
const STEM: u32 = 5;

/// Marks endings of words, and the first and last words of a sentence.
const AS_ENDING: u32 = 0x7733;
const AS_FIRST: u32 = 0x5117;
const AS_LAST: u32 = 0x9ab3;

/// Placeholders for named things, whose words show the topic of a failure rather than the failure itself; and
/// for a quotation, as its neighbours see it.
const NAME: u32 = 0x3c6e_f372;
const NUMBER: u32 = 0x1b87_3593;
const QUOTATION: u32 = 0x6a09_e667;

/// Length of the first line that is counted again as a title, in bytes.
const TITLE_BYTES: usize = 120;

/// Marks the n-grams of titles, which have weights of their own.
const AS_TITLE: u32 = 0x51ed_270b;

/// One n-gram: its bucket and its position in the segment.
#[derive(Debug, Clone, Copy)]
pub struct Gram {
    /// Index of its weight, below [`BUCKETS`].
    pub bucket: u32,
    /// Start, in bytes.
    pub start: usize,
    /// End, in bytes, exclusive.
    pub end: usize,
    /// Whether it is a single whole word outside quotation marks.
    pub word: bool,
    /// Whether this is its first occurrence: repetitions do not add weight.
    pub first: bool,
    /// Whether it ends its sentence.
    pub ends: bool,
}

/// How characters form words: as a letter, as a digit, each by itself (scripts without spaces), or not at
/// all.
const LETTER: u32 = 0;
const DIGIT: u32 = 1;
const SINGLE: u32 = 2;
const OTHER: u32 = 3;

fn class(code: u32) -> u32 {
    match code {
        0x41..=0x5a | 0x61..=0x7a => LETTER,
        0x30..=0x39 => DIGIT,
        0..=0xbf | 0xd7 | 0xf7 | 0x2000..=0x206f | 0x2190..=0x2bff | 0x3000..=0x3004 | 0x3008..=0x3020 => {
            OTHER
        }
        // Thai to Lao, Myanmar, Khmer, kana and ideographs; full-width punctuation.
        0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3041..=0x30ff | 0x3400..=0x9fff => SINGLE,
        0xff00..=0xff20 | 0xfff0..=0xffff | 0x1f000..=0x1faff => OTHER,
        _ => LETTER,
    }
}

/// Lower case; the first letter if that has two.
fn lower(code: u32) -> u32 {
    // Above this, only full-width letters and historic scripts have case.
    let cased = char::from_u32(code).filter(|_| code < 0x2000);
    cased
        .and_then(|c| c.to_lowercase().next())
        .map_or(code, u32::from)
}

/// A character's class and its lower-case code in one number, so that a lookup is a single load.
fn classed(code: u32) -> u32 {
    class(code) << 24 | lower(code)
}

/// Characters of one or two bytes in UTF-8: Latin, Greek, Cyrillic, Hebrew and Arabic letters.
type Known = [u32; 0x800];

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut codes = 0..;
    std::array::from_fn(|_| codes.next().map_or(0, classed))
});

/// Returns the class of the character at a position, its lower-case code, and its length in bytes.
#[inline]
fn character(known: &Known, text: &str, at: usize) -> Option<(u32, u32, usize)> {
    let first = *text.as_bytes().get(at)?;
    let (classed, length) = if first < 0x80 {
        (*known.get(usize::from(first))?, 1)
    } else if first < 0xe0 {
        let next = text.as_bytes().get(at + 1)?;
        let two = usize::from(first & 0x1f) << 6 | usize::from(next & 0x3f);
        (*known.get(two)?, 2)
    } else {
        let c = text.get(at..)?.chars().next()?;
        (classed(u32::from(c)), c.len_utf8())
    };
    Some((classed >> 24, classed & 0xff_ffff, length))
}

fn mix(hash: u32, code: u32) -> u32 {
    (hash.rotate_left(5) ^ code).wrapping_mul(0x9e37_79b1)
}

/// Below [`BUCKETS`], so the cast is lossless.
fn bucket(hash: u32) -> u32 {
    let mixed = (hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b);
    ((u64::from(mixed) * BUCKETS as u64) >> 32) as u32
}

/// The word being read.
#[derive(Clone, Copy, Default)]
struct Word {
    full: u32,
    stem: u32,
    letters: u32,
    /// Its last four letters; earlier ones are shifted out.
    ending: u32,
    start: usize,
}

impl Word {
    /// A placeholder for a named thing.
    fn standing(what: u32, start: usize) -> Self {
        Self {
            full: what,
            stem: what,
            letters: 1,
            ending: 0,
            start,
        }
    }

    #[inline]
    fn push(&mut self, code: u32) {
        self.full = mix(self.full, code);
        self.ending = self.ending << 8 ^ code;
        self.letters += 1;
        if self.letters == STEM {
            self.stem = self.full;
        }
    }
}

/// The previous word of the sentence, where it ends, and the callback.
struct Counter<F> {
    last: Word,
    end: usize,
    salt: u32,
    /// End of the current quotation, or 0 outside of one.
    quoted: usize,
    add: F,
}

impl<F: FnMut(Gram)> Counter<F> {
    #[inline]
    fn say(&mut self, hash: u32, start: usize, end: usize, word: bool) {
        (self.add)(Gram {
            bucket: bucket(hash ^ self.salt),
            start,
            end,
            word: word && self.quoted == 0,
            first: true,
            ends: false,
        });
    }

    #[inline]
    fn word(&mut self, mut word: Word, end: usize) {
        // A single unpredictable branch for everything that depends on the length.
        let long = word.letters > STEM;
        if !long {
            word.stem = word.full;
        }
        let last = self.last;
        let (before, start) = if last.letters > 0 {
            (mix(last.stem, word.stem), last.start)
        } else {
            (mix(word.stem, AS_FIRST), word.start)
        };
        self.say(word.full, word.start, end, true);
        if long {
            self.say(mix(word.stem, 0x57), word.start, end, false);
            self.say(before, start, end, false);
            self.say(mix(word.ending, AS_ENDING), word.start, end, false);
        } else {
            self.say(before, start, end, false);
        }
        self.last = word;
        self.end = end;
    }

    /// Adds a placeholder for something that the text names.
    fn stands_for(&mut self, what: u32, start: usize, end: usize) {
        let last = self.last;
        let (before, from) = if last.letters > 0 {
            (last.stem, last.start)
        } else {
            (AS_FIRST, start)
        };
        self.say(mix(before, what), from, end, false);
        self.last = Word::standing(what, start);
        self.end = end;
    }

    /// Enters or leaves a short quotation at this character.
    fn quote(&mut self, text: &str, at: usize, next: usize) {
        if self.quoted > 0 {
            if at >= self.quoted {
                self.quoted = 0;
                self.last = Word::standing(QUOTATION, at);
                self.end = next;
            }
        } else if let Some(length) = mentions::quotation(text, at, next, self.last.letters > 0) {
            // The mark itself is not shown to a reader.
            self.stands_for(QUOTATION, at, at);
            self.last = Word::default();
            self.quoted = next + length;
        }
    }

    /// Ends a sentence, with the character after it. A full stop counts like the end of the text: many
    /// messages occur with and without one.
    fn finish(&mut self, mark: u32) {
        let last = std::mem::take(&mut self.last);
        if last.letters > 0 {
            let mark = if mark == u32::from('.') { 0 } else { mark };
            (self.add)(Gram {
                bucket: bucket(mix(mix(last.stem, AS_LAST), mark) ^ self.salt),
                start: last.start,
                end: self.end,
                word: false,
                first: true,
                ends: true,
            });
        }
    }
}

/// Calls `add` for every n-gram of a text, in one pass: words, their stems and endings, pairs of stems, and
/// the first and last stems of a sentence. A name or a number counts as one word; so does a quotation, as its
/// neighbours see it.
pub fn walk(text: &str, salt: u32, add: impl FnMut(Gram)) {
    let mut counter = Counter {
        last: Word::default(),
        end: 0,
        salt,
        quoted: 0,
        add,
    };
    let known = &*KNOWN;
    let mut at = 0_usize;
    while let Some((class, code, length)) = character(known, text, at) {
        let start = at;
        at += length;
        if code == u32::from(' ') {
            continue;
        }
        let mut word = Word {
            full: START,
            start,
            ..Word::default()
        };
        word.push(code);
        while (class == LETTER || class == DIGIT)
            && let Some((next, code, length)) = character(known, text, at)
            && next == class
        {
            word.push(code);
            at += length;
        }
        let next = text.as_bytes().get(at);
        let names = if class == OTHER {
            code == u32::from('/') && next.is_some_and(u8::is_ascii_alphanumeric)
        } else {
            next.is_some_and(|byte| byte.is_ascii_digit() || mentions::joins(*byte))
        };
        if names && let Some(length) = mentions::name(text, start) {
            at = start + length;
            counter.stands_for(NAME, start, at);
            continue;
        }
        if class == OTHER {
            counter.quote(text, start, at);
            // The end of a line or a sentence, or a colon.
            let ends = match text.as_bytes().get(start) {
                Some(b'\n') => true,
                Some(b'.' | b'!' | b'?' | b':') => next.is_none_or(u8::is_ascii_whitespace),
                _ => false,
            };
            if ends {
                counter.finish(code);
            }
            continue;
        }
        // A number of three digits may be a status, and 0 means "nothing"; the size of other numbers is
        // irrelevant.
        let digits = text.as_bytes().get(start..at);
        if class == DIGIT && !matches!(digits, Some([b'0'] | [b'1'..=b'5', _, _])) {
            counter.stands_for(NUMBER, start, at);
            continue;
        }
        counter.word(word, at);
    }
    let behind = text.get(counter.end..).unwrap_or_default().trim_start();
    counter.finish(behind.chars().next().map_or(0, u32::from));
}

/// Word classes: unseen in training, from failures, from both, from content.
pub const CLASSES: usize = 4;

/// A filter of the n-grams seen so far, by a part of their hash; it has a few false positives.
struct Met([u64; 64]);

impl Met {
    #[inline]
    fn is_first(&mut self, gram: Gram) -> bool {
        let bit = 1 << (gram.bucket % 64);
        let word = self.0.get_mut(gram.bucket as usize / 64 % 64);
        word.is_some_and(|word| {
            let first = *word & bit == 0;
            *word |= bit;
            first
        })
    }
}

/// Calls `add` for every n-gram of a text's segments; with `true` for the title's, which are counted
/// separately.
#[inline]
pub fn grams<'a>(segments: &'a Segments<'_>, mut add: impl FnMut(Gram, &'a str, bool)) {
    let title = crate::text::head(&segments.title, TITLE_BYTES);
    let mut met = Met([0; 64]);
    let mut add = |gram, part, titled| {
        let first = met.is_first(gram);
        add(Gram { first, ..gram }, part, titled);
    };
    walk(title, AS_TITLE, |gram| add(gram, title, true));
    for part in [segments.lead.as_ref(), segments.tail] {
        walk(part, 0, |gram| add(gram, part, false));
    }
}

/// Calls `add` for every n-gram outside the title, including the text after the lead. [`Gram::ends`]
/// separates the sentences.
pub fn sentences<'a>(segments: &'a Segments<'_>, mut add: impl FnMut(Gram, &'a str)) {
    for part in [segments.lead.as_ref(), segments.tail, segments.more.as_ref()] {
        walk(part, 0, |gram| add(gram, part));
    }
}
