//! The reader against recorded bodies.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, DateValue};
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
