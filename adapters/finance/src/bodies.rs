//! The reader against recorded bodies.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, DateValue};
use freshcontext_testkit::bodies::{recording, root};
use freshcontext_testkit::load_cases;

use crate::numbers;
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

#[freshcontext_recorded::test]
fn the_recorded_nasdaq_quote_has_a_day() {
    let body = recording("stooq/fallback_nasdaq_info.json");
    let quote = Provider::Nasdaq.parse(&ticker("AACQU"), 200, &body).unwrap();
    assert_eq!(
        quote.date.value(),
        Some(&DateValue::Day(NaiveDate::from_ymd_opt(2020, 7, 28).unwrap()))
    );
    assert_eq!(
        [Some(quote.price), quote.previous_close, quote.volume]
            .map(|figure| figure.unwrap().digits().to_owned()),
        ["10.4", "10.43", "537219"]
    );
    assert_eq!(quote.currency.as_deref(), Some("USD"));
}

/// The provider that a host answers for.
fn provider(url: &str) -> Option<Provider> {
    let hosts = [
        ("finnhub.io", Provider::Finnhub),
        ("api.twelvedata.com", Provider::TwelveData),
        ("quote.cnbc.com", Provider::Cnbc),
        ("cdn.cboe.com", Provider::Cboe),
        ("api.nasdaq.com", Provider::Nasdaq),
        ("api.frankfurter.dev", Provider::Frankfurter),
        ("api.exchange.coinbase.com", Provider::Coinbase),
        ("query1.finance.yahoo.com", Provider::Yahoo),
    ];
    hosts
        .iter()
        .find(|(host, _)| url.contains(host))
        .map(|(_, provider)| *provider)
}

#[test]
fn what_is_printed_are_the_digits_of_the_source() {
    let mut seen = std::collections::BTreeSet::new();
    let cases = load_cases(&root().join("fixtures")).unwrap();
    for case in cases.iter().filter(|case| case.name.starts_with("finance/")) {
        for exchange in &case.exchanges {
            let provider = provider(exchange.url.as_str()).unwrap();
            let body = String::from_utf8(case.body(exchange, &root()).unwrap()).unwrap();
            let number = |c: char| matches!(c, '0'..='9' | '.' | ',' | '-' | '+' | 'e' | 'E');
            let written: Vec<String> = body
                .split(|c| !number(c))
                .map(|run| run.trim_matches(','))
                .filter_map(|run| Some(numbers::number(&run.into())?.digits().to_owned()))
                .collect();
            let tickers = case.arguments["url"].as_str().unwrap().split(',');
            for ticker in tickers.map(ticker).filter(|ticker| provider.covers(ticker)) {
                let Ok(mut quote) = provider.parse(&ticker, exchange.status, &body) else {
                    continue;
                };
                quote.settle();
                if quote.derived_from.is_some() {
                    continue;
                }
                let price = quote.price.digits().to_owned();
                let item = quote.item(&ticker);
                assert!(item.title.contains(&price) && price != "0", "{}", item.title);
                for name in [
                    "price",
                    "change",
                    "change_percent",
                    "previous_close",
                    "official_close",
                    "open",
                    "high",
                    "low",
                    "volume",
                    "extended_price",
                ] {
                    let Some(shown) = item.fields.get(name) else {
                        continue;
                    };
                    let shown = numbers::number(shown).unwrap();
                    let as_text =
                        shown.digits() == "0" || written.iter().any(|digits| digits == shown.digits());
                    assert!(as_text, "{}: {name} {}", case.name, shown.digits());
                }
                seen.insert(provider.id());
            }
        }
    }
    assert_eq!(seen.len(), Provider::ALL.len(), "{seen:?}");
}
