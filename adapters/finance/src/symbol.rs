//! Tickers as people write them, and as each provider does.

use freshcontext_contract::{SourceError, quoted};
use freshcontext_parse::text;

use crate::URL;

/// What a ticker is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A stock or fund listed in the United States; class shares with a dot (`BRK.B`).
    Us,
    /// An index, by its common short name.
    Index,
    /// A pair of currencies.
    Currency(String, String),
    /// A coin, priced in a currency.
    Coin(String, String),
    /// A listing elsewhere, by the market suffix that Yahoo uses.
    Abroad(&'static str),
}

/// One ticker of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticker {
    /// As the caller wrote it.
    pub given: String,
    /// Upper case, without marks and market.
    pub root: String,
    /// What it is.
    pub kind: Kind,
}

/// Market suffixes: as people write them, and Yahoo's.
const MARKETS: [(&str, &str); 28] = [
    ("DE", "DE"),
    ("L", "L"),
    ("UK", "L"),
    ("T", "T"),
    ("JP", "T"),
    ("HK", "HK"),
    ("WA", "WA"),
    ("PL", "WA"),
    ("PA", "PA"),
    ("AS", "AS"),
    ("MI", "MI"),
    ("MC", "MC"),
    ("SW", "SW"),
    ("TO", "TO"),
    ("AX", "AX"),
    ("SS", "SS"),
    ("SZ", "SZ"),
    ("KS", "KS"),
    ("NS", "NS"),
    ("ST", "ST"),
    ("OL", "OL"),
    ("CO", "CO"),
    ("HE", "HE"),
    ("F", "F"),
    ("BR", "BR"),
    ("SI", "SI"),
    ("JO", "JO"),
    ("TA", "TA"),
];

/// Indices: common names, then CNBC's, Cboe's and Yahoo's; empty where there is none.
const INDICES: [(&[&str], &str, &str, &str); 6] = [
    (&["SPX", "GSPC", "INX"], ".SPX", "_SPX", "^GSPC"),
    (&["DJI", "DJIA"], ".DJI", "", "^DJI"),
    (&["IXIC", "COMP"], ".IXIC", "", "^IXIC"),
    (&["NDX"], ".NDX", "_NDX", "^NDX"),
    (&["RUT"], ".RUT", "_RUT", "^RUT"),
    (&["VIX"], ".VIX", "_VIX", "^VIX"),
];

/// Codes of ISO 4217: those of the European Central Bank's reference rates, then others that are asked for.
const CURRENCIES: [&str; 56] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "AUD", "CAD", "NZD", "CNY", "HKD", "SGD", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "RON", "BGN", "TRY", "ILS", "INR", "IDR", "KRW", "MYR", "PHP", "THB", "ZAR", "MXN", "BRL",
    "ISK", "AED", "SAR", "QAR", "KWD", "BHD", "OMR", "JOD", "EGP", "MAD", "NGN", "KES", "GHS", "RUB", "UAH",
    "KZT", "GEL", "RSD", "ARS", "CLP", "COP", "PEN", "TWD", "VND", "PKR", "LKR",
];

/// Whether a word is the code of a currency, in upper or lower case.
pub fn is_currency(word: &str) -> bool {
    CURRENCIES.contains(&word.to_ascii_uppercase().as_str())
}

impl Ticker {
    /// Reads one ticker.
    pub fn read(given: &str) -> Result<Self, SourceError> {
        let text = given.trim().trim_start_matches('$').to_ascii_uppercase();
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '^' | '=' | '/' | '_');
        let bare = text.trim_start_matches(['^', '.', '_']);
        if text.len() > 15
            || !text.chars().all(legal)
            || !bare.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            let shown = text::said(given, 30);
            return Err(URL.wrong(format!("holds {}, which is no ticker", quoted(&shown))));
        }
        let given = given.trim().to_owned();
        let ticker = |root: &str, kind| {
            Ok(Self {
                given: given.clone(),
                root: root.to_owned(),
                kind,
            })
        };
        if text.starts_with(['^', '.', '_']) {
            return ticker(bare, Kind::Index);
        }
        // Exchanges and brokers write a pair of currencies with one of these between them, or with nothing.
        let pair = text
            .strip_suffix("=X")
            .unwrap_or(&text)
            .replacen(['/', '-', '_', '.'], "", 1);
        if let Some((base, quote)) = pair.split_at_checked(3).filter(|_| pair.len() == 6)
            && CURRENCIES.contains(&base)
            && CURRENCIES.contains(&quote)
        {
            return ticker(&pair, Kind::Currency(base.to_owned(), quote.to_owned()));
        }
        if let Some((base, quote)) = text.split_once(['-', '/'])
            && (CURRENCIES.contains(&quote) || quote == "USDT")
            && (2..=8).contains(&base.len())
        {
            return ticker(
                &format!("{base}-{quote}"),
                Kind::Coin(base.to_owned(), quote.to_owned()),
            );
        }
        if text.contains(['=', '/', '^', '_']) {
            return Err(URL.wrong(format!("holds {given:?}, whose market is not known here")));
        }
        if let Some((root, market)) = text.rsplit_once('.') {
            if market == "US" {
                return ticker(&root.replace('-', "."), Kind::Us);
            }
            if let Some((_, yahoo)) = MARKETS.iter().find(|(name, _)| *name == market) {
                return ticker(root, Kind::Abroad(yahoo));
            }
            let class = market.len() == 1 && market.starts_with(|c: char| c.is_ascii_alphabetic());
            if !class {
                return Err(URL.wrong(format!("holds {given:?}, whose market is not known here")));
            }
        }
        if text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(URL.wrong(format!(
                "holds {given:?}, a number that needs its market, as in 7203.T"
            )));
        }
        ticker(&text.replace('-', "."), Kind::Us)
    }

    /// As CNBC writes it.
    pub fn cnbc(&self) -> Option<String> {
        match self.kind {
            Kind::Us => Some(self.root.clone()),
            Kind::Index => self.index().map(|index| index.1.to_owned()),
            _ => None,
        }
    }

    /// As Cboe writes it.
    pub fn cboe(&self) -> Option<String> {
        match self.kind {
            Kind::Us => Some(self.root.clone()),
            Kind::Index => self
                .index()
                .map(|index| index.2.to_owned())
                .filter(|name| !name.is_empty()),
            _ => None,
        }
    }

    /// As Yahoo writes it.
    pub fn yahoo(&self) -> String {
        match &self.kind {
            Kind::Us => self.root.replace('.', "-"),
            Kind::Index => self
                .index()
                .map_or_else(|| format!("^{}", self.root), |index| index.3.to_owned()),
            Kind::Currency(base, quote) => format!("{base}{quote}=X"),
            Kind::Coin(..) => self.root.clone(),
            Kind::Abroad(market) => format!("{}.{market}", self.root),
        }
    }

    fn index(&self) -> Option<&'static (&'static [&'static str], &'static str, &'static str, &'static str)> {
        INDICES
            .iter()
            .find(|(names, ..)| names.contains(&self.root.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(given: &str) -> Ticker {
        Ticker::read(given).unwrap()
    }

    #[test]
    fn each_provider_gets_its_own_spelling() {
        let all = |given: &str| {
            let ticker = at(given);
            (ticker.cnbc(), ticker.cboe(), ticker.yahoo())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(all("aapl"), (some("AAPL"), some("AAPL"), "AAPL".into()));
        assert_eq!(all("BRK.B"), (some("BRK.B"), some("BRK.B"), "BRK-B".into()));
        assert_eq!(all("BRK-B"), all("brk-b.us"));
        assert_eq!(all("^GSPC"), (some(".SPX"), some("_SPX"), "^GSPC".into()));
        assert_eq!(all("0700.HK"), (None, None, "0700.HK".into()));
        assert_eq!(all("7203.JP"), (None, None, "7203.T".into()));
        assert_eq!(all("NPN.JO"), (None, None, "NPN.JO".into()));
        assert_eq!(all("TEVA.TA"), (None, None, "TEVA.TA".into()));
        assert_eq!(all("TSCO.L"), (None, None, "TSCO.L".into()));
        assert_eq!(all("PKN.PL"), (None, None, "PKN.WA".into()));
        assert_eq!(all("EURUSD=X"), (None, None, "EURUSD=X".into()));
        for spelling in ["EUR/USD", "EUR-USD", "eur_usd", "EUR.USD", "EURUSD=X"] {
            assert_eq!(at(spelling).kind, at("EURUSD").kind, "{spelling}");
            assert_eq!(all(spelling), all("EURUSD"), "{spelling}");
        }
        assert!(matches!(at("USDT-USD").kind, Kind::Coin(..)));
        assert_eq!(all("BTC-USD"), (None, None, "BTC-USD".into()));
    }

    #[test]
    fn what_is_no_ticker_is_refused_with_a_right_one() {
        for wrong in [
            "",
            "../etc",
            "AAPL;x",
            "7203",
            "ABC.XYZ",
            "a b",
            "АAPL",
            "--x",
            "^",
            "GC=F",
            "0123456789ABCDEF",
        ] {
            let error = Ticker::read(wrong).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{wrong}");
            assert!(error.message.contains("AAPL,MSFT"), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,16}") {
            if let Ok(ticker) = Ticker::read(&text) {
                let _ = (ticker.cnbc(), ticker.cboe());
                prop_assert!(ticker.yahoo().is_ascii());
            }
        }
    }
}
