//! Scholar's result page, and what stands in its place.

use std::time::Duration;

use freshcontext_contract::chrono::{DateTime, Datelike, Days, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, ErrorCode, Headers, Item, Response, SourceError, block_pages};
use freshcontext_parse::scraper::{ElementRef, Html};
use freshcontext_parse::{charset, html, link, selectors, text};

use super::{Page, standing, year};

/// How long Scholar is left alone after it refused.
const LEFT_ALONE: Duration = Duration::from_hours(1);

/// Reads what Scholar answered; after a refusal it is left alone for an hour.
pub fn answer(response: &Response, by_date: bool) -> Result<Page, SourceError> {
    let page = match refusal(response.status, &response.headers, &response.body) {
        Some(error) => Err(error),
        None => results(&charset::decode(response).text, by_date, response.retrieved_at),
    };
    page.map_err(|error| match error.code {
        ErrorCode::Challenge | ErrorCode::AccessDenied | ErrorCode::RateLimited => {
            error.retry_after(LEFT_ALONE)
        }
        _ => error,
    })
}

/// What a status or a redirect says that is no page of results.
fn refusal(status: u16, headers: &Headers, body: &[u8]) -> Option<SourceError> {
    let refusal = |code, message: &str| Some(SourceError::new(code, message).status(status));
    match status {
        200..=299 => None,
        300..=399 => {
            let target = headers.get("location").unwrap_or_default();
            let leads_to = |part: &str| target.contains(part);
            if leads_to("/sorry/") {
                refusal(
                    ErrorCode::Challenge,
                    "Google Scholar sent its \"unusual traffic\" page",
                )
            } else if leads_to("consent.google.") {
                refusal(
                    ErrorCode::AccessDenied,
                    "Google Scholar asks for consent before it shows anything",
                )
            } else if leads_to("accounts.google.") {
                refusal(ErrorCode::AccessDenied, "Google Scholar asks for a login")
            } else {
                refusal(ErrorCode::UpstreamError, "Google Scholar redirected elsewhere")
            }
        }
        403 => refusal(ErrorCode::AccessDenied, "Google Scholar refused the request"),
        _ if is_sorry(body) => refusal(
            ErrorCode::Challenge,
            "Google Scholar sent its \"unusual traffic\" page",
        ),
        429 => refusal(ErrorCode::RateLimited, "Google Scholar asked us to slow down"),
        _ => refusal(ErrorCode::UpstreamError, "Google Scholar failed"),
    }
}

/// The "unusual traffic" page, in any language.
fn is_sorry(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    [
        "websearch/answer/86640",
        "captcha-form",
        "g-recaptcha",
        "Our systems have detected unusual traffic",
    ]
    .iter()
    .any(|sign| body.contains(sign))
}

selectors! {
    /// The selectors of one page.
    struct Parts {
        row: "div[class~=gs_r]",
        title: "h3[class~=gs_rt]",
        marker: "span[class~=gs_ct1]",
        anchor: "a[href]",
        line: "div[class~=gs_a]",
        snippet: "div[class~=gs_rs]",
        links: "div[class~=gs_ri] div[class~=gs_fl] a[href]",
        side: "div[class~=gs_ggs] a[href], div[class~=gs_or_ggsm] a[href]",
        count: "#gs_ab_md",
        captcha: "form#gs_captcha_f, #gs_captcha_ccl, form#captcha-form, #recaptcha",
    }
}

/// Reads a page of results. Four outcomes that must not be mixed: results, none, a block page, unreadable.
fn results(page: &str, by_date: bool, now: DateTime<Utc>) -> Result<Page, SourceError> {
    let parts = Parts::new()?;
    let document = html::document(page);
    let mut out = Page {
        total: total(&document, &parts),
        cut: document.cut().note("page"),
        ..Page::default()
    };
    let mut years: Vec<i32> = Vec::new();
    for row in document.outermost(&parts.row) {
        // Boxes for profiles, spelling and related searches have the class and no heading.
        let Some(heading) = row.select(&parts.title).next() else {
            continue;
        };
        match item(row, heading, &parts, by_date, now) {
            Some((item, year)) => {
                years.extend(year);
                out.items.push(item);
            }
            None => out.unreadable += 1,
        }
    }
    out.years = years.iter().min().copied().zip(years.iter().max().copied());
    if !out.items.is_empty() {
        return Ok(out);
    }
    // Looked for in the text first: in a large page each of these is a walk through all of its elements.
    let asks = page.contains("captcha") && document.select(&parts.captcha).next().is_some();
    if asks || is_sorry(page.as_bytes()) {
        return Err(SourceError::challenge(
            "Google Scholar asks to show that we are not a robot",
        ));
    }
    // Looked for by one word first: there may be any space between words.
    let says_so = || html::text_of(document.root_element()).contains("did not match any articles");
    if out.unreadable == 0 && page.contains("match") && says_so() {
        out.total = None;
        return Ok(out);
    }
    if let Some(block_page) = block_pages::recognise(200, "text/html", &Headers::default(), page.as_bytes()) {
        return Err(block_page.into());
    }
    Err(SourceError::malformed(
        "Google Scholar: the page holds neither results nor the word that there are none",
    ))
}

fn total(document: &Html, parts: &Parts) -> Option<u64> {
    let line = text::one_line(&document.select(&parts.count).next()?.text().collect::<String>());
    last_number(line.split('(').next()?)
}

/// The last number of a line such as `Page 2 of about 79.800 results`, with any country's mark between
/// groups of three digits.
fn last_number(line: &str) -> Option<u64> {
    let is_mark = |c: char| {
        matches!(
            c,
            ',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'
        )
    };
    let mut groups = line
        .rsplit(|c: char| !c.is_ascii_digit() && !is_mark(c))
        .map(|part| part.trim_matches(is_mark))
        .find(|part| !part.is_empty())?
        .rsplit(is_mark);
    let mut digits = String::new();
    loop {
        let group = groups.next()?;
        digits.insert_str(0, group);
        // A number before a whole group of three is its beginning only if the group can have one.
        let Some(before) = groups.clone().next() else {
            break;
        };
        if group.len() != 3 || !(1..=3).contains(&before.len()) {
            break;
        }
    }
    digits.parse().ok()
}

fn item(
    row: ElementRef<'_>,
    heading: ElementRef<'_>,
    parts: &Parts,
    by_date: bool,
    now: DateTime<Utc>,
) -> Option<(Item, Option<i32>)> {
    let anchor = heading.select(&parts.anchor).next();
    let title = anchor.map_or_else(|| heading_text(heading), |anchor| plain(anchor));
    if title.is_empty() {
        return None;
    }
    let line = row
        .select(&parts.line)
        .next()
        .map(|line| year::read(&plain(line), now.year()))
        .unwrap_or_default();
    let snippet = row.select(&parts.snippet).next().map(plain).unwrap_or_default();
    let age = if by_date { age_in_days(&snippet) } else { None };
    let date = match (age, line.year) {
        (Some((days, _)), _) => now
            .date_naive()
            .checked_sub_days(Days::new(days))
            .map_or(DateEvidence::None, |day| {
                DateEvidence::signal("the age Scholar shows: when it added the paper", day)
            }),
        (None, Some(year)) => DateEvidence::YearOnly(year),
        (None, None) => DateEvidence::None,
    };
    let mut item = Item::new(title, date);
    item.standing.extend(standing::title_mark(&item.title));
    item.url = anchor.and_then(|anchor| absolute(anchor.attr("href")?));
    age.map_or(snippet.as_str(), |(_, rest)| rest)
        .clone_into(&mut item.summary);
    item.set("year", line.year);
    item.set("authors", line.authors);
    item.set_flag("authors_cut", line.authors_cut);
    item.set("venue", line.venue);
    item.set("publisher", line.publisher);
    let kind = heading
        .select(&parts.marker)
        .next()
        .map(|marker| plain(marker).trim_matches(['[', ']']).to_lowercase());
    item.set("type", kind);
    let mut cites = None;
    for anchor in row.select(&parts.links) {
        let Some(href) = anchor.attr("href") else { continue };
        let label = plain(anchor);
        let count: String = label.chars().filter(char::is_ascii_digit).collect();
        let count = count.parse::<u64>().ok();
        if let Some(id) = parameter(href, "cites") {
            item.set("cited_by", count);
            cites = Some(id);
        } else if parameter(href, "cluster").is_some() && count.is_some() {
            item.set("versions", count);
        }
    }
    item.set(
        "full_text",
        row.select(&parts.side)
            .next()
            .and_then(|anchor| absolute(anchor.attr("href")?)),
    );
    item.id = row
        .attr("data-cid")
        .map(str::to_owned)
        .filter(|id| !id.is_empty())
        .or(cites);
    Some((item, line.year))
}

fn plain(element: ElementRef<'_>) -> String {
    text::one_line(&element.text().collect::<String>())
}

/// A heading without a link, without the marks before the title (`[CITATION]`, twice: one is hidden).
fn heading_text(heading: ElementRef<'_>) -> String {
    let mut out = String::new();
    for child in heading.children() {
        if let Some(text) = child.value().as_text() {
            out.push_str(text);
        } else if let Some(element) = ElementRef::wrap(child) {
            let is_mark = element
                .attr("class")
                .unwrap_or_default()
                .split_whitespace()
                .any(|class| matches!(class, "gs_ctc" | "gs_ctu" | "gs_ct1" | "gs_ct2"));
            if !is_mark {
                out.extend(element.text());
            }
        }
    }
    text::one_line(&out)
}

fn absolute(href: &str) -> Option<String> {
    let base = Url::parse("https://scholar.google.com/scholar").ok()?;
    link::absolute(&base, href).map(|url| link::without_tracking(url).to_string())
}

fn parameter(href: &str, name: &str) -> Option<String> {
    let base = Url::parse("https://scholar.google.com/scholar").ok()?;
    link::parameter(&base.join(href).ok()?, name)
}

/// `3 days ago - the text`, as pages sorted by date begin their snippets.
fn age_in_days(snippet: &str) -> Option<(u64, &str)> {
    let (age, rest) = snippet.split_once(" - ")?;
    let (number, unit) = age.trim().split_once(' ')?;
    let days = number.parse().ok().filter(|days| *days <= 3_660)?;
    matches!(unit, "day ago" | "days ago").then_some((days, rest.trim_start()))
}

#[cfg(test)]
mod tests;
