//! Chores of the repository: `cargo xtask generate`, `new-adapter` and `replay`.

mod checked;
pub mod generate;
pub mod new_adapter;
pub mod replay;
mod tables;
