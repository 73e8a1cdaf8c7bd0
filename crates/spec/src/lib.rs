#![doc = include_str!("../README.md")]

/// Ha-Pri payloads and signatures over provenance facts.
pub mod ha_pri;
/// The implemented specification: its version, and the sentences that the validator quotes.
pub mod specification;
/// Validation of any FreshContext response: the level it reaches, and what it lacks for the next one.
pub mod validate;
