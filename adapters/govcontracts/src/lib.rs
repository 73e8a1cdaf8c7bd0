#![doc = include_str!("../README.md")]

mod award;
#[cfg(test)]
mod bodies;
mod collect;
mod input;
mod parse;
mod request;

use freshcontext_contract::{
    Adapter, AnyAdapter, ArgSpec, Cx, Descriptor, Founding, Harvest, HostRate, Hosts, Listing, Pace, Peek,
    Route, SourceError, Switch,
};

/// The facts about USAspending.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "govcontracts",
    tool: "extract_govcontracts",
    title: "US contracts",
    description: "US federal contract awards, newest signed first. For Singapore use extract_gebiz.",
    example: r#"{"url": "Palantir"}"#,
    profile: "government_regulatory",
    hosts: Hosts::Fixed(&["api.usaspending.gov"]),
    official: true,
    peek: Peek::none(Listing::Window),
    credentials: &[],
    routes: &[Route {
        id: "awards",
        about: "USAspending's award search",
        needs: None,
        switch: Switch::On,
        founding: Founding::Recorded,
    }],
    rates: &[HostRate {
        host: "api.usaspending.gov",
        path: "",
        // No number is published; throttling has been met under heavy use.
        pace: Pace::new(4, 1),
        keyed: None,
        in_flight: 2,
        link: "https://api.usaspending.gov/docs/intro-tutorial",
    }],
    status_rules: &[],
    markers: &[],
    args: ArgSpec {
        limit: Some((10, 100)),
        dates: true,
        sort: &["newest", "oldest", "top"],
        cursor: true,
        // The source publishes daily at best; our copies are minutes old.
        max_age: false,
        ..ArgSpec::length(6_000)
    },
    dates: "The day the base award was signed (Base Obligation Date), or the record's last change where asked for.",
    terms: "US government work in the public domain: https://www.usaspending.gov/about",
};

/// USAspending's contract awards.
#[derive(Debug, Clone, Copy, Default)]
pub struct GovContracts;

impl Adapter for GovContracts {
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
    vec![Box::new(GovContracts)]
}
