//! What the caller asked for.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::{self, Given};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::agencies;

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "cybersecurity"}"#);

/// Arguments of `extract_gebiz`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Input {
    /// Keyword, agency (MOH) or supplier; default all
    pub url: Option<String>,
}

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Words that a row must have; empty for all rows.
    pub words: String,
    /// Whether the words are an agency's name.
    pub agency: bool,
    /// A phrase that a row must contain literally, in lower case. The source takes no phrases.
    pub phrase: Option<String>,
    /// The short name that was spelled out.
    pub short: Option<String>,
}

/// The dataset "Government Procurement via GeBIZ".
pub const DATASET: &str = "d_acde1106003906a75c3fa052592f2fcb";

/// Checks the arguments; no request is made for wrong ones.
pub fn read(input: &Input) -> Result<Query, SourceError> {
    let given = input.url.as_deref().unwrap_or_default();
    if given.trim().is_empty() {
        return Ok(Query::default());
    }
    match Given::of(URL, given, is_open_data)? {
        Given::Address(url) => from_url(&url),
        Given::Words(words) => from_text(words),
    }
}

fn from_text(given: &str) -> Result<Query, SourceError> {
    if given.is_empty() {
        return Ok(Query::default());
    }
    if !given.chars().any(char::is_alphanumeric) {
        return Err(URL.wrong("needs a keyword, an agency or a supplier"));
    }
    if let Some(full) = agencies::spelled_out(given) {
        return Ok(Query {
            words: full.to_owned(),
            agency: true,
            phrase: None,
            short: Some(given.to_owned()),
        });
    }
    let straight = given.replace(['\u{201c}', '\u{201d}'], "\"");
    let phrase = straight
        .split('"')
        .nth(1)
        .map(str::trim)
        .filter(|phrase| phrase.contains(' '));
    let words = straight.replace('"', " ");
    Ok(Query {
        words: words.split_whitespace().collect::<Vec<_>>().join(" "),
        agency: false,
        phrase: phrase.map(|phrase| {
            phrase
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase()
        }),
        short: None,
    })
}

fn is_open_data(host: &str) -> bool {
    link::is_within(host, "data.gov.sg")
}

fn from_url(url: &Url) -> Result<Query, SourceError> {
    let host = url.host_str().unwrap_or_default();
    if link::is_within(host, "gebiz.gov.sg") {
        return Err(
            URL.wrong("is the GeBIZ portal, which this tool does not read; pass a keyword or an agency")
        );
    }
    if !is_open_data(host) {
        return Err(URL.wrong("is not an address of data.gov.sg"));
    }
    if !url.as_str().contains(DATASET) {
        return Err(URL.wrong("is another dataset than the GeBIZ awards"));
    }
    let column = |text: &str, name: &str| {
        let value: Value = serde_json::from_str(text).ok()?;
        value.get(name)?.as_str().map(str::to_owned)
    };
    if let Some(agency) = link::parameter(url, "filters").and_then(|filters| column(&filters, "agency")) {
        return Ok(Query {
            words: agency,
            agency: true,
            ..Query::default()
        });
    }
    let words = link::parameter(url, "q")
        .map(|q| column(&q, "tender_description").unwrap_or(q))
        .unwrap_or_default();
    from_text(words.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str) -> Query {
        read(&Input {
            url: Some(url.to_owned()),
        })
        .unwrap()
    }

    #[test]
    fn keywords_agencies_and_phrases_differ() {
        assert_eq!(at("cyber  security").words, "cyber security");
        let health = at("moh");
        assert_eq!(
            (health.words.as_str(), health.agency),
            ("Ministry of Health", true)
        );
        let phrase = at("“data  Centre” audit");
        assert_eq!(
            (phrase.words.as_str(), phrase.phrase.as_deref()),
            ("data Centre audit", Some("data centre"))
        );
        assert_eq!(read(&Input { url: None }).unwrap(), Query::default());
        assert_eq!(at(" ").words, "");
    }

    #[test]
    fn addresses_of_the_dataset_are_read() {
        assert_eq!(
            at("https://data.gov.sg/datasets/d_acde1106003906a75c3fa052592f2fcb/view"),
            Query::default()
        );
        let search = "https://data.gov.sg/api/action/datastore_search?resource_id=d_acde1106003906a75c3fa052592f2fcb&q=audit";
        assert_eq!(at(search).words, "audit");
        let agency = "https://data.gov.sg/api/action/datastore_search?resource_id=d_acde1106003906a75c3fa052592f2fcb&filters=%7B%22agency%22%3A%22National%20Arts%20Council%22%7D";
        assert!(at(agency).agency);
    }

    #[test]
    fn wrong_addresses_show_a_right_value() {
        for wrong in [
            "https://www.gebiz.gov.sg/x",
            "https://example.com",
            "https://data.gov.sg/datasets/d_1/view",
            "ftp://x",
            "??",
        ] {
            let error = read(&Input {
                url: Some(wrong.to_owned()),
            })
            .unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{wrong}");
            assert!(error.message.contains("cybersecurity"), "{wrong}");
        }
    }
}
