//! What replicas share, as the HTTP service asks for it.

use std::sync::Arc;
use std::time::Duration;

use freshcontext_contract::BoxFuture;
use freshcontext_coordination::Coordinator;
use freshcontext_engine::live::{Sharing, Watch};
use freshcontext_fetch::{HostStatus, Pipeline};
use freshcontext_serve::http::Replicas;

/// What the live state of the sources is read from.
pub(crate) struct Watched {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) shared: Option<Coordinator>,
}

impl Watch for Watched {
    fn hosts(&self) -> Vec<HostStatus> {
        self.pipeline.status()
    }

    fn sharing(&self) -> Sharing {
        let Some(shared) = &self.shared else {
            return Sharing::Off;
        };
        let status = shared.status();
        let (replicas, for_s) = (status.replicas, status.since.as_secs());
        if status.connected {
            Sharing::Shared { replicas, for_s }
        } else {
            let why = status.why;
            Sharing::OwnShare { replicas, for_s, why }
        }
    }
}

/// The HTTP service's view of a coordinator.
#[derive(Debug)]
pub(crate) struct SharedRates(pub(crate) Coordinator);

impl Replicas for SharedRates {
    fn admit<'a>(
        &'a self,
        client: &'a str,
        interval: Duration,
        burst: u32,
    ) -> BoxFuture<'a, Option<Result<(), Duration>>> {
        Box::pin(self.0.admit(client, interval, burst))
    }

    fn count(&self) -> u32 {
        u32::try_from(self.0.replicas()).unwrap_or(u32::MAX)
    }

    fn state(&self) -> String {
        let status = self.0.status();
        let (replicas, seconds) = (status.replicas, status.since.as_secs());
        if status.connected {
            format!("redis: shared with {replicas} replicas for {seconds} s")
        } else {
            format!(
                "redis: out of reach for {seconds} s ({}); this process keeps to 1/{replicas} of each limit",
                status.why
            )
        }
    }

    fn figures(&self) -> String {
        let status = self.0.status();
        format!(
            "# HELP freshcontext_redis_up Whether limits are shared through Redis.\n\
             # TYPE freshcontext_redis_up gauge\nfreshcontext_redis_up {}\n\
             # HELP freshcontext_redis_lost_total Times that Redis went out of reach.\n\
             # TYPE freshcontext_redis_lost_total counter\nfreshcontext_redis_lost_total {}\n\
             # HELP freshcontext_replicas Replicas that shares of limits are counted by.\n\
             # TYPE freshcontext_replicas gauge\nfreshcontext_replicas {}\n\
             # HELP freshcontext_leases_total Requests to sources, by who granted them: redis or share.\n\
             # TYPE freshcontext_leases_total counter\nfreshcontext_leases_total{{by=\"redis\"}} {}\n\
             freshcontext_leases_total{{by=\"share\"}} {}\n",
            u8::from(status.connected),
            status.lost,
            status.replicas,
            status.granted.0,
            status.granted.1,
        )
    }
}
