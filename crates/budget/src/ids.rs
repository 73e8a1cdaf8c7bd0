//! Ids that the same thing has in every call, and the hash that they are made of.

use base16ct::lower::encode_string;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of an id that is made of content.
pub const ID_DIGITS: usize = 32;

/// An item's, from its address (or source), its own title and the hash of its canonical content. Items of one list may
/// share the address, and where they have no summary it is the title that tells them apart.
pub fn item_id(source: &str, title: Option<&str>, content_sha256: Option<&str>) -> String {
    id_of(
        "itm",
        &[
            "FRESHCONTEXT_ITEM_V2",
            source,
            title.unwrap_or_default(),
            content_sha256.unwrap_or("null"),
        ],
    )
}

/// A gap's, from whose it is, what is asked and what for.
pub fn missing_id(scope: &str, question: &str, needed_for: &str) -> String {
    id_of("mis", &["FRESHCONTEXT_MISSING_V1", scope, question, needed_for])
}

/// Whether a text has the form of a [`missing_id`].
pub fn is_missing_id(text: &str) -> bool {
    text.strip_prefix("mis_").is_some_and(is_of_content)
}

/// Whether a text has the form of what stands behind the underscore in an id that is made of content.
pub fn is_of_content(digits: &str) -> bool {
    let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    digits.len() == ID_DIGITS && digits.bytes().all(lower)
}

/// SHA-256 of a text, in lower case hexadecimal digits.
pub fn sha256_hex(text: &str) -> String {
    encode_string(&Sha256::digest(text.as_bytes()))
}

/// An id of this kind that is made of content. Each part goes in behind its length, so that no two lists of parts are
/// written alike.
pub fn id_of(kind: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let hex = encode_string(&hash.finalize());
    format!("{kind}_{}", hex.get(..ID_DIGITS).unwrap_or_default())
}
