//! The engine as an MCP server, whatever the transport: what rmcp asks, resources, the page that draws an answer, and the
//! JSON-RPC messages that both transports read themselves.

pub mod caller;
pub mod jsonrpc;
mod resources;
mod server;
pub mod timeline;

pub use server::{
    Cost, DESCRIPTION, INSTRUCTIONS, McpServer, NAME, VERSION, cleaned, cost, model_visible_bytes,
    tool_result, unknown_tool,
};
