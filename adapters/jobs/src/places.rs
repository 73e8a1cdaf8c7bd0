//! Where an advert is, and whether that is where the caller looks. A place is more than a word: a town lies in a country,
//! towns share names, and `us` is a pronoun. Towns and countries are from GeoNames (<https://www.geonames.org/>, CC BY 4.0): towns
//! of 100,000 people, in the countries of the boards of 20,000, with other towns of the same name.

mod excluded;
mod names;
mod stated;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use excluded::without_excluded;
use names::{Area, CODES, Code, METROS, NAMES, Name, Reading, TOWN_AND_AREA, fold, is_borough_of};
use stated::{Stated, capitals, state_of_namesake};

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
    /// Further places that the caller named.
    others: Vec<Self>,
    /// Around a metropolitan area: a place there may belong to it.
    around: Vec<Area>,
    /// What the list cannot tell of the place that the caller named.
    gap: Option<Gap>,
}

/// What the list of places cannot tell of the place that a caller named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// It does not have the place.
    Unknown,
    /// It has the town in the middle of the area, and not what lies around it.
    Metro,
}

impl Gap {
    /// What that means for the adverts that were found.
    pub fn told(self, place: &str) -> String {
        match self {
            Self::Unknown => {
                format!(
                    "The list of places does not have {place}, so only adverts that write it are found there"
                )
            }
            Self::Metro => format!(
                "{place} is found by its town alone: the list of places does not say which others lie around it"
            ),
        }
    }
}

/// Whether an advert is where the caller looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Reads a place: a country, a region, a state, or a town with or without its country; or several of them.
    pub fn of(place: &str) -> Self {
        let mut all = alternatives(place).into_iter().map(Self::one);
        let mut first = all.next().unwrap_or_default();
        first.others.extend(all);
        first
    }

    /// What the list of places cannot tell of what the caller named.
    pub fn gap(&self) -> Option<Gap> {
        let others = self.others.iter().filter_map(|other| other.gap);
        self.gap.into_iter().chain(others).next()
    }

    /// Reads one place.
    fn one(place: &str) -> Self {
        if let Some(metro) = Self::metro(place) {
            return metro;
        }
        let bare = without_metro(place);
        if bare != place {
            let mut town = Self::one(bare);
            town.gap = Some(Gap::Metro);
            return town;
        }
        let mut parts = place.split(',').map(str::trim);
        let first = parts.next().unwrap_or(place);
        if let Some(state) = parts.next().and_then(|second| state_of_namesake(first, second)) {
            return Self {
                countries: BTreeSet::from([state.0]),
                areas: BTreeSet::from([state]),
                town: Some(fold(first)),
                ..Self::default()
            };
        }
        let folded = fold(first);
        // `The Philippines`
        let folded = match folded.strip_prefix("the ") {
            Some(bare) if !NAMES.contains_key(folded.as_str()) => bare.to_owned(),
            _ => folded,
        };
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

    /// A metropolitan area of the short list: by its town, by its own name, and perhaps by what lies around it.
    fn metro(place: &str) -> Option<Self> {
        let folded = fold(place);
        let ends = [" metropolitan area", " metro area", " metro", " area", " park"];
        let short = ends.iter().find_map(|end| folded.strip_suffix(end));
        // `Seattle metro area` is greater Seattle.
        let greater = short.map(|short| format!("greater {short}"));
        let is_it = |(name, _, _): &&(&str, &str, &[Area])| {
            *name == folded || Some(*name) == short || Some(*name) == greater.as_deref()
        };
        let (name, town, around) = METROS.iter().find(is_it)?;
        let by_its_name = Self {
            town: Some((*name).to_owned()),
            ..Self::default()
        };
        Some(Self {
            town: Some((*town).to_owned()),
            around: around.to_vec(),
            others: vec![by_its_name],
            ..Self::all_of(around.iter().map(|area| area.0), around.iter().copied())
        })
    }

    fn all_of(countries: impl IntoIterator<Item = Code>, areas: impl IntoIterator<Item = Area>) -> Self {
        Self {
            countries: countries.into_iter().collect(),
            areas: areas.into_iter().collect(),
            ..Self::default()
        }
    }

    fn town(folded: String, whole: Stated) -> Self {
        let known = matches!(NAMES.get(folded.as_str()), Some(Name::Town(_)));
        Self {
            gap: (!known).then_some(Gap::Unknown),
            countries: whole.countries.into_iter().chain(whole.decided).collect(),
            areas: whole.areas,
            town: Some(folded),
            ..Self::default()
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

    /// Whether a stated place is there, or at one of the places that the caller named.
    pub fn fits(&self, stated: &str) -> Fit {
        let (kept, excluded) = without_excluded(stated);
        let excluded: Vec<Stated> = excluded.iter().map(|place| Stated::of(place)).collect();
        let is_out = |wanted: &Self| excluded.iter().any(|place| wanted.is_within(place));
        if is_out(self) && self.others.iter().all(is_out) {
            return Fit::No;
        }
        let stated = Stated::of(&kept);
        let others = self.others.iter().map(|other| other.fits_one(&stated));
        let fit = others.fold(self.fits_one(&stated), Fit::min);
        if fit == Fit::No && (stated.or_remote || self.may_be_around(&stated)) {
            return Fit::Unclear;
        }
        fit
    }

    /// Whether it lies wholly in a place that an advert leaves out: a country is not in its capital.
    fn is_within(&self, excluded: &Stated) -> bool {
        let is_larger = excluded.areas.is_empty() && excluded.towns.is_empty();
        let holds =
            |code: &Code| is_larger && (excluded.countries.contains(code) || excluded.regions.contains(code));
        if let Some(town) = &self.town {
            let codes: Vec<Code> = match NAMES.get(town.as_str()) {
                Some(Name::Town(known)) if self.countries.is_empty() => known.codes.split(',').collect(),
                _ => self.countries.iter().copied().collect(),
            };
            let is_named = self.fits_town(town, excluded) == Fit::Yes;
            return is_named || (!codes.is_empty() && codes.iter().all(holds));
        }
        if !self.areas.is_empty() {
            let is_out = |area: &Area| excluded.areas.contains(area) || holds(&area.0);
            return self.areas.iter().all(is_out) && self.countries.iter().all(holds);
        }
        !self.countries.is_empty() && self.countries.iter().all(holds)
    }

    /// Whether a place may belong to the metropolitan area that the caller named.
    fn may_be_around(&self, stated: &Stated) -> bool {
        !self.around.is_empty() && Self::all_of([], self.around.iter().copied()).fits_named(stated) != Fit::No
    }

    /// Whether a place names nothing smaller than a state, and the town may lie there: `Germany`, `Remote, EMEA`.
    fn may_lie_in(&self, town: &str, stated: &Stated) -> bool {
        if stated.unread || !stated.towns.is_empty() {
            return false;
        }
        let codes: Vec<Code> = match NAMES.get(town) {
            Some(Name::Town(town)) if self.countries.is_empty() => town.codes.split(',').collect(),
            _ => self.countries.iter().copied().collect(),
        };
        let is_there = |code: &Code| {
            stated.countries.contains(code)
                || stated.regions.contains(code)
                || stated.open_countries.contains(code)
        };
        let elsewhere =
            !self.areas.is_empty() && !stated.areas.is_empty() && self.areas.is_disjoint(&stated.areas);
        !elsewhere && (stated.is_nothing() || codes.is_empty() || codes.iter().any(is_there))
    }

    fn fits_one(&self, stated: &Stated) -> Fit {
        if let Some(town) = &self.town {
            return self.fits_town(town, stated);
        }
        let fit = self.fits_named(stated);
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
        let is_there = |town: &str| name.is_some_and(|name| town == name || is_borough_of(town, name));
        let towns = || stated.towns.iter().filter(|town| is_there(town.name));
        let written = !wanted.is_empty() && is_written(wanted, stated);
        if !written && is_begun(wanted, stated) {
            return Fit::Unclear;
        }
        if !written && towns().next().is_none() {
            // The state of the same name may be meant: `New York` and `Buffalo, NY`.
            let state = TOWN_AND_AREA.get(wanted);
            let in_state = state.is_some_and(|state| stated.areas.contains(state));
            return if in_state || self.may_lie_in(wanted, stated) {
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
        // A namesake, as the state beside it says: `Berlin, CT`. Which of them the caller means is not said.
        let usual = towns()
            .find(|town| town.sure)
            .and_then(|town| town.codes.split(',').next());
        if let Some(usual) = usual.filter(|_| self.countries.is_empty() && !stated.areas.is_empty()) {
            let is_usual = |code: &Code| *code == usual;
            let mut all = towns().flat_map(|town| stated.countries_of(town)).peekable();
            if all.peek().is_some() && !all.any(|code| is_usual(&code)) {
                return Fit::Unclear;
            }
        }
        // In a country where the list has no town of that name: `Santiago de Compostela, Spain`.
        if let (true, Some(Name::Town(known))) = (self.countries.is_empty(), NAMES.get(wanted)) {
            let is_known = |code: &Code| known.codes.split(',').any(|known| known == *code);
            let mut all = towns().flat_map(|town| stated.countries_of(town)).peekable();
            if all.peek().is_some() && !all.any(|code| is_known(&code)) {
                return Fit::Unclear;
            }
        }
        let there = |code: &Code| stated.countries.contains(code) || stated.decided.contains(code);
        if self.countries.is_empty() || self.countries.iter().any(there) {
            return Fit::Yes;
        }
        // A town of that name in another country is another town.
        let elsewhere = |code: &Code| !self.countries.contains(code);
        let mut all = towns().flat_map(|town| stated.countries_of(town)).peekable();
        let known = all.peek().is_some();
        // A code beside it is of two other places: `Liverpool, IL`.
        let open = &stated.open_countries;
        if known && !open.is_empty() && open.is_disjoint(&self.countries) {
            return Fit::Unclear;
        }
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

/// Whether the words of a place stand there, other than at the end of a longer name: York is not in `New York`.
fn is_written(wanted: &str, stated: &Stated) -> bool {
    let alone = format!(" {wanted} ");
    if !stated.folded.contains(&alone) {
        return false;
    }
    let ending = format!(" {wanted}");
    let is_longer = |name: &&String| name.ends_with(&ending) || is_other_town(wanted, name);
    let longer = stated.long_names.iter().filter(is_longer);
    let mut text = stated.folded.replace(&format!(" new{alone}"), "  ");
    for name in longer {
        text = text.replace(&format!(" {name} "), "  ");
    }
    if !has_one_in_uk(wanted) {
        text = text.replace(&format!("{alone}upon "), "  ");
    }
    text.contains(&alone)
}

/// Whether the words of a place stand there only as the beginning of a longer name: Kingston upon Hull may be meant by
/// its first word, or not.
fn is_begun(wanted: &str, stated: &Stated) -> bool {
    let begins = |name: &String| is_other_town(wanted, name);
    !wanted.is_empty()
        && (stated.long_names.iter().any(begins) || stated.folded.contains(&format!(" {wanted} upon ")))
}

/// Whether a longer name is a town's in a country where the list has none of the shorter name. In the same country, it is
/// often a part of the town: `Berlin Köpenick`.
fn is_other_town(wanted: &str, longer: &str) -> bool {
    let begins = longer
        .strip_prefix(wanted)
        .is_some_and(|rest| rest.starts_with(' '));
    let (Some(Name::Town(short)), Some(Name::Town(long))) = (NAMES.get(wanted), NAMES.get(longer)) else {
        return false;
    };
    let shared = |code: &str| long.codes.split(',').any(|other| other == code);
    begins && short.name != long.name && !short.codes.split(',').any(shared)
}

/// Whether the list has a town of that name in the United Kingdom, where a river may follow.
fn has_one_in_uk(wanted: &str) -> bool {
    matches!(NAMES.get(wanted), Some(Name::Town(town)) if town.codes.split(',').any(|code| code == "GB"))
}

/// What the caller may mean by a name that is several places.
const SEVERAL: [(&str, &[&str]); 3] = [
    ("la", &["Los Angeles", "LA"]),
    ("l a", &["Los Angeles", "LA"]),
    ("congo", &["DR Congo", "Republic of the Congo"]),
];

/// Words that stand between two places.
const BETWEEN: [&str; 6] = [" or ", " and ", " oder ", " und ", " et ", " ou "];

/// A territory and the country that people name behind it: one place.
const TERRITORIES: [(Code, Code); 9] = [
    ("PR", "US"),
    ("GU", "US"),
    ("HK", "CN"),
    ("MO", "CN"),
    ("JE", "GB"),
    ("GG", "GB"),
    ("IM", "GB"),
    ("GI", "GB"),
    ("RE", "FR"),
];

/// The places that a caller names: `UK or Germany`, `Berlin, Munich`. One where they are parts of one place or not all known.
fn alternatives(place: &str) -> Vec<&str> {
    let whole = fold(place);
    if let Some((_, several)) = SEVERAL.iter().find(|(name, _)| *name == whole) {
        return several.to_vec();
    }
    if NAMES.contains_key(whole.as_str()) {
        return vec![place];
    }
    let mut parts = vec![place];
    for between in BETWEEN {
        parts = parts
            .into_iter()
            .flat_map(|part| split_at_word(part, between))
            .collect();
    }
    let signs = |c: char| matches!(c, '/' | '|' | ';' | '&' | '+');
    let parts = parts.into_iter().flat_map(|part| part.split(signs));
    // `Remote or Berlin`
    let is_place = |part: &&str| !matches!(fold(part).as_str(), "remote" | "hybrid" | "anywhere");
    let mut parts = trimmed(parts);
    if parts.len() > 1 {
        parts.retain(is_place);
        if let [one] = parts.as_slice() {
            return vec![one];
        }
    }
    let all_known = parts
        .iter()
        .all(|part| kind(part.split(',').next().unwrap_or_default().trim()).is_some());
    if parts.len() > 1 && all_known {
        return parts;
    }
    let parts = trimmed(place.split(','));
    let kinds: Option<Vec<Kind>> = parts.iter().map(|part| kind(part)).collect();
    match kinds.as_deref() {
        Some([one, rest @ ..]) if !rest.is_empty() && are_several(*one, rest) => parts,
        _ => vec![place],
    }
}

fn trimmed<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The text around each occurrence of a word, which is in lower case.
fn split_at_word<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    let mut out = Vec::new();
    for (at, _) in lower.match_indices(word) {
        out.extend(text.get(from..at));
        from = at + word.len();
    }
    out.extend(text.get(from..));
    out
}

/// What a name is, as far as it decides whether the next one is another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Country(Code),
    Region,
    Area(Area),
    Town(&'static str),
    /// A town and the state around it, or a country and a state.
    Both,
}

fn kind(part: &str) -> Option<Kind> {
    if let Some(code) = capitals(&part.to_ascii_uppercase()) {
        return Some(Kind::Country(code));
    }
    let folded = fold(part);
    Some(match NAMES.get(folded.as_str())? {
        Name::Country(code) => Kind::Country(code),
        Name::Region(_) => Kind::Region,
        Name::Area(area) => Kind::Area(*area),
        Name::Either(..) => Kind::Both,
        // Cities that are states of their own are towns; behind a town of America, its state is meant.
        Name::Town(town) => match TOWN_AND_AREA.get(folded.as_str()) {
            Some((country, _)) if !matches!(*country, "DE" | "AT") => Kind::Both,
            _ => Kind::Town(town.name),
        },
    })
}

/// Whether these are places beside each other and not parts of one.
fn are_several(first: Kind, rest: &[Kind]) -> bool {
    let wide = |kind: &Kind| matches!(kind, Kind::Country(_) | Kind::Region);
    if let (Kind::Country(one), [Kind::Country(other)]) = (first, rest)
        && TERRITORIES.contains(&(one, other))
    {
        return false;
    }
    let towns = |kind: &Kind| matches!(kind, Kind::Town(_)) && *kind != first;
    match first {
        Kind::Country(_) | Kind::Region => rest.iter().all(wide),
        Kind::Area(_) => rest.iter().all(|kind| matches!(kind, Kind::Area(_))),
        Kind::Town(_) => rest.iter().all(towns),
        Kind::Both => false,
    }
}

/// The town of a metropolitan area, where the list has it by that name alone: `Greater London`, `San Francisco Bay Area`.
fn without_metro(place: &str) -> &str {
    const AREAS: [&str; 6] = [
        " metropolitan area",
        " metropolitan region",
        " metro area",
        " bay area",
        " metro",
        " area",
    ];
    let is_town = |name: &str| matches!(NAMES.get(fold(name).as_str()), Some(Name::Town(_)));
    if place.contains(',') || NAMES.contains_key(fold(place).as_str()) {
        return place;
    }
    let lower = place.to_ascii_lowercase();
    let start = if lower.starts_with("greater ") {
        "greater ".len()
    } else {
        0
    };
    let end = AREAS
        .iter()
        .find(|area| lower.ends_with(*area))
        .map_or(place.len(), |area| place.len() - area.len());
    match place.get(start..end) {
        Some(town) if is_town(town) => town,
        _ => place,
    }
}
