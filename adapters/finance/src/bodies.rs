//! The reader against recorded bodies.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, DateValue, ErrorCode};
use freshcontext_testkit::bodies::recording;

use crate::providers::Provider;
use crate::quote::Quote;
use crate::symbol::Ticker;

impl Quote {
    /// Whether its moment is only roughly that of the price.
    pub fn is_rough(&self) -> bool {
        matches!(self.date, DateEvidence::PageSignal { .. })
    }
}

fn ticker(given: &str) -> Ticker {
    Ticker::read(given).unwrap()
}

fn stooq(given: &str, name: &str) -> Result<Quote, ErrorCode> {
    Provider::Stooq
        .parse(&ticker(given), 200, &recording(&format!("stooq/{name}")))
        .map_err(|error| error.code)
}

#[freshcontext_recorded::test]
fn recorded_stooq_quotes_are_in_warsaw_time() {
    for (given, name, price, utc, rough) in [
        ("AAPL", "quote_aapl.csv", 163.17, "2022-03-04T21:00:07Z", false),
        ("AAPL", "quote_aapl.json", 178.61, "2023-08-25T20:00:12Z", false),
        (
            "^WIG",
            "quote_pl_headers.csv",
            59_406.36,
            "2017-04-06T15:15:00Z",
            false,
        ),
        (
            "XAU-USD",
            "quote_no_volume.json",
            5_199.71,
            "2026-03-20T20:59:50Z",
            true,
        ),
    ] {
        let quote = stooq(given, name);
        let quote = quote.unwrap();
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Instant(utc.parse().unwrap())),
            "{name}"
        );
        assert!(
            (quote.price - price).abs() < 1e-9 && quote.is_rough() == rough,
            "{name}"
        );
        assert_eq!(quote.currency, None);
    }
}

#[freshcontext_recorded::test]
fn recorded_refusals_are_no_quotes() {
    for (name, code) in [
        ("quote_nd.csv", ErrorCode::NotFound),
        ("daily_limit.txt", ErrorCode::RateLimited),
        ("pow_challenge.html", ErrorCode::Challenge),
    ] {
        let quote = stooq("AAPL", name);
        assert_eq!(quote.unwrap_err(), code, "{name}");
    }
}

#[freshcontext_recorded::test]
fn the_recorded_nasdaq_quote_has_a_day() {
    let body = recording("stooq/fallback_nasdaq_info.json");
    let quote = Provider::Nasdaq.parse(&ticker("AACQU"), 200, &body).unwrap();
    assert_eq!(
        quote.date.value(),
        Some(&DateValue::Day(NaiveDate::from_ymd_opt(2020, 7, 28).unwrap()))
    );
    assert_eq!(
        (quote.price, quote.previous_close, quote.volume),
        (10.4, Some(10.43), Some(537_219.0))
    );
    assert_eq!(quote.currency.as_deref(), Some("USD"));
}
