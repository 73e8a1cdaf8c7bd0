//! A descriptor for tests.

use freshcontext_contract::{ArgSpec, Descriptor, Founding, Hosts, Listing, Peek, Route};

/// Returns a source with the id of one that has its own ledger: one host, one route, no key, no pace.
pub const fn descriptor(id: &'static str, tool: &'static str) -> Descriptor {
    Descriptor {
        id,
        tool,
        title: "Test",
        description: "A source for tests.",
        example: r#"{"url": "rust"}"#,
        profile: "social_pulse",
        hosts: Hosts::Fixed(&["echo.example"]),
        official: true,
        peek: Peek::validators(Listing::Window),
        routes: ROUTES,
        args: ArgSpec::length(4_000),
        dates: "crafted",
        terms: "none",
        ..Descriptor::PLAIN
    }
}

const ROUTES: &[Route] = &[Route::new("api", "the interface").founded(Founding::GeneralKnowledge)];
