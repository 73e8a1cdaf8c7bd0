#![doc = include_str!("../README.md")]

mod accepted;
#[cfg(test)]
mod bodies;
mod collect;
mod input;
mod items;
mod look_up;
mod parse;
mod request;
mod resolve;
mod search;
mod stands;

use freshcontext_contract::asking::by_deciding;
use freshcontext_contract::{
    Adapter, ArgSpec, AsOf, Cx, Decay, Descriptor, Earlier, EarlierRequest, ErrorCode, FactTimes, HEAD,
    Heading, HostRate, Hosts, Identity, Listing, Marker, Pace, Peek, Peeked, Question, Refetch, Route,
    SourceError, SourceResult, StandingState, StatusRule, TEXT, When,
};

pub use look_up::look_up;

/// EDGAR's published limit is 10 a second over all hosts together; three hosts share it here.
const fn rate(host: &'static str) -> HostRate {
    HostRate::new(host, Pace::new(3, 1))
        .in_flight(2)
        .link("https://www.sec.gov/os/accessing-edgar-data")
}

const fn undeclared(words: &'static str) -> Marker {
    Marker::new(words, ErrorCode::Misconfigured)
        .saying("EDGAR refused a client that does not declare a contact")
}

/// The facts about SEC EDGAR.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "sec_filings",
    tool: "extract_sec_filings",
    title: "SEC filings",
    heading: Heading::new("at the SEC", "filing", "filings"),
    description: "SEC EDGAR filings of a company or topic; 8-K by default. For prices use extract_finance.",
    example: input::URL.example,
    profile: "government_regulatory",
    decay: Decay::MaterialEvents,
    refetch: Refetch::Address("url", &["sec.gov"]),
    hosts: Hosts::Fixed(&["www.sec.gov", "data.sec.gov", "efts.sec.gov"]),
    official: true,
    peek: Peek {
        question: Question::Own,
        listing: Listing::Window,
        asks: "the company's filings (or the search) with their validators, without the table of tickers",
        tells: "that no filing was added or changed",
    },
    routes: &[
        Route::new("submissions", "a company's own filing list, newest first").telling(&[
            StandingState::Withdrawn,
            StandingState::Moved,
            StandingState::Ended,
            StandingState::Amended,
        ]),
        Route::new("full-text", "full-text search since 2001, ranked by relevance")
            .untold("EDGAR's full-text search does not say whether a filing was amended or withdrawn")
            .as_of(AsOf::Asked("enddt")),
    ],
    rates: &[rate("www.sec.gov"), rate("data.sec.gov"), rate("efts.sec.gov")],
    status_rules: &[StatusRule::new(403, ErrorCode::NotFound)
        .when(When::BodyContains("<Code>AccessDenied</Code>"))
        .saying("EDGAR has nothing at this address")],
    // The page for an undeclared client bears the title of the other: its own words come first.
    markers: &[
        undeclared("undeclared automated tool"),
        undeclared("declare your traffic"),
        Marker::new("Request Rate Threshold Exceeded", ErrorCode::RateLimited)
            .saying("EDGAR says that its request rate was exceeded"),
    ],
    args: ArgSpec {
        limit: Some((15, 100)),
        dates: true,
        cursor: true,
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "accepted_at",
            "accession",
            "cik",
            "date_contradicted_by",
            "document",
            "event_date",
            "filed",
            "filing_index",
            "form",
            "items",
            "matching_documents",
        ],
        moving: &[HEAD, "company", "industry", "location", "tickers"],
        edited: None,
    },
    dates: "The filing day that EDGAR gives (filingDate or file_date); the day of the event, or the end of the reported period, is shown beside it.",
    terms: "Public records; at most 10 requests a second and a contact in the User-Agent: https://www.sec.gov/os/accessing-edgar-data",
    ..Descriptor::PLAIN
};

/// SEC EDGAR.
#[derive(Debug, Clone, Copy, Default)]
pub struct SecFilings;

impl Adapter for SecFilings {
    type Input = input::Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    /// The table of tickers only leads to the company, and changes for others' sake.
    async fn peek(&self, cx: &Cx<'_>, _: Self::Input, earlier: &Earlier) -> Result<Peeked, SourceError> {
        // A search from a day on ends today; the old address ends on the day of its answer.
        let open = cx.args().since.is_some() && cx.args().until.is_none();
        let searched = |asked: &EarlierRequest| asked.url.starts_with("https://efts.sec.gov/");
        if open && earlier.asked.iter().any(searched) {
            return Ok(Peeked::Untold);
        }
        by_deciding(cx, earlier, |url| !url.path().ends_with("/company_tickers.json")).await
    }

    async fn identify(
        &self,
        cx: &Cx<'_>,
        name: Option<&str>,
        ticker: Option<&str>,
    ) -> Result<Option<Identity>, SourceError> {
        let found = collect::identify(cx, name, ticker).await;
        found
            .map(Some)
            .map_err(|error| explain(error, cx.configured(CONTACT)))
    }

    async fn collect(&self, cx: &Cx<'_>, input: Self::Input) -> Result<SourceResult, SourceError> {
        collect::collect(cx, &input)
            .await
            .map_err(|error| explain(error, cx.configured(CONTACT)))
    }
}

/// Environment name of the contact that the pipeline puts into the user agent.
const CONTACT: &str = "FRESHCONTEXT_CONTACT";

/// Adds to a refusal what would open the door.
fn explain(mut error: SourceError, contact: bool) -> SourceError {
    match (error.code, contact) {
        (ErrorCode::Misconfigured | ErrorCode::AccessDenied, false) => {
            error.code = ErrorCode::Misconfigured;
            error.hint(format!(
                "set {CONTACT} to a name and an address EDGAR can write to; it goes into the User-Agent"
            ))
        }
        (ErrorCode::Misconfigured, true) => error.hint(format!(
            "EDGAR does not accept what {CONTACT} holds: set it to a name and a mail address that exists"
        )),
        (ErrorCode::AccessDenied, true) => {
            error.hint("EDGAR refuses this address or its User-Agent; wait ten minutes before trying again")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_set() {
        let refused = || SourceError::access_denied("no").status(403);
        let error = explain(refused(), false);
        assert_eq!(error.code, ErrorCode::Misconfigured);
        assert!(
            error
                .hint
                .is_some_and(|hint| hint.contains("FRESHCONTEXT_CONTACT"))
        );
        assert_eq!(explain(refused(), true).code, ErrorCode::AccessDenied);
        let undeclared = || SourceError::misconfigured("no").status(403);
        for contact in [true, false] {
            let error = explain(undeclared(), contact);
            assert_eq!(error.code, ErrorCode::Misconfigured);
            assert!(error.hint.is_some_and(|hint| hint.contains(CONTACT)));
        }
    }

    #[test]
    fn all_hosts_together_stay_below_ten_a_second() {
        let per_second: u32 = DESCRIPTOR.rates.iter().map(|rate| rate.pace.requests).sum();
        assert!(per_second <= 10);
    }
}
