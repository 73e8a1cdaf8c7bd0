//! What an answer may and may not become when one field of what the source sent is another.

#![expect(
    clippy::string_slice,
    reason = "cut where a match begins and ends, and this is a test"
)]

use freshcontext_contract::ErrorCode;
use freshcontext_testkit::Case;
use freshcontext_testkit::check::{self, Outcome};
use serde_json::Value;

use super::alter::Altered;

/// Fields in whose place another documented one stands with the same confidence: the posting for the
/// launch, the last change for the publication of a feed's entry, the sighting of a page for the day in
/// its address, another copy's sighting for the oldest.
const STAND_IN: [(&str, &str); 4] = [
    ("extract_producthunt", "featuredAt"),
    ("extract_reddit", "published"),
    ("extract_gdelt", "url"),
    ("extract_gdelt", "seendate"),
];

/// Fields that decide whether an item is what the caller asked for, so that none left may be the truth.
const ASKED_FOR: [(&str, &str); 7] = [
    ("extract_yc", "batch"),
    ("search_jobs", "tags"),
    ("search_jobs", "description"),
    ("search_jobs", "location"),
    ("search_jobs", "title"),
    ("extract_sec_filings", "form"),
    ("extract_gebiz", "agency"),
];

fn listed(list: &[(&str, &str)], case: &Case, altered: &Altered) -> bool {
    list.contains(&(case.tool.as_str(), altered.field.as_str()))
}

/// Every law that an altered answer breaks. `sent` is all that the source sends in this case.
pub fn broken(case: &Case, sent: &str, whole: &Outcome, altered: &Altered, became: &Outcome) -> Vec<String> {
    let mut out = check::honesty(case, became);
    out.extend(check::harmless(became));
    if became.is_error {
        if !ErrorCode::ALL.iter().any(|code| code.as_str() == became.code()) {
            out.push(format!("the code {:?} is not documented", became.code()));
        }
        return out;
    }
    out.extend(strangers(sent, whole, altered, became));
    out.extend(dates(case, whole, altered, became));
    out.extend(counts(became));
    out.extend(gaps(whole, became));
    out.extend(losses(case, whole, altered, became));
    out
}

fn text<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name].as_str().unwrap_or_default()
}

/// The item that this one was: by its address, else by its id, else by its title.
fn same<'a>(whole: &'a Outcome, item: &Value) -> Option<&'a Value> {
    ["url", "id", "title"].into_iter().find_map(|name| {
        let value = text(item, name);
        // Two articles may well have one title: it counts only where there is nothing better.
        if value.is_empty() || (name == "title" && !text(item, "url").is_empty()) {
            return None;
        }
        whole.items().iter().find(|other| text(other, name) == value)
    })
}

/// Items that were not there before and that nobody sent. One that stood behind another (a copy, an
/// older version, the next of a limited list) is in the documents. So is a page without its list, which is one item.
fn strangers(sent: &str, whole: &Outcome, altered: &Altered, became: &Outcome) -> Vec<String> {
    let is_known = |item: &&Value| {
        let place = text(item, "url").trim_end_matches('/');
        let name = if place.is_empty() {
            text(item, "title")
        } else {
            place
        };
        let tail = name.rsplit(['/', '=', '#']).next().unwrap_or(name);
        let made = altered
            .now
            .is_some_and(|now| name.replace("%20", " ").contains(now));
        let is_page = item["url"] == became.structured["freshcontext"]["source_url"];
        let is_titled = is_page && sent.contains(text(item, "title"));
        made || sent.contains(tail) || is_titled || same(whole, item).is_some()
    };
    became
        .items()
        .iter()
        .filter(|item| !is_known(item))
        .map(|item| format!("a new item {} {:?}", item["url"], text(item, "title")))
        .collect()
}

/// A date with its confidence, as numbers that can be compared.
fn dated<'a>(item: &'a Value, date: &str, confidence: &str) -> Option<(&'a str, u8)> {
    let sure = match item[confidence].as_str() {
        Some("high") => 2,
        Some("medium") => 1,
        _ => 0,
    };
    Some((item[date].as_str()?, sure))
}

/// The date stays, goes, becomes the day alone, or becomes a less certain one. Never another that is as
/// certain, never one where there was none, never where clocks begin, never the present moment.
fn dates(case: &Case, whole: &Outcome, altered: &Altered, became: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    let now = case.now.format("%Y-%m-%dT%H:%M").to_string();
    for item in became.items() {
        let Some((date, sure)) = dated(item, "published_at", "date_confidence") else {
            continue;
        };
        let title = text(item, "title");
        if date.starts_with("1970") {
            out.push(format!("{title:?} has the date {date}"));
        }
        let Some(before) = same(whole, item) else { continue };
        // A package's item is of the version that its title names.
        if case.tool == "package_trends" && title != text(before, "title") {
            continue;
        }
        let Some((was, had)) = dated(before, "published_at", "date_confidence") else {
            out.push(format!("{title:?} had no date and has {date}"));
            continue;
        };
        let day_alone = date.len() == 10 && was.starts_with(date);
        let fits = if date == was || day_alone {
            sure <= had
        } else {
            sure < had || listed(&STAND_IN, case, altered)
        };
        if !fits || (date != was && date.starts_with(&now)) {
            out.push(format!(
                "{title:?}: {date} ({sure}) in the place of {was} ({had})"
            ));
        }
    }
    let facts = &became.structured["freshcontext"];
    if let Some((date, sure)) = dated(facts, "content_date", "freshness_confidence") {
        let before = &whole.structured["freshcontext"];
        let known = became
            .items()
            .iter()
            .map(|item| dated(item, "published_at", "date_confidence"))
            .chain([dated(before, "content_date", "freshness_confidence")])
            .flatten()
            .any(|(known, had)| known == date && sure <= had);
        let less = dated(before, "content_date", "freshness_confidence").is_some_and(|(_, had)| sure < had);
        if !known && !less {
            out.push(format!(
                "the answer has the date {date} ({sure}), which no item has"
            ));
        }
    }
    out
}

/// Facts that count something: whole, and never below zero.
const COUNTS: [&str; 17] = [
    "stars",
    "forks",
    "watchers",
    "open_issues_and_pulls",
    "comments",
    "replies",
    "votes",
    "rank",
    "versions",
    "downloads",
    "downloads_90d",
    "downloads_last_month",
    "releases_30d",
    "releases_365d",
    "cited_by",
    "team_size",
    "age_days",
];
/// Facts that are never below zero, but need not be whole.
const AMOUNTS: [&str; 7] = [
    "price",
    "open",
    "high",
    "low",
    "previous_close",
    "volume",
    "upvote_ratio",
];

fn counts(became: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    for item in became.items() {
        for name in COUNTS.into_iter().chain(AMOUNTS) {
            let value = &item["fields"][name];
            let Some(number) = value.as_f64() else { continue };
            let whole = number.fract() == 0.0 || !COUNTS.contains(&name);
            if number < 0.0 || !whole || (name == "upvote_ratio" && number > 1.0) {
                out.push(format!("{name} is {value} in {:?}", text(item, "title")));
            }
        }
    }
    out
}

/// Words of programs for nothing, and names of facts without the fact.
fn gaps(whole: &Outcome, became: &Outcome) -> Vec<String> {
    let before = content(whole);
    let is_new = |line: &&str| !before.lines().any(|other| other == *line);
    let mut out = Vec::new();
    for line in content(became).lines().filter(is_new) {
        let nothing = ["null", "undefined", "NaN", "None", "object Object"];
        if let Some(word) = nothing.iter().find(|word| contains_word(line, word)) {
            out.push(format!("{word} in {line:?}"));
        }
        // Titles and quoted text are the source's own; the facts are `name: value · name: value`.
        if line.starts_with(['[', '>']) {
            continue;
        }
        let hollow = |fact: &str| {
            let fact = fact.trim_end();
            fact.ends_with(':')
                || fact.ends_with(',')
                || [": ,", ": ;", ", ,", "()", "( "]
                    .iter()
                    .any(|gap| fact.contains(gap))
        };
        if line.split(" · ").any(hollow) || line.starts_with("Note: ") && line.ends_with(" of") {
            out.push(format!("a gap in {line:?}"));
        }
    }
    if became
        .items()
        .iter()
        .any(|item| text(item, "title").trim().is_empty())
    {
        out.push("an item without a title".to_owned());
    }
    out
}

fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        ends(line[..at].chars().next_back()) && ends(line[at + word.len()..].chars().next())
    })
}

fn content(outcome: &Outcome) -> &str {
    outcome.content()
}

/// An item that is gone is spoken of, and a list that cannot be read is not an empty one.
fn losses(case: &Case, whole: &Outcome, altered: &Altered, became: &Outcome) -> Vec<String> {
    let lost = whole.items().len().saturating_sub(became.items().len());
    if lost == 0 || altered.emptied || listed(&ASKED_FOR, case, altered) {
        return Vec::new();
    }
    let said = ["skipped", "failures"]
        .iter()
        .any(|name| became.structured[*name] != whole.structured[*name]);
    if said {
        return Vec::new();
    }
    if became.structured["status"] == "empty" {
        return vec![format!("the claim that there is nothing: {}", content(became))];
    }
    if became.structured["notes"] == whole.structured["notes"] {
        return vec![format!("{lost} items went without a word")];
    }
    Vec::new()
}
