//! Which filings were amended or withdrawn later, and whether the company still reports: relations between the rows of one
//! list. EDGAR has no field that says it of a filing.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::NaiveDate;
use freshcontext_contract::standing::Replacement;
use freshcontext_contract::{StandingEvidence, StandingState};

use crate::parse::{Company, Filing};
use crate::request;

/// Forms of holders and insiders. Their amendments report a later holding, and leave the earlier report as it was.
const OF_HOLDERS: [&str; 8] = [
    "SC 13G",
    "SC 13D",
    "SCHEDULE 13G",
    "SCHEDULE 13D",
    "3",
    "4",
    "5",
    "144",
];
/// Forms by which a company ends its duty to report (Exchange Act rules 12g-4, 12h-3 and 15d-6).
const ENDING: [&str; 4] = ["15-12B", "15-12G", "15-15D", "15F-12G"];
/// Reports of a company that go on after such a form, where it was for one class of securities only.
const REPORTS: [&str; 8] = ["10-K", "10-KT", "10-Q", "8-K", "20-F", "40-F", "6-K", "11-K"];

/// The form without the mark of an amendment.
fn base(form: &str) -> &str {
    form.strip_suffix("/A").unwrap_or(form)
}

/// What the rows of a company's list say of each other.
pub struct Relations<'f> {
    amended: HashMap<&'f str, Vec<&'f Filing>>,
    withdrawn: HashMap<&'f str, &'f Filing>,
}

impl<'f> Relations<'f> {
    /// Of all rows that were read.
    pub fn of(filings: &'f [Filing]) -> Self {
        let mut originals: HashMap<(&str, NaiveDate), Vec<&Filing>> = HashMap::new();
        for filing in filings.iter().filter(|filing| !filing.form.ends_with("/A")) {
            if let Some(event) = filing.event {
                originals.entry((&filing.form, event)).or_default().push(filing);
            }
        }
        let mut amended: HashMap<&str, Vec<&Filing>> = HashMap::new();
        let amendments = filings
            .iter()
            .filter(|filing| filing.form.ends_with("/A") && !OF_HOLDERS.contains(&base(&filing.form)));
        for amendment in amendments {
            let of = amendment
                .event
                .and_then(|event| originals.get(&(base(&amendment.form), event)));
            // Of several reports for one day, which is amended cannot be told.
            if let Some([original]) = of.map(Vec::as_slice)
                && original
                    .filed
                    .zip(amendment.filed)
                    .is_some_and(|(first, later)| first <= later)
            {
                amended.entry(&original.accession).or_default().push(amendment);
            }
        }
        for amendments in amended.values_mut() {
            amendments.sort_by_key(|filing| filing.filed);
        }
        Self {
            amended,
            withdrawn: withdrawn(filings),
        }
    }

    /// The signs of one filing.
    pub fn signs(&self, filing: &Filing, company: &Company) -> Vec<StandingEvidence> {
        let named = |by: &Filing| {
            Some(Replacement {
                id: Some(by.accession.clone()),
                url: request::index_page(company.cik, &by.accession),
                title: None,
            })
        };
        let mut signs = Vec::new();
        if let Some(by) = self.withdrawn.get(filing.accession.as_str()) {
            let sign = StandingEvidence::mark(StandingState::Withdrawn, "form", by.form.as_str());
            signs.push(
                sign.since(by.filed)
                    .by("issuer")
                    .notice(request::index_page(company.cik, &by.accession)),
            );
        }
        for by in self.amended.get(filing.accession.as_str()).into_iter().flatten() {
            let sign = StandingEvidence::mark(StandingState::Amended, "form", by.form.as_str());
            signs.push(sign.since(by.filed).by("issuer").replaced_by(named(by)));
        }
        signs
    }
}

/// Registration statements that were withdrawn: by a request for the statement (RW), or for an amendment of it (AW), under
/// the same file number, unless the request itself was taken back (RW WD, AW WD).
fn withdrawn(filings: &[Filing]) -> HashMap<&str, &Filing> {
    let mut of_number: HashMap<&str, Vec<(NaiveDate, &Filing)>> = HashMap::new();
    for filing in filings {
        if let Some((number, day)) = filing.file_number.as_deref().zip(filing.filed) {
            of_number.entry(number).or_default().push((day, filing));
        }
    }
    let mut out = HashMap::new();
    for rows in of_number.values_mut() {
        // From the newest on, so that each statement meets the requests that follow it; on one day in the order of effect.
        rows.sort_by_key(|(day, filing)| (Reverse(*day), effect(&filing.form)));
        for (form, back, only_amendments) in [("RW", "RW WD", false), ("AW", "AW WD", true)] {
            let (mut taken_back, mut request) = (false, None);
            for (_, filing) in rows.iter().copied() {
                if filing.form == back {
                    taken_back = true;
                } else if filing.form == form && !taken_back {
                    request = Some(filing);
                } else if let Some(request) = request
                    && is_registration(&filing.form)
                    && (!only_amendments || filing.form.ends_with("/A"))
                {
                    out.entry(filing.accession.as_str()).or_insert(request);
                }
            }
        }
    }
    out
}

/// Place of a form among those of one day: what takes a request back, the request, what it is about.
fn effect(form: &str) -> u8 {
    match form {
        "RW WD" | "AW WD" => 0,
        "RW" | "AW" => 1,
        _ => 2,
    }
}

/// Whether a form registers securities: S-1, F-3, SB-2, N-2, 10-12G.
fn is_registration(form: &str) -> bool {
    ["S-", "F-", "SB-", "N-", "10-12"]
        .iter()
        .any(|begin| form.starts_with(begin))
}

/// Whether the company reports no more: the last that it filed ends its duty, or its securities were removed from their
/// exchange (25) and it has no ticker left.
pub fn of_company(company: &Company, filings: &[Filing]) -> Option<StandingEvidence> {
    let newest = |is: fn(&Filing) -> bool| {
        filings
            .iter()
            .filter(|filing| is(filing))
            .max_by_key(|filing| filing.filed)
    };
    let report = newest(|filing| REPORTS.contains(&base(&filing.form))).and_then(|filing| filing.filed);
    let ending = newest(|filing| ENDING.contains(&filing.form.as_str()))
        .filter(|ending| ending.filed > report)
        .or_else(|| {
            newest(|filing| matches!(filing.form.as_str(), "25" | "25-NSE"))
                .filter(|ending| company.tickers.is_empty() && ending.filed >= report)
        })?;
    Some(
        StandingEvidence::field(StandingState::Ended, "form", ending.form.as_str())
            .since(ending.filed)
            .by("issuer")
            .notice(request::index_page(company.cik, &ending.accession)),
    )
}

/// That the company was asked for by a name that it gave up.
pub fn of_name(company: &Company, words: &str) -> Option<StandingEvidence> {
    let plain = |name: &str| {
        let words = name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let asked = plain(words);
    if asked.is_empty() || plain(&company.name).starts_with(&asked) {
        return None;
    }
    let former = company
        .former_names
        .iter()
        .find(|former| plain(&former.name).starts_with(&asked))?;
    Some(
        StandingEvidence::field(StandingState::Moved, "formerNames[].name", former.name.as_str())
            .since(former.until)
            .by("issuer")
            .replaced_by(Some(Replacement::id(company.name.as_str()))),
    )
}

#[cfg(test)]
mod tests;
