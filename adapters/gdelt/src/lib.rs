#![doc = include_str!("../README.md")]

#[cfg(test)]
mod bodies;
mod input;
mod parse;
mod query;
mod repair;
mod request;

use std::time::Duration;

use freshcontext_contract::{
    Adapter, ArgSpec, Argument, AsOf, Cx, Decay, Descriptor, ErrorCode, FactTimes, HEAD, Heading, HostRate,
    Hosts, Listing, Marker, Pace, Peek, Refetch, Response, Route, SourceError, SourceResult, TEXT,
};
use freshcontext_parse::charset;

/// The only host that is asked.
const HOST: &str = "api.gdeltproject.org";

/// The argument, with a right value for errors.
const URL: Argument = Argument::new("url", r#"{"url": "Palantir"}"#);

/// The facts about GDELT.
pub static DESCRIPTOR: Descriptor = Descriptor {
    id: "gdelt",
    tool: "extract_gdelt",
    title: "World news",
    heading: Heading::new("in world news", "article", "articles"),
    description: "GDELT press articles in 65 languages, dated when first seen. For opinions use extract_hackernews.",
    example: URL.example,
    profile: "government_regulatory",
    decay: Decay::NewsCycle,
    refetch: Refetch::Title("url"),
    hosts: Hosts::Fixed(&[HOST]),
    official: true,
    peek: Peek::none(Listing::Window),
    routes: &[Route::new("doc", "DOC 2.0 article list")
        .untold("GDELT does not say whether an article was corrected or taken back")
        .as_of(AsOf::Asked("enddatetime"))],
    // One every 5 seconds is the published limit; requests at exactly that pace were refused (August 2026).
    rates: &[
        HostRate::new(HOST, Pace::new(1, 6)).link("https://blog.gdeltproject.org/gdelt-doc-2-0-api-debuts/")
    ],
    markers: &[
        Marker::new("Please limit requests to one every", ErrorCode::RateLimited)
            .saying("GDELT asks for fewer requests (it also says so when it is busy)"),
        Marker::new("upstream connect error or disconnect", ErrorCode::UpstreamError)
            .saying("GDELT's service is down behind its proxy"),
    ],
    args: ArgSpec {
        limit: Some((20, 250)),
        dates: true,
        // The source asks for copies of 15 minutes, which is also how often it adds articles.
        max_age: false,
        sort: &["newest", "relevance", "oldest"],
        ..ArgSpec::length(6_000)
    },
    facts: FactTimes {
        fixed: &[
            TEXT,
            "address_date",
            "country",
            "domain",
            "first_seen",
            "language",
        ],
        moving: &[HEAD, "last_seen"],
        edited: None,
    },
    dates: "The end of the 15-minute batch in which GDELT first saw the page, a later bound; an older day in its address.",
    terms: "Free to use with attribution; one request every 5 seconds: https://www.gdeltproject.org/about.html#termsofuse",
    ..Descriptor::PLAIN
};

/// The GDELT article list.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gdelt;

impl Adapter for Gdelt {
    type Input = input::Input;

    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    async fn collect(&self, cx: &Cx<'_>, input: Self::Input) -> Result<SourceResult, SourceError> {
        let query = input::read(&input)?;
        let plan = request::plan(&query, cx.args(), cx.now())?;
        let read = |response: &Response| {
            let decoded = charset::decode(response);
            let list = parse::articles(&decoded.text, &plan.query)
                .map_err(|error| response.block_page().unwrap_or(error))?;
            if list.salvaged {
                // The whole list may well come next time.
                response.discard();
            }
            Ok(list)
        };
        let list = cx.read(plan.request.clone(), read).await.map_err(patience)?;
        Ok(parse::result(list, &plan, cx.args()))
    }
}

/// How long GDELT's throttle lasts for an address that does not ask meanwhile.
const THROTTLED: Duration = Duration::from_mins(1);

/// Asking again at once makes GDELT's throttle last longer.
fn patience(error: SourceError) -> SourceError {
    // The server's own pace says when the next slot is; it has not asked GDELT.
    let is_refusal = error.code == ErrorCode::RateLimited && error.detail.as_deref() != Some("pace");
    if is_refusal && error.hint.is_none() {
        // One wait: the longer of what the refusal named and what ends its throttle.
        let wait = error.retry_after.unwrap_or_default().max(THROTTLED);
        error
            .retry_after(wait)
            .hint("asking GDELT sooner prolongs its refusal")
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_one_wait() {
        for (named, wait) in [(None, 60), (Some(6), 60), (Some(300), 300)] {
            let refused = SourceError::rate_limited("slow down");
            let refused = named.map_or(refused.clone(), |seconds| {
                refused.retry_after(Duration::from_secs(seconds))
            });
            let error = patience(refused);
            assert_eq!(error.retry_after, Some(Duration::from_secs(wait)));
            assert!(error.hint.unwrap().contains("prolongs"));
        }
        let pace = SourceError::rate_limited("next slot in 12 s")
            .detail("pace")
            .retry_after(Duration::from_secs(12));
        assert_eq!(patience(pace).retry_after, Some(Duration::from_secs(12)));
    }

    #[test]
    fn the_pace_keeps_more_than_five_seconds() {
        assert!(
            DESCRIPTOR
                .rates
                .iter()
                .all(|rate| rate.pace.requests == 1 && rate.pace.per.as_secs() > 5)
        );
    }
}
