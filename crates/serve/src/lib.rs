//! The two transports of the MCP server: stdin and stdout, and streamable HTTP.

#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod http;
pub mod signals;
pub mod stdio;
