//! The pipeline.

use std::net::SocketAddr;

use freshcontext_contract::{BoxFuture, CallScope, ErrorCode, Request, Response, SourceError, Transport};

use crate::{Config, ConfigError, HostStatus};

/// Sends requests. Build one, share it.
#[derive(Debug)]
pub struct Pipeline {
    config: Config,
}

impl Pipeline {
    /// Checks the configuration. No I/O happens and no thread is started here.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        Ok(Self { config })
    }

    /// Adds a listener of ours, once its port is known: it is never a target.
    pub fn add_own_address(&self, _address: SocketAddr) {}

    /// The state of every host that was asked or has a published limit, in alphabetical order.
    pub fn status(&self) -> Vec<HostStatus> {
        Vec::new()
    }
}

impl Transport for Pipeline {
    fn send<'a>(
        &'a self,
        _scope: &'a CallScope,
        _request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async { Err(SourceError::new(ErrorCode::Internal, "not built yet")) })
    }

    fn configured(&self, env: &str) -> bool {
        self.config.secrets.get(env).is_some_and(|secret| !secret.trim().is_empty())
    }

    fn enabled(&self, adapter: &str, route: &str) -> bool {
        self.config.enabled_routes.contains(&format!("{adapter}.{route}"))
    }
}
