//! The engine as an MCP server, independent of the transport: the rmcp handler, resources, the HTML page for
//! results, and the JSON-RPC messages that both transports parse themselves.

pub mod caller;
mod identity;
pub mod jsonrpc;
mod listening;
mod live;
pub mod operator;
mod prompts;
mod resources;
mod server;
mod skill;
pub mod timeline;
mod traced;

pub use traced::Traced;

pub use identity::{DESCRIPTION, NAME, VERSION};
pub use server::{
    Cost, INSTRUCTIONS, McpServer, cleaned, cost, model_visible_bytes, tool_result, unknown_tool,
};
