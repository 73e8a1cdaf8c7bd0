#![doc = include_str!("../README.md")]

mod agencies;
#[cfg(test)]
mod bodies;
mod collect;
mod input;
mod look_up;
mod parse;
mod request;
mod tenders;

use freshcontext_contract::asking::by_deciding;
use freshcontext_contract::{
    Adapter, Apply, ArgSpec, Credential, Cx, Decay, Descriptor, Earlier, ErrorCode, FactTimes, HEAD, Heading,
    HostRate, Hosts, Listing, Marker, Pace, Peek, Peeked, Question, Refetch, Route, SourceError,
    SourceResult, StandingState, StatusRule, TEXT,
};

pub use look_up::look_up;

const RATES: &str = "https://guide.data.gov.sg/developer-guide/api-overview/api-rate-limits";
const KEY: &str = "https://guide.data.gov.sg/developer-guide/api-overview";

const fn rate(host: &'static str, keyless: u32, keyed: u32) -> HostRate {
    HostRate::new(host, Pace::new(keyless, 10))
        .keyed(Pace::new(keyed, 10))
        .in_flight(2)
        .link(RATES)
}

const fn key(host: &'static str) -> Credential {
    Credential::new(host, &["DATA_GOV_SG_API_KEY"], Apply::Header("x-api-key")).obtain(KEY)
}

/// The facts about GeBIZ awards.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "gebiz",
    tool: "extract_gebiz",
    title: "Singapore tenders",
    heading: Heading::new("in Singapore tenders", "tender", "tenders"),
    description: "GeBIZ tenders awarded in Singapore; none is open. For US awards use extract_govcontracts.",
    instead: None,
    example: input::URL.example,
    profile: "government_regulatory",
    replaced_after: None,
    decay: Decay::MarketContext,
    refetch: Refetch::Title("url"),
    hosts: Hosts::Fixed(&["data.gov.sg", "api-production.data.gov.sg"]),
    official: true,
    peek: Peek {
        question: Question::Own,
        listing: Listing::Window,
        asks: "the dataset's own record alone, about 1 KB, in place of all its matching rows",
        tells: "that the dataset was not published again, so that every row is the same",
    },
    credentials: &[key("data.gov.sg"), key("api-production.data.gov.sg")],
    routes: &[
        Route::new(collect::ROUTE, "search over all rows, sorted here").telling(&[StandingState::Cancelled])
    ],
    rates: &[
        rate("data.gov.sg", 4, 8),
        rate("api-production.data.gov.sg", 6, 12),
    ],
    status_rules: &[
        StatusRule::new(409, ErrorCode::InvalidInput).saying("data.gov.sg refused the search words"),
        StatusRule::new(413, ErrorCode::TooLarge).saying("data.gov.sg refused a page of this size"),
    ],
    markers: &[Marker::new("\"TOO_MANY_REQUESTS\"", ErrorCode::RateLimited)
        .saying("data.gov.sg says that there were too many requests")],
    args: ArgSpec {
        limit: Some((12, 100)),
        dates: true,
        sort: &["newest", "oldest", "top"],
        cursor: true,
        // The dataset is republished months apart.
        max_age: false,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "agency",
            "awarded",
            "line_items",
            "nominal_lines",
            "outcome",
            "supplier_count",
            "suppliers",
            "tender_no",
            "total_sgd",
        ],
        moving: &[HEAD, "data_as_of"],
        edited: None,
    },
    dates: "The award day of the tender (award_date); the dataset's own publication is shown beside it.",
    terms: "Singapore Open Data Licence: https://data.gov.sg/open-data-licence",
};

/// GeBIZ awards.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gebiz;

impl Adapter for Gebiz {
    type Input = input::Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Self::Input) -> Result<SourceResult, SourceError> {
        collect::collect(cx, &input).await.map_err(wait)
    }

    /// The rows change only when the whole dataset is published again, and its record (`lastUpdatedAt`) says when.
    async fn peek(&self, cx: &Cx<'_>, _: Self::Input, earlier: &Earlier) -> Result<Peeked, SourceError> {
        by_deciding(cx, earlier, |url| url.path().ends_with("/metadata"))
            .await
            .map_err(wait)
    }
}

/// The published window is 10 seconds; an answer that names no wait means that one.
fn wait(mut error: SourceError) -> SourceError {
    if error.code == ErrorCode::RateLimited && error.retry_after.is_none() && error.http_status.is_some() {
        error.retry_after = Some(std::time::Duration::from_secs(10));
    }
    if error.code == ErrorCode::RateLimited && error.hint.is_none() {
        error.hint("set DATA_GOV_SG_API_KEY for twice the rate")
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_rates_are_kept() {
        let search = DESCRIPTOR
            .rates
            .iter()
            .find(|rate| rate.host == "data.gov.sg")
            .unwrap();
        assert_eq!(
            (search.pace, search.keyed),
            (Pace::new(4, 10), Some(Pace::new(8, 10)))
        );
    }
}
