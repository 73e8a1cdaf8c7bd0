//! Where an advert is, and whether that is where the caller looks. A place is more than a word: a town lies in a country,
//! towns share names, and `us` is a pronoun. The names are from GeoNames (<https://www.geonames.org/>, CC BY 4.0): towns
//! of 100,000 people, in the countries of the boards of 20,000, with other towns of the same name.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// An ISO 3166-1 code of a country, in upper case.
type Code = &'static str;

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
    /// A country, or a state of the United States.
    Either(Code),
    State,
    Region(&'static [Code]),
    Town(Town),
}

const EU: &[Code] = &[
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE", "IT", "LV", "LT",
    "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
];
const DACH: &[Code] = &["DE", "AT", "CH"];
const NORDICS: &[Code] = &["DK", "SE", "NO", "FI", "IS"];
const BENELUX: &[Code] = &["BE", "NL", "LU"];
const NORTH_AMERICA: &[Code] = &["US", "CA", "MX"];
const LATIN_AMERICA: &[Code] = &[
    "MX", "BR", "AR", "CL", "CO", "PE", "EC", "UY", "PY", "BO", "VE", "CR", "PA", "GT", "HN", "SV", "NI",
    "DO", "CU",
];

/// Regions by their names; continents have all their countries.
const REGIONS: [(&str, &[Code]); 11] = [
    ("eu", EU),
    ("european union", EU),
    ("dach", DACH),
    ("nordics", NORDICS),
    ("scandinavia", NORDICS),
    ("benelux", BENELUX),
    ("north america", NORTH_AMERICA),
    ("latin america", LATIN_AMERICA),
    ("latam", LATIN_AMERICA),
    ("south america", LATIN_AMERICA),
    ("central america", LATIN_AMERICA),
];

static CONTINENTS: LazyLock<HashMap<&'static str, Vec<Code>>> = LazyLock::new(|| {
    let mut all: HashMap<&'static str, Vec<Code>> = HashMap::new();
    for (code, continent, _) in countries() {
        let name = match continent {
            "EU" => "europe",
            "AS" => "asia",
            "AF" => "africa",
            "OC" => "oceania",
            _ => continue,
        };
        all.entry(name).or_default().push(code);
    }
    all
});

fn countries() -> impl Iterator<Item = (Code, &'static str, &'static str)> {
    include_str!("../data/countries.tsv").lines().filter_map(|line| {
        let (code, rest) = line.split_once('\t')?;
        let (continent, names) = rest.split_once('\t')?;
        Some((code, continent, names))
    })
}

fn states() -> impl Iterator<Item = (Code, &'static str)> {
    include_str!("../data/states.tsv")
        .lines()
        .filter_map(|line| line.split_once('\t'))
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
    for (_, name) in states() {
        // The town is what is meant by these far more often, and it lies in that state or in its neighbour.
        if !matches!(name, "new york" | "washington") {
            all.insert(name, Name::State);
        }
    }
    for (code, _, names) in countries() {
        for name in names.split(',') {
            let name_of = if matches!(all.get(name), Some(Name::State)) {
                Name::Either(code)
            } else {
                Name::Country(code)
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
    all
});

static STATES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| states().map(|(code, _)| code).collect());
static CODES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| countries().map(|(code, ..)| code).collect());

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
    /// Countries of a region, none of which is named alone.
    regions: BTreeSet<Code>,
    /// Countries of a code that may be a country or a state: `MA` is Morocco and Massachusetts.
    either: BTreeSet<Code>,
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
        stated
    }

    /// A part that is nothing but a code: `Austin, TX`, `Paris, FR`. `DE` is Germany and Delaware, so it is neither.
    fn code(&mut self, part: &str) {
        let upper = part.to_ascii_uppercase();
        // A field that holds nothing but `us` names the country.
        if let Some(code) = capitals(&upper) {
            self.countries.insert(code);
            return;
        }
        if part != upper {
            return;
        }
        match (STATES.contains(part), CODES.get(part)) {
            (true, None) => {
                self.countries.insert("US");
            }
            (false, Some(code)) => {
                self.countries.insert(code);
            }
            (true, Some(code)) => self.either.extend([code, "US"]),
            (false, None) => {}
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
                Name::State => {
                    self.countries.insert("US");
                }
                Name::Either(code) => self.regions.extend([code, "US"]),
                Name::Region(codes) => self.regions.extend(codes.iter().copied()),
                Name::Town(town) => self.towns.push(town),
            }
            at += length;
        }
    }

    /// The countries that a town can be in, given what else is stated; only one where it is plain which.
    fn countries_of(&self, town: &Town) -> Vec<Code> {
        let all: Vec<Code> = town.codes.split(',').collect();
        let of = |codes: &BTreeSet<Code>| -> Vec<Code> {
            all.iter().copied().filter(|code| codes.contains(code)).collect()
        };
        let mut stated = of(&self.countries);
        if stated.is_empty() && self.countries.is_empty() {
            stated = of(&self.either);
        }
        if !stated.is_empty() {
            stated
        } else if self.towns.len() == 1 && !self.countries.is_empty() {
            // A namesake that is too small for the list: `Berlin, CT`.
            self.countries.iter().copied().collect()
        } else if town.sure {
            all.into_iter().take(1).collect()
        } else {
            all
        }
    }
}

/// Where the caller looks.
#[derive(Debug)]
pub struct Wanted {
    /// The countries, where the caller named one or a region.
    countries: BTreeSet<Code>,
    /// The town or other place, folded, where the caller named one.
    town: Option<String>,
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
    /// Reads a place: a country, a region, or a town with or without its country.
    pub fn of(place: &str) -> Self {
        let first = place.split(',').next().unwrap_or(place);
        let named = |text: &str| -> BTreeSet<Code> {
            let text = text.trim();
            if let Some(code) = capitals(&text.to_ascii_uppercase()) {
                return BTreeSet::from([code]);
            }
            match NAMES.get(fold(text).as_str()) {
                Some(Name::Country(code)) => BTreeSet::from([*code]),
                Some(Name::Either(code)) => BTreeSet::from([*code, "US"]),
                Some(Name::Region(codes)) => codes.iter().copied().collect(),
                _ => BTreeSet::new(),
            }
        };
        let countries = named(first);
        if !countries.is_empty() {
            return Self {
                countries,
                town: None,
            };
        }
        let rest = place.get(first.len()..).unwrap_or_default();
        Self {
            countries: Stated::of(rest).countries,
            town: Some(fold(first)),
        }
    }

    /// Whether a stated place is there.
    pub fn fits(&self, stated: &str) -> Fit {
        let stated = Stated::of(stated);
        match &self.town {
            Some(town) => self.fits_town(town, &stated),
            None => self.fits_country(&stated),
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
            return Fit::No;
        }
        if self.countries.is_empty() || !self.countries.is_disjoint(&stated.countries) {
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

    fn fits_country(&self, stated: &Stated) -> Fit {
        if !self.countries.is_disjoint(&stated.countries) {
            return Fit::Yes;
        }
        let within = |code: &Code| self.countries.contains(code);
        let mut unclear = !self.countries.is_disjoint(&stated.regions);
        for town in &stated.towns {
            let countries = stated.countries_of(town);
            if countries.iter().all(within) {
                return Fit::ByTown;
            }
            unclear |= countries.iter().any(within);
        }
        // A region that lies within the wanted one.
        if !stated.regions.is_empty() && stated.regions.is_subset(&self.countries) {
            return Fit::Yes;
        }
        let nothing = stated.countries.is_empty() && stated.regions.is_empty() && stated.towns.is_empty();
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
            ("Georgia", "Atlanta, Georgia", Fit::ByTown),
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
                assert!(CODES.contains(code), "{line}");
            }
        }
        assert!(countries().count() > 200 && states().count() > 50);
    }

    proptest! {
        #[test]
        fn any_place_is_survived(place in "\\PC{0,30}", stated in "\\PC{0,80}") {
            let _ = Wanted::of(&place).fits(&stated);
        }
    }
}
