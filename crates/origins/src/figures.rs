//! Figures that reports of one thing give, with what they count, so that those that differ can be told.

use std::collections::BTreeMap;

use freshcontext_contract::LEGAL_FORMS;

use crate::words::{Word, spelled, words};

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
            "injured", "injure", "injury", "injurie", "injuries", "injuring", "wounded", "wounding", "wound",
            "hurt",
        ],
    ),
    ("missing", &["missing", "unaccounted"]),
    ("arrested", &["arrested", "arrest", "detained", "detain"]),
    ("laid off", &["layoff", "layoffs", "redundancie", "redundancy"]),
    ("magnitude", &["magnitude"]),
];

/// Verbs of which the number after them is the object: `kills three, injures 12`.
const ACTIVE: [&str; 6] = ["kill", "killing", "injure", "injuring", "wound", "wounding"];

/// Signs of currencies, each with the word that stands for it while a sentence is read.
const SIGNS: [(char, &str); 5] = [
    ('$', "dollarsign"),
    ('\u{20ac}', "eurosign"),
    ('\u{a3}', "poundsign"),
    ('\u{a5}', "yensign"),
    ('\u{20b9}', "rupeesign"),
];

/// Letters before a dollar sign that name another dollar than that of the United States, or a real.
const OTHER_DOLLARS: [&str; 10] = ["a", "au", "c", "ca", "hk", "nz", "s", "sg", "r", "nt"];

/// Words for how large a number is, each with its zeros, the largest first.
const SCALES: [(&str, usize); 4] = [("trillion", 12), ("billion", 9), ("million", 6), ("thousand", 3)];

/// Least zeros of a scale that an amount is written with: `15000`, `15 million`.
const LEAST_SCALE: usize = 6;

/// Words of companies' names beside their legal forms: an amount is of neither.
const OF_COMPANIES: [&str; 2] = ["group", "holding"];

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

/// The clauses of a sentence: each has its own number and what it counts. A comma within a number parts nothing.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    sentence
        .split(", ")
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" while "))
        .flat_map(|part| part.split(" & "))
}

fn in_sentence(sentence: &str, found: &mut BTreeMap<String, Option<String>>) {
    for clause in clauses(sentence) {
        in_clause(clause, found);
    }
}

/// The currency whose sign this word stands for.
fn sign(word: &str) -> Option<char> {
    SIGNS
        .iter()
        .find(|(_, name)| *name == word)
        .map(|(sign, _)| *sign)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn in_clause(clause: &str, found: &mut BTreeMap<String, Option<String>>) {
    let mut spaced = spelled(clause);
    for (sign, name) in SIGNS {
        spaced = spaced.replace(sign, &format!(" {name} "));
    }
    let words = words(&spaced);
    // In a headline of capital letters, names cannot be told from other words.
    let capitals = words.iter().filter(|word| word.capital).count();
    let tells_names = capitals * 2 < words.len();
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
        if !is_number(&word.plain) || is_year(&word.plain) {
            continue;
        }
        let percent = word.plain.ends_with('%');
        let scale = after(1).and_then(|word| SCALES.iter().find(|(name, _)| *name == word));
        let skipped = usize::from(scale.is_some());
        let ahead_sign = before(1).and_then(sign);
        // `500 \u{20ac}`; a sign before another number is of that one.
        let behind_sign = after(1 + skipped)
            .and_then(sign)
            .filter(|_| !after(2 + skipped).is_some_and(is_number));
        let currency = ahead_sign.or(behind_sign);
        let other_dollar =
            ahead_sign == Some('$') && before(2).is_some_and(|letters| OTHER_DOLLARS.contains(&letters));
        if after(1 + skipped).is_some_and(|unit| TIMES.contains(&unit)) || before(1).is_some_and(is_month) {
            continue;
        }
        let is_amount = percent || currency.is_some();
        let first = if ahead_sign.is_some() { 2 } else { 1 };
        let label = if is_amount {
            let names = |word: &&Word| tells_names && word.capital;
            let ahead = words.get(..=at.saturating_sub(first)).unwrap_or_default();
            amount_label(
                ahead
                    .iter()
                    .enumerate()
                    .rev()
                    .filter(|(place, word)| *place == 0 || !names(word))
                    .map(|(_, word)| word.plain.as_str()),
            )
        } else {
            // `A 5.6 quake killed 12`: the verb right before another number is of that one, unless it follows this one at once.
            let is_of_next = |steps: usize, word: &str| {
                steps > 1 && same(word).is_some() && after(steps + skipped + 1).is_some_and(is_number)
            };
            let behind = (1..=NEAR)
                .map_while(|steps| Some((steps, after(steps + skipped)?)))
                .take_while(|(steps, word)| !is_number(word) && !is_of_next(*steps, word))
                .map(|(_, word)| word);
            let ahead = (first..first + NEAR)
                .map_while(before)
                .take_while(|word| !is_number(word));
            // `kills at least three`
            let is_object = (1..=NEAR)
                .map_while(before)
                .find(|word| !is_light(word) && !VAGUE.contains(word))
                .filter(|word| ACTIVE.contains(word))
                .and_then(same);
            is_object
                .map(str::to_owned)
                .or_else(|| count_label(behind, ahead))
        };
        let Some(mut label) = label else { continue };
        if let Some(sign) = currency.filter(|sign| *sign != '$' || other_dollar) {
            // Amounts in two currencies are not compared.
            label = format!(
                "{label} ({}{sign})",
                before(2)
                    .filter(|_| other_dollar)
                    .unwrap_or_default()
                    .to_uppercase()
            );
        }
        let number = word.plain.trim_end_matches('%');
        let exact = is_amount || scale.is_some() || label == "magnitude";
        let value = exact
            .then(|| value(number, scale.map_or(0, |(_, zeros)| *zeros)))
            .flatten()
            .unwrap_or_else(|| number.to_owned());
        let sign = currency.map(String::from).unwrap_or_default();
        let percent = if percent { "%" } else { "" };
        put(found, label, format!("{sign}{value}{percent}"));
    }
}

/// A number times its scale, written in one way: `2.1` and `2100` millions are both `2.1 billion`. `None` where it is no decimal
/// number.
fn value(number: &str, zeros: usize) -> Option<String> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    // All digits, and how many of them stand before the point.
    let digits = format!(
        "{whole}{fraction}{}",
        "0".repeat(zeros.saturating_sub(fraction.len()))
    );
    let point = whole.len() + zeros;
    let lost = digits.len() - digits.trim_start_matches('0').len();
    let (digits, point) = (digits.trim_start_matches('0'), point.saturating_sub(lost));
    if point == 0 || digits.is_empty() {
        // Less than one: as it is written.
        return (zeros == 0).then(|| number.to_owned());
    }
    let scale = SCALES
        .iter()
        .find(|(_, zeros)| *zeros >= LEAST_SCALE && point > *zeros);
    let point = point - scale.map_or(0, |(_, zeros)| *zeros);
    let (whole, fraction) = digits.split_at_checked(point)?;
    let fraction = fraction.trim_end_matches('0');
    let mark = if fraction.is_empty() { "" } else { "." };
    let name = scale.map_or(String::new(), |(name, _)| format!(" {name}"));
    Some(format!("{whole}{mark}{fraction}{name}"))
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

fn says(word: &str) -> bool {
    word.len() > 2
        && !VAGUE.contains(&word)
        && word.chars().all(char::is_alphabetic)
        && sign(word).is_none()
        && !is_light(word)
}

/// What a number counts: what is after it, else what is before it.
fn count_label<'w>(
    after: impl Iterator<Item = &'w str> + Clone,
    before: impl Iterator<Item = &'w str>,
) -> Option<String> {
    if let Some(known) = after
        .clone()
        .find_map(same)
        .or_else(|| before.into_iter().find_map(same))
    {
        return Some(known.to_owned());
    }
    after
        .into_iter()
        .next()
        .filter(|word| says(word))
        .map(str::to_owned)
}

fn is_of_company(word: &str) -> bool {
    LEGAL_FORMS.contains(&word) || OF_COMPANIES.contains(&word)
}

/// What is done with an amount: what the word before it says. Companies are not what an amount is of.
fn amount_label<'w>(before: impl Iterator<Item = &'w str>) -> Option<String> {
    before
        .filter(|word| !is_of_company(word))
        .take(NEAR)
        .find(|word| says(word))
        .map(str::to_owned)
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
            ("Blast in Exampleton kills three workers, injures 12", "dead", "3"),
            (
                "Blast in Exampleton kills three workers, injures 12",
                "injured",
                "12",
            ),
            ("A blast killed 12 and injured 14 in Exampleton", "injured", "14"),
            ("A blast killed 12 and injured 14 in Exampleton", "dead", "12"),
            ("A 5.6 quake killed 12", "dead", "12"),
            ("3 killed, 12 injured in Exampleton", "injured", "12"),
            (
                "Acme Corp to buy Example Inc for $2.1 billion",
                "buy",
                "$2.1 billion",
            ),
        ] {
            assert!(
                of(text).contains(&(label.to_owned(), value.to_owned())),
                "{text} {:?}",
                of(text)
            );
        }
    }

    #[test]
    fn one_amount_has_one_value_however_it_is_written() {
        for (one, other) in [
            ("Acme raised $2.1 billion", "Acme raised $2.1bn"),
            ("Acme raised $2.1 billion", "Acme raised US$2,100 million"),
            ("Acme raised $500 million", "Acme raised $0.5 billion"),
            ("Acme raised $15m", "Acme raised $15,000,000"),
            ("Sales rose 5%", "Sales rose 5.0%"),
            ("A quake of magnitude 6 struck", "A quake of magnitude 6.0 struck"),
        ] {
            assert!(!of(one).is_empty(), "{one}");
            assert_eq!(of(one), of(other));
        }
        assert_ne!(of("Acme raised $2.1 billion"), of("Acme raised $2.2bn"));
        // Other money is another figure.
        for other in ["\u{20ac}2.1bn", "A$2.1bn"] {
            assert_ne!(
                of("Acme raised $2.1bn")[0].0,
                of(&format!("Acme raised {other}"))[0].0
            );
        }
    }

    #[test]
    fn a_legal_form_is_no_figure() {
        for text in [
            "Acme Corp to buy Example Inc for $2.1 billion",
            "Acme pays Example Ltd $3m",
        ] {
            assert!(!of(text).iter().any(|(label, _)| is_of_company(label)), "{text}");
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
