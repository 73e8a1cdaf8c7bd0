//! One price, the moment it belongs to, and who says so.

use chrono::{DateTime, Utc};
use freshcontext_contract::{DateEvidence, DateValue, Item, quoted};
use freshcontext_parse::{date, text};
use serde_json::Value;

use crate::numbers::{Figure, number, words};
use crate::symbol::{Kind, Ticker};

/// A price outside the regular session.
#[derive(Debug, Clone, PartialEq)]
pub struct Extended {
    /// Before or after hours, in the source's words.
    pub kind: String,
    /// The price.
    pub price: Figure,
    /// When.
    pub at: Option<DateTime<Utc>>,
}

/// The unit of a yield.
const PERCENT: &str = "percent";

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
    pub price: Figure,
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
    pub previous_close: Option<Figure>,
    /// Change against the previous close.
    pub change: Option<Figure>,
    /// The same in per cent.
    pub change_percent: Option<Figure>,
    /// First price of the session.
    pub open: Option<Figure>,
    /// Highest price of the session.
    pub high: Option<Figure>,
    /// Lowest price of the session.
    pub low: Option<Figure>,
    /// Pieces traded.
    pub volume: Option<Figure>,
    /// The official close, where it is given beside the last print.
    pub close: Option<Figure>,
    /// A price outside the session.
    pub extended: Option<Extended>,
    /// What the price was computed from, where the source does not give it itself.
    pub derived_from: Option<String>,
    /// Fields whose number cannot be read, with what stands there.
    pub unreadable: Vec<String>,
}

/// Currencies that are a hundredth of one, as Yahoo writes them, and what that is.
const HUNDREDTHS: [(&str, &str); 4] = [
    ("GBp", "pence"),
    ("GBX", "pence"),
    ("ZAc", "cents"),
    ("ILA", "agorot"),
];

impl Quote {
    /// A quote with nothing but a price and its moment; `None` where either is missing. A price of 0 is how sources
    /// write that there is none, and no share, coin or currency has one below.
    pub fn new(
        provider: &'static str,
        page: String,
        price: Option<Figure>,
        field: &'static str,
        moment: Option<impl Into<DateValue>>,
    ) -> Option<Self> {
        let price = price.filter(|price| price.value() > 0.0)?;
        Some(Self::priced(
            provider,
            page,
            price,
            DateEvidence::field(field, moment?),
        ))
    }

    /// A yield, which may be 0 or below.
    pub fn of_yield(
        provider: &'static str,
        page: String,
        price: Option<Figure>,
        field: &'static str,
        moment: Option<impl Into<DateValue>>,
    ) -> Option<Self> {
        let price = price.filter(|price| price.value().abs() < 100.0)?;
        let mut quote = Self::priced(provider, page, price, DateEvidence::field(field, moment?));
        quote.unit = Some(PERCENT);
        Some(quote)
    }

    fn priced(provider: &'static str, page: String, price: Figure, date: DateEvidence) -> Self {
        Self {
            provider,
            page,
            kind: "last trade",
            price,
            date,
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
            unreadable: Vec::new(),
        }
    }

    /// Reads the number of a field; what cannot be read is left out and named.
    pub fn reads(&mut self, field: &str, value: &Value) -> Option<Figure> {
        let figure = number(value);
        if figure.is_none()
            && let Some(written) = words(value)
        {
            let written = quoted(&text::said(&written, 40));
            self.unreadable.push(format!(
                "left out {field} {written}, which cannot be read as a number"
            ));
        }
        figure
    }

    /// Says that its moment is only roughly that of the price, and why.
    pub fn dated_roughly(&mut self, why: &'static str) {
        if let Some(moment) = self.date.value() {
            self.date = DateEvidence::signal(why, moment.clone());
        }
    }

    /// Takes the currency that the source states beside the price. A yield is in per cent and an index in points,
    /// whatever currency stands beside them.
    pub fn stated_in(&mut self, currency: Option<String>, ticker: &Ticker, is_index: bool) {
        if self.unit == Some(PERCENT) || ticker.kind == Kind::Index || is_index {
            return;
        }
        let hundredth = currency.as_deref().and_then(|currency| {
            let found = HUNDREDTHS.iter().find(|(code, _)| *code == currency);
            found.map(|(_, unit)| *unit)
        });
        self.unit = hundredth.or(self.unit);
        self.currency = currency;
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
            self.price.digits()
        );
        let as_of = self.date.value().and_then(date::shown);
        let mut item = Item::new(title, self.date);
        item.id = Some(format!("{}:{}", self.provider, ticker.root));
        item.url = Some(self.page);
        item.set("symbol", ticker.given.to_ascii_uppercase());
        item.set("price", self.price.json());
        item.set("currency", self.currency);
        item.set("unit", self.unit);
        item.set("price_kind", self.kind);
        item.set("as_of", as_of);
        item.set("derived_from", self.derived_from);
        item.set("market", self.market);
        item.set("exchange", self.exchange);
        let yields = self.unit == Some(PERCENT);
        // What has a price above zero has not had one below, nor lost more than all of it: zeros there are how
        // sources write that they have no number. A yield may be or have been anything.
        let least = if yields {
            (f64::NEG_INFINITY, f64::NEG_INFINITY)
        } else {
            (0.0, -100.0)
        };
        for (name, figure, least) in [
            ("change", self.change, f64::NEG_INFINITY),
            ("change_percent", self.change_percent, least.1),
            ("previous_close", self.previous_close, least.0),
            ("official_close", self.close, least.0),
            ("open", self.open, least.0),
            ("high", self.high, least.0),
            ("low", self.low, least.0),
            ("volume", self.volume, 0.0),
        ] {
            let figure = figure.filter(|figure| figure.value() > least);
            item.set(name, figure.map(|figure| figure.json()));
        }
        if let Some(extended) = self.extended {
            item.set("extended_price", extended.price.json());
            item.set("extended_kind", extended.kind);
            item.set_instant("extended_as_of", extended.at);
        }
        item.set("provider", self.provider);
        item
    }
}
