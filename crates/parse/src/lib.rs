//! freshcontext parse.
