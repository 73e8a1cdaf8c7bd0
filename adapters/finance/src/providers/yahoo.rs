//! Yahoo's chart service: worldwide, with currency and UTC seconds; often refuses servers.

use chrono::DateTime;
use freshcontext_contract::{Media, Request, SourceError, quoted};
use freshcontext_parse::text;
use serde_json::Value;

use super::Provider;
use crate::numbers::{self, number, words};
use crate::quote::Quote;
use crate::request::{get, segment};
use crate::symbol::Ticker;

pub fn request(ticker: &Ticker) -> Result<Request, SourceError> {
    let symbol = segment(&ticker.yahoo());
    let address = format!("https://query1.finance.yahoo.com/v8/finance/chart/{symbol}?interval=1d&range=5d");
    Ok(get(&address, Media::Json)?.accepting(&[404]))
}

pub fn parse(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    if body.contains("Too Many Requests") && !body.trim_start().starts_with('{') {
        let message = "Yahoo says that there were too many requests";
        return Err(SourceError::rate_limited(message));
    }
    let value: Value = numbers::parse(body, "Yahoo chart")?;
    let chart = value
        .get("chart")
        .ok_or_else(|| SourceError::malformed("Yahoo chart: the answer has no chart"))?;
    if let Some(error) = chart.get("error").filter(|error| error.is_object()) {
        let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
        // The description says what was not found.
        let said = error
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_lowercase();
        let of_symbol = ["no data found", "symbol", "delisted"]
            .iter()
            .any(|mark| said.contains(mark));
        if code.eq_ignore_ascii_case("Not Found") && of_symbol {
            return Err(Provider::Yahoo.unknown(ticker));
        }
        let code = if code.trim().is_empty() {
            "without a word".to_owned()
        } else {
            quoted(&text::said(code, 60))
        };
        return Err(SourceError::upstream(format!(
            "Yahoo answered with an error: {code}"
        )));
    }
    let meta = chart
        .get("result")
        .and_then(|result| result.get(0)?.get("meta"))
        .ok_or_else(|| SourceError::malformed("Yahoo chart: the answer has no result"))?;
    let at = |name: &str| meta.get(name).unwrap_or(&Value::Null);
    Provider::Yahoo.is_of(&ticker.yahoo(), at("symbol"))?;
    let moment = at("regularMarketTime")
        .as_i64()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let page = format!("https://finance.yahoo.com/quote/{}", segment(&ticker.yahoo()));
    let price = number(at("regularMarketPrice"));
    let quote = Quote::new("yahoo", page, price, "regularMarketTime", moment);
    let mut quote = quote.ok_or_else(|| {
        // A symbol that it no longer quotes comes back with nothing in it.
        let names = [
            "regularMarketPrice",
            "regularMarketTime",
            "chartPreviousClose",
            "previousClose",
        ];
        if names.into_iter().all(|name| at(name).is_null()) {
            Provider::Yahoo.said_nothing(ticker, "with an empty chart")
        } else {
            Provider::Yahoo.no_price(ticker, at("regularMarketPrice"))
        }
    })?;
    quote.kind = "regular session";
    let index = words(at("instrumentType")).is_some_and(|kind| kind.eq_ignore_ascii_case("INDEX"));
    quote.stated_in(words(at("currency")), ticker, index);
    quote.name = words(at("longName")).or_else(|| words(at("shortName")));
    quote.exchange = words(at("fullExchangeName")).or_else(|| words(at("exchangeName")));
    quote.high = quote.reads("regularMarketDayHigh", at("regularMarketDayHigh"));
    quote.low = quote.reads("regularMarketDayLow", at("regularMarketDayLow"));
    quote.volume = quote
        .reads("regularMarketVolume", at("regularMarketVolume"))
        .filter(|volume| volume.value() > 0.0);
    Ok(quote)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::{DateValue, ErrorCode};

    #[test]
    fn pence_stay_pence() {
        let ticker = Ticker::read("TSCO.L").unwrap();
        let body = r#"{"chart":{"result":[{"meta":{"currency":"GBp","symbol":"TSCO.L","regularMarketPrice":412.5,"regularMarketTime":1791390900,
            "fullExchangeName":"LSE","shortName":"TESCO PLC","exchangeTimezoneName":"Europe/London","regularMarketVolume":0}}],"error":null}}"#;
        let quote = parse(&ticker, body).unwrap();
        assert_eq!(
            (quote.currency.as_deref(), quote.unit),
            (Some("GBp"), Some("pence"))
        );
        assert_eq!(quote.volume, None);
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Instant(
                DateTime::from_timestamp(1_791_390_900, 0).unwrap()
            ))
        );
    }

    #[test]
    fn cents_and_agorot_stay_hundredths() {
        for (given, currency, unit) in [("NPN.JO", "ZAc", "cents"), ("TEVA.TA", "ILA", "agorot")] {
            let ticker = Ticker::read(given).unwrap();
            let body = format!(
                r#"{{"chart":{{"result":[{{"meta":{{"currency":"{currency}","symbol":"{given}","regularMarketPrice":412.5,"regularMarketTime":1791390900}}}}],"error":null}}}}"#
            );
            let quote = parse(&ticker, &body).unwrap();
            assert_eq!(
                (quote.currency.as_deref(), quote.unit),
                (Some(currency), Some(unit))
            );
        }
    }

    #[test]
    fn errors_inside_are_read() {
        let ticker = Ticker::read("^GSPC").unwrap();
        let code = |body: &str| parse(&ticker, body).unwrap_err().code;
        assert_eq!(
            code(r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found"}}}"#),
            ErrorCode::NotFound
        );
        assert_eq!(
            code(r#"{"chart":{"result":null,"error":{"code":"Internal"}}}"#),
            ErrorCode::UpstreamError
        );
        // Not found is something else, or nothing is said.
        assert_eq!(
            code(r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"Route not found"}}}"#),
            ErrorCode::UpstreamError
        );
        assert_eq!(
            code(
                r#"{"chart":{"result":[{"meta":{"symbol":"^GSPC","regularMarketTime":null}}],"error":null}}"#
            ),
            ErrorCode::Malformed
        );
        let dead = r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}"#;
        for (status, wanted) in [(404, ErrorCode::NotFound), (503, ErrorCode::UpstreamError)] {
            let error = Provider::Yahoo.parse(&ticker, status, dead).unwrap_err();
            assert_eq!(error.code, wanted, "{status}");
        }
        assert_eq!(code("{}"), ErrorCode::Malformed);
        assert_eq!(
            request(&ticker).unwrap().url.as_str(),
            "https://query1.finance.yahoo.com/v8/finance/chart/^GSPC?interval=1d&range=5d"
        );
    }
}
