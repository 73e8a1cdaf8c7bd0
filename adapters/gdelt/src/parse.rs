//! From GDELT's answer to articles.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, DateEvidence, ErrorCode, Harvest, Item, SourceError, Status};
use freshcontext_parse::json::{Lenient, or_absent};
use freshcontext_parse::{html, link, text};
use serde::Deserialize;
use serde_json::Value;

use crate::DESCRIPTOR;
use crate::repair;
use crate::request::Plan;

#[derive(Debug, Clone, Deserialize)]
struct Wire {
    #[serde(default, deserialize_with = "or_absent")]
    url: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    title: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    seendate: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    domain: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    language: Option<String>,
    #[serde(default, deserialize_with = "or_absent")]
    sourcecountry: Option<String>,
}

/// An article as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    url: Option<String>,
    title: String,
    seen: Option<DateTime<Utc>>,
    domain: Option<String>,
    language: Option<String>,
    country: Option<String>,
    address_date: Option<NaiveDate>,
    copies: Vec<String>,
}

/// What GDELT answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List {
    /// Articles, copies merged.
    pub articles: Vec<Article>,
    /// Entries received.
    pub received: usize,
    /// Entries that repeat an address or a story.
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
        return Err(SourceError::new(
            ErrorCode::UpstreamError,
            "GDELT sent an empty body, as it does when it is down",
        ));
    }
    if body.starts_with(['{', '[']) {
        return Ok(());
    }
    let start: String = body.chars().take(400).collect::<String>().to_ascii_lowercase();
    if start.contains("limit requests") {
        let message = "GDELT asks for fewer requests (it also says so when it is busy)";
        return Err(SourceError::new(ErrorCode::RateLimited, message));
    }
    if start.starts_with('<') {
        let message = "GDELT sent a web page in place of its list, as it does when it is overloaded";
        return Err(SourceError::new(ErrorCode::UpstreamError, message).detail("html"));
    }
    if start.contains("upstream connect error") {
        return Err(SourceError::new(
            ErrorCode::UpstreamError,
            "GDELT's service is down behind its proxy",
        ));
    }
    let sentence = body.chars().next().is_some_and(char::is_uppercase)
        && body.ends_with('.')
        && body.contains(' ')
        && body.chars().count() <= 300;
    if sentence {
        let said = text::one_line(body);
        let problem = format!("was refused by GDELT: {said} The query sent was {query}");
        return Err(SourceError::invalid_input("url", problem, DESCRIPTOR.example));
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
        let keys = [address_key(&article), story_key(&article)];
        let known = keys
            .iter()
            .flatten()
            .filter_map(|key| places.get(key))
            .min()
            .copied();
        match known.and_then(|place| out.articles.get_mut(place)) {
            Some(known) => {
                out.merged += 1;
                let elsewhere = article
                    .domain
                    .filter(|domain| known.domain.as_ref() != Some(domain));
                if let Some(domain) = elsewhere.filter(|domain| !known.copies.contains(domain)) {
                    known.copies.push(domain);
                }
            }
            None => {
                for key in keys.into_iter().flatten() {
                    places.entry(key).or_insert(out.articles.len());
                }
                out.articles.push(article);
            }
        }
    }
    out
}

fn article(wire: Wire) -> Option<Article> {
    let url = wire.url.as_deref().and_then(link::shown);
    let present = |text: Option<String>| {
        text.map(|text| text::one_line(&text))
            .filter(|text| !text.is_empty())
    };
    let domain = present(wire.domain);
    let title = tidy(&html::to_line(&wire.title.unwrap_or_default()));
    if url.is_none() && title.is_empty() {
        return None;
    }
    let title = match (title.is_empty(), &domain) {
        (false, _) => title,
        (true, Some(domain)) => format!("Untitled article at {domain}"),
        (true, None) => "Untitled article".to_owned(),
    };
    Some(Article {
        address_date: url.as_deref().and_then(address_date),
        url,
        title,
        seen: wire.seendate.as_deref().and_then(seen),
        domain,
        language: present(wire.language),
        country: present(wire.sourcecountry),
        copies: Vec::new(),
    })
}

/// `20200809T151500Z`, or the same without `T` and `Z`. Anything else is no date.
fn seen(text: &str) -> Option<DateTime<Utc>> {
    let digits: String = text.trim().chars().filter(|c| !matches!(c, 'T' | 'Z')).collect();
    if digits.len() != 14 || !digits.bytes().all(|b| b.is_ascii_digit()) {
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

/// A day in the path: `/2025/12/28/`, `/2025-12-28`, `/20251228`.
fn address_date(url: &str) -> Option<NaiveDate> {
    let url = Url::parse(url).ok()?;
    let segments: Vec<&str> = url.path_segments()?.collect();
    let number = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
        (lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse().ok())
            .flatten()
    };
    let day = |year: u32, month: u32, day: u32| {
        (1990..=2100)
            .contains(&year)
            .then(|| NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day))
            .flatten()
    };
    let apart = segments.windows(3).find_map(|parts| match parts {
        [year, month, date] => day(number(year, 4..=4)?, number(month, 1..=2)?, number(date, 1..=2)?),
        _ => None,
    });
    apart.or_else(|| {
        segments.iter().find_map(|segment| {
            let digits: String = segment.chars().take(10).filter(char::is_ascii_digit).collect();
            let dashed = segment
                .get(..10)
                .is_some_and(|start| NaiveDate::parse_from_str(start, "%Y-%m-%d").is_ok());
            let (year, rest) = digits.split_at_checked(4)?;
            let (month, date) = rest.split_at_checked(2)?;
            (dashed || segment.len() == 8 && digits.len() == 8)
                .then(|| day(number(year, 4..=4)?, number(month, 2..=2)?, number(date, 2..=2)?))
                .flatten()
        })
    })
}

/// By what two articles are the same.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// Host without `www.`, path, query.
    Address(String, String, Option<String>),
    /// Headline and language.
    Story(String, Option<String>),
}

fn address_key(article: &Article) -> Option<Key> {
    let url = Url::parse(article.url.as_deref()?).ok()?;
    let host = url.host_str()?.trim_start_matches("www.").to_owned();
    let path = url.path().trim_end_matches('/').to_owned();
    Some(Key::Address(host, path, url.query().map(str::to_owned)))
}

/// The same long headline in the same language is the same story, syndicated.
fn story_key(article: &Article) -> Option<Key> {
    (article.title.split(' ').count() >= 5)
        .then(|| Key::Story(article.title.to_lowercase(), article.language.clone()))
}

/// A page whose address is this much older than its first sight was met again, not published.
const STALE: TimeDelta = TimeDelta::days(7);

impl Article {
    fn item(self) -> Item {
        const WHAT: &str = "seendate: when GDELT first saw the page, at or after its publication";
        let mut item = Item::new(
            self.title,
            self.seen
                .map_or(DateEvidence::None, |at| DateEvidence::signal(WHAT, at)),
        );
        item.id.clone_from(&self.url);
        item.url = self.url;
        item.set(
            "first_seen",
            self.seen.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)),
        );
        item.set("domain", self.domain);
        item.set("language", self.language);
        item.set("country", self.country);
        item.set("address_date", self.address_date.map(|day| day.to_string()));
        item.set("copies_at", self.copies);
        item.out_of_order = match (self.seen, self.address_date) {
            (Some(seen), Some(day)) => seen.date_naive() - day > STALE,
            _ => false,
        };
        item
    }
}

/// Puts the articles into the order asked for and says what they are.
pub fn harvest(mut list: List, plan: &Plan, args: &CommonArgs) -> Harvest {
    match plan.sort {
        "oldest" => list
            .articles
            .sort_by_key(|article| (article.seen.is_none(), article.seen)),
        "newest" => list
            .articles
            .sort_by_key(|article| std::cmp::Reverse(article.seen)),
        _ => {}
    }
    let found = list.articles.len();
    let full = list.received >= plan.asked;
    let items: Vec<Item> = list
        .articles
        .into_iter()
        .take(args.limit)
        .map(Article::item)
        .collect();
    let stale = items.iter().filter(|item| item.out_of_order).count();
    let mut harvest = Harvest::new(plan.request.url.clone(), items);
    harvest.route = Some("doc");
    harvest.summary = Some(format!(
        "GDELT articles for {} in {}, sorted by {}: {} shown of {}{} stories found",
        plan.query,
        plan.window,
        plan.sort,
        harvest.items.len(),
        if full { "at least " } else { "" },
        found
    ));
    if let Some(given) = &plan.given {
        harvest.note(format!("The query {given} was sent as {}", plan.query));
    }
    if !harvest.items.is_empty() {
        harvest.note("Dates are when GDELT first saw a page; articles are at least that old");
    }
    if plan.sort != "newest" && !harvest.items.is_empty() {
        harvest.note("Not sorted by date: newer articles may exist beyond those shown");
    }
    if plan.beyond_promise {
        harvest.note("GDELT promises the last three months only; few or no older articles means little");
    }
    if plan.query.split(' ').any(|term| {
        let name = term
            .strip_prefix("domain:")
            .or_else(|| term.strip_prefix("domainis:"));
        name.is_some_and(|name| name.contains('-'))
    }) {
        harvest.note("GDELT finds nothing for `domain:` names with a dash");
    }
    if stale > 0 {
        harvest.note(format!(
            "{stale} article(s) are old pages met again: see address_date"
        ));
    }
    harvest.skip(list.merged, "that repeat a story or an address shown");
    harvest.skip(list.unreadable, "without address and title");
    if list.salvaged {
        let lost = SourceError::malformed(
            "GDELT's list broke off or was not valid JSON; the readable articles are shown",
        );
        harvest.fail("rest of the list", lost);
    } else if list.repaired {
        harvest.note("GDELT's JSON had illegal characters in it, which were repaired");
    }
    if harvest.items.is_empty() && !list.salvaged {
        harvest.status = Status::Empty;
    }
    harvest
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn days_in_addresses_are_found() {
        let day = |url: &str| address_date(url).map(|day| day.to_string());
        assert_eq!(
            day("https://example.org/read/2025/12/28/1551/x").as_deref(),
            Some("2025-12-28")
        );
        assert_eq!(
            day("https://example.org/elections/2020/8/19/2137/x").as_deref(),
            Some("2020-08-19")
        );
        assert_eq!(
            day("https://example.org/news/20200806/crab").as_deref(),
            Some("2020-08-06")
        );
        assert_eq!(
            day("https://example.org/2021-03-04-title").as_deref(),
            Some("2021-03-04")
        );
        assert_eq!(day("https://example.org/13/45/2/a"), None);
        assert_eq!(day("https://example.org/2025/02/30/x"), None);
        assert_eq!(day("https://example.org/article/12345678"), None);
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
        assert_eq!(list.articles[0].seen, None);
        assert_eq!(list.articles[1].title, "Untitled article at example.org");
    }

    #[test]
    fn an_old_page_met_again_does_not_make_the_answer_fresh() {
        let body =
            r#"[{"url":"https://example.org/2024/12/17/x","title":"Old","seendate":"20251230T070000Z"}]"#;
        let item = articles(body, "q").unwrap().articles[0].clone().item();
        assert!(item.out_of_order);
        assert_eq!(item.fields["address_date"], "2024-12-17");
    }
}
