//! What a stated place names.

use std::collections::BTreeSet;

use super::names::{Area, CODES, Code, NAMES, Name, Reading, STATES_BEHIND_TOWN, TOWN_AND_AREA, Town, fold};

/// Characters of a stated place that are read; boards list up to fifty places of an advert.
pub(super) const READ: usize = 2_000;
/// Words of the longest name.
pub(super) const LONGEST_NAME: usize = 5;

/// What a stated place names.
#[derive(Debug, Default)]
pub(super) struct Stated {
    pub countries: BTreeSet<Code>,
    /// Countries of codes that the rest of the place decides: `MA` behind Boston.
    pub decided: BTreeSet<Code>,
    /// Countries of a region, none of which is named alone.
    pub regions: BTreeSet<Code>,
    pub areas: BTreeSet<Area>,
    /// Codes and names that may stand for several places, and nothing else decides between them.
    pub open: Vec<Vec<Reading>>,
    /// Countries of those.
    pub open_countries: BTreeSet<Code>,
    /// Parts that are nothing but a code.
    pub codes: BTreeSet<&'static str>,
    pub towns: Vec<Town>,
    /// Known names of several words.
    pub long_names: Vec<String>,
    /// Whether a word stands there that is neither a known name nor says how the work is done: a place, perhaps.
    pub unread: bool,
    /// Whether remote work is one of several alternatives, without a place of its own: `London or Remote`.
    pub or_remote: bool,
    pub folded: String,
}

/// Words that are a country only in capitals: `us` is a pronoun.
pub(super) fn capitals(word: &str) -> Option<Code> {
    match word {
        "US" | "USA" | "U.S." | "U.S.A." | "U.S" | "U.S.A" => Some("US"),
        "UK" | "U.K." | "U.K" | "GB" => Some("GB"),
        "UAE" => Some("AE"),
        _ => None,
    }
}

impl Stated {
    pub(super) fn of(text: &str) -> Self {
        let text = text.get(..text.floor_char_boundary(READ)).unwrap_or(text);
        let mut stated = Self {
            folded: format!(" {} ", fold(text)),
            ..Self::default()
        };
        let lists = |c: char| matches!(c, ';' | '|' | '/' | '·' | '•' | '\n' | '+' | '&');
        let places: Vec<&str> = text.split(lists).flat_map(split_at_or).collect();
        stated.or_remote = places.len() > 1 && places.iter().any(|place| fold(place) == "remote");
        for place in places {
            let comma = place.split([',', '(', ')']);
            let parts = comma.flat_map(|part| part.split(" - ").flat_map(|part| part.split(" – ")));
            let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
            stated.place(&parts);
        }
        stated.settle();
        stated
    }

    /// The parts of one place: `Austin`, `TX`.
    fn place(&mut self, parts: &[&str]) {
        let pair = match parts {
            [first, second] => Some((*first, *second)),
            [first, second, country] if is_country(country) => Some((*first, *second)),
            _ => None,
        };
        let mut parts = parts;
        // Behind the code, the country decides: `Ontario, CA, USA`.
        let country = parts.get(2).filter(|_| pair.is_some());
        let meant = match pair.and_then(|(first, second)| pair_of(first, second)) {
            Some(Pair::Open(_)) if country.is_some_and(|country| is_us(country)) => Some(Pair::TownOfCode),
            Some(Pair::Open(_)) if country.is_some() => None,
            meant => meant,
        };
        match meant {
            // `Lebanon, NH`: the name of a country or state is a town's where another one's code follows.
            Some(Pair::TownOfCode) => parts = parts.get(1..).unwrap_or_default(),
            Some(Pair::Open(readings)) => {
                self.open.push(readings);
                return;
            }
            Some(Pair::State(area)) => {
                self.countries.insert(area.0);
                self.areas.insert(area);
                parts = parts.get(..1).unwrap_or_default();
            }
            None => {}
        }
        for part in parts {
            self.code(part);
            for word in part.split(|c: char| c.is_whitespace() || matches!(c, '-' | '–')) {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
                self.countries.extend(capitals(word));
            }
            self.names(&fold(part));
        }
    }

    /// A part that is nothing but a code: `Austin, TX`, `Paris, FR`.
    fn code(&mut self, part: &str) {
        let upper = part.to_ascii_uppercase();
        // A field that holds nothing but `us` names the country.
        if let Some(code) = capitals(&upper) {
            self.countries.insert(code);
        } else if part == upper
            && let Some((code, readings)) = CODES.get_key_value(part)
        {
            self.codes.insert(code);
            // Recruiters write it for North America, and Namibia by its name.
            if *code == "NA"
                && let Some(Name::Region(codes)) = NAMES.get("north america")
            {
                self.regions.extend(codes.iter().copied().chain(["NA"]));
                return;
            }
            self.open.push(readings.clone());
        }
    }

    /// Decides what ambiguous codes and names stand for: the countries and towns beside them say so, or nothing does.
    fn settle(&mut self) {
        let by_town: BTreeSet<Code> = self.towns.iter().flat_map(|town| town.codes.split(',')).collect();
        for readings in std::mem::take(&mut self.open) {
            let within = |codes: &BTreeSet<Code>| -> Vec<Reading> {
                let fitting = readings.iter().filter(|reading| codes.contains(reading.country));
                fitting.copied().collect()
            };
            let named = within(&self.countries);
            let near = within(&by_town);
            let fitting = match self.towns.len() {
                0 => named,
                1 if !named.is_empty() => named,
                // One of several towns may be meant, or a country named beside another one.
                _ => named.into_iter().chain(near).collect(),
            };
            let strong = || readings.iter().copied().filter(|reading| !reading.weak);
            let (meant, alone) = if fitting.is_empty() {
                (strong().collect(), true)
            } else {
                (fitting, false)
            };
            let one = match meant.as_slice() {
                [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
                [] => continue,
                _ => {
                    self.open_countries
                        .extend(meant.iter().map(|reading| reading.country));
                    self.open.push(meant);
                    continue;
                }
            };
            self.areas.extend(one.area);
            if alone || readings.len() == 1 {
                self.countries.insert(one.country);
            } else {
                self.decided.insert(one.country);
            }
        }
    }

    /// The names in a part, the longest first.
    fn names(&mut self, folded: &str) {
        let words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
        let mut at = 0;
        while at < words.len() {
            let longest = LONGEST_NAME.min(words.len() - at);
            let found = (1..=longest).rev().find_map(|length| {
                let name = words.get(at..at + length)?.join(" ");
                NAMES.get(name.as_str()).map(|found| (length, *found))
            });
            let Some((length, name)) = found else {
                // `New London` is not London; `our new London office` is there.
                if at == 0 && words.first() == Some(&"new") {
                    at += town_at(&words, 1);
                }
                self.unread |= words.get(at).is_some_and(|word| !says_no_place(word));
                at += 1;
                continue;
            };
            if length > 1 {
                self.long_names
                    .extend(words.get(at..at + length).map(|words| words.join(" ")));
            }
            match name {
                Name::Country(code) => {
                    self.countries.insert(code);
                }
                Name::Area(area) => {
                    self.countries.insert(area.0);
                    self.areas.insert(area);
                }
                Name::Either(country, area) => self.open.push(either(country, area)),
                Name::Region(codes) => self.regions.extend(codes.iter().copied()),
                Name::Town(town) => self.towns.push(town),
            }
            at += length;
        }
    }

    /// The countries that a town can be in, given what else is stated; only one where it is plain which.
    pub(super) fn countries_of(&self, town: &Town) -> Vec<Code> {
        let all: Vec<Code> = town.codes.split(',').collect();
        let open = &self.open_countries;
        let named = |code: &Code| self.countries.contains(code) || self.decided.contains(code);
        let mut stated: Vec<Code> = all.iter().copied().filter(named).collect();
        if stated.is_empty() {
            stated = all.iter().copied().filter(|code| open.contains(code)).collect();
        }
        let first = all.first().copied();
        if stated.len() > 1 && self.towns.len() > 1 && town.sure && stated.first().copied() == first {
            // Each of several towns has a country of its own beside it, and this one's is the usual one.
            stated.truncate(1);
        }
        if !stated.is_empty() {
            stated
        } else if self.towns.len() == 1 && !self.countries.is_empty() {
            // A namesake that is too small for the list: `Berlin, CT`.
            self.countries.iter().copied().collect()
        } else if self.towns.len() == 1 && !open.is_empty() {
            open.iter().copied().chain(first).collect()
        } else if town.sure {
            first.into_iter().collect()
        } else {
            all
        }
    }

    /// Whether it names no place at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.countries.is_empty() && self.regions.is_empty() && self.towns.is_empty() && self.open.is_empty()
    }
}

/// Words beside a place that are none.
const NO_PLACES: [&str; 32] = [
    "remote",
    "remotely",
    "hybrid",
    "onsite",
    "on",
    "site",
    "in",
    "within",
    "only",
    "based",
    "fully",
    "full",
    "100",
    "home",
    "homeoffice",
    "office",
    "work",
    "from",
    "anywhere",
    "worldwide",
    "global",
    "globally",
    "international",
    "distributed",
    "flexible",
    "nationwide",
    "multiple",
    "various",
    "locations",
    "the",
    "and",
    "or",
];

/// Whether a word is part of no name: how the work is done, or a code.
fn says_no_place(word: &str) -> bool {
    let code = word.to_ascii_uppercase();
    NO_PLACES.contains(&word) || CODES.contains_key(code.as_str()) || capitals(&code).is_some()
}

/// The alternatives in a place: `Austin, TX or Remote`, `Worthington, OH and Riva del Garda`. Behind a comma, `OR` is Oregon;
/// `and` is a part of some names, and not behind a state's code.
fn split_at_or(place: &str) -> Vec<&str> {
    let lower = place.to_ascii_lowercase();
    let mut words: Vec<(usize, &str)> = lower.match_indices(" or ").collect();
    words.extend(lower.match_indices(" and "));
    words.sort_unstable();
    let mut from = 0;
    let mut all = Vec::new();
    for (at, word) in words {
        let before = place.get(from..at).unwrap_or_default();
        let is_oregon = before.trim_end().ends_with(',') && place.get(at + 1..at + 3) == Some("OR");
        let last = before.rsplit_once(',').map_or("", |(_, last)| last.trim());
        if is_oregon || (word == " and " && !CODES.contains_key(last)) {
            continue;
        }
        all.push(before);
        from = at + word.len();
    }
    all.extend(place.get(from..));
    all
}

/// What the two parts of a place are together.
enum Pair {
    /// A town with the name of a country or state, and the code of the state that it is in.
    TownOfCode,
    /// What may stand for two places.
    Open(Vec<Reading>),
    /// A town and the state that it is in.
    State(Area),
}

fn pair_of(first: &str, second: &str) -> Option<Pair> {
    let named = NAMES.get(fold(first).as_str())?;
    let folded = fold(second);
    if let (Name::Town(town), Some(area)) = (named, TOWN_AND_AREA.get(folded.as_str())) {
        let is_state = STATES_BEHIND_TOWN.contains(&folded.as_str());
        let behind = is_state && town.codes.split(',').any(|code| code == area.0);
        return (behind && town.name != folded).then_some(Pair::State(*area));
    }
    let readings = CODES.get(second)?;
    let is_area = |reading: &Reading| reading.area.is_some();
    // `Victoria, BC`: the code of a province, where it can be nothing else.
    let in_canada = |reading: &&Reading| reading.country == "CA" && readings.iter().all(is_area);
    let in_us = |reading: &&Reading| reading.country == "US" && reading.area.is_some();
    let is_state = |reading: &&Reading| !reading.weak && (in_us(reading) || in_canada(reading));
    let state = readings.iter().find(is_state)?;
    match named {
        Name::Country("US") => None,
        Name::Country(code) if readings.iter().any(|reading| reading.country == *code) => None,
        Name::Country(_) if readings.iter().all(is_area) => Some(Pair::TownOfCode),
        // `Peru, IN`: two countries, or the town in Indiana.
        Name::Country(code) => {
            let own = Reading {
                country: code,
                area: None,
                weak: false,
            };
            Some(Pair::Open(vec![own, *state]))
        }
        Name::Area(area) if readings.iter().any(|reading| reading.area == Some(*area)) => None,
        // `Ontario, CA`: the province in Canada, or the town in California.
        Name::Area(area)
            if readings
                .iter()
                .any(|reading| reading.country == area.0 && !is_area(reading)) =>
        {
            let own = Reading {
                country: area.0,
                area: Some(*area),
                weak: false,
            };
            (area.0 != "US").then(|| Pair::Open(vec![own, *state]))
        }
        Name::Area(area) => (area.0 == "US" || readings.iter().all(is_area)).then_some(Pair::TownOfCode),
        _ => None,
    }
}

/// The state of a town that has the name of a country or of another state, where a caller writes both: `Lebanon, NH`.
pub(super) fn state_of_namesake(first: &str, second: &str) -> Option<Area> {
    let is_country = matches!(NAMES.get(fold(first).as_str()), Some(Name::Country(_)));
    let readings = CODES.get(second)?;
    let state = readings
        .iter()
        .find_map(|reading| reading.area.filter(|_| !reading.weak))?;
    match pair_of(first, second)? {
        Pair::TownOfCode => Some(state),
        // `Peru, IN` names one place, and two countries are none.
        Pair::Open(_) if is_country => Some(state),
        Pair::Open(_) | Pair::State(_) => None,
    }
}

fn is_country(part: &str) -> bool {
    capitals(&part.to_ascii_uppercase()).is_some()
        || matches!(NAMES.get(fold(part).as_str()), Some(Name::Country(_)))
}

fn is_us(part: &str) -> bool {
    capitals(&part.to_ascii_uppercase()) == Some("US")
        || matches!(NAMES.get(fold(part).as_str()), Some(Name::Country("US")))
}

/// The words of the town's name that stands there.
fn town_at(words: &[&str], at: usize) -> usize {
    let longest = LONGEST_NAME.min(words.len().saturating_sub(at));
    let is_town = |length: &usize| {
        let name = words.get(at..at + length).map(|words| words.join(" "));
        name.is_some_and(|name| matches!(NAMES.get(name.as_str()), Some(Name::Town(_))))
    };
    (1..=longest).rev().find(is_town).unwrap_or_default()
}

/// What an ambiguous name may stand for.
fn either(country: Code, area: Area) -> Vec<Reading> {
    [(country, None), (area.0, Some(area))]
        .map(|(country, area)| Reading {
            country,
            area,
            weak: false,
        })
        .to_vec()
}
