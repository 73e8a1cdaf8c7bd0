//! Tokens of images, files and other data: estimates, but for text.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use super::message::text;
use crate::tokens::Tokenizer;

/// What an image is estimated at, and any file of which only the address is known: an image takes up to about 1,600
/// (Anthropic, "Vision").
pub(super) const PER_MEDIA: usize = 1_600;
/// Bytes of a document for each token, an estimate: a page of a PDF takes 1,500 to 3,000 (Anthropic, "PDF support"),
/// and as text without pictures some 40 KB.
const DOCUMENT_BYTES: usize = 16;
/// Bytes of sound and films for each token, an estimate: a second of sound takes 32 tokens (Google, "Audio
/// understanding") and at 128 kbit/s 16 KB.
const SOUND_BYTES: usize = 500;

/// Base64 as it comes: with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Names of fields that say what data is, in the order in which they are asked.
const KINDS: [&str; 5] = ["media_type", "mediaType", "mimeType", "mime_type", "format"];
/// Formats that vendors name instead of media types.
const TEXTS: [&str; 6] = ["txt", "md", "csv", "html", "json", "xml"];
const IMAGES: [&str; 5] = ["png", "jpeg", "jpg", "gif", "webp"];
const SOUNDS: [&str; 17] = [
    "mp3", "wav", "mp4", "mov", "webm", "mkv", "mpeg", "mpg", "flv", "wmv", "three_gp", "opus", "flac",
    "aac", "ogg", "m4a", "pcm16",
];

/// What data is, as the fields beside it say.
pub(super) fn kind(fields: &Value) -> Option<&str> {
    let named = KINDS.iter().find_map(|name| text(fields, name));
    // Chat completions have files without a media type.
    named.or_else(|| text(fields, "type").filter(|kind| *kind == "file"))
}

/// Tokens of data, and whether they are an estimate. `kind` is its media type or format; an image where it is
/// unknown.
pub(super) fn tokens(data: &str, kind: Option<&str>, tokenizer: Tokenizer) -> (usize, bool) {
    let (kind, data) = match data.strip_prefix("data:").and_then(|url| url.split_once(',')) {
        Some((head, data)) => (head.split(';').next().or(kind), data),
        None => (kind, data),
    };
    let is_address = data.contains(':') || data.len() < 64 && data.contains(['.', '-', '_']);
    let kind = kind.unwrap_or("image/*");
    if is_address || kind.starts_with("image") || IMAGES.contains(&kind) {
        return (PER_MEDIA, true);
    }
    let bytes = data.len() / 4 * 3;
    let is_text = kind.starts_with("text") || TEXTS.iter().any(|text| kind.ends_with(text));
    if is_text && let Ok(decoded) = BASE64.decode(data) {
        return (tokenizer.count(&String::from_utf8_lossy(&decoded)), false);
    }
    let is_sound = kind.starts_with("audio") || kind.starts_with("video");
    let per = if is_sound || SOUNDS.contains(&kind) {
        SOUND_BYTES
    } else {
        DOCUMENT_BYTES
    };
    (PER_MEDIA.max(bytes / per), true)
}
