//! JSON-RPC parsing and writing for both transports, in the places where rmcp's own types would cost too
//! much.

pub mod aside;
pub mod frame;
