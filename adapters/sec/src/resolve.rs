//! From words to a company, or to the statement that they name none or several.

use std::collections::{BTreeMap, HashSet};

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{Company, Identity, LEGAL_FORMS, SourceError, code, named};
use freshcontext_parse::{json, text};
use serde::Deserialize;

use crate::input::ticker;

/// One line of the ticker table.
#[derive(Debug, Clone, Deserialize)]
pub struct Listed {
    /// The company's number.
    #[serde(rename = "cik_str")]
    pub cik: u64,
    ticker: String,
    title: String,
}

/// What words turned out to name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// One company, with how it was recognised.
    Company {
        /// Its number.
        cik: u64,
        /// A remark for the reader.
        how: String,
    },
    /// Several companies, as name and number.
    Several(Vec<(u64, String)>),
    /// No company.
    Nothing,
}

/// Reads the ticker table, an object keyed by row number; a bad row is left out.
pub fn table(body: &str) -> Result<Vec<Listed>, SourceError> {
    let rows: BTreeMap<String, Value> = json::parse(body, "EDGAR ticker table")?;
    let listed: Vec<Listed> = rows
        .into_values()
        .filter_map(|row| serde_json::from_value(row).ok())
        .collect();
    if listed.is_empty() {
        return Err(SourceError::malformed("EDGAR ticker table: no readable row"));
    }
    Ok(listed)
}

/// The company of a ticker.
pub fn by_ticker<'t>(table: &'t [Listed], symbol: &str) -> Option<&'t Listed> {
    table
        .iter()
        .find(|listed| listed.ticker.eq_ignore_ascii_case(symbol))
}

/// Reads words as a ticker, else as the name of a listed company.
pub fn by_words(table: &[Listed], words: &str) -> Resolved {
    let symbol = ticker(words).and_then(|symbol| by_ticker(table, &symbol));
    let shouted = !words.chars().any(char::is_lowercase);
    if let Some(listed) = symbol.filter(|_| shouted) {
        return company(listed, words);
    }
    let named = by_name(
        table.iter().map(|listed| (listed.cik, listed.title.as_str())),
        words,
    );
    match (named, symbol) {
        // A word in lower case may be a ticker typed carelessly, where it names no company.
        (Resolved::Nothing, Some(listed)) => company(listed, words),
        (named, _) => named,
    }
}

impl Listed {
    fn company(&self) -> Company {
        Company {
            name: self.title.clone(),
            number: self.cik,
            ticker: Some(self.ticker.clone()),
        }
    }
}

/// Most companies that a name may be of and that are named.
const MOST_CANDIDATES: usize = 8;

/// Which company a name and a ticker are of. The ticker settles a name that several have, and one that is not that of a
/// listed company, as a brand is not. Where the name is exactly that of another company than the ticker's, the name counts
/// and the other company is named.
pub fn identity(table: &[Listed], name: Option<&str>, symbol: Option<&str>) -> Identity {
    let of_ticker = symbol.and_then(|symbol| by_ticker(table, symbol));
    let mut out = Identity {
        knows_ticker: of_ticker.is_some(),
        ..Identity::default()
    };
    let wanted = name.map(plain_words).unwrap_or_default();
    let (mut same, mut longer): (Vec<&Listed>, Vec<&Listed>) = (Vec::new(), Vec::new());
    for listed in table.iter().filter(|_| !wanted.is_empty()) {
        let words = plain_words(&listed.title);
        // A point may stand for a space: Amazon.com is AMAZON COM INC.
        let hits = if words == wanted || words.concat() == wanted.concat() {
            &mut same
        } else if words.starts_with(&wanted) {
            &mut longer
        } else {
            continue;
        };
        // One company may have several lines, one for each class of share; the first is its main one.
        if !hits.iter().any(|hit| hit.cik == listed.cik) {
            hits.push(listed);
        }
    }
    // A ticker that stands in the place of the name.
    let as_ticker = name
        .filter(|name| !name.chars().any(char::is_lowercase))
        .and_then(ticker)
        .and_then(|symbol| by_ticker(table, &symbol));
    let is_theirs = |listed: &Listed| {
        let found = same.iter().chain(&longer);
        has_words(&listed.title, &wanted) || found.clone().any(|one| one.cik == listed.cik)
    };
    let settled = match of_ticker {
        // The name is no listed company's, or may be this one's.
        Some(listed) if (same.is_empty() && longer.is_empty()) || is_theirs(listed) => Some(listed),
        Some(listed) => {
            out.other = Some(listed.company());
            match same.as_slice() {
                [one] => Some(*one),
                _ => None,
            }
        }
        None => match (same.as_slice(), longer.as_slice(), as_ticker) {
            ([one], ..) | ([], [one], None) => Some(*one),
            ([], _, Some(listed)) => Some(listed),
            _ => None,
        },
    };
    out.company = settled.map(Listed::company);
    let others = same.into_iter().chain(longer);
    out.candidates = others
        .filter(|listed| settled.is_none_or(|settled| settled.cik != listed.cik))
        .take(MOST_CANDIDATES)
        .map(Listed::company)
        .collect();
    out
}

fn has_words(name: &str, words: &[String]) -> bool {
    let name = plain_words(name);
    words.iter().all(|word| name.contains(word))
}

fn company(listed: &Listed, words: &str) -> Resolved {
    let how = format!(
        "{} was read as the ticker of {} (CIK {})",
        code(words),
        named(&listed.title),
        listed.cik
    );
    Resolved::Company { cik: listed.cik, how }
}

/// Reads words as a company's name: the same name, else names that begin with these words.
pub fn by_name<'n>(names: impl Iterator<Item = (u64, &'n str)>, words: &str) -> Resolved {
    let wanted = plain_words(words);
    if wanted.is_empty() {
        return Resolved::Nothing;
    }
    let (mut same, mut longer): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    let mut seen: HashSet<(bool, u64)> = HashSet::new();
    for (cik, name) in names {
        let words = plain_words(name);
        let hits: &mut Vec<(u64, String)> = if words == wanted {
            &mut same
        } else if words.starts_with(&wanted) {
            &mut longer
        } else {
            continue;
        };
        // One company may have several lines, one for each class of share.
        if seen.insert((words == wanted, cik)) {
            hits.push((cik, name.to_owned()));
        }
    }
    let found = if same.is_empty() { longer } else { same };
    match found.as_slice() {
        [] => Resolved::Nothing,
        [(cik, name)] => Resolved::Company {
            cik: *cik,
            how: format!("{} was read as {} (CIK {cik})", code(words), named(name)),
        },
        _ => Resolved::Several(found),
    }
}

/// The words that tell companies apart: lower case, no punctuation, no legal form, no `/DE/`.
fn plain_words(name: &str) -> Vec<String> {
    text::telling_words(name.split(" /").next().unwrap_or(name), |word| {
        LEGAL_FORMS.contains(&word) || matches!(word, "the" | "group" | "holdings" | "holding" | "trust")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Listed> {
        table(
            r#"{"0":{"cik_str":320193,"ticker":"AAPL","title":"Apple Inc."},
            "1":{"cik_str":1321655,"ticker":"PLTR","title":"Palantir Technologies Inc."},
            "2":{"cik_str":1067983,"ticker":"BRK-B","title":"BERKSHIRE HATHAWAY INC"},
            "3":{"cik_str":1067983,"ticker":"BRK-A","title":"BERKSHIRE HATHAWAY INC"},
            "4":{"cik_str":70858,"ticker":"BAC","title":"BANK OF AMERICA CORP /DE/"},
            "5":{"cik_str":1577526,"ticker":"AI","title":"C3.ai, Inc."},
            "6":{"cik_str":11,"ticker":"DMA","title":"Delta Mining Corp"},
            "7":{"cik_str":12,"ticker":"DAL","title":"DELTA AIR LINES, INC."},
            "8":{"cik_str":"bad"}}"#,
        )
        .unwrap()
    }

    fn cik(words: &str) -> Option<u64> {
        match by_words(&sample(), words) {
            Resolved::Company { cik, .. } => Some(cik),
            _ => None,
        }
    }

    #[test]
    fn tickers_and_names_lead_to_companies() {
        assert_eq!(cik("PLTR"), Some(1_321_655));
        assert_eq!(cik("pltr"), Some(1_321_655));
        assert_eq!(cik("Palantir"), Some(1_321_655));
        assert_eq!(cik("apple inc"), Some(320_193));
        assert_eq!(cik("BRK.B"), Some(1_067_983));
        assert_eq!(cik("Berkshire Hathaway"), Some(1_067_983));
        assert_eq!(cik("Bank of America"), Some(70_858));
    }

    #[test]
    fn a_topic_is_no_company() {
        assert_eq!(by_words(&sample(), "cybersecurity incident"), Resolved::Nothing);
        assert_eq!(by_words(&sample(), "app"), Resolved::Nothing);
    }

    #[test]
    fn several_namesakes_are_never_settled_silently() {
        let Resolved::Several(found) = by_words(&sample(), "Delta") else {
            panic!("should be ambiguous")
        };
        assert_eq!(found.iter().map(|(cik, _)| *cik).collect::<Vec<_>>(), [11, 12]);
    }

    #[test]
    fn a_ticker_settles_a_name_and_a_wrong_one_is_named() {
        let settled = |name: Option<&str>, symbol: Option<&str>| {
            let found = identity(&sample(), name, symbol);
            (
                found.company.map(|company| company.number),
                found.other.map(|company| company.number),
                found.candidates.len(),
            )
        };
        assert_eq!(settled(Some("Apple"), Some("AAPL")), (Some(320_193), None, 0));
        assert_eq!(settled(Some("Apple"), None), (Some(320_193), None, 0));
        assert_eq!(settled(None, Some("DAL")), (Some(12), None, 0));
        assert_eq!(settled(Some("Delta"), None), (None, None, 2));
        assert_eq!(settled(Some("Delta"), Some("DAL")), (Some(12), None, 1));
        // A brand is no legal name.
        assert_eq!(settled(Some("Gotham"), Some("PLTR")), (Some(1_321_655), None, 0));
        assert_eq!(settled(Some("Apple"), Some("DAL")), (Some(320_193), Some(12), 0));
        assert_eq!(settled(Some("Palantir"), Some("DAL")), (None, Some(12), 1));
        assert_eq!(settled(Some("C3.ai"), None), (Some(1_577_526), None, 0));
        assert_eq!(settled(Some("PLTR"), None), (Some(1_321_655), None, 0));
        assert_eq!(settled(Some("No Such Firm"), None), (None, None, 0));
    }

    #[test]
    fn a_table_without_rows_is_malformed() {
        assert!(table("{}").is_err());
        assert!(table("[]").is_err());
        assert!(table("<html>").is_err());
    }
}
