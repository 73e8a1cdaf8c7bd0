//! One price, the moment it belongs to, and who says so.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use freshcontext_contract::{DateEvidence, Item};
use freshcontext_parse::json::rounded;

use crate::symbol::Ticker;

/// When a price was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// To the second.
    Instant(DateTime<Utc>),
    /// A trading day, without the time.
    Day(NaiveDate),
}

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

/// What a stamp is worth that a source puts on a delayed price during the session.
const ROUGH: &str = "time stamp of a price during the session, delayed by an unstated time";

/// One quote. Facts that the source does not give stay absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// The route that answered.
    pub provider: &'static str,
    /// The page of the quote for people, or the address of the data.
    pub page: String,
    /// What the price is, for example `regular session`.
    pub kind: &'static str,
    /// The last price.
    pub price: f64,
    /// When it was made.
    pub moment: Moment,
    /// Name of the field that says so.
    pub field: &'static str,
    /// Whether the moment is only roughly the price's, as during a session at a delayed source.
    pub rough: bool,
    /// Why, where it is.
    pub why_rough: &'static str,
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
    /// A quote with nothing but a price and its moment; `None` for a price that is none.
    pub fn new(
        provider: &'static str,
        page: String,
        price: f64,
        field: &'static str,
        moment: Moment,
    ) -> Option<Self> {
        (price.is_finite() && price > 0.0).then_some(Self {
            provider,
            page,
            kind: "last trade",
            price,
            moment,
            field,
            rough: false,
            why_rough: ROUGH,
            currency: None,
            unit: None,
            name: None,
            exchange: None,
            market: None,
            previous_close: None,
            change: None,
            change_percent: None,
            open: None,
            high: None,
            low: None,
            volume: None,
            close: None,
            extended: None,
            derived_from: None,
        })
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
        let date = match (self.moment, self.rough) {
            (Moment::Instant(at), false) => DateEvidence::field(self.field, at),
            (Moment::Instant(at), true) => DateEvidence::signal(self.why_rough, at),
            (Moment::Day(day), false) => DateEvidence::field(self.field, day),
            (Moment::Day(day), true) => DateEvidence::signal(self.why_rough, day),
        };
        let mut item = Item::new(title, date);
        item.id = Some(format!("{}:{}", self.provider, ticker.root));
        item.url = Some(self.page);
        item.set("symbol", ticker.given.to_ascii_uppercase());
        item.set("price", rounded(self.price, DECIMALS));
        item.set("currency", self.currency);
        item.set("unit", self.unit);
        item.set("price_kind", self.kind);
        item.set(
            "as_of",
            match self.moment {
                Moment::Instant(at) => at.to_rfc3339_opts(SecondsFormat::Secs, true),
                Moment::Day(day) => day.to_string(),
            },
        );
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
            item.set(
                "extended_as_of",
                extended
                    .at
                    .map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)),
            );
        }
        item.set("provider", self.provider);
        item
    }
}
