//! What records hold at most.

/// Bytes of text that stand in a record; longer content is pointed at.
pub const INLINE_BYTES: usize = 4_096;
/// Bytes of `context` as JSON: it comes back in every record of the call.
pub const CONTEXT_BYTES: usize = 32_768;
/// Names of fields that a caller may mark.
pub const MARKED_FIELDS: usize = 64;
/// Characters of `traceparent` and `tracestate`.
pub const TRACE_CHARS: usize = 512;
/// Bytes of a text for each token, where nothing counted it.
pub const BYTES_PER_TOKEN: u64 = 4;
