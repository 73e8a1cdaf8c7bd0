//! Finding the origins of a list.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::TimeDelta;
use freshcontext_budget::Sketch;

use crate::figures::figures;
use crate::kinds::{Kind, is_post, kind};
use crate::known::named;
use crate::pages::Page;
use crate::titles::{self, Agreement, Headline, numbers};
use crate::union::Sets;
use crate::wires::{self, Wire};
use crate::{Cluster, Dated, Disagreement, Origins, Reason, View};

/// Items that one word, or one run of words, may have in common to be compared for it. What more have in common tells nothing.
const COMMON: usize = 48;
/// Least runs of words of a text that may be nearly the same as another one.
const LEAST_RUNS: usize = 12;
/// Least runs of words of a text that may be the same, word for word.
const LEAST_SAME: usize = 4;
/// Share of a text from which numbers that differ in the titles do not keep it apart.
const CERTAIN: f64 = 0.85;
/// Longest time between two printings of one headline of six words or more, in days.
const DAYS_LONG: i64 = 30;
/// The same of a shorter one.
const DAYS_SHORT: i64 = 7;
/// Longest time between two headlines that are nearly the same, in days.
const DAYS_NEAR: i64 = 3;
/// Time after which a site that has the same headline again has a new article, in hours.
const AGAIN_HOURS: i64 = 20;
/// Share of the words of one agency's headline that another form of it has.
const WIRE_SHARE: f64 = 0.75;
/// Least words that two forms of it share.
const WIRE_WORDS: usize = 5;
/// Share of the words of a reporter's headline that the same reporter's headline elsewhere has.
const HAND_SHARE: f64 = 0.5;
/// Least words that the two share.
const HAND_WORDS: usize = 5;
/// Longest time between two reports of one event, in days.
const DAYS_EVENT: i64 = 7;
/// Least words that the headlines of two reports of one event share.
const EVENT_WORDS: usize = 2;
/// Least names that two reports of one event share.
const EVENT_NAMES: usize = 2;
/// Bytes of a text of which runs are compared.
const TEXT: usize = 20_000;

/// One item, read.
struct Read<'a> {
    view: &'a View<'a>,
    kind: Kind,
    page: Option<Page>,
    headline: Headline,
    wire: Option<Wire>,
    /// Who wrote it: names of people, in one form.
    byline: Option<BTreeSet<String>>,
    text: Option<Cow<'a, Sketch>>,
    names: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl<'a> Read<'a> {
    fn new(view: &'a View<'a>) -> Self {
        let page = view.url.and_then(Page::read);
        let kind = kind(view.source_type, view.title);
        // On a site of posts the host is not the publisher.
        let host = page.as_ref().map(Page::host);
        let text = view
            .text
            .get(..view.text.floor_char_boundary(view.text.len().min(TEXT)))
            .unwrap_or_default();
        let sketch = matches!(kind, Kind::Report | Kind::Comment | Kind::Paper)
            .then(|| {
                view.sketch
                    .map_or_else(|| Cow::Owned(Sketch::of(text)), Cow::Borrowed)
            })
            .filter(|sketch| sketch.hashes().len() >= LEAST_SAME);
        Self {
            view,
            kind,
            headline: Headline::read(view.title, host).with_slug(page.as_ref().map_or("", Page::path)),
            wire: wires::of(view.title, text, view.author, page.as_ref()),
            byline: view.author.and_then(byline),
            names: titles::names(text),
            numbers: numbers(text),
            text: sketch,
            page,
        }
    }

    /// Whether two are on one site, and not posts of a site where many publish.
    fn same_site(&self, other: &Self) -> bool {
        let site = |read: &Self| read.page.as_ref().map(|page| page.site().to_owned());
        site(self).is_some() && site(self) == site(other)
    }

    /// Whether two are on two sites.
    fn is_apart(&self, other: &Self) -> bool {
        self.page.is_some() && other.page.is_some() && !self.same_site(other)
    }

    /// Names in its text and in its headline.
    fn all_names(&self) -> BTreeSet<String> {
        let mut names = self.names.clone();
        // Where every word has a capital letter, names cannot be told from others.
        if !self.headline.is_title_case() {
            names.extend(titles::names(self.view.title));
        }
        names
    }

    fn gap(&self, other: &Self) -> Option<TimeDelta> {
        Some((self.view.date?.at - other.view.date?.at).abs())
    }

    fn within(&self, other: &Self, days: i64) -> bool {
        self.gap(other).is_none_or(|gap| gap <= TimeDelta::days(days))
    }
}

/// The people whom a byline names, in lower case; `None` where it names an account, a desk or an agency alone.
fn byline(author: &str) -> Option<BTreeSet<String>> {
    let lower = author
        .to_lowercase()
        .replace(" and ", ",")
        .replace([';', '&', '|', '/'], ",");
    let names = lower
        .split([',', '\n'])
        .map(|name| name.trim().trim_start_matches("by ").trim())
        // An agency behind a dash, or a desk in brackets.
        .map(|name| name.split(" - ").next().unwrap_or_default())
        .map(|name| name.split(" (").next().unwrap_or_default().trim())
        .filter(|name| {
            let words: Vec<&str> = name.split_whitespace().collect();
            (2..=4).contains(&words.len())
                && name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '\'' | '\u{2019}'))
                && !words.iter().any(|word| DESKS.contains(word))
        })
        .map(str::to_owned);
    let names: BTreeSet<String> = names.collect();
    (!names.is_empty()).then_some(names)
}

/// Words of bylines that name no person.
const DESKS: [&str; 32] = [
    "agency",
    "associated",
    "bureau",
    "conversation",
    "correspondent",
    "daily",
    "desk",
    "editor",
    "editorial",
    "editors",
    "media",
    "network",
    "news",
    "newsroom",
    "newswire",
    "online",
    "our",
    "post",
    "press",
    "reporter",
    "reporters",
    "reuters",
    "service",
    "staff",
    "team",
    "the",
    "times",
    "today",
    "tribune",
    "web",
    "wire",
    "writer",
];

/// Finds which items have one origin. `most` is how many items are compared; those beyond count as their own. The order of the items
/// changes nothing but their places in the answer.
pub fn find(views: &[View<'_>], most: usize) -> Origins {
    let compared = views.get(..views.len().min(most)).unwrap_or_default();
    let items: Vec<Read<'_>> = compared.iter().map(Read::new).collect();
    let mut sets = Sets::new(items.len());
    by_page(&items, &mut sets);
    by_project(&items, &mut sets);
    by_text(&items, &mut sets);
    by_title(&items, &mut sets);
    let (groups, count) = sets.groups();
    let not_compared = views.len() - compared.len();
    let clusters: Vec<Cluster> = groups
        .into_iter()
        .map(|(members, reasons)| cluster(&items, members, reasons))
        .collect();
    let disagreements = disagreements(&items, &clusters);
    Origins {
        items: views.len(),
        origins: count + not_compared,
        clusters,
        disagreements,
        not_compared,
    }
}

/// Joins the items that have a key in common.
fn by_key<K: std::hash::Hash + Eq>(
    keys: impl Iterator<Item = (usize, K)>,
    reason: impl Fn(&K) -> Reason,
    sets: &mut Sets,
) {
    let mut first: HashMap<K, usize> = HashMap::new();
    for (at, key) in keys {
        let reason = reason(&key);
        let known = *first.entry(key).or_insert(at);
        if known != at {
            sets.join(known, at, reason);
        }
    }
}

fn by_page(items: &[Read<'_>], sets: &mut Sets) {
    let mut keys: Vec<(usize, String)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let mut own: BTreeSet<String> = BTreeSet::new();
        let page = item.page.as_ref();
        if item.kind == Kind::Record {
            // The address may be of a list: what it holds is told apart by title.
            if let Some(key) = page.and_then(Page::key) {
                own.insert(format!("{key}\n{}\n{}", item.view.title, item.view.text));
            }
        } else {
            own.extend(page.and_then(Page::key));
            if item.kind == Kind::Report {
                own.extend(page.and_then(Page::article));
            }
        }
        if item.kind != Kind::Comment {
            for link in &item.view.links {
                match Page::read(link) {
                    Some(page) => own.extend(page.key()),
                    None => own.extend(named(link)),
                }
            }
            // The first page of a paper is not the article that it printed first.
            let originals = wires::originals(item.view.text)
                .into_iter()
                .filter_map(Page::read);
            own.extend(
                originals
                    .filter(|page| !page.is_front())
                    .filter_map(|page| page.key()),
            );
        }
        keys.extend(own.into_iter().map(|key| (at, key)));
    }
    let posts: Vec<bool> = items
        .iter()
        .map(|item| is_post(item.view.source_type) || !item.view.links.is_empty())
        .collect();
    let is_about = |at: usize| posts.get(at).copied().unwrap_or_default();
    let mut linked: BTreeSet<&str> = BTreeSet::new();
    linked.extend(
        keys.iter()
            .filter(|(at, _)| is_about(*at))
            .map(|(_, key)| key.as_str()),
    );
    let reason = |key: &&str| {
        if linked.contains(key) {
            Reason::Link
        } else {
            Reason::Page
        }
    };
    by_key(keys.iter().map(|(at, key)| (*at, key.as_str())), reason, sets);
}

/// Packages, repositories and products of one project.
fn by_project(items: &[Read<'_>], sets: &mut Sets) {
    let mut keys: Vec<(usize, String)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        // An advert is not its employer, and an award not its agency.
        if !matches!(item.kind, Kind::Project | Kind::Report) {
            continue;
        }
        let mut own: BTreeSet<String> = BTreeSet::new();
        if item.kind == Kind::Project {
            own.extend(item.page.as_ref().and_then(Page::repository));
        }
        for project in &item.view.projects {
            let with_scheme = format!(
                "https://{}",
                project
                    .trim_start_matches("git+")
                    .trim_start_matches("git://")
                    .trim_start_matches("ssh://git@")
            );
            let Some(page) =
                Page::read(project.trim_start_matches("git+")).or_else(|| Page::read(&with_scheme))
            else {
                continue;
            };
            match page.repository() {
                Some(repository) => own.extend([repository]),
                None => own.extend(page.website()),
            }
        }
        // The first page of a website is the product; posts link to it.
        for address in item.view.url.iter().chain(&item.view.links) {
            let page = Page::read(address);
            own.extend(page.filter(Page::is_front).and_then(|page| page.website()));
            own.extend(
                Page::read(address)
                    .and_then(|page| page.key())
                    .filter(|key| key.starts_with("repository ")),
            );
        }
        keys.extend(own.into_iter().map(|key| (at, key)));
    }
    by_key(keys.into_iter(), |_| Reason::Project, sets);
}

/// Pairs of items that have a key in common that not too many have, each pair once.
fn pairs<K: Ord>(keys: impl Iterator<Item = (usize, K)>) -> BTreeSet<(usize, usize)> {
    let mut holders: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, key) in keys {
        holders.entry(key).or_default().push(at);
    }
    let mut out = BTreeSet::new();
    for list in holders.values().filter(|list| list.len() <= COMMON) {
        for (place, one) in list.iter().enumerate() {
            out.extend(
                list.iter()
                    .skip(place + 1)
                    .map(|other| (*one.min(other), *one.max(other))),
            );
        }
    }
    out.retain(|(one, other)| one != other);
    out
}

fn by_text(items: &[Read<'_>], sets: &mut Sets) {
    let texts = || {
        items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| Some((at, item.text.as_deref()?)))
    };
    // However many have the very same text, they are found.
    let same = texts().filter(|(at, _)| items.get(*at).is_some_and(|item| item.kind != Kind::Comment));
    let mut first: HashMap<&[u64], Vec<usize>> = HashMap::new();
    for (at, sketch) in same {
        first.entry(sketch.hashes()).or_default().push(at);
    }
    for list in first.values_mut().filter(|list| list.len() > COMMON) {
        let mut chosen: Vec<usize> = Vec::new();
        list.sort_by_key(|at| {
            items
                .get(*at)
                .map(|item| (item.view.title, item.view.url, item.view.date.map(|date| date.at)))
        });
        for at in list.iter() {
            let Some(item) = items.get(*at) else { continue };
            // Editions that share a text are few: each is compared with the first of each.
            let known = chosen
                .iter()
                .take(COMMON)
                .find(|one| items.get(**one).is_some_and(|one| same_text(one, item, 1.0)));
            match known {
                Some(one) => sets.join(*one, *at, Reason::Text),
                None => chosen.push(*at),
            }
        }
    }
    let keys = texts().flat_map(|(at, sketch)| sketch.hashes().iter().map(move |hash| (at, *hash)));
    for (one, other) in pairs(keys) {
        let (Some(a), Some(b)) = (items.get(one), items.get(other)) else {
            continue;
        };
        let Some(share) = a
            .text
            .as_deref()
            .zip(b.text.as_deref())
            .and_then(|(a, b)| a.nearly(b))
        else {
            continue;
        };
        if same_text(a, b, share) {
            sets.join(one, other, reason_of(a, b, Reason::Text));
        }
    }
}

/// Whether two items of which this share of the text is the same are one text, and not two of one template.
fn same_text(one: &Read<'_>, other: &Read<'_>, share: f64) -> bool {
    if (one.kind == Kind::Comment || other.kind == Kind::Comment) && share < 1.0 {
        return false;
    }
    let is_short = |read: &Read<'_>| {
        read.text
            .as_ref()
            .is_some_and(|text| text.hashes().len() < LEAST_RUNS)
    };
    if share < 1.0 && (is_short(one) || is_short(other)) {
        return false;
    }
    if one.headline.is_another_edition(&other.headline) {
        return false;
    }
    let titles_differ = one.headline.weight() > 0
        && other.headline.weight() > 0
        && one.headline.numbers_differ(&other.headline)
        && one.headline.overlap(&other.headline).0 >= 0.6;
    // One agency's text under two titles.
    let one_agency =
        matches!((one.wire, other.wire), (Some(Wire::Agency(a)), Some(Wire::Agency(b))) if a == b);
    if share < CERTAIN && titles_differ && !one_agency {
        return false;
    }
    // A form that is filled in: other names, or the same on another day with other numbers.
    let shorter = one.names.len().min(other.names.len());
    let shared = one.names.intersection(&other.names).count();
    if share < 1.0 && shorter >= 3 && shared * 2 < shorter {
        return false;
    }
    let shorter = one.numbers.len().min(other.numbers.len());
    let shared = one.numbers.intersection(&other.numbers).count();
    if share < CERTAIN && shorter >= 2 && shared * 2 < shorter {
        return false;
    }
    let again = one.same_site(other)
        && one
            .gap(other)
            .is_some_and(|gap| gap >= TimeDelta::hours(AGAIN_HOURS));
    !(again && share < CERTAIN)
}

/// What of the two is told as the evidence: the agency that both name, else this.
fn reason_of(one: &Read<'_>, other: &Read<'_>, reason: Reason) -> Reason {
    match (one.wire, other.wire) {
        (Some(Wire::Agency(a)), Some(Wire::Agency(b))) if a == b => Reason::Wire(a),
        (Some(Wire::Release(a)), Some(Wire::Release(b))) if a == b || a.is_empty() || b.is_empty() => {
            Reason::Release(if a.is_empty() { b } else { a })
        }
        (Some(Wire::Agency(name)), None) | (None, Some(Wire::Agency(name))) => Reason::Wire(name),
        (Some(Wire::Release(name)), None) | (None, Some(Wire::Release(name))) => Reason::Release(name),
        _ => reason,
    }
}

fn by_title(items: &[Read<'_>], sets: &mut Sets) {
    let compared = || {
        items
            .iter()
            .enumerate()
            .filter(|(_, item)| matches!(item.kind, Kind::Report | Kind::Paper))
    };
    let mut titles: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (at, item) in compared() {
        titles
            .entry(item.headline.terms().into_iter().collect())
            .or_default()
            .push(at);
    }
    // However many have the very same headline, those that follow one another in time are compared.
    for list in titles.values().filter(|list| list.len() > COMMON) {
        let mut list = list.clone();
        list.sort_by_key(|at| {
            let view = items.get(*at).map(|item| item.view);
            view.map(|view| (view.date.map(|date| date.at), view.url, view.title, view.text))
        });
        for pair in list.windows(2) {
            if let [one, other] = pair {
                try_title(items, *one, *other, sets);
            }
        }
    }
    let keys = compared().flat_map(|(at, item)| {
        let terms: BTreeSet<&str> = item
            .headline
            .terms()
            .into_iter()
            .chain(item.headline.slug_terms())
            .collect();
        terms.into_iter().map(move |term| (at, term))
    });
    for (one, other) in pairs(keys) {
        try_title(items, one, other, sets);
    }
}

fn try_title(items: &[Read<'_>], one: usize, other: usize, sets: &mut Sets) {
    let (Some(a), Some(b)) = (items.get(one), items.get(other)) else {
        return;
    };
    if same_title(a, b) {
        sets.join(one, other, reason_of(a, b, Reason::Title));
    }
}

fn same_title(one: &Read<'_>, other: &Read<'_>) -> bool {
    let again = one.same_site(other)
        && one
            .gap(other)
            .is_some_and(|gap| gap >= TimeDelta::hours(AGAIN_HOURS));
    // A site that changes its own headline, and an agency's text under another one.
    let known = one.same_site(other) || one.wire.is_some() || other.wire.is_some();
    let agreement = one.headline.agrees(&other.headline, known, one.is_apart(other));
    if one.kind == Kind::Paper || other.kind == Kind::Paper {
        return agreement == Some(Agreement::Same) && one.headline.weight() > 4;
    }
    if again {
        return false;
    }
    match agreement {
        Some(Agreement::Same) => {
            let days = if one.headline.weight() >= 6 {
                DAYS_LONG
            } else {
                DAYS_SHORT
            };
            one.within(other, days)
        }
        Some(Agreement::Near) => one.within(other, DAYS_NEAR),
        None => {
            let (share, shared) = one.headline.overlap(&other.headline);
            let one_sender = matches!((one.wire, other.wire), (Some(Wire::Agency(a)), Some(Wire::Agency(b))) if a == b)
                || matches!((one.wire, other.wire), (Some(Wire::Release(a)), Some(Wire::Release(b))) if a == b);
            // What one reporter wrote, printed elsewhere under another headline.
            let one_hand = one.is_apart(other)
                && one
                    .byline
                    .as_ref()
                    .is_some_and(|name| other.byline.as_ref() == Some(name))
                && share >= HAND_SHARE
                && shared >= HAND_WORDS
                // A reporter writes of two companies in the same words.
                && one.headline.subject() == other.headline.subject()
                && !one.headline.numbers_differ(&other.headline)
                && one.within(other, DAYS_NEAR);
            one_hand
                || one_sender
                    && share >= WIRE_SHARE
                    && shared >= WIRE_WORDS
                    && !one.headline.numbers_differ(&other.headline)
                    && !one.headline.is_turned_around(&other.headline)
                    && one.within(other, DAYS_NEAR)
        }
    }
}

fn cluster(items: &[Read<'_>], members: Vec<usize>, reasons: BTreeSet<Reason>) -> Cluster {
    let mut dated: Vec<(Dated, usize)> = members
        .iter()
        .filter_map(|at| Some((items.get(*at)?.view.date.filter(|date| date.reliable)?, *at)))
        .collect();
    dated.sort_by_key(|(date, at)| (date.at, *at));
    let undated = members.len() - dated.len();
    let (mut first, mut ahead, mut day_only) = (Vec::new(), None, Vec::new());
    if dated.len() > 1 {
        // Of moments the order is known. A day alone is before what came after its end, and may be before or after any
        // moment within it.
        let is_before = |one: &Dated, other: &Dated| {
            if one.whole_day {
                one.at + TimeDelta::days(1) <= other.at
            } else {
                one.at < other.at
            }
        };
        let (earliest, others): (Vec<_>, Vec<_>) = dated
            .iter()
            .partition(|(date, _)| !dated.iter().any(|(other, _)| is_before(other, date)));
        first = earliest.iter().map(|(_, at)| *at).collect();
        first.sort_unstable();
        if earliest.iter().any(|(date, _)| !date.whole_day) {
            let days = earliest.iter().filter(|(date, _)| date.whole_day);
            day_only = days.map(|(_, at)| *at).collect();
        }
        if day_only.is_empty() {
            let begun = |one: &Dated, next: &Dated| match (one.whole_day, next.whole_day) {
                // At least since the end of that day.
                (true, false) => one.at + TimeDelta::days(1),
                _ => one.at,
            };
            let both = earliest.first().zip(others.first());
            ahead = both.map(|((one, _), (next, _))| next.at - begun(one, next));
        }
    }
    Cluster {
        members,
        reasons: reasons.into_iter().collect(),
        first,
        day_only,
        ahead,
        undated,
    }
}

/// Whether two reports are of one event.
fn same_event(one: &Read<'_>, other: &Read<'_>) -> bool {
    let report = |read: &Read<'_>| read.kind == Kind::Report;
    if !report(one)
        || !report(other)
        || !one.within(other, DAYS_EVENT)
        || one.headline.is_another_edition(&other.headline)
    {
        return false;
    }
    let (share, shared) = one.headline.overlap(&other.headline);
    // A headline may name the place that the text takes for granted. Headlines alone do not say that an event is one.
    let in_texts = one.names.intersection(&other.names).count();
    let named = if in_texts > 0 {
        one.all_names().intersection(&other.all_names()).count()
    } else {
        in_texts
    };
    (shared >= EVENT_WORDS && named >= EVENT_NAMES) || (shared >= 4 && share >= 0.5)
}

fn disagreements(items: &[Read<'_>], clusters: &[Cluster]) -> Vec<Disagreement> {
    let mut out = Vec::new();
    // One page whose date is given differently: items of one page, which are no posts about it.
    let mut pages: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for at in clusters.iter().flat_map(|cluster| &cluster.members) {
        let Some(item) = items.get(*at).filter(|item| !is_post(item.view.source_type)) else {
            continue;
        };
        if let Some(key) = item.page.as_ref().and_then(Page::key) {
            pages.entry(key).or_default().push(*at);
        }
    }
    for members in pages.values() {
        let mut days: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in members {
            if let Some(date) = items.get(*at).and_then(|item| item.view.date) {
                days.entry(date.at.date_naive().to_string())
                    .or_default()
                    .push(*at);
            }
        }
        out.extend(differing("published", days));
    }
    // Figures: of reports of one event, or of one origin.
    let figured: Vec<BTreeMap<String, String>> = items
        .iter()
        .map(|item| match item.kind {
            Kind::Report => figures(item.view.title, item.view.text),
            _ => BTreeMap::new(),
        })
        .collect();
    let mut labels: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, figures) in figured.iter().enumerate() {
        for label in figures.keys() {
            labels.entry(label).or_default().push(at);
        }
    }
    let group: HashMap<usize, usize> = clusters
        .iter()
        .enumerate()
        .flat_map(|(number, cluster)| cluster.members.iter().map(move |at| (*at, number)))
        .collect();
    for (label, holders) in labels
        .into_iter()
        .filter(|(_, holders)| (2..=COMMON).contains(&holders.len()))
    {
        let mut sets = Sets::new(holders.len());
        for (place, one) in holders.iter().enumerate() {
            for (later, other) in holders.iter().enumerate().skip(place + 1) {
                let (Some(a), Some(b)) = (items.get(*one), items.get(*other)) else {
                    continue;
                };
                let one_origin = group
                    .get(one)
                    .is_some_and(|number| group.get(other) == Some(number));
                if one_origin || same_event(a, b) {
                    sets.join(place, later, Reason::Title);
                }
            }
        }
        for (places, _) in sets.groups().0 {
            let mut values: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for at in places.iter().filter_map(|place| holders.get(*place)) {
                if let Some(value) = figured.get(*at).and_then(|figures| figures.get(label)) {
                    values.entry(value.clone()).or_default().push(*at);
                }
            }
            out.extend(differing(label, values));
        }
    }
    out.sort_by(|one, other| (first_place(one), &one.of).cmp(&(first_place(other), &other.of)));
    out
}

fn first_place(disagreement: &Disagreement) -> Option<usize> {
    disagreement
        .values
        .iter()
        .flat_map(|(_, items)| items)
        .min()
        .copied()
}

fn differing(of: &str, values: BTreeMap<String, Vec<usize>>) -> Option<Disagreement> {
    (values.len() > 1).then(|| {
        let mut values: Vec<(String, Vec<usize>)> = values.into_iter().collect();
        values.sort_by_key(|(_, items)| items.iter().min().copied());
        Disagreement {
            of: of.to_owned(),
            values,
        }
    })
}
