//! Simulated days of the whole pipeline: one seed drives time, callers, answers, their order and the faults of hosts.
//!
//! Everything runs on one thread, in virtual time, through the ports [`Timer`](crate::Timer), `Clock` and
//! [`Jitter`](crate::Jitter) and a network in memory that takes the place of reqwest's sockets. The stages from
//! policy to validation are the real ones, and so is what reads a head and a body. Not simulated: name resolution and
//! dialling, TLS, the framing of HTTP (tests of `wire`, `egress` and `tls`), and replicas (tests of `replicas`).
//!
//! `FRESHCONTEXT_SEED` repeats a day, `FRESHCONTEXT_SIMULATED` is the number of days.

mod chance;
mod day;
mod network;
mod time;
mod trials;
mod weather;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::sync::Arc;

use network::Network;

/// A fault that a trial plants in the pipeline, to see that a law finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A place that becomes free wakes no waiter.
    LostWaiter,
    /// A slot counts from the departure of its request, not from its arrival.
    SlotFromSending,
    /// A host's request to be left alone is not kept.
    SuspensionForgotten,
    /// A copy from the cache passes for a new one.
    AgeUntold,
    /// Equal requests at one time are sent one by one.
    NotCoalesced,
}

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
    static NETWORK: RefCell<Option<Arc<Network>>> = const { RefCell::new(None) };
}

/// Returns whether the day that this thread simulates has this fault.
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// Sends a request: through the simulated network of this thread, if it has one.
pub(crate) fn send(
    request: reqwest::RequestBuilder,
) -> impl Future<Output = Result<reqwest::Response, reqwest::Error>> + Send {
    let network = NETWORK.with_borrow(Clone::clone);
    async move {
        match network {
            Some(network) => network.send(request.build()?).await,
            None => request.send().await,
        }
    }
}

/// Sets the network and the fault of this thread until it is dropped.
struct Simulating;

impl Simulating {
    fn on(network: &Arc<Network>, fault: Option<Fault>) -> Self {
        PLANTED.set(fault);
        NETWORK.set(Some(Arc::clone(network)));
        Self
    }
}

impl Drop for Simulating {
    fn drop(&mut self) {
        PLANTED.set(None);
        NETWORK.set(None);
    }
}
