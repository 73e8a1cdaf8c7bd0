//! The facts of a source that a test makes up.

use freshcontext_contract::{ArgSpec, Descriptor, Founding, Hosts, Listing, Peek, Route};

/// A source under the id of one that has a ledger of its own: one host, one route, no key, no paces.
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
        routes: &[Route {
            id: "api",
            about: "the interface",
            needs: None,
            founding: Founding::GeneralKnowledge,
        }],
        args: ArgSpec::length(4_000),
        dates: "crafted",
        terms: "none",
        ..Descriptor::PLAIN
    }
}
