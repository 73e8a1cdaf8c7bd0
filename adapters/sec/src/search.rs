//! Full-text search hits. A hit is a document; several belong to one filing.

use std::collections::HashMap;

use crate::input::URL;
use chrono::NaiveDate;
use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{DateEvidence, Item, SourceError, quoted};
use freshcontext_parse::date::day;
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::text;
use serde::Deserialize;

use crate::{items, request};

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    hits: Option<Hits>,
    #[serde(default)]
    timed_out: bool,
    #[serde(default, rename = "_shards")]
    shards: Option<Shards>,
}

#[derive(Debug, Deserialize)]
struct Shards {
    #[serde(default)]
    failed: u64,
}

#[derive(Debug, Deserialize)]
struct Hits {
    #[serde(default)]
    total: Option<Total>,
    hits: Lenient<Hit>,
}

#[derive(Debug, Deserialize)]
struct Total {
    value: u64,
    #[serde(default)]
    relation: String,
}

#[derive(Debug, Deserialize)]
struct Hit {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_source")]
    source: Source,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
struct Source {
    adsh: String,
    #[serde(default)]
    ciks: Vec<String>,
    #[serde(default)]
    display_names: Vec<String>,
    form: Option<String>,
    file_type: Option<String>,
    file_description: Option<String>,
    file_date: Option<String>,
    period_ending: Option<String>,
    items: Option<Vec<String>>,
    biz_locations: Option<Vec<String>>,
}

/// One page of search results.
#[derive(Debug)]
pub struct Page {
    /// Filings, in the order of their best hit.
    pub filings: Vec<Found>,
    /// Documents on this page.
    pub documents: usize,
    /// Documents that match; at least, where `more` is set.
    pub total: u64,
    /// Whether `total` is only a lower bound.
    pub more: bool,
    /// Entries that could not be read.
    pub unread: usize,
    /// Whether EDGAR says that it did not search everything.
    pub incomplete: bool,
}

/// A filing found by its text.
#[derive(Debug, Clone)]
pub struct Found {
    accession: String,
    form: Option<String>,
    /// Filing day, where it is a date.
    pub filed: Option<NaiveDate>,
    event: Option<NaiveDate>,
    filers: Vec<Filer>,
    cik: Option<u64>,
    items: Vec<String>,
    location: Option<String>,
    documents: Vec<(String, String)>,
}

/// A name as EDGAR decorates it: `NAME  (TICKER, TICKER)  (CIK 0000000001)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filer {
    /// The name without decorations.
    pub name: String,
    /// Its tickers.
    pub tickers: Vec<String>,
}

/// Takes a display name apart. Decorations follow two blanks; `(DELAWARE)` after one is the name's own.
pub fn filer(display: &str) -> Filer {
    let mut parts = display.split("  ").map(str::trim).filter(|part| !part.is_empty());
    let name = parts.next().unwrap_or_default().to_owned();
    let tickers = parts
        .filter_map(|part| part.strip_prefix('(')?.strip_suffix(')'))
        .filter(|part| !part.starts_with("CIK "))
        .flat_map(|part| part.split(','))
        .map(|ticker| ticker.trim().to_owned())
        .filter(|ticker| !ticker.is_empty())
        .collect();
    Filer { name, tickers }
}

/// Reads one page of full-text search.
pub fn page(body: &str) -> Result<Page, SourceError> {
    let answer: Answer = json::parse(body, "EDGAR search")?;
    if let Some(error) = answer.error.filter(|error| !error.is_null()) {
        return Err(refused(&error));
    }
    let hits = answer
        .hits
        .ok_or_else(|| SourceError::malformed("EDGAR's search answer has no hits"))?;
    let total = hits
        .total
        .ok_or_else(|| SourceError::malformed("EDGAR's search answer has no total"))?;
    let unread = hits.hits.unreadable;
    let documents = hits.hits.items.len() + unread;
    let mut filings: Vec<Found> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for hit in hits.hits.items {
        let file = hit.id.split_once(':').map(|(_, file)| file.to_owned());
        let kind = hit
            .source
            .file_description
            .or(hit.source.file_type)
            .unwrap_or_default();
        let document = file.filter(|file| !file.is_empty()).map(|file| (kind, file));
        let place = *places.entry(hit.source.adsh.clone()).or_insert(filings.len());
        if let Some(known) = filings.get_mut(place) {
            known.documents.extend(document);
            continue;
        }
        filings.push(Found {
            accession: hit.source.adsh,
            form: hit.source.form,
            filed: hit.source.file_date.as_deref().and_then(day),
            event: hit.source.period_ending.as_deref().and_then(day),
            filers: hit.source.display_names.iter().map(|name| filer(name)).collect(),
            cik: hit.source.ciks.first().and_then(|cik| cik.parse().ok()),
            items: items::describe(hit.source.items.iter().flatten().map(String::as_str)),
            location: hit
                .source
                .biz_locations
                .and_then(|places| places.into_iter().next()),
            documents: document.into_iter().collect(),
        });
    }
    if filings.is_empty() && unread > 0 {
        return Err(SourceError::malformed(
            "EDGAR's search answer: none of the hits has the documented shape",
        ));
    }
    let incomplete = answer.timed_out || answer.shards.is_some_and(|shards| shards.failed > 0);
    Ok(Page {
        filings,
        documents,
        total: total.value,
        more: total.relation != "eq",
        unread,
        incomplete,
    })
}

/// A status 200 with an error in it is a rejected request, not an absence.
fn refused(error: &Value) -> SourceError {
    let said = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
    let said = text::said(&said, 160);
    if said.to_ascii_lowercase().starts_with("blank search") {
        return URL
            .like(r#"{"url": "data breach"}"#)
            .wrong(format!("was refused by EDGAR's search: {}", quoted(&said)));
    }
    SourceError::upstream(format!(
        "EDGAR's search answered with an error: {}",
        quoted(&said)
    ))
}

/// Companies that EDGAR's name lookup proposes, as number and name.
pub fn candidates(body: &str) -> Result<Vec<(u64, String)>, SourceError> {
    #[derive(Deserialize)]
    struct Names {
        hits: NameHits,
    }
    #[derive(Deserialize)]
    struct NameHits {
        hits: Vec<Value>,
    }
    let read: Names = json::parse(body, "EDGAR name lookup")?;
    let candidate = |hit: &Value| {
        let id = match hit.get("_id")? {
            Value::String(text) => text.parse().ok()?,
            number => number.as_u64()?,
        };
        let name = hit.get("_source")?.get("entity")?.as_str()?;
        Some((id, filer(name).name))
    };
    Ok(read.hits.hits.iter().filter_map(candidate).collect())
}

impl Found {
    /// Whether it is of one of these forms; none given means any.
    pub fn is_of(&self, forms: &[String]) -> bool {
        let form = self.form.as_deref().unwrap_or_default();
        forms.is_empty() || forms.iter().any(|wanted| wanted.eq_ignore_ascii_case(form))
    }

    /// The filing as an item.
    pub fn item(&self) -> Item {
        let names: Vec<&str> = self.filers.iter().map(|filer| filer.name.as_str()).collect();
        let company = if names.is_empty() {
            self.accession.clone()
        } else {
            names.join(" / ")
        };
        let form = self.form.as_deref().unwrap_or_default();
        let mut title = format!("{company} {form}").trim_end().to_owned();
        if let Some(what) = items::headline(&self.items) {
            title = format!("{title}: {what}");
        }
        let mut item = Item::new(title, DateEvidence::optional_field("file_date", self.filed));
        item.id = Some(self.accession.clone());
        let index = self.cik.and_then(|cik| request::index_page(cik, &self.accession));
        let address = |file: &str| {
            self.cik
                .and_then(|cik| request::document(cik, &self.accession, file))
        };
        let first = self.documents.first();
        item.url = first
            .and_then(|(_, file)| address(file))
            .or_else(|| index.clone());
        item.set("form", form);
        item.set("items", self.items.clone());
        item.set_day("filed", self.filed);
        item.set_day("event_date", self.event);
        item.set("cik", self.cik);
        let tickers: Vec<&str> = self
            .filers
            .iter()
            .flat_map(|filer| filer.tickers.iter().map(String::as_str))
            .collect();
        item.set("tickers", tickers);
        item.set("location", self.location.clone());
        item.set("accession", self.accession.as_str());
        item.set("document", first.map(|(kind, _)| kind.clone()));
        if self.documents.len() > 1 {
            item.set("matching_documents", self.documents.len());
        }
        if index != item.url {
            item.set("filing_index", index);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn decorations_are_told_from_names() {
        let ford = filer("FORD MOTOR CO  (F, F-PB)  (CIK 0000037996)");
        assert_eq!(
            (ford.name.as_str(), ford.tickers.join("|").as_str()),
            ("FORD MOTOR CO", "F|F-PB")
        );
        let bank = filer("BANK OF AMERICA CORP /DE/  (BAC)  (CIK 0000070858)");
        assert_eq!(bank.name, "BANK OF AMERICA CORP /DE/");
        let credit = filer("EXAMPLE TRUST (DELAWARE)  (CIK 0000000001)");
        assert_eq!(
            credit,
            Filer {
                name: "EXAMPLE TRUST (DELAWARE)".into(),
                tickers: vec![]
            }
        );
        assert_eq!(
            filer(""),
            Filer {
                name: String::new(),
                tickers: vec![]
            }
        );
    }

    #[test]
    fn an_error_with_status_200_is_no_absence() {
        let blank = r#"{"error": "Blank search not valid. x", "hits": {"hits": []}}"#;
        assert_eq!(page(blank).unwrap_err().code, ErrorCode::InvalidInput);
        let other = r#"{"error": {"type": "parsing_exception"}}"#;
        assert_eq!(page(other).unwrap_err().code, ErrorCode::UpstreamError);
        assert_eq!(
            page(r#"{"hits": {"hits": []}}"#).unwrap_err().code,
            ErrorCode::Malformed
        );
        assert_eq!(page("{}").unwrap_err().code, ErrorCode::Malformed);
        assert_eq!(page("null").unwrap_err().code, ErrorCode::Malformed);
    }

    #[test]
    fn documents_of_one_filing_are_one_filing() {
        let hit = |file: &str| {
            format!(
                r#"{{"_id":"0000000001-26-000001:{file}","_source":{{"adsh":"0000000001-26-000001","ciks":["0000000001","0000000002"],
                "display_names":["Example Corp  (EX)  (CIK 0000000001)","Example Trust  (CIK 0000000002)"],"form":"8-K/A","file_type":"EX-99.1",
                "file_date":"2026-01-05","period_ending":null,"items":["1.05","9.01"]}}}}"#
            )
        };
        let body = format!(
            r#"{{"hits":{{"total":{{"value":3,"relation":"eq"}},"hits":[{},{},{{"_id":7}}]}}}}"#,
            hit("a.htm"),
            hit("b.htm")
        );
        let page = page(&body).unwrap();
        assert_eq!((page.filings.len(), page.documents, page.unread), (1, 3, 1));
        let item = page.filings[0].item();
        assert_eq!(
            item.title,
            "Example Corp / Example Trust 8-K/A: cybersecurity incident"
        );
        assert_eq!(item.fields["matching_documents"], 2);
        assert!(!item.fields.contains_key("event_date"));
        assert_eq!(
            item.url.as_deref(),
            Some("https://www.sec.gov/Archives/edgar/data/1/000000000126000001/a.htm")
        );
    }

    #[test]
    fn name_candidates_are_bare_numbers() {
        let body = r#"{"hits":{"hits":[{"_id":"320193","_source":{"entity":"Apple Inc.  (AAPL)  (CIK 0000320193)"}},
            {"_id":"0000037996-23-000061:a.htm","_source":{"entity":"x"}},{"_id":1}]}}"#;
        assert_eq!(candidates(body).unwrap(), [(320_193, "Apple Inc.".to_owned())]);
    }
}
