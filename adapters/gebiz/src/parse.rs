//! From answers of data.gov.sg to rows.

use chrono::{DateTime, FixedOffset, NaiveDate};
use freshcontext_contract::{ErrorCode, SourceError, quoted};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::text;
use serde::Deserialize;
use serde_json::Value;

/// One row of the dataset: one supplier or line item of one tender.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Number of the row in the file.
    pub number: Option<i64>,
    /// Tender number.
    pub tender: String,
    /// What is bought.
    pub description: String,
    /// Who buys.
    pub agency: String,
    /// Award day, where it is a date.
    pub awarded: Option<NaiveDate>,
    /// How the tender ended.
    pub status: String,
    /// Who sells; none where nobody got it.
    pub supplier: Option<String>,
    /// Singapore dollars, where it is an amount.
    pub amount: Option<f64>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
struct Wire {
    #[serde(rename = "_id")]
    id: Option<i64>,
    tender_no: String,
    tender_description: Option<String>,
    agency: Option<String>,
    award_date: Option<String>,
    tender_detail_status: Option<String>,
    supplier_name: Option<String>,
    #[serde(default)]
    awarded_amt: Value,
}

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    success: Option<bool>,
    #[serde(default)]
    result: Option<Found>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, rename = "errorMsg")]
    message: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Found {
    records: Lenient<Wire>,
    #[serde(default)]
    total: Value,
}

/// One page of rows.
#[derive(Debug)]
pub struct Page {
    /// Rows that could be read.
    pub rows: Vec<Row>,
    /// Rows received.
    pub received: usize,
    /// Rows that match in all, where the source says.
    pub total: Option<usize>,
}

/// Reads one page of search results.
pub fn page(body: &str) -> Result<Page, SourceError> {
    let answer: Answer = json::parse(body, "data.gov.sg search")?;
    if answer.success != Some(true) {
        return Err(refusal(&answer));
    }
    let found = answer
        .result
        .ok_or_else(|| SourceError::malformed("data.gov.sg search: the answer has no result"))?;
    let total = match &found.total {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let received = found.records.sent();
    let rows = found.records.filter_map(row);
    let rows = rows.or_none_readable("data.gov.sg search: none of the rows has a tender number")?;
    Ok(Page {
        received,
        rows: rows.items,
        total: total.and_then(|total| usize::try_from(total).ok()),
    })
}

fn refusal(answer: &Answer) -> SourceError {
    if answer.name.as_deref() == Some("TOO_MANY_REQUESTS") {
        return SourceError::rate_limited("data.gov.sg says that there were too many requests");
    }
    let said = answer
        .error
        .as_ref()
        .and_then(|error| error.get("message").and_then(Value::as_str).or(error.as_str()))
        .or(answer.message.as_deref());
    let Some(said) = said else {
        return SourceError::malformed(
            "data.gov.sg search: the answer claims no success and gives no reason",
        );
    };
    let said = text::said(said, 160);
    let missing = said.to_ascii_lowercase().contains("not found");
    let code = if missing {
        ErrorCode::NotFound
    } else {
        ErrorCode::UpstreamError
    };
    let error = SourceError::new(
        code,
        format!("data.gov.sg answered with an error: {}", quoted(&said)),
    );
    if missing {
        // The words of a caller find no tenders; only the data set itself can be missing.
        error.hint("the data set has moved: update freshcontext, or report it")
    } else {
        error
    }
}

/// A row without a tender number belongs to no tender: two of them are not one.
fn row(wire: Wire) -> Option<Row> {
    let line = |text: Option<String>| text::one_line(&text.unwrap_or_default());
    let status = line(wire.tender_detail_status);
    let failed = is_failed(&status);
    let supplier = Some(line(wire.supplier_name)).filter(|name| {
        !failed && !name.is_empty() && !matches!(name.to_ascii_lowercase().as_str(), "unknown" | "na" | "n/a")
    });
    Some(Row {
        number: wire.id,
        tender: Some(text::one_line(&wire.tender_no)).filter(|number| !number.is_empty())?,
        description: line(wire.tender_description),
        agency: line(wire.agency),
        awarded: wire.award_date.as_deref().and_then(day),
        status,
        supplier,
        amount: amount(&wire.awarded_amt).filter(|_| !failed),
    })
}

/// Whether a status means that nobody got the tender.
pub fn is_failed(status: &str) -> bool {
    status.eq_ignore_ascii_case("Awarded to No Suppliers")
}

/// `D/M/YYYY`, day first, as a real day: 31/2/2024 is none.
fn day(text: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.trim().split('/').collect();
    let [day, month, year] = parts.as_slice() else {
        return None;
    };
    NaiveDate::from_ymd_opt(
        text::digits(year, 4..=4)?,
        text::digits(month, 1..=2)?,
        text::digits(day, 1..=2)?,
    )
}

/// An amount as number or text. `na`, blanks and nonsense are none; signs and exponents count.
fn amount(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let plain = text.trim().replace(',', "");
            plain
                .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'))
                .then(|| plain.parse().ok())
                .flatten()
        }
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// Singapore's clock, all year: seconds east of UTC.
const SINGAPORE: i32 = 8 * 3600;

/// The day on which the dataset was last published, as Singapore counts days.
pub fn updated(body: &str) -> Option<NaiveDate> {
    let value: Value = json::parse(body, "dataset record").ok()?;
    let text = value.get("data")?.get("lastUpdatedAt")?.as_str()?;
    let at = DateTime::parse_from_rfc3339(text).ok()?;
    Some(at.with_timezone(&FixedOffset::east_opt(SINGAPORE)?).date_naive())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_day_first_and_real() {
        let at = |text: &str| day(text).map(|day| day.to_string());
        assert_eq!(at("6/9/2021").as_deref(), Some("2021-09-06"));
        assert_eq!(at("29/2/2024").as_deref(), Some("2024-02-29"));
        for wrong in [
            "29/2/2023",
            "31/2/2024",
            "2021-09-06",
            "12/13/2021",
            "6/9/21",
            "+6/9/2021",
            "",
            "6/9/2021/1",
        ] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn amounts_keep_their_value() {
        let of = |value: Value| amount(&value);
        assert_eq!(of(Value::from("2321600")), Some(2_321_600.0));
        assert_eq!(of(Value::from("19,737.39")), Some(19_737.39));
        assert_eq!(of(Value::from(7)), Some(7.0));
        assert_eq!(of(Value::from("-5")), Some(-5.0));
        assert_eq!(of(Value::from("1.5e3")), Some(1_500.0));
        for none in ["na", "", "inf", "NaN", "S$5"] {
            assert_eq!(of(Value::from(none)), None, "{none}");
        }
        assert_eq!(of(Value::Null), None);
    }

    #[test]
    fn success_must_be_claimed() {
        let code = |body: &str| page(body).unwrap_err().code;
        assert_eq!(
            code(r#"{"code":24,"name":"TOO_MANY_REQUESTS","data":null,"errorMsg":"Rate limit exceeded."}"#),
            ErrorCode::RateLimited
        );
        assert_eq!(
            code(r#"{"success":false,"error":{"message":"Not found: Resource","__type":"Not Found Error"}}"#),
            ErrorCode::NotFound
        );
        assert_eq!(
            code(r#"{"success":false,"error":{"message":"boom"}}"#),
            ErrorCode::UpstreamError
        );
        assert_eq!(code(r#"{"records":[]}"#), ErrorCode::Malformed);
        assert_eq!(code(r#"{"success":true}"#), ErrorCode::Malformed);
        assert_eq!(
            code(r#"{"success":true,"result":{"records":[{"x":1},{"tender_no":""}],"total":2}}"#),
            ErrorCode::Malformed
        );
        assert_eq!(code("<html>"), ErrorCode::Malformed);
    }

    #[test]
    fn totals_come_as_number_or_text() {
        let total = |total: &str| {
            page(&format!(
                r#"{{"success":true,"result":{{"records":[{{"x":1}},{{"tender_no":" "}},{{"tender_no":"T"}}],"total":{total}}}}}"#
            ))
            .unwrap()
        };
        assert_eq!(total("5").total, Some(5));
        assert_eq!(total("\"18021\"").total, Some(18_021));
        let odd = total("null");
        assert_eq!((odd.total, odd.received, odd.rows.len()), (None, 3, 1));
    }

    #[test]
    fn the_dataset_day_is_singapores() {
        for (at, day) in [
            ("2026-09-07T02:10:24+08:00", "2026-09-07"),
            ("2026-09-06T18:10:24Z", "2026-09-07"),
            ("2026-09-06T15:59:59Z", "2026-09-06"),
        ] {
            let body = format!(r#"{{"code":0,"data":{{"lastUpdatedAt":"{at}"}}}}"#);
            assert_eq!(updated(&body).unwrap().to_string(), day, "{at}");
        }
        assert_eq!(updated("{}"), None);
    }
}
