//! Nasdaq: after hours the first block is the extended print and the second the official close.

use chrono::{NaiveDate, NaiveDateTime};
use chrono_tz::America::New_York;
use freshcontext_contract::{DateValue, Media, Request, SourceError, quoted};
use freshcontext_parse::text;
use serde_json::Value;

use super::Provider;
use crate::numbers::{self, Figure, instant, instant_alone, number, words};
use crate::quote::{Extended, Quote};
use crate::request::{get, segment};
use crate::symbol::Ticker;

pub fn request(ticker: &Ticker, class: &str) -> Result<Request, SourceError> {
    let symbol = segment(&ticker.root);
    get(
        &format!("https://api.nasdaq.com/api/quote/{symbol}/info?assetclass={class}"),
        Media::Json,
    )
}

pub fn parse(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = numbers::parse(body, "Nasdaq quote")?;
    let data = match value.get("data") {
        Some(data) if data.is_object() => data,
        // "Symbol not exists." comes with status 200 and no data.
        Some(Value::Null) => return Err(without_data(ticker, &value)),
        _ => return Err(SourceError::malformed("Nasdaq quote: the answer has no data")),
    };
    Provider::Nasdaq.is_of(&ticker.root, data.get("symbol").unwrap_or(&Value::Null))?;
    let block = |name: &str| data.get(name).filter(|block| block.is_object());
    let (first, second) = (block("primaryData"), block("secondaryData"));
    let without_price = || {
        let written = first.and_then(|block| block.get("lastSalePrice"));
        Provider::Nasdaq.no_price(ticker, written.unwrap_or(&Value::Null))
    };
    let close = second.and_then(|block| print(block).map(|print| (block, print)));
    let status = data.get("marketStatus").and_then(words).unwrap_or_default();
    let begins = |begin: &str| status.to_lowercase().starts_with(begin);
    let outside = begins("after") || begins("pre");
    if outside && close.is_none() {
        // The first is then the print outside the session, which must not pass for the session's price.
        return Err(SourceError::malformed(
            "Nasdaq quote: outside the session, and its price is missing",
        ));
    }
    let (session, (price, moment), extended) = match (first, close) {
        // Both there: the second is the regular session.
        (Some(first), Some((second, close))) => (second, close, Some(first)),
        (Some(first), None) => (first, print(first).ok_or_else(without_price)?, None),
        _ => return Err(without_price()),
    };
    let at = |name: &str| data.get(name).unwrap_or(&Value::Null);
    let class = if at("assetClass").as_str() == Some("ETF") {
        "etf"
    } else {
        "stocks"
    };
    let page = format!(
        "https://www.nasdaq.com/market-activity/{class}/{}",
        segment(&ticker.root.to_ascii_lowercase())
    );
    let quote = Quote::new("nasdaq", page, Some(price), "lastTradeTimestamp", Some(moment));
    let mut quote = quote.ok_or_else(without_price)?;
    quote.kind = "regular session";
    // Nasdaq writes its prices with a dollar sign; that is what it states.
    let dollars = session
        .get("lastSalePrice")
        .and_then(Value::as_str)
        .is_some_and(|text| text.trim().starts_with('$'));
    quote.stated_in(dollars.then(|| "USD".to_owned()), ticker, false);
    quote.name = words(at("companyName"));
    quote.exchange = words(at("exchange"));
    quote.market = words(at("marketStatus"));
    let of_session = |name: &str| session.get(name).unwrap_or(&Value::Null);
    quote.change = quote.reads("netChange", of_session("netChange"));
    quote.change_percent = quote.reads("percentageChange", of_session("percentageChange"));
    let key = |name: &str| {
        data.get("keyStats")
            .and_then(|stats| stats.get(name)?.get("value"))
            .and_then(number)
    };
    quote.previous_close = key("PreviousClose");
    quote.open = key("OpenPrice");
    // Before the session it is that of the trading before it, not of the session that the price is from.
    quote.volume = first
        .filter(|_| !begins("pre"))
        .and_then(|first| first.get("volume"))
        .and_then(number)
        .or_else(|| key("Volume").filter(|_| !begins("pre")));
    quote.extended = extended.and_then(|block| {
        let (price, moment) = print(block)?;
        Some(Extended {
            kind: words(at("marketStatus")).unwrap_or_else(|| "outside the regular session".to_owned()),
            price,
            at: instant_alone(Some(moment)),
        })
    });
    Ok(quote)
}

/// Why an answer has no data: Nasdaq says `Symbol not exists.` with code 1001, or something else.
fn without_data(ticker: &Ticker, value: &Value) -> SourceError {
    let said = value
        .pointer("/status/bCodeMessage/0/errorMessage")
        .and_then(words);
    let code = value
        .pointer("/status/bCodeMessage/0/code")
        .and_then(Value::as_i64);
    let unknown = said
        .as_ref()
        .is_some_and(|said| said.to_lowercase().contains("not exist"));
    if unknown || code == Some(1001) {
        return Provider::Nasdaq.unknown(ticker);
    }
    match said {
        Some(said) => {
            let said = text::said(&said, 80);
            SourceError::upstream(format!("Nasdaq answered with an error: {}", quoted(&said)))
        }
        None => SourceError::malformed("Nasdaq quote: the answer has no data and does not say why"),
    }
}

fn print(block: &Value) -> Option<(Figure, DateValue)> {
    Some((
        number(block.get("lastSalePrice")?)?,
        moment(block.get("lastTradeTimestamp")?.as_str()?)?,
    ))
}

/// `Oct 7, 2026 12:52 PM ET`, also after `Closed at`; `DATA AS OF Jul 28, 2020`.
fn moment(text: &str) -> Option<DateValue> {
    let mut rest = text.trim();
    for prefix in ["Closed at", "DATA AS OF"] {
        if let Some(start) = rest.get(..prefix.len())
            && start.eq_ignore_ascii_case(prefix)
        {
            rest = rest.get(prefix.len()..).unwrap_or_default().trim();
        }
    }
    if let Some(local) = rest.strip_suffix("ET") {
        let local = local.trim();
        let read = NaiveDateTime::parse_from_str(local, "%b %d, %Y %I:%M %p")
            .or_else(|_| NaiveDateTime::parse_from_str(local, "%b %d, %Y %I:%M:%S %p"));
        return read
            .ok()
            .and_then(|local| instant(local, New_York))
            .map(DateValue::Instant);
    }
    NaiveDate::parse_from_str(rest, "%b %d, %Y")
        .ok()
        .map(DateValue::Day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn three_wordings_of_the_time() {
        let utc = |text: &str| Some(DateValue::Instant(text.parse().unwrap()));
        assert_eq!(moment("Oct 7, 2026 12:52 PM ET"), utc("2026-10-07T16:52:00Z"));
        assert_eq!(
            moment("Closed at Dec 17, 2026 4:00 PM ET"),
            utc("2026-12-17T21:00:00Z")
        );
        assert_eq!(
            moment("DATA AS OF Jul 28, 2020"),
            Some(DateValue::Day(NaiveDate::from_ymd_opt(2020, 7, 28).unwrap()))
        );
        for wrong in ["", "soon", "Oct 7, 2026 12:52 PM", "Feb 30, 2026", "ET"] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn after_hours_the_close_is_the_quote() {
        let ticker = Ticker::read("AAPL").unwrap();
        let body = r#"{"data":{"symbol":"AAPL","companyName":"Apple Inc. Common Stock","assetClass":"STOCKS","marketStatus":"After-Hours",
            "primaryData":{"lastSalePrice":"$337.00","netChange":"+0.87","lastTradeTimestamp":"Aug 17, 2026 5:10 PM ET","volume":"14,590,589"},
            "secondaryData":{"lastSalePrice":"$1,336.13","netChange":"+1.13","percentageChange":"+0.34%","lastTradeTimestamp":"Closed at Aug 17, 2026 4:00 PM ET"}}}"#;
        let quote = parse(&ticker, body).unwrap();
        assert_eq!(
            (quote.price.digits(), quote.change.unwrap().digits()),
            ("1336.13", "1.13")
        );
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Instant("2026-08-17T20:00:00Z".parse().unwrap()))
        );
        let extended = quote.extended.unwrap();
        assert_eq!(
            (extended.price.digits(), extended.kind.as_str()),
            ("337", "After-Hours")
        );
        let alone = body.replace("secondaryData", "other");
        assert_eq!(parse(&ticker, &alone).unwrap_err().code, ErrorCode::Malformed);
    }

    #[test]
    fn before_the_session_the_volume_is_another_sessions() {
        let ticker = Ticker::read("AAPL").unwrap();
        let body = r#"{"data":{"marketStatus":"Pre-Market","primaryData":{"lastSalePrice":"$337.00","lastTradeTimestamp":"Aug 18, 2026 7:10 AM ET","volume":"14,590"},
            "secondaryData":{"lastSalePrice":"$336.13","netChange":"+1.13","lastTradeTimestamp":"Closed at Aug 17, 2026 4:00 PM ET"}}}"#;
        assert_eq!(parse(&ticker, body).unwrap().volume, None);
        let after = body.replace("Pre-Market", "After-Hours");
        assert_eq!(parse(&ticker, &after).unwrap().volume.unwrap().digits(), "14590");
    }

    #[test]
    fn unknown_symbols_are_told_from_broken_answers() {
        let ticker = Ticker::read("NOPE").unwrap();
        let code = |body: &str| parse(&ticker, body).unwrap_err().code;
        let unknown = r#"{"data":null,"message":null,"status":{"rCode":400,"bCodeMessage":[{"code":1001,"errorMessage":"Symbol not exists."}]}}"#;
        assert_eq!(code(unknown), ErrorCode::NotFound);
        assert_eq!(code("{}"), ErrorCode::Malformed);
        let other = r#"{"data":null,"status":{"rCode":500,"bCodeMessage":[{"code":1000,"errorMessage":"Service unavailable"}]}}"#;
        assert_eq!(code(other), ErrorCode::UpstreamError);
        assert_eq!(code(r#"{"data":null}"#), ErrorCode::Malformed);
        assert_eq!(
            code(r#"{"data":{"primaryData":{"lastSalePrice":"N/A","lastTradeTimestamp":""}}}"#),
            ErrorCode::Malformed
        );
    }
}
