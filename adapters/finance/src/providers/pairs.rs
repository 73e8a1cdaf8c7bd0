//! Currencies from the European Central Bank's reference rates, coins from Coinbase Exchange.

use chrono::{DateTime, NaiveDate, Utc};
use freshcontext_contract::{Media, Request, SourceError};
use freshcontext_parse::json;
use serde_json::Value;

use super::Provider;
use crate::numbers::number;
use crate::quote::{Moment, Quote};
use crate::request::{get, segment};
use crate::symbol::{Kind, Ticker};

fn parts(ticker: &Ticker) -> (&str, &str) {
    match &ticker.kind {
        Kind::Currency(base, quote) | Kind::Coin(base, quote) => (base, quote),
        _ => ("", ""),
    }
}

fn frankfurter_address(ticker: &Ticker) -> String {
    let (base, quote) = parts(ticker);
    format!("https://api.frankfurter.dev/v1/latest?base={base}&symbols={quote}")
}

pub fn frankfurter_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let request = get(&frankfurter_address(ticker), Media::Json)?.accepting(&[404, 422]);
    Ok(request.cache_for(std::time::Duration::from_mins(15)))
}

pub fn frankfurter(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = json::parse(body, "reference rates")?;
    let (_, currency) = parts(ticker);
    let rates = value
        .get("rates")
        .ok_or_else(|| SourceError::malformed("reference rates: the answer has no rates"))?;
    let day = value
        .get("date")
        .and_then(Value::as_str)
        .and_then(|text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok());
    let quote = day
        .zip(rates.get(currency).and_then(number))
        .and_then(|(day, rate)| {
            Quote::new(
                "frankfurter",
                frankfurter_address(ticker),
                rate,
                "date",
                Moment::Day(day),
            )
        });
    let mut quote = quote.ok_or_else(|| Provider::Frankfurter.unknown(ticker))?;
    quote.kind = "daily reference rate of the European Central Bank";
    quote.currency = Some(currency.to_owned());
    Ok(quote)
}

pub fn coinbase_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let product = segment(&ticker.root);
    let address = format!("https://api.exchange.coinbase.com/products/{product}/ticker");
    Ok(get(&address, Media::Json)?.accepting(&[404]))
}

pub fn coinbase(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = json::parse(body, "Coinbase ticker")?;
    let at = |name: &str| value.get(name).unwrap_or(&Value::Null);
    if !value.is_object() {
        return Err(SourceError::malformed("Coinbase ticker: the answer is no object"));
    }
    let moment = at("time")
        .as_str()
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    let (base, currency) = parts(ticker);
    let page = format!(
        "https://exchange.coinbase.com/trade/{}",
        segment(&format!("{base}-{currency}"))
    );
    let quote = moment.zip(number(at("price"))).and_then(|(moment, price)| {
        Quote::new(
            "coinbase",
            page,
            price,
            "time",
            Moment::Instant(moment.with_timezone(&Utc)),
        )
    });
    let mut quote = quote.ok_or_else(|| Provider::Coinbase.unknown(ticker))?;
    quote.currency = Some(currency.to_owned());
    quote.volume = number(at("volume"));
    quote.exchange = Some("Coinbase Exchange".to_owned());
    Ok(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_rates_are_of_a_day() {
        let ticker = Ticker::read("EURUSD=X").unwrap();
        let quote = frankfurter(
            &ticker,
            r#"{"amount":1.0,"base":"EUR","date":"2026-11-20","rates":{"USD":1.1534}}"#,
        )
        .unwrap();
        assert_eq!(
            quote.moment,
            Moment::Day(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap())
        );
        assert_eq!((quote.price, quote.currency.as_deref()), (1.1534, Some("USD")));
        assert!(frankfurter(&ticker, r#"{"rates":{"USD":1.1}}"#).is_err());
        assert_eq!(
            frankfurter_request(&ticker).unwrap().url.as_str(),
            "https://api.frankfurter.dev/v1/latest?base=EUR&symbols=USD"
        );
    }

    #[test]
    fn coins_have_their_own_clock() {
        let ticker = Ticker::read("BTC-USD").unwrap();
        let quote = coinbase(
            &ticker,
            r#"{"price":"91234.56","time":"2026-11-21T11:59:58.123456Z","volume":"1234.5"}"#,
        )
        .unwrap();
        assert_eq!(
            quote.moment,
            Moment::Instant("2026-11-21T11:59:58.123456Z".parse().unwrap())
        );
        assert!(coinbase(&ticker, r#"{"message":"NotFound"}"#).is_err());
        assert_eq!(
            coinbase_request(&ticker).unwrap().url.as_str(),
            "https://api.exchange.coinbase.com/products/BTC-USD/ticker"
        );
    }
}
