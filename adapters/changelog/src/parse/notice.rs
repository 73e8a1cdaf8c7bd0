//! What a page says of its own standing: a link to its successor, the day until which it holds, a banner.

use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::serde_json::{self, Value};
use freshcontext_contract::standing::{Replacement, replacement_in};
use freshcontext_contract::url::Url;
use freshcontext_contract::{StandingEvidence, StandingState};
use freshcontext_parse::html::{self, Main, all, first};
use freshcontext_parse::json::text_at;
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
/// Characters of the text in which a page may speak of itself without a banner.
const BEGINNING: usize = 400;
/// Longest sentence that is repeated as the reason, in characters.
const SENTENCE: usize = 200;
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
    let beginning = || {
        let start: String = text.chars().take(BEGINNING).collect();
        said("text", &start, now)
    };
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
        if let Some(sign) = said("banner", &words, now) {
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

/// The sign in a text: the first sentence that says it of "this" page, document or version.
fn said(field: &'static str, text: &str, now: DateTime<Utc>) -> Option<StandingEvidence> {
    let sentences = text
        .split_inclusive(['\n', '!', '?', ';'])
        .flat_map(|line| line.split(". "))
        .map(str::trim);
    sentences
        // A question says nothing: "This page is outdated? Tell us."
        .filter(|sentence| !sentence.is_empty() && !sentence.ends_with('?'))
        .find_map(|sentence| {
            let state = state_of(&sentence.to_lowercase())?;
            // What comes into force on a later day does not hold yet.
            let day = date::find(sentence).and_then(|found| found.day(None));
            if day.is_some_and(|day| day > now.date_naive()) {
                return None;
            }
            let shown = text::said(sentence, SENTENCE);
            let named = replacement_in(sentence, |name| {
                name.starts_with("https://") || name.starts_with("http://")
            });
            let sign = StandingEvidence::prose(state, field, shown.as_str()).by("publisher");
            Some(sign.reason(Some(shown)).replaced_by(named.map(Replacement::url)))
        })
}

/// What "this" may be on a page.
const THINGS: [&str; 18] = [
    "document",
    "documentation",
    "docs",
    "page",
    "version",
    "release",
    "guide",
    "article",
    "manual",
    "site",
    "website",
    "content",
    "wiki",
    "specification",
    "tutorial",
    "publication",
    "changelog",
    "draft",
];
/// Words that may stand before a sentence about this page.
const LEADS: [&str; 16] = [
    "note",
    "warning",
    "attention",
    "important",
    "caution",
    "notice",
    "danger",
    "please",
    "that",
    "archived",
    "outdated",
    "obsolete",
    "deprecated",
    "superseded",
    "end-of-life",
    "eol",
];
/// Words between a verb and the state that change nothing.
const ADVERBS: [&str; 8] = [
    "been",
    "now",
    "currently",
    "officially",
    "also",
    "already",
    "considered",
    "permanently",
];
/// What is said, and the state that it means. The first words of what follows the verb.
const SAYINGS: [(&str, StandingState); 23] = [
    ("superseded", StandingState::Superseded),
    ("replaced by", StandingState::Superseded),
    ("obsoleted by", StandingState::Superseded),
    ("archived", StandingState::Archived),
    ("an archived", StandingState::Archived),
    ("kept for historical", StandingState::Archived),
    ("no longer updated", StandingState::Archived),
    ("no longer being updated", StandingState::Archived),
    ("no longer supported", StandingState::Ended),
    ("no longer maintained", StandingState::Ended),
    ("no longer actively maintained", StandingState::Ended),
    ("no longer being maintained", StandingState::Ended),
    ("no longer valid", StandingState::Ended),
    ("no longer current", StandingState::Ended),
    ("unsupported", StandingState::Ended),
    ("unmaintained", StandingState::Ended),
    ("outdated", StandingState::Ended),
    ("out of date", StandingState::Ended),
    ("out-of-date", StandingState::Ended),
    ("obsolete", StandingState::Ended),
    ("end of life", StandingState::Ended),
    ("end-of-life", StandingState::Ended),
    ("deprecated", StandingState::Deprecated),
];
/// Words after which a state holds only in a case, at a place, or as something else.
const LIMITS: [&str; 14] = [
    "if", "when", "once", "unless", "where", "for", "in", "with", "under", "at", "until", "as", "to", "api",
];
/// Verbs with which a document says what it is about.
const ABOUT: [&str; 5] = ["is for", "describes", "covers", "refers to", "applies to"];
/// Words for the age of a version that a document is about.
const OLD: [(&str, StandingState); 8] = [
    ("old", StandingState::Superseded),
    ("older", StandingState::Superseded),
    ("outdated", StandingState::Ended),
    ("unsupported", StandingState::Ended),
    ("obsolete", StandingState::Ended),
    ("unmaintained", StandingState::Ended),
    ("end-of-life", StandingState::Ended),
    ("archived", StandingState::Archived),
];

/// The state that a sentence in small letters says of this page. It has to begin with it: further on, "this page" is
/// where something else stands.
fn state_of(sentence: &str) -> Option<StandingState> {
    let words: Vec<&str> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .skip_while(|word| LEADS.contains(word))
        .collect();
    let joined = words.join(" ");
    if let Some(rest) = ["you are", "you're", "you’re"]
        .iter()
        .find_map(|you| joined.strip_prefix(you))
    {
        return of_reader(rest.trim_start());
    }
    // "This is documentation for 1.2, which is no longer maintained", "This is an archived page".
    if let Some(rest) = joined.strip_prefix("this is ") {
        let rest = ["the ", "an ", "a "]
            .iter()
            .find_map(|article| rest.strip_prefix(article))
            .unwrap_or(rest);
        if let Some(about) = rest.strip_prefix("documentation for ") {
            return of_version(about);
        }
        let (adjective, thing) = rest.split_once(' ')?;
        let thing = thing.split(' ').next()?;
        let state = OLD.iter().find(|(old, _)| *old == adjective)?.1;
        return THINGS.contains(&thing).then_some(state);
    }
    let rest: Vec<&str> = joined.strip_prefix("this ")?.split(' ').collect();
    // "this page", "this old page", "this version of the documentation", "this documentation page".
    let thing = rest.iter().take(3).rposition(|word| THINGS.contains(word))?;
    let verb = rest.iter().position(|word| {
        matches!(
            *word,
            "is" | "has" | "was" | "describes" | "covers" | "refers" | "applies"
        )
    })?;
    let between = rest.get(thing + 1..verb)?;
    let is_of = between.first() == Some(&"of") && between.len() <= 6;
    if !between.is_empty() && !is_of {
        return None;
    }
    let said = rest.get(verb..)?.join(" ");
    if let Some(about) = ABOUT.iter().find_map(|about| said.strip_prefix(about)) {
        return of_version(about.trim_start());
    }
    let (verb, said) = said.split_once(' ')?;
    of_state(verb, said)
}

/// What a verb and the words behind it say of their subject.
fn of_state(verb: &str, said: &str) -> Option<StandingState> {
    let words: Vec<&str> = said.split(' ').collect();
    // "has deprecated" is something that it does, "has been deprecated" what was done to it.
    let passive = verb != "has" || words.first() == Some(&"been") || words.get(1) == Some(&"been");
    let plain: Vec<&str> = words
        .into_iter()
        .skip_while(|word| ADVERBS.contains(word))
        .collect();
    let plain = plain.join(" ");
    let reached = plain.strip_prefix("reached ").map(|rest| {
        ["its ", "the ", "end of its "]
            .iter()
            .find_map(|word| rest.strip_prefix(word))
            .unwrap_or(rest)
    });
    if let Some(end) = reached {
        let ends = [
            "end of life",
            "end-of-life",
            "eol",
            "end of support",
            "end of its life",
            "life",
        ];
        return ends
            .iter()
            .any(|phrase| end.starts_with(phrase))
            .then_some(StandingState::Ended);
    }
    let (rest, state) = SAYINGS.iter().find_map(|(saying, state)| {
        let rest = plain.strip_prefix(saying)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some((rest, *state))
    })?;
    let next: Vec<&str> = rest.split_whitespace().take(3).collect();
    (passive && !is_limited(&next)).then_some(state)
}

/// Whether the words behind a state bind it to a case or a place: `no longer supported on Windows 7`. A day does not, nor
/// does a purpose: `archived on 2024-05-01`, `archived for reference`.
fn is_limited(next: &[&str]) -> bool {
    match next {
        ["as", "of", ..]
        | ["in", "favor" | "favour", ..]
        | ["for", "reference" | "historical" | "archival" | "research", ..]
        | ["on", "the", "web"]
        | [] => false,
        ["on", day, ..] => !day.contains(|c: char| c.is_ascii_digit()) && date::month_number(day).is_none(),
        [first, ..] => LIMITS.contains(first),
    }
}

/// What is said of the version that a document is about: its age, or a clause.
fn of_version(about: &str) -> Option<StandingState> {
    let clause = [" that ", " which "]
        .iter()
        .find_map(|joint| about.split_once(joint));
    let said = clause.and_then(|(_, clause)| {
        let (verb, said) = clause.split_once(' ')?;
        matches!(verb, "is" | "has" | "was")
            .then(|| of_state(verb, said))
            .flatten()
    });
    said.or_else(|| {
        // "an unsupported version of Example", "an old, insecure release".
        let words: Vec<&str> = about.split(' ').take(5).collect();
        let thing = words
            .iter()
            .position(|word| matches!(*word, "version" | "release"))?;
        let before = words.get(..thing)?;
        before
            .iter()
            .find_map(|word| OLD.iter().find(|(old, _)| old == word).map(|(_, state)| *state))
    })
}

/// What is said to the reader of this page: `reading an old version of this documentation`.
fn of_reader(said: &str) -> Option<StandingState> {
    let said = said.strip_prefix("currently ").unwrap_or(said);
    let (denied, said) = said
        .strip_prefix("not ")
        .map_or((false, said), |said| (true, said));
    let said = ["reading ", "viewing ", "looking at ", "browsing "]
        .iter()
        .find_map(|verb| said.strip_prefix(verb))?;
    let (version, thing) = said.split_once(" version of this ")?;
    if !thing
        .split(' ')
        .next()
        .is_some_and(|thing| THINGS.contains(&thing))
    {
        return None;
    }
    let version = ["the ", "an "]
        .iter()
        .find_map(|article| version.strip_prefix(article))?;
    if denied {
        return matches!(version, "latest" | "most recent" | "current" | "newest")
            .then_some(StandingState::Superseded);
    }
    OLD.iter()
        .find(|(old, _)| *old == version)
        .map(|(_, state)| *state)
}

#[cfg(test)]
mod tests {
    use super::super::page;
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-10-10T00:00:00Z".parse().unwrap()
    }

    fn read(head: &str, body: &str) -> Vec<StandingEvidence> {
        let address = Url::parse("https://docs.example.com/v2/notes").unwrap();
        let html = format!(
            "<!doctype html><html><head><title>Release notes</title>{head}</head><body>{body}\
            <main><h1>Release notes</h1><h2>2.4.0 (2026-10-05)</h2><p>Added a thing that people asked for, in a longer line.</p>\
            <h2>2.3.0 (2026-08-05)</h2><p>Fixed a thing that people reported, in a longer line.</p></main></body></html>"
        );
        page::read(&html, &address, now()).standing
    }

    #[test]
    fn sentences_about_this_page() {
        use StandingState::{Archived, Deprecated, Ended, Superseded};
        for (sentence, state) in [
            (
                "This document is for an insecure version of Example that is no longer supported.",
                Ended,
            ),
            (
                "This document is for an old version of Example that is no longer supported.",
                Ended,
            ),
            (
                "This documentation is for an unsupported version of Example.",
                Ended,
            ),
            (
                "This is documentation for Example 1.2, which is no longer actively maintained.",
                Ended,
            ),
            ("Warning: This page is out of date.", Ended),
            ("This version of Example has reached its end of life.", Ended),
            ("This guide is no longer supported as of 2026-01-01.", Ended),
            ("Note: this version of the documentation is outdated", Ended),
            ("This page has been archived on the web.", Archived),
            ("This page was archived on 2024-05-01.", Archived),
            ("This is an archived page.", Archived),
            (
                "This document has been superseded by https://example.com/v3",
                Superseded,
            ),
            (
                "You are reading an old version of this documentation.",
                Superseded,
            ),
            (
                "You are not reading the most recent version of this documentation.",
                Superseded,
            ),
            ("This version is deprecated.", Deprecated),
        ] {
            assert_eq!(
                state_of(&sentence.trim_end_matches('.').to_lowercase()),
                Some(state),
                "{sentence}"
            );
        }
        for sentence in [
            "This document is for Example's development version, which can differ from previous releases.",
            "This page documents the deprecated API",
            "This feature is deprecated",
            "In this release, Python 3.7 is no longer supported",
            "This release: Python 3.7 is no longer supported",
            "This release has deprecated the old API",
            "This version no longer supports Windows 7",
            "This version is no longer supported on Windows 7",
            "This version will be deprecated",
            "This page is not outdated",
            "This document describes how to mark an obsolete page",
            "This release is archived at Zenodo",
            "This version is obsolete if you use 3.0",
            "This page lists every version of Example that is no longer supported",
            "Version 1 is no longer supported",
            "This guide covers a stable release",
            "Deprecated",
        ] {
            assert_eq!(state_of(&sentence.to_lowercase()), None, "{sentence}");
        }
    }

    #[test]
    fn a_banner_speaks_for_its_page() {
        let signs = read(
            "",
            r#"<div class="outdated-banner">This document has been superseded by <a href="/v3/notes">the notes of 3.0</a>.</div>"#,
        );
        let [sign] = signs.as_slice() else {
            panic!("{signs:?}")
        };
        assert_eq!(sign.state, StandingState::Superseded);
        let by = sign.replaced_by.as_ref().unwrap();
        assert_eq!(by.url.as_deref(), Some("https://docs.example.com/v3/notes"));
        assert!(sign.reason.as_ref().unwrap().starts_with("This document"));
        for body in [
            // Another role, other words, no banner.
            r#"<div role="alert">Version 1 is no longer supported.</div>"#,
            r#"<div role="status" class="x">This is the documentation for Example 2.</div>"#,
            r#"<div class="warning">This feature is deprecated.</div>"#,
            r#"<link rel="latest-version" href="/v2/notes">"#,
        ] {
            assert_eq!(read("", body), [], "{body}");
        }
    }

    #[test]
    fn a_banner_among_the_entries_is_about_its_entry() {
        let html = r#"<title>Release notes</title><main><h1>Release notes</h1><h2>2.4.0 (2026-10-05)</h2><p>Added a thing.</p>
            <h2>2.3.0 (2026-08-05)</h2><div class="admonition warning">This version is deprecated.</div><p>Fixed a thing.</p></main>"#;
        let address = Url::parse("https://docs.example.com/notes").unwrap();
        let page = page::read(html, &address, now());
        assert_eq!((page.releases.len(), page.standing), (2, Vec::new()));
    }

    #[test]
    fn links_to_a_successor() {
        let signs = read(r#"<link rel="successor-version" href="/v3/notes">"#, "");
        let by = signs[0].replaced_by.as_ref().and_then(|by| by.url.as_deref());
        assert_eq!(
            (signs[0].state, by),
            (
                StandingState::Superseded,
                Some("https://docs.example.com/v3/notes")
            )
        );
        for head in [
            r#"<link rel="canonical" href="/v3/notes">"#,
            r#"<link rel="latest-version" href="/v3/notes">"#,
            r#"<link rel="successor-version" href="/v2/notes">"#,
            r#"<link rel="successor-version">"#,
        ] {
            assert_eq!(read(head, ""), [], "{head}");
        }
    }

    #[test]
    fn a_day_until_which_the_page_holds() {
        let of = |json: &str| {
            read(
                &format!(r#"<script type="application/ld+json">{json}</script>"#),
                "",
            )
        };
        let signs =
            of(r#"{"@context":"https://schema.org","@type":"JobPosting","validThrough":"2026-09-30"}"#);
        assert_eq!(
            (signs[0].state, signs[0].field.as_ref()),
            (StandingState::Closed, "validThrough")
        );
        assert!(signs[0].since.is_some());
        let signs = of(
            r#"{"@graph":[{"@type":"WebSite"},{"@type":["WebPage"],"url":"https://docs.example.com/v2/notes","expires":"2026-09-30T00:00:00Z"}]}"#,
        );
        assert_eq!(
            (signs[0].state, signs[0].field.as_ref()),
            (StandingState::Closed, "expires")
        );
        for json in [
            r#"{"@type":"JobPosting","validThrough":"2026-12-30"}"#,
            r#"{"@type":"JobPosting","validThrough":"2026-10-09"}"#,
            r#"{"@type":"JobPosting","valid_through":"2026-09-30"}"#,
            r#"{"@type":"JobPosting","validThrough":"soon"}"#,
            r#"{"@type":"Product","offers":{"@type":"Offer","validThrough":"2026-09-30"}}"#,
            r#"{"@type":"Offer","validThrough":"2026-09-30"}"#,
            r#"{"@type":"WebPage","url":"https://docs.example.com/other","expires":"2026-09-30"}"#,
            r#"[{"@type":"JobPosting","validThrough":"2026-09-30"},{"@type":"JobPosting","validThrough":"2026-09-29"}]"#,
            r#"{"@type":"JobPosting","validThrough":"2026-09-30""#,
        ] {
            assert_eq!(of(json), [], "{json}");
        }
    }
}
