//! The quote sources. Each turns tickers into requests and one answer into a quote.

mod cboe;
mod cnbc;
mod keyed;
mod nasdaq;
mod pairs;
mod yahoo;

use freshcontext_contract::{Cx, ErrorCode, Request, Response, SourceError, quoted, texts};
use freshcontext_parse::{charset, text};
use futures_util::future::join_all;
use serde_json::Value;

use crate::numbers;
use crate::quote::Quote;
use crate::symbol::{Kind, Ticker};

/// The detail of an error that says that a source answered without this ticker and without a word about it.
pub const NOTHING_SAID: &str = "nothing_said";

/// The detail of an error that says that a ticker is no longer traded.
pub const DELISTED: &str = "delisted";

texts! {
    /// A quote source, in the order in which they are asked; ids are those of the routes.
    pub enum Provider(id) {
        /// Finnhub, by key.
        Finnhub { id: "finnhub" }
        /// Twelve Data, by key.
        TwelveData { id: "twelvedata" }
        /// CNBC's quote service.
        Cnbc { id: "cnbc" }
        /// Cboe's delayed quotes.
        Cboe { id: "cboe" }
        /// Nasdaq's quote pages.
        Nasdaq { id: "nasdaq" }
        /// Reference rates of the European Central Bank.
        Frankfurter { id: "frankfurter" }
        /// Coinbase Exchange.
        Coinbase { id: "coinbase" }
        /// Yahoo's chart service.
        Yahoo { id: "yahoo" }
    }
}

impl Provider {
    /// The route ids, in the order in which they are asked.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|provider| provider.id()).collect()
    }

    /// Whether it can have this kind of ticker.
    pub fn covers(self, ticker: &Ticker) -> bool {
        match self {
            Self::Finnhub | Self::Nasdaq => ticker.kind == Kind::Us,
            Self::TwelveData => matches!(ticker.kind, Kind::Us | Kind::Currency(..) | Kind::Coin(..)),
            Self::Cnbc => ticker.cnbc().is_some(),
            Self::Cboe => ticker.cboe().is_some(),
            Self::Frankfurter => matches!(ticker.kind, Kind::Currency(..)),
            Self::Coinbase => matches!(ticker.kind, Kind::Coin(..)),
            Self::Yahoo => true,
        }
    }

    /// Whether one request asks for several tickers.
    pub fn takes_several(self) -> bool {
        self == Self::Cnbc
    }

    /// Quotes for tickers it covers, one result each, in their order.
    pub async fn quotes(self, cx: &Cx<'_>, tickers: &[Ticker]) -> Vec<Result<Quote, SourceError>> {
        if self.takes_several() {
            return cnbc::quotes(cx, tickers).await;
        }
        join_all(tickers.iter().map(|ticker| self.quote(cx, ticker))).await
    }

    async fn quote(self, cx: &Cx<'_>, ticker: &Ticker) -> Result<Quote, SourceError> {
        let quote = self.ask(cx, ticker, self.request(ticker)?).await;
        match quote {
            // Nasdaq keeps funds apart from stocks.
            Err(error) if self == Self::Nasdaq && error.code == ErrorCode::NotFound => {
                self.ask(cx, ticker, nasdaq::request(ticker, "etf")?).await
            }
            quote => quote,
        }
    }

    async fn ask(self, cx: &Cx<'_>, ticker: &Ticker, request: Request) -> Result<Quote, SourceError> {
        cx.read(request, |response| self.read(ticker, response)).await
    }

    fn request(self, ticker: &Ticker) -> Result<Request, SourceError> {
        match self {
            Self::Finnhub => keyed::finnhub_request(ticker),
            Self::TwelveData => keyed::twelvedata_request(ticker),
            Self::Cnbc => cnbc::request(std::slice::from_ref(ticker)),
            Self::Cboe => cboe::request(ticker),
            Self::Nasdaq => nasdaq::request(ticker, "stocks"),
            Self::Frankfurter => pairs::frankfurter_request(ticker),
            Self::Coinbase => pairs::coinbase_request(ticker),
            Self::Yahoo => yahoo::request(ticker),
        }
    }

    fn read(self, ticker: &Ticker, response: &Response) -> Result<Quote, SourceError> {
        let quote = self.parse(ticker, response.status, &charset::decode(response).text);
        // A vendor's block page says more than that the answer is no quote.
        quote.map_err(|error| match error.code {
            ErrorCode::Malformed | ErrorCode::Challenge | ErrorCode::AccessDenied => {
                response.block_page().unwrap_or(error)
            }
            _ => error,
        })
    }

    /// Refuses a quote of another security than the one that was asked for. Sources write signs and zeros of a symbol in their own
    /// ways: `BRK.B` and `BRK-B`, `_SPX` and `^SPX`, `700.HK` and `0700.HK`.
    fn is_of(self, asked: &str, answered: &Value) -> Result<(), SourceError> {
        let plain = |symbol: &str| {
            let kept = symbol.chars().filter(char::is_ascii_alphanumeric);
            let kept: String = kept.map(|c| c.to_ascii_uppercase()).collect();
            kept.trim_start_matches('0').to_owned()
        };
        match answered.as_str() {
            Some(symbol) if !symbol.trim().is_empty() && plain(symbol) != plain(asked) => {
                let symbol = quoted(&text::said(symbol, 40));
                Err(SourceError::malformed(format!(
                    "{} answered with the quote of another symbol, {symbol}",
                    self.id()
                )))
            }
            _ => Ok(()),
        }
    }

    /// Reads one answer.
    pub fn parse(self, ticker: &Ticker, status: u16, body: &str) -> Result<Quote, SourceError> {
        if status < 400 {
            return self.parse_ok(ticker, body);
        }
        // Whatever a failed server writes, it says nothing of a ticker.
        if status >= 500 {
            return Err(SourceError::upstream(format!(
                "{} answered with status {status}",
                self.id()
            )));
        }
        // A status was accepted for what the source says with it; the status alone says nothing of a ticker.
        let said = match self {
            Self::Cboe => cboe::says_unknown(body).then(|| self.unknown(ticker)),
            Self::Coinbase => pairs::coinbase_says(ticker, body),
            Self::Frankfurter => pairs::frankfurter_says_unknown(ticker, body).then(|| self.unknown(ticker)),
            Self::TwelveData | Self::Yahoo => match self.parse_ok(ticker, body) {
                Err(error) if error.code != ErrorCode::Malformed => Some(error),
                _ => None,
            },
            Self::Finnhub | Self::Cnbc | Self::Nasdaq => None,
        };
        Err(said.unwrap_or_else(|| {
            let message = format!(
                "{} answered with status {status} and not with its own words",
                self.id()
            );
            match status {
                401 | 403 => SourceError::access_denied(message),
                _ => SourceError::malformed(message),
            }
        }))
    }

    fn parse_ok(self, ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
        match self {
            Self::Finnhub => keyed::finnhub(ticker, body),
            Self::TwelveData => keyed::twelvedata(ticker, body),
            Self::Cnbc => cnbc::parse(ticker, body),
            Self::Cboe => cboe::parse(ticker, body),
            Self::Nasdaq => nasdaq::parse(ticker, body),
            Self::Frankfurter => pairs::frankfurter(ticker, body),
            Self::Coinbase => pairs::coinbase(ticker, body),
            Self::Yahoo => yahoo::parse(ticker, body),
        }
    }

    /// The source has the ticker, and neither a price nor its moment. `price` is what it writes for the price.
    pub fn no_price(self, ticker: &Ticker, price: &Value) -> SourceError {
        let (id, given) = (self.id(), &ticker.given);
        let message = match (numbers::number(price), numbers::words(price)) {
            (Some(figure), _) if figure.value() < 0.0 => format!(
                "{id} has {given} with the price {}, which is below zero and no price of a stock, coin or currency",
                figure.digits()
            ),
            (None, Some(written)) => format!(
                "{id} has {given} with the price {}, which cannot be read as a number",
                quoted(&text::said(&written, 40))
            ),
            _ => format!("{id} has {given} but no price of a known moment at present"),
        };
        SourceError::malformed(message).hint("pass another provider, or ask again later")
    }

    /// The source says that the ticker is no longer traded there.
    pub fn delisted(self, ticker: &Ticker) -> SourceError {
        SourceError::not_found(format!("{} is delisted at {}", ticker.given, self.id())).detail(DELISTED)
    }

    /// The source answered without this ticker, and did not say that it does not have it.
    pub fn said_nothing(self, ticker: &Ticker, how: &str) -> SourceError {
        let message = format!(
            "{} answered {how} for {} and does not say why",
            self.id(),
            ticker.given
        );
        SourceError::malformed(message)
            .detail(NOTHING_SAID)
            .hint("check the ticker, or pass another provider")
    }

    /// The source says in its own words that it does not have the ticker.
    pub fn unknown(self, ticker: &Ticker) -> SourceError {
        SourceError::not_found(format!("{} has no quote for {}", self.id(), ticker.given))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_of_another_security_is_none() {
        for (given, body, provider) in [
            (
                "AAPL",
                r#"{"data":{"symbol":"QQQQ","primaryData":{"lastSalePrice":"$10.40","lastTradeTimestamp":"Oct 7, 2026"}}}"#,
                Provider::Nasdaq,
            ),
            (
                "AAPL",
                r#"{"symbol":"QQQQ","data":{"current_price":100,"last_trade_time":"2026-10-07T16:15:02"}}"#,
                Provider::Cboe,
            ),
            (
                "TSCO.L",
                r#"{"chart":{"result":[{"meta":{"symbol":"WRNX.L","regularMarketPrice":72.5,"regularMarketTime":1791390900}}]}}"#,
                Provider::Yahoo,
            ),
        ] {
            let ticker = Ticker::read(given).unwrap();
            let error = provider.parse(&ticker, 200, body).unwrap_err();
            assert_eq!(error.code, ErrorCode::Malformed, "{provider:?}");
            assert!(error.message.contains("another symbol"), "{}", error.message);
        }
        for (asked, answered) in [
            ("BRK.B", "BRK-B"),
            ("_SPX", "^SPX"),
            ("700.HK", "0700.HK"),
            ("aapl", "AAPL"),
        ] {
            assert!(
                Provider::Cboe.is_of(asked, &Value::from(answered)).is_ok(),
                "{asked}"
            );
        }
    }
}
