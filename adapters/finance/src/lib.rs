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

use freshcontext_contract::{
    Adapter, AnyAdapter, Apply, ArgSpec, Credential, Cx, Descriptor, ErrorCode, Founding, Harvest, HostRate,
    Hosts, Listing, Marker, Pace, Peek, Route, SourceError, StatusRule, Switch, When,
};

const fn on(id: &'static str, about: &'static str, founding: Founding) -> Route {
    Route {
        id,
        about,
        needs: None,
        switch: Switch::On,
        founding,
    }
}

const fn keyed(id: &'static str, about: &'static str, env: &'static str, founding: Founding) -> Route {
    Route {
        id,
        about,
        needs: Some(env),
        switch: Switch::On,
        founding,
    }
}

const fn rate(host: &'static str, requests: u32, seconds: u64, link: &'static str) -> HostRate {
    HostRate {
        host,
        path: "",
        pace: Pace::new(requests, seconds),
        keyed: None,
        in_flight: 2,
        link,
    }
}

/// The facts about quotes.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "finance",
    tool: "extract_finance",
    title: "Quotes",
    description: "Last prices of stocks, indices, currencies or coins. For filings use extract_sec_filings.",
    example: r#"{"url": "AAPL,MSFT"}"#,
    profile: "market_finance",
    hosts: Hosts::Fixed(&[
        "finnhub.io",
        "api.twelvedata.com",
        "quote.cnbc.com",
        "cdn.cboe.com",
        "api.nasdaq.com",
        "api.frankfurter.dev",
        "api.exchange.coinbase.com",
        "query1.finance.yahoo.com",
        "stooq.com",
    ]),
    official: false,
    peek: Peek::none(Listing::Named),
    credentials: &[
        Credential {
            host: "finnhub.io",
            env: &["FINNHUB_API_KEY"],
            apply: Apply::Header("x-finnhub-token"),
            required: true,
            obtain: "https://finnhub.io/register",
        },
        Credential {
            host: "api.twelvedata.com",
            env: &["TWELVEDATA_API_KEY"],
            apply: Apply::Query("apikey"),
            required: true,
            obtain: "https://twelvedata.com/register",
        },
    ],
    routes: &[
        keyed(
            "finnhub",
            "US stocks, by key",
            "FINNHUB_API_KEY",
            Founding::Documented,
        ),
        keyed(
            "twelvedata",
            "US stocks, currencies, coins, by key",
            "TWELVEDATA_API_KEY",
            Founding::Documented,
        ),
        on("cnbc", "US stocks and main indices", Founding::Documented),
        on(
            "cboe",
            "US stocks and main indices, 15 minutes late",
            Founding::Documented,
        ),
        on("nasdaq", "US stocks and funds", Founding::Recorded),
        on(
            "frankfurter",
            "daily reference rates of the European Central Bank",
            Founding::Documented,
        ),
        on("coinbase", "coins", Founding::Documented),
        on("yahoo", "worldwide; often refuses servers", Founding::Documented),
        Route {
            id: "stooq",
            about: "worldwide, Warsaw time",
            needs: None,
            switch: Switch::OffBecause("its quote address has answered 404 or a browser check since 2026"),
            founding: Founding::Recorded,
        },
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
        rate("stooq.com", 1, 1, "https://stooq.com/q/l/"),
    ],
    status_rules: &[
        StatusRule {
            status: 404,
            when: When::BodyContains("page you requested does not exist or has been moved"),
            code: ErrorCode::UpstreamError,
            message: "Stooq's quote address is gone",
        },
        StatusRule {
            status: 403,
            when: When::BodyContains("You don't have access to this resource"),
            code: ErrorCode::Misconfigured,
            message: "the plan of the Finnhub key in FINNHUB_API_KEY does not include this ticker",
        },
    ],
    markers: &[
        Marker {
            contains: "requires JavaScript to verify your browser",
            code: ErrorCode::Challenge,
            message: "Stooq asks for a browser check in place of the quote",
        },
        Marker {
            contains: "Exceeded the daily hits limit",
            code: ErrorCode::RateLimited,
            message: "Stooq's daily quota for this address is spent",
        },
        Marker {
            contains: "Exceeded the daily site hits limit",
            code: ErrorCode::RateLimited,
            message: "Stooq's daily quota for this address is spent",
        },
    ],
    args: ArgSpec::length(5_000),
    dates: "The moment of the price as the quote source gives it, converted from its exchange's time zone.",
    terms: "Delayed, informational, personal use: https://www.nasdaq.com/legal, https://www.cboe.com/delayed_quotes/",
};

/// Quotes of stocks, indices, currencies and coins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Finance;

impl Adapter for Finance {
    type Input = input::Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Self::Input) -> Result<Harvest, SourceError> {
        collect::collect(cx, &input).await
    }
}

/// The adapters of this crate.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    vec![Box::new(Finance)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_routes_at_least_need_no_key() {
        let open = DESCRIPTOR
            .routes
            .iter()
            .filter(|route| route.needs.is_none() && route.switch == Switch::On);
        assert!(open.count() >= 2);
    }

    #[test]
    fn every_route_has_a_provider_and_its_host_a_rate() {
        for route in DESCRIPTOR.routes {
            assert!(providers::Provider::named(route.id).is_some(), "{}", route.id);
        }
        for host in DESCRIPTOR.hosts.named() {
            assert!(DESCRIPTOR.rates.iter().any(|rate| rate.host == *host), "{host}");
        }
    }
}
