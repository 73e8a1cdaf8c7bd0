//! The marks, by what puts them on the page.
//!
//! A mark is a fact about the outside world. Where a vendor documents it, the comment says so; the
//! others are what the product's stock page says, as recorded in public fixtures and reports.

mod challenge;
mod firewalls;
mod hosts;
mod servers;
mod sites;
mod tools;

use super::fingerprint::{Fingerprint, Strength};
use crate::failure::FailureKind;

/// Every mark, in groups. Needles are lower-case ASCII.
pub const FINGERPRINTS: [&[Fingerprint]; 6] = [
    challenge::MARKS,
    firewalls::MARKS,
    servers::MARKS,
    hosts::MARKS,
    sites::MARKS,
    tools::MARKS,
];

/// A header by which a vendor says itself what it did.
pub(super) struct HeaderMark {
    pub(super) vendor: &'static str,
    /// Lower-case header name.
    pub(super) name: &'static str,
    /// What the value contains (ASCII case ignored); empty for any value.
    pub(super) value: &'static str,
    pub(super) kind: FailureKind,
    /// Whether good answers carry the header too, so that a refusing status must go with it.
    pub(super) strength: Strength,
}

/// Every header mark.
pub(super) const HEADER_MARKS: &[HeaderMark] = &[
    // Cloudflare documentation, "Detect a Challenge Page response".
    header(
        "Cloudflare",
        "cf-mitigated",
        "challenge",
        FailureKind::Challenge,
        Strength::Proof,
    ),
    // AWS WAF developer guide, "CAPTCHA and Challenge actions".
    header(
        "AWS WAF",
        "x-amzn-waf-action",
        "captcha",
        FailureKind::Challenge,
        Strength::Proof,
    ),
    header(
        "AWS WAF",
        "x-amzn-waf-action",
        "challenge",
        FailureKind::Challenge,
        Strength::Proof,
    ),
    // Vercel documentation, Attack Challenge Mode.
    header(
        "Vercel",
        "x-vercel-mitigated",
        "challenge",
        FailureKind::Challenge,
        Strength::Proof,
    ),
    header(
        "Vercel",
        "x-vercel-mitigated",
        "deny",
        FailureKind::AccessDenied,
        Strength::Proof,
    ),
    header(
        "DataDome",
        "x-datadome",
        "",
        FailureKind::Challenge,
        Strength::Hint,
    ),
    header("DataDome", "x-dd-b", "", FailureKind::Challenge, Strength::Hint),
    header("Kasada", "x-kpsdk-ct", "", FailureKind::Challenge, Strength::Hint),
    header(
        "Imperva",
        "x-iinfo",
        "",
        FailureKind::AccessDenied,
        Strength::Hint,
    ),
    header(
        "Sucuri",
        "x-sucuri-id",
        "",
        FailureKind::AccessDenied,
        Strength::Hint,
    ),
    header(
        "DDoS-Guard",
        "server",
        "ddos-guard",
        FailureKind::Challenge,
        Strength::Hint,
    ),
    header(
        "Akamai",
        "server",
        "akamaighost",
        FailureKind::AccessDenied,
        Strength::Hint,
    ),
];

const fn header(
    vendor: &'static str,
    name: &'static str,
    value: &'static str,
    kind: FailureKind,
    strength: Strength,
) -> HeaderMark {
    HeaderMark {
        vendor,
        name,
        value,
        kind,
        strength,
    }
}

/// A mark that only occurs on the block page.
const fn proof(vendor: &'static str, kind: FailureKind, needle: &'static str) -> Fingerprint {
    Fingerprint {
        vendor,
        needle,
        kind,
        strength: Strength::Proof,
    }
}

/// A mark that good pages may carry, too.
const fn hint(vendor: &'static str, kind: FailureKind, needle: &'static str) -> Fingerprint {
    Fingerprint {
        vendor,
        needle,
        kind,
        strength: Strength::Hint,
    }
}
