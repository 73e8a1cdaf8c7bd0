//! Headlines: what of two is the same, once what publishers and agencies add is gone.
//!
//! A headline is compared by its words in their order. A number, a version, a month or a name that differs keeps two apart: lists are
//! full of headlines that share all other words (`Acme 1.2 released`, `Acme 1.3 released`).

use std::collections::BTreeSet;

use crate::tables::{AFTER, BEFORE, CONTRARY, ENDS, TIMES, TURNS};
use crate::words::{Word, amounts, stands_alone};

/// Least words of weight of a headline that identifies a story.
const LEAST: usize = 4;
/// Least characters of such a headline, in scripts that put no spaces between words.
const LEAST_ALONE: usize = 10;
/// Least words of weight that two headlines share if they differ in another one.
const LEAST_SHARED: usize = 8;
/// The same where an agency or the site is known to be the origin of both.
const LEAST_KNOWN: usize = 6;
/// Least words of weight that two headlines share if a word stands for another one.
const LEAST_REPLACED: usize = 7;
/// Most words of the name of a publisher or a section after a separator.
const NAME: usize = 6;
/// Words in reversed order by which two headlines are each other's contrary.
const TURNED: usize = 3;
/// Words whose two sides may be exchanged, and articles.
const JOINING: [&str; 5] = ["and", "or", "a", "an", "the"];
/// Words of weight that one of the two may have more.
const INSERTED: usize = 2;

/// A headline, read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Headline {
    /// Without what agencies put before and after it, and the parts after it that name the publisher.
    words: Vec<Word>,
    /// The same without what stands before its first colon, after its last separator, or after its first clause, where that holds no
    /// number.
    shorter: Vec<Vec<Word>>,
    /// What stands before its first separator, where only short parts without numbers follow: names of publishers and sections.
    bare: Vec<Word>,
    /// The headline that the address was made of; empty where the address holds none.
    slug: Vec<Word>,
    /// Whether its end was cut off.
    cut: bool,
    /// Whether most of its words begin with a capital letter.
    title_case: bool,
}

/// How two headlines agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// Word for word.
    Same,
    /// But for a word or two.
    Near,
}

/// The words of a part of a path that was made of a headline; ids and days around them are left out.
fn slug(part: &str) -> Option<Vec<Word>> {
    let part = part
        .trim_end_matches(".html")
        .trim_end_matches(".htm")
        .trim_end_matches(".php")
        .trim_end_matches(".aspx");
    let mut pieces: Vec<&str> = part
        .split(['-', '_', '+'])
        .filter(|piece| !piece.is_empty())
        .collect();
    let is_id = |piece: &&str| {
        piece.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            || piece.len() > 5 && piece.bytes().filter(u8::is_ascii_digit).count() >= 3
    };
    while pieces.last().is_some_and(is_id) {
        pieces.pop();
    }
    let begin = pieces.iter().position(|piece| !is_id(piece) && *piece != "r")?;
    pieces.drain(..begin);
    (pieces.len() > LEAST).then(|| amounts(&pieces.join(" ")))
}

/// Letters and digits in lower case.
fn compact(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a part after a headline names the host's publisher.
fn names_host(part: &str, host: Option<&str>) -> bool {
    let Some(host) = host else { return false };
    let name = compact(part);
    if name.len() < 2 {
        return false;
    }
    let domain = psl::domain_str(host).unwrap_or(host);
    let label = compact(domain.split('.').next().unwrap_or_default());
    let first_label = compact(host.split('.').next().unwrap_or_default());
    let letters: String = part
        .split(|c: char| !c.is_alphanumeric())
        .filter_map(|word| word.chars().next())
        .flat_map(char::to_lowercase)
        .collect();
    let without_the = name.strip_prefix("the").unwrap_or(&name).to_owned();
    [label, first_label]
        .iter()
        .filter(|label| label.len() >= 3)
        .any(|label| {
            label == &letters
                || name.contains(label.as_str())
                || (without_the.len() >= 4 && label.contains(&without_the))
                || letters
                    .strip_prefix('t')
                    .is_some_and(|letters| label.starts_with(letters) && letters.len() >= 3)
        })
}

/// Marks that separate a headline from what is put around it.
const SEPARATORS: [&str; 8] = [
    " | ",
    " - ",
    " \u{2013} ",
    " \u{2014} ",
    " \u{b7} ",
    " :: ",
    " \u{bb} ",
    " -",
];

fn without_after(title: &str, host: Option<&str>) -> String {
    let mut title = title.trim().to_owned();
    // Each round takes one part off.
    for _ in 0..4 {
        let before = title.len();
        for end in ["...", "..", "\u{2026}"] {
            title.truncate(title.trim_end().trim_end_matches(end).len());
        }
        // `(1)`, `[video]`, `(2019)` of a link's year, `(Reuters)`
        let trimmed = title.trim_end();
        if let Some(open) = trimmed.rfind(['(', '[']).filter(|open| *open > 0)
            && trimmed.ends_with([')', ']'])
        {
            let inside = trimmed.get(open + 1..trimmed.len() - 1).unwrap_or_default();
            let digits = inside.bytes().all(|byte| byte.is_ascii_digit());
            let lower = inside.to_lowercase();
            if (digits && matches!(inside.len(), 1 | 4)) || AFTER.contains(&lower.as_str()) || lower == "pdf"
            {
                title.truncate(open);
            }
        }
        let lower = title.trim_end().to_lowercase();
        for update in [
            "update",
            "updated",
            "1st update",
            "2nd update",
            "3rd update",
            "4th update",
            "5th update",
        ] {
            if let Some(rest) = lower.strip_suffix(update)
                && rest.trim_end().ends_with(['-', '\u{2013}', '\u{2014}'])
            {
                let length = rest
                    .trim_end()
                    .trim_end_matches(['-', '\u{2013}', '\u{2014}'])
                    .len();
                title.truncate(title.floor_char_boundary(length));
            }
        }
        let last = SEPARATORS
            .iter()
            .filter_map(|mark| Some((title.rfind(mark)?, mark.len())))
            .max();
        if let Some((at, length)) = last {
            let part = title.get(at + length..).unwrap_or_default().trim().to_owned();
            let rest = title.get(..at).unwrap_or_default();
            let lower = part.to_lowercase();
            let known = AFTER.contains(&lower.as_str()) || names_host(&part, host) || part.is_empty();
            // `KTLA 5`
            let digits = part.chars().filter(char::is_ascii_digit).count();
            let is_channel = digits <= 2 && names_host(&part, host) && part.split_whitespace().count() <= 4;
            if known && (digits == 0 || is_channel) && rest.split_whitespace().count() >= 3 {
                title = rest.trim_end().to_owned();
            }
        }
        let lower = title.trim_end().to_lowercase();
        for time in [
            " next week",
            " this week",
            " today",
            " tonight",
            " tomorrow",
            " yesterday",
        ] {
            if let Some(rest) = lower.strip_suffix(time) {
                title.truncate(title.floor_char_boundary(rest.len()));
            }
        }
        // `sources` after a colon.
        if let Some((rest, part)) = title.rsplit_once(':')
            && matches!(
                part.trim().to_lowercase().as_str(),
                "sources" | "source" | "traders" | "report" | "reports" | "cnbc" | "official" | "police"
            )
        {
            title = rest.to_owned();
        }
        title.truncate(title.trim_end().len());
        if title.len() == before {
            break;
        }
    }
    title
}

fn without_before<'a>(title: &'a str, host: Option<&str>) -> &'a str {
    let mut rest = title.trim();
    for _ in 0..3 {
        let Some(end) = [":", "-", "\u{2013}", "\u{2014}", "|"]
            .iter()
            .filter_map(|mark| Some((rest.find(mark)?, mark.len())))
            .min()
        else {
            break;
        };
        let (begin, after) = (
            rest.get(..end.0).unwrap_or_default(),
            rest.get(end.0 + end.1..).unwrap_or_default(),
        );
        let lower = begin.trim().to_lowercase();
        let plain = lower.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
        // `BBC News - ...` on the BBC's own site; a headline may begin with the name of its site, so the mark has spaces around it.
        let is_name = begin.split_whitespace().count() <= 4
            && (begin.ends_with(' ') || rest.as_bytes().get(end.0) == Some(&b':') && begin.contains(' '))
            && !begin.chars().any(|c| c.is_ascii_digit())
            && names_host(begin.trim(), host);
        if !(BEFORE.contains(&plain) || is_name) || after.split_whitespace().count() <= LEAST {
            break;
        }
        rest = after.trim_start_matches(['-', ':']).trim();
    }
    // `[video] Title`, `(Reuters) Title`
    if let Some(inner) = rest.strip_prefix('[').or_else(|| rest.strip_prefix('('))
        && let Some((part, after)) = inner.split_once([']', ')'])
        && {
            let part = part.to_lowercase();
            // `[D]`, `[OC]`, as forums mark posts
            AFTER.contains(&part.as_str()) || BEFORE.contains(&part.as_str()) || part.len() <= 2
        }
        && after.split_whitespace().count() >= LEAST
    {
        rest = after.trim();
    }
    rest
}

/// A headline without a label before it (`Food: ...`), without what follows it behind a separator, and its first clause.
fn shorter(title: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let has_number = |part: &str| part.chars().any(char::is_numeric);
    if let Some((label, rest)) = title.split_once(": ")
        && label.split_whitespace().count() <= 4
        && !has_number(label)
    {
        out.push(rest);
    }
    for mark in [" | ", " - ", " \u{2013} ", " \u{2014} ", ": "] {
        if let Some((rest, part)) = title.rsplit_once(mark)
            && part.split_whitespace().count() <= 4
            && !has_number(part)
        {
            out.push(rest);
        }
    }
    if let Some((rest, _)) = title.split_once("; ")
        && rest.split_whitespace().count() > LEAST + 1
    {
        out.push(rest);
    }
    if let Some((rest, part)) = title.rsplit_once(", ")
        && ["says ", "say ", "worsened ", "report"]
            .iter()
            .any(|verb| part.to_lowercase().starts_with(verb))
    {
        out.push(rest);
    }
    out
}

/// What stands before the first separator, where what follows may be the names of a publisher and its sections.
fn bare(title: &str) -> Option<&str> {
    let (at, length) = SEPARATORS
        .iter()
        .filter(|mark| mark.ends_with(' '))
        .filter_map(|mark| Some((title.find(mark)?, mark.len())))
        .min()?;
    let names = title.get(at + length..)?;
    let is_name = |part: &str| {
        part.split_whitespace().count() <= NAME
            && !part.chars().any(|c| c.is_numeric() || matches!(c, '?' | '!'))
    };
    names
        .split([' ', '\u{a0}'])
        .collect::<Vec<_>>()
        .split(|word| {
            matches!(
                *word,
                "|" | "-" | "\u{2013}" | "\u{2014}" | "\u{b7}" | "::" | "\u{bb}"
            )
        })
        .all(|part| is_name(&part.join(" ")))
        .then(|| title.get(..at))
        .flatten()
}

impl Headline {
    /// Reads a headline; `host` is of the page that it is on.
    pub(crate) fn read(title: &str, host: Option<&str>) -> Self {
        let title = html_escape::decode_html_entities(title.trim());
        let end = title.trim();
        let cut = end.ends_with("..") || end.ends_with('\u{2026}');
        let whole = without_after(end, host);
        let main = without_before(&whole, host);
        let shorter = shorter(main).into_iter().map(amounts).collect();
        let mut words = amounts(main);
        // The last word may be a part of one.
        if cut && words.len() > LEAST {
            words.pop();
        }
        let heavy = words.iter().filter(|word| !word.light);
        let capitals = heavy.clone().filter(|word| word.capital || word.exact).count();
        let title_case = capitals * 10 >= heavy.count() * 7;
        Self {
            words,
            shorter,
            bare: bare(main).map(amounts).unwrap_or_default(),
            slug: Vec::new(),
            cut,
            title_case,
        }
    }

    /// The same with the headline in the path of its address, which stays when the title is changed.
    pub(crate) fn with_slug(mut self, path: &str) -> Self {
        let slug = path.split('/').rev().find_map(slug);
        self.slug = slug.unwrap_or_default();
        self
    }

    fn heavy_slug(&self) -> Vec<&Word> {
        self.slug.iter().filter(|word| !word.light).collect()
    }

    /// Whether the address of the one, or of both, was made of one headline.
    fn agrees_by_slug(&self, other: &Self) -> bool {
        let same = |one: &[&Word], two: &[&Word]| {
            one.len() > LEAST
                && one.len() == two.len()
                && one.iter().zip(two).all(|(one, two)| one.plain == two.plain)
        };
        // A longer address may end in the headline of the other.
        let ends = |long: &[&Word], short: &[&Word]| {
            let begin = long.len().checked_sub(short.len());
            let tail = begin.and_then(|begin| long.get(begin..));
            short.len() >= LEAST_SHARED && tail.is_some_and(|tail| same(tail, short))
        };
        let (one, two): (Vec<&Word>, Vec<&Word>) = (self.heavy().collect(), other.heavy().collect());
        let (slug_one, slug_two) = (self.heavy_slug(), other.heavy_slug());
        let agree = same(&slug_one, &two)
            || same(&slug_two, &one)
            || same(&slug_one, &slug_two)
            || ends(&slug_one, &slug_two)
            || ends(&slug_two, &slug_one)
            || ends(&slug_one, &two)
            || ends(&slug_two, &one);
        agree
            && !self.is_another_edition(other)
            && !(self.numbers_differ(other) && self.overlap(other).0 >= 0.6)
    }

    /// The words that say something.
    fn heavy(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| !word.light)
    }

    /// Its shorter forms that still identify a story.
    fn parts(&self) -> impl Iterator<Item = Vec<&Word>> {
        self.shorter
            .iter()
            .map(|words| words.iter().filter(|word| !word.light).collect::<Vec<_>>())
            .filter(|words| words.len() > LEAST)
    }

    /// Whether most of its words begin with a capital letter.
    pub(crate) const fn is_title_case(&self) -> bool {
        self.title_case
    }

    /// The plain forms of the words that say something, each once.
    pub(crate) fn terms(&self) -> BTreeSet<&str> {
        self.heavy().map(|word| word.plain.as_str()).collect()
    }

    /// The same of the headline in its address.
    pub(crate) fn slug_terms(&self) -> impl Iterator<Item = &str> {
        self.slug
            .iter()
            .filter(|word| !word.light)
            .map(|word| word.plain.as_str())
    }

    /// Whether it says enough to identify a story.
    pub(crate) fn is_specific(&self) -> bool {
        let alone = self
            .words
            .iter()
            .filter(|word| word.plain.chars().all(stands_alone))
            .count();
        alone >= LEAST_ALONE || self.heavy().count() - alone.min(self.heavy().count()) >= LEAST
    }

    /// The first word that says something: in most headlines, who does what.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.heavy().next().map(|word| word.plain.as_str())
    }

    /// Number of words that say something.
    pub(crate) fn weight(&self) -> usize {
        self.heavy().count()
    }

    /// Numbers and times in it.
    fn exact(&self) -> BTreeSet<&str> {
        self.words
            .iter()
            .filter(|word| word.exact)
            .map(|word| word.plain.as_str())
            .collect()
    }

    /// Whether the two name different versions, years, months or days: things of which the numbers are the identity.
    pub(crate) fn is_another_edition(&self, other: &Self) -> bool {
        let edition = |line: &Self| -> BTreeSet<String> {
            line.words
                .iter()
                .enumerate()
                .filter(|(at, word)| {
                    word.exact && {
                        let before = at
                            .checked_sub(1)
                            .and_then(|at| line.words.get(at))
                            .map_or("", |word| &word.plain);
                        let text = &word.plain;
                        let version = !text.ends_with('%')
                            && text.trim_start_matches('v').split('.').count() > 1
                            && text
                                .trim_start_matches('v')
                                .starts_with(|c: char| c.is_ascii_digit());
                        let year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
                        let named = matches!(
                            before,
                            "version"
                                | "number"
                                | "vol"
                                | "edition"
                                | "part"
                                | "episode"
                                | "week"
                                | "day"
                                | "no"
                                | "issue"
                                | "chapter"
                                | "round"
                                | "phase"
                                | "volume"
                                | "season"
                                | "form"
                                | "versus"
                        );
                        let time = !text.starts_with(|c: char| c.is_ascii_digit());
                        version || year || named || time
                    }
                })
                .map(|(_, word)| word.plain.clone())
                .collect()
        };
        let (one, two) = (edition(self), edition(other));
        one.difference(&two).next().is_some() && two.difference(&one).next().is_some()
    }

    /// Whether their numbers and times differ.
    pub(crate) fn numbers_differ(&self, other: &Self) -> bool {
        self.exact() != other.exact()
    }

    /// Share of the shorter one's words that the other has, 0..=1, and how many.
    pub(crate) fn overlap(&self, other: &Self) -> (f64, usize) {
        let (one, two) = (self.terms(), other.terms());
        let shared = one.intersection(&two).count();
        let shorter = one.len().min(two.len()).max(1);
        (shared as f64 / shorter as f64, shared)
    }

    /// Whether the two use the same words with their parts exchanged around another word: `Smith sues Jones`, `Jones sues Smith`.
    ///
    /// Such headlines have three words of which the order is reversed. A clause that moves from the end to the beginning reverses no
    /// three: its own words keep their order, and so do the others.
    pub(crate) fn is_turned_around(&self, other: &Self) -> bool {
        // Longest run of places, in `self`, that descend in the order of `other`.
        let mut descents: Vec<(usize, usize)> = Vec::new();
        for place in other.places_in(self) {
            let before = descents
                .iter()
                .filter(|(known, _)| *known > place)
                .map(|(_, length)| *length)
                .max()
                .unwrap_or_default();
            if before + 1 >= TURNED {
                return true;
            }
            descents.push((place, before + 1));
        }
        false
    }

    /// Where the words stand in another headline, in the order of this one. Words that repeat are matched in their order.
    fn places_in(&self, other: &Self) -> Vec<usize> {
        let places = |line: &Self, plain: &str| -> Vec<usize> {
            let words = line.words.iter().enumerate();
            words
                .filter(|(_, word)| word.plain == plain)
                .map(|(place, _)| place)
                .collect()
        };
        self.words
            .iter()
            .enumerate()
            .filter(|(_, word)| !JOINING.contains(&word.plain.as_str()))
            .filter_map(|(place, word)| {
                let (own, its) = (places(self, &word.plain), places(other, &word.plain));
                // A preposition that stands twice does not say which of the two is meant.
                if word.light && (own.len() > 1 || its.len() > 1) {
                    return None;
                }
                let number = own.iter().position(|known| *known == place)?;
                its.get(number).copied()
            })
            .collect()
    }

    /// Whether a word is followed by who did it: `sued by`.
    fn is_done_by(&self, word: &Word) -> bool {
        self.words.windows(2).any(|pair| match pair {
            [verb, by] => verb.plain == word.plain && by.plain == "by",
            _ => false,
        })
    }

    /// How the two agree, if they do, whichever of them is asked.
    /// `known` says that one sender of both is known by other marks.
    /// `apart` says that they are on two sites, which put names of their own after one headline.
    pub(crate) fn agrees(&self, other: &Self, known: bool, apart: bool) -> Option<Agreement> {
        if apart && self.is_named_otherwise(other) {
            return Some(Agreement::Same);
        }
        // Words that one of them repeats weigh by their place, so the two are compared in one order only.
        let order = |line: &Self| -> (Vec<String>, bool, bool) {
            let words = line.words.iter().map(|word| word.plain.clone()).collect();
            (words, line.title_case, line.cut)
        };
        if order(self) <= order(other) {
            self.agrees_in_order(other, known)
        } else {
            other.agrees_in_order(self, known)
        }
    }

    /// Whether two are one headline with other names of publishers and sections behind it.
    fn is_named_otherwise(&self, other: &Self) -> bool {
        let heavy = |line: &[Word]| -> Vec<String> {
            let words = line.iter().filter(|word| !word.light);
            words.map(|word| word.plain.clone()).collect()
        };
        let (one, two) = (heavy(&self.bare), heavy(&other.bare));
        let (whole_one, whole_two) = (heavy(&self.words), heavy(&other.words));
        let same = |one: &[String], two: &[String]| one.len() > LEAST && one == two;
        (same(&one, &two) || same(&one, &whole_two) || same(&whole_one, &two))
            && !self.is_another_edition(other)
            && !self.numbers_differ(other)
    }

    fn agrees_in_order(&self, other: &Self, known: bool) -> Option<Agreement> {
        if self.agrees_by_slug(other) {
            return Some(Agreement::Same);
        }
        if !self.is_specific() || !other.is_specific() {
            return None;
        }
        let (one, two): (Vec<&Word>, Vec<&Word>) = (self.heavy().collect(), other.heavy().collect());
        let equal = |one: &[&Word], two: &[&Word]| {
            let joined = |words: &[&Word]| words.iter().map(|word| word.plain.as_str()).collect::<String>();
            let same = one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.plain == two.plain);
            // `MtGox`, `Mt. Gox`
            same || one.len().abs_diff(two.len()) == 1 && joined(one) == joined(two)
        };
        if equal(&one, &two) {
            return Some(Agreement::Same);
        }
        // A headline whose end was cut off.
        let (short, long, cut) = if one.len() < two.len() {
            (&one, &two, self.cut)
        } else {
            (&two, &one, other.cut)
        };
        if cut && short.len() > LEAST && long.get(..short.len()).is_some_and(|begin| equal(short, begin)) {
            return Some(Agreement::Same);
        }
        // What one of the two has before a colon or after a dash, the other may do without.
        if self.parts().any(|part| equal(&part, &two)) || other.parts().any(|part| equal(&part, &one)) {
            return Some(Agreement::Same);
        }
        if self.exact() != other.exact() {
            return None;
        }
        if self.is_turned_around(other) {
            return None;
        }
        let least = if known { LEAST_KNOWN } else { LEAST_SHARED };
        // A clause may stand at the beginning or at the end.
        if one.len() >= least && self.terms() == other.terms() {
            return Some(Agreement::Near);
        }
        let (shared, only_one, only_two) = difference(&joined(&one, &two), &joined(&two, &one));
        // A large number says more than a word.
        let large = one
            .iter()
            .filter(|word| word.exact && word.plain.bytes().filter(u8::is_ascii_digit).count() >= 4)
            .count();
        let shared = shared + large;
        if only_one.is_empty() || only_two.is_empty() {
            let extra = if only_one.is_empty() { &only_two } else { &only_one };
            let turns = extra.iter().any(|word| TURNS.contains(&word.plain.as_str()));
            return (shared >= least && extra.len() <= INSERTED && !turns).then_some(Agreement::Near);
        }
        let replaced = only_one.len() == only_two.len()
            && only_one.len() == 1
            && only_one
                .iter()
                .zip(&only_two)
                .all(|(one, two)| self.may_replace(other, one, two));
        let forms = only_one.len() == only_two.len()
            && only_one
                .iter()
                .zip(&only_two)
                // A word in another place is not another form of it.
                .all(|(one, two)| one.plain != two.plain && is_form(&one.plain, &two.plain));
        // `Smith accuses Jones`, `Smith accused by Jones`.
        let other_actor = only_one
            .iter()
            .zip(&only_two)
            .any(|(one, two)| self.is_done_by(one) != other.is_done_by(two));
        let enough = if forms { LEAST } else { LEAST_REPLACED };
        ((replaced || forms) && !other_actor && shared >= enough).then_some(Agreement::Near)
    }

    /// Whether one of these words may stand for the other: no name, no number, no contrary.
    fn may_replace(&self, other: &Self, one: &Word, two: &Word) -> bool {
        let name = |word: &Word, line: &Self| word.capital && !line.title_case;
        // Where every word has a capital letter, names cannot be told from others.
        let told = !self.title_case && !other.title_case;
        told && !name(one, self)
            && !name(two, other)
            && !one.exact
            && !two.exact
            && !TURNS.contains(&one.plain.as_str())
            && !TURNS.contains(&two.plain.as_str())
            && !are_contrary(&one.plain, &two.plain)
    }
}

fn are_contrary(one: &str, two: &str) -> bool {
    let is = |word: &str, stem: &str| word.starts_with(stem) && word.len() <= stem.len() + 3;
    CONTRARY
        .iter()
        .any(|(a, b)| (is(one, a) && is(two, b)) || (is(one, b) && is(two, a)))
}

/// Whether two words are forms of one: `China` and `Chinese`, `threat` and `threats`.
fn is_form(one: &str, two: &str) -> bool {
    let shared: usize = one
        .chars()
        .zip(two.chars())
        .take_while(|(one, two)| one == two)
        .map(|(one, _)| one.len_utf8())
        .sum();
    let (rest_one, rest_two) = (
        one.get(shared..).unwrap_or_default(),
        two.get(shared..).unwrap_or_default(),
    );
    shared >= 4 && ENDS.contains(&rest_one) && ENDS.contains(&rest_two)
}

/// The words of one headline, two of which the other writes as one word joined: `Mt. Gox`, `MtGox`.
fn joined(one: &[&Word], other: &[&Word]) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(one.len());
    for word in one {
        if let Some(last) = out.last_mut() {
            let both = format!("{}{}", last.plain, word.plain);
            if other.iter().any(|known| known.plain == both) {
                last.plain = both;
                continue;
            }
        }
        out.push((*word).clone());
    }
    out
}

/// How many words two sequences share in order, and what each has alone, in order.
fn difference(one: &[Word], two: &[Word]) -> (usize, Vec<Word>, Vec<Word>) {
    let width = two.len() + 1;
    let mut table = vec![0_usize; (one.len() + 1) * width];
    let cell = |table: &[usize], row: usize, column: usize| {
        table.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, a) in one.iter().enumerate().rev() {
        for (column, b) in two.iter().enumerate().rev() {
            let value = if a.plain == b.plain {
                cell(&table, row + 1, column + 1) + 1
            } else {
                cell(&table, row + 1, column).max(cell(&table, row, column + 1))
            };
            if let Some(place) = table.get_mut(row * width + column) {
                *place = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let (mut only_one, mut only_two) = (Vec::new(), Vec::new());
    loop {
        match (one.get(row), two.get(column)) {
            (Some(a), Some(b)) if a.plain == b.plain => {
                row += 1;
                column += 1;
            }
            (Some(a), Some(b)) => {
                if cell(&table, row + 1, column) >= cell(&table, row, column + 1) {
                    only_one.push(a.clone());
                    row += 1;
                } else {
                    only_two.push(b.clone());
                    column += 1;
                }
            }
            (Some(a), None) => {
                only_one.push(a.clone());
                row += 1;
            }
            (None, Some(b)) => {
                only_two.push(b.clone());
                column += 1;
            }
            (None, None) => break,
        }
    }
    (cell(&table, 0, 0), only_one, only_two)
}

/// Names in a text: words with a capital letter that do not begin a sentence.
pub(crate) fn names(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut begins = true;
    let head = text
        .get(..text.floor_char_boundary(text.len().min(2_000)))
        .unwrap_or_default();
    for part in head.split_whitespace() {
        let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
        if !begins
            && bare.len() > 2
            && bare.starts_with(char::is_uppercase)
            && !TIMES.contains(&bare.to_lowercase().as_str())
        {
            out.insert(bare.to_lowercase());
        }
        begins = part.ends_with(['.', '!', '?', ':', '"', '\u{201d}']);
    }
    out
}

/// Numbers in a text, as they are written.
pub(crate) fn numbers(text: &str) -> BTreeSet<String> {
    let head = text
        .get(..text.floor_char_boundary(text.len().min(2_000)))
        .unwrap_or_default();
    let parts = head.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let bare = parts.map(|part| part.trim_matches(|c: char| !c.is_ascii_digit()));
    bare.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
