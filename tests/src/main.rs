//! The server's binary, under test: at the moment that `UNDER_TEST_NOW` names, where it does.

use std::process::ExitCode;
use std::sync::Arc;

use freshcontext_contract::FixedClock;
use freshcontext_server::cli;

fn main() -> ExitCode {
    let now = std::env::var("UNDER_TEST_NOW").ok();
    match now.and_then(|now| now.parse().ok()) {
        Some(now) => cli::run_at(Arc::new(FixedClock(now))),
        None => cli::run(),
    }
}
