//! Ids that the same thing has in every call.

use base16ct::lower::encode_string;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of an id.
const DIGITS: usize = 32;

/// An item's, from its address (or source) and the hash of its canonical content.
pub fn item_id(source: &str, content_sha256: Option<&str>) -> String {
    id(
        "itm",
        &["FRESHCONTEXT_ITEM_V1", source, content_sha256.unwrap_or("null")],
    )
}

/// A gap's, from whose it is, what is asked and what for.
pub fn missing_id(scope: &str, question: &str, needed_for: &str) -> String {
    id("mis", &["FRESHCONTEXT_MISSING_V1", scope, question, needed_for])
}

/// Whether a text has the form of a [`missing_id`].
pub fn is_missing_id(text: &str) -> bool {
    text.strip_prefix("mis_").is_some_and(|digits| {
        digits.len() == DIGITS
            && digits
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

/// SHA-256 of a text, in lower case hexadecimal digits.
pub(crate) fn sha256_hex(text: &str) -> String {
    encode_string(&Sha256::digest(text.as_bytes()))
}

/// Each part goes in behind its length, so that no two lists of parts are written alike.
fn id(kind: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let hex = encode_string(&hash.finalize());
    format!("{kind}_{}", hex.get(..DIGITS).unwrap_or_default())
}
