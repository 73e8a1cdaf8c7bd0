//! Judging an HTTP answer by the marks.

use crate::{ErrorCode, Headers};

use super::fingerprint::Fingerprint;
use super::table::FINGERPRINTS;

/// A wall that stood in for the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wall {
    /// Whose wall it is, for example `Cloudflare`.
    pub vendor: &'static str,
    /// What it means for the caller.
    pub code: ErrorCode,
    /// One line for the reader.
    pub reason: String,
}

/// Recognises a wall in an HTTP answer.
pub fn recognise(status: u16, media_type: &str, headers: &Headers, body: &[u8]) -> Option<Wall> {
    let _ = (status, media_type, headers);
    let mark = fingerprints_in(body).into_iter().next()?;
    Some(Wall { vendor: mark.vendor, code: mark.kind.code(), reason: format!("{}: {}", mark.vendor, mark.kind.phrase()) })
}

/// The marks that occur in a body, each once.
pub fn fingerprints_in(body: &[u8]) -> Vec<&'static Fingerprint> {
    let text = String::from_utf8_lossy(body).to_ascii_lowercase();
    FINGERPRINTS.iter().filter(|mark| text.contains(mark.needle)).collect()
}
