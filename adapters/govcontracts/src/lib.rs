#![doc = include_str!("../README.md")]

mod actions;
mod award;
#[cfg(test)]
mod bodies;
mod collect;
mod input;
mod look_up;
mod parse;
mod request;

use freshcontext_contract::asking::by_deciding;
use freshcontext_contract::{
    Adapter, ArgSpec, AsOf, Cx, Decay, Descriptor, Earlier, FactTimes, HEAD, Heading, HostRate, Hosts,
    Listing, Pace, Peek, Peeked, Question, Refetch, Route, SourceError, SourceResult, StandingState, TEXT,
};

pub use look_up::look_up;

/// The facts about USAspending.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "govcontracts",
    tool: "extract_govcontracts",
    title: "US contracts",
    heading: Heading::new("in US federal contracts", "award", "awards"),
    description: "USAspending: US federal contract awards, newest first. For Singapore use extract_gebiz.",
    example: input::URL.example,
    profile: "government_regulatory",
    decay: Decay::MarketContext,
    refetch: Refetch::Address("url", &["usaspending.gov"]),
    hosts: Hosts::Fixed(&["api.usaspending.gov"]),
    official: true,
    peek: Peek {
        question: Question::Own,
        listing: Listing::Window,
        asks: "the page of awards once more, without the search for the recipient that led to it",
        tells: "that the page is the same to the byte, where its days do not end today",
    },
    routes: &[Route::new("awards", "USAspending's award search")
        .telling(&[StandingState::Cancelled])
        .at_the_cost_of(1)
        .as_of(AsOf::Asked("time_period.end_date"))],
    // No number is published; throttling has been met under heavy use.
    rates: &[HostRate::new("api.usaspending.gov", Pace::new(4, 1))
        .in_flight(2)
        .link("https://api.usaspending.gov/docs/intro-tutorial")],
    args: ArgSpec {
        limit: Some((10, 100)),
        dates: true,
        sort: &["newest", "oldest", "top"],
        cursor: true,
        // The source publishes daily at best; our copies are minutes old.
        max_age: false,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "agency",
            "award_id",
            "naics",
            "place",
            "psc",
            "recipient_uei",
            "signed",
            "start",
            "sub_agency",
            "type",
        ],
        moving: &[
            HEAD,
            "end",
            "last_date_to_order",
            "modified",
            "obligated_usd",
            "outlays_usd",
        ],
        edited: None,
    },
    dates: "The day the base award was signed (Base Obligation Date), or the record's last change where asked for.",
    terms: "US government work in the public domain: https://www.usaspending.gov/about",
    ..Descriptor::PLAIN
};

/// USAspending's contract awards.
#[derive(Debug, Clone, Copy, Default)]
pub struct GovContracts;

impl Adapter for GovContracts {
    type Input = input::Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Self::Input) -> Result<SourceResult, SourceError> {
        collect::collect(cx, &input).await
    }

    /// Who the recipient is was settled by the earlier call; only the awards decide. A range of days that ends today
    /// was written into the earlier query as the end of another day.
    async fn peek(&self, cx: &Cx<'_>, _: Self::Input, earlier: &Earlier) -> Result<Peeked, SourceError> {
        if cx.args().since.is_some() && cx.args().until.is_none() {
            return Ok(Peeked::Untold);
        }
        by_deciding(cx, earlier, |url| {
            let path = url.path();
            path.ends_with("/spending_by_award/") || path.contains("/awards/")
        })
        .await
    }
}
