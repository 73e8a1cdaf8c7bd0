//! The freshcontext server: the tool engine, MCP over stdio and streamable HTTP, configuration and
//! the command line. The binary is a thin caller of [`cli::run`].

pub mod app;
mod aside;
mod atomic_file;
pub mod cli;
pub mod clock;
pub mod config;
pub mod engine;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod input;
mod logging;
pub mod mcp;
pub mod metrics;
mod missing;
mod output;
pub mod package;
pub mod records;
mod resources;
mod retrievals;
pub mod serve;
pub mod shape;
mod signals;
pub mod stdio;
pub mod timeline;
