//! What the caller looks for.

use freshcontext_contract::{CommonArgs, SourceError};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `search_jobs`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Input {
    /// Role or skill, e.g. rust engineer
    pub query: String,
    /// E.g. Germany
    #[serde(default)]
    pub location: Option<String>,
    /// Remote jobs only
    #[serde(default)]
    #[schemars(extend("default" = false))]
    pub remote_only: Option<bool>,
    /// Oldest advert
    #[serde(default)]
    #[schemars(extend("default" = 60, "minimum" = 1, "maximum" = 3650))]
    pub max_age_days: Option<f64>,
    /// Words to point out
    #[serde(default)]
    pub keywords: Option<Vec<String>>,
}

/// Shown in errors.
pub const EXAMPLE: &str = r#"{"query": "rust engineer", "location": "Germany"}"#;

/// The argument, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// What to look for.
    pub query: String,
    /// Where.
    pub location: Option<String>,
    /// Only jobs that say they are remote.
    pub remote_only: bool,
    /// Oldest publication, in days before now.
    pub max_age_days: u32,
    /// Words to point out.
    pub keywords: Vec<String>,
    /// How many matches were shown before.
    pub offset: usize,
}

impl Search {
    /// Whether only remote jobs are asked for, by the argument or in place of a place.
    pub fn remote_wanted(&self) -> bool {
        self.remote_only || self.location.as_deref().is_some_and(is_remote)
    }

    /// The place on the map that is asked for.
    pub fn place(&self) -> Option<&str> {
        self.location.as_deref().filter(|place| !is_remote(place))
    }
}

fn is_remote(place: &str) -> bool {
    place.trim().eq_ignore_ascii_case("remote")
}

/// Ten years: older adverts are archives, not jobs.
const MOST_DAYS: f64 = 3_650.0;
/// More keywords than a search needs; each costs a pass over every advert.
const MOST_KEYWORDS: usize = 20;

/// More adverts than the boards have.
const MOST_ADVERTS: usize = 100_000;

/// Checks the arguments.
pub fn check(input: Input, args: &CommonArgs) -> Result<Search, SourceError> {
    let query = input.query.trim().to_owned();
    if query.is_empty() {
        return Err(SourceError::invalid_input("query", "is empty", EXAMPLE));
    }
    let days = input.max_age_days.unwrap_or(60.0);
    if !(1.0..=MOST_DAYS).contains(&days) {
        let problem = format!("must be between 1 and {MOST_DAYS}");
        return Err(SourceError::invalid_input("max_age_days", problem, EXAMPLE));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within 1..=3650"
    )]
    let max_age_days = days as u32;
    let keywords: Vec<String> = input
        .keywords
        .unwrap_or_default()
        .iter()
        .filter_map(|word| text::present(word))
        .collect();
    if keywords.len() > MOST_KEYWORDS {
        let problem = format!("has more than {MOST_KEYWORDS} entries");
        return Err(SourceError::invalid_input(
            "keywords",
            problem,
            r#"{"keywords": ["C++", "visa"]}"#,
        ));
    }
    Ok(Search {
        query,
        location: input.location.as_deref().and_then(text::present),
        remote_only: input.remote_only.unwrap_or(false),
        max_age_days,
        keywords,
        offset: args.cursor_within(..=MOST_ADVERTS)?.unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::{ArgSpec, ErrorCode};

    fn args() -> CommonArgs {
        CommonArgs::defaults(&ArgSpec::length(8_000))
    }

    fn input(query: &str) -> Input {
        Input {
            query: query.to_owned(),
            ..Input::default()
        }
    }

    #[test]
    fn defaults_are_sixty_days_anywhere() {
        let search = check(input(" rust "), &args()).unwrap();
        assert_eq!(
            (search.query.as_str(), search.max_age_days, search.remote_only),
            ("rust", 60, false)
        );
        assert_eq!(
            (search.location, search.keywords, search.offset),
            (None, vec![], 0)
        );
    }

    #[test]
    fn nonsense_is_refused_before_any_request() {
        let cases = [
            (input(" "), "query"),
            (
                Input {
                    max_age_days: Some(0.0),
                    ..input("x")
                },
                "max_age_days",
            ),
            (
                Input {
                    max_age_days: Some(f64::NAN),
                    ..input("x")
                },
                "max_age_days",
            ),
            (
                Input {
                    max_age_days: Some(1e9),
                    ..input("x")
                },
                "max_age_days",
            ),
            (
                Input {
                    keywords: Some(vec!["k".to_owned(); 21]),
                    ..input("x")
                },
                "keywords",
            ),
        ];
        for (input, field) in cases {
            let error = check(input, &args()).unwrap_err();
            assert_eq!(
                (error.code, error.field.as_deref()),
                (ErrorCode::InvalidInput, Some(field))
            );
        }
        for cursor in ["x", "-1", "1e9", "99999999999"] {
            let args = CommonArgs {
                cursor: Some(cursor.to_owned()),
                ..args()
            };
            assert_eq!(
                check(input("x"), &args).unwrap_err().code,
                ErrorCode::InvalidInput
            );
        }
    }
}
