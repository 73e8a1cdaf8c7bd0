//! freshcontext server.
