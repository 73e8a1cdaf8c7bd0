//! What the caller may pass as `url`.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `extract_producthunt`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Keyword or Product Hunt URL
    pub url: String,
}

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new(
    "url",
    r#"{"url": "https://www.producthunt.com/topics/developer-tools"}"#,
);

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Today's board.
    Board,
    /// A topic, by its slug.
    Topic(String),
    /// One product or post, by its slug.
    Product(String),
    /// The board of one day, in Pacific time.
    Day(NaiveDate),
    /// Words.
    Words(String),
}

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Subject, SourceError> {
    let ours = |host: &str| matches!(host, "producthunt.com" | "www.producthunt.com");
    match Given::of(URL, given, ours)? {
        Given::Words(words) => Ok(Subject::Words(words.to_owned())),
        Given::Address(url) if url.host_str().is_some_and(ours) => from_url(&url),
        Given::Address(_) => Err(URL.wrong("must lead to producthunt.com, or be a keyword")),
    }
}

fn from_url(url: &Url) -> Result<Subject, SourceError> {
    match link::segments(url).as_slice() {
        [] | ["feed"] => Ok(
            match link::parameter(url, "category").filter(|slug| slug != "undefined" && is_slug(slug)) {
                Some(slug) => Subject::Topic(slug.to_lowercase()),
                None => Subject::Board,
            },
        ),
        ["topics" | "categories", slug] if is_slug(slug) => Ok(Subject::Topic(slug.to_lowercase())),
        ["products" | "posts", slug, ..] if is_slug(slug) => Ok(Subject::Product(slug.to_lowercase())),
        ["leaderboard", "daily", year, month, day, ..] => {
            let day = NaiveDate::parse_from_str(&format!("{year}-{month}-{day}"), "%Y-%m-%d");
            day.map(Subject::Day).map_err(|_| {
                let example = r#"{"url": "https://www.producthunt.com/leaderboard/daily/2026/7/13"}"#;
                URL.like(example).wrong("names no day")
            })
        }
        ["search", ..] => link::parameter(url, "q").map(Subject::Words).ok_or_else(|| {
            URL.like(r#"{"url": "note taking"}"#).wrong("is a search without `q`")
        }),
        _ => Err(URL.wrong("is a Product Hunt page of a kind this tool does not read (it reads topics, products, days and the board)")),
    }
}

fn is_slug(text: &str) -> bool {
    text::is_name(text, 120, "-_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn pages_words_and_days() {
        let rows = [
            ("https://www.producthunt.com/", Subject::Board),
            ("producthunt.com", Subject::Board),
            (
                "https://www.producthunt.com/feed?category=undefined",
                Subject::Board,
            ),
            (
                "https://www.producthunt.com/feed?category=saas",
                Subject::Topic("saas".into()),
            ),
            (
                "https://www.producthunt.com/topics/developer-tools?order=x",
                Subject::Topic("developer-tools".into()),
            ),
            (
                "https://www.producthunt.com/categories/no-code",
                Subject::Topic("no-code".into()),
            ),
            (
                "https://www.producthunt.com/products/TailMux/reviews",
                Subject::Product("tailmux".into()),
            ),
            (
                "https://www.producthunt.com/posts/simpleid",
                Subject::Product("simpleid".into()),
            ),
            (
                "https://www.producthunt.com/search?q=note%20taking",
                Subject::Words("note taking".into()),
            ),
            ("AI agents", Subject::Words("AI agents".into())),
            (
                "https://www.producthunt.com/leaderboard/daily/2026/7/13/all",
                Subject::Day(NaiveDate::from_ymd_opt(2026, 7, 13).unwrap()),
            ),
        ];
        for (given, want) in rows {
            assert_eq!(recognise(given).unwrap(), want, "{given}");
        }
    }

    #[test]
    fn other_places_are_refused_with_a_right_one() {
        for given in [
            "",
            "https://example.com/topics/x",
            "https://www.producthunt.com.evil.example.com/",
            "https://www.producthunt.com/r/p/1191340",
            "https://www.producthunt.com/leaderboard/daily/2026/13/45",
            "https://www.producthunt.com/search",
            "ftp://www.producthunt.com/",
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{given}");
            assert!(error.message.contains("Example: {"), "{given}");
        }
    }
}
