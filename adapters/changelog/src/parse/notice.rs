//! What a page says of its own standing: a link to its successor, the day until which it holds, a banner.

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::serde_json::{self, Value};
use freshcontext_contract::standing::Replacement;
use freshcontext_contract::url::Url;
use freshcontext_contract::{StandingEvidence, StandingState};
use freshcontext_parse::html::{self, Main, all, first};
use freshcontext_parse::json::text_at;
use freshcontext_parse::prose::{self, Subject};
use freshcontext_parse::scraper::{ElementRef, Html};
use freshcontext_parse::{date, link, text};

use super::headers;

/// Elements that may hold a banner, and the headings that show where the entries of a page begin.
const BANNERS: &str = "h2, [role='alert'], [role='note'], [class*='deprecated'], [class*='outdated'], [class*='archived'], \
    [class*='obsolete'], [class*='warning'], [class*='admonition'], [id*='deprecated'], [id*='outdated'], [id*='archived'], \
    [id*='obsolete']";
/// Elements with these that are looked at.
const MOST_BANNERS: usize = 200;
/// Longest text of a banner, in characters; a longer one is the page in a box.
const BANNER_CHARS: usize = 600;
/// Largest script with JSON-LD that is read here, in bytes: a tree of its values takes many times that.
const SCRIPT_BYTES: usize = 100_000;
/// Entities of one script that are looked at.
const MOST_ENTITIES: usize = 100;

/// The signs of a page. Each has its own evidence, and a page without any says nothing.
pub fn signs(
    document: &Html,
    main: &Main<'_>,
    text: &str,
    address: &Url,
    base: &Url,
    now: DateTime<Utc>,
) -> Vec<StandingEvidence> {
    let mut signs = Vec::new();
    let next = first(document, "link[rel~='successor-version'][href]")
        .and_then(|link| link::absolute(base, link.value().attr("href")?));
    signs.extend(next.and_then(|next| headers::successor("link rel", address, &next)));
    signs.extend(expired(document, address, now));
    let beginning = || prose::of_page("text", text, now);
    signs.extend(banner(document, main, address, base, now).or_else(beginning));
    signs
}

/// The day in a page's JSON-LD until which what it describes holds, where that day is behind: `expires` of a document,
/// `validThrough` of an advert (<https://schema.org/expires>, <https://schema.org/validThrough>).
fn expired(document: &Html, address: &Url, now: DateTime<Utc>) -> Option<StandingEvidence> {
    let scripts = all(document, "script[type^='application/ld+json']");
    let sources = scripts
        .into_iter()
        .map(|script| script.text().collect::<String>());
    let telling = |source: &String| {
        source.len() <= SCRIPT_BYTES
            && (source.contains("\"expires\"") || source.contains("\"validThrough\""))
    };
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for source in sources.filter(telling) {
        let Ok(value) = serde_json::from_str::<Value>(source.trim()) else {
            continue;
        };
        let mut entities = Vec::new();
        entities_of(&value, &mut entities);
        let of_page = entities.into_iter().filter(|entity| is_of(entity, address));
        found.extend(of_page.filter_map(until));
    }
    // Of several, which is the page cannot be told.
    let [(field, written)] = found.as_slice() else {
        return None;
    };
    let until = date::machine(written)?;
    let end = date::day(written).map_or_else(
        || until.instant(),
        |day| day.succ_opt()?.and_hms_opt(12, 0, 0).map(|at| at.and_utc()),
    );
    let behind = end.is_some_and(|end| end < now);
    behind.then(|| {
        StandingEvidence::field(StandingState::Closed, *field, written.as_str())
            .since(Some(until))
            .by("publisher")
    })
}

/// The entities that a script describes by themselves: not those within others, such as the offers of a product.
fn entities_of<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(values) => values.iter().take(MOST_ENTITIES).for_each(|value| {
            if value.is_object() {
                entities_of(value, found);
            }
        }),
        Value::Object(_) => {
            if let Some(graph) = value.get("@graph").filter(|graph| graph.is_array()) {
                entities_of(graph, found);
            }
            if let Some(main) = value.get("mainEntity").filter(|main| main.is_object()) {
                found.push(main);
            }
            found.push(value);
        }
        _ => {}
    }
}

/// Whether an entity may be the page: it names no other address.
fn is_of(entity: &Value, address: &Url) -> bool {
    let named = text_at(entity, "/url")
        .or_else(|| text_at(entity, "/mainEntityOfPage"))
        .or_else(|| text_at(entity, "/mainEntityOfPage/@id"));
    let named = named.and_then(|named| link::absolute(address, named));
    named.is_none_or(|named| html::same_page(&named, address))
}

/// Until when an entity holds. Of an offer or of opening hours it is a price or a week that ends.
fn until(entity: &Value) -> Option<(&'static str, String)> {
    const DOCUMENTS: [&str; 9] = [
        "Article",
        "NewsArticle",
        "BlogPosting",
        "TechArticle",
        "CreativeWork",
        "WebPage",
        "Report",
        "SpecialAnnouncement",
        "DiscussionForumPosting",
    ];
    let kinds: Vec<&str> = match entity.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.and_then(Value::as_str).into_iter().collect(),
    };
    let is = |known: &[&str]| {
        let bare = |kind: &&str| kind.rsplit(['/', ':', '#']).next().unwrap_or_default().to_owned();
        kinds.iter().map(bare).any(|kind| known.contains(&kind.as_str()))
    };
    let field = |name: &'static str| Some((name, text_at(entity, &format!("/{name}"))?.trim().to_owned()));
    if is(&["JobPosting"]) {
        return field("validThrough");
    }
    is(&DOCUMENTS).then(|| field("expires")).flatten()
}

/// The sign of the first banner that speaks of the page. Among the entries of a list a banner is about its entry.
fn banner(
    document: &Html,
    main: &Main<'_>,
    address: &Url,
    base: &Url,
    now: DateTime<Utc>,
) -> Option<StandingEvidence> {
    let mut in_entries = false;
    for element in all(document, BANNERS).into_iter().take(MOST_BANNERS) {
        if element.value().name() == "h2" {
            in_entries |= main.holds(element);
            continue;
        }
        let words = html::text_of(element);
        if words.chars().count() > BANNER_CHARS || in_entries && main.holds(element) {
            continue;
        }
        if let Some(sign) = prose::said("banner", &words, Subject::Page, now, |_| false) {
            let by = sign
                .replaced_by
                .clone()
                .or_else(|| linked(element, &words, address, base));
            return Some(sign.replaced_by(by));
        }
    }
    None
}

/// The page that a banner leads to, where its words say that it takes this one's place and it leads to one alone.
fn linked(element: ElementRef<'_>, words: &str, address: &Url, base: &Url) -> Option<Replacement> {
    let lower = words.to_lowercase();
    let says = |phrase: &&str| lower.contains(*phrase);
    if ![
        "superseded by",
        "replaced by",
        "obsoleted by",
        "in favor of",
        "in favour of",
    ]
    .iter()
    .any(says)
    {
        return None;
    }
    let links = element.descendants().filter_map(ElementRef::wrap);
    let links = links.filter(|link| link.value().name() == "a");
    let mut targets: Vec<(Url, String)> = links
        .take(20)
        .filter_map(|link| {
            let url = link::absolute(base, link.value().attr("href")?)?;
            (!html::same_page(&url, address)).then(|| (url, html::line_of(link, " ")))
        })
        .collect();
    targets.dedup_by(|one, other| one.0 == other.0);
    match targets.as_slice() {
        [(url, title)] => Some(Replacement {
            url: Some(url.to_string()),
            title: text::present(title),
            id: None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
