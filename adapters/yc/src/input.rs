//! What the caller may pass as `url`.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError, texts};
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

texts! {
    /// What the directory is filtered by; ids are the site's parameters. `folder` holds the mirror's file of a value,
    /// where it has one.
    pub enum Filter(id, word, folder) {
        /// Batches as given; also such without a season.
        Batch { id: "batch", word: "batch", folder: "batches" }
        /// Industries.
        Industry { id: "industry", word: "industry", folder: "industries" }
        /// Regions.
        Region { id: "regions", word: "region", folder: "" }
        /// Labels.
        Tag { id: "tags", word: "label", folder: "tags" }
        /// `Active`, `Inactive`, `Acquired`, `Public`.
        Status { id: "status", word: "status", folder: "" }
    }
}

texts! {
    /// What a company is or does; ids are the site's parameters, `file` is the mirror's list.
    pub enum Flag(id, word, file) {
        /// It hires.
        Hiring { id: "isHiring", word: "hiring", file: "hiring" }
        /// It is a non-profit.
        Nonprofit { id: "nonprofit", word: "non-profit", file: "nonprofit" }
        /// YC calls it a top company.
        Top { id: "top_company", word: "top companies", file: "top" }
    }
}

/// What companies are asked for. Values of one filter are alternatives, the filters must all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// Words to be found in a company's texts.
    pub query: String,
    /// One company, by its slug.
    pub company: Option<String>,
    /// A file of the mirror, by its path below `/api/`.
    pub file: Option<String>,
    /// Values of filters, in the order given.
    pub filters: Vec<(Filter, String)>,
    /// What must hold.
    pub flags: Vec<Flag>,
}

impl Search {
    /// The values of one filter.
    pub fn of(&self, filter: Filter) -> Vec<&str> {
        let values = self.filters.iter().filter(|(of, _)| *of == filter);
        values.map(|(_, value)| value.as_str()).collect()
    }

    fn add(&mut self, filter: Filter, value: &str) {
        let value = match filter {
            Filter::Batch => canonical_batch(value),
            _ => value.to_owned(),
        };
        self.filters.push((filter, value));
    }
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
            search.add(Filter::Batch, &batch.to_string());
            at += 2;
            continue;
        }
        match code {
            Some(batch) => search.add(Filter::Batch, &batch.to_string()),
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
        ["companies", "industry", industry] => search.add(Filter::Industry, &industry.replace('-', " ")),
        ["companies", "tags", tag] => search.add(Filter::Tag, &tag.replace('-', " ")),
        ["companies", "batch", batch] => search.add(Filter::Batch, batch),
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
            "industries" => search.add(Filter::Industry, &value),
            name => {
                if let Some(filter) = Filter::ALL.iter().find(|filter| filter.id() == name) {
                    search.add(*filter, &value);
                } else if let Some(flag) = Flag::ALL.iter().find(|flag| flag.id() == name) {
                    search.flags.retain(|other| other != flag);
                    search.flags.extend(yes.then_some(*flag));
                }
            }
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
    let folder = parts.first().copied().unwrap_or_default();
    let of_filter = |filter: &Filter| !folder.is_empty() && filter.folder() == folder;
    let known = folder == "companies" || Filter::ALL.iter().any(of_filter);
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
        assert_eq!(search.of(Filter::Batch), ["Winter 2026", "Summer 2025"]);
        for (filter, value) in [
            (Filter::Industry, "Fintech"),
            (Filter::Region, "Europe"),
            (Filter::Tag, "AI"),
            (Filter::Status, "Active"),
        ] {
            assert_eq!(search.of(filter), [value]);
        }
        assert_eq!(search.flags, [Flag::Hiring]);
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
            (search.of(Filter::Batch), search.query.as_str()),
            (vec!["Winter 2026"], "fintech")
        );
        let search = recognise("ai agents winter 2026").unwrap();
        assert_eq!(
            (search.of(Filter::Batch), search.query.as_str()),
            (vec!["Winter 2026"], "ai agents")
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
