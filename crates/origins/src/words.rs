//! The words of a headline, in their plain forms.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::tables::{LIGHT, NUMBERS, SPELLINGS, TIMES};

/// Longest headline that is compared, in words.
const WORDS: usize = 60;

/// One word of a headline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// In its plain form: lower case, one spelling.
    pub(crate) plain: String,
    /// Whether it says nothing about the subject.
    pub(crate) light: bool,
    /// Whether it begins with a capital letter.
    pub(crate) capital: bool,
    /// Whether it holds a digit or names a time.
    pub(crate) exact: bool,
}

/// Whether words of this script have no spaces between them.
pub(crate) const fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{abff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The raw words of a text: letters and digits, with points and commas between digits.
fn raw_words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().take(4_000).collect();
    let at = |place: usize| chars.get(place).copied();
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut place = 0;
    while let Some(c) = at(place) {
        if c.is_alphanumeric() {
            if stands_alone(c) {
                if !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                out.push(c.to_string());
            } else {
                word.push(c);
            }
            place += 1;
            continue;
        }
        // `1.2`, `1,000`, and as GDELT writes them: `1 . 2`, `1 , 000`.
        let begin = place;
        let mut ahead = place;
        while at(ahead) == Some(' ') {
            ahead += 1;
        }
        let mark = at(ahead).filter(|c| matches!(c, '.' | ','));
        let mut after = ahead + 1;
        while mark.is_some() && at(after) == Some(' ') && ahead > begin {
            after += 1;
        }
        let spaced = ahead > begin && after > ahead + 1;
        let joined = ahead == begin || spaced;
        let digits = word.chars().last().is_some_and(|c| c.is_ascii_digit())
            && at(after).is_some_and(|c| c.is_ascii_digit());
        if let (Some(mark), true, true) = (mark, joined, digits) {
            if mark == '.' {
                word.push('.');
            }
            place = after;
            continue;
        }
        if !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        match c {
            '%' => out.push("%".to_owned()),
            // `China's`
            '\'' | '\u{2019}'
                if matches!(at(place + 1), Some('s' | 'S'))
                    && !at(place + 2).is_some_and(char::is_alphanumeric) =>
            {
                place += 1;
            }
            _ => {}
        }
        place += 1;
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// A word without the marks that some writers leave out: `Pe\u{f1}a`, `Pena`.
fn without_marks(word: String) -> String {
    if word.is_ascii() {
        return word;
    }
    word.nfkd()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .map(|c| match c {
            '\u{131}' => 'i',
            '\u{142}' => 'l',
            '\u{f8}' => 'o',
            '\u{111}' | '\u{f0}' => 'd',
            c => c,
        })
        .nfc()
        .collect()
}

/// The plain form of a word.
fn plain(word: &str) -> String {
    let lower = without_marks(word.to_lowercase().replace('\u{df}', "ss"));
    let found = |table: &[(&str, &str)]| {
        table
            .iter()
            .find(|(other, _)| *other == lower)
            .map(|(_, plain)| (*plain).to_owned())
    };
    if let Some(plain) = found(&NUMBERS).or_else(|| found(&SPELLINGS)) {
        return plain;
    }
    if lower.chars().any(|c| c.is_ascii_digit()) {
        // `5pc`, `5th`
        for end in ["pct", "pc"] {
            if let Some(number) = lower.strip_suffix(end) {
                return format!("{number}%");
            }
        }
        return lower;
    }
    let mut lower = lower;
    for (british, american) in [
        ("isation", "ization"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("our", "or"),
        ("ours", "ors"),
    ] {
        if lower.len() > british.len() + 2
            && let Some(stem) = lower.strip_suffix(british)
        {
            lower = format!("{stem}{american}");
        }
    }
    if lower.len() > 3
        && let Some(stem) = lower.strip_suffix('s')
        && !stem.ends_with('s')
    {
        return stem.to_owned();
    }
    lower
}

fn word(raw: &str) -> Word {
    let lower = raw.to_lowercase();
    Word {
        plain: plain(raw),
        light: LIGHT.contains(&lower.as_str()),
        capital: raw.chars().next().is_some_and(char::is_uppercase),
        exact: raw.chars().any(char::is_numeric)
            || NUMBERS.iter().any(|(number, _)| *number == lower)
            || TIMES.contains(&lower.as_str())
                && (lower != "may" && lower != "fall" && lower != "march"
                    || raw.starts_with(char::is_uppercase)),
    }
}

/// Ends of a number that say how large it is, each with its word. One letter says so after the sign of a currency alone.
const SCALES: [(&str, &str); 11] = [
    ("bn", "billion"),
    ("bln", "billion"),
    ("b", "billion"),
    ("mln", "million"),
    ("mn", "million"),
    ("mio", "million"),
    ("m", "million"),
    ("tn", "trillion"),
    ("trn", "trillion"),
    ("t", "trillion"),
    ("k", "thousand"),
];

/// Amounts written in one way: `$1.5bn`, `$1.5B` and `$1.5 billion`.
pub(crate) fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for part in text.split_inclusive(' ') {
        let word = part.trim_end();
        let bare = word.trim_end_matches([',', '.', ';', ':', '\'', '"', ')', '?', '!']);
        let money = bare.contains(['$', '\u{20ac}', '\u{a3}', '\u{a5}', '\u{20b9}']);
        let number = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let end = bare.get(number.len()..).unwrap_or_default().to_ascii_lowercase();
        let scale = SCALES
            .iter()
            .find(|(short, _)| *short == end && (money || short.len() > 1))
            .filter(|_| number.ends_with(|c: char| c.is_ascii_digit()));
        match scale {
            Some((_, name)) => {
                out.push_str(number);
                out.push(' ');
                out.push_str(name);
                out.push(' ');
            }
            None => out.push_str(part),
        }
    }
    out
}

/// Words of a headline, with the amounts in it written in one way.
pub(crate) fn amounts(text: &str) -> Vec<Word> {
    // A letter and its mark may come as two characters, which would part the word.
    let composed = if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect::<String>())
    };
    words(&spelled(&composed))
}

/// Words of a text in plain forms, with runs of single letters as one word (`U . S .`).
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut letters = 0_usize;
    for raw in raw_words(text) {
        let single = raw.len() == 1 && raw.bytes().all(|byte| byte.is_ascii_alphabetic());
        if single && letters > 0 {
            if let Some(last) = out.last_mut() {
                last.plain.push_str(&raw.to_lowercase());
                last.light = false;
            }
            letters += 1;
            continue;
        }
        // `China 's` without its mark.
        if single && raw == "s" {
            continue;
        }
        letters = usize::from(single && raw.chars().all(char::is_uppercase));
        match (
            raw.to_lowercase().as_str(),
            out.last().map(|last| last.plain.clone()),
        ) {
            ("cent", Some(last)) if last == "per" => {
                if let Some(last) = out.last_mut() {
                    "%".clone_into(&mut last.plain);
                }
                continue;
            }
            ("st", Some(last)) if last == "wall" => {
                out.push(word("Street"));
                continue;
            }
            ("hk", _) => {
                out.extend([word("Hong"), word("Kong")]);
                continue;
            }
            _ => {}
        }
        out.push(word(&raw));
    }
    // A number and its percent sign are one word.
    let mut merged: Vec<Word> = Vec::with_capacity(out.len());
    for word in out {
        match merged.last_mut() {
            Some(last) if word.plain == "%" && last.plain.ends_with(|c: char| c.is_ascii_digit()) => {
                last.plain.push('%');
            }
            _ => merged.push(word),
        }
    }
    merged.truncate(WORDS);
    merged
}
