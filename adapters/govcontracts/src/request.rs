//! Queries to USAspending. They travel in the body of a POST.

use std::collections::HashSet;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{CommonArgs, Request, SourceError};
use freshcontext_parse::link;
use serde_json::{Map, Value, json};

use crate::input::{By, Query};

/// The fields to ask for. One the server does not know would come back as null, not as an error.
/// The interface.
const API: &str = "https://api.usaspending.gov/api/v2/";
const FIELDS: [&str; 21] = [
    "Award ID",
    "Recipient Name",
    "Recipient UEI",
    "recipient_id",
    "Award Amount",
    "Total Outlays",
    "Description",
    "Contract Award Type",
    "Start Date",
    "End Date",
    "Last Date to Order",
    "Base Obligation Date",
    "Last Modified Date",
    "Awarding Agency",
    "Awarding Sub Agency",
    "Funding Agency",
    "NAICS",
    "PSC",
    "Recipient Location",
    "Primary Place of Performance",
    "generated_internal_id",
];

/// Actions that are read of one award. A termination is among the last that there are.
const MOST_ACTIONS: u32 = 50;

/// Statuses whose body explains what was wrong with the query.
const EXPLAINED: &[u16] = &[400, 422];

/// How the words are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Awards to recipients of this name or UEI.
    Recipient(String),
    /// Awards to the one recipient that a name stands for, by its UEI.
    Entity {
        /// Its unique entity id.
        uei: String,
        /// Its name.
        name: String,
        /// The ids of other recipients of the list that are not its subsidiaries.
        independent: HashSet<String>,
    },
    /// Awards to recipients whose names have these words: which of them is meant is not known.
    Begins(String),
    /// Awards to recipients of exactly this name, legal form aside.
    Named(String),
    /// Awards to recipients of exactly this legal name.
    Legal {
        /// The name without its legal form, which is searched for.
        words: String,
        /// The whole name.
        name: String,
    },
    /// Awards by an agency.
    Agency(&'static str),
    /// Awards in an industry.
    Naics(String),
    /// Awards that mention the word; three letters at least.
    Keyword(String),
    /// Awards whose description has the word, for words too short to be keywords.
    Description(String),
}

/// Recipients whose name or number matches, the largest first.
pub fn recipients(words: &str) -> Result<Request, SourceError> {
    let body = json!({ "keyword": words, "limit": 20, "page": 1, "sort": "amount", "order": "desc" });
    let request = Request::post_json(link::built(API, &["recipient", ""])?, &body).accepting(EXPLAINED);
    Ok(request.cache_for(Duration::from_hours(6)))
}

/// What is known of one recipient, its parents included. Its id is a name of letters, digits and dashes, else there is no
/// such page.
pub fn recipient(id: &str) -> Option<Request> {
    let id = id.trim();
    let is_id =
        !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let request = is_id.then(|| link::json(API, &["recipient", id, ""]))?.ok()?;
    Some(request.cache_for(Duration::from_hours(6)))
}

/// One award.
pub fn award(id: &str) -> Result<Request, SourceError> {
    Ok(link::json(API, &["awards", id, ""])?.accepting(EXPLAINED))
}

/// The newest actions of one award.
pub fn actions(id: &str) -> Result<Request, SourceError> {
    let body =
        json!({ "award_id": id, "page": 1, "limit": MOST_ACTIONS, "sort": "action_date", "order": "desc" });
    Ok(Request::post_json(
        link::built(API, &["transactions", ""])?,
        &body,
    ))
}

/// One page of awards.
pub fn awards(
    filter: &Filter,
    query: &Query,
    args: &CommonArgs,
    now: DateTime<Utc>,
    page: usize,
) -> Result<Request, SourceError> {
    let codes = if query.idv {
        json!([
            "IDV_A", "IDV_B", "IDV_B_A", "IDV_B_B", "IDV_B_C", "IDV_C", "IDV_D", "IDV_E"
        ])
    } else {
        json!(["A", "B", "C", "D"])
    };
    let mut filters = Map::new();
    filters.insert("award_type_codes".to_owned(), codes);
    let (name, value) = match filter {
        Filter::Recipient(words)
        | Filter::Begins(words)
        | Filter::Named(words)
        | Filter::Legal { words, .. }
        | Filter::Entity { uei: words, .. } => ("recipient_search_text", json!([words])),
        Filter::Agency(agency) => (
            "agencies",
            json!([{ "type": "awarding", "tier": "toptier", "name": agency }]),
        ),
        Filter::Naics(code) => ("naics_codes", json!({ "require": [code] })),
        Filter::Keyword(word) => ("keywords", json!([word])),
        Filter::Description(word) => ("description", json!(word)),
    };
    filters.insert(name.to_owned(), value);
    if let Some(period) = period(query.by, args, now) {
        filters.insert("time_period".to_owned(), json!([period]));
    }
    let body = json!({
        "filters": filters,
        "fields": FIELDS,
        "limit": args.limit,
        "page": page,
        "sort": match (args.sort, query.by) {
            (Some("top"), _) => "Award Amount",
            (_, By::Signed) => "Base Obligation Date",
            (_, By::Modified) => "Last Modified Date",
        },
        "order": if args.sort == Some("oldest") { "asc" } else { "desc" },
        "spending_level": "awards",
    });
    Ok(
        Request::post_json(link::built(API, &["search", "spending_by_award", ""])?, &body)
            .accepting(EXPLAINED),
    )
}

/// The days asked for. Without a date type the server matches any award that was touched in them.
fn period(by: By, args: &CommonArgs, now: DateTime<Utc>) -> Option<Value> {
    if args.since.is_none() && args.until.is_none() {
        return None;
    }
    let earliest = NaiveDate::from_ymd_opt(2007, 10, 1).unwrap_or_default();
    let since = args.since.map_or(earliest, |at| at.date_naive().max(earliest));
    let until = args
        .until
        .map_or_else(|| now.date_naive().max(since), |at| at.date_naive());
    let kind = match by {
        By::Signed => "date_signed",
        By::Modified => "last_modified_date",
    };
    Some(json!({
        "start_date": since.to_string(),
        "end_date": until.to_string(),
        "date_type": kind,
    }))
}

/// The page of the search for people. It keeps what was searched for in itself, and not in its address.
pub fn search_page() -> Result<Url, SourceError> {
    link::built("https://www.usaspending.gov/search", &[])
}

/// The page of an award for people.
pub fn page(id: &str) -> Option<String> {
    let mut url = Url::parse("https://www.usaspending.gov/award/").ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().push(id);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DESCRIPTOR;
    use crate::input::{Input, read};

    fn body(filter: &Filter, change: impl FnOnce(&mut CommonArgs), by: &str) -> Value {
        let query = read(&Input {
            url: "NASA".into(),
            by: Some(by.to_owned()),
            idv: None,
        })
        .unwrap();
        let mut args = CommonArgs::defaults(&DESCRIPTOR.args);
        change(&mut args);
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        let request = awards(filter, &query, &args, now, 1).unwrap();
        assert_eq!(
            request.url.as_str(),
            "https://api.usaspending.gov/api/v2/search/spending_by_award/"
        );
        serde_json::from_slice(&request.body.unwrap()).unwrap()
    }

    #[test]
    fn the_newest_signed_come_first() {
        let body = body(&Filter::Recipient("Palantir \"x\"".into()), |_| (), "signed");
        assert_eq!(body["sort"], "Base Obligation Date");
        assert_eq!(body["order"], "desc");
        assert_eq!(
            body["filters"]["recipient_search_text"],
            json!(["Palantir \"x\""])
        );
        assert_eq!(body["filters"]["award_type_codes"], json!(["A", "B", "C", "D"]));
        assert!(body["filters"].get("time_period").is_none());
        // What is sorted by must be among the fields.
        assert!(body["fields"].as_array().unwrap().contains(&body["sort"]));
        assert!(!body["fields"].as_array().unwrap().contains(&json!("Award Date")));
    }

    #[test]
    fn a_naics_code_is_no_keyword() {
        let body = body(&Filter::Naics("541511".into()), |_| (), "signed");
        assert_eq!(body["filters"]["naics_codes"], json!({ "require": ["541511"] }));
        assert!(body["filters"].get("keywords").is_none());
    }

    #[test]
    fn days_say_which_day_they_mean() {
        let body = body(
            &Filter::Keyword("laser".into()),
            |args| {
                args.since = Some("2026-11-01T00:00:00Z".parse().unwrap());
                args.until = Some("2026-11-01T23:59:59.999Z".parse().unwrap());
            },
            "modified",
        );
        let period = json!([{ "start_date": "2026-11-01", "end_date": "2026-11-01", "date_type": "last_modified_date" }]);
        assert_eq!(body["filters"]["time_period"], period);
        assert_eq!(body["sort"], "Last Modified Date");
    }

    #[test]
    fn award_addresses_are_encoded() {
        assert_eq!(
            award("CONT_AWD_NAS1510000_8000_-NONE-_-NONE-")
                .unwrap()
                .url
                .as_str(),
            "https://api.usaspending.gov/api/v2/awards/CONT_AWD_NAS1510000_8000_-NONE-_-NONE-/"
        );
        assert_eq!(
            page("a b/c").unwrap(),
            "https://www.usaspending.gov/award/a%20b%2Fc"
        );
    }
}
