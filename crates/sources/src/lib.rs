//! freshcontext sources.
