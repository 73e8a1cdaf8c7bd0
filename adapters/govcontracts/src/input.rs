//! What the caller asked for.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "Palantir"}"#);

/// Arguments of `extract_govcontracts`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Input {
    /// Company, UEI, agency (NASA), topic, NAICS or award URL
    pub url: String,
    /// Its date; default signed
    #[schemars(extend("enum" = ["signed", "modified"]))]
    pub by: Option<String>,
    /// Frameworks, not contracts
    #[schemars(extend("default" = false))]
    pub idv: Option<bool>,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One award by its generated id.
    Award(String),
    /// An industry code, or the first digits of one.
    Naics(String),
    /// A recipient by its unique entity id.
    Uei(String),
    /// A department or independent agency by its full name.
    Agency(&'static str),
    /// A company, and never a topic: `recipient:Palantir`.
    Company(String),
    /// A company or a topic; the recipient list decides.
    Words(String),
    /// A phrase in quotes, never a company.
    Phrase(String),
}

/// Which of an award's two days counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The day the base award was signed.
    Signed,
    /// The last change of the record.
    Modified,
}

/// A checked request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What to look for.
    pub subject: Subject,
    /// Which day counts.
    pub by: By,
    /// Framework vehicles instead of contracts.
    pub idv: bool,
}

/// Checks the arguments; no request is made for wrong ones.
pub fn read(input: &Input) -> Result<Query, SourceError> {
    let by = match input
        .by
        .as_deref()
        .map(|by| by.trim().to_ascii_lowercase())
        .as_deref()
    {
        None | Some("" | "signed") => By::Signed,
        Some("modified") => By::Modified,
        Some(_) => {
            let example = r#"{"url": "Palantir", "by": "modified"}"#;
            return Err(SourceError::invalid_input(
                "by",
                "must be signed or modified",
                example,
            ));
        }
    };
    let subject = match Given::of(URL, &input.url, is_usaspending)? {
        Given::Address(url) => from_url(&url)?,
        Given::Words(words) => from_text(words)?,
    };
    Ok(Query {
        subject,
        by,
        idv: input.idv.unwrap_or(false),
    })
}

fn from_text(given: &str) -> Result<Subject, SourceError> {
    if !given.chars().any(char::is_alphanumeric) {
        return Err(URL.wrong("needs a company, an agency, a topic or a NAICS code"));
    }
    let bare = given
        .strip_prefix("NAICS")
        .or_else(|| given.strip_prefix("naics"))
        .unwrap_or(given);
    let bare = bare.trim_start_matches([' ', ':', '=']);
    if text::is_digits(bare, ..) {
        return if (2..=6).contains(&bare.len()) {
            Ok(Subject::Naics(bare.to_owned()))
        } else {
            Err(URL.wrong("is a number but no NAICS code (2 to 6 digits)"))
        };
    }
    if given.starts_with("CONT_AWD_") || given.starts_with("CONT_IDV_") {
        return award(given);
    }
    if let Some(agency) = agency(given) {
        return Ok(Subject::Agency(agency));
    }
    let shape = given.len() == 12
        && given
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if shape && given.bytes().any(|b| b.is_ascii_digit()) {
        return Ok(Subject::Uei(given.to_owned()));
    }
    let straight = given.replace(['\u{201c}', '\u{201d}'], "\"");
    let words = straight
        .replace('"', " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let company = words
        .split_once(':')
        .filter(|(kind, name)| kind.trim().eq_ignore_ascii_case("recipient") && !name.trim().is_empty())
        .map(|(_, name)| name.trim().to_owned());
    Ok(if let Some(company) = company {
        Subject::Company(company)
    } else if straight.contains('"') {
        Subject::Phrase(words)
    } else {
        Subject::Words(words)
    })
}

fn award(id: &str) -> Result<Subject, SourceError> {
    if text::is_name(id, 120, "_-.") {
        Ok(Subject::Award(id.to_owned()))
    } else {
        Err(URL.wrong("is not the id of an award"))
    }
}

fn is_usaspending(host: &str) -> bool {
    link::is_within(host, "usaspending.gov")
}

fn from_url(url: &Url) -> Result<Subject, SourceError> {
    if !url.host_str().is_some_and(is_usaspending) {
        return Err(URL.wrong("is not an address of usaspending.gov"));
    }
    match link::segments(url).as_slice() {
        ["award", id] | ["api", "v2", "awards", id] => award(id),
        ["keyword_search", words] => {
            // A path keeps its blanks encoded; a query decodes them.
            let decoded = freshcontext_contract::url::form_urlencoded::parse(words.as_bytes()).next();
            from_text(
                decoded
                    .map_or_else(|| (*words).to_owned(), |(name, _)| name.into_owned())
                    .trim(),
            )
        }
        _ => {
            Err(URL
                .wrong("is not the address of an award; pass a company, an agency or a topic for a search"))
        }
    }
}

/// Departments and agencies by full or short name, as USAspending names its top tier.
fn agency(text: &str) -> Option<&'static str> {
    const AGENCIES: [(&str, &str); 26] = [
        ("DOD", "Department of Defense"),
        ("DHS", "Department of Homeland Security"),
        ("DOE", "Department of Energy"),
        ("DOI", "Department of the Interior"),
        ("DOJ", "Department of Justice"),
        ("DOL", "Department of Labor"),
        ("DOT", "Department of Transportation"),
        ("ED", "Department of Education"),
        ("EPA", "Environmental Protection Agency"),
        ("GSA", "General Services Administration"),
        ("HHS", "Department of Health and Human Services"),
        ("HUD", "Department of Housing and Urban Development"),
        ("NASA", "National Aeronautics and Space Administration"),
        ("NRC", "Nuclear Regulatory Commission"),
        ("NSF", "National Science Foundation"),
        ("OPM", "Office of Personnel Management"),
        ("SBA", "Small Business Administration"),
        ("SEC", "Securities and Exchange Commission"),
        ("SSA", "Social Security Administration"),
        ("USAID", "Agency for International Development"),
        ("USDA", "Department of Agriculture"),
        ("VA", "Department of Veterans Affairs"),
        ("DOC", "Department of Commerce"),
        ("FCC", "Federal Communications Commission"),
        ("State Department", "Department of State"),
        ("Treasury Department", "Department of the Treasury"),
    ];
    let plain = text.trim().trim_start_matches("US ").trim_start_matches("U.S. ");
    AGENCIES
        .iter()
        .find(|(short, full)| {
            // Short names count in capitals only: "ed" and "va" are words too.
            full.eq_ignore_ascii_case(plain)
                || *short == plain
                || (short.len() > 5 && short.eq_ignore_ascii_case(plain))
        })
        .map(|(_, full)| *full)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(url: &str) -> Subject {
        read(&Input {
            url: url.to_owned(),
            ..Input::default()
        })
        .unwrap()
        .subject
    }

    #[test]
    fn kinds_are_told_apart() {
        assert_eq!(subject("541511"), Subject::Naics("541511".into()));
        assert_eq!(subject("NAICS 33"), Subject::Naics("33".into()));
        assert_eq!(
            subject("NASA"),
            Subject::Agency("National Aeronautics and Space Administration")
        );
        assert_eq!(
            subject("department of defense"),
            Subject::Agency("Department of Defense")
        );
        assert_eq!(subject("HLWWEH2CCXW5"), Subject::Uei("HLWWEH2CCXW5".into()));
        assert_eq!(subject("Palantir"), Subject::Words("Palantir".into()));
        assert_eq!(
            subject("recipient: Palantir"),
            Subject::Company("Palantir".into())
        );
        assert_eq!(
            subject("\"satellite  imagery\""),
            Subject::Phrase("satellite imagery".into())
        );
        assert_eq!(subject("3D printing"), Subject::Words("3D printing".into()));
    }

    #[test]
    fn addresses_of_awards_are_read() {
        let id = "CONT_AWD_NAS1510000_8000_-NONE-_-NONE-";
        assert_eq!(
            subject(&format!("https://www.usaspending.gov/award/{id}/")),
            Subject::Award(id.into())
        );
        assert_eq!(
            subject(&format!("https://api.usaspending.gov/api/v2/awards/{id}/")),
            Subject::Award(id.into())
        );
        assert_eq!(
            subject("https://www.usaspending.gov/keyword_search/laser+radar"),
            Subject::Words("laser radar".into())
        );
    }

    #[test]
    fn wrong_input_shows_a_right_one() {
        for wrong in [
            "",
            "!",
            "1",
            "1234567",
            "https://example.com",
            "https://www.usaspending.gov/search/?hash=1",
            "ftp://x",
        ] {
            let error = read(&Input {
                url: wrong.to_owned(),
                ..Input::default()
            })
            .unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{wrong}");
            assert!(error.message.contains("Palantir"), "{wrong}");
        }
        let by = Input {
            url: "NASA".into(),
            by: Some("age".into()),
            idv: None,
        };
        assert_eq!(read(&by).unwrap_err().field.as_deref(), Some("by"));
    }
}
