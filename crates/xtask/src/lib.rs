#![doc = include_str!("../README.md")]

mod answers;
pub mod cargo;
pub mod check_source;
mod checked;
mod clients;
pub mod dist;
mod earlier;
mod evaluations;
pub mod examples;
pub mod failures;
pub mod faults;
pub mod generate;
mod index;
pub mod new_adapter;
mod operating;
pub mod protocol;
pub mod record;
pub mod recorded;
pub mod replay;
mod shapes;
pub mod source;
mod standings;
mod tables;
pub mod tokens;
mod use_cases;
pub mod words;
