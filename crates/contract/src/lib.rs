//! What a freshcontext source promises.
//!
//! An [`Adapter`] states facts about its source in a [`Descriptor`], turns arguments into
//! [`Request`]s, and reads the answers into a [`SourceResult`] of [`Item`]s. Each item carries the
//! [`DateEvidence`] that the source gave. The adapter never opens a socket (it sends through
//! [`Cx`]) and never awards itself a confidence (the core crate derives it from the evidence).
//!
//! This crate is a leaf on purpose: no async runtime, no HTTP client, no clock but the injected one.

mod adapter;
mod arg_spec;
mod args;
mod argument;
mod as_of;
pub mod asking;
pub mod block_pages;
mod clock;
mod copy_age;
mod cx;
mod date;
mod descriptor;
mod error;
mod failure;
pub mod hosts;
mod identity;
pub mod limits;
mod lookup;
pub mod moment;
mod near;
pub mod peek;
pub mod quote;
mod routes;
mod said_error;
mod schema;
mod source_result;
pub mod standing;
#[cfg(test)]
mod tests;
mod texts;
mod tolerant;
pub mod tracking;
mod wire;
mod words;

pub use adapter::{Adapter, AnyAdapter, decode_input, erased};
pub use arg_spec::{ArgSpec, as_of_property, max_length_property};
pub use args::{CommonArgs, Days, SORT_NAMES, read_as_of, sort_by_date, split_arguments};
pub use argument::Argument;
pub use as_of::{AsOf, FactTimes, HEAD, LATER, TEXT};
pub use clock::{Clock, FixedClock};
pub use cx::{BoxFuture, CallScope, Cx, Seen, Transport};
pub use date::{DateEvidence, DateValue};
pub use descriptor::{
    Apply, Credential, Decay, Descriptor, Founding, Heading, HostRate, Hosts, Key, Marker, Pace, Refetch,
    Route, StatusRule, Wait, When,
};
pub use error::{ErrorCode, Retry, SourceError};
pub use failure::FailureKind;
pub use identity::{Company, Identity, LEGAL_FORMS, common_name};
pub use limits::Limits;
pub use lookup::{Lookup, Presence, Shown};
pub use near::{near_miss, not_known, refuse_near_misses};
pub use peek::{Earlier, EarlierRequest, Evidence, Listing, Peek, Peeked, Question};
pub use quote::{code, named, named_list, quoted, quoted_within};
pub use routes::Routed;
pub use schema::{argument_schema, plain_object};
pub use source_result::{Item, PartFailure, Scope, Skipped, SourceResult, Status};
pub use standing::{StandingEvidence, StandingState, StandingTold};
pub use tolerant::as_declared;
pub use wire::{
    Address, CacheValidity, Condition, Headers, KeyedUrl, Media, Method, Provenance, Request, Response,
};
pub use words::counted;

/// Re-exported so that adapters name the same versions of the types in this contract.
pub use {bytes, chrono, schemars, serde, serde_json, url};
