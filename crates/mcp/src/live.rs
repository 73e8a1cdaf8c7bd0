//! Live state of the sources as a resource.

use freshcontext_engine::{Engine, live};
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents};

/// URI of the live state.
pub(crate) const URI: &str = "freshcontext://sources";
/// Media type.
const KIND: &str = "application/json";

/// Lists the live state as a resource.
pub(crate) fn resource() -> Resource {
    Resource::new(URI, "sources")
        .with_title("Live state of the sources")
        .with_description(
            "Of each source: last success, pace and waiting requests, suspensions, block pages, route in use, missing keys.",
        )
        .with_mime_type(KIND)
}

/// Returns the live state. Makes no request.
pub(crate) fn read(engine: &Engine) -> ReadResourceResult {
    let text = live::described(engine).to_string();
    let contents = ResourceContents::text(text, URI).with_mime_type(KIND);
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private)
}
