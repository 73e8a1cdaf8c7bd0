//! What the caller asked for.

use freshcontext_contract::SourceError;
use freshcontext_contract::url::Url;
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::URL;
use crate::providers::Provider;
use crate::symbol::{Ticker, is_currency};

/// Arguments of `extract_finance`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Input {
    /// Up to 5 tickers, e.g. AAPL,^GSPC,BTC-USD
    pub url: String,
    /// This provider only
    #[schemars(extend("enum" = Provider::names()))]
    pub provider: Option<String>,
}

/// Most tickers of one call.
pub const MOST: usize = 5;

/// A checked request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The tickers, each once.
    pub tickers: Vec<Ticker>,
    /// The only provider to ask.
    pub provider: Option<Provider>,
    /// Tickers given more than once.
    pub repeated: usize,
}

/// A wrong provider.
pub fn wrong_provider(problem: &str) -> SourceError {
    SourceError::invalid_input("provider", problem, r#"{"url": "AAPL", "provider": "cboe"}"#)
}

/// Checks the arguments; no request is made for wrong ones.
pub fn read(input: &Input) -> Result<Query, SourceError> {
    let tickers: Vec<Ticker> = match Given::of(URL, &input.url, |_| false)? {
        Given::Address(url) => vec![from_url(&url)?],
        Given::Words(words) => {
            let parts = words.split([',', ';']).flat_map(tickers_in);
            parts.map(|part| Ticker::read(&part)).collect::<Result<_, _>>()?
        }
    };
    if tickers.is_empty() {
        return Err(URL.wrong("holds no ticker"));
    }
    let asked = tickers.len();
    let mut once: Vec<Ticker> = Vec::new();
    for ticker in tickers {
        if !once
            .iter()
            .any(|known| known.root == ticker.root && known.kind == ticker.kind)
        {
            once.push(ticker);
        }
    }
    if once.len() > MOST {
        return Err(URL.wrong(format!("holds {} tickers; one call takes {MOST}", once.len())));
    }
    let provider = match input.provider.as_deref().and_then(text::present) {
        None => None,
        Some(name) => Some(
            Provider::of_id(&name)
                .ok_or_else(|| wrong_provider(&format!("must be one of {}", Provider::names().join(", "))))?,
        ),
    };
    Ok(Query {
        repeated: asked - once.len(),
        tickers: once,
        provider,
    })
}

/// The tickers between two commas. Two currencies alone are a pair: `EUR USD`.
fn tickers_in(part: &str) -> Vec<String> {
    let words: Vec<&str> = part.split_whitespace().collect();
    match words.as_slice() {
        [base, quote] if is_currency(base) && is_currency(quote) => vec![format!("{base}/{quote}")],
        words => words.iter().map(|word| (*word).to_owned()).collect(),
    }
}

/// Quote pages name their ticker in the path or in `s`.
fn from_url(url: &Url) -> Result<Ticker, SourceError> {
    let host = url
        .host_str()
        .unwrap_or_default()
        .trim_start_matches("www.")
        .to_owned();
    let segments = link::segments(url);
    let after = |name: &str| {
        let at = segments.iter().position(|part| *part == name)?;
        segments
            .get(at + 1)
            .map(|part| part.replace("%5E", "^").replace("%3D", "="))
    };
    let ticker = match host.as_str() {
        "finance.yahoo.com" => after("quote"),
        "cnbc.com" => after("quotes"),
        "nasdaq.com" => after("stocks").or_else(|| after("etf")),
        "cboe.com" => after("delayed_quotes").or_else(|| after("quotes")),
        "stooq.com" | "stooq.pl" => {
            let symbol = link::parameter(url, "s");
            symbol.map(|symbol| {
                if symbol.contains(['.', '^']) {
                    symbol
                } else {
                    format!("{symbol}.PL")
                }
            })
        }
        _ => return Err(URL.wrong("is not a quote page known here; pass tickers")),
    };
    Ticker::read(&ticker.ok_or_else(|| URL.wrong("is an address without a ticker"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(url: &str) -> Vec<String> {
        let query = read(&Input {
            url: url.to_owned(),
            provider: None,
        })
        .unwrap();
        query.tickers.into_iter().map(|ticker| ticker.root).collect()
    }

    #[test]
    fn lists_and_pages_are_read() {
        assert_eq!(
            roots("AAPL, msft;^GSPC BTC-USD"),
            ["AAPL", "MSFT", "GSPC", "BTC-USD"]
        );
        assert_eq!(roots("aapl,AAPL,aapl.us"), ["AAPL"]);
        assert_eq!(roots("EUR USD, gbp jpy"), roots("EUR/USD, GBP/JPY"));
        assert_eq!(roots("AAPL USD").len(), 2);
        assert_eq!(roots("https://finance.yahoo.com/quote/%5EGSPC/"), ["GSPC"]);
        assert_eq!(roots("https://www.cnbc.com/quotes/BRK.B"), ["BRK.B"]);
        assert_eq!(roots("https://stooq.com/q/?s=aapl.us"), ["AAPL"]);
    }

    #[test]
    fn a_sixth_ticker_is_refused_not_dropped() {
        let error = read(&Input {
            url: "A,B,C,D,E,F".into(),
            provider: None,
        })
        .unwrap_err();
        assert!(error.message.contains("6 tickers") && error.message.contains("takes 5"));
        assert_eq!(roots("A,B,C,D,E,a").len(), 5);
    }

    #[test]
    fn wrong_input_shows_a_right_one() {
        for wrong in [
            "",
            ",",
            "https://example.com/AAPL",
            "https://finance.yahoo.com/",
            "apple computer inc!",
        ] {
            let error = read(&Input {
                url: wrong.to_owned(),
                provider: None,
            })
            .unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{wrong}");
        }
        let error = read(&Input {
            url: "AAPL".into(),
            provider: Some("nyse".into()),
        })
        .unwrap_err();
        assert!(error.message.contains("cnbc"));
    }
}
