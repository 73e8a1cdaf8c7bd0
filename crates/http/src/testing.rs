//! What the tests of this crate share: descriptors, a scripted loopback server, virtual time.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::{ArgSpec, BoxFuture, Clock, Descriptor, Hosts};
use tokio::sync::Notify;

use crate::Timer;

/// A source without any peculiarity.
pub(crate) fn descriptor(id: &'static str) -> Descriptor {
    Descriptor {
        id,
        tool: "extract_test",
        title: "Test",
        description: "A crafted source.",
        example: "{}",
        profile: "none",
        hosts: Hosts::PublicWeb(&[]),
        official: true,
        credentials: &[],
        routes: &[],
        rates: &[],
        status_rules: &[],
        markers: &[],
        args: ArgSpec::length(1_000),
        dates: "None.",
        terms: "None.",
    }
}

pub(crate) fn leak(descriptor: Descriptor) -> &'static Descriptor {
    Box::leak(Box::new(descriptor))
}
