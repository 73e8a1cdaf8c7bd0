//! Currencies from the European Central Bank's reference rates, coins from Coinbase Exchange.

use chrono::{DateTime, NaiveDate};
use freshcontext_contract::{Media, Request, SourceError, quoted};
use freshcontext_parse::text;
use serde_json::Value;

use super::Provider;
use crate::numbers::{self, Figure, number, words};
use crate::quote::Quote;
use crate::request::{get, segment};
use crate::symbol::{Kind, Ticker};

fn parts(ticker: &Ticker) -> (&str, &str) {
    match &ticker.kind {
        Kind::Currency(base, quote) | Kind::Coin(base, quote) => (base, quote),
        _ => ("", ""),
    }
}

/// The reference rates are of the euro; every other pair is computed from one or two of them.
const EURO: &str = "EUR";

fn frankfurter_address(ticker: &Ticker) -> String {
    let (base, quote) = parts(ticker);
    let needed: Vec<&str> = [base, quote].into_iter().filter(|code| *code != EURO).collect();
    let needed = needed.join(",");
    // Without `providers` the rates are a blend of many central banks'.
    format!("https://api.frankfurter.dev/v2/rates?base={EURO}&quotes={needed}&providers=ecb")
}

pub fn frankfurter_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let request = get(&frankfurter_address(ticker), Media::Json)?.accepting(&[404, 422]);
    Ok(request.cache_for(std::time::Duration::from_mins(15)))
}

/// One reference rate: so much of a currency for one euro, of a day.
struct Reference {
    rate: Figure,
    day: NaiveDate,
    told: String,
}

pub fn frankfurter(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = numbers::parse(body, "reference rates")?;
    let rows = value
        .as_array()
        .ok_or_else(|| SourceError::malformed("reference rates: the answer is no list of rates"))?;
    let reference = |code: &str| {
        let row = rows.iter().find(|row| {
            let names = |name: &str, code: &str| {
                let found = row.get(name).and_then(Value::as_str);
                found.is_some_and(|found| found.eq_ignore_ascii_case(code))
            };
            names("base", EURO) && names("quote", code)
        })?;
        let at = |name: &str| row.get(name).unwrap_or(&Value::Null);
        let rate = number(at("rate")).filter(|rate| rate.value() > 0.0);
        let day = at("date")
            .as_str()
            .and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
        let Some((rate, day)) = rate.zip(day) else {
            return Some(Err(Provider::Frankfurter.no_price(ticker, at("rate"))));
        };
        Some(Ok(Reference {
            told: format!("{EURO}/{code} {} ({day})", rate.digits()),
            rate,
            day,
        }))
    };
    let reference = |code: &str| {
        // A list without the rate does not say whether there is such a currency.
        let nothing = || Provider::Frankfurter.said_nothing(ticker, &format!("without a rate of {code}"));
        reference(code).unwrap_or_else(|| Err(nothing()))
    };
    let (base, currency) = parts(ticker);
    let (rate, day, kind, from) = if base == EURO {
        let one = reference(currency)?;
        (
            Some(one.rate),
            one.day,
            "daily reference rate of the European Central Bank",
            None,
        )
    } else if currency == EURO {
        let one = reference(base)?;
        let kind = "inverse of a daily reference rate of the European Central Bank";
        (
            Figure::computed(one.rate.value().recip()),
            one.day,
            kind,
            Some(one.told),
        )
    } else {
        let (one, other) = (reference(base)?, reference(currency)?);
        let kind = "derived from two daily reference rates of the European Central Bank";
        let from = format!("{} and {}", one.told, other.told);
        // As old as the older of the two.
        let rate = Figure::computed(other.rate.value() / one.rate.value());
        (rate, one.day.min(other.day), kind, Some(from))
    };
    let page = frankfurter_address(ticker);
    let quote = Quote::new("frankfurter", page, rate, "date", Some(day));
    let mut quote = quote.ok_or_else(|| Provider::Frankfurter.no_price(ticker, &Value::Null))?;
    quote.kind = kind;
    quote.derived_from = from;
    quote.currency = Some(currency.to_owned());
    Ok(quote)
}

/// `{"status":422,"message":"invalid currency: XXX"}`: <https://frankfurter.dev/>. `not found` alone may be said of the
/// address.
pub fn frankfurter_says_unknown(ticker: &Ticker, body: &str) -> bool {
    let said = numbers::parse(body, "reference rates")
        .ok()
        .and_then(|value| words(value.get("message")?))
        .unwrap_or_default()
        .to_lowercase();
    let (base, quote) = parts(ticker);
    let of_currency = said.contains("currenc")
        || [base, quote].iter().any(|code| {
            let mut words = said.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word.eq_ignore_ascii_case(code))
        });
    of_currency
        && ["not found", "invalid", "unknown", "unsupported"]
            .iter()
            .any(|word| said.contains(word))
}

pub fn coinbase_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let product = segment(&ticker.root);
    let address = format!("https://api.exchange.coinbase.com/products/{product}/ticker");
    Ok(get(&address, Media::Json)?.accepting(&[400, 404]))
}

/// What Coinbase says in an error: `{"message": "NotFound"}`, and for what it no longer trades
/// `{"message": "Not allowed for delisted products"}`.
pub fn coinbase_says(ticker: &Ticker, body: &str) -> Option<SourceError> {
    let value = numbers::parse(body, "Coinbase ticker").ok()?;
    let said = words(value.get("message")?)?;
    let lower = said.to_lowercase();
    if lower.contains("delisted") {
        return Some(Provider::Coinbase.delisted(ticker));
    }
    // `Route not found` is said of the address.
    let bare: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    if matches!(
        bare.as_str(),
        "notfound" | "productnotfound" | "productidnotfound"
    ) {
        return Some(Provider::Coinbase.unknown(ticker));
    }
    let said = text::said(&said, 80);
    let message = format!("Coinbase says: {}", quoted(&said));
    Some(if lower.contains("rate limit") {
        SourceError::rate_limited(message)
    } else {
        SourceError::upstream(message)
    })
}

pub fn coinbase(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = numbers::parse(body, "Coinbase ticker")?;
    let at = |name: &str| value.get(name).unwrap_or(&Value::Null);
    if !value.is_object() {
        return Err(SourceError::malformed("Coinbase ticker: the answer is no object"));
    }
    if let Some(error) = coinbase_says(ticker, body) {
        return Err(error);
    }
    let moment = at("time")
        .as_str()
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok())
        .map(|at| at.to_utc());
    let (base, currency) = parts(ticker);
    let page = format!(
        "https://exchange.coinbase.com/trade/{}",
        segment(&format!("{base}-{currency}"))
    );
    let quote = Quote::new("coinbase", page, number(at("price")), "time", moment);
    let mut quote = quote.ok_or_else(|| Provider::Coinbase.no_price(ticker, at("price")))?;
    quote.currency = Some(currency.to_owned());
    quote.volume = quote.reads("volume", at("volume"));
    quote.exchange = Some("Coinbase Exchange".to_owned());
    Ok(quote)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::{DateValue, ErrorCode};

    const RATES: &str = r#"[{"date":"2026-11-20","base":"EUR","quote":"USD","rate":1.1534},
        {"date":"2026-11-19","base":"EUR","quote":"GBP","rate":0.8800}]"#;

    fn read(given: &str) -> Quote {
        frankfurter(&Ticker::read(given).unwrap(), RATES).unwrap()
    }

    #[test]
    fn reference_rates_are_of_a_day() {
        let quote = read("EURUSD=X");
        let day = |text: &str| DateValue::Day(text.parse().unwrap());
        assert_eq!(quote.date.value(), Some(&day("2026-11-20")));
        assert_eq!(
            (quote.price.digits(), quote.currency.as_deref()),
            ("1.1534", Some("USD"))
        );
        assert_eq!(
            (quote.kind.contains("derived"), quote.derived_from),
            (false, None)
        );
        let ticker = Ticker::read("EURUSD=X").unwrap();
        for other in ["{}", r#"{"date":"2026-11-20","rates":{"USD":1.1}}"#, "[]"] {
            assert!(frankfurter(&ticker, other).is_err(), "{other}");
        }
        assert_eq!(
            frankfurter_request(&ticker).unwrap().url.as_str(),
            "https://api.frankfurter.dev/v2/rates?base=EUR&quotes=USD&providers=ecb"
        );
    }

    #[test]
    fn pairs_without_the_euro_are_told_to_be_derived() {
        let cross = read("GBPUSD=X");
        assert_eq!(cross.price.digits(), "1.31068");
        assert_eq!(
            cross.date.value(),
            Some(&DateValue::Day("2026-11-19".parse().unwrap()))
        );
        assert!(cross.kind.starts_with("derived from two"));
        let from = cross.derived_from.unwrap();
        assert!(
            from.contains("EUR/GBP 0.88 (2026-11-19)") && from.contains("EUR/USD 1.1534"),
            "{from}"
        );
        let inverse = read("USDEUR=X");
        assert_eq!(inverse.price.digits(), "0.867002");
        assert!(inverse.kind.starts_with("inverse"));
        let ticker = Ticker::read("GBPUSD=X").unwrap();
        assert_eq!(
            frankfurter_request(&ticker).unwrap().url.as_str(),
            "https://api.frankfurter.dev/v2/rates?base=EUR&quotes=GBP,USD&providers=ecb"
        );
    }

    #[test]
    fn only_a_word_about_the_currency_says_unknown() {
        let ticker = Ticker::read("USDKZT").unwrap();
        for (status, body, code) in [
            (
                422,
                r#"{"status":422,"message":"invalid currency: KZT"}"#,
                ErrorCode::NotFound,
            ),
            (404, r#"{"message":"KZT not found"}"#, ErrorCode::NotFound),
            (404, r#"{"message":"not found"}"#, ErrorCode::Malformed),
            (422, r#"{"message":"invalid date"}"#, ErrorCode::Malformed),
            (
                200,
                r#"[{"date":"2026-11-20","base":"EUR","quote":"USD","rate":1.1534}]"#,
                ErrorCode::Malformed,
            ),
            (200, "[]", ErrorCode::Malformed),
            (
                503,
                r#"{"message":"invalid currency: KZT"}"#,
                ErrorCode::UpstreamError,
            ),
        ] {
            let error = Provider::Frankfurter.parse(&ticker, status, body).unwrap_err();
            assert_eq!(error.code, code, "{status} {body}");
        }
        let odd = r#"[{"date":"2026-11-20","base":"EUR","quote":"USD","rate":"1,5"}]"#;
        let error = frankfurter(&Ticker::read("EURUSD").unwrap(), odd).unwrap_err();
        assert!(error.message.contains("cannot be read"), "{}", error.message);
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
            quote.date.value(),
            Some(&DateValue::Instant(
                "2026-11-21T11:59:58.123456Z".parse().unwrap()
            ))
        );
        for (body, code) in [
            (r#"{"message":"NotFound"}"#, ErrorCode::NotFound),
            (
                r#"{"message":"Not allowed for delisted products"}"#,
                ErrorCode::NotFound,
            ),
            (r#"{"message":"Internal server error"}"#, ErrorCode::UpstreamError),
            (r#"{"message":"Route not found"}"#, ErrorCode::UpstreamError),
            (
                r#"{"ask":"1","bid":"0.9","time":"2026-11-21T11:59:58Z"}"#,
                ErrorCode::Malformed,
            ),
            (
                r#"{"message":"Public rate limit exceeded"}"#,
                ErrorCode::RateLimited,
            ),
        ] {
            assert_eq!(coinbase(&ticker, body).unwrap_err().code, code);
        }
        assert_eq!(
            coinbase_request(&ticker).unwrap().url.as_str(),
            "https://api.exchange.coinbase.com/products/BTC-USD/ticker"
        );
    }
}
