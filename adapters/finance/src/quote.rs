//! One price, the moment it belongs to, and who says so.

use chrono::{DateTime, Utc};
use freshcontext_contract::{DateEvidence, DateValue, Item};
use freshcontext_parse::date;
use freshcontext_parse::json::rounded;

use crate::symbol::Ticker;

/// A price outside the regular session.
#[derive(Debug, Clone, PartialEq)]
pub struct Extended {
    /// Before or after hours, in the source's words.
    pub kind: String,
    /// The price.
    pub price: f64,
    /// When.
    pub at: Option<DateTime<Utc>>,
}

/// Decimals of a price that are shown; what lies below is binary dust.
const DECIMALS: i32 = 6;

/// One quote. Facts that the source does not give stay absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quote {
    /// The route that answered.
    pub provider: &'static str,
    /// The page of the quote for people, or the address of the data.
    pub page: String,
    /// What the price is, for example `regular session`.
    pub kind: &'static str,
    /// The last price.
    pub price: f64,
    /// When it was made, and what says so: an instant, or a trading day without the time.
    pub date: DateEvidence,
    /// The currency that the source states.
    pub currency: Option<String>,
    /// What the number is, where it is no price in a currency.
    pub unit: Option<&'static str>,
    /// The name of the thing.
    pub name: Option<String>,
    /// The market.
    pub exchange: Option<String>,
    /// Whether the market is open, in the source's words.
    pub market: Option<String>,
    /// Previous close.
    pub previous_close: Option<f64>,
    /// Change against the previous close.
    pub change: Option<f64>,
    /// The same in per cent.
    pub change_percent: Option<f64>,
    /// First price of the session.
    pub open: Option<f64>,
    /// Highest price of the session.
    pub high: Option<f64>,
    /// Lowest price of the session.
    pub low: Option<f64>,
    /// Pieces traded.
    pub volume: Option<f64>,
    /// The official close, where it is given beside the last print.
    pub close: Option<f64>,
    /// A price outside the session.
    pub extended: Option<Extended>,
    /// What the price was computed from, where the source does not give it itself.
    pub derived_from: Option<String>,
}

impl Quote {
    /// A quote with nothing but a price and its moment; `None` where either is missing, and for a price that is none.
    pub fn new(
        provider: &'static str,
        page: String,
        price: Option<f64>,
        field: &'static str,
        moment: Option<impl Into<DateValue>>,
    ) -> Option<Self> {
        Some(Self {
            provider,
            page,
            kind: "last trade",
            price: price.filter(|price| price.is_finite() && *price > 0.0)?,
            date: DateEvidence::field(field, moment?),
            ..Self::default()
        })
    }

    /// Says that its moment is only roughly that of the price, and why.
    pub fn dated_roughly(&mut self, why: &'static str) {
        if let Some(moment) = self.date.value() {
            self.date = DateEvidence::signal(why, moment.clone());
        }
    }

    /// The quote as an item of this ticker.
    pub fn item(self, ticker: &Ticker) -> Item {
        let unit = self.currency.clone().or(self.unit.map(str::to_owned));
        let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        let name = self
            .name
            .as_ref()
            .map(|name| format!(" ({name})"))
            .unwrap_or_default();
        let title = format!(
            "{}{name}: {}{unit}",
            ticker.given.to_ascii_uppercase(),
            rounded(self.price, DECIMALS)
        );
        let as_of = self.date.value().and_then(date::shown);
        let mut item = Item::new(title, self.date);
        item.id = Some(format!("{}:{}", self.provider, ticker.root));
        item.url = Some(self.page);
        item.set("symbol", ticker.given.to_ascii_uppercase());
        item.set("price", rounded(self.price, DECIMALS));
        item.set("currency", self.currency);
        item.set("unit", self.unit);
        item.set("price_kind", self.kind);
        item.set("as_of", as_of);
        item.set("derived_from", self.derived_from);
        item.set("market", self.market);
        item.set("exchange", self.exchange);
        // What has a price above zero has not had one below, nor lost more than all of it.
        for (name, number, least) in [
            ("change", self.change, f64::NEG_INFINITY),
            ("change_percent", self.change_percent, -100.0),
            ("previous_close", self.previous_close, 0.0),
            ("official_close", self.close, 0.0),
            ("open", self.open, 0.0),
            ("high", self.high, 0.0),
            ("low", self.low, 0.0),
            ("volume", self.volume, 0.0),
        ] {
            let number = number.filter(|number| *number > least);
            item.set(name, number.map(|number| rounded(number, DECIMALS)));
        }
        if let Some(extended) = self.extended {
            item.set("extended_price", rounded(extended.price, DECIMALS));
            item.set("extended_kind", extended.kind);
            item.set_instant("extended_as_of", extended.at);
        }
        item.set("provider", self.provider);
        item
    }
}
