//! Chores of the repository: `cargo xtask generate`, `new-adapter`, `record`, `demo`, `replay` and `train-detector`.

mod checked;
pub mod dist;
pub mod examples;
pub mod generate;
pub mod new_adapter;
pub mod record;
pub mod recorded;
pub mod replay;
mod shapes;
mod tables;
pub mod train;
