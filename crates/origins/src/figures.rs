//! Figures that reports of one thing give, with what they count, so that those that differ can be told.

use std::collections::BTreeMap;

use crate::words::{Word, words};

/// Bytes of a text that are looked through.
const LOOKED: usize = 1_500;
/// Words on each side of a number in which what it counts is looked for.
const NEAR: usize = 3;

/// What several words say of the same thing, so that `12 dead` and `14 killed` are compared.
const SAME: [(&str, &[&str]); 6] = [
    (
        "dead",
        &[
            "dead",
            "death",
            "died",
            "die",
            "dy",
            "killed",
            "kill",
            "killing",
            "fatality",
            "fatalitie",
            "fatalities",
            "victim",
            "toll",
        ],
    ),
    (
        "injured",
        &[
            "injured", "injury", "injurie", "injuries", "injuring", "wounded", "wounding", "hurt",
        ],
    ),
    ("missing", &["missing", "unaccounted"]),
    ("arrested", &["arrested", "arrest", "detained", "detain"]),
    ("laid off", &["layoff", "layoffs", "redundancie", "redundancy"]),
    ("magnitude", &["magnitude"]),
];

/// Words after a number that say too little of what it counts.
const VAGUE: [&str; 44] = [
    "people", "person", "other", "more", "new", "least", "about", "around", "nearly", "almost", "some",
    "total", "million", "billion", "thousand", "hundred", "dozen", "year", "month", "week", "day", "hour",
    "minute", "second", "old", "am", "pm", "time", "case", "percent", "%", "point", "place", "part", "way",
    "thing", "men", "women", "children", "child", "man", "woman", "worker", "student",
];

/// Words that are the unit of a time or an age: such numbers are not compared.
const TIMES: [&str; 13] = [
    "year", "month", "week", "day", "hour", "minute", "second", "am", "pm", "gmt", "utc", "old", "century",
];

/// Months by their names in full and short.
const MONTHS: [(&str, &str); 12] = [
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may", "may"),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
];

/// Figures by what they are of. What is given with several values in one text is left out: which one is meant is not known.
pub(crate) fn figures(title: &str, text: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    let head = text
        .get(..text.floor_char_boundary(text.len().min(LOOKED)))
        .unwrap_or_default();
    for part in [title, head] {
        for sentence in part
            .split(['\n', ';', '!', '?'])
            .flat_map(|part| part.split(". "))
        {
            in_sentence(sentence, &mut found);
        }
    }
    found
        .into_iter()
        .filter_map(|(label, value)| Some((label, value?)))
        .collect()
}

fn in_sentence(sentence: &str, found: &mut BTreeMap<String, Option<String>>) {
    let spaced = sentence.replace(['$', '\u{20ac}', '\u{a3}'], " currency ");
    let words = words(&spaced);
    for (at, word) in words.iter().enumerate() {
        let before = |steps: usize| {
            at.checked_sub(steps)
                .and_then(|at| words.get(at))
                .map(|word| word.plain.as_str())
        };
        let after = |steps: usize| words.get(at + steps).map(|word| word.plain.as_str());
        if let Some((label, value)) = date(word, before, after) {
            put(found, label, value);
            continue;
        }
        if !word.plain.starts_with(|c: char| c.is_ascii_digit()) || is_year(&word.plain) {
            continue;
        }
        let percent = word.plain.ends_with('%');
        let currency = before(1) == Some("currency");
        let scale = after(1).filter(|word| matches!(*word, "million" | "billion" | "thousand" | "trillion"));
        let value = [
            if currency { "$" } else { "" },
            &word.plain,
            scale.map_or("", |_| " "),
            scale.unwrap_or_default(),
        ]
        .concat();
        let skipped = usize::from(scale.is_some());
        if after(1 + skipped).is_some_and(|unit| TIMES.contains(&unit)) || before(1).is_some_and(is_month) {
            continue;
        }
        let behind = (1..=NEAR).filter_map(|steps| after(steps + skipped));
        let ahead = (1 + usize::from(currency)..=NEAR + usize::from(currency)).filter_map(before);
        let Some(label) = label(behind, ahead, percent || currency) else {
            continue;
        };
        put(found, label, value);
    }
}

fn put(found: &mut BTreeMap<String, Option<String>>, label: String, value: String) {
    found
        .entry(label)
        .and_modify(|known| {
            if known.as_ref() != Some(&value) {
                *known = None;
            }
        })
        .or_insert(Some(value));
}

fn same(word: &str) -> Option<&'static str> {
    SAME.iter()
        .find(|(_, words)| words.contains(&word))
        .map(|(label, _)| *label)
}

/// What a number counts: what is after it, else what is before it. An amount is what the word before it says is done with it.
fn label<'w>(
    after: impl Iterator<Item = &'w str> + Clone,
    before: impl Iterator<Item = &'w str> + Clone,
    is_amount: bool,
) -> Option<String> {
    if !is_amount
        && let Some(known) = after
            .clone()
            .find_map(same)
            .or_else(|| before.clone().find_map(same))
    {
        return Some(known.to_owned());
    }
    let says = |word: &&str| {
        word.len() > 2
            && !VAGUE.contains(word)
            && word.chars().all(char::is_alphabetic)
            && *word != "currency"
            && !is_light(word)
    };
    if is_amount {
        return before.into_iter().find(says).map(str::to_owned);
    }
    after.into_iter().next().filter(says).map(str::to_owned)
}

fn is_light(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "and"
            | "for"
            | "with"
            | "from"
            | "that"
            | "was"
            | "were"
            | "are"
            | "has"
            | "have"
            | "had"
            | "into"
            | "than"
            | "over"
            | "said"
            | "say"
            | "after"
            | "near"
            | "off"
    )
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && (text.starts_with("19") || text.starts_with("20"))
}

fn is_month(text: &str) -> bool {
    MONTHS.iter().any(|(long, short)| text == *long || text == *short)
}

/// A day of a month, of what the word before it says: `opens on 3 May`.
fn date<'w>(
    word: &Word,
    before: impl Fn(usize) -> Option<&'w str>,
    after: impl Fn(usize) -> Option<&'w str>,
) -> Option<(String, String)> {
    let (month, short) = MONTHS
        .iter()
        .find(|(long, short)| word.plain == *long || word.plain == *short)?;
    let day = |text: Option<&'w str>| {
        let text = text?.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        text.parse::<u8>().ok().filter(|day| (1..=31).contains(day))
    };
    let (day, first) = match (day(after(1)), day(before(1))) {
        (Some(day), _) => (day, 1),
        (None, Some(day)) => (day, 2),
        (None, None) => return None,
    };
    let _ = short;
    let verb = (first..first + NEAR).filter_map(&before).find(|word| {
        word.len() > 3 && word.chars().all(char::is_alphabetic) && !is_light(word) && !is_weekday(word)
    })?;
    Some((format!("date: {verb}"), format!("{day} {month}")))
}

fn is_weekday(word: &str) -> bool {
    word.ends_with("day")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(String, String)> {
        figures(text, "").into_iter().collect()
    }

    #[test]
    fn what_a_number_counts_is_beside_it() {
        for (text, label, value) in [
            (
                "At least 12 people were killed when the bridge fell",
                "dead",
                "12",
            ),
            ("Bridge collapse: 14 dead, rescue goes on", "dead", "14"),
            ("Acme raised $15 million for its tools", "raised", "$15 million"),
            ("The fair opens on 3 May in Exampleton", "date: open", "3 may"),
            ("A quake of magnitude 5.6 struck", "magnitude", "5.6"),
            ("Acme lays off 300 engineers", "engineer", "300"),
        ] {
            assert!(
                of(text).contains(&(label.to_owned(), value.to_owned())),
                "{text} {:?}",
                of(text)
            );
        }
    }

    #[test]
    fn ages_years_and_what_is_said_twice_are_not_compared() {
        assert!(of("A 34 year old man was seen in 2024").is_empty());
        assert!(
            !of("3 killed, then 5 killed")
                .iter()
                .any(|(label, _)| label == "dead")
        );
    }
}
