//! What the caller asked for.

use freshcontext_contract::SourceError;
use freshcontext_contract::url::Url;
use freshcontext_parse::link::Given;
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::query;
use crate::{HOST, URL};

/// Arguments of `extract_gdelt`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, quoted phrases, (a OR b), -word or a GDELT URL
    pub url: String,
    /// Source language, e.g. spanish
    pub language: Option<String>,
    /// Source country, e.g. france
    pub country: Option<String>,
}

/// A checked request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The query as the caller gave it.
    pub given: String,
    /// The query as GDELT takes it.
    pub query: String,
    /// A window from a GDELT address: `15min`, `24h`, `7d`, `2w`, `1m` and the like.
    pub timespan: Option<String>,
    /// Both exclusive bounds from a GDELT address, as 14 digits.
    pub bounds: Option<(String, String)>,
}

/// Checks the arguments; no request is made for wrong ones.
pub fn read(input: &Input) -> Result<Query, SourceError> {
    let mut query = match Given::of(URL, &input.url, |host| host == HOST)? {
        Given::Address(url) => from_url(&url)?,
        Given::Words(words) => Query {
            given: words.to_owned(),
            ..Query::default()
        },
    };
    query.query = query::sanitise(&query.given)?;
    for (name, operator, value) in [
        ("language", "sourcelang", &input.language),
        ("country", "sourcecountry", &input.country),
    ] {
        if let Some(value) = value.as_deref().map(str::trim).filter(|value| !value.is_empty()) {
            let value: String = value.chars().filter(|c| *c != ' ').collect();
            if value.len() < 2 || value.len() > 40 || !value.chars().all(|c| c.is_ascii_alphabetic()) {
                let problem = format!("must be an English {name} name or code");
                let example = if name == "language" { "spanish" } else { "france" };
                return Err(SourceError::invalid_input(
                    name,
                    problem,
                    format!("{{\"{name}\": \"{example}\"}}"),
                ));
            }
            query.query = format!("{} {operator}:{}", query.query, value.to_ascii_lowercase());
        }
    }
    Ok(query)
}

fn from_url(url: &Url) -> Result<Query, SourceError> {
    let here = url.host_str() == Some(HOST) && url.path().starts_with("/api/v2/doc/doc");
    if !here {
        return Err(URL.wrong("is not an address of GDELT's DOC service; pass a query"));
    }
    let value = |name: &str| {
        let named = url.query_pairs().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named
            .map(|(_, value)| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    let query = value("query").ok_or_else(|| URL.wrong("is a GDELT address without a query"))?;
    let stamp = |name| value(name).filter(|text| text::is_digits(text, 14..=14));
    let timespan = value("timespan").filter(|text| {
        text.len() <= 12
            && text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_alphanumeric())
    });
    Ok(Query {
        given: query,
        timespan,
        bounds: stamp("startdatetime").zip(stamp("enddatetime")),
        ..Query::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(url: &str) -> Input {
        Input {
            url: url.to_owned(),
            ..Input::default()
        }
    }

    #[test]
    fn queries_and_addresses_are_read() {
        assert_eq!(read(&input("Palantir")).unwrap().query, "Palantir");
        let url = "https://api.gdeltproject.org/api/v2/doc/doc?query=f-16%20greece&mode=artlist&timespan=7d";
        let query = read(&input(url)).unwrap();
        assert_eq!(
            (query.query.as_str(), query.timespan.as_deref()),
            ("\"f-16\" greece", Some("7d"))
        );
        let url = "https://api.gdeltproject.org/api/v2/doc/doc?query=fire&startdatetime=20260101000000&enddatetime=20260102000000";
        assert_eq!(read(&input(url)).unwrap().bounds.unwrap().1, "20260102000000");
    }

    #[test]
    fn outlets_can_be_narrowed() {
        let query = read(&Input {
            url: "quake".into(),
            language: Some("Spanish".into()),
            country: Some("Costa Rica".into()),
        });
        assert_eq!(
            query.unwrap().query,
            "quake sourcelang:spanish sourcecountry:costarica"
        );
        let error = read(&Input {
            country: Some("x) OR (y".into()),
            ..input("quake")
        })
        .unwrap_err();
        assert_eq!(error.field.as_deref(), Some("country"));
    }

    #[test]
    fn wrong_input_shows_a_right_one() {
        for wrong in [
            "https://example.com/news",
            "ftp://x",
            "",
            "a",
            "??",
            "https://api.gdeltproject.org/api/v2/doc/doc",
        ] {
            let error = read(&input(wrong)).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{wrong}");
            assert!(error.message.contains("Palantir"), "{wrong}");
        }
    }
}
