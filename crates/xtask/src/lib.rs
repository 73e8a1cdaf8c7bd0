//! Chores of the repository: `cargo xtask generate`, `new-adapter`, `record` and `replay`.

mod checked;
pub mod generate;
pub mod new_adapter;
pub mod record;
pub mod replay;
mod shapes;
mod tables;
