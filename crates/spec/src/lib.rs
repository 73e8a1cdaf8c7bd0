#![doc = include_str!("../README.md")]

/// Canonical JSON, whose hash is signed.
pub mod canonical;
/// Ha-Pri payloads and signatures over provenance facts.
pub mod ha_pri;
/// The levels of compatibility.
mod level;
/// The JSON Schema of the JSON form.
pub mod schema;
/// Signatures with Ed25519, and the document of public keys.
pub mod signed;
/// The implemented specification: its version, and the sentences that the validator quotes.
pub mod specification;
/// Facts with their signature, as one JSON object.
pub mod stamp;
/// Validation of any FreshContext response: the level it reaches, and what it lacks for the next one.
pub mod validate;
