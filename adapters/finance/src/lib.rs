#![doc = include_str!("../README.md")]

mod agreement;
#[cfg(test)]
mod bodies;
mod collect;
mod input;
mod numbers;
mod providers;
mod quote;
mod request;
mod symbol;

use std::time::Duration;

use freshcontext_contract::{
    Adapter, Apply, ArgSpec, Argument, AsOf, Credential, Cx, Decay, Descriptor, ErrorCode, FactTimes,
    Founding, HEAD, Heading, HostRate, Hosts, Listing, Pace, Peek, Refetch, Route, SourceError, SourceResult,
    StatusRule, TEXT, When,
};

/// A host that publishes no more than how many requests it takes; two at once are modest.
const fn rate(host: &'static str, requests: u32, seconds: u64, link: &'static str) -> HostRate {
    HostRate::new(host, Pace::new(requests, seconds))
        .in_flight(2)
        .link(link)
}

/// The argument, with a right value for errors.
const URL: Argument = Argument::new("url", r#"{"url": "AAPL,MSFT"}"#);

/// A provider of quotes, which are those of now.
const fn quotes(id: &'static str, about: &'static str) -> Route {
    Route::new(id, about).as_of(AsOf::NotSupported("a quote is only known now"))
}

/// The facts about quotes.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "finance",
    tool: "extract_finance",
    title: "Quotes",
    heading: Heading::new("on the market", "quote", "quotes"),
    description: "Market prices of stocks, indices, currencies or coins. For filings use extract_sec_filings.",
    example: URL.example,
    profile: "market_finance",
    decay: Decay::MarketContext,
    refetch: Refetch::Ticker,
    hosts: Hosts::Fixed(&[
        "finnhub.io",
        "api.twelvedata.com",
        "quote.cnbc.com",
        "cdn.cboe.com",
        "api.nasdaq.com",
        "api.frankfurter.dev",
        "api.exchange.coinbase.com",
        "query1.finance.yahoo.com",
    ]),
    // Markets pause for a long weekend at most; a price older than that is not the last one.
    replaced_after: Some(Duration::from_hours(96)),
    peek: Peek::none(Listing::Named),
    credentials: &[
        Credential::new(
            "finnhub.io",
            &["FINNHUB_API_KEY"],
            Apply::Header("x-finnhub-token"),
        )
        .required()
        .obtain("https://finnhub.io/register"),
        Credential::new(
            "api.twelvedata.com",
            &["TWELVEDATA_API_KEY"],
            Apply::Query("apikey"),
        )
        .required()
        .obtain("https://twelvedata.com/register"),
    ],
    routes: &[
        quotes("finnhub", "US stocks, by key")
            .needing("FINNHUB_API_KEY")
            .founded(Founding::Documented),
        quotes("twelvedata", "US stocks, currencies, coins, by key")
            .needing("TWELVEDATA_API_KEY")
            .founded(Founding::Documented),
        quotes("cnbc", "US stocks and main indices").founded(Founding::Documented),
        quotes("cboe", "US stocks and main indices, 15 minutes late").founded(Founding::Documented),
        quotes("nasdaq", "US stocks and funds"),
        quotes(
            "frankfurter",
            "daily reference rates of the European Central Bank",
        )
        .founded(Founding::Documented),
        quotes("coinbase", "coins").founded(Founding::Documented),
        quotes("yahoo", "worldwide; often refuses servers").founded(Founding::Documented),
    ],
    rates: &[
        rate("finnhub.io", 60, 60, "https://finnhub.io/docs/api/rate-limit"),
        rate("api.twelvedata.com", 8, 60, "https://twelvedata.com/pricing"),
        // The others publish no number; be modest.
        rate(
            "quote.cnbc.com",
            2,
            1,
            "https://www.cnbc.com/nbcuniversal-terms-of-service/",
        ),
        rate("cdn.cboe.com", 4, 1, "https://www.cboe.com/delayed_quotes/"),
        rate("api.nasdaq.com", 2, 1, "https://www.nasdaq.com/legal"),
        rate("api.frankfurter.dev", 4, 1, "https://frankfurter.dev/"),
        rate(
            "api.exchange.coinbase.com",
            4,
            1,
            "https://docs.cdp.coinbase.com/exchange/rest-api/rate-limits",
        ),
        rate(
            "query1.finance.yahoo.com",
            1,
            1,
            "https://legal.yahoo.com/us/en/yahoo/terms/otos/index.html",
        ),
    ],
    status_rules: &[StatusRule::new(403, ErrorCode::Misconfigured)
        .when(When::BodyContains("You don't have access to this resource"))
        .saying("the plan of the Finnhub key in FINNHUB_API_KEY does not include this ticker")],
    args: ArgSpec::length(5_000),
    facts: FactTimes {
        fixed: &["currency", "exchange", "provider", "symbol", "unit"],
        moving: &[
            TEXT,
            HEAD,
            "as_of",
            "change",
            "change_percent",
            "derived_from",
            "extended_as_of",
            "extended_kind",
            "extended_price",
            "high",
            "low",
            "market",
            "official_close",
            "open",
            "previous_close",
            "price",
            "price_kind",
            "volume",
        ],
        edited: None,
    },
    dates: "The moment of the price as the quote source gives it, converted from its exchange's time zone.",
    terms: "Delayed, informational, personal use: https://www.nasdaq.com/legal, https://www.cboe.com/delayed_quotes/",
    ..Descriptor::PLAIN
};

/// Quotes of stocks, indices, currencies and coins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Finance;

impl Adapter for Finance {
    type Input = input::Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Self::Input) -> Result<SourceResult, SourceError> {
        collect::collect(cx, &input).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_routes_at_least_need_no_key() {
        let open = DESCRIPTOR.routes.iter().filter(|route| route.needs.is_none());
        assert!(open.count() >= 2);
    }

    #[test]
    fn every_route_has_a_provider_and_its_host_a_rate() {
        for route in DESCRIPTOR.routes {
            assert!(providers::Provider::of_id(route.id).is_some(), "{}", route.id);
        }
        for host in DESCRIPTOR.hosts.named() {
            assert!(DESCRIPTOR.rates.iter().any(|rate| rate.host == *host), "{host}");
        }
    }
}
