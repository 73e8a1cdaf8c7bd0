//! Where an advert is, and whether that is where the caller looks. A place is more than a word: a town lies in a country,
//! towns share names, and `us` is a pronoun. Towns and countries are from GeoNames (<https://www.geonames.org/>, CC BY 4.0): towns
//! of 100,000 people, in the countries of the boards of 20,000, with other towns of the same name.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// An ISO 3166-1 code of a country, in upper case.
type Code = &'static str;

/// A state, province or other part of a country: the country, and the first name of the part, or its code.
type Area = (Code, &'static str);

/// Characters of a stated place that are read; boards list up to fifty places of an advert.
const READ: usize = 2_000;
/// Words of the longest name.
const LONGEST_NAME: usize = 5;

/// A town of the list.
#[derive(Debug, Clone, Copy)]
struct Town {
    /// One name for all spellings of it.
    name: &'static str,
    /// The countries that have one of this name, the largest first.
    codes: &'static str,
    /// Whether the first is the one that is meant where nothing else is said.
    sure: bool,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
enum Name {
    Country(Code),
    /// A country, or a part of another one: Georgia.
    Either(Code, Area),
    Area(Area),
    Region(&'static [Code]),
    Town(Town),
}

/// One thing that a code or an ambiguous name may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    country: Code,
    /// The part of it; `None` where the country itself is meant.
    area: Option<Area>,
    /// Whether this is meant only beside a town of that country: `Milano, MI`.
    weak: bool,
}

const EU: &[Code] = &[
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE", "IT", "LV", "LT",
    "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
];
const DACH: &[Code] = &["DE", "AT", "CH"];
const NORDICS: &[Code] = &["DK", "SE", "NO", "FI", "IS"];
const BENELUX: &[Code] = &["BE", "NL", "LU"];
const BALTICS: &[Code] = &["EE", "LV", "LT"];
const MIDDLE_EAST: &[Code] = &[
    "AE", "BH", "EG", "IL", "IQ", "IR", "JO", "KW", "LB", "OM", "PS", "QA", "SA", "SY", "TR", "YE",
];
const NORTH_AMERICA: &[Code] = &["US", "CA", "MX"];
const CENTRAL_AMERICA: &[Code] = &["BZ", "CR", "GT", "HN", "NI", "PA", "SV"];
const LATIN_AMERICA: &[Code] = &[
    "MX", "BR", "AR", "CL", "CO", "PE", "EC", "UY", "PY", "BO", "VE", "CR", "PA", "GT", "HN", "SV", "NI",
    "DO", "CU", "PR",
];

/// Regions by their names; continents have all their countries.
const REGIONS: [(&str, &[Code]); 13] = [
    ("eu", EU),
    ("european union", EU),
    ("dach", DACH),
    ("nordics", NORDICS),
    ("scandinavia", NORDICS),
    ("benelux", BENELUX),
    ("north america", NORTH_AMERICA),
    ("latin america", LATIN_AMERICA),
    ("latam", LATIN_AMERICA),
    ("central america", CENTRAL_AMERICA),
    ("new england", &["US"]),
    ("middle east", MIDDLE_EAST),
    ("baltics", BALTICS),
];

static CONTINENTS: LazyLock<HashMap<&'static str, Vec<Code>>> = LazyLock::new(|| {
    let mut all: HashMap<&'static str, Vec<Code>> = HashMap::new();
    for (code, continent, _) in countries() {
        // Each with the regions of recruiters that hold it whole.
        let names: &[&str] = match continent {
            "EU" => &["europe", "emea"],
            "AS" => &["asia", "apac", "asia pacific"],
            "AF" => &["africa", "emea"],
            "OC" => &["oceania", "apac", "asia pacific"],
            "SA" => &["south america", "americas", "the americas"],
            "NA" => &["americas", "the americas"],
            _ => continue,
        };
        for name in names {
            all.entry(name).or_default().push(code);
        }
    }
    all.entry("emea").or_default().extend(MIDDLE_EAST);
    all
});

fn countries() -> impl Iterator<Item = (Code, &'static str, &'static str)> {
    include_str!("../data/countries.tsv").lines().filter_map(columns)
}

/// The parts of countries: the country, the code, and the names with commas between them. A code behind `~` is meant
/// only beside a town of that country; a name behind `=` is a town's, too, and the town is meant by it.
fn areas() -> impl Iterator<Item = (Code, &'static str, &'static str)> {
    include_str!("../data/areas.tsv").lines().filter_map(columns)
}

fn columns(line: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    let (first, rest) = line.split_once('\t')?;
    let (second, third) = rest.split_once('\t')?;
    Some((first, second, third))
}

/// What identifies a part of a country, whatever it is called by.
fn area(country: Code, code: &'static str, names: &'static str) -> Area {
    let first = names.split(',').next().unwrap_or_default();
    let name = if first.is_empty() { code } else { first };
    (country, name.trim_start_matches(['=', '~']))
}

static NAMES: LazyLock<HashMap<&'static str, Name>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for line in include_str!("../data/cities.tsv").lines() {
        let mut parts = line.split('\t');
        let (Some(name), Some(codes)) = (parts.next(), parts.next()) else {
            continue;
        };
        let town = Town {
            name: parts.next().unwrap_or(name),
            codes: codes.trim_start_matches('~'),
            sure: !codes.starts_with('~'),
        };
        all.insert(name, Name::Town(town));
    }
    for (country, code, names) in areas() {
        for name in names.split(',') {
            let name_of = Name::Area(area(country, code, names));
            match name.strip_prefix('=') {
                // The town is meant far more often, where the list has it.
                Some(name) => all.entry(name).or_insert(name_of),
                None => all.entry(name).insert_entry(name_of).into_mut(),
            };
        }
    }
    for (code, _, names) in countries() {
        for name in names.split(',') {
            let name_of = match all.get(name) {
                Some(Name::Area(area)) => Name::Either(code, *area),
                _ => Name::Country(code),
            };
            all.insert(name, name_of);
        }
    }
    for (name, codes) in REGIONS {
        all.insert(name, Name::Region(codes));
    }
    for (name, codes) in &*CONTINENTS {
        all.insert(name, Name::Region(codes));
    }
    all.remove("");
    all
});

/// The parts of countries that have the name of their town: New York.
static TOWN_AND_AREA: LazyLock<HashMap<&'static str, Area>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for (country, code, names) in areas() {
        let names_of = names.split(',').filter_map(|name| name.strip_prefix('='));
        all.extend(names_of.map(|name| (name, area(country, code, names))));
    }
    all
});

/// What each code may stand for: `CA` is Canada and California, `BE` Belgium, Berlin and Bern.
static CODES: LazyLock<HashMap<&'static str, Vec<Reading>>> = LazyLock::new(|| {
    let mut all: HashMap<&'static str, Vec<Reading>> = HashMap::new();
    for (country, ..) in countries() {
        let reading = Reading {
            country,
            area: None,
            weak: false,
        };
        all.entry(country).or_default().push(reading);
    }
    for (country, code, names) in areas().filter(|(_, code, _)| !code.is_empty()) {
        let reading = Reading {
            country,
            area: Some(area(country, code, names)),
            weak: code.starts_with('~'),
        };
        all.entry(code.trim_start_matches('~')).or_default().push(reading);
    }
    all
});

/// Lower case without accents and marks, words apart by one blank.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => out.push('a'),
            'ç' | 'ć' | 'č' => out.push('c'),
            'è'..='ë' | 'ē' | 'ę' | 'ě' => out.push('e'),
            'ì'..='ï' | 'ī' | 'ı' => out.push('i'),
            'ñ' | 'ń' | 'ň' => out.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => out.push('o'),
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => out.push('u'),
            'ý' | 'ÿ' => out.push('y'),
            'ś' | 'š' | 'ş' | 'ș' => out.push('s'),
            'ź' | 'ż' | 'ž' => out.push('z'),
            'ť' | 'ț' | 'ţ' => out.push('t'),
            'ř' => out.push('r'),
            'ł' => out.push('l'),
            'đ' | 'ð' | 'ď' => out.push('d'),
            'ğ' => out.push('g'),
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            '\'' | '’' | '`' | '\u{300}'..='\u{36f}' => {}
            c if c.is_alphanumeric() => out.push(c),
            _ if out.is_empty() || out.ends_with(' ') => {}
            _ => out.push(' '),
        }
    }
    out.trim_end().to_owned()
}

/// What a stated place names.
#[derive(Debug, Default)]
struct Stated {
    countries: BTreeSet<Code>,
    /// Countries of codes that the rest of the place decides: `MA` behind Boston.
    decided: BTreeSet<Code>,
    /// Countries of a region, none of which is named alone.
    regions: BTreeSet<Code>,
    areas: BTreeSet<Area>,
    /// Codes and names that may stand for several places, and nothing else decides between them.
    open: Vec<Vec<Reading>>,
    /// Countries of those.
    open_countries: BTreeSet<Code>,
    /// Parts that are nothing but a code.
    codes: BTreeSet<&'static str>,
    towns: Vec<Town>,
    folded: String,
}

/// Words that are a country only in capitals: `us` is a pronoun.
fn capitals(word: &str) -> Option<Code> {
    match word {
        "US" | "USA" | "U.S." | "U.S.A." | "U.S" | "U.S.A" => Some("US"),
        "UK" | "U.K." | "U.K" | "GB" => Some("GB"),
        "UAE" => Some("AE"),
        _ => None,
    }
}

impl Stated {
    fn of(text: &str) -> Self {
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
    fn countries_of(&self, town: &Town) -> Vec<Code> {
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
    fn is_nothing(&self) -> bool {
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

/// Where the caller looks.
#[derive(Debug, Default)]
pub struct Wanted {
    /// The countries, where the caller named one or a region; of a town, those that it is in.
    countries: BTreeSet<Code>,
    /// The states or other parts of countries; of a town, those that it is in.
    areas: BTreeSet<Area>,
    /// The town or other place, folded, where the caller named one.
    town: Option<String>,
    /// The code that the caller wrote, where it stands for several places.
    unsure: Option<&'static str>,
}

/// Whether an advert is where the caller looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It names that place.
    Yes,
    /// It names a town there.
    ByTown,
    /// It names a place that may be there.
    Unclear,
    /// It is elsewhere.
    No,
}

impl Wanted {
    /// Reads a place: a country, a region, a state, or a town with or without its country.
    pub fn of(place: &str) -> Self {
        let first = place.split(',').next().unwrap_or(place).trim();
        let folded = fold(first);
        if let Some(code) = capitals(&first.to_ascii_uppercase()) {
            return Self::all_of([code], []);
        }
        let whole = Stated::of(place);
        match NAMES.get(folded.as_str()) {
            Some(Name::Country(code)) => Self::all_of([*code], []),
            Some(Name::Region(codes)) => Self::all_of(codes.iter().copied(), []),
            Some(Name::Area(area)) => Self::all_of([], [*area]),
            // Behind its country, a state is one: `Georgia, USA`.
            Some(Name::Either(..)) if whole.open.is_empty() => Self::all_of([], whole.areas),
            Some(Name::Either(code, area)) => Self::all_of([*code], [*area]),
            Some(Name::Town(_)) => Self::town(folded, whole),
            None => match Self::code(first) {
                Some(wanted) => wanted,
                None => Self::town(folded, whole),
            },
        }
    }

    fn all_of(countries: impl IntoIterator<Item = Code>, areas: impl IntoIterator<Item = Area>) -> Self {
        Self {
            countries: countries.into_iter().collect(),
            areas: areas.into_iter().collect(),
            ..Self::default()
        }
    }

    fn town(folded: String, whole: Stated) -> Self {
        Self {
            countries: whole.countries.into_iter().chain(whole.decided).collect(),
            areas: whole.areas,
            town: Some(folded),
            unsure: None,
        }
    }

    /// A code in place of a name.
    fn code(first: &str) -> Option<Self> {
        let (code, readings) = CODES.get_key_value(first.to_ascii_uppercase().as_str())?;
        let strong: Vec<&Reading> = readings.iter().filter(|reading| !reading.weak).collect();
        let countries = strong.iter().filter(|reading| reading.area.is_none());
        let mut wanted = Self::all_of(
            countries.map(|reading| reading.country),
            strong.iter().filter_map(|reading| reading.area),
        );
        wanted.unsure = (strong.len() > 1).then_some(*code);
        (!strong.is_empty()).then_some(wanted)
    }

    /// Whether a stated place is there.
    pub fn fits(&self, stated: &str) -> Fit {
        let stated = Stated::of(stated);
        if let Some(town) = &self.town {
            return self.fits_town(town, &stated);
        }
        let fit = self.fits_named(&stated);
        match &self.unsure {
            // The caller's code decides nothing; written as the caller wrote it, it is what is asked for.
            Some(code) if stated.codes.contains(code) => Fit::Yes,
            Some(_) if fit != Fit::No => Fit::Unclear,
            _ => fit,
        }
    }

    fn fits_town(&self, wanted: &str, stated: &Stated) -> Fit {
        let name = match NAMES.get(wanted) {
            Some(Name::Town(town)) => Some(town.name),
            _ => None,
        };
        let towns = || stated.towns.iter().filter(|town| Some(town.name) == name);
        let written = !wanted.is_empty() && stated.folded.contains(&format!(" {wanted} "));
        if !written && towns().next().is_none() {
            // The state of the same name may be meant: `New York` and `Buffalo, NY`.
            let state = TOWN_AND_AREA.get(wanted);
            return if state.is_some_and(|state| stated.areas.contains(state)) {
                Fit::Unclear
            } else {
                Fit::No
            };
        }
        let in_country = |code: &Area| self.areas.iter().any(|area| area.0 == code.0);
        if self.areas.is_disjoint(&stated.areas) && stated.areas.iter().any(in_country) {
            // A town of that name in another state: `Portland, OR` and `Portland, ME`.
            return if stated.towns.len() > 1 {
                Fit::Unclear
            } else {
                Fit::No
            };
        }
        let there = |code: &Code| stated.countries.contains(code) || stated.decided.contains(code);
        if self.countries.is_empty() || self.countries.iter().any(there) {
            return Fit::Yes;
        }
        // A town of that name in another country is another town.
        let elsewhere = |code: &Code| !self.countries.contains(code);
        let mut all = towns().flat_map(|town| stated.countries_of(town)).peekable();
        let known = all.peek().is_some();
        if (known && all.all(|code| elsewhere(&code))) || (!known && !stated.countries.is_empty()) {
            return Fit::No;
        }
        Fit::Yes
    }

    /// Whether a country, region or state that the caller named holds the stated place.
    fn fits_named(&self, stated: &Stated) -> Fit {
        let by_area = self.fits_area(stated);
        let by_country = self.fits_country(stated);
        [Fit::Yes, Fit::ByTown, Fit::Unclear]
            .into_iter()
            .find(|fit| *fit == by_area || *fit == by_country)
            .unwrap_or(Fit::No)
    }

    fn fits_area(&self, stated: &Stated) -> Fit {
        if !self.areas.is_disjoint(&stated.areas) {
            return Fit::Yes;
        }
        for (country, _) in &self.areas {
            let known = stated.areas.iter().filter(|area| area.0 == *country).count();
            let there = |code: &Code| code == country;
            let towns = || {
                stated
                    .towns
                    .iter()
                    .filter(|town| stated.countries_of(town).iter().any(there))
            };
            let named = stated.countries.contains(country) || stated.regions.contains(country);
            // The country without its state, or a town of which the list does not say the state.
            if towns().count() > known || (known == 0 && named) || (known == 0 && stated.is_nothing()) {
                return Fit::Unclear;
            }
        }
        Fit::No
    }

    fn fits_country(&self, stated: &Stated) -> Fit {
        if !self.countries.is_disjoint(&stated.countries) {
            return Fit::Yes;
        }
        let within = |code: &Code| self.countries.contains(code);
        let mut unclear = !self.countries.is_disjoint(&stated.regions);
        for readings in &stated.open {
            let meant = |reading: &Reading| match reading.area {
                Some(area) => within(&reading.country) || self.areas.contains(&area),
                None => within(&reading.country),
            };
            if readings.iter().all(meant) {
                return Fit::Yes;
            }
            unclear |= readings.iter().any(meant);
        }
        for town in &stated.towns {
            let countries = stated.countries_of(town);
            if !countries.is_empty() && countries.iter().all(within) {
                return Fit::ByTown;
            }
            unclear |= countries.iter().any(within);
        }
        // A region that lies within the wanted one.
        if !stated.regions.is_empty() && stated.regions.is_subset(&self.countries) {
            return Fit::Yes;
        }
        let nothing = !self.countries.is_empty() && stated.is_nothing();
        if unclear || nothing { Fit::Unclear } else { Fit::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_is_more_than_a_word() {
        for (place, stated, fit) in [
            ("Germany", "Germany", Fit::Yes),
            ("Germany", "Nürnberg", Fit::ByTown),
            ("germany", "Nuernberg", Fit::ByTown),
            ("Deutschland", "Munich; Berlin", Fit::ByTown),
            ("Germany", "Frankfurt am Main", Fit::ByTown),
            ("Germany", "Berlin, DE", Fit::ByTown),
            ("Germany", "Berlin, CT", Fit::No),
            ("Germany", "Berlin; London, UK", Fit::ByTown),
            ("Germany", "Vienna", Fit::No),
            ("Germany", "Deutschlandweit", Fit::Unclear),
            ("Germany", "Europe", Fit::Unclear),
            ("Germany", "Remote", Fit::Unclear),
            ("Europe", "Germany", Fit::Yes),
            ("Europe", "Lisbon", Fit::ByTown),
            ("EU", "London, UK", Fit::No),
            ("DACH", "Zürich", Fit::ByTown),
            // Towns of the same name.
            ("France", "Paris, Texas, USA", Fit::No),
            ("France", "Paris, TX", Fit::No),
            ("France", "Paris", Fit::ByTown),
            ("UK", "Cambridge, MA", Fit::No),
            ("USA", "Cambridge, MA", Fit::ByTown),
            ("UK", "Cambridge", Fit::Unclear),
            ("UK", "London", Fit::ByTown),
            ("UK", "London, Ontario, Canada", Fit::No),
            // A pronoun is no country; the code is one.
            ("US", "join us in Berlin", Fit::No),
            ("USA", "work with us", Fit::Unclear),
            ("US", "Remote (US)", Fit::Yes),
            ("us", "United States", Fit::Yes),
            ("USA", "us", Fit::Yes),
            ("USA", "Austin, TX", Fit::Yes),
            ("USA", "Mexico City", Fit::No),
            ("USA", "Latin America", Fit::No),
            ("Mexico", "New Mexico", Fit::No),
            // A country or a state: what stands beside it decides, and the other states are elsewhere.
            ("Georgia", "Atlanta, Georgia", Fit::Yes),
            ("Georgia", "Atlanta, GA", Fit::Yes),
            ("Georgia", "Tbilisi, Georgia", Fit::ByTown),
            ("Georgia", "Tbilisi", Fit::ByTown),
            ("Georgia", "Georgia", Fit::Yes),
            ("Georgia", "Austin, TX", Fit::No),
            ("Georgia", "Boise, Idaho", Fit::No),
            ("Georgia", "Remote (US)", Fit::Unclear),
            ("Georgia", "Atlanta", Fit::Unclear),
            ("Georgia", "Berlin", Fit::No),
            ("Georgia, USA", "Tbilisi, Georgia", Fit::No),
            ("Georgia, USA", "Atlanta, GA", Fit::Yes),
            ("USA", "Georgia", Fit::Unclear),
            // States and provinces by their names, codes and other spellings.
            ("California", "San Francisco, CA", Fit::Yes),
            ("California", "San Jose, California, USA", Fit::Yes),
            ("California", "Austin, TX", Fit::No),
            ("California", "United States", Fit::Unclear),
            ("California", "Los Angeles", Fit::Unclear),
            ("California", "Los Angeles; Austin, TX", Fit::Unclear),
            ("California", "Toronto, Canada", Fit::No),
            ("California", "Remote", Fit::Unclear),
            ("Bavaria", "München, Bayern", Fit::Yes),
            ("Bayern", "Munich, Bavaria, Germany", Fit::Yes),
            ("Bavaria", "Hamburg, Germany", Fit::Unclear),
            ("Bavaria", "Wien", Fit::No),
            ("NRW", "Köln, Nordrhein-Westfalen", Fit::Yes),
            ("Ontario", "Toronto, ON", Fit::Yes),
            ("Ontario, Canada", "Vancouver, BC", Fit::No),
            ("Catalonia", "Barcelona, Catalunya", Fit::Yes),
            ("Scotland", "London, England", Fit::No),
            ("Scotland", "Edinburgh, Scotland", Fit::Yes),
            ("UK", "Edinburgh, Scotland", Fit::Yes),
            ("New York", "Buffalo, NY", Fit::Unclear),
            ("New York", "New York, NY", Fit::Yes),
            ("Portland, OR", "Portland, ME", Fit::No),
            ("Portland, OR", "Portland, Oregon", Fit::Yes),
            // A continent has its countries and no others.
            ("South America", "Brazil", Fit::Yes),
            ("South America", "Bogotá", Fit::ByTown),
            ("South America", "Guyana", Fit::Yes),
            ("South America", "Mexico", Fit::No),
            ("South America", "Costa Rica", Fit::No),
            ("South America", "Latin America", Fit::Unclear),
            ("Latin America", "South America", Fit::Unclear),
            ("EMEA", "Germany", Fit::Yes),
            ("EMEA", "Dubai, UAE", Fit::Yes),
            ("EMEA", "Austin, TX", Fit::No),
            ("APAC", "Singapore", Fit::Yes),
            ("Americas", "Toronto, ON", Fit::Yes),
            ("Germany", "Remote (EMEA)", Fit::Unclear),
            ("USA", "Remote (EMEA)", Fit::No),
            ("Central America", "Panama", Fit::Yes),
            ("Central America", "Chile", Fit::No),
            // Codes of two places decide nothing by themselves.
            ("USA", "Remote, CA", Fit::Unclear),
            ("Canada", "Remote, CA", Fit::Unclear),
            ("Canada", "Toronto, CA", Fit::ByTown),
            ("Canada", "San Francisco, CA", Fit::No),
            ("Singapore", "St. Gallen, SG", Fit::No),
            ("Switzerland", "St. Gallen, SG", Fit::Yes),
            ("Singapore", "Singapore, SG", Fit::Yes),
            ("Switzerland", "Bern, BE", Fit::ByTown),
            ("Belgium", "Bern, BE", Fit::No),
            ("Belgium", "Brussels, BE", Fit::ByTown),
            ("Germany", "Berlin, BE", Fit::ByTown),
            ("Belgium", "Kleinwinzigdorf, BE", Fit::Unclear),
            ("Germany", "Kleinwinzigdorf, BE", Fit::Unclear),
            ("France", "Kleinwinzigdorf, BE", Fit::No),
            ("Europe", "Kleinwinzigdorf, BE", Fit::Yes),
            ("Germany", "Kleinwinzigdorf, DE", Fit::Unclear),
            ("USA", "Milano, MI", Fit::No),
            ("Italy", "Milano, MI", Fit::ByTown),
            ("USA", "Detroit, MI", Fit::ByTown),
            ("USA", "Perth, WA", Fit::No),
            ("Canada", "Toronto, ON", Fit::Yes),
            // Also where the caller writes them.
            ("CA", "San Jose, CA", Fit::Yes),
            ("CA", "Toronto, Canada", Fit::Unclear),
            ("CA", "Berlin", Fit::No),
            ("TX", "Austin, Texas", Fit::Yes),
            ("DE", "Hamburg", Fit::Unclear),
            ("DE", "Rio de Janeiro", Fit::No),
            ("IN", "Work in Berlin", Fit::No),
            ("UK", "Remote, New England", Fit::No),
            ("USA", "Boston, New England", Fit::ByTown),
            ("PL", "Warsaw, Poland", Fit::Yes),
            // Towns.
            ("Berlin", "Berlin", Fit::Yes),
            ("Munich", "München", Fit::Yes),
            ("Berlin, Germany", "Hamburg, Berlin", Fit::Yes),
            ("Berlin, Germany", "Berlingen", Fit::No),
            ("Paris, France", "Paris, Texas, USA", Fit::No),
            ("Berlin, Germany", "Berlin, CT", Fit::No),
            ("Kleinstadt", "Kleinstadt am See", Fit::Yes),
        ] {
            assert_eq!(Wanted::of(place).fits(stated), fit, "{place}: {stated}");
        }
    }

    #[test]
    fn every_line_of_the_lists_is_read() {
        let lines = include_str!("../data/cities.tsv").lines();
        for line in lines {
            let (name, rest) = line.split_once('\t').unwrap();
            assert_eq!(fold(name), name);
            assert!(name.split(' ').count() <= LONGEST_NAME, "{name}");
            for code in rest
                .split('\t')
                .next()
                .unwrap()
                .trim_start_matches('~')
                .split(',')
            {
                assert!(countries().any(|country| country.0 == code), "{line}");
            }
        }
        for (country, code, names) in areas() {
            assert!(countries().any(|of| of.0 == country), "{country}");
            assert!(!code.is_empty() || !names.is_empty());
            for name in names.split(',') {
                let name = name.trim_start_matches('=');
                assert_eq!(fold(name), name);
                assert!(name.split(' ').count() <= LONGEST_NAME, "{name}");
            }
        }
        assert!(countries().count() > 200 && areas().count() > 400);
    }

    proptest! {
        #[test]
        fn any_place_is_survived(place in "\\PC{0,30}", stated in "\\PC{0,80}") {
            let _ = Wanted::of(&place).fits(&stated);
        }
    }
}
