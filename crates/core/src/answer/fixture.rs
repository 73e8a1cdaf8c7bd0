//! Made-up values for the tests of this crate.

use chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    ArgSpec, CommonArgs, DateEvidence, Descriptor, Hosts, Item, Listing, Peek, Seen, SourceError,
    SourceResult,
};

use super::{ScoreInput, Scored, score};
use crate::decay::DecayTable;

pub(crate) const DESCRIPTOR: Descriptor = Descriptor {
    id: "hackernews",
    tool: "extract_hackernews",
    title: "Hacker News",
    description: "Stories.",
    example: "{}",
    profile: "social_pulse",
    hosts: Hosts::Fixed(&["news.example"]),
    official: true,
    peek: Peek::validators(Listing::Window),
    args: ArgSpec {
        max_length: 4000,
        limit: Some((20, 100)),
        dates: true,
        sort: &[],
        cursor: true,
        max_age: true,
    },
    dates: "created_at",
    terms: "none",
    ..Descriptor::PLAIN
};

pub(crate) fn at(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().with_timezone(&Utc)
}

pub(crate) fn now() -> DateTime<Utc> {
    at("2026-03-05T12:00:00Z")
}

pub(crate) fn item(id: usize, date: &str) -> Item {
    let evidence = if date.is_empty() {
        DateEvidence::None
    } else {
        DateEvidence::field("created_at", date)
    };
    let mut item = Item::new(format!("Story number {id} about gardens"), evidence);
    item.id = Some(id.to_string());
    item.url = Some(format!("https://news.example/item?id={id}"));
    item.summary = "A first line about tomatoes and soil.\nA second line about watering.".to_owned();
    item.set("points", id);
    item.set("author", "someone");
    item
}

pub(crate) fn result(items: Vec<Item>) -> SourceResult {
    SourceResult::new(
        Url::parse("https://news.example/search?q=gardens").unwrap(),
        items,
    )
}

pub(crate) fn args() -> CommonArgs {
    CommonArgs::defaults(&DESCRIPTOR.args)
}

pub(crate) fn seen() -> Seen {
    Seen {
        retrieved_at: Some(now()),
        cached_age: None,
        responses: 1,
        attempts: 1,
        refused_keys: Vec::new(),
    }
}

pub(crate) fn score_with(result: SourceResult, args: &CommonArgs) -> Result<Scored, SourceError> {
    score_as(&DESCRIPTOR, result, args)
}

pub(crate) fn score_as(
    descriptor: &Descriptor,
    result: SourceResult,
    args: &CommonArgs,
) -> Result<Scored, SourceError> {
    let (seen, decay) = (seen(), DecayTable::default());
    score(ScoreInput {
        descriptor,
        result,
        args,
        seen: &seen,
        now: now(),
        decay: &decay,
        cursor: None,
    })
}

pub(crate) fn scored(items: Vec<Item>) -> Scored {
    score_with(result(items), &args()).unwrap()
}
