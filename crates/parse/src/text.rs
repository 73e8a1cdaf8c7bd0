//! Plain text: white space and clean cuts.

use std::ops::RangeBounds;
use std::str::FromStr;

use unicode_segmentation::UnicodeSegmentation;

/// No name has more words.
const NAME_WORDS: usize = 200;

/// All white space runs to single spaces, trimmed.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether a text has more than `most` words. Where a language sets no blanks between words (Chinese, Japanese, Thai),
/// two letters count as one.
pub fn has_more_words(text: &str, most: usize) -> bool {
    let mut count = 0;
    for run in text.split_whitespace() {
        // Segmentation without a dictionary makes a word of every such letter.
        let single = |word: &&str| {
            let mut chars = word.chars();
            chars.next().is_some_and(|c| c.is_alphabetic() && !c.is_ascii())
                && chars.all(|c| !c.is_alphabetic())
        };
        let enough = 2 * (most + 1);
        let letters = run.unicode_words().filter(single).take(enough).count();
        count += (letters / 2).max(1);
        if count > most {
            return true;
        }
    }
    false
}

/// As [`one_line`]; `None` where nothing is left.
pub fn present(text: &str) -> Option<String> {
    let line = one_line(text);
    (!line.is_empty()).then_some(line)
}

/// Whether a text is 1 to `most` ASCII letters, digits and `marks`, as ids and names in addresses are.
pub fn is_name(text: &str, most: usize, marks: &str) -> bool {
    (1..=most).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || marks.as_bytes().contains(&b))
}

/// Whether a text consists of exactly this many ASCII digits.
pub fn is_digits(text: &str, length: impl RangeBounds<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a number of exactly this many ASCII digits, without sign, blank or point.
pub fn digits<T: FromStr>(text: &str, length: impl RangeBounds<usize>) -> Option<T> {
    is_digits(text, length).then(|| text.parse().ok()).flatten()
}

/// A source's message for use in an error: one line, without control characters, bounded in characters.
pub fn said(text: &str, chars: usize) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    clip(&one_line(&plain), chars)
}

/// Trims each line and keeps at most one blank line between paragraphs. The lines of a fenced block of code keep their
/// indentation, which is part of YAML and Python.
pub fn paragraphs(text: &str) -> String {
    if !text.contains("```") && !text.contains("~~~") {
        return tidy(text, |_| false);
    }
    let mut fenced = false;
    tidy(text, |line| {
        let inside = fenced;
        let line = line.trim_start();
        fenced ^= line.starts_with("```") || line.starts_with("~~~");
        inside && fenced
    })
}

/// As [`paragraphs`], of the text of a page, in which white space is collapsed but for preformatted lines: what is indented keeps
/// its indentation.
pub(crate) fn of_page(text: &str) -> String {
    tidy(text, |line| line.starts_with("  ") || line.starts_with('\t'))
}

fn tidy(text: &str, mut keeps_indentation: impl FnMut(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.lines() {
        let line = if keeps_indentation(line) && !out.is_empty() {
            line.trim_end()
        } else {
            line.trim()
        };
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if !out.is_empty() {
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        blank = false;
        out.push_str(line);
    }
    out
}

/// Markdown or HTML without its comments: readers do not see them, so they are not content, and they are
/// where instructions to machines are planted. An unclosed comment removes the rest of the text.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// At most `chars` characters, cut between graphemes and at a word where one is near, with an
/// ellipsis where something was cut.
pub fn clip(text: &str, chars: usize) -> String {
    if text.chars().nth(chars).is_none() {
        return text.to_owned();
    }
    let room = chars.saturating_sub(1);
    let (mut end, mut count, mut last_space) = (0, 0, None);
    for (at, grapheme) in text.grapheme_indices(true) {
        count += grapheme.chars().count();
        if count > room {
            break;
        }
        end = at + grapheme.len();
        if grapheme.chars().all(char::is_whitespace) {
            last_space = Some(at);
        }
    }
    // A word longer than a quarter of the room is cut rather than dropped.
    let cut = last_space.filter(|at| *at * 4 >= end * 3).unwrap_or(end);
    let mut out = text.get(..cut).unwrap_or_default().trim_end().to_owned();
    out.push('…');
    out
}

/// Whether a word (or phrase) stands in a text on its own, not inside another word; a plural `s` on
/// either side counts. Both must be in lower case.
pub fn has_word(text: &str, word: &str) -> bool {
    let stem = word
        .strip_suffix('s')
        .filter(|stem| stem.chars().count() > 3)
        .unwrap_or(word);
    let alone = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + stem.len()..).unwrap_or_default();
        let after = after
            .strip_prefix('s')
            .filter(|_| stem.len() > 2)
            .unwrap_or(after);
        !before.is_some_and(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    !stem.is_empty() && text.match_indices(stem).any(|(at, _)| alone(at))
}

/// Shortest word of which other forms are looked for, in characters: `go` is not in `going`.
const FORMS_FROM: usize = 5;

/// Whether a word stands in a text, as [`has_word`] has it, or another form of it.
pub fn has_word_or_form(text: &str, word: &str) -> bool {
    has_word(text, word) || has_form(text, word)
}

/// Whether another form of a word stands in a text: `tracking` finds `track`, `expense` finds `expenses`. Only English
/// endings of verbs and plurals count; `engine` does not find `engineer`. Both must be in lower case.
pub fn has_form(text: &str, word: &str) -> bool {
    let long =
        |word: &str| word.chars().count() >= FORMS_FROM && word.bytes().all(|b| b.is_ascii_alphabetic());
    let base = base(word);
    long(word)
        && text
            .split(|c: char| !c.is_alphanumeric())
            .any(|other| other.len() >= base.len() && other != word && self::base(other) == base)
}

/// A word without its ending as a plural or a form of a verb. At least four letters of a verb are left.
fn base(word: &str) -> &str {
    let ended = |word: &str, ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    let mut word = word;
    if ended(word, &["ss", "us", "is"]) {
    } else if ended(word, &["xes", "ches", "shes", "sses", "zes"]) {
        word = word.strip_suffix("es").unwrap_or(word);
    } else {
        word = word.strip_suffix('s').unwrap_or(word);
    }
    let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"));
    if let Some(stem) = stem.filter(|stem| stem.len() >= 4) {
        word = stem;
        let mut last = stem.bytes().rev();
        let (one, two) = (last.next(), last.next());
        if one == two && stem.len() > 4 && !matches!(one, Some(b'l' | b's' | b'z')) {
            word = stem.get(..stem.len() - 1).unwrap_or(stem);
        }
    }
    word.strip_suffix('e').unwrap_or(word)
}

/// The words of a name that tell it from others: in lower case, without punctuation and without those that are
/// `filler`, such as legal forms. A name of nothing but filler keeps it all. Of more than 200 words, the first count.
pub fn telling_words(name: &str, filler: impl Fn(&str) -> bool) -> Vec<String> {
    let bare = name.to_lowercase().replace(['.', '\'', '\u{2019}'], "");
    let words = bare
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(NAME_WORDS);
    let words: Vec<String> = words.map(str::to_owned).collect();
    let telling: Vec<String> = words.iter().filter(|word| !filler(word)).cloned().collect();
    if telling.is_empty() { words } else { telling }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_digits_alone() {
        assert_eq!(digits("0042", 4..=4), Some(42_u32));
        assert_eq!(digits("12", 1..), Some(12_i64));
        for wrong in ["", "+12", "-1", " 1", "1.0", "123", "١٢"] {
            assert_eq!(digits::<u32>(wrong, 1..=2), None, "{wrong}");
        }
    }
    use proptest::prelude::*;

    #[test]
    fn names_are_letters_digits_and_the_marks_given() {
        for (text, fits) in [
            ("a-B_9", true),
            ("", false),
            ("toolong", false),
            ("a.b", false),
            ("é", false),
        ] {
            assert_eq!(is_name(text, 5, "-_"), fits, "{text}");
        }
    }

    #[test]
    fn what_a_source_said_is_one_short_line() {
        assert_eq!(said(" slow\n\u{1b}[31m down ", 40), "slow [31m down");
        assert_eq!(said("abcdef", 4), "abc…");
        assert_eq!(
            (present(" a\tb "), present(" \n")),
            (Some("a b".to_owned()), None)
        );
    }

    #[test]
    fn white_space_is_folded() {
        assert_eq!(one_line("  a\n\tb \u{a0} c "), "a b c");
        assert_eq!(paragraphs("\n a \n\n\n b\nc\n\n"), "a\n\nb\nc");
        let code = " Run:\n  ```yaml\n  on:\n    push:\n\n\n    pull:\n  ```\n    then";
        let kept = "Run:\n```yaml\n  on:\n    push:\n\n    pull:\n```\nthen";
        assert_eq!(paragraphs(code), kept);
        assert_eq!(of_page(" a \n    b\n c\n\td"), "a\n    b\nc\n\td");
    }

    #[test]
    fn comments_are_taken_out() {
        assert_eq!(without_comments("a <!-- b --> c<!----> d"), "a  c d");
        assert_eq!(without_comments("a <!-- b"), "a ");
        assert_eq!(without_comments("a --> b"), "a --> b");
    }

    #[test]
    fn cuts_between_graphemes() {
        assert_eq!(clip("short", 10), "short");
        assert_eq!(clip("hello wonderful world", 17), "hello wonderful…");
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(clip(&format!("a{family}b"), 5), "a…");
    }

    #[test]
    fn words_stand_on_their_own() {
        assert!(has_word("robots for farms", "farm") && has_word("a robot", "robots"));
        assert!(!has_word("trust", "rust") && !has_word("rusty", "rust") && !has_word("x", ""));
        assert!(has_word("it is ios", "ios") && has_word("(ai)", "ai"));
    }

    #[test]
    fn forms_of_a_word_are_found() {
        for (text, word) in [
            ("track expenses as a freelancer", "tracking"),
            ("track expenses", "expense"),
            ("send an invoice", "invoicing"),
            ("plan your trips", "planning"),
            ("installed in seconds", "install"),
            ("our databases", "database"),
        ] {
            assert!(has_form(text, word), "{word} in {text}");
        }
        for (text, word) in [
            ("an engineer", "engine"),
            ("going far", "go"),
            ("a university", "universal"),
            ("spr", "spring"),
            ("a news site", "new"),
        ] {
            assert!(!has_form(text, word), "{word} in {text}");
        }
    }

    proptest! {
        #[test]
        fn any_word_in_any_text_is_survived(text in "\\PC{0,40}", word in "\\PC{0,8}") {
            let _ = has_word(&text, &word);
        }

        #[test]
        fn never_longer_than_asked(text in "\\PC{0,80}", chars in 1usize..40) {
            prop_assert!(clip(&text, chars).chars().count() <= chars.max(1));
        }
    }

    #[test]
    fn words_are_counted_in_languages_without_blanks_too() {
        for text in [
            "The ferry runs again every hour from Monday on.",
            "渡轮从星期一起每小时恢复开行一次,港口水面平静。",
            "フェリーは月曜日から毎時間また運航しています。港は静かです。",
            "เรือข้ามฟากเปิดให้บริการอีกครั้งทุกชั่วโมงตั้งแต่วันจันทร์",
            "페리는 월요일부터 매시간 다시 운항하며 항구의 물은 아주 잔잔하고 맑다.",
        ] {
            assert!(has_more_words(text, 8), "{text}");
        }
        for text in [
            "",
            "Updated 2026-11-21",
            "最終更新日時:2026年11月21日 10時30分",
            "更新于 2026-11-21",
        ] {
            assert!(!has_more_words(text, 8), "{text}");
        }
    }

    #[test]
    fn names_are_told_apart_by_their_own_words() {
        let of = |name: &str| telling_words(name, |word| matches!(word, "inc" | "the" | "co")).join(" ");
        assert_eq!(of("The J.M. Smucker Co."), "jm smucker");
        assert_eq!(of("McDonald\u{2019}s, Inc"), "mcdonalds");
        assert_eq!(of("The Co."), "the co");
        assert_eq!(of("..."), "");
    }
}
