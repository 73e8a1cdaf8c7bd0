//! What the caller may pass as `url`.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::batch::Batch;

/// Arguments of `extract_yc`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, a batch (W26) or YC companies URL
    pub url: String,
}

/// Where the mirror of the directory is.
const MIRROR_HOST: &str = "yc-oss.github.io";

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "developer tools"}"#);

/// What companies are asked for. Values of one list are alternatives, the lists must all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// Words to be found in a company's texts.
    pub query: String,
    /// One company, by its slug.
    pub company: Option<String>,
    /// A file of the mirror, by its path below `/api/`.
    pub file: Option<String>,
    /// Batches as given; also such without a season.
    pub batches: Vec<String>,
    /// Industries.
    pub industries: Vec<String>,
    /// Regions.
    pub regions: Vec<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// `Active`, `Inactive`, `Acquired`, `Public`.
    pub statuses: Vec<String>,
    /// Only companies that hire.
    pub hiring: bool,
    /// Only non-profits.
    pub nonprofit: bool,
    /// Only the top companies.
    pub top: bool,
}

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Search, SourceError> {
    let ours = |host: &str| is_site(host) || host == MIRROR_HOST;
    match Given::of(URL, given, ours)? {
        Given::Words(words) => Ok(from_words(words)),
        Given::Address(url) => match url.host_str().unwrap_or_default() {
            MIRROR_HOST => from_mirror(&url),
            host if is_site(host) => from_site(&url),
            _ => Err(elsewhere()),
        },
    }
}

fn is_site(host: &str) -> bool {
    matches!(host, "www.ycombinator.com" | "ycombinator.com")
}

fn elsewhere() -> SourceError {
    let example =
        r#"{"url": "https://www.ycombinator.com/companies?batch=Winter%202026"} or {"url": "fintech"}"#;
    URL.like(example)
        .wrong("must be a page of ycombinator.com/companies, or a query")
}

/// Words; a batch among them is a filter.
fn from_words(given: &str) -> Search {
    let words: Vec<&str> = given.split_whitespace().collect();
    let mut search = Search::default();
    let mut rest: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let pair = words
            .get(at + 1)
            .and_then(|next| Batch::read(&format!("{word} {next}")));
        let code = Batch::read(word).filter(|_| word.chars().any(|c| c.is_ascii_digit()));
        if let Some(batch) = pair {
            search.batches.push(batch.to_string());
            at += 2;
            continue;
        }
        match code {
            Some(batch) => search.batches.push(batch.to_string()),
            None => rest.push(word),
        }
        at += 1;
    }
    search.query = rest.join(" ");
    search
}

fn from_site(url: &Url) -> Result<Search, SourceError> {
    let mut search = Search::default();
    match link::segments(url).as_slice() {
        ["companies"] => {}
        ["companies", "industry", industry] => search.industries.push(industry.replace('-', " ")),
        ["companies", "tags", tag] => search.tags.push(tag.replace('-', " ")),
        ["companies", "batch", batch] => search.batches.push(canonical_batch(batch)),
        ["companies", slug] | ["companies", slug, "jobs" | "people" | "launches"] if is_slug(slug) => {
            search.company = Some(slug.to_ascii_lowercase());
        }
        _ => return Err(elsewhere()),
    }
    for (name, value) in url.query_pairs() {
        let value = value.trim().to_owned();
        if value.is_empty() {
            continue;
        }
        let yes = matches!(value.to_ascii_lowercase().as_str(), "true" | "1");
        match name.as_ref() {
            "query" | "q" => search.query = value,
            "batch" => search.batches.push(canonical_batch(&value)),
            "industry" | "industries" => search.industries.push(value),
            "regions" => search.regions.push(value),
            "tags" => search.tags.push(value),
            "status" => search.statuses.push(value),
            "isHiring" => search.hiring = yes,
            "nonprofit" => search.nonprofit = yes,
            "top_company" => search.top = yes,
            _ => {}
        }
    }
    Ok(search)
}

fn canonical_batch(text: &str) -> String {
    Batch::read(text).map_or_else(|| text.to_owned(), |batch| batch.to_string())
}

fn from_mirror(url: &Url) -> Result<Search, SourceError> {
    let path = url.path().strip_prefix("/api/").unwrap_or_default();
    let parts: Vec<&str> = path.split('/').collect();
    let last = parts
        .last()
        .and_then(|file| file.strip_suffix(".json"))
        .unwrap_or_default();
    let known = matches!(
        parts.first(),
        Some(&("companies" | "batches" | "industries" | "tags"))
    );
    let fits = known
        && (2..=3).contains(&parts.len())
        && is_slug(last)
        && parts.iter().rev().skip(1).all(|part| is_slug(part));
    if fits {
        return Ok(Search {
            file: Some(path.to_owned()),
            ..Search::default()
        });
    }
    let example = r#"{"url": "https://yc-oss.github.io/api/batches/winter-2026.json"}"#;
    Err(URL.like(example).wrong("is no list of the mirror"))
}

fn is_slug(text: &str) -> bool {
    text::is_name(text, 100, "-_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn the_sites_filters_are_ours() {
        let search = recognise("https://www.ycombinator.com/companies?query=pay%20%22x%22&batch=W26&batch=Summer%202025&industry=Fintech&regions=Europe&isHiring=true&status=Active&tags=AI").unwrap();
        assert_eq!(search.query, "pay \"x\"");
        assert_eq!(search.batches, ["Winter 2026", "Summer 2025"]);
        assert_eq!(
            (search.industries, search.regions, search.tags),
            (
                vec!["Fintech".to_owned()],
                vec!["Europe".to_owned()],
                vec!["AI".to_owned()]
            )
        );
        assert!(search.hiring && !search.nonprofit);
        assert_eq!(search.statuses, ["Active"]);
    }

    #[test]
    fn one_company_and_files_of_the_mirror() {
        assert_eq!(
            recognise("https://www.ycombinator.com/companies/airbnb")
                .unwrap()
                .company
                .as_deref(),
            Some("airbnb")
        );
        assert_eq!(
            recognise("ycombinator.com/companies/lingo-2/jobs")
                .unwrap()
                .company
                .as_deref(),
            Some("lingo-2")
        );
        let file = recognise("https://yc-oss.github.io/api/batches/f24/replexica.json")
            .unwrap()
            .file;
        assert_eq!(file.as_deref(), Some("batches/f24/replexica.json"));
    }

    #[test]
    fn a_batch_among_words_is_a_filter() {
        let search = recognise("W26 fintech").unwrap();
        assert_eq!(
            (search.batches, search.query.as_str()),
            (vec!["Winter 2026".to_owned()], "fintech")
        );
        let search = recognise("ai agents winter 2026").unwrap();
        assert_eq!(
            (search.batches, search.query.as_str()),
            (vec!["Winter 2026".to_owned()], "ai agents")
        );
        assert_eq!(recognise("café \"robots\"").unwrap().query, "café \"robots\"");
    }

    #[test]
    fn other_places_are_refused_with_a_right_one() {
        for given in [
            "https://example.com/companies",
            "https://www.ycombinator.com/blog",
            "https://www.ycombinator.com.evil.example.com/companies",
            "https://yc-oss.github.io/api/../../x.json",
            "https://yc-oss.github.io/api/meta.json",
            "",
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{given}");
            assert!(error.message.contains("Example: {"), "{given}");
        }
    }
}
