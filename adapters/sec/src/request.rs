//! Addresses of EDGAR.

use std::time::Duration;

use chrono::NaiveDate;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Days, Media, Request, SourceError};
use freshcontext_parse::{link, text};

const SEARCH: &str = "https://efts.sec.gov/LATEST/search-index";
/// Documents on one page of full-text search.
pub const PAGE: usize = 100;
/// Full-text search reaches no further than this.
pub const REACH: usize = 10_000;

/// The ticker table: some 10,000 listed companies; it changes daily at most.
pub fn tickers() -> Result<Request, SourceError> {
    let table = link::json("https://www.sec.gov/files/company_tickers.json", &[])?;
    Ok(table.cache_for(Duration::from_hours(24)))
}

/// Companies, listed or not, whose name begins like this.
pub fn names(text: &str) -> Result<Request, SourceError> {
    let url = link::queried(SEARCH, &[], [("keysTyped", text)])?;
    Ok(Request::get(url, Media::Json).cache_for(Duration::from_hours(24)))
}

/// A company's filings, the newest thousand or the last year.
pub fn submissions(cik: u64) -> Result<Request, SourceError> {
    link::json(
        "https://data.sec.gov/submissions/",
        &[&format!("CIK{cik:010}.json")],
    )
}

/// An older part of a company's filings, by the name that the main list gives.
pub fn older(name: &str) -> Option<Request> {
    let number = name.strip_prefix("CIK")?.strip_suffix(".json")?;
    let legal = text::is_name(number, 100, "-.");
    let list = legal.then(|| link::json("https://data.sec.gov/submissions/", &[name]).ok())??;
    Some(list.cache_for(Duration::from_hours(24)))
}

/// Full-text search. Without `dateRange=custom` EDGAR ignores the days silently, and it wants both.
pub fn search(
    text: &str,
    forms: &[String],
    days: Days,
    today: NaiveDate,
    from: usize,
) -> Result<Request, SourceError> {
    // Full-text search covers 2001 onward.
    let since = days
        .since
        .map_or_else(|| "2001-01-01".to_owned(), |day| day.to_string());
    let until = days
        .until
        .unwrap_or_else(|| days.since.map_or(today, |since| since.max(today)));
    let (forms, until, start) = (forms.join(","), until.to_string(), from.to_string());
    let query = [
        ("q", Some(text)),
        ("forms", Some(forms.as_str()).filter(|forms| !forms.is_empty())),
        ("dateRange", days.given().then_some("custom")),
        ("startdt", days.given().then_some(since.as_str())),
        ("enddt", days.given().then_some(until.as_str())),
        ("from", (from > 0).then_some(start.as_str())),
    ];
    let url = link::queried(SEARCH, &[], query)?;
    Ok(Request::get(url, Media::Json))
}

/// The page of a company for people.
pub fn company_page(cik: u64) -> Result<Url, SourceError> {
    link::built(&format!("https://www.sec.gov/edgar/browse/?CIK={cik}"), &[])
}

/// The address of a document of a filing. Zero-padded company numbers would redirect.
pub fn document(cik: u64, accession: &str, file: &str) -> Option<String> {
    let mut url = Url::parse("https://www.sec.gov/Archives/edgar/data/").ok()?;
    let folder: String = accession.chars().filter(char::is_ascii_digit).collect();
    let mut segments = url.path_segments_mut().ok()?;
    segments.pop_if_empty().push(&cik.to_string()).push(&folder);
    for part in file
        .split('/')
        .filter(|part| !part.is_empty() && *part != "." && *part != "..")
    {
        segments.push(part);
    }
    drop(segments);
    Some(url.into())
}

/// The address of a filing's index page.
pub fn index_page(cik: u64, accession: &str) -> Option<String> {
    document(cik, accession, &format!("{accession}-index.htm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_search_is_encoded_once() {
        let forms = ["8-K".to_owned(), "8-K/A".to_owned()];
        let today = day("2026-11-21");
        let request = search("\"data breach\" a+b &x=1#y", &forms, Days::default(), today, 0).unwrap();
        assert_eq!(
            request.url.as_str(),
            "https://efts.sec.gov/LATEST/search-index?q=%22data+breach%22+a%2Bb+%26x%3D1%23y&forms=8-K%2C8-K%2FA"
        );
    }

    #[test]
    fn days_come_with_the_switch_that_makes_them_count() {
        let days = Days {
            since: Some(day("2025-04-18")),
            until: Some(day("2025-04-18")),
        };
        let url = search("phase", &[], days, day("2026-11-21"), 200).unwrap().url;
        assert_eq!(
            url.query(),
            Some("q=phase&dateRange=custom&startdt=2025-04-18&enddt=2025-04-18&from=200")
        );
        let open = Days {
            since: Some(day("2026-01-01")),
            until: None,
        };
        let url = search("phase", &[], open, day("2026-11-21"), 0).unwrap().url;
        assert!(
            url.query()
                .unwrap()
                .ends_with("startdt=2026-01-01&enddt=2026-11-21")
        );
        let open = Days {
            since: None,
            until: Some(day("2010-01-01")),
        };
        let url = search("phase", &[], open, day("2026-11-21"), 0).unwrap().url;
        assert!(
            url.query()
                .unwrap()
                .ends_with("startdt=2001-01-01&enddt=2010-01-01")
        );
    }

    #[test]
    fn company_numbers_are_padded_where_edgar_wants_it() {
        assert_eq!(
            submissions(320_193).unwrap().url.as_str(),
            "https://data.sec.gov/submissions/CIK0000320193.json"
        );
        assert_eq!(
            document(320_193, "0000320193-23-000077", "aapl-20230803.htm").unwrap(),
            "https://www.sec.gov/Archives/edgar/data/320193/000032019323000077/aapl-20230803.htm"
        );
        assert_eq!(
            document(1, "0000320193-23-000077", "xslF345X05/../a b?.xml").unwrap(),
            "https://www.sec.gov/Archives/edgar/data/1/000032019323000077/xslF345X05/a%20b%3F.xml"
        );
        assert!(
            index_page(5, "0000320193-23-000077")
                .unwrap()
                .ends_with("/0000320193-23-000077-index.htm")
        );
    }

    #[test]
    fn older_parts_are_asked_for_by_safe_names_only() {
        assert_eq!(
            older("CIK0000320193-submissions-001.json").unwrap().url.as_str(),
            "https://data.sec.gov/submissions/CIK0000320193-submissions-001.json"
        );
        assert!(older("../secret.json").is_none());
        assert!(older("CIK1/../x.json").is_none());
    }
}
