//! Sources that the operator has a key for. The pipeline adds the key.

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, KeyedUrl, Media, Request, SourceError, quoted};
use freshcontext_parse::text;
use serde_json::Value;

use super::Provider;
use crate::numbers::{self, number, words};
use crate::quote::Quote;
use crate::request::quote_of;
use crate::symbol::{Kind, Ticker};

fn moment(value: &Value) -> Option<DateTime<Utc>> {
    let seconds = value.as_i64().filter(|seconds| *seconds > 0)?;
    DateTime::from_timestamp(seconds, 0)
}

pub fn finnhub_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let url = KeyedUrl::new("https://finnhub.io/api/v1/quote", &[])?;
    let url = url.with([("symbol", ticker.root.as_str())]);
    Ok(quote_of(url, Media::Json))
}

/// `{c: price, d: change, dp: per cent, h, l, o, pc: previous close, t: seconds}`; zeros where it has nothing.
pub fn finnhub(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    // Its errors come as text, too.
    if body.trim_start().starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(said(Provider::Finnhub, "Finnhub", ticker, body));
    }
    let value: Value = numbers::parse(body, "Finnhub quote")?;
    let at = |name: &str| value.get(name).unwrap_or(&Value::Null);
    if let Some(error) = words(at("error")) {
        return Err(said(Provider::Finnhub, "Finnhub", ticker, &error));
    }
    if value.get("c").is_none() {
        return Err(SourceError::malformed("Finnhub quote: the answer has no price"));
    }
    let page = finnhub_request(ticker)?.url.to_string();
    let quote = Quote::new("finnhub", page, number(at("c")), "t", moment(at("t")));
    let mut quote = quote.ok_or_else(|| {
        // Nothing but zeros comes for symbols that it does not have, and is no word; before the open `c` alone is 0.
        let says = |name: &str| number(at(name)).is_some_and(|figure| figure.value() != 0.0);
        if ["c", "h", "l", "o", "pc", "t"].into_iter().any(says) {
            Provider::Finnhub.no_price(ticker, at("c"))
        } else {
            Provider::Finnhub.said_nothing(ticker, "with nothing but zeros")
        }
    })?;
    quote.dated_roughly("t: the moment of the current daily bar, which may be an older session's");
    quote.change = quote.reads("d", at("d"));
    quote.change_percent = quote.reads("dp", at("dp"));
    quote.high = quote.reads("h", at("h"));
    quote.low = quote.reads("l", at("l"));
    quote.open = quote.reads("o", at("o"));
    quote.previous_close = quote.reads("pc", at("pc"));
    Ok(quote)
}

/// An error in the source's own words: a limit, a plan, a key, an unknown ticker, or a failure.
fn said(provider: Provider, name: &str, ticker: &Ticker, words: &str) -> SourceError {
    let words = text::said(words, 160);
    let lower = words.to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    let code = if has(&[
        "limit reached",
        "rate limit",
        "current limit",
        "limit exceeded",
        "too many requests",
        "out of api credits",
    ]) {
        ErrorCode::RateLimited
    } else if has(&[
        "available starting with",
        "don't have access",
        "subscription",
        "upgrade",
        "upgrading",
        "pricing",
    ]) || has_word(&lower, &["plan", "plans", "premium", "tier"])
    {
        let message = format!(
            "the plan of the {name} key does not include {}: {}",
            ticker.given,
            quoted(&words)
        );
        return SourceError::misconfigured(message)
            .hint("a key of that plan opens it; without, another provider may have it");
    } else if has_word(&lower, &["limit", "limits"]) {
        ErrorCode::RateLimited
    } else if has(&["api key", "apikey", "token", "unauthorized"]) {
        ErrorCode::AccessDenied
    } else if has(&["delisted"]) {
        return provider.delisted(ticker);
    } else if is_of_symbol(&lower, ticker) {
        return provider.unknown(ticker);
    } else {
        ErrorCode::UpstreamError
    };
    SourceError::new(code, format!("{name} answered with an error: {}", quoted(&words)))
}

fn has_word(lower: &str, words: &[&str]) -> bool {
    let mut all = lower.split(|c: char| !c.is_alphanumeric());
    all.any(|word| words.contains(&word))
}

/// Whether words say of the ticker, or of the symbol, that there is none: `Symbol not supported`, `invalid symbol`,
/// `**symbol** or **figi** parameter is missing or invalid`. What else is invalid or not found may be anything.
fn is_of_symbol(lower: &str, ticker: &Ticker) -> bool {
    const BETWEEN: [&str; 12] = [
        "or",
        "figi",
        "isin",
        "cusip",
        "parameter",
        "is",
        "was",
        "missing",
        "the",
        "a",
        "you",
        "provided",
    ];
    let plain = |text: &str| text.replace(['/', '-', '.'], "");
    let root = plain(&ticker.root.to_ascii_lowercase());
    let symbol = |word: &str| matches!(word, "symbol" | "ticker") || plain(word) == root;
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '/'))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().any(|(at, word)| {
        let after = words.get(at + 1..).unwrap_or_default();
        if matches!(*word, "invalid" | "unknown") {
            return after.first().is_some_and(|word| symbol(word));
        }
        let mut rest = after
            .iter()
            .skip_while(|word| BETWEEN.contains(word) || symbol(word));
        let denied = match rest.next() {
            Some(&"invalid" | &"unknown") => true,
            Some(&"not") => rest
                .next()
                .is_some_and(|word| matches!(*word, "found" | "supported")),
            _ => false,
        };
        symbol(word) && denied
    })
}

pub fn twelvedata_request(ticker: &Ticker) -> Result<Request, SourceError> {
    let symbol = match &ticker.kind {
        Kind::Currency(base, quote) | Kind::Coin(base, quote) => format!("{base}/{quote}"),
        _ => ticker.root.clone(),
    };
    let url = KeyedUrl::new("https://api.twelvedata.com/quote", &[])?;
    let url = url.with([("symbol", symbol.as_str())]);
    Ok(quote_of(url, Media::Json).accepting(&[404]))
}

/// Numbers come as text; errors as `{code, message, status: "error"}`, often with status 200.
pub fn twelvedata(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let value: Value = numbers::parse(body, "Twelve Data quote")?;
    let at = |name: &str| value.get(name).unwrap_or(&Value::Null);
    if at("status").as_str() == Some("error") {
        let message = words(at("message")).unwrap_or_default();
        let mut error = said(Provider::TwelveData, "Twelve Data", ticker, &message);
        // A plan's gate comes as 403 or 404; else the code says it better than the words.
        error = match (at("code").as_u64(), error.code) {
            (_, ErrorCode::Misconfigured) => error,
            (Some(429), _) => SourceError {
                code: ErrorCode::RateLimited,
                ..error
            },
            (Some(401 | 403), _) => SourceError {
                code: ErrorCode::AccessDenied,
                ..error
            },
            // A parameter that may be missing, and a server that failed, say nothing of a ticker.
            (Some(400 | 500..), ErrorCode::NotFound) => SourceError::upstream(format!(
                "Twelve Data answered with an error: {}",
                quoted(&text::said(&message, 160))
            )),
            _ => error,
        };
        return Err(error);
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
    let quote = Quote::new("twelvedata", page, number(at("close")), field, time);
    let mut quote = quote.ok_or_else(|| Provider::TwelveData.no_price(ticker, at("close")))?;
    if field == "timestamp" {
        quote.dated_roughly("timestamp: the opening of the session that the price is from");
    }
    let currency = words(at("currency")).or_else(|| match &ticker.kind {
        Kind::Currency(_, currency) | Kind::Coin(_, currency) => Some(currency.clone()),
        _ => None,
    });
    let index = words(at("type")).is_some_and(|kind| kind.eq_ignore_ascii_case("index"));
    quote.stated_in(currency, ticker, index);
    quote.name = words(at("name"));
    quote.exchange = words(at("exchange"));
    quote.change = quote.reads("change", at("change"));
    quote.change_percent = quote.reads("percent_change", at("percent_change"));
    quote.previous_close = quote.reads("previous_close", at("previous_close"));
    quote.open = quote.reads("open", at("open"));
    quote.high = quote.reads("high", at("high"));
    quote.low = quote.reads("low", at("low"));
    quote.volume = quote
        .reads("volume", at("volume"))
        .filter(|volume| volume.value() > 0.0);
    Ok(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_no_quote_and_no_word() {
        let ticker = Ticker::read("AAPL").unwrap();
        let quote = finnhub(
            &ticker,
            r#"{"c":336.13,"d":1.13,"dp":0.337,"h":337,"l":334,"o":335,"pc":335,"t":1791403200}"#,
        )
        .unwrap();
        assert_eq!((quote.price.digits(), quote.currency), ("336.13", None));
        let none = finnhub(
            &ticker,
            r#"{"c":0,"d":null,"dp":null,"h":0,"l":0,"o":0,"pc":0,"t":0}"#,
        )
        .unwrap_err();
        assert_eq!(none.code, ErrorCode::Malformed);
        assert_eq!(none.detail.as_deref(), Some(crate::providers::NOTHING_SAID));
        // Before the open it knows everything but the price.
        for known in [
            r#"{"c":0,"d":null,"dp":null,"h":31.2,"l":30.1,"o":30.5,"pc":31,"t":1791403200}"#,
            r#"{"c":0,"h":0,"l":0,"o":0,"pc":31,"t":0}"#,
            r#"{"c":null,"h":0,"l":0,"o":0,"pc":0,"t":1791403200}"#,
        ] {
            assert_eq!(
                finnhub(&ticker, known).unwrap_err().code,
                ErrorCode::Malformed,
                "{known}"
            );
        }
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
    fn finnhubs_errors_are_read() {
        let ticker = Ticker::read("AAPL").unwrap();
        for (body, code) in [
            (
                r#"{"error":"API limit reached. Please try again later. Remaining Limit: 0"}"#,
                ErrorCode::RateLimited,
            ),
            ("API limit reached.", ErrorCode::RateLimited),
            (
                r#"{"error":"You don't have access to this resource."}"#,
                ErrorCode::Misconfigured,
            ),
            (r#"{"error":"Invalid API key"}"#, ErrorCode::AccessDenied),
            ("Please use an API key.", ErrorCode::AccessDenied),
            (r#"{"error":"Symbol not supported"}"#, ErrorCode::NotFound),
            (r#"{"error":"Something went wrong"}"#, ErrorCode::UpstreamError),
            (r#"{"error":"API endpoint not found"}"#, ErrorCode::UpstreamError),
            (
                r#"{"error":"Invalid resolution for symbol AAPL"}"#,
                ErrorCode::UpstreamError,
            ),
            (
                r#"{"error":"Symbol not supported by your subscription"}"#,
                ErrorCode::Misconfigured,
            ),
            (r#"{"error":"AAPL not found"}"#, ErrorCode::NotFound),
            (
                r#"{"error":"Explanation: the planet is down"}"#,
                ErrorCode::UpstreamError,
            ),
            ("<html>", ErrorCode::Malformed),
        ] {
            assert_eq!(finnhub(&ticker, body).unwrap_err().code, code, "{body}");
        }
    }

    #[test]
    fn a_plans_gate_is_no_unknown_ticker() {
        let ticker = Ticker::read("EXMP").unwrap();
        let gate = r#"{"code":404,"message":"This symbol is available starting with the Grow or Venture plan. Consider upgrading now at https://twelvedata.com/pricing","status":"error"}"#;
        let error = Provider::TwelveData.parse(&ticker, 404, gate).unwrap_err();
        assert_eq!(error.code, ErrorCode::Misconfigured);
        assert!(
            error.message.contains("Grow or Venture plan"),
            "{}",
            error.message
        );
        let none = r#"{"code":404,"message":"**symbol** or **figi** parameter is missing or invalid.","status":"error"}"#;
        for (status, body) in [(404, none), (200, none)] {
            let error = Provider::TwelveData.parse(&ticker, status, body).unwrap_err();
            assert_eq!(error.code, ErrorCode::NotFound, "{status} {body}");
        }
    }

    #[test]
    fn errors_with_status_200_are_errors() {
        let ticker = Ticker::read("EUR/USD").unwrap();
        let code = |body: &str| twelvedata(&ticker, body).unwrap_err().code;
        assert_eq!(
            code(r#"{"code":404,"message":"EUR/USD not found","status":"error"}"#),
            ErrorCode::NotFound
        );
        // What a plan limits is no limit of a moment, and credits are, whatever plan is offered for more.
        for (message, wanted) in [
            ("EUR/USD is limited to the Pro plan", ErrorCode::Misconfigured),
            (
                "You have run out of API credits for the current minute. Consider switching to a higher tier plan",
                ErrorCode::RateLimited,
            ),
            ("symbol EURUSD not found: Example Limited", ErrorCode::NotFound),
        ] {
            let body = format!(r#"{{"code":404,"message":"{message}","status":"error"}}"#);
            assert_eq!(code(&body), wanted, "{message}");
        }
        // Of something else, or of a server that failed.
        for other in [
            r#"{"code":404,"message":"not found","status":"error"}"#,
            r#"{"code":400,"message":"**symbol** parameter is missing or invalid","status":"error"}"#,
            r#"{"code":500,"message":"symbol not found","status":"error"}"#,
            r#"{"code":404,"message":"Invalid **interval** provided: 1x, for the symbol","status":"error"}"#,
        ] {
            assert_eq!(code(other), ErrorCode::UpstreamError, "{other}");
        }
        assert_eq!(
            code(r#"{"code":404,"message":"Symbol not found under your current tier","status":"error"}"#),
            ErrorCode::Misconfigured
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
        assert_eq!(
            (quote.currency.as_deref(), quote.is_rough()),
            (Some("USD"), false)
        );
        assert!(
            twelvedata_request(&ticker)
                .unwrap()
                .url
                .as_str()
                .ends_with("symbol=EUR%2FUSD")
        );
    }
}
