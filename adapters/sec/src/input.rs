//! What the caller asked for.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "PLTR"}"#);

/// Arguments of `extract_sec_filings`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Input {
    /// Ticker (PLTR), CIK, company, topic or EDGAR URL
    pub url: String,
    /// Forms, e.g. 10-K,10-Q; or all
    #[schemars(extend("default" = "8-K"))]
    pub forms: Option<String>,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A company by its number.
    Cik(u64),
    /// A company by its number, and one filing of it.
    Filing {
        /// The company.
        cik: u64,
        /// Accession number with dashes.
        accession: String,
    },
    /// A ticker that was marked as such.
    Ticker(String),
    /// A ticker, a company name or a topic; the ticker table decides.
    Words(String),
    /// A full-text query, not to be resolved to a company.
    Text(String),
}

/// A checked request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What to look for.
    pub subject: Subject,
    /// Forms to show, upper case; empty for all.
    pub forms: Vec<String>,
}

impl Query {
    /// The forms in words.
    pub fn named_forms(&self) -> String {
        if self.forms.is_empty() {
            return "all forms".to_owned();
        }
        self.forms.join(", ")
    }
}

/// The forms of reports on material events, which is what the tool shows unless told otherwise.
const FORMS_EXAMPLE: &str = r#"{"url": "PLTR", "forms": "10-K,10-Q"}"#;
const DEFAULT_FORMS: [&str; 2] = ["8-K", "8-K/A"];

/// Checks the arguments; no request is made for wrong ones.
pub fn read(input: &Input) -> Result<Query, SourceError> {
    let (subject, url_forms) = match Given::of(URL, &input.url, is_edgar)? {
        Given::Address(url) => from_url(&url)?,
        Given::Words(words) => (from_text(words)?, None),
    };
    let forms = match input.forms.as_deref().and_then(text::present) {
        Some(forms) => read_forms(&forms)?,
        None => match (url_forms, &subject) {
            (Some(forms), _) => read_forms(&forms)?,
            (None, Subject::Filing { .. }) => Vec::new(),
            (None, _) => DEFAULT_FORMS.map(str::to_owned).to_vec(),
        },
    };
    Ok(Query { subject, forms })
}

fn read_forms(given: &str) -> Result<Vec<String>, SourceError> {
    let mut forms: Vec<String> = Vec::new();
    for form in given.split(',').map(str::trim).filter(|form| !form.is_empty()) {
        if form.eq_ignore_ascii_case("all") {
            return Ok(Vec::new());
        }
        if !text::is_name(form, 20, "-/ .") {
            let problem = "must be EDGAR form names, separated by commas";
            return Err(SourceError::invalid_input("forms", problem, FORMS_EXAMPLE));
        }
        let form = form.to_ascii_uppercase();
        // An amendment is news about the same kind of report.
        let amended = format!("{form}/A");
        for form in if form.ends_with("/A") {
            vec![form]
        } else {
            vec![form, amended]
        } {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    if forms.len() > 20 {
        return Err(SourceError::invalid_input(
            "forms",
            "names too many forms",
            FORMS_EXAMPLE,
        ));
    }
    Ok(forms)
}

fn cik(given: &str) -> Option<u64> {
    text::digits(given.trim(), 1..=10).filter(|number| *number > 0)
}

fn from_text(given: &str) -> Result<Subject, SourceError> {
    if !given.chars().any(char::is_alphanumeric) {
        return Err(URL.wrong("needs a ticker, a CIK, a company or a topic"));
    }
    if let Some(number) = cik(given) {
        return Ok(Subject::Cik(number));
    }
    if text::is_digits(given, ..) {
        return Err(URL.wrong("is not a CIK (1 to 10 digits, above 0)"));
    }
    let upper = given.to_ascii_uppercase();
    if let Some(number) = upper
        .strip_prefix("CIK")
        .map(|rest| rest.trim_start_matches([' ', ':', '=', '#']))
        && let Some(number) = cik(number)
    {
        return Ok(Subject::Cik(number));
    }
    if let Some(symbol) = given.strip_prefix('$') {
        return ticker(symbol)
            .map(Subject::Ticker)
            .ok_or_else(|| URL.wrong("looks like a ticker but is none"));
    }
    if given.contains(['"', '\u{201c}', '\u{201d}']) {
        return Ok(Subject::Text(given.replace(['\u{201c}', '\u{201d}'], "\"")));
    }
    Ok(Subject::Words(
        given.split_whitespace().collect::<Vec<_>>().join(" "),
    ))
}

/// A ticker as EDGAR writes it: upper case, class shares with a dash.
pub fn ticker(text: &str) -> Option<String> {
    let symbol = text.trim().to_ascii_uppercase().replace(['.', '/'], "-");
    let letter = symbol.starts_with(|c: char| c.is_ascii_alphabetic());
    (letter && text::is_name(&symbol, 8, "-")).then_some(symbol)
}

/// Accession numbers come as 18 digits or as 10-2-6 with dashes.
pub fn accession(given: &str) -> Option<String> {
    let digits: String = given.chars().filter(|c| *c != '-').collect();
    if !text::is_digits(&digits, 18..=18) {
        return None;
    }
    let (filer, rest) = digits.split_at_checked(10)?;
    let (year, number) = rest.split_at_checked(2)?;
    Some(format!("{filer}-{year}-{number}"))
}

fn is_edgar(host: &str) -> bool {
    link::is_within(host, "sec.gov")
}

fn from_url(url: &Url) -> Result<(Subject, Option<String>), SourceError> {
    if !url.host_str().is_some_and(is_edgar) {
        return Err(URL.wrong("is not an address of sec.gov"));
    }
    let path = url.path().to_ascii_lowercase();
    // The search page keeps its query behind the `#`.
    let fragment = url.fragment().unwrap_or_default().trim_start_matches('/');
    let query = if fragment.contains('=') {
        fragment
    } else {
        url.query().unwrap_or_default()
    };
    let pairs: Vec<(String, String)> = freshcontext_contract::url::form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let value = |names: &[&str]| {
        let named = |pair: &&(String, String)| names.contains(&pair.0.as_str()) && !pair.1.is_empty();
        pairs.iter().find(named).map(|pair| pair.1.clone())
    };
    let forms = value(&["forms", "type"]);
    if let Some(rest) = path.strip_prefix("/archives/edgar/data/") {
        let mut segments = rest.split('/').filter(|segment| !segment.is_empty());
        let number = segments
            .next()
            .and_then(cik)
            .ok_or_else(|| URL.wrong("names no company (CIK)"))?;
        let filing =
            segments.find_map(|segment| accession(segment.split("-index").next().unwrap_or(segment)));
        return Ok(match filing {
            Some(accession) => (
                Subject::Filing {
                    cik: number,
                    accession,
                },
                forms,
            ),
            None => (Subject::Cik(number), forms),
        });
    }
    if let Some(rest) = path.strip_prefix("/submissions/cik") {
        let number = rest.split(['.', '-']).next().and_then(cik);
        return number
            .map(|number| (Subject::Cik(number), forms))
            .ok_or_else(|| URL.wrong("names no company (CIK)"));
    }
    if let Some(company) = value(&["cik", "ciks"]) {
        let subject = match cik(&company) {
            Some(number) => Subject::Cik(number),
            None => Subject::Ticker(
                ticker(&company).ok_or_else(|| URL.wrong("names neither a CIK nor a ticker"))?,
            ),
        };
        return Ok((subject, forms));
    }
    if let Some(text) = value(&["q", "keystyped", "company", "entityname"]) {
        return Ok((Subject::Text(text), forms));
    }
    Err(URL.wrong("is an EDGAR address without a company or a search in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(url: &str) -> Subject {
        read(&Input {
            url: url.to_owned(),
            forms: None,
        })
        .unwrap()
        .subject
    }

    #[test]
    fn numbers_are_companies() {
        assert_eq!(subject("320193"), Subject::Cik(320_193));
        assert_eq!(subject("CIK0000320193"), Subject::Cik(320_193));
        assert_eq!(subject(" cik: 320193 "), Subject::Cik(320_193));
        assert!(
            read(&Input {
                url: "12345678901".to_owned(),
                forms: None
            })
            .is_err()
        );
        assert!(
            read(&Input {
                url: "0".to_owned(),
                forms: None
            })
            .is_err()
        );
    }

    #[test]
    fn words_and_quoted_texts_differ() {
        assert_eq!(subject("PLTR"), Subject::Words("PLTR".into()));
        assert_eq!(subject("$brk.b"), Subject::Ticker("BRK-B".into()));
        assert_eq!(
            subject("cybersecurity  incident"),
            Subject::Words("cybersecurity incident".into())
        );
        assert_eq!(
            subject("\"going concern\" +doubt"),
            Subject::Text("\"going concern\" +doubt".into())
        );
        assert_eq!(
            subject("“going concern”"),
            Subject::Text("\"going concern\"".into())
        );
    }

    #[test]
    fn addresses_are_read() {
        let at = subject;
        assert_eq!(
            at("https://www.sec.gov/edgar/browse/?CIK=320193&owner=exclude"),
            Subject::Cik(320_193)
        );
        assert_eq!(
            at("https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=aapl"),
            Subject::Ticker("AAPL".into())
        );
        assert_eq!(
            at("https://data.sec.gov/submissions/CIK0000320193.json"),
            Subject::Cik(320_193)
        );
        assert_eq!(at("sec.gov/Archives/edgar/data/320193/"), Subject::Cik(320_193));
        assert_eq!(
            at("https://www.sec.gov/Archives/edgar/data/320193/000032019323000077/aapl-20230803.htm"),
            Subject::Filing {
                cik: 320_193,
                accession: "0000320193-23-000077".into()
            }
        );
        assert_eq!(
            at("https://www.sec.gov/Archives/edgar/data/320193/0000320193-23-000077-index.htm"),
            Subject::Filing {
                cik: 320_193,
                accession: "0000320193-23-000077".into()
            }
        );
        let search = "https://www.sec.gov/edgar/search/#/q=%22data%20breach%22&forms=8-K";
        assert_eq!(at(search), Subject::Text("\"data breach\"".into()));
        assert_eq!(
            at("https://efts.sec.gov/LATEST/search-index?q=a+b"),
            Subject::Text("a b".into())
        );
    }

    #[test]
    fn wrong_addresses_show_a_right_value() {
        for wrong in [
            "https://example.com/x",
            "ftp://sec.gov/x",
            "https://www.sec.gov/",
            "https://",
            "  ",
            "!?",
            "$",
        ] {
            let error = read(&Input {
                url: wrong.to_owned(),
                forms: None,
            })
            .unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{wrong}");
            assert!(error.message.contains("PLTR"), "{wrong}");
        }
        // A host that merely ends in the same letters is another host.
        assert!(
            read(&Input {
                url: "https://notsec.gov/?q=a".to_owned(),
                forms: None
            })
            .is_err()
        );
    }

    #[test]
    fn forms_default_to_event_reports() {
        let forms = |forms: Option<&str>| {
            read(&Input {
                url: "PLTR".into(),
                forms: forms.map(str::to_owned),
            })
            .map(|query| query.forms)
        };
        assert_eq!(forms(None).unwrap(), ["8-K", "8-K/A"]);
        assert_eq!(forms(Some("10-k, 10-Q/A")).unwrap(), ["10-K", "10-K/A", "10-Q/A"]);
        assert!(forms(Some("ALL")).unwrap().is_empty());
        assert!(forms(Some("8-K&x=1")).is_err());
    }
}
