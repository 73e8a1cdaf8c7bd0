//! The marks, by vendor.

use super::fingerprint::{Fingerprint, Strength, WallKind};

/// Every mark. Needles are lower-case ASCII.
pub const FINGERPRINTS: &[Fingerprint] = &[
    Fingerprint { vendor: "Cloudflare", needle: "_cf_chl_opt", kind: WallKind::Challenge, strength: Strength::Proof },
];
