//! The names and codes of countries, regions, their parts and towns.

use std::collections::HashMap;
use std::sync::LazyLock;

/// An ISO 3166-1 code of a country, in upper case.
pub(super) type Code = &'static str;

/// A state, province or other part of a country: the country, and the first name of the part, or its code.
pub(super) type Area = (Code, &'static str);

/// A town of the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Town {
    /// One name for all spellings of it.
    pub name: &'static str,
    /// The countries that have one of this name, the largest first.
    pub codes: &'static str,
    /// Whether the first is the one that is meant where nothing else is said.
    pub sure: bool,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Name {
    Country(Code),
    /// A country, or a part of another one: Georgia.
    Either(Code, Area),
    Area(Area),
    Region(&'static [Code]),
    Town(Town),
}

/// One thing that a code or an ambiguous name may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub country: Code,
    /// The part of it; `None` where the country itself is meant.
    pub area: Option<Area>,
    /// Whether this is meant only beside a town of that country: `Milano, MI`.
    pub weak: bool,
}

const EU: &[Code] = &[
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE", "IT", "LV", "LT",
    "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
];
const EEA: &[Code] = &[
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE", "IT", "LV", "LT",
    "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE", "IS", "LI", "NO",
];
const WESTERN_EUROPE: &[Code] = &[
    "AT", "BE", "CH", "DE", "FR", "GB", "IE", "LI", "LU", "MC", "NL", "ES", "PT", "IT",
];
const EASTERN_EUROPE: &[Code] = &[
    "PL", "CZ", "SK", "HU", "RO", "BG", "SI", "HR", "RS", "BA", "ME", "MK", "AL", "XK", "EE", "LV", "LT",
    "UA", "MD", "BY",
];
const MENA: &[Code] = &[
    "AE", "BH", "EG", "IL", "IQ", "IR", "JO", "KW", "LB", "OM", "PS", "QA", "SA", "SY", "TR", "YE", "DZ",
    "LY", "MA", "TN",
];
const SOUTHEAST_ASIA: &[Code] = &["BN", "KH", "ID", "LA", "MY", "MM", "PH", "SG", "TH", "TL", "VN"];
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
const REGIONS: [(&str, &[Code]); 29] = [
    ("eea", EEA),
    ("european economic area", EEA),
    ("western europe", WESTERN_EUROPE),
    ("eastern europe", EASTERN_EUROPE),
    ("central and eastern europe", EASTERN_EUROPE),
    ("cee", EASTERN_EUROPE),
    ("southern europe", &["ES", "PT", "IT", "GR", "MT", "CY"]),
    ("iberia", &["ES", "PT"]),
    ("anz", &["AU", "NZ"]),
    ("mena", MENA),
    ("gcc", &["AE", "BH", "KW", "OM", "QA", "SA"]),
    ("southeast asia", SOUTHEAST_ASIA),
    ("south east asia", SOUTHEAST_ASIA),
    ("asean", SOUTHEAST_ASIA),
    ("british isles", &["GB", "IE"]),
    ("uki", &["GB", "IE"]),
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
            "SA" => &["south america", "americas", "the americas", "amer"],
            "NA" => &["americas", "the americas", "amer"],
            _ => continue,
        };
        for name in names {
            all.entry(name).or_default().push(code);
        }
    }
    all.entry("emea").or_default().extend(MIDDLE_EAST);
    all
});

pub(super) fn countries() -> impl Iterator<Item = (Code, &'static str, &'static str)> {
    include_str!("../../data/countries.tsv")
        .lines()
        .filter_map(columns)
}

/// The parts of countries: the country, the code, and the names with commas between them. A code behind `~` is meant
/// only beside a town of that country; a name behind `=` is a town's, too, and the town is meant by it.
pub(super) fn areas() -> impl Iterator<Item = (Code, &'static str, &'static str)> {
    include_str!("../../data/areas.tsv").lines().filter_map(columns)
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

pub(super) static NAMES: LazyLock<HashMap<&'static str, Name>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for line in include_str!("../../data/cities.tsv").lines() {
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
    for (name, codes, town) in MORE_TOWNS {
        let town = Town {
            name: town,
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
    for (alias, name) in ALIASES {
        if let Some(town) = all.get(name).copied() {
            all.entry(alias).or_insert(town);
        }
    }
    for (code, _, names) in countries() {
        let with_article = names.split(',').filter_map(|name| name.strip_prefix("the "));
        for name in names.split(',').chain(with_article) {
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

/// Short names of towns, and former or foreign ones that the list does not have.
const ALIASES: [(&str, &str); 15] = [
    ("sf", "san francisco"),
    ("dfw", "dallas"),
    ("philly", "philadelphia"),
    ("bombay", "mumbai"),
    ("calcutta", "kolkata"),
    ("madras", "chennai"),
    ("peking", "beijing"),
    ("rangoon", "yangon"),
    ("bruges", "brugge"),
    ("lucerne", "luzern"),
    ("luttich", "liege"),
    ("breslau", "wroclaw"),
    ("brunn", "brno"),
    ("saloniki", "thessaloniki"),
    ("lefkosia", "nicosia"),
];

/// Metropolitan areas that people name without their town, or whose places lie in known states: the name, the town in
/// its middle, and the states that it lies in.
pub(super) const METROS: [(&str, &str, &[Area]); 16] = [
    ("silicon valley", "san jose", &[("US", "california")]),
    ("bay area", "san francisco", &[("US", "california")]),
    ("sf bay area", "san francisco", &[("US", "california")]),
    ("san francisco bay area", "san francisco", &[("US", "california")]),
    (
        "greater boston",
        "boston",
        &[("US", "massachusetts"), ("US", "new hampshire")],
    ),
    ("greater seattle", "seattle", &[("US", "washington")]),
    ("dmv", "washington", WASHINGTON),
    ("greater washington", "washington", WASHINGTON),
    ("greater washington dc", "washington", WASHINGTON),
    ("greater dc", "washington", WASHINGTON),
    ("tri state area", "new york city", NEW_YORK),
    ("greater new york", "new york city", NEW_YORK),
    ("greater new york city", "new york city", NEW_YORK),
    ("research triangle", "raleigh", &[("US", "north carolina")]),
    ("gta", "toronto", &[("CA", "ontario")]),
    ("greater toronto", "toronto", &[("CA", "ontario")]),
];

const WASHINGTON: &[Area] = &[
    ("US", "district of columbia"),
    ("US", "maryland"),
    ("US", "virginia"),
];
const NEW_YORK: &[Area] = &[("US", "new york"), ("US", "new jersey"), ("US", "connecticut")];

/// Towns that the list does not have, or has by one spelling only, in its form.
const MORE_TOWNS: [(&str, &str, &str); 17] = [
    ("odesa", "UA", "odesa"),
    // The town in Texas has the same spelling; what stands beside it decides.
    ("odessa", "~UA,US", "odesa"),
    ("lvov", "UA", "lviv"),
    ("kharkov", "UA", "kharkiv"),
    ("dnepropetrovsk", "UA", "dnipro"),
    ("dnipropetrovsk", "UA", "dnipro"),
    ("port of spain", "TT", "port of spain"),
    ("st louis", "US,SN,RE,FR", "st louis"),
    ("saint louis", "US,SN,RE,FR", "st louis"),
    ("st petersburg", "~RU,US", "st petersburg"),
    ("saint petersburg", "~RU,US", "st petersburg"),
    ("venice", "IT,US", "venice"),
    ("venezia", "IT", "venice"),
    ("venedig", "IT", "venice"),
    ("moskva", "RU", "moscow"),
    ("saigon", "VN", "ho chi minh city"),
    ("bale", "CH", "basel"),
];

/// Towns that are also states, and that are the state where they stand right behind another town: `Seattle, Washington`.
/// Behind a town, New York and Quebec are as often the next town of a list.
pub(super) const STATES_BEHIND_TOWN: [&str; 2] = ["washington", "victoria"];

/// Parts of towns that adverts name in place of the town, with the town's name in the list.
const BOROUGHS: [(&str, &str); 6] = [
    ("brooklyn", "new york city"),
    ("manhattan", "new york city"),
    ("queens", "new york city"),
    ("bronx", "new york city"),
    ("the bronx", "new york city"),
    ("staten island", "new york city"),
];

/// Whether a place is a part of the town of that name.
pub(super) fn is_borough_of(part: &str, town: &str) -> bool {
    BOROUGHS.contains(&(part, town))
}

/// The parts of countries that have the name of their town: New York.
pub(super) static TOWN_AND_AREA: LazyLock<HashMap<&'static str, Area>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for (country, code, names) in areas() {
        let names_of = names.split(',').filter_map(|name| name.strip_prefix('='));
        all.extend(names_of.map(|name| (name, area(country, code, names))));
    }
    all
});

/// What each code may stand for: `CA` is Canada and California, `BE` Belgium, Berlin and Bern.
pub(super) static CODES: LazyLock<HashMap<&'static str, Vec<Reading>>> = LazyLock::new(|| {
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
pub(super) fn fold(text: &str) -> String {
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
