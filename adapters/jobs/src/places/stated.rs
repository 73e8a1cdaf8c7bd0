//! What a stated place names.

use std::collections::BTreeSet;

use super::names::{Area, CODES, Code, NAMES, Name, Reading, Town, fold};

/// Characters of a stated place that are read; boards list up to fifty places of an advert.
const READ: usize = 2_000;
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
        let apart = |c: char| {
            matches!(
                c,
                ',' | ';' | '|' | '/' | '(' | ')' | '·' | '•' | '\n' | '+' | '&'
            )
        };
        for part in text.split(apart).map(str::trim) {
            stated.code(part);
            for word in part.split_whitespace() {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
                stated.countries.extend(capitals(word));
            }
            stated.names(&fold(part));
        }
        stated.settle();
        stated
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
                at += 1;
                continue;
            };
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
