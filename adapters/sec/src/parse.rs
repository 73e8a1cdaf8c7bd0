//! A company's filing list and its filings.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use freshcontext_contract::chrono::{DateTime, SecondsFormat, Utc};
use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{DateEvidence, Item, SourceError};
use freshcontext_parse::date::day;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::text;
use serde::Deserialize;

use crate::accepted::{self, Clock};
use crate::{items, request};

/// A company's own record.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
pub struct Submissions {
    cik: Value,
    name: Option<String>,
    #[serde(rename = "sicDescription")]
    industry: Option<String>,
    #[serde(default)]
    tickers: Vec<Option<String>>,
    #[serde(default, rename = "formerNames")]
    former_names: Lenient<FormerNameWire>,
    filings: Filings,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
struct FormerNameWire {
    name: Option<String>,
    to: Option<String>,
}

/// A name that a company gave up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerName {
    /// The name.
    pub name: String,
    /// The day until which it had it, where EDGAR says so.
    pub until: Option<NaiveDate>,
}

#[derive(Debug, Deserialize)]
struct Filings {
    recent: Columns,
    #[serde(default)]
    files: Vec<OlderFile>,
}

/// A file with older filings.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Deserialize)]
pub struct OlderFile {
    /// Its name below `submissions/`.
    pub name: String,
    #[serde(rename = "filingFrom")]
    from: Option<NaiveDate>,
    #[serde(rename = "filingTo")]
    to: Option<NaiveDate>,
}

impl OlderFile {
    /// Whether it holds filings of these days; one without days may.
    pub fn overlaps(&self, days: freshcontext_contract::Days) -> bool {
        days.since
            .is_none_or(|since| self.to.is_none_or(|to| since <= to))
            && days
                .until
                .is_none_or(|until| self.from.is_none_or(|from| from <= until))
    }
}

/// Filings as parallel arrays.
#[derive(Debug, Deserialize)]
pub struct Columns {
    #[serde(rename = "accessionNumber")]
    accession: Vec<Option<String>>,
    #[serde(rename = "filingDate")]
    filed: Vec<Option<String>>,
    form: Vec<Option<String>>,
    #[serde(default, rename = "reportDate")]
    event: Vec<Option<String>>,
    #[serde(default, rename = "acceptanceDateTime")]
    accepted: Vec<Option<String>>,
    #[serde(default)]
    items: Vec<Option<String>>,
    #[serde(default, rename = "primaryDocument")]
    document: Vec<Option<String>>,
    #[serde(default, rename = "primaryDocDescription")]
    about: Vec<Option<String>>,
    #[serde(default, rename = "fileNumber")]
    file_number: Vec<Option<String>>,
}

/// One filing of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filing {
    /// Accession number with dashes.
    pub accession: String,
    /// Form, as EDGAR names it.
    pub form: String,
    /// Filing day, where it is a date.
    pub filed: Option<NaiveDate>,
    /// The day of the event or the end of the period that it reports.
    pub event: Option<NaiveDate>,
    /// Number of the registration that it belongs to.
    pub file_number: Option<String>,
    accepted: Option<DateTime<Utc>>,
    /// Day of the acceptance stamp, on whatever clock.
    stamped: Option<NaiveDate>,
    items: Vec<String>,
    document: Option<String>,
    about: Option<String>,
}

/// A list of filings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Those that can be read.
    pub filings: Vec<Filing>,
    /// Entries without accession number or form.
    pub unreadable: usize,
    /// Whether there are acceptance stamps of which nothing proves whose clock they show.
    pub unproven: bool,
}

/// What the list says about the company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Its number.
    pub cik: u64,
    /// Its name, as EDGAR writes it.
    pub name: String,
    /// Its tickers.
    pub tickers: Vec<String>,
    /// Its industry.
    pub industry: Option<String>,
    /// Names that it had before.
    pub former_names: Vec<FormerName>,
}

impl Company {
    /// The name that it had on a day, as far as the days of its former names tell.
    pub fn name_on(&self, day: NaiveDate) -> &str {
        let had = self
            .former_names
            .iter()
            .filter_map(|former| Some((former.until.filter(|until| day <= *until)?, former.name.as_str())));
        had.min().map_or(&self.name, |(_, name)| name)
    }
}

/// Reads a company's record.
pub fn submissions(body: &str) -> Result<(Company, Listed, Vec<OlderFile>), SourceError> {
    let read: Submissions = json::parse(body, "EDGAR company record")?;
    let number = match &read.cik {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let cik = number.ok_or_else(|| SourceError::malformed("EDGAR's company record names no CIK"))?;
    let tickers = read.tickers.iter().map(Option::as_deref);
    let company = Company {
        cik,
        name: present(read.name.as_deref()).unwrap_or_else(|| format!("CIK {cik}")),
        tickers: tickers.filter_map(present).collect(),
        industry: present(read.industry.as_deref()),
        former_names: (read.former_names.items.iter())
            .filter_map(|former| {
                Some(FormerName {
                    name: present(former.name.as_deref())?,
                    until: former.to.as_deref().and_then(|to| day(to.get(..10)?)),
                })
            })
            .collect(),
    };
    Ok((company, filings(&read.filings.recent)?, read.filings.files))
}

/// Reads an older part of a company's list, which is the arrays alone.
pub fn older(body: &str) -> Result<Listed, SourceError> {
    filings(&json::parse::<Columns>(body, "EDGAR older filing list")?)
}

fn present(text: Option<&str>) -> Option<String> {
    text.and_then(text::present)
}

/// Turns parallel arrays into filings; an entry without accession number or form is none. A column of
/// another length than the rest says nothing about any one row: which value it lacks cannot be known.
fn filings(columns: &Columns) -> Result<Listed, SourceError> {
    let rows = columns.accession.len();
    if columns.form.len() != rows {
        return Err(SourceError::malformed(
            "EDGAR's filing list has not as many forms as filings",
        ));
    }
    let at = |column: &[Option<String>], row: usize| {
        let cell = column.get(row).filter(|_| column.len() == rows);
        present(cell.and_then(|text| text.as_deref()))
    };
    let stamps = || columns.accepted.iter().flatten();
    let clock = if columns.accepted.len() == rows {
        accepted::clock(stamps().map(String::as_str))
    } else {
        Clock::Unknown
    };
    let row = |row: usize| {
        let codes = at(&columns.items, row).unwrap_or_default();
        Some(Filing {
            accession: at(&columns.accession, row).filter(|text| crate::input::accession(text).is_some())?,
            form: at(&columns.form, row)?,
            filed: at(&columns.filed, row).and_then(|text| day(&text)),
            event: at(&columns.event, row).and_then(|text| day(&text)),
            accepted: at(&columns.accepted, row).and_then(|text| accepted::moment(&text, clock)),
            stamped: at(&columns.accepted, row).and_then(|text| day(text.get(..10)?)),
            items: items::describe(codes.split(',')),
            document: at(&columns.document, row),
            about: at(&columns.about, row),
            file_number: at(&columns.file_number, row),
        })
    };
    let filings: Vec<Filing> = (0..rows).filter_map(row).collect();
    if filings.is_empty() && rows > 0 {
        return Err(SourceError::malformed(
            "EDGAR's filing list: no entry has an accession number and a form",
        ));
    }
    Ok(Listed {
        unreadable: rows - filings.len(),
        unproven: clock == Clock::Unknown && stamps().any(|stamp| stamp.ends_with('Z')),
        filings,
    })
}

/// What EDGAR takes in the evening is dated to the next business day: at most so many days later, over a
/// weekend and holidays.
const NEXT_BUSINESS_DAY: u64 = 5;

impl Filing {
    /// The day of acceptance, where the filing's day is no consequence of it. Letters of the SEC's staff, for
    /// one, are dated weeks before EDGAR shows them.
    fn contradicting(&self) -> Option<NaiveDate> {
        let latest = self.stamped?.checked_add_days(Days::new(NEXT_BUSINESS_DAY))?;
        let follows = |filed| self.stamped <= Some(filed) && filed <= latest;
        self.stamped.filter(|_| !self.filed.is_some_and(follows))
    }

    /// The filing as an item.
    pub fn item(&self, company: &Company) -> Item {
        let what =
            items::headline(&self.items).or_else(|| self.about.clone().filter(|about| *about != self.form));
        let title = match what {
            Some(what) => format!("{} {}: {what}", company.name, self.form),
            None => format!("{} {}", company.name, self.form),
        };
        let date = DateEvidence::optional_field("filingDate", self.filed);
        let mut item = Item::new(title, date.beside("acceptanceDateTime", self.contradicting()));
        item.id = Some(self.accession.clone());
        let index = request::index_page(company.cik, &self.accession);
        let document = self
            .document
            .as_deref()
            .and_then(|file| request::document(company.cik, &self.accession, file));
        item.url = document.or_else(|| index.clone());
        item.set("form", self.form.as_str());
        item.set("items", self.items.clone());
        item.set_day("filed", self.filed);
        item.set_day("event_date", self.event);
        item.set(
            "accepted_at",
            self.accepted
                .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true)),
        );
        item.set("accession", self.accession.as_str());
        if index != item.url {
            item.set("filing_index", index);
        }
        item
    }
}

/// How often each form occurs, the most frequent first.
pub fn form_counts(filings: &[Filing]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for filing in filings {
        *counts.entry(&filing.form).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown: Vec<String> = counts
        .iter()
        .take(6)
        .map(|(form, count)| format!("{form} ({count})"))
        .collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_columns_lose_facts_not_filings() {
        let body = r#"{"accessionNumber":["0000320193-23-000077","x",null],"filingDate":["2023-02-20"],"form":["8-K","8-K",""]}"#;
        let listed = older(body).unwrap();
        assert_eq!(listed.unreadable, 2);
        let read = listed.filings;
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].filed, None);
        let company = Company {
            cik: 1,
            name: "Example".into(),
            tickers: vec![],
            industry: None,
            former_names: vec![],
        };
        let item = read[0].item(&company);
        assert_eq!(item.date, DateEvidence::None);
        assert_eq!(item.title, "Example 8-K");
        assert!(!item.fields.contains_key("filed"));
        assert!(item.url.unwrap().ends_with("-index.htm"));
    }

    #[test]
    fn a_list_that_cannot_be_read_is_no_empty_one() {
        for body in [
            r#"{"accessionNumber":["0000320193-23-000077"],"filingDate":["2023-02-20"],"form":[]}"#,
            r#"{"accessionNumber":[null],"filingDate":["2023-02-20"],"form":["8-K"]}"#,
        ] {
            let code = older(body).unwrap_err().code;
            assert_eq!(code, freshcontext_contract::ErrorCode::Malformed, "{body}");
        }
        let none = r#"{"accessionNumber":[],"filingDate":[],"form":[]}"#;
        assert!(older(none).unwrap().filings.is_empty());
    }

    #[test]
    fn older_files_are_chosen_by_their_days() {
        let file = OlderFile {
            name: "CIK1.json".into(),
            from: day("1994-01-26"),
            to: day("2014-05-01"),
        };
        let days = |since: Option<&str>, until: Option<&str>| freshcontext_contract::Days {
            since: since.and_then(day),
            until: until.and_then(day),
        };
        assert!(file.overlaps(days(None, Some("2010-01-01"))));
        assert!(file.overlaps(days(Some("2014-05-01"), None)));
        assert!(!file.overlaps(days(Some("2014-05-02"), None)));
        assert!(!file.overlaps(days(None, Some("1994-01-25"))));
    }
}
