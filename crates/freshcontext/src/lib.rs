//! The `freshcontext` command: the parts of the server put together, and its command line. The binary calls
//! [`cli::run`] and nothing else.

pub mod app;
pub mod cli;
mod logging;
mod output;
pub mod package;
pub mod shape;
