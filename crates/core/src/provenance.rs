//! Content hashes and verdict ids.
//!
//! Everything here is bit for bit what the FreshContext reference computes, so that an id or a
//! signature made on one side verifies on the other.
//!
//! ```
//! use freshcontext_core::provenance::{canonical_sha256, sha256_hex};
//!
//! // Line ends and trailing blanks do not change what a text is.
//! assert_eq!(canonical_sha256("one \r\ntwo"), sha256_hex("one\ntwo"));
//! ```

mod canonical;
mod verdict_id;

pub use canonical::{canonical, canonical_sha256, sha256_hex};
pub use verdict_id::VerdictBasis;
