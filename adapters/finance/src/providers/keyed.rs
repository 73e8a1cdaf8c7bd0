//! Sources that the operator has a key for. The pipeline adds the key.

use chrono::DateTime;
use freshcontext_contract::{ErrorCode, KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::json;
use serde_json::Value;

use super::Provider;
use crate::numbers::{number, words};
use crate::quote::{Moment, Quote};
use crate::request::quote_of;
use crate::symbol::{Kind, Ticker};

fn moment(value: &Value) -> Option<Moment> {
    let seconds = value.as_i64().filter(|seconds| *seconds > 0)?;
    DateTime::from_timestamp(seconds, 0).map(Moment::Instant)
}

pub fn finnhub_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let mut url = KeyedUrl::new("https://finnhub.io/api/v1/quote", &[])?;
    url.query_pairs_mut().append_pair("symbol", &ticker.root);
    Ok(quote_of(url, Media::Json))
}

/// `{c: price, d: change, dp: per cent, h, l, o, pc: previous close, t: seconds}`; zeros for unknown symbols.
pub fn finnhub(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = json::parse(body, "Finnhub quote")?;
    let at = |name: &str| value.get(name).unwrap_or(&Value::Null);
    if let Some(error) = words(at("error")) {
        let error: String = error.chars().filter(|c| !c.is_control()).take(120).collect();
        return Err(SourceError::new(
            ErrorCode::UpstreamError,
            format!("Finnhub answered with an error: {error}"),
        ));
    }
    if value.get("c").is_none() {
        return Err(SourceError::malformed("Finnhub quote: the answer has no price"));
    }
    let page = finnhub_request(ticker)?.url.to_string();
    let quote = moment(at("t"))
        .zip(number(at("c")))
        .and_then(|(moment, price)| Quote::new("finnhub", page, price, "t", moment));
    let mut quote = quote.ok_or_else(|| Provider::Finnhub.unknown(ticker))?;
    quote.change = number(at("d"));
    quote.change_percent = number(at("dp"));
    quote.high = number(at("h"));
    quote.low = number(at("l"));
    quote.open = number(at("o"));
    quote.previous_close = number(at("pc"));
    Ok(quote)
}

pub fn twelvedata_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let symbol = match &ticker.kind {
        Kind::Currency(base, quote) | Kind::Coin(base, quote) => format!("{base}/{quote}"),
        _ => ticker.root.clone(),
    };
    let mut url = KeyedUrl::new("https://api.twelvedata.com/quote", &[])?;
    url.query_pairs_mut().append_pair("symbol", &symbol);
    Ok(quote_of(url, Media::Json).accepting(&[404]))
}

/// Numbers come as text; errors as `{code, message, status: "error"}`, often with status 200.
pub fn twelvedata(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = json::parse(body, "Twelve Data quote")?;
    let at = |name: &str| value.get(name).unwrap_or(&Value::Null);
    if at("status").as_str() == Some("error") {
        let message = words(at("message")).unwrap_or_default();
        let message: String = message.chars().filter(|c| !c.is_control()).take(120).collect();
        let code = match at("code").as_u64() {
            Some(400 | 404) => return Err(Provider::TwelveData.unknown(ticker)),
            Some(401 | 403) => ErrorCode::AccessDenied,
            Some(429) => ErrorCode::RateLimited,
            _ => ErrorCode::UpstreamError,
        };
        return Err(SourceError::new(
            code,
            format!("Twelve Data answered with an error: {message}"),
        ));
    }
    if value.get("close").is_none() {
        return Err(SourceError::malformed(
            "Twelve Data quote: the answer has no price",
        ));
    }
    // `timestamp` is the opening of the bar; the last trade has a field of its own.
    let (field, time) = match moment(at("last_quote_at")) {
        Some(time) => ("last_quote_at", Some(time)),
        None => ("timestamp", moment(at("timestamp"))),
    };
    let page = twelvedata_request(ticker)?.url.to_string();
    let quote = time
        .zip(number(at("close")))
        .and_then(|(moment, price)| Quote::new("twelvedata", page, price, field, moment));
    let mut quote = quote.ok_or_else(|| Provider::TwelveData.unknown(ticker))?;
    quote.rough = field == "timestamp";
    quote.currency = words(at("currency"));
    if let (None, Kind::Currency(_, currency) | Kind::Coin(_, currency)) = (&quote.currency, &ticker.kind) {
        quote.currency = Some(currency.clone());
    }
    quote.name = words(at("name"));
    quote.exchange = words(at("exchange"));
    quote.change = number(at("change"));
    quote.change_percent = number(at("percent_change"));
    quote.previous_close = number(at("previous_close"));
    quote.open = number(at("open"));
    quote.high = number(at("high"));
    quote.low = number(at("low"));
    quote.volume = number(at("volume")).filter(|volume| *volume > 0.0);
    Ok(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_finnhubs_way_to_say_unknown() {
        let ticker = Ticker::read("AAPL").unwrap();
        let quote = finnhub(
            &ticker,
            r#"{"c":336.13,"d":1.13,"dp":0.337,"h":337,"l":334,"o":335,"pc":335,"t":1791403200}"#,
        )
        .unwrap();
        assert_eq!((quote.price, quote.currency), (336.13, None));
        let none = finnhub(
            &ticker,
            r#"{"c":0,"d":null,"dp":null,"h":0,"l":0,"o":0,"pc":0,"t":0}"#,
        )
        .unwrap_err();
        assert_eq!(none.code, ErrorCode::NotFound);
        assert_eq!(finnhub(&ticker, "{}").unwrap_err().code, ErrorCode::Malformed);
        assert_eq!(
            finnhub_request(&Ticker::read("BRK-B").unwrap())
                .unwrap()
                .url
                .as_str(),
            "https://finnhub.io/api/v1/quote?symbol=BRK.B"
        );
    }

    #[test]
    fn errors_with_status_200_are_errors() {
        let ticker = Ticker::read("EUR/USD").unwrap();
        let code = |body: &str| twelvedata(&ticker, body).unwrap_err().code;
        assert_eq!(
            code(r#"{"code":404,"message":"not found","status":"error"}"#),
            ErrorCode::NotFound
        );
        assert_eq!(
            code(r#"{"code":401,"message":"apikey","status":"error"}"#),
            ErrorCode::AccessDenied
        );
        assert_eq!(
            code(r#"{"code":429,"message":"credits","status":"error"}"#),
            ErrorCode::RateLimited
        );
        let body = r#"{"symbol":"EUR/USD","close":"1.15","timestamp":1791331200,"last_quote_at":1791403200}"#;
        let quote = twelvedata(&ticker, body).unwrap();
        assert_eq!((quote.currency.as_deref(), quote.rough), (Some("USD"), false));
        assert!(
            twelvedata_request(&ticker)
                .unwrap()
                .url
                .as_str()
                .ends_with("symbol=EUR%2FUSD")
        );
    }
}
