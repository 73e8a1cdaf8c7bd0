//! Addresses of data.gov.sg.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::link;

use crate::input::{DATASET, Query};

/// Rows of one page; the source serves 5,000 and refuses 10,000.
pub const PAGE: usize = 5_000;
/// Pages that one call may read: the dataset has about 18,500 rows.
pub const PAGES: usize = 4;

/// The dataset is republished months apart.
const KEEP: Duration = Duration::from_hours(6);

/// One page of matching rows. Never with `sort`: the source would sort dates as text.
pub fn rows(query: &Query, offset: usize) -> Result<Request, SourceError> {
    let (limit, start) = (PAGE.to_string(), offset.to_string());
    let of_agency = serde_json::json!({ "agency": query.words }).to_string();
    let words = if query.agency { &of_agency } else { &query.words };
    let url = KeyedUrl::new("https://data.gov.sg/api/action/datastore_search", &[])?.with([
        ("resource_id", Some(DATASET)),
        ("limit", Some(limit.as_str())),
        ("offset", (offset > 0).then_some(start.as_str())),
        ("q", Some(words.as_str()).filter(|words| !words.is_empty())),
    ]);
    Ok(Request::get(url, Media::Json).cache_for(KEEP))
}

/// The rows of one tender.
pub fn of_tender(number: &str) -> Result<Request, SourceError> {
    let filters = serde_json::json!({ "tender_no": number }).to_string();
    let limit = PAGE.to_string();
    let url = KeyedUrl::new("https://data.gov.sg/api/action/datastore_search", &[])?.with([
        ("resource_id", DATASET),
        ("limit", limit.as_str()),
        ("filters", filters.as_str()),
    ]);
    Ok(Request::get(url, Media::Json).cache_for(KEEP))
}

/// The dataset's own record.
pub fn metadata() -> Result<Request, SourceError> {
    let url = KeyedUrl::new(
        "https://api-production.data.gov.sg/v2/public/api/datasets/",
        &[DATASET, "metadata"],
    )?;
    Ok(Request::get(url, Media::Json).cache_for(KEEP))
}

/// The page of the dataset for people.
pub fn page() -> Result<Url, SourceError> {
    link::built("https://data.gov.sg/datasets", &[DATASET, "view"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Input, read};

    fn url(given: &str, offset: usize) -> String {
        let query = read(&Input {
            url: Some(given.to_owned()),
        })
        .unwrap();
        rows(&query, offset).unwrap().url.to_string()
    }

    #[test]
    fn rows_are_asked_for_without_a_server_side_sort() {
        let base = "https://data.gov.sg/api/action/datastore_search?resource_id=d_acde1106003906a75c3fa052592f2fcb&limit=5000";
        assert_eq!(url("", 0), base);
        assert_eq!(
            url("a&b \"c d\"", 5000),
            format!("{base}&offset=5000&q=a%26b+c+d")
        );
        assert_eq!(
            url("MOH", 0),
            format!("{base}&q=%7B%22agency%22%3A%22Ministry+of+Health%22%7D")
        );
    }
}
