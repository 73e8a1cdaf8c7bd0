//! CNBC: several symbols in one request, formatted numbers, the extended print apart.

use chrono::{DateTime, NaiveDate, Utc};
use freshcontext_contract::{Cx, DateValue, Media, Request, Response, SourceError};
use freshcontext_parse::charset;
use serde_json::Value;

use super::Provider;
use crate::numbers::{self, instant_alone, is_percent, number, words};
use crate::quote::{Extended, Quote};
use crate::request::{get, segment};
use crate::symbol::Ticker;

pub fn request(tickers: &[Ticker]) -> Result<Request, SourceError> {
    let base = "https://quote.cnbc.com/quote-html-webservice/restQuote/symbolType/symbol";
    let mut request = get(base, Media::Json)?;
    let symbols: Vec<String> = tickers.iter().filter_map(Ticker::cnbc).collect();
    request
        .url
        .query_pairs_mut()
        .append_pair("symbols", &symbols.join("|"))
        .append_pair("requestMethod", "itv")
        .append_pair("noform", "1")
        .append_pair("partnerId", "2")
        .append_pair("fund", "1")
        .append_pair("exthrs", "1")
        .append_pair("output", "json");
    Ok(request)
}

pub async fn quotes(cx: &Cx<'_>, tickers: &[Ticker]) -> Vec<Result<Quote, SourceError>> {
    // Each ticker is read by itself: one that is not there says nothing against the others.
    let quotes = async {
        let read = |response: &Response| {
            let body = charset::decode(response).text;
            let read = |ticker| response.validated(parse(ticker, &body));
            Ok(tickers.iter().map(read).collect())
        };
        cx.read(request(tickers)?, read).await
    };
    quotes
        .await
        .unwrap_or_else(|error: SourceError| tickers.iter().map(|_| Err(error.clone())).collect())
}

/// The quote of one ticker in an answer for several.
pub fn parse(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = numbers::parse(body, "CNBC quotes")?;
    let found = value
        .get("FormattedQuoteResult")
        .and_then(|result| result.get("FormattedQuote"))
        .ok_or_else(|| SourceError::malformed("CNBC quotes: the answer has no quotes"))?;
    // One symbol alone may come as an object.
    let list = match found {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let symbol = ticker.cnbc().unwrap_or_default();
    let mine = |quote: &&Value| {
        quote
            .get("symbol")
            .and_then(Value::as_str)
            .is_some_and(|name| name.eq_ignore_ascii_case(&symbol))
    };
    let found = list
        .iter()
        .find(mine)
        .ok_or_else(|| Provider::Cnbc.said_nothing(ticker, "without an entry"))?;
    // A symbol that it does not have comes back with a code of 1 and without a price.
    let code = found.get("code").and_then(Value::as_i64).unwrap_or_default();
    quote(ticker, &symbol, found).ok_or_else(|| match code {
        0 => Provider::Cnbc.no_price(ticker, found.get("last").unwrap_or(&Value::Null)),
        1 => Provider::Cnbc.unknown(ticker),
        code => SourceError::upstream(format!("CNBC answered for {} with the code {code}", ticker.given)),
    })
}

fn quote(ticker: &Ticker, symbol: &str, found: &Value) -> Option<Quote> {
    let at = |name: &str| found.get(name).unwrap_or(&Value::Null);
    let page = format!("https://www.cnbc.com/quotes/{}", segment(symbol));
    let last = at("last");
    let time = at("last_time").as_str().and_then(moment);
    let yields = is_percent(last) || is_percent(at("previous_day_closing"));
    let make = if yields { Quote::of_yield } else { Quote::new };
    let mut quote = make("cnbc", page, number(last), "last_time", time)?;
    quote.kind = "regular session";
    let kind = words(at("type")).unwrap_or_default();
    // The price of a bond is a share of what it pays back, not an amount.
    let no_amount = ["INDEX", "BOND"]
        .iter()
        .any(|name| kind.eq_ignore_ascii_case(name));
    quote.stated_in(words(at("currencyCode")), ticker, no_amount);
    quote.name = words(at("name"));
    quote.exchange = words(at("exchange"));
    quote.market = words(at("curmktstatus"));
    quote.previous_close = quote.reads("previous_day_closing", at("previous_day_closing"));
    quote.change = quote.reads("change", at("change"));
    quote.change_percent = quote.reads("change_pct", at("change_pct"));
    quote.open = quote.reads("open", at("open"));
    quote.high = quote.reads("high", at("high"));
    quote.low = quote.reads("low", at("low"));
    quote.volume = quote
        .reads("volume", at("volume"))
        .filter(|volume| volume.value() > 0.0);
    quote.extended = extended(at("ExtendedMktQuote"));
    Some(quote)
}

fn extended(found: &Value) -> Option<Extended> {
    let price = number(found.get("last")?).filter(|price| price.value() > 0.0)?;
    let at = found.get("last_time").and_then(Value::as_str).and_then(moment);
    Some(Extended {
        kind: found
            .get("type")
            .and_then(words)
            .unwrap_or_else(|| "outside the regular session".to_owned()),
        price,
        at: instant_alone(at),
    })
}

/// `2026-08-17`, or ISO 8601 with an offset with or without a colon.
fn moment(text: &str) -> Option<DateValue> {
    let text = text.trim();
    if text.len() == 10 {
        return NaiveDate::parse_from_str(text, "%Y-%m-%d")
            .ok()
            .map(DateValue::Day);
    }
    DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z")
        .or_else(|_| DateTime::parse_from_rfc3339(text))
        .ok()
        .map(|at| DateValue::Instant(at.with_timezone(&Utc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"FormattedQuoteResult":{"FormattedQuote":[
        {"symbol":"AAPL","name":"Apple Inc","last":"336.13","last_time":"2026-10-07T16:00:00.000-0400","change":"+1.13","change_pct":"+0.34%",
         "open":"1,335.00","volume":"14,590,589","curmktstatus":"POST_MKT","currencyCode":"USD","exchange":"NASDAQ","previous_day_closing":"335.00",
         "ExtendedMktQuote":{"type":"POST_MKT","last":"337.00","last_time":"2026-10-07T17:10:00.000-0400"}},
        {"symbol":".SPX","last":"6,500.12","last_time":"2026-08-17"},
        {"symbol":"US10Y","last":"4.05%","last_time":"2026-08-17"},
        {"symbol":"DEAD","code":1,"name":"DEAD"},
        {"symbol":"BROKEN","code":500},
        {"symbol":"BELOW","last":"-5.10","last_time":"2026-08-17"},
        {"symbol":"ODD","last":"1,5","last_time":"2026-08-17"},
        {"symbol":"UNDATED","last":"5","last_time":"12:55 PM EDT"}]}}"#;

    fn at(given: &str) -> Result<Quote, SourceError> {
        parse(&Ticker::read(given).unwrap(), BODY)
    }

    #[test]
    fn the_session_and_the_extended_print_stay_apart() {
        let quote = at("AAPL").unwrap();
        assert_eq!((quote.price.digits(), quote.kind), ("336.13", "regular session"));
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Instant("2026-10-07T20:00:00Z".parse().unwrap()))
        );
        let extended = quote.extended.unwrap();
        assert_eq!(
            (
                extended.price.digits(),
                extended.at.unwrap().to_rfc3339().as_str()
            ),
            ("337", "2026-10-07T21:10:00+00:00")
        );
        assert_eq!(quote.open.unwrap().digits(), "1335");
    }

    #[test]
    fn a_day_is_a_day_and_no_currency_is_none() {
        let quote = at("^GSPC").unwrap();
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Day(NaiveDate::from_ymd_opt(2026, 8, 17).unwrap()))
        );
        assert_eq!(quote.currency, None);
        assert_eq!(at("US10Y").unwrap().unit, Some("percent"));
    }

    #[test]
    fn dead_and_undated_symbols_are_no_quotes() {
        use freshcontext_contract::ErrorCode;
        for (given, code) in [
            ("DEAD", ErrorCode::NotFound),
            // An entry that is missing, and another code, say nothing of a ticker.
            ("OTHER", ErrorCode::Malformed),
            ("BROKEN", ErrorCode::UpstreamError),
            // It has that one, and a time without a day.
            ("UNDATED", ErrorCode::Malformed),
        ] {
            assert_eq!(at(given).unwrap_err().code, code, "{given}");
        }
        let ticker = Ticker::read("AAPL").unwrap();
        assert!(
            parse(&ticker, "{}")
                .is_err_and(|error| error.code == freshcontext_contract::ErrorCode::Malformed)
        );
        let one = r#"{"FormattedQuoteResult":{"FormattedQuote":{"symbol":"AAPL","last":"1.5","last_time":"2026-08-17"}}}"#;
        assert_eq!(parse(&ticker, one).unwrap().price.digits(), "1.5");
    }

    #[test]
    fn a_price_that_is_none_is_named() {
        let said = |given: &str| at(given).unwrap_err().message;
        assert!(
            said("BELOW").contains("the price -5.1, which is below zero"),
            "{}",
            said("BELOW")
        );
        assert!(
            said("ODD").contains("\"1,5\", which cannot be read"),
            "{}",
            said("ODD")
        );
        assert!(said("UNDATED").contains("no price of a known moment"));
    }

    #[test]
    fn what_cannot_be_read_is_left_out_and_named() {
        let body = r#"{"FormattedQuoteResult":{"FormattedQuote":{"symbol":"AAPL","last":"1.5","last_time":"2026-08-17","open":"1,5","high":"N/A"}}}"#;
        let mut quote = parse(&Ticker::read("AAPL").unwrap(), body).unwrap();
        assert_eq!((&quote.open, &quote.high), (&None, &None));
        assert_eq!(
            quote.settle(),
            ["left out open \"1,5\", which cannot be read as a number"]
        );
    }

    #[test]
    fn one_request_asks_for_all() {
        let tickers = [Ticker::read("AAPL").unwrap(), Ticker::read("^GSPC").unwrap()];
        assert_eq!(
            request(&tickers).unwrap().url.as_str(),
            "https://quote.cnbc.com/quote-html-webservice/restQuote/symbolType/symbol?symbols=AAPL%7C.SPX&requestMethod=itv&noform=1&partnerId=2&fund=1&exthrs=1&output=json"
        );
    }
}
