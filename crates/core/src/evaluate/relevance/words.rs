//! The words of a text in any script, in one form for equal words.

use std::borrow::Cow;
use std::fmt::{self, Write};

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{Alphabetic, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};
use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;
use unicode_segmentation::UnicodeSegmentation;

/// How much more a text may be once its characters are spelled out (NFKC), in bytes for so many of its own. Written text
/// stays below that (of 17,000 long ones none grew by more than a hundredth); of a text of nothing but U+FDFA, a phrase
/// of 18 letters each, the beginning is read.
const SPELLED_OUT: (usize, usize) = (9, 8);
/// Texts are spelled out up to this many bytes, however much more that is.
const SHORT: usize = 16 << 10;

/// Which words a text gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Give {
    /// As they stand there, without the words in names of code and around hyphens.
    Whole,
    /// Those as well; of scripts in pairs, each pair, and a character that stands alone.
    Pairs,
    /// Each character besides.
    Characters,
}

/// Calls `each` with the words of a text, in one form for equal words (NFKC, folded case), and after a name of code or a word
/// with an apostrophe with the words in it. Scripts without spaces give pairs of neighbouring characters, since where
/// their words end only a dictionary tells.
pub(super) fn words(text: &str, give: Give, mut each: impl FnMut(&str)) {
    let text = spelled_out(text);
    let cases = CaseMapper::new();
    let mut lower = String::new();
    // The last character of a script without spaces, and whether a pair was made with it.
    let mut before: Option<(char, bool, usize)> = None;
    let mut pair = String::new();
    let single = |before: Option<(char, bool, usize)>, each: &mut dyn FnMut(&str)| {
        if let (Some((alone, false, _)), Give::Whole | Give::Pairs) = (before, give) {
            each(alone.encode_utf8(&mut [0; 4]));
        }
    };
    let mut hyphened: Vec<(usize, usize)> = Vec::new();
    runs_at(&text, |at, word, is_ending| {
        if !word.chars().next().is_some_and(is_in_pairs) {
            single(before.take(), &mut each);
            let end = at + word.len();
            if give != Give::Whole && hyphened.last().and_then(|(_, last)| text.get(*last..at)) != Some("-") {
                joined(&text, &mut hyphened, &mut each);
            }
            hyphened.push((at, end));
            let signed = signed(&text, at, end);
            let word = signed.unwrap_or(word);
            let mut fold = |word: &str| {
                lower.clear();
                if word.is_ascii() {
                    lower.push_str(word);
                    lower.make_ascii_lowercase();
                } else {
                    // Folded, a sigma at the end of a word is the same letter. The capital of Turkish has no simple folding.
                    let folded = |c| if c == '\u{130}' { 'i' } else { cases.simple_fold(c) };
                    lower.extend(word.chars().map(folded));
                }
                each(&lower);
            };
            fold(word);
            if give != Give::Whole {
                if has_thousands(word) {
                    fold(&word.replace(',', ""));
                }
                parts(word, fold);
            }
            return;
        }
        for (offset, c) in word.char_indices() {
            let begin = at + offset;
            if give == Give::Characters {
                each(c.encode_utf8(&mut [0; 4]));
            }
            match before {
                Some((last, _, end)) if end == begin => {
                    pair.clear();
                    pair.extend([last, c]);
                    each(&pair);
                    before = Some((c, true, begin + c.len_utf8()));
                }
                _ => {
                    single(before, &mut each);
                    before = Some((c, is_ending, begin + c.len_utf8()));
                }
            }
        }
    });
    single(before, &mut each);
    if give != Give::Whole {
        joined(&text, &mut hyphened, &mut each);
    }
}

/// Calls `each` with the words of a text and where they begin. A Latin word among Korean syllables is one of its own. Syllables
/// after it are its particle, and one alone is no word: for these, the last argument is `true`.
fn runs_at(text: &str, mut each: impl FnMut(usize, &str, bool)) {
    let is_syllable = |c: char| ('\u{ac00}'..='\u{d7a3}').contains(&c);
    let is_latin = |c: char| c.is_ascii_alphanumeric();
    words_at(text, |at, word| {
        if word.is_ascii() || !word.contains(is_syllable) {
            each(at, word, false);
            return;
        }
        let mut rest = word;
        let mut after_latin = false;
        while !rest.is_empty() {
            let begin = rest.find(is_latin).unwrap_or(rest.len());
            let (before, found) = rest.split_at(begin);
            let end = found.find(|c| !is_latin(c)).unwrap_or(found.len());
            let (latin, left) = found.split_at(end);
            // A number and what it counts are one word.
            let is_word = latin.len() > 1 && latin.starts_with(|c: char| c.is_ascii_alphabetic());
            let run_at = at + word.len() - rest.len();
            if !is_word {
                each(run_at, rest, after_latin);
                return;
            }
            if !before.is_empty() {
                each(run_at, before, after_latin);
            }
            each(run_at + begin, latin, false);
            (rest, after_latin) = (left, true);
        }
    });
}

/// Gives a word of two parts with a hyphen as one, too: `e-mail` is `email`.
fn joined(text: &str, parts: &mut Vec<(usize, usize)>, each: &mut impl FnMut(&str)) {
    if let [one, other] = parts.as_slice() {
        let part = |(from, to): &(usize, usize)| text.get(*from..*to).unwrap_or_default().to_lowercase();
        each(&(part(one) + &part(other)));
    }
    parts.clear();
}

/// A short word with the sign that makes it another one: `C#`, `C++`.
fn signed(text: &str, at: usize, end: usize) -> Option<&str> {
    const LETTERS: usize = 2;
    let rest = text.get(end..)?;
    let sign = ["#", "++"].into_iter().find(|sign| rest.starts_with(*sign))?;
    // `C++20`, but `PR#12`.
    let goes_on = |c: char| match sign {
        "++" => c.is_alphabetic() && !is_in_pairs(c),
        _ => c.is_alphanumeric() && !is_in_pairs(c),
    };
    let goes_on = rest.get(sign.len()..)?.starts_with(goes_on);
    (end - at <= LETTERS && !goes_on)
        .then(|| text.get(at..end + sign.len()))
        .flatten()
}

/// Calls `each` with the words of a text (UAX 29) and where they begin. No word spans lines, and most lines are of
/// ASCII, which has a shorter way.
fn words_at(text: &str, mut each: impl FnMut(usize, &str)) {
    let segmenter = WordSegmenter::new_for_non_complex_scripts(WordBreakInvariantOptions::default());
    // As `char::is_alphanumeric`, which takes up to 130 ns for a letter of Thai.
    let categories = CodePointMapData::<GeneralCategory>::new();
    let alphabetic = CodePointSetData::new::<Alphabetic>();
    let most = GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Number);
    let alphanumeric =
        |c: char| most.contains(categories.get(c)) || (!c.is_ascii() && alphabetic.contains(c));
    let mut line_at = 0;
    for line in text.split_inclusive('\n') {
        if line.is_ascii() {
            for (at, word) in line.unicode_word_indices() {
                each(line_at + at, word);
            }
        } else {
            let mut at = 0;
            for end in segmenter.segment_str(line) {
                if let Some(word) = line.get(at..end)
                    && word.chars().any(alphanumeric)
                {
                    each(line_at + at, word);
                }
                at = end;
            }
        }
        line_at += line.len();
    }
}

/// In the form for equal words, at its length.
fn spelled_out(text: &str) -> Cow<'_, str> {
    let normalizer = ComposingNormalizerBorrowed::new_nfkc();
    let (same, other) = normalizer.split_normalized(text);
    if other.is_empty() {
        return Cow::Borrowed(same);
    }
    let most = (text.len().saturating_mul(SPELLED_OUT.0) / SPELLED_OUT.1).max(SHORT);
    let mut out = AtMost {
        text: same.to_owned(),
        most,
    };
    // The error says that it is full.
    let _ = normalizer.normalize_to(other, &mut out);
    Cow::Owned(out.text)
}

/// A text with a maximum size in bytes.
struct AtMost {
    text: String,
    most: usize,
}

impl Write for AtMost {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let left = self.most.saturating_sub(self.text.len());
        self.text
            .push_str(part.get(..part.floor_char_boundary(left)).unwrap_or_default());
        if part.len() < left {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        self.text.push(c);
        if self.text.len() < self.most {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// Calls `each` with the words in a word of several: `max_connections`, `getUserById`, `os.path`, `l'opinion`, `5GB`. Of single letters
/// none.
fn parts<'t>(word: &'t str, mut each: impl FnMut(&'t str)) {
    if let Some((number, unit)) = quantity(word) {
        each(number);
        each(unit);
        return;
    }
    let divides = |c| matches!(c, '_' | '.' | ':' | '\'' | '\u{2019}');
    let mut give = |part: &'t str| {
        if part.len() < word.len() && part.chars().nth(1).is_some() && part.starts_with(char::is_alphabetic) {
            each(part);
        }
    };
    for piece in word.split(divides) {
        let humps = humps(piece);
        give(piece);
        for hump in humps {
            give(hump);
        }
    }
}

/// Whether a number has its thousands set apart: `1,500`, but not `1,5`.
fn has_thousands(word: &str) -> bool {
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = word.split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    rest.peek().is_some()
        && (1..=3).contains(&first.len())
        && digits(first)
        && rest.all(|group| group.len() == 3 && digits(group))
}

/// A number and its unit: `5GB`. An ordinal is one word.
fn quantity(word: &str) -> Option<(&str, &str)> {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = word.strip_suffix(unit).filter(|number| !number.is_empty())?;
    let is_unit = unit.len() > 1 && unit.chars().all(char::is_alphabetic);
    let is_ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .any(|end| unit.eq_ignore_ascii_case(end));
    (is_unit && !is_ordinal).then_some((number, unit))
}

/// The words in a name such as `getUserById` or `HttpServerConfig`: none of names as `GitHub` and `iPhone`, which are one word.
fn humps(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let begins = |at: &usize| upper(*at) && (lower(at - 1) || lower(at + 1));
    let mut humps = Vec::new();
    if !name.is_ascii() || !bytes.iter().skip(1).any(u8::is_ascii_uppercase) {
        return humps;
    }
    let mut from = 0;
    for to in (1..bytes.len()).filter(begins).chain([bytes.len()]) {
        humps.extend(name.get(from..to));
        from = to;
    }
    let are_words = || humps.iter().all(|hump| hump.len() > 2);
    let is_code = humps.len() > 1 && lower(0) && lower(1) || humps.len() > 2 && are_words();
    if is_code { humps } else { Vec::new() }
}

/// Letters that are compared in pairs. Scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, the Tai scripts, the
/// kana and the ideographs with their radicals and marks; a stretch of them comes as one word. And the syllables of Korean,
/// whose words carry their particles.
/// Blocks after the Unicode Standard, chapters 16 and 18.
pub(super) const fn is_in_pairs(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{1950}'..='\u{19df}'
        | '\u{1a20}'..='\u{1aaf}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{3005}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a9e0}'..='\u{a9ff}'
        | '\u{aa60}'..='\u{aadf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        words(text, Give::Pairs, |word| out.push(word.to_owned()));
        out
    }

    #[test]
    fn names_of_code_and_words_with_an_apostrophe_give_the_words_in_them() {
        assert_eq!(
            split("max_connections getUserById HTTPServerConfig os.path"),
            [
                "max_connections",
                "max",
                "connections",
                "getuserbyid",
                "get",
                "user",
                "by",
                "id",
                "httpserverconfig",
                "http",
                "server",
                "config",
                "os.path",
                "os",
                "path",
            ]
        );
        assert_eq!(
            split("l'opinion l\u{2019}\u{e9}cole"),
            ["l'opinion", "opinion", "l\u{2019}\u{e9}cole", "\u{e9}cole"]
        );
        // One word each, whatever stands in them.
        for one in ["GitHub", "iPhone", "JavaScript", "3.12", "HTTP", "\u{d6}l"] {
            assert_eq!(split(one).len(), 1, "{one}");
        }
    }

    #[test]
    fn signs_hyphens_and_units_belong_to_words() {
        assert_eq!(split("C# and C++, C"), ["c#", "and", "c++", "c"]);
        assert_eq!(split("C++20 PR#12"), ["c++", "20", "pr", "12"]);
        assert_eq!(split("1,5 LaTeX"), ["1,5", "latex"]);
        assert_eq!(split("e-mail"), ["e", "mail", "email"]);
        assert_eq!(split("10-4432"), ["10", "4432", "104432"]);
        assert_eq!(split("state-of-the-art").len(), 4);
        assert_eq!(
            split("5GB 1,500 issue #12"),
            ["5gb", "5", "gb", "1,500", "1500", "issue", "12"]
        );
    }

    #[test]
    fn characters_are_given_besides_where_they_are_asked_for() {
        let mut out = Vec::new();
        words("\u{6771}\u{4eac} a", Give::Characters, |word| {
            out.push(word.to_owned());
        });
        assert_eq!(out, ["\u{6771}", "\u{4eac}", "\u{6771}\u{4eac}", "a"]);
    }

    #[test]
    fn words_are_found_in_every_script() {
        assert_eq!(
            split("Rust's 2nd-edition, \u{ff32}ust"),
            ["rust's", "rust", "2nd", "edition", "2ndedition", "rust"]
        );
        assert_eq!(split("ΟΔΟΣ οδος οδοσ"), ["οδοσ"; 3]);
        assert_eq!(
            split("\u{6771}\u{4eac}\u{90fd} \u{99c5}"),
            ["\u{6771}\u{4eac}", "\u{4eac}\u{90fd}", "\u{99c5}"]
        );
        assert_eq!(split("a\u{6771}b"), ["a", "\u{6771}", "b"]);
        // A Korean word with its particle shares a pair with the word alone.
        assert_eq!(
            split("\u{d734}\u{ac00}\u{b294} \u{d734}\u{ac00}"),
            ["\u{d734}\u{ac00}", "\u{ac00}\u{b294}", "\u{d734}\u{ac00}"]
        );
        assert_eq!(split("GPU\u{b97c} GPU"), ["gpu", "gpu"]);
        assert_eq!(split("API\u{c5d0}\u{c11c}"), ["api", "\u{c5d0}\u{c11c}"]);
        assert_eq!(split("\u{d55c}\u{ad6d}API"), ["\u{d55c}\u{ad6d}", "api"]);
        assert_eq!(split("\u{d55c}\u{ad6d}API\u{b97c}"), ["\u{d55c}\u{ad6d}", "api"]);
        assert_eq!(split("3\u{c6d4}").first().map(String::as_str), Some("3\u{c6d4}"));
        assert_eq!(split("\u{130}stanbul istanbul"), ["istanbul"; 2]);
        assert_eq!(split("\u{0e44}\u{0e17}\u{0e22}").len(), 2);
        assert!(split(" .,!? ").is_empty());
    }

    #[test]
    fn of_a_text_that_is_ten_times_as_long_spelled_out_the_beginning_is_read() {
        let phrase = "\u{fdfa} ";
        let (short, long) = (phrase.repeat(400), phrase.repeat(25_000));
        assert!(spelled_out(&short).len() > 7 * short.len());
        assert!(spelled_out(&long).len() <= long.len() * SPELLED_OUT.0 / SPELLED_OUT.1 + 3);
    }

    proptest! {
        #[test]
        fn texts_are_spelled_out_as_another_library_does(
            text in "([a-f<]|\\PC|[\u{300}-\u{310}\u{1100}-\u{11ff}\u{fb00}-\u{fdfc}]){0,30}",
        ) {
            prop_assert_eq!(spelled_out(&text), text.nfkc().collect::<String>());
        }

        // Without U+1F200 to U+1F265, whose property differs between the versions of Unicode that the two libraries know.
        #[test]
        fn words_of_scripts_with_spaces_are_those_of_another_library(
            text in "([a-cA-C0-3]|[ .,:;'\"_<\r\n]|[\u{b7}\u{e0}-\u{17f}\u{300}-\u{310}\u{400}-\u{45f}\u{5d0}-\u{5ea}\
                \u{60c}-\u{669}\u{904}-\u{96f}\u{200b}\u{2019}\u{ac00}-\u{acff}\u{1f1e6}-\u{1f1ff}\u{1f300}-\u{1f64f}]){0,30}",
        ) {
            let mut ours = Vec::new();
            words_at(&text, |at, word| ours.push((at, word.to_owned())));
            let theirs = text.unicode_word_indices().map(|(at, word)| (at, word.to_owned()));
            prop_assert_eq!(ours, theirs.collect::<Vec<_>>());
        }
    }
}
