//! From GDELT's answer to articles.

mod stories;

use std::collections::HashMap;

use crate::URL;
use chrono::{DateTime, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    CommonArgs, DateEvidence, Item, SourceError, SourceResult, code, quoted, sort_by_date,
};
use freshcontext_parse::date::{self, PathDate};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{html, link, text};
use serde::Deserialize;
use serde_json::Value;

use crate::repair;
use crate::request::Plan;
use stories::{STORIES_NAMED, stories_first};

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Deserialize)]
struct Wire {
    url: Option<String>,
    title: Option<String>,
    seendate: Option<String>,
    domain: Option<String>,
    language: Option<String>,
    sourcecountry: Option<String>,
}

/// An article as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    url: Option<String>,
    title: String,
    /// Its oldest sighting.
    first_seen: Option<DateTime<Utc>>,
    /// Its newest sighting.
    last_seen: Option<DateTime<Utc>>,
    domain: Option<String>,
    language: Option<String>,
    country: Option<String>,
    address_date: Option<PathDate>,
}

/// What GDELT answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List {
    /// Articles, one for each address.
    pub articles: Vec<Article>,
    /// Entries received.
    pub received: usize,
    /// Entries that repeat an address.
    pub merged: usize,
    /// Entries without address and title, or of another shape.
    pub unreadable: usize,
    /// Whether the JSON had to be repaired.
    pub repaired: bool,
    /// Whether only single articles could be saved from a broken list.
    pub salvaged: bool,
}

/// Reads an answer: articles, an honest nothing, or the reason why there is neither.
pub fn articles(body: &str, query: &str) -> Result<List, SourceError> {
    let body = body.trim_start_matches('\u{feff}').trim();
    refusal(body, query)?;
    json::refuse_crumbs(body, "GDELT")?;
    let (value, repaired) = match serde_json::from_str::<Value>(body) {
        Ok(value) => (Some(value), false),
        Err(_) => (serde_json::from_str::<Value>(&repair::repair(body)).ok(), true),
    };
    let Some(value) = value else { return salvage(body) };
    let entries = match value {
        Value::Array(entries) => Value::Array(entries),
        Value::Object(object) if object.is_empty() => Value::Array(Vec::new()),
        Value::Object(mut object) => object
            .remove("articles")
            .filter(Value::is_array)
            .ok_or_else(|| SourceError::malformed("GDELT's answer has no list of articles"))?,
        _ => return Err(SourceError::malformed("GDELT's answer is no list of articles")),
    };
    let read: Lenient<Wire> = serde_json::from_value(entries)
        .map_err(|error| SourceError::malformed("GDELT's list cannot be read").caused_by(error))?;
    Ok(list(read.items, read.unreadable, repaired, false))
}

/// The plain texts by which GDELT says no.
fn refusal(body: &str, query: &str) -> Result<(), SourceError> {
    if body.is_empty() {
        return Err(SourceError::upstream(
            "GDELT sent an empty body, as it does when it is down",
        ));
    }
    if body.starts_with(['{', '[']) {
        return Ok(());
    }
    let start: String = body.chars().take(400).collect::<String>().to_ascii_lowercase();
    if start.contains("limit requests") {
        let message = "GDELT asks for fewer requests (it also says so when it is busy)";
        return Err(SourceError::rate_limited(message));
    }
    if start.starts_with('<') {
        let message = "GDELT sent a web page in place of its list, as it does when it is overloaded";
        return Err(SourceError::upstream(message).detail("html"));
    }
    if start.contains("upstream connect error") {
        return Err(SourceError::upstream("GDELT's service is down behind its proxy"));
    }
    let sentence = body.chars().next().is_some_and(char::is_uppercase)
        && body.ends_with('.')
        && body.contains(' ')
        && body.chars().count() <= 300;
    if sentence {
        let said = text::one_line(body);
        let problem = format!(
            "was refused by GDELT: {} The query sent was {}",
            quoted(&said),
            code(query)
        );
        return Err(URL.wrong(problem));
    }
    Err(SourceError::malformed(
        "GDELT's answer is neither JSON nor a known refusal",
    ))
}

fn salvage(body: &str) -> Result<List, SourceError> {
    let repaired = repair::repair(body);
    let found: Vec<Wire> = repair::objects(&repaired)
        .iter()
        .filter_map(|object| serde_json::from_str(object).ok())
        .collect();
    if found.is_empty() {
        return Err(SourceError::malformed(
            "GDELT's answer is not valid JSON and holds no readable article",
        ));
    }
    Ok(list(found, 0, true, true))
}

fn list(entries: Vec<Wire>, unreadable: usize, repaired: bool, salvaged: bool) -> List {
    let mut out = List {
        unreadable,
        repaired,
        salvaged,
        received: entries.len() + unreadable,
        ..List::default()
    };
    // Where each is found again: comparing every two would take the square of their number.
    let mut places: HashMap<Key, usize> = HashMap::new();
    for entry in entries {
        let Some(article) = article(entry) else {
            out.unreadable += 1;
            continue;
        };
        let key = key(&article);
        let known = places.get(&key).copied();
        if let Some(known) = known.and_then(|place| out.articles.get_mut(place)) {
            out.merged += 1;
            known.sighted_too(&article);
            continue;
        }
        places.insert(key, out.articles.len());
        out.articles.push(article);
    }
    out
}

fn article(wire: Wire) -> Option<Article> {
    let url = wire.url.as_deref().and_then(link::shown);
    let present = |text: Option<String>| text.as_deref().and_then(text::present);
    let domain = present(wire.domain);
    let title = tidy(&html::to_line(&wire.title.unwrap_or_default()));
    if url.is_none() && title.is_empty() {
        return None;
    }
    let seen = wire.seendate.as_deref().and_then(seen);
    let title = match (title.is_empty(), &domain) {
        (false, _) => title,
        (true, Some(domain)) => format!("Untitled article at {domain}"),
        (true, None) => "Untitled article".to_owned(),
    };
    Some(Article {
        address_date: url
            .as_deref()
            .and_then(|url| date::in_address(&Url::parse(url).ok()?)),
        url,
        title,
        first_seen: seen,
        last_seen: seen,
        domain,
        language: present(wire.language),
        country: present(wire.sourcecountry),
    })
}

/// `20200809T151500Z`, or the same without `T` and `Z`. Anything else is no date.
fn seen(text: &str) -> Option<DateTime<Utc>> {
    let digits: String = text.trim().chars().filter(|c| !matches!(c, 'T' | 'Z')).collect();
    if !text::is_digits(&digits, 14..=14) {
        return None;
    }
    NaiveDateTime::parse_from_str(&digits, "%Y%m%d%H%M%S")
        .ok()
        .map(|at| at.and_utc())
}

/// Titles come in tokens: `Sept . 11`, `Q & A :`. Blanks before closing signs go.
fn tidy(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    for word in title.split(' ').filter(|word| !word.is_empty()) {
        let closing = word
            .chars()
            .all(|c| matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | ')' | ']' | '%' | '…'));
        let opened = out.ends_with(['(', '[']);
        if !out.is_empty() && !closing && !opened {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// By what two entries are the same page. One headline on two sites is two: each has a time of its own, and the list says
/// that they are one origin.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// Host without `www.`, path, query.
    Address(String, String, Option<String>),
    /// Site, headline and language of an entry without an address.
    Headline(Option<String>, String, Option<String>),
}

fn key(article: &Article) -> Key {
    address_key(article).unwrap_or_else(|| {
        Key::Headline(
            article.domain.clone(),
            article.title.to_lowercase(),
            article.language.clone(),
        )
    })
}

fn address_key(article: &Article) -> Option<Key> {
    let url = Url::parse(article.url.as_deref()?).ok()?;
    let host = url.host_str()?.trim_start_matches("www.").to_owned();
    let path = url.path().trim_end_matches('/').to_owned();
    Some(Key::Address(host, path, url.query().map(str::to_owned)))
}

/// A page whose address is this much older than its first sight was met again, not published.
const STALE: TimeDelta = TimeDelta::days(7);

impl Article {
    /// Takes the sightings of another entry for the same page as its own: the oldest bounds its publication, the newest is when
    /// it was last seen. So does the oldest day of their addresses.
    fn sighted_too(&mut self, other: &Self) {
        self.first_seen = earliest(self.first_seen, other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
        let older = |dated: &PathDate| self.address_date.is_none_or(|known| dated.last() < known.last());
        if let Some(dated) = other.address_date.filter(older) {
            self.address_date = Some(dated);
        }
    }

    /// The day or month of the address, where it is over before the page was first seen.
    fn older_address(&self) -> Option<PathDate> {
        let seen = self.first_seen?.date_naive();
        self.address_date.filter(|dated| dated.last() < seen)
    }

    /// The latest day that can be its publication.
    fn bound(&self) -> Option<DateTime<Utc>> {
        let day = self.older_address().map(PathDate::first);
        day.map_or(self.first_seen, |day| {
            Some(day.and_time(NaiveTime::MIN).and_utc())
        })
    }

    fn is_met_again(&self) -> bool {
        self.older_address()
            .zip(self.first_seen)
            .is_some_and(|(dated, seen)| seen.date_naive() - dated.last() > STALE)
    }

    fn date(&self) -> DateEvidence {
        const SEEN: &str = "seendate: when GDELT first saw the page, at or after its publication";
        match (self.older_address(), self.first_seen) {
            (Some(PathDate::Day(day)), _) => {
                DateEvidence::signal("the day in the address, before GDELT first saw the page", day)
            }
            (Some(PathDate::Month(first)), _) => DateEvidence::signal(
                "the month in the address, before GDELT first saw the page; the day is not known",
                first,
            ),
            (None, Some(at)) => DateEvidence::signal(SEEN, at),
            (None, None) => DateEvidence::None,
        }
    }

    fn item(self) -> Item {
        let mut item = Item::new(self.title.clone(), self.date());
        let last = self.last_seen.filter(|_| self.last_seen != self.first_seen);
        item.set_instant("first_seen", self.first_seen);
        item.set_instant("last_seen", last);
        item.set("address_date", self.address_date.map(|date| date.to_string()));
        item.id.clone_from(&self.url);
        item.url = self.url;
        item.set("domain", self.domain);
        item.set("language", self.language);
        item.set("country", self.country);
        item
    }
}

fn earliest(one: Option<DateTime<Utc>>, other: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The address of a query whose answer is a page: that is what the interface gives when no format is asked for.
fn for_people(query: &Url) -> Url {
    let mut page = query.clone();
    let kept = query.query_pairs().filter(|(name, _)| name != "format");
    page.query_pairs_mut().clear().extend_pairs(kept);
    page
}

/// Puts the articles into the order asked for and says what they are.
pub fn result(mut list: List, plan: &Plan, args: &CommonArgs) -> SourceResult {
    sort_by_date(&mut list.articles, plan.sort, Article::bound);
    let found = list.articles.len();
    let full = list.received >= plan.asked;
    let (shown, copies) = stories_first(list.articles, args.limit);
    list.articles = shown;
    let stale = list
        .articles
        .iter()
        .filter(|article| article.is_met_again())
        .count();
    let months = list
        .articles
        .iter()
        .filter(|article| matches!(article.older_address(), Some(PathDate::Month(_))))
        .count();
    let items: Vec<Item> = list.articles.into_iter().map(Article::item).collect();
    let mut result = SourceResult::new(for_people(&plan.request.url), items);
    result.route = Some("doc");
    result.summary = Some(format!(
        "GDELT articles for {} in {}, sorted by {}: {} shown of {}{} articles found",
        code(&plan.query),
        plan.window,
        plan.sort,
        result.items.len(),
        if full { "at least " } else { "" },
        found
    ));
    result.scope.subject = Some(format!("articles for {}, in any meaning", code(&plan.query)));
    result.scope.has_newest = plan.sort == "newest" && args.until.is_none();
    if let Some(given) = &plan.given {
        result.note(format!(
            "The query {} was sent as {}",
            code(given),
            code(&plan.query)
        ));
    }
    if !result.items.is_empty() {
        result.note(
            "Dates are when GDELT first saw a page, or an older day in its address; articles are at least that old",
        );
    }
    if plan.sort != "newest" && !result.items.is_empty() {
        result.note("Not sorted by date: newer articles may exist beyond those shown");
    }
    if plan.beyond_promise {
        result.note("GDELT promises the last three months only; few or no older articles means little");
    }
    if plan.query.split(' ').any(|term| {
        let name = term
            .strip_prefix("domain:")
            .or_else(|| term.strip_prefix("domainis:"));
        name.is_some_and(|name| name.contains('-'))
    }) {
        result.note("GDELT finds nothing for `domain:` names with a dash");
    }
    let pages = ["article is an old page", "articles are old pages"];
    result.note_count(stale, pages, "met again: see `address_date`");
    result.note_count(
        months,
        ["article is", "articles are"],
        "dated by the month in the address; the day is not known",
    );
    for story in copies.iter().take(STORIES_NAMED) {
        result.note(story.said());
    }
    let left_out = copies.iter().map(|story| story.copies.len()).sum();
    result.skip(
        left_out,
        "with the headline of an article shown, for other stories",
    );
    result.skip(list.merged, "repeating an address shown");
    result.skip(list.unreadable, "without an address and a title");
    if list.salvaged {
        let lost = SourceError::malformed(
            "GDELT's list broke off or was not valid JSON; the readable articles are shown",
        );
        result.fail("rest of the list", lost);
    } else if list.repaired {
        result.note("GDELT's JSON had illegal characters in it, which were repaired");
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn nothing_found_is_an_empty_object_or_list() {
        for body in ["{}", "{\"articles\":[]}", "[]", " {} \n"] {
            assert!(articles(body, "q").unwrap().articles.is_empty(), "{body}");
        }
        for body in [
            "null",
            "7",
            "{\"error\":1}",
            "{\"articles\":null}",
            "{\"articles\": [",
        ] {
            assert_eq!(
                articles(body, "q").unwrap_err().code,
                ErrorCode::Malformed,
                "{body}"
            );
        }
    }

    #[test]
    fn refusals_are_told_apart() {
        let code = |body: &str| articles(body, "q").unwrap_err().code;
        assert_eq!(
            code("Please limit requests to one every 5 seconds or contact someone."),
            ErrorCode::RateLimited
        );
        assert_eq!(
            code("The specified phrase is too short.\n"),
            ErrorCode::InvalidInput
        );
        assert_eq!(code("<!DOCTYPE html><html>busy</html>"), ErrorCode::UpstreamError);
        assert_eq!(code(""), ErrorCode::UpstreamError);
        assert_eq!(
            code("upstream connect error or disconnect/reset before headers."),
            ErrorCode::UpstreamError
        );
        assert_eq!(code("qwerty"), ErrorCode::Malformed);
        let refused = articles("The specified phrase is too short.", "\"AI\"").unwrap_err();
        assert!(refused.message.contains("phrase is too short") && refused.message.contains("\"AI\""));
    }

    #[test]
    fn seen_dates_are_strict() {
        assert_eq!(
            seen("20200809T151500Z").unwrap().to_rfc3339(),
            "2020-08-09T15:15:00+00:00"
        );
        assert_eq!(
            seen("20240101120000").unwrap().to_rfc3339(),
            "2024-01-01T12:00:00+00:00"
        );
        for wrong in ["", "2024", "20241301T000000Z", "20240101T250000Z", "yesterday"] {
            assert_eq!(seen(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn titles_lose_their_token_blanks() {
        assert_eq!(tidy("CFAP deadline is Sept . 11"), "CFAP deadline is Sept. 11");
        assert_eq!(
            tidy("Q & A : beautiful , singular ( really ) !"),
            "Q & A: beautiful, singular (really)!"
        );
        assert_eq!(tidy("  "), "");
    }

    #[test]
    fn odd_entries_are_kept_honestly() {
        let body = r#"{"articles":[
            {"url":"javascript:alert(1)","title":"  ","seendate":"20260101T000000Z"},
            {"url":"javascript:alert(1)","title":"Kept without an address","seendate":"soon"},
            {"url":"https://example.org/a","title":" ","domain":"example.org"},
            {"url":"http://www.example.org/a/","title":"Another title","domain":"example.org"},
            "text"]}"#;
        let list = articles(body, "q").unwrap();
        assert_eq!((list.articles.len(), list.merged, list.unreadable), (2, 1, 2));
        assert_eq!(list.articles[0].url, None);
        assert_eq!(list.articles[0].first_seen, None);
        assert_eq!(list.articles[1].title, "Untitled article at example.org");
    }

    fn dated(body: &str) -> (DateEvidence, Article) {
        let article = articles(body, "q").unwrap().articles[0].clone();
        (article.date(), article)
    }

    fn day_of(evidence: &DateEvidence) -> String {
        format!("{evidence:?}")
    }

    #[test]
    fn an_older_day_or_month_in_the_address_bounds_the_date() {
        let at = |path: &str| {
            dated(&format!(
                r#"[{{"url":"https://example.org/{path}","title":"Old","seendate":"20251230T070000Z"}}]"#
            ))
        };
        let (old, article) = at("2024/12/17/x");
        assert!(day_of(&old).contains("2024-12-17"), "{old:?}");
        assert!(article.is_met_again());
        let (yesterday, article) = at("2025/12/29/x");
        assert!(day_of(&yesterday).contains("2025-12-29"));
        assert!(!article.is_met_again());
        let (month, _) = at("2025/11/x");
        assert!(day_of(&month).contains("2025-11-01") && day_of(&month).contains("the month"));
        // The same day, this month and tomorrow tell nothing that the sighting does not tell better.
        for path in ["2025/12/30/x", "2025/12/x", "2025/12/31/x", "x"] {
            assert!(day_of(&at(path).0).contains("07:00:00"), "{path}");
        }
    }

    #[test]
    fn one_address_keeps_its_oldest_sighting_as_bound_and_its_newest_as_seen() {
        let (date, article) = dated(
            r#"[{"url":"https://a.example.org/2025/12/27/x","title":"Five words make a story","seendate":"20251230T070000Z"},
                {"url":"http://www.a.example.org/2025/12/27/x/","title":"Five words make a story","seendate":"20251228T063000Z"},
                {"url":"https://a.example.org/2025/12/27/x","title":"Another headline"}]"#,
        );
        assert!(day_of(&date).contains("2025-12-27"), "{date:?}");
        let item = article.item();
        assert_eq!(item.fields["first_seen"], "2025-12-28T06:30:00Z");
        assert_eq!(item.fields["last_seen"], "2025-12-30T07:00:00Z");
        assert_eq!(item.fields["address_date"], "2025-12-27");
        assert!(
            !dated(r#"[{"title":"One","seendate":"20251230T070000Z"}]"#)
                .1
                .item()
                .fields
                .contains_key("last_seen")
        );
    }

    #[test]
    fn one_headline_on_several_sites_is_as_many_articles_with_times_of_their_own() {
        let sites = r#"[{"url":"https://a.example.org/x","title":"Five words make a story","seendate":"20251230T090000Z"},
            {"url":"https://b.example.org/x","title":"Five words make a story","seendate":"20251230T050000Z"},
            {"url":"https://a.example.org/y","title":"Five words make a story","seendate":"20251223T050000Z"}]"#;
        let list = articles(sites, "q").unwrap();
        let hours: Vec<String> = list
            .articles
            .iter()
            .map(|article| article.first_seen.unwrap().to_rfc3339())
            .collect();
        assert_eq!(list.merged, 0);
        assert_eq!(
            hours,
            [
                "2025-12-30T09:00:00+00:00",
                "2025-12-30T05:00:00+00:00",
                "2025-12-23T05:00:00+00:00"
            ]
        );
    }
}
