//! Chores of the repository: `cargo xtask generate`, `new-adapter`, `replay` and `train-detector`.

pub mod generate;
pub mod new_adapter;
pub mod replay;
mod tables;
pub mod train;
