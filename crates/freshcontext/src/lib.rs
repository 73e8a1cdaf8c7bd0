//! The `freshcontext` command: assembles the server and implements its command line. The binary only calls
//! [`cli::run`].

mod access;
pub mod app;
pub mod cli;
mod logging;
mod output;
pub mod package;
mod replicas;
pub mod shape;
mod telemetry;
mod webhooks;
