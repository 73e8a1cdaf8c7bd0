//! Cboe: delayed quotes of US listings; times are New York's, without saying so.

use chrono::{DateTime, NaiveDateTime, NaiveTime};
use chrono_tz::America::New_York;
use freshcontext_contract::{DateValue, Media, Request, SourceError, code};
use freshcontext_parse::text;
use serde_json::Value;

use super::Provider;
use crate::numbers::{self, instant, number, words};
use crate::quote::Quote;
use crate::request::{get, segment};
use crate::symbol::Ticker;

pub fn request(ticker: &Ticker) -> Result<Request, SourceError> {
    let symbol = segment(&ticker.cboe().unwrap_or_default());
    let address = format!("https://cdn.cboe.com/api/global/delayed_quotes/quotes/{symbol}.json");
    // Symbols that Cboe does not cover are answered with either status.
    Ok(get(&address, Media::Json)?.accepting(&[403, 404]))
}

/// How the store behind Cboe's files says that it has none of this name; a file that may not be listed is refused
/// with the same words: <https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html>.
pub fn says_unknown(body: &str) -> bool {
    let codes = ["<Code>AccessDenied</Code>", "<Code>NoSuchKey</Code>"];
    body.contains("<Error>") && codes.iter().any(|code| body.contains(code))
}

pub fn parse(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = numbers::parse(body, "Cboe quote")?;
    let data = value
        .get("data")
        .filter(|data| data.is_object())
        .ok_or_else(|| SourceError::malformed("Cboe quote: the answer has no data"))?;
    let at = |name: &str| data.get(name).unwrap_or(&Value::Null);
    // `timestamp` is when the file was made, not when the price was.
    let given = words(at("last_trade_time"));
    let moment = given.as_deref().and_then(moment);
    if let (Some(given), None) = (&given, &moment) {
        let given = text::said(given, 40);
        return Err(SourceError::malformed(format!(
            "Cboe quote: the time {} of the last trade cannot be read",
            code(&given)
        )));
    }
    let symbol = ticker.cboe().unwrap_or_default();
    for answered in [at("symbol"), value.get("symbol").unwrap_or(&Value::Null)] {
        Provider::Cboe.is_of(&symbol, answered)?;
    }
    let page = format!(
        "https://www.cboe.com/delayed_quotes/{}",
        segment(symbol.trim_start_matches('_'))
    );
    let price = number(at("current_price"));
    let quote = Quote::new("cboe", page, price, "last_trade_time", moment);
    let mut quote = quote.ok_or_else(|| Provider::Cboe.no_price(ticker, at("current_price")))?;
    let above_zero = |figure: &numbers::Figure| figure.value() > 0.0;
    quote.kind = "last print at Cboe, 15 minutes late";
    quote.name = words(at("company_name"));
    quote.close = quote.reads("close", at("close")).filter(above_zero);
    quote.previous_close = quote
        .reads("prev_day_close", at("prev_day_close"))
        .filter(above_zero);
    quote.change = quote.reads("price_change", at("price_change"));
    quote.change_percent = quote.reads("price_change_percent", at("price_change_percent"));
    quote.open = quote.reads("open", at("open")).filter(above_zero);
    quote.high = quote.reads("high", at("high")).filter(above_zero);
    quote.low = quote.reads("low", at("low")).filter(above_zero);
    quote.volume = quote.reads("volume", at("volume")).filter(above_zero);
    Ok(quote)
}

/// New York's wall clock without an offset, or an instant with one: indices come in both ways. Midnight is
/// written where only the day is known.
fn moment(text: &str) -> Option<DateValue> {
    let text = text.trim().replacen(' ', "T", 1);
    let with_offset = DateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.f%#z")
        .or_else(|_| DateTime::parse_from_rfc3339(&text))
        .ok();
    let local = with_offset
        .map(|at| at.naive_local())
        .or_else(|| NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.f").ok())?;
    if local.time() == NaiveTime::MIN {
        return Some(DateValue::Day(local.date()));
    }
    let at = with_offset
        .map(|at| at.to_utc())
        .or_else(|| instant(local, New_York));
    at.map(DateValue::Instant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Figure;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn times_come_with_and_without_an_offset() {
        let utc = Some(DateValue::Instant("2026-10-07T20:15:02Z".parse().unwrap()));
        for text in [
            "2026-10-07T16:15:02",
            "2026-10-07 16:15:02",
            "2026-10-07T16:15:02.000",
            "2026-10-07T16:15:02-04:00",
            "2026-10-07T16:15:02-0400",
            "2026-10-07T20:15:02Z",
            "2026-10-07T20:15:02+00:00",
        ] {
            assert_eq!(moment(text), utc, "{text}");
        }
        for midnight in ["2026-10-07T00:00:00-05:00", "2026-10-07T00:00:00"] {
            let day = chrono::NaiveDate::from_ymd_opt(2026, 10, 7).unwrap();
            assert_eq!(moment(midnight), Some(DateValue::Day(day)), "{midnight}");
        }
        let ticker = Ticker::read("^GSPC").unwrap();
        let unreadable = r#"{"data":{"current_price":5,"last_trade_time":"yesterday"}}"#;
        assert_eq!(parse(&ticker, unreadable).unwrap_err().code, ErrorCode::Malformed);
    }

    #[test]
    fn naive_times_are_new_york_times() {
        let ticker = Ticker::read("AAPL").unwrap();
        let body = r#"{"timestamp":"2026-10-07 16:52:05","symbol":"AAPL","data":{"current_price":336.5,"open":335,"close":336.13,
            "prev_day_close":335.0,"price_change":1.5,"volume":14590589,"low":0,"last_trade_time":"2026-10-07T12:36:56"}}"#;
        let quote = parse(&ticker, body).unwrap();
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Instant("2026-10-07T16:36:56Z".parse().unwrap()))
        );
        let digits = |figure: Option<Figure>| figure.map(|figure| figure.digits().to_owned());
        assert_eq!(
            (quote.price.digits(), digits(quote.close), digits(quote.low)),
            ("336.5", Some("336.13".to_owned()), None)
        );
        assert_eq!(quote.currency, None);
        let winter = body.replace("2026-10-07T12", "2026-12-07T12");
        assert_eq!(
            parse(&ticker, &winter).unwrap().date.value(),
            Some(&DateValue::Instant("2026-12-07T17:36:56Z".parse().unwrap()))
        );
    }

    #[test]
    fn only_cboes_own_words_say_unknown() {
        let ticker = Ticker::read("NOPE").unwrap();
        for (status, body, code) in [
            (
                403,
                "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>",
                ErrorCode::NotFound,
            ),
            (404, "<Error><Code>NoSuchKey</Code></Error>", ErrorCode::NotFound),
            (
                403,
                "<html><title>403 ERROR</title>The request could not be satisfied.</html>",
                ErrorCode::AccessDenied,
            ),
            (403, "", ErrorCode::AccessDenied),
            (
                404,
                "<!DOCTYPE html><title>Page not found</title>",
                ErrorCode::Malformed,
            ),
        ] {
            let error = Provider::Cboe.parse(&ticker, status, body).unwrap_err();
            assert_eq!(error.code, code, "{status} {body}");
        }
    }

    #[test]
    fn zeros_and_missing_times_are_no_quotes() {
        let ticker = Ticker::read("^GSPC").unwrap();
        let code = |body: &str| parse(&ticker, body).unwrap_err().code;
        assert_eq!(
            code(r#"{"data":{"current_price":0,"last_trade_time":"2026-10-07T12:36:56"}}"#),
            ErrorCode::Malformed
        );
        assert_eq!(
            code(r#"{"timestamp":"2026-10-07 16:52:05","data":{"current_price":5}}"#),
            ErrorCode::Malformed
        );
        assert_eq!(code("{}"), ErrorCode::Malformed);
        let url = request(&ticker).unwrap().url;
        assert_eq!(
            url.as_str(),
            "https://cdn.cboe.com/api/global/delayed_quotes/quotes/_SPX.json"
        );
    }
}
