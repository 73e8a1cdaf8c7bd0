//! JSON-RPC messages as both transports read and write them, where rmcp's own types would cost too much.

pub mod aside;
pub mod frame;
